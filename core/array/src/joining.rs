//! Several arrays as one, one as several, and the same elements elsewhere.

use crate::array::{Array, Fresh, computing};
use crate::layout::{self, count};
use crate::{DType, Index, Layout, Slice, result_type};
use icicle_error::{Error, Result};

/// Arrays one after another along an axis, in their common dtype; without an axis, each flattened first.
///
/// # Errors
/// `InvalidArgument` if there is none, the other extents differ, the dtypes have no common one, or they are on several devices;
/// `OutOfMemory`.
pub fn concat(arrays: &[&Array], axis: Option<isize>) -> Result<Array> {
    const OP: &str = "concat";
    let device = computing(OP, arrays)?;
    let dtype = result_type(OP, &arrays.iter().map(|array| array.dtype()).collect::<Vec<_>>())?;
    let parts = match axis {
        None => arrays.iter().map(|array| array.reshape(&[-1])).collect::<Result<Vec<_>>>()?,
        Some(_) => arrays.iter().map(|&array| array.clone()).collect(),
    };
    let axis = layout::axis(OP, axis.unwrap_or(0), parts[0].rank())?;
    let mut shape = parts[0].shape().to_vec();
    shape[axis] = 0;
    for part in &parts {
        let fits = part.rank() == shape.len() && (0..shape.len()).all(|k| k == axis || part.shape()[k] == shape[k]);
        if !fits {
            let detail =
                format!("shapes {:?} and {:?}: must be equal but for axis {axis}", parts[0].shape(), part.shape());
            return Err(Error::argument(OP, detail));
        }
        shape[axis] = shape[axis]
            .checked_add(part.shape()[axis])
            .ok_or_else(|| Error::argument(OP, format!("axis {axis}: exceeds the address space")))?;
    }
    // Every element is of one of the arrays.
    let mut out = Fresh::new(OP, device, dtype, &shape)?.done();
    let mut at = 0;
    for part in &parts {
        let end = at + part.shape()[axis] as isize;
        out.assign(&along(axis, Slice::range(at, end)), part)?;
        at = end;
    }
    Ok(out)
}

/// A slice of one axis, all of those before it.
fn along(axis: usize, slice: Slice) -> Vec<Index> {
    let mut indices = vec![Index::Slice(Slice::ALL); axis];
    indices.push(Index::Slice(slice));
    indices
}

/// Arrays of one shape along a new axis, at a place of the result.
///
/// # Errors
/// As [`concat()`].
pub fn stack(arrays: &[&Array], axis: isize) -> Result<Array> {
    if let Some(other) = arrays.iter().find(|array| array.shape() != arrays[0].shape()) {
        let detail = format!("shapes {:?} and {:?}: must be equal", arrays[0].shape(), other.shape());
        return Err(Error::argument("stack", detail));
    }
    let parts = arrays.iter().map(|array| array.expand_dims(axis)).collect::<Result<Vec<_>>>()?;
    concat(&parts.iter().collect::<Vec<_>>(), Some(axis)).map_err(|error| Error { op: "stack", ..error })
}

/// Views of each index of an axis, which is gone from them.
///
/// # Errors
/// `InvalidArgument` if there is no such axis.
pub fn unstack(x: &Array, axis: isize) -> Result<Vec<Array>> {
    let axis = layout::axis("unstack", axis, x.rank())?;
    let mut indices = vec![Index::Slice(Slice::ALL); axis];
    indices.push(Index::At(0));
    (0..x.shape()[axis])
        .map(|at| {
            indices[axis] = Index::At(at as isize);
            x.index(&indices)
        })
        .collect()
}

/// An array repeated along each axis; missing leading axes, of the array or of `times`, are 1.
///
/// # Errors
/// `InvalidArgument` if the result is too large; `OutOfMemory`.
pub fn tile(x: &Array, times: &[usize]) -> Result<Array> {
    const OP: &str = "tile";
    let rank = x.rank().max(times.len());
    let (before, lead) = (rank - x.rank(), rank - times.len());
    let (mut wide, mut shape, mut own) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..rank {
        let extent = if k < before { 1 } else { x.shape()[k - before] };
        let times = if k < lead { 1 } else { times[k - lead] };
        own.extend([1, extent as isize]);
        wide.extend([times, extent]);
        shape.push(times.checked_mul(extent).ok_or_else(|| Error::argument(OP, "shape: exceeds the address space"))?);
    }
    count(OP, &shape)?;
    let repeated = x.reshape(&own)?.broadcast_to(&wide)?.copy()?;
    Ok(repeated.with_layout(Layout::dense(OP, &shape)?))
}

