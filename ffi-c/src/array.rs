//! Arrays of numbers: dtypes, making them, and what they are.
//!
//! An array is a value that a handle names: no call changes one, so any number of threads may use it at once. Each call
//! makes a new one, which may share memory with those it was made from; each is freed on its own.

use crate::array_types::{self as types, ArrayInfo, Scalar};
use crate::code::Code;
use crate::guard::guard;
use crate::handle::Table;
use crate::ptr;
use crate::types::{IcicleDevice, count};
use icicle::array::{self, Array, DType, Layout};
use icicle::device::{Device, current_device};
use icicle::{Error, Result};
use std::ffi::{c_char, c_void};
use std::sync::Arc;

static ARRAYS: Table<Array> = Table::new("array");

/// The array of a handle, which the call has under this name.
pub(crate) fn operand(op: &'static str, arg: &str, handle: *const c_void) -> Result<Arc<Array>> {
    ARRAYS.get(op, handle).map_err(|error| Error { detail: format!("{arg}: {}", error.detail), ..error })
}

/// The array of a handle that may be null.
pub(crate) fn optional(op: &'static str, arg: &str, handle: *const c_void) -> Result<Option<Arc<Array>>> {
    if handle.is_null() { Ok(None) } else { operand(op, arg, handle).map(Some) }
}

/// Run what makes an array, and hand it out.
///
/// # Safety
/// If not null and aligned, `made` is valid for a write.
pub(crate) unsafe fn make(op: &'static str, made: *mut *mut c_void, body: impl FnOnce() -> Result<Array>) -> Code {
    guard(op, || {
        ptr::check_typed(op, "made", made)?;
        let array = body()?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        unsafe { ptr::write(op, "made", made, ARRAYS.insert(array)) }
    })
}

/// Hand several arrays out, or none.
///
/// # Safety
/// If not null and aligned, `made` is valid for writes of as many.
pub(crate) unsafe fn hand_out(op: &'static str, made: *mut *mut c_void, arrays: Vec<Array>) -> Result<()> {
    ptr::check_typed(op, "made", made)?;
    for (k, array) in arrays.into_iter().enumerate() {
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        unsafe { ptr::write(op, "made", made.wrapping_add(k), ARRAYS.insert(array)) }?;
    }
    Ok(())
}

/// A device, by default the thread's current one.
///
/// # Safety
/// If not null and aligned, `device` is valid for a read.
pub(crate) unsafe fn place(op: &'static str, device: *const IcicleDevice) -> Result<Device> {
    match device.is_null() {
        true => Ok(current_device()),
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        false => unsafe { ptr::read(op, "device", device) }?.to_core(op),
    }
}

/// Name of a dtype, such as `float32`; null if `dtype` is none. The string is static: do not free it.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_dtype_name(dtype: i32) -> *const c_char {
    types::static_name(types::Names::DTypes, dtype)
}

/// Bytes of an element of a dtype; 0 if `dtype` is none.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_dtype_bytes(dtype: i32) -> usize {
    DType::from_number(dtype).map_or(0, DType::bytes)
}

/// Copy host memory to a new array of `rank` axes, whose extents are `shape`. `strides`, unless null, are the bytes from one
/// index of each axis to the next; they may be 0 or negative, and `data` is then the address of the element whose indices are
/// all 0. Without them the elements are dense, the last axis densest (C order).
///
/// Elements are aligned to their size (complex ones to that of a part), little endian; those of bool are bytes, 0 or 1.
/// `shape` may be null if `rank` is 0, `data` if there are no elements. `device`, unless null, is where the array is to be;
/// by default on the thread's current device. The memory is read before the call returns. Free the array with
/// `icicle_array_free`.
///
/// Errors: `INVALID_ARGUMENT` if `dtype` is none, `rank` is not 0 to 64, an extent is negative, the array exceeds the address
/// space, or strides are no multiples of an element; `INVALID_POINTER` if a pointer is null where it may not be or misaligned,
/// or `data` is memory of a GPU; `INVALID_DEVICE`; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_from_host(
    dtype: i32,
    data: *const c_void,
    shape: *const i64,
    rank: i32,
    strides: *const i64,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let op = "from_host";
    let body = || {
        let dtype = types::dtype(op, dtype)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let (shape, device) = unsafe { (types::shape(op, shape, rank)?, place(op, device)?) };
        let dense = Layout::dense(op, &shape)?;
        let strides = match strides.is_null() {
            true => types::dense_strides(&shape, dtype.bytes()),
            // SAFETY: `strides` holds as many numbers as there are axes, by the caller's promise.
            false => unsafe { types::signed(op, "strides", strides, rank)? },
        };
        if dense.is_empty() {
            return array::zeros(device, &shape, dtype);
        }
        ptr::check(op, "data", data, dtype.align())?;
        let (before, bytes) = types::span(op, &shape, &strides, dtype.bytes())?;
        // SAFETY: what shape and strides name can be read, by the caller's promise.
        unsafe { ptr::check_host(op, "data", data.wrapping_byte_sub(before), bytes) }?;
        // SAFETY: as above: the walk stays within the memory located.
        unsafe { Array::from_strided(device, dtype, data.cast(), &shape, &strides) }
            .map_err(|error| Error { op, ..error })
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// Make an array of zeros, or false, of `rank` axes; otherwise as `icicle_array_from_host`.
///
/// Errors: `INVALID_ARGUMENT` if `dtype` is none, `rank` is not 0 to 64, an extent is negative, or the array exceeds the
/// address space; `INVALID_POINTER` if a pointer is null where it may not be or misaligned; `INVALID_DEVICE`;
/// `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_zeros(
    dtype: i32,
    shape: *const i64,
    rank: i32,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { filled("zeros", Scalar::of(array::Scalar::Int(0)), dtype, (shape, rank), device, made) }
}

