//! The last step of few multiplications: a chain of as many doublings as a scalar has bits. A processor core is some ten
//! times as fast at that as the threads of a GPU. The sums of the windows are copied to page-locked memory, a host function
//! in the stream's order puts them together, and the results are copied back; no thread waits for any of it.
#![allow(unsafe_code)]

use super::Plan;
use crate::algebra::Field;
use crate::algebra::curve::{Affine, Curve, Group, Jacobian, Projective, Xyzz};
use crate::cuda::driver::{self, Handle, Outcome};
use crate::cuda::gpu::lock;
use crate::device::RawStream;
use crate::{CurveId, Error, ErrorCode, Result, with_curve};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Most results of a call that are finished here: beyond, the GPU's latency is shared by enough of them.
const RESULTS: usize = 8;
/// Bytes for the sums of the windows, and for the results.
const ROWS: usize = 64 << 10;
const OUT: usize = RESULTS * 3 * 192;

/// What the host function is to do.
#[derive(Clone, Copy)]
struct Job {
    curve: CurveId,
    batch: usize,
    windows: u32,
    c: u32,
    wide: u32,
}

/// Memory of one call at a time.
struct Slot {
    memory: *mut u8,
    /// Passed when the results have been copied from here.
    done: Handle,
    job: Mutex<Option<Job>>,
    failed: Arc<AtomicBool>,
}

// SAFETY: a slot owns its memory and event; any thread may use both, one at a time.
unsafe impl Send for Slot {}
// SAFETY: as above; whose turn it is, the list of slots and `done` say.
unsafe impl Sync for Slot {}

/// A device's slots that no thread is enqueueing for; as many exist as calls were ever under way at once, for good.
#[derive(Default)]
pub(crate) struct Slots {
    idle: Mutex<Vec<&'static Slot>>,
    /// Whether a host function failed since this was asked last.
    failed: Arc<AtomicBool>,
}

impl Slots {
    /// Enqueue `out[b] = Σ_w 2^start(w)·rows[b][w]`; false, with nothing done, if that is too much for the host.
    ///
    /// # Safety
    /// On the device, `rows` holds the windows' sums of `batch` multiplications over `curve` in working form and `out` has
    /// room for as many results, once the stream has passed what it holds now; the device's context is current.
    pub(super) unsafe fn finish(
        &self,
        stream: RawStream,
        curve: CurveId,
        plan: &Plan,
        (rows, out, batch): (u64, u64, usize),
    ) -> Outcome<bool> {
        let width = curve.info().base.info().bytes();
        let bytes = batch * plan.windows as usize * 4 * width;
        if batch > RESULTS || bytes > ROWS {
            return Ok(false);
        }
        let slot = self.idle()?;
        let Plan { windows, c, wide, .. } = *plan;
        *lock(&slot.job) = Some(Job { curve, batch, windows, c, wide });
        let at = std::ptr::from_ref(slot).cast_mut();
        // SAFETY: the slot's memory holds this many bytes, and stays until `done` has passed; so does the slot.
        unsafe {
            driver::copy_to_host(slot.memory, rows, bytes, stream)?;
            driver::launch_host(stream, run, at.cast())?;
            driver::copy_to_device(out, slot.memory.add(ROWS), batch * 3 * width, stream)?;
            driver::event_record(slot.done, stream)?;
        }
        // After a failure the device may still be at work in the slot, which is then given up.
        lock(&self.idle).push(slot);
        Ok(true)
    }

    /// Once the device has been waited for: whether the host's part of all MSMs since the last time went well.
    ///
    /// # Errors
    /// `SynchronizationFailed`.
    pub fn check(&self, op: &'static str) -> Result<()> {
        if !self.failed.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        let detail = "the host's part of an MSM failed: its results, and what was computed of them, are not valid";
        Err(Error::new(ErrorCode::SynchronizationFailed, op, detail))
    }

    /// A slot that nothing uses.
    fn idle(&self) -> Outcome<&'static Slot> {
        let mut slots = lock(&self.idle);
        // SAFETY: our event, alive as long as the slot.
        let passed = |slot: &&Slot| unsafe { driver::event_query(slot.done) }.is_ok();
        if let Some(at) = slots.iter().position(passed) {
            return Ok(slots.swap_remove(at));
        }
        drop(slots);
        let (memory, done) = (driver::host_alloc(ROWS + OUT)?, driver::event_create(false)?);
        Ok(Box::leak(Box::new(Slot { memory, done, job: Mutex::default(), failed: self.failed.clone() })))
    }
}

