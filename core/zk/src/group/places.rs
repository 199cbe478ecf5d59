//! What of a divided transform lies where: the memory of devices' columns and rows, and the pieces that each step takes from
//! the others.

use super::steps::{OP, Parts, Pieces, Plan, Rows, Sent};
use icicle_device::Dst;
use icicle_error::reserve::{self, listed};
use icicle_error::{Error, ErrorCode, Result};
use icicle_runtime::Buffer;
use icicle_runtime::divided::{Input, Output};
use icicle_runtime::relay::{After, Piece};
use icicle_runtime::slots::Slots;
use std::ops::Range;

impl Plan<'_> {
    /// Memory of each device for its slabs, and for its rows if they are wanted: one piece, for what it takes to order each
    /// among the streams.
    pub(super) fn memory(&self, with_rows: bool) -> Result<Vec<Buffer<u8>>> {
        let rows = |position: usize| if with_rows { self.blocks[position].len() * self.cols * self.bytes } else { 0 };
        let slabs = |position| self.of(position).map(|i| self.slab_bytes(i)).sum::<usize>();
        listed(OP, self.group.on_each(|device, position| Buffer::on(device, slabs(position) + rows(position))))
    }

    /// The slabs and the blocks that memory is for.
    pub(super) fn cut<'m>(&self, memory: &'m mut [Buffer<u8>]) -> Result<(Parts<'m>, Parts<'m>)> {
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
    pub(super) fn of(&self, position: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.slabs.len()).filter(move |&i| self.slabs[i].position == position)
    }

    pub(super) fn slab_bytes(&self, i: usize) -> usize {
        self.rows * self.width(i)
    }

    /// Bytes of a slab's columns of a row.
    pub(super) fn width(&self, i: usize) -> usize {
        self.slabs[i].columns.len() * self.bytes
    }

    /// The row at a place among the blocks, and the place of a row: reversing bits undoes itself.
    pub(super) fn row(&self, place: usize, rows: Rows) -> usize {
        match rows {
            Rows::Natural => place,
            Rows::Reversed => place.reverse_bits() >> (usize::BITS - self.rows.ilog2()),
        }
    }

    /// The blocks of the result.
    pub(super) fn slots<'o>(&self, out: Output<'o>) -> Result<Slots<Dst<'o>>> {
        let ranges: Vec<_> = self.blocks.iter().map(|b| b.start * self.cols..b.end * self.cols).collect();
        out.slots(OP, &ranges, self.bytes)
    }

    /// The pieces of a row that slabs hold, each after the work on its slab, or after what is said. Those of the slabs of a
    /// position are there already, if one is given.
    pub(super) fn of_slabs<'p>(
        &self,
        slabs: &'p Parts<'_>,
        row: usize,
        after: Option<After>,
        there: Option<usize>,
    ) -> Result<Pieces<'p>> {
        let piece = |(i, slab): (usize, &'p Dst<'_>)| {
            let position = self.slabs[i].position;
            if there == Some(position) {
                return Ok(Piece::Stays(self.width(i)));
            }
            let part = self.of(position).position(|own| own == i).unwrap_or_default();
            let piece = slab.as_src().part(OP, row * self.width(i), self.width(i))?;
            Ok(Piece::Copied((piece, after.unwrap_or(After::Work { position, part }))))
        };
        listed(OP, slabs.iter().enumerate().map(piece))
    }

    /// The pieces of elements of the input: the first step reads them.
    pub(super) fn of_input<'p>(&self, input: &Input<'p>, position: usize, range: Range<usize>) -> Result<Pieces<'p>> {
        let pieces = input.pieces(OP, position, range, self.bytes)?;
        listed(OP, pieces.into_iter().map(|piece| Ok(Piece::Copied((piece, After::Nothing)))))
    }

    /// The pieces of a row of the input, by its place.
    pub(super) fn of_row<'p>(&self, input: &Input<'p>, place: usize, position: usize) -> Result<Pieces<'p>> {
        self.of_input(input, position, place * self.cols..(place + 1) * self.cols)
    }

    /// Columns of a row that a block holds.
    pub(super) fn of_blocks<'p>(
        &self,
        blocks: &'p Parts<'_>,
        row: usize,
        columns: &Range<usize>,
    ) -> Result<Pieces<'p>> {
        let none = || Error::new(ErrorCode::Internal, OP, format!("row {row} is on no device"));
        let owner = self.blocks.iter().position(|block| block.contains(&row)).ok_or_else(none)?;
        let from = (row - self.blocks[owner].start) * self.cols + columns.start;
        let piece = blocks[owner].as_src().part(OP, from * self.bytes, columns.len() * self.bytes)?;
        Ok(vec![Piece::Copied((piece, After::Everything))])
    }

    /// Where devices send their rows: to every slab its columns. Those of a device's own slabs stay, if that is said.
    pub(super) fn to_slabs<'p>(&self, slabs: &'p mut Parts<'_>, rows: Rows, own_stay: bool) -> Result<Sent<'p>> {
        let cut = |(i, slab): (usize, &'p mut Dst<'_>)| {
            let pieces = slab.reborrow().split(OP, (0..self.rows).map(|_| self.width(i)))?;
            listed(OP, pieces.into_iter().map(|piece| Ok(Some(piece))))
        };
        let mut cut = listed(OP, slabs.iter_mut().enumerate().map(cut))?;
        let mut of_row = |place, position| {
            let pieces = cut.iter_mut().enumerate().filter_map(|(i, slab)| {
                let piece = slab[self.row(place, rows)].take()?;
                let stays = own_stay && self.slabs[i].position == position;
                Some(if stays { Piece::Stays(piece.bytes()) } else { Piece::Copied(piece) })
            });
            listed(OP, pieces.map(Ok))
        };
        let mut of_block =
            |(position, block): (usize, &Range<usize>)| listed(OP, block.clone().map(|place| of_row(place, position)));
        Slots::new(listed(OP, self.blocks.iter().enumerate().map(&mut of_block))?)
    }

    /// Where devices send their slabs: to every row its columns.
    pub(super) fn to_blocks<'p>(&self, blocks: Slots<Dst<'p>>) -> Result<Sent<'p>> {
        let mut sent: Vec<Vec<Vec<_>>> = self.blocks.iter().map(|_| Vec::new()).collect();
        let mut slabs = listed(OP, self.slabs.iter().map(|_| reserve::with_capacity(OP, self.rows)))?;
        for (position, block) in self.blocks.iter().enumerate() {
            let sizes = block.clone().flat_map(|_| (0..self.slabs.len()).map(|i| self.width(i)));
            let pieces = blocks.take(position)?.split(OP, sizes)?;
            pieces
                .into_iter()
                .enumerate()
                .for_each(|(k, piece)| slabs[k % self.slabs.len()].push(Piece::Copied(piece)));
        }
        for (slab, pieces) in self.slabs.iter().zip(slabs) {
            reserve::push(OP, &mut sent[slab.position], pieces)?;
        }
        Slots::new(sent)
    }
}
