//! One vector over the devices of a group.

use crate::copy::transfer;
use crate::slots::Slots;
use crate::{Buffer, DeviceGroup, shares};
use bytemuck::Pod;
use icicle_device::check::{bytes_for, need_dst, need_src};
use icicle_device::{Device, Dst, Src};
use icicle_error::reserve::filled;
use icicle_error::{Error, Result};
use std::ops::Range;

/// How a vector lies over the devices of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum Layout {
    /// Consecutive elements, one block a device, as long as its share. The blocks of a power of two of elements are made
    /// of whole 64ths, where that is at least 64, as transforms need.
    #[default]
    Blocks = 0,
    /// Element `i` on device `i mod n`.
    Cyclic = 1,
    /// Every element on every device.
    Replicated = 2,
}

impl Layout {
    /// Every layout.
    pub const ALL: [Self; 3] = [Self::Blocks, Self::Cyclic, Self::Replicated];

    /// The name, the same in all languages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blocks => "blocks",
            Self::Cyclic => "cyclic",
            Self::Replicated => "replicated",
        }
    }
}

/// A vector whose elements lie on the devices of a group, freed when dropped. It is used with a group of the same devices.
#[derive(Debug)]
pub struct Sharded {
    devices: Vec<Device>,
    layout: Layout,
    len: usize,
    element_bytes: usize,
    /// Of each device: with blocks its elements, else a range as long as their number.
    ranges: Vec<Range<usize>>,
    parts: Vec<Buffer<u8>>,
}

const OP: &str = "sharded";

/// A power of two of elements is cut into this many pieces, which blocks are made of.
const PIECES: usize = 64;

impl Sharded {
    /// Uninitialised memory for `len` elements of `element_bytes` bytes; reading it before writing gives unspecified
    /// values. Blocks are as long as the group's [`shares`](DeviceGroup::shares) say.
    ///
    /// # Errors
    /// `InvalidArgument` if elements have no bytes or the size exceeds the address space; `OutOfMemory`, naming the device.
    pub fn new(group: &DeviceGroup, len: usize, element_bytes: usize, layout: Layout) -> Result<Self> {
        if element_bytes == 0 {
            return Err(Error::argument(OP, "elements of 0 bytes: must be at least 1"));
        }
        bytes_for(OP, "vector", len, element_bytes)?;
        let count = group.devices().len();
        let ranges = match layout {
            Layout::Blocks => {
                let in_pieces = len.is_power_of_two() && len >= PIECES * PIECES;
                shares::divide(len, if in_pieces { len / PIECES } else { 1 }, group.shares())
            }
            Layout::Cyclic => (0..count).map(|i| 0..len.saturating_sub(i).div_ceil(count)).collect(),
            Layout::Replicated => (0..count).map(|_| 0..len).collect(),
        };
        let make = |device: Device, position: usize| Buffer::on(device, ranges[position].len() * element_bytes);
        let parts = group.on_each(make).into_iter().collect::<Result<_>>()?;
        Ok(Self { devices: group.devices().to_vec(), layout, len, element_bytes, ranges, parts })
    }

    /// Memory for as many elements as this, in the same places.
    ///
    /// # Errors
    /// As [`Sharded::new`]; `InvalidArgument` if the group has other devices.
    pub fn like(&self, group: &DeviceGroup, element_bytes: usize) -> Result<Self> {
        self.of(OP, "vector", group)?;
        bytes_for(OP, "vector", self.len, element_bytes)?;
        let make = |device: Device, position: usize| Buffer::on(device, self.ranges[position].len() * element_bytes);
        let parts = group.on_each(make).into_iter().collect::<Result<_>>()?;
        let (devices, ranges) = (self.devices.clone(), self.ranges.clone());
        Ok(Self { devices, layout: self.layout, len: self.len, element_bytes, ranges, parts })
    }

    /// A copy of host data.
    ///
    /// # Errors
    /// As [`Sharded::new`].
    pub fn from_slice<T: Pod>(group: &DeviceGroup, data: &[T], layout: Layout) -> Result<Self> {
        let mut vector = Self::new(group, data.len(), size_of::<T>(), layout)?;
        vector.scatter(group, data.into())?;
        Ok(vector)
    }

    /// Copy a whole vector in, from the host or a device; each device's thread copies its part.
    ///
    /// # Errors
    /// `InvalidArgument` if lengths differ or the group has other devices; `CopyFailed`; `OutOfMemory` of the host.
    pub fn scatter(&mut self, group: &DeviceGroup, from: Src<'_>) -> Result<()> {
        self.of(OP, "vector", group)?;
        need_src(OP, "source", &from, self.len, self.element_bytes)?;
        if self.layout == Layout::Cyclic {
            return self.scatter_cyclic(group, from);
        }
        let (ranges, width) = (&self.ranges, self.element_bytes);
        let parts = ends(&mut self.parts)?;
        let copy = |_: Device, position: usize| {
            let range = &ranges[position];
            transfer(parts.take(position)?, from.part(OP, range.start * width, range.len() * width)?)
        };
        group.on_each(copy).into_iter().collect()
    }

