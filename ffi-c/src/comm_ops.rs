//! The operations of collectives.
//!
//! Counts are NCCL's: of the elements of one rank, which is the whole vector of `icicle_comm_all_reduce`, `_broadcast` and
//! `_reduce`, what each rank sends in `_all_gather`, `_gather` and `_scatter`, what each receives in `_reduce_scatter`, and what
//! each sends to each in `_all_to_all`. What is significant at the root only is ignored at other ranks, and may be null.

use crate::code::Code;
use crate::comm::by_handle;
use crate::comm_types::{CommCall, CommType, operation, reduction};
use crate::guard::guard;
use crate::ptr;
use crate::{sharded, stream, types};
use icicle::Result;
use icicle::comm::{Call, Communicator, Kind, group, run_sharded};
use icicle::device::shared;
use icicle::reserve::with_capacity;
use std::ffi::c_void;
use std::sync::Arc;

/// A communicator, and the call it is to do.
///
/// # Safety
/// The crate's contract, for as long as the call lives.
unsafe fn call<'a>(op: &'static str, call: &CommCall) -> Result<(Arc<Communicator>, Call<'a>)> {
    let comm = by_handle(op, call.comm)?;
    let (kind, data_type) = (operation(op, call.operation)?, call.r#type.to_core(op)?);
    let (count, peer) = (types::size(op, "count", call.count)?, types::at_least(op, "peer", call.peer, 0)?);
    let (all, bytes) = (ptr::extent(op, "operands", &[count, comm.size()])?, data_type.bytes());
    let (sent, received) = kind.elements(count, all, peer == comm.rank());
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    let send = sent.map(|n| unsafe { ptr::src_unaligned(op, "send", call.send, (n, bytes)) }).transpose()?;
    // SAFETY: as above.
    let recv = received.map(|n| unsafe { ptr::dst_unaligned(op, "recv", call.recv, (n, bytes)) }).transpose()?;
    let reduce = reduction(op, call.reduce)?;
    let made = Call::of(kind, data_type, reduce, count, peer, send, recv);
    Ok(match stream::by_handle(op, call.stream)? {
        Some(stream) => (comm, made.on(stream)),
        None => (comm, made),
    })
}

/// A call of no operation yet, without operands.
fn one(comm: *mut c_void, r#type: CommType, count: u64, stream: *mut c_void) -> CommCall {
    CommCall { comm, r#type, count, stream, ..CommCall::default() }
}

/// Do one call.
///
/// # Safety
/// The crate's contract.
unsafe fn run(kind: Kind, given: CommCall) -> Code {
    guard(kind.op(), || {
        let given = CommCall { operation: kind as i32, ..given };
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let (comm, call) = unsafe { call(kind.op(), &given) }?;
        comm.run(call)
    })
}

/// Every rank gets the reduction of all ranks' `count` elements. In place: `recv` is exactly `send`.
///
/// Elements are numbers, canonical field elements or projective points, in host memory or on the rank's device, which the
/// library finds by their addresses; those that are reduced are aligned as their parts are. They are reduced in the order of
/// ranks, so that all get the same bits; what reductions a type has the documentation of collectives says.
///
/// Asynchrony: without `stream`, and on the CPU, a call is complete on return; with one of a GPU it returns once it is enqueued
/// there, which needs all ranks to have called it, and memory is in use until the stream is synchronized. What was received
/// is unspecified after a failure.
/// Errors: `INVALID_POINTER` if `comm` is no live communicator, `send` or `recv` is null, misaligned or not on the rank's device,
/// or `stream` is no stream; `INVALID_ARGUMENT` if there is no such type, reduction or rank, memory overlaps otherwise than in
/// place, or the ranks' calls differ; `API_NOT_IMPLEMENTED` if the type is not so reduced; `OUT_OF_MEMORY`; `TIMEOUT`, which names
/// the ranks that did not come or did not go on; `REMOTE_ERROR` if a rank failed, left, or its process ended; `CANCELLED` if the
/// communicator is aborted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_all_reduce(
    comm: *mut c_void,
    r#type: CommType,
    reduce: i32,
    count: u64,
    send: *const c_void,
    recv: *mut c_void,
    stream: *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { run(Kind::AllReduce, CommCall { reduce, send, recv, ..one(comm, r#type, count, stream) }) }
}

/// Every rank gets the root's `count` elements; `send` is significant at the root. In place: `recv` is exactly `send`.
///
/// Errors: as `icicle_comm_all_reduce`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_broadcast(
    comm: *mut c_void,
    r#type: CommType,
    count: u64,
    root: i32,
    send: *const c_void,
    recv: *mut c_void,
    stream: *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { run(Kind::Broadcast, CommCall { peer: root, send, recv, ..one(comm, r#type, count, stream) }) }
}

/// The root gets the reduction of all ranks' `count` elements; `recv` is significant there. In place: `recv` is exactly
/// `send`.
///
/// Errors: as `icicle_comm_all_reduce`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_reduce(
    comm: *mut c_void,
    r#type: CommType,
    reduce: i32,
    count: u64,
    root: i32,
    send: *const c_void,
    recv: *mut c_void,
    stream: *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { run(Kind::Reduce, CommCall { reduce, peer: root, send, recv, ..one(comm, r#type, count, stream) }) }
}

/// Every rank gets `count` elements of each, in the order of ranks: `recv` has room for `count` times the number of
/// ranks. In place: `send` is elements `rank·count` and on of `recv`.
///
/// Errors: as `icicle_comm_all_reduce`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_all_gather(
    comm: *mut c_void,
    r#type: CommType,
    count: u64,
    send: *const c_void,
    recv: *mut c_void,
    stream: *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { run(Kind::AllGather, CommCall { send, recv, ..one(comm, r#type, count, stream) }) }
}

/// Each rank gets its `count` elements of the reduction of all ranks' vectors, in the order of ranks: `send` has
/// `count` times the number of ranks. In place: `recv` is elements `rank·count` and on of `send`.
///
/// Errors: as `icicle_comm_all_reduce`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_reduce_scatter(
    comm: *mut c_void,
    r#type: CommType,
    reduce: i32,
    count: u64,
    send: *const c_void,
    recv: *mut c_void,
    stream: *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { run(Kind::ReduceScatter, CommCall { reduce, send, recv, ..one(comm, r#type, count, stream) }) }
}

/// Each rank sends `count` elements to each, which receives them in the order of ranks: both have `count` times the
/// number of ranks. Not in place.
///
/// Errors: as `icicle_comm_all_reduce`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_all_to_all(
    comm: *mut c_void,
    r#type: CommType,
    count: u64,
    send: *const c_void,
    recv: *mut c_void,
    stream: *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { run(Kind::AllToAll, CommCall { send, recv, ..one(comm, r#type, count, stream) }) }
}

/// The root gets `count` elements of each rank, in the order of ranks; `recv` is significant there. In place: `send` is
/// elements `root·count` and on of `recv`.
///
/// Errors: as `icicle_comm_all_reduce`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_gather(
    comm: *mut c_void,
    r#type: CommType,
    count: u64,
    root: i32,
    send: *const c_void,
    recv: *mut c_void,
    stream: *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { run(Kind::Gather, CommCall { peer: root, send, recv, ..one(comm, r#type, count, stream) }) }
}

/// Each rank gets its `count` of the root's elements, in the order of ranks; `send` is significant there. In place:
/// `recv` is elements `root·count` and on of `send`.
///
/// Errors: as `icicle_comm_all_reduce`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_scatter(
    comm: *mut c_void,
    r#type: CommType,
    count: u64,
    root: i32,
    send: *const c_void,
    recv: *mut c_void,
    stream: *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { run(Kind::Scatter, CommCall { peer: root, send, recv, ..one(comm, r#type, count, stream) }) }
}

/// Send `count` elements to another rank, which calls `icicle_comm_recv`.
///
/// Errors: as `icicle_comm_all_reduce`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_send(
    comm: *mut c_void,
    r#type: CommType,
    count: u64,
    peer: i32,
    send: *const c_void,
    stream: *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { run(Kind::Send, CommCall { peer, send, ..one(comm, r#type, count, stream) }) }
}

/// Receive `count` elements from another rank, which calls `icicle_comm_send`.
///
/// Errors: as `icicle_comm_all_reduce`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_recv(
    comm: *mut c_void,
    r#type: CommType,
    count: u64,
    peer: i32,
    recv: *mut c_void,
    stream: *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { run(Kind::Recv, CommCall { peer, recv, ..one(comm, r#type, count, stream) }) }
}

/// Wait for all ranks.
///
/// Errors: as `icicle_comm_all_reduce`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_barrier(comm: *mut c_void, stream: *mut c_void) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { run(Kind::Barrier, one(comm, CommCall::default().r#type, 0, stream)) }
}

/// Default members of a call: `struct_size`, a sum, `float32` numbers are yours to change; everything else is 0 or null.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_comm_call_default() -> CommCall {
    CommCall::default()
}

/// Do `count` calls as one: of one rank, so that transfers in both directions do not wait for each other, or of several ranks
/// of this process, for which one thread issues the calls.
///
/// Calls of one communicator are done in their order, but transfers between ranks all at once. All of them are checked
/// before any is begun. Each begins with the same `struct_size`, which is the distance from one to the next.
///
/// Errors: as `icicle_comm_all_reduce`; `INVALID_POINTER` if `calls` is null or misaligned; `INVALID_ARGUMENT` if `count` is
/// negative, an operation is none, or a `struct_size` is none or differs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_group(calls: *const CommCall, count: i32) -> Code {
    let op = "group";
    guard(op, || {
        let count = types::at_least(op, "count", count, 0)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let given = unsafe { ptr::read_many_sized(op, "calls", calls, count, CommCall::default()) }?;
        let (mut comms, mut made) = (with_capacity(op, given.len())?, with_capacity(op, given.len())?);
        for one in &given {
            let name = operation(op, one.operation)?.op();
            // SAFETY: what is asked of these pointers is what this function asks of its caller.
            let (comm, call) = unsafe { call(name, one) }?;
            comms.push(comm);
            made.push(call);
        }
        let mut calls = with_capacity(op, made.len())?;
        calls.extend(comms.iter().map(|comm| &**comm).zip(made));
        group(calls)
    })
}

/// Do a collective of all `count` ranks of a process at once, where each rank's operands are what its device holds of sharded
/// vectors over the same devices, of which every device holds as many elements.
///
/// `comms` are all ranks of a communicator, in their order. `operation` is an `ICICLE_COMM_` constant, but of no transfer between
/// two ranks and not the barrier; `reduce` counts where it reduces, `root` where it has one. `send` is `recv` or null for in place,
/// where what `recv` holds is sent: of all-reduce, broadcast and reduce. These and all-to-all take vectors of any one layout;
/// gathers send blocks and receive a replicated vector, of which `ICICLE_COMM_GATHER` writes the root's; reduce-scatter and
/// scatter send a replicated vector and receive blocks.
///
/// Asynchrony: complete on return.
/// Errors: `INVALID_POINTER` if a handle is none, or `comms` is null or misaligned; `INVALID_ARGUMENT` if `count` is not the number
/// of ranks, they are in another order, there is no such operation, type, reduction or root, or a vector is on other devices, of
/// other elements or lengths, in another layout, or of which devices hold unequally many; otherwise as `icicle_comm_all_reduce`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_run_sharded(
    comms: *const *mut c_void,
    count: i32,
    operation: i32,
    r#type: CommType,
    reduce: i32,
    root: i32,
    send: *mut c_void,
    recv: *mut c_void,
) -> Code {
    let op = "run_sharded";
    guard(op, || {
        let kind = self::operation(op, operation)?;
        let op = kind.op();
        let count = types::at_least(op, "count", count, 1)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let handles = unsafe { ptr::read_many(op, "comms", comms, count) }?;
        let mut ranks = with_capacity(op, count)?;
        for comm in handles {
            ranks.push(by_handle(op, comm)?);
        }
        let (data_type, reduce, root) =
            (r#type.to_core(op)?, reduction(op, reduce)?, types::at_least(op, "root", root, 0)?);
        let to = sharded::by_handle(op, recv)?;
        if send.is_null() || send == recv {
            return run_sharded(&ranks, kind, data_type, reduce, root, None, &mut to.write());
        }
        let from = sharded::by_handle(op, send)?;
        shared::with(op, &[&from], &to, |from, to| {
            run_sharded(&ranks, kind, data_type, reduce, root, Some(from[0]), to)
        })
    })
}
