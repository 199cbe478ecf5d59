//! Independent jobs over groups.

use super::{cpus, ready};
use icicle::device::{Cancel, MapOptions, current_device};
use icicle::{Device, DeviceGroup, Error, ErrorCode};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fn group(count: u32) -> DeviceGroup {
    ready();
    DeviceGroup::new(&cpus(count)).unwrap()
}

#[test]
fn jobs_run_with_their_device_current_and_answer_in_order() {
    let group = group(3);
    let answers = group.map(0..100usize, |lane, i| {
        assert_eq!((current_device(), lane.stream().device()), (lane.device, lane.device));
        assert_eq!(group.devices()[lane.position], lane.device);
        std::thread::sleep(Duration::from_millis(1));
        Ok((i * i, lane.device))
    });
    let answers: Vec<(usize, Device)> = answers.unwrap().into_iter().map(Result::unwrap).collect();
    assert!(answers.iter().enumerate().all(|(i, answer)| answer.0 == i * i));
    let seen: BTreeSet<Device> = answers.iter().map(|answer| answer.1).collect();
    assert_eq!(seen.len(), 3, "equal devices share the work");
    assert!(group.map(Vec::<usize>::new(), |_, i| Ok(i)).unwrap().is_empty());
}

#[test]
fn state_is_made_once_a_device_and_only_where_it_is_used() {
    let group = group(3);
    let made = Mutex::new(Vec::new());
    let options = MapOptions { streams: 4, ..MapOptions::default() };
    let run = |jobs: usize| {
        group.map_with(
            options,
            |lane| {
                made.lock().unwrap().push(lane.device);
                Ok(0usize)
            },
            0..jobs,
            |count, lane, _| {
                *count += 1;
                assert!(lane.lane < 4);
                std::thread::sleep(Duration::from_millis(1));
                Ok(*count)
            },
        )
    };
    let counts: Vec<usize> = run(60).unwrap().into_iter().map(Result::unwrap).collect();
    let mut devices = made.lock().unwrap().split_off(0);
    devices.sort();
    assert_eq!(devices, group.devices(), "once each");
    assert!(counts.iter().sum::<usize>() > 60, "the state lives from job to job");
    assert_eq!(run(1).unwrap().len(), 1);
    assert_eq!(made.lock().unwrap().len(), 1, "a device without a job makes none");
}

#[test]
fn failures_and_panics_are_those_of_their_job_and_name_the_device() {
    let group = group(2);
    let answers = group.map(0..20, |_, i| match i {
        3 => Err(Error::argument("mine", "three")),
        7 => panic!("at {i}"),
        _ => Ok(i),
    });
    for (i, answer) in answers.unwrap().into_iter().enumerate() {
        match (i, answer) {
            (3, Err(error)) => {
                assert_eq!((error.code, error.op), (ErrorCode::InvalidArgument, "mine"));
                assert!(error.detail.starts_with("on cpu:") && error.detail.ends_with(": three"), "{error}");
            }
            (7, Err(error)) => {
                assert_eq!(error.code, ErrorCode::Internal);
                assert!(error.detail.starts_with("on cpu:") && error.detail.ends_with("job panicked: at 7"), "{error}");
            }
            (_, answer) => assert_eq!(answer, Ok(i)),
        }
    }
}

#[test]
fn a_device_whose_state_fails_leaves_its_jobs_to_the_others() {
    let group = group(3);
    let fail_on = |bad: &'static [u32]| {
        group.map_with(
            MapOptions::default(),
            move |lane| match bad.contains(&lane.device.index) {
                true => Err(Error::new(ErrorCode::OutOfMemory, "mine", "no room")),
                false => Ok(()),
            },
            0..30,
            |(), lane, i| {
                std::thread::sleep(Duration::from_millis(1));
                Ok((i, lane.device.index))
            },
        )
    };
    for (i, answer) in fail_on(&[1]).unwrap().into_iter().enumerate() {
        let (job, device) = answer.unwrap();
        assert!(job == i && device != 1);
    }
    let answers = fail_on(&[0, 1, 2]).unwrap();
    assert_eq!(answers.len(), 30);
    for answer in answers {
        let error = answer.unwrap_err();
        assert_eq!(error.code, ErrorCode::OutOfMemory);
        assert!(error.detail.starts_with("on cpu:") && error.detail.ends_with(": no room"), "{error}");
    }
}

#[test]
fn progress_rises_and_cancelling_starts_no_more() {
    let group = group(2);
    let (cancel, seen) = (Cancel::default(), Mutex::new(Vec::new()));
    let progress = |done: usize, total: usize| {
        assert_eq!(total, 50);
        seen.lock().unwrap().push(done);
        if done == 10 {
            cancel.cancel();
        }
    };
    let options = MapOptions { progress: Some(&progress), cancel: Some(&cancel), ..MapOptions::default() };
    let started = AtomicUsize::new(0);
    let answers = group.map_with(
        options,
        |_| Ok(()),
        0..50,
        |(), _, i| {
            started.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(1));
            Ok(i)
        },
    );
    let answers = answers.unwrap();
    let done = answers.iter().filter(|answer| answer.is_ok()).count();
    assert!((10..=12).contains(&done), "{done} jobs ended");
    assert_eq!(started.into_inner(), done);
    let left = answers.iter().filter_map(|answer| answer.as_ref().err());
    assert!(left.clone().all(|error| error.code == ErrorCode::Cancelled), "{:?}", left.collect::<Vec<_>>());
    assert_eq!(seen.into_inner().unwrap(), (1..=done).collect::<Vec<_>>());
    let none = MapOptions { streams: 0, ..MapOptions::default() };
    let error = group.map_with(none, |_| Ok(()), 0..2, |(), _, i| Ok(i)).unwrap_err();
    assert_eq!(error.detail, "streams 0: must be at least 1");
}

/// A device of a fiftieth of the other's speed would end its one job after the other had ended all.
#[test]
fn a_slow_device_keeps_nobody_waiting() {
    ready();
    let group = DeviceGroup::new(&cpus(2)).unwrap().with_shares(&[1.0, 50.0]).unwrap();
    let job = |lane: &icicle::device::Lane, i: usize| {
        std::thread::sleep(Duration::from_millis(if lane.device.index == 0 { 500 } else { 10 }));
        Ok((i, lane.device.index))
    };
    let start = Instant::now();
    let answers = group.map(0..10, job).unwrap();
    assert!(answers.iter().all(|answer| answer.as_ref().unwrap().1 == 1), "{answers:?}");
    assert!(start.elapsed() < Duration::from_millis(400));
    // Of many jobs it does some: it ends them before the other has done the rest.
    let answers = group.map(0..120, job).unwrap();
    let slow = answers.iter().filter(|answer| answer.as_ref().unwrap().1 == 0).count();
    assert!((1..=2).contains(&slow), "{slow} jobs on the slow device");
}

#[test]
fn jobs_of_jobs_run_where_they_are() {
    let group = group(2);
    let answers = group.map(0..4usize, |lane, i| {
        let inner = group.map(0..3usize, |_, k| Ok(k))?.into_iter().sum::<icicle::Result<usize>>()?;
        let each = group.on_each(|device, _| Ok(device));
        Ok((i, inner, each.len(), lane.device))
    });
    let answers = answers.unwrap();
    assert_eq!(answers.len(), 4);
    for answer in answers {
        let (_, inner, each, _) = answer.unwrap();
        assert_eq!((inner, each), (3, 2));
    }
}
