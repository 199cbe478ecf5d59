//! Operands of one call that a group divides among its devices: whole vectors, on the host or a device, or sharded ones.

use crate::copy::transfer;
use crate::slots::Slots;
use crate::{Buffer, DeviceGroup, Layout, Sharded};
use icicle_device::check::{need_dst, need_src};
use icicle_device::{Device, Dst, Place, Src};
use icicle_error::reserve::listed;
use icicle_error::{Error, Result};
use std::ops::Range;

/// What a group's call reads.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A vector in one place, on the host or a device.
    Whole(Src<'a>),
    /// A vector over the group's devices.
    Sharded(&'a Sharded),
}

/// What a group's call writes.
#[derive(Debug)]
pub enum Output<'a> {
    /// A vector in one place, on the host or a device.
    Whole(Dst<'a>),
    /// A vector over the group's devices.
    Sharded(&'a mut Sharded),
}

impl<'a, T: Into<Src<'a>>> From<T> for Input<'a> {
    fn from(whole: T) -> Self {
        Self::Whole(whole.into())
    }
}
impl<'a> From<&'a Sharded> for Input<'a> {
    fn from(vector: &'a Sharded) -> Self {
        Self::Sharded(vector)
    }
}
impl<'a, T: Into<Dst<'a>>> From<T> for Output<'a> {
    fn from(whole: T) -> Self {
        Self::Whole(whole.into())
    }
}
impl<'a> From<&'a mut Sharded> for Output<'a> {
    fn from(vector: &'a mut Sharded) -> Self {
        Self::Sharded(vector)
    }
}

impl<'a> Input<'a> {
    /// Check that it holds `n` elements of `bytes` bytes and lies on the group's devices.
    ///
    /// # Errors
    /// `InvalidArgument`.
    pub fn need(&self, op: &'static str, arg: &str, group: &DeviceGroup, n: usize, bytes: usize) -> Result<()> {
        match self {
            Self::Whole(src) => need_src(op, arg, src, n, bytes),
            Self::Sharded(vector) => need_sharded(op, arg, vector, group, n, bytes),
        }
    }

    /// The sharded vector, if it is one.
    pub fn sharded(&self) -> Option<&'a Sharded> {
        match self {
            Self::Sharded(vector) => Some(vector),
            Self::Whole(_) => None,
        }
    }

    /// The pieces that hold elements `range`, in order. Of a replicated vector the one on the device of a position.
    ///
    /// # Errors
    /// `InvalidArgument` if they leave the vector, or lie in cyclic places; `OutOfMemory`.
    pub fn pieces(&self, op: &'static str, position: usize, range: Range<usize>, bytes: usize) -> Result<Vec<Src<'a>>> {
        let whole = |src: Src<'a>| Ok(vec![src.part(op, range.start * bytes, range.len() * bytes)?]);
        match self {
            Self::Whole(src) => whole(*src),
            Self::Sharded(vector) if vector.layout() == Layout::Replicated => whole((&vector.parts()[position]).into()),
            Self::Sharded(vector) if vector.layout() == Layout::Cyclic => {
                Err(Error::argument(op, "a cyclic vector with others that are not: reshard it first"))
            }
            Self::Sharded(vector) => {
                let common = |block: &Range<usize>| range.start.max(block.start)..range.end.min(block.end);
                let held = vector.ranges().iter().zip(vector.parts()).filter(|(block, _)| !common(block).is_empty());
                let piece = |(block, part): (&Range<usize>, &'a Buffer<u8>)| {
                    let common = common(block);
                    Src::from(part).part(op, (common.start - block.start) * bytes, common.len() * bytes)
                };
                listed(op, held.map(piece))
            }
        }
    }

    /// What the device of a position reads of elements `range`: its own memory or the host's as it is, else a copy on it.
    ///
    /// # Errors
    /// `OutOfMemory`; `CopyFailed`.
    pub fn on(
        &self,
        op: &'static str,
        device: Device,
        position: usize,
        range: &Range<usize>,
        bytes: usize,
    ) -> Result<Held<'a>> {
        match self {
            Self::Whole(src) if src.place() == Place::Host || src.place() == Place::Device(device) => {
                Ok(Held::Borrowed(src.part(op, range.start * bytes, range.len() * bytes)?))
            }
            Self::Sharded(vector) if vector.ranges()[position] == *range || vector.layout() == Layout::Replicated => {
                let start = if vector.layout() == Layout::Replicated { range.start } else { 0 };
                Ok(Held::Borrowed(Src::from(&vector.parts()[position]).part(op, start * bytes, range.len() * bytes)?))
            }
            _ => {
                let mut copy = Buffer::on(device, range.len() * bytes)?;
                let pieces = self.pieces(op, position, range.clone(), bytes)?;
                let places = Dst::from(&mut copy).split(op, pieces.iter().map(Src::bytes))?;
                places.into_iter().zip(pieces).try_for_each(|(to, from)| transfer(to, from))?;
                Ok(Held::Copied(copy))
            }
        }
    }
}

