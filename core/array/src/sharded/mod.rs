//! Arrays over the devices of a group.
//!
//! Each device holds a part as an array of its own, and its thread of the group computes on it. Operands are brought to where
//! they are needed: what lies there already is not moved.

mod elementwise;
mod product;
mod reduction;

use crate::array::Array;
use crate::layout::{self, count};
use crate::{DType, Kind, Scalar, Slice};
use icicle_device::{Device, DeviceKind};
use icicle_error::{Error, Result};
use icicle_runtime::{DeviceGroup, shares};
use std::ops::Range;

/// How an array lies over the devices of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Consecutive indices of an axis on each device, as many as its share.
    Split(usize),
    /// All of it on every device.
    Replicated,
    /// Its elements are the sums of those on the devices. Sums and products over a split axis give it.
    Partial,
}

impl Placement {
    /// Split along an axis of an array of so many, which counts from the end if negative; replicated without one.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no such axis.
    pub fn along(axis: Option<isize>, rank: usize) -> Result<Self> {
        axis.map_or(Ok(Self::Replicated), |axis| layout::axis(OP, axis, rank).map(Self::Split))
    }

    /// Its name: `split`, `replicated` or `partial`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Split(_) => "split",
            Self::Replicated => "replicated",
            Self::Partial => "partial",
        }
    }

    /// The split axis, if one is.
    pub fn axis(self) -> Option<usize> {
        match self {
            Self::Split(axis) => Some(axis),
            _ => None,
        }
    }
}

/// An array whose elements lie on the devices of a group. It is used with a group of the same devices.
///
/// ```
/// use icicle_array::{Array, Placement, ShardedArray};
/// use icicle_runtime::DeviceGroup;
///
/// # fn main() -> icicle_error::Result<()> {
/// let group = DeviceGroup::all()?;
/// let table = Array::from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3])?;
/// let x = Array::from_slice(&[1.0f32, 0.0, -1.0], &[3])?;
/// // The columns are split, so each device computes a part of every sum.
/// let table = ShardedArray::scatter(&group, &table, Placement::Split(1))?;
/// let x = ShardedArray::scatter(&group, &x, Placement::Split(0))?;
/// let y = table.matmul(&group, &x)?;
/// assert_eq!(y.placement(), Placement::Partial);
/// assert_eq!(y.gather(&group, icicle_device::Device::cpu(0))?.to_vec::<f32>()?, [-2.0, -2.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ShardedArray {
    devices: Vec<Device>,
    shape: Vec<usize>,
    dtype: DType,
    placement: Placement,
    /// The indices of the split axis that each device holds; none if no axis is split.
    ranges: Vec<Range<usize>>,
    /// Partial sums are of a dtype that holds them without loss worth mentioning; else of the array's.
    parts: Vec<Array>,
}

/// A range of an axis, or all of an array.
type Region = Option<(usize, Range<usize>)>;

const OP: &str = "sharded_array";

/// Partial sums up to which they are added by the host: copying them all takes less time than one GPU's waiting for another.
const FEW: usize = 512;

impl ShardedArray {
    /// An array's elements, copied to the devices of a group.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no such axis, or for partial sums; `OutOfMemory`, naming the device.
    pub fn scatter(group: &DeviceGroup, array: &Array, placement: Placement) -> Result<Self> {
        let whole = Self {
            devices: group.devices().to_vec(),
            shape: array.shape().to_vec(),
            dtype: array.dtype(),
            placement: Placement::Replicated,
            ranges: Vec::new(),
            parts: vec![array.clone(); group.devices().len()],
        };
        // Every device of a replicated array has it; here it is brought to them.
        whole.moved(group, placement)
    }

    /// The whole array on a device. Partial sums for the host are added by the first device if that is a GPU, unless they are few.
    ///
    /// # Errors
    /// `InvalidArgument` if the group has other devices; `InvalidDevice`; `OutOfMemory`.
    pub fn gather(&self, group: &DeviceGroup, device: Device) -> Result<Array> {
        self.of(group)?;
        let first = self.devices[0];
        let is_on_host = device.kind == DeviceKind::Cpu;
        let is_added = self.placement == Placement::Partial && self.len() > FEW && first.kind == DeviceKind::Cuda;
        let on = if is_on_host && is_added { first } else { device };
        // What parts wait for is computed, and copied to the host, by the devices' threads.
        let parts = group.on_each(|_, position| {
            let part = &self.parts[position];
            let is_needed = position == 0 || self.placement != Placement::Replicated;
            let is_copied = on.kind == DeviceKind::Cpu && is_needed;
            if is_copied { part.to_device(on) } else { part.as_ptr().map(|_| part.clone()) }
        });
        let whole = Self { parts: parts.into_iter().collect::<Result<_>>()?, ..self.clone() };
        whole.bring(0, on, &None)?.to_device(device)
    }

    /// The value of an array of one element.
    ///
    /// # Errors
    /// As [`ShardedArray::gather`]; `InvalidArgument` if there is not exactly one.
    pub fn item(&self, group: &DeviceGroup) -> Result<Scalar> {
        self.gather(group, Device::cpu(0))?.item()
    }

