//! Codes, their names, and what a thread's last failed call ended with.

use icicle::{Error, ErrorCode};
use std::cell::RefCell;
use std::ffi::CStr;

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
            pub(crate) fn of_number(number: i32) -> Option<&'static CStr> {
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

pub(crate) fn last<T>(read: impl FnOnce(Option<&(Code, String)>) -> T) -> Option<T> {
    LAST.try_with(|last| read(last.borrow().as_ref())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clients of ICICLE know 0 to 11; what else its functions end with is one of them.
    #[test]
    fn every_code_has_one_of_icicles() {
        let known = |code: Code| (0..12).contains(&(code as i32));
        let mut all = 0;
        macro_rules! each {
            ($($name:ident = $number:literal, $icicle:literal, $meaning:literal;)*) => {
                $(
                    let code = Code::from(ErrorCode::$name);
                    assert_eq!(code as i32, $number);
                    // Those from 64 on are of functions that ICICLE has not.
                    assert!($number >= 64 || known(code.for_icicle()), "{code:?} becomes {:?}", code.for_icicle());
                    assert!(!known(code) || code.for_icicle() == code, "{code:?} is ICICLE's");
                    all += 1;
                )*
            };
        }
        icicle::error_codes!(each);
        assert!(all > 12);
        assert_eq!(Code::BackendLoadFailed.for_icicle(), Code::Unsupported);
    }
}
