//! Memory that the host refuses, at every place of every operation: each allocation of 4 KiB or more fails in turn. The call
//! must end with an error that names the operation, its outputs must be as they were, in place too, and the next call must
//! work; nothing may abort.
//!
//! Each try is a process of its own: an abort is then counted, and no memory is left over from the try before. An operation's
//! tries are forked from one process, which has not called the library: starting a process anew costs as much as three tries.
//! On a GPU, whose context takes longer than all else, an operation's tries are made in one process, which ends at an abort.
#![allow(unsafe_code)] // forks
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "refusal/allocator.rs"]
mod allocator;
#[path = "refusal/counts.rs"]
mod counts;
#[path = "refusal/fields.rs"]
mod fields;
#[path = "refusal/groups.rs"]
mod groups;
#[path = "refusal/operation.rs"]
mod operation;
#[path = "refusal/points.rs"]
mod points;
#[path = "refusal/runtime.rs"]
mod runtime;

use allocator::{ASKED, REFUSED};
use icicle::ops::vector::{Binary, VectorConfig, binary};
use icicle::{Device, ErrorCode, FieldId};
use icicle_params::FIELDS;
use operation::Operation;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The operation whose tries a process makes.
const TRY: &str = "ICICLE_TEST_REFUSAL";
/// Whether on a CUDA device.
const ON_CUDA: &str = "ICICLE_TEST_REFUSAL_ON_CUDA";
/// What it then says, behind this.
const SAYS: &str = "refusal: ";

/// Whether CUDA devices compute: those of the driver in `cuda/fake_driver.c` do not.
fn computes() -> bool {
    std::env::var_os("ICICLE_TEST_FAKE").is_none()
}

/// Do what is not tried.
pub fn unrefused<T>(work: impl FnOnce() -> T) -> T {
    let refused = REFUSED.swap(0, Ordering::SeqCst);
    let result = work();
    REFUSED.store(refused, Ordering::SeqCst);
    result
}

fn operations() -> Vec<Operation> {
    let mut all = fields::operations();
    all.extend(points::operations());
    all.extend(runtime::operations());
    all.extend(groups::operations());
    all
}

fn digest(outputs: &[Vec<u32>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    outputs.hash(&mut hasher);
    hasher.finish()
}

/// Try an operation with one allocation refused; the outcome in a word, and the digest of the results in the end.
fn attempt(operation: &Operation, refused: usize) -> String {
    // Threads and devices have been there before.
    let mut warm = vec![0u32; 1 << 17];
    let out = icicle::device::Dst::from(&mut warm);
    let config = VectorConfig::default();
    binary(Binary::Add, FieldId::BabyBearScalar, 1 << 17, out.as_src(), out.as_src(), &config, out).unwrap();
    let on_cuda = std::env::var_os(ON_CUDA).is_some();
    if on_cuda {
        // Domains too are made there.
        icicle::device::set_current_device(Device::cuda(0)).unwrap();
    }
    let mut case = (operation.prepare)();
    let before = case.outputs.clone();
    if on_cuda {
        // Kernels have been loaded before.
        match (case.run)(&mut case.outputs) {
            // Without kernels nothing is supported; without a device that computes, some results are refused.
            Err(error) if error.code == ErrorCode::Unsupported || !computes() => return format!("completed 0 {error}"),
            _ => case.outputs = before.clone(),
        }
    }
    ASKED.store(0, Ordering::SeqCst);
    REFUSED.store(refused, Ordering::SeqCst);
    let result = (case.run)(&mut case.outputs);
    REFUSED.store(0, Ordering::SeqCst);
    let outcome = match &result {
        Ok(()) if ASKED.load(Ordering::SeqCst) < refused => "completed",
        Ok(()) => "succeeded",
        Err(_) if case.outputs != before => "touched",
        Err(error) if !matches!(error.code, ErrorCode::OutOfMemory | ErrorCode::AllocationFailed) => "mistold",
        Err(error) if error.op.is_empty() || !error.detail.contains(|c: char| c.is_ascii_digit()) => "mistold",
        Err(_) => "refused",
    };
    let detail = result.as_ref().map_or_else(ToString::to_string, |()| String::new());
    if result.is_err() {
        // There is memory again.
        case.outputs = before;
        if let Err(error) = (case.run)(&mut case.outputs) {
            return format!("stuck 0 {error}");
        }
    }
    format!("{outcome} {:x} {detail}", digest(&case.outputs))
}

/// Where an operation is tried.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// On the CPU with its widest instruction set.
    Widest,
    /// On the CPU without vectors.
    Scalar,
    /// On a CUDA device.
    Cuda,
}