/// The host function. It must not call CUDA, and does not.
unsafe extern "C" fn run(slot: *mut c_void) {
    // SAFETY: a slot whose use is this call's until its event has passed; its memory holds ROWS + OUT bytes.
    let (slot, rows, out) = unsafe {
        let slot = &*slot.cast::<Slot>();
        let rows = std::slice::from_raw_parts(slot.memory, ROWS);
        (slot, rows, std::slice::from_raw_parts_mut(slot.memory.add(ROWS), OUT))
    };
    let job = *lock(&slot.job);
    let work = || job.map(|job| with_curve!(job.curve, C => combine::<C>(&job, rows, out)));
    if !matches!(catch_unwind(AssertUnwindSafe(work)), Ok(Some(()))) {
        slot.failed.store(true, Ordering::Release);
        // No point: better than another call's result.
        out.fill(0);
    }
}

/// The results, canonical, from windows' sums whose coordinates are in Montgomery form.
fn combine<C: Curve>(job: &Job, rows: &[u8], out: &mut [u8]) {
    let (width, scale) = (size_of::<<C::Base as Field>::Raw>(), Affine::<C>::montgomery_inverse());
    let row = |index: usize| {
        let at = |k: usize| {
            let start = (4 * index + k) * width;
            C::Base::from_raw(bytemuck::pod_read_unaligned(&rows[start..start + width])).scale(scale)
        };
        Jacobian::from(Xyzz::<C> { x: at(0), y: at(1), zz: at(2), zzz: at(3) })
    };
    for (b, slot) in out.chunks_exact_mut(3 * width).take(job.batch).enumerate() {
        let mut sum = Jacobian::<C>::NEUTRAL;
        for w in (0..job.windows).rev() {
            (0..job.c - u32::from(w >= job.wide)).for_each(|_| sum = sum.double());
            sum += row(b * job.windows as usize + w as usize);
        }
        slot.copy_from_slice(bytemuck::bytes_of(&Projective::from(sum.to_affine()).to_raw()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::PrimeField;

    /// Three windows, so many of 3 bits and the others of 2, of two multiplications over multiples of the generator, one sum
    /// neutral.
    fn check<C: Curve>(curve: CurveId, wide: u32) {
        let job = Job { curve, batch: 2, windows: 3, c: 3, wide };
        let factor = <C::Base as Field>::Prime::montgomery_factor();
        let (multiples, mut rows) = ([5u64, 0, 7, 1, 2, 3], Vec::new());
        for k in multiples {
            let point = Xyzz::<C>::from(C::GENERATOR).times(&[k]);
            let coordinates = [point.x, point.y, point.zz, point.zzz].map(|x| x.scale(factor).to_raw());
            coordinates.iter().for_each(|raw| rows.extend_from_slice(bytemuck::bytes_of(raw)));
        }
        let width = size_of::<<C::Base as Field>::Raw>();
        let mut out = vec![0xa5; 3 * 3 * width];
        combine::<C>(&job, &rows, &mut out);
        for (b, slot) in out.chunks_exact(3 * width).take(2).enumerate() {
            let log = multiples[3 * b] + (multiples[3 * b + 1] << 3) + (multiples[3 * b + 2] << (4 + wide));
            let expected = Projective::from(Jacobian::<C>::from(C::GENERATOR).times(&[log]).to_affine()).to_raw();
            assert_eq!(slot, bytemuck::bytes_of(&expected), "{curve:?} {b}");
        }
        assert!(out[6 * width..].iter().all(|&byte| byte == 0xa5));
    }

    /// What a slot's function finds where the job is missing, or rows are: a failure that is told once, and no stale bytes.
    #[test]
    fn failures_are_told_once() {
        let slots = Slots::default();
        let of_many_windows = Job { curve: CurveId::Bn254, batch: 1, windows: 1 << 20, c: 3, wide: 0 };
        for job in [None, Some(of_many_windows)] {
            slots.check("msm").unwrap();
            let mut memory = vec![0xa5u8; ROWS + OUT];
            let slot =
                Slot { memory: memory.as_mut_ptr(), done: 0, job: Mutex::new(job), failed: slots.failed.clone() };
            // SAFETY: a slot with memory of that length.
            unsafe { run(std::ptr::from_ref(&slot).cast_mut().cast()) };
            let error = slots.check("msm").unwrap_err();
            assert_eq!((error.code, error.op), (ErrorCode::SynchronizationFailed, "msm"));
            slots.check("msm").unwrap();
            assert!(memory[ROWS..].iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn windows_are_put_together() {
        for wide in [1, 2] {
            check::<crate::algebra::curve::Bn254>(CurveId::Bn254, wide);
            check::<crate::algebra::curve::Bls12_381G2>(CurveId::Bls12_381G2, wide);
            check::<crate::algebra::curve::Bw6_761>(CurveId::Bw6_761, wide);
        }
    }
}
