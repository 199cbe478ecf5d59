//! Elements by arrays of indices and masks.
#![allow(unsafe_code)] // memory by address

use crate::array::{Array, Fresh, on_cpu};
use crate::layout::{self, Layout, count};
use crate::{Bool, DType};
use icicle_error::reserve::with_capacity;
use icicle_error::{Error, Result};

/// Integer indices as positions on an axis; negative ones count from its end.
fn positions(op: &'static str, indices: &Array, extent: usize) -> Result<Vec<usize>> {
    if !indices.dtype().is_integer() {
        return Err(Error::argument(op, format!("indices of {}: must be integers", indices.dtype())));
    }
    let signed = indices.dtype().kind() == crate::Kind::Signed;
    let wide = indices.astype(DType::Int64)?.contiguous()?;
    let mut out = with_capacity(op, wide.len())?;
    for &index in wide.elements::<i64>()? {
        let place = if index < 0 && signed { index.saturating_add_unsigned(extent as u64) } else { index };
        match usize::try_from(place) {
            Ok(place) if place < extent => out.push(place),
            _ => return Err(Error::argument(op, format!("index {index}: the axis has {extent} elements"))),
        }
    }
    Ok(out)
}

/// For `n` results, copy `width` elements of `size` bytes from an index each to memory one after another.
fn copy_rows(from: &Array, out: &mut Fresh, width: usize, rows: impl Iterator<Item = usize>) -> Result<()> {
    let bytes = width * from.dtype().bytes();
    let (start, to) = (from.as_ptr()?, out.start());
    for (k, row) in rows.enumerate() {
        // SAFETY: callers give rows of a dense array, as many as the result has.
        unsafe { std::ptr::copy_nonoverlapping(start.add(row * bytes), to.add(k * bytes), bytes) };
    }
    Ok(())
}

/// The elements at indices along an axis: the axis is replaced by those of the indices.
///
/// # Errors
/// `InvalidArgument` if there is no such axis, or an index is outside it or no integer; `Unsupported` if they are not on a
/// CPU; `OutOfMemory`.
pub fn take(x: &Array, indices: &Array, axis: isize) -> Result<Array> {
    const OP: &str = "take";
    let device = on_cpu(OP, &[x, indices])?;
    let axis = layout::axis(OP, axis, x.rank())?;
    let extent = x.shape()[axis];
    let places = positions(OP, indices, extent)?;
    let shape = [&x.shape()[..axis], indices.shape(), &x.shape()[axis + 1..]].concat();
    let mut out = Fresh::new(OP, device, x.dtype(), &shape)?;
    if !out_is_empty(&shape) {
        let dense = x.contiguous()?;
        let (outer, width) = (x.shape()[..axis].iter().product(), x.shape()[axis + 1..].iter().product());
        copy_rows(
            &dense,
            &mut out,
            width,
            (0..outer).flat_map(|o| places.iter().map(move |&place| o * extent + place)),
        )?;
    }
    Ok(out.done())
}

fn out_is_empty(shape: &[usize]) -> bool {
    shape.contains(&0)
}

/// The elements at indices that are given for each line along an axis; the other axes broadcast.
///
/// # Errors
/// As [`take`]; `InvalidArgument` if the axes are not as many.
pub fn take_along_axis(x: &Array, indices: &Array, axis: isize) -> Result<Array> {
    const OP: &str = "take_along_axis";
    let device = on_cpu(OP, &[x, indices])?;
    if x.rank() != indices.rank() {
        let detail = format!("indices of {} axes: must have {}, as the array", indices.rank(), x.rank());
        return Err(Error::argument(OP, detail));
    }
    let axis = layout::axis(OP, axis, x.rank())?;
    let (extent, taken) = (x.shape()[axis], indices.shape()[axis]);
    let (mut own, mut theirs) = (x.shape().to_vec(), indices.shape().to_vec());
    (own[axis], theirs[axis]) = (1, 1);
    let mut shape = layout::broadcast_shapes(OP, &[&own, &theirs])?;
    shape[axis] = extent;
    let last = [-1isize];
    let x = x.broadcast_to(&shape)?.moveaxis(&[axis as isize], &last)?.contiguous()?;
    shape[axis] = taken;
    let moved = indices.broadcast_to(&shape)?.moveaxis(&[axis as isize], &last)?;
    let places = positions(OP, &moved, extent)?;
    let mut out = Fresh::new(OP, device, x.dtype(), moved.shape())?;
    copy_rows(&x, &mut out, 1, places.iter().enumerate().map(|(k, &place)| k / taken.max(1) * extent + place))?;
    out.done().moveaxis(&last, &[axis as isize])
}

/// Positions of the leading axes where a mask is true, counted as one axis, and the shape of what follows them.
fn masked<'a>(op: &'static str, x: &'a Array, mask: &Array) -> Result<(Vec<usize>, &'a [usize])> {
    if mask.dtype() != DType::Bool {
        return Err(Error::argument(op, format!("mask of {}: must be of bool", mask.dtype())));
    }
    // As in NumPy, and the array API's suite: where there is nothing to be true, another extent is no fault.
    let fits = |(&mask, &extent): (&usize, &usize)| mask == extent || mask == 0;
    if mask.rank() > x.rank() || !mask.shape().iter().zip(x.shape()).all(fits) {
        let detail = format!("mask of shape {:?}: must be the leading axes of {:?}", mask.shape(), x.shape());
        return Err(Error::argument(op, detail));
    }
    let dense = mask.contiguous()?;
    let flags = dense.elements::<Bool>()?;
    let n = flags.iter().filter(|flag| flag.0 != 0).count();
    let mut places = with_capacity(op, n)?;
    places.extend(flags.iter().enumerate().filter(|(_, flag)| flag.0 != 0).map(|(place, _)| place));
    Ok((places, &x.shape()[mask.rank()..]))
}

