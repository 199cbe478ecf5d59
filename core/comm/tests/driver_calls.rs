//! What a collective of GPUs asks of the driver and of NCCL, call by call: with libraries that stand for both, whose memory is the
//! host's, so that what arrives is looked at too. No GPU is needed, and none is used.
#![cfg(feature = "cuda")]
#![allow(unsafe_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use icicle_array::DType;
use icicle_comm::{Call, Communicator, Kind, Options, ReduceOp, group};
use icicle_device::{Device, Dst, Src};
use icicle_runtime::{Buffer, Stream};
use std::env;
use std::fs;
use std::io::{Error, Result};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// The file that the libraries write their calls to.
const CALLS: &str = "ICICLE_FAKE_CALLS";
/// By which number chance decides what is done next, where it does.
const LATE: &str = "ICICLE_FAKE_LATE";
/// What stands for the driver, NCCL and NVRTC.
const SOURCES: [(&str, &str); 5] = [
    ("fake_streams.h", include_str!("fake_streams.h")),
    ("streams.c", include_str!("fake_streams.c")),
    ("driver.c", include_str!("fake_driver.c")),
    ("nccl.c", include_str!("fake_nccl.c")),
    ("nvrtc.c", include_str!("fake_nvrtc.c")),
];

/// Build the libraries where the loader finds them, and run a test of this binary with them, in a process of its own for each of
/// some numbers; 0 has everything done at once.
fn with_fakes(test: &str, late: &[u64]) {
    let folder = env::temp_dir().join(format!("icicle-fake-driver-{test}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let library = folder.join("libcuda.so.1");
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library);
    for (name, text) in SOURCES {
        fs::write(folder.join(name), text).unwrap();
        cc.args(name.ends_with(".c").then(|| folder.join(name)));
    }
    assert!(cc.arg("-lpthread").status().unwrap().success());
    symlink(&library, folder.join("libcuda.so")).unwrap();
    let run = |late: &u64| {
        let mut child = Command::new(env::current_exe().unwrap());
        child.args(["--exact", test, "--ignored", "--nocapture"]).env("LD_LIBRARY_PATH", &folder);
        child.env("ICICLE_NCCL_PATH", &library).env("ICICLE_NVRTC_PATH", &library);
        if *late > 0 {
            child.env(LATE, late.to_string());
        } else {
            child.env(CALLS, folder.join("calls"));
        }
        (*late, child.status().unwrap().success())
    };
    let results: Vec<_> = late.iter().map(run).collect();
    fs::remove_dir_all(folder).unwrap();
    results.into_iter().for_each(|(late, is_right)| assert!(is_right, "{test}, {late}"));
}

/// Two ranks, their streams, and memory.
struct Setup {
    ranks: Vec<Communicator>,
    streams: Vec<Stream>,
    sends: Vec<Buffer<u8>>,
    recvs: Vec<Buffer<u8>>,
    calls: PathBuf,
}

/// Whether chance decides what is done next.
fn is_late() -> bool {
    env::var_os(LATE).is_some()
}

/// What a rank sends.
fn data(rank: usize, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 7 + rank * 100) as u8).collect()
}

impl Setup {
    /// `bytes` on each rank's longer side.
    fn new(bytes: usize) -> Self {
        let gpus = [Device::cuda(0), Device::cuda(1)];
        let ranks = Communicator::init_all_with(&gpus, &Options::default().ordered(is_late())).unwrap();
        assert_eq!(ranks[0].carrier(), "NCCL 2.28.3");
        Self {
            ranks,
            streams: gpus.iter().map(|&gpu| Stream::non_blocking(gpu).unwrap()).collect(),
            sends: (0..2).map(|rank| Buffer::from_slice_on(gpus[rank], &data(rank, bytes)).unwrap()).collect(),
            recvs: gpus.iter().map(|&gpu| Buffer::zeroed_on(gpu, bytes).unwrap()).collect(),
            calls: env::var_os(CALLS).unwrap_or_default().into(),
        }
    }

    /// A call of both ranks, from one thread and on their streams, with `bytes` on the longer side.
    fn run(&mut self, kind: Kind, bytes: usize) {
        let count = match kind {
            Kind::AllReduce | Kind::Broadcast | Kind::Reduce | Kind::Send => bytes,
            Kind::Barrier => 0,
            _ => bytes / 2,
        };
        let memory = self.sends.iter().zip(&mut self.recvs).zip(self.ranks.iter().zip(&self.streams));
        let call = |((send, recv), (comm, stream)): ((_, _), (_, &Stream))| {
            let (send, recv, comm): (&Buffer<u8>, &mut Buffer<u8>, &Communicator) = (send, recv, comm);
            // Of a transfer both ends, from the first rank to the second.
            let (kind, peer) = match (kind, comm.rank()) {
                (Kind::Send, 0) => (Kind::Send, 1),
                (Kind::Send, _) => (Kind::Recv, 0),
                (kind, _) => (kind, 0),
            };
            let (sent, received) = kind.elements(count, 2 * count, comm.rank() == peer);
            let send = sent.map(|n| Src::from(send).part("test", 0, n).unwrap());
            let recv = received.map(|n| Dst::from(recv).part("test", 0, n).unwrap());
            let call = Call::of(kind, DType::UInt8, ReduceOp::Sum, count, peer, send, recv);
            (comm, call.on(stream.as_ref()))
        };
        group(memory.map(call).collect()).unwrap();
    }

