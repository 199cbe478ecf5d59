//! Transforms whose kernels reach the memory of other devices, while memory is refused, the process forks, and other threads
//! transform, give memory back and make and drop groups. On two GPUs and more.

use super::elements;
use icicle::device::{Layout, Sharded, memory_stats, set_memory_limit, trim};
use icicle::ops::group as over;
use icicle::ops::ntt::{self, Direction, NttConfig, Ordering, root_of_unity};
use icicle::{Buffer, DeviceGroup, ErrorCode, FieldId};
use std::io::Error;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

const FIELD: FieldId = FieldId::Bn254Scalar;
/// Transforms of so many elements have enough rows for kernels that reach other devices.
const LOG_N: u32 = 23;
const N: usize = 1 << LOG_N;

/// What those kernels do, of forward and of inverse transforms.
const CALLS: [(Direction, Ordering); 4] = [
    (Direction::Forward, Ordering::NaturalNatural),
    (Direction::Forward, Ordering::NaturalReversed),
    (Direction::Inverse, Ordering::NaturalNatural),
    (Direction::Inverse, Ordering::ReversedNatural),
];

struct Attacked {
    group: DeviceGroup,
    data: Vec<u32>,
    operand: Sharded,
    /// Results of one device, by call.
    expected: Vec<Vec<u32>>,
}

fn domain(group: &DeviceGroup) {
    over::release_domain(group, FIELD).unwrap();
    over::init_domain(group, FIELD, root_of_unity(FIELD, N as u64).unwrap()).unwrap();
}

fn config(ordering: Ordering) -> NttConfig {
    NttConfig { ordering, ..NttConfig::default() }
}

impl Attacked {
    /// None without two GPUs.
    fn new() -> Option<Self> {
        super::ready();
        let gpus = super::gpus();
        if gpus.len() < 2 {
            return None;
        }
        let group = DeviceGroup::new(&gpus).unwrap();
        domain(&group);
        let data = elements(FIELD, N, 6);
        let on_device = Buffer::from_slice_on(gpus[0], &data).unwrap();
        let mut out = Buffer::<u32>::on(gpus[0], data.len()).unwrap();
        let mut alone = |(direction, ordering): (Direction, Ordering)| {
            ntt::ntt(FIELD, N, direction, &config(ordering), (&on_device).into(), (&mut out).into()).unwrap();
            out.to_vec().unwrap()
        };
        let expected = CALLS.into_iter().map(&mut alone).collect();
        let mut operand = Sharded::new(&group, N, FIELD.info().bytes(), Layout::Blocks).unwrap();
        operand.scatter(&group, (&data).into()).unwrap();
        Some(Self { group, data, operand, expected })
    }

    fn result(&self) -> Sharded {
        self.operand.like(&self.group, FIELD.info().bytes()).unwrap()
    }

    fn call(&self, i: usize, out: &mut Sharded) -> icicle::Result<()> {
        over::ntt(&self.group, FIELD, N, CALLS[i].0, &config(CALLS[i].1), &self.operand, out)
    }

    fn check(&self, what: &str, i: usize, out: &Sharded) {
        let mut words = vec![7u32; self.data.len()];
        out.gather(&self.group, (&mut words).into()).unwrap();
        assert!(words == self.expected[i], "{:?} {what}", CALLS[i]);
    }
}

/// Limits of memory are the process's: in one of its own.
#[test]
fn refused_memory_ends_transforms() {
    super::ready();
    if super::gpus().len() < 2 {
        return;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    let done =
        command.args(["--ignored", "--exact", "reach::refused_memory_ends_transforms_and_nothing_is_lost"]).output();
    let done = done.unwrap();
    let text = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && text.contains("1 passed"), "{text}");
}

