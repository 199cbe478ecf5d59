//! Groups with GPUs: vectors over them, streams of jobs, a device that is lost while it works.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // a kernel that faults on purpose

use super::driver::live;
use super::{devices, exclusive, fake, kernels, small};
use icicle::device::relay::{After, Chain, Part, Piece};
use icicle::device::slots::Slots;
use icicle::device::{self, Dst, Layout, MapOptions, Sharded, Src};
use icicle::{Buffer, Device, DeviceGroup, ErrorCode, Launch};
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

/// Halves of a part change places, on a stream, by way of memory of as many bytes.
fn swap_halves(memory: Dst<'_>, by: *mut u8, launch: &Launch) {
    let (half, at) = (memory.bytes() / 2, memory.as_ptr());
    // SAFETY: within both; the stream keeps the order, and the test waits for it.
    unsafe {
        device::copy(by, at, 2 * half, launch).unwrap();
        device::copy(at, by.wrapping_add(half), half, launch).unwrap();
        device::copy(at.wrapping_add(half), by, half, launch).unwrap();
    }
}

/// Steps that are enqueued ahead wait on the devices for what they need: slabs of pieces of every device, rows of pieces of every
/// slab, which are sent to other slabs, and work on those. In each step the halves of a part change places.
#[test]
fn steps_enqueued_ahead_wait_for_what_they_need() {
    const PIECE: usize = 1024;
    let Some(_one) = exclusive() else { return };
    let count = devices().min(3) as usize;
    if count < 2 {
        return;
    }
    let all: Vec<Device> = (0..count as u32).map(Device::cuda).collect();
    let group = DeviceGroup::new(&all).unwrap();
    let bytes = 2 * count * PIECE;
    let swapped = |part: Vec<u8>| [&part[bytes / 2..], &part[..bytes / 2]].concat();
    // Two slabs and two rows a device: as many pieces of a slab as there are rows.
    let owner = |slab: usize| slab / 2;
    let of = |position: usize| 2 * position..2 * position + 2;
    let inputs: Vec<Vec<u8>> =
        (0..count).map(|p| (0..2 * bytes).map(|i| (i / 7 * 31 + i + 101 * p) as u8).collect()).collect();
    let part = |of: &[u8], i: usize, n: usize| of[i * n..][..n].to_vec();
    let columns: Vec<Vec<u8>> =
        (0..2 * count).map(|s| swapped(inputs.iter().flat_map(|input| part(input, s, 2 * PIECE)).collect())).collect();
    let rows: Vec<Vec<u8>> =
        (0..2 * count).map(|r| swapped(columns.iter().flat_map(|slab| part(slab, r, PIECE)).collect())).collect();
    let expected: Vec<Vec<u8>> =
        (0..2 * count).map(|s| swapped(rows.iter().flat_map(|row| part(row, s, PIECE)).collect())).collect();

    let sources: Vec<_> =
        inputs.iter().zip(&all).map(|(data, &device)| Buffer::from_slice_on(device, data).unwrap()).collect();
    for _ in 0..20 {
        let make =
            || (0..2 * count).map(|s| Buffer::<u8>::zeroed_on(all[owner(s)], bytes).unwrap()).collect::<Vec<_>>();
        let (mut slabs, mut blocks, mut turned, mut by) = (make(), make(), make(), make());
        let by: Vec<usize> = by.iter_mut().map(|buffer| Dst::from(buffer).as_ptr().addr()).collect();
        let work = |p: usize| {
            let by = &by;
            move |k: usize, launch: &Launch, memory: Dst<'_>| {
                swap_halves(memory, std::ptr::with_exposed_provenance_mut(by[2 * p + k]), launch);
                Ok(())
            }
        };
        let mut chain = Chain::new(&group).unwrap();
        let slots = Slots::new(slabs.iter_mut().map(Dst::from)).unwrap();
        let from = |s: usize| {
            let part = |source| Src::from(source).part("test", s * 2 * PIECE, 2 * PIECE).unwrap();
            let piece = |source| Piece::Copied((part(source), After::Nothing));
            sources.iter().map(piece).collect()
        };
        chain
            .step(
                |_| true,
                |chain, p| {
                    let part =
                        |s| Part { memory: slots.take(s).unwrap(), from: from(s), after: After::Nothing, to: vec![] };
                    // SAFETY: all memory is older than the chain; each step comes after what it reads of the one before.
                    unsafe { chain.relay(p, of(p).map(part).collect(), work(p)) }
                },
            )
            .unwrap();
        let slots = Slots::new(blocks.iter_mut().map(Dst::from)).unwrap();
        let mut cut: Vec<_> = turned
            .iter_mut()
            .map(|slab| Dst::from(slab).split("test", vec![PIECE; 2 * count]).unwrap().into_iter())
            .collect();
        let sent = Slots::new(
            (0..2 * count).map(|_| cut.iter_mut().map(|slab| Piece::Copied(slab.next().unwrap())).collect::<Vec<_>>()),
        );
        let sent = sent.unwrap();
        let from = |r: usize| {
            let piece = |(s, slab)| {
                let after = After::Work { position: owner(s), part: s % 2 };
                Piece::Copied((Src::from(slab).part("test", r * PIECE, PIECE).unwrap(), after))
            };
            slabs.iter().enumerate().map(piece).collect()
        };
        chain
            .step(
                |_| true,
                |chain, p| {
                    let part = |r| {
                        let (memory, to) = (slots.take(r).unwrap(), sent.take(r).unwrap());
                        Part { memory, from: from(r), after: After::Nothing, to }
                    };
                    // SAFETY: as above.
                    unsafe { chain.relay(p, of(p).map(part).collect(), work(p)) }
                },
            )
            .unwrap();
        let slots = Slots::new(turned.iter_mut().map(Dst::from)).unwrap();
        chain
            .step(
                |_| true,
                |chain, p| {
                    let part =
                        |s| Part { memory: slots.take(s).unwrap(), from: vec![], after: After::Piece(s), to: vec![] };
                    // SAFETY: as above.
                    unsafe { chain.relay(p, of(p).map(part).collect(), work(p)) }
                },
            )
            .unwrap();
        chain.wait().unwrap();
        for (s, slab) in turned.iter().enumerate() {
            assert!(slab.to_vec().unwrap() == expected[s], "slab {s}");
        }
    }
}

/// Copies within a device wait for the work on their part, and it for them.
#[test]
fn parts_within_a_device_come_and_go_in_order() {
    const BYTES: usize = 4096;
    let Some(_one) = exclusive() else { return };
    let (device, group) = (Device::cuda(0), DeviceGroup::new(&[Device::cuda(0)]).unwrap());
    let data: Vec<u8> = (0..BYTES).map(|i| (i * 7 / 3) as u8).collect();
    let source = Buffer::from_slice_on(device, &data).unwrap();
    let make = || Buffer::<u8>::zeroed_on(device, BYTES).unwrap();
    let (mut memory, mut out, mut by) = (make(), make(), make());
    let by = Dst::from(&mut by).as_ptr();
    let from = vec![Piece::Copied((Src::from(&source), After::Nothing))];
    let to = vec![Piece::Copied((&mut out).into())];
    let part = Part { memory: (&mut memory).into(), from, after: After::Nothing, to };
    let work = |_, launch: &Launch, memory: Dst<'_>| {
        swap_halves(memory, by, launch);
        Ok(())
    };
    group.relay(0, vec![part], work).unwrap();
    assert!(out.to_vec().unwrap() == [&data[BYTES / 2..], &data[..BYTES / 2]].concat());
}
