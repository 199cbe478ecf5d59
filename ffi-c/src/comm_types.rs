//! What describes collectives over the boundary: elements, reductions, calls, ids and options.

use crate::array_types::dtype;
use crate::flag::Flag;
use crate::ptr::{plain, versioned};
use crate::types::IcicleDevice;
use crate::{field, point};
use icicle::comm::{DataType, Kind, Options, ReduceOp};
use icicle::{Error, Result};
use std::ffi::c_void;
use std::time::Duration;

/// Kind of `icicle_comm_type_t`: numbers, of an `icicle_dtype_t`.
pub const ICICLE_COMM_NUMBERS: i32 = 0;
/// Kind of `icicle_comm_type_t`: canonical elements of a field.
pub const ICICLE_COMM_ELEMENTS: i32 = 1;
/// Kind of `icicle_comm_type_t`: projective points of a curve.
pub const ICICLE_COMM_POINTS: i32 = 2;

/// The type of a collective's elements.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CommType {
    /// An `ICICLE_COMM_` constant: numbers, elements of a field or points of a curve.
    pub kind: i32,
    /// The `icicle_dtype_t`, or the number of the field or of the curve.
    pub number: i32,
}

impl CommType {
    pub(crate) fn to_core(self, op: &'static str) -> Result<DataType> {
        Ok(match self.kind {
            ICICLE_COMM_NUMBERS => dtype(op, self.number)?.into(),
            ICICLE_COMM_ELEMENTS => field::by_number(op, self.number)?.into(),
            ICICLE_COMM_POINTS => point::by_number(op, self.number)?.into(),
            kind => {
                let rule = "must be ICICLE_COMM_NUMBERS, ICICLE_COMM_ELEMENTS or ICICLE_COMM_POINTS";
                return Err(Error::argument(op, format!("type kind {kind}: {rule}")));
            }
        })
    }
}

/// Reduction: the sum. Integers wrap; booleans: whether any is true. 16-bit floats are summed in float32 and rounded once.
pub const ICICLE_REDUCE_SUM: i32 = 1;
/// Reduction: the product, as the sum; booleans: whether all are true.
pub const ICICLE_REDUCE_PROD: i32 = 2;
/// Reduction: the smallest; NaN if any is.
pub const ICICLE_REDUCE_MIN: i32 = 3;
/// Reduction: the largest; NaN if any is.
pub const ICICLE_REDUCE_MAX: i32 = 4;
/// Reduction: the sum, divided by the number of ranks; integers towards zero.
pub const ICICLE_REDUCE_AVG: i32 = 5;

/// The reduction of an `ICICLE_REDUCE_` constant.
pub(crate) fn reduction(op: &'static str, number: i32) -> Result<ReduceOp> {
    let found = ReduceOp::ALL.into_iter().find(|reduce| i32::from(reduce.number()) == number);
    found.ok_or_else(|| Error::argument(op, format!("reduce {number}: must be an ICICLE_REDUCE_ constant")))
}

/// Operation of `icicle_comm_call_t`: `icicle_comm_all_reduce`.
pub const ICICLE_COMM_ALL_REDUCE: i32 = 1;
/// Operation of `icicle_comm_call_t`: `icicle_comm_broadcast`.
pub const ICICLE_COMM_BROADCAST: i32 = 2;
/// Operation of `icicle_comm_call_t`: `icicle_comm_reduce`.
pub const ICICLE_COMM_REDUCE: i32 = 3;
/// Operation of `icicle_comm_call_t`: `icicle_comm_all_gather`.
pub const ICICLE_COMM_ALL_GATHER: i32 = 4;
/// Operation of `icicle_comm_call_t`: `icicle_comm_reduce_scatter`.
pub const ICICLE_COMM_REDUCE_SCATTER: i32 = 5;
/// Operation of `icicle_comm_call_t`: `icicle_comm_all_to_all`.
pub const ICICLE_COMM_ALL_TO_ALL: i32 = 6;
/// Operation of `icicle_comm_call_t`: `icicle_comm_gather`.
pub const ICICLE_COMM_GATHER: i32 = 7;
/// Operation of `icicle_comm_call_t`: `icicle_comm_scatter`.
pub const ICICLE_COMM_SCATTER: i32 = 8;
/// Operation of `icicle_comm_call_t`: `icicle_comm_send`.
pub const ICICLE_COMM_SEND: i32 = 9;
/// Operation of `icicle_comm_call_t`: `icicle_comm_recv`.
pub const ICICLE_COMM_RECV: i32 = 10;
/// Operation of `icicle_comm_call_t`: `icicle_comm_barrier`.
pub const ICICLE_COMM_BARRIER: i32 = 11;

/// One call of `icicle_comm_group`. What an operation has no argument for does not count.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CommCall {
    /// `sizeof` this struct.
    pub struct_size: usize,
    /// The communicator.
    pub comm: *mut c_void,
    /// An `ICICLE_COMM_` constant: which operation.
    pub operation: i32,
    /// An `ICICLE_REDUCE_` constant.
    pub reduce: i32,
    /// The type of elements.
    pub r#type: CommType,
    /// The operation's count.
    pub count: u64,
    /// The root, or the other end of a transfer.
    pub peer: i32,
    /// What is sent.
    pub send: *const c_void,
    /// Where to receive.
    pub recv: *mut c_void,
    /// As of the operation.
    pub stream: *mut c_void,
}

