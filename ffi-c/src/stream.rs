//! Streams and events.
//!
//! A stream handle is the backend's own pointer (a CUDA stream), null for a device's default stream; the CPU has no
//! other. Any handle but those of `icicle_create_stream` is refused, with one exception for ICICLE's clients: calls of
//! ICICLE's names (`bn254_ntt`, `icicle_copy_async`) ignore every stream while the thread's current device is a CPU,
//! since those clients keep a GPU's stream in their configuration when they switch. A stream that one thread destroys
//! while another uses it lives until that call is done. Events are icicle's own.

use crate::error::Code;
use crate::flag::Flag;
use crate::guard::{guard, guard_icicle, is_icicle_name};
use crate::handle::Table;
use crate::ptr;
use icicle::device::{Device, DeviceKind, Event, Launch, Stream, StreamRef, current_device, registry};
use icicle::{Error, ErrorCode, Result};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{PoisonError, RwLock};

/// The live streams by handle.
static STREAMS: RwLock<BTreeMap<usize, Stream>> = RwLock::new(BTreeMap::new());

/// Streams of groups, for as long as a job has their handle.
static LENT: RwLock<BTreeMap<usize, StreamRef>> = RwLock::new(BTreeMap::new());

/// A stream whose handle is valid while this is alive.
pub(crate) struct Lent(usize);

impl Lent {
    /// The handle; null for a default stream.
    pub(crate) fn handle(&self) -> *mut c_void {
        self.0 as *mut c_void
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        LENT.write().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

/// Give a stream a handle.
pub(crate) fn lend(stream: StreamRef) -> Lent {
    let raw = stream.raw();
    if raw != 0 {
        LENT.write().unwrap_or_else(PoisonError::into_inner).insert(raw, stream);
    }
    Lent(raw)
}

static EVENTS: Table<Event> = Table::new("event");

/// Whether streams mean nothing to this call.
fn ignored() -> bool {
    is_icicle_name() && current_device().kind == DeviceKind::Cpu
}

fn live(handle: *mut c_void) -> Option<StreamRef> {
    let own = STREAMS.read().unwrap_or_else(PoisonError::into_inner).get(&handle.addr()).map(Stream::as_ref);
    own.or_else(|| LENT.read().unwrap_or_else(PoisonError::into_inner).get(&handle.addr()).cloned())
}

/// The stream of a handle, kept alive by the result; none for null, and where streams are ignored.
pub(crate) fn by_handle(op: &'static str, handle: *mut c_void) -> Result<Option<StreamRef>> {
    if handle.is_null() || ignored() {
        return Ok(None);
    }
    live(handle).map(Some).ok_or_else(|| unknown(ErrorCode::InvalidPointer, op, handle))
}

fn unknown(code: ErrorCode, op: &'static str, handle: *mut c_void) -> Error {
    Error::new(code, op, format!("stream {handle:?}: destroyed already, or not of icicle_create_stream"))
}

/// How a configuration launches.
pub(crate) fn launch(op: &'static str, handle: *mut c_void, is_async: Flag) -> Result<Launch> {
    Ok(Launch { stream: by_handle(op, handle)?, is_async: is_async != 0 })
}

fn or_default(stream: Option<StreamRef>, device: Device) -> StreamRef {
    stream.unwrap_or_else(|| StreamRef::default_of(device))
}

/// Create a stream of the current device; null on the CPU. Destroy it with `icicle_destroy_stream`. Work of one stream
/// runs in order.
///
/// Errors: `INVALID_POINTER` if `stream` is null or misaligned, `STREAM_CREATION_FAILED`, `INVALID_DEVICE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_create_stream(stream: *mut *mut c_void) -> Code {
    let op = "create_stream";
    guard_icicle(op, || {
        ptr::check_typed(op, "stream", stream)?;
        let made = Stream::new()?;
        let raw = made.as_ref().raw();
        if raw != 0 {
            STREAMS.write().unwrap_or_else(PoisonError::into_inner).insert(raw, made);
        }
        // SAFETY: `stream` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "stream", stream, raw as *mut c_void) }
    })
}

/// Destroy a stream after its work is done; null is ignored. Calls of other threads that use it meanwhile are done
/// first.
///
/// Errors: `STREAM_DESTRUCTION_FAILED`, also for a handle that is no stream; `SYNCHRONIZATION_FAILED` if its work
/// failed, and it is destroyed all the same.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_destroy_stream(stream: *mut c_void) -> Code {
    let op = "destroy_stream";
    guard_icicle(op, || {
        if stream.is_null() {
            return Ok(());
        }
        let found = STREAMS.write().unwrap_or_else(PoisonError::into_inner).remove(&stream.addr());
        found.ok_or_else(|| unknown(ErrorCode::StreamDestructionFailed, op, stream))?.destroy()
    })
}

