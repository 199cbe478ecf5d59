//! Groups of devices that work as one.

use crate::shares::{self, Speeds};
use crate::workers::{Workers, attempt};
use crate::{JobHandle, Stream, StreamRef};
use icicle_device::sync::{Mutex, PoisonError};
use icicle_device::{Device, DeviceKind};
use icicle_error::{Error, Result, reserve};
use std::ops::Range;
use std::time::Duration;

/// Devices that work as one: each has a thread of the group's with the device current, and streams made once.
///
/// Dropping a group waits for its jobs and ends its threads. A group is shared among threads by reference.
#[derive(Debug)]
pub struct DeviceGroup {
    devices: Vec<Device>,
    workers: Workers,
    /// Each device's part of the work, where the caller chose it.
    chosen: Option<Vec<f64>>,
    /// Each device's part of the work to begin with.
    expected: Vec<f64>,
    /// How fast each was at what was divided before.
    speeds: Speeds,
    /// Streams of each device, made as they are first asked for and kept.
    streams: Vec<Streams>,
}

/// A device's streams, by lane.
#[derive(Debug, Default)]
struct Streams {
    plain: Mutex<Vec<Stream>>,
    urgent: Mutex<Vec<Stream>>,
}

/// Which operation of a group an error is about.
const OP: &str = "group";

/// A device does at least this part of what the fastest does, or it is left out of work that is split once: what it adds
/// would be less than what can go wrong in the estimate.
const WORTHWHILE: f64 = 0.1;

impl DeviceGroup {
    /// A group of devices, of any kinds.
    ///
    /// # Errors
    /// `InvalidArgument` if there are none or one is named twice; `InvalidDevice` if one does not exist; `Internal` if the
    /// system refuses a thread.
    pub fn new(devices: &[Device]) -> Result<Self> {
        if devices.is_empty() {
            return Err(Error::argument(OP, "devices: must be at least one"));
        }
        for (i, device) in devices.iter().enumerate() {
            if devices[..i].contains(device) {
                return Err(Error::argument(OP, format!("devices: {device} is named twice")));
            }
        }
        let expected = shares::expected(devices)?;
        let workers = Workers::new();
        devices.iter().try_for_each(|&device| workers.start(device))?;
        let streams = devices.iter().map(|_| Streams::default()).collect();
        let speeds = Speeds::default();
        Ok(Self { devices: devices.to_vec(), workers, chosen: None, expected, speeds, streams })
    }

    /// Every GPU of the machine, or where there is none every CPU device.
    ///
    /// # Errors
    /// As [`DeviceGroup::new`].
    pub fn all() -> Result<Self> {
        let all = crate::devices();
        let gpus: Vec<Device> = all.iter().copied().filter(|device| device.kind == DeviceKind::Cuda).collect();
        Self::new(if gpus.is_empty() { &all } else { &gpus })
    }

    /// The same group with a fixed part of the work for each device, in proportion to the numbers. One operation is then
    /// split so among all devices, also where fewer would be faster; a device of share 0 gets none of it.
    ///
    /// # Errors
    /// `InvalidArgument` if there is not one number a device, one is negative or not finite, or all are zero.
    pub fn with_shares(mut self, shares: &[f64]) -> Result<Self> {
        shares::checked(OP, shares, self.devices.len())?;
        self.chosen = Some(shares.to_vec());
        Ok(self)
    }

    /// The devices, in the order they were given; a device's place in it is its position.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// Each device's part of the work, as numbers in proportion: those chosen, else by speed.
    pub fn shares(&self) -> &[f64] {
        self.chosen.as_deref().unwrap_or(&self.expected)
    }

    /// The device of a position.
    ///
    /// # Errors
    /// `InvalidArgument` if there is none.
    pub fn device(&self, position: usize) -> Result<Device> {
        let none = || Error::argument(OP, format!("position {position}: the group has {} devices", self.devices.len()));
        self.devices.get(position).copied().ok_or_else(none)
    }

