//! Ranks on GPUs, as many as there are: every operation against the oracle and against CPU devices; streams; failures; ranks
//! in processes of their own. With NCCL where it is, and without.
//!
//! `ICICLE_TEST_GPUS` says how many GPUs there must be at least; without it, none is tested where none is. `ICICLE_TEST_NCCL=1`
//! says that NCCL must be there.
#![cfg(feature = "cuda")]
#![allow(unsafe_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
#[path = "collectives_cuda/processes.rs"]
mod processes;

use common::oracle::{input, reduced, same, types};
use common::{Memory, each, every_operation, options, ordered_by_streams, sum};
use icicle_array::DType;
use icicle_comm::{Call, Communicator, DataType, Options, ReduceOp, group};
use icicle_device::{Device, DeviceKind, Src};
use icicle_error::ErrorCode;
use icicle_params::{CurveId, FieldId};
use icicle_runtime::{Buffer, DeviceGroup, Stream};
use std::process::Command;
use std::sync::Once;
use std::time::{Duration, Instant};

/// This machine's GPUs: as many at least as `ICICLE_TEST_GPUS` says, so that none is taken for tested that was not there.
pub fn gpus() -> Vec<Device> {
    static READY: Once = Once::new();
    // Multicast between GPUs is not ours to set up on a machine that others share.
    // SAFETY: each test calls this first, and nothing else in this process writes the environment.
    READY.call_once(|| unsafe { std::env::set_var("NCCL_NVLS_ENABLE", "0") });
    let all = icicle_runtime::devices();
    let gpus: Vec<_> = all.into_iter().filter(|device| device.kind == DeviceKind::Cuda).collect();
    let wanted = std::env::var("ICICLE_TEST_GPUS").map_or(0, |wanted| wanted.parse().unwrap());
    assert!(gpus.len() >= wanted, "{} GPUs: ICICLE_TEST_GPUS asks for {wanted}", gpus.len());
    gpus
}

/// Communicators of several sets of GPUs: one, all, and where NCCL does not carry, one twice.
fn sets(options: &Options) -> Vec<Vec<Communicator>> {
    let gpus = gpus();
    if gpus.is_empty() {
        return Vec::new();
    }
    let twice = [&gpus[..], &gpus[..1]].concat();
    let sets = [&gpus[..1], &gpus[..], &twice[..]];
    let make = |devices: &&[Device]| Communicator::init_all_with(devices, options).unwrap();
    let all: Vec<_> =
        sets.iter().filter(|set| gpus.len() > 1 || set.len() != gpus.len() || set.len() == 1).map(make).collect();
    for ranks in &all {
        println!("{} ranks: {}", ranks.len(), ranks[0].carrier());
    }
    assert_eq!(all[all.len() - 1][0].carrier(), "copies between devices");
    if std::env::var_os("ICICLE_TEST_NCCL").is_some() {
        assert!(all[0][0].carrier().starts_with("NCCL"), "{}", all[0][0].carrier());
    }
    all
}

#[test]
fn every_operation_of_every_type() {
    for ranks in sets(&options(60.0).ordered(true)) {
        each(ranks, |comm| {
            for t in types() {
                for n in [0, 1, 5, 257] {
                    every_operation(&comm, t, n).unwrap();
                }
                // Up to about a mebibyte; the oracle takes long for points.
                let n = if let DataType::Point(_) = t { 1001 } else { ((1 << 20) / t.bytes() + 1).min(100_003) };
                every_operation(&comm, t, n).unwrap();
            }
            comm.finalize().unwrap();
        });
    }
}

/// What NCCL reduces itself: integers to the bit; floats of two ranks too, as the sum of two has one order.
#[test]
fn what_nccl_reduces_is_right() {
    for ranks in sets(&options(60.0)) {
        let few = ranks.len() <= 2;
        each(ranks, |comm| {
            for &dtype in DType::ALL {
                let is_exact = !matches!(dtype.kind(), icicle_array::Kind::Float | icicle_array::Kind::Complex);
                for n in [1, 5, 257, 100_003] {
                    if is_exact || few {
                        every_operation(&comm, dtype.into(), n).unwrap();
                    }
                }
            }
            let (n, size) = (4099, comm.size());
            let mine: Vec<f32> = (0..n).map(|i| (i as f32).sin() * (comm.rank() + 1) as f32).collect();
            let send = Buffer::from_slice_on(comm.device(), &mine).unwrap();
            let mut recv = Buffer::<f32>::zeroed_on(comm.device(), n).unwrap();
            comm.all_reduce(DType::Float32, ReduceOp::Sum, n, &send, &mut recv).unwrap();
            let factor = (size * (size + 1) / 2) as f32;
            for (i, &x) in recv.to_vec().unwrap().iter().enumerate() {
                let expected = (i as f32).sin() * factor;
                assert!((x - expected).abs() <= 1e-5 * factor, "element {i}: {x}, not {expected}");
            }
            comm.finalize().unwrap();
        });
    }
}