/// Wait for the work of a stream, of any device; null waits for all work of the current device.
///
/// Errors: `INVALID_POINTER` for a handle that is no stream (on the CPU it is ignored), `SYNCHRONIZATION_FAILED` if
/// work failed, of this call or of asynchronous ones before.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_stream_synchronize(stream: *mut c_void) -> Code {
    let op = "stream_synchronize";
    guard_icicle(op, || match live(stream) {
        Some(stream) => stream.synchronize(),
        None if stream.is_null() || ignored() => registry::synchronize(current_device()),
        None => Err(unknown(ErrorCode::InvalidPointer, op, stream)),
    })
}

/// Wait for all work of the current device.
///
/// Errors: `SYNCHRONIZATION_FAILED` if work failed, `INVALID_DEVICE`.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_device_synchronize() -> Code {
    guard_icicle("device_synchronize", || registry::synchronize(current_device()))
}

/// Let later work of a stream (null: the event's device's default stream) wait for an event, of this or another
/// device. Where stream and event are of different kinds of device the call itself waits.
///
/// Asynchrony: otherwise the call only enqueues the wait.
/// Errors: `INVALID_POINTER` if `event` is no live event or `stream` no stream, `SYNCHRONIZATION_FAILED` if work
/// failed.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_stream_wait_event(stream: *mut c_void, event: *mut c_void) -> Code {
    let op = "stream_wait_event";
    guard(op, || {
        let event = EVENTS.get(op, event)?;
        or_default(by_handle(op, stream)?, event.device()).wait(&event)
    })
}

/// Create an event of the current device; `timing` lets it measure. Destroy it with `icicle_event_destroy`.
///
/// Errors: `INVALID_POINTER` if `event` is null or misaligned, `STREAM_CREATION_FAILED`, `INVALID_DEVICE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_event_create(event: *mut *mut c_void, timing: Flag) -> Code {
    let op = "event_create";
    guard(op, || {
        ptr::check_typed(op, "event", event)?;
        let handle = EVENTS.insert(Event::on(current_device(), timing != 0)?);
        // SAFETY: `event` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "event", event, handle) }
    })
}

/// Destroy an event; null is ignored.
///
/// Errors: `INVALID_POINTER` for a handle that is no event.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_event_destroy(event: *mut c_void) -> Code {
    let op = "event_destroy";
    guard(op, || EVENTS.free(op, event))
}

/// Mark the end of the work now in a stream (null: the event's device's default stream); an earlier mark is forgotten.
///
/// Asynchrony: the mark is enqueued, and the call does not wait.
/// Errors: `INVALID_POINTER` if `event` is no live event or `stream` no stream, `INVALID_ARGUMENT` if the stream is
/// another device's, `SYNCHRONIZATION_FAILED` if earlier work failed.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_event_record(event: *mut c_void, stream: *mut c_void) -> Code {
    let op = "event_record";
    guard(op, || {
        let event = EVENTS.get(op, event)?;
        event.record_on(&or_default(by_handle(op, stream)?, event.device()))
    })
}

/// `*reached` = whether the work before the mark is done; true of an event never recorded. It does not wait.
///
/// Errors: `INVALID_POINTER` if `event` is no live event or `reached` is null, `SYNCHRONIZATION_FAILED` if work
/// failed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_event_query(event: *mut c_void, reached: *mut bool) -> Code {
    let op = "event_query";
    guard(op, || {
        let value = EVENTS.get(op, event)?.query()?;
        // SAFETY: `reached` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "reached", reached, value) }
    })
}

/// Wait for the work before the mark.
///
/// Errors: `INVALID_POINTER` if `event` is no live event, `SYNCHRONIZATION_FAILED` if work failed.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_event_synchronize(event: *mut c_void) -> Code {
    let op = "event_synchronize";
    guard(op, || EVENTS.get(op, event)?.synchronize())
}

/// Milliseconds between the marks of two events with timing, negative if `end` is the earlier one. Waits for both.
///
/// Errors: `INVALID_POINTER` if an event is no live one or `milliseconds` is null or misaligned, `INVALID_ARGUMENT`
/// for events without timing, never recorded, or of two devices, `SYNCHRONIZATION_FAILED` if work failed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_event_elapsed_ms(start: *mut c_void, end: *mut c_void, milliseconds: *mut f32) -> Code {
    let op = "event_elapsed_ms";
    guard(op, || {
        let value = EVENTS.get(op, start)?.elapsed_ms(&*EVENTS.get(op, end)?)?;
        // SAFETY: `milliseconds` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "milliseconds", milliseconds, value) }
    })
}
