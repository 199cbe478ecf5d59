//! What the host's side asks of the driver, by the counts of one that keeps them (`fake_driver.c`): nothing is left behind,
//! work goes to the stream it was given, and handles that are gone or another device's are refused.
//!
//! SAFETY of every block here: addresses are of buffers that live to the end of their test, with as many bytes, and work on
//! them is waited for; handles are made here, or gone, or of another device, and refused by the backend's table.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // handles of a backend, made here or refused by its table

use super::{backend, devices, exclusive, fake};
use icicle::device::{self, CopyArgs, Event, Exec, Launch, PinnedBuffer, Place};
use icicle::{Buffer, Device, ErrorCode, Stream};
use std::ffi::{CString, c_char, c_int};

/// A function of the fake driver, in the library that is loaded already.
fn symbol<T: Copy>(name: &str) -> T {
    // SAFETY: the library has been initialised; the callers name a function and its type as `fake_driver.c` has them.
    let library = Box::leak(Box::new(unsafe { libloading::Library::new("libcuda.so.1") }.unwrap()));
    // SAFETY: as above.
    *unsafe { library.get::<T>(name.as_bytes()) }.unwrap()
}

/// How many live objects of each kind each device has; nothing on a driver that does not count.
pub fn live() -> Vec<u64> {
    if !fake() {
        return Vec::new();
    }
    let count: unsafe extern "C" fn(*const c_char, c_int) -> u64 = symbol("fake_live");
    let of = |what: &str, device: u32| {
        let what = CString::new(what).unwrap();
        // SAFETY: a string that ends, and a device there is.
        unsafe { count(what.as_ptr(), device as c_int) }
    };
    (0..devices())
        .flat_map(|device| ["streams", "events", "allocations", "page-locked", "managed"].map(|what| of(what, device)))
        .collect()
}

/// How much work a stream of a device was ever given; the default one's for 0.
fn enqueued(device: Device, stream: usize) -> u64 {
    let count: unsafe extern "C" fn(usize, c_int) -> u64 = symbol("fake_enqueued");
    // SAFETY: a stream of that driver.
    unsafe { count(stream, device.index as c_int) }
}

/// The turn, on the driver that counts.
fn counted() -> Option<std::sync::MutexGuard<'static, ()>> {
    exclusive().filter(|_| fake())
}

fn cuda() -> impl Iterator<Item = Device> + Clone {
    (0..devices()).map(Device::cuda)
}

/// Pairs of different devices.
fn pairs() -> impl Iterator<Item = (Device, Device)> {
    cuda().flat_map(|a| cuda().map(move |b| (a, b))).filter(|(a, b)| a != b)
}

fn on(stream: &Stream) -> Launch {
    Launch { stream: Some(stream.as_ref()), is_async: true }
}

/// What lies in a buffer now, on a driver whose device memory is the host's: work that is put off has not changed it.
fn now(buffer: &Buffer<u8>) -> u8 {
    // SAFETY: the fake driver's memory is readable, and nobody writes meanwhile: work is done by this thread's calls.
    unsafe { buffer.as_ptr().read() }
}

fn fill(buffer: &mut Buffer<u8>, value: u8, stream: &Stream) {
    // SAFETY: the buffer's own memory, which its drop gives back in order.
    unsafe { device::fill(buffer.as_mut_ptr(), value, buffer.bytes(), &on(stream)) }.unwrap();
}

fn copy(to: &mut Buffer<u8>, from: &Buffer<u8>, stream: &Stream) -> icicle::Result<()> {
    // SAFETY: as above.
    unsafe { device::copy(to.as_mut_ptr(), from.as_ptr(), from.bytes(), &on(stream)) }
}

#[test]
fn the_driver_puts_work_off() {
    let Some(_one) = counted() else { return };
    let stream = Stream::non_blocking(Device::cuda(0)).unwrap();
    let mut buffer = Buffer::<u8>::from_slice_on(Device::cuda(0), &[1; 100]).unwrap();
    fill(&mut buffer, 2, &stream);
    device::synchronize(Device::cuda(devices() - 1)).unwrap();
    assert!(devices() == 1 || now(&buffer) == 1, "nobody waited for it");
    stream.synchronize().unwrap();
    assert_eq!(now(&buffer), 2);
}

