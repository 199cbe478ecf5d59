//! Arrays over groups: numbers from the elements along axes.

use crate::array_types as types;
use crate::code::Code;
use crate::flag::Flag;
use crate::sharded_array::{lay, sharded};
use icicle::array::ShardedArray;
use icicle::{DeviceGroup, Result};
use std::ffi::c_void;

/// A reduction along axes that may keep them.
type Reduction = fn(&ShardedArray, &DeviceGroup, Option<&[isize]>, bool) -> Result<ShardedArray>;

/// What all reductions read: the group, the array and its axes.
///
/// # Safety
/// The crate's contract.
unsafe fn reduce(
    op: &'static str,
    group: *mut c_void,
    array: *mut c_void,
    (axes, n): (*const i32, i32),
    keepdims: Flag,
    made: *mut *mut c_void,
    run: Reduction,
) -> Code {
    let body = |group: &DeviceGroup| {
        let array = sharded(op, "array", array)?;
        // SAFETY: `axes` holds that many numbers unless it is null, by the caller's promise.
        let axes = unsafe { types::optional_axes(op, axes, n) }?;
        run(&array, group, axes.as_deref(), keepdims != 0)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { lay(op, group, made, body) }
}

/// The sum along `axis_count` axes, of all elements if `axes` is null; as `icicle_array_sum` without a dtype. Over a split axis the
/// result is partial sums, of floats in `float64`, which are rounded once when they are added; otherwise it is placed as the
/// array is.
///
/// Errors: `INVALID_POINTER` if `group` or `array` is no live one, `axes` misaligned, or `made` null or misaligned; `INVALID_ARGUMENT`
/// if the group has other devices, there is no such axis, one occurs twice, or the dtype has no sum; `API_NOT_IMPLEMENTED` if
/// a device does not offer it; `OUT_OF_MEMORY`, naming the device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_sum(
    group: *mut c_void,
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    let (op, along) = ("sharded_array_sum", (axes, axis_count));
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { reduce(op, group, array, along, keepdims, made, ShardedArray::sum) }
}

/// The product along axes; as `icicle_array_prod` without a dtype. Over a split axis the result is on every device. Axes are as
/// `icicle_sharded_array_sum` says.
///
/// Errors: as `icicle_sharded_array_sum`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_prod(
    group: *mut c_void,
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    let (op, along) = ("sharded_array_prod", (axes, axis_count));
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { reduce(op, group, array, along, keepdims, made, ShardedArray::prod) }
}

/// The least element along axes; as `icicle_array_min`. Over a split axis the result is on every device. Axes are as
/// `icicle_sharded_array_sum` says.
///
/// Errors: as `icicle_sharded_array_sum`; `INVALID_ARGUMENT` also if there is no element along the axes, or the dtype has no order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_min(
    group: *mut c_void,
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    let (op, along) = ("sharded_array_min", (axes, axis_count));
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { reduce(op, group, array, along, keepdims, made, ShardedArray::min) }
}

/// The greatest element along axes; as `icicle_sharded_array_min`.
///
/// Errors: as `icicle_sharded_array_min`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_max(
    group: *mut c_void,
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    let (op, along) = ("sharded_array_max", (axes, axis_count));
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { reduce(op, group, array, along, keepdims, made, ShardedArray::max) }
}

/// The mean along axes of floating-point numbers; as `icicle_array_mean`, rounded once. Partial sums of the devices are added,
/// so that over a split axis the result is on every device. Axes are as `icicle_sharded_array_sum` says.
///
/// Errors: as `icicle_sharded_array_sum`; `INVALID_ARGUMENT` also for other dtypes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_mean(
    group: *mut c_void,
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    let (op, along) = ("sharded_array_mean", (axes, axis_count));
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { reduce(op, group, array, along, keepdims, made, ShardedArray::mean) }
}

/// Whether all elements along axes are true; as `icicle_array_all`. Over a split axis the result is on every device. Axes are as
/// `icicle_sharded_array_sum` says.
///
/// Errors: as `icicle_sharded_array_sum`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_all(
    group: *mut c_void,
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    let (op, along) = ("sharded_array_all", (axes, axis_count));
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { reduce(op, group, array, along, keepdims, made, ShardedArray::all) }
}

/// Whether any element along axes is true; as `icicle_array_any`. Over a split axis the result is on every device. Axes are as
/// `icicle_sharded_array_sum` says.
///
/// Errors: as `icicle_sharded_array_sum`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_any(
    group: *mut c_void,
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    let (op, along) = ("sharded_array_any", (axes, axis_count));
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { reduce(op, group, array, along, keepdims, made, ShardedArray::any) }
}

/// How many elements along axes are not 0; as `icicle_array_count_nonzero`, partial sums over a split axis. Axes are as
/// `icicle_sharded_array_sum` says.
///
/// Errors: as `icicle_sharded_array_sum`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_count_nonzero(
    group: *mut c_void,
    array: *mut c_void,
    axes: *const i32,
    axis_count: i32,
    keepdims: Flag,
    made: *mut *mut c_void,
) -> Code {
    let (op, along) = ("sharded_array_count_nonzero", (axes, axis_count));
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { reduce(op, group, array, along, keepdims, made, ShardedArray::count_nonzero) }
}