    /// Run a job on a device's thread, with the device current. Jobs of one device run one after another, in order; where
    /// many wait already, this waits, too.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no such position.
    pub fn submit<T, F>(&self, position: usize, job: F) -> Result<JobHandle<T>>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        let device = self.device(position)?;
        self.workers.run_on(device, move || job().map_err(|error| named(device, error)))
    }

    /// Run `job(device, position)` on every device at once and wait for all: the last one's on the calling thread, in place of its
    /// own, if that has nothing else to do. Results are in the devices' order.
    pub fn on_each<T, F>(&self, job: F) -> Vec<Result<T>>
    where
        T: Send,
        F: Fn(Device, usize) -> Result<T> + Sync,
    {
        let named = |device: Device, position| job(device, position).map_err(|error| named(device, error));
        self.workers.on_each(&self.devices, named)
    }

    /// As [`DeviceGroup::on_each`], on some of the devices, by position: the others' results are none. One device alone is
    /// worked on by the calling thread, with the device current: handing over would take longer than short work.
    ///
    /// # Errors
    /// The first of the jobs'.
    pub fn on_some<T, F>(&self, takes_part: impl Fn(usize) -> bool, job: F) -> Result<Vec<Option<T>>>
    where
        T: Send,
        F: Fn(Device, usize) -> Result<T> + Sync,
    {
        let positions: Vec<usize> = (0..self.devices.len()).filter(|&position| takes_part(position)).collect();
        let devices: Vec<Device> = positions.iter().map(|&position| self.devices[position]).collect();
        let run = |device: Device, i: usize| job(device, positions[i]).map_err(|error| named(device, error));
        let mut results: Vec<Option<T>> = self.devices.iter().map(|_| None).collect();
        let answers = match devices[..] {
            [device] => vec![attempt(device, || run(device, 0))],
            _ => self.workers.on_each(&devices, run),
        };
        for (&position, result) in positions.iter().zip(answers) {
            results[position] = Some(result?);
        }
        Ok(results)
    }

    /// Divide an operation over `n` elements among the devices: by the shares chosen; else, by the speeds that were
    /// [recorded](DeviceGroup::record) of it, among those that are worth it, if each gets at least `least` elements. Virtual CPU devices have the same cores: without chosen shares one of them
    /// does the work of all. Boundaries are multiples of `granule`; a device that takes no part has an empty range.
    pub fn divide(&self, op: &'static str, n: usize, granule: usize, least: usize) -> Vec<Range<usize>> {
        if let Some(chosen) = &self.chosen {
            return shares::divide(n, granule, chosen);
        }
        shares::divide(n, granule, &self.worthwhile(op, n / least.max(1)))
    }

    /// Remember how long the device of a position took for `units` of an operation's work.
    pub fn record(&self, op: &'static str, position: usize, units: usize, time: Duration) {
        self.speeds.record(op, &self.expected, position, units as f64 / time.as_secs_f64().max(f64::MIN_POSITIVE));
    }

    /// Whether dividing work gains nothing: all devices are virtual ones of the same processor, and no shares were chosen.
    pub fn is_one_processor(&self) -> bool {
        self.chosen.is_none() && self.devices.iter().all(|device| device.kind == DeviceKind::Cpu)
    }

    /// The speeds of at most so many devices that are worth it, the fastest first; zero for the others.
    fn worthwhile(&self, op: &'static str, most: usize) -> Vec<f64> {
        let mut speeds = self.speeds.of(op, &self.expected);
        let mut cpu = None;
        for (i, device) in self.devices.iter().enumerate() {
            match (device.kind, cpu) {
                (DeviceKind::Cpu, None) => cpu = Some(i),
                // What was measured of the first, it reached with all cores.
                (DeviceKind::Cpu, Some(first)) => {
                    let more = std::mem::take(&mut speeds[i]);
                    speeds[first] += if self.speeds.knows(op, first) { 0.0 } else { more };
                }
                (DeviceKind::Cuda, _) => {}
            }
        }
        let mut order: Vec<usize> = (0..speeds.len()).collect();
        order.sort_by(|&a, &b| speeds[b].total_cmp(&speeds[a]));
        let fastest = speeds[order[0]];
        for (rank, &i) in order.iter().enumerate() {
            if rank >= most.max(1) || speeds[i] < WORTHWHILE * fastest {
                speeds[i] = 0.0;
            }
        }
        speeds
    }

    /// Whether jobs run on the calling thread: it is one of a group's, or belongs to a forked child.
    pub(crate) fn is_inline(&self) -> bool {
        self.workers.inline()
    }

    /// The `lane`-th stream of a device, made at its first use and kept.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no such position; `StreamCreationFailed`; `OutOfMemory`.
    pub fn stream(&self, position: usize, lane: usize) -> Result<StreamRef> {
        let device = self.device(position)?;
        kept(&self.streams[position].plain, lane, || Stream::non_blocking(device))
    }

    /// The `lane`-th stream of a device whose work goes before that of the others.
    ///
    /// # Errors
    /// As [`DeviceGroup::stream`].
    pub(crate) fn urgent_stream(&self, position: usize, lane: usize) -> Result<StreamRef> {
        let device = self.device(position)?;
        kept(&self.streams[position].urgent, lane, || Stream::urgent(device))
    }

    /// Wait for every stream made so far, also if one failed.
    ///
    /// # Errors
    /// The first failure.
    pub(crate) fn drain(&self) -> Result<()> {
        let lists = self.streams.iter().flat_map(|streams| [&streams.plain, &streams.urgent]);
        let mut result = Ok(());
        for list in lists {
            // Waits without the lock.
            let of = |lane: usize| list.lock().unwrap_or_else(PoisonError::into_inner).get(lane).map(Stream::as_ref);
            for stream in (0..).map_while(of) {
                result = result.and(stream.synchronize());
            }
        }
        result
    }
}

/// A stream of a list, which is made longer if it is too short.
fn kept(list: &Mutex<Vec<Stream>>, lane: usize, make: impl Fn() -> Result<Stream>) -> Result<StreamRef> {
    let mut streams = list.lock().unwrap_or_else(PoisonError::into_inner);
    while streams.len() <= lane {
        reserve::push(OP, &mut streams, make()?)?;
    }
    Ok(streams[lane].as_ref())
}

/// An error that names its device.
pub(crate) fn named(device: Device, error: Error) -> Error {
    let name = device.to_string();
    match error.detail.contains(&name) {
        true => error,
        false => Error { detail: format!("on {name}: {}", error.detail), ..error },
    }
}
