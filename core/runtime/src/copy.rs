//! Raw memory: allocate, free, copy, fill, and ask what an address is. The safe forms are [`Buffer`](crate::Buffer),
//! its views, and [`transfer`].
#![allow(unsafe_code)]

use crate::{Launch, StreamRef, choose, memory, registry};
use icicle_device::allocations::{self, Allocation};
use icicle_device::{CopyArgs, Device, DeviceKind, Dst, Exec, Operand, Place, Src, current_device};
use icicle_error::{Error, Result};

/// What an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerInfo {
    /// Where it lies.
    pub place: Place,
    /// First address of its allocation; 0 where that is not one of ours.
    pub base: usize,
    /// Length of its allocation; 0 where that is not one of ours.
    pub bytes: usize,
    /// Distance from the allocation's first address.
    pub offset: usize,
    /// Whether it is page-locked host memory.
    pub pinned: bool,
}

/// What an address is. Addresses of no live allocation of ours, null among them, are the host's.
pub fn pointer_info(ptr: *const u8) -> PointerInfo {
    match allocations::find(ptr) {
        Some(Allocation { start: base, bytes, place }) => {
            PointerInfo { place, base, bytes, offset: ptr.addr() - base, pinned: place == Place::Host }
        }
        None => PointerInfo { place: Place::Host, base: 0, bytes: 0, offset: 0, pinned: false },
    }
}

/// Allocate on the stream's device, ordered after the work in it, else on the thread's current device. Null for zero
/// bytes.
///
/// # Errors
/// `OutOfMemory` with the pool's state, `AllocationFailed` for sizes no device can have, `InvalidDevice`.
pub fn malloc(bytes: usize, stream: Option<&StreamRef>) -> Result<*mut u8> {
    let (device, raw) = stream.map_or_else(|| (current_device(), 0), |stream| (stream.device(), stream.raw()));
    match bytes {
        0 => registry::backend(device).map(|_| std::ptr::null_mut()),
        // SAFETY: the default stream, or one that lives as long as its reference.
        _ => unsafe { memory::alloc(device, bytes, raw) }.map(|ptr| ptr.as_ptr()),
    }
}

/// Free memory of [`malloc`], of any device, ordered after the work in a stream; the current device stays. Null is
/// nothing to free.
///
/// # Errors
/// `InvalidDevice` if it is not the first address of a live allocation: freed already, interior, or not ours.
///
/// # Safety
/// The memory is not used again, nor owned by a [`Buffer`](crate::Buffer).
pub unsafe fn free(ptr: *mut u8, stream: Option<&StreamRef>) -> Result<()> {
    // SAFETY: the caller's.
    unsafe { memory::free(ptr, stream) }
}

/// Copy between any two places, both looked up; interior pointers work, and so do two devices. It runs on the launch's
/// stream, whose device must be at one end, else on the destination's device, else on the source's. Between two places
/// on the host it is a plain copy, done on return, for which ranges may overlap.
///
/// # Errors
/// `InvalidPointer` naming the end that is null or leaves its allocation; `InvalidArgument` if ranges on a device overlap
/// in part or the stream is of a third device; `CopyFailed`.
///
/// # Safety
/// Host memory is valid for `bytes`. Memory stays valid, and is not accessed otherwise, until the copy is done: on
/// return, or once the stream is synchronized if the launch is asynchronous.
pub unsafe fn copy(dst: *mut u8, src: *const u8, bytes: usize, launch: &Launch) -> Result<()> {
    let place = |arg: &str, ptr: *const u8| match ptr.is_null() {
        true => Err(Error::pointer("copy", format!("{arg} of {bytes} bytes is null"))),
        false => allocations::locate("copy", arg, ptr, bytes, false),
    };
    if bytes == 0 {
        return Ok(());
    }
    let (dst_place, src_place) = (place("destination", dst)?, place("source", src)?);
    // SAFETY: device ranges were found in the table, host ranges are the caller's.
    unsafe { dispatch(CopyArgs { dst, dst_place, src, src_place, bytes, in_order: true }, launch) }
}

