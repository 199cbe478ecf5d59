//! The steps of one transform over several devices.
//!
//! In each step a device works on its columns, or on its rows, part by part, and copies between devices go on meanwhile: a
//! part is worked on once its pieces have come, and sent where the next step wants it as soon as it is done. Steps are
//! enqueued ahead: what one needs of the step before, it waits for on the device.
#![allow(unsafe_code)] // memory that steps under way use

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
use icicle_runtime::relay::{After, Chain, Ends, Part};
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
type Parts<'m> = Vec<Dst<'m>>;

/// Where the pieces of a device's parts go: by part, by piece.
type Sent<'p> = Slots<Vec<Vec<Dst<'p>>>>;

/// Pieces, and what of the step before each comes after.
type Pieces<'p> = Vec<(Src<'p>, After)>;

/// The pieces of a slab's columns in a row that lie somewhere: by row, columns, and the position of the device that asks.
type Columns<'s, 'p> = dyn Fn(usize, &Range<usize>, usize) -> Result<Pieces<'p>> + Sync + 's;

/// Which row a place among the blocks stands for.
#[derive(Clone, Copy, PartialEq)]
enum Rows {
    /// That of the same number.
    Natural,
    /// That of the number with its bits reversed.
    Reversed,
}

/// What pieces come after that are copied straight into the result: between two whole vectors, which may be one and the same,
/// all that reads the operand.
fn written_over(input: &Input<'_>, out: &Output<'_>) -> Option<After> {
    match (input, out) {
        (Input::Whole(_), Output::Whole(_)) => Some(After::Everything),
        _ => None,
    }
}

/// A device's part of a step, once it is done.
fn drained(chain: &Chain<'_>, position: usize, ends: Result<Ends>) -> Result<Ends> {
    let drained = chain.drain(position);
    ends.and_then(|ends| drained.map(|()| ends))
}

