//! A forked child has one thread and no workers: devices, memory and jobs work there all the same.
#![cfg(unix)]
#![allow(unsafe_code)]
#![allow(clippy::unwrap_used)]

use icicle::device::*;
use std::io::{Error, Result};
use std::os::unix::process::CommandExt;
use std::process::Command;

fn child() -> icicle::Result<bool> {
    let device = Device::cpu(0);
    let buffer = Buffer::from_slice(&[1u64, 2, 3])?;
    let caller = std::thread::current().id();
    let one = run_on(device, move || Ok(std::thread::current().id() == caller))?.wait()?;
    let each = on_each(&[device], |_, _| buffer.to_vec());
    Ok(one && each == vec![Ok(vec![1, 2, 3])])
}

#[test]
fn a_forked_child_runs_jobs_inline() {
    let device = Device::cpu(0);
    let kept = Buffer::from_slice(&[7u8; 100]).unwrap();
    assert!(run_on(device, || Ok(())).unwrap().wait().is_ok(), "the parent has a worker");
    let fails = |what: &str| Err(Error::other(what.to_owned()));
    let before_exec = move || -> Result<()> {
        match child() {
            Ok(true) if kept.to_vec().is_ok_and(|bytes| bytes == [7; 100]) => Ok(()),
            Ok(_) => fails("wrong answer"),
            Err(error) => fails(&error.to_string()),
        }
    };
    let mut command = Command::new("true");
    // SAFETY: no other thread of the parent is at work, so no lock is held across the fork.
    unsafe { command.pre_exec(before_exec) };
    assert!(command.status().unwrap().success());
}

/// A group made before the fork has no threads in the child: its jobs run inline, and dropping it waits for none.
#[test]
fn a_group_goes_on_in_a_forked_child() {
    let made = icicle::DeviceGroup::new(&[Device::cpu(0)]).unwrap();
    assert_eq!(made.map(0..3, |_, i| Ok(i)).unwrap(), vec![Ok(0), Ok(1), Ok(2)]);
    let mut group = Some(made);
    let before_exec = move || -> Result<()> {
        let caller = std::thread::current().id();
        let Some(inherited) = group.take() else { return Err(Error::other("no group")) };
        let own = icicle::DeviceGroup::new(&[Device::cpu(0)]).map_err(|error| Error::other(error.to_string()))?;
        let inline = inherited.map(0..3, |_, i| Ok((i, std::thread::current().id() == caller)));
        let each = inherited.on_each(|_, position| Ok(position));
        drop(inherited);
        let apart =
            own.submit(0, move || Ok(std::thread::current().id() == caller)).and_then(icicle::device::JobHandle::wait);
        match (inline, each, apart) {
            (inline, each, apart)
                if inline == Ok(vec![Ok((0, true)), Ok((1, true)), Ok((2, true))])
                    && each == [Ok(0)]
                    && apart == Ok(false) =>
            {
                Ok(())
            }
            wrong => Err(Error::other(format!("{wrong:?}"))),
        }
    };
    let mut command = Command::new("true");
    // SAFETY: no other thread of the parent holds a lock across the fork: the group's is idle.
    unsafe { command.pre_exec(before_exec) };
    assert!(command.status().unwrap().success());
}
