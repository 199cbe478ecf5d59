//! What a collective of GPUs asks of the driver and of NCCL, call by call: with libraries that stand for both, whose memory is the
//! host's, so that what arrives is looked at too. No GPU is needed, and none is used.
#![cfg(feature = "cuda")]
#![allow(unsafe_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use icicle_array::DType;
use icicle_comm::{Call, Communicator, Kind, ReduceOp, group};
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

/// Build the libraries where the loader finds them, and run a test of this binary with them, in a process of its own.
fn with_fakes(test: &str) {
    let folder = env::temp_dir().join(format!("icicle-fake-driver-{test}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let library = folder.join("libcuda.so.1");
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library);
    for (name, text) in [("driver.c", include_str!("fake_driver.c")), ("nccl.c", include_str!("fake_nccl.c"))] {
        fs::write(folder.join(name), text).unwrap();
        cc.arg(folder.join(name));
    }
    assert!(cc.arg("-lpthread").status().unwrap().success());
    symlink(&library, folder.join("libcuda.so")).unwrap();
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", test, "--ignored", "--nocapture"]).env("LD_LIBRARY_PATH", &folder);
    child.env("ICICLE_NCCL_PATH", &library).env(CALLS, folder.join("calls"));
    let status = child.status().unwrap();
    fs::remove_dir_all(folder).unwrap();
    assert!(status.success());
}

/// Two ranks, their streams, and memory.
struct Setup {
    ranks: Vec<Communicator>,
    streams: Vec<Stream>,
    sends: Vec<Buffer<u8>>,
    recvs: Vec<Buffer<u8>>,
    calls: PathBuf,
}

/// What a rank sends.
fn data(rank: usize, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 7 + rank * 100) as u8).collect()
}

impl Setup {
    /// `bytes` on each rank's longer side.
    fn new(bytes: usize) -> Self {
        let gpus = [Device::cuda(0), Device::cuda(1)];
        let ranks = Communicator::init_all(&gpus).unwrap();
        assert_eq!(ranks[0].carrier(), "NCCL 2.28.3");
        Self {
            ranks,
            streams: gpus.iter().map(|&gpu| Stream::non_blocking(gpu).unwrap()).collect(),
            sends: (0..2).map(|rank| Buffer::from_slice_on(gpus[rank], &data(rank, bytes)).unwrap()).collect(),
            recvs: gpus.iter().map(|&gpu| Buffer::zeroed_on(gpu, bytes).unwrap()).collect(),
            calls: env::var_os(CALLS).unwrap().into(),
        }
    }

    /// A call of both ranks, from one thread and on their streams, with `bytes` on the longer side.
    fn run(&mut self, kind: Kind, bytes: usize) {
        let count = match kind {
            Kind::AllReduce | Kind::Broadcast | Kind::Reduce => bytes,
            Kind::Barrier => 0,
            _ => bytes / 2,
        };
        let memory = self.sends.iter().zip(&mut self.recvs).zip(self.ranks.iter().zip(&self.streams));
        let call = |((send, recv), (comm, stream)): ((_, _), (_, &Stream))| {
            let (send, recv, comm): (&Buffer<u8>, &mut Buffer<u8>, &Communicator) = (send, recv, comm);
            let (sent, received) = kind.elements(count, 2 * count, comm.rank() == 0);
            let send = sent.map(|n| Src::from(send).part("test", 0, n).unwrap());
            let recv = received.map(|n| Dst::from(recv).part("test", 0, n).unwrap());
            let call = Call::of(kind, DType::UInt8, ReduceOp::Sum, count, 0, send, recv);
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
    with_fakes("small");
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
    assert_eq!(setup.counted(|setup| setup.gather_in_place(8)), grouped("ncclSend 1, ncclRecv 1"));
    assert_eq!(setup.received()[0][..8], [&sum[..4], &data(1, 4)].concat());
    // Nothing to move.
    assert_eq!(setup.calls(Kind::AllToAll, 0), "cuCtxGetCurrent 1, ncclGroupStart 1, ncclGroupEnd 1");
}

#[test]
fn much_goes_by_copies() {
    with_fakes("large");
}

#[test]
#[ignore = "the test above runs it with libraries that stand for the driver and NCCL"]
fn large() {
    const COPIED: usize = 4 << 20;
    let mut setup = Setup::new(2 * COPIED);
    assert!(setup.calls(Kind::AllToAll, 2 * COPIED - 2).contains("ncclSend 4, ncclRecv 4"));
    setup.is_exchanged(2 * COPIED - 2);
    // Streams wait for each other before and after, by events that are there already.
    let calls = setup.calls(Kind::AllToAll, 2 * COPIED);
    let counted = "cuEventRecord 4, cuStreamWaitEvent 4, cuMemcpyDtoDAsync_v2 2, cuMemcpyPeerAsync 2";
    let contexts =
        |calls: &str| calls.split(", ").filter(|call| !call.starts_with("cuCtx")).collect::<Vec<_>>().join(", ");
    assert_eq!(contexts(&calls), counted);
    setup.is_exchanged(2 * COPIED);
}

#[test]
fn a_forked_child_is_told() {
    with_fakes("forked");
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