/// Make an array of ones, or true; otherwise as `icicle_array_zeros`.
///
/// Errors: as `icicle_array_zeros`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_ones(
    dtype: i32,
    shape: *const i64,
    rank: i32,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { filled("ones", Scalar::of(array::Scalar::Int(1)), dtype, (shape, rank), device, made) }
}

/// Make an array whose elements are all one value; otherwise as `icicle_array_zeros`. With a `rank` of 0 it is that number
/// as an array, to be an operand of any function.
///
/// Errors: as `icicle_array_zeros`; `INVALID_ARGUMENT` also if the dtype does not hold the value's kind, or the integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_full(
    value: Scalar,
    dtype: i32,
    shape: *const i64,
    rank: i32,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { filled("full", value, dtype, (shape, rank), device, made) }
}

/// # Safety
/// The crate's contract.
unsafe fn filled(
    op: &'static str,
    value: Scalar,
    dtype: i32,
    (shape, rank): (*const i64, i32),
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let body = || {
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let (shape, device) = unsafe { (types::shape(op, shape, rank)?, place(op, device)?) };
        let value = value.to_core(op, "value")?;
        array::full(device, &shape, value, types::dtype(op, dtype)?).map_err(|error| Error { op, ..error })
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// Make an array of one axis: `start`, `start + step` and so on, up to before `stop`. Place and ownership are as
/// `icicle_array_from_host` says.
///
/// Errors: `INVALID_ARGUMENT` if `dtype` is none, bool or complex, or an integer one that does not hold a number, the step is
/// 0, a number is not finite, or they are too many; `INVALID_POINTER` if `device` is misaligned or `made` null or misaligned;
/// `INVALID_DEVICE`; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_arange(
    start: Scalar,
    stop: Scalar,
    step: Scalar,
    dtype: i32,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let op = "arange";
    let body = || {
        let (start, stop) = (start.to_core(op, "start")?, stop.to_core(op, "stop")?);
        // SAFETY: `device` can be read unless it is null, by the caller's promise.
        let device = unsafe { place(op, device) }?;
        array::arange(device, start, stop, step.to_core(op, "step")?, types::dtype(op, dtype)?)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// Make an array of one axis: `n` numbers from `start` to `stop` at equal distances; without `endpoint`, `stop` is the one
/// after the last. Place and ownership are as `icicle_array_from_host` says.
///
/// Errors: `INVALID_ARGUMENT` if `dtype` is none or not floating point, a number is complex and the dtype real, or `n` is
/// negative or too large; `INVALID_POINTER` if `device` is misaligned or `made` null or misaligned; `INVALID_DEVICE`;
/// `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_linspace(
    start: Scalar,
    stop: Scalar,
    n: i64,
    endpoint: crate::flag::Flag,
    dtype: i32,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let op = "linspace";
    let body = || {
        let (start, stop) = (start.to_core(op, "start")?, stop.to_core(op, "stop")?);
        // SAFETY: `device` can be read unless it is null, by the caller's promise.
        let device = unsafe { place(op, device) }?;
        array::linspace(device, start, stop, count(op, "n", n)?, types::dtype(op, dtype)?, endpoint != 0)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// Make a matrix of `rows` by `columns`: ones on a diagonal, `k` to the right of the main one, zeros elsewhere. Place and
/// ownership are as `icicle_array_from_host` says.
///
/// Errors: as `icicle_array_zeros`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_eye(
    rows: i64,
    columns: i64,
    k: i64,
    dtype: i32,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let op = "eye";
    let body = || {
        let (rows, columns) = (count(op, "rows", rows)?, count(op, "columns", columns)?);
        // SAFETY: `device` can be read unless it is null, by the caller's promise.
        let device = unsafe { place(op, device) }?;
        array::eye(device, rows, columns, k as isize, types::dtype(op, dtype)?)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// Free an array; null is ignored. Calls of other threads that use it are done first, and arrays made from it stay.
///
/// Errors: `INVALID_POINTER` for a handle that is no array.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_array_free(array: *mut c_void) -> Code {
    let op = "array_free";
    guard(op, || ARRAYS.free(op, array))
}

/// Copy an array's elements to host memory, dense in C order: `bytes`, exactly what they take. The copy is complete on
/// return, and what the array depends on computed.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `data` null (unless there are no elements) or memory of a GPU;
/// `INVALID_ARGUMENT` for other `bytes`; `API_NOT_IMPLEMENTED` for a strided array that is not on a CPU; `OUT_OF_MEMORY`;
/// `COPY_FAILED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_to_host(array: *mut c_void, data: *mut c_void, bytes: u64) -> Code {
    let op = "to_host";
    guard(op, || {
        let array = operand(op, "array", array)?;
        let need = array.len() * array.dtype().bytes();
        if bytes != need as u64 {
            let rule = format!("{} elements of {} take {need}", array.len(), array.dtype());
            return Err(Error::argument(op, format!("data of {bytes} bytes: {rule}")));
        }
        // SAFETY: `data` has room for that many bytes, for this call alone, by the caller's promise.
        array.copy_to_bytes(unsafe { ptr::host_memory(op, "data", data, need) }?)
    })
}

/// The value of an array of one element, of any rank. It is an integer that `icicle_scalar_t` calls unsigned only where it
/// exceeds a signed one.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `value` null or misaligned; `INVALID_ARGUMENT` if there is not
/// exactly one element; `OUT_OF_MEMORY`; `COPY_FAILED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_item(array: *mut c_void, value: *mut Scalar) -> Code {
    let op = "item";
    guard(op, || {
        ptr::check_typed(op, "value", value)?;
        let found = Scalar::of(operand(op, "array", array)?.item()?);
        // SAFETY: `value` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "value", value, found) }
    })
}

/// What an array is. Set `info->struct_size`.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `info` null or misaligned; `INVALID_ARGUMENT` for a `struct_size`
/// below the struct's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_info(array: *mut c_void, info: *mut ArrayInfo) -> Code {
    let op = "array_info";
    guard(op, || {
        let value = ArrayInfo::of(&*operand(op, "array", array)?);
        // SAFETY: `info` has room for what is written, by the caller's promise.
        unsafe { ptr::write_sized(op, "info", info, value) }
    })
}

/// An array's extents, and the bytes from one index of each axis to the next in its own memory; each gets as many numbers as
/// the array has axes, which `rank` must be, and each may be null.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or an output misaligned; `INVALID_ARGUMENT` if `rank` is not the
/// array's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_shape(array: *mut c_void, rank: i32, shape: *mut i64, strides: *mut i64) -> Code {
    let op = "array_shape";
    guard(op, || {
        let array = operand(op, "array", array)?;
        if i64::from(rank) != array.rank() as i64 {
            return Err(Error::argument(op, format!("rank {rank}: the array has {} axes", array.rank())));
        }
        for k in 0..array.rank() {
            let stride = array.strides()[k] as i64 * array.dtype().bytes() as i64;
            for (name, out, value) in [("shape", shape, array.shape()[k] as i64), ("strides", strides, stride)] {
                if !out.is_null() {
                    // SAFETY: each output that is given has room for one number an axis, by the caller's promise.
                    unsafe { ptr::write(op, name, out.wrapping_add(k), value) }?;
                }
            }
        }
        Ok(())
    })
}

