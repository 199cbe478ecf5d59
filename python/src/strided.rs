//! Elements at strides, and copies between them and elements in order, on one device.
#![allow(unsafe_code)]

use crate::buffer::Span;
use icicle::array::Layout;
use icicle::device::{CopyArgs, Device, Exec, Launch, Place, registry, supports};
use icicle::ops::vector::{self, VectorConfig};
use icicle::ops::{Domain, Op};
use icicle::{DeviceKind, FieldId, Result};

/// An array as runs of bytes of one length at strides.
pub(crate) struct Runs {
    /// Bytes of an element.
    itemsize: usize,
    /// Bytes of a run.
    run: usize,
    /// Where the first run of each line along the last axis starts, in elements.
    lines: Layout,
    /// Runs of a line, and bytes from one to the next.
    inner: (usize, isize),
}

impl Runs {
    /// Of elements of `itemsize` bytes.
    pub fn new(layout: &Layout, itemsize: usize) -> Self {
        let mut lines = layout.merged();
        let run = lines.pop_if(|stride| stride == 1).map_or(1, |(n, _)| n) * itemsize;
        let (count, stride) = lines.pop_if(|_| true).unwrap_or((1, 0));
        Self { itemsize, run, lines, inner: (count, stride * itemsize as isize) }
    }

    /// Length in bytes.
    pub fn bytes(&self) -> usize {
        self.lines.len() * self.inner.0 * self.run
    }

    /// Where the first run of each line starts, in order.
    fn lines(&self) -> impl Iterator<Item = usize> + '_ {
        self.lines.places().map(|place| place * self.itemsize)
    }

    /// Hand on where each run starts: at its stride, and in order.
    fn each(&self, mut go: impl FnMut(usize, usize) -> Result<()>) -> Result<()> {
        let (count, stride) = self.inner;
        let mut ordered = 0;
        for line in self.lines() {
            for i in 0..count {
                go(line.wrapping_add_signed(i as isize * stride), ordered)?;
                ordered += self.run;
            }
        }
        Ok(())
    }
}

/// Copy runs of `memory` to `out`, of as many bytes, in order; both are of one device and share nothing.
pub(crate) fn gather(runs: &Runs, memory: Span<'_>, out: Span<'_>) -> Result<()> {
    let (from, to) = (memory.raw_src(), out.raw_dst("copy", "output")?);
    let (Place::Device(device), 1..) = (from.place(), runs.bytes()) else { return Ok(()) };
    if device.kind != DeviceKind::Cpu && take_every(runs, memory, out)? {
        return Ok(());
    }
    copy_runs(device, runs.run, |copy| runs.each(|at, ordered| copy(from.as_ptr(), at, to.as_ptr(), ordered)))
}

/// Copy `source` to runs of `memory`, which hold as many bytes; both are of one device and share nothing.
pub(crate) fn scatter(runs: &Runs, source: Span<'_>, memory: Span<'_>) -> Result<()> {
    let (from, to) = (source.raw_src(), memory.raw_dst("copy", "output")?);
    if from.bytes() != runs.bytes() || from.place() != to.place() {
        let detail = format!("source of {} bytes on {:?}: need {}", from.bytes(), from.place(), runs.bytes());
        return Err(icicle::Error::argument("copy", detail));
    }
    let (Place::Device(device), 1..) = (to.place(), runs.bytes()) else { return Ok(()) };
    copy_runs(device, runs.run, |copy| runs.each(|at, ordered| copy(from.as_ptr(), ordered, to.as_ptr(), at)))
}

/// Rows chosen by number: of `times` blocks in order, each of `count` rows of `bytes`, the same ones.
pub(crate) struct Rows<'a> {
    /// All below `count`.
    pub numbers: &'a [usize],
    pub times: usize,
    pub count: usize,
    pub bytes: usize,
}

impl Rows<'_> {
    /// Length of what is chosen.
    pub fn bytes(&self) -> Option<usize> {
        self.numbers
            .len()
            .checked_mul(self.times)?
            .checked_mul(self.bytes)
            .filter(|&bytes| bytes <= isize::MAX as usize)
    }

    /// Hand on where each row starts: among all, and among those chosen.
    fn each(&self, mut go: impl FnMut(usize, usize) -> Result<()>) -> Result<()> {
        let mut ordered = 0;
        for block in 0..self.times {
            for &number in self.numbers {
                go((block * self.count + number) * self.bytes, ordered)?;
                ordered += self.bytes;
            }
        }
        Ok(())
    }

    /// Check that memory holds all rows, and other memory of the same place those chosen.
    fn check(&self, all: (usize, Place), chosen: (usize, Place)) -> Result<()> {
        let held = self.times.checked_mul(self.count).and_then(|rows| rows.checked_mul(self.bytes));
        if held == Some(all.0) && self.bytes() == Some(chosen.0) && all.1 == chosen.1 {
            return Ok(());
        }
        let got = format!("{} bytes on {:?} of {} on {:?}", chosen.0, chosen.1, all.0, all.1);
        Err(icicle::Error::argument("copy", format!("{got}: must be {:?} of {held:?} on one device", self.bytes())))
    }
}

