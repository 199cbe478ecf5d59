//! What a driver failure means: its text, its code, and whether the device is lost to it.

use icicle_device::Device;
use icicle_error::{Error, ErrorCode, Result};
use std::sync::OnceLock;

/// A driver result other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure(pub u32);

/// What a driver call ended with.
pub type Outcome<T> = std::result::Result<T, Failure>;

/// The driver's names of its results, as far as they are likely to be met.
/// Source: cuda.h, `cudaError_enum`, <https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TYPES.html>.
const NAMES: &[(u32, &str)] = &[
    (1, "CUDA_ERROR_INVALID_VALUE"),
    (2, "CUDA_ERROR_OUT_OF_MEMORY"),
    (3, "CUDA_ERROR_NOT_INITIALIZED"),
    (4, "CUDA_ERROR_DEINITIALIZED"),
    (34, "CUDA_ERROR_STUB_LIBRARY"),
    (46, "CUDA_ERROR_DEVICE_UNAVAILABLE"),
    (100, "CUDA_ERROR_NO_DEVICE"),
    (101, "CUDA_ERROR_INVALID_DEVICE"),
    (200, "CUDA_ERROR_INVALID_IMAGE"),
    (201, "CUDA_ERROR_INVALID_CONTEXT"),
    (205, "CUDA_ERROR_MAP_FAILED"),
    (209, "CUDA_ERROR_NO_BINARY_FOR_GPU"),
    (214, "CUDA_ERROR_ECC_UNCORRECTABLE"),
    (217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"),
    (218, "CUDA_ERROR_INVALID_PTX"),
    (220, "CUDA_ERROR_NVLINK_UNCORRECTABLE"),
    (221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"),
    (222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
    (226, "CUDA_ERROR_CONTAINED"),
    (304, "CUDA_ERROR_OPERATING_SYSTEM"),
    (400, "CUDA_ERROR_INVALID_HANDLE"),
    (401, "CUDA_ERROR_ILLEGAL_STATE"),
    (500, "CUDA_ERROR_NOT_FOUND"),
    (600, "CUDA_ERROR_NOT_READY"),
    (700, "CUDA_ERROR_ILLEGAL_ADDRESS"),
    (701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
    (702, "CUDA_ERROR_LAUNCH_TIMEOUT"),
    (704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"),
    (709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"),
    (710, "CUDA_ERROR_ASSERT"),
    (711, "CUDA_ERROR_TOO_MANY_PEERS"),
    (712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"),
    (713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"),
    (714, "CUDA_ERROR_HARDWARE_STACK_ERROR"),
    (715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"),
    (716, "CUDA_ERROR_MISALIGNED_ADDRESS"),
    (717, "CUDA_ERROR_INVALID_ADDRESS_SPACE"),
    (718, "CUDA_ERROR_INVALID_PC"),
    (719, "CUDA_ERROR_LAUNCH_FAILED"),
    (800, "CUDA_ERROR_NOT_PERMITTED"),
    (801, "CUDA_ERROR_NOT_SUPPORTED"),
    (802, "CUDA_ERROR_SYSTEM_NOT_READY"),
    (803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
    (900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"),
    (999, "CUDA_ERROR_UNKNOWN"),
];

pub const OUT_OF_MEMORY: u32 = 2;
pub const INVALID_HANDLE: u32 = 400;
pub const NOT_READY: u32 = 600;
pub const PEER_ACCESS_ALREADY_ENABLED: u32 = 704;

/// A driver result by name and number.
pub fn describe(code: u32) -> String {
    match NAMES.iter().find(|(number, _)| *number == code) {
        Some((_, name)) => format!("{name} ({code})"),
        None => format!("CUDA driver error {code}"),
    }
}

/// Whether a result leaves the context unusable: every later call in it would give the same. The driver also says so
/// while the process ends.
fn is_sticky(code: u32) -> bool {
    matches!(code, 4 | 214 | 220 | 226 | 700 | 702 | 709 | 710 | 714..=719)
}

/// Our code for a driver result; `otherwise` where it says nothing of its own.
fn code_of(failure: Failure, otherwise: ErrorCode) -> ErrorCode {
    match failure.0 {
        1 => ErrorCode::InvalidArgument,
        OUT_OF_MEMORY => ErrorCode::OutOfMemory,
        3 | INVALID_HANDLE => ErrorCode::AllocationFailed,
        46 | 100 | 101 => ErrorCode::InvalidDevice,
        712 | 713 => ErrorCode::InvalidPointer,
        701 => ErrorCode::SynchronizationFailed,
        code if is_sticky(code) => ErrorCode::SynchronizationFailed,
        _ => otherwise,
    }
}

/// A failure of `op` as an error.
pub fn error(op: &'static str, otherwise: ErrorCode, failure: Failure, detail: &str) -> Error {
    let colon = if detail.is_empty() { "" } else { ": " };
    Error::new(code_of(failure, otherwise), op, format!("{detail}{colon}{}", describe(failure.0)))
}

/// The first fault of the process and the device that had it. Drivers up to 580 at least answer every later call of the
/// process with it, on whatever GPU (measured with two contexts that shared nothing), so the others must name it.
type First = OnceLock<(Device, String)>;

/// A device's first fault, once it has one: work that went wrong on the device takes its context with it, and every
/// later call must say so rather than fail in a way of its own.
#[derive(Debug)]
pub struct Fault {
    device: Device,
    first: &'static First,
    own: OnceLock<String>,
}

impl Fault {
    /// No fault so far.
    pub fn none(device: Device) -> Self {
        static FIRST: First = OnceLock::new();
        Self { device, first: &FIRST, own: OnceLock::new() }
    }

    /// Fail if the device is lost.
    ///
    /// # Errors
    /// `SynchronizationFailed`, naming the first failure and the operation that met it.
    #[inline]
    pub fn check(&self, op: &'static str) -> Result<()> {
        match self.own.get() {
            None => Ok(()),
            Some(first) => Err(self.is_lost(op, first)),
        }
    }

    #[cold]
    fn is_lost(&self, op: &'static str, first: &str) -> Error {
        let detail =
            format!("{} is lost to an earlier fault: {first}; restart the process to use it again", self.device);
        Error::new(ErrorCode::SynchronizationFailed, op, detail)
    }

    /// Whether the device is lost.
    pub fn is_set(&self) -> bool {
        self.own.get().is_some()
    }

    /// Turn a failure into an error, and remember it if the device is lost to it. `launched` is the last kernel.
    pub fn note(
        &self,
        op: &'static str,
        otherwise: ErrorCode,
        failure: Failure,
        detail: &str,
        launched: Option<&str>,
    ) -> Error {
        let mut error = error(op, otherwise, failure, detail);
        if is_sticky(failure.0) {
            match (self.first.get(), launched) {
                (Some((device, text)), _) if *device != self.device => {
                    error
                        .detail
                        .push_str(&format!("; the driver gave this up with {device}, which had failed before: {text}"));
                }
                (_, Some(kernel)) => error.detail.push_str(&format!("; the last kernel launched was {kernel}")),
                (_, None) => {}
            }
            // Another thread may have been first; its error is then the one remembered.
            let _ = self.own.set(error.to_string());
            let _ = self.first.set((self.device, error.to_string()));
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Faults of a process of their own.
    fn process() -> impl Fn(u32) -> Fault {
        let first: &'static First = Box::leak(Box::default());
        move |index| Fault { device: Device::cuda(index), first, own: OnceLock::new() }
    }

    fn alone(index: u32) -> Fault {
        process()(index)
    }

    #[test]
    fn codes_follow_the_table() {
        let of = |code| code_of(Failure(code), ErrorCode::CopyFailed);
        assert_eq!(of(1), ErrorCode::InvalidArgument);
        assert_eq!(of(2), ErrorCode::OutOfMemory);
        assert_eq!(of(3), ErrorCode::AllocationFailed);
        assert_eq!(of(101), ErrorCode::InvalidDevice);
        assert_eq!(of(400), ErrorCode::AllocationFailed);
        assert_eq!(of(700), ErrorCode::SynchronizationFailed);
        assert_eq!(of(701), ErrorCode::SynchronizationFailed);
        assert_eq!(of(719), ErrorCode::SynchronizationFailed);
        assert_eq!(of(713), ErrorCode::InvalidPointer);
        assert_eq!(of(304), ErrorCode::CopyFailed);
        assert_eq!(of(12345), ErrorCode::CopyFailed);
    }

    #[test]
    fn texts_carry_name_and_number() {
        assert_eq!(describe(700), "CUDA_ERROR_ILLEGAL_ADDRESS (700)");
        assert_eq!(describe(721), "CUDA driver error 721");
        let e = error("copy", ErrorCode::CopyFailed, Failure(304), "8 bytes to cuda:0");
        assert_eq!(e.to_string(), "copy: 8 bytes to cuda:0: CUDA_ERROR_OPERATING_SYSTEM (304)");
    }

    #[test]
    fn only_faults_of_the_work_stick() {
        let fault = alone(3);
        for code in [1, 2, 600, 701, 999] {
            fault.note("malloc", ErrorCode::AllocationFailed, Failure(code), "", None);
            assert!(!fault.is_set(), "{code}");
            fault.check("malloc").unwrap();
        }
    }

    #[test]
    fn the_first_fault_is_the_one_told() {
        let fault = alone(3);
        let sync = ErrorCode::SynchronizationFailed;
        let first = fault.note("stream_synchronize", sync, Failure(700), "", Some("bn254_add"));
        assert_eq!(first.code, sync);
        fault.note("copy", ErrorCode::CopyFailed, Failure(719), "", None);
        let later = fault.check("malloc").unwrap_err();
        assert_eq!((later.code, later.op), (sync, "malloc"));
        let told = "cuda:3 is lost to an earlier fault: stream_synchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700); the last \
                    kernel launched was bn254_add; restart the process to use it again";
        assert_eq!(later.detail, told);
    }
    #[test]
    fn a_fault_that_spreads_names_where_it_began() {
        let of = process();
        let (one, other) = (of(0), of(1));
        one.note("msm", ErrorCode::CopyFailed, Failure(700), "", Some("bn254_msm"));
        other.check("copy").unwrap();
        let error = other.note("copy", ErrorCode::CopyFailed, Failure(700), "8 bytes", Some("bn254_add"));
        let told = "8 bytes: CUDA_ERROR_ILLEGAL_ADDRESS (700); the driver gave this up with cuda:0, which had failed before: \
                    msm: CUDA_ERROR_ILLEGAL_ADDRESS (700); the last kernel launched was bn254_msm";
        assert_eq!(error.detail, told);
        let later = other.check("malloc").unwrap_err();
        assert!(later.detail.starts_with("cuda:1 is lost to an earlier fault: copy: 8 bytes: "), "{later}");
        let again = one.note("msm", ErrorCode::CopyFailed, Failure(700), "", None);
        assert_eq!(again.detail, "CUDA_ERROR_ILLEGAL_ADDRESS (700)");
    }
}
