//! Ranks of one process.
#![allow(unsafe_code)] // the environment
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::oracle::{input, reduced, types};
use common::{devices, every_operation, local, options, ordered_by_streams, sum};
use icicle_array::DType;
use icicle_comm::{Call, Communicator, DataType, ReduceOp, group};
use icicle_device::{Device, Dst};
use icicle_error::ErrorCode;
use icicle_params::{CurveId, FieldId};
use icicle_runtime::{Buffer, Stream};
use std::time::{Duration, Instant};

#[test]
fn every_operation_of_every_type() {
    for size in [1, 2, 3, 4, 7] {
        local(size, &options(60.0), |comm| {
            for data_type in types() {
                for n in [0, 1, 2, 5, 63, 257] {
                    every_operation(&comm, data_type, n).unwrap();
                }
            }
            comm.finalize().unwrap();
        });
    }
}

#[test]
fn large_vectors_go_in_pieces() {
    local(3, &options(60.0), |comm| {
        for (t, n) in [
            (DataType::from(DType::Float32), (1 << 18) + 1),
            (DType::Float16.into(), (1 << 17) - 1),
            (FieldId::BabyBearScalar.into(), (1 << 19) + 3),
        ] {
            let whole: Vec<Vec<u8>> = (0..3).map(|rank| input(t, rank, n)).collect();
            let mut both = common::Memory::of(&comm, &whole[comm.rank()]);
            let recv = both.dst();
            comm.all_reduce(t, ReduceOp::Sum, n, recv.as_src(), recv).unwrap();
            assert!(common::oracle::same(t, &both.bytes(), &reduced(t, ReduceOp::Sum, &whole)), "{t}");
        }
    });
}

#[test]
fn one_thread_issues_for_all_ranks() {
    let ranks = Communicator::init_all_with(&devices(3), &options(5.0)).unwrap();
    let data: Vec<[u32; 4]> = (0..3u32).map(|rank| [rank, 10, 1 << rank, 7]).collect();
    let (mut sums, mut all, mut token) = ([[0u32; 4]; 3], [[0u32; 12]; 3], [0u32; 4]);
    let mut calls = Vec::new();
    for ((comm, mine), (sum, all)) in ranks.iter().zip(&data).zip(sums.iter_mut().zip(&mut all)) {
        calls.push((comm, Call::all_reduce(DType::UInt32, ReduceOp::Sum, 4, mine[..].into(), (&mut sum[..]).into())));
        calls.push((comm, Call::all_gather(DType::UInt32, 4, mine[..].into(), (&mut all[..]).into())));
    }
    calls.push((&ranks[2], Call::recv(DType::UInt32, 4, 1, (&mut token[..]).into())));
    calls.push((&ranks[1], Call::send(DType::UInt32, 4, 2, data[1][..].into())));
    group(calls).unwrap();
    assert_eq!(sums, [[3, 30, 7, 21]; 3]);
    assert!(all.iter().all(|all| *all == [0, 10, 1, 7, 1, 10, 2, 7, 2, 10, 4, 7]), "{all:?}");
    assert_eq!(token, data[1]);
    group(Vec::new()).unwrap();
    // One rank alone, in a group or not, waits for the others, and says for which.
    let error = group(vec![(&ranks[1], Call::barrier())]);
    let error = error.unwrap_err();
    assert_eq!(error.code, ErrorCode::Timeout);
    assert!(error.to_string().contains("barrier: timed out waiting for ranks [0, 2]"), "{error}");
}

/// A rank's calls are done in their order, also where one thread calls for all ranks behind another's call of one of them.
#[test]
fn a_group_comes_behind_what_waits() {
    let ranks = Communicator::init_all_with(&devices(2), &options(20.0)).unwrap();
    let sum = |rank: usize, x: u32| {
        let mut sum = [0];
        ranks[rank].all_reduce(DType::UInt32, ReduceOp::Sum, 1, &[x][..], &mut sum[..]).map(|()| sum[0])
    };
    let both = |x: u32, y: u32| {
        let (x, y, mut sums) = ([x], [y], [[0]; 2]);
        let [first, second] = &mut sums;
        group(vec![
            (&ranks[0], Call::all_reduce(DType::UInt32, ReduceOp::Sum, 1, x[..].into(), (&mut first[..]).into())),
            (&ranks[1], Call::all_reduce(DType::UInt32, ReduceOp::Sum, 1, y[..].into(), (&mut second[..]).into())),
        ])
        .map(|()| sums)
    };
    assert_eq!(both(1, 2).unwrap(), [[3], [3]]);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| sum(0, 1));
        std::thread::sleep(Duration::from_millis(200));
        let group = scope.spawn(|| both(10, 100));
        std::thread::sleep(Duration::from_millis(200));
        let last = scope.spawn(|| sum(1, 1000));
        assert_eq!(first.join().unwrap().unwrap(), 101);
        assert_eq!(group.join().unwrap().unwrap(), [[1010], [101]]);
        assert_eq!(last.join().unwrap().unwrap(), 1010);
    });
    assert_eq!(both(3, 4).unwrap(), [[7], [7]]);
    // What one thread calls for all ranks fails for all of them, and for good.
    let (data, mut out) = ([1u8; 8], [[0u8; 8]; 2]);
    let [a, b] = &mut out;
    let error = group(vec![
        (&ranks[0], Call::all_gather(DType::UInt8, 2, data[..2].into(), (&mut a[..4]).into())),
        (&ranks[1], Call::all_gather(DType::UInt8, 4, data[..4].into(), (&mut b[..]).into())),
    ]);
    let error = error.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    assert_eq!(ranks[1].failure(), Some(error.clone()));
    assert_eq!(both(1, 2).unwrap_err(), error);
    assert_eq!(sum(0, 1).unwrap_err(), error);
}

