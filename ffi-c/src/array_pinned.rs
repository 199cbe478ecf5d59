//! Arrays in page-locked (pinned) memory of the host.

use crate::array::{make, operand};
use crate::code::Code;
use crate::guard::guard;
use crate::ptr;
use std::ffi::c_void;

/// A dense copy in page-locked (pinned) memory of the host, on the array's device if that is a CPU, else on CPU device 0. GPUs copy
/// it, with `icicle_array_to_device`, at the rate of their link. Where there is no GPU it is plain memory. Page-locking takes longer
/// than copying, and the pages are lost to the rest of the system: it pays for arrays that are copied several times, which
/// assignment in place fills again. It does not count as the device's used memory. Free the array with `icicle_array_free`; the
/// memory is given back with the last array in it.
///
/// Asynchrony: done on return.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `made` null or misaligned; `OUT_OF_MEMORY` or `ALLOCATION_FAILED` if the
/// system refuses; `COPY_FAILED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_to_pinned(array: *mut c_void, made: *mut *mut c_void) -> Code {
    let op = "to_pinned";
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, || operand(op, "array", array)?.to_pinned()) }
}

/// Whether an array's memory is page-locked, as `icicle_array_to_pinned` makes it where there is a GPU. What it depends on is
/// computed.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `pinned` null or misaligned; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_is_pinned(array: *mut c_void, pinned: *mut bool) -> Code {
    let op = "is_pinned";
    guard(op, || {
        ptr::check_typed(op, "pinned", pinned)?;
        let found = operand(op, "array", array)?.is_pinned()?;
        // SAFETY: `pinned` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "pinned", pinned, found) }
    })
}
