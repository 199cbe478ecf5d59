//! The runtime contract, fulfilled: each method finds the device's state and makes a driver call or two.
#![allow(unsafe_code)]

use super::driver::{self, Attribute, Failure};
use super::fault::{INVALID_HANDLE, NOT_READY};
use super::gpu::{gpu, platform, state};
use super::{copy, fault, host, pool};
use icicle_device::{
    Backend, CopyArgs, Device, DeviceInfo, DeviceKind, Exec, MemoryStats, RawEvent, RawStream, StreamKind,
};
use icicle_error::{Error, ErrorCode, Result};
use std::ptr::NonNull;

/// NVIDIA GPUs, found when first asked for.
pub struct CudaBackend;

const SYNC: ErrorCode = ErrorCode::SynchronizationFailed;

/// Wait for a stream alone, also for the default one.
pub fn stream_wait(op: &'static str, index: u32, stream: RawStream) -> Result<()> {
    // SAFETY: the default stream, or one that lives by the contract of the calls that take streams.
    gpu(op, index)?.with(op, SYNC, || unsafe { driver::stream_synchronize(stream) })?;
    gpu(op, index)?.host_work.check(op)
}

/// A stream that is not one of the device's.
fn foreign(op: &'static str, code: ErrorCode, index: u32, stream: RawStream) -> Error {
    let device = Device::cuda(index);
    Error::new(code, op, format!("stream {stream:#x}: must be a live stream of {device}"))
}

impl Backend for CudaBackend {
    fn kind(&self) -> DeviceKind {
        DeviceKind::Cuda
    }
    fn count(&self) -> u32 {
        platform().count()
    }
    fn unavailable(&self) -> Option<String> {
        platform().unavailable.clone()
    }
    fn info(&self, index: u32) -> Result<DeviceInfo> {
        let failed = |failure| fault::error("device_info", ErrorCode::InvalidDevice, failure, "");
        info(index).map_err(failed)
    }
    unsafe fn alloc(&self, index: u32, bytes: usize, stream: RawStream) -> Result<NonNull<u8>> {
        pool::alloc(gpu("malloc", index)?, "malloc", bytes, stream)
    }
    unsafe fn free(&self, index: u32, ptr: NonNull<u8>, bytes: usize, stream: RawStream) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { pool::free(state("free", index)?, "free", ptr, bytes, stream) }
    }
    unsafe fn copy(&self, exec: &Exec, args: &CopyArgs) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { copy::copy(exec, args) }
    }
    unsafe fn fill(&self, exec: &Exec, ptr: *mut u8, value: u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { copy::fill(exec, ptr, value, bytes) }
    }
    fn stream_create(&self, index: u32) -> Result<RawStream> {
        self.stream_create_with(index, StreamKind::InOrder)
    }
    fn stream_create_with(&self, index: u32, kind: StreamKind) -> Result<RawStream> {
        let (op, code) = ("stream_create", ErrorCode::StreamCreationFailed);
        let gpu = gpu(op, index)?;
        let stream = gpu.with(op, code, || driver::stream_create(kind))?;
        gpu.stream_add(stream, kind != StreamKind::InOrder);
        Ok(stream)
    }
    unsafe fn stream_destroy(&self, index: u32, stream: RawStream) -> Result<()> {
        let (op, code) = ("stream_destroy", ErrorCode::StreamDestructionFailed);
        let gpu = state(op, index)?;
        if stream == 0 {
            return Ok(());
        }
        if !gpu.stream_known(stream) {
            return Err(foreign(op, code, index, stream));
        }
        // The stream goes, whether or not its work went well.
        let waited = if gpu.is_lost() { Ok(()) } else { stream_wait(op, index, stream) };
        let destroy = || match gpu.is_lost() {
            true => Ok(()),
            // SAFETY: ours, as found under the lock, and used by nobody again.
            false => gpu.calls(|| unsafe { driver::stream_destroy(stream) }),
        };
        match gpu.stream_remove(stream, destroy) {
            None => Err(foreign(op, code, index, stream)),
            Some(outcome) => outcome.map_err(|failure| gpu.failed(op, code, failure, "")).and(waited),
        }
    }
    unsafe fn stream_synchronize(&self, index: u32, stream: RawStream) -> Result<()> {
        let op = "stream_synchronize";
        let gpu = gpu(op, index)?;
        match stream {
            // ICICLE's clients wait for everything by waiting for no stream in particular.
            0 => gpu.with(op, SYNC, driver::synchronize).and_then(|()| gpu.host_work.check(op)),
            _ if gpu.stream_known(stream) => stream_wait(op, index, stream),
            _ => Err(foreign(op, SYNC, index, stream)),
        }
    }
    fn synchronize(&self, index: u32) -> Result<()> {
        let op = "device_synchronize";
        let gpu = gpu(op, index)?;
        gpu.with(op, SYNC, driver::synchronize).and_then(|()| gpu.host_work.check(op))
    }
    fn event_create(&self, index: u32, timing: bool) -> Result<RawEvent> {
        let op = "event_create";
        gpu(op, index)?.with(op, ErrorCode::StreamCreationFailed, || driver::event_create(timing))
    }
    unsafe fn event_destroy(&self, index: u32, event: RawEvent) -> Result<()> {
        let op = "event_destroy";
        let gpu = state(op, index)?;
        if gpu.is_lost() {
            return Ok(());
        }
        // SAFETY: alive by contract, not used again.
        gpu.with(op, ErrorCode::StreamDestructionFailed, || unsafe { driver::event_destroy(event) })
    }
    unsafe fn event_record(&self, index: u32, event: RawEvent, stream: RawStream) -> Result<()> {
        // SAFETY: both alive by contract.
        gpu("event_record", index)?.with("event_record", SYNC, || unsafe { driver::event_record(event, stream) })
    }
    unsafe fn event_query(&self, index: u32, event: RawEvent) -> Result<bool> {
        // SAFETY: alive by contract.
        let query = || match unsafe { driver::event_query(event) } {
            Ok(()) => Ok(true),
            Err(Failure(NOT_READY)) => Ok(false),
            Err(failure) => Err(failure),
        };
        gpu("event_query", index)?.with("event_query", SYNC, query)
    }
    unsafe fn event_synchronize(&self, index: u32, event: RawEvent) -> Result<()> {
        let op = "event_synchronize";
        // SAFETY: alive by contract.
        gpu(op, index)?.with(op, SYNC, || unsafe { driver::event_synchronize(event) })?;
        gpu(op, index)?.host_work.check(op)
    }
    unsafe fn stream_wait_event(&self, index: u32, stream: RawStream, event: RawEvent) -> Result<()> {
        let op = "stream_wait_event";
        // SAFETY: both alive by contract.
        gpu(op, index)?.with(op, SYNC, || unsafe { driver::stream_wait_event(stream, event) })
    }
    unsafe fn event_elapsed_ms(&self, index: u32, start: RawEvent, end: RawEvent) -> Result<f32> {
        let op = "event_elapsed";
        // SAFETY: both alive by contract.
        let elapsed = || unsafe {
            driver::event_synchronize(start)?;
            driver::event_synchronize(end)?;
            driver::event_elapsed_ms(start, end)
        };
        let gpu = gpu(op, index)?;
        gpu.calls(elapsed).map_err(|failure| match failure {
            Failure(INVALID_HANDLE) => Error::argument(op, "events: one was never recorded, or created without timing"),
            other => gpu.failed(op, SYNC, other, ""),
        })
    }
    fn host_alloc(&self, bytes: usize) -> Result<NonNull<u8>> {
        host::alloc(bytes)
    }
    unsafe fn host_free(&self, ptr: NonNull<u8>, _: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { host::free(ptr) }
    }
    fn is_pinned(&self, index: u32, ptr: *const u8, bytes: usize) -> bool {
        // What cannot be asked is taken for page-locked: the call then waits.
        gpu("is_pinned", index)
            .and_then(|gpu| gpu.with("is_pinned", SYNC, || Ok(host::is_pinned(ptr, bytes))))
            .unwrap_or(true)
    }
    fn reaches(&self, from: u32, to: u32) -> Result<bool> {
        crate::can_access_peer(Device::cuda(from), Device::cuda(to))
    }
    fn memory(&self, index: u32) -> Result<MemoryStats> {
        pool::stats(gpu("memory", index)?)
    }
    fn set_limit(&self, index: u32, limit: Option<u64>) -> Result<()> {
        gpu("set_memory_limit", index)?.pool.set_limit(limit);
        Ok(())
    }
    fn trim(&self, index: u32, keep: u64) -> Result<()> {
        pool::trim(gpu("trim", index)?, keep)
    }
}

