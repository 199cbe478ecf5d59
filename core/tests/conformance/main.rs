//! Every operation × field or curve × edge size × placement, on each backend, against arithmetic that is not ours.
//!
//! Fields are checked against a big-integer oracle that reads nothing but the table ([`oracle`]); transforms against the
//! defining sum over it; curves against arkworks. A backend is attached with one line at the end of this file. A device
//! that this machine lacks is checked to say so.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod curves;
mod groups;
mod known;
mod matrices;
mod oracle;
mod points;
mod programs;
mod runs;
mod support;
mod transforms;
mod vectors;

use icicle::device::{Dst, Src};
use icicle::ops::{Domain, Op};
use std::sync::{Mutex, PoisonError};

use icicle::{Buffer, Device, DeviceGuard, ErrorCode, Result};

/// Where a run keeps its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Where {
    Host,
    Device,
}

pub const PLACES: [Where; 2] = [Where::Host, Where::Device];

/// Sizes around the edges of blocks and of parallelism.
pub const SIZES: [usize; 9] = [0, 1, 2, 3, 31, 32, 33, 257, 1024];

/// Call an operation on operands of 32-bit words at a place; the output's words, which start out poisoned.
pub fn call(
    place: Where,
    inputs: &[&[u32]],
    words: usize,
    f: impl FnOnce(&[Src<'_>], Dst<'_>) -> Result<()>,
) -> Vec<u32> {
    let mut out = vec![0xdead_beef; words];
    match place {
        Where::Host => {
            let srcs: Vec<Src> = inputs.iter().map(|words| Src::from(*words)).collect();
            f(&srcs, (&mut out).into()).unwrap();
        }
        Where::Device => {
            let buffers: Vec<Buffer<u32>> = inputs.iter().map(|words| Buffer::from_slice(words).unwrap()).collect();
            let srcs: Vec<Src> = buffers.iter().map(Src::from).collect();
            let mut device_out = Buffer::from_slice(&out).unwrap();
            f(&srcs, (&mut device_out).into()).unwrap();
            out = device_out.to_vec().unwrap();
        }
    }
    out
}

/// Whether the current device offers an operation; [`support`] checks that it says so truly.
pub fn offered(op: Op, domain: Domain) -> bool {
    icicle::device::supports(icicle::device::current_device(), op, domain).unwrap()
}

/// Run a check with a device current; where the machine lacks it, check that it says so.
pub fn on(device: Device, check: fn(Device)) {
    // Domains belong to the device: tests of one device take turns.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    match DeviceGuard::new(device) {
        Ok(_guard) => check(device),
        Err(error) => {
            assert_eq!(error.code, ErrorCode::InvalidDevice, "{error}");
            assert_ne!(device.kind, icicle::device::DeviceKind::Cpu, "{error}");
            assert!(!icicle::device::devices().contains(&device));
            println!("{device} is not on this machine: {error}");
        }
    }
}

/// Attach the whole suite to a device. Arguments: a name, the device.
macro_rules! conformance {
    ($name:ident, $device:expr) => {
        mod $name {
            #[test]
            fn support() {
                super::on($device, super::support::check);
            }
            #[test]
            fn vectors() {
                super::on($device, super::vectors::check);
            }
            #[test]
            fn matrices_and_polynomials() {
                super::on($device, super::matrices::check);
            }
            #[test]
            fn programs() {
                super::on($device, super::programs::check);
            }
            #[test]
            fn transforms() {
                super::on($device, super::transforms::check);
            }
            #[test]
            fn runs_of_equal_digits() {
                super::on($device, super::runs::check);
            }
            #[test]
            fn curves() {
                super::on($device, super::curves::check);
            }
        }
    };
}

conformance!(cpu, icicle::Device::cpu(0));
conformance!(cuda, icicle::Device::cuda(0));