/// Copy between any two places; done on return.
///
/// # Errors
/// `InvalidArgument` if lengths differ or ranges overlap in part; `CopyFailed`.
pub fn transfer(dst: Dst<'_>, src: Src<'_>) -> Result<()> {
    if dst.bytes() != src.bytes() {
        let detail = format!("source of {} bytes: the destination holds {}", src.bytes(), dst.bytes());
        return Err(Error::argument("copy", detail));
    }
    if dst.bytes() == 0 {
        return Ok(());
    }
    let (dst_place, src_place, bytes) = (dst.place(), src.place(), dst.bytes());
    let args = CopyArgs { dst: dst.as_ptr(), dst_place, src: src.as_ptr(), src_place, bytes, in_order: true };
    // SAFETY: both ranges are valid for the lifetime of their types, and the copy is done on return.
    unsafe { dispatch(args, &Launch::default()) }
}

/// Enqueue a copy between any two places on a stream of the device at one end, ordered by that stream alone: between two
/// devices, also not by the other one's default stream.
///
/// # Errors
/// As [`transfer`].
///
/// # Safety
/// The memory stays valid, and is otherwise neither written nor, where it is the destination, read, until the stream is
/// synchronized or what waits for it has passed.
pub unsafe fn enqueue(dst: &Dst<'_>, src: &Src<'_>, stream: &StreamRef) -> Result<()> {
    if dst.bytes() != src.bytes() {
        let detail = format!("source of {} bytes: the destination holds {}", src.bytes(), dst.bytes());
        return Err(Error::argument("copy", detail));
    }
    if dst.bytes() == 0 {
        return Ok(());
    }
    let launch = Launch { stream: Some(stream.clone()), is_async: true };
    let (dst_place, src_place, bytes) = (dst.place(), src.place(), dst.bytes());
    let args = CopyArgs { dst: dst.as_ptr(), dst_place, src: src.as_ptr(), src_place, bytes, in_order: false };
    // SAFETY: both ranges are valid for their lifetimes, and the caller keeps them until the stream has passed.
    unsafe { dispatch(args, &launch) }
}

/// # Safety
/// As [`icicle_device::Backend::copy`], but ranges may overlap.
pub(crate) unsafe fn dispatch(mut args: CopyArgs, launch: &Launch) -> Result<()> {
    let device = match (args.dst_place, args.src_place) {
        (Place::Host, Place::Host) => {
            if let Some(stream) = &launch.stream {
                stream.synchronize()?;
            }
            // SAFETY: valid ranges, the caller's; overlap is allowed.
            unsafe { std::ptr::copy(args.src, args.dst, args.bytes) };
            return Ok(());
        }
        (Place::Device(device), Place::Host) | (Place::Host, Place::Device(device)) => device,
        (Place::Device(dst), Place::Device(src)) => between(dst, src, launch),
    };
    let ends = [args.dst_place, args.src_place];
    if let Some(stream) = &launch.stream
        && !ends.contains(&Place::Device(stream.device()))
    {
        let detail = format!("stream of {}: the copy is {}", stream.device(), route(&args));
        return Err(Error::argument("copy", detail));
    }
    let (dst, src) = (args.dst.addr(), args.src.addr());
    if args.dst_place == args.src_place {
        if dst == src {
            return Ok(());
        }
        if dst.abs_diff(src) < args.bytes {
            let detail = format!("ranges of {} bytes {} overlap in part: must be disjoint", args.bytes, route(&args));
            return Err(Error::argument("copy", detail));
        }
    }
    // Memory of a CPU device is the host's to any other backend.
    for place in [&mut args.dst_place, &mut args.src_place] {
        if matches!(place, Place::Device(end) if end.kind == DeviceKind::Cpu && device.kind != DeviceKind::Cpu) {
            *place = Place::Host;
        }
    }
    let own = launch.stream.as_ref().filter(|stream| stream.device() == device);
    // SAFETY: the default stream, or one that lives as long as the launch.
    let exec = unsafe { Exec::new(device, own.map_or(0, StreamRef::raw), launch.is_async && own.is_some()) };
    // SAFETY: valid ranges, the caller's; disjoint as checked.
    unsafe { registry::backend(device)?.copy(&exec, &args) }
}

