//! Elements by arrays of indices and masks.
#![allow(unsafe_code)] // memory by address

use crate::array::{Array, Fresh, computing};
use crate::indices::{Blocks, Indices};
use crate::layout::{self, Layout, count};
use crate::{Bool, DType};
use icicle_device::Device;
use icicle_error::reserve::{filled, with_capacity};
use icicle_error::{Error, Result};

/// Places on an array's axis, or on several counted as one: where the array is.
enum Places {
    Cpu(Vec<usize>),
    /// As `int64` along one axis.
    #[cfg(feature = "cuda")]
    Cuda(Array),
}

impl Places {
    /// Those that `n` indices of each axis name.
    fn of(op: &'static str, device: Device, n: usize, axes: &[Indices]) -> Result<Self> {
        #[cfg(feature = "cuda")]
        if device.kind == icicle_device::DeviceKind::Cuda {
            return Ok(Self::Cuda(crate::cuda::rows::places(op, device, n, axes)?));
        }
        debug_assert_eq!(device.kind, icicle_device::DeviceKind::Cpu);
        let Some((first, others)) = axes.split_first() else {
            return Ok(Self::Cpu(filled(op, n, 0)?));
        };
        let mut places = with_capacity(op, n)?;
        for &index in first.wide()?.elements::<i64>()? {
            places.push(first.place(op, index)?);
        }
        for axis in others {
            for (place, &index) in places.iter_mut().zip(axis.wide()?.elements::<i64>()?) {
                *place = *place * axis.extent + axis.place(op, index)?;
            }
        }
        Ok(Self::Cpu(places))
    }

    /// Those where a dense mask is true.
    fn of_true(op: &'static str, mask: &Array) -> Result<Self> {
        #[cfg(feature = "cuda")]
        if mask.device().kind == icicle_device::DeviceKind::Cuda {
            return Ok(Self::Cuda(crate::cuda::compact::positions(op, mask)?));
        }
        let flags = mask.elements::<Bool>()?;
        let n = flags.iter().filter(|flag| flag.0 != 0).count();
        let mut places = with_capacity(op, n)?;
        places.extend(flags.iter().enumerate().filter(|(_, flag)| flag.0 != 0).map(|(place, _)| place));
        Ok(Self::Cpu(places))
    }

    fn len(&self) -> usize {
        match self {
            Self::Cpu(places) => places.len(),
            #[cfg(feature = "cuda")]
            Self::Cuda(places) => places.len(),
        }
    }

    /// The indices on an axis of that extent, where `step` elements lie between neighbours on it.
    fn on_axis(&self, op: &'static str, device: Device, step: usize, extent: usize) -> Result<Array> {
        match self {
            Self::Cpu(places) => {
                let mut out = Fresh::new(op, device, DType::Int64, &[places.len()])?;
                let found = places.iter().map(|place| (place / step % extent) as i64);
                out.slice::<i64>().iter_mut().zip(found).for_each(|(out, index)| *out = index);
                Ok(out.done())
            }
            #[cfg(feature = "cuda")]
            Self::Cuda(places) => crate::cuda::rows::axis_indices(op, places, step, extent),
        }
    }
}

/// Rows of `width` elements of an array at places of its blocks, as a new array of a shape.
fn take_rows(
    op: &'static str,
    x: &Array,
    places: &Places,
    (blocks, width): (Blocks, usize),
    shape: &[usize],
) -> Result<Array> {
    let mut out = Fresh::new(op, x.device(), x.dtype(), shape)?;
    if shape.contains(&0) {
        return Ok(out.done());
    }
    let x = x.contiguous()?;
    match places {
        Places::Cpu(places) => {
            let (bytes, taken) = (width * x.dtype().bytes(), blocks.taken(places.len()));
            let (mut to, from) = (out.start(), x.as_ptr()?);
            for block in 0..blocks.outer {
                let places = if blocks.each { &places[block * taken..][..taken] } else { &places[..] };
                let from = from.wrapping_add(block * blocks.extent * bytes);
                for &place in places {
                    // SAFETY: places are of rows of a dense array's blocks, and the result has a row for each.
                    unsafe { std::ptr::copy_nonoverlapping(from.add(place * bytes), to, bytes) };
                    to = to.wrapping_add(bytes);
                }
            }
        }
        #[cfg(feature = "cuda")]
        // SAFETY: places are of rows of a dense array's blocks, and the result has a row for each.
        Places::Cuda(places) => unsafe { crate::cuda::rows::take(op, &x, places, (blocks, width), &mut out)? },
    }
    Ok(out.done())
}

