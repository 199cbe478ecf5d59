//! NCCL between GPUs.
#![allow(unsafe_code)] // operands by address

use super::area::Area;
use super::plan::moved;
use super::work::{End, Native, Work};
use crate::call::{Call, Kind, Ranked};
use crate::{DataType, ReduceOp};
use icicle_array::{DType, Kind as NumberKind};
use icicle_cuda::nccl::{self, Comms, DataType as Type, Id, Issue, Operands, RedOp};
use icicle_device::Device;
use icicle_error::reserve::listed;
use icicle_error::{Error, ErrorCode, Result};
use icicle_runtime::Buffer;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Communicators of the ranks that are here, `first` and on.
#[derive(Debug)]
pub(crate) struct Nccl {
    first: usize,
    /// How many ranks there are in all.
    size: usize,
    comms: Comms,
    /// A byte on each device here, which barriers reduce; nobody reads it.
    words: Vec<Buffer<u8>>,
    /// Whether reductions keep the order of ranks, which NCCL's do not.
    ordered: bool,
    /// Whether all ranks are here and reach each other's memory: copies then move much of it faster than NCCL's kernels.
    reached: bool,
    /// The error of whoever ended communication, which waits are given up for.
    failure: OnceLock<Error>,
}

/// Bytes of a transfer from which on copies are faster than NCCL, where they can be. Between two H100 NCCL moves 4 MiB to each rank
/// in 39 µs, copies in 35; 8 MiB in 60 and 39. Below, several copies, and the events that keep their order, cost the host as much as a
/// group of NCCL, or more.
const COPIED_FROM: usize = 4 << 20;

/// One thread at a time enqueues for several GPUs: kernels that wait for each other are then in one order on all of them,
/// also those of several communicators.
static TURN: Mutex<()> = Mutex::new(());

impl Nccl {
    /// All ranks of a communicator; `reached` says whether their GPUs reach each other's memory.
    ///
    /// # Errors
    /// NCCL's.
    pub fn of_process(op: &'static str, devices: &[Device], ordered: bool, reached: bool) -> Result<Self> {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let ranks = listed(op, devices.iter().copied().enumerate().map(Ok))?;
        let comms = Comms::new(op, Id::new(op)?, devices.len(), &ranks, true, &|| Ok(()))?;
        let mut nccl = Self::of(op, comms, 0, devices.len(), devices, ordered)?;
        nccl.reached = reached;
        Ok(nccl)
    }

    /// One rank of several processes.
    ///
    /// # Errors
    /// NCCL's; those of `go_on`, which is asked while others are waited for.
    pub fn of_rank(
        op: &'static str,
        id: Id,
        (rank, size): (usize, usize),
        device: Device,
        ordered: bool,
        go_on: &dyn Fn() -> Result<()>,
    ) -> Result<Self> {
        let comms = Comms::new(op, id, size, &[(rank, device)], false, go_on)?;
        Self::of(op, comms, rank, size, &[device], ordered)
    }

    fn of(
        op: &'static str,
        comms: Comms,
        first: usize,
        size: usize,
        devices: &[Device],
        ordered: bool,
    ) -> Result<Self> {
        let words = listed(op, devices.iter().map(|&device| Buffer::zeroed_on(device, 1)))?;
        Ok(Self { first, size, comms, words, ordered, reached: false, failure: OnceLock::new() })
    }

    /// The library's name and version.
    pub fn name(&self) -> String {
        let version = nccl::version().unwrap_or(0);
        format!("NCCL {}.{}.{}", version / 10000, version / 100 % 100, version % 100)
    }

    /// Whether it reduces such elements, with the results that are promised.
    pub fn reduces(&self, call: &Call<'_>) -> bool {
        !self.ordered && call.reduce.is_some_and(|reduce| native(call.data_type, reduce).is_some())
    }

    /// Whether it has what a rank calls.
    pub fn has(&self, rank: usize, call: &Call<'_>) -> bool {
        match call.kind {
            Kind::Broadcast | Kind::Barrier | Kind::Init => true,
            Kind::AllReduce | Kind::Reduce | Kind::ReduceScatter => self.reduces(call),
            Kind::AllGather | Kind::AllToAll | Kind::Gather | Kind::Scatter => !self.is_copied(call),
            // What a rank sends to itself alone is a copy.
            Kind::Send | Kind::Recv => !self.is_copied(call) && call.peer != rank,
        }
    }