/// The values in another dtype. Integers wrap, floats to integers saturate with NaN as 0, anything to bool says whether it is
/// not 0.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `made` null or misaligned; `INVALID_ARGUMENT` if `dtype` is none,
/// or real for complex values; `API_NOT_IMPLEMENTED` if the array is not on a CPU; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_astype(array: *mut c_void, dtype: i32, made: *mut *mut c_void) -> Code {
    let op = "astype";
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, || operand(op, "array", array)?.astype(types::dtype(op, dtype)?)) }
}

/// A dense copy in C order, in memory of its own.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `made` null or misaligned; `API_NOT_IMPLEMENTED` if it is not on a
/// CPU; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_copy(array: *mut c_void, made: *mut *mut c_void) -> Code {
    let op = "copy";
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, || operand(op, "array", array)?.copy()) }
}

/// The same values on a device, by default the thread's current one; the same memory if they are there.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, `device` misaligned, or `made` null or misaligned; `INVALID_DEVICE`;
/// `OUT_OF_MEMORY`; `COPY_FAILED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_to_device(
    array: *mut c_void,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let op = "to_device";
    // SAFETY: `device` can be read unless it is null, by the caller's promise.
    let body = || operand(op, "array", array)?.to_device(unsafe { place(op, device) }?);
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}
