//! Events of the CPU devices. Every call is complete when it returns, so an event is a moment on the clock.

use icicle_device::{Device, RawEvent};
use icicle_error::reserve::refused;
use icicle_error::{Error, ErrorCode, Result};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

#[derive(Clone, Copy, Debug)]
struct Event {
    index: u32,
    timing: bool,
    recorded: Option<Instant>,
}

#[derive(Debug, Default)]
struct Table {
    live: HashMap<RawEvent, Event>,
    /// The last handle given out; none is used twice, so a stale one is recognised.
    last: RawEvent,
}

/// The live events of all CPU devices by handle.
#[derive(Debug, Default)]
pub(super) struct Events(Mutex<Table>);

impl Events {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn create(&self, index: u32, timing: bool) -> Result<RawEvent> {
        let mut table = self.lock();
        table.live.try_reserve(1).map_err(|_| refused("event_create", 1, size_of::<Event>()))?;
        table.last += 1;
        let handle = table.last;
        table.live.insert(handle, Event { index, timing, recorded: None });
        Ok(handle)
    }

    pub(super) fn destroy(&self, index: u32, handle: RawEvent) -> Result<()> {
        let mut table = self.lock();
        find(&table, "event_destroy", Some(index), handle)
            .map_err(|error| Error { code: ErrorCode::StreamDestructionFailed, ..error })?;
        table.live.remove(&handle);
        Ok(())
    }

    pub(super) fn record(&self, index: u32, handle: RawEvent) -> Result<()> {
        let mut table = self.lock();
        find(&table, "event_record", Some(index), handle)?;
        if let Some(event) = table.live.get_mut(&handle) {
            event.recorded = Some(Instant::now());
        }
        Ok(())
    }

    /// Check that an event is alive, and of a device if one is given.
    pub(super) fn check(&self, op: &'static str, index: Option<u32>, handle: RawEvent) -> Result<()> {
        find(&self.lock(), op, index, handle).map(|_| ())
    }

    pub(super) fn elapsed_ms(&self, index: u32, start: RawEvent, end: RawEvent) -> Result<f32> {
        let op = "event_elapsed";
        let table = self.lock();
        let moment = |name: &str, handle| {
            let event = find(&table, op, Some(index), handle)?;
            if !event.timing {
                return Err(Error::argument(op, format!("{name} event {handle:#x}: created without timing")));
            }
            event.recorded.ok_or_else(|| Error::argument(op, format!("{name} event {handle:#x}: never recorded")))
        };
        let (start, end) = (moment("start", start)?, moment("end", end)?);
        let ms = |from: Instant, to: Instant| (to.duration_since(from).as_secs_f64() * 1e3) as f32;
        Ok(if end >= start { ms(start, end) } else { -ms(end, start) })
    }
}

fn find(table: &Table, op: &'static str, index: Option<u32>, handle: RawEvent) -> Result<Event> {
    match table.live.get(&handle) {
        None => {
            Err(Error::argument(op, format!("event {handle:#x}: destroyed already, or not an event of a cpu device")))
        }
        Some(event) if index.is_some_and(|index| index != event.index) => {
            let (own, asked) = (Device::cpu(event.index), Device::cpu(index.unwrap_or_default()));
            Err(Error::argument(op, format!("event {handle:#x} of {own}: used on {asked}")))
        }
        Some(event) => Ok(*event),
    }
}
