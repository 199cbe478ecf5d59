//! NCCL between GPUs.
#![allow(unsafe_code)] // operands by address

use super::area::Area;
use super::carrier::{Carrier, End};
use super::work::Work;
use crate::call::{Call, Kind};
use crate::{DataType, ReduceOp};
use icicle_array::{DType, Kind as NumberKind};
use icicle_cuda::nccl::{self, Comm, DataType as Type, Id, Issue, Operands, RedOp};
use icicle_device::Device;
use icicle_error::reserve::listed;
use icicle_error::{Error, ErrorCode, Result};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Communicators of the ranks that are here, `first` and on.
#[derive(Debug)]
pub(crate) struct Nccl {
    first: usize,
    comms: Vec<Comm>,
    /// Whether reductions keep the order of ranks, which NCCL's do not.
    ordered: bool,
    /// Whether all ranks are here and reach each other's memory: copies then move much of it faster than NCCL's kernels.
    reached: bool,
    /// The error of whoever ended communication, which waits are given up for.
    failure: OnceLock<Error>,
}

/// Bytes of a transfer from which on copies are faster than NCCL, where they can be. Between two H100 NCCL moves 8 MiB to each rank
/// in 61 µs and a MiB in 25, of which 22 are what eight bytes take; a copy takes 3.5 µs a MiB, but several of them, and the events
/// that keep their order, cost the host as much as a group of NCCL, or more.
const COPIED_FROM: usize = 4 << 20;

/// Bytes to each rank from which on NCCL is faster at `all_to_all` again: of 512 MiB it moves 310 GB/s where copies move 296, of 64 MiB
/// 243 where they move 257.
const COPIED_BELOW: usize = 256 << 20;

/// One thread at a time enqueues for several GPUs: kernels that wait for each other are then in one order on all of them,
/// also those of several communicators.
static TURN: Mutex<()> = Mutex::new(());

/// What carries between GPUs of this process: NCCL where it is, and no GPU is there twice, which it refuses.
///
/// # Errors
/// NCCL's.
pub(super) fn carrier_of_process(op: &'static str, devices: &[Device], ordered: bool) -> Result<Carrier> {
    let mut reached = true;
    for (i, &one) in devices.iter().enumerate() {
        for &other in devices[..i].iter().filter(|&&other| other != one) {
            for (from, to) in [(one, other), (other, one)] {
                // NCCL and copies go over the host where devices do not reach each other.
                match icicle_cuda::enable_peer_access(from, to) {
                    Err(error) if error.code == ErrorCode::Unsupported => reached = false,
                    answer => answer?,
                }
            }
        }
    }
    let is_twice = devices.iter().enumerate().any(|(i, device)| devices[..i].contains(device));
    if is_twice || !nccl::is_there(op)? {
        return Ok(Carrier::Copies);
    }
    let mut nccl = Nccl::of_process(op, devices, ordered)?;
    nccl.reached = reached;
    Ok(Carrier::Nccl(nccl))
}

impl Nccl {
    /// All ranks of a communicator.
    ///
    /// # Errors
    /// NCCL's.
    pub fn of_process(op: &'static str, devices: &[Device], ordered: bool) -> Result<Self> {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let ranks = listed(op, devices.iter().copied().enumerate().map(Ok))?;
        let comms = Comm::all(op, Id::new(op)?, devices.len(), &ranks, true, &|| Ok(()))?;
        Ok(Self { first: 0, comms, ordered, reached: false, failure: OnceLock::new() })
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
        let comms = Comm::all(op, id, size, &[(rank, device)], false, go_on)?;
        Ok(Self { first: rank, comms, ordered, reached: false, failure: OnceLock::new() })
    }

    /// The library's name and version.
    pub fn name(&self) -> String {
        let version = nccl::version().unwrap_or(0);
        format!("NCCL {}.{}.{}", version / 10000, version / 100 % 100, version % 100)
    }

    /// Whether it has an operation on such elements, with the results that are promised.
    pub fn has(&self, call: &Call<'_>) -> bool {
        match call.kind {
            Kind::Broadcast | Kind::AllGather => true,
            Kind::AllReduce | Kind::Reduce | Kind::ReduceScatter => {
                !self.ordered && call.reduce.is_some_and(|reduce| native(call.data_type, reduce).is_some())
            }
            Kind::AllToAll => !self.reached || !(COPIED_FROM..COPIED_BELOW).contains(&call.bytes()),
            _ => false,
        }
    }

    /// Whether transfers go through it rather than by copies.
    pub(super) fn moves(&self, works: &[Work], out: &[End], into: &[End]) -> bool {
        let mut ends = out.iter().chain(into);
        match self.reached {
            true => ends.all(|end| end.area.bytes() < COPIED_FROM),
            // What a rank sends to itself alone is a copy.
            false => ends.any(|end| end.other != works[end.work].rank),
        }
    }

