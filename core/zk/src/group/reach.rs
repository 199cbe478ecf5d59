//! One transform over devices whose kernels reach each other's memory, of sharded vectors: transforms down columns read the rows
//! of all devices or write them, and those along rows write the result, or read the operand, where its elements lie. Only what
//! goes between the two steps is copied, from other devices.
#![allow(unsafe_code)] // memory of other devices

use super::parts::takes_part;
use super::steps::{OP, Parts, Pieces, Plan, Rows, all};
use crate::dispatch::on_device;
use crate::ntt::{Columns, Direction, NttArgs, NttConfig, check};
use icicle_device::{Device, Dst, Exec};
use icicle_error::Result;
use icicle_error::reserve::listed;
use icicle_params::FieldId;
use icicle_runtime::divided::{Input, Output};
use icicle_runtime::relay::{After, Chain};
use icicle_runtime::{DeviceGroup, Launch, Sharded, choose};
use std::ops::Range;

/// Where the pieces of `C` elements of the operand and of the result begin.
struct Reached {
    read: Vec<u64>,
    written: Vec<u64>,
}

/// Whether a call's operands lie in the same blocks, which kernels of all devices at work reach. Columns are to be read or
/// written in natural order, and of rows in natural order the factors must be those of the whole transform's network.
///
/// # Errors
/// `OutOfMemory`; that a device is lost.
pub(super) fn reaches(
    group: &DeviceGroup,
    field: FieldId,
    direction: Direction,
    config: &NttConfig,
    blocks: &[Range<usize>],
    input: &Input<'_>,
    out: &Output<'_>,
) -> Result<bool> {
    let ordering = config.ordering;
    let (columns_are_reversed, rows_are_reversed) = match direction {
        Direction::Forward => (ordering.input_reversed(), ordering.output_reversed()),
        Direction::Inverse => (ordering.output_reversed(), ordering.input_reversed()),
    };
    let is_known = !columns_are_reversed && (rows_are_reversed || config.coset.is_none());
    let lies_there = |vector: Option<&Sharded>| vector.is_some_and(|vector| vector.ranges() == blocks);
    if !is_known || !lies_there(input.sharded()) || !lies_there(out.sharded()) {
        return Ok(false);
    }
    let devices = at_work(group, blocks)?;
    let mut reach = true;
    for &device in &devices {
        reach = reach && on_device!(&Exec::on(device), ntt::reaches(field, &devices))?;
    }
    Ok(reach)
}

/// The devices that have a part of the work.
fn at_work(group: &DeviceGroup, blocks: &[Range<usize>]) -> Result<Vec<Device>> {
    let positions = (0..blocks.len()).filter(|&i| takes_part(blocks)(i));
    listed(OP, positions.map(|i| Ok(group.devices()[i])))
}

