//! What a call has a processor core do, in its stream's order: bytes are copied to page-locked memory, a host function makes
//! others of them, and those are copied back; no thread waits for any of it.
#![allow(unsafe_code)]

use crate::driver::{self, Handle, Outcome};
use crate::lock::lock;
use icicle_device::RawStream;
use icicle_error::{Error, ErrorCode, Result};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Most bytes of a job's input.
pub const INPUT: usize = 64 << 10;
/// Most bytes of its output.
pub const OUTPUT: usize = 8 << 10;

/// Makes an output of an input. It must not call CUDA.
pub type Job = Box<dyn FnOnce(&[u8], &mut [u8]) + Send>;

/// Memory of one job at a time.
struct Slot {
    memory: *mut u8,
    /// Passed when the output has been copied from here.
    done: Handle,
    job: Mutex<Option<(Job, usize, usize)>>,
    failed: Arc<AtomicBool>,
}

// SAFETY: a slot owns its memory and event; any thread may use both, one at a time.
unsafe impl Send for Slot {}
// SAFETY: whose turn it is, the list of slots and `done` say.
unsafe impl Sync for Slot {}

/// A device's slots that no thread is enqueueing for; as many exist as jobs were ever under way at once, for good.
#[derive(Default)]
pub struct HostWork {
    idle: Mutex<Vec<&'static Slot>>,
    /// Whether a host function failed since this was asked last.
    failed: Arc<AtomicBool>,
    /// Another failure of enqueued work that the driver knows nothing of.
    told: Mutex<Option<Error>>,
}

impl HostWork {
    /// Enqueue a job: what `input` bytes at `from` are on the device it makes into `output` bytes at `to`.
    ///
    /// # Errors
    /// The driver's own; what was enqueued before may run all the same.
    ///
    /// # Panics
    /// If there are more bytes than [`INPUT`] or [`OUTPUT`].
    ///
    /// # Safety
    /// On the device, `from` holds and `to` has room for that many bytes once the stream has passed what it holds now; the
    /// device's context is current.
    pub unsafe fn enqueue(
        &self,
        stream: RawStream,
        (from, input): (u64, usize),
        (to, output): (u64, usize),
        job: Job,
    ) -> Outcome<()> {
        assert!(input <= INPUT && output <= OUTPUT, "{input} bytes to {output}");
        let slot = self.idle()?;
        *lock(&slot.job) = Some((job, input, output));
        let at = std::ptr::from_ref(slot).cast_mut();
        // SAFETY: the slot's memory holds this many bytes, and stays until `done` has passed; so does the slot.
        unsafe {
            driver::copy_to_host(slot.memory, from, input, stream)?;
            driver::launch_host(stream, run, at.cast())?;
            driver::copy_to_device(to, slot.memory.add(INPUT), output, stream)?;
            driver::event_record(slot.done, stream)?;
        }
        // After a failure the device may still be at work in the slot, which is then given up.
        lock(&self.idle).push(slot);
        Ok(())
    }

    /// Work that was enqueued failed without the driver knowing: who waits for the device next is told.
    pub fn fail(&self, error: Error) {
        lock(&self.told).get_or_insert(error);
    }

    /// Once the device has been waited for: whether all jobs since the last time went well.
    ///
    /// # Errors
    /// `SynchronizationFailed`, or what [`HostWork::fail`] was told.
    pub fn check(&self, op: &'static str) -> Result<()> {
        if let Some(error) = lock(&self.told).take() {
            return Err(error);
        }
        if !self.failed.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        let detail = "the host's part of a call failed: its results, and what was computed of them, are not valid";
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
        let (memory, done) = (driver::host_alloc(INPUT + OUTPUT)?, driver::event_create(false)?);
        Ok(Box::leak(Box::new(Slot { memory, done, job: Mutex::default(), failed: self.failed.clone() })))
    }
}

/// The host function. It must not call CUDA, and does not.
unsafe extern "C" fn run(slot: *mut c_void) {
    // SAFETY: a slot whose use is this call's until its event has passed; its memory holds INPUT + OUTPUT bytes.
    let (slot, input, output) = unsafe {
        let slot = &*slot.cast::<Slot>();
        let input = std::slice::from_raw_parts(slot.memory, INPUT);
        (slot, input, std::slice::from_raw_parts_mut(slot.memory.add(INPUT), OUTPUT))
    };
    let job = lock(&slot.job).take();
    let work = || job.map(|(job, from, to)| job(&input[..from], &mut output[..to]));
    if !matches!(catch_unwind(AssertUnwindSafe(work)), Ok(Some(()))) {
        slot.failed.store(true, Ordering::Release);
        // Nothing: better than another job's output.
        output.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(work: &HostWork, memory: &mut [u8], job: Option<(Job, usize, usize)>) -> Slot {
        Slot { memory: memory.as_mut_ptr(), done: 0, job: Mutex::new(job), failed: work.failed.clone() }
    }

    fn run_on(slot: &Slot) {
        // SAFETY: a slot with memory of full length.
        unsafe { run(std::ptr::from_ref(slot).cast_mut().cast()) }
    }

    /// What the host function finds where the job is missing, or panics: a failure that is told once, and no stale bytes.
    #[test]
    fn failures_are_told_once() {
        let work = HostWork::default();
        let panics: Job = Box::new(|input, _| panic!("{} bytes", input.len()));
        for job in [None, Some((panics, 16, 16))] {
            work.check("msm").unwrap();
            let mut memory = vec![0xa5u8; INPUT + OUTPUT];
            run_on(&slot(&work, &mut memory, job));
            let error = work.check("msm").unwrap_err();
            assert_eq!((error.code, error.op), (ErrorCode::SynchronizationFailed, "msm"));
            work.check("msm").unwrap();
            assert!(memory[INPUT..].iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn what_is_told_is_told_on_once() {
        let work = HostWork::default();
        work.fail(Error::new(ErrorCode::RemoteError, "all_reduce", "rank 1 left"));
        work.fail(Error::new(ErrorCode::Timeout, "all_reduce", "later"));
        assert_eq!(work.check("stream_synchronize").unwrap_err().code, ErrorCode::RemoteError);
        work.check("stream_synchronize").unwrap();
    }

    #[test]
    fn a_job_sees_its_bytes_once() {
        let work = HostWork::default();
        let mut memory = vec![3u8; INPUT + OUTPUT];
        let job: Job = Box::new(|input, output| {
            assert_eq!((input.len(), output.len()), (5, 7));
            output.fill(input.iter().sum());
        });
        let slot = slot(&work, &mut memory, Some((job, 5, 7)));
        run_on(&slot);
        work.check("msm").unwrap();
        // The job is gone: a second run is a failure.
        assert!(lock(&slot.job).is_none());
        drop(slot);
        assert!(memory[INPUT..INPUT + 7].iter().all(|&byte| byte == 15) && memory[INPUT + 7] == 3);
    }
}
