//! Collectives of this machine's GPUs beside NCCL called directly, on the same memory and streams, by turns in one run:
//! `cargo bench -p icicle-compute --bench collectives [-- copies]`; `cargo xtask gpu --bench collectives` stages it.
//!
//! Times are of one call of many that are enqueued before the streams are waited for, the median of runs; rates are NCCL's bus
//! bandwidth: bytes times `2(n - 1)/n` for `all_reduce`, `(n - 1)/n` of the long side for `all_gather`, `reduce_scatter` and
//! `all_to_all`, 1 for `broadcast`. `copies` measures what carries without NCCL.
#![allow(missing_docs, unsafe_code, clippy::unwrap_used, clippy::expect_used)]

use icicle::comm::{Call, Communicator, DataType, ReduceOp, group};
use icicle::device::{DeviceKind, Dst, Src, devices};
use icicle::{Buffer, Device, FieldId, Stream};
use icicle_array::DType;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::env;
use std::ffi::{c_int, c_void};
use std::process::Command;
use std::ptr::null_mut;
use std::time::Instant;

/// Runs of which the median counts.
const RUNS: usize = 7;

/// The operations that are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    AllReduce,
    AllGather,
    ReduceScatter,
    Broadcast,
    AllToAll,
}
const OPS: [Op; 5] = [Op::AllReduce, Op::AllGather, Op::ReduceScatter, Op::Broadcast, Op::AllToAll];

impl Op {
    /// Bytes on the bus of each rank, where the longer of both vectors has `bytes`.
    fn bus(self, bytes: usize, n: usize) -> f64 {
        let (bytes, n) = (bytes as f64, n as f64);
        match self {
            Self::AllReduce => bytes * 2.0 * (n - 1.0) / n,
            Self::Broadcast => bytes,
            Self::AllGather | Self::ReduceScatter | Self::AllToAll => bytes * (n - 1.0) / n,
        }
    }
}

/// NCCL's own functions, called by nothing of ours.
struct Direct {
    comms: Vec<*mut c_void>,
    group_start: unsafe extern "C" fn() -> c_int,
    group_end: unsafe extern "C" fn() -> c_int,
    reduce: unsafe extern "C" fn(*const u8, *mut u8, usize, c_int, c_int, *mut c_void, usize) -> c_int,
    scatter: unsafe extern "C" fn(*const u8, *mut u8, usize, c_int, c_int, *mut c_void, usize) -> c_int,
    broadcast: unsafe extern "C" fn(*const u8, *mut u8, usize, c_int, c_int, *mut c_void, usize) -> c_int,
    gather: unsafe extern "C" fn(*const u8, *mut u8, usize, c_int, *mut c_void, usize) -> c_int,
    send: unsafe extern "C" fn(*const u8, usize, c_int, c_int, *mut c_void, usize) -> c_int,
    recv: unsafe extern "C" fn(*mut u8, usize, c_int, c_int, *mut c_void, usize) -> c_int,
}

/// `ncclFloat32`, and `ncclUint8`.
const FLOAT: c_int = 7;
const BYTE: c_int = 1;

impl Direct {
    fn new(n: usize) -> Self {
        let path = env::var("ICICLE_NCCL_PATH").unwrap_or_else(|_| "libnccl.so.2".to_owned());
        // SAFETY: the library of that name, with the functions of nccl.h by their types there.
        unsafe {
            let library = Library::open(Some(path), RTLD_NOW | RTLD_LOCAL).unwrap();
            let all: unsafe extern "C" fn(*mut *mut c_void, c_int, *const c_int) -> c_int =
                *library.get(b"ncclCommInitAll").unwrap();
            let mut comms = vec![null_mut(); n];
            let indices: Vec<c_int> = (0..n as c_int).collect();
            assert_eq!(all(comms.as_mut_ptr(), n as c_int, indices.as_ptr()), 0);
            let this = Self {
                comms,
                group_start: *library.get(b"ncclGroupStart").unwrap(),
                group_end: *library.get(b"ncclGroupEnd").unwrap(),
                reduce: *library.get(b"ncclAllReduce").unwrap(),
                scatter: *library.get(b"ncclReduceScatter").unwrap(),
                broadcast: *library.get(b"ncclBroadcast").unwrap(),
                gather: *library.get(b"ncclAllGather").unwrap(),
                send: *library.get(b"ncclSend").unwrap(),
                recv: *library.get(b"ncclRecv").unwrap(),
            };
            std::mem::forget(library);
            this
        }
    }

