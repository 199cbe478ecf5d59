//! The CPU as a device: virtual devices that share the host's memory, each with its own accounting.
#![allow(unsafe_code)]

use super::events::Events;
use super::pool::{Block, HostMemory, Pool, block_size};
use super::system;
use icicle_algebra::isa;
use icicle_device::{Backend, CopyArgs, Device, DeviceInfo, DeviceKind, Exec, MemoryStats, RawEvent, RawStream, limit};
use icicle_error::{Error, ErrorCode};
type Result<T, E = Error> = std::result::Result<T, E>;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The CPU devices of this process.
pub struct CpuBackend {
    pools: Vec<Pool>,
    /// Why the number of devices of the environment cannot be read.
    bad_count: Option<String>,
    host: Arc<HostMemory>,
    events: Events,
    /// Why the limit of the environment cannot be read: no memory is handed out until a limit is set by call, as a
    /// limit must not be lost in silence.
    bad_limit: Option<Error>,
    /// Whether a limit was set by call since.
    limit_set: AtomicBool,
}

impl CpuBackend {
    /// As many devices as `ICICLE_CPU_DEVICES` says (1 to 64; 1 if unset), each with the limit of `ICICLE_MEMORY_LIMIT`.
    /// With another value there are no CPU devices, and the error of asking for one says why.
    pub fn from_environment() -> Self {
        let count = std::env::var_os(DEVICES).map_or(Ok(1), |text| device_count(&text.to_string_lossy()));
        Self::new(count, limit::from_environment().as_deref())
    }

    fn new(count: Result<u32, String>, limit: Option<&str>) -> Self {
        let (count, bad_count) = match count {
            Ok(count) => (count, None),
            Err(why) => (1, Some(why)),
        };
        let total = system::memory().total;
        let (limit, bad_limit) = match limit.map(|text| limit::parse(text, total)) {
            None => (None, None),
            Some(Ok(limit)) => (Some(limit), None),
            Some(Err(error)) => (None, Some(error)),
        };
        // The caches of all devices together keep at most a sixteenth of the host, and each at most 1 GiB.
        let keep = total.map_or(1 << 26, |total| total / 16 / u64::from(count)).min(1 << 30);
        let host = HostMemory::new(total);
        let pools = (0..count).map(|i| Pool::new(Device::cpu(i), host.clone(), keep, limit)).collect();
        Self { pools, bad_count, host, events: Events::default(), bad_limit, limit_set: AtomicBool::new(false) }
    }

    fn pool(&self, index: u32) -> Result<&Pool> {
        self.pools.get(index as usize).ok_or_else(|| {
            let detail = format!("{}: there are {} CPU devices", Device::cpu(index), self.pools.len());
            Error::new(ErrorCode::InvalidDevice, "device", detail)
        })
    }
}

const DEVICES: &str = "ICICLE_CPU_DEVICES";

/// Read the number of devices.
fn device_count(text: &str) -> Result<u32, String> {
    let count = text.trim().parse().ok().filter(|count| (1..=64).contains(count));
    count.ok_or_else(|| format!("{DEVICES} {text:?}: must be a number from 1 to 64"))
}

/// Check that a stream is the only one there is.
fn default_stream(op: &'static str, stream: RawStream) -> Result<()> {
    match stream {
        0 => Ok(()),
        _ => Err(Error::argument(op, format!("stream {stream:#x}: a cpu device has none but the default, 0"))),
    }
}

