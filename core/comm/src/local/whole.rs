//! A collective that one thread calls for all ranks: nobody waits for anybody.

use super::member::Member;
use super::posted::{self, Waited};
use crate::Communicator;
use crate::call::Call;
use icicle_error::Result;

/// The first of the ranks that calls are of, if they are one collective of all ranks of one communicator, in their order.
pub(crate) fn whole<'c>(calls: &[(&'c Communicator, Call<'_>)]) -> Option<&'c Member> {
    let (first, _) = calls.first()?;
    let member = first.transport.member()?;
    let belongs = |(rank, (communicator, call)): (usize, &(&Communicator, Call<'_>))| {
        communicator.rank == rank
            && !call.is_transfer()
            && communicator.transport.member().is_some_and(|other| other.is_beside(member))
    };
    (calls.len() == first.size && calls.iter().enumerate().all(belongs)).then_some(member)
}

/// Do such a collective, of checked calls, which its member's communicator has [begun](Member::begin_whole).
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