    /// End communication for an error: enqueueing that waits is given up, and kernels end.
    pub fn fail(&self, error: Error) {
        let _ = self.failure.set(error);
        self.abort();
    }

    /// End what waits for other ranks.
    pub fn abort(&self) {
        self.comms.iter().for_each(Comm::abort);
    }

    /// Give the communicators back, after their work.
    pub fn finish(&self, go_on: &dyn Fn() -> Result<()>) {
        self.comms.iter().for_each(|comm| comm.finish(go_on));
    }

    /// An error that NCCL met meanwhile.
    ///
    /// # Errors
    /// That one.
    pub fn check(&self, op: &'static str) -> Result<()> {
        self.comms.iter().try_for_each(|comm| comm.check(op))
    }

    /// The place of a work's communicator among those here.
    fn place(&self, work: &Work) -> Result<usize> {
        let place = work.rank.checked_sub(self.first).filter(|&place| place < self.comms.len());
        place.ok_or_else(|| Error::new(ErrorCode::Internal, work.op, format!("rank {} is not here", work.rank)))
    }

    fn group(&self, op: &'static str, issue: impl FnOnce(&Issue<'_>) -> Result<()>) -> Result<()> {
        let _turn = (self.comms.len() > 1).then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner));
        let go_on = || self.failure.get().cloned().map_or(Ok(()), Err);
        Comm::group(op, &self.comms, &go_on, issue)
    }

    /// Enqueue transfers.
    ///
    /// # Errors
    /// NCCL's.
    pub(super) fn exchange(&self, op: &'static str, works: &[Work], out: &[End], into: &[End]) -> Result<()> {
        self.group(op, |group| {
            for end in out {
                let (place, stream) = (self.place(&works[end.work])?, works[end.work].stream.raw());
                // SAFETY: the memory of the call, which is valid until its stream has passed, on its device.
                unsafe { group.send(place, end.area.address(), end.area.bytes(), end.other, stream) }?;
            }
            for end in into {
                let (place, stream) = (self.place(&works[end.work])?, works[end.work].stream.raw());
                // SAFETY: as above.
                unsafe { group.recv(place, end.area.address(), end.area.bytes(), end.other, stream) }?;
            }
            Ok(())
        })
    }

    /// Enqueue an operation that NCCL has.
    ///
    /// # Errors
    /// NCCL's.
    pub(super) fn native(&self, works: &[Work]) -> Result<()> {
        let Some(first) = works.first() else { return Ok(()) };
        let op = first.op;
        self.group(op, |group| {
            for work in works {
                let place = self.place(work)?;
                let (bytes, stream) = (work.count * work.element, work.stream.raw());
                let (mut send, recv) = (work.send(), work.recv());
                let how = work.reduction.and_then(|reduction| native(reduction.data_type, reduction.reduce));
                let lost = || Error::new(ErrorCode::Internal, op, "no operation of NCCL's");
                let or_send = |recv: Area| if recv.address().is_null() { work.send() } else { recv };
                if send.address().is_null() {
                    send = recv;
                }
                let operands = Operands { send: send.address(), recv: or_send(recv).address(), stream };
                // SAFETY: in each arm, operands are as long as the check of the call saw, which is as nccl.h asks; the memory
                // of the call is valid until its stream has passed, on its device.
                unsafe {
                    match (work.kind, how) {
                        (Kind::Broadcast, _) => group.broadcast(place, operands, bytes, work.peer)?,
                        (Kind::AllGather, _) => group.all_gather(place, operands, bytes)?,
                        (Kind::AllToAll, _) if bytes == 0 => {}
                        (Kind::AllToAll, _) => {
                            for peer in 0..work.size {
                                let (from, to) =
                                    (send.part(op, peer * bytes, bytes)?, recv.part(op, peer * bytes, bytes)?);
                                group.send(place, from.address(), bytes, peer, stream)?;
                                group.recv(place, to.address(), bytes, peer, stream)?;
                            }
                        }
                        (Kind::AllReduce, Some((t, how, each))) => {
                            group.all_reduce(place, operands, work.count * each, t, how)?;
                        }
                        (Kind::Reduce, Some((t, how, each))) => {
                            group.reduce(place, operands, work.count * each, t, how, work.peer)?;
                        }
                        (Kind::ReduceScatter, Some((t, how, each))) => {
                            group.reduce_scatter(place, operands, work.count * each, t, how)?;
                        }
                        _ => return Err(lost()),
                    }
                }
            }
            Ok(())
        })
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