/// The elements where a mask is true, in C order: the mask's axes, the array's leading ones, become one.
///
/// # Errors
/// `InvalidArgument` if the mask is not of bool or of another shape; `Unsupported` if they are not on a CPU; `OutOfMemory`.
pub fn compress(x: &Array, mask: &Array) -> Result<Array> {
    const OP: &str = "mask";
    let device = on_cpu(OP, &[x, mask])?;
    let (places, rest) = masked(OP, x, mask)?;
    let mut out = Fresh::new(OP, device, x.dtype(), &[&[places.len()], rest].concat())?;
    copy_rows(&x.contiguous()?, &mut out, rest.iter().product(), places.into_iter())?;
    Ok(out.done())
}

/// The indices of elements that are not 0, in C order: for each axis, an array of `int64`.
///
/// # Errors
/// `InvalidArgument` for an array without axes; `Unsupported` if it is not on a CPU; `OutOfMemory`.
pub fn nonzero(x: &Array) -> Result<Vec<Array>> {
    const OP: &str = "nonzero";
    let device = on_cpu(OP, &[x])?;
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
            let mut out = Fresh::new(OP, device, DType::Int64, &[places.len()])?;
            let found = places.iter().map(|place| (place / step.max(1) % extent.max(1)) as i64);
            out.slice::<i64>().iter_mut().zip(found).for_each(|(out, index)| *out = index);
            Ok(out.done())
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
    let device = on_cpu(OP, &[&[x], indices].concat())?;
    let (rows, shape) = rows(OP, x, indices)?;
    let rest = &x.shape()[indices.len()..];
    let mut out = Fresh::new(OP, device, x.dtype(), &[&shape, rest].concat())?;
    copy_rows(&x.contiguous()?, &mut out, rest.iter().product(), rows.into_iter())?;
    Ok(out.done())
}

/// Positions of the leading axes at arrays of indices, counted as one axis, and the arrays' common shape.
fn rows(op: &'static str, x: &Array, indices: &[&Array]) -> Result<(Vec<usize>, Vec<usize>)> {
    if indices.len() > x.rank() {
        return Err(Error::argument(
            op,
            format!("{} arrays of indices: the array has {} axes", indices.len(), x.rank()),
        ));
    }
    let shape = layout::broadcast_shapes(op, &indices.iter().map(|array| array.shape()).collect::<Vec<_>>())?;
    let mut rows = icicle_error::reserve::filled(op, count(op, &shape)?, 0usize)?;
    for (k, array) in indices.iter().enumerate() {
        let extent = x.shape()[k];
        let places = positions(op, &array.broadcast_to(&shape)?, extent)?;
        rows.iter_mut().zip(places).for_each(|(row, place)| *row = *row * extent + place);
    }
    Ok((rows, shape))
}

impl Array {
    /// Set the elements where a mask is true to values, cast and broadcast to as many. The memory is copied first if shared.
    ///
    /// # Errors
    /// As [`compress`]; `InvalidArgument` if the values do not broadcast to what the mask takes; then nothing is written.
    pub fn assign_mask(&mut self, mask: &Array, values: &Array) -> Result<()> {
        const OP: &str = "assign";
        on_cpu(OP, &[self, mask, values])?;
        let (places, rest) = masked(OP, self, mask)?;
        let shape = [&[places.len()], rest].concat();
        self.write_rows(OP, &places, &shape, rest.iter().product(), values)
    }

    /// Set the elements at arrays of indices, as [`take_at`] takes them, to values, cast and broadcast to as many; of an
    /// element named twice, the last value stays. The memory is copied first if shared.
    ///
    /// # Errors
    /// As [`take_at`]; `InvalidArgument` if the values do not broadcast; then nothing is written.
    pub fn assign_at(&mut self, indices: &[&Array], values: &Array) -> Result<()> {
        const OP: &str = "assign";
        on_cpu(OP, &[&[&*self, values], indices].concat())?;
        let (rows, mut shape) = rows(OP, self, indices)?;
        let rest = &self.shape()[indices.len()..];
        let width = rest.iter().product();
        shape.extend(rest);
        self.write_rows(OP, &rows, &shape, width, values)
    }

    fn write_rows(
        &mut self,
        op: &'static str,
        rows: &[usize],
        shape: &[usize],
        width: usize,
        values: &Array,
    ) -> Result<()> {
        let values = values.astype(self.dtype)?;
        let layout = values.layout.broadcast_to(op, shape)?;
        let values = values.with_layout(layout).contiguous()?;
        if !self.is_dense() {
            *self = self.copy()?;
        }
        let (bytes, offset) = (width * self.dtype.bytes(), self.layout.offset * self.dtype.bytes());
        let (from, to) = (values.as_ptr()?, self.unshared()?.wrapping_add(offset));
        for (k, row) in rows.iter().enumerate() {
            // SAFETY: rows of this dense array, and as many values, which lie elsewhere: nobody else holds this memory.
            unsafe { std::ptr::copy_nonoverlapping(from.add(k * bytes), to.add(row * bytes), bytes) };
        }
        Ok(())
    }
}

/// An array's elements in one axis.
pub(crate) fn flattened(x: &Array) -> Result<Array> {
    let dense = x.contiguous()?;
    let n = dense.len();
    let offset = dense.layout.offset;
    Ok(dense.with_layout(Layout { offset, ..Layout::dense("reshape", &[n])? }))
}