/// Field elements and points: the same bits as on CPU devices, whatever the number of ranks.
#[test]
fn exact_types_are_as_on_cpus() {
    for ranks in sets(&options(60.0)) {
        let size = ranks.len();
        each(ranks, |comm| {
            for (t, n) in [
                (DataType::from(FieldId::Bn254Scalar), 70_001),
                (FieldId::BabyBearScalar.into(), (1 << 21) + 1),
                (FieldId::GoldilocksScalar.into(), 300_007),
                (CurveId::Bn254.into(), 1500),
            ] {
                let whole: Vec<Vec<u8>> = (0..size as u64).map(|rank| input(t, rank, n)).collect();
                let expected = reduced(t, ReduceOp::Sum, &whole);
                let mut both = Memory::of(&comm, &whole[comm.rank()]);
                let recv = both.dst();
                comm.all_reduce(t, ReduceOp::Sum, n, recv.as_src(), recv).unwrap();
                assert!(same(t, &both.bytes(), &expected), "{n} {t}, {size} ranks");
            }
            comm.finalize().unwrap();
        });
    }
}

/// The first elements of a buffer.
fn first(buffer: &Buffer<u32>, n: usize) -> Src<'_> {
    Src::from(buffer).part("test", 0, 4 * n).unwrap()
}

/// Chunks of several segments, of operands on the device and on the host.
#[test]
fn long_vectors_go_in_segments() {
    for ranks in sets(&options(120.0).ordered(true)) {
        each(ranks, |comm| {
            let (rank, size) = (comm.rank() as u32, comm.size() as u32);
            let n = (3 << 24) + 7;
            let mine: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(rank + 1)).collect();
            let is_right =
                |out: &[u32]| out.iter().zip(0u32..).all(|(&x, i)| x == i.wrapping_mul(size * (size + 1) / 2));
            let mut x = Buffer::from_slice_on(comm.device(), &mine).unwrap();
            let recv = icicle_device::Dst::from(&mut x);
            comm.all_reduce(DType::UInt32, ReduceOp::Sum, n, recv.as_src(), recv).unwrap();
            assert!(is_right(&x.to_vec().unwrap()));
            let mut host = vec![0u32; n];
            comm.all_reduce(DType::UInt32, ReduceOp::Sum, n, &mine[..], &mut host).unwrap();
            assert!(is_right(&host));
            // Elements of a field, whose sums stay below its modulus here.
            let mine: Vec<u32> = (0..n as u32).map(|i| i + rank).collect();
            let mut send = Buffer::from_slice_on(comm.device(), &mine).unwrap();
            let field = DataType::from(FieldId::BabyBearScalar);
            comm.all_reduce(field, ReduceOp::Sum, n, &send, &mut x).unwrap();
            let expected = |i: u32| size * i + size * (size - 1) / 2;
            assert!(x.to_vec().unwrap().iter().zip(0..).all(|(&x, i)| x == expected(i)));
            // What only moves: the parts of all, the same parts back, and all with all twice, which is what was there.
            let each = n / size as usize;
            let all = each * size as usize;
            let whole = icicle_device::Dst::from(&mut x).part("test", 0, 4 * all).unwrap();
            comm.all_gather(field, each, first(&send, each), whole).unwrap();
            let gathered = x.to_vec().unwrap();
            let is_gathered = |found: &[u32]| {
                let of = |from: u32| (0..each as u32).map(move |i| i + from);
                found[..all].iter().copied().eq((0..size).flat_map(of))
            };
            assert!(is_gathered(&gathered));
            for _ in 0..2 {
                let whole = icicle_device::Dst::from(&mut send).part("test", 0, 4 * all).unwrap();
                comm.all_to_all(field, each, first(&x, all), whole).unwrap();
                std::mem::swap(&mut x, &mut send);
            }
            assert!(is_gathered(&x.to_vec().unwrap()));
            comm.finalize().unwrap();
        });
    }
}

#[test]
fn streams_order_calls() {
    for ranks in sets(&options(60.0)) {
        each(ranks, |comm| ordered_by_streams(&comm).unwrap());
    }
}

