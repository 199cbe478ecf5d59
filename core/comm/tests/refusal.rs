//! Memory that the host refuses: each allocation of some size or more that a call makes fails in turn, at whatever rank. That
//! rank must end with `OutOfMemory`, the others with an error or, where they were done before, with their result; nobody waits
//! until the time is up; and new communicators of the same ranks work.
//!
//! What grows with bytes, calls or ranks is so refused; what is smaller ends a process here as everywhere in Rust.
#![allow(unsafe_code)] // the environment of a process
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../tests/refusal/allocator.rs"]
mod allocator;
mod common;

use allocator::{ASKED, REFUSED, exempt, turn};
use common::oracle::{input, reduced};
use common::{Memory, devices, options};
use icicle_array::DType;
use icicle_comm::{Call, Communicator, DataType, ReduceOp, UniqueId, group};
use icicle_error::{ErrorCode, Result};
use icicle_params::{CurveId, FieldId};
use std::sync::Barrier;
use std::sync::atomic::Ordering;
use std::thread;

/// Run something with an allocation refused; and whether it came to that.
fn refusing<T>(refused: usize, work: impl FnOnce() -> T) -> (T, bool) {
    ASKED.store(0, Ordering::SeqCst);
    REFUSED.store(refused, Ordering::SeqCst);
    let result = work();
    REFUSED.store(0, Ordering::SeqCst);
    (result, ASKED.load(Ordering::SeqCst) >= refused)
}

fn local(n: usize) -> Vec<Communicator> {
    Communicator::init_all_with(&devices(n), &options(20.0)).unwrap()
}

