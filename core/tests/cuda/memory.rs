//! Memory: allocation, accounting, limits; copies in every direction; page-locked and managed memory.
//!
//! SAFETY of every block here: addresses are of buffers that live to the end of their test, with as many bytes, and work on
//! them is waited for; handles are made here, or, once freed, are refused by the backend's table.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // handles of a backend, made here or refused by its table

use super::{backend, devices, exclusive, fake, small};
use icicle::cuda::{Advice, Managed, PointerKind, host_register, host_unregister, pointer_info};
use icicle::device::{self, CopyArgs, Exec, Place};
use icicle::{Buffer, Device, ErrorCode};
use std::ptr::NonNull;
use std::time::Instant;

const CUDA: Device = Device::cuda(0);
const SYNC: Exec = unsafe { Exec::new(CUDA, 0, false) };

fn pattern(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i.wrapping_mul(2654435761) >> 7).wrapping_add(seed + i / 255) as u8).collect()
}

fn copy(exec: &Exec, dst: (*mut u8, Place), src: (*const u8, Place), bytes: usize) {
    let args = CopyArgs { dst: dst.0, dst_place: dst.1, src: src.0, src_place: src.1, bytes, in_order: true };
    // SAFETY: the tests pass ranges they own.
    unsafe { backend().copy(exec, &args) }.unwrap();
}

#[test]
fn allocations_are_counted_and_limited() {
    let Some(_one) = exclusive() else { return };
    let before = device::memory_stats(CUDA).unwrap();
    let mib = 1 << 20;
    let buffers: Vec<_> = (1..=4).map(|i| Buffer::<u8>::on(CUDA, i * mib + i).unwrap()).collect();
    for buffer in &buffers {
        assert_eq!(buffer.as_ptr() as usize % 256, 0);
    }
    let during = device::memory_stats(CUDA).unwrap();
    assert_eq!(during.used - before.used, 10 * mib as u64 + 10);
    assert_eq!(during.allocations - before.allocations, 4);
    assert!(during.reserved >= during.used && during.high_water >= during.used, "{during:?}");
    drop(buffers);
    let after = device::memory_stats(CUDA).unwrap();
    assert_eq!((after.used, after.allocations), (before.used, before.allocations));
    assert!(after.high_water >= during.used && after.reserved > 0, "freed memory is kept: {after:?}");
    device::trim(CUDA, 0).unwrap();
    assert!(device::memory_stats(CUDA).unwrap().reserved < after.reserved || before.used > 0);

    device::set_memory_limit(CUDA, Some(after.used + mib as u64)).unwrap();
    let held = Buffer::<u8>::on(CUDA, mib).unwrap();
    let error = Buffer::<u8>::on(CUDA, 1).unwrap_err();
    device::set_memory_limit(CUDA, None).unwrap();
    println!("{error}");
    assert_eq!(error.code, ErrorCode::OutOfMemory);
    assert!(error.detail.starts_with("size 1: exceeds the limit set for the device; cuda:0 has "), "{error}");
    drop(held);
    Buffer::<u8>::on(CUDA, mib).unwrap();
}

#[test]
fn exhaustion_is_an_error_with_the_pools_state() {
    let Some(_one) = exclusive() else { return };
    let total = device::memory_stats(CUDA).unwrap().total as usize;
    let error = Buffer::<u8>::on(CUDA, total + (1 << 30)).unwrap_err();
    println!("{error}");
    assert_eq!(error.code, ErrorCode::OutOfMemory);
    for part in ["CUDA_ERROR_OUT_OF_MEMORY (2)", " free; this library uses ", "reserves ", "limit none"] {
        assert!(error.detail.contains(part), "{part}: {error}");
    }
    // What the pool keeps does not stand in the way of a large allocation: it is given back and the call repeated.
    if !small() {
        let free = device::memory_stats(CUDA).unwrap().free as usize;
        drop((0..8).map(|_| Buffer::<u8>::on(CUDA, free / 10).unwrap()).collect::<Vec<_>>());
        drop(Buffer::<u8>::on(CUDA, free / 10 * 9).unwrap());
        device::trim(CUDA, 0).unwrap();
    }
    Buffer::<u8>::on(CUDA, 1024).unwrap();
}

