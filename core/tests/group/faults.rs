//! Groups that cannot be, that are dropped while they work, and that come and go.

use super::{cpus, elements, ready};
use icicle::device::{Layout, Sharded, set_memory_limit};
use icicle::ops::group as over;
use icicle::ops::vector::Binary;
use icicle::{Buffer, Device, DeviceGroup, ErrorCode, FieldId};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[test]
fn groups_that_cannot_be_say_why() {
    ready();
    let error = |devices: &[Device]| DeviceGroup::new(devices).map(|_| ()).unwrap_err();
    assert_eq!(error(&[]).to_string(), "group: devices: must be at least one");
    assert_eq!(
        error(&[Device::cpu(1), Device::cpu(0), Device::cpu(1)]).to_string(),
        "group: devices: cpu:1 is named twice"
    );
    let missing = error(&[Device::cpu(0), Device::cpu(63)]);
    assert_eq!(missing.code, ErrorCode::InvalidDevice);
    assert!(missing.detail.contains("cpu:63"), "{missing}");
    let group = DeviceGroup::new(&cpus(2)).unwrap();
    assert_eq!(
        group.submit(2, || Ok(())).map(|_| ()).unwrap_err().to_string(),
        "group: position 2: the group has 2 devices"
    );
    let failing = group.submit(1, || Err::<(), _>(icicle::Error::argument("mine", "seven")));
    assert_eq!(failing.unwrap().wait().unwrap_err().to_string(), "mine: on cpu:1: seven");
    let error = group.with_shares(&[1.0]).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "group: 1 shares: must be one for each of 2 devices");
}

/// Whichever of some devices' jobs fails: the error names its device.
#[test]
fn an_error_of_any_job_comes_back() {
    ready();
    let group = DeviceGroup::new(&cpus(3)).unwrap();
    let some = |position: usize| position != 1;
    for failing in [0, 2] {
        let job = |_: Device, position: usize| match position == failing {
            true => Err(icicle::Error::argument("mine", "seven")),
            false => Ok(position),
        };
        let error = group.on_some(some, job).unwrap_err();
        assert_eq!(error.to_string(), format!("mine: on cpu:{failing}: seven"));
        assert_eq!(group.on_some(|position| position == failing, job).unwrap_err(), error, "on the calling thread");
        for (position, result) in group.on_each(job).into_iter().enumerate() {
            assert_eq!(result, if position == failing { Err(error.clone()) } else { Ok(position) });
        }
    }
    assert_eq!(group.on_some(some, |_, position| Ok(position)).unwrap(), [Some(0), None, Some(2)]);
}

#[test]
fn dropping_a_group_waits_for_its_jobs() {
    ready();
    let done = Arc::new(AtomicUsize::new(0));
    let group = DeviceGroup::new(&cpus(2)).unwrap();
    for i in 0..6 {
        let done = done.clone();
        let job = move || {
            std::thread::sleep(Duration::from_millis(5));
            done.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        drop(group.submit(i % 2, job).unwrap());
    }
    drop(group);
    assert_eq!(done.load(Ordering::Relaxed), 6);
    // The last owner may be a job of the group.
    let group = Arc::new(DeviceGroup::new(&cpus(1)).unwrap());
    let own = group.clone();
    let job = group.submit(0, move || {
        std::thread::sleep(Duration::from_millis(5));
        drop(own);
        Ok(7)
    });
    drop(group);
    assert_eq!(job.unwrap().wait(), Ok(7));
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

#[test]
fn groups_come_and_go_and_leave_no_thread() {
    ready();
    let names = || {
        let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
        let name = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm")).unwrap_or_default();
        tasks.map(name).filter(|name| name.trim() == "icicle cpu:6").count()
    };
    // No other test has this device alone, but groups of all seven come and go beside this one.
    let before = threads();
    for _ in 0..if cfg!(debug_assertions) { 500 } else { 10_000 } {
        let group = DeviceGroup::new(&[Device::cpu(6), Device::cpu(5)]).unwrap();
        assert_eq!(group.submit(0, || Ok(1)).unwrap().wait(), Ok(1));
    }
    let patience = Instant::now() + Duration::from_secs(60);
    while names() > 8 && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(names() <= 8, "{} threads of cpu:6, {before} threads before, {} now", names(), threads());
}

#[test]
fn memory_of_one_device_only_is_that_devices_error() {
    ready();
    let group = DeviceGroup::new(&[Device::cpu(3), Device::cpu(4)]).unwrap().with_shares(&[1.0, 1.0]).unwrap();
    let field = FieldId::Bn254Scalar;
    let n = 1 << 12;
    let (a, b) = (elements(field, n, 1), elements(field, n, 2));
    set_memory_limit(Device::cpu(4), Some(1024)).unwrap();
    let error = Sharded::new(&group, n, 32, Layout::Blocks).map(|_| ()).unwrap_err();
    assert_eq!(error.code, ErrorCode::OutOfMemory);
    assert!(error.detail.contains("cpu:4"), "{error}");
    // Operands on the other device are brought to this one, which has no room for them.
    let on = |words: &[u32]| Buffer::from_slice_on(Device::cpu(3), words).unwrap();
    let (a_there, b_there) = (on(&a), on(&b));
    let mut out = Buffer::from_slice_on(Device::cpu(3), &vec![7u32; a.len()]).unwrap();
    let error = over::binary(&group, Binary::Add, field, n, &a_there, &b_there, &mut out).unwrap_err();
    assert_eq!(error.code, ErrorCode::OutOfMemory);
    assert!(error.detail.contains("cpu:4"), "{error}");
    set_memory_limit(Device::cpu(4), None).unwrap();
    over::binary(&group, Binary::Add, field, n, &a_there, &b_there, &mut out).unwrap();
}