/// Each device in turn has too little memory, by ever less: the error names it, what was under way on the others is over, the
/// operand is whole, and the next call gives the result.
#[test]
#[ignore = "limits the memory of the process: the test above runs it in one of its own"]
fn refused_memory_ends_transforms_and_nothing_is_lost() {
    const STEP: u64 = 12 << 20;
    let _turn = super::transforms::turn();
    let Some(attacked) = Attacked::new() else { return };
    let mut out = attacked.result();
    for &gpu in attacked.group.devices() {
        for i in 0..CALLS.len() {
            // Forgotten, so that what calls keep of a domain is made again, in the middle of the steps.
            domain(&attacked.group);
            let mut refused = 0u64;
            loop {
                let limit = memory_stats(gpu).unwrap().used + refused * STEP;
                set_memory_limit(gpu, Some(limit)).unwrap();
                let result = attacked.call(i, &mut out);
                set_memory_limit(gpu, None).unwrap();
                let Err(error) = result else { break };
                assert_eq!(error.code, ErrorCode::OutOfMemory, "{error}");
                assert!(error.detail.contains(&gpu.to_string()), "{error}");
                refused += 1;
            }
            assert!(refused > 2, "{:?}: {refused} calls were refused memory", CALLS[i]);
            attacked.check("after what was refused", i, &out);
            attacked.call(i, &mut out).unwrap();
            attacked.check("again", i, &out);
        }
    }
    let mut words = vec![7u32; attacked.data.len()];
    attacked.operand.gather(&attacked.group, (&mut words).into()).unwrap();
    assert!(words == attacked.data, "the operand was written");
    over::release_domain(&attacked.group, FIELD).unwrap();
}

/// A child that is forked while transforms are under way is told that it cannot; the parent goes on.
#[test]
fn a_forked_child_is_refused_and_the_parent_goes_on() {
    let _turn = super::transforms::turn();
    let Some(attacked) = Attacked::new() else { return };
    let attacked = Arc::new(attacked);
    let stop = Arc::new(AtomicBool::new(false));
    let (own, end) = (attacked.clone(), stop.clone());
    let parent = std::thread::spawn(move || {
        let (mut out, mut calls) = (own.result(), 0);
        while calls < 40 || !end.load(Relaxed) {
            own.call(calls % CALLS.len(), &mut out).unwrap();
            own.check("beside forks", calls % CALLS.len(), &out);
            calls += 1;
        }
    });
    let (told, all) = mpsc::channel();
    let (inherited, out) = (attacked.clone(), Arc::new(Mutex::new(attacked.result())));
    std::thread::spawn(move || {
        for _ in 0..20 {
            let (inherited, out) = (inherited.clone(), out.clone());
            let child = move || match inherited.call(0, &mut out.lock().unwrap()) {
                Err(error) if error.detail.contains("forked") => Ok(()),
                other => Err(Error::other(format!("{other:?}"))),
            };
            let mut command = Command::new("true");
            // SAFETY: the child calls one function of the library, which must end without what the parent's threads hold.
            unsafe { command.pre_exec(child) };
            assert!(command.status().unwrap().success());
        }
        told.send(()).unwrap();
    });
    all.recv_timeout(Duration::from_secs(120)).expect("a forked child hangs, or was not refused");
    stop.store(true, Relaxed);
    parent.join().unwrap();
    over::release_domain(&attacked.group, FIELD).unwrap();
}

/// Threads that transform over one group, and over groups of their own, beside others that give memory back to the system and
/// make and drop groups, have their results.
#[test]
fn threads_that_transform_at_once_have_their_results() {
    let _turn = super::transforms::turn();
    let Some(attacked) = Attacked::new() else { return };
    let (stop, gpus) = (AtomicBool::new(false), attacked.group.devices().to_vec());
    std::thread::scope(|scope| {
        let callers: Vec<_> = (0..4)
            .map(|t| {
                let attacked = &attacked;
                scope.spawn(move || {
                    for turn in 0..8 {
                        // Made anew, so that memory comes from the pools that others empty.
                        let (mut out, i) = (attacked.result(), (t + turn) % CALLS.len());
                        attacked.call(i, &mut out).unwrap();
                        attacked.check("beside others", i, &out);
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !stop.load(Relaxed) {
                gpus.iter().for_each(|&gpu| trim(gpu, 0).unwrap());
            }
        });
        scope.spawn(|| {
            while !stop.load(Relaxed) {
                let own = DeviceGroup::new(&gpus).unwrap();
                let mut out = attacked.result();
                over::ntt(&own, FIELD, N, CALLS[0].0, &config(CALLS[0].1), &attacked.operand, &mut out).unwrap();
                drop(own);
                attacked.check("of a group dropped since", 0, &out);
            }
        });
        let ended: Vec<_> = callers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        stop.store(true, Relaxed);
        ended.into_iter().for_each(|ended| ended.unwrap());
    });
    over::release_domain(&attacked.group, FIELD).unwrap();
}
