//! The steps of one transform over several devices.
//!
//! In each step a device works on its columns, or on its rows, part by part, and copies between devices go on meanwhile: a
//! part is worked on once its pieces have come, and sent where the next step wants it as soon as it is done.

use super::parts::takes_part;
use crate::matrix;
use crate::ntt::{self, Block, Direction, NttConfig, Ordering};
use crate::vector::{self, VectorConfig};
use icicle_algebra::{Field, PrimeField, with_field};
use icicle_device::{Dst, Place, Src};
use icicle_error::reserve::{self, listed};
use icicle_error::{Error, ErrorCode, Result};
use icicle_params::FieldId;
use icicle_runtime::divided::{Held, Input, Output};
use icicle_runtime::relay::Part;
use icicle_runtime::slots::Slots;
use icicle_runtime::{Buffer, DeviceGroup, Launch};
use std::ops::Range;

const OP: &str = "ntt";

/// Columns of the matrix, which lie together on a device: a matrix of all rows.
pub(super) struct Slab {
    /// The device's position.
    pub(super) position: usize,
    pub(super) columns: Range<usize>,
}

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
    /// The rows of each device, of which its block of the vector consists.
    pub(super) blocks: Vec<Range<usize>>,
    /// All columns in order, each device's in the proportion of its rows.
    pub(super) slabs: Vec<Slab>,
    /// Root of unity of order `n`.
    pub(super) root: [u64; 12],
}

/// The memory of each device's rows, or of each slab.
type Parts = Vec<Buffer<u8>>;

/// Where the pieces of a device's parts go: by part, by piece.
type Sent<'p> = Slots<Vec<Vec<Dst<'p>>>>;

/// The pieces of a slab's columns in a row that lie somewhere: by row, columns, and the position of the device that asks.
type Columns<'s, 'p> = dyn Fn(usize, &Range<usize>, usize) -> Result<Vec<Src<'p>>> + Sync + 's;

/// Which row a place among the blocks stands for.
#[derive(Clone, Copy, PartialEq)]
enum Rows {
    /// That of the same number.
    Natural,
    /// That of the number with its bits reversed.
    Reversed,
}

fn all(parts: &mut Parts) -> Result<Slots<Dst<'_>>> {
    Slots::new(parts.iter_mut().map(Dst::from))
}

