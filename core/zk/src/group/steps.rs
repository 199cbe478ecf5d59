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
use icicle_error::Result;
use icicle_error::reserve::{self, listed};
use icicle_params::FieldId;
use icicle_runtime::divided::{Held, Input, Output};
use icicle_runtime::relay::{After, Chain, Ends, Part, Piece};
use icicle_runtime::slots::Slots;
use icicle_runtime::{Buffer, DeviceGroup, Launch};
use std::ops::Range;

pub(super) const OP: &str = "ntt";

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
    /// Whether both operands are sharded, and kernels of every device at work reach those of all.
    pub(super) reaches: bool,
}

/// The memory of each device's rows, or of each slab.
pub(super) type Parts<'m> = Vec<Dst<'m>>;

/// Where the pieces of a device's parts go: by part, by piece.
pub(super) type Sent<'p> = Slots<Vec<Vec<Piece<Dst<'p>>>>>;

/// Pieces, and what of the step before each comes after.
pub(super) type Pieces<'p> = Vec<Piece<(Src<'p>, After)>>;

/// The pieces of a slab's columns in a row that lie somewhere: by row, columns, and the position of the device that asks.
type Columns<'s, 'p> = dyn Fn(usize, &Range<usize>, usize) -> Result<Pieces<'p>> + Sync + 's;

/// What is enqueued for a slab's columns, or the row at a place.
pub(super) type Work<'w> = dyn Fn(usize, &Launch, Dst<'_>) -> Result<()> + Sync + 'w;

/// Which row a place among the blocks stands for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Rows {
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