    /// Whether copies are faster.
    fn is_copied(&self, call: &Call<'_>) -> bool {
        self.reached && moved(call, self.size) >= COPIED_FROM
    }

    /// Whether moves of calls go by copies rather than through it.
    pub fn copies<'a>(&self, calls: &[impl Ranked<'a>]) -> bool {
        calls.iter().all(|part| {
            let call = part.call();
            self.is_copied(call) || call.is_transfer() && call.peer == part.rank()
        })
    }

    /// End communication for an error: enqueueing that waits is given up, and kernels end.
    pub fn fail(&self, error: Error) {
        let _ = self.failure.set(error);
        self.abort();
    }

    /// End what waits for other ranks.
    pub fn abort(&self) {
        self.comms.abort();
    }

    /// Give the communicators back, after their work.
    pub fn finish(&self, go_on: &dyn Fn() -> Result<()>) {
        self.comms.finish(go_on);
    }

    /// An error that NCCL met meanwhile.
    ///
    /// # Errors
    /// That one.
    pub fn check(&self, op: &'static str) -> Result<()> {
        self.comms.check(op)
    }

    /// The place of a rank's communicator among those here.
    fn place(&self, op: &'static str, rank: usize) -> Result<usize> {
        let place = rank.checked_sub(self.first).filter(|&place| place < self.comms.count());
        place.ok_or_else(|| Error::new(ErrorCode::Internal, op, format!("rank {rank} is not here")))
    }

    fn group(&self, op: &'static str, issue: impl FnOnce(&Issue<'_>) -> Result<()>) -> Result<()> {
        let _turn = (self.comms.count() > 1).then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner));
        let go_on = || self.failure.get().cloned().map_or(Ok(()), Err);
        self.comms.group(op, &go_on, issue)
    }

    /// Enqueue transfers.
    ///
    /// # Errors
    /// NCCL's.
    pub(super) fn exchange(&self, op: &'static str, works: &[Work], out: &[End], into: &[End]) -> Result<()> {
        self.group(op, |group| {
            for end in out {
                let (place, stream) = (self.place(op, works[end.work].rank)?, works[end.work].stream.raw());
                // SAFETY: the memory of the call, which is valid until its stream has passed, on its device.
                unsafe { group.send(place, end.area.address(), end.area.bytes(), end.other, stream) }?;
            }
            for end in into {
                let (place, stream) = (self.place(op, works[end.work].rank)?, works[end.work].stream.raw());
                // SAFETY: as above.
                unsafe { group.recv(place, end.area.address(), end.area.bytes(), end.other, stream) }?;
            }
            Ok(())
        })
    }

    /// Enqueue an operation that NCCL has, of all ranks that are here.
    ///
    /// # Errors
    /// NCCL's.
    pub(super) fn native<'a>(&self, op: &'static str, parts: impl Iterator<Item = Native<'a>>) -> Result<()> {
        let mut parts = parts;
        self.group(op, |group| parts.try_for_each(|part| self.issue(op, group, &part)))
    }

    /// One rank's part.
    fn issue(&self, op: &'static str, group: &Issue<'_>, part: &Native<'_>) -> Result<()> {
        let &Native { rank, call, send, recv } = part;
        let (place, bytes, stream) = (self.place(op, rank)?, call.bytes(), call.raw_stream());
        let or = |one: Area, other: Area| if one.address().is_null() { other.address() } else { one.address() };
        let operands = Operands { send: or(send, recv), recv: or(recv, send), stream };
        let how = || {
            let how = call.reduce.and_then(|reduce| native(call.data_type, reduce));
            let (t, how, each) = how.ok_or_else(|| Error::new(ErrorCode::Internal, op, "no reduction of NCCL's"))?;
            Ok((call.count * each, t, how))
        };
        let at = |area: Area, rank: usize| area.part(op, rank * bytes, bytes).map(|part| part.address());
        // SAFETY: in each arm, operands are as long as the check of the call saw, which is as nccl.h asks; the memory of the call is
        // valid until its stream has passed, on its device. A barrier's byte is NCCL's alone, and lives until it is done.
        unsafe {
            match call.kind {
                Kind::Broadcast => group.broadcast(place, operands, bytes, call.peer),
                Kind::AllGather => group.all_gather(place, operands, bytes),
                Kind::AllReduce => how().and_then(|(n, t, how)| group.all_reduce(place, operands, n, t, how)),
                Kind::Reduce => how().and_then(|(n, t, how)| group.reduce(place, operands, n, t, how, call.peer)),
                Kind::ReduceScatter => how().and_then(|(n, t, how)| group.reduce_scatter(place, operands, n, t, how)),
                Kind::Barrier | Kind::Init => {
                    let word = self.words[place].as_ptr().cast_mut();
                    group.all_reduce(place, Operands { send: word, recv: word, stream }, 1, Type::UInt8, RedOp::Max)
                }
                _ if bytes == 0 => Ok(()),
                Kind::Send => group.send(place, send.address(), bytes, call.peer, stream),
                Kind::Recv => group.recv(place, recv.address(), bytes, call.peer, stream),
                Kind::AllToAll => (0..self.size).try_for_each(|peer| {
                    group.send(place, at(send, peer)?, bytes, peer, stream)?;
                    group.recv(place, at(recv, peer)?, bytes, peer, stream)
                }),
                // In place, the root has its own already.
                Kind::Gather => {
                    let is_there = rank == call.peer && at(recv, rank)? == send.address();
                    if !is_there {
                        group.send(place, send.address(), bytes, call.peer, stream)?;
                    }
                    let peers = (0..self.size).filter(|&peer| rank == call.peer && !(is_there && peer == rank));
                    peers.into_iter().try_for_each(|peer| group.recv(place, at(recv, peer)?, bytes, peer, stream))
                }
                Kind::Scatter => {
                    let is_there = rank == call.peer && at(send, rank)? == recv.address();
                    let mut peers = (0..self.size).filter(|&peer| rank == call.peer && !(is_there && peer == rank));
                    peers.try_for_each(|peer| group.send(place, at(send, peer)?, bytes, peer, stream))?;
                    match is_there {
                        true => Ok(()),
                        false => group.recv(place, recv.address(), bytes, call.peer, stream),
                    }
                }
            }
        }
    }
}

