//! The same steps as on GPUs, on CPU devices: with copies, and with a library that has NCCL's functions and works on memory
//! of the host.
#![allow(unsafe_code)] // the environment

#[path = "../../tests/common/mod.rs"]
mod common;

use super::Engine;
use super::carrier::Carrier;
use crate::local::Member;
use crate::ways::Way;
use crate::{Communicator, DataType, Options, ReduceOp};
use common::oracle::{input, reduced, same, types};
use common::{Memory, devices, each, every_operation, options, ordered_by_streams};
use icicle_array::DType;
use icicle_device::Device;
use icicle_params::FieldId;

/// Ranks of one process on CPU devices, and what carries.
fn ranks(n: usize, options: &Options, carrier: Carrier) -> Vec<Communicator> {
    let devices = devices(n);
    let engine = Engine::new(n, 0, devices.clone(), carrier);
    let members = Member::with_engine(&devices, options, engine).into_iter().zip(devices).enumerate();
    let rank = |(rank, (member, device)): (usize, (Member, Device))| {
        let transport = Way::Process(member);
        Communicator { rank, size: n, device, options: options.clone(), transport }
    };
    members.map(rank).collect()
}

fn every_type(ranks: Vec<Communicator>) {
    each(ranks, |comm| {
        for data_type in types() {
            for n in [0, 1, 5, 257] {
                every_operation(&comm, data_type, n).unwrap();
            }
        }
        ordered_by_streams(&comm).unwrap();
        comm.finalize().unwrap();
    });
}

/// Vectors that are divided, of operands on the host and on the device, in place and not.
fn large(ranks: Vec<Communicator>) {
    let size = ranks.len();
    each(ranks, |comm| {
        let rank = comm.rank();
        for (t, n) in [
            (DataType::from(DType::Float32), (super::plan::SMALL / 4) + 5),
            (DType::Int16.into(), super::plan::SMALL + 1),
            (FieldId::BabyBearScalar.into(), super::plan::SMALL / 2 + 3),
        ] {
            let whole: Vec<Vec<u8>> = (0..size as u64).map(|rank| input(t, rank, n)).collect();
            let expected = reduced(t, ReduceOp::Sum, &whole);
            let mut host = whole[rank].clone();
            let recv = icicle_device::Dst::from(&mut host);
            comm.all_reduce(t, ReduceOp::Sum, n, recv.as_src(), recv).unwrap();
            assert!(same(t, &host, &expected), "all_reduce on the host of {t}");
            let mut both = Memory::of(&comm, &whole[rank]);
            let recv = both.dst();
            comm.all_reduce(t, ReduceOp::Sum, n, recv.as_src(), recv).unwrap();
            assert!(same(t, &both.bytes(), &expected), "all_reduce of {t}");
            let (root, mut at_root) = (size - 1, Memory::new(&comm, n * t.bytes()));
            let send = Memory::of(&comm, &whole[rank]);
            comm.reduce(t, ReduceOp::Sum, n, root, send.src(), Some(at_root.dst())).unwrap();
            assert!(rank != root || same(t, &at_root.bytes(), &expected), "reduce of {t}");
            // In place on the host: what is received lies in what is sent, and the other way round.
            let each = n / size;
            let mut host = whole[rank].clone();
            let share = each * t.bytes();
            let all = icicle_device::Dst::from(&mut host[..share * size]);
            let send = all.as_src();
            let mut parts = all.split("test", vec![share; size]).unwrap();
            comm.reduce_scatter(t, ReduceOp::Sum, each, send, parts.swap_remove(rank)).unwrap();
            let own = rank * share..(rank + 1) * share;
            assert!(same(t, &host[own.clone()], &expected[own]), "reduce_scatter on the host of {t}");
            let mut host = whole[rank].clone();
            let recv = icicle_device::Dst::from(&mut host[..share * size]);
            let send = recv.as_src().part("test", rank * share, share).unwrap();
            comm.all_gather(t, each, send, recv).unwrap();
            let gathered: Vec<u8> =
                whole.iter().enumerate().flat_map(|(rank, of)| of[rank * share..][..share].to_vec()).collect();
            assert_eq!(host[..share * size], gathered, "all_gather on the host of {t}");
            assert_eq!(host[share * size..], whole[rank][share * size..], "what is not received stays");
        }
    });
}

