//! Codes, their names, and the text of a thread's last failed call.

use crate::guard::guard_or;
use crate::ptr;
use icicle::{Error, ErrorCode};
use std::cell::RefCell;
use std::ffi::{CStr, c_char};

/// What a call ended with. The numbers are ICICLE's.
///
/// Functions of ICICLE's name return 0 to 11 only: `BACKEND_LOAD_FAILED` becomes `API_NOT_IMPLEMENTED`, `UNKNOWN_ERROR`
/// becomes `INVALID_ARGUMENT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[must_use]
pub enum Code {
    /// The call did what it says.
    Success = 0,
    /// No such device, or memory that is not an allocation of any device.
    InvalidDevice = 1,
    /// Device or host memory is exhausted, or an output buffer is too small.
    OutOfMemory = 2,
    /// Null, misaligned, freed or foreign pointer, or one whose allocation ends too early.
    InvalidPointer = 3,
    /// Memory could not be allocated for another reason than exhaustion.
    AllocationFailed = 4,
    /// Memory could not be freed.
    DeallocationFailed = 5,
    /// A copy failed.
    CopyFailed = 6,
    /// Waiting failed, or the work waited for did.
    SynchronizationFailed = 7,
    /// A stream or event could not be created.
    StreamCreationFailed = 8,
    /// A stream or event could not be destroyed, or is not one of ours.
    StreamDestructionFailed = 9,
    /// The device does not offer this operation for this field or curve.
    ApiNotImplemented = 10,
    /// An argument breaks a rule; the message names argument, value and rule.
    InvalidArgument = 11,
    /// A backend could not be loaded.
    BackendLoadFailed = 12,
    // 13: ICICLE's licence check; never returned.
    /// A fault of the library itself.
    UnknownError = 14,
}

impl From<ErrorCode> for Code {
    fn from(code: ErrorCode) -> Self {
        match code {
            ErrorCode::InvalidDevice => Self::InvalidDevice,
            ErrorCode::OutOfMemory => Self::OutOfMemory,
            ErrorCode::InvalidPointer => Self::InvalidPointer,
            ErrorCode::AllocationFailed => Self::AllocationFailed,
            ErrorCode::DeallocationFailed => Self::DeallocationFailed,
            ErrorCode::CopyFailed => Self::CopyFailed,
            ErrorCode::SynchronizationFailed => Self::SynchronizationFailed,
            ErrorCode::StreamCreationFailed => Self::StreamCreationFailed,
            ErrorCode::StreamDestructionFailed => Self::StreamDestructionFailed,
            ErrorCode::Unsupported => Self::ApiNotImplemented,
            ErrorCode::InvalidArgument => Self::InvalidArgument,
            ErrorCode::BackendLoadFailed => Self::BackendLoadFailed,
            ErrorCode::Internal => Self::UnknownError,
        }
    }
}

impl Code {
    /// The code as ICICLE's clients know it: 0 to 11.
    pub(crate) fn for_icicle(self) -> Self {
        match self {
            Self::BackendLoadFailed => Self::ApiNotImplemented,
            Self::UnknownError => Self::InvalidArgument,
            other => other,
        }
    }

    fn of_number(number: i32) -> Option<&'static CStr> {
        Some(match number {
            0 => c"SUCCESS",
            1 => c"INVALID_DEVICE",
            2 => c"OUT_OF_MEMORY",
            3 => c"INVALID_POINTER",
            4 => c"ALLOCATION_FAILED",
            5 => c"DEALLOCATION_FAILED",
            6 => c"COPY_FAILED",
            7 => c"SYNCHRONIZATION_FAILED",
            8 => c"STREAM_CREATION_FAILED",
            9 => c"STREAM_DESTRUCTION_FAILED",
            10 => c"API_NOT_IMPLEMENTED",
            11 => c"INVALID_ARGUMENT",
            12 => c"BACKEND_LOAD_FAILED",
            13 => c"LICENSE_CHECK_ERROR",
            14 => c"UNKNOWN_ERROR",
            _ => return None,
        })
    }
}

thread_local! {
    static LAST: RefCell<Option<(Code, String)>> = const { RefCell::new(None) };
}

/// Keep a failure for the thread to ask about.
pub(crate) fn remember(code: Code, error: Error) {
    // While a thread is torn down there is no one left to ask.
    let _ = LAST.try_with(|last| last.replace(Some((code, error.to_string()))));
}

/// The last failure, and forget it.
pub(crate) fn take() -> Option<(Code, String)> {
    LAST.try_with(RefCell::take).ok().flatten()
}

fn last<T>(read: impl FnOnce(Option<&(Code, String)>) -> T) -> Option<T> {
    LAST.try_with(|last| read(last.borrow().as_ref())).ok()
}

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
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_error_take(buffer: *mut c_char, bytes: usize) -> Code {
    let (code, text) = take().unwrap_or((Code::Success, String::new()));
    guard_or("error_take", code, || {
        // SAFETY: the caller's: `buffer` is valid for writes of `bytes`.
        unsafe { ptr::write_text("error_take", "buffer", buffer, bytes, &text) }.map(|_| code)
    })
}