impl Drop for Nccl {
    fn drop(&mut self) {
        // After their work, unless they were aborted.
        self.finish(&|| Ok(()));
    }
}

/// NCCL's type and reduction for ours, and how many of its elements one of ours is; none where it has none, or another result
/// than is promised: its extrema skip NaN, and its averages round otherwise.
fn native(data_type: DataType, reduce: ReduceOp) -> Option<(Type, RedOp, usize)> {
    let DataType::Number(dtype) = data_type else { return None };
    let (kind, each) = (dtype.kind(), if dtype.kind() == NumberKind::Complex { 2 } else { 1 });
    let how = match (reduce, kind) {
        (ReduceOp::Sum | ReduceOp::Max, NumberKind::Bool) => RedOp::Max,
        (ReduceOp::Prod | ReduceOp::Min, NumberKind::Bool) => RedOp::Min,
        (ReduceOp::Sum, _) => RedOp::Sum,
        (ReduceOp::Prod, NumberKind::Signed | NumberKind::Unsigned | NumberKind::Float) => RedOp::Prod,
        (ReduceOp::Min, NumberKind::Signed | NumberKind::Unsigned) => RedOp::Min,
        (ReduceOp::Max, NumberKind::Signed | NumberKind::Unsigned) => RedOp::Max,
        _ => return None,
    };
    let t = match dtype.real() {
        DType::Bool | DType::UInt8 => Type::UInt8,
        DType::Int8 => Type::Int8,
        DType::Int32 => Type::Int32,
        DType::UInt32 => Type::UInt32,
        DType::Int64 => Type::Int64,
        DType::UInt64 => Type::UInt64,
        DType::Float16 => Type::Float16,
        DType::BFloat16 => Type::BFloat16,
        DType::Float32 => Type::Float32,
        DType::Float64 => Type::Float64,
        _ => return None,
    };
    Some((t, how, each))
}