    /// Enqueue an operation of all ranks.
    fn run(&self, op: Op, bytes: usize, setup: &mut Setup) {
        let n = self.comms.len();
        // SAFETY: memory of each device, as long as the operation needs, and a stream of it.
        unsafe {
            assert_eq!((self.group_start)(), 0);
            for rank in 0..n {
                let (send, recv) = (setup.sends[rank].as_ptr(), setup.recvs[rank].as_mut_ptr());
                let (comm, stream) = (self.comms[rank], setup.streams[rank].as_ref().raw());
                let each = bytes / n;
                let code = match op {
                    Op::AllReduce => (self.reduce)(send, recv, bytes / 4, FLOAT, 0, comm, stream),
                    Op::ReduceScatter => (self.scatter)(send, recv, each / 4, FLOAT, 0, comm, stream),
                    Op::Broadcast => (self.broadcast)(send, recv, bytes / 4, FLOAT, 0, comm, stream),
                    Op::AllGather => (self.gather)(send, recv, each / 4, FLOAT, comm, stream),
                    Op::AllToAll => (0..n)
                        .map(|peer| {
                            let offset = peer * each;
                            (self.send)(send.wrapping_add(offset), each, BYTE, peer as c_int, comm, stream)
                                | (self.recv)(recv.wrapping_add(offset), each, BYTE, peer as c_int, comm, stream)
                        })
                        .fold(0, |a, b| a | b),
                };
                assert_eq!(code, 0, "{op:?}");
            }
            assert_eq!((self.group_end)(), 0);
        }
    }
}

/// Memory and a stream of each rank.
struct Setup {
    ranks: Vec<Communicator>,
    streams: Vec<Stream>,
    sends: Vec<Buffer<u8>>,
    recvs: Vec<Buffer<u8>>,
}

impl Setup {
    fn new(gpus: &[Device], most: usize) -> Self {
        let each = |make: &dyn Fn(Device) -> Buffer<u8>| gpus.iter().map(|&gpu| make(gpu)).collect();
        let zeros = |gpu: Device| Buffer::<u8>::zeroed_on(gpu, most).unwrap();
        Self {
            ranks: Communicator::init_all(gpus).unwrap(),
            streams: gpus.iter().map(|&gpu| Stream::non_blocking(gpu).unwrap()).collect(),
            sends: each(&zeros),
            recvs: each(&zeros),
        }
    }

    /// Enqueue an operation of all ranks.
    fn run(&mut self, op: Op, t: DataType, bytes: usize) {
        let n = self.ranks.len();
        let count = |bytes: usize| bytes / t.bytes();
        let (whole, share) = (count(bytes), count(bytes / n));
        let mut calls = Vec::with_capacity(n);
        let memory = self.sends.iter().zip(&mut self.recvs).zip(self.ranks.iter().zip(&self.streams));
        for ((send, recv), (comm, stream)) in memory {
            let cut = |n: usize| Src::from(send).part("bench", 0, n * t.bytes()).unwrap();
            let into = |recv, n: usize| Dst::from(recv).part("bench", 0, n * t.bytes()).unwrap();
            let call = match op {
                Op::AllReduce => Call::all_reduce(t, ReduceOp::Sum, whole, cut(whole), into(recv, whole)),
                Op::ReduceScatter => Call::reduce_scatter(t, ReduceOp::Sum, share, cut(share * n), into(recv, share)),
                Op::Broadcast => Call::broadcast(t, whole, 0, Some(cut(whole)), into(recv, whole)),
                Op::AllGather => Call::all_gather(t, share, cut(share), into(recv, share * n)),
                Op::AllToAll => Call::all_to_all(t, share, cut(share * n), into(recv, share * n)),
            };
            calls.push((comm, call.on(stream.as_ref())));
        }
        group(calls).unwrap();
    }

    fn synchronize(&self) {
        self.streams.iter().for_each(|stream| stream.synchronize().unwrap());
    }
}

/// Seconds of a call, of as many as are enqueued at once.
fn once(setup: &mut Setup, calls: usize, run: &mut dyn FnMut(&mut Setup)) -> f64 {
    setup.synchronize();
    let start = Instant::now();
    (0..calls).for_each(|_| run(setup));
    setup.synchronize();
    start.elapsed().as_secs_f64() / calls as f64
}

