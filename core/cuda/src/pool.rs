//! Device memory: one stream-ordered pool a device, which keeps what is freed and counts what is handed out.
//!
//! Order. Memory allocated on a stream may be used on that stream at once, and elsewhere after that stream is
//! synchronized or waited for. Memory allocated on stream 0 may be used on every stream at once, and freeing on stream 0
//! comes after all work then enqueued on any stream of the device: blocking streams order themselves with the default
//! stream, for the others events do. Memory freed on a stream may still be used by work enqueued there before.
#![allow(unsafe_code)]

pub use super::account::Pool;

use super::driver::{self, Failure, Handle, Outcome};
use super::fault;
use super::gpu::Gpu;
use icicle_device::{MemoryStats, RawStream};
use icicle_error::{Error, ErrorCode, Result};
use std::ptr::NonNull;
use std::sync::atomic::Ordering;

/// Allocate `bytes > 0`, ordered after earlier work of `stream`. Where the device is full, what the pool caches is given
/// back to it once, after all work is done.
///
/// # Errors
/// `OutOfMemory` with the pool's state.
pub fn alloc(gpu: &Gpu, op: &'static str, bytes: usize, stream: RawStream) -> Result<NonNull<u8>> {
    let counters = &gpu.pool.counters;
    if !counters.take(bytes as u64) {
        return Err(out_of_memory(gpu, op, bytes, "exceeds the limit set for the device"));
    }
    let pool = gpu.pool.handle;
    let outcome = gpu_alloc(gpu, pool, bytes, stream);
    match outcome.map(|address| NonNull::new(address as *mut u8)) {
        Ok(Some(ptr)) => {
            counters.keep();
            Ok(ptr)
        }
        Ok(None) => {
            counters.give_back(bytes as u64);
            Err(out_of_memory(gpu, op, bytes, "the driver gave a null pointer"))
        }
        Err(failure) => {
            counters.give_back(bytes as u64);
            match failure.0 {
                fault::OUT_OF_MEMORY => Err(out_of_memory(gpu, op, bytes, &fault::describe(failure.0))),
                _ => Err(gpu.failed(op, ErrorCode::AllocationFailed, failure, &format!("size {bytes}"))),
            }
        }
    }
}

fn gpu_alloc(gpu: &Gpu, pool: Handle, bytes: usize, stream: RawStream) -> Outcome<u64> {
    gpu.calls(|| {
        let first = driver::alloc(pool, bytes, stream);
        let address = match first {
            Err(Failure(fault::OUT_OF_MEMORY)) => {
                driver::synchronize()?;
                driver::pool_trim(pool, 0)?;
                driver::alloc(pool, bytes, stream)?
            }
            other => other?,
        };
        if stream == 0 {
            gpu.each_non_blocking(|other| order(0, other))?;
        }
        Ok(address)
    })
}

/// Let later work of `second` wait for the work now in `first`.
fn order(first: RawStream, second: RawStream) -> Outcome<()> {
    let event = driver::event_create(false)?;
    // SAFETY: our event, alive; our streams, alive.
    let recorded = unsafe { driver::event_record(event, first) };
    // SAFETY: as above.
    let waiting = recorded.and_then(|()| unsafe { driver::stream_wait_event(second, event) });
    // SAFETY: our event, not used again; the driver keeps what the streams still need of it.
    unsafe { driver::event_destroy(event) }.and(waiting)
}

/// Free, ordered after earlier work of `stream`. On a device lost to a fault the memory is gone already.
///
/// # Safety
/// `ptr` came from [`alloc`] with this device and length, and is not used again.
pub unsafe fn free(gpu: &Gpu, op: &'static str, ptr: NonNull<u8>, bytes: usize, stream: RawStream) -> Result<()> {
    gpu.pool.counters.give_back(bytes as u64);
    if gpu.is_lost() {
        return Ok(());
    }
    let address = ptr.as_ptr() as u64;
    let outcome = gpu.calls(|| {
        if stream == 0 {
            gpu.each_non_blocking(|other| order(other, 0))?;
        }
        // SAFETY: the caller's.
        unsafe { driver::free(address, stream) }
    });
    match outcome {
        Ok(()) => Ok(()),
        Err(failure) => {
            let error = gpu.failed(op, ErrorCode::DeallocationFailed, failure, &format!("address {address:#x}"));
            // A fault of earlier work that shows here is not a failure to free: the memory went with the context.
            if gpu.is_lost() { Ok(()) } else { Err(error) }
        }
    }
}

/// The pool's and the device's state in numbers.
///
/// # Errors
/// What the driver fails with.
pub fn stats(gpu: &Gpu) -> Result<MemoryStats> {
    let pool = gpu.pool.handle;
    let ((free, total), reserved) =
        gpu.with("memory", ErrorCode::Internal, || Ok((driver::memory_info()?, driver::pool_reserved(pool)?)))?;
    let counters = &gpu.pool.counters;
    let used = counters.used.load(Ordering::Relaxed);
    Ok(MemoryStats {
        total,
        free: counters.limit().map_or(free, |limit| free.min(limit.saturating_sub(used))),
        used,
        reserved,
        high_water: counters.high_water.load(Ordering::Relaxed),
        allocations: counters.allocations.load(Ordering::Relaxed),
        limit: counters.limit(),
    })
}

/// Give cached memory back until at most `keep` bytes stay reserved, once all work is done.
///
/// # Errors
/// What the driver fails with.
pub fn trim(gpu: &Gpu, keep: u64) -> Result<()> {
    let pool = gpu.pool.handle;
    gpu.with("trim", ErrorCode::DeallocationFailed, || {
        // Memory freed on a stream counts as cached only once the stream has passed the point.
        driver::synchronize()?;
        driver::pool_trim(pool, keep)
    })
}

/// Whether eight bytes written in `there`'s pool arrive in `here`'s, whose context is current.
///
/// # Errors
/// The driver's.
pub(crate) fn copies_arrive(here: &Gpu, there: &Gpu) -> Outcome<bool> {
    let src = there.calls(|| {
        let src = driver::alloc(there.pool.handle, 256, 0)?;
        // SAFETY: 256 bytes were allocated.
        unsafe { driver::fill(src, 0xa5, 256, 0) }?;
        driver::synchronize().map(|()| src)
    })?;
    let mut seen = [0u8; 8];
    let dst = driver::alloc(here.pool.handle, 256, 0)?;
    // SAFETY: both hold 256 bytes; `seen` holds 8 and outlives the synchronous end of the copy.
    unsafe {
        driver::fill(dst, 0, 256, 0)?;
        driver::copy_between((dst, here.context), (src, there.context), 256, 0)?;
        driver::copy_to_host(seen.as_mut_ptr(), dst, 8, 0)?;
        driver::stream_synchronize(0)?;
        driver::free(dst, 0)?;
    }
    // SAFETY: our allocation, not used again.
    there.calls(|| unsafe { driver::free(src, 0) })?;
    Ok(seen == [0xa5; 8])
}

fn out_of_memory(gpu: &Gpu, op: &'static str, bytes: usize, why: &str) -> Error {
    let state = match stats(gpu) {
        Ok(s) => {
            let limit = s.limit.map_or("none".into(), |limit| limit.to_string());
            format!(
                "{} has {} bytes, {} free; this library uses {} in {} allocations (high water {}), reserves {}, limit {limit}",
                gpu.device, s.total, s.free, s.used, s.allocations, s.high_water, s.reserved
            )
        }
        Err(error) => format!("{}: {error}", gpu.device),
    };
    Error::new(ErrorCode::OutOfMemory, op, format!("size {bytes}: {why}; {state}"))
}