/// Copy rows of `memory` to `out`, in order; both are of one device and share nothing.
pub(crate) fn take(rows: &Rows<'_>, memory: Span<'_>, out: Span<'_>) -> Result<()> {
    let (from, to) = (memory.raw_src(), out.raw_dst("copy", "output")?);
    rows.check((from.bytes(), from.place()), (to.bytes(), to.place()))?;
    let (Place::Device(device), 1..) = (from.place(), to.bytes()) else { return Ok(()) };
    copy_runs(device, rows.bytes, |copy| rows.each(|at, ordered| copy(from.as_ptr(), at, to.as_ptr(), ordered)))
}

/// Copy `source`, in order, to rows of `memory`; both are of one device and share nothing.
pub(crate) fn put(rows: &Rows<'_>, source: Span<'_>, memory: Span<'_>) -> Result<()> {
    let (from, to) = (source.raw_src(), memory.raw_dst("copy", "output")?);
    rows.check((to.bytes(), to.place()), (from.bytes(), from.place()))?;
    let (Place::Device(device), 1..) = (to.place(), from.bytes()) else { return Ok(()) };
    copy_runs(device, rows.bytes, |copy| rows.each(|at, ordered| copy(from.as_ptr(), ordered, to.as_ptr(), at)))
}

/// How runs are copied: source and offset, destination and offset.
type CopyRun<'a> = &'a mut dyn FnMut(*const u8, usize, *mut u8, usize) -> Result<()>;

/// Copy the runs that `each` hands on, of memory of a device; done on return.
fn copy_runs(device: Device, bytes: usize, each: impl FnOnce(CopyRun<'_>) -> Result<()>) -> Result<()> {
    if device.kind == DeviceKind::Cpu {
        return each(&mut |src, from, dst, to| {
            // SAFETY: runs lie within their memory, as the array's constructor or `Rows::check` saw, and share nothing.
            unsafe { src.add(from).copy_to_nonoverlapping(dst.add(to), bytes) };
            Ok(())
        });
    }
    // SAFETY: the default stream.
    let exec = unsafe { Exec::new(device, 0, true) };
    let (backend, place) = (registry::backend(device)?, Place::Device(device));
    let copied = each(&mut |src, from, dst, to| {
        let (src, dst) = (src.wrapping_add(from), dst.wrapping_add(to));
        let args = CopyArgs { dst, dst_place: place, src, src_place: place, bytes, in_order: true };
        // SAFETY: as above; both stay alive until the wait below.
        unsafe { backend.copy(&exec, &args) }
    });
    copied.and(icicle::device::StreamRef::default_of(device).synchronize())
}

/// Gather by the device's own operation, a call for each line along the last axis, where strides are multiples of the runs.
/// Whether it could.
fn take_every(runs: &Runs, memory: Span<'_>, out: Span<'_>) -> Result<bool> {
    // Words stand for elements: they are moved, not read.
    let (op, word, field) = ("slice", 4, FieldId::BabyBearScalar);
    let (run, (count, stride)) = (runs.run, runs.inner);
    let Place::Device(device) = memory.raw_src().place() else { return Ok(false) };
    let even = stride > 0 && (stride as usize).is_multiple_of(run) && run.is_multiple_of(word);
    if count < 2 || !even || !supports(device, Op::Slice, Domain::Field(field))? {
        return Ok(false);
    }
    let step = stride as usize / run;
    let n = (count - 1) * step + 1;
    let launch = Launch { stream: None, is_async: true };
    let config = VectorConfig { launch, batch: run / word, columns: true };
    for (i, line) in runs.lines().enumerate() {
        let from = memory.part(line, n * run).src(op, "input")?;
        let to = out.part(i * count * run, count * run).dst(op, "output")?;
        vector::slice(field, n, from, 0, step, count, &config, to)?;
    }
    icicle::device::synchronize(device).map(|()| true)
}