    fn scatter_cyclic(&mut self, group: &DeviceGroup, from: Src<'_>) -> Result<()> {
        let mut all = filled(OP, from.bytes(), 0u8)?;
        transfer((&mut all).into(), from)?;
        let (count, width) = (self.devices.len(), self.element_bytes);
        let parts = ends(&mut self.parts)?;
        let copy = |_: Device, position: usize| {
            let part = parts.take(position)?;
            let mut own = filled(OP, part.bytes(), 0u8)?;
            let elements = all.chunks_exact(width).skip(position).step_by(count);
            own.chunks_exact_mut(width).zip(elements).for_each(|(to, from)| to.copy_from_slice(from));
            transfer(part, (&own).into())
        };
        group.on_each(copy).into_iter().collect()
    }

    /// Copy the whole vector out, to the host or a device; each device's thread copies its part.
    ///
    /// # Errors
    /// As [`Sharded::scatter`].
    pub fn gather(&self, group: &DeviceGroup, to: Dst<'_>) -> Result<()> {
        self.of(OP, "vector", group)?;
        need_dst(OP, "destination", &to, self.len, self.element_bytes)?;
        match self.layout {
            Layout::Replicated => transfer(to, (&self.parts[0]).into()),
            Layout::Cyclic => {
                let (count, width) = (self.devices.len(), self.element_bytes);
                let mut all = filled(OP, to.bytes(), 0u8)?;
                let read = |_: Device, position: usize| self.parts[position].to_vec();
                for (position, part) in group.on_each(read).into_iter().enumerate() {
                    let elements = all.chunks_exact_mut(width).skip(position).step_by(count);
                    elements.zip(part?.chunks_exact(width)).for_each(|(to, from)| to.copy_from_slice(from));
                }
                transfer(to, (&all).into())
            }
            Layout::Blocks => {
                let places = Slots::new(to.split(OP, self.parts.iter().map(Buffer::bytes))?)?;
                let copy =
                    |_: Device, position: usize| transfer(places.take(position)?, (&self.parts[position]).into());
                group.on_each(copy).into_iter().collect()
            }
        }
    }

    /// The contents, on the host.
    ///
    /// # Errors
    /// `InvalidArgument` if elements have another size or the group has other devices; `OutOfMemory`; `CopyFailed`.
    pub fn to_vec<T: Pod>(&self, group: &DeviceGroup) -> Result<Vec<T>> {
        if size_of::<T>() != self.element_bytes {
            let detail = format!("elements of {} bytes: the vector's have {}", size_of::<T>(), self.element_bytes);
            return Err(Error::argument(OP, detail));
        }
        let mut out = filled(OP, self.len, T::zeroed())?;
        self.gather(group, (&mut out).into())?;
        Ok(out)
    }

    /// A copy in another layout. Blocks and copies of the whole go from device to device; elements that change between
    /// blocks and cyclic places go over the host.
    ///
    /// # Errors
    /// As [`Sharded::new`]; `InvalidArgument` if the group has other devices.
    pub fn reshard(&self, group: &DeviceGroup, layout: Layout) -> Result<Self> {
        self.of(OP, "vector", group)?;
        let mut new = Self::new(group, self.len, self.element_bytes, layout)?;
        if [self.layout, layout].contains(&Layout::Cyclic) && self.layout != layout {
            let mut all = filled(OP, self.bytes(), 0u8)?;
            self.gather(group, (&mut all).into())?;
            new.scatter(group, (&all).into())?;
            return Ok(new);
        }
        let (ranges, width) = (new.ranges.clone(), self.element_bytes);
        let parts = ends(&mut new.parts)?;
        let copy = |_: Device, position: usize| {
            let part = parts.take(position)?;
            if self.layout == layout || self.layout == Layout::Replicated {
                let own = if self.layout == layout { 0 } else { ranges[position].start * width };
                let bytes = part.bytes();
                return transfer(part, Src::from(&self.parts[position]).part(OP, own, bytes)?);
            }
            let pieces = part.split(OP, self.parts.iter().map(Buffer::bytes))?;
            pieces.into_iter().zip(&self.parts).try_for_each(|(piece, from)| transfer(piece, from.into()))
        };
        group.on_each(copy).into_iter().collect::<Result<()>>()?;
        Ok(new)
    }

    /// Check that a group has this vector's devices, in their order.
    ///
    /// # Errors
    /// `InvalidArgument`.
    pub fn of(&self, op: &'static str, arg: &str, group: &DeviceGroup) -> Result<()> {
        let names = |devices: &[Device]| devices.iter().map(Device::to_string).collect::<Vec<_>>().join(", ");
        if self.devices == group.devices() {
            return Ok(());
        }
        let detail = format!("{arg} on {}: the group has {}", names(&self.devices), names(group.devices()));
        Err(Error::argument(op, detail))
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Bytes of an element.
    pub fn element_bytes(&self) -> usize {
        self.element_bytes
    }
    /// Bytes of the vector, each element counted once.
    pub fn bytes(&self) -> usize {
        self.len * self.element_bytes
    }
    /// How it lies over the devices.
    pub fn layout(&self) -> Layout {
        self.layout
    }
    /// The devices.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }
    /// Of each device the elements it holds; in cyclic layout a range of their number.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }
    /// What each device holds.
    pub fn parts(&self) -> &[Buffer<u8>] {
        &self.parts
    }
    /// What each device holds, to write.
    pub fn parts_mut(&mut self) -> &mut [Buffer<u8>] {
        &mut self.parts
    }
}

fn ends(parts: &mut [Buffer<u8>]) -> Result<Slots<Dst<'_>>> {
    Slots::new(parts.iter_mut().map(Dst::from))
}
