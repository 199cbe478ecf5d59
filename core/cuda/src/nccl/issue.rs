//! Operations of a group.
#![allow(unsafe_code)]

use super::{Comms, DataType, Functions, GoOn, Handle, RedOp, Stream};
use crate::lock::lock;
use icicle_device::RawStream;
use icicle_error::Result;
use std::ffi::c_int;
use std::ptr::null_mut;

impl Comms {
    /// Enqueue operations of ranks together, which `issue` names; `go_on` is asked while they are not. NCCL goes from device to
    /// device itself.
    ///
    /// # Errors
    /// NCCL's own; `Cancelled` if they were aborted; those of `issue` and `go_on`. What was enqueued is then unspecified: the
    /// communicators must be aborted.
    pub fn group(&self, op: &'static str, go_on: GoOn<'_>, issue: impl FnOnce(&Issue<'_>) -> Result<()>) -> Result<()> {
        // Until all is enqueued, so that nobody gives them back meanwhile.
        let ends = lock(&self.ends);
        let handles = self.handles(op, &ends)?;
        self.gpus.iter().try_for_each(|gpu| gpu.check(op))?;
        let functions = self.functions;
        let enqueue = || {
            // SAFETY: takes nothing.
            functions.check(op, unsafe { (functions.group_start)() }, null_mut())?;
            let issued = issue(&Issue { op, functions, handles });
            // SAFETY: the group that was started, ended also after a failure.
            let code = unsafe { (functions.group_end)() };
            issued.and(functions.check(op, code, handles.first().copied().unwrap_or(null_mut())))
        };
        // Where a device is current before and after: NCCL leaves the thread the one it found.
        match self.gpus.first() {
            Some(gpu) => gpu.among(op, self.gpus.iter().copied(), enqueue)??,
            None => enqueue()?,
        }
        self.settle(op, handles, go_on)
    }
}

/// Operations of a group, each of one of its communicators, by position.
pub struct Issue<'a> {
    op: &'static str,
    functions: &'a Functions,
    handles: &'a [Handle],
}

/// Memory that is read, memory that is written, and their stream.
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    /// What is sent.
    pub send: *const u8,
    /// Where to receive.
    pub recv: *mut u8,
    /// A stream of the communicator's device.
    pub stream: RawStream,
}

impl Issue<'_> {
    /// Call for a position.
    fn call(&self, at: usize, call: impl FnOnce(&Functions, Handle) -> c_int) -> Result<()> {
        let handle = self.handles[at];
        self.functions.check(self.op, call(self.functions, handle), handle)
    }

    /// `ncclAllReduce` of `count` elements.
    ///
    /// # Errors
    /// NCCL's own; so are those of the others.
    ///
    /// # Safety
    /// The operands are memory of the communicator's device, as long as nccl.h says and valid until the stream has passed;
    /// the stream is one of that device, and alive. The same holds for the others.
    pub unsafe fn all_reduce(&self, at: usize, o: Operands, count: usize, t: DataType, how: RedOp) -> Result<()> {
        // SAFETY: the caller's.
        self.call(at, |f, comm| unsafe {
            (f.all_reduce)(o.send.cast(), o.recv.cast(), count, t as c_int, how as c_int, comm, o.stream as Stream)
        })
    }

    /// `ncclReduce` of `count` elements.
    ///
    /// # Errors
    /// As [`Issue::all_reduce`].
    ///
    /// # Safety
    /// As [`Issue::all_reduce`].
    pub unsafe fn reduce(
        &self,
        at: usize,
        o: Operands,
        count: usize,
        t: DataType,
        how: RedOp,
        root: usize,
    ) -> Result<()> {
        let (t, how, root) = (t as c_int, how as c_int, root as c_int);
        // SAFETY: the caller's.
        self.call(at, |f, comm| unsafe {
            (f.reduce)(o.send.cast(), o.recv.cast(), count, t, how, root, comm, o.stream as Stream)
        })
    }

    /// `ncclReduceScatter`, to `count` elements each.
    ///
    /// # Errors
    /// As [`Issue::all_reduce`].
    ///
    /// # Safety
    /// As [`Issue::all_reduce`].
    pub unsafe fn reduce_scatter(&self, at: usize, o: Operands, count: usize, t: DataType, how: RedOp) -> Result<()> {
        // SAFETY: the caller's.
        self.call(at, |f, comm| unsafe {
            (f.reduce_scatter)(o.send.cast(), o.recv.cast(), count, t as c_int, how as c_int, comm, o.stream as Stream)
        })
    }

    /// `ncclBroadcast` of bytes.
    ///
    /// # Errors
    /// As [`Issue::all_reduce`].
    ///
    /// # Safety
    /// As [`Issue::all_reduce`].
    pub unsafe fn broadcast(&self, at: usize, o: Operands, bytes: usize, root: usize) -> Result<()> {
        let (t, root) = (DataType::UInt8 as c_int, root as c_int);
        // SAFETY: the caller's.
        self.call(at, |f, comm| unsafe {
            (f.broadcast)(o.send.cast(), o.recv.cast(), bytes, t, root, comm, o.stream as Stream)
        })
    }

    /// `ncclAllGather` of bytes of each.
    ///
    /// # Errors
    /// As [`Issue::all_reduce`].
    ///
    /// # Safety
    /// As [`Issue::all_reduce`].
    pub unsafe fn all_gather(&self, at: usize, o: Operands, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        self.call(at, |f, comm| unsafe {
            (f.all_gather)(o.send.cast(), o.recv.cast(), bytes, DataType::UInt8 as c_int, comm, o.stream as Stream)
        })
    }

    /// `ncclSend` of bytes.
    ///
    /// # Errors
    /// As [`Issue::all_reduce`].
    ///
    /// # Safety
    /// As [`Issue::all_reduce`].
    pub unsafe fn send(&self, at: usize, from: *const u8, bytes: usize, to: usize, stream: RawStream) -> Result<()> {
        // SAFETY: the caller's.
        self.call(at, |f, comm| unsafe {
            (f.send)(from.cast(), bytes, DataType::UInt8 as c_int, to as c_int, comm, stream as Stream)
        })
    }

    /// `ncclRecv` of bytes.
    ///
    /// # Errors
    /// As [`Issue::all_reduce`].
    ///
    /// # Safety
    /// As [`Issue::all_reduce`].
    pub unsafe fn recv(&self, at: usize, to: *mut u8, bytes: usize, from: usize, stream: RawStream) -> Result<()> {
        // SAFETY: the caller's.
        self.call(at, |f, comm| unsafe {
            (f.recv)(to.cast(), bytes, DataType::UInt8 as c_int, from as c_int, comm, stream as Stream)
        })
    }
}
