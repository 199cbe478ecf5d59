//! The contract a backend fulfils at run time.
#![allow(unsafe_code)] // a contract of calls by address and by handle

pub use super::handle::{RawEvent, RawStream};

use super::device::{Device, DeviceKind};
use super::exec::Exec;
use super::place::Place;
use icicle_error::Result;
use std::ptr::NonNull;

/// What names a stream and keeps it alive.
///
/// # Safety
/// `raw` is 0, or a stream of `device` that is not destroyed while this is borrowed.
pub unsafe trait StreamHandle {
    /// The device.
    fn device(&self) -> Device;
    /// The backend's handle; 0 is the default stream.
    fn raw(&self) -> RawStream;
}

/// What a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Which device.
    pub device: Device,
    /// The processor's or GPU's marketing name.
    pub name: String,
    /// Bytes of memory in all, where known.
    pub total_memory: Option<u64>,
    /// Parallel units: hardware threads of a CPU, multiprocessors of a GPU.
    pub units: u32,
    /// Whether the device computes directly in host memory.
    pub uses_host_memory: bool,
    /// ICICLE's number of memory regions: 0 where host memory is used, else 1.
    pub memory_regions: u32,
    /// Whether page-locked host memory speeds up copies.
    pub supports_pinned: bool,
    /// Further facts as name and value, such as `compute capability`, `9.0`.
    pub facts: Vec<(String, String)>,
}

/// A device's memory in numbers, all in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryStats {
    /// Memory of the device in all.
    pub total: u64,
    /// Memory of the device no process uses, as far as the limit allows it to be handed out.
    pub free: u64,
    /// Bytes handed out by this library and not yet freed.
    pub used: u64,
    /// Bytes the pool holds, handed out or cached.
    pub reserved: u64,
    /// Highest `used` since the process started.
    pub high_water: u64,
    /// Allocations alive.
    pub allocations: u64,
    /// Hard limit of `used`, if one is set.
    pub limit: Option<u64>,
}

/// One copy, both ends located; ranges are valid and do not overlap unless equal.
#[derive(Clone, Copy, Debug)]
pub struct CopyArgs {
    /// Destination address.
    pub dst: *mut u8,
    /// Where the destination lies.
    pub dst_place: Place,
    /// Source address.
    pub src: *const u8,
    /// Where the source lies.
    pub src_place: Place,
    /// Length.
    pub bytes: usize,
    /// Between two devices: whether the copy comes after the work now in the other device's default stream, and before what
    /// is enqueued there later. Else the caller sees to that, for many copies at once.
    pub in_order: bool,
}

/// How a stream's work goes with that of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// In order with the default stream's.
    InOrder,
    /// It neither waits for the default stream nor makes it wait.
    NonBlocking,
    /// As the non-blocking ones; its kernels start before others' that wait for room on the device.
    Urgent,
}

