//! The one error type, and the table of codes every language shares.

/// Give the rows of the table to a macro: name, number, ICICLE's name, and what it means. The numbers are ICICLE's, ours from
/// 64 on; none is ever reused. 13, ICICLE's licence check, is never returned.
#[macro_export]
macro_rules! error_codes {
    ($declare:ident) => {
        $declare! {
            InvalidDevice = 1, "INVALID_DEVICE", "No such device, or an address to free that is no live allocation of any.";
            OutOfMemory = 2, "OUT_OF_MEMORY", "Device or host memory is exhausted, or an output buffer is too small.";
            InvalidPointer = 3, "INVALID_POINTER",
                "Null, misaligned, freed or foreign pointer, or one whose allocation ends too early.";
            AllocationFailed = 4, "ALLOCATION_FAILED",
                "Memory could not be allocated for another reason than exhaustion.";
            DeallocationFailed = 5, "DEALLOCATION_FAILED", "Memory could not be freed.";
            CopyFailed = 6, "COPY_FAILED", "A copy failed.";
            SynchronizationFailed = 7, "SYNCHRONIZATION_FAILED",
                "Waiting for a device, stream or event failed; also work that faulted while running.";
            StreamCreationFailed = 8, "STREAM_CREATION_FAILED", "A stream or event could not be created.";
            StreamDestructionFailed = 9, "STREAM_DESTRUCTION_FAILED",
                "A stream or event could not be destroyed, or is not one of ours.";
            Unsupported = 10, "API_NOT_IMPLEMENTED",
                "The device does not offer this operation for this field or curve.";
            InvalidArgument = 11, "INVALID_ARGUMENT",
                "An argument breaks a rule; the message names argument, value and rule.";
            BackendLoadFailed = 12, "BACKEND_LOAD_FAILED", "A backend could not be loaded.";
            Internal = 14, "UNKNOWN_ERROR", "A fault of the library itself, such as a caught panic.";
            Cancelled = 64, "CANCELLED", "The caller cancelled the work before it was started.";
            Timeout = 65, "TIMEOUT",
                "Another rank of a collective did not come, or did not go on, in time; the message names it.";
            RemoteError = 66, "REMOTE_ERROR",
                "Another rank of a collective failed, left, or refused this one; the message names it.";
        }
    };
}

macro_rules! declare {
    ($($name:ident = $number:literal, $icicle:literal, $meaning:literal;)*) => {
        /// What kind of failure a call ended with. The numbers are ICICLE's; none is ever reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
        #[repr(i32)]
        pub enum ErrorCode {
            $(
                #[doc = $meaning]
                #[error($meaning)]
                $name = $number,
            )*
        }

        impl ErrorCode {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The code's name in ICICLE and in C, such as `INVALID_POINTER`.
            pub const fn icicle_name(self) -> &'static str {
                match self {
                    $(Self::$name => $icicle,)*
                }
            }
        }
    };
}
error_codes!(declare);

/// A failed call: its code, the operation, and what was wrong (argument, got, rule).
///
/// The text reads `msm: scalars hold 7 elements, need 8`; lower case, no full stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{op}: {detail}")]
pub struct Error {
    /// What kind of failure.
    #[source]
    pub code: ErrorCode,
    /// The operation, as named in the C API without prefix.
    pub op: &'static str,
    /// Argument, value and rule.
    pub detail: String,
}

impl Error {
    /// An error of any code.
    pub fn new(code: ErrorCode, op: &'static str, detail: impl Into<String>) -> Self {
        Self { code, op, detail: detail.into() }
    }

    /// [`ErrorCode::InvalidArgument`].
    pub fn argument(op: &'static str, detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidArgument, op, detail)
    }

    /// [`ErrorCode::InvalidPointer`].
    pub fn pointer(op: &'static str, detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidPointer, op, detail)
    }

    /// [`ErrorCode::Unsupported`].
    pub fn unsupported(op: &'static str, detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::Unsupported, op, detail)
    }
}

/// The result of every fallible call.
pub type Result<T> = std::result::Result<T, Error>;
