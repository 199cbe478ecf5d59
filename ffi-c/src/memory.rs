//! Memory of devices and of the host.
//!
//! Every allocation is remembered by its address, so copies find their direction and any thread may free what any other
//! allocated, whatever its current device.

use crate::error::Code;
use crate::guard::{guard, guard_icicle};
use crate::types::IcicleDevice;
use crate::{ptr, stream};
use icicle::device::{self, Launch, PinnedBuffer, Place, current_device, registry};
use icicle::{Error, ErrorCode, Result};
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::{Mutex, PoisonError};

/// Page-locked allocations by address.
static PINNED: Mutex<BTreeMap<usize, PinnedBuffer<u8>>> = Mutex::new(BTreeMap::new());

/// Check that memory of some device can have a size.
fn possible(op: &'static str, bytes: usize) -> Result<()> {
    match isize::try_from(bytes) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::new(ErrorCode::AllocationFailed, op, format!("size {bytes}: exceeds the address space"))),
    }
}

/// # Safety
/// The crate's contract: `out` is a pointer to write.
unsafe fn allocate(op: &'static str, out: *mut *mut c_void, bytes: usize, stream: *mut c_void) -> Result<()> {
    ptr::check_typed(op, "ptr", out)?;
    possible(op, bytes)?;
    let memory = device::malloc(bytes, stream::by_handle(op, stream)?.as_ref())?;
    // SAFETY: `ptr` has room for what is written, by the caller's promise.
    unsafe { ptr::write(op, "ptr", out, memory.cast()) }
}

/// Allocate `size` bytes on the current device, aligned to 64, contents unspecified; null for 0 bytes. Any thread may
/// use and free it, with `icicle_free`; the caller owns it. Work on any stream of the device may use it at once.
///
/// Errors: `INVALID_POINTER` if `ptr` is null or misaligned; `OUT_OF_MEMORY` (with the pool's state in the message);
/// `ALLOCATION_FAILED` for a size that no device can have; `INVALID_DEVICE`; `INVALID_ARGUMENT` while
/// `ICICLE_MEMORY_LIMIT` is not understood.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_malloc(ptr: *mut *mut c_void, size: usize) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    guard_icicle("malloc", || unsafe { allocate("malloc", ptr, size, std::ptr::null_mut()) })
}

/// As `icicle_malloc`, on the stream's device and ordered after the work in it; work on other streams may use it once
/// this one has been waited for.
///
/// Asynchrony: the address is there on return, for work enqueued on `stream` later.
/// Errors: as `icicle_malloc`; `INVALID_POINTER` also if `stream` is no stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_malloc_async(ptr: *mut *mut c_void, size: usize, stream: *mut c_void) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    guard_icicle("malloc_async", || unsafe { allocate("malloc_async", ptr, size, stream) })
}

/// Free memory of `icicle_malloc`, of whichever device; null is ignored. Work enqueued before on any stream of its
/// device may still use it.
///
/// Errors: `INVALID_DEVICE` if it is not the first address of a live allocation, which stays; `DEALLOCATION_FAILED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_free(ptr: *mut c_void) -> Code {
    // SAFETY: as above: the caller does not use the memory again.
    guard_icicle("free", || unsafe { ptr::free(ptr, None) })
}

/// As `icicle_free`, ordered after the work in a stream: work enqueued there before may still use it. A stream of
/// another device is waited for.
///
/// Asynchrony: the address is free on return: use it no more.
/// Errors: as `icicle_free`; `INVALID_POINTER` if `stream` is no stream, and then nothing is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_free_async(ptr: *mut c_void, stream: *mut c_void) -> Code {
    // SAFETY: as above: the caller does not use the memory again.
    guard_icicle("free_async", || unsafe { ptr::free(ptr, stream::by_handle("free_async", stream)?.as_ref()) })
}

/// Set `size` bytes of device memory to the low byte of `value`. Of 0 bytes any address will do.
///
/// Asynchrony: none, complete on return.
/// Errors: `INVALID_POINTER` if the range is not in one allocation of a device; `COPY_FAILED`,
/// `SYNCHRONIZATION_FAILED` on a GPU.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_memset(ptr: *mut c_void, value: c_int, size: usize) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    guard_icicle("memset", || unsafe { ptr::fill(ptr, value as u8, size, &Launch::default()) })
}

/// As `icicle_memset`, enqueued on a stream.
///
/// Asynchrony: on a GPU the memory stays valid until the stream is synchronized; on the CPU complete on return.
/// Errors: as `icicle_memset`; `INVALID_POINTER` also if `stream` is no stream, or one of another device than the
/// memory's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_memset_async(ptr: *mut c_void, value: c_int, size: usize, stream: *mut c_void) -> Code {
    let op = "memset_async";
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    guard_icicle(op, || unsafe { ptr::fill(ptr, value as u8, size, &stream::launch(op, stream, 1)?) })
}

/// Which ends of a copy the function's name declares device memory.
#[derive(Clone, Copy, PartialEq)]
enum Declared {
    Nothing,
    Destination,
    Source,
}