#[test]
fn copies_carry_every_operation() {
    for size in [1, 2, 3, 4, 7] {
        every_type(ranks(size, &options(60.0), Carrier::Copies));
    }
    for size in [1, 2, 5] {
        large(ranks(size, &options(60.0), Carrier::Copies));
    }
}

/// A chunk that is reduced in several segments.
#[test]
fn long_chunks_go_in_segments() {
    let n = 2 * (super::plan::SEGMENT / 4) + 12345;
    each(ranks(2, &options(60.0), Carrier::Copies), |comm| {
        let mine: Vec<u32> = (0..n as u32).map(|i| i ^ comm.rank() as u32).collect();
        let both = |i: u32| i.wrapping_add(i ^ 1);
        let mut out = vec![0u32; n];
        comm.all_reduce(DType::UInt32, ReduceOp::Sum, n, &mine[..], &mut out).unwrap();
        assert!(out.iter().zip(0..).all(|(&x, i)| x == both(i)));
        out.fill(0);
        comm.reduce(DType::UInt32, ReduceOp::Sum, n, 1, &mine[..], Some((&mut out).into())).unwrap();
        assert!(comm.rank() == 0 || out.iter().zip(0..).all(|(&x, i)| x == both(i)));
    });
}

#[cfg(feature = "cuda")]
mod cuda {
    use super::super::{Linked, nccl::Nccl};
    use super::common::sum;
    use super::*;
    use crate::tcp::{Tcp, UniqueId};
    use icicle_error::ErrorCode;
    use icicle_kernels::array::HEADERS;
    use std::process::Command;
    use std::sync::Once;
    use std::time::{Duration, Instant};

    const FAKE: &str = include_str!("../../tests/fake_nccl.c");