/// All tries of an operation, each in a child of this process, which says what came of it.
fn fork_tries(operation: &Operation) {
    let on_gpu = std::env::var_os(ON_CUDA).is_some() && computes();
    for refused in 1.. {
        assert!(refused < 2000, "{}: never completes", operation.name);
        if on_gpu {
            let said = attempt(operation, refused);
            println!("\n{SAYS}{said}");
            if said.starts_with("completed") {
                return;
            }
            continue;
        }
        // SAFETY: no other thread of this process holds anything: the test's own one waits for this.
        let child = unsafe { libc::fork() };
        assert!(child >= 0, "no child: {}", std::io::Error::last_os_error());
        if child == 0 {
            let said = attempt(operation, refused);
            println!("\n{SAYS}{said}");
            std::io::stdout().flush().unwrap();
            // SAFETY: ends this process, and runs nothing of its parent's.
            unsafe { libc::_exit(i32::from(said.starts_with("completed"))) };
        }
        let mut status = 0;
        // SAFETY: our child, and a place for its status.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        match (libc::WIFEXITED(status), libc::WEXITSTATUS(status)) {
            (true, 0) => {}
            (true, 1) => return,
            // A child that ended otherwise than by what it said was aborted; as it does so again and again, one is enough.
            _ => return println!("\n{SAYS}aborted 0 status {status:#x}"),
        }
    }
}

/// All tries of an operation at one place; the outcomes by number, and what was wrong.
fn tries(name: &str, place: Place) -> (BTreeMap<String, usize>, Vec<String>) {
    let (mut outcomes, mut wrong, mut digests) = (BTreeMap::new(), Vec::new(), Vec::new());
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", THIS, "--nocapture", "--test-threads=1"]);
    command.env(TRY, name).env("RAYON_NUM_THREADS", "3").env("ICICLE_CPU_DEVICES", "32");
    match place {
        Place::Widest => &mut command,
        Place::Scalar => command.env("ICICLE_CPU_ISA", "scalar"),
        Place::Cuda => command.env(ON_CUDA, "1"),
    };
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let said: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once(SAYS)?.1)).collect();
    for (said, refused) in said.iter().zip(1..) {
        let mut words = said.splitn(3, ' ');
        let [outcome, digest, detail] = std::array::from_fn(|_| words.next().unwrap_or_default());
        *outcomes.entry(outcome.to_owned()).or_insert(0) += 1;
        match outcome {
            "refused" | "succeeded" | "completed" => digests.push(digest),
            _ => wrong.push(format!("{name}, allocation {refused}: {outcome}: {detail}")),
        }
    }
    if let Some(signal) = output.status.signal() {
        *outcomes.entry("aborted".to_owned()).or_insert(0) += 1;
        wrong.push(format!("{name}: aborted by signal {signal}"));
    } else if !output.status.success() || !outcomes.contains_key("completed") {
        wrong.push(format!("{name}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    if computes() && digests.iter().any(|digest| Some(digest) != digests.last()) {
        wrong.push(format!("{name}: results after a refusal differ"));
    }
    (outcomes, wrong)
}

/// The name of the test below.
const THIS: &str = "refused_memory_is_an_error_and_touches_nothing";

#[test]
fn refused_memory_is_an_error_and_touches_nothing() {
    let all = operations();
    if let Ok(name) = std::env::var(TRY) {
        return fork_tries(all.iter().find(|operation| operation.name == name).unwrap());
    }
    let only = std::env::var("ICICLE_TEST_ONLY").unwrap_or_default();
    // One field of each kind of arithmetic and one curve with both its groups, unless all are asked for.
    let everything = std::env::var_os("ICICLE_TEST_ALL").is_some();
    let few = ["bn254", "babybear", "goldilocks"];
    let others: Vec<_> = FIELDS.iter().map(|row| row.prefix).filter(|prefix| !few.contains(prefix)).collect();
    let wanted = |name: &str| everything || !others.iter().any(|prefix| name.starts_with(prefix));
    let chosen = || all.iter().filter(|o| o.name.contains(&only) && wanted(&o.name));
    // Without vectors, and on the host's side of a device, the same code serves all fields of a kind.
    let some = || chosen().filter(|o| ["bn254 ", "babybear "].iter().any(|of| o.name.starts_with(of)));
    let cuda = icicle::device::device_count(icicle::device::DeviceKind::Cuda) > 0;
    let on_cuda = some().filter(|_| cuda).map(|o| (o, Place::Cuda));
    let on_cpu = chosen().map(|o| (o, Place::Widest)).chain(some().map(|o| (o, Place::Scalar)));
    let jobs: Vec<_> = on_cuda.chain(on_cpu).collect();
    let (next, results) = (AtomicUsize::new(0), Mutex::new((BTreeMap::new(), Vec::new())));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(&(operation, place)) = jobs.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let (outcomes, wrong) = tries(&operation.name, place);
                    let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                    outcomes.into_iter().for_each(|(outcome, n)| *results.0.entry(outcome).or_insert(0) += n);
                    results.1.extend(wrong.into_iter().map(|wrong| format!("{place:?} {wrong}")));
                }
            });
        }
    });
    let (outcomes, wrong) = results.into_inner().unwrap();
    let count = |outcome: &str| outcomes.get(outcome).copied().unwrap_or(0);
    let injections: usize = outcomes.values().sum::<usize>() - count("completed");
    println!(
        "{} operations, {injections} injections, {} aborts, {} outputs touched, {} succeeded all the same, {} mistold, {} stuck",
        jobs.len(),
        count("aborted"),
        count("touched"),
        count("succeeded"),
        count("mistold"),
        count("stuck"),
    );
    assert!(injections >= jobs.len(), "most operations allocate");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
