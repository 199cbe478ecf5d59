//! The steps of one transform over several devices.

use super::parts::takes_part;
use crate::matrix;
use crate::ntt::{self, Direction, NttConfig, Ordering};
use crate::vector::{self, VectorConfig};
use icicle_algebra::{Field, PrimeField, with_field};
use icicle_device::{Dst, Src};
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
                    self.reverse_blocks(&mut blocks)?;
                    self.to_slabs(&blocks, &mut slabs, Rows::Reversed)?;
                    self.transpose(&slabs, &mut blocks)?;
                    self.to_slabs(&blocks, &mut slabs, Rows::Natural)?;
                } else {
                    self.load_slabs(input, &mut slabs)?;
                }
                self.transform_columns(&mut slabs)?;
                let rows = if ordering.output_reversed() { Rows::Reversed } else { Rows::Natural };
                self.to_blocks(&slabs, &mut blocks, rows)?;
                self.transform_rows(&mut blocks, rows)?;
                if !ordering.output_reversed() {
                    self.to_slabs(&blocks, &mut slabs, Rows::Natural)?;
                    self.transpose(&slabs, &mut blocks)?;
                }
            }
            Direction::Inverse => {
                self.load_blocks(input, &mut blocks)?;
                let rows = if ordering.input_reversed() { Rows::Reversed } else { Rows::Natural };
                if !ordering.input_reversed() {
                    self.transpose_back(&blocks, &mut slabs)?;
                    self.to_blocks(&slabs, &mut blocks, Rows::Natural)?;
                }
                self.transform_rows(&mut blocks, rows)?;
                self.to_slabs(&blocks, &mut slabs, rows)?;
                self.transform_columns(&mut slabs)?;
                self.to_blocks(&slabs, &mut blocks, Rows::Natural)?;
                if ordering.output_reversed() {
                    self.transpose_back(&blocks, &mut slabs)?;
                    self.to_blocks(&slabs, &mut blocks, Rows::Reversed)?;
                    self.reverse_blocks(&mut blocks)?;
                }
            }
        }
        drop(slabs);
        self.store(&blocks, out)
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
        let slots = Slots::new(blocks.iter_mut().map(Dst::from));
        self.step(|position| {
            let block = &self.blocks[position];
            input.copy_to(OP, block.start * self.cols..block.end * self.cols, self.bytes, slots.take(position)?)
        })
    }

    fn load_slabs(&self, input: &Input<'_>, slabs: &mut Parts) -> Result<()> {
        let slots = Slots::new(slabs.iter_mut().map(Dst::from));
        self.step(|position| {
            let slab = &self.slabs[position];
            let rows = slots.take(position)?.split(OP, (0..self.rows).map(|_| slab.len() * self.bytes))?;
            rows.into_iter().enumerate().try_for_each(|(row, to)| {
                input.copy_to(OP, row * self.cols + slab.start..row * self.cols + slab.end, self.bytes, to)
            })
        })
    }

    fn store(&self, blocks: &Parts, out: Output<'_>) -> Result<()> {
        let ranges: Vec<_> = self.blocks.iter().map(|b| b.start * self.cols..b.end * self.cols).collect();
        let slots = out.slots(OP, &ranges, self.bytes)?;
        self.step(|position| transfer(slots.take(position)?, (&blocks[position]).into()))
    }

    /// All-to-all: each device collects its columns of all rows.
    fn to_slabs(&self, blocks: &Parts, slabs: &mut Parts, rows: Rows) -> Result<()> {
        let slots = Slots::new(slabs.iter_mut().map(Dst::from));
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
    fn to_blocks(&self, slabs: &Parts, blocks: &mut Parts, rows: Rows) -> Result<()> {
        let slots = Slots::new(blocks.iter_mut().map(Dst::from));
        self.step(|position| {
            let block = self.blocks[position].clone();
            let owners = || (0..self.slabs.len()).filter(|&owner| !self.slabs[owner].is_empty());
            let sizes = block.clone().flat_map(|_| owners().map(|owner| self.slabs[owner].len() * self.bytes));
            let places = slots.take(position)?.split(OP, sizes)?;
            let sources = block.flat_map(|place| owners().map(move |owner| (place, owner)));
            let pieces = places.into_iter().zip(sources).map(|(to, (place, owner))| {
                let from = self.in_slab(owner, self.row(place, rows));
                Ok((to, Src::from(&slabs[owner]).part(OP, from.start, from.len())?))
            });
            self.exchange(position, pieces)
        })
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
    fn transpose(&self, slabs: &Parts, blocks: &mut Parts) -> Result<()> {
        self.turn(slabs, blocks, |width| (self.rows, width))
    }

    /// Undo [`Plan::transpose`].
    fn transpose_back(&self, blocks: &Parts, slabs: &mut Parts) -> Result<()> {
        self.turn(blocks, slabs, |width| (width, self.rows))
    }

    fn turn(&self, from: &Parts, to: &mut Parts, shape: impl Fn(usize) -> (usize, usize) + Sync) -> Result<()> {
        let slots = Slots::new(to.iter_mut().map(Dst::from));
        self.step(|position| {
            let (rows, cols) = shape(self.slabs[position].len());
            let config = VectorConfig::default();
            matrix::transpose(self.field, rows, cols, (&from[position]).into(), &config, slots.take(position)?)
        })
    }

    /// Each row's elements to the places with their bits reversed.
    fn reverse_blocks(&self, blocks: &mut Parts) -> Result<()> {
        self.each_row(blocks, |_, row| {
            vector::bit_reverse(self.field, self.cols, row.as_src(), &VectorConfig::default(), row)
        })
    }

    fn each_row(&self, blocks: &mut Parts, job: impl Fn(usize, Dst<'_>) -> Result<()> + Sync) -> Result<()> {
        let slots = Slots::new(blocks.iter_mut().map(Dst::from));
        self.step(|position| {
            let block = self.blocks[position].clone();
            let rows = slots.take(position)?.split(OP, block.clone().map(|_| self.cols * self.bytes))?;
            block.zip(rows).try_for_each(|(place, row)| job(place, row))
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
        let slots = Slots::new(slabs.iter_mut().map(Dst::from));
        self.step(|position| {
            let slab = slots.take(position)?;
            let config = NttConfig { coset, batch: self.slabs[position].len(), columns: true, ..NttConfig::default() };
            ntt::ntt(self.field, self.rows, self.direction, &config, slab.as_src(), slab)
        })
    }

    fn transform_rows(&self, blocks: &mut Parts, rows: Rows) -> Result<()> {
        let ordering = match (self.direction, rows) {
            (_, Rows::Natural) => Ordering::NaturalNatural,
            (Direction::Forward, Rows::Reversed) => Ordering::NaturalReversed,
            (Direction::Inverse, Rows::Reversed) => Ordering::ReversedNatural,
        };
        self.each_row(blocks, |place, row| {
            let coset = self.coset(1, self.row(place, rows));
            let config = NttConfig { coset, ordering, ..NttConfig::default() };
            ntt::ntt(self.field, self.cols, self.direction, &config, row.as_src(), row)
        })
    }
}