/// Medians of two by turns, after a run that is not counted.
fn medians(
    setup: &mut Setup,
    calls: usize,
    ours: &mut dyn FnMut(&mut Setup),
    theirs: Option<&mut dyn FnMut(&mut Setup)>,
) -> (f64, Option<f64>) {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let mut theirs = theirs;
    for i in 0..=RUNS {
        let (x, y) = (once(setup, calls, ours), theirs.as_mut().map(|theirs| once(setup, calls, *theirs)));
        if i > 0 {
            a.push(x);
            b.extend(y);
        }
    }
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied()
    };
    (median(a).unwrap(), median(b))
}

fn main() {
    // Multicast between GPUs is not ours to set up on a machine that others share.
    // SAFETY: nothing else in this process runs yet.
    unsafe { env::set_var("NCCL_NVLS_ENABLE", "0") };
    let gpus: Vec<Device> = devices().into_iter().filter(|device| device.kind == DeviceKind::Cuda).collect();
    if gpus.len() < 2 {
        println!("collectives need two GPUs: there are {}", gpus.len());
        return;
    }
    let is_copies = env::args().any(|argument| argument == "copies");
    if is_copies && env::var("ICICLE_NCCL_PATH").ok().as_deref() != Some("none") {
        let status = Command::new(env::current_exe().unwrap()).arg("copies").env("ICICLE_NCCL_PATH", "none").status();
        return assert!(status.unwrap().success());
    }
    // As much as a GPU has room for three times, up to 1 GiB.
    let most = 1usize << 30;
    let mut setup = Setup::new(&gpus, most);
    let carrier = setup.ranks[0].carrier();
    println!("{} GPUs, {carrier}; us a call, and bus bandwidth in GB/s", gpus.len());
    let direct = carrier.starts_with("NCCL").then(|| Direct::new(gpus.len()));
    let n = gpus.len();
    println!(
        "{:<14} {:>11} {:>10} {:>8} {:>10} {:>8} {:>6}",
        "operation", "bytes", "ours", "GB/s", "NCCL", "GB/s", "ratio"
    );
    for op in OPS {
        let mut bytes = 8usize.max(4 * n);
        while bytes <= most {
            let calls = ((64usize << 20) / bytes).clamp(2, 50);
            let mut theirs = direct.as_ref().map(|direct| move |setup: &mut Setup| direct.run(op, bytes, setup));
            let mut ours = |setup: &mut Setup| setup.run(op, DType::Float32.into(), bytes);
            let theirs = theirs.as_mut().map(|theirs| theirs as &mut dyn FnMut(&mut Setup));
            let (ours, theirs) = medians(&mut setup, calls, &mut ours, theirs);
            let rate = |time: f64| op.bus(bytes, n) / time * 1e-9;
            print!("{:<14} {bytes:>11} {:>10.1} {:>8.1}", format!("{op:?}"), ours * 1e6, rate(ours));
            match theirs {
                Some(theirs) => println!(" {:>10.1} {:>8.1} {:>6.3}", theirs * 1e6, rate(theirs), theirs / ours),
                None => println!(),
            }
            bytes *= 8;
            if bytes > most && bytes < 8 * most {
                bytes = most;
            }
        }
    }
    println!("all_reduce of other elements, beside float32 of as many bytes");
    for bytes in [1usize << 20, 16 << 20, 256 << 20, 1 << 30] {
        let calls = ((64usize << 20) / bytes).clamp(2, 20);
        let (floats, _) =
            medians(&mut setup, calls, &mut |setup| setup.run(Op::AllReduce, DType::Float32.into(), bytes), None);
        let types: [DataType; 4] = [
            FieldId::BabyBearScalar.into(),
            FieldId::GoldilocksScalar.into(),
            FieldId::Bn254Scalar.into(),
            DType::Int16.into(),
        ];
        for t in types {
            let (time, _) = medians(&mut setup, calls, &mut |setup| setup.run(Op::AllReduce, t, bytes), None);
            let rate = Op::AllReduce.bus(bytes, n) / time * 1e-9;
            println!(
                "{t:<24} {bytes:>11} {:>10.1} us {rate:>8.1} GB/s  {:.3} of float32's rate",
                time * 1e6,
                floats / time
            );
        }
    }
    if !is_copies {
        // The same without NCCL, in a process that has none.
        let status = Command::new(env::current_exe().unwrap()).arg("copies").env("ICICLE_NCCL_PATH", "none").status();
        assert!(status.unwrap().success());
    }
}
