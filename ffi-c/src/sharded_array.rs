//! Arrays of numbers over the devices of a group.
//!
//! An array over a group is a value that a handle names: no call changes one, so any number of threads may use it at once. It
//! is used with a group of the same devices, in the same order. Each call makes a new one, which is freed on its own.

use crate::array::{hand_out, make, operand, place};
use crate::array_types::{self as types, Scalar};
use crate::code::Code;
use crate::flag::Flag;
use crate::group;
use crate::guard::guard;
use crate::handle::Table;
use crate::ptr;
use crate::types::{IcicleDevice, at_least};
use icicle::array::{Placement, ShardedArray};
use icicle::{DeviceGroup, Error, Result};
use std::ffi::c_void;
use std::sync::Arc;

static ARRAYS: Table<ShardedArray> = Table::new("sharded array");

/// The array of a handle, which the call has under this name.
pub(crate) fn sharded(op: &'static str, arg: &str, handle: *const c_void) -> Result<Arc<ShardedArray>> {
    ARRAYS.get(op, handle).map_err(|error| Error { detail: format!("{arg}: {}", error.detail), ..error })
}

/// Run what makes an array over a group, and hand it out.
///
/// # Safety
/// If not null and aligned, `made` is valid for a write.
pub(crate) unsafe fn lay(
    op: &'static str,
    group: *mut c_void,
    made: *mut *mut c_void,
    body: impl FnOnce(&DeviceGroup) -> Result<ShardedArray>,
) -> Code {
    guard(op, || {
        ptr::check_typed(op, "made", made)?;
        let array = body(&*group::by_handle(op, group)?)?;
        // SAFETY: `made` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "made", made, ARRAYS.insert(array)) }
    })
}

/// Placement of `icicle_sharded_array_info_t`: consecutive indices of an axis on each device, as many as its share.
pub const ICICLE_PLACEMENT_SPLIT: i32 = 0;
/// Placement of `icicle_sharded_array_info_t`: all of it on every device.
pub const ICICLE_PLACEMENT_REPLICATED: i32 = 1;
/// Placement of `icicle_sharded_array_info_t`: its elements are the sums of those on the devices. Sums and products over a
/// split axis give it, and it is added up when it is gathered, placed otherwise, or used as an operand of all but sums.
pub const ICICLE_PLACEMENT_PARTIAL: i32 = 2;

/// What an array over a group is.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ShardedArrayInfo {
    /// `sizeof` this struct, which you set; after the call the bytes of it that were written.
    pub struct_size: usize,
    /// Number of elements, each counted once.
    pub size: i64,
    /// The type of elements, an `icicle_dtype_t`.
    pub dtype: i32,
    /// Number of axes, at most 64.
    pub rank: i32,
    /// How it lies over the devices, an `ICICLE_PLACEMENT_` constant.
    pub placement: i32,
    /// The split axis, or -1 if none is.
    pub axis: i32,
    /// Number of devices.
    pub devices: i32,
}

impl ShardedArrayInfo {
    fn of(array: &ShardedArray) -> Self {
        Self {
            struct_size: size_of::<Self>(),
            size: array.len() as i64,
            dtype: array.dtype() as i32,
            rank: array.rank() as i32,
            placement: match array.placement() {
                Placement::Split(_) => ICICLE_PLACEMENT_SPLIT,
                Placement::Replicated => ICICLE_PLACEMENT_REPLICATED,
                Placement::Partial => ICICLE_PLACEMENT_PARTIAL,
            },
            axis: array.placement().axis().map_or(-1, |axis| axis as i32),
            devices: array.devices().len() as i32,
        }
    }
}

ptr::versioned! { ShardedArrayInfo }

/// Lay an array's elements over the devices of a group: split along an axis, each device getting consecutive indices, as many
/// as its share says; or, if `axis` is null, all of it on every device. The axis counts from the end if negative.
///
/// The array may be on any device, and be freed at once. Free the result with `icicle_sharded_array_free`, before or after the
/// group.
///
/// Errors: `INVALID_POINTER` if `group` is no live group, `array` no live array, `axis` misaligned, or `made` null or
/// misaligned; `INVALID_ARGUMENT` if there is no such axis; `OUT_OF_MEMORY`, naming the device; `COPY_FAILED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_scatter(
    group: *mut c_void,
    array: *mut c_void,
    axis: *const i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "sharded_array_scatter";
    let body = |group: &DeviceGroup| {
        let array = operand(op, "array", array)?;
        // SAFETY: `axis` can be read unless it is null, by the caller's promise.
        let axis = unsafe { types::optional_axis(op, axis) }?;
        ShardedArray::scatter(group, &array, Placement::along(axis, array.rank())?)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { lay(op, group, made, body) }
}

/// Free an array over a group; null is ignored. Calls of other threads that use it are done first, and arrays made from it
/// stay.
///
/// Errors: `INVALID_POINTER` for a handle that is no sharded array.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_sharded_array_free(array: *mut c_void) -> Code {
    let op = "sharded_array_free";
    guard(op, || ARRAYS.free(op, array))
}