/// Both ends of a transfer, called by one thread, come behind what another thread sends.
#[test]
fn a_transfer_comes_behind_what_waits() {
    let ranks = Communicator::init_all_with(&devices(2), &options(20.0)).unwrap();
    let both = |x: u32| {
        let (x, mut out) = ([x], [0]);
        let send = Call::send(DType::UInt32, 1, 1, x[..].into());
        group(vec![(&ranks[0], send), (&ranks[1], Call::recv(DType::UInt32, 1, 0, (&mut out[..]).into()))])
            .map(|()| out[0])
    };
    assert_eq!(both(5).unwrap(), 5);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| ranks[0].send(DType::UInt32, 1, 1, &[6u32][..]));
        std::thread::sleep(Duration::from_millis(200));
        let group = scope.spawn(|| both(7));
        std::thread::sleep(Duration::from_millis(200));
        let mut last = [0u32];
        ranks[1].recv(DType::UInt32, 1, 0, &mut last[..]).unwrap();
        first.join().unwrap().unwrap();
        assert_eq!((group.join().unwrap().unwrap(), last), (6, [7]));
    });
    // Ends that do not match end communication.
    let mut out = [0u32; 2];
    let send = Call::send(DType::UInt32, 1, 1, [1u32][..].into());
    let error = group(vec![(&ranks[0], send), (&ranks[1], Call::recv(DType::UInt32, 2, 0, (&mut out[..]).into()))]);
    assert_eq!(error.unwrap_err().code, ErrorCode::InvalidArgument);
    assert_eq!(both(1).unwrap_err().code, ErrorCode::InvalidArgument);
}

#[test]
fn what_a_rank_sends_itself_is_checked() {
    local(1, &options(5.0), |comm| {
        let t = DType::UInt32;
        let (mut a, b) = ([0u32; 4], [1u32; 4]);
        let send = |n| (&comm, Call::send(t, n, 0, b[..n].into()));
        let error = group(vec![send(2), (&comm, Call::recv(t, 3, 0, (&mut a[..3]).into()))]).unwrap_err();
        assert!(error.to_string().contains("of 2 uint32, root 0, and receives"), "{error}");
        let both = Dst::from(&mut a[..2]);
        let error = group(vec![(&comm, Call::send(t, 2, 0, both.as_src())), (&comm, Call::recv(t, 2, 0, both))]);
        assert!(error.unwrap_err().to_string().contains("must be disjoint"));
        assert_eq!(comm.failure(), None);
    });
}

#[test]
fn streams_order_calls() {
    local(3, &options(20.0), |comm| ordered_by_streams(&comm).unwrap());
}

#[test]
fn colors_and_keys_make_communicators() {
    local(5, &options(20.0), |comm| {
        let rank = comm.rank();
        // 0, 2 and 4 in reverse, 1 alone, 3 not at all.
        let color = match rank {
            3 => None,
            rank => Some(rank as u32 % 2),
        };
        let part = comm.split(color, -(rank as i32)).unwrap();
        match (rank, &part) {
            (3, None) => {}
            (1, Some(part)) => assert_eq!((part.rank(), part.size()), (0, 1)),
            (_, Some(part)) => {
                assert_eq!((part.rank(), part.size(), part.device()), ((4 - rank) / 2, 3, comm.device()));
                assert_eq!(sum(part, rank as i64).unwrap(), 6);
            }
            _ => panic!("rank {rank} has {part:?}"),
        }
        drop(part);
        assert_eq!(sum(&comm, 1).unwrap(), 5, "the whole works on");
    });
}