/// What a device reads of an operand.
#[derive(Debug)]
pub enum Held<'a> {
    /// The operand's own memory.
    Borrowed(Src<'a>),
    /// A copy on the device.
    Copied(Buffer<u8>),
}

impl Held<'_> {
    /// The memory.
    pub fn src(&self) -> Src<'_> {
        match self {
            Self::Borrowed(src) => *src,
            Self::Copied(buffer) => buffer.into(),
        }
    }
}

impl<'a> Output<'a> {
    /// As [`Input::need`].
    ///
    /// # Errors
    /// `InvalidArgument`.
    pub fn need(&self, op: &'static str, arg: &str, group: &DeviceGroup, n: usize, bytes: usize) -> Result<()> {
        match self {
            Self::Whole(dst) => need_dst(op, arg, dst, n, bytes),
            Self::Sharded(vector) => need_sharded(op, arg, vector, group, n, bytes),
        }
    }

    /// The sharded vector, if it is one.
    pub fn sharded(&self) -> Option<&Sharded> {
        match self {
            Self::Sharded(vector) => Some(vector),
            Self::Whole(_) => None,
        }
    }

    /// What each device writes of its elements.
    ///
    /// # Errors
    /// `InvalidArgument` if a whole vector is not as long as all ranges; `OutOfMemory`.
    pub fn slots(self, op: &'static str, ranges: &[Range<usize>], bytes: usize) -> Result<Slots<Dst<'a>>> {
        match self {
            Self::Whole(dst) => Slots::new(dst.split(op, ranges.iter().map(|range| range.len() * bytes))?),
            Self::Sharded(vector) => Slots::new(vector.parts_mut().iter_mut().map(Dst::from)),
        }
    }
}

fn need_sharded(op: &'static str, arg: &str, v: &Sharded, group: &DeviceGroup, n: usize, bytes: usize) -> Result<()> {
    v.of(op, arg, group)?;
    if (v.len(), v.element_bytes()) != (n, bytes) {
        let (len, width) = (v.len(), v.element_bytes());
        return Err(Error::argument(op, format!("{arg} holds {len} elements of {width} bytes: need {n} of {bytes}")));
    }
    Ok(())
}

/// Which elements each device works on: those of the sharded operands, whose places must agree, else as the group divides.
///
/// # Errors
/// `InvalidArgument` if one vector is cyclic or replicated and another that is written or read with it lies otherwise.
pub fn ranges(
    op: &'static str,
    group: &DeviceGroup,
    n: usize,
    least: usize,
    inputs: &[&Input<'_>],
    output: Option<&Output<'_>>,
) -> Result<Vec<Range<usize>>> {
    let written = output.and_then(Output::sharded);
    let read = || inputs.iter().filter_map(|input| input.sharded());
    let is_cyclic = |vector: &Sharded| vector.layout() == Layout::Cyclic;
    if written.is_some_and(is_cyclic) || read().any(is_cyclic) {
        let all = read().chain(written).all(is_cyclic);
        let is_whole =
            inputs.iter().any(|input| input.sharded().is_none()) || output.is_some_and(|o| o.sharded().is_none());
        if !all || is_whole {
            return Err(Error::argument(op, "a cyclic vector with others that are not: reshard it first"));
        }
    }
    let blocks = |vector: &&Sharded| vector.layout() != Layout::Replicated;
    if let Some(vector) = written.or_else(|| read().find(blocks)) {
        return Ok(vector.ranges().to_vec());
    }
    Ok(group.divide(op, n, 1, least))
}
