//! Copies between the devices of one process, each on the stream of the rank that sends.

use super::area::enqueue;
use super::carrier::{End, Transfer};
use super::work::{Work, meet};
use icicle_error::{Error, ErrorCode, Result, reserve};

/// The two ends of each transfer. Of two ranks, the first that is sent is the first that is received.
pub(super) fn pairs(op: &'static str, works: &[Work], out: &[End], into: &[End]) -> Result<Vec<Transfer>> {
    let mut taken = reserve::filled(op, into.len(), false)?;
    let mut pairs = reserve::with_capacity(op, out.len())?;
    for end in out {
        let from = works[end.work].rank;
        let other = into
            .iter()
            .enumerate()
            .position(|(i, other)| !taken[i] && other.other == from && works[other.work].rank == end.other);
        let other = other.ok_or_else(|| Error::new(ErrorCode::Internal, op, "what is sent, nobody receives"))?;
        taken[other] = true;
        pairs.push(Transfer { from: (end.work, end.area), to: (into[other].work, into[other].area) });
    }
    match taken.iter().all(|&taken| taken) {
        true => Ok(pairs),
        false => Err(Error::new(ErrorCode::Internal, op, "what is received, nobody sends")),
    }
}

/// Copy what ranks of this process send each other, after what all their streams hold now, and before what comes later.
pub(super) fn exchange(op: &'static str, works: &[Work], out: &[End], into: &[End]) -> Result<()> {
    meet(works)?;
    for Transfer { from, to } in pairs(op, works, out, into)? {
        enqueue(to.1, from.1, &works[from.0].stream)?;
    }
    meet(works)
}
