//! The one error type, and the table of codes every language shares.

use std::fmt;

/// What kind of failure a call ended with. The numbers are ICICLE's; none is ever reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum ErrorCode {
    /// No such device, or memory of a device the call did not run on.
    InvalidDevice = 1,
    /// Device or host memory is exhausted, or an output buffer is too small.
    OutOfMemory = 2,
    /// Null, misaligned, freed or foreign pointer, or one whose allocation ends too early.
    InvalidPointer = 3,
    /// Memory could not be allocated for another reason than exhaustion of the device.
    AllocationFailed = 4,
    /// Memory could not be freed.
    DeallocationFailed = 5,
    /// A copy failed.
    CopyFailed = 6,
    /// Waiting for a device, stream or event failed; also work that faulted while running.
    SynchronizationFailed = 7,
    /// A stream or event could not be created.
    StreamCreationFailed = 8,
    /// A stream or event could not be destroyed, or is not one of ours.
    StreamDestructionFailed = 9,
    /// The device does not offer this operation for this field or curve.
    Unsupported = 10,
    /// An argument breaks a rule; the message names argument, value and rule.
    InvalidArgument = 11,
    /// A backend could not be loaded.
    BackendLoadFailed = 12,
    // 13: ICICLE's licence check; retired, never returned.
    /// A fault of the library itself, such as a caught panic.
    Internal = 14,
}

impl ErrorCode {
    /// Every code.
    pub const ALL: [ErrorCode; 13] = [
        Self::InvalidDevice,
        Self::OutOfMemory,
        Self::InvalidPointer,
        Self::AllocationFailed,
        Self::DeallocationFailed,
        Self::CopyFailed,
        Self::SynchronizationFailed,
        Self::StreamCreationFailed,
        Self::StreamDestructionFailed,
        Self::Unsupported,
        Self::InvalidArgument,
        Self::BackendLoadFailed,
        Self::Internal,
    ];
}

/// A failed call: its code, the operation, and what was wrong (argument, got, rule).
///
/// The text reads `msm: scalars hold 7 elements, need 8`; lower case, no full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What kind of failure.
    pub code: ErrorCode,
    /// The operation, as named in the C API without prefix.
    pub op: &'static str,
    /// Argument, value and rule.
    pub detail: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.op, self.detail)
    }
}

impl std::error::Error for Error {}

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