plain! { CommType { kind, number } CommCall { struct_size, comm, operation, reduce, r#type, count, peer, send, recv, stream } }
versioned! { CommCall CommConfig CommInfo }

impl Default for CommCall {
    fn default() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            comm: std::ptr::null_mut(),
            operation: 0,
            reduce: ICICLE_REDUCE_SUM,
            r#type: CommType { kind: ICICLE_COMM_NUMBERS, number: 0 },
            count: 0,
            peer: 0,
            send: std::ptr::null(),
            recv: std::ptr::null_mut(),
            stream: std::ptr::null_mut(),
        }
    }
}

/// The operation of an `ICICLE_COMM_` constant.
pub(crate) fn operation(op: &'static str, number: i32) -> Result<Kind> {
    let found = Kind::ALL.into_iter().find(|&kind| kind as i32 == number);
    found.ok_or_else(|| Error::argument(op, format!("operation {number}: must be an ICICLE_COMM_ constant")))
}

/// What the ranks of one communicator find each other by, once. It is a secret: who has it may be a rank.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CommId {
    /// To be copied to the other ranks as they are.
    pub bytes: [u8; 128],
}

plain! { CommId { bytes } CommConfig { struct_size, timeout_seconds, check, ordered } }

/// Options of a new communicator, which those split off it have too. Begin with `icicle_comm_config_default`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CommConfig {
    /// `sizeof` this struct, as `icicle_comm_config_default` sets it.
    pub struct_size: usize,
    /// How long a call waits for ranks that do not come or do not go on, before it fails and names them.
    pub timeout_seconds: f64,
    /// Exchange what every rank is about to do first, so that calls that do not match are an error before any data is
    /// sent. Ranks of one process are always compared. All ranks set it alike.
    pub check: Flag,
    /// On GPUs: reduce numbers in the order of ranks, as CPU devices always do, so that floats have the same bits as there. Else
    /// NCCL, where it carries, reduces those that it has. All ranks set it alike.
    pub ordered: Flag,
}

impl Default for CommConfig {
    fn default() -> Self {
        let Options { timeout, check, ordered } = Options::default();
        Self {
            struct_size: size_of::<Self>(),
            timeout_seconds: timeout.as_secs_f64(),
            check: check.into(),
            ordered: ordered.into(),
        }
    }
}

impl CommConfig {
    pub(crate) fn to_core(self, op: &'static str) -> Result<Options> {
        let seconds = self.timeout_seconds;
        let rule = || Error::argument(op, format!("timeout_seconds {seconds}: must be a positive number of seconds"));
        let timeout = Duration::try_from_secs_f64(seconds).ok().filter(|timeout| !timeout.is_zero());
        let options = Options::default().timeout(timeout.ok_or_else(rule)?);
        Ok(options.check(self.check != 0).ordered(self.ordered != 0))
    }
}

/// What a communicator is.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CommInfo {
    /// `sizeof` this struct, which you set; after the call the bytes of it that were written.
    pub struct_size: usize,
    /// This rank, from 0.
    pub rank: i32,
    /// How many ranks there are.
    pub size: i32,
    /// This rank's device.
    pub device: IcicleDevice,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_are_options() {
        let default = CommConfig::default();
        assert_eq!(default.to_core("test").unwrap(), Options::default());
        let options = CommConfig { timeout_seconds: 2.5, check: 1, ordered: 1, ..default }.to_core("test").unwrap();
        assert_eq!(options, Options { timeout: Duration::from_millis(2500), check: true, ordered: true });
        let options = CommConfig { check: 0, ordered: 0, ..default }.to_core("test").unwrap();
        assert_eq!((options.check, options.ordered), (false, false));
    }

    /// The constants are written by hand for the header's sake; their numbers are the core's.
    #[test]
    fn constants_are_the_cores_numbers() {
        let text = include_str!("comm_types.rs");
        let constant = |name: String, number: i32| text.contains(&format!("pub const {name}: i32 = {number};"));
        for kind in Kind::ALL {
            assert!(constant(format!("ICICLE_COMM_{}", kind.op().to_uppercase()), kind as i32), "{kind:?}");
            assert_eq!(operation("op", kind as i32).unwrap(), kind);
        }
        for reduce in ReduceOp::ALL {
            let number = i32::from(reduce.number());
            assert!(constant(format!("ICICLE_REDUCE_{}", reduce.name().to_uppercase()), number), "{reduce:?}");
            assert_eq!(reduction("op", number).unwrap(), reduce);
        }
        assert!(operation("op", 0).is_err() && operation("op", 12).is_err() && reduction("op", 0).is_err());
    }

    #[test]
    fn timeouts_are_positive_numbers_of_seconds() {
        let with = |timeout_seconds| CommConfig { timeout_seconds, ..CommConfig::default() }.to_core("op");
        assert_eq!(with(0.25).unwrap().timeout, Duration::from_millis(250));
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert!(with(wrong).unwrap_err().detail.contains("must be a positive number"), "{wrong}");
        }
    }
}
