//! Work on parts of a device's memory while the parts behind still come and those before already go.
#![allow(unsafe_code)] // copies that are waited for at the end

use crate::copy::dispatch;
use crate::{DeviceGroup, Event, Launch, StreamRef};
use icicle_device::{CopyArgs, Device, Dst, Place, Src};
use icicle_error::{Error, Result};
use std::collections::BTreeSet;

/// A part of the work of [`DeviceGroup::relay`].
#[derive(Debug)]
pub struct Part<'a> {
    /// Memory of the device, worked on in place.
    pub memory: Dst<'a>,
    /// What fills it first, piece after piece; nothing if it holds already what is worked on.
    pub from: Vec<Src<'a>>,
    /// Where its contents go afterwards, piece after piece; nothing if they stay.
    pub to: Vec<Dst<'a>>,
}

impl DeviceGroup {
    /// Work on parts one after another on the device of a position, whose thread calls this. `work` is called with the number
    /// of a part, its memory, and a launch to enqueue on; copies of the other parts go on meanwhile. Done on return, also
    /// after a failure.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no such position, or pieces do not fill their memory; `CopyFailed`; those of `work`.
    pub fn relay(
        &self,
        position: usize,
        parts: Vec<Part<'_>>,
        mut work: impl FnMut(usize, &Launch, Dst<'_>) -> Result<()>,
    ) -> Result<()> {
        let lanes = Lanes([self.stream(position, 0)?, self.stream(position, 1)?, self.stream(position, 2)?]);
        let [receive, compute, send] = &lanes.0;
        let launch = Launch { stream: Some(compute.clone()), is_async: true };
        // Once for all copies: if each waited for the other devices' default streams and held them up, copies would wait for
        // each other. What is enqueued there later comes after this call.
        for other in others(compute.device(), &parts) {
            let default = StreamRef::default_of(other);
            follow(&default, receive)?;
            follow(&default, send)?;
        }
        let mut run = |(i, part): (usize, Part<'_>)| {
            let Part { mut memory, from, to } = part;
            if !from.is_empty() {
                let places = memory.reborrow().split(OP, from.iter().map(Src::bytes))?;
                // SAFETY: the lanes are waited for before this function returns or unwinds, within the parts' lifetime; work
                // on the memory waits for its copies.
                unsafe { enqueue(receive, places.into_iter().zip(from)) }?;
                follow(receive, compute)?;
            }
            work(i, &launch, memory.reborrow())?;
            if !to.is_empty() {
                follow(compute, send)?;
                let (from, mut at) = (memory.as_src(), 0);
                let piece = |to: &Dst<'_>| {
                    let piece = from.part(OP, at, to.bytes());
                    at += to.bytes();
                    piece
                };
                let pieces = to.iter().map(piece).collect::<Result<Vec<_>>>()?;
                // SAFETY: as above; nothing writes the memory after its work.
                unsafe { enqueue(send, to.into_iter().zip(pieces)) }?;
            }
            Ok(())
        };
        let result = parts.into_iter().enumerate().try_for_each(&mut run);
        result.and(lanes.wait())
    }
}

const OP: &str = "copy";

/// The other devices that pieces lie on.
fn others(own: Device, parts: &[Part<'_>]) -> BTreeSet<Device> {
    let places = parts.iter().flat_map(|part| part.from.iter().map(Src::place).chain(part.to.iter().map(Dst::place)));
    places
        .filter_map(|place| if let Place::Device(device) = place { Some(device) } else { None })
        .filter(|&d| d != own)
        .collect()
}

/// The streams that bring, work, and send.
struct Lanes([StreamRef; 3]);

impl Lanes {
    fn wait(&self) -> Result<()> {
        let [receive, compute, send] = &self.0;
        let (received, computed) = (receive.synchronize(), compute.synchronize());
        received.and(computed).and(send.synchronize())
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        // After the work this finds nothing; if it unwinds, the memory must not be given up before what is under way is done.
        let _ = self.wait();
    }
}

/// Let a lane go on only after what is enqueued on another one.
fn follow(before: &StreamRef, after: &StreamRef) -> Result<()> {
    let reached = Event::on(before.device(), false)?;
    reached.record_on(before)?;
    after.wait(&reached)
}

/// # Safety
/// The memory stays valid, and is otherwise neither written nor, where it is a destination, read, until the stream is
/// synchronized or what waits for it has passed.
unsafe fn enqueue<'a>(stream: &StreamRef, pieces: impl Iterator<Item = (Dst<'a>, Src<'a>)>) -> Result<()> {
    let launch = Launch { stream: Some(stream.clone()), is_async: true };
    for (dst, src) in pieces.filter(|(dst, _)| dst.bytes() > 0) {
        if dst.bytes() != src.bytes() {
            let detail = format!("source of {} bytes: the destination holds {}", src.bytes(), dst.bytes());
            return Err(Error::argument(OP, detail));
        }
        let (dst_place, src_place, bytes) = (dst.place(), src.place(), dst.bytes());
        let args = CopyArgs { dst: dst.as_ptr(), dst_place, src: src.as_ptr(), src_place, bytes, in_order: false };
        // SAFETY: both ranges are valid for their lifetimes, and the caller keeps them until the stream has passed.
        unsafe { dispatch(args, &launch) }?;
    }
    Ok(())
}
