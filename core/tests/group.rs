//! Groups of devices: every operation over one gives what one device gives, to the byte; jobs, faults and threads.
//!
//! Groups of 1 to 7 virtual CPU devices of unequal shares, and of this machine's GPUs where it has some.
#![allow(missing_docs, unsafe_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "group/faults.rs"]
mod faults;
#[path = "group/jobs.rs"]
mod jobs;
#[path = "group/msm.rs"]
mod msm;
#[path = "group/reach.rs"]
mod reach;
#[path = "group/sharded.rs"]
mod sharded;
#[path = "group/transforms.rs"]
mod transforms;
#[path = "group/vectors.rs"]
mod vectors;

use icicle::device::devices;
use icicle::{Device, DeviceGroup, DeviceKind, FieldId};
use std::sync::Once;

/// Seven virtual CPU devices, before anything asks for one.
pub fn ready() {
    static SET: Once = Once::new();
    // SAFETY: each test calls this first, and nothing else in this process writes the environment.
    SET.call_once(|| unsafe { std::env::set_var("ICICLE_CPU_DEVICES", "7") });
    assert_eq!(devices().iter().filter(|device| device.kind == DeviceKind::Cpu).count(), 7);
}

pub fn cpus(count: u32) -> Vec<Device> {
    (0..count).map(Device::cpu).collect()
}

/// This machine's GPUs: as many at least as `ICICLE_TEST_GPUS` says, so that none is taken for tested that was not there.
pub fn gpus() -> Vec<Device> {
    let gpus: Vec<_> = devices().into_iter().filter(|device| device.kind == DeviceKind::Cuda).collect();
    let wanted = std::env::var("ICICLE_TEST_GPUS").map_or(0, |wanted| wanted.parse().unwrap());
    assert!(gpus.len() >= wanted, "{} GPUs: ICICLE_TEST_GPUS asks for {wanted}", gpus.len());
    gpus
}

/// Groups of unequal shares, all of whose devices work however little there is to do.
pub fn groups() -> Vec<DeviceGroup> {
    ready();
    let shares: [&[f64]; 5] =
        [&[1.0], &[1.0, 3.0], &[5.0, 2.0, 1.0], &[1.0, 0.0, 2.0, 3.0], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]];
    let of = |devices: &[Device], shares: &[f64]| DeviceGroup::new(devices).unwrap().with_shares(shares).unwrap();
    let mut groups: Vec<DeviceGroup> = shares.iter().map(|shares| of(&cpus(shares.len() as u32), shares)).collect();
    let gpus = gpus();
    if !gpus.is_empty() {
        groups.push(of(&gpus, &vec![1.0; gpus.len()]));
        groups.push(of(&gpus, &(1..=gpus.len()).map(|share| share as f64).collect::<Vec<_>>()));
        groups.push(of(&[Device::cpu(0), gpus[0]], &[1.0, 2.0]));
    }
    groups
}

/// `n` elements of a field, the same for the same seed.
pub fn elements(field: FieldId, n: usize, seed: u8) -> Vec<u32> {
    let mut words = vec![0u32; n * field.info().bytes() / 4];
    icicle::ops::random::field_seeded(field, [seed; 32], &mut words).unwrap();
    words
}

pub fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