/// The elements at indices along an axis: the axis is replaced by those of the indices.
///
/// # Errors
/// `InvalidArgument` if there is no such axis, an index is outside it or no integer, or the arrays are on several devices;
/// `OutOfMemory`.
pub fn take(x: &Array, indices: &Array, axis: isize) -> Result<Array> {
    const OP: &str = "take";
    let device = computing(OP, &[x, indices])?;
    let axis = layout::axis(OP, axis, x.rank())?;
    let (before, after) = (&x.shape()[..axis], &x.shape()[axis + 1..]);
    let extent = x.shape()[axis];
    let places = Places::of(OP, device, indices.len(), &[Indices::new(OP, indices.clone(), extent)?])?;
    let shape = [before, indices.shape(), after].concat();
    let blocks = Blocks { outer: before.iter().product(), extent, each: false };
    take_rows(OP, x, &places, (blocks, after.iter().product()), &shape)
}

/// The elements at indices that are given for each line along an axis; the other axes broadcast.
///
/// # Errors
/// As [`take`]; `InvalidArgument` if the axes are not as many.
pub fn take_along_axis(x: &Array, indices: &Array, axis: isize) -> Result<Array> {
    const OP: &str = "take_along_axis";
    let device = computing(OP, &[x, indices])?;
    if x.rank() != indices.rank() {
        let detail = format!("indices of {} axes: must have {}, as the array", indices.rank(), x.rank());
        return Err(Error::argument(OP, detail));
    }
    let axis = layout::axis(OP, axis, x.rank())?;
    let (extent, taken) = (x.shape()[axis], indices.shape()[axis]);
    let (mut own, mut theirs) = (x.shape().to_vec(), indices.shape().to_vec());
    (own[axis], theirs[axis]) = (1, 1);
    let mut shape = layout::broadcast_shapes(OP, &[&own, &theirs])?;
    let outer = shape.iter().product();
    shape[axis] = extent;
    let last = [-1isize];
    let x = x.broadcast_to(&shape)?.moveaxis(&[axis as isize], &last)?;
    shape[axis] = taken;
    let moved = indices.broadcast_to(&shape)?.moveaxis(&[axis as isize], &last)?;
    let places = Places::of(OP, device, moved.len(), &[Indices::new(OP, moved.clone(), extent)?])?;
    let lines = Blocks { outer, extent, each: true };
    take_rows(OP, &x, &places, (lines, 1), moved.shape())?.moveaxis(&last, &[axis as isize])
}

/// Places on the leading axes where a mask is true, and the shape of what follows them.
fn masked<'a>(op: &'static str, x: &'a Array, mask: &Array) -> Result<(Places, &'a [usize])> {
    if mask.dtype() != DType::Bool {
        return Err(Error::argument(op, format!("mask of {}: must be of bool", mask.dtype())));
    }
    // As in NumPy, and the array API's suite: where there is nothing to be true, another extent is no fault.
    let fits = |(&mask, &extent): (&usize, &usize)| mask == extent || mask == 0;
    if mask.rank() > x.rank() || !mask.shape().iter().zip(x.shape()).all(fits) {
        let detail = format!("mask of shape {:?}: must be the leading axes of {:?}", mask.shape(), x.shape());
        return Err(Error::argument(op, detail));
    }
    Ok((Places::of_true(op, &mask.contiguous()?)?, &x.shape()[mask.rank()..]))
}

/// The elements where a mask is true, in C order: the mask's axes, the array's leading ones, become one. On a GPU it waits for
/// the number of elements, which is the result's shape.
///
/// # Errors
/// `InvalidArgument` if the mask is not of bool or of another shape, or on another device; `OutOfMemory`.
pub fn compress(x: &Array, mask: &Array) -> Result<Array> {
    const OP: &str = "mask";
    computing(OP, &[x, mask])?;
    let (places, rest) = masked(OP, x, mask)?;
    take_rows(OP, x, &places, (Blocks::ONE, rest.iter().product()), &[&[places.len()], rest].concat())
}

/// The indices of elements that are not 0, in C order: for each axis, an array of `int64`. On a GPU it waits for their number,
/// which is the results' shape.
///
/// # Errors
/// `InvalidArgument` for an array without axes; `OutOfMemory`.
pub fn nonzero(x: &Array) -> Result<Vec<Array>> {
    const OP: &str = "nonzero";
    let device = computing(OP, &[x])?;
    if x.rank() == 0 {
        return Err(Error::argument(OP, "array without axes: must have one"));
    }
    let mask = x.astype(DType::Bool)?;
    let (places, _) = masked(OP, x, &mask)?;
    let mut step = x.len();
    x.shape()
        .iter()
        .map(|&extent| {
            step /= extent.max(1);
            places.on_axis(OP, device, step.max(1), extent.max(1))
        })
        .collect()
}

