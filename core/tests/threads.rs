//! The CPU device's threads: refused ones, too many asked for, and a forked child's.
//!
//! Each case runs in a process of its own, this test program called again, since threads and limits are a process's.
#![cfg(target_os = "linux")]
#![allow(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::panic)]

use icicle::FieldId;
use icicle::ops::vector::{Binary, VectorConfig, binary};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

const CASE: &str = "ICICLE_TEST_THREADS_CASE";
const N: usize = 1 << 20;

/// A vector long enough for all threads; the result is right or this panics.
fn compute() {
    compute_in(&mut vec![0; N], &[vec![3; N], vec![5; N]]);
}

fn compute_in(sum: &mut Vec<u32>, [a, b]: &[Vec<u32>; 2]) {
    let config = VectorConfig::default();
    binary(Binary::Add, FieldId::BabyBearScalar, N, a.into(), b.into(), &config, (&mut *sum).into()).unwrap();
    assert!(sum.iter().all(|&x| x == 8));
}

/// Threads of the CPU device in this process.
fn threads() -> usize {
    let names = std::fs::read_dir("/proc/self/task").unwrap().map(|task| task.unwrap().path().join("comm"));
    names.filter(|comm| std::fs::read_to_string(comm).is_ok_and(|name| name.starts_with("icicle cpu"))).count()
}

fn limit_address_space(bytes: libc::rlim_t) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: a limit to read.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
}

/// Wait for a child of `fork`; none if it is still there after a minute, and then it is killed.
fn wait(child: libc::pid_t) -> Option<i32> {
    let start = Instant::now();
    let mut status = 0;
    while start.elapsed() < Duration::from_secs(60) {
        // SAFETY: our child, a status to write.
        if unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } == child {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // SAFETY: our child.
    unsafe { libc::kill(child, libc::SIGKILL) };
    None
}

fn refused() {
    let (mut sum, operands) = (vec![0; N], [vec![3; N], vec![5; N]]);
    // Enough for small allocations, not for the stacks of threads.
    let pages: usize = std::fs::read_to_string("/proc/self/statm").unwrap().split(' ').next().unwrap().parse().unwrap();
    limit_address_space(pages as libc::rlim_t * 4096 + (1 << 20));
    let started = std::thread::Builder::new().stack_size(2 << 20).spawn(|| ());
    assert!(started.is_err(), "the limit refuses no thread: this test would see nothing");
    compute_in(&mut sum, &operands);
    let before = threads();
    limit_address_space(libc::RLIM_INFINITY);
    std::thread::sleep(Duration::from_millis(1200));
    compute();
    let wanted = std::env::var("RAYON_NUM_THREADS").unwrap().parse::<usize>().unwrap();
    // A thread has its name only once it runs.
    let start = Instant::now();
    while threads() < wanted && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!((before, threads()), (0, wanted), "they are asked for again");
}

fn too_many() {
    compute();
    let hardware = std::thread::available_parallelism().unwrap().get();
    assert!((1..=4 * hardware).contains(&threads()), "{}", threads());
}

fn forked() {
    compute();
    // SAFETY: no other thread of this process is at work, so no lock is held across the fork.
    match unsafe { libc::fork() } {
        0 => {
            let right = std::panic::catch_unwind(|| (0..3).for_each(|_| compute())).is_ok() && threads() > 0;
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(if right { 0 } else { 1 }) }
        }
        child => assert_eq!(wait(child), Some(0), "the child"),
    }
    compute();
}

fn in_a_process(case: &str, threads: &str) -> ExitStatus {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "a_case_alone", "--test-threads=1", "--nocapture"]);
    let mut child = command.env(CASE, case).env("RAYON_NUM_THREADS", threads).spawn().unwrap();
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if start.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
            panic!("{case}: hangs");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What the other tests run in a process of its own; nothing where none asks for it.
#[test]
fn a_case_alone() {
    match std::env::var(CASE).as_deref() {
        Ok("refused") => refused(),
        Ok("too many") => too_many(),
        Ok("forked") => forked(),
        Ok(other) => panic!("case {other}"),
        Err(_) => {}
    }
}

#[test]
fn refused_threads_are_done_without_and_asked_for_again() {
    assert!(in_a_process("refused", "2").success());
}

#[test]
fn a_million_threads_are_not_started() {
    assert!(in_a_process("too many", "999999").success());
}

#[test]
fn a_forked_child_has_threads_of_its_own() {
    assert!(in_a_process("forked", "4").success());
}
