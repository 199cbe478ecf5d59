//! Copies and fills.
//!
//! A call with `is_async` returns before the copy is done where both ends are device memory or the host's end is
//! page-locked; that memory must then stay valid, and unchanged, until the stream is synchronized. From pageable memory
//! everything is read before the call returns, so the source may be reused at once; into pageable memory the copy is
//! complete when the call returns. Either way the copy comes after earlier work of the stream, and later work after it.
#![allow(unsafe_code)]

use super::driver::{self, Outcome};
use super::gpu::{Gpu, gpu};
use super::side::Event;
use super::{host, peer, staging};
use icicle_device::{CopyArgs, DeviceKind, Exec, Place, RawStream};
use icicle_error::{ErrorCode, Result};

const OP: &str = "copy";

/// The CUDA device memory lies on, if it does: memory of a CPU device is the host's.
fn cuda_index(place: Place) -> Option<u32> {
    match place {
        Place::Device(device) if device.kind == DeviceKind::Cuda => Some(device.index),
        _ => None,
    }
}

/// Whether memory is the host's.
pub fn is_host(place: Place) -> bool {
    cuda_index(place).is_none()
}

/// Copy in any direction.
///
/// # Safety
/// As [`icicle_device::Backend::copy`].
pub unsafe fn copy(exec: &Exec, args: &CopyArgs) -> Result<()> {
    if args.bytes == 0 {
        return Ok(());
    }
    let (to, from) = (cuda_index(args.dst_place), cuda_index(args.src_place));
    let here = match (to, from) {
        (None, None) => {
            // SAFETY: the caller's; `copy` allows the ranges to be the same.
            unsafe { std::ptr::copy(args.src, args.dst, args.bytes) };
            return Ok(());
        }
        (Some(to), Some(from)) if to != from => {
            // SAFETY: the caller's.
            return unsafe { between(exec, args, to, from) };
        }
        (Some(index), _) | (None, Some(index)) => index,
    };
    let gpu = gpu(OP, here)?;
    let stream = stream_on(exec, here);
    // SAFETY: the caller's.
    let run = || unsafe {
        enqueue(gpu, stream, args, to.is_some(), from.is_some())?;
        finish(exec, stream)
    };
    gpu.with_detail(OP, ErrorCode::CopyFailed, || describe(args), run)
}

fn describe(args: &CopyArgs) -> String {
    let name = |place: Place| match place {
        Place::Host => "the host".to_string(),
        Place::Device(device) => device.to_string(),
    };
    format!("{} bytes from {} to {}", args.bytes, name(args.src_place), name(args.dst_place))
}

/// The call's stream if it is one of this device, else the default one.
fn stream_on(exec: &Exec, index: u32) -> RawStream {
    match exec.device().kind {
        DeviceKind::Cuda if exec.device().index == index => exec.stream(),
        _ => 0,
    }
}

/// # Safety
/// The ranges are valid until the stream has passed; the device's context is current.
unsafe fn enqueue(gpu: &Gpu, stream: RawStream, args: &CopyArgs, to: bool, from: bool) -> Outcome<()> {
    let CopyArgs { dst, src, bytes, .. } = *args;
    let staged = |host: *const u8| bytes >= staging::STAGED_FROM && !host::is_pinned(host, bytes);
    // SAFETY: in each arm, the caller's.
    unsafe {
        match (to, from) {
            (true, true) => driver::copy_on_device(dst as u64, src as u64, bytes, stream),
            (true, false) if staged(src) => gpu.lanes.to_device(dst as u64, src, bytes, stream),
            (true, false) => driver::copy_to_device(dst as u64, src, bytes, stream),
            (false, _) if staged(dst) => gpu.lanes.to_host(dst, src as u64, bytes, stream),
            (false, _) => driver::copy_to_host(dst, src as u64, bytes, stream),
        }
    }
}

/// Wait, unless the caller does.
///
/// # Safety
/// The stream is alive.
unsafe fn finish(exec: &Exec, stream: RawStream) -> Outcome<()> {
    if exec.is_async() {
        return Ok(());
    }
    // SAFETY: the caller's.
    unsafe { driver::stream_synchronize(stream) }
}

/// Copy from one device to another, on the call's stream; if that is asked for, ordered after earlier work of the default stream
/// on the other device, and before later work there.
///
/// # Safety
/// As [`copy`].
unsafe fn between(exec: &Exec, args: &CopyArgs, to: u32, from: u32) -> Result<()> {
    let on_target = exec.device().kind == DeviceKind::Cuda && exec.device().index == to;
    let (target, source) = (gpu(OP, to)?, gpu(OP, from)?);
    let (here, there) = if on_target { (target, source) } else { (source, target) };
    let stream = stream_on(exec, here.device.index);
    // Direct access makes the copy faster; without it the driver goes through the host.
    peer::connect(to, from);
    let events = if args.in_order { Some((Event::of(OP, there)?, Event::of(OP, here)?)) } else { None };
    if let Some((before, _)) = &events {
        before.mark(OP, 0)?;
    }
    let run = || {
        if let Some((before, _)) = &events {
            before.hold_in_context(stream)?;
        }
        let (dst, src) = ((args.dst as u64, target.context), (args.src as u64, source.context));
        // SAFETY: the caller's.
        unsafe { driver::copy_between(dst, src, args.bytes, stream) }?;
        if let Some((_, after)) = &events {
            after.mark_in_context(stream)?;
        }
        // SAFETY: the caller's.
        unsafe { finish(exec, stream) }
    };
    here.with_detail(OP, ErrorCode::CopyFailed, || describe(args), run)?;
    let Some((_, after)) = events else { return Ok(()) };
    there.with(OP, ErrorCode::CopyFailed, || after.hold_in_context(0))
}

/// Set `bytes` bytes to `value`.
///
/// # Safety
/// As [`icicle_device::Backend::fill`].
pub unsafe fn fill(exec: &Exec, ptr: *mut u8, value: u8, bytes: usize) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let op = "memset";
    let gpu = gpu(op, exec.device().index)?;
    let detail = || format!("{bytes} bytes on {}", gpu.device);
    // SAFETY: the caller's.
    let run = || unsafe {
        driver::fill(ptr as u64, value, bytes, exec.stream())?;
        finish(exec, exec.stream())
    };
    gpu.with_detail(op, ErrorCode::CopyFailed, detail, run)
}