#[test]
fn copies_leave_nothing_behind() {
    let Some(_one) = counted() else { return };
    let bytes = 600_000;
    let round = || {
        for device in cuda() {
            let (blocking, free) = (Stream::on(device).unwrap(), Stream::non_blocking(device).unwrap());
            let data = vec![7u8; bytes];
            let mut a = Buffer::<u8>::from_slice_on(device, &data).unwrap();
            let mut b = Buffer::<u8>::on(device, bytes).unwrap();
            let mut pinned = PinnedBuffer::<u8>::on(device, bytes).unwrap();
            for stream in [&blocking, &free] {
                copy(&mut b, &a, stream).unwrap();
                fill(&mut a, 7, stream);
                // SAFETY: page-locked memory and a buffer, both alive until the stream is synchronized below.
                unsafe { device::copy(pinned.as_mut_ptr(), b.as_ptr(), bytes, &on(stream)) }.unwrap();
                stream.synchronize().unwrap();
                assert!(pinned[..] == data && b.to_vec().unwrap() == data);
            }
            for other in cuda().filter(|&other| other != device) {
                let theirs = Stream::on(other).unwrap();
                let mut c = Buffer::<u8>::on(other, bytes).unwrap();
                for stream in [&blocking, &free, &theirs] {
                    copy(&mut c, &a, stream).unwrap();
                    copy(&mut a, &c, stream).unwrap();
                }
                assert!(c.to_vec().unwrap() == data);
            }
        }
        cuda().for_each(|device| device::synchronize(device).unwrap());
    };
    // Staging memory and the like is made once.
    round();
    let before = live();
    (0..5).for_each(|_| round());
    assert_eq!(live(), before, "streams, events, allocations, page-locked and managed memory of each device");
}

#[test]
fn a_copy_runs_on_the_stream_it_is_given() {
    let Some(_one) = counted() else { return };
    for device in cuda() {
        let (stream, other) = (Stream::non_blocking(device).unwrap(), Stream::non_blocking(device).unwrap());
        let source = Buffer::<u8>::from_slice_on(device, &[3; 64]).unwrap();
        let mut target = Buffer::<u8>::from_slice_on(device, &[4; 64]).unwrap();
        copy(&mut target, &source, &stream).unwrap();
        other.synchronize().unwrap();
        assert_eq!(now(&target), 4);
        stream.synchronize().unwrap();
        assert_eq!(now(&target), 3);
        // From the host, which is read at the call.
        let mut data = [5u8; 64];
        // SAFETY: valid memory; pageable sources are read before the call returns.
        unsafe { device::copy(target.as_mut_ptr(), data.as_ptr(), 64, &on(&stream)) }.unwrap();
        data.fill(6);
        assert_eq!((now(&target), data[0]), (3, 6));
        stream.synchronize().unwrap();
        assert_eq!(now(&target), 5);
    }
    // Between devices: on the stream of either end, and on no stream of the other.
    for (to, from) in pairs() {
        for (device, other) in [(to, from), (from, to)] {
            let (stream, beside) = (Stream::non_blocking(device).unwrap(), Stream::non_blocking(other).unwrap());
            let source = Buffer::<u8>::from_slice_on(from, &[8; 64]).unwrap();
            let mut target = Buffer::<u8>::from_slice_on(to, &[9; 64]).unwrap();
            device::synchronize(to).unwrap();
            let before = (enqueued(device, stream.as_ref().raw()), enqueued(other, beside.as_ref().raw()));
            copy(&mut target, &source, &stream).unwrap();
            assert_eq!(now(&target), 9, "{from} to {to} on {device}");
            let after = (enqueued(device, stream.as_ref().raw()), enqueued(other, beside.as_ref().raw()));
            assert!(after.0 > before.0 && after.1 == before.1, "{from} to {to} on {device}: {before:?} {after:?}");
            stream.synchronize().unwrap();
            assert_eq!(now(&target), 8, "{from} to {to} on {device}");
        }
        for third in cuda().filter(|&third| third != to && third != from) {
            let (source, mut target) = (Buffer::<u8>::on(from, 8).unwrap(), Buffer::<u8>::on(to, 8).unwrap());
            let error = copy(&mut target, &source, &Stream::on(third).unwrap()).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument, "{error}");
        }
    }
}