/// Which of two devices copies: the one that is not a CPU, else the stream's, else the destination.
fn between(dst: Device, src: Device, launch: &Launch) -> Device {
    match (dst.kind, src.kind, &launch.stream) {
        (DeviceKind::Cpu, kind, _) if kind != DeviceKind::Cpu => src,
        (kind, DeviceKind::Cpu, _) if kind != DeviceKind::Cpu => dst,
        (_, _, Some(stream)) if stream.device() == src => src,
        _ => dst,
    }
}

fn route(args: &CopyArgs) -> String {
    let name = |place| match place {
        Place::Host => "the host".to_owned(),
        Place::Device(device) => device.to_string(),
    };
    format!("from {} to {}", name(args.src_place), name(args.dst_place))
}

/// Set `bytes` bytes of device memory to `value`, on the launch's stream, else on the memory's device.
///
/// # Errors
/// `InvalidPointer` if it is null, not memory of a device, leaves its allocation, or the stream is another device's.
///
/// # Safety
/// The memory is not accessed otherwise until the fill is done: on return, or once the stream is synchronized if the
/// launch is asynchronous.
pub unsafe fn fill(ptr: *mut u8, value: u8, bytes: usize, launch: &Launch) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    if ptr.is_null() {
        return Err(Error::pointer("memset", format!("destination of {bytes} bytes is null")));
    }
    let place = allocations::locate("memset", "destination", ptr, bytes, true)?;
    let exec = choose("memset", launch, &[Operand { place, ptr, bytes, is_borrowed: false }])?;
    // SAFETY: the range lies in a live allocation of the device, as the table says.
    unsafe { registry::backend(exec.device())?.fill(&exec, ptr, value, bytes) }
}

/// Set every byte of a destination, host or device; done on return.
pub(super) fn fill_dst(dst: Dst<'_>, value: u8) -> Result<()> {
    let Place::Device(device) = dst.place() else {
        // SAFETY: valid for writes for the lifetime of its type.
        unsafe { dst.as_ptr().write_bytes(value, dst.bytes()) };
        return Ok(());
    };
    if dst.bytes() == 0 {
        return Ok(());
    }
    let exec = Exec::on(device);
    // SAFETY: valid memory of the device for the lifetime of its type.
    unsafe { registry::backend(exec.device())?.fill(&exec, dst.as_ptr(), value, dst.bytes()) }
}

/// Check that two ends of a copy hold the same number of elements.
pub(super) fn same_length(op: &'static str, arg: &str, got: usize, want: usize) -> Result<()> {
    if got == want {
        return Ok(());
    }
    Err(Error::argument(op, format!("{arg} of {got} elements: the buffer holds {want}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_devices_the_one_that_reaches_both_copies() {
        let on = |stream: Option<Device>| Launch { stream: stream.map(StreamRef::default_of), is_async: false };
        let (host, other, gpu, far) = (Device::cpu(0), Device::cpu(1), Device::cuda(0), Device::cuda(1));
        for (dst, src, stream, copies) in [
            (host, other, None, host),
            (host, other, Some(host), host),
            (host, other, Some(other), other),
            (gpu, far, None, gpu),
            (gpu, far, Some(gpu), gpu),
            (gpu, far, Some(far), far),
            (host, gpu, None, gpu),
            (host, gpu, Some(host), gpu),
            (gpu, host, None, gpu),
            (gpu, host, Some(host), gpu),
        ] {
            assert_eq!(between(dst, src, &on(stream)), copies, "{src} to {dst}, stream of {stream:?}");
        }
    }
}
