//! Arrays of numbers: views of the same memory, arrays joined, and elements by index.

use crate::array::{hand_out, make, operand};
use crate::array_types::{self as types, ArrayIndex};
use crate::code::Code;
use crate::guard::guard;
use crate::ptr;
use icicle::array::{self, Array};
use icicle::{Error, Result};
use std::ffi::c_void;
use std::sync::Arc;

/// The same elements in C order in another shape of as many: `rank` extents, of which one may be -1, which is what is left. A
/// view if strides can say it, else a copy.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, `shape` null (unless `rank` is 0) or misaligned, or `made` null or misaligned;
/// `INVALID_ARGUMENT` if the elements are not as many, or `rank` is not 0 to 64; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_reshape(
    array: *mut c_void,
    shape: *const i64,
    rank: i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "reshape";
    let body = || {
        let array = operand(op, "array", array)?;
        // SAFETY: the list holds that many numbers, by the caller's promise.
        array.reshape(&unsafe { types::signed(op, "shape", shape, rank) }?)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// A view with the axes in another order: axis `k` of the result is axis `axes[k]`; `axis_count` is the array's rank.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, `axes` null (unless there are none) or misaligned, or `made` null or misaligned;
/// `INVALID_ARGUMENT` if `axes` is not every axis once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_permute_dims(
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "permute_dims";
    let body = || {
        let array = operand(op, "array", array)?;
        // SAFETY: the list holds that many numbers, by the caller's promise.
        array.permute_dims(&unsafe { types::axes(op, axes, axis_count) }?)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// A view with the last two axes exchanged.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `made` null or misaligned; `INVALID_ARGUMENT` if there are
/// fewer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_matrix_transpose(array: *mut c_void, made: *mut *mut c_void) -> Code {
    let op = "matrix_transpose";
    let body = || {
        let array = operand(op, "array", array)?;
        array.matrix_transpose()
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// A view with `axis_count` axes elsewhere: `source[k]` becomes `destination[k]`; the others keep their order.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, a list is null (unless there are none) or misaligned, or `made` null or misaligned;
/// `INVALID_ARGUMENT` if axes are not there or occur twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_moveaxis(
    array: *mut c_void,
    source: *const i32,
    destination: *const i32,
    axis_count: i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "moveaxis";
    let body = || {
        let array = operand(op, "array", array)?;
        // SAFETY: both lists hold that many numbers, by the caller's promise.
        let (from, to) = unsafe { (types::axes(op, source, axis_count)?, types::axes(op, destination, axis_count)?) };
        array.moveaxis(&from, &to)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// A view with a new axis of extent 1, axis `axis` of the result, which counts from the end if negative.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `made` null or misaligned; `INVALID_ARGUMENT` if there is
/// no such place, or the array has 64 axes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_expand_dims(array: *mut c_void, axis: i32, made: *mut *mut c_void) -> Code {
    let op = "expand_dims";
    let body = || {
        let array = operand(op, "array", array)?;
        array.expand_dims(axis as isize)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// A view without `axis_count` axes of extent 1.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, `axes` null (unless there are none) or misaligned, or `made` null or misaligned;
/// `INVALID_ARGUMENT` if there is no such axis, one occurs twice, or has another extent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_squeeze(
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "squeeze";
    let body = || {
        let array = operand(op, "array", array)?;
        // SAFETY: the list holds that many numbers, by the caller's promise.
        array.squeeze(&unsafe { types::axes(op, axes, axis_count) }?)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// A view in a shape that repeats axes of extent 1, and leading ones: `rank` extents.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, `shape` null (unless `rank` is 0) or misaligned, or `made` null or misaligned;
/// `INVALID_ARGUMENT` if the array does not broadcast to it, or it exceeds the address space.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_broadcast_to(
    array: *mut c_void,
    shape: *const i64,
    rank: i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "broadcast_to";
    let body = || {
        let array = operand(op, "array", array)?;
        // SAFETY: the list holds that many numbers, by the caller's promise.
        array.broadcast_to(&unsafe { types::shape(op, shape, rank) }?)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// A view whose `axis_count` axes run backwards; all if `axes` is null.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, `axes` misaligned, or `made` null or misaligned; `INVALID_ARGUMENT` if
/// there is no such axis, or one occurs twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_flip(
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "flip";
    let body = || {
        let array = operand(op, "array", array)?;
        // SAFETY: the list holds that many numbers, by the caller's promise.
        array.flip(unsafe { types::optional_axes(op, axes, axis_count) }?.as_deref())
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// A view of what `count` indices take, one an axis from the first on; axes beyond them are taken whole.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, `indices` null (unless there are none) or
/// misaligned, or `made` null or misaligned; `INVALID_ARGUMENT` for more indices than axes, several ellipses, an element
/// outside its axis, a step of 0, or a kind that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_index(
    array: *mut c_void,
    indices: *const ArrayIndex,
    count: i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "index";
    let body = || {
        let array = operand(op, "array", array)?;
        // SAFETY: `indices` holds that many, by the caller's promise.
        let list = unsafe { types::indices(op, indices, count) }?;
        array.index(&list)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// The elements moved by `shifts[k]` along axis `axes[k]`, those that leave its end coming back at its beginning; with null
/// `axes`, by one shift of the elements in C order.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, `shifts` null (unless there are none) or
/// misaligned, `axes` misaligned, or `made` null or misaligned; `INVALID_ARGUMENT` if there is no such axis, or without axes
/// `count` is not 1; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_roll(
    array: *mut c_void,
    shifts: *const i64,
    axes: *const i32,
    count: i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "roll";
    let body = || {
        let array = operand(op, "array", array)?;
        // SAFETY: both lists hold that many numbers, the second unless it is null, by the caller's promise.
        let (shifts, axes) =
            unsafe { (types::signed(op, "shifts", shifts, count)?, types::optional_axes(op, axes, count)?) };
        array::roll(&array, &shifts, axes.as_deref())
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// Several arrays of a call.
///
/// # Safety
/// If not null and aligned, `arrays` is valid for reads of `count`.
unsafe fn operands(op: &'static str, arrays: *const *mut c_void, count: i32) -> Result<Vec<Arc<Array>>> {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    let list = unsafe { types::handles(op, arrays, count) }?;
    list.iter().enumerate().map(|(k, &one)| operand(op, &format!("arrays[{k}]"), one)).collect()
}

/// `count` arrays, at least one, one after another along an existing axis, in their common dtype; flattened if `axis` is null.
///
/// Errors: `INVALID_POINTER` if an array is no live one, `arrays` null or misaligned, `axis` misaligned, or `made` null or
/// misaligned; `INVALID_ARGUMENT` if `count` is below 1, there is no such axis, the other extents differ, the dtypes have no
/// common one, or the arrays are on several devices; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_concat(
    arrays: *const *mut c_void,
    count: i32,
    axis: *const i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "concat";
    let body = || {
        // SAFETY: the list holds that many handles, and `axis` can be read unless it is null, by the caller's promise.
        let (arrays, axis) = unsafe { (operands(op, arrays, count)?, types::optional_axis(op, axis)?) };
        array::concat(&arrays.iter().map(Arc::as_ref).collect::<Vec<_>>(), axis)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// `count` arrays of one shape, at least one, along a new axis, axis `axis` of the result.
///
/// Errors: as `icicle_array_concat`; `INVALID_ARGUMENT` also if the shapes differ.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_stack(
    arrays: *const *mut c_void,
    count: i32,
    axis: i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "stack";
    let body = || {
        // SAFETY: the list holds that many handles, by the caller's promise.
        let arrays = unsafe { operands(op, arrays, count) }?;
        array::stack(&arrays.iter().map(Arc::as_ref).collect::<Vec<_>>(), axis as isize)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// The elements at integer indices along an axis, which the axes of `indices` replace; negative ones count from its end.
///
/// Errors: `INVALID_POINTER` if `array` or `indices` is no live one, or `made` null or misaligned; `INVALID_ARGUMENT` if
/// there is no such axis, an index is outside it or no integer, or the arrays are on several devices; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_take(
    array: *mut c_void,
    indices: *mut c_void,
    axis: i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "take";
    let body = || {
        let array = operand(op, "array", array)?;
        array::take(&array, &*operand(op, "indices", indices)?, axis as isize)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// The elements at indices that are given for each line along an axis; the other axes broadcast.
///
/// Errors: as `icicle_array_take`; `INVALID_ARGUMENT` also if the axes are not as many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_take_along_axis(
    array: *mut c_void,
    indices: *mut c_void,
    axis: i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "take_along_axis";
    let body = || {
        let array = operand(op, "array", array)?;
        array::take_along_axis(&array, &*operand(op, "indices", indices)?, axis as isize)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// The elements where a mask of bool is true, in C order: the mask's axes, the array's leading ones, become one.
///
/// Errors: `INVALID_POINTER` if `array` or `mask` is no live one, or `made` null or misaligned; `INVALID_ARGUMENT` if the
/// mask is not of bool or of another shape, or on another device; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_compress(array: *mut c_void, mask: *mut c_void, made: *mut *mut c_void) -> Code {
    let op = "compress";
    let body = || {
        let array = operand(op, "array", array)?;
        array::compress(&array, &*operand(op, "mask", mask)?)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// The indices of elements that are not 0, in C order: for each of the array's `count` axes an array of `int64`, each to be
/// freed.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `made` null or misaligned; `INVALID_ARGUMENT` if `count` is not the
/// array's rank, or that is 0; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_nonzero(array: *mut c_void, made: *mut *mut c_void, count: i32) -> Code {
    let op = "nonzero";
    guard(op, || {
        ptr::check_typed(op, "made", made)?;
        let array = operand(op, "array", array)?;
        if i64::from(count) != array.rank() as i64 {
            return Err(Error::argument(op, format!("count {count}: the array has {} axes", array.rank())));
        }
        let found = array::nonzero(&array)?;
        // SAFETY: `made` has room for as many handles as the array has axes, by the caller's promise.
        unsafe { hand_out(op, made, found) }
    })
}
