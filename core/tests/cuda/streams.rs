//! Order: between streams, by events, across devices and threads.
//!
//! SAFETY of every block here: addresses are of buffers that live to the end of their test, with as many bytes, and work on
//! them is waited for; handles are made here, or, once destroyed, are refused by the backend's table.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // handles of a backend, made here or refused by its table

use super::{backend, devices, exclusive, fake, small, spin};
use icicle::cuda::{can_access_peer, enable_peer_access};
use icicle::device::{self, CopyArgs, Exec, Place};
use icicle::{Buffer, Device, ErrorCode, Stream};
use std::time::{Duration, Instant};

const CUDA: Device = Device::cuda(0);

fn fill(buffer: &mut Buffer<u8>, value: u8, stream: usize) {
    let exec = unsafe { Exec::new(buffer.device(), stream, true) };
    // SAFETY: the buffer's own memory; tests keep it until the stream is synchronized, or test what happens if not.
    unsafe { backend().fill(&exec, buffer.as_mut_ptr(), value, buffer.bytes()) }.unwrap();
}

fn is_all(buffer: &Buffer<u8>, value: u8) -> bool {
    buffer.to_vec().unwrap().iter().all(|&byte| byte == value)
}

#[test]
fn blocking_streams_and_the_default_stream_wait_for_each_other() {
    let Some(_one) = exclusive() else { return };
    let stream = Stream::on(CUDA).unwrap();
    let mut buffer = Buffer::<u8>::from_slice_on(CUDA, &[0; 1000]).unwrap();
    spin(CUDA, stream.as_ref().raw(), 30);
    fill(&mut buffer, 1, stream.as_ref().raw());
    // A synchronous copy without a stream, before anyone synchronizes: what ICICLE's clients do.
    assert!(is_all(&buffer, 1));
    spin(CUDA, 0, 30);
    fill(&mut buffer, 2, 0);
    let mut second = Buffer::<u8>::on(CUDA, 1000).unwrap();
    let place = Place::Device(CUDA);
    let args = CopyArgs {
        dst: second.as_mut_ptr(),
        dst_place: place,
        src: buffer.as_ptr(),
        src_place: place,
        bytes: 1000,
        in_order: true,
    };
    let exec = unsafe { Exec::new(CUDA, stream.as_ref().raw(), true) };
    // SAFETY: both buffers outlive the synchronization below.
    unsafe { backend().copy(&exec, &args) }.unwrap();
    stream.synchronize().unwrap();
    assert!(is_all(&second, 2));
}

#[test]
fn non_blocking_streams_run_beside_the_default_stream() {
    let Some(_one) = exclusive() else { return };
    let stream = Stream::non_blocking(CUDA).unwrap();
    let buffer = Buffer::<u8>::from_slice_on(CUDA, &[5; 100]).unwrap();
    spin(CUDA, stream.as_ref().raw(), 1);
    device::synchronize(CUDA).unwrap();
    let start = Instant::now();
    spin(CUDA, stream.as_ref().raw(), 300);
    assert!(is_all(&buffer, 5));
    let copied = start.elapsed();
    stream.synchronize().unwrap();
    println!("copied after {copied:?}, the other stream done after {:?}", start.elapsed());
    assert!(start.elapsed() >= Duration::from_millis(290));
    assert!(small() || fake() || copied < Duration::from_millis(200), "{copied:?}");
}

#[test]
fn memory_freed_is_not_reused_before_its_users_are_done() {
    let Some(_one) = exclusive() else { return };
    let bytes = 1 << 20;
    for non_blocking in [false, true] {
        let stream = if non_blocking { Stream::non_blocking(CUDA) } else { Stream::on(CUDA) }.unwrap();
        let mut first = Buffer::<u8>::on(CUDA, bytes).unwrap();
        let address = first.as_ptr();
        spin(CUDA, stream.as_ref().raw(), 50);
        fill(&mut first, 1, stream.as_ref().raw());
        drop(first);
        let mut second = Buffer::<u8>::on(CUDA, bytes).unwrap();
        println!("non-blocking {non_blocking}: {}", if second.as_ptr() == address { "reused" } else { "other memory" });
        fill(&mut second, 2, 0);
        stream.synchronize().unwrap();
        assert!(is_all(&second, 2), "non-blocking: {non_blocking}");
    }
}

#[test]
fn events_order_streams_and_measure() {
    let Some(_one) = exclusive() else { return };
    let (one, two) = (Stream::non_blocking(CUDA).unwrap(), Stream::non_blocking(CUDA).unwrap());
    let event = |timing| backend().event_create(0, timing).unwrap();
    let (start, end, done) = (event(true), event(true), event(false));
    assert!(unsafe { backend().event_query(0, done) }.unwrap(), "an event never recorded holds");
    unsafe { backend().event_synchronize(0, done) }.unwrap();
    let mut buffer = Buffer::<u8>::from_slice_on(CUDA, &[0; 4096]).unwrap();
    unsafe { backend().event_record(0, start, one.as_ref().raw()) }.unwrap();
    spin(CUDA, one.as_ref().raw(), 40);
    fill(&mut buffer, 3, one.as_ref().raw());
    unsafe { backend().event_record(0, end, one.as_ref().raw()) }.unwrap();
    unsafe { backend().event_record(0, done, one.as_ref().raw()) }.unwrap();
    assert!(small() || !unsafe { backend().event_query(0, done) }.unwrap());
    unsafe { backend().stream_wait_event(0, two.as_ref().raw(), done) }.unwrap();
    fill(&mut buffer, 4, two.as_ref().raw());
    two.synchronize().unwrap();
    assert!(unsafe { backend().event_query(0, done) }.unwrap());
    assert!(is_all(&buffer, 4));
    let ms = unsafe { backend().event_elapsed_ms(0, start, end) }.unwrap();
    println!("elapsed {ms} ms");
    assert!(ms > 39.0 && (small() || ms < 80.0), "{ms}");
    assert!(unsafe { backend().event_elapsed_ms(0, start, done) }.is_err(), "an event without timing cannot measure");
    for event in [start, end, done] {
        unsafe { backend().event_destroy(0, event) }.unwrap();
    }
}