/// # Safety
/// The crate's contract: `dst` and `src` hold `size` bytes.
unsafe fn copy(
    op: &'static str,
    declared: Declared,
    dst: *mut c_void,
    src: *const c_void,
    size: usize,
    launch: &Launch,
) -> Result<()> {
    let (arg, end) = match declared {
        Declared::Nothing | Declared::Source => ("src", src),
        Declared::Destination => ("dst", dst.cast_const()),
    };
    let on_device = matches!(device::pointer_info(end.cast()).place, Place::Device(_));
    if declared != Declared::Nothing && size > 0 && !on_device {
        return Err(Error::pointer(op, format!("{arg} {end:?}: must be device memory; no live allocation holds it")));
    }
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { ptr::copy(dst, src, size, launch) }
}

/// Copy `size` bytes between any two places, which the library finds by address: host, device, or two devices.
/// Addresses may lie within allocations. Ranges on the host may overlap; on a device they are the same or disjoint. Of
/// 0 bytes any addresses will do.
///
/// Asynchrony: none, complete on return.
/// Errors: `INVALID_POINTER` for null or a range that leaves its allocation, `INVALID_ARGUMENT` for ranges on a device
/// that overlap in part, `COPY_FAILED`, `OUT_OF_MEMORY`, `SYNCHRONIZATION_FAILED` if earlier work failed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_copy(dst: *mut c_void, src: *const c_void, size: usize) -> Code {
    let op = "copy";
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    guard_icicle(op, || unsafe { copy(op, Declared::Nothing, dst, src, size, &Launch::default()) })
}

/// As `icicle_copy`, enqueued on a stream, whose device must be at one end.
///
/// Asynchrony: page-locked and device memory stays valid and unchanged until the stream is synchronized; pageable
/// memory has been read, or is complete, on return. Between two places on the host the call waits for the stream and
/// is complete on return, and so it is on the CPU.
/// Errors: as `icicle_copy`; `INVALID_POINTER` also if `stream` is no stream, `INVALID_ARGUMENT` also if it is one of
/// a third device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_copy_async(
    dst: *mut c_void,
    src: *const c_void,
    size: usize,
    stream: *mut c_void,
) -> Code {
    let op = "copy_async";
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    guard_icicle(op, || unsafe { copy(op, Declared::Nothing, dst, src, size, &stream::launch(op, stream, 1)?) })
}

/// Copy `size` bytes from device memory; otherwise as `icicle_copy`. Where `dst` lies is not checked: it may be a
/// device's.
///
/// Asynchrony: none, complete on return.
/// Errors: as `icicle_copy`; `INVALID_POINTER` also if `src` is not device memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_copy_to_host(dst: *mut c_void, src: *const c_void, size: usize) -> Code {
    let op = "copy_to_host";
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    guard_icicle(op, || unsafe { copy(op, Declared::Source, dst, src, size, &Launch::default()) })
}

/// As `icicle_copy_to_host`, enqueued on a stream.
///
/// Asynchrony: as `icicle_copy_async`.
/// Errors: as `icicle_copy_async`; `INVALID_POINTER` also if `src` is not device memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_copy_to_host_async(
    dst: *mut c_void,
    src: *const c_void,
    size: usize,
    stream: *mut c_void,
) -> Code {
    let op = "copy_to_host_async";
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    guard_icicle(op, || unsafe { copy(op, Declared::Source, dst, src, size, &stream::launch(op, stream, 1)?) })
}

/// Copy `size` bytes to device memory; otherwise as `icicle_copy`. Where `src` lies is not checked: it may be a
/// device's.
///
/// Asynchrony: none, complete on return.
/// Errors: as `icicle_copy`; `INVALID_POINTER` also if `dst` is not device memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_copy_to_device(dst: *mut c_void, src: *const c_void, size: usize) -> Code {
    let op = "copy_to_device";
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    guard_icicle(op, || unsafe { copy(op, Declared::Destination, dst, src, size, &Launch::default()) })
}

/// As `icicle_copy_to_device`, enqueued on a stream.
///
/// Asynchrony: as `icicle_copy_async`.
/// Errors: as `icicle_copy_async`; `INVALID_POINTER` also if `dst` is not device memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_copy_to_device_async(
    dst: *mut c_void,
    src: *const c_void,
    size: usize,
    stream: *mut c_void,
) -> Code {
    let op = "copy_to_device_async";
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    guard_icicle(op, || unsafe { copy(op, Declared::Destination, dst, src, size, &stream::launch(op, stream, 1)?) })
}

/// Whether an address is the host's, page-locked or not: `SUCCESS` if it is. Addresses of no live allocation count as
/// the host's, null too; memory of a CPU device does not.
///
/// Errors: `INVALID_POINTER` if it lies in an allocation of a device.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_is_host_memory(ptr: *const c_void) -> Code {
    let op = "is_host_memory";
    guard_icicle(op, || match device::pointer_info(ptr.cast()).place {
        Place::Host => Ok(()),
        Place::Device(device) => Err(Error::pointer(op, format!("ptr {ptr:?}: is memory of {device}"))),
    })
}