    /// The same array placed otherwise; partial sums are added.
    ///
    /// # Errors
    /// As [`ShardedArray::scatter`]; `InvalidArgument` if the group has other devices.
    pub fn reshard(&self, group: &DeviceGroup, placement: Placement) -> Result<Self> {
        self.of(group)?;
        if placement == self.placement { Ok(self.clone()) } else { self.moved(group, placement) }
    }

    fn moved(&self, group: &DeviceGroup, placement: Placement) -> Result<Self> {
        let ranges = match placement {
            Placement::Split(axis) if axis < self.shape.len() => shares::divide(self.shape[axis], 1, group.shares()),
            Placement::Split(axis) => {
                let detail = format!("split of axis {axis}: the array has {} axes", self.shape.len());
                return Err(Error::argument(OP, detail));
            }
            Placement::Replicated => Vec::new(),
            Placement::Partial => {
                return Err(Error::argument(OP, "placement Partial: only sums and products over a split axis give it"));
            }
        };
        let parts = each(group, |device, position| {
            let region = match placement {
                Placement::Split(axis) => Some((axis, ranges[position].clone())),
                _ => None,
            };
            // A copy, so that what it is a view of can be freed.
            let part = self.bring(position, device, &region)?;
            if part.len() < self.len() { part.copy() } else { Ok(part) }
        })?;
        Ok(Self { placement, ranges, parts, ..self.clone() })
    }

    /// The elements of a region on a device: of the device of a position, what it holds is not moved.
    fn bring(&self, position: usize, device: Device, region: &Region) -> Result<Array> {
        let cut = |part: &Array| match region {
            Some((axis, range)) => part.slice(*axis, Slice::range(range.start as isize, range.end as isize)),
            None => Ok(part.clone()),
        };
        match self.placement {
            Placement::Replicated => cut(&self.parts[position])?.to_device(device),
            Placement::Partial => {
                let mut parts = self.parts.iter().map(|part| cut(part)?.read_by(device));
                let first = parts.next().unwrap_or_else(|| Err(Error::argument(OP, "group: has no device")))?;
                parts.try_fold(first, |sum, part| crate::add(&sum, &part?))?.astype(self.dtype)
            }
            Placement::Split(split) => {
                let own =
                    region.as_ref().is_some_and(|(axis, range)| *axis == split && *range == self.ranges[position]);
                if own {
                    return self.parts[position].to_device(device);
                }
                let mut pieces = Vec::with_capacity(self.parts.len());
                for (part, range) in self.parts.iter().zip(&self.ranges) {
                    let piece = match region {
                        Some((axis, wanted)) if *axis == split => {
                            let start = wanted.start.clamp(range.start, range.end) - range.start;
                            let end = wanted.end.clamp(range.start, range.end) - range.start;
                            part.slice(split, Slice::range(start as isize, end as isize))?
                        }
                        _ => cut(part)?,
                    };
                    // The first stays if no other does: it says the shape.
                    if piece.shape()[split] > 0 || pieces.is_empty() {
                        pieces.push(piece.to_device(device)?);
                    }
                }
                match &pieces[..] {
                    [one] => Ok(one.clone()),
                    many => crate::concat(&many.iter().collect::<Vec<_>>(), Some(split as isize)),
                }
            }
        }
    }

    /// Check that a group has this array's devices, in their order.
    fn of(&self, group: &DeviceGroup) -> Result<()> {
        if self.devices == group.devices() {
            return Ok(());
        }
        let names = |devices: &[Device]| devices.iter().map(Device::to_string).collect::<Vec<_>>().join(", ");
        let detail = format!("array on {}: the group has {}", names(&self.devices), names(group.devices()));
        Err(Error::argument(OP, detail))
    }

    /// Extents of its axes.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }
    /// Number of elements, each counted once.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }
    /// The type of its elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }
    /// How it lies over the devices.
    pub fn placement(&self) -> Placement {
        self.placement
    }
    /// The devices.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }
    /// The indices of the split axis that each device holds; none if no axis is split.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }
    /// What each device holds.
    pub fn parts(&self) -> &[Array] {
        &self.parts
    }

    /// An array of parts that a job gives on each device.
    fn from_parts(
        group: &DeviceGroup,
        shape: Vec<usize>,
        placement: Placement,
        ranges: Vec<Range<usize>>,
        dtype: DType,
        parts: Vec<Array>,
    ) -> Result<Self> {
        count(OP, &shape)?;
        Ok(Self { devices: group.devices().to_vec(), shape, dtype, placement, ranges, parts })
    }
}

/// A job on every device at once.
fn each(group: &DeviceGroup, job: impl Fn(Device, usize) -> Result<Array> + Sync) -> Result<Vec<Array>> {
    group.on_each(job).into_iter().collect()
}

/// The dtype in which partial sums of a dtype are held: they are rounded once, when they are added.
fn held(dtype: DType) -> DType {
    match dtype.kind() {
        Kind::Float => DType::Float64,
        Kind::Complex => DType::Complex128,
        _ => dtype,
    }
}
