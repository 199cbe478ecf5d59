//! Codes, their names, and the text of a thread's last failed call.

use crate::guard::guard_or;
use crate::ptr;
use icicle::{Error, ErrorCode};
use std::cell::RefCell;
use std::ffi::{CStr, c_char};

/// Declare what a call ends with, the name of each, and how codes of the core become one.
macro_rules! declare {
    ($($name:ident = $number:literal, $icicle:literal, $meaning:literal;)*) => {
        /// What a call ended with: `icicle_error_t`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)] // the names are those of the core
        #[repr(i32)]
        #[must_use]
        pub enum Code {
            Success = 0,
            $($name = $number,)*
        }

        impl From<ErrorCode> for Code {
            fn from(code: ErrorCode) -> Self {
                match code {
                    $(ErrorCode::$name => Self::$name,)*
                }
            }
        }

        impl Code {
            fn of_number(number: i32) -> Option<&'static CStr> {
                let text = match number {
                    0 => "SUCCESS\0",
                    // Never returned.
                    13 => "LICENSE_CHECK_ERROR\0",
                    $($number => concat!($icicle, "\0"),)*
                    _ => return None,
                };
                CStr::from_bytes_with_nul(text.as_bytes()).ok()
            }
        }
    };
}
icicle::error_codes!(declare);

impl Code {
    /// The code as ICICLE's clients know it: 0 to 11.
    pub(crate) fn for_icicle(self) -> Self {
        match self {
            Self::BackendLoadFailed => Self::Unsupported,
            Self::Internal => Self::InvalidArgument,
            other => other,
        }
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