/// Copies between devices come after earlier work of the other device's default stream, and before later work there.
#[test]
fn both_devices_wait_for_a_copy_between_them() {
    let Some(_one) = counted() else { return };
    for (to, from) in pairs() {
        // Whoever is waited for first, the order is the same.
        for (device, stream_first) in [(to, false), (to, true), (from, false), (from, true)] {
            let stream = Stream::non_blocking(device).unwrap();
            let mut source = Buffer::<u8>::from_slice_on(from, &[1; 64]).unwrap();
            let mut target = Buffer::<u8>::from_slice_on(to, &[2; 64]).unwrap();
            let default = |device| unsafe { Exec::new(device, 0, true) };
            // SAFETY: the buffers' own memory; so below.
            unsafe { backend().fill(&default(from), source.as_mut_ptr(), 3, 64) }.unwrap();
            if device == from {
                // The call's own device orders its default stream only with streams that block.
                device::synchronize(from).unwrap();
            }
            copy(&mut target, &source, &stream).unwrap();
            let other = if device == to { from } else { to };
            let buffer = if other == from { &mut source } else { &mut target };
            // SAFETY: as above.
            unsafe { backend().fill(&default(other), buffer.as_mut_ptr(), 4, 64) }.unwrap();
            if stream_first {
                stream.synchronize().unwrap();
            }
            device::synchronize(other).unwrap();
            stream.synchronize().unwrap();
            let expected = if other == from { (4, 3) } else { (3, 4) };
            assert_eq!((now(&source), now(&target)), expected, "{from} to {to} on {device}");
        }
    }
}

#[test]
fn memory_goes_back_after_the_work_in_every_stream() {
    let Some(_one) = counted() else { return };
    for device in cuda() {
        for non_blocking in [false, true] {
            let stream = if non_blocking { Stream::non_blocking(device) } else { Stream::on(device) }.unwrap();
            let mut buffer = Buffer::<u8>::on(device, 1000).unwrap();
            fill(&mut buffer, 1, &stream);
            drop(buffer);
            // Work in memory that is gone would lose the device.
            device::synchronize(device).unwrap();
            stream.synchronize().unwrap();
        }
    }
}

#[test]
fn events_belong_to_their_device() {
    let Some(_one) = counted() else { return };
    let own = Device::cuda(0);
    let gone = backend().event_create(0, true).unwrap();
    unsafe { backend().event_destroy(0, gone) }.unwrap();
    let before = live();
    let stream = Stream::on(own).unwrap();
    assert!(
        unsafe { backend().event_record(0, gone, stream.as_ref().raw()) }.is_err(),
        "recorded though it is destroyed"
    );
    assert!(
        unsafe { backend().event_query(0, gone) }.is_err() && unsafe { backend().event_synchronize(0, gone) }.is_err()
    );
    assert!(unsafe { backend().stream_wait_event(0, stream.as_ref().raw(), gone) }.is_err());
    assert!(unsafe { backend().event_destroy(0, gone) }.is_err(), "destroyed twice");
    drop(stream);
    for (device, other) in pairs() {
        let (event, far) = (Event::on(device, true).unwrap(), Event::on(other, true).unwrap());
        let (stream, theirs) = (Stream::non_blocking(device).unwrap(), Stream::non_blocking(other).unwrap());
        let error = event.record(&theirs).unwrap_err();
        assert!(
            error.code == ErrorCode::InvalidArgument && error.detail.contains(&theirs.device().to_string()),
            "{error}"
        );
        assert!(unsafe { backend().event_record(device.index, event.raw(), theirs.as_ref().raw()) }.is_err());
        assert!(unsafe { backend().event_record(other.index, event.raw(), theirs.as_ref().raw()) }.is_err());
        assert_eq!(event.elapsed_ms(&far).unwrap_err().code, ErrorCode::InvalidArgument);
        // Another device's stream may wait for it.
        let mut buffer = Buffer::<u8>::from_slice_on(device, &[1; 64]).unwrap();
        device::synchronize(device).unwrap();
        fill(&mut buffer, 2, &stream);
        event.record(&stream).unwrap();
        theirs.wait(&event).unwrap();
        assert_eq!(now(&buffer), 1);
        theirs.synchronize().unwrap();
        assert_eq!(now(&buffer), 2, "{other} waits for {device}");
        assert!(event.query().unwrap());
    }
    cuda().for_each(|device| device::synchronize(device).unwrap());
    assert_eq!(live(), before);
}