pub(super) fn all<'p>(parts: &'p mut Parts<'_>) -> Result<Slots<Dst<'p>>> {
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
        }
        let source = |row: usize, columns: &Range<usize>, position: usize| {
            if ordering.input_reversed() {
                return self.of_blocks(&blocks, row, columns);
            }
            let start = row * self.cols;
            self.of_input(input, position, start + columns.start..start + columns.end)
        };
        let work = self.transform_columns();
        self.columns(&mut chain, Some(&source), all(&mut slabs)?, None, |_| After::Nothing, &work)?;
        if ordering.output_reversed() {
            let rows = Rows::Reversed;
            let after = written_over(input, &out);
            let source = |place, _| self.of_slabs(&slabs, self.row(place, rows), after, None);
            self.rows(&mut chain, &source, self.slots(out)?, None, &self.transform_row(rows))?;
            return chain.wait();
        }
        let rows = Rows::Natural;
        more = self.memory(false)?;
        let (mut turned, _) = self.cut(&mut more)?;
        let sent = Some(self.to_slabs(&mut turned, rows, false)?);
        let after = if ordering.input_reversed() { Some(After::Everything) } else { None };
        let source = |place, _| self.of_slabs(&slabs, self.row(place, rows), after, None);
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
            let sent = Some(self.to_slabs(&mut slabs, rows, false)?);
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
            let sent = Some(self.to_slabs(&mut slabs, rows, false)?);
            let source = |place: usize, _: usize| self.of_slabs(&turned, self.row(place, rows), None, None);
            self.rows(&mut chain, &source, all(&mut blocks)?, sent, &self.transform_row(rows))?;
        }
        if !ordering.output_reversed() {
            let sent = Some(self.to_blocks(self.slots(out)?)?);
            self.columns(&mut chain, None, all(&mut slabs)?, sent, After::Piece, &self.transform_columns())?;
            return chain.wait();
        }
        let sent = Some(self.to_blocks(all(&mut blocks)?)?);
        self.columns(&mut chain, None, all(&mut slabs)?, sent, |_| After::Everything, &self.transform_columns())?;
        let held = |position: usize, _: &Range<usize>| Ok(Held::Borrowed(blocks[position].as_src()));
        self.transpose_back(&mut chain, &held, &mut slabs)?;
        let source = |place: usize, _: usize| self.of_slabs(&slabs, self.row(place, Rows::Reversed), None, None);
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
        let sent = Some(self.to_slabs(slabs, Rows::Reversed, false)?);
        let source = |place, position| self.of_row(input, place, position);
        self.rows(chain, &source, all(blocks)?, sent, &self.reverse_row())?;
        // Blocks are sent from until the step before is over.
        self.transpose(chain, slabs, all(blocks)?, |_| After::Everything)
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
                sent = listed(OP, pieces.into_iter().map(|piece| Ok(vec![Piece::Copied(piece)])))?;
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

    /// Work on the columns of each slab, after the pieces of its rows, if there are any, and what is said of it.
    pub(super) fn columns<'p>(
        &self,
        chain: &mut Chain<'_>,
        source: Option<&Columns<'_, 'p>>,
        slabs: Slots<Dst<'_>>,
        sent: Option<Sent<'_>>,
        after: impl Fn(usize) -> After + Sync,
        work: &Work<'_>,
    ) -> Result<()> {
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
            // SAFETY: slabs are made before the chain; pieces come from operands or blocks, which are, too.
            unsafe { self.relay(chain, position, parts, |k, launch, slab| work(own[k], launch, slab)) }
        })
    }

    /// Work on the rows of each device, which their pieces fill first.
    pub(super) fn rows<'p>(
        &self,
        chain: &mut Chain<'_>,
        source: &(dyn Fn(usize, usize) -> Result<Pieces<'p>> + Sync),
        blocks: Slots<Dst<'_>>,
        sent: Option<Sent<'_>>,
        work: &Work<'_>,
    ) -> Result<()> {
        let sizes = |position: usize| self.blocks[position].clone().map(|_| self.cols * self.bytes).collect();
        let place = |position: usize, k: usize| self.blocks[position].start + k;
        let source = |position, k| Ok((source(place(position, k), position)?, After::Nothing));
        let work = |position, k, launch: &Launch, row: Dst<'_>| work(place(position, k), launch, row);
        self.write(chain, &blocks, sizes, source, sent, work)
    }

    /// The transforms down a slab's columns.
    fn transform_columns(&self) -> impl Fn(usize, &Launch, Dst<'_>) -> Result<()> + Sync + '_ {
        |slab, launch, columns| {
            let config = self.columns_config(slab, launch);
            ntt::ntt(self.field, self.rows, self.direction, &config, columns.as_src(), columns)
        }
    }

    /// Their configuration.
    pub(super) fn columns_config(&self, slab: usize, launch: &Launch) -> NttConfig {
        let (coset, batch) = (self.coset(self.cols, 0), self.slabs[slab].columns.len());
        NttConfig { coset, batch, columns: true, launch: launch.clone(), ..NttConfig::default() }
    }

    /// The transform of the row at a place.
    pub(super) fn transform_row(&self, rows: Rows) -> impl Fn(usize, &Launch, Dst<'_>) -> Result<()> + Sync + '_ {
        let ordering = match (self.direction, rows) {
            (_, Rows::Natural) => Ordering::NaturalNatural,
            (Direction::Forward, Rows::Reversed) => Ordering::NaturalReversed,
            (Direction::Inverse, Rows::Reversed) => Ordering::ReversedNatural,
        };
        move |place, launch, row| {
            let number = self.row(place, rows);
            let coset = self.coset(1, number);
            let config = NttConfig { coset, ordering, launch: launch.clone(), ..NttConfig::default() };
            // Without a coset of the call's it is a part of the whole transform's network.
            let block = self.config.coset.is_none().then(|| self.block(number));
            ntt::ntt_of_block(self.field, self.cols, self.direction, &config, block, row.as_src(), row)
        }
    }

    /// The block of the whole transform's network that a row is.
    pub(super) fn block(&self, number: usize) -> Block {
        let index = number.reverse_bits() >> (usize::BITS - self.rows.ilog2());
        Block { log_blocks: self.rows.ilog2(), index: index as u32 }
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
    pub(super) fn coset(&self, generator: usize, root: usize) -> Option<[u64; 12]> {
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