impl Plan<'_> {
    /// Transform between vectors that lie in the plan's blocks, if [`reaches`] says so.
    pub(super) fn run_within_reach(&self, input: &Input<'_>, out: Output<'_>) -> Result<()> {
        let (Some(read), Some(written)) = (input.sharded(), out.sharded()) else { return self.run(input, out) };
        let reached = Reached { read: self.pieces_of(read)?, written: self.pieces_of(written)? };
        match self.direction {
            Direction::Forward => self.forward_within_reach(&reached, out),
            Direction::Inverse => self.inverse_within_reach(&reached, input),
        }
    }

    /// Columns from the operand, then rows, to the result.
    fn forward_within_reach(&self, reached: &Reached, out: Output<'_>) -> Result<()> {
        let rows = if self.config.ordering.output_reversed() { Rows::Reversed } else { Rows::Natural };
        let mut memory = self.memory(rows == Rows::Natural)?;
        let (mut slabs, mut blocks) = self.cut(&mut memory)?;
        let lying = if rows == Rows::Natural { self.rows_in(&blocks)? } else { reached.written.clone() };
        // Dropped before the memory, it waits for what is under way.
        let mut chain = Chain::new(self.group)?;
        self.follow_all(&chain)?;
        let columns = |slab: usize, launch: &Launch, memory: Dst<'_>| {
            let from = self.columns_of(slab, reached.read.iter().copied())?;
            let to = self.columns_between(slab, &lying, rows, &memory)?;
            // SAFETY: columns of the operand, which nobody writes; those of rows of this device, and of a slab.
            unsafe { self.transform_columns_of(slab, launch, &Columns { from: &from, to: &to }, memory) }
        };
        self.columns(&mut chain, None, all(&mut slabs)?, None, |_| After::Nothing, &columns)?;
        let source = |place: usize, position: usize| self.of_slabs(&slabs, self.row(place, rows), None, Some(position));
        match rows {
            Rows::Reversed => self.rows(&mut chain, &source, self.slots(out)?, None, &self.transform_row(rows))?,
            Rows::Natural => {
                let work = |place: usize, launch: &Launch, row: Dst<'_>| {
                    let block = self.block_of(place);
                    let first = row.as_ptr() as u64 - ((place - block.start) * self.cols * self.bytes) as u64;
                    self.high_rows(place, launch, row)?;
                    if place + 1 < block.end {
                        return Ok(());
                    }
                    self.low_rows(block, launch, first, &reached.written)
                };
                self.rows(&mut chain, &source, all(&mut blocks)?, None, &work)?;
            }
        }
        chain.wait()
    }

    /// Rows of the operand, then columns, to the result.
    fn inverse_within_reach(&self, reached: &Reached, input: &Input<'_>) -> Result<()> {
        let rows = if self.config.ordering.input_reversed() { Rows::Reversed } else { Rows::Natural };
        let mut memory = self.memory(true)?;
        let (mut slabs, mut blocks) = self.cut(&mut memory)?;
        let lying = self.rows_in(&blocks)?;
        // As above.
        let mut chain = Chain::new(self.group)?;
        self.follow_all(&chain)?;
        let sent = Some(self.to_slabs(&mut slabs, rows, true)?);
        match rows {
            Rows::Reversed => {
                let source = |place: usize, position: usize| self.of_row(input, place, position);
                self.rows(&mut chain, &source, all(&mut blocks)?, sent, &self.transform_row(rows))?;
            }
            Rows::Natural => {
                let work = |place: usize, launch: &Launch, row: Dst<'_>| {
                    let block = self.block_of(place);
                    if place == block.start {
                        self.low_rows(block, launch, row.as_ptr() as u64, &reached.read)?;
                    }
                    self.high_rows(place, launch, row)
                };
                self.rows(&mut chain, &|_, _| Ok(Pieces::new()), all(&mut blocks)?, sent, &work)?;
            }
        }
        let columns = |slab: usize, launch: &Launch, memory: Dst<'_>| {
            let from = self.columns_between(slab, &lying, rows, &memory)?;
            let to = self.columns_of(slab, reached.written.iter().copied())?;
            // SAFETY: those of rows of this device, and of a slab; columns of the result, which no other slab has.
            unsafe { self.transform_columns_of(slab, launch, &Columns { from: &from, to: &to }, memory) }
        };
        self.columns(&mut chain, None, all(&mut slabs)?, None, After::Piece, &columns)?;
        chain.wait()
    }

    /// Where a slab's columns begin in rows that begin there.
    fn columns_of(&self, slab: usize, rows: impl Iterator<Item = u64>) -> Result<Vec<u64>> {
        let start = (self.slabs[slab].columns.start * self.bytes) as u64;
        listed(OP, rows.map(|row| Ok(row + start)))
    }

    /// Where a slab's columns lie between the steps: in rows of its device, by place, and for those of others in the slab.
    fn columns_between(&self, slab: usize, lying: &[u64], rows: Rows, memory: &Dst<'_>) -> Result<Vec<u64>> {
        let (position, width) = (self.slabs[slab].position, self.width(slab));
        let start = (self.slabs[slab].columns.start * self.bytes) as u64;
        let row = |number: usize| {
            let place = self.row(number, rows);
            match self.blocks[position].contains(&place) {
                true => lying[place] + start,
                false => memory.as_ptr() as u64 + (number * width) as u64,
            }
        };
        listed(OP, (0..self.rows).map(|number| Ok(row(number))))
    }

    /// # Safety
    /// As of the backend's function.
    #[allow(unused_unsafe)] // where there are no CUDA devices
    unsafe fn transform_columns_of(
        &self,
        slab: usize,
        launch: &Launch,
        columns: &Columns<'_>,
        memory: Dst<'_>,
    ) -> Result<()> {
        let config = self.columns_config(slab, launch);
        let args = check(OP, self.field, self.bytes, self.rows, self.direction, &config, memory.as_src(), memory)?;
        let exec = choose(OP, &config.launch, &[args.out.operand()])?;
        // SAFETY: the caller's.
        unsafe { on_device!(&exec, ntt::columns_within_reach(&args, columns)) }
    }

    /// The passes over the high rows of the transform of the row at a place.
    fn high_rows(&self, place: usize, launch: &Launch, row: Dst<'_>) -> Result<()> {
        let config = NttConfig { launch: launch.clone(), ..NttConfig::default() };
        let checked = check(OP, self.field, self.bytes, self.cols, self.direction, &config, row.as_src(), row)?;
        let args = NttArgs { block: Some(self.block(place)), ..checked };
        let exec = choose(OP, &config.launch, &[args.out.operand()])?;
        on_device!(&exec, ntt::high_rows(&args))
    }

    /// The pass over the low rows of the transforms of a device's rows, which begin at an address: as many at once as are a
    /// power of two, so that elements of the same index are neighbours.
    #[allow(unused_unsafe)] // where there are no CUDA devices
    fn low_rows(&self, block: &Range<usize>, launch: &Launch, first: u64, pieces: &[u64]) -> Result<()> {
        let mut row = block.start;
        while row < block.end {
            let count = 1 << (block.end - row).ilog2();
            let config = NttConfig { batch: count, launch: launch.clone(), ..NttConfig::default() };
            let bytes = self.cols * self.bytes;
            let address = first + ((row - block.start) * bytes) as u64;
            let device = launch.stream.as_ref().map_or(self.group.devices()[0], icicle_runtime::StreamRef::device);
            // SAFETY: rows of the device's block, which no other step uses meanwhile.
            let memory =
                unsafe { Dst::from_raw_parts(address as *mut u8, count * bytes, icicle_device::Place::Device(device)) };
            let checked =
                check(OP, self.field, self.bytes, self.cols, self.direction, &config, memory.as_src(), memory)?;
            let args = NttArgs { block: Some(self.block(row)), ..checked };
            let exec = choose(OP, &config.launch, &[args.out.operand()])?;
            let rows = crate::ntt::Rows { first: row, pieces };
            // SAFETY: the pieces are the operand, which nobody writes, or the result, of which each device writes its rows'
            // elements alone, and which is lent for the whole of `run`.
            unsafe { on_device!(&exec, ntt::rows_within_reach(&args, &rows)) }?;
            row += count;
        }
        Ok(())
    }

    /// The block that holds the row at a place.
    fn block_of(&self, place: usize) -> &Range<usize> {
        self.blocks.iter().find(|block| block.contains(&place)).unwrap_or(&self.blocks[0])
    }

    /// Where the rows begin that blocks hold, by place.
    fn rows_in(&self, blocks: &Parts<'_>) -> Result<Vec<u64>> {
        self.places_in(blocks.iter().map(|block| block.as_ptr() as u64))
    }

    /// Where the pieces begin of a vector that lies in the plan's blocks.
    fn pieces_of(&self, vector: &Sharded) -> Result<Vec<u64>> {
        self.places_in(vector.parts().iter().map(|part| part.as_ptr() as u64))
    }

    fn places_in(&self, blocks: impl Iterator<Item = u64>) -> Result<Vec<u64>> {
        let bytes = (self.cols * self.bytes) as u64;
        let of_block =
            |(block, start): (&Range<usize>, u64)| (0..block.len() as u64).map(move |row| Ok(start + row * bytes));
        listed(OP, self.blocks.iter().zip(blocks).flat_map(of_block))
    }

    /// Let the work of every device come after what all of them were given before the call.
    fn follow_all(&self, chain: &Chain<'_>) -> Result<()> {
        let devices = at_work(self.group, &self.blocks)?;
        let mut positions = (0..self.blocks.len()).filter(|&i| takes_part(&self.blocks)(i));
        positions.try_for_each(|position| chain.follow(position, &devices))
    }
}
