//! Calls that others may do, while whose operands they have waits.
#![allow(unsafe_code)]

use super::execute::{agree, apart, execute};
use super::hub::{Hub, Job, Ticket};
use crate::call::{Call, Ranked};
use crate::devices::waited;
use icicle_device::{Device, DeviceKind};
use icicle_error::{Error, ErrorCode, Result, reserve};
use icicle_runtime::StreamRef;
use std::marker::PhantomData;
use std::time::{Duration, Instant};

const OP: &str = "group";

/// Calls that are posted and wait, of any ranks of any communicators in this process. Dropping it takes back what
/// nobody has begun
/// and waits for what somebody has, so nobody uses operands after it is gone.
struct Posted<'a, 'h> {
    /// Each rank's communicator, when its calls are late, and the calls.
    parts: Vec<(&'h Hub, Instant, Vec<Ticket>)>,
    /// What the operands borrow.
    operands: PhantomData<Call<'a>>,
}

/// A communicator's rank and what it calls.
pub(super) struct Part<'a, 'h> {
    pub hub: &'h Hub,
    pub rank: usize,
    pub device: Device,
    pub timeout: Duration,
    pub calls: Vec<Call<'a>>,
}

/// A stream to be waited for once its calls are enqueued, and the communicator that fails with it.
pub(super) type Waited<'h> = (&'h Hub, StreamRef);

/// Room for what becomes of calls, all that posting them needs here.
fn room<'a, 'h>(parts: &[Part<'a, 'h>]) -> Result<(Posted<'a, 'h>, Vec<Waited<'h>>)> {
    let mut posted = Posted { parts: reserve::with_capacity(OP, parts.len())?, operands: PhantomData };
    let mut streams = Vec::new();
    for &Part { hub, device, timeout, ref calls, .. } in parts {
        let now = Instant::now();
        let late = now.checked_add(timeout).unwrap_or(now + Duration::from_secs(1 << 30));
        posted.parts.push((hub, late, reserve::with_capacity(OP, calls.len())?));
        calls.iter().try_for_each(|call| waits(hub, device, call, &mut streams))?;
    }
    Ok((posted, streams))
}

/// Note the stream that a call of a rank on a device waits for, if it does.
pub(super) fn waits<'h>(hub: &'h Hub, device: Device, call: &Call<'_>, streams: &mut Vec<Waited<'h>>) -> Result<()> {
    // CPU devices are done with a call when it is.
    if device.kind == DeviceKind::Cuda
        && let Some(stream) = waited(call, device)
    {
        reserve::push(OP, streams, (hub, stream))?;
    }
    Ok(())
}

/// Wait for streams.
pub(super) fn passed(streams: Vec<Waited<'_>>) -> Result<()> {
    let mut result = Ok(());
    for (hub, stream) in streams {
        if let Err(error) = stream.synchronize() {
            hub.fail(error.clone());
            result = result.and(Err(error));
        }
    }
    result
}

/// Post calls of some ranks, do what is complete then, and wait for the others.
pub(super) fn post_and_wait(parts: Vec<Part<'_, '_>>) -> Result<()> {
    let made = room(&parts);
    if let Err(error) = &made {
        // The other ranks need not wait.
        parts.iter().for_each(|part| part.hub.fail(error.clone()));
    }
    let (mut posted, streams) = made?;
    for (part, Part { rank, calls, .. }) in parts.into_iter().enumerate() {
        for call in calls {
            posted.post(part, rank, call)?;
        }
    }
    posted.wait()?;
    passed(streams)
}

impl<'a> Posted<'a, '_> {
    fn post(&mut self, part: usize, rank: usize, call: Call<'a>) -> Result<()> {
        // SAFETY: only the lifetime changes. The hub drops the call, or hands it on to be done, and `self` lives at
        // most as long as
        // what the call borrows; it is a local variable of the one function above, and before it is gone, even by
        // unwinding, it
        // waits until its calls are done or taken back.
        let call = unsafe { std::mem::transmute::<Call<'a>, Call<'static>>(call) };
        let (hub, _, tickets) = &mut self.parts[part];
        let (ticket, job) = hub.post(rank, call)?;
        tickets.push(ticket);
        if let Some(job) = job {
            do_job(hub, job);
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<()> {
        let mut result = Ok(());
        for (hub, late, tickets) in &self.parts {
            let left = || late.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
            result = result.and(hub.wait(tickets, left));
        }
        result
    }
}

impl Drop for Posted<'_, '_> {
    fn drop(&mut self) {
        for (hub, _, tickets) in &self.parts {
            if !hub.are_over(tickets) {
                hub.fail(Error::new(ErrorCode::Cancelled, OP, "another call of the group failed"));
                // Its result has no one to go to.
                let _ = hub.wait(tickets, || None);
            }
        }
    }
}

/// Calls being done; if that unwinds, they end with an error.
struct Running<'h> {
    hub: &'h Hub,
    tickets: Vec<Ticket>,
    /// None until they are done.
    result: Option<Result<()>>,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let panicked = || Err(Error::new(ErrorCode::Internal, OP, "a call panicked"));
        self.hub.finish(&self.tickets, self.result.take().unwrap_or_else(panicked));
    }
}

fn do_job(hub: &Hub, job: Job) {
    let Job { calls, tickets } = job;
    let mut running = Running { hub, tickets, result: None };
    // The calls are gone, done or unwound, before those who posted them are told.
    running.result = Some(run(hub, calls));
}

/// Do calls that nobody has posted, and that all ranks have made.
pub(super) fn do_whole<'a>(hub: &Hub, calls: Vec<impl Ranked<'a>>) -> Result<()> {
    let mut running = Running { hub, tickets: Vec::new(), result: None };
    let result = run(hub, calls);
    running.result = Some(result.clone());
    result
}

fn run<'a>(hub: &Hub, calls: Vec<impl Ranked<'a>>) -> Result<()> {
    agree(&calls)?;
    let engine = hub.engine()?;
    if !engine.is_some_and(|engine| engine.keeps_apart(&calls)) {
        apart(&calls)?;
    }
    match engine {
        None => execute(calls),
        Some(engine) => engine.run(&calls),
    }
}
