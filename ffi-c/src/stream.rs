//! Streams and events.
//!
//! A stream handle is the backend's own pointer (a CUDA stream), null for a device's default stream; the CPU has no
//! other. Any handle but those of `icicle_create_stream` is refused. Events are icicle's own.

use crate::error::Code;
use crate::guard::{guard, guard_icicle};
use crate::handle::Table;
use crate::ptr;
use crate::types::Flag;
use icicle::device::{Device, Event, Launch, StreamRef, current_device, registry};
use icicle::{Error, ErrorCode, Result};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{PoisonError, RwLock};

/// The device of each live stream.
static STREAMS: RwLock<BTreeMap<usize, Device>> = RwLock::new(BTreeMap::new());

static EVENTS: Table<Event> = Table::new("event");

/// The stream of a handle; none for null.
pub(crate) fn by_handle(op: &'static str, handle: *mut c_void) -> Result<Option<StreamRef>> {
    if handle.is_null() {
        return Ok(None);
    }
    let live = STREAMS.read().unwrap_or_else(PoisonError::into_inner);
    match live.get(&handle.addr()) {
        Some(&device) => Ok(Some(StreamRef { device, raw: handle.addr() })),
        None => {
            Err(Error::pointer(op, format!("stream {handle:?}: destroyed already, or not of icicle_create_stream")))
        }
    }
}

/// How a configuration launches.
pub(crate) fn launch(op: &'static str, handle: *mut c_void, is_async: Flag) -> Result<Launch> {
    Ok(Launch { stream: by_handle(op, handle)?, is_async: is_async != 0 })
}

fn or_default(stream: Option<StreamRef>, device: Device) -> StreamRef {
    stream.unwrap_or(StreamRef { device, raw: 0 })
}

/// Create a stream of the current device; null on the CPU. Destroy it with `icicle_destroy_stream`.
///
/// Errors: `INVALID_POINTER`, `STREAM_CREATION_FAILED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_create_stream(stream: *mut *mut c_void) -> Code {
    let op = "create_stream";
    guard_icicle(op, || {
        ptr::check_typed(op, "stream", stream)?;
        let device = current_device();
        let raw = registry::backend(device)?.stream_create(device.index)?;
        if raw != 0 {
            STREAMS.write().unwrap_or_else(PoisonError::into_inner).insert(raw, device);
        }
        // SAFETY: the caller's promise.
        unsafe { ptr::write(op, "stream", stream, raw as *mut c_void) }
    })
}

/// Destroy a stream after its work is done; null is ignored.
///
/// Errors: `STREAM_DESTRUCTION_FAILED`, also for a handle that is no stream.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_destroy_stream(stream: *mut c_void) -> Code {
    let op = "destroy_stream";
    guard_icicle(op, || {
        if stream.is_null() {
            return Ok(());
        }
        let found = STREAMS.write().unwrap_or_else(PoisonError::into_inner).remove(&stream.addr());
        let device = found.ok_or_else(|| {
            let detail = format!("stream {stream:?}: destroyed already, or not of icicle_create_stream");
            Error::new(ErrorCode::StreamDestructionFailed, op, detail)
        })?;
        registry::backend(device)?.stream_destroy(device.index, stream.addr())
    })
}

/// Wait for the work of a stream; null waits for all work of the current device.
///
/// Errors: `INVALID_POINTER` for a handle that is no stream, `SYNCHRONIZATION_FAILED` if work failed.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_stream_synchronize(stream: *mut c_void) -> Code {
    let op = "stream_synchronize";
    guard_icicle(op, || match by_handle(op, stream)? {
        Some(stream) => registry::backend(stream.device)?.stream_synchronize(stream.device.index, stream.raw),
        None => registry::synchronize(current_device()),
    })
}

/// Wait for all work of the current device.
///
/// Errors: `SYNCHRONIZATION_FAILED` if work failed.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_device_synchronize() -> Code {
    guard_icicle("device_synchronize", || registry::synchronize(current_device()))
}

/// Let later work of a stream (null: the event's device's default stream) wait for an event.
///
/// Errors: `INVALID_POINTER`, `SYNCHRONIZATION_FAILED`.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_stream_wait_event(stream: *mut c_void, event: *mut c_void) -> Code {
    let op = "stream_wait_event";
    guard(op, || {
        let event = EVENTS.get(op, event)?;
        let stream = or_default(by_handle(op, stream)?, event.device());
        if stream.device.kind != event.device().kind {
            return event.synchronize();
        }
        registry::backend(stream.device)?.stream_wait_event(stream.device.index, stream.raw, event.raw())
    })
}

/// Create an event of the current device; `timing` lets it measure. Destroy it with `icicle_event_destroy`.
///
/// Errors: `INVALID_POINTER`, `STREAM_CREATION_FAILED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_event_create(event: *mut *mut c_void, timing: Flag) -> Code {
    let op = "event_create";
    guard(op, || {
        ptr::check_typed(op, "event", event)?;
        let handle = EVENTS.insert(Event::on(current_device(), timing != 0)?);
        // SAFETY: the caller's promise.
        unsafe { ptr::write(op, "event", event, handle) }
    })
}

/// Destroy an event; null is ignored.
///
/// Errors: `INVALID_POINTER` for a handle that is no event.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_event_destroy(event: *mut c_void) -> Code {
    let op = "event_destroy";
    guard(op, || if event.is_null() { Ok(()) } else { EVENTS.remove(op, event).map(drop) })
}

/// Mark the end of the work now in a stream (null: the event's device's default stream); an earlier mark is forgotten.
///
/// Errors: `INVALID_POINTER`, `INVALID_ARGUMENT` if the stream is another device's.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_event_record(event: *mut c_void, stream: *mut c_void) -> Code {
    let op = "event_record";
    guard(op, || {
        let event = EVENTS.get(op, event)?;
        event.record_on(or_default(by_handle(op, stream)?, event.device()))
    })
}

/// `*reached` = whether the work before the mark is done; true of an event never recorded.
///
/// Errors: `INVALID_POINTER`, `SYNCHRONIZATION_FAILED` if work failed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_event_query(event: *mut c_void, reached: *mut bool) -> Code {
    let op = "event_query";
    guard(op, || {
        let value = EVENTS.get(op, event)?.query()?;
        // SAFETY: the caller's promise.
        unsafe { ptr::write(op, "reached", reached, value) }
    })
}

/// Wait for the work before the mark.
///
/// Errors: `INVALID_POINTER`, `SYNCHRONIZATION_FAILED` if work failed.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_event_synchronize(event: *mut c_void) -> Code {
    let op = "event_synchronize";
    guard(op, || EVENTS.get(op, event)?.synchronize())
}

/// Milliseconds between the marks of two events with timing.
///
/// Errors: `INVALID_POINTER`, `INVALID_ARGUMENT` for events without timing, never recorded, or of two devices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_event_elapsed_ms(start: *mut c_void, end: *mut c_void, milliseconds: *mut f32) -> Code {
    let op = "event_elapsed_ms";
    guard(op, || {
        let value = EVENTS.get(op, start)?.elapsed_ms(&*EVENTS.get(op, end)?)?;
        // SAFETY: the caller's promise.
        unsafe { ptr::write(op, "milliseconds", milliseconds, value) }
    })
}
