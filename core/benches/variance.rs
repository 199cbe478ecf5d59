//! Why sums over several GPUs vary: `cargo bench -p icicle-compute --bench variance -- [CALLS]`. Prints, for one device and for
//! all, how long a sum of 30 million words takes to the scalar on the host, with one thing after another done afresh in each
//! call instead of once; then every time in microseconds, for `variance.py` beside this to draw.
#![allow(missing_docs, clippy::unwrap_used)]

use icicle::device::{DeviceKind, Stream, StreamRef, devices};
use icicle::ops::vector::{Reduce, VectorConfig, reduce};
use icicle::{Buffer, Device, DeviceGroup, FieldId, Launch};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const FIELD: FieldId = FieldId::BabyBearScalar;
const WORDS: usize = 30_000_000;

/// What a call does afresh.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// Nothing: a group's threads, a stream each, results in memory made once.
    Kept,
    /// A thread for each device.
    Thread,
    /// A stream for each device.
    Stream,
    /// Memory of 64 MiB on each device, given back to the system by [`icicle::device::trim`].
    Memory,
    /// Nothing, but the work is on the default stream, on which another thread of the program works, too.
    Default,
    /// Nothing, but 20 ms pass before each call, in which devices and threads idle.
    Idle,
    /// Nothing, but 20 ms pass before each call, in which devices idle and threads do not.
    IdleDevices,
    /// Nothing, but 20 ms pass before each call, in which threads idle and devices do not.
    IdleThreads,
    /// A thread and a stream, as tasks of a language that gives each task its own.
    Task,
}

const WAYS: [(Way, &str); 9] = [
    (Way::Kept, "kept"),
    (Way::Thread, "fresh thread"),
    (Way::Stream, "fresh stream"),
    (Way::Task, "fresh thread and stream"),
    (Way::Memory, "fresh memory"),
    (Way::Default, "default stream, shared"),
    (Way::Idle, "after 20 ms of idling"),
    (Way::IdleDevices, "after 20 ms, devices idle"),
    (Way::IdleThreads, "after 20 ms, threads idle"),
];

const REST: Duration = Duration::from_millis(20);

impl Way {
    fn rests(self) -> bool {
        matches!(self, Self::Idle | Self::IdleDevices | Self::IdleThreads)
    }

    /// What a group does before a call.
    fn rest(self, group: &DeviceGroup) {
        match self {
            Self::IdleDevices => group.on_each(|_, _| spin(REST)).into_iter().for_each(Result::unwrap),
            way if way.rests() => std::thread::sleep(REST),
            _ => {}
        }
    }
}

fn spin(time: Duration) -> icicle::Result<()> {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
    Ok(())
}

/// Let devices add words up again and again, on their default streams or on others, with pauses in which others get through.
fn keep_busy(devices: &[Device], on_default: bool, stop: &AtomicBool) {
    let few = 4 << 20;
    let words: Vec<_> =
        devices.iter().map(|&device| Buffer::from_slice_on(device, &vec![1u32; few]).unwrap()).collect();
    let streams: Vec<_> = devices.iter().map(|&device| Stream::non_blocking(device).unwrap().as_ref()).collect();
    while !stop.load(Ordering::Relaxed) {
        for (words, stream) in words.iter().zip(&streams) {
            let stream = (!on_default).then(|| stream.clone());
            let config = VectorConfig { launch: Launch { stream, is_async: false }, ..VectorConfig::default() };
            reduce(Reduce::Sum, FIELD, few, words.into(), &config, (&mut [0u32][..]).into()).unwrap();
        }
        std::thread::sleep(Duration::from_micros(300));
    }
}

/// The sum of a device's words.
fn sum(device: Device, data: &Buffer<u32>, stream: Option<&StreamRef>, way: Way) -> u32 {
    let own;
    let stream = match way {
        Way::Stream | Way::Task => {
            own = Stream::non_blocking(device).unwrap().as_ref();
            Some(own)
        }
        Way::Default => None,
        _ => stream.cloned(),
    };
    let memory = (way == Way::Memory).then(|| Buffer::<u8>::on(device, 64 << 20).unwrap());
    let config = VectorConfig { launch: Launch { stream, is_async: false }, ..VectorConfig::default() };
    let mut out = [0u32];
    reduce(Reduce::Sum, FIELD, WORDS, data.into(), &config, (&mut out[..]).into()).unwrap();
    if memory.is_some() {
        drop(memory);
        icicle::device::trim(device, 0).unwrap();
    }
    out[0]
}

fn call(group: &DeviceGroup, parts: &[Buffer<u32>], streams: &[StreamRef], way: Way) -> u32 {
    let one = |position: usize| sum(group.devices()[position], &parts[position], Some(&streams[position]), way);
    let sums: Vec<u32> = match way {
        Way::Thread | Way::Task => std::thread::scope(|scope| {
            let threads: Vec<_> = (0..parts.len()).map(|position| scope.spawn(move || one(position))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        }),
        _ => group.on_each(|_, position| Ok(one(position))).into_iter().map(Result::unwrap).collect(),
    };
    sums.iter().fold(0, |sum, part| (sum + part) % 2_013_265_921)
}

fn measure(group: &DeviceGroup, calls: usize) {
    let count = group.devices().len();
    let data = vec![1u32; WORDS];
    let parts: Vec<_> = group.devices().iter().map(|&device| Buffer::from_slice_on(device, &data).unwrap()).collect();
    let streams: Vec<_> = (0..count).map(|position| group.stream(position, 0).unwrap()).collect();
    for (way, name) in WAYS {
        let stop = AtomicBool::new(false);
        let mut times = Vec::with_capacity(calls);
        std::thread::scope(|scope| {
            if matches!(way, Way::Default | Way::IdleThreads) {
                scope.spawn(|| keep_busy(group.devices(), way == Way::Default, &stop));
            }
            let calls = if way.rests() { calls.div_ceil(10) } else { calls };
            for i in 0..calls + 5 {
                way.rest(group);
                let start = Instant::now();
                let sum = call(group, &parts, &streams, way);
                let time = start.elapsed().as_secs_f64() * 1e6;
                assert_eq!(sum as usize, WORDS * count % 2_013_265_921);
                if i >= 5 {
                    times.push(time);
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
        times.sort_by(f64::total_cmp);
        let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
        println!(
            "{count} devices, {name:24} min {:8.1}  median {:8.1}  p99 {:8.1}  max {:8.1} us, p99/median {:.2}",
            at(0.0),
            at(0.5),
            at(0.99),
            at(1.0),
            at(0.99) / at(0.5)
        );
        let listed: Vec<String> = times.iter().map(|time| format!("{time:.1}")).collect();
        println!("times\t{count}\t{name}\t{}", listed.join(" "));
    }
}

fn main() {
    let calls = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(1000);
    let gpus: Vec<Device> = devices().into_iter().filter(|device| device.kind == DeviceKind::Cuda).collect();
    let all = if gpus.is_empty() { devices() } else { gpus };
    measure(&DeviceGroup::new(&all[..1]).unwrap(), calls);
    if all.len() > 1 {
        measure(&DeviceGroup::new(&all).unwrap(), calls);
    }
}