/// What an array over a group is. Set `info->struct_size`.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `info` null or misaligned; `INVALID_ARGUMENT` for a `struct_size`
/// below the struct's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_info(array: *mut c_void, info: *mut ShardedArrayInfo) -> Code {
    let op = "sharded_array_info";
    guard(op, || {
        let value = ShardedArrayInfo::of(&*sharded(op, "array", array)?);
        // SAFETY: `info` has room for what is written, by the caller's promise.
        unsafe { ptr::write_sized(op, "info", info, value) }
    })
}

/// The extents of the whole array: as many numbers as it has axes, which `rank` must be.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `shape` null (unless `rank` is 0) or misaligned; `INVALID_ARGUMENT`
/// if `rank` is not the array's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_shape(array: *mut c_void, rank: i32, shape: *mut i64) -> Code {
    let op = "sharded_array_shape";
    guard(op, || {
        let array = sharded(op, "array", array)?;
        if i64::from(rank) != array.rank() as i64 {
            return Err(Error::argument(op, format!("rank {rank}: the array has {} axes", array.rank())));
        }
        for (k, &extent) in array.shape().iter().enumerate() {
            // SAFETY: `shape` has room for one number an axis, by the caller's promise.
            unsafe { ptr::write(op, "shape", shape.wrapping_add(k), extent as i64) }?;
        }
        Ok(())
    })
}

/// What the device at a position holds, as an array that shares its memory and is freed with `icicle_array_free`; and which
/// indices of the split axis these are, `first` to `first + count` (0 and 0 if none is split). Of partial sums of floats the
/// part is of the wider dtype in which they are held.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or an output is null or misaligned; `INVALID_ARGUMENT` if there is no
/// such position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_part(
    array: *mut c_void,
    position: i32,
    made: *mut *mut c_void,
    first: *mut i64,
    count: *mut i64,
) -> Code {
    let op = "sharded_array_part";
    guard(op, || {
        ptr::check_typed(op, "first", first)?;
        ptr::check_typed(op, "count", count)?;
        let (array, position) = (sharded(op, "array", array)?, at_least(op, "position", position, 0)?);
        let none = || Error::argument(op, format!("position {position}: the array lies on {}", array.parts().len()));
        let part = array.parts().get(position).ok_or_else(none)?;
        let range = array.ranges().get(position).cloned().unwrap_or(0..0);
        // SAFETY: `made` has room for one handle, by the caller's promise.
        unsafe { hand_out(op, made, vec![part.clone()]) }?;
        // SAFETY: `first` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "first", first, range.start as i64) }?;
        // SAFETY: `count` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "count", count, range.len() as i64) }
    })
}

/// The whole array on a device, by default the thread's current one. What it depends on is computed by the devices' threads.
/// Free the array with `icicle_array_free`.
///
/// Errors: `INVALID_POINTER` if `group` or `array` is no live one, `device` misaligned, or `made` null or misaligned;
/// `INVALID_ARGUMENT` if the group has other devices; `INVALID_DEVICE`; `OUT_OF_MEMORY`; `COPY_FAILED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_gather(
    group: *mut c_void,
    array: *mut c_void,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let op = "sharded_array_gather";
    let body = || {
        let (group, array) = (group::by_handle(op, group)?, sharded(op, "array", array)?);
        // SAFETY: `device` can be read unless it is null, by the caller's promise.
        array.gather(&group, unsafe { place(op, device) }?)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// The value of an array of one element, as `icicle_array_item` gives it.
///
/// Errors: `INVALID_POINTER` if `group` or `array` is no live one, or `value` null or misaligned; `INVALID_ARGUMENT` if the
/// group has other devices, or there is not exactly one element; `OUT_OF_MEMORY`; `COPY_FAILED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_item(group: *mut c_void, array: *mut c_void, value: *mut Scalar) -> Code {
    let op = "sharded_array_item";
    guard(op, || {
        ptr::check_typed(op, "value", value)?;
        let (group, array) = (group::by_handle(op, group)?, sharded(op, "array", array)?);
        let found = Scalar::of(array.item(&group)?);
        // SAFETY: `value` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "value", value, found) }
    })
}

/// The same array placed otherwise, as `icicle_sharded_array_scatter` says of `axis`; partial sums are added. Elements go from
/// device to device.
///
/// Errors: as `icicle_sharded_array_scatter`; `INVALID_ARGUMENT` also if the group has other devices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_reshard(
    group: *mut c_void,
    array: *mut c_void,
    axis: *const i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "sharded_array_reshard";
    let body = |group: &DeviceGroup| {
        let array = sharded(op, "array", array)?;
        // SAFETY: `axis` can be read unless it is null, by the caller's promise.
        let axis = unsafe { types::optional_axis(op, axis) }?;
        array.reshard(group, Placement::along(axis, array.rank())?)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { lay(op, group, made, body) }
}

