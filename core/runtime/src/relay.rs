//! Work on parts of a device's memory while the parts behind still come and those before already go.
#![allow(unsafe_code)] // copies that are waited for at the end

use crate::copy::enqueue;
use crate::{DeviceGroup, Event, Launch, StreamRef};
use icicle_device::{Device, Dst, Place, Src};
use icicle_error::Result;
use icicle_error::reserve::listed;
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
                unsafe { copies(&places, &from, receive, compute) }?;
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
                let pieces = listed(OP, to.iter().map(piece))?;
                // SAFETY: as above; nothing writes the memory after its work.
                unsafe { copies(&to, &pieces, send, compute) }?;
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
    // One by one: collected they would lie in a list first.
    let mut others = BTreeSet::new();
    for place in places {
        if let Place::Device(device) = place
            && device != own
        {
            others.insert(device);
        }
    }
    others
}

/// Copy pieces: first those from or to other places, on a lane, then those within the device on the one that works.
///
/// # Safety
/// As [`enqueue`].
unsafe fn copies(to: &[Dst<'_>], from: &[Src<'_>], lane: &StreamRef, compute: &StreamRef) -> Result<()> {
    for (is_near, stream) in [(false, lane), (true, compute)] {
        for (to, from) in to.iter().zip(from).filter(|(to, from)| (to.place() == from.place()) == is_near) {
            // SAFETY: the caller's.
            unsafe { enqueue(to, from, stream) }?;
        }
    }
    Ok(())
}

/// The streams that bring, work, and send. Copies within the device are work: the driver gives them to multiprocessors, where
/// they wait for kernels before them, and would hold up copies behind them that need none.
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

/// Let a stream go on only after what is enqueued on another one.
///
/// # Errors
/// `StreamCreationFailed` if there is no event for it; as [`StreamRef::wait`].
pub fn follow(before: &StreamRef, after: &StreamRef) -> Result<()> {
    let reached = Event::on(before.device(), false)?;
    reached.record_on(before)?;
    after.wait(&reached)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Buffer;
    use icicle_error::{Error, ErrorCode};

    fn group() -> DeviceGroup {
        DeviceGroup::new(&[Device::cpu(0)]).unwrap()
    }

    /// Parts are filled from several pieces, worked on in order, and sent to several places.
    #[test]
    fn parts_come_are_worked_on_and_go() {
        let group = group();
        let mut memory = Buffer::<u8>::zeroed_on(Device::cpu(0), 12).unwrap();
        let (data, mut out) = ([1u8, 2, 3, 4, 5, 6, 7, 8], [0u8; 8]);
        let mut places = Dst::from(&mut memory).split("test", [4, 4, 4]).unwrap().into_iter();
        let mut place = || places.next().unwrap();
        let mut sent = Dst::from(&mut out[..]).split("test", [3, 1, 4]).unwrap().into_iter();
        let mut sent = |n: usize| sent.by_ref().take(n).collect::<Vec<_>>();
        let parts = vec![
            Part { memory: place(), from: vec![data[..1].into(), data[1..4].into()], to: sent(2) },
            Part { memory: place(), from: vec![data[4..].into()], to: Vec::new() },
            Part { memory: place(), from: Vec::new(), to: sent(1) },
        ];
        let mut order = Vec::new();
        group
            .relay(0, parts, |i, launch, mut part| {
                assert!(launch.is_async && launch.stream.is_some());
                order.push(i);
                let mut bytes = [0u8; 4];
                crate::transfer((&mut bytes[..]).into(), part.as_src())?;
                bytes.iter_mut().for_each(|byte| *byte += 10);
                crate::transfer(part.reborrow(), bytes[..].into())
            })
            .unwrap();
        assert_eq!(order, [0, 1, 2]);
        assert_eq!(out, [11, 12, 13, 14, 10, 10, 10, 10]);
        assert_eq!(memory.to_vec().unwrap()[4..8], [15, 16, 17, 18], "what is not sent stays");
    }

    #[test]
    fn pieces_fill_their_memory_and_failures_end_the_work() {
        let group = group();
        let mut memory = Buffer::<u8>::zeroed_on(Device::cpu(0), 8).unwrap();
        let data = [1u8; 3];
        let parts = vec![Part { memory: (&mut memory).into(), from: vec![data[..].into()], to: Vec::new() }];
        let error = group.relay(0, parts, |_, _, _| panic!("nothing to work on")).unwrap_err();
        assert_eq!(
            (error.code, &error.detail[..]),
            (ErrorCode::InvalidArgument, "parts of 3 bytes: the memory holds 8")
        );
        let parts = Dst::from(&mut memory).split("test", [4, 4]).unwrap();
        let parts = parts.into_iter().map(|memory| Part { memory, from: Vec::new(), to: Vec::new() }).collect();
        let mut calls = 0;
        let error = group.relay(0, parts, |_, _, _| {
            calls += 1;
            Err(Error::argument("test", "no"))
        });
        assert_eq!((error.unwrap_err().detail.as_str(), calls), ("no", 1));
        assert_eq!(group.relay(1, Vec::new(), |_, _, _| Ok(())).unwrap_err().code, ErrorCode::InvalidArgument);
    }
}
