//! Arrays of numbers: elements in order, and products.

use crate::array::{make, operand};
use crate::array_types as types;
use crate::code::Code;
use crate::flag::Flag;
use crate::guard::guard;
use icicle::Error;
use icicle::array::{self, Float32Precision};
use std::ffi::c_void;

/// The elements along an axis in ascending order, NaN last, or descending, NaN first; -0.0 is below 0.0, and complex numbers are
/// in the order of their real and then imaginary parts.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `made` null or misaligned; `INVALID_ARGUMENT` if there is
/// no such axis; `API_NOT_IMPLEMENTED` if the array is not on a CPU; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_sort(
    array: *mut c_void,
    axis: i32,
    descending: Flag,
    made: *mut *mut c_void,
) -> Code {
    let op = "sort";
    let body = || {
        let array = operand(op, "array", array)?;
        array::sort(&array, axis as isize, descending != 0)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// The indices that sort the elements along an axis, in `int64`; equal elements keep their order, also descending.
///
/// Errors: as `icicle_array_sort`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_argsort(
    array: *mut c_void,
    axis: i32,
    descending: Flag,
    made: *mut *mut c_void,
) -> Code {
    let op = "argsort";
    let body = || {
        let array = operand(op, "array", array)?;
        array::argsort(&array, axis as isize, descending != 0)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// For each of `values`, the index in a sorted array of one axis before which it belongs so that the order stays: the first
/// such, or with `right` the last. In the values' shape and `int64`.
///
/// Errors: `INVALID_POINTER` if `sorted` or `values` is no live array, or `made` null or misaligned; `INVALID_ARGUMENT` if
/// `sorted` has not one axis, the dtypes have no common one, or the arrays are on several devices; `API_NOT_IMPLEMENTED` if
/// they are not on a CPU; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_searchsorted(
    sorted: *mut c_void,
    values: *mut c_void,
    right: Flag,
    made: *mut *mut c_void,
) -> Code {
    let op = "searchsorted";
    let body = || array::searchsorted(&*operand(op, "sorted", sorted)?, &*operand(op, "values", values)?, right != 0);
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// Each value once, ascending, in one axis; every NaN is one of its own.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `made` null or misaligned; `API_NOT_IMPLEMENTED` if the
/// array is not on a CPU; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_unique_values(array: *mut c_void, made: *mut *mut c_void) -> Code {
    let op = "unique_values";
    let body = || {
        let array = operand(op, "array", array)?;
        array::unique_values(&array)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// The matrix product over the last two axes, the others broadcasting: shapes `[.., m, k]` and `[.., k, n]` give
/// `[.., m, n]`. An operand of one axis is a row on the left and a column on the right, and that axis is gone from the result.
/// In the common dtype: integers wrap, 16-bit floats are computed in `float32`.
///
/// Errors: `INVALID_POINTER` if `x` or `y` is no live array, or `made` null or misaligned; `INVALID_ARGUMENT` if an operand has
/// no axis, the inner extents differ, others do not broadcast, the dtypes have no common one or are bool, or the arrays are on
/// several devices; `API_NOT_IMPLEMENTED` if they are not on a CPU; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_matmul(x: *mut c_void, y: *mut c_void, made: *mut *mut c_void) -> Code {
    let op = "matmul";
    let body = || array::matmul(&*operand(op, "x", x)?, &*operand(op, "y", y)?);
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// The sum of products over `axis_count` pairs of axes, `x_axes[k]` of `x` and `y_axes[k]` of `y`; the others stay, those of
/// `x` first.
///
/// Errors: as `icicle_array_matmul`; `INVALID_POINTER` also if a list is null (unless there are no pairs) or misaligned,
/// `INVALID_ARGUMENT` also if there is no such axis, one occurs twice, or the extents of a pair differ.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_tensordot(
    x: *mut c_void,
    y: *mut c_void,
    x_axes: *const i32,
    y_axes: *const i32,
    axis_count: i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "tensordot";
    let body = || {
        let (x, y) = (operand(op, "x", x)?, operand(op, "y", y)?);
        // SAFETY: both lists hold that many numbers, by the caller's promise.
        let (a, b) = unsafe { (types::axes(op, x_axes, axis_count)?, types::axes(op, y_axes, axis_count)?) };
        array::tensordot(&x, &y, &a, &b)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// The sum of products along an axis, of the complex conjugates of `x`; the other axes broadcast. `axis` is negative, or both
/// have as many axes.
///
/// Errors: as `icicle_array_matmul`; `INVALID_ARGUMENT` also if there is no such axis, or its extents differ.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_vecdot(
    x: *mut c_void,
    y: *mut c_void,
    axis: i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "vecdot";
    let body = || array::vecdot(&*operand(op, "x", x)?, &*operand(op, "y", y)?, axis as isize);
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// What `icicle_set_float32_matmul_precision` sets: products and sums in `float32`.
pub const ICICLE_FLOAT32_HIGHEST: i32 = 0;
/// What `icicle_set_float32_matmul_precision` sets: GPUs may round operands to 10 bits behind the point before they are
/// multiplied (TF32), where they have units for it; sums are in `float32`. Several times as fast; relative errors near 1e-3.
pub const ICICLE_FLOAT32_HIGH: i32 = 1;

/// Set how exactly products of `float32` are computed from now on, in all threads: an `ICICLE_FLOAT32_` constant, at first
/// `ICICLE_FLOAT32_HIGHEST`. CPUs always compute with that.
///
/// Errors: `INVALID_ARGUMENT` if `precision` is none.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_set_float32_matmul_precision(precision: i32) -> Code {
    let op = "set_float32_matmul_precision";
    guard(op, || {
        let found = Float32Precision::ALL.into_iter().find(|&one| number(one) == precision);
        let rule = || Error::argument(op, format!("precision {precision}: must be 0 (highest) or 1 (high)"));
        array::set_float32_matmul_precision(found.ok_or_else(rule)?);
        Ok(())
    })
}

/// What `icicle_set_float32_matmul_precision` set.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_float32_matmul_precision() -> i32 {
    number(array::float32_matmul_precision())
}

fn number(precision: Float32Precision) -> i32 {
    match precision {
        Float32Precision::Highest => ICICLE_FLOAT32_HIGHEST,
        Float32Precision::High => ICICLE_FLOAT32_HIGH,
    }
}