/// The values in another dtype, as `icicle_array_astype`, placed as the array is.
///
/// Errors: `INVALID_POINTER` if `group` or `array` is no live one, or `made` null or misaligned; `INVALID_ARGUMENT` if the group
/// has other devices, `dtype` is none, or real for complex values; `API_NOT_IMPLEMENTED` if a
/// device does not offer it; `OUT_OF_MEMORY`, naming the device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_astype(
    group: *mut c_void,
    array: *mut c_void,
    dtype: i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "sharded_array_astype";
    let body = |group: &DeviceGroup| sharded(op, "array", array)?.astype(group, types::dtype(op, dtype)?);
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { lay(op, group, made, body) }
}

/// An operation, an `icicle_unary_op_t`, on each element, as `icicle_array_unary`; placed as the array is. Each device
/// computes on its part. Partial sums are added first.
///
/// Errors: `INVALID_POINTER` if `group` or `array` is no live one, or `made` null or misaligned; `INVALID_ARGUMENT` if the group
/// has other devices, or `op` is none or not defined for the dtype; `API_NOT_IMPLEMENTED` if a
/// device does not offer it; `OUT_OF_MEMORY`, naming the device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_unary(
    group: *mut c_void,
    op: i32,
    array: *mut c_void,
    made: *mut *mut c_void,
) -> Code {
    let name = "sharded_array_unary";
    let body = |group: &DeviceGroup| sharded(name, "array", array)?.unary(group, types::unary_op(op)?);
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { lay(name, group, made, body) }
}

/// An operation, an `icicle_binary_op_t`, on each pair of elements, as `icicle_array_binary`. The result is placed as `x` is if
/// that is split, else as `y`; elements of the other operand are brought to where they are needed. Partial sums are added
/// first, unless both are and are themselves added or subtracted.
///
/// Errors: `INVALID_POINTER` if `group`, `x` or `y` is no live one, or `made` null or misaligned; `INVALID_ARGUMENT` if the group
/// has other devices, `op` is none or not defined for the dtype, the shapes do not broadcast, or the dtypes have no common
/// one; `API_NOT_IMPLEMENTED` if a device does not offer it; `OUT_OF_MEMORY`, naming the device; `COPY_FAILED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_binary(
    group: *mut c_void,
    op: i32,
    x: *mut c_void,
    y: *mut c_void,
    made: *mut *mut c_void,
) -> Code {
    let name = "sharded_array_binary";
    let body = |group: &DeviceGroup| {
        let (x, y) = (sharded(name, "x", x)?, sharded(name, "y", y)?);
        x.binary(group, types::binary_op(op)?, &y)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { lay(name, group, made, body) }
}

/// As `icicle_sharded_array_binary`, of an array and a number, which takes the array's dtype as `icicle_array_binary_scalar`
/// says: `x ∘ y`, or with `reversed` `y ∘ x`. Placed as the array is; partial sums are added first.
///
/// Errors: as `icicle_sharded_array_binary`; `INVALID_ARGUMENT` also if the number's kind and the dtype do not fit, or the dtype
/// does not hold the integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_binary_scalar(
    group: *mut c_void,
    op: i32,
    x: *mut c_void,
    y: Scalar,
    reversed: Flag,
    made: *mut *mut c_void,
) -> Code {
    let name = "sharded_array_binary_scalar";
    let body = |group: &DeviceGroup| {
        let (x, op) = (sharded(name, "x", x)?, types::binary_op(op)?);
        x.binary_scalar(group, op, y.to_core(op.name(), "y")?, reversed != 0)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { lay(name, group, made, body) }
}

/// The matrix product, as `icicle_array_matmul`. How it is divided follows from how the operands lie:
///
/// - `x` split by rows or a leading axis: each device computes its rows with all of `y`, which is brought to it unless it is
///   replicated; the result is split likewise.
/// - `x` split by columns, or `y` by rows: each device computes a part of every sum; the result is partial sums.
/// - `y` split by columns: each device computes its columns; the result is split by them.
/// - neither: every device computes all of it.
///
/// Errors: `INVALID_POINTER` if `group`, `x` or `y` is no live one, or `made` null or misaligned; `INVALID_ARGUMENT` if the group
/// has other devices, the shapes do not fit, or the dtypes have no common one; `API_NOT_IMPLEMENTED`
/// if a device does not offer it; `OUT_OF_MEMORY`, naming the device; `COPY_FAILED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_array_matmul(
    group: *mut c_void,
    x: *mut c_void,
    y: *mut c_void,
    made: *mut *mut c_void,
) -> Code {
    let op = "sharded_array_matmul";
    let body = |group: &DeviceGroup| sharded(op, "x", x)?.matmul(group, &*sharded(op, "y", y)?);
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { lay(op, group, made, body) }
}
