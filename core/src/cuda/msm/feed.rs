//! Inputs on their way from the host: a part of them is copied on a stream of its own while the part before is worked on.
//! Two buffers an operand; each copy waits until the work on what the buffer held before is done, on the device.
#![allow(unsafe_code)]

use crate::cuda::copy;
use crate::cuda::driver::{self, Handle};
use crate::cuda::gpu::{self, Gpu};
use crate::cuda::scratch::Scratch;
use crate::device::{CopyArgs, Exec, Place, RawStream, Src};
use crate::{ErrorCode, Result};
use std::ops::Range;

/// Least bytes of inputs that are worth dividing: below, one part of them takes about as long as all.
const DIVIDED_FROM: u64 = 32 << 20;
/// A part's share of what is left: parts grow as their copies hide behind longer work.
const FIRST: usize = 12;

/// Parts of `n` points that take `bytes` each from the host, none of more than `most` points.
pub(super) fn parts(n: usize, bytes: u64, most: usize) -> Vec<Range<usize>> {
    let divided = n as u64 * bytes >= DIVIDED_FROM;
    let (mut out, mut start) = (Vec::new(), 0);
    let mut size = if divided { n.div_ceil(FIRST) } else { n }.min(most);
    while start < n {
        // Twice the one before, but no crumb at the end.
        let size_now = if n - start < size + size / 2 { n - start } else { size }.min(most);
        out.push(start..start + size_now);
        start += size_now;
        size = (2 * size).min(most);
    }
    out
}

/// An event of this call.
struct Event(&'static Gpu, Handle);

impl Event {
    fn new(op: &'static str, gpu: &'static Gpu) -> Result<Self> {
        Ok(Self(gpu, gpu.with(op, ErrorCode::StreamCreationFailed, || driver::event_create(false))?))
    }
    fn mark(&self, op: &'static str, stream: RawStream) -> Result<()> {
        // SAFETY: our event, alive; a stream of the call.
        self.0.with(op, ErrorCode::Internal, || unsafe { driver::event_record(self.1, stream) })
    }
    /// Let a stream wait for what was marked last, if anything was.
    fn hold(&self, op: &'static str, stream: RawStream) -> Result<()> {
        // SAFETY: our event, alive; a stream of the call.
        self.0.with(op, ErrorCode::Internal, || unsafe { driver::stream_wait_event(stream, self.1) })
    }
    /// Let one stream wait for another.
    fn order(&self, op: &'static str, before: RawStream, after: RawStream) -> Result<()> {
        self.mark(op, before)?;
        self.hold(op, after)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: ours, not used again; what waits for it already goes on. A failure is a fault of earlier work.
        let _ = self.0.calls(|| unsafe { driver::event_destroy(self.1) });
    }
}

/// The stream that copies, after all that the call's stream holds now.
pub(super) struct Side {
    gpu: &'static Gpu,
    exec: Exec,
    stream: RawStream,
    event: Event,
}

impl Side {
    pub fn new(op: &'static str, exec: &Exec) -> Result<Self> {
        let gpu = gpu::gpu(op, exec.device.index)?;
        let event = Event::new(op, gpu)?;
        let stream = gpu.with(op, ErrorCode::StreamCreationFailed, || driver::stream_create(true))?;
        let side = Self { gpu, exec: *exec, stream, event };
        side.event.order(op, exec.stream, stream)?;
        Ok(side)
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // What the call's stream frees next, copies may still write if the call ended with an error.
        let _ = self.event.order("msm", self.stream, self.exec.stream);
        // SAFETY: our stream, not used again; the driver destroys it once its work is done. A failure is a fault of earlier
        // work.
        let _ = self.gpu.calls(|| unsafe { driver::stream_destroy(self.stream) });
    }
}

/// One operand.
pub(super) struct Feed<'a> {
    src: &'a Src<'a>,
    /// Where copies go; none for an operand that is on the device already.
    buffers: Option<[Scratch; 2]>,
    /// Recorded when the work on what a buffer holds has been enqueued.
    used: [Event; 2],
    turn: usize,
}

impl<'a> Feed<'a> {
    /// An operand of which at most `bytes` are taken at a time. Before [`Side::new`], so that copies come after the
    /// allocation.
    pub fn new(op: &'static str, exec: &Exec, src: &'a Src<'a>, bytes: usize) -> Result<Self> {
        let gpu = gpu::gpu(op, exec.device.index)?;
        let here = src.place() == Place::Device(exec.device);
        let buffer = || Scratch::new(op, exec, bytes);
        let buffers = if here { None } else { Some([buffer()?, buffer()?]) };
        Ok(Self { src, buffers, used: [Event::new(op, gpu)?, Event::new(op, gpu)?], turn: 0 })
    }

    /// The address of `bytes` of the operand from `start`, for work that the call's stream is given after this, until
    /// [`Feed::release`].
    pub fn bring(&mut self, op: &'static str, side: &Side, start: usize, bytes: usize) -> Result<u64> {
        // SAFETY: the operand has this many bytes.
        let src = unsafe { self.src.as_ptr().add(start) };
        let Some(buffers) = &self.buffers else { return Ok(src as u64) };
        let buffer = &buffers[self.turn % 2];
        self.used[self.turn % 2].hold(op, side.stream)?;
        self.turn += 1;
        let dst = buffer.address() as *mut u8;
        let place = Place::Device(side.exec.device);
        let args = CopyArgs { dst, dst_place: place, src, src_place: self.src.place(), bytes };
        let exec = Exec { stream: side.stream, is_async: true, ..side.exec };
        // SAFETY: the buffer holds as many bytes; the operand is valid until the call's stream has passed, which waits for
        // this copy.
        unsafe { copy::copy(&exec, &args) }?;
        side.event.order(op, side.stream, side.exec.stream)?;
        Ok(dst as u64)
    }

    /// Let what was brought last be overwritten after the work enqueued so far.
    pub fn release(&self, op: &'static str, exec: &Exec) -> Result<()> {
        self.used[(self.turn + 1) % 2].mark(op, exec.stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_everything_and_grow() {
        for (n, bytes, most) in
            [(1, 96, 1), (1 << 24, 96, usize::MAX), (1 << 24, 96, 1 << 20), (100, 96, 7), (1 << 20, 0, 1 << 30)]
        {
            let parts = parts(n, bytes, most);
            assert_eq!((parts[0].start, parts.last().unwrap().end), (0, n));
            assert!(parts.windows(2).all(|w| w[0].end == w[1].start));
            assert!(parts.iter().all(|p| !p.is_empty() && p.len() <= most), "{parts:?}");
        }
        let of = |n: usize| parts(n, 96, usize::MAX).iter().map(|p| p.len()).collect::<Vec<_>>();
        assert_eq!(of(1 << 16), [1 << 16]);
        let sizes = of(1 << 24);
        assert!(sizes.len() == 4 && sizes.windows(2).take(2).all(|w| w[1] == 2 * w[0]), "{sizes:?}");
        assert!(parts(0, 96, 1).is_empty());
    }
}
