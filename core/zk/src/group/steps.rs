//! The steps of one transform over several devices.

use super::parts::{takes_part, written_to};
use crate::matrix;
use crate::ntt::{self, Direction, NttConfig, Ordering};
use crate::vector::{self, VectorConfig};
use icicle_algebra::{Field, PrimeField, with_field};
use icicle_device::{Dst, Place, Src};
use icicle_error::{Error, ErrorCode, Result};
use icicle_params::FieldId;
use icicle_runtime::divided::{Input, Output};
use icicle_runtime::slots::Slots;
use icicle_runtime::{Buffer, DeviceGroup, transfer, transfer_all};
use std::ops::Range;

const OP: &str = "ntt";

/// One transform over several devices.
pub(super) struct Plan<'c> {
    pub(super) group: &'c DeviceGroup,
    pub(super) field: FieldId,
    /// Of an element.
    pub(super) bytes: usize,
    pub(super) direction: Direction,
    pub(super) config: &'c NttConfig,
    /// `R`.
    pub(super) rows: usize,
    /// `C`, a multiple of `R`.
    pub(super) cols: usize,
    /// The rows of each device.
    pub(super) blocks: Vec<Range<usize>>,
    /// The columns of each device, in the same proportion.
    pub(super) slabs: Vec<Range<usize>>,
    /// Root of unity of order `n`.
    pub(super) root: [u64; 12],
}

/// What each device holds: rows one after another, or its columns as a matrix of all rows.
type Parts = Vec<Buffer<u8>>;

/// Which row a place among the blocks stands for.
#[derive(Clone, Copy, PartialEq)]
enum Rows {
    /// That of the same number.
    Natural,
    /// That of the number with its bits reversed.
    Reversed,
}

fn all(parts: &mut Parts) -> Slots<'_> {
    Slots::new(parts.iter_mut().map(Dst::from))
}