/// A device runtime. Indices are below [`Backend::count`]. Calls that take handles are
/// unsafe: who hands them out keeps what they name alive.
pub trait Backend: Send + Sync {
    /// Which kind of device.
    fn kind(&self) -> DeviceKind;
    /// How many devices there are, possibly none.
    fn count(&self) -> u32;
    /// Why there are no devices, where there are none.
    fn unavailable(&self) -> Option<String> {
        None
    }
    /// Describe a device.
    fn info(&self, index: u32) -> Result<DeviceInfo>;
    /// Allocate `bytes > 0`, aligned to at least 64, ordered after earlier work of `stream`.
    ///
    /// # Safety
    /// `stream` is 0 or a stream of this device, and not destroyed meanwhile.
    unsafe fn alloc(&self, index: u32, bytes: usize, stream: RawStream) -> Result<NonNull<u8>>;
    /// Free an allocation of [`Backend::alloc`], ordered after earlier work of `stream`.
    ///
    /// # Safety
    /// `ptr` came from `alloc` with the same `index` and `bytes` and is not used again.
    unsafe fn free(&self, index: u32, ptr: NonNull<u8>, bytes: usize, stream: RawStream) -> Result<()>;
    /// Copy, in any direction that has this backend's device at one end, or between two of its devices.
    ///
    /// # Safety
    /// Both ranges are valid for `bytes` until the copy is done.
    unsafe fn copy(&self, exec: &Exec, args: &CopyArgs) -> Result<()>;
    /// Set `bytes` bytes to `value`.
    ///
    /// # Safety
    /// The range is valid device memory of `exec.device` until the fill is done.
    unsafe fn fill(&self, exec: &Exec, ptr: *mut u8, value: u8, bytes: usize) -> Result<()>;
    /// Create a stream.
    fn stream_create(&self, index: u32) -> Result<RawStream>;
    /// Create a stream of a kind. Where the default stream is the only one that computes, all streams are alike.
    fn stream_create_with(&self, index: u32, _kind: StreamKind) -> Result<RawStream> {
        self.stream_create(index)
    }
    /// Destroy a stream after its work is done.
    ///
    /// # Safety
    /// `stream` is 0 or a stream of this device, not in use by another call, and not used again.
    unsafe fn stream_destroy(&self, index: u32, stream: RawStream) -> Result<()>;
    /// Wait for a stream's work.
    ///
    /// # Safety
    /// As in [`Backend::alloc`].
    unsafe fn stream_synchronize(&self, index: u32, stream: RawStream) -> Result<()>;
    /// Wait for all work of a device.
    fn synchronize(&self, index: u32) -> Result<()>;
    /// Create an event; `timing` lets it measure.
    fn event_create(&self, index: u32, timing: bool) -> Result<RawEvent>;
    /// Destroy an event.
    ///
    /// # Safety
    /// `event` is an event of this device, not in use by another call, and not used again.
    unsafe fn event_destroy(&self, index: u32, event: RawEvent) -> Result<()>;
    /// Record an event after the work now in a stream.
    ///
    /// # Safety
    /// `event` and `stream` are of this device, and not destroyed meanwhile.
    unsafe fn event_record(&self, index: u32, event: RawEvent, stream: RawStream) -> Result<()>;
    /// Whether everything before the recorded point is done; true for an event never recorded.
    ///
    /// # Safety
    /// `event` is an event of this device, and not destroyed meanwhile.
    unsafe fn event_query(&self, index: u32, event: RawEvent) -> Result<bool>;
    /// Wait on the host until [`Backend::event_query`] holds.
    ///
    /// # Safety
    /// As in [`Backend::event_query`].
    unsafe fn event_synchronize(&self, index: u32, event: RawEvent) -> Result<()>;
    /// Let later work of a stream wait for an event.
    ///
    /// # Safety
    /// `stream` is of this device, `event` of any of this backend, and neither is destroyed meanwhile.
    unsafe fn stream_wait_event(&self, index: u32, stream: RawStream, event: RawEvent) -> Result<()>;
    /// Milliseconds between two recorded timing events.
    ///
    /// # Safety
    /// Both are events of this device, and not destroyed meanwhile.
    unsafe fn event_elapsed_ms(&self, index: u32, start: RawEvent, end: RawEvent) -> Result<f32>;
    /// Allocate page-locked host memory that every device of this backend copies from at full speed.
    fn host_alloc(&self, bytes: usize) -> Result<NonNull<u8>>;
    /// Free memory of [`Backend::host_alloc`].
    ///
    /// # Safety
    /// `ptr` came from `host_alloc` with the same `bytes` and is not used again.
    unsafe fn host_free(&self, ptr: NonNull<u8>, bytes: usize) -> Result<()>;
    /// Whether host memory is page-locked, so that asynchronous copies from and to it outlive the call.
    fn is_pinned(&self, _index: u32, _ptr: *const u8, _bytes: usize) -> bool {
        false
    }
    /// Whether copies from one of its devices to another go directly.
    fn reaches(&self, _from: u32, _to: u32) -> Result<bool> {
        Ok(true)
    }
    /// A device's memory in numbers.
    fn memory(&self, index: u32) -> Result<MemoryStats>;
    /// Limit the bytes handed out at a time; `None` lifts the limit.
    fn set_limit(&self, index: u32, limit: Option<u64>) -> Result<()>;
    /// Give cached memory back until at most `keep` bytes stay reserved.
    fn trim(&self, index: u32, keep: u64) -> Result<()>;
}
