//! How devices are linked, and how fast.

use crate::{Buffer, DeviceGroup, device_info, registry};
use icicle_device::{Device, DeviceInfo, DeviceKind};
use icicle_error::Result;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// How a copy goes from one device to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Link {
    /// Both have the same memory.
    SameMemory = 0,
    /// Directly, such as over NVLink or PCIe.
    Peer = 1,
    /// Over the host's memory.
    Host = 2,
}

impl Link {
    /// The name, the same in all languages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SameMemory => "same memory",
            Self::Peer => "peer",
            Self::Host => "host",
        }
    }
}

/// How copies go from a device to another.
///
/// # Errors
/// `InvalidDevice` if either does not exist.
pub fn link(from: Device, to: Device) -> Result<Link> {
    let backend = registry::backend(from)?;
    registry::backend(to)?;
    Ok(match (from.kind, to.kind) {
        _ if from == to => Link::SameMemory,
        (DeviceKind::Cpu, DeviceKind::Cpu) => Link::SameMemory,
        (DeviceKind::Cuda, DeviceKind::Cuda) if backend.reaches(from.index, to.index)? => Link::Peer,
        _ => Link::Host,
    })
}

/// Bytes copied to measure a link: long enough for the largest one to be busy.
const BYTES: usize = 64 << 20;

/// Copies of which the fastest counts.
const COPIES: usize = 5;

/// Bytes a second of copies from a device to another, measured at the first call (five copies of 64 MiB, of which the
/// fastest counts) and then kept for the process.
///
/// # Errors
/// `InvalidDevice` if either does not exist; `OutOfMemory`; `CopyFailed`.
pub fn link_speed(from: Device, to: Device) -> Result<f64> {
    static MEASURED: Mutex<BTreeMap<(Device, Device), f64>> = Mutex::new(BTreeMap::new());
    // Held while measuring, so that two measurements do not share a link.
    let mut measured = MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&speed) = measured.get(&(from, to)) {
        return Ok(speed);
    }
    let source = Buffer::<u8>::zeroed_on(from, BYTES)?;
    let mut copy = source.to_device(to)?;
    let mut fastest = f64::INFINITY;
    for _ in 0..COPIES {
        let start = Instant::now();
        copy.copy_from(&source)?;
        fastest = fastest.min(start.elapsed().as_secs_f64());
    }
    let speed = BYTES as f64 / fastest;
    measured.insert((from, to), speed);
    Ok(speed)
}

/// What a group is made of.
#[derive(Clone, Debug)]
pub struct GroupInfo {
    /// Its devices.
    pub devices: Vec<DeviceInfo>,
    /// Each device's part of the work, as numbers in proportion.
    pub shares: Vec<f64>,
    /// How copies go: of each device to each.
    pub links: Vec<Vec<Link>>,
}

impl DeviceGroup {
    /// The devices, their shares and links.
    ///
    /// # Errors
    /// That of the device asked.
    pub fn info(&self) -> Result<GroupInfo> {
        let devices = self.devices();
        let row = |&from: &Device| devices.iter().map(|&to| link(from, to)).collect::<Result<Vec<_>>>();
        Ok(GroupInfo {
            devices: devices.iter().map(|&device| device_info(device)).collect::<Result<_>>()?,
            shares: self.shares().to_vec(),
            links: devices.iter().map(row).collect::<Result<_>>()?,
        })
    }
}
