//! Arrays of numbers: numbers from the elements along axes.

use crate::array::{make, operand};
use crate::array_types as types;
use crate::code::Code;
use crate::flag::Flag;
use icicle::Result;
use icicle::array::{self, Array};
use std::ffi::c_void;

/// What all reductions read: the array and its axes.
///
/// # Safety
/// The crate's contract.
unsafe fn reduce(
    op: &'static str,
    array: *mut c_void,
    (axes, n): (*const i32, i32),
    made: *mut *mut c_void,
    run: impl FnOnce(&Array, Option<&[isize]>) -> Result<Array>,
) -> Code {
    let body = || {
        let array = operand(op, "array", array)?;
        // SAFETY: `axes` holds that many numbers unless it is null, by the caller's promise.
        let axes = unsafe { types::optional_axes(op, axes, n) }?;
        run(&array, axes.as_deref())
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// The sum along `axis_count` axes, of all elements if `axes` is null; 0 of none. An axis counts from the end if negative. The
/// axes are gone from the result, or with `keepdims` have extent 1.
///
/// `dtype` is the result's; with `ICICLE_DTYPE_DEFAULT`, integers and booleans are summed in 64 bits, wrapping, and floats
/// keep theirs. Floats are added in `float64` by blocks and pairwise, in an order that depends on the shape only, and rounded
/// at the end.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, `axes` misaligned, or `made` null or misaligned; `INVALID_ARGUMENT` if
/// there is no such axis, one occurs twice, or the dtype is none or cannot be cast to; `API_NOT_IMPLEMENTED` if the array is
/// not on a CPU; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_sum(
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    keepdims: Flag,
    dtype: i32,
    made: *mut *mut c_void,
) -> Code {
    let run =
        |x: &Array, axes: Option<&[isize]>| array::sum(x, axes, keepdims != 0, types::optional_dtype("sum", dtype)?);
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { reduce("sum", array, (axes, axis_count), made, run) }
}

/// The product along axes; 1 of none. Otherwise as `icicle_array_sum`.
///
/// Errors: as `icicle_array_sum`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_prod(
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    keepdims: Flag,
    dtype: i32,
    made: *mut *mut c_void,
) -> Code {
    let run =
        |x: &Array, axes: Option<&[isize]>| array::prod(x, axes, keepdims != 0, types::optional_dtype("prod", dtype)?);
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { reduce("prod", array, (axes, axis_count), made, run) }
}

/// The least element along axes, NaN if one is. Axes are as `icicle_array_sum` says.
///
/// Errors: as `icicle_array_sum`; `INVALID_ARGUMENT` also if there is no element along the axes, or the dtype has no order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_min(
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { reduce("min", array, (axes, axis_count), made, |x, axes| array::min(x, axes, keepdims != 0)) }
}

/// The greatest element along axes, NaN if one is. Axes are as `icicle_array_sum` says.
///
/// Errors: as `icicle_array_min`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_max(
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { reduce("max", array, (axes, axis_count), made, |x, axes| array::max(x, axes, keepdims != 0)) }
}

/// The mean along axes of floating-point numbers; NaN of none. Axes are as `icicle_array_sum` says.
///
/// Errors: as `icicle_array_sum`; `INVALID_ARGUMENT` also for other dtypes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_mean(
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { reduce("mean", array, (axes, axis_count), made, |x, axes| array::mean(x, axes, keepdims != 0)) }
}

/// Whether all elements along axes are true or not 0; true of none. Axes are as `icicle_array_sum` says.
///
/// Errors: as `icicle_array_sum`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_all(
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { reduce("all", array, (axes, axis_count), made, |x, axes| array::all(x, axes, keepdims != 0)) }
}

/// Whether any element along axes is true or not 0; false of none. Axes are as `icicle_array_sum` says.
///
/// Errors: as `icicle_array_sum`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_any(
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { reduce("any", array, (axes, axis_count), made, |x, axes| array::any(x, axes, keepdims != 0)) }
}