impl Plan<'_> {
    /// Transform.
    pub(super) fn run(&self, input: &Input<'_>, out: Output<'_>) -> Result<()> {
        match self.direction {
            Direction::Forward => self.forward(input, out),
            Direction::Inverse => self.inverse(input, out),
        }
    }

    fn forward(&self, input: &Input<'_>, out: Output<'_>) -> Result<()> {
        let ordering = self.config.ordering;
        let mut slabs = self.slabs()?;
        if ordering.input_reversed() {
            let blocks = self.natural(input, &mut slabs)?;
            let source = |row: usize, columns: &Range<usize>, _: usize| self.of_blocks(&blocks, row, columns);
            self.columns(Some(&source), all(&mut slabs)?, None)?;
            drop(blocks);
        } else {
            let source = |row: usize, columns: &Range<usize>, position: usize| {
                let start = row * self.cols;
                input.pieces(OP, position, start + columns.start..start + columns.end, self.bytes)
            };
            self.columns(Some(&source), all(&mut slabs)?, None)?;
        }
        let held = |place: usize, rows: Rows| self.of_slabs(&slabs, self.row(place, rows));
        if ordering.output_reversed() {
            let rows = Rows::Reversed;
            return self.rows(&|place, _| held(place, rows), self.slots(out)?, None, &self.transform_row(rows));
        }
        let rows = Rows::Natural;
        let (mut blocks, mut turned) = (self.blocks()?, self.slabs()?);
        let sent = Some(self.to_slabs(&mut turned, rows)?);
        self.rows(&|place, _| held(place, rows), all(&mut blocks)?, sent, &self.transform_row(rows))?;
        drop((slabs, blocks));
        self.transpose(&turned, self.slots(out)?)
    }

    fn inverse(&self, input: &Input<'_>, out: Output<'_>) -> Result<()> {
        let ordering = self.config.ordering;
        let (mut blocks, mut slabs) = (self.blocks()?, self.slabs()?);
        if ordering.input_reversed() {
            let rows = Rows::Reversed;
            let sent = Some(self.to_slabs(&mut slabs, rows)?);
            self.rows(&self.of_input(input), all(&mut blocks)?, sent, &self.transform_row(rows))?;
        } else {
            let rows = Rows::Natural;
            let mut turned = self.slabs()?;
            let held = |position: usize, range: &Range<usize>| {
                input.on(OP, self.group.devices()[position], position, range, self.bytes)
            };
            self.transpose_back(&held, &mut turned)?;
            let sent = Some(self.to_slabs(&mut slabs, rows)?);
            let source = |place: usize, _: usize| self.of_slabs(&turned, self.row(place, rows));
            self.rows(&source, all(&mut blocks)?, sent, &self.transform_row(rows))?;
        }
        if !ordering.output_reversed() {
            drop(blocks);
            let sent = Some(self.to_blocks(self.slots(out)?)?);
            return self.columns(None, all(&mut slabs)?, sent);
        }
        let sent = Some(self.to_blocks(all(&mut blocks)?)?);
        self.columns(None, all(&mut slabs)?, sent)?;
        let held = |position: usize, _: &Range<usize>| Ok(Held::Borrowed(Src::from(&blocks[position])));
        self.transpose_back(&held, &mut slabs)?;
        let source = |place: usize, _: usize| self.of_slabs(&slabs, self.row(place, Rows::Reversed));
        self.rows(&source, self.slots(out)?, None, &self.reverse_row())
    }

    /// A bit-reversed vector in natural order, in blocks; by way of the slabs.
    fn natural(&self, input: &Input<'_>, slabs: &mut Parts) -> Result<Parts> {
        let mut blocks = self.blocks()?;
        let sent = Some(self.to_slabs(slabs, Rows::Reversed)?);
        self.rows(&self.of_input(input), all(&mut blocks)?, sent, &self.reverse_row())?;
        self.transpose(slabs, all(&mut blocks)?)?;
        Ok(blocks)
    }

    /// Memory for each device's rows.
    fn blocks(&self) -> Result<Parts> {
        let make = |device, position: usize| Buffer::on(device, self.blocks[position].len() * self.cols * self.bytes);
        listed(OP, self.group.on_each(make))
    }

    /// Memory for each slab.
    fn slabs(&self) -> Result<Parts> {
        let make =
            |device, position: usize| listed(OP, self.of(position).map(|i| Buffer::on(device, self.slab_bytes(i))));
        let made = listed(OP, self.group.on_each(make))?;
        listed(OP, made.into_iter().flatten().map(Ok))
    }

    /// The slabs of a device, by number.
    fn of(&self, position: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.slabs.len()).filter(move |&i| self.slabs[i].position == position)
    }

    fn slab_bytes(&self, i: usize) -> usize {
        self.rows * self.width(i)
    }

    /// Bytes of a slab's columns of a row.
    fn width(&self, i: usize) -> usize {
        self.slabs[i].columns.len() * self.bytes
    }

    /// The row at a place among the blocks, and the place of a row: reversing bits undoes itself.
    fn row(&self, place: usize, rows: Rows) -> usize {
        match rows {
            Rows::Natural => place,
            Rows::Reversed => place.reverse_bits() >> (usize::BITS - self.rows.ilog2()),
        }
    }

    /// The blocks of the result.
    fn slots<'o>(&self, out: Output<'o>) -> Result<Slots<Dst<'o>>> {
        let ranges: Vec<_> = self.blocks.iter().map(|b| b.start * self.cols..b.end * self.cols).collect();
        out.slots(OP, &ranges, self.bytes)
    }

    /// The pieces of a row that slabs hold.
    fn of_slabs<'p>(&self, slabs: &'p Parts, row: usize) -> Result<Vec<Src<'p>>> {
        let piece = |(i, slab)| Src::from(slab).part(OP, row * self.width(i), self.width(i));
        listed(OP, slabs.iter().enumerate().map(piece))
    }

    /// The pieces of a row of the input, by its place.
    fn of_input<'p>(&self, input: &'p Input<'_>) -> impl Fn(usize, usize) -> Result<Vec<Src<'p>>> + Sync {
        let (cols, bytes, input) = (self.cols, self.bytes, *input);
        move |place, position| input.pieces(OP, position, place * cols..(place + 1) * cols, bytes)
    }

    /// Columns of a row that a block holds.
    fn of_blocks<'p>(&self, blocks: &'p Parts, row: usize, columns: &Range<usize>) -> Result<Vec<Src<'p>>> {
        let none = || Error::new(ErrorCode::Internal, OP, format!("row {row} is on no device"));
        let owner = self.blocks.iter().position(|block| block.contains(&row)).ok_or_else(none)?;
        let from = (row - self.blocks[owner].start) * self.cols + columns.start;
        Ok(vec![Src::from(&blocks[owner]).part(OP, from * self.bytes, columns.len() * self.bytes)?])
    }

    /// Where devices send their rows: to every slab its columns.
    fn to_slabs<'p>(&self, slabs: &'p mut Parts, rows: Rows) -> Result<Sent<'p>> {
        let cut = |(i, slab): (usize, &'p mut Buffer<u8>)| {
            let pieces = Dst::from(slab).split(OP, (0..self.rows).map(|_| self.width(i)))?;
            listed(OP, pieces.into_iter().map(|piece| Ok(Some(piece))))
        };
        let mut cut = listed(OP, slabs.iter_mut().enumerate().map(cut))?;
        let mut of_row =
            |place| listed(OP, cut.iter_mut().filter_map(|slab| slab[self.row(place, rows)].take()).map(Ok));
        Slots::new(listed(OP, self.blocks.iter().map(|block| listed(OP, block.clone().map(&mut of_row))))?)
    }

    /// Where devices send their slabs: to every row its columns.
    fn to_blocks<'p>(&self, blocks: Slots<Dst<'p>>) -> Result<Sent<'p>> {
        let mut sent: Vec<Vec<Vec<_>>> = self.blocks.iter().map(|_| Vec::new()).collect();
        let mut slabs = listed(OP, self.slabs.iter().map(|_| reserve::with_capacity(OP, self.rows)))?;
        for (position, block) in self.blocks.iter().enumerate() {
            let sizes = block.clone().flat_map(|_| (0..self.slabs.len()).map(|i| self.width(i)));
            let pieces = blocks.take(position)?.split(OP, sizes)?;
            pieces.into_iter().enumerate().for_each(|(k, piece)| slabs[k % self.slabs.len()].push(piece));
        }
        for (slab, pieces) in self.slabs.iter().zip(slabs) {
            reserve::push(OP, &mut sent[slab.position], pieces)?;
        }
        Slots::new(sent)
    }

    /// Work on the parts of every device's slot, of so many bytes each, wherever the slot lies.
    fn write<'p>(
        &self,
        slots: &Slots<Dst<'_>>,
        sizes: impl Fn(usize) -> Vec<usize> + Sync,
        source: impl Fn(usize, usize) -> Result<Vec<Src<'p>>> + Sync,
        sent: Option<Sent<'_>>,
        work: impl Fn(usize, usize, &Launch, Dst<'_>) -> Result<()> + Sync,
    ) -> Result<()> {
        self.step(|position| {
            let (device, slot) = (self.group.devices()[position], slots.take(position)?);
            let mut own =
                Buffer::<u8>::on(device, if slot.place() == Place::Device(device) { 0 } else { slot.bytes() })?;
            let mut sent: Vec<_> = sent.as_ref().map(|sent| sent.take(position)).transpose()?.unwrap_or_default();
            let places = if own.is_empty() {
                slot.split(OP, sizes(position))?
            } else {
                let pieces = slot.split(OP, sizes(position))?;
                sent = listed(OP, pieces.into_iter().map(|piece| Ok(vec![piece])))?;
                Dst::from(&mut own).split(OP, sizes(position))?
            };
            let mut sent = sent.into_iter();
            let part =
                |(k, memory)| Ok(Part { memory, from: source(position, k)?, to: sent.next().unwrap_or_default() });
            let parts = listed(OP, places.into_iter().enumerate().map(part))?;
            self.group.relay(position, parts, |k, launch, part| work(position, k, launch, part))
        })
    }

    /// Run a step on every device that takes part.
    fn step(&self, job: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
        self.group.on_some(takes_part(&self.blocks), |_, position| job(position)).map(|_| ())
    }

    /// Transforms down the columns of each slab, which the pieces of its rows fill first.
    fn columns<'p>(
        &self,
        source: Option<&Columns<'_, 'p>>,
        slabs: Slots<Dst<'_>>,
        sent: Option<Sent<'_>>,
    ) -> Result<()> {
        let coset = self.coset(self.cols, 0);
        self.step(|position| {
            let mut sent = sent.as_ref().map(|sent| sent.take(position)).transpose()?.unwrap_or_default().into_iter();
            let part = |i: usize| {
                let columns = &self.slabs[i].columns;
                let mut from = Vec::new();
                if let Some(source) = source {
                    for row in 0..self.rows {
                        let pieces = source(row, columns, position)?;
                        pieces.into_iter().try_for_each(|piece| reserve::push(OP, &mut from, piece))?;
                    }
                }
                let to = sent.next().unwrap_or_default();
                Ok(Part { memory: slabs.take(i)?, from, to })
            };
            let parts = listed(OP, self.of(position).map(part))?;
            let own: Vec<usize> = self.of(position).collect();
            self.group.relay(position, parts, |k, launch, slab| {
                let (batch, launch) = (self.slabs[own[k]].columns.len(), launch.clone());
                let config = NttConfig { coset, batch, columns: true, launch, ..NttConfig::default() };
                ntt::ntt(self.field, self.rows, self.direction, &config, slab.as_src(), slab)
            })
        })
    }

    /// Work on the rows of each device, which their pieces fill first.
    fn rows<'p>(
        &self,
        source: &(dyn Fn(usize, usize) -> Result<Vec<Src<'p>>> + Sync),
        blocks: Slots<Dst<'_>>,
        sent: Option<Sent<'_>>,
        work: &(dyn Fn(usize, &Launch, Dst<'_>) -> Result<()> + Sync),
    ) -> Result<()> {
        let sizes = |position: usize| self.blocks[position].clone().map(|_| self.cols * self.bytes).collect();
        let place = |position: usize, k: usize| self.blocks[position].start + k;
        let source = |position, k| source(place(position, k), position);
        self.write(&blocks, sizes, source, sent, |position, k, launch, row| work(place(position, k), launch, row))
    }

    /// The transform of the row at a place.
    fn transform_row(&self, rows: Rows) -> impl Fn(usize, &Launch, Dst<'_>) -> Result<()> + Sync + '_ {
        let ordering = match (self.direction, rows) {
            (_, Rows::Natural) => Ordering::NaturalNatural,
            (Direction::Forward, Rows::Reversed) => Ordering::NaturalReversed,
            (Direction::Inverse, Rows::Reversed) => Ordering::ReversedNatural,
        };
        move |place, launch, row| {
            let number = self.row(place, rows);
            let config =
                NttConfig { coset: self.coset(1, number), ordering, launch: launch.clone(), ..NttConfig::default() };
            // Without a coset of the call's it is a part of the whole transform's network.
            let index = number.reverse_bits() >> (usize::BITS - self.rows.ilog2());
            let block = Block { log_blocks: self.rows.ilog2(), index: index as u32 };
            let block = self.config.coset.is_none().then_some(block);
            ntt::ntt_of_block(self.field, self.cols, self.direction, &config, block, row.as_src(), row)
        }
    }

    /// A row's elements to the places with their bits reversed.
    fn reverse_row(&self) -> impl Fn(usize, &Launch, Dst<'_>) -> Result<()> + Sync + '_ {
        |_, launch, row| {
            let config = VectorConfig { launch: launch.clone(), ..VectorConfig::default() };
            vector::bit_reverse(self.field, self.cols, row.as_src(), &config, row)
        }
    }

    /// Slabs `R × width` to `width × R`: of rows that hold indices modulo `R` the natural order.
    fn transpose(&self, slabs: &Parts, blocks: Slots<Dst<'_>>) -> Result<()> {
        let sizes = |position: usize| self.of(position).map(|i| self.slab_bytes(i)).collect();
        let nothing = |_, _| Ok(Vec::new());
        self.write(&blocks, sizes, nothing, None, |position, k, launch, to| {
            let slab = self.of(position).nth(k).unwrap_or_default();
            self.turn((self.rows, self.slabs[slab].columns.len()), (&slabs[slab]).into(), launch, to)
        })
    }

    /// Undo [`Plan::transpose`], of blocks that devices hold.
    fn transpose_back<'p>(
        &self,
        held: &(dyn Fn(usize, &Range<usize>) -> Result<Held<'p>> + Sync),
        slabs: &mut Parts,
    ) -> Result<()> {
        let slots = all(slabs)?;
        self.step(|position| {
            let block = &self.blocks[position];
            let held = held(position, &(block.start * self.cols..block.end * self.cols))?;
            let mut at = 0;
            let part = |i| Ok(Part { memory: slots.take(i)?, from: Vec::new(), to: Vec::new() });
            let parts = listed(OP, self.of(position).map(part))?;
            let own: Vec<usize> = self.of(position).collect();
            self.group.relay(position, parts, |k, launch, to| {
                let from = held.src().part(OP, at, to.bytes())?;
                at += to.bytes();
                self.turn((self.slabs[own[k]].columns.len(), self.rows), from, launch, to)
            })
        })
    }

    fn turn(&self, (rows, cols): (usize, usize), from: Src<'_>, launch: &Launch, to: Dst<'_>) -> Result<()> {
        let config = VectorConfig { launch: launch.clone(), ..VectorConfig::default() };
        matrix::transpose(self.field, rows, cols, from, &config, to)
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
}
