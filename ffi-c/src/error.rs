//! Codes, their names, and the text of a thread's last failed call.

pub use crate::code::Code;

use crate::code::{last, take};
use crate::guard::guard_or;
use crate::ptr;
use std::ffi::c_char;

/// Name of a code, such as `INVALID_POINTER`; `UNKNOWN_ERROR` for a number that is none.
///
/// The string is static: do not free it.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_error_name(code: i32) -> *const c_char {
    Code::of_number(code).unwrap_or(c"UNKNOWN_ERROR").as_ptr()
}

/// Code of this thread's last failed call, or `SUCCESS` if none failed since [`icicle_error_take`].
///
/// Calls that succeed leave it alone. Functions that return no code (`bn254_add`) report here alone.
///
/// Errors: none of its own.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_last_error() -> Code {
    last(|last| last.map_or(Code::Success, |(code, _)| *code)).unwrap_or(Code::Success)
}

/// Message of this thread's last failed call, such as `msm: c 25: must be at most 24`.
///
/// Writes at most `bytes` bytes to `buffer`, the last of them 0, and returns how many bytes the whole message with its 0
/// takes: 1 if no call failed. `buffer` may be null if `bytes` is 0. Messages are per thread: a Go caller locks the OS
/// thread around the call and this one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_last_error_message(buffer: *mut c_char, bytes: usize) -> usize {
    guard_or("last_error_message", 0, || {
        let text = last(|last| last.map_or(String::new(), |(_, text)| text.clone())).unwrap_or_default();
        // SAFETY: the caller's: `buffer` is valid for writes of `bytes`.
        unsafe { ptr::write_text("last_error_message", "buffer", buffer, bytes, &text) }
    })
}

/// Code of this thread's last failed call, its message as in [`icicle_last_error_message`], and forget both.
///
/// Errors: none of its own; if `buffer` is null and `bytes` is not 0, the message is lost and `icicle_last_error` is
/// `INVALID_POINTER`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_error_take(buffer: *mut c_char, bytes: usize) -> Code {
    let (code, text) = take().unwrap_or((Code::Success, String::new()));
    guard_or("error_take", code, || {
        // SAFETY: the caller's: `buffer` is valid for writes of `bytes`.
        unsafe { ptr::write_text("error_take", "buffer", buffer, bytes, &text) }.map(|_| code)
    })
}
