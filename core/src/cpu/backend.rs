//! The CPU as a device: virtual devices that share the host's memory, each with its own accounting.
#![allow(unsafe_code)]

use super::CpuOps;
use crate::device::{Backend, CopyArgs, Device, DeviceInfo, DeviceKind, Exec, MemoryStats, RawEvent, RawStream};
use crate::ops::Ops;
use crate::{Error, ErrorCode, Result};
use std::alloc::Layout;
use std::ptr::NonNull;

/// Alignment of device memory: a cache line, and a register of 512 bits.
const ALIGN: usize = 64;

pub(crate) struct CpuBackend {
    count: u32,
}

impl CpuBackend {
    /// As many devices as `ICICLE_CPU_DEVICES` says (1 to 64; 1 if unset or unreadable).
    pub(crate) fn from_environment() -> Self {
        let asked = std::env::var("ICICLE_CPU_DEVICES").ok().and_then(|n| n.trim().parse().ok());
        Self { count: asked.unwrap_or(1).clamp(1, 64) }
    }
}

fn layout(bytes: usize) -> Result<Layout> {
    Layout::from_size_align(bytes, ALIGN)
        .map_err(|_| Error::new(ErrorCode::OutOfMemory, "malloc", format!("size {bytes}: exceeds the address space")))
}

impl Backend for CpuBackend {
    fn kind(&self) -> DeviceKind {
        DeviceKind::Cpu
    }
    fn count(&self) -> u32 {
        self.count
    }
    fn info(&self, index: u32) -> Result<DeviceInfo> {
        let units = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        Ok(DeviceInfo {
            device: Device::cpu(index),
            name: "host processor".into(),
            total_memory: None,
            units,
            uses_host_memory: true,
            memory_regions: 0,
            supports_pinned: false,
            facts: Vec::new(),
        })
    }
    fn alloc(&self, _: u32, bytes: usize, _: RawStream) -> Result<NonNull<u8>> {
        // SAFETY: the size is positive by contract.
        let ptr = unsafe { std::alloc::alloc(layout(bytes)?) };
        NonNull::new(ptr)
            .ok_or_else(|| Error::new(ErrorCode::OutOfMemory, "malloc", format!("size {bytes}: the host refused")))
    }
    unsafe fn free(&self, _: u32, ptr: NonNull<u8>, bytes: usize, _: RawStream) -> Result<()> {
        // SAFETY: by contract allocated above with this size.
        unsafe { std::alloc::dealloc(ptr.as_ptr(), layout(bytes)?) };
        Ok(())
    }
    unsafe fn copy(&self, _: &Exec, args: &CopyArgs) -> Result<()> {
        // SAFETY: valid ranges by contract; `copy` allows overlap.
        unsafe { std::ptr::copy(args.src, args.dst, args.bytes) };
        Ok(())
    }
    unsafe fn fill(&self, _: &Exec, ptr: *mut u8, value: u8, bytes: usize) -> Result<()> {
        // SAFETY: valid range by contract.
        unsafe { std::ptr::write_bytes(ptr, value, bytes) };
        Ok(())
    }
    fn stream_create(&self, _: u32) -> Result<RawStream> {
        Ok(0)
    }
    fn stream_destroy(&self, _: u32, _: RawStream) -> Result<()> {
        Ok(())
    }
    fn stream_synchronize(&self, _: u32, _: RawStream) -> Result<()> {
        Ok(())
    }
    fn synchronize(&self, _: u32) -> Result<()> {
        Ok(())
    }
    fn event_create(&self, _: u32, _: bool) -> Result<RawEvent> {
        todo!()
    }
    fn event_destroy(&self, _: u32, _: RawEvent) -> Result<()> {
        todo!()
    }
    fn event_record(&self, _: u32, _: RawEvent, _: RawStream) -> Result<()> {
        todo!()
    }
    fn event_query(&self, _: u32, _: RawEvent) -> Result<bool> {
        todo!()
    }
    fn event_synchronize(&self, _: u32, _: RawEvent) -> Result<()> {
        todo!()
    }
    fn stream_wait_event(&self, _: u32, _: RawStream, _: RawEvent) -> Result<()> {
        todo!()
    }
    fn event_elapsed_ms(&self, _: u32, _: RawEvent, _: RawEvent) -> Result<f32> {
        todo!()
    }
    fn host_alloc(&self, bytes: usize) -> Result<NonNull<u8>> {
        self.alloc(0, bytes, 0)
    }
    unsafe fn host_free(&self, ptr: NonNull<u8>, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.free(0, ptr, bytes, 0) }
    }
    fn memory(&self, _: u32) -> Result<MemoryStats> {
        todo!()
    }
    fn set_limit(&self, _: u32, _: Option<u64>) -> Result<()> {
        todo!()
    }
    fn trim(&self, _: u32, _: u64) -> Result<()> {
        Ok(())
    }
    fn ops(&self) -> &dyn Ops {
        &CpuOps
    }
}
