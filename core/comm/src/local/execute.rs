//! Calls of all ranks, done at once.

use crate::call::{Kind, Ranked};
use crate::memory::copy_all;
use crate::reduce::Reduction;
use icicle_device::check::disjoint;
use icicle_device::{Device, DeviceKind, Dst, Place, Src};
use icicle_error::reserve::listed;
use icicle_error::{Error, ErrorCode, Result, reserve};

/// Do the calls of all ranks, in their order, of a collective; or of a transfer, the sending end first.
pub(super) fn execute<'a>(calls: Vec<impl Ranked<'a>>) -> Result<()> {
    let Some(first) = calls.first().map(Ranked::call) else { return Ok(()) };
    let (kind, bytes, root) = (first.kind, first.bytes(), first.peer);
    let op = kind.op();
    let what = first.reduce.map(|reduce| Reduction { op, data_type: first.data_type, reduce });
    let count = first.count;
    let (sends, recvs) = (reserve::with_capacity(op, calls.len())?, reserve::with_capacity(op, calls.len())?);
    let mut operands = Operands { op, bytes, sends, recvs };
    for call in calls {
        let call = call.into_call().on_host()?;
        operands.sends.push(call.send);
        operands.recvs.push(call.recv);
    }
    match kind {
        Kind::AllReduce | Kind::Reduce => {
            let sources = listed(op, operands.sends.into_iter().flatten().map(Ok))?;
            let outputs = listed(op, operands.recvs.into_iter().flatten().map(Ok))?;
            what.map_or(Ok(()), |what| what.run(count, &sources, outputs))
        }
        Kind::ReduceScatter => operands.reduce_scatter(what, count),
        Kind::Broadcast => operands.copy(|_| Some((root, 0)), 1),
        Kind::Scatter => operands.copy(|(rank, _)| Some((root, rank)), 1),
        Kind::AllGather | Kind::Gather => operands.copy(|(_, part)| Some((part, 0)), usize::MAX),
        Kind::AllToAll => operands.copy(|(rank, part)| Some((part, rank)), usize::MAX),
        Kind::Send | Kind::Recv => operands.copy(|(end, _)| (end == 1).then_some((0, 0)), 1),
        Kind::Barrier | Kind::Init => Ok(()),
    }
}

/// Check that all ranks call the same.
pub(super) fn agree<'a>(calls: &[impl Ranked<'a>]) -> Result<()> {
    let Some((first, others)) = calls.split_first() else { return Ok(()) };
    let expected = first.call().descriptor();
    for (rank, call) in others.iter().map(|other| (other.rank(), other.call())) {
        let (found, first) = (call.descriptor(), first.rank());
        if found != expected {
            let detail =
                format!("rank {rank} calls {found}: rank {first} calls {expected}; all ranks must call the same");
            return Err(Error::argument(call.kind.op(), detail));
        }
    }
    Ok(())
}

/// Check that no rank receives where another sends or receives.
pub(super) fn apart<'a>(calls: &[impl Ranked<'a>]) -> Result<()> {
    for (rank, call) in calls.iter().map(|part| (part.rank(), part.call())) {
        let Some(recv) = &call.recv else { continue };
        let others = calls.iter().filter(|part| part.rank() != rank);
        for (other, theirs) in others.map(|part| (part.rank(), part.call())) {
            let op = call.kind.op();
            for operand in theirs.send.iter().copied().chain(theirs.recv.as_ref().map(Dst::as_src)) {
                if is_apart(recv, &operand) {
                    continue;
                }
                disjoint(op, &format!("an operand of rank {other}"), recv, &operand)?;
            }
        }
    }
    Ok(())
}

/// Whether memory lies on different GPUs: what there is of it is most often.
fn is_apart(one: &Dst<'_>, other: &Src<'_>) -> bool {
    let gpu = |place: Place| matches!(place, Place::Device(Device { kind: DeviceKind::Cuda, .. }));
    one.place() != other.place() && (gpu(one.place()) || gpu(other.place()))
}

struct Operands<'a> {
    op: &'static str,
    /// Bytes of one rank's count.
    bytes: usize,
    sends: Vec<Option<Src<'a>>>,
    recvs: Vec<Option<Dst<'a>>>,
}

impl<'a> Operands<'a> {
    /// Copy what each rank receives, in so many parts or as many as it has room for; each comes from a rank's part.
    fn copy(self, source: impl Fn((usize, usize)) -> Option<(usize, usize)>, parts: usize) -> Result<()> {
        let mut pairs = Vec::new();
        for (rank, recv) in self.recvs.into_iter().enumerate() {
            let Some(recv) = recv else { continue };
            if self.bytes == 0 {
                continue;
            }
            let parts = parts.min(recv.bytes() / self.bytes);
            for (part, dst) in recv.split(self.op, (0..parts).map(|_| self.bytes))?.into_iter().enumerate() {
                let Some((from, place)) = source((rank, part)) else { continue };
                let send = self.sends.get(from).copied().flatten();
                let send = send.ok_or_else(|| Error::new(ErrorCode::Internal, self.op, "nothing to receive from"))?;
                let part = send.part(self.op, place * self.bytes, self.bytes)?;
                reserve::push(self.op, &mut pairs, (dst, part))?;
            }
        }
        copy_all(self.op, pairs)
    }

    fn reduce_scatter(mut self, what: Option<Reduction>, count: usize) -> Result<()> {
        let Some(what) = what else { return Ok(()) };
        for (rank, recv) in self.recvs.iter_mut().enumerate() {
            let Some(recv) = recv else { continue };
            let part = |send: &Src<'a>| send.part(self.op, rank * self.bytes, self.bytes);
            let sources = listed(self.op, self.sends.iter().flatten().map(part))?;
            let whole = recv.reborrow().part(self.op, 0, self.bytes)?;
            what.run(count, &sources, vec![whole])?;
        }
        Ok(())
    }
}
