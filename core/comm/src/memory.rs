//! Operands as memory of the host, which that of CPU devices is.
#![allow(unsafe_code)]

use icicle_cpu::parallel::indices;
use icicle_device::{Device, DeviceKind, Dst, Place, Src};
use icicle_error::reserve::push;
use icicle_error::{Error, ErrorCode, Result};
use icicle_runtime::transfer;
use rustix::net::{SendAncillaryBuffer, SendFlags, sendmsg};
use std::io::{self, IoSlice, Read};
use std::net::TcpStream;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Bytes that one task copies.
const PIECE: usize = 1 << 18;

/// Whether the host may address what lies in a place.
const fn is_host(place: Place) -> bool {
    matches!(place, Place::Host | Place::Device(Device { kind: DeviceKind::Cpu, .. }))
}

fn not_host(op: &'static str) -> Error {
    Error::unsupported(op, "memory of a GPU: collectives run on CPU devices only")
}

/// The same memory as the host's.
///
/// # Errors
/// `Unsupported` if it is not.
pub fn host_src<'a>(op: &'static str, src: &Src<'a>) -> Result<Src<'a>> {
    if !is_host(src.place()) {
        return Err(not_host(op));
    }
    // SAFETY: valid for `'a` as it is; memory of a CPU device is the host's.
    Ok(unsafe { Src::from_raw_parts(src.as_ptr(), src.bytes(), Place::Host) })
}

/// As [`host_src`].
///
/// # Errors
/// `Unsupported` if it is not.
pub fn host_dst<'a>(op: &'static str, dst: Dst<'a>) -> Result<Dst<'a>> {
    if !is_host(dst.place()) {
        return Err(not_host(op));
    }
    // SAFETY: valid for `'a` as it is, and the only one, as it is consumed; memory of a CPU device is the host's.
    Ok(unsafe { Dst::from_raw_parts(dst.as_ptr(), dst.bytes(), Place::Host) })
}

/// Items of which something holds, and the others, each in their order.
///
/// # Errors
/// `OutOfMemory`.
pub fn divided<T>(op: &'static str, items: Vec<T>, holds: impl Fn(&T) -> bool) -> Result<(Vec<T>, Vec<T>)> {
    let (mut some, mut others) = (Vec::new(), Vec::new());
    for item in items {
        push(op, if holds(&item) { &mut some } else { &mut others }, item)?;
    }
    Ok((some, others))
}

/// Send what is left of a message, a head and a body, of which `done` bytes are gone; as many as are taken.
pub fn send_some(to: &TcpStream, head: &[u8], body: &Src<'_>, done: usize) -> io::Result<usize> {
    let offset = done.saturating_sub(head.len());
    if body.place() != Place::Host || offset > body.bytes() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let bytes = match body.bytes() - offset {
        0 => &[],
        // SAFETY: in bounds of memory valid for reads; the slice is gone when this returns, and no other of it is
        // there, as this
        // thread alone works on the call.
        rest => unsafe { std::slice::from_raw_parts(body.as_ptr().add(offset), rest) },
    };
    let parts = [IoSlice::new(&head[done.min(head.len())..]), IoSlice::new(bytes)];
    // A peer that is gone is an error here, not a signal that ends the process.
    Ok(sendmsg(to, &parts, &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL)?)
}

/// Read bytes to `offset` and on, as many as are there; 0 at the end of the stream.
pub fn read_some(mut from: impl Read, dst: &mut Dst<'_>, offset: usize) -> io::Result<usize> {
    if dst.place() != Place::Host || offset >= dst.bytes() {
        return Ok(0);
    }
    let (to, bytes) = (dst.as_ptr(), dst.bytes());
    // SAFETY: in bounds of memory valid for writes; the slice is gone when this returns, and no other of it is there. The
    // memory may be uninitialised as a fresh buffer is: readers of the standard library's sockets do not read it.
    let bytes = unsafe { std::slice::from_raw_parts_mut(to.add(offset), bytes - offset) };
    from.read(bytes)
}

/// Copy each source to its destination, on all threads. What is the same memory is left alone; all else is disjoint.
pub fn copy_all(op: &'static str, pairs: Vec<(Dst<'_>, Src<'_>)>) -> Result<()> {
    let (mut to, mut from, mut total) = (Vec::new(), Vec::new(), 0);
    for (dst, src) in pairs {
        if src.bytes() != dst.bytes() {
            return Err(Error::new(ErrorCode::Internal, op, "copies of unequal length"));
        }
        if dst.bytes() == 0 || std::ptr::eq(dst.as_ptr(), src.as_ptr()) {
            continue;
        }
        let bytes = src.bytes();
        total += bytes;
        let sizes = (0..bytes).step_by(PIECE).map(|start| PIECE.min(bytes - start));
        for (start, piece) in (0..bytes).step_by(PIECE).zip(dst.split(op, sizes)?) {
            push(op, &mut from, src.part(op, start, piece.bytes())?)?;
            push(op, &mut to, Mutex::new(Some(piece)))?;
        }
    }
    let failed = OnceLock::new();
    indices(from.len(), total >= PIECE, &|i| {
        let dst = to[i].lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Err(error) = dst.map_or(Ok(()), |dst| transfer(dst, from[i])) {
            let _ = failed.set(error);
        }
    });
    failed.into_inner().map_or(Ok(()), Err)
}