    /// Both ranks' halves to the first rank, which has its own there already.
    fn gather_in_place(&mut self, bytes: usize) {
        let half = bytes / 2;
        let whole = Dst::from(&mut self.recvs[0]).part("test", 0, bytes).unwrap();
        let own = whole.as_src().part("test", 0, half).unwrap();
        let other = Src::from(&self.sends[1]).part("test", 0, half).unwrap();
        let calls = [(own, Some(whole)), (other, None)].into_iter().zip(self.ranks.iter().zip(&self.streams));
        let call = |((send, recv), (comm, stream)): (_, (_, &Stream))| {
            (comm, Call::gather(DType::UInt8, half, 0, send, recv).on(stream.as_ref()))
        };
        group(calls.map(call).collect()).unwrap();
    }

    /// The sum of what all received.
    fn reduce_in_place(&mut self, bytes: usize) {
        let calls = self.recvs.iter_mut().zip(self.ranks.iter().zip(&self.streams)).map(|(recv, (comm, stream))| {
            let recv = Dst::from(recv);
            (comm, Call::all_reduce(DType::UInt8, ReduceOp::Sum, bytes, recv.as_src(), recv).on(stream.as_ref()))
        });
        group(calls.collect()).unwrap();
    }

    /// What a call asks of the driver and of NCCL, each with how often, in the order of first use.
    fn calls(&mut self, kind: Kind, bytes: usize) -> String {
        self.counted(|setup| setup.run(kind, bytes))
    }

    fn counted(&mut self, call: impl Fn(&mut Self)) -> String {
        // What only the first call does is not counted.
        call(self);
        fs::write(&self.calls, "").unwrap();
        call(self);
        let all = fs::read_to_string(&self.calls).unwrap();
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for name in all.lines() {
            match counts.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => counts.push((name, 1)),
            }
        }
        let told: Vec<String> = counts.into_iter().map(|(name, count)| format!("{name} {count}")).collect();
        told.join(", ")
    }

    fn received(&self) -> Vec<Vec<u8>> {
        self.streams.iter().for_each(|stream| stream.synchronize().unwrap());
        self.recvs.iter().map(|recv| recv.to_vec().unwrap()).collect()
    }

    /// That each rank has what an exchange of all with all gives it.
    fn is_exchanged(&self, bytes: usize) {
        let each = bytes / 2;
        for (rank, found) in self.received().into_iter().enumerate() {
            let expected = [0, 1].map(|other| data(other, bytes)[rank * each..][..each].to_vec()).concat();
            assert!(found[..bytes] == expected, "rank {rank}, {bytes} bytes");
        }
    }
}

#[test]
fn a_small_collective_is_one_group_of_nccl() {
    with_fakes("small", &[0]);
}

#[test]
#[ignore = "the test above runs it with libraries that stand for the driver and NCCL"]
fn small() {
    let mut setup = Setup::new(64);
    // Whether a context is current, and the group: no events, no other context, and nothing for each rank but NCCL's own.
    let grouped = |calls: &str| format!("cuCtxGetCurrent 1, ncclGroupStart 1, {calls}, ncclGroupEnd 1");
    for (kind, calls) in [
        (Kind::AllReduce, "ncclAllReduce 2"),
        (Kind::Reduce, "ncclReduce 2"),
        (Kind::ReduceScatter, "ncclReduceScatter 2"),
        (Kind::Broadcast, "ncclBroadcast 2"),
        (Kind::AllGather, "ncclAllGather 2"),
        (Kind::Barrier, "ncclAllReduce 2"),
        (Kind::Send, "ncclSend 1, ncclRecv 1"),
        // Also what a rank sends to itself.
        (Kind::Gather, "ncclSend 2, ncclRecv 2"),
        (Kind::Scatter, "ncclSend 2, ncclRecv 2"),
        (Kind::AllToAll, "ncclSend 4, ncclRecv 4"),
    ] {
        assert_eq!(setup.calls(kind, 8), grouped(calls), "{}", kind.op());
    }
    setup.is_exchanged(8);
    setup.run(Kind::AllReduce, 8);
    let sum: Vec<u8> = data(0, 8).iter().zip(data(1, 8)).map(|(a, b)| a.wrapping_add(b)).collect();
    assert!(setup.received().iter().all(|found| found[..8] == sum));
    assert_eq!(setup.counted(|setup| setup.gather_in_place(8)), grouped("ncclRecv 1, ncclSend 1"));
    assert_eq!(setup.received()[0][..8], [&sum[..4], &data(1, 4)].concat());
    // Nothing to move.
    assert_eq!(setup.calls(Kind::AllToAll, 0), "cuCtxGetCurrent 1, ncclGroupStart 1, ncclGroupEnd 1");
}