#[test]
fn unknown_streams_are_refused() {
    let Some(_one) = exclusive() else { return };
    let raw = Stream::on(CUDA).unwrap().as_ref().raw();
    let error = unsafe { backend().stream_destroy(0, raw) }.unwrap_err();
    assert_eq!(error.code, ErrorCode::StreamDestructionFailed, "{error}");
    assert_eq!(unsafe { backend().stream_synchronize(0, raw) }.unwrap_err().code, ErrorCode::SynchronizationFailed);
    unsafe { backend().stream_destroy(0, 0) }.unwrap();
    unsafe { backend().stream_synchronize(0, 0) }.unwrap();
}

#[test]
fn every_thread_has_its_own_device() {
    let Some(_one) = exclusive() else { return };
    std::thread::scope(|scope| {
        for thread in 0..8u32 {
            scope.spawn(move || {
                assert_eq!(device::current_device(), Device::cpu(0));
                let mine = Device::cuda(thread % devices());
                device::set_current_device(mine).unwrap();
                for round in 0..20u32 {
                    let data: Vec<u32> = (0..5000).map(|i| i * 7 + thread + round).collect();
                    let buffer = Buffer::from_slice(&data).unwrap();
                    assert_eq!(buffer.device(), mine);
                    assert_eq!(buffer.to_vec().unwrap(), data);
                }
            });
        }
    });
    // A buffer is dropped, and read, on whatever thread and current device.
    let buffer = Buffer::<u8>::from_slice_on(Device::cuda(devices() - 1), &[1, 2, 3]).unwrap();
    let seen = std::thread::spawn(move || buffer.to_vec().unwrap()).join().unwrap();
    assert_eq!(seen, [1, 2, 3]);
}

#[test]
fn a_default_device_is_that_of_new_threads() {
    let Some(_one) = exclusive() else { return };
    for default in (0..devices()).map(Device::cuda) {
        device::set_default_device(default).unwrap();
        assert_eq!(std::thread::spawn(device::current_device).join().unwrap(), default);
    }
    device::set_default_device(Device::cpu(0)).unwrap();
}

#[test]
fn devices_copy_to_each_other() {
    let Some(_one) = exclusive() else { return };
    if devices() < 2 {
        return println!("one device: copies between devices are not tested");
    }
    let bytes = if small() { 100_001 } else { 64 << 20 };
    for (from, to) in (0..devices()).flat_map(|a| (0..devices()).map(move |b| (a, b))).filter(|(a, b)| a != b) {
        let (from, to) = (Device::cuda(from), Device::cuda(to));
        let data: Vec<u8> = (0..bytes).map(|i| (i * 13 + i / 256) as u8).collect();
        let source = Buffer::<u8>::from_slice_on(from, &data).unwrap();
        let mut target = Buffer::<u8>::on(to, bytes).unwrap();
        let args = CopyArgs {
            dst: target.as_mut_ptr(),
            dst_place: Place::Device(to),
            src: source.as_ptr(),
            src_place: Place::Device(from),
            bytes,
            in_order: true,
        };
        for device in [from, to] {
            fill(&mut target, 0, 0);
            let stream = Stream::on(device).unwrap();
            let exec = unsafe { Exec::new(device, stream.as_ref().raw(), true) };
            // SAFETY: both buffers outlive the reads below, which wait.
            unsafe { backend().copy(&exec, &args) }.unwrap();
            // Also unsynchronized: the default streams of both devices wait for the copy.
            assert!(target.to_vec().unwrap() == data, "{from} to {to} on {device}");
        }
        let start = Instant::now();
        // SAFETY: as above.
        unsafe { backend().copy(&Exec::new(to, 0, false), &args) }.unwrap();
        println!("bandwidth {from} to {to}: {:.1} GB/s", bytes as f64 / start.elapsed().as_secs_f64() / 1e9);
        assert!(can_access_peer(from, from).unwrap());
        match enable_peer_access(from, to) {
            Ok(()) => enable_peer_access(from, to).unwrap(),
            Err(error) => assert_eq!(error.code, ErrorCode::Unsupported, "{error}"),
        }
        if can_access_peer(from, to).unwrap() {
            // A kernel on one device writes memory of the other.
            let (address, value) = (target.as_mut_ptr() as u64, 0x0a0b0c0du32);
            let store = super::kernels(from).kernel("store").unwrap();
            // SAFETY: four bytes of the target, reached by permission.
            unsafe { store.launch(0, 1u32, 1u32, 0, &[&address, &value]) }.unwrap();
            device::synchronize(from).unwrap();
            assert_eq!(target.to_vec().unwrap()[..4], value.to_le_bytes());
        }
    }
}