/// Each element along an axis as often as `times` says, one number for all or one for each; without an axis, of the flattened
/// array.
///
/// # Errors
/// `InvalidArgument` if the numbers are neither one nor as many as the elements along the axis, or the result is too large;
/// `OutOfMemory`.
pub fn repeat(x: &Array, times: &[usize], axis: Option<isize>) -> Result<Array> {
    const OP: &str = "repeat";
    let flat;
    let (x, axis) = match axis {
        Some(axis) => (x, layout::axis(OP, axis, x.rank())?),
        None => {
            flat = x.reshape(&[-1])?;
            (&flat, 0)
        }
    };
    let extent = x.shape()[axis];
    if times.len() != 1 && times.len() != extent {
        let detail = format!("{} numbers for {extent} elements of axis {axis}: must be one or as many", times.len());
        return Err(Error::argument(OP, detail));
    }
    let of = |i: usize| if times.len() == 1 { times[0] } else { times[i] };
    let total = (0..extent).try_fold(0usize, |sum, i| sum.checked_add(of(i)));
    let total = total.ok_or_else(|| Error::argument(OP, "numbers: exceed the address space"))?;
    count(OP, &[total])?;
    let mut indices = icicle_error::reserve::with_capacity::<i64>(OP, total)?;
    (0..extent).for_each(|i| indices.extend(std::iter::repeat_n(i as i64, of(i))));
    let indices = Array::from_slice_on(x.device(), &indices, &[total])?;
    crate::take(x, &indices, axis as isize)
}

/// Elements moved along axes by a distance, those that leave one end entering at the other; without axes, of the flattened
/// array, which gets its shape back.
///
/// # Errors
/// `InvalidArgument` if distances are not as many as the axes; `OutOfMemory`.
pub fn roll(x: &Array, shifts: &[isize], axes: Option<&[isize]>) -> Result<Array> {
    const OP: &str = "roll";
    let Some(axes) = axes else {
        let [shift] = shifts else {
            return Err(Error::argument(OP, format!("{} distances without axes: must be one", shifts.len())));
        };
        let rolled = roll(&x.reshape(&[-1])?, &[*shift], Some(&[0]))?;
        return rolled.reshape(&x.shape().iter().map(|&extent| extent as isize).collect::<Vec<_>>());
    };
    if axes.len() != shifts.len() {
        return Err(Error::argument(
            OP,
            format!("{} distances for {} axes: must be as many", shifts.len(), axes.len()),
        ));
    }
    axes.iter().zip(shifts).try_fold(x.clone(), |x, (&axis, &shift)| {
        let axis = layout::axis(OP, axis, x.rank())?;
        let extent = x.shape()[axis] as isize;
        if extent == 0 {
            return Ok(x);
        }
        let at = extent - shift.rem_euclid(extent);
        let second = x.index(&along(axis, Slice::range(at, extent)))?;
        let first = x.index(&along(axis, Slice::range(0, at)))?;
        concat(&[&second, &first], Some(axis as isize))
    })
}

/// The difference of each element along an axis and the one before it, so one fewer, `n` times.
///
/// # Errors
/// `InvalidArgument` if there is no such axis, or the dtype is bool; `OutOfMemory`.
pub fn diff(x: &Array, axis: isize, n: usize) -> Result<Array> {
    const OP: &str = "diff";
    let axis = layout::axis(OP, axis, x.rank())?;
    if x.dtype() == DType::Bool {
        return Err(Error::argument(OP, "array of bool: must be numeric"));
    }
    let mut out = x.clone();
    for _ in 0..n.min(x.shape()[axis]) {
        let later = out.index(&along(axis, Slice { start: Some(1), stop: None, step: 1 }))?;
        let last = out.shape()[axis] as isize - 1;
        out = crate::subtract(&later, &out.index(&along(axis, Slice::range(0, last)))?)?;
    }
    Ok(out)
}