fn all<'p>(parts: &'p mut Parts<'_>) -> Result<Slots<Dst<'p>>> {
    Slots::new(parts.iter_mut().map(Dst::reborrow))
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
        let mut memory = self.memory(ordering.input_reversed() || !ordering.output_reversed())?;
        let mut more;
        let (mut slabs, mut blocks) = self.cut(&mut memory)?;
        // Dropped before the memory, it waits for what is under way.
        let mut chain = Chain::new(self.group)?;
        if ordering.input_reversed() {
            self.natural(&mut chain, input, &mut blocks, &mut slabs)?;
            let source = |row: usize, columns: &Range<usize>, _: usize| self.of_blocks(&blocks, row, columns);
            self.columns(&mut chain, Some(&source), all(&mut slabs)?, None, |_| After::Nothing)?;
        } else {
            let source = |row: usize, columns: &Range<usize>, position: usize| {
                let start = row * self.cols;
                self.of_input(input, position, start + columns.start..start + columns.end)
            };
            self.columns(&mut chain, Some(&source), all(&mut slabs)?, None, |_| After::Nothing)?;
        }
        if ordering.output_reversed() {
            let rows = Rows::Reversed;
            let after = written_over(input, &out);
            let source = |place, _| self.of_slabs(&slabs, self.row(place, rows), after);
            self.rows(&mut chain, &source, self.slots(out)?, None, &self.transform_row(rows))?;
            return chain.wait();
        }
        let rows = Rows::Natural;
        more = self.memory(false)?;
        let (mut turned, _) = self.cut(&mut more)?;
        let sent = Some(self.to_slabs(&mut turned, rows)?);
        let after = if ordering.input_reversed() { Some(After::Everything) } else { None };
        let source = |place, _| self.of_slabs(&slabs, self.row(place, rows), after);
        self.rows(&mut chain, &source, all(&mut blocks)?, sent, &self.transform_row(rows))?;
        if let Output::Whole(_) = out {
            // The last step may need as much memory again.
            chain.settle()?;
            drop((slabs, blocks));
            drop(memory);
        }
        self.transpose(&mut chain, &turned, self.slots(out)?, After::Piece)?;
        chain.wait()
    }

    fn inverse(&self, input: &Input<'_>, out: Output<'_>) -> Result<()> {
        let ordering = self.config.ordering;
        let mut memory = self.memory(true)?;
        let mut more;
        let (mut slabs, mut blocks) = self.cut(&mut memory)?;
        // As above.
        let mut chain = Chain::new(self.group)?;
        if ordering.input_reversed() {
            let rows = Rows::Reversed;
            let sent = Some(self.to_slabs(&mut slabs, rows)?);
            let source = |place, position| self.of_row(input, place, position);
            self.rows(&mut chain, &source, all(&mut blocks)?, sent, &self.transform_row(rows))?;
        } else {
            let rows = Rows::Natural;
            more = self.memory(false)?;
            let (mut turned, _) = self.cut(&mut more)?;
            let held = |position: usize, range: &Range<usize>| {
                input.on(OP, self.group.devices()[position], position, range, self.bytes)
            };
            self.transpose_back(&mut chain, &held, &mut turned)?;
            let sent = Some(self.to_slabs(&mut slabs, rows)?);
            let source = |place: usize, _: usize| self.of_slabs(&turned, self.row(place, rows), None);
            self.rows(&mut chain, &source, all(&mut blocks)?, sent, &self.transform_row(rows))?;
        }
        if !ordering.output_reversed() {
            let sent = Some(self.to_blocks(self.slots(out)?)?);
            self.columns(&mut chain, None, all(&mut slabs)?, sent, After::Piece)?;
            return chain.wait();
        }
        let sent = Some(self.to_blocks(all(&mut blocks)?)?);
        self.columns(&mut chain, None, all(&mut slabs)?, sent, |_| After::Everything)?;
        let held = |position: usize, _: &Range<usize>| Ok(Held::Borrowed(blocks[position].as_src()));
        self.transpose_back(&mut chain, &held, &mut slabs)?;
        let source = |place: usize, _: usize| self.of_slabs(&slabs, self.row(place, Rows::Reversed), None);
        self.rows(&mut chain, &source, self.slots(out)?, None, &self.reverse_row())?;
        chain.wait()
    }

    /// A bit-reversed vector in natural order, in blocks; by way of the slabs.
    fn natural(
        &self,
        chain: &mut Chain<'_>,
        input: &Input<'_>,
        blocks: &mut Parts<'_>,
        slabs: &mut Parts<'_>,
    ) -> Result<()> {
        let sent = Some(self.to_slabs(slabs, Rows::Reversed)?);
        let source = |place, position| self.of_row(input, place, position);
        self.rows(chain, &source, all(blocks)?, sent, &self.reverse_row())?;
        // Blocks are sent from until the step before is over.
        self.transpose(chain, slabs, all(blocks)?, |_| After::Everything)
    }

    /// Memory of each device for its slabs, and for its rows if they are wanted: one piece, for what it takes to order each
    /// among the streams.
    fn memory(&self, with_rows: bool) -> Result<Vec<Buffer<u8>>> {
        let rows = |position: usize| if with_rows { self.blocks[position].len() * self.cols * self.bytes } else { 0 };
        let slabs = |position| self.of(position).map(|i| self.slab_bytes(i)).sum::<usize>();
        listed(OP, self.group.on_each(|device, position| Buffer::on(device, slabs(position) + rows(position))))
    }

    /// The slabs and the blocks that memory is for.
    fn cut<'m>(&self, memory: &'m mut [Buffer<u8>]) -> Result<(Parts<'m>, Parts<'m>)> {
        let (mut slabs, mut blocks) = (Parts::new(), Parts::new());
        for (position, memory) in memory.iter_mut().enumerate() {
            let sizes = || self.of(position).map(|i| self.slab_bytes(i));
            let rest = memory.bytes() - sizes().sum::<usize>();
            let mut parts = Dst::from(memory).split(OP, sizes().chain([rest]))?;
            parts.pop().map_or(Ok(()), |block| reserve::push(OP, &mut blocks, block))?;
            parts.into_iter().try_for_each(|slab| reserve::push(OP, &mut slabs, slab))?;
        }
        Ok((slabs, blocks))
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

    /// The pieces of a row that slabs hold, each after the work on its slab, or after what is said.
    fn of_slabs<'p>(&self, slabs: &'p Parts<'_>, row: usize, after: Option<After>) -> Result<Pieces<'p>> {
        let piece = |(i, slab): (usize, &'p Dst<'_>)| {
            let position = self.slabs[i].position;
            let part = self.of(position).position(|own| own == i).unwrap_or_default();
            let piece = slab.as_src().part(OP, row * self.width(i), self.width(i))?;
            Ok((piece, after.unwrap_or(After::Work { position, part })))
        };
        listed(OP, slabs.iter().enumerate().map(piece))
    }

    /// The pieces of elements of the input: the first step reads them.
    fn of_input<'p>(&self, input: &Input<'p>, position: usize, range: Range<usize>) -> Result<Pieces<'p>> {
        let pieces = input.pieces(OP, position, range, self.bytes)?;
        listed(OP, pieces.into_iter().map(|piece| Ok((piece, After::Nothing))))
    }

    /// The pieces of a row of the input, by its place.
    fn of_row<'p>(&self, input: &Input<'p>, place: usize, position: usize) -> Result<Pieces<'p>> {
        self.of_input(input, position, place * self.cols..(place + 1) * self.cols)
    }

    /// Columns of a row that a block holds.
    fn of_blocks<'p>(&self, blocks: &'p Parts<'_>, row: usize, columns: &Range<usize>) -> Result<Pieces<'p>> {
        let none = || Error::new(ErrorCode::Internal, OP, format!("row {row} is on no device"));
        let owner = self.blocks.iter().position(|block| block.contains(&row)).ok_or_else(none)?;
        let from = (row - self.blocks[owner].start) * self.cols + columns.start;
        let piece = blocks[owner].as_src().part(OP, from * self.bytes, columns.len() * self.bytes)?;
        Ok(vec![(piece, After::Everything)])
    }

    /// Where devices send their rows: to every slab its columns.
    fn to_slabs<'p>(&self, slabs: &'p mut Parts<'_>, rows: Rows) -> Result<Sent<'p>> {
        let cut = |(i, slab): (usize, &'p mut Dst<'_>)| {
            let pieces = slab.reborrow().split(OP, (0..self.rows).map(|_| self.width(i)))?;
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

    /// Enqueue parts of a step.
    ///
    /// # Safety
    /// The parts' memory is that of the call's operands, or made before the chain, or the chain is drained at this position
    /// before it is given up.
    unsafe fn relay(
        &self,
        chain: &Chain<'_>,
        position: usize,
        parts: Vec<Part<'_>>,
        work: impl FnMut(usize, &Launch, Dst<'_>) -> Result<()>,
    ) -> Result<Ends> {
        // SAFETY: operands are lent for the whole of `run`, which ends with the chain, and memory made before the chain lives
        // longer than it. A step writes what no later one but those that come after it reads or writes, as said where
        // something comes after less than everything: pieces of slabs after the work on them, slabs after their pieces.
        unsafe { chain.relay(position, parts, work) }
    }

    /// Work on the parts of every device's slot, of so many bytes each, wherever the slot lies.
    fn write<'p>(
        &self,
        chain: &mut Chain<'_>,
        slots: &Slots<Dst<'_>>,
        sizes: impl Fn(usize) -> Vec<usize> + Sync,
        source: impl Fn(usize, usize) -> Result<(Pieces<'p>, After)> + Sync,
        sent: Option<Sent<'_>>,
        work: impl Fn(usize, usize, &Launch, Dst<'_>) -> Result<()> + Sync,
    ) -> Result<()> {
        chain.step(takes_part(&self.blocks), |chain, position| {
            let (device, slot) = (self.group.devices()[position], slots.take(position)?);
            let mut own =
                Buffer::<u8>::on(device, if slot.place() == Place::Device(device) { 0 } else { slot.bytes() })?;
            let is_elsewhere = !own.is_empty();
            let mut sent: Vec<_> = sent.as_ref().map(|sent| sent.take(position)).transpose()?.unwrap_or_default();
            let places = if is_elsewhere {
                let pieces = slot.split(OP, sizes(position))?;
                sent = listed(OP, pieces.into_iter().map(|piece| Ok(vec![piece])))?;
                Dst::from(&mut own).split(OP, sizes(position))?
            } else {
                slot.split(OP, sizes(position))?
            };
            let mut sent = sent.into_iter();
            let part = |(k, memory)| {
                let (from, after) = source(position, k)?;
                Ok(Part { memory, from, after, to: sent.next().unwrap_or_default() })
            };
            let parts = listed(OP, places.into_iter().enumerate().map(part))?;
            // SAFETY: but for its own memory, for which it waits.
            let ends = unsafe { self.relay(chain, position, parts, |k, launch, part| work(position, k, launch, part)) };
            if is_elsewhere { drained(chain, position, ends) } else { ends }
        })
    }

    /// Transforms down the columns of each slab, after the pieces of its rows, if there are any, and what is said of it.
    fn columns<'p>(
        &self,
        chain: &mut Chain<'_>,
        source: Option<&Columns<'_, 'p>>,
        slabs: Slots<Dst<'_>>,
        sent: Option<Sent<'_>>,
        after: impl Fn(usize) -> After + Sync,
    ) -> Result<()> {
        let coset = self.coset(self.cols, 0);
        chain.step(takes_part(&self.blocks), |chain, position| {
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
                Ok(Part { memory: slabs.take(i)?, from, after: after(i), to })
            };
            let parts = listed(OP, self.of(position).map(part))?;
            let own: Vec<usize> = self.of(position).collect();
            let work = |k: usize, launch: &Launch, slab: Dst<'_>| {
                let (batch, launch) = (self.slabs[own[k]].columns.len(), launch.clone());
                let config = NttConfig { coset, batch, columns: true, launch, ..NttConfig::default() };
                ntt::ntt(self.field, self.rows, self.direction, &config, slab.as_src(), slab)
            };
            // SAFETY: slabs are made before the chain; pieces come from operands or blocks, which are, too.
            unsafe { self.relay(chain, position, parts, work) }
        })
    }

    /// Work on the rows of each device, which their pieces fill first.
    fn rows<'p>(
        &self,
        chain: &mut Chain<'_>,
        source: &(dyn Fn(usize, usize) -> Result<Pieces<'p>> + Sync),
        blocks: Slots<Dst<'_>>,
        sent: Option<Sent<'_>>,
        work: &(dyn Fn(usize, &Launch, Dst<'_>) -> Result<()> + Sync),
    ) -> Result<()> {
        let sizes = |position: usize| self.blocks[position].clone().map(|_| self.cols * self.bytes).collect();
        let place = |position: usize, k: usize| self.blocks[position].start + k;
        let source = |position, k| Ok((source(place(position, k), position)?, After::Nothing));
        let work = |position, k, launch: &Launch, row: Dst<'_>| work(place(position, k), launch, row);
        self.write(chain, &blocks, sizes, source, sent, work)
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

    /// Slabs `R × width` to `width × R`, each after what is said of it: of rows that hold indices modulo `R` the natural order.
    fn transpose(
        &self,
        chain: &mut Chain<'_>,
        slabs: &Parts<'_>,
        blocks: Slots<Dst<'_>>,
        after: impl Fn(usize) -> After + Sync,
    ) -> Result<()> {
        let sizes = |position: usize| self.of(position).map(|i| self.slab_bytes(i)).collect();
        let slab = |position: usize, k: usize| self.of(position).nth(k).unwrap_or_default();
        let nothing = |position, k| Ok((Pieces::new(), after(slab(position, k))));
        self.write(chain, &blocks, sizes, nothing, None, |position, k, launch, to| {
            let slab = slab(position, k);
            self.turn((self.rows, self.slabs[slab].columns.len()), slabs[slab].as_src(), launch, to)
        })
    }

    /// Undo [`Plan::transpose`], of blocks that devices hold, after all of the step before.
    fn transpose_back<'p>(
        &self,
        chain: &mut Chain<'_>,
        held: &(dyn Fn(usize, &Range<usize>) -> Result<Held<'p>> + Sync),
        slabs: &mut Parts<'_>,
    ) -> Result<()> {
        let slots = all(slabs)?;
        chain.step(takes_part(&self.blocks), |chain, position| {
            let block = &self.blocks[position];
            let held = held(position, &(block.start * self.cols..block.end * self.cols))?;
            let mut at = 0;
            let part =
                |i| Ok(Part { memory: slots.take(i)?, from: Vec::new(), after: After::Everything, to: Vec::new() });
            let parts = listed(OP, self.of(position).map(part))?;
            let own: Vec<usize> = self.of(position).collect();
            let work = |k: usize, launch: &Launch, to: Dst<'_>| {
                let from = held.src().part(OP, at, to.bytes())?;
                at += to.bytes();
                self.turn((self.slabs[own[k]].columns.len(), self.rows), from, launch, to)
            };
            // SAFETY: slabs are made before the chain, and so are blocks; for a copy of an operand it waits.
            let ends = unsafe { self.relay(chain, position, parts, work) };
            if matches!(held, Held::Copied(_)) { drained(chain, position, ends) } else { ends }
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