impl Backend for CpuBackend {
    fn kind(&self) -> DeviceKind {
        DeviceKind::Cpu
    }
    fn count(&self) -> u32 {
        if self.unavailable().is_some() { 0 } else { self.pools.len() as u32 }
    }
    fn unavailable(&self) -> Option<String> {
        isa::refused().or_else(|| self.bad_count.clone())
    }
    fn info(&self, index: u32) -> Result<DeviceInfo> {
        self.pool(index)?;
        let units = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        Ok(DeviceInfo {
            device: Device::cpu(index),
            name: system::processor(),
            total_memory: self.host.total(),
            units,
            uses_host_memory: true,
            memory_regions: 0,
            supports_pinned: false,
            facts: system::facts(),
        })
    }
    unsafe fn alloc(&self, index: u32, bytes: usize, stream: RawStream) -> Result<NonNull<u8>> {
        default_stream("malloc", stream)?;
        if let Some(error) = &self.bad_limit
            && !self.limit_set.load(Ordering::Relaxed)
        {
            return Err(error.clone());
        }
        self.pool(index)?.alloc(bytes)
    }
    unsafe fn free(&self, index: u32, ptr: NonNull<u8>, bytes: usize, _: RawStream) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.pool(index)?.free(ptr, bytes) }
    }
    unsafe fn copy(&self, exec: &Exec, args: &CopyArgs) -> Result<()> {
        default_stream("copy", exec.stream())?;
        // SAFETY: valid ranges by contract; `copy` allows overlap.
        unsafe { std::ptr::copy(args.src, args.dst, args.bytes) };
        Ok(())
    }
    unsafe fn fill(&self, exec: &Exec, ptr: *mut u8, value: u8, bytes: usize) -> Result<()> {
        default_stream("memset", exec.stream())?;
        // SAFETY: valid range by contract.
        unsafe { std::ptr::write_bytes(ptr, value, bytes) };
        Ok(())
    }
    fn stream_create(&self, index: u32) -> Result<RawStream> {
        self.pool(index).map(|_| 0)
    }
    unsafe fn stream_destroy(&self, _: u32, stream: RawStream) -> Result<()> {
        default_stream("destroy_stream", stream)
            .map_err(|error| Error { code: ErrorCode::StreamDestructionFailed, ..error })
    }
    unsafe fn stream_synchronize(&self, _: u32, stream: RawStream) -> Result<()> {
        default_stream("stream_synchronize", stream)
    }
    fn synchronize(&self, index: u32) -> Result<()> {
        self.pool(index).map(|_| ())
    }
    fn event_create(&self, index: u32, timing: bool) -> Result<RawEvent> {
        self.pool(index).and_then(|_| self.events.create(index, timing))
    }
    unsafe fn event_destroy(&self, index: u32, event: RawEvent) -> Result<()> {
        self.events.destroy(index, event)
    }
    unsafe fn event_record(&self, index: u32, event: RawEvent, stream: RawStream) -> Result<()> {
        default_stream("event_record", stream)?;
        self.events.record(index, event)
    }
    unsafe fn event_query(&self, index: u32, event: RawEvent) -> Result<bool> {
        self.events.check("event_query", Some(index), event).map(|()| true)
    }
    unsafe fn event_synchronize(&self, index: u32, event: RawEvent) -> Result<()> {
        self.events.check("event_synchronize", Some(index), event)
    }
    unsafe fn stream_wait_event(&self, _: u32, stream: RawStream, event: RawEvent) -> Result<()> {
        default_stream("stream_wait_event", stream)?;
        // The event may be another device's: that is what waiting is for.
        self.events.check("stream_wait_event", None, event)
    }
    unsafe fn event_elapsed_ms(&self, index: u32, start: RawEvent, end: RawEvent) -> Result<f32> {
        self.events.elapsed_ms(index, start, end)
    }
    fn host_alloc(&self, bytes: usize) -> Result<NonNull<u8>> {
        let refused = || {
            let detail = format!("size {bytes} of page-locked memory: the host has no such memory left");
            Error::new(ErrorCode::OutOfMemory, "host_alloc", detail)
        };
        let size = block_size(bytes).map_err(|error| Error { op: "host_alloc", ..error })?;
        self.host.allocate(size).map(Block::into_ptr).ok_or_else(refused)
    }
    unsafe fn host_free(&self, ptr: NonNull<u8>, bytes: usize) -> Result<()> {
        let size = block_size(bytes)?;
        // SAFETY: by contract from `host_alloc`, not used again.
        let block = unsafe { Block::from_ptr(ptr) };
        // SAFETY: the size is that of `host_alloc`, as the bytes are the same.
        unsafe { self.host.release(block, size) };
        Ok(())
    }
    fn memory(&self, index: u32) -> Result<MemoryStats> {
        let counts = self.pool(index)?.counts();
        let free = system::memory().free.unwrap_or(0);
        let allowed = counts.limit.map_or(u64::MAX, |limit| limit.saturating_sub(counts.used));
        Ok(MemoryStats {
            total: self.host.total().unwrap_or(0),
            free: free.min(allowed),
            used: counts.used,
            reserved: counts.reserved,
            high_water: counts.high_water,
            allocations: counts.allocations,
            limit: counts.limit,
        })
    }
    fn set_limit(&self, index: u32, limit: Option<u64>) -> Result<()> {
        self.pool(index)?.set_limit(limit);
        self.limit_set.store(true, Ordering::Relaxed);
        Ok(())
    }
    fn trim(&self, index: u32, keep: u64) -> Result<()> {
        self.pool(index)?.trim(keep);
        Ok(())
    }
}

#[cfg(test)]
#[path = "backend_tests.rs"]
mod tests;