/// Describe a device without making a context on it.
fn info(index: u32) -> driver::Outcome<DeviceInfo> {
    let found = driver::describe(index)?;
    let number = |attribute| driver::attribute(index, attribute);
    let yes = |attribute| number(attribute).map(|value| if value != 0 { "yes" } else { "no" }.to_string());
    let hex: Vec<String> = found.uuid.iter().map(|byte| format!("{byte:02x}")).collect();
    let (version, hex) = (platform().version, hex.concat());
    let uuid = format!("GPU-{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]);
    // Two transfers a clock: memory clock in kHz times bus width in bytes.
    let bandwidth =
        2 * i64::from(number(Attribute::MemoryClockKhz)?) * i64::from(number(Attribute::MemoryBusBits)?) / 8;
    let facts = [
        ("compute capability", format!("{}.{}", number(Attribute::ComputeMajor)?, number(Attribute::ComputeMinor)?)),
        ("driver CUDA version", format!("{}.{}", version / 1000, version % 1000 / 10)),
        ("uuid", uuid),
        ("pci", found.pci.to_lowercase()),
        ("clock MHz", (number(Attribute::ClockKhz)? / 1000).to_string()),
        ("memory GB/s", (bandwidth / 1_000_000).to_string()),
        ("L2 bytes", number(Attribute::L2Bytes)?.to_string()),
        ("shared bytes per block", number(Attribute::SharedBytesOptIn)?.to_string()),
        ("copy engines", number(Attribute::CopyEngines)?.to_string()),
        ("ecc", yes(Attribute::Ecc)?),
        ("managed memory", yes(Attribute::ManagedMemory)?),
        ("concurrent managed access", yes(Attribute::ConcurrentManagedAccess)?),
        ("memory pools", yes(Attribute::MemoryPools)?),
        ("host register", yes(Attribute::HostRegister)?),
    ];
    Ok(DeviceInfo {
        device: Device::cuda(index),
        name: found.name,
        total_memory: Some(found.total_memory),
        units: number(Attribute::Multiprocessors)?.max(0) as u32,
        uses_host_memory: false,
        memory_regions: 1,
        supports_pinned: true,
        facts: facts.into_iter().map(|(name, value)| (name.to_string(), value)).collect(),
    })
}
