//! Reductions: each device's own elements, then over the devices.

use super::{Placement, ShardedArray, each, held};
use crate::array::Array;
use crate::layout;
use crate::reduce::summed;
use crate::{BinaryOp, DType, Scalar, creation};
use icicle_error::{Error, Result};
use icicle_runtime::DeviceGroup;

/// A reduction along axes that keeps them.
type Fold = fn(&Array, Option<&[isize]>, bool) -> Result<Array>;

impl ShardedArray {
    /// The sum along axes, of all elements if none are named; as [`sum`](crate::sum). Over a split axis the result is partial
    /// sums, of floats in double precision, which are rounded once when they are added.
    ///
    /// # Errors
    /// As there; `InvalidArgument` if the group has other devices. An error of a device names it.
    pub fn sum(&self, group: &DeviceGroup, axes: Option<&[isize]>, keepdims: bool) -> Result<Self> {
        let dtype = summed(self.dtype);
        self.added(group, axes, keepdims, dtype, |part, axes| crate::sum(part, axes, true, Some(held(dtype))))
    }

    /// How many elements along axes are not 0; as [`count_nonzero`](crate::count_nonzero), partial sums over a split axis.
    ///
    /// # Errors
    /// As [`ShardedArray::sum`].
    pub fn count_nonzero(&self, group: &DeviceGroup, axes: Option<&[isize]>, keepdims: bool) -> Result<Self> {
        self.added(group, axes, keepdims, DType::Int64, |part, axes| crate::count_nonzero(part, axes, true))
    }

    /// The mean along axes of floating-point numbers; as [`mean`](crate::mean).
    ///
    /// # Errors
    /// As [`ShardedArray::sum`]; `InvalidArgument` for other dtypes.
    pub fn mean(&self, group: &DeviceGroup, axes: Option<&[isize]>, keepdims: bool) -> Result<Self> {
        if !self.dtype.is_floating() {
            return Err(Error::argument("mean", format!("array of {}: must be floating point", self.dtype)));
        }
        let n: f64 = self.reduced("mean", axes)?.iter().map(|&axis| self.shape[axis] as f64).product();
        let mut sums = self.sum(group, axes, keepdims)?;
        // Rounded once, after the division.
        sums.dtype = if sums.placement == Placement::Partial { held(self.dtype) } else { sums.dtype };
        let whole = sums.whole(group)?;
        let parts = each(group, |device, position| {
            let n = creation::full(device, &[], Scalar::Float(n), whole.dtype)?;
            crate::binary(BinaryOp::Divide, &whole.parts[position], &n)?.astype(self.dtype)
        })?;
        Ok(Self { parts, dtype: self.dtype, ..whole })
    }

    /// The product along axes; as [`prod`](crate::prod). Over a split axis the result is on every device.
    ///
    /// # Errors
    /// As [`ShardedArray::sum`].
    pub fn prod(&self, group: &DeviceGroup, axes: Option<&[isize]>, keepdims: bool) -> Result<Self> {
        let dtype = summed(self.dtype);
        let wide = if dtype == self.dtype { self.astype(group, held(dtype))? } else { self.clone() };
        wide.folded(group, "prod", axes, keepdims, |x, axes, keep| crate::prod(x, axes, keep, None))?
            .astype(group, dtype)
    }

    /// The least element along axes; as [`min`](crate::min). Over a split axis the result is on every device.
    ///
    /// # Errors
    /// As there, and as [`ShardedArray::sum`].
    pub fn min(&self, group: &DeviceGroup, axes: Option<&[isize]>, keepdims: bool) -> Result<Self> {
        self.folded(group, "min", axes, keepdims, crate::min)
    }

    /// The greatest element along axes; as [`ShardedArray::min`].
    ///
    /// # Errors
    /// As there.
    pub fn max(&self, group: &DeviceGroup, axes: Option<&[isize]>, keepdims: bool) -> Result<Self> {
        self.folded(group, "max", axes, keepdims, crate::max)
    }

    /// Whether all elements along axes are true; as [`all`](crate::all). Over a split axis the result is on every device.
    ///
    /// # Errors
    /// As [`ShardedArray::sum`].
    pub fn all(&self, group: &DeviceGroup, axes: Option<&[isize]>, keepdims: bool) -> Result<Self> {
        self.folded(group, "all", axes, keepdims, crate::all)
    }

