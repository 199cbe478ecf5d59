//! Ranks connected over TCP: every operation, in threads of one process; faults, in processes of their own.
#![allow(unsafe_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
#[path = "tcp/faults.rs"]
mod faults;
#[path = "tcp/processes.rs"]
mod processes;

use common::oracle::{input, reduced, same, types};
use common::{Memory, connected, every_operation, options, sum};
use icicle_array::DType;
use icicle_comm::{Call, DataType, ReduceOp, group};
use icicle_error::ErrorCode;
use icicle_params::FieldId;

#[test]
fn every_operation_of_every_type() {
    for size in [1, 2, 3, 4, 7] {
        connected(size, &options(60.0).check(size == 3), |comm| {
            for data_type in types() {
                for n in [0, 1, 5, 257] {
                    every_operation(&comm, data_type, n).unwrap();
                }
            }
            comm.finalize().unwrap();
        });
    }
}

/// Chunks, of unequal sizes, and several segments of each.
#[test]
fn large_vectors_go_in_pieces() {
    for (size, t, n) in [
        // Chunks of a whole piece between the first and the last.
        (2, DataType::from(DType::Float32), (5 << 18) + 1),
        (3, DType::BFloat16.into(), (1 << 18) - 1),
        (4, FieldId::GoldilocksScalar.into(), (1 << 16) + 3),
    ] {
        connected(size, &options(60.0), |comm| {
            let (rank, bytes) = (comm.rank(), n * t.bytes());
            let whole: Vec<Vec<u8>> = (0..size as u64).map(|rank| input(t, rank, n)).collect();
            let expected = reduced(t, ReduceOp::Sum, &whole);
            let mut both = Memory::of(&comm, &whole[rank]);
            let recv = both.dst();
            comm.all_reduce(t, ReduceOp::Sum, n, recv.as_src(), recv).unwrap();
            assert!(same(t, &both.bytes(), &expected), "all_reduce of {t}");
            let (send, mut recv) = (Memory::of(&comm, &whole[rank]), Memory::new(&comm, bytes));
            comm.reduce(t, ReduceOp::Sum, n, 1, send.src(), Some(recv.dst())).unwrap();
            assert!(rank != 1 || same(t, &recv.bytes(), &expected), "reduce of {t}");
            comm.broadcast(t, n, 1, Some(send.src()), recv.dst()).unwrap();
            assert_eq!(recv.bytes(), whole[1], "broadcast of {t}");
            let each = n / size;
            let mut part = Memory::new(&comm, each * t.bytes());
            let send = send.src().part("test", 0, size * each * t.bytes()).unwrap();
            comm.reduce_scatter(t, ReduceOp::Sum, each, send, part.dst()).unwrap();
            let range = rank * each * t.bytes()..(rank + 1) * each * t.bytes();
            assert!(same(t, &part.bytes(), &expected[range]), "reduce_scatter of {t}");
        });
    }
}

/// Large messages in both directions, which connections do not hold.
#[test]
fn transfers_in_a_group_do_not_wait_for_each_other() {
    let n = 1 << 23;
    for check in [false, true] {
        connected(2, &options(60.0).check(check), |comm| {
            let (rank, peer) = (comm.rank(), 1 - comm.rank());
            let (send, mut recv) = (Memory::of(&comm, &vec![rank as u8; n]), Memory::new(&comm, n));
            let calls = [Call::send(DType::UInt8, n, peer, send.src()), Call::recv(DType::UInt8, n, peer, recv.dst())];
            group(calls.into_iter().map(|call| (&comm, call)).collect()).unwrap();
            assert!(recv.bytes().iter().all(|&byte| byte == peer as u8));
        });
    }
}

#[test]
fn one_thread_issues_for_connected_ranks() {
    let ranks = connected(3, &options(20.0), |comm| comm);
    let mut out = [[0i32; 1]; 3];
    let data = [[1], [2], [4]];
    let calls = ranks.iter().zip(&data).zip(&mut out).map(|((comm, mine), out)| {
        (comm, Call::all_reduce(DType::Int32, ReduceOp::Sum, 1, mine[..].into(), (&mut out[..]).into()))
    });
    group(calls.collect()).unwrap();
    assert_eq!(out, [[7]; 3]);
}

#[test]
fn colors_and_keys_make_communicators() {
    connected(5, &options(20.0), |comm| {
        let rank = comm.rank();
        let color = (rank != 3).then_some(rank as u32 % 2);
        let part = comm.split(color, -(rank as i32)).unwrap();
        match &part {
            None => assert_eq!(rank, 3),
            Some(part) if rank == 1 => assert_eq!((part.rank(), part.size(), sum(part, 5).unwrap()), (0, 1, 5)),
            Some(part) => {
                assert_eq!((part.rank(), part.size()), ((4 - rank) / 2, 3));
                assert_eq!(sum(part, rank as i64).unwrap(), 6);
            }
        }
        drop(part);
        assert_eq!(sum(&comm, 1).unwrap(), 5, "the whole works on");
    });
}

/// With and without the check, before it hangs.
#[test]
fn calls_that_do_not_match_are_an_error_of_all_ranks() {
    for check in [true, false] {
        connected(3, &options(20.0).check(check), |comm| {
            let n = 1 + comm.rank() / 2;
            let error = comm.all_reduce(DType::Int8, ReduceOp::Sum, n, &[1u8; 2][..n], &mut [0u8; 2][..n]).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument, "{error}");
            assert!(error.detail.contains("all ranks must call the same"), "{error}");
            assert!(error.detail.contains("of 1 int8") && error.detail.contains("of 2 int8"), "{error}");
            assert_eq!(comm.barrier().unwrap_err(), error, "later calls return the first error");
        });
    }
    // A root that only sends would not notice, without the check.
    connected(2, &options(20.0).check(true), |comm| {
        let error = comm.broadcast(DType::Int8, 1, comm.rank(), Some([1u8][..].into()), &mut [0u8][..]).unwrap_err();
        assert!(error.detail.contains("root 0") && error.detail.contains("root 1"), "{error}");
    });
}