#[test]
fn copies_of_every_size_arrive() {
    let Some(_one) = exclusive() else { return };
    let mut sizes = vec![1, 2, 3, 5, 255, 257, 4095, 65537, 262143, 262144, 262145];
    if !small() {
        sizes.extend([(4 << 20) - 1, 4 << 20, (4 << 20) + 1, (12 << 20) + 12345, 50_000_001]);
    }
    for bytes in sizes {
        let data = pattern(bytes, bytes);
        let mut on_device = Buffer::<u8>::on(CUDA, bytes).unwrap();
        on_device.copy_from_slice(&data).unwrap();
        assert!(on_device.to_vec().unwrap() == data, "{bytes}");
        // Device to device, then out through an interior pointer.
        let mut second = Buffer::<u8>::on(CUDA, bytes).unwrap();
        let place = Place::Device(CUDA);
        copy(&SYNC, (second.as_mut_ptr(), place), (on_device.as_ptr(), place), bytes);
        let (from, len) = (bytes / 3, bytes - bytes / 3);
        let mut out = vec![0u8; len];
        copy(&SYNC, (out.as_mut_ptr(), Place::Host), (second.as_ptr().wrapping_add(from), place), len);
        assert!(out == data[from..], "{bytes}");
        // In through an interior pointer: nothing around it changes.
        let inner = pattern(len / 2, 7);
        let at = second.as_mut_ptr().wrapping_add(from);
        copy(&SYNC, (at, place), (inner.as_ptr(), Place::Host), inner.len());
        let mut expected = data.clone();
        expected[from..from + inner.len()].copy_from_slice(&inner);
        assert!(second.to_vec().unwrap() == expected, "{bytes}");
        // SAFETY: within the buffer.
        unsafe { backend().fill(&SYNC, second.as_mut_ptr().wrapping_add(from), 0xcd, len / 2) }.unwrap();
        expected[from..from + len / 2].fill(0xcd);
        assert!(second.to_vec().unwrap() == expected, "{bytes}");
    }
}

#[test]
fn pageable_sources_may_be_reused_at_once() {
    let Some(_one) = exclusive() else { return };
    let bytes = if small() { 300_000 } else { 40 << 20 };
    let exec = unsafe { Exec::new(CUDA, 0, true) };
    let mut source = pattern(bytes, 1);
    let expected = source.clone();
    let mut on_device = Buffer::<u8>::on(CUDA, bytes).unwrap();
    copy(&exec, (on_device.as_mut_ptr(), Place::Device(CUDA)), (source.as_ptr(), Place::Host), bytes);
    source.fill(0);
    assert!(on_device.to_vec().unwrap() == expected);
}

#[test]
fn copies_run_from_many_threads() {
    let Some(_one) = exclusive() else { return };
    let bytes = if small() { 300_000 } else { 9_000_001 };
    std::thread::scope(|scope| {
        for seed in 0..6 {
            scope.spawn(move || {
                for round in 0..4 {
                    let data = pattern(bytes, seed * 10 + round);
                    let mut on_device = Buffer::<u8>::on(CUDA, bytes).unwrap();
                    on_device.copy_from_slice(&data).unwrap();
                    assert!(on_device.to_vec().unwrap() == data);
                }
            });
        }
    });
}

fn rate(what: &str, bytes: usize, mut go: impl FnMut()) {
    go();
    let mut times: Vec<f64> = (0..5)
        .map(|_| {
            let start = Instant::now();
            go();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("bandwidth {what}: {:.1} GB/s", bytes as f64 / times[2] / 1e9);
}

#[test]
fn pinned_and_registered_memory_copy_fast() {
    let Some(_one) = exclusive() else { return };
    let bytes = if small() || fake() { 1 << 20 } else { 256 << 20 };
    let place = Place::Device(CUDA);
    let mut on_device = Buffer::<u8>::on(CUDA, bytes).unwrap();
    let data = pattern(bytes, 3);
    let mut back = vec![0u8; bytes];
    rate("pageable to device", bytes, || on_device.copy_from_slice(&data).unwrap());
    rate("pageable to host", bytes, || on_device.copy_to_slice(&mut back).unwrap());
    assert!(back == data);

    let pinned = backend().host_alloc(bytes).unwrap();
    assert_eq!(pointer_info(pinned.as_ptr()).unwrap().kind, PointerKind::Pinned);
    // SAFETY: `bytes` were allocated.
    unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), pinned.as_ptr(), bytes) };
    let device_at = on_device.as_mut_ptr();
    rate("pinned to device", bytes, || copy(&SYNC, (device_at, place), (pinned.as_ptr(), Place::Host), bytes));
    // SAFETY: as above.
    unsafe { pinned.as_ptr().write_bytes(0, bytes) };
    rate("pinned to host", bytes, || copy(&SYNC, (pinned.as_ptr(), Place::Host), (device_at, place), bytes));
    // SAFETY: written by the copy just above.
    assert!(unsafe { std::slice::from_raw_parts(pinned.as_ptr(), bytes) } == data);
    // SAFETY: allocated above, not used again.
    unsafe { backend().host_free(pinned, bytes) }.unwrap();

    back.fill(0);
    let ptr = NonNull::new(back.as_mut_ptr()).unwrap();
    // SAFETY: the vector outlives its registration.
    unsafe { host_register(ptr, bytes) }.unwrap();
    assert_eq!(pointer_info(ptr.as_ptr().wrapping_add(5)).unwrap().kind, PointerKind::Pinned);
    // SAFETY: as above; refused.
    let error = unsafe { host_register(ptr, bytes) }.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidPointer, "{error}");
    rate("registered to host", bytes, || copy(&SYNC, (ptr.as_ptr(), Place::Host), (device_at, place), bytes));
    rate("registered to device", bytes, || copy(&SYNC, (device_at, place), (ptr.as_ptr(), Place::Host), bytes));
    host_unregister(ptr).unwrap();
    assert_eq!(host_unregister(ptr).unwrap_err().code, ErrorCode::InvalidPointer);
    assert_eq!(pointer_info(ptr.as_ptr()).unwrap().kind, PointerKind::Pageable);
    assert!(back == data);
    assert_eq!(pointer_info(on_device.as_ptr()).unwrap().kind, PointerKind::Device);
    assert_eq!(pointer_info(on_device.as_ptr()).unwrap().device, Some(CUDA));
    let mut other = Buffer::<u8>::on(CUDA, bytes).unwrap();
    let at = other.as_mut_ptr();
    rate("device to device (read and write)", 2 * bytes, || copy(&SYNC, (at, place), (device_at, place), bytes));
}