#[test]
fn events_hold_once_the_work_before_them_is_done() {
    let Some(_one) = counted() else { return };
    for device in cuda() {
        let stream = Stream::non_blocking(device).unwrap();
        let (event, second) = (Event::on(device, false).unwrap(), Event::on(device, false).unwrap());
        assert!(event.raw() != 0 && event.raw() != second.raw());
        let mut buffer = Buffer::<u8>::from_slice_on(device, &[1; 64]).unwrap();
        fill(&mut buffer, 2, &stream);
        event.record(&stream).unwrap();
        assert!(!event.query().unwrap() && now(&buffer) == 1);
        event.synchronize().unwrap();
        assert_eq!(now(&buffer), 2);
        assert!(event.query().unwrap());
    }
}

#[test]
fn streams_are_destroyed_by_their_last_owner() {
    let Some(_one) = counted() else { return };
    for device in cuda() {
        let before = live();
        Stream::on(device).unwrap().destroy().unwrap();
        let stream = Stream::on(device).unwrap();
        let left = stream.as_ref();
        stream.destroy().unwrap();
        left.synchronize().unwrap();
        assert_ne!(live(), before, "somebody has it still");
        drop(left);
        assert_eq!(live(), before);
        let stream = Stream::on(device).unwrap();
        unsafe { backend().stream_destroy(device.index, stream.as_ref().raw()) }.unwrap();
        assert_eq!(stream.destroy().unwrap_err().code, ErrorCode::StreamDestructionFailed);
    }
}

#[test]
fn streams_that_are_gone_are_refused() {
    let Some(_one) = counted() else { return };
    for device in cuda() {
        let raw = Stream::on(device).unwrap().as_ref().raw();
        let source = Buffer::<u8>::from_slice_on(device, &[1; 64]).unwrap();
        let mut target = Buffer::<u8>::from_slice_on(device, &[2; 64]).unwrap();
        let (before, on) = (live(), |stream| unsafe { Exec::new(device, stream, true) });
        let place = Place::Device(device);
        let (dst, src) = (target.as_mut_ptr(), source.as_ptr());
        let copy = CopyArgs { dst, dst_place: place, src, src_place: place, bytes: 64, in_order: true };
        // SAFETY: refused; so below.
        let error = unsafe { backend().copy(&on(raw), &copy) }.unwrap_err();
        assert!(error.detail.contains("CUDA_ERROR_INVALID_HANDLE"), "{error}");
        // SAFETY: as above.
        assert!(unsafe { backend().fill(&on(raw), dst, 3, 64) }.is_err());
        assert!(unsafe { backend().alloc(device.index, 64, raw) }.is_err());
        for other in cuda().filter(|&other| other != device) {
            let theirs = Stream::on(other).unwrap().as_ref().raw();
            // A live stream, said to be this device's: no such stream here.
            let wrong = Stream::on(other).unwrap();
            // SAFETY: as above.
            assert!(unsafe { backend().fill(&on(wrong.as_ref().raw()), dst, 3, 64) }.is_err());
            assert!(unsafe { backend().stream_destroy(device.index, theirs) }.is_err());
        }
        assert_eq!(target.to_vec().unwrap(), [2; 64]);
        device::synchronize(device).unwrap();
        assert_eq!(live(), before, "what is refused leaves nothing");
    }
}