    /// Build the library that stands for NCCL, and say where it is, before it is looked for.
    fn ready() {
        static READY: Once = Once::new();
        READY.call_once(|| {
            let name = |end: &str| std::env::temp_dir().join(format!("icicle-fake-nccl-{}.{end}", std::process::id()));
            let (source, library) = (name("c"), name("so"));
            std::fs::write(&source, FAKE).unwrap();
            let mut cc = Command::new("cc");
            cc.args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library).arg(&source).arg("-lpthread");
            assert!(cc.status().unwrap().success());
            std::fs::remove_file(source).unwrap();
            devices(1);
            // SAFETY: under the lock of `Once`, before anything in this process asks for NCCL.
            unsafe { std::env::set_var("ICICLE_NCCL_PATH", &library) };
            assert_eq!(icicle_cuda::nccl::unavailable(), None);
            std::fs::remove_file(library).unwrap();
        });
    }

    fn nccl(n: usize, options: &Options) -> Vec<Communicator> {
        ready();
        let nccl = Nccl::of_process("test", &devices(n), options.ordered, false).unwrap();
        ranks(n, options, Carrier::Nccl(nccl))
    }

    fn linked<T: Send>(n: usize, options: &Options, job: impl Fn(Communicator) -> T + Sync) -> Vec<T> {
        ready();
        let (devices, id) = (devices(n), UniqueId::new().unwrap());
        std::thread::scope(|scope| {
            let (id, job) = (&id, &job);
            let rank = |(rank, device)| {
                scope.spawn(move || {
                    let tcp = Tcp::connect(id, n, rank, options).unwrap();
                    let transport = Way::Linked(Linked::new(tcp, n, rank, device, options).unwrap());
                    job(Communicator { rank, size: n, device, options: options.clone(), transport })
                })
            };
            let threads: Vec<_> = devices.into_iter().enumerate().map(rank).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    #[test]
    fn nccl_carries_every_operation() {
        for (size, ordered) in [(1, false), (2, false), (3, true), (4, false)] {
            let options = options(60.0).ordered(ordered);
            let ranks = nccl(size, &options);
            assert_eq!(ranks[0].carrier(), "NCCL 2.28.3");
            every_type(ranks);
            large(nccl(size, &options));
        }
    }

    #[test]
    fn ranks_of_several_processes_are_carried_too() {
        for size in [1, 2, 3] {
            linked(size, &options(60.0), |comm| {
                for t in types() {
                    every_operation(&comm, t, 5).unwrap();
                }
                ordered_by_streams(&comm).unwrap();
                let part = comm.split(Some(comm.rank() as u32 % 2), 0).unwrap().unwrap();
                assert_eq!((sum(&part, 1).unwrap(), part.carrier()), (part.size() as i64, "NCCL 2.28.3".to_owned()));
                comm.finalize().unwrap();
            });
        }
    }

    /// NCCL would wait for ever.
    #[test]
    fn who_does_not_come_or_calls_something_else_is_named() {
        let short = options(1.0);
        linked(3, &short, |comm| {
            if comm.rank() == 2 {
                std::thread::sleep(Duration::from_millis(1800));
                return;
            }
            let start = Instant::now();
            let error = sum(&comm, 1).unwrap_err();
            assert_eq!(error.code, ErrorCode::Timeout, "{error}");
            assert!(error.detail.contains('2') && start.elapsed() < Duration::from_secs(3), "{error}");
            assert_eq!(comm.failure(), Some(error.clone()));
            assert_eq!(sum(&comm, 1).unwrap_err(), error, "later calls return the first error");
        });
        linked(2, &options(20.0), |comm| {
            let n = 1 + comm.rank();
            let error = comm.all_reduce(DType::Int8, ReduceOp::Sum, n, &[1u8; 2][..n], &mut [0u8; 2][..n]).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument, "{error}");
        });
        linked(2, &options(20.0), |comm| match comm.rank() {
            0 => comm.abort(),
            _ => {
                let error = comm.barrier().unwrap_err();
                assert_eq!(error.code, ErrorCode::RemoteError, "{error}");
                assert!(error.detail.contains("rank 0"), "{error}");
            }
        });
    }

    /// What the watcher makes of work that is not done.
    #[test]
    fn work_that_does_not_end_is_told_from_work_that_may() {
        ready();
        let (devices, id) = (devices(2), UniqueId::new().unwrap());
        let short = options(1.5);
        let make = |rank: usize| {
            let tcp = Tcp::connect(&id, 2, rank, &short).unwrap();
            Linked::new(tcp, 2, rank, devices[rank], &short).unwrap()
        };
        let (one, other) = std::thread::scope(|scope| {
            let other = scope.spawn(|| make(1));
            (make(0), other.join().unwrap())
        });
        let (now, mut gone) = (Instant::now(), None);
        let look = |since, gone: &mut _| one.inner.look("all_reduce", since, gone);
        look(now, &mut gone).unwrap();
        assert_eq!(look(now - Duration::from_secs(2), &mut gone).unwrap_err().code, ErrorCode::Timeout);
        assert_eq!(gone, None);
        drop(other);
        // For a while: what was under way there was done.
        look(Instant::now(), &mut gone).unwrap();
        assert_eq!(gone.map(|(rank, _)| rank), Some(1));
        std::thread::sleep(Duration::from_millis(2100));
        let error = look(Instant::now(), &mut gone).unwrap_err();
        assert_eq!(error.code, ErrorCode::RemoteError);
        assert!(error.detail.contains("rank 1"), "{error}");
    }

    /// All ranks must reduce alike.
    #[test]
    fn ranks_with_other_options_are_refused() {
        ready();
        let (devices, id) = (devices(2), UniqueId::new().unwrap());
        std::thread::scope(|scope| {
            for rank in 0..2 {
                let (id, device, options) = (&id, devices[rank], options(20.0).ordered(rank == 1));
                scope.spawn(move || {
                    let tcp = Tcp::connect(id, 2, rank, &options).unwrap();
                    let error = Linked::new(tcp, 2, rank, device, &options).unwrap_err();
                    assert_eq!(error.code, ErrorCode::InvalidArgument, "{error}");
                    assert!(error.detail.contains("all must have the same"), "{error}");
                });
            }
        });
    }

    /// The kernels that reduce numbers compile, wherever there is NVRTC: it needs no GPU.
    #[test]
    fn every_kernel_compiles() {
        use icicle_cuda::nvrtc;
        if let Some(why) = nvrtc::unavailable() {
            assert!(std::env::var_os("ICICLE_NVRTC_PATH").is_none(), "{why}");
            return;
        }
        for &dtype in DType::ALL {
            for op in ReduceOp::ALL.into_iter().filter(|op| op.takes(dtype.into())) {
                for pack in [1, 16 / dtype.bytes()] {
                    let text = super::super::numbers::source(dtype, op, pack);
                    if let Err(error) = nvrtc::compile("test", &text, HEADERS, "sm_90") {
                        panic!("{error}\n{text}");
                    }
                }
            }
        }
    }
}