/// Calls on streams return before work that is long is done, and one thread enqueues for all ranks.
#[test]
fn calls_on_streams_do_not_wait() {
    for ranks in sets(&options(60.0)) {
        const N: usize = 64 << 20;
        const CALLS: usize = 40;
        let device = |comm: &Communicator| comm.device();
        let streams: Vec<_> = ranks.iter().map(|comm| Stream::non_blocking(device(comm)).unwrap()).collect();
        let sends: Vec<_> = ranks.iter().map(|comm| Buffer::<f32>::zeroed_on(device(comm), N).unwrap()).collect();
        let mut recvs: Vec<_> = ranks.iter().map(|comm| Buffer::<f32>::zeroed_on(device(comm), N).unwrap()).collect();
        let mut all = || {
            let parts = ranks.iter().zip(&streams).zip(sends.iter().zip(&mut recvs));
            let call = |((comm, stream), (send, recv)): ((_, &Stream), (_, _))| {
                (comm, Call::all_reduce(DType::Float32, ReduceOp::Sum, N, send, recv).on(stream.as_ref()))
            };
            group(parts.map(|((c, s), (a, b))| call(((c, s), (a.into(), b.into())))).collect()).unwrap();
        };
        all();
        // Another test may hold the driver meanwhile; calls that wait would each time.
        let returns_early = (0..5).any(|_| {
            streams.iter().for_each(|stream| stream.synchronize().unwrap());
            let start = Instant::now();
            (0..CALLS).for_each(|_| all());
            let issued = start.elapsed();
            streams.iter().for_each(|stream| stream.synchronize().unwrap());
            let done = start.elapsed();
            println!("{} ranks, {}: issued in {issued:?}, done in {done:?}", ranks.len(), ranks[0].carrier());
            issued < done / 2
        });
        assert!(returns_early || ranks.len() == 1 || !ranks[0].carrier().starts_with("NCCL"));
    }
}

#[test]
fn communicators_are_divided() {
    for ranks in sets(&options(60.0)) {
        each(ranks, |comm| {
            let part = comm.split(Some(comm.rank() as u32 % 2), -(comm.rank() as i32)).unwrap().unwrap();
            assert_eq!(sum(&part, 1).unwrap(), part.size() as i64);
            drop(part);
            assert_eq!(sum(&comm, 1).unwrap(), comm.size() as i64, "the whole works on");
            comm.finalize().unwrap();
        });
    }
}

#[test]
fn ranks_that_do_not_come_are_named_and_aborts_end_waits() {
    for ranks in sets(&options(1.0)).into_iter().filter(|ranks| ranks.len() > 1) {
        each(ranks, |comm| {
            if comm.rank() > 0 {
                let error = sum(&comm, 1).unwrap_err();
                assert_eq!(error.code, ErrorCode::Timeout);
                assert!(error.detail.contains("ranks [0]"), "{error}");
            } else {
                std::thread::sleep(Duration::from_secs(2));
                assert!(comm.failure().is_some());
            }
        });
    }
    for ranks in sets(&options(60.0)).into_iter().filter(|ranks| ranks.len() > 1) {
        let start = Instant::now();
        each(ranks, |comm| match comm.rank() {
            0 => comm.abort(),
            _ => assert_eq!(sum(&comm, 1).unwrap_err().code, ErrorCode::Cancelled),
        });
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}

/// A communicator beside a group of the same devices, whose streams compute.
#[test]
fn groups_and_communicators_share_devices() {
    let gpus = gpus();
    if gpus.is_empty() {
        return;
    }
    let devices = DeviceGroup::new(&gpus).unwrap();
    let ranks = Communicator::init_all(devices.devices()).unwrap();
    let sums = devices.on_each(|_, position| sum(&ranks[position], position as i64));
    let expected = (gpus.len() * (gpus.len() - 1) / 2) as i64;
    sums.into_iter().for_each(|found| assert_eq!(found.unwrap(), expected));
}

#[test]
fn devices_of_both_kinds_are_refused() {
    let Some(&gpu) = gpus().first() else { return };
    let error = Communicator::init_all(&[gpu, Device::cpu(0)]).unwrap_err();
    assert_eq!(error.code, ErrorCode::Unsupported);
    assert!(error.detail.contains("one kind"), "{error}");
}

/// All of it again in a process that has no NCCL.
#[test]
fn without_nccl_copies_carry() {
    const INNER: &str = "ICICLE_COMM_TEST_INNER";
    if gpus().is_empty() || std::env::var_os(INNER).is_some() {
        return;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--test-threads=1", "--nocapture", "--skip", "processes::", "--skip", "without_nccl"]);
    let status = command.env(INNER, "1").env("ICICLE_NCCL_PATH", "none").env_remove("ICICLE_TEST_NCCL").status();
    assert!(status.unwrap().success());
}
