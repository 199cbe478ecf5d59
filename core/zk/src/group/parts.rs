//! Which device does which part of a call, and where it writes.

use icicle_device::{Device, Dst, Place};
use icicle_error::{Error, ErrorCode, Result};
use icicle_runtime::divided::Input;
use icicle_runtime::{Buffer, DeviceGroup, Launch, transfer};
use std::ops::Range;

/// A group's call runs on the group's threads and streams: the caller's stream is not for it.
pub(super) fn no_stream(op: &'static str, launch: &Launch) -> Result<()> {
    match launch.stream.is_some() || launch.is_async {
        true => Err(Error::argument(op, "stream or is_async: a group's call has its own streams and waits")),
        false => Ok(()),
    }
}

/// Whether a device has a part of the work.
pub(super) fn takes_part(ranges: &[Range<usize>]) -> impl Fn(usize) -> bool + '_ {
    |position| !ranges[position].is_empty()
}

/// The device that does alone what is not divided: the operands' own if it is of the group, else the first of those of most work.
pub(super) fn alone(group: &DeviceGroup, inputs: &[&Input<'_>], written: Option<Place>) -> usize {
    let whole = |input: &&Input<'_>| match input {
        Input::Whole(src) => Some(src.place()),
        Input::Sharded(_) => None,
    };
    let own = |place: Place| group.devices().iter().position(|&device| Place::Device(device) == place);
    let found = written.into_iter().chain(inputs.iter().filter_map(whole)).find_map(own);
    found.unwrap_or_else(|| fastest(group.shares()))
}

/// The first of the largest shares.
fn fastest(shares: &[f64]) -> usize {
    (0..shares.len()).rev().max_by(|&a, &b| shares[a].total_cmp(&shares[b])).unwrap_or(0)
}

/// All of the work for one device.
pub(super) fn all_for(group: &DeviceGroup, position: usize, n: usize) -> Vec<Range<usize>> {
    (0..group.devices().len()).map(|i| if i == position { 0..n } else { 0..0 }).collect()
}

/// How many devices have a part of the work.
pub(super) fn workers(ranges: &[Range<usize>]) -> usize {
    ranges.iter().filter(|range| !range.is_empty()).count()
}

/// Run a job on the thread of one device.
pub(super) fn on_one<T: Send>(
    group: &DeviceGroup,
    position: usize,
    job: impl Fn(Device) -> Result<T> + Sync,
) -> Result<T> {
    let results = group.on_some(|i| i == position, |device, _| job(device))?;
    let none = || Error::new(ErrorCode::Internal, "group", "a job without a result");
    results.into_iter().flatten().next().ok_or_else(none)
}

/// Run a device's part of a call on the memory it writes, or, where that lies on another device, on its own, from which the
/// result is copied.
pub(super) fn written_to(device: Device, to: Dst<'_>, job: impl FnOnce(Dst<'_>) -> Result<()>) -> Result<()> {
    if to.place() == Place::Host || to.place() == Place::Device(device) {
        return job(to);
    }
    let mut own = Buffer::<u8>::on(device, to.bytes())?;
    job((&mut own).into())?;
    transfer(to, (&own).into())
}

#[cfg(test)]
mod tests {
    use super::fastest;

    #[test]
    fn of_equal_devices_the_first_works_alone() {
        assert_eq!([&[1.0, 1.0, 1.0][..], &[1.0, 2.0, 2.0], &[3.0, 2.0], &[0.0]].map(fastest), [0, 1, 0, 0]);
    }
}
