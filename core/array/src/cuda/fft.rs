//! Fourier transforms, by cuFFT.
#![allow(unsafe_code)] // which takes addresses

use super::call::Call;
use crate::array::{Array, Fresh, Memory};
use crate::fft::shape::Shape;
use crate::layout::{Layout, Slice, count};
use crate::{DType, Index};
use icicle_cuda::cufft::{self, Kind, MOST_AXES};
use icicle_error::{Error, Result};
use std::sync::Arc;

/// Axes that one transform goes along at most.
pub(crate) const AXES: usize = MOST_AXES;

/// Transforms along the last axes, of so many elements in time: lines are cut, or zeros put at their ends. Of real numbers, or
/// back to them, along one axis. The array is of `float32`, `float64` or their complex dtypes, as the shape says.
///
/// # Errors
/// `Unsupported` where there is no cuFFT, it has no transform of such a length, or operands must be copied and there is
/// neither NVRTC nor kernels; `OutOfMemory`.
pub(crate) fn transform(
    op: &'static str,
    x: &Array,
    shape: Shape,
    extents: &[usize],
    inverse: bool,
    scale: f64,
) -> Result<Array> {
    // Before anything is computed or copied.
    if let Some(why) = cufft::unavailable() {
        return Err(Error::unsupported(op, why));
    }
    let wide = matches!(x.dtype(), DType::Float64 | DType::Complex128);
    let half = |extents: &[usize]| {
        let mut extents = extents.to_vec();
        extents.iter_mut().rev().take(1).for_each(|last| *last = *last / 2 + 1);
        extents
    };
    let whole = extents.to_vec();
    let (taken, given) = match shape {
        Shape::Complex => (whole.clone(), whole),
        Shape::Halved => (whole.clone(), half(&whole)),
        Shape::Doubled => (half(&whole), whole),
    };
    let (real, complex) = if wide { (DType::Float64, DType::Complex128) } else { (DType::Float32, DType::Complex64) };
    let dtype = if shape == Shape::Doubled { real } else { complex };
    let outer = &x.shape()[..x.rank() - extents.len()];
    let transforms = count(op, outer)?;
    let out_shape = [outer, &given[..]].concat();
    if count(op, &out_shape)? == 0 {
        return crate::zeros(x.device(), &out_shape, dtype);
    }
    let (mut x, mut own) = resized(x, &taken)?;
    if shape == Shape::Doubled {
        if !inverse {
            (x, own) = (crate::conj(&x)?, false);
        }
        // cuFFT writes over it, and takes parts that symmetry says are 0 for what they are.
        x = if own { x } else { x.copy()? };
        without_imaginary(&mut x, 0)?;
        if extents.last().is_some_and(|n| n.is_multiple_of(2)) {
            without_imaginary(&mut x, taken[taken.len() - 1] - 1)?;
        }
    }
    // A transform of one element is that.
    let long: Vec<_> = extents.iter().copied().filter(|&n| n > 1).collect();
    if long.is_empty() {
        let x = if shape == Shape::Doubled { crate::real(&x)? } else { x.astype(complex)? };
        return finished(x, shape, inverse, 1.0);
    }
    let mut x = x.contiguous()?;
    if !x.as_ptr()?.addr().is_multiple_of(complex.bytes()) {
        // As a view of an odd number of real ones may lie.
        x = x.copy()?;
    }
    let mut out = Fresh::new(op, x.device(), dtype, &out_shape)?;
    let call = Call::new(op, x.device())?;
    let kind = match (shape, inverse) {
        (Shape::Complex, false) => Kind::Forward,
        (Shape::Complex, true) => Kind::Inverse,
        (Shape::Halved, _) => Kind::Halved,
        (Shape::Doubled, _) => Kind::Doubled,
    };
    let plan = cufft::Shape { kind, double: wide, extents: in_time(&long), batch: transforms as i64 };
    let places = (x.as_ptr()?.addr() as u64, out.start().addr() as u64);
    // SAFETY: a dense array of as many elements as the shape takes, aligned, and new memory for those it gives, both given back in
    // the order of the default stream; if cuFFT writes over the first, it is a copy of this function's, assigned to above and so
    // without another holder.
    unsafe { call.gpu.plans.transform(op, call.gpu, &call.exec, plan, places) }?;
    finished(out.done(), shape, inverse, scale)
}

