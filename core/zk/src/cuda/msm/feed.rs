//! Inputs on their way from the host: a part of them is copied on a stream of its own while the part before is worked on.
//! Two buffers an operand; each copy waits until the work on what the buffer held before is done, on the device.
#![allow(unsafe_code)]

use icicle_cuda::copy;
use icicle_cuda::scratch::Scratch;
use icicle_cuda::side::{Event, Side};
use icicle_device::{CopyArgs, Exec, Place, Src};
use icicle_error::{Result, reserve};
use std::ops::Range;

/// Least bytes of inputs that are worth dividing: below, one part of them takes about as long as all.
const DIVIDED_FROM: u64 = 32 << 20;
/// A part's share of what is left: parts grow as their copies hide behind longer work.
const FIRST: usize = 12;

/// Parts of `n` points that take `bytes` each from the host, none of more than `most` points.
///
/// # Errors
/// `OutOfMemory`.
pub(crate) fn parts(op: &'static str, n: usize, bytes: u64, most: usize) -> Result<Vec<Range<usize>>> {
    let divided = n as u64 * bytes >= DIVIDED_FROM;
    let (mut out, mut start) = (Vec::new(), 0);
    let mut size = if divided { n.div_ceil(FIRST) } else { n }.min(most);
    while start < n {
        // Twice the one before, but no crumb at the end.
        let size_now = if n - start < size + size / 2 { n - start } else { size }.min(most);
        reserve::push(op, &mut out, start..start + size_now)?;
        start += size_now;
        size = (2 * size).min(most);
    }
    Ok(out)
}

/// One operand.
pub(crate) struct Feed<'a> {
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
        let here = src.place() == Place::Device(exec.device());
        let buffer = || Scratch::new(op, exec, bytes);
        let buffers = if here { None } else { Some([buffer()?, buffer()?]) };
        Ok(Self { src, buffers, used: [Event::new(op, exec)?, Event::new(op, exec)?], turn: 0 })
    }

    /// The address of `bytes` of the operand from `start`, for work that the call's stream is given after this, until
    /// [`Feed::release`].
    pub fn bring(&mut self, op: &'static str, side: &Side, start: usize, bytes: usize) -> Result<u64> {
        let src = self.src.as_ptr().wrapping_add(start);
        let Some(buffers) = &self.buffers else { return Ok(src as u64) };
        let buffer = &buffers[self.turn % 2];
        self.used[self.turn % 2].hold(op, side.stream())?;
        self.turn += 1;
        let dst = buffer.address() as *mut u8;
        let exec = side.exec();
        let place = Place::Device(exec.device());
        let args = CopyArgs { dst, dst_place: place, src, src_place: self.src.place(), bytes, in_order: true };
        // SAFETY: the buffer holds as many bytes; the operand is valid until the call's stream has passed, which waits for
        // this copy.
        unsafe { copy::copy(&exec, &args) }?;
        side.before_call(op)?;
        Ok(dst as u64)
    }

    /// Let what was brought last be overwritten after the work enqueued so far.
    pub fn release(&self, op: &'static str, exec: &Exec) -> Result<()> {
        self.used[(self.turn + 1) % 2].mark(op, exec.stream())
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
            let parts = parts("msm", n, bytes, most).unwrap();
            assert_eq!((parts[0].start, parts.last().unwrap().end), (0, n));
            assert!(parts.windows(2).all(|w| w[0].end == w[1].start));
            assert!(parts.iter().all(|p| !p.is_empty() && p.len() <= most), "{parts:?}");
        }
        let of = |n: usize| parts("msm", n, 96, usize::MAX).unwrap().iter().map(|p| p.len()).collect::<Vec<_>>();
        assert_eq!(of(1 << 16), [1 << 16]);
        let sizes = of(1 << 24);
        assert!(sizes.len() == 4 && sizes.windows(2).take(2).all(|w| w[1] == 2 * w[0]), "{sizes:?}");
        assert!(parts("msm", 0, 96, 1).unwrap().is_empty());
    }
}