/// How many elements along axes are true or not 0, in `int64`. Axes are as `icicle_array_sum` says.
///
/// Errors: as `icicle_array_sum`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_count_nonzero(
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe {
        reduce("count_nonzero", array, (axes, axis_count), made, |x, axes| array::count_nonzero(x, axes, keepdims != 0))
    }
}

/// The mean square of distances from the mean along axes of real floating-point numbers, divided by their number less
/// `correction`: computed in `float64` in two passes. Axes are as `icicle_array_sum` says.
///
/// Errors: as `icicle_array_mean`; `INVALID_ARGUMENT` also for complex numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_var(
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    correction: f64,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    let run = |x: &Array, axes: Option<&[isize]>| array::var(x, axes, correction, keepdims != 0);
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { reduce("var", array, (axes, axis_count), made, run) }
}

/// The square root of what `icicle_array_var` gives.
///
/// Errors: as `icicle_array_var`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_std(
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    correction: f64,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    let run = |x: &Array, axes: Option<&[isize]>| array::std(x, axes, correction, keepdims != 0);
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { reduce("std", array, (axes, axis_count), made, run) }
}

/// The index of the first least element along an axis, in `int64`, or of the first NaN if there is one; if `axis` is null, of
/// all elements in C order. With `keepdims` the axes reduced have extent 1.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, `axis` misaligned, or `made` null or misaligned; `INVALID_ARGUMENT` if
/// there is no such axis or no element along it, or the dtype has no order; `API_NOT_IMPLEMENTED` if the array is not on a
/// CPU; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_argmin(
    array: *mut c_void,
    axis: *const i32,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { along("argmin", array, axis, made, |x, axis| array::argmin(x, axis, keepdims != 0)) }
}

/// The index of the first greatest element; otherwise as `icicle_array_argmin`.
///
/// Errors: as `icicle_array_argmin`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_argmax(
    array: *mut c_void,
    axis: *const i32,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { along("argmax", array, axis, made, |x, axis| array::argmax(x, axis, keepdims != 0)) }
}

/// # Safety
/// The crate's contract.
unsafe fn along(
    op: &'static str,
    array: *mut c_void,
    axis: *const i32,
    made: *mut *mut c_void,
    run: impl FnOnce(&Array, Option<isize>) -> Result<Array>,
) -> Code {
    let body = || {
        let array = operand(op, "array", array)?;
        // SAFETY: `axis` can be read unless it is null, by the caller's promise.
        run(&array, unsafe { types::optional_axis(op, axis) }?)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// For each element along an axis, the sum of those up to it; with `initial`, 0 before the first. `axis` may be null for an
/// array of one axis; `dtype` is as `icicle_array_sum` says. Floats are added in `float64`, one after another.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, `axis` misaligned, or `made` null or misaligned; `INVALID_ARGUMENT` if
/// there is no such axis, none is named and there are several, or the dtype is none or bool; `API_NOT_IMPLEMENTED` if the
/// array is not on a CPU; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_cumulative_sum(
    array: *mut c_void,
    axis: *const i32,
    dtype: i32,
    initial: Flag,
    made: *mut *mut c_void,
) -> Code {
    let run =
        |x: &Array, axis| array::cumulative_sum(x, axis, types::optional_dtype("cumulative_sum", dtype)?, initial != 0);
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { along("cumulative_sum", array, axis, made, run) }
}

/// For each element along an axis, the product of those up to it; with `initial`, 1 before the first. Otherwise as
/// `icicle_array_cumulative_sum`.
///
/// Errors: as `icicle_array_cumulative_sum`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_cumulative_prod(
    array: *mut c_void,
    axis: *const i32,
    dtype: i32,
    initial: Flag,
    made: *mut *mut c_void,
) -> Code {
    let run = |x: &Array, axis| {
        array::cumulative_prod(x, axis, types::optional_dtype("cumulative_prod", dtype)?, initial != 0)
    };
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { along("cumulative_prod", array, axis, made, run) }
}