/// Extents as a plan has them: axes that are not there are of one element.
fn in_time(extents: &[usize]) -> [i64; MOST_AXES] {
    let mut all = [1; MOST_AXES];
    all.iter_mut().rev().zip(extents.iter().rev()).for_each(|(to, &extent)| *to = extent as i64);
    all
}

/// The array with other extents of its last axes, cut or with zeros at the end, and whether its memory is nobody else's.
fn resized(x: &Array, extents: &[usize]) -> Result<(Array, bool)> {
    let first = x.rank() - extents.len();
    let now = &x.shape()[first..];
    let kept: Vec<_> = now.iter().zip(extents).map(|(&now, &then)| now.min(then)).collect();
    let within: Vec<_> = [Index::Ellipsis]
        .into_iter()
        .chain(kept.iter().map(|&extent| Index::Slice(Slice::range(0, extent as isize))))
        .collect();
    let cut = if kept == now { x.clone() } else { x.index(&within)? };
    if kept == extents {
        return Ok((cut, false));
    }
    let shape = [&x.shape()[..first], extents].concat();
    let mut padded = crate::zeros(x.device(), &shape, x.dtype())?.copy()?;
    if !cut.is_empty() {
        padded.assign(&within, &cut)?;
    }
    Ok((padded, true))
}

/// Leave the real parts of what an index of the last axis names.
fn without_imaginary(x: &mut Array, at: usize) -> Result<()> {
    let index = [Index::Ellipsis, Index::At(at as isize)];
    let values = crate::real(&x.index(&index)?)?.copy()?;
    x.assign(&index, &values)
}

/// The factor and, of an inverse transform of real numbers, the conjugates.
fn finished(x: Array, shape: Shape, inverse: bool, scale: f64) -> Result<Array> {
    let x = if scale == 1.0 { x } else { scaled(&x, scale)? };
    if shape == Shape::Halved && inverse { crate::conj(&x) } else { Ok(x) }
}

/// A dense array times a real number; of complex ones each part, so that infinities stay what they are.
fn scaled(x: &Array, by: f64) -> Result<Array> {
    let part = x.dtype().real();
    let complex = part != x.dtype();
    let parts = |shape: &[usize]| if complex { [shape, &[2]].concat() } else { shape.to_vec() };
    let view = as_parts(x, part, &parts(x.shape()))?;
    let product = crate::multiply(&view, &crate::full(x.device(), &[], by.into(), part)?)?;
    if complex { as_parts(&product, x.dtype(), x.shape()) } else { Ok(product) }
}

/// The same memory of a dense array as numbers of another dtype, and a shape that takes as many bytes.
fn as_parts(x: &Array, dtype: DType, shape: &[usize]) -> Result<Array> {
    let layout = Layout::dense("fft", shape)?;
    let bytes = |n: usize, dtype: DType| n * dtype.bytes();
    if !x.is_dense() || x.layout.offset != 0 || bytes(layout.len(), dtype) != bytes(x.len(), x.dtype()) {
        return Err(Error::new(
            icicle_error::ErrorCode::Internal,
            "fft",
            "numbers as parts: must be dense and as long",
        ));
    }
    Ok(Array { memory: Memory::Held(Arc::clone(x.storage()?)), dtype, layout })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_axes_are_of_one_element() {
        assert_eq!((in_time(&[5]), in_time(&[3, 4]), in_time(&[2, 3, 4])), ([1, 1, 5], [1, 3, 4], [2, 3, 4]));
    }
}