/// Whether an address lies in an allocation of the current device: `SUCCESS` if it does.
///
/// Errors: `INVALID_POINTER` if it does not.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_is_active_device_memory(ptr: *const c_void) -> Code {
    let op = "is_active_device_memory";
    guard_icicle(op, || match device::pointer_info(ptr.cast()).place {
        Place::Device(device) if device == current_device() => Ok(()),
        Place::Device(device) => {
            Err(Error::pointer(op, format!("ptr {ptr:?}: is memory of {device}, current is {}", current_device())))
        }
        Place::Host => Err(Error::pointer(op, format!("ptr {ptr:?}: is not device memory"))),
    })
}

/// Bytes of the current device's memory in all and free: on the CPU the machine's, or the limit's if that is less.
///
/// Errors: `INVALID_POINTER` if a pointer is null or misaligned, `INVALID_DEVICE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_get_available_memory(total: *mut usize, free: *mut usize) -> Code {
    let op = "get_available_memory";
    guard_icicle(op, || {
        ptr::check_typed(op, "total", total)?;
        ptr::check_typed(op, "free", free)?;
        let stats = registry::memory_stats(current_device())?;
        let all = stats.limit.map_or(stats.total, |limit| limit.min(stats.total));
        // SAFETY: `total` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "total", total, all as usize) }?;
        // SAFETY: `free` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "free", free, stats.free as usize) }
    })
}

/// Allocate `bytes` of zeroed host memory, page-locked for the current device's kind (ordinary memory on the CPU),
/// aligned to 64; null for 0 bytes. The caller owns it and frees it with `icicle_host_free`.
///
/// Errors: `INVALID_POINTER` if `ptr` is null or misaligned, `OUT_OF_MEMORY`, `ALLOCATION_FAILED` also for impossible
/// sizes, `INVALID_DEVICE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_host_alloc(ptr: *mut *mut c_void, bytes: usize) -> Code {
    let op = "host_alloc";
    guard(op, || {
        ptr::check_typed(op, "ptr", ptr)?;
        possible(op, bytes)?;
        let mut memory = std::ptr::null_mut();
        if bytes > 0 {
            let mut buffer = PinnedBuffer::<u8>::new(bytes)?;
            memory = buffer.as_mut_ptr().cast::<c_void>();
            PINNED.lock().unwrap_or_else(PoisonError::into_inner).insert(memory.addr(), buffer);
        }
        // SAFETY: `ptr` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "ptr", ptr, memory) }
    })
}

/// Free memory of `icicle_host_alloc` that no work uses any more; null is ignored.
///
/// Errors: `INVALID_POINTER` if it is not the first address of a live one.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_host_free(ptr: *mut c_void) -> Code {
    let op = "host_free";
    guard(op, || {
        let found = PINNED.lock().unwrap_or_else(PoisonError::into_inner).remove(&ptr.addr());
        if found.is_none() && !ptr.is_null() {
            return Err(Error::pointer(op, format!("ptr {ptr:?}: freed already, or not of icicle_host_alloc")));
        }
        Ok(())
    })
}

/// What an address is.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PointerAttributes {
    /// `sizeof` this struct, which you set; after the call the bytes of it that were written.
    pub struct_size: usize,
    /// The device whose memory it is; type `CPU`, id -1 for the host's.
    pub device: IcicleDevice,
    /// Whether it is device memory.
    pub is_device: bool,
    /// Whether it is page-locked host memory.
    pub is_pinned: bool,
    /// First address of its allocation; 0 where that is not one of ours.
    pub base: u64,
    /// Bytes of its allocation; 0 where that is not one of ours.
    pub bytes: u64,
}

ptr::versioned! { PointerAttributes }

/// Say where an address lies; interior pointers work. Set `attributes->struct_size`.
///
/// Errors: `INVALID_POINTER` if `attributes` is null or misaligned, `INVALID_ARGUMENT` for a `struct_size` below the
/// struct's; any `ptr` is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_pointer_attributes(ptr: *const c_void, attributes: *mut PointerAttributes) -> Code {
    let op = "pointer_attributes";
    guard(op, || {
        let info = device::pointer_info(ptr.cast());
        let (device, is_device) = match info.place {
            Place::Device(device) => (IcicleDevice::from_core(device), true),
            Place::Host => (IcicleDevice { id: -1, ..IcicleDevice::from_core(device::Device::cpu(0)) }, false),
        };
        let (base, bytes) = (info.base as u64, info.bytes as u64);
        let value = PointerAttributes {
            struct_size: size_of::<PointerAttributes>(),
            device,
            is_device,
            is_pinned: info.pinned,
            base,
            bytes,
        };
        // SAFETY: `attributes` has room for what is written, by the caller's promise.
        unsafe { ptr::write_sized(op, "attributes", attributes, value) }
    })
}