#[test]
fn much_goes_by_copies() {
    with_fakes("large", &[0]);
}

#[test]
#[ignore = "the test above runs it with libraries that stand for the driver and NCCL"]
fn large() {
    const COPIED: usize = 4 << 20;
    let mut setup = Setup::new(4 * COPIED);
    assert!(setup.calls(Kind::AllToAll, 2 * COPIED - 2).contains("ncclSend 4, ncclRecv 4"));
    setup.is_exchanged(2 * COPIED - 2);
    // Streams wait for each other before and after, by events that are there already.
    let calls = setup.calls(Kind::AllToAll, 2 * COPIED);
    let counted = "cuEventRecord 4, cuStreamWaitEvent 4, cuMemcpyDtoDAsync_v2 2, cuMemcpyPeerAsync 2";
    let contexts =
        |calls: &str| calls.split(", ").filter(|call| !call.starts_with("cuCtx")).collect::<Vec<_>>().join(", ");
    assert_eq!(contexts(&calls), counted);
    setup.is_exchanged(2 * COPIED);
    // Copies between devices have streams of their own, which wait for those of the calls and the other way round.
    let calls = setup.calls(Kind::AllToAll, 4 * COPIED);
    let counted = "cuEventRecord 4, cuStreamWaitEvent 8, cuMemcpyDtoDAsync_v2 2, cuMemcpyPeerAsync 2";
    assert_eq!(contexts(&calls), counted);
    setup.is_exchanged(4 * COPIED);
}

/// Long vectors are moved and reduced on several streams: what is done in any order that they allow is the same.
#[test]
fn streams_wait_for_what_they_need() {
    with_fakes("late", &[1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
#[ignore = "the test above runs it with libraries that stand for the driver, NCCL and NVRTC"]
fn late() {
    const MOVED: usize = 2 * (9 << 20);
    // Chunks of several segments.
    const REDUCED: usize = 2 * (50 << 20) + 6;
    let mut setup = Setup::new(MOVED);
    let [a, b] = [0, 1].map(|rank| data(rank, MOVED));
    let half = MOVED / 2;
    setup.run(Kind::AllToAll, MOVED);
    setup.run(Kind::AllToAll, MOVED);
    setup.is_exchanged(MOVED);
    let whole = [&a[..half], &b[..half]].concat();
    setup.run(Kind::AllGather, MOVED);
    assert!(setup.received().iter().all(|found| *found == whole));
    setup.gather_in_place(MOVED);
    assert!(setup.received()[0] == whole);
    setup.run(Kind::Send, MOVED);
    assert!(setup.received()[1] == a);
    setup.run(Kind::Scatter, MOVED);
    assert!(setup.received().iter().zip(a.chunks(half)).all(|(found, part)| found[..half] == *part));

    let mut setup = Setup::new(REDUCED);
    let sum: Vec<u8> = data(0, REDUCED).iter().zip(data(1, REDUCED)).map(|(a, b)| a.wrapping_add(b)).collect();
    let half = REDUCED / 2;
    setup.run(Kind::ReduceScatter, REDUCED);
    assert!(setup.received().iter().zip(sum.chunks(half)).all(|(found, part)| found[..half] == *part));
    setup.run(Kind::Reduce, REDUCED);
    assert!(setup.received()[0] == sum);
    // What is received is sent again before anybody waited.
    setup.run(Kind::AllReduce, REDUCED);
    std::mem::swap(&mut setup.sends, &mut setup.recvs);
    setup.run(Kind::AllReduce, REDUCED);
    let twice: Vec<u8> = sum.iter().map(|x| x.wrapping_mul(2)).collect();
    assert!(setup.received().iter().all(|found| *found == twice));
    std::mem::swap(&mut setup.sends, &mut setup.recvs);
    assert!(setup.received().iter().all(|found| *found == sum));
    setup.reduce_in_place(REDUCED);
    assert!(setup.received().iter().all(|found| *found == twice));
}

#[test]
fn a_forked_child_is_told() {
    with_fakes("forked", &[0]);
}

#[test]
#[ignore = "the test above runs it with libraries that stand for the driver and NCCL"]
fn forked() {
    let gpu = Device::cuda(0);
    drop(Buffer::<u8>::zeroed_on(gpu, 8).unwrap());
    let in_child = move || -> Result<()> {
        let why =
            Buffer::<u8>::zeroed_on(gpu, 8).map(drop).map_or_else(|error| error.to_string(), |()| "none".to_owned());
        if why.contains("was forked from") { Ok(()) } else { Err(Error::other(why)) }
    };
    let mut command = Command::new("true");
    // SAFETY: no other thread of this process is in the library, or allocates, meanwhile.
    unsafe { command.pre_exec(in_child) };
    assert!(command.status().unwrap().success());
    drop(Buffer::<u8>::zeroed_on(gpu, 8).unwrap());
}
