//! Operations on each element, on each device's own.

use super::{Placement, Region, ShardedArray, each};
use crate::array::Array;
use crate::layout::broadcast_shapes;
use crate::{BinaryOp, DType, Scalar, UnaryOp, creation};
use icicle_device::Device;
use icicle_error::{Error, Result};
use icicle_runtime::DeviceGroup;
use std::ops::Range;

impl ShardedArray {
    /// An operation on each element; as [`unary`](crate::unary), placed as the array is. Partial sums are added first.
    ///
    /// # Errors
    /// As there; `InvalidArgument` if the group has other devices. An error of a device names it.
    pub fn unary(&self, group: &DeviceGroup, op: UnaryOp) -> Result<Self> {
        self.mapped(group, |part| crate::unary(op, part))
    }

    /// The values in another dtype; as [`Array::astype`].
    ///
    /// # Errors
    /// As there.
    pub fn astype(&self, group: &DeviceGroup, dtype: DType) -> Result<Self> {
        self.mapped(group, |part| part.astype(dtype))
    }

    fn mapped(&self, group: &DeviceGroup, map: impl Fn(&Array) -> Result<Array> + Sync) -> Result<Self> {
        let whole = self.whole(group)?;
        let parts = each(group, |_, position| map(&whole.parts[position]))?;
        let dtype = parts[0].dtype();
        Ok(Self { dtype, parts, ..whole })
    }

    /// The array with partial sums added.
    pub(super) fn whole(&self, group: &DeviceGroup) -> Result<Self> {
        match self.placement {
            Placement::Partial => self.reshard(group, Placement::Replicated),
            placement => self.reshard(group, placement),
        }
    }

    /// An operation on each pair of elements; as [`binary`](crate::binary). It is placed as `self` is if that is split, else
    /// as `other`, whose elements are brought to where they are needed. Partial sums are added first, unless both are and are
    /// themselves added or subtracted.
    ///
    /// # Errors
    /// As there; `InvalidArgument` if the group has other devices. An error of a device names it.
    pub fn binary(&self, group: &DeviceGroup, op: BinaryOp, other: &Self) -> Result<Self> {
        self.of(group)?;
        other.of(group)?;
        let linear = matches!(op, BinaryOp::Add | BinaryOp::Subtract) && self.dtype == other.dtype;
        if linear && (self.placement, other.placement) == (Placement::Partial, Placement::Partial) {
            let shape = broadcast_shapes(op.name(), &[&self.shape, &other.shape])?;
            let parts = each(group, |_, position| crate::binary(op, &self.parts[position], &other.parts[position]))?;
            return Self::from_parts(group, shape, Placement::Partial, Vec::new(), self.dtype, parts);
        }
        let (x, y) = (self.whole(group)?, other.whole(group)?);
        let shape = broadcast_shapes(op.name(), &[&x.shape, &y.shape])?;
        let split = x.split_in(&shape).or_else(|| y.split_in(&shape));
        let parts = each(group, |device, position| {
            let local = |array: &Self| match &split {
                Some((axis, ranges)) => array.meeting(device, position, &shape, *axis, &ranges[position]),
                None => array.bring(position, device, &None),
            };
            crate::binary(op, &local(&x)?, &local(&y)?)
        })?;
        let (placement, ranges) = match split {
            Some((axis, ranges)) => (Placement::Split(axis), ranges),
            None => (Placement::Replicated, Vec::new()),
        };
        let dtype = parts[0].dtype();
        Self::from_parts(group, shape, placement, ranges, dtype, parts)
    }

    /// An operation on each element and a number, which takes the array's dtype as [`Scalar::dtype_with`] says; `reversed`,
    /// the number comes first. Otherwise as [`ShardedArray::binary`].
    ///
    /// # Errors
    /// As there; `InvalidArgument` also if the number and the dtype do not fit, or the dtype does not hold the integer.
    pub fn binary_scalar(&self, group: &DeviceGroup, op: BinaryOp, value: Scalar, reversed: bool) -> Result<Self> {
        self.of(group)?;
        let dtype = value.dtype_with(op.name(), self.dtype)?;
        let number = creation::full(Device::cpu(0), &[], value, dtype).map_err(|e| Error { op: op.name(), ..e })?;
        let whole = self.whole(group)?;
        let parts = each(group, |device, position| {
            let (part, number) = (&whole.parts[position], number.to_device(device)?);
            if reversed { crate::binary(op, &number, part) } else { crate::binary(op, part, &number) }
        })?;
        let dtype = parts[0].dtype();
        Ok(Self { dtype, parts, ..whole })
    }

    /// The split axis as one of a shape it broadcasts to, if one is split that is not repeated there.
    fn split_in(&self, shape: &[usize]) -> Option<(usize, Vec<Range<usize>>)> {
        match self.placement {
            Placement::Split(axis) => {
                let place = shape.len() - self.rank() + axis;
                (shape[place] == self.shape[axis]).then(|| (place, self.ranges.clone()))
            }
            _ => None,
        }
    }

    /// The elements that meet a range of an axis of a shape that this broadcasts to.
    pub(super) fn meeting(
        &self,
        device: Device,
        position: usize,
        shape: &[usize],
        axis: usize,
        range: &Range<usize>,
    ) -> Result<Array> {
        let own = (axis + self.rank()).checked_sub(shape.len()).filter(|&own| self.shape[own] == shape[axis]);
        let region: Region = own.map(|own| (own, range.clone()));
        self.bring(position, device, &region)
    }
}