#[test]
fn arguments_are_refused_before_anything_is_sent() {
    use ErrorCode::{InvalidArgument, InvalidDevice, InvalidPointer, Unsupported};
    devices(1);
    assert_eq!(Communicator::init_all(&[]).unwrap_err().code, InvalidArgument);
    assert_eq!(Communicator::init_all(&[Device::cpu(64)]).unwrap_err().code, InvalidDevice);
    local(2, &options(20.0), |comm| {
        let (rank, peer) = (comm.rank(), 1 - comm.rank());
        let t = DType::Float32;
        let (mut a, b) = ([0u32; 5], [0u32; 5]);
        let (foreign, own) = (Buffer::<u32>::on(Device::cpu(peer as u32), 4).unwrap(), Device::cpu(rank as u32));
        let mut own = Buffer::<u32>::on(own, 4).unwrap();
        let stream = Stream::on(Device::cpu(5)).unwrap();
        let mut bytes = [0u8; 64];
        let start = bytes.as_ptr().addr().next_multiple_of(8) - bytes.as_ptr().addr() + 1;
        let check = |call: Call<'_>, code, text: &str| {
            let error = comm.run(call).unwrap_err();
            assert!(error.code == code && error.to_string().contains(text), "{error}: {text}");
        };
        let sum = ReduceOp::Sum;
        check(Call::all_reduce(t, sum, 5, b[..4].into(), (&mut a[..]).into()), InvalidArgument, "send holds 16 bytes");
        check(Call::all_reduce(t, sum, 5, b[..].into(), (&mut a[..4]).into()), InvalidArgument, "recv holds 16 bytes");
        check(
            Call::all_gather(t, 2, b[..2].into(), (&mut a[..2]).into()),
            InvalidArgument,
            "recv holds 8 bytes: need 4",
        );
        check(Call::reduce_scatter(t, sum, 2, b[..2].into(), (&mut a[..2]).into()), InvalidArgument, "send holds");
        check(Call::all_to_all(t, 2, b[..2].into(), (&mut a[..4]).into()), InvalidArgument, "send holds");
        check(Call::broadcast(t, 2, 2, None, (&mut a[..2]).into()), InvalidArgument, "root 2: must be a rank, below 2");
        check(Call::broadcast(t, 2, rank, None, (&mut a[..2]).into()), InvalidArgument, "must have something to send");
        check(Call::gather(t, 2, rank, b[..2].into(), None), InvalidArgument, "must have memory to receive to");
        check(Call::send(t, 2, rank, b[..2].into()), InvalidArgument, "1 calls send and 0 receive");
        check(Call::recv(t, 2, rank, (&mut a[..2]).into()), InvalidArgument, "a group must have as many of both");
        check(Call::send(t, 2, 9, b[..2].into()), InvalidArgument, "peer 9: must be a rank");
        check(Call::send(t, usize::MAX, peer, b[..2].into()), InvalidArgument, "address space");
        check(Call::barrier().on(stream.as_ref()), InvalidArgument, "stream of cpu:5");
        let whole = Dst::from(&mut a[..]);
        let send = whole.as_src().part("test", 4, 16).unwrap();
        let recv = whole.split("test", [16, 4]).unwrap().remove(0);
        check(Call::all_reduce(t, sum, 4, send, recv), InvalidArgument, "overlaps send in part");
        let whole = Dst::from(&mut a[..4]);
        check(Call::all_to_all(t, 2, whole.as_src(), whole), InvalidArgument, "must be disjoint");
        let whole = Dst::from(&mut a[..4]);
        // The other rank's place.
        let send = whole.as_src().part("test", 8 * peer, 8).unwrap();
        check(Call::all_gather(t, 2, send, whole), InvalidArgument, "must be disjoint");
        check(
            Call::all_reduce(t, sum, 4, (&foreign).into(), (&mut own).into()),
            InvalidPointer,
            "the communicator's rank",
        );
        let odd = &mut bytes[start..start + 16];
        check(Call::all_reduce(t, sum, 4, b[..4].into(), odd.into()), InvalidPointer, "aligned to 4 bytes");
        for (data_type, op) in [
            (DataType::from(DType::Bool), ReduceOp::Avg),
            (DType::Complex64.into(), ReduceOp::Min),
            (DType::Complex128.into(), ReduceOp::Max),
            (FieldId::BabyBearScalar.into(), ReduceOp::Min),
            (FieldId::BabyBearScalar.into(), ReduceOp::Avg),
            (CurveId::Bn254.into(), ReduceOp::Prod),
        ] {
            assert!(!op.takes(data_type));
            check(Call::all_reduce(data_type, op, 0, b[..0].into(), (&mut a[..0]).into()), Unsupported, op.name());
        }
        assert_eq!(common::sum(&comm, 1).unwrap(), 2, "the communicator is as it was");
    });
}

