//! Arrays in unified memory, which the host and every GPU reach at one address.

use crate::array::{make, operand, place};
use crate::code::Code;
use crate::guard::guard;
use crate::ptr;
use crate::types::IcicleDevice;
use std::ffi::c_void;

/// A dense copy in unified memory of a device, by default the thread's current one: a GPU's managed memory, of which the driver
/// moves pages to who touches them, or a CPU's plain memory, which all CPU devices reach. `icicle_array_shared_with` gives it to
/// another device without a copy. Elements of one device should be multiples of 2 MiB, the unit in which pages move. It does not
/// count as the device's used memory, and is no more than the device has free. Free the array with `icicle_array_free`; the
/// memory is given back with the last array in it.
///
/// Asynchrony: done on return.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, `device` misaligned, or `made` null or misaligned; `INVALID_DEVICE`;
/// `API_NOT_IMPLEMENTED` if the device has no managed memory, or cannot use it while the host does; `OUT_OF_MEMORY`;
/// `ALLOCATION_FAILED`; `COPY_FAILED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_to_unified(
    array: *mut c_void,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let op = "to_unified";
    // SAFETY: `device` can be read unless it is null, by the caller's promise.
    let body = || operand(op, "array", array)?.to_unified(unsafe { place(op, device) }?);
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// Whether an array's memory is unified, as that of CPUs always is. What it depends on is computed.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `unified` null or misaligned; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_is_unified(array: *mut c_void, unified: *mut bool) -> Code {
    let op = "is_unified";
    guard(op, || {
        ptr::check_typed(op, "unified", unified)?;
        let found = operand(op, "array", array)?.is_unified()?;
        // SAFETY: `unified` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "unified", unified, found) }
    })
}

/// The same memory for use by a device, by default the thread's current one, without a copy: an array of any CPU device for
/// another, one in unified memory of a GPU for a CPU or any GPU. The memory stays as long as one of the arrays; free each with
/// `icicle_array_free`.
///
/// Asynchrony: what the device computes from it comes after what was enqueued before; for a CPU device this call waits for that.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, `device` misaligned, or `made` null or misaligned; `INVALID_DEVICE`;
/// `INVALID_ARGUMENT` if the device does not reach the memory; `OUT_OF_MEMORY`; `SYNCHRONIZATION_FAILED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_shared_with(
    array: *mut c_void,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let op = "shared_with";
    // SAFETY: `device` can be read unless it is null, by the caller's promise.
    let body = || operand(op, "array", array)?.shared_with(unsafe { place(op, device) }?);
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// Move the pages from an array's first to its last element to its device, so that what follows there does not fetch them one by
/// one. On a CPU device pages of a GPU's unified memory move to the host, and plain memory stays.
///
/// Asynchrony: enqueued on the device's default stream; for a CPU device on that of the memory's GPU.
///
/// Errors: `INVALID_POINTER` if `array` is no live one; `INVALID_ARGUMENT` if it lies in a GPU's own memory; `OUT_OF_MEMORY`;
/// `COPY_FAILED`.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_array_prefetch(array: *mut c_void) -> Code {
    let op = "prefetch";
    guard(op, || operand(op, "array", array)?.prefetch())
}
