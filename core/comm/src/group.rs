//! Several calls as one.

use crate::Communicator;
use crate::call::Call;
use crate::local::{Member, run_all, run_whole, whole};
use crate::transfers::own_transfers;
use crate::transport::Transport;
use icicle_error::reserve::listed;
use icicle_error::reserve::{push, with_capacity};
use icicle_error::{Error, ErrorCode, Result};
use std::thread;

const OP: &str = "group";

/// Do several calls as one: of one rank, so that transfers in both directions do not wait for each other, or of several
/// ranks, for which one thread issues the calls.
///
/// Calls of one communicator are done in their order, but transfers between ranks all at once. A rank may send to itself
/// what it receives in the same group. All of them are checked before any is begun. Those with a stream are
/// [asynchronous](Call::on).
///
/// ```
/// use icicle_array::DType;
/// use icicle_comm::{Call, Communicator, ReduceOp, group};
/// use icicle_device::Device;
///
/// # fn main() -> icicle_error::Result<()> {
/// let ranks = Communicator::init_all(&[Device::cpu(0); 2])?;
/// let (mut a, mut b) = ([1.5f32, 2.0], [0.5f32, 3.0]);
/// let (mut sum_a, mut sum_b) = ([0.0f32; 2], [0.0f32; 2]);
/// group(vec![
///     (&ranks[0], Call::all_reduce(DType::Float32, ReduceOp::Sum, 2, a[..].into(), (&mut sum_a[..]).into())),
///     (&ranks[1], Call::all_reduce(DType::Float32, ReduceOp::Sum, 2, b[..].into(), (&mut sum_b[..]).into())),
/// ])?;
/// assert_eq!((sum_a, sum_b), ([2.0, 5.0], [2.0, 5.0]));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`Communicator::run`].
pub fn group(calls: Vec<(&Communicator, Call<'_>)>) -> Result<()> {
    let mut calls = calls;
    // The other ranks need not wait. What is refused for its arguments may be called again.
    let refused = |communicators: &mut dyn Iterator<Item = &Communicator>, error: &Error| {
        if error.code == ErrorCode::OutOfMemory {
            communicators.for_each(|communicator| communicator.transport.abort(error.clone()));
        }
    };
    let checked = calls.iter_mut().try_for_each(|(communicator, call)| communicator.check(call));
    checked.inspect_err(|error| refused(&mut calls.iter().map(|(communicator, _)| *communicator), error))?;
    if let Some((member, what)) = whole(&calls)
        && member.begin_whole(what)?
    {
        return run_whole(member, calls);
    }
    let communicators = listed(OP, calls.iter().map(|(communicator, _)| Ok(*communicator)));
    let communicators =
        communicators.inspect_err(|error| refused(&mut calls.iter().map(|(communicator, _)| *communicator), error))?;
    let parts = parts(calls).inspect_err(|error| refused(&mut communicators.iter().copied(), error));
    let Parts { members, others } = parts?;
    if members.is_empty() && others.len() == 1 {
        return others.into_iter().try_for_each(|(transport, calls)| transport.run(calls));
    }
    // Connections are waited for one by one: each communicator has a thread meanwhile.
    thread::scope(|scope| {
        let mut result = Ok(());
        let mut threads = with_capacity(OP, others.len()).inspect_err(|error| {
            others.iter().for_each(|(transport, _)| transport.abort(error.clone()));
            members.iter().for_each(|(member, _)| member.abort(error.clone()));
        })?;
        for (transport, calls) in others {
            match thread::Builder::new().spawn_scoped(scope, move || transport.run(calls)) {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    let detail = format!("the system refuses a thread: {error}");
                    let error = Error::new(ErrorCode::Internal, OP, detail);
                    transport.abort(error.clone());
                    result = result.and(Err(error));
                }
            }
        }
        result = result.and(run_all(members));
        for thread in threads {
            let panicked = || Err(Error::new(ErrorCode::Internal, OP, "a call panicked"));
            result = result.and(thread.join().unwrap_or_else(|_| panicked()));
        }
        result
    })
}

/// The checked calls of a group, those of each rank together: of ranks of this process, and of others.
struct Parts<'c, 'a> {
    members: Vec<(&'c Member, Vec<Call<'a>>)>,
    others: Vec<(&'c dyn Transport, Vec<Call<'a>>)>,
}

fn parts<'c, 'a>(calls: Vec<(&'c Communicator, Call<'a>)>) -> Result<Parts<'c, 'a>> {
    let mut parts: Vec<(&Communicator, Vec<Call<'_>>)> = Vec::new();
    for (communicator, call) in calls {
        let place = match parts.iter().position(|(known, _)| std::ptr::eq(*known, communicator)) {
            Some(place) => place,
            None => {
                push(OP, &mut parts, (communicator, Vec::new()))?;
                parts.len() - 1
            }
        };
        push(OP, &mut parts[place].1, call)?;
    }
    for (communicator, calls) in &parts {
        own_transfers(communicator.rank, calls)?;
    }
    let (mut members, mut others) = (Vec::new(), Vec::new());
    for (communicator, calls) in parts {
        match communicator.transport.member() {
            Some(member) => push(OP, &mut members, (member, calls))?,
            None => push(OP, &mut others, (&*communicator.transport, calls))?,
        }
    }
    Ok(Parts { members, others })
}
