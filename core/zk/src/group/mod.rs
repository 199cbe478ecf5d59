//! Operations over a group of devices: one call, divided among them, with the result of one device.
//!
//! Operands are whole vectors, on the host or one device, or sharded ones over the group. Calls are complete when they
//! return; if one device fails for memory or a copy, the others may have written their parts. Where the group would not be
//! faster than its fastest device, that one does the work, unless shares were chosen.

pub mod msm;
pub mod polynomial;
pub mod program;
mod steps;
pub mod transform;
pub mod vector;

pub use msm::{msm, precompute};
pub use polynomial::evaluate;
pub use program::execute;
pub use transform::{init_domain, ntt, release_domain};
pub use vector::{accumulate, binary, convert_montgomery, invert, mixed_mul, reduce, scalar};

use icicle_device::{Device, Place};
use icicle_error::{Error, ErrorCode, Result};
use icicle_runtime::divided::Input;
use icicle_runtime::{DeviceGroup, Launch};
use std::ops::Range;

/// A group's call runs on the group's threads and streams: the caller's stream is not for it.
fn no_stream(op: &'static str, launch: &Launch) -> Result<()> {
    match launch.stream.is_some() || launch.is_async {
        true => Err(Error::argument(op, "stream or is_async: a group's call has its own streams and waits")),
        false => Ok(()),
    }
}

/// Whether a device has a part of the work.
fn takes_part(ranges: &[Range<usize>]) -> impl Fn(usize) -> bool + '_ {
    |position| !ranges[position].is_empty()
}

/// The device that does alone what is not divided: the operands' own if it is of the group, else the one of most work.
fn alone(group: &DeviceGroup, inputs: &[&Input<'_>], written: Option<Place>) -> usize {
    let whole = |input: &&Input<'_>| match input {
        Input::Whole(src) => Some(src.place()),
        Input::Sharded(_) => None,
    };
    let own = |place: Place| group.devices().iter().position(|&device| Place::Device(device) == place);
    let shares = group.shares();
    let most = || (0..shares.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b]));
    written.into_iter().chain(inputs.iter().filter_map(whole)).find_map(own).or_else(most).unwrap_or(0)
}

/// All of the work for one device.
fn all_for(group: &DeviceGroup, position: usize, n: usize) -> Vec<Range<usize>> {
    (0..group.devices().len()).map(|i| if i == position { 0..n } else { 0..0 }).collect()
}

/// How many devices have a part of the work.
fn workers(ranges: &[Range<usize>]) -> usize {
    ranges.iter().filter(|range| !range.is_empty()).count()
}

/// Run a job on the thread of one device.
fn on_one<T: Send>(group: &DeviceGroup, position: usize, job: impl Fn(Device) -> Result<T> + Sync) -> Result<T> {
    let results = group.on_some(|i| i == position, |device, _| job(device))?;
    let none = || Error::new(ErrorCode::Internal, "group", "a job without a result");
    results.into_iter().flatten().next().ok_or_else(none)
}