impl Plan<'_> {
    /// Transform.
    pub(super) fn run(&self, input: &Input<'_>, out: Output<'_>) -> Result<()> {
        let ordering = self.config.ordering;
        let mut blocks = self.parts()?;
        let mut slabs = self.parts()?;
        match self.direction {
            Direction::Forward => {
                if ordering.input_reversed() {
                    self.load_blocks(input, &mut blocks)?;
                    self.reverse_rows(None, all(&mut blocks))?;
                    self.to_slabs(&blocks, &mut slabs, Rows::Reversed)?;
                    self.transpose(&slabs, all(&mut blocks))?;
                    self.to_slabs(&blocks, &mut slabs, Rows::Natural)?;
                } else {
                    self.load_slabs(input, &mut slabs)?;
                }
                self.transform_columns(&mut slabs)?;
                let rows = if ordering.output_reversed() { Rows::Reversed } else { Rows::Natural };
                self.to_blocks(&slabs, all(&mut blocks), rows)?;
                if ordering.output_reversed() {
                    drop(slabs);
                    return self.transform_rows(Some(&blocks), self.slots(out)?, rows);
                }
                self.transform_rows(None, all(&mut blocks), rows)?;
                self.to_slabs(&blocks, &mut slabs, Rows::Natural)?;
                drop(blocks);
                self.transpose(&slabs, self.slots(out)?)
            }
            Direction::Inverse => {
                self.load_blocks(input, &mut blocks)?;
                let rows = if ordering.input_reversed() { Rows::Reversed } else { Rows::Natural };
                if !ordering.input_reversed() {
                    self.transpose_back(&blocks, &mut slabs)?;
                    self.to_blocks(&slabs, all(&mut blocks), Rows::Natural)?;
                }
                self.transform_rows(None, all(&mut blocks), rows)?;
                self.to_slabs(&blocks, &mut slabs, rows)?;
                self.transform_columns(&mut slabs)?;
                if !ordering.output_reversed() {
                    drop(blocks);
                    return self.to_blocks(&slabs, self.slots(out)?, Rows::Natural);
                }
                self.to_blocks(&slabs, all(&mut blocks), Rows::Natural)?;
                self.transpose_back(&blocks, &mut slabs)?;
                self.to_blocks(&slabs, all(&mut blocks), Rows::Reversed)?;
                drop(slabs);
                self.reverse_rows(Some(&blocks), self.slots(out)?)
            }
        }
    }

    /// Memory for each device's part.
    fn parts(&self) -> Result<Parts> {
        let make = |device, position: usize| Buffer::on(device, self.blocks[position].len() * self.cols * self.bytes);
        self.group.on_each(make).into_iter().collect()
    }

    /// Run a step on every device that takes part.
    fn step(&self, job: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
        self.group.on_some(takes_part(&self.blocks), |_, position| job(position)).map(|_| ())
    }

    /// Where a device's columns of a row lie in its slab, in bytes.
    fn in_slab(&self, position: usize, row: usize) -> Range<usize> {
        let width = self.slabs[position].len() * self.bytes;
        row * width..(row + 1) * width
    }

    /// The row at a place among the blocks.
    fn row(&self, place: usize, rows: Rows) -> usize {
        match rows {
            Rows::Natural => place,
            Rows::Reversed => place.reverse_bits() >> (usize::BITS - self.rows.ilog2()),
        }
    }

    fn load_blocks(&self, input: &Input<'_>, blocks: &mut Parts) -> Result<()> {
        let slots = all(blocks);
        self.step(|position| {
            let block = &self.blocks[position];
            input.copy_to(OP, block.start * self.cols..block.end * self.cols, self.bytes, slots.take(position)?)
        })
    }

    fn load_slabs(&self, input: &Input<'_>, slabs: &mut Parts) -> Result<()> {
        let slots = all(slabs);
        self.step(|position| {
            let slab = &self.slabs[position];
            let rows = slots.take(position)?.split(OP, (0..self.rows).map(|_| slab.len() * self.bytes))?;
            rows.into_iter().enumerate().try_for_each(|(row, to)| {
                input.copy_to(OP, row * self.cols + slab.start..row * self.cols + slab.end, self.bytes, to)
            })
        })
    }

    /// The blocks of the result.
    fn slots<'o>(&self, out: Output<'o>) -> Result<Slots<'o>> {
        let ranges: Vec<_> = self.blocks.iter().map(|b| b.start * self.cols..b.end * self.cols).collect();
        out.slots(OP, &ranges, self.bytes)
    }

    /// Run a step on every device that takes part and writes its slot, wherever that lies.
    fn write(&self, slots: &Slots<'_>, job: impl Fn(usize, Dst<'_>) -> Result<()> + Sync) -> Result<()> {
        let write =
            |position: usize| written_to(self.group.devices()[position], slots.take(position)?, |to| job(position, to));
        self.step(write)
    }

    /// All-to-all: each device collects its columns of all rows.
    fn to_slabs(&self, blocks: &Parts, slabs: &mut Parts, rows: Rows) -> Result<()> {
        let slots = all(slabs);
        self.step(|position| {
            let slab = &self.slabs[position];
            let width = slab.len() * self.bytes;
            let places = slots.take(position)?.split(OP, (0..self.rows).map(|_| width))?;
            let pieces = places.into_iter().enumerate().map(|(row, to)| {
                // Reversing bits undoes itself.
                let place = self.row(row, rows);
                let owner = self.owner(place)?;
                let from = ((place - self.blocks[owner].start) * self.cols + slab.start) * self.bytes;
                Ok((to, Src::from(&blocks[owner]).part(OP, from, width)?))
            });
            self.exchange(position, pieces)
        })
    }

    /// All-to-all: each device collects its rows of all columns.
    fn to_blocks(&self, slabs: &Parts, blocks: Slots<'_>, rows: Rows) -> Result<()> {
        self.step(|position| {
            // Other devices write to this one's memory only.
            let (device, to) = (self.group.devices()[position], blocks.take(position)?);
            if to.place() == Place::Device(device) {
                return self.collect(position, slabs, to, rows);
            }
            let mut own = Buffer::<u8>::on(device, to.bytes())?;
            self.collect(position, slabs, (&mut own).into(), rows)?;
            transfer(to, (&own).into())
        })
    }

    /// A device's rows of all columns.
    fn collect(&self, position: usize, slabs: &Parts, to: Dst<'_>, rows: Rows) -> Result<()> {
        let block = self.blocks[position].clone();
        let owners = || (0..self.slabs.len()).filter(|&owner| !self.slabs[owner].is_empty());
        let sizes = block.clone().flat_map(|_| owners().map(|owner| self.slabs[owner].len() * self.bytes));
        let places = to.split(OP, sizes)?;
        let sources = block.flat_map(|place| owners().map(move |owner| (place, owner)));
        let pieces = places.into_iter().zip(sources).map(|(to, (place, owner))| {
            let from = self.in_slab(owner, self.row(place, rows));
            Ok((to, Src::from(&slabs[owner]).part(OP, from.start, from.len())?))
        });
        self.exchange(position, pieces)
    }

    /// Copy pieces to a device, all under way at once.
    fn exchange<'p>(&self, position: usize, pieces: impl Iterator<Item = Result<(Dst<'p>, Src<'p>)>>) -> Result<()> {
        transfer_all(&self.group.stream(position, 0)?, pieces.collect::<Result<Vec<_>>>()?)
    }

    /// The device that has the row at a place among the blocks.
    fn owner(&self, place: usize) -> Result<usize> {
        let none = || Error::new(ErrorCode::Internal, OP, format!("row {place} is on no device"));
        self.blocks.iter().position(|block| block.contains(&place)).ok_or_else(none)
    }

    /// Slabs `R × width` to `width × R`: of rows that hold indices modulo `R` the natural order.
    fn transpose(&self, slabs: &Parts, blocks: Slots<'_>) -> Result<()> {
        self.turn(slabs, blocks, |width| (self.rows, width))
    }

    /// Undo [`Plan::transpose`].
    fn transpose_back(&self, blocks: &Parts, slabs: &mut Parts) -> Result<()> {
        self.turn(blocks, all(slabs), |width| (width, self.rows))
    }

    fn turn(&self, from: &Parts, to: Slots<'_>, shape: impl Fn(usize) -> (usize, usize) + Sync) -> Result<()> {
        self.write(&to, |position, to| {
            let (rows, cols) = shape(self.slabs[position].len());
            matrix::transpose(self.field, rows, cols, (&from[position]).into(), &VectorConfig::default(), to)
        })
    }

    /// Each row's elements to the places with their bits reversed; in place without `from`.
    fn reverse_rows(&self, from: Option<&Parts>, to: Slots<'_>) -> Result<()> {
        self.each_row(from, to, |_, row, to| {
            vector::bit_reverse(self.field, self.cols, row, &VectorConfig::default(), to)
        })
    }

    /// Work on every row; in place without `from`.
    fn each_row(
        &self,
        from: Option<&Parts>,
        to: Slots<'_>,
        job: impl Fn(usize, Src<'_>, Dst<'_>) -> Result<()> + Sync,
    ) -> Result<()> {
        let bytes = self.cols * self.bytes;
        self.write(&to, |position, to| {
            let block = self.blocks[position].clone();
            let rows = to.split(OP, block.clone().map(|_| bytes))?;
            block.zip(rows).enumerate().try_for_each(|(i, (place, to))| {
                let row = from.map(|from| Src::from(&from[position]).part(OP, i * bytes, bytes)).transpose()?;
                job(place, row.unwrap_or(to.as_src()), to)
            })
        })
    }

    /// `g^generator·w^root`, where `g` generates the call's coset.
    fn coset(&self, generator: usize, root: usize) -> Option<[u64; 12]> {
        fn power<F: PrimeField>(words: &[u64; 12], exponent: usize) -> F {
            F::from_words(words).pow(&[exponent as u64])
        }
        let one = self.config.coset.is_none() && root == 0;
        (!one).then(|| {
            with_field!(self.field.scalar(), F => {
                let shift = power::<<F as Field>::Prime>(&self.root, root);
                let own = self.config.coset.as_ref().map(|g| power::<<F as Field>::Prime>(g, generator));
                own.map_or(shift, |own| own * shift).words()
            })
        })
    }

    fn transform_columns(&self, slabs: &mut Parts) -> Result<()> {
        let coset = self.coset(self.cols, 0);
        let slots = all(slabs);
        self.step(|position| {
            let slab = slots.take(position)?;
            let config = NttConfig { coset, batch: self.slabs[position].len(), columns: true, ..NttConfig::default() };
            ntt::ntt(self.field, self.rows, self.direction, &config, slab.as_src(), slab)
        })
    }

    /// The transforms along the rows; in place without `from`.
    fn transform_rows(&self, from: Option<&Parts>, to: Slots<'_>, rows: Rows) -> Result<()> {
        let ordering = match (self.direction, rows) {
            (_, Rows::Natural) => Ordering::NaturalNatural,
            (Direction::Forward, Rows::Reversed) => Ordering::NaturalReversed,
            (Direction::Inverse, Rows::Reversed) => Ordering::ReversedNatural,
        };
        self.each_row(from, to, |place, row, to| {
            let coset = self.coset(1, self.row(place, rows));
            let config = NttConfig { coset, ordering, ..NttConfig::default() };
            ntt::ntt(self.field, self.cols, self.direction, &config, row, to)
        })
    }
}