    /// Whether any element along axes is true; as [`ShardedArray::all`].
    ///
    /// # Errors
    /// As there.
    pub fn any(&self, group: &DeviceGroup, axes: Option<&[isize]>, keepdims: bool) -> Result<Self> {
        self.folded(group, "any", axes, keepdims, crate::any)
    }

    fn reduced(&self, op: &'static str, axes: Option<&[isize]>) -> Result<Vec<usize>> {
        match axes {
            None => Ok((0..self.rank()).collect()),
            Some(axes) => layout::axes(op, axes, self.rank()),
        }
    }

    /// A reduction whose results over devices are added.
    fn added(
        &self,
        group: &DeviceGroup,
        axes: Option<&[isize]>,
        keepdims: bool,
        dtype: DType,
        fold: impl Fn(&Array, Option<&[isize]>) -> Result<Array> + Sync,
    ) -> Result<Self> {
        let list = self.reduced("sum", axes)?;
        let x = self.whole(group)?;
        let over = matches!(x.placement, Placement::Split(axis) if list.contains(&axis));
        let parts = each(group, |_, position| {
            let part = fold(&x.parts[position], axes)?;
            if over { Ok(part) } else { part.astype(dtype) }
        })?;
        let placement = if over { Placement::Partial } else { x.placement };
        x.shrunk(group, &list, keepdims, placement, dtype, parts)
    }

    /// A reduction whose results over devices are reduced again.
    fn folded(
        &self,
        group: &DeviceGroup,
        op: &'static str,
        axes: Option<&[isize]>,
        keepdims: bool,
        fold: Fold,
    ) -> Result<Self> {
        let list = self.reduced(op, axes)?;
        let x = self.whole(group)?;
        let split = match x.placement {
            Placement::Split(axis) if list.contains(&axis) => axis,
            placement => {
                // A device that holds nothing has no least element, but a place in the result's shape.
                let parts = each(group, |_, position| fold(&x.parts[position], axes, true))?;
                let dtype = parts[0].dtype();
                return x.shrunk(group, &list, keepdims, placement, dtype, parts);
            }
        };
        let holds = |position: &usize| x.shape[split] == 0 || !x.ranges[*position].is_empty();
        let holding: Vec<_> = (0..x.devices.len()).filter(holds).collect();
        let results = group.on_some(
            |position| holding.contains(&position),
            |_, position| {
                let part = fold(&x.parts[position], axes, true)?;
                part.as_ptr()?;
                Ok(part)
            },
        )?;
        let results: Vec<Array> = results.into_iter().flatten().collect();
        let parts = each(group, |device, _| {
            let here = results.iter().map(|part| part.to_device(device)).collect::<Result<Vec<_>>>()?;
            fold(&crate::concat(&here.iter().collect::<Vec<_>>(), Some(split as isize))?, Some(&[split as isize]), true)
        })?;
        let dtype = parts[0].dtype();
        x.shrunk(group, &list, keepdims, Placement::Replicated, dtype, parts)
    }

    /// The result of a reduction whose parts have kept their axes.
    fn shrunk(
        &self,
        group: &DeviceGroup,
        list: &[usize],
        keepdims: bool,
        placement: Placement,
        dtype: DType,
        parts: Vec<Array>,
    ) -> Result<Self> {
        let gone: Vec<_> = list.iter().map(|&axis| axis as isize).collect();
        let kept = (0..self.rank()).filter(|axis| keepdims || !list.contains(axis));
        let shape = kept.map(|axis| if list.contains(&axis) { 1 } else { self.shape[axis] }).collect();
        let parts = if keepdims { parts } else { parts.iter().map(|p| p.squeeze(&gone)).collect::<Result<_>>()? };
        let (placement, ranges) = match placement {
            Placement::Split(axis) => {
                let before = list.iter().filter(|&&gone| gone < axis && !keepdims).count();
                (Placement::Split(axis - before), self.ranges.clone())
            }
            other => (other, Vec::new()),
        };
        Self::from_parts(group, shape, placement, ranges, dtype, parts)
    }
}
