//! The device runtime over four virtual CPU devices: the rules of memory, devices, events and workers.
//!
//! The tests take turns: they check exact numbers and change the process's default device.
#![allow(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use icicle::ErrorCode as Code;
use icicle::device::*;
use icicle::error::Result;
use std::sync::{Mutex, MutexGuard, Once, PoisonError, mpsc};

#[path = "devices/buffers.rs"]
mod buffers;
#[path = "devices/costs.rs"]
mod costs;
#[path = "devices/stress.rs"]
mod stress;

const D: [Device; 4] = [Device::cpu(0), Device::cpu(1), Device::cpu(2), Device::cpu(3)];

/// Take the turn, with four devices.
fn turn() -> MutexGuard<'static, ()> {
    static SET: Once = Once::new();
    static TURN: Mutex<()> = Mutex::new(());
    // SAFETY: every test starts here, so nothing reads the environment before or meanwhile.
    SET.call_once(|| unsafe { std::env::set_var("ICICLE_CPU_DEVICES", "4") });
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn code<T: std::fmt::Debug>(result: Result<T>) -> Code {
    result.unwrap_err().code
}

fn used(device: Device) -> u64 {
    memory_stats(device).unwrap().used
}

fn free(ptr: *mut u8) -> Result<()> {
    // SAFETY: the tests do not use the memory again; wrong addresses are refused.
    unsafe { icicle::device::free(ptr, None) }
}

fn copy_on(stream: Option<Device>, dst: *mut u8, src: *const u8, bytes: usize) -> Result<()> {
    let launch = Launch { stream: stream.map(StreamRef::default_of), is_async: stream.is_some() };
    // SAFETY: host ranges in the tests are valid, and CPU copies are done on return.
    unsafe { copy(dst, src, bytes, &launch) }
}

#[test]
fn there_are_as_many_devices_as_asked_for() {
    let _turn = turn();
    assert_eq!(device_count(DeviceKind::Cpu), 4);
    assert_eq!(devices()[..4], D);
    for device in D {
        assert_eq!(device_info(device).unwrap().device, device);
        synchronize(device).unwrap();
    }
    assert_eq!(code(device_info(Device::cpu(4))), Code::InvalidDevice);
}

#[test]
fn devices_are_read_by_name() {
    let named = [("cpu", D[0]), ("CPU:3", D[3]), ("cuda:12", Device::cuda(12)), ("Cuda", Device::cuda(0))];
    for (text, device) in named {
        assert_eq!(text.parse(), Ok(device), "{text}");
        assert_eq!(device.to_string().parse(), Ok(device));
    }
    for text in ["", ":0", "cpu:", "cpu:-1", "cpu:0:1", "gpu:0", "cuda:4294967296"] {
        assert_eq!(code(text.parse::<Device>()), Code::InvalidDevice, "{text}");
    }
}

#[test]
fn the_current_device_is_the_threads_own() {
    let _turn = turn();
    std::thread::spawn(|| {
        assert_eq!(current_device(), D[0]);
        set_current_device(D[2]).unwrap();
        assert_eq!(code(set_current_device(Device::cpu(4))), Code::InvalidDevice);
        assert_eq!(current_device(), D[2]);
        assert_eq!(std::thread::spawn(current_device).join().unwrap(), D[0], "threads inherit the default only");
        set_default_device(D[3]).unwrap();
        assert_eq!(code(set_default_device(Device::cpu(4))), Code::InvalidDevice);
        assert_eq!(std::thread::spawn(current_device).join().unwrap(), D[3]);
        assert_eq!(current_device(), D[2], "a chosen device stays");
        set_default_device(D[0]).unwrap();
    })
    .join()
    .unwrap();
}

#[test]
fn guards_nest_restore_on_unwinding_and_follow_the_default_again() {
    let _turn = turn();
    std::thread::spawn(|| {
        {
            let _one = DeviceGuard::new(D[1]).unwrap();
            {
                let _two = DeviceGuard::new(D[2]).unwrap();
                assert_eq!(current_device(), D[2]);
                assert_eq!(code(DeviceGuard::new(Device::cpu(4))), Code::InvalidDevice);
                assert_eq!(current_device(), D[2]);
            }
            assert_eq!(current_device(), D[1]);
            let unwound = std::panic::catch_unwind(|| {
                let _three = DeviceGuard::new(D[3]).unwrap();
                set_current_device(D[0]).unwrap();
                panic!("on purpose");
            });
            assert!(unwound.is_err());
            assert_eq!(current_device(), D[1]);
        }
        set_default_device(D[3]).unwrap();
        assert_eq!(current_device(), D[3], "not pinned to the default of before");
        set_default_device(D[0]).unwrap();
    })
    .join()
    .unwrap();
}

