//! Groups with GPUs: vectors over them, streams of jobs, a device that is lost while it works.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // a kernel that faults on purpose

use super::driver::live;
use super::{devices, exclusive, fake, kernels, small};
use icicle::device::{Layout, MapOptions, Sharded};
use icicle::{Buffer, Device, DeviceGroup, ErrorCode};
use std::process::Command;

/// Groups of every GPU, and of them with a CPU among them.
fn groups() -> Vec<DeviceGroup> {
    let gpus: Vec<Device> = (0..devices()).map(Device::cuda).collect();
    let mixed: Vec<Device> =
        [Device::cuda(0), Device::cpu(0)].into_iter().chain(gpus.iter().copied().skip(1)).collect();
    let shares = |count: usize| (1..=count).map(|share| share as f64).collect::<Vec<_>>();
    [gpus, mixed].iter().map(|all| DeviceGroup::new(all).unwrap().with_shares(&shares(all.len())).unwrap()).collect()
}

#[test]
fn vectors_lie_over_gpus_in_every_layout() {
    let Some(_one) = exclusive() else { return };
    for group in groups() {
        for n in [1usize, 5, 4096, 100_003] {
            let data: Vec<u64> = (0..n as u64).map(|i| i * i + 1).collect();
            for layout in Layout::ALL {
                let vector = Sharded::from_slice(&group, &data, layout).unwrap();
                assert_eq!(vector.to_vec::<u64>(&group).unwrap(), data, "{layout:?}");
                for other in Layout::ALL {
                    let moved = vector.reshard(&group, other).unwrap();
                    assert_eq!(moved.to_vec::<u64>(&group).unwrap(), data, "{layout:?} to {other:?}");
                    for (position, part) in moved.parts().iter().enumerate() {
                        assert_eq!(part.device(), group.devices()[position]);
                    }
                }
            }
        }
        let links = group.info().unwrap().links;
        assert!((0..links.len()).all(|i| links[i][i] == icicle::device::Link::SameMemory));
    }
}

#[test]
fn groups_of_gpus_leave_nothing_behind() {
    let Some(_one) = exclusive().filter(|_| fake()) else { return };
    let round = || {
        for group in groups() {
            let vector = Sharded::from_slice(&group, &[7u32; 10_000], Layout::Blocks).unwrap();
            let options = MapOptions { streams: 3, ..MapOptions::default() };
            let copies = group.map_with(
                options,
                |lane| Buffer::from_slice_on(lane.device, &[1u32, 2, 3]),
                0..20,
                |state, lane, _| {
                    assert_eq!(lane.stream().device(), lane.device);
                    state.to_vec()
                },
            );
            assert!(copies.unwrap().iter().all(|copy| copy == &Ok(vec![1, 2, 3])));
            drop(vector.reshard(&group, Layout::Replicated).unwrap());
        }
        (0..devices()).for_each(|index| icicle::device::synchronize(Device::cuda(index)).unwrap());
    };
    round();
    let before = live();
    (0..20).for_each(|_| round());
    assert_eq!(live(), before, "streams, events, allocations, page-locked and managed memory of each device");
}

const CHILD: &str = "ICICLE_TEST_LOST_CHILD";

/// Runs in a process of its own: a fault cannot be undone.
#[test]
fn a_lost_device_gives_its_jobs_back_and_the_others_go_on() {
    let Some(_one) = exclusive().filter(|_| devices() > 1) else { return };
    // compute-sanitizer would report the fault that is wanted here; a real driver may end the work of every GPU with one.
    if small() || !fake() {
        return;
    }
    if std::env::var_os(CHILD).is_some() {
        return lose();
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "groups::a_lost_device_gives_its_jobs_back_and_the_others_go_on", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("the others went on"), "{text}");
}

fn lose() {
    let all: Vec<Device> = (0..devices()).map(Device::cuda).collect();
    let group = DeviceGroup::new(&all).unwrap();
    let bad = Device::cuda(1);
    let answers = group.map(0..40u64, |lane, i| {
        std::thread::sleep(std::time::Duration::from_millis(1));
        if lane.device == bad {
            let (address, value) = (0x10u64, 1u32);
            // SAFETY: not safe, on purpose.
            unsafe { kernels(bad).kernel("store")?.launch(lane.stream().raw(), 1u32, 1u32, 0, &[&address, &value])? };
        }
        Ok((i, lane.device))
    });
    let answers = answers.unwrap();
    let failed: Vec<_> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
    assert_eq!(failed.len(), 1, "one job found the device lost, the others were not given to it: {failed:?}");
    assert_eq!(failed[0].code, ErrorCode::SynchronizationFailed);
    assert!(
        failed[0].detail.contains("cuda:1") && failed[0].detail.contains("CUDA_ERROR_ILLEGAL_ADDRESS"),
        "{failed:?}"
    );
    for (i, answer) in answers.iter().enumerate() {
        if let Ok((job, device)) = answer {
            assert!(*job == i as u64 && *device != bad);
        }
    }
    // Its memory can no longer be had, which the error says.
    let error = Sharded::new(&group, 100, 8, Layout::Blocks).map(|_| ()).unwrap_err();
    assert!(error.detail.contains("cuda:1 is lost to an earlier fault"), "{error}");
    println!("the others went on");
}