#[test]
fn allocation_is_cheap() {
    let Some(_one) = exclusive() else { return };
    let bytes = if small() || fake() { 1 << 20 } else { 1 << 30 };
    drop(Buffer::<u8>::on(CUDA, bytes).unwrap());
    let (rounds, start) = (1000, Instant::now());
    for _ in 0..rounds {
        drop(Buffer::<u8>::on(CUDA, bytes).unwrap());
    }
    println!(
        "allocate and free {} MiB: {:.2} us",
        bytes >> 20,
        start.elapsed().as_secs_f64() * 1e6 / f64::from(rounds)
    );
}

#[test]
fn managed_memory_is_shared() {
    let Some(_one) = exclusive() else { return };
    let bytes = 4 << 20;
    let mut managed = match Managed::new(CUDA, bytes) {
        Err(error) if error.code == ErrorCode::Unsupported => return println!("{error}"),
        other => other.unwrap(),
    };
    let at = managed.as_mut_ptr();
    // SAFETY: zeroed by the allocation, and no work is under way; so below.
    assert!(unsafe { std::slice::from_raw_parts(at, bytes) }.iter().all(|&byte| byte == 0));
    let stream = icicle::Stream::on(CUDA).unwrap();
    let supported = managed.prefetch(0..bytes, Place::Device(CUDA), &stream.as_ref());
    if let Err(error) = supported {
        assert_eq!(error.code, ErrorCode::Unsupported);
        return println!("{error}");
    }
    managed.advise(0..2 << 20, Advice::Prefer(Place::Device(CUDA))).unwrap();
    managed.advise(2 << 20..bytes, Advice::Prefer(Place::Host)).unwrap();
    // SAFETY: a range of the allocation.
    unsafe { backend().fill(&SYNC, at.wrapping_add(100), 9, 1000) }.unwrap();
    managed.prefetch(0..bytes, Place::Host, &stream.as_ref()).unwrap();
    stream.synchronize().unwrap();
    // SAFETY: as above.
    let seen = unsafe { std::slice::from_raw_parts(at, bytes) };
    assert!(seen.iter().enumerate().all(|(i, &byte)| byte == if (100..1100).contains(&i) { 9 } else { 0 }));
    assert_eq!(pointer_info(at).unwrap().kind, PointerKind::Managed);
    let error = managed.advise(0..bytes + 1, Advice::ReadMostly).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
}

#[test]
fn rounds_of_creation_leave_nothing() {
    let Some(_one) = exclusive() else { return };
    let round = || {
        for index in 0..devices() {
            let device = Device::cuda(index);
            let stream = icicle::Stream::on(device).unwrap();
            let other = icicle::Stream::non_blocking(device).unwrap();
            let event = backend().event_create(index, true).unwrap();
            unsafe { backend().event_record(index, event, other.as_ref().raw()) }.unwrap();
            let buffer = Buffer::<u32>::on(device, 10_000).unwrap();
            let host = backend().host_alloc(10_000).unwrap();
            unsafe { backend().stream_wait_event(index, stream.as_ref().raw(), event) }.unwrap();
            unsafe { backend().event_destroy(index, event) }.unwrap();
            // SAFETY: allocated above.
            unsafe { backend().host_free(host, 10_000) }.unwrap();
            drop(buffer);
        }
    };
    let free = || -> Vec<u64> {
        let of = |index| {
            device::trim(Device::cuda(index), 0).unwrap();
            device::memory_stats(Device::cuda(index)).unwrap().free
        };
        (0..devices()).map(of).collect()
    };
    (0..20).for_each(|_| round());
    let (before, live) = (free(), super::driver::live());
    (0..if small() { 20 } else { 1000 }).for_each(|_| round());
    let after = free();
    assert_eq!(super::driver::live(), live, "what the driver counts");
    println!("free before {before:?}, after {after:?}");
    for (before, after) in before.iter().zip(&after) {
        assert!(before.saturating_sub(*after) < 16 << 20, "{before} bytes were free, now {after}");
    }
}
