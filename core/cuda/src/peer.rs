//! Devices that reach each other's memory.

use super::driver::{self, Failure, Outcome};
use super::gpu::{Gpu, gpu};
use super::lock::lock;
use super::{fault, pool};
use icicle_device::Device;
use icicle_error::{Error, ErrorCode, Result};

const OP: &str = "peer_access";

fn index_of(device: Device) -> Result<u32> {
    match device.kind {
        icicle_device::DeviceKind::Cuda => Ok(device.index),
        icicle_device::DeviceKind::Cpu => {
            Err(Error::new(ErrorCode::InvalidDevice, OP, format!("{device}: must be CUDA")))
        }
    }
}

/// Whether kernels of device `from` can be allowed to reach the memory of device `to`.
///
/// # Errors
/// `InvalidDevice` if either is no CUDA device that exists.
pub fn can_access_peer(from: Device, to: Device) -> Result<bool> {
    let (from, to) = (index_of(from)?, index_of(to)?);
    let (here, _) = (gpu(OP, from)?, gpu(OP, to)?);
    if from == to {
        return Ok(true);
    }
    here.with(OP, ErrorCode::Internal, || driver::can_access_peer(from, to))
}

/// Allow kernels of device `from` to reach memory this library allocates on device `to`. Once allowed it stays so;
/// asking again costs a look-up. Copies between devices need no permission: the first one asks for it both ways.
///
/// # Errors
/// `Unsupported` if the machine cannot, `InvalidDevice` if either is no CUDA device that exists.
pub fn enable_peer_access(from: Device, to: Device) -> Result<()> {
    let (from, to) = (index_of(from)?, index_of(to)?);
    let (here, there) = (gpu(OP, from)?, gpu(OP, to)?);
    if from == to { Ok(()) } else { reach(here, there) }
}

/// Let `here` reach `there`'s memory, once; the answer is kept.
fn reach(here: &Gpu, there: &Gpu) -> Result<()> {
    let mut peers = lock(&here.peers);
    let index = there.device.index;
    if let Some(known) = peers.get(&index) {
        return known.clone();
    }
    let answer = allow(here, there);
    peers.insert(index, answer.clone());
    answer
}

/// Let `here` reach `there`'s context, and the memory of its pool: without the second, the driver takes copies of it over the
/// host's memory, a tenth as fast as NVLink.
fn allow(here: &Gpu, there: &Gpu) -> Result<()> {
    let (from, to) = (here.device.index, there.device.index);
    let enable = || -> Outcome<bool> {
        if !driver::can_access_peer(from, to)? {
            return Ok(false);
        }
        match driver::enable_peer_access(there.context) {
            Ok(()) | Err(Failure(fault::PEER_ACCESS_ALREADY_ENABLED)) => Ok(true),
            Err(failure) => Err(failure),
        }
    };
    let detail = || format!("{} to {}", here.device, there.device);
    if !here.with_detail(OP, ErrorCode::Unsupported, detail, enable)? {
        return Err(Error::unsupported(OP, format!("{}: the machine does not connect them", detail())));
    }
    there.with(OP, ErrorCode::Internal, || driver::pool_set_access(there.pool.handle(), from, true))?;
    if !here.with(OP, ErrorCode::Internal, || pool::copies_arrive(here, there))? {
        // A driver is known to copy nothing between such pools (NVIDIA bug 6098762): better no access than that.
        there.with(OP, ErrorCode::Internal, || driver::pool_set_access(there.pool.handle(), from, false))?;
        let detail = format!("{}: a copy after sharing the pool did not arrive", detail());
        return Err(Error::unsupported(OP, detail));
    }
    Ok(())
}

/// Connect two devices both ways where the machine can, for copies between them.
pub fn connect(one: u32, other: u32) {
    if let (Ok(one), Ok(other)) = (gpu(OP, one), gpu(OP, other)) {
        // Where they cannot be connected, the driver's copies go through the host.
        let _ = (reach(one, other), reach(other, one));
    }
}
