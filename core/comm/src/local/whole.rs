//! A collective that one thread calls for all ranks, or both ends of a transfer: nobody waits for anybody.

use super::hub::Whole;
use super::member::Member;
use super::posted::{self, Waited};
use crate::Communicator;
use crate::call::{Call, Kind};
use icicle_error::Result;

/// What calls are, and one of their ranks, if they are one collective of all ranks of one communicator, in their order, or both ends of a
/// transfer between two of its ranks, the sending one first.
pub(crate) fn whole<'c>(calls: &[(&'c Communicator, Call<'_>)]) -> Option<(&'c Member, Whole)> {
    let (first, call) = calls.first()?;
    let member = first.transport.member()?;
    let is_beside = |comm: &Communicator| comm.transport.member().is_some_and(|other| other.is_beside(member));
    if let [(from, sent), (to, received)] = calls
        && (sent.kind, received.kind) == (Kind::Send, Kind::Recv)
    {
        let ends = (from.rank, to.rank);
        let is_one = is_beside(to) && from.rank != to.rank && (received.peer, sent.peer) == ends;
        return is_one.then_some((member, Whole::Transfer(from.rank, to.rank)));
    }
    let belongs = |(rank, (communicator, call)): (usize, &(&Communicator, Call<'_>))| {
        communicator.rank == rank && !call.is_transfer() && is_beside(communicator)
    };
    let is_whole = !call.is_transfer() && calls.len() == first.size && calls.iter().enumerate().all(belongs);
    is_whole.then_some((member, Whole::Collective))
}

/// Do such calls, which are checked and which its member's communicator has [begun](Member::begin_whole).
///
/// # Errors
/// `InvalidArgument` if calls do not match; those of what carries. Communication has ended with it.
pub(crate) fn run_whole(member: &Member, calls: Vec<(&Communicator, Call<'_>)>) -> Result<()> {
    let hub = member.hub();
    let mut streams: Vec<Waited<'_>> = Vec::new();
    let ready = calls.iter().try_for_each(|(comm, call)| posted::waits(hub, comm.device, call, &mut streams));
    ready.inspect_err(|error| hub.fail(error.clone()))?;
    posted::do_whole(hub, calls)?;
    posted::passed(streams)
}