#[test]
fn memory_knows_its_device_and_any_thread_frees_it() {
    let _turn = turn();
    let _on = DeviceGuard::new(D[1]).unwrap();
    let before = D.map(used);
    let ptr = malloc(1000, None).unwrap();
    assert_eq!((used(D[1]), used(D[0])), (before[1] + 1000, before[0]));
    let info = pointer_info(ptr.wrapping_add(999));
    assert_eq!((info.place, info.offset, info.bytes), (Place::Device(D[1]), 999, 1000));
    set_current_device(D[2]).unwrap();
    free(ptr).unwrap();
    assert_eq!(current_device(), D[2], "freeing leaves the current device alone");
    assert_eq!(D.map(used), before);
    assert_eq!(code(free(ptr)), Code::InvalidDevice);

    let buffer = Buffer::<u64>::zeroed_on(D[3], 10).unwrap();
    std::thread::spawn(move || drop(buffer)).join().unwrap();
    let ptr = malloc(64, Some(&StreamRef::default_of(D[3]))).unwrap();
    assert_eq!(pointer_info(ptr).place, Place::Device(D[3]), "the stream's device, not the current one");
    // SAFETY: not used again.
    unsafe { icicle::device::free(ptr, Some(&StreamRef::default_of(D[0]))) }.unwrap();
    assert_eq!(D.map(used), before);
}

#[test]
fn copies_reach_every_pair_of_places() {
    let _turn = turn();
    let data: Vec<u32> = (0..100).collect();
    let first = Buffer::from_slice_on(D[0], &data).unwrap();
    let around = D[1..].iter().fold(first, |buffer, &device| buffer.to_device(device).unwrap());
    assert_eq!((around.device(), around.to_vec().unwrap()), (D[3], data.clone()));

    let (mut a, b) = (Buffer::<u32>::zeroed_on(D[0], 100).unwrap(), around);
    let (dst, src) = (a.as_mut_ptr(), b.as_ptr());
    copy_on(None, dst, src, 40).unwrap();
    copy_on(Some(D[0]), dst.wrapping_add(40), src.wrapping_add(40), 40).unwrap();
    copy_on(Some(D[3]), dst.wrapping_add(80), src.wrapping_add(80), 320).unwrap();
    assert_eq!(a.to_vec().unwrap(), data);
    let error = copy_on(Some(D[1]), dst, src, 4).unwrap_err();
    assert!(error.code == Code::InvalidArgument && error.detail.contains("from cpu:3 to cpu:0"), "{error}");
    let error = copy_on(None, dst.wrapping_add(4), src, 400).unwrap_err();
    assert!(error.code == Code::InvalidPointer && error.detail.contains("destination"), "{error}");
    assert!(error.detail.contains("396 bytes are left of its allocation of 400 bytes on cpu:0"), "{error}");
    let (mut x, y) = ([0u8; 4], [1u8, 2, 3, 4]);
    copy_on(Some(D[2]), x.as_mut_ptr(), y.as_ptr(), 4).unwrap();
    assert_eq!(x, y);
}

#[test]
fn fills_stay_on_their_device() {
    let _turn = turn();
    let mut a = Buffer::<u8>::zeroed_on(D[1], 10).unwrap();
    let on = |device| Launch { stream: Some(StreamRef::default_of(device)), is_async: true };
    // SAFETY: device memory of a live buffer, done on return.
    unsafe { fill(a.as_mut_ptr().wrapping_add(1), 7, 3, &on(D[1])) }.unwrap();
    // SAFETY: as above; from another current device the memory's own is used.
    unsafe { fill(a.as_mut_ptr().wrapping_add(9), 8, 1, &Launch::default()) }.unwrap();
    // SAFETY: refused.
    let error = unsafe { fill(a.as_mut_ptr(), 9, 10, &on(D[2])) }.unwrap_err();
    assert!(error.code == Code::InvalidPointer && error.detail.contains("cpu:1") && error.detail.contains("cpu:2"));
    assert_eq!(a.to_vec().unwrap(), [0, 7, 7, 7, 0, 0, 0, 0, 0, 8]);
}