fn connected(n: usize) -> Vec<Communicator> {
    let (devices, id) = (devices(n), UniqueId::new().unwrap());
    thread::scope(|scope| {
        let id = &id;
        let join =
            |(rank, device)| scope.spawn(move || Communicator::init_rank(id, n, rank, device, &options(20.0)).unwrap());
        let threads: Vec<_> = devices.into_iter().enumerate().map(join).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Try a job of all ranks, each in a thread, with each allocation refused in turn; how many were. A job has its operands in
/// what `prepare` makes, and leaves there what it received, which `check` compares.
fn tries<T>(
    what: &str,
    connect: Connect,
    n: usize,
    prepare: impl Fn(&Communicator) -> T + Sync,
    job: impl Fn(&Communicator, &mut T) -> Result<()> + Sync,
    check: impl Fn(&Communicator, &T) + Sync,
) -> usize {
    for refused in 1.. {
        assert!(refused < 3000, "{what}: never completes");
        let comms = connect(n);
        // What is refused is what ranks ask for between the second time that all meet and the third.
        let meeting = Barrier::new(n + 1);
        let results: Vec<_> = thread::scope(|scope| {
            let (meeting, prepare, job, check) = (&meeting, &prepare, &job, &check);
            let rank = move |comm: &Communicator| {
                let mut operands = prepare(comm);
                // What pools and tables keep is there.
                job(comm, &mut operands).unwrap();
                check(comm, &operands);
                operands = prepare(comm);
                meeting.wait();
                meeting.wait();
                let result = job(comm, &mut operands);
                meeting.wait();
                meeting.wait();
                if result.is_ok() {
                    check(comm, &operands);
                }
                // Whoever did not meet the failure in the call does in the next.
                (result, comm.barrier())
            };
            let threads: Vec<_> = comms.iter().map(|comm| scope.spawn(move || rank(comm))).collect();
            meeting.wait();
            ASKED.store(0, Ordering::SeqCst);
            REFUSED.store(refused, Ordering::SeqCst);
            meeting.wait();
            meeting.wait();
            REFUSED.store(0, Ordering::SeqCst);
            meeting.wait();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        if ASKED.load(Ordering::SeqCst) < refused {
            results.iter().for_each(|(result, later)| assert!(result.is_ok() && later.is_ok(), "{what}: {result:?}"));
            return refused - 1;
        }
        let told = format!("{what}, allocation {refused}: {results:?}");
        let errors = || results.iter().filter_map(|(result, _)| result.as_ref().err());
        assert!(errors().any(|error| error.code == ErrorCode::OutOfMemory), "{told}");
        assert!(errors().all(|error| error.code != ErrorCode::Timeout), "{told}");
        assert!(results.iter().all(|(_, later)| later.as_ref().is_err_and(|e| e.code != ErrorCode::Timeout)), "{told}");
    }
    0
}

/// What makes so many ranks.
type Connect = fn(usize) -> Vec<Communicator>;

const TRANSPORTS: [(&str, Connect); 2] = [("local", local), ("TCP", connected)];

/// Reductions and copies of a megabyte, the result in its place: pieces, segments, what is saved.
#[test]
fn large_vectors() {
    let _turn = turn();
    let types = [
        (DataType::from(DType::Float32), 1 << 18),
        (FieldId::BabyBearScalar.into(), 1 << 18),
        (CurveId::Bn254.into(), 1 << 8),
    ];
    let mut all = 0;
    for (name, connect) in TRANSPORTS {
        for (t, n) in types {
            let whole: Vec<Vec<u8>> = (0..3).map(|rank| input(t, rank, n)).collect();
            let sums = reduced(t, ReduceOp::Sum, &whole);
            let what = format!("all_reduce of {t}, {name}");
            all += tries(
                &what,
                connect,
                3,
                |comm| Memory::of(comm, &whole[comm.rank()]),
                |comm, x| {
                    let recv = x.dst();
                    comm.all_reduce(t, ReduceOp::Sum, n, recv.as_src(), recv)
                },
                |_, x| assert!(common::oracle::same(t, &x.bytes(), &sums), "{what}"),
            );
        }
    }
    assert!(all > 5, "{all} were refused");
}

/// Copies in pieces, of whose number lists are as long.
#[test]
fn what_only_moves() {
    const N: usize = 32 << 20;
    let _turn = turn();
    for (name, connect) in TRANSPORTS {
        let prepare = |comm: &Communicator| (vec![comm.rank() as u8 + 1; N], vec![0u8; 2 * N]);
        let job = |comm: &Communicator, (x, all): &mut (Vec<u8>, Vec<u8>)| {
            comm.all_gather(DType::UInt8, N, &x[..], &mut all[..])
        };
        let check = |_: &Communicator, (_, all): &(Vec<u8>, Vec<u8>)| {
            assert!(all[..N].iter().all(|&x| x == 1) && all[N..].iter().all(|&x| x == 2), "{name}");
        };
        assert!(tries(name, connect, 2, prepare, job, check) > 0 || name == "TCP", "{name}: nothing was refused");
    }
}

/// Many transfers of one rank, and collectives behind them: queues.
#[test]
fn many_calls_as_one() {
    const CALLS: usize = 100;
    let _turn = turn();
    for (name, connect) in TRANSPORTS {
        let prepare = |_: &Communicator| (vec![[0u32; 2]; CALLS], vec![0u32; CALLS]);
        let job = |comm: &Communicator, (got, sums): &mut (Vec<[u32; 2]>, Vec<u32>)| {
            let mine = [comm.rank() as u32 + 5, 9];
            let (other, t) = (1 - comm.rank(), DType::UInt32);
            let mut calls = exempt(|| Vec::with_capacity(3 * CALLS));
            for (got, sum) in got.iter_mut().zip(sums) {
                calls.push((comm, Call::send(t, 2, other, mine[..].into())));
                calls.push((comm, Call::recv(t, 2, other, (&mut got[..]).into())));
                let sum = std::slice::from_mut(sum);
                calls.push((comm, Call::all_reduce(t, ReduceOp::Sum, 1, mine[..1].into(), sum.into())));
            }
            group(calls)
        };
        let check = |comm: &Communicator, (got, sums): &(Vec<[u32; 2]>, Vec<u32>)| {
            let expected = [1 - comm.rank() as u32 + 5, 9];
            assert!(got.iter().all(|got| *got == expected) && sums.iter().all(|&sum| sum == 11), "{name}");
        };
        let refused = tries(name, connect, 2, prepare, job, check);
        assert!(refused > 5, "{name}: {refused} were refused");
    }
}

/// Many ranks, whose calls one thread issues, or each its own; parts of them.
#[test]
fn many_ranks() {
    const RANKS: usize = 200;
    let _turn = turn();
    let all: Vec<_> = (0..RANKS).map(|i| devices(7)[i % 7]).collect();
    for refused in 1.. {
        assert!(refused < 3000, "never completes");
        let (made, came) = refusing(refused, || Communicator::init_all_with(&all, &options(20.0)));
        match made {
            Err(error) => assert!(came && error.code == ErrorCode::OutOfMemory, "{error}"),
            Ok(_) => {
                assert!(!came && refused > 1, "{refused}");
                break;
            }
        }
    }
    for refused in 1.. {
        assert!(refused < 3000, "never completes");
        let comms = Communicator::init_all_with(&all, &options(20.0)).unwrap();
        let (mut sums, one) = (vec![[0u32; 1]; RANKS], [3u32]);
        let mut calls = Vec::new();
        for (comm, sum) in comms.iter().zip(&mut sums) {
            let call = Call::all_reduce(DType::UInt32, ReduceOp::Sum, 1, one[..].into(), (&mut sum[..]).into());
            calls.push((comm, call));
        }
        let (result, came) = refusing(refused, || group(calls));
        match (result, came) {
            (Ok(()), false) => {
                assert!(refused > 5 && sums.iter().all(|sum| sum[0] == 3 * RANKS as u32), "{refused}");
                break;
            }
            (Err(error), true) => {
                assert_eq!(error.code, ErrorCode::OutOfMemory);
                assert!(comms.iter().all(|comm| comm.failure().as_ref() == Some(&error)), "all ranks know");
            }
            other => panic!("allocation {refused}: {other:?}"),
        }
    }
    let split = |comm: &Communicator, part: &mut Option<Communicator>| {
        *part = comm.split(Some(comm.rank() as u32 % 2), 0)?;
        Ok(())
    };
    let check = |comm: &Communicator, part: &Option<Communicator>| {
        let part = part.as_ref().unwrap();
        assert_eq!((part.rank(), part.size()), (comm.rank() / 2, 20));
    };
    let repeated = |n: usize| Communicator::init_all_with(&vec![devices(1)[0]; n], &options(20.0)).unwrap();
    let refused = tries("split", repeated, 40, |_| None, split, check);
    assert!(refused > 10, "{refused} were refused");
}