#[test]
fn calls_that_do_not_match_are_an_error_of_all_ranks() {
    type Job = fn(&Communicator) -> icicle_error::Result<()>;
    let jobs: [(Job, &str); 4] = [
        (
            |comm| {
                let n = 1 + comm.rank();
                comm.broadcast(DType::Int8, n, 0, Some([1u8; 2][..n].into()), &mut [0u8; 2][..n])
            },
            "broadcast of 2 int8, root 0",
        ),
        (|comm| comm.broadcast(DType::Int8, 1, comm.rank(), Some([1u8][..].into()), &mut [0u8][..]), "root 1"),
        (
            |comm| {
                let t = if comm.rank() == 0 { DType::Int8 } else { DType::UInt8 };
                comm.all_reduce(t, ReduceOp::Sum, 1, &[1u8][..], &mut [0u8][..])
            },
            "1 uint8",
        ),
        (
            |comm| match comm.rank() {
                0 => comm.barrier(),
                _ => comm.all_reduce(DType::Int8, ReduceOp::Sum, 1, &[1u8][..], &mut [0u8][..]),
            },
            "all_reduce sum",
        ),
    ];
    for (job, text) in jobs {
        local(2, &options(20.0), |comm| {
            let error = job(&comm).unwrap_err();
            assert!(error.code == ErrorCode::InvalidArgument && error.detail.contains(text), "{error}");
            assert!(error.detail.contains("all ranks must call the same"), "{error}");
            assert_eq!(comm.barrier().unwrap_err(), error, "later calls return the first error");
            assert_eq!(comm.failure(), Some(error));
        });
    }
}

#[test]
fn ranks_do_not_receive_where_others_send() {
    let ranks = Communicator::init_all_with(&devices(2), &options(5.0)).unwrap();
    let (mut a, mut b) = ([1u8; 8], [2u8; 8]);
    let whole = Dst::from(&mut a[..]);
    let shared = whole.as_src();
    let error = group(vec![
        (&ranks[0], Call::all_reduce(DType::UInt8, ReduceOp::Sum, 8, shared, whole)),
        (&ranks[1], Call::all_reduce(DType::UInt8, ReduceOp::Sum, 8, shared, (&mut b[..]).into())),
    ]);
    assert!(error.unwrap_err().detail.contains("overlaps an operand of rank 1"));
}

#[test]
fn ranks_that_do_not_come_are_named_in_time() {
    let start = Instant::now();
    local(4, &options(0.3), |comm| {
        if [1, 3].contains(&comm.rank()) {
            std::thread::sleep(Duration::from_millis(900));
            let late = comm.barrier().unwrap_err();
            assert_eq!(late.code, ErrorCode::Timeout);
            return;
        }
        let error = sum(&comm, 1).unwrap_err();
        assert_eq!(error.to_string(), "all_reduce: timed out waiting for ranks [1, 3]");
        assert_eq!(comm.barrier().unwrap_err(), error);
    });
    assert!(start.elapsed() < Duration::from_secs(3));
    // The memory of a call that timed out is the caller's again: the next communicator uses the same.
    assert_eq!(local(4, &options(20.0), |comm| sum(&comm, 2).unwrap()), [8; 4]);
}

#[test]
fn ranks_that_leave_are_not_waited_for() {
    let start = Instant::now();
    local(3, &options(25.0), |comm| {
        comm.barrier().unwrap();
        if comm.rank() == 1 {
            return;
        }
        let error = sum(&comm, 1).unwrap_err();
        assert_eq!(error.code, ErrorCode::RemoteError);
        assert!(error.detail.contains("rank 1 left the communicator"), "{error}");
    });
    local(2, &options(25.0), |comm| {
        if comm.rank() == 0 {
            let error = comm.recv(DType::UInt8, 1, 1, &mut [0u8][..]).unwrap_err();
            assert!(error.code == ErrorCode::RemoteError && error.detail.contains("rank 1 left"), "{error}");
        }
    });
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn aborting_ends_calls_that_wait() {
    let start = Instant::now();
    local(3, &options(25.0), |comm| {
        if comm.rank() == 2 {
            std::thread::sleep(Duration::from_millis(200));
            comm.abort();
            assert_eq!(comm.barrier().unwrap_err().code, ErrorCode::Cancelled);
            return;
        }
        let error = comm.barrier().unwrap_err();
        assert!(error.code == ErrorCode::Cancelled && error.detail.contains("rank 2 aborted"), "{error}");
    });
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_panic_in_a_rank_leaves_the_others_with_an_error() {
    let result = std::panic::catch_unwind(|| {
        local(2, &options(25.0), |comm| {
            if comm.rank() == 1 {
                panic!("on purpose");
            }
            assert_eq!(comm.barrier().unwrap_err().code, ErrorCode::RemoteError);
        })
    });
    assert!(result.is_err());
}