#[test]
fn a_limit_binds_one_device() {
    let _turn = turn();
    let base = used(D[1]);
    set_memory_limit(D[1], Some(base + 1000)).unwrap();
    let held = Buffer::<u8>::on(D[1], 900).unwrap();
    let error = Buffer::<u8>::on(D[1], 101).unwrap_err();
    assert_eq!(error.code, Code::OutOfMemory);
    assert!(error.detail.contains("size 101 on cpu:1: the limit is reached; bytes used"), "{error}");
    let stats = memory_stats(D[1]).unwrap();
    assert_eq!((stats.limit, stats.free), (Some(base + 1000), 100));
    drop(Buffer::<u8>::on(D[2], 5000).unwrap());
    set_memory_limit(D[1], None).unwrap();
    drop(Buffer::<u8>::on(D[1], 5000).unwrap());
    drop(held);
    trim(D[1], 0).unwrap();
    assert_eq!(memory_stats(D[1]).unwrap().reserved, 0);
    for bytes in [usize::MAX, usize::MAX / 2, isize::MAX as usize] {
        assert_eq!(code(malloc(bytes, None)), Code::AllocationFailed);
    }
    assert_eq!(code(malloc(1 << 50, None)), Code::OutOfMemory);
}

/// In a process of its own: the variable is read once.
#[test]
fn the_environment_limits_every_device() {
    const CHILD: &str = "ICICLE_TEST_LIMITED";
    if std::env::var_os(CHILD).is_none() {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "the_environment_limits_every_device", "--nocapture"]);
        let output = command.env(CHILD, "1").env("ICICLE_MEMORY_LIMIT", "1M").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let _turn = turn();
    for device in D {
        assert_eq!(memory_stats(device).unwrap().limit, Some(1 << 20));
        assert_eq!(code(Buffer::<u8>::on(device, (1 << 20) + 1)), Code::OutOfMemory);
        Buffer::<u8>::on(device, 1 << 20).unwrap();
    }
}

#[test]
fn events_and_streams_name_their_device() {
    let _turn = turn();
    let (one, two) = (Stream::on(D[1]).unwrap(), Stream::on(D[2]).unwrap());
    assert_eq!((one.as_ref().raw(), one.device()), (0, D[1]));
    let event = Event::on(D[1], true).unwrap();
    event.record(&one).unwrap();
    two.wait(&event).unwrap();
    let error = event.record(&two).unwrap_err();
    assert!(error.code == Code::InvalidArgument && error.detail.contains("stream of cpu:2"), "{error}");
    assert_eq!(code(event.elapsed_ms(&Event::on(D[2], true).unwrap())), Code::InvalidArgument);
    one.synchronize().unwrap();
}

#[test]
fn workers_run_side_by_side_each_on_its_device() {
    let _turn = turn();
    // Each job waits for all others: they must be on threads of their own.
    let meet = std::sync::Barrier::new(4);
    let results = on_each(&D, |device, i| {
        meet.wait();
        let buffer = Buffer::from_slice(&[i as u64; 8])?;
        assert_eq!((buffer.device(), current_device()), (device, device));
        set_current_device(D[0])?;
        buffer.to_vec().map(|v| v.iter().sum::<u64>())
    });
    assert_eq!(results, (0..4).map(|i| Ok(8 * i)).collect::<Vec<_>>());
    assert_eq!(run_on(D[3], || Ok(current_device())).unwrap().wait(), Ok(D[3]), "a job's choice ends with it");
    let inner = run_on(D[1], || {
        let other = run_on(D[2], || Ok(current_device()))?.wait()?;
        let back = on_each(&[D[1], D[3]], |_, _| Ok(current_device()));
        Ok((other, back, current_device()))
    });
    assert_eq!(inner.unwrap().wait(), Ok((D[2], vec![Ok(D[1]), Ok(D[3])], D[1])));
}

#[test]
fn callers_that_meet_inside_their_jobs_do_not_block_each_other() {
    let _turn = turn();
    let (done, finished) = mpsc::channel();
    for t in 0..4usize {
        let done = done.clone();
        std::thread::spawn(move || {
            for _ in 0..200 {
                let meet = std::sync::Barrier::new(4);
                let order: Vec<_> = (0..4).map(|i| D[(i + t) % 4]).collect();
                let results = on_each(&order, |_, _| Ok(meet.wait().is_leader()));
                assert_eq!(results.into_iter().filter(|result| *result == Ok(true)).count(), 1);
            }
            done.send(()).unwrap();
        });
    }
    for _ in 0..4 {
        finished.recv_timeout(std::time::Duration::from_secs(60)).expect("callers block each other");
    }
}
