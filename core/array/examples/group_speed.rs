//! Times of sums and products of arrays over the machine's GPUs beside those of one, by turns, each after an untimed one: medians
//! and 99th percentiles with the result on the host. With an argument, so many millionths of the sizes.
#![allow(clippy::unwrap_used)]

use icicle_array::{Array, DType, Placement, Scalar, ShardedArray, full};
use icicle_device::{Device, DeviceKind};
use icicle_runtime::{DeviceGroup, devices};
use std::hint::black_box;
use std::time::Instant;

fn times(name: &str, gigabytes: f64, runs: usize, groups: &[DeviceGroup], work: impl Fn(&DeviceGroup, usize)) {
    let mut all = vec![Vec::new(); groups.len()];
    for run in 0..runs + 3 {
        for (i, group) in groups.iter().enumerate() {
            // What idled while another group ran is awake then.
            work(group, i);
            let start = Instant::now();
            work(group, i);
            if run >= 3 {
                all[i].push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    let mut medians = Vec::new();
    for (group, times) in groups.iter().zip(&mut all) {
        times.sort_by(f64::total_cmp);
        let (median, late) = (times[runs / 2], times[runs * 99 / 100]);
        medians.push(median);
        let speed = gigabytes / median * 1e3;
        println!("{name:28} {} devices {median:9.4} ms  p99 {late:9.4}  {speed:6.0} GB/s", group.devices().len());
    }
    println!("{name:28} ratio {:.2}", medians[0] / medians[medians.len() - 1]);
}

fn main() {
    let part = std::env::args().nth(1).map_or(1.0, |arg| arg.parse::<f64>().unwrap() * 1e-6);
    let of = |n: usize| ((n as f64 * part) as usize).max(2);
    let gpus: Vec<Device> = devices().into_iter().filter(|device| device.kind == DeviceKind::Cuda).collect();
    let all = if gpus.is_empty() { devices() } else { gpus };
    let groups = [&all[..1], &all[..]].map(|devices| DeviceGroup::new(devices).unwrap());
    let ones = |shape: &[usize]| full(Device::cpu(0), shape, Scalar::Int(1), DType::Float32).unwrap();
    let on = |array: &Array, placement: Placement| {
        groups.each_ref().map(|group| ShardedArray::scatter(group, array, placement).unwrap())
    };
    for (n, runs) in [(of(30_000_000), 1000), (of(1_000_000_000), 101), (of(4_000_000_000), 21)] {
        let x = on(&ones(&[n]), Placement::Split(0));
        times(&format!("sum f32 {n}"), 4e-9 * n as f64, runs, &groups, |group, i| {
            let sum = x[i].sum(group, None, false).unwrap().item(group).unwrap();
            assert_eq!(sum, Scalar::Float(f64::from(n as f32)));
        });
    }
    let (rows, columns) = (of(10_000), of(300_000));
    let a = ones(&[rows, columns]);
    let x = ones(&[columns]);
    for axis in [0, 1] {
        let a = on(&a, Placement::Split(axis));
        let x = on(&x, if axis == 0 { Placement::Replicated } else { Placement::Split(0) });
        let name = if axis == 0 { "gemv, rows split" } else { "gemv, columns split" };
        times(name, 4e-9 * (rows * columns) as f64, 21, &groups, |group, i| {
            let y = a[i].matmul(group, &x[i]).unwrap().gather(group, Device::cpu(0)).unwrap();
            black_box(y.as_ptr().unwrap());
        });
    }
}