/// The elements at arrays of integer indices, one for each leading axis, which broadcast together; their shape replaces
/// these axes.
///
/// # Errors
/// As [`take`]; `InvalidArgument` if there are more arrays than axes, or they do not broadcast.
pub fn take_at(x: &Array, indices: &[&Array]) -> Result<Array> {
    const OP: &str = "index";
    computing(OP, &[&[x], indices].concat())?;
    let (places, shape) = indexed(OP, x, indices)?;
    let rest = &x.shape()[indices.len()..];
    take_rows(OP, x, &places, (Blocks::ONE, rest.iter().product()), &[&shape, rest].concat())
}

/// Places on the leading axes at arrays of indices, and the arrays' common shape.
fn indexed(op: &'static str, x: &Array, indices: &[&Array]) -> Result<(Places, Vec<usize>)> {
    if indices.len() > x.rank() {
        return Err(Error::argument(
            op,
            format!("{} arrays of indices: the array has {} axes", indices.len(), x.rank()),
        ));
    }
    let shape = layout::broadcast_shapes(op, &indices.iter().map(|array| array.shape()).collect::<Vec<_>>())?;
    let axes =
        indices.iter().zip(x.shape()).map(|(array, &extent)| Indices::new(op, array.broadcast_to(&shape)?, extent));
    let axes = axes.collect::<Result<Vec<_>>>()?;
    Ok((Places::of(op, x.device(), count(op, &shape)?, &axes)?, shape))
}

impl Array {
    /// Set the elements where a mask is true to values, cast and broadcast to as many. The memory is copied first if shared.
    ///
    /// # Errors
    /// As [`compress`]; `InvalidArgument` if the values do not broadcast to what the mask takes; then nothing is written.
    pub fn assign_mask(&mut self, mask: &Array, values: &Array) -> Result<()> {
        const OP: &str = "assign";
        computing(OP, &[self, mask, values])?;
        let (places, rest) = masked(OP, self, mask)?;
        let (shape, width) = ([&[places.len()], rest].concat(), rest.iter().product());
        self.write_rows(OP, (places, None), &shape, width, values)
    }

    /// Set the elements at arrays of indices, as [`take_at`] takes them, to values, cast and broadcast to as many; of an
    /// element named twice, the last value stays. The memory is copied first if shared.
    ///
    /// # Errors
    /// As [`take_at`]; `InvalidArgument` if the values do not broadcast; then nothing is written.
    pub fn assign_at(&mut self, indices: &[&Array], values: &Array) -> Result<()> {
        const OP: &str = "assign";
        computing(OP, &[&[&*self, values], indices].concat())?;
        let (places, mut shape) = indexed(OP, self, indices)?;
        let (named, rest) = self.shape().split_at(indices.len());
        let (count, width) = (named.iter().product(), rest.iter().product());
        shape.extend(rest);
        self.write_rows(OP, (places, Some(count)), &shape, width, values)
    }

    /// Set rows of `width` elements at places to values of a shape. If one may be named twice, `repeated` is how many there are.
    fn write_rows(
        &mut self,
        op: &'static str,
        #[cfg_attr(not(feature = "cuda"), allow(unused_variables))] // a CPU sets one row after another
        (places, repeated): (Places, Option<usize>),
        shape: &[usize],
        width: usize,
        values: &Array,
    ) -> Result<()> {
        let values = values.astype(self.dtype)?;
        let layout = values.layout.broadcast_to(op, shape)?;
        if shape.contains(&0) {
            return Ok(());
        }
        let values = values.with_layout(layout).contiguous()?;
        if !self.is_dense() {
            *self = self.copy()?;
        }
        let (bytes, offset) = (width * self.dtype.bytes(), self.layout.offset * self.dtype.bytes());
        // Values are computed before the memory is written, which they may be computed from.
        let (from, to) = (values.as_ptr()?, self.unshared()?.wrapping_add(offset));
        match places {
            Places::Cpu(places) => {
                for (k, row) in places.iter().enumerate() {
                    // SAFETY: rows of this dense array, and as many values, which lie elsewhere: nobody else holds this memory.
                    unsafe { std::ptr::copy_nonoverlapping(from.add(k * bytes), to.add(row * bytes), bytes) };
                }
                Ok(())
            }
            #[cfg(feature = "cuda")]
            // SAFETY: rows of this dense array, and as many values, which lie elsewhere: nobody else holds this memory.
            Places::Cuda(places) => unsafe {
                crate::cuda::rows::set(op, (to as u64, bytes), places, repeated, from as u64)
            },
        }
    }
}

/// An array's elements in one axis.
pub(crate) fn flattened(x: &Array) -> Result<Array> {
    let dense = x.contiguous()?;
    let n = dense.len();
    let offset = dense.layout.offset;
    Ok(dense.with_layout(Layout { offset, ..Layout::dense("reshape", &[n])? }))
}
