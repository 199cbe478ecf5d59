//! Work on parts of a device's memory while the parts behind still come and those before already go; and steps of such work on
//! several devices, each enqueued while the devices are at the one before.
#![allow(unsafe_code)] // copies that are waited for at the end

use crate::copy::enqueue;
use crate::{DeviceGroup, Event, Launch, StreamRef};
use icicle_device::{Device, Dst, Place, Src};
use icicle_error::Result;
use icicle_error::reserve::{self, listed};
use std::collections::BTreeSet;

/// A part of the work of [`DeviceGroup::relay`] or [`Chain::relay`].
#[derive(Debug)]
pub struct Part<'a> {
    /// Memory of the device, worked on in place.
    pub memory: Dst<'a>,
    /// What fills it first, piece after piece, and what of the step before each comes after; nothing if it holds already what
    /// is worked on.
    pub from: Vec<Piece<(Src<'a>, After)>>,
    /// What of the step before the work comes after, beside its pieces.
    pub after: After,
    /// Where its contents go afterwards, piece after piece; nothing if they stay.
    pub to: Vec<Piece<Dst<'a>>>,
}

/// A piece of a part.
#[derive(Debug)]
pub enum Piece<T> {
    /// Copied, from there or to there.
    Copied(T),
    /// So many bytes that stay where they are.
    Stays(usize),
}

/// What of a chain's step before something comes after. What lies before that is done then, too: a device's streams keep order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum After {
    /// Nothing of it.
    Nothing,
    /// All of it, on every device.
    Everything,
    /// The work on a part, by the device's position and the part's number there.
    Work {
        /// Position.
        position: usize,
        /// Number.
        part: usize,
    },
    /// Copies of the piece of this number, from every part of every device.
    Piece(usize),
}

/// Points in the streams of a device at the end of a step.
#[derive(Debug, Default)]
pub struct Ends {
    /// After the work on each part.
    work: Vec<Event>,
    /// After each piece of the last part: those of the parts before it are done, too.
    pieces: Vec<Event>,
    /// After everything.
    all: Vec<Event>,
}

impl Ends {
    fn wait(&self, after: After, position: usize, stream: &StreamRef) -> Result<()> {
        match after {
            After::Nothing => Ok(()),
            After::Everything => self.all.iter().try_for_each(|event| stream.wait(event)),
            After::Work { position: of, part } if of == position => {
                self.work.get(part).map_or(Ok(()), |event| stream.wait(event))
            }
            After::Work { .. } => Ok(()),
            After::Piece(piece) => self.pieces.get(piece).map_or(Ok(()), |event| stream.wait(event)),
        }
    }
}

/// Steps over the devices of a group. Each is enqueued while the devices are at the one before, so that none of them idles while
/// threads meet. Dropped, it waits for all.
#[derive(Debug)]
pub struct Chain<'g> {
    group: &'g DeviceGroup,
    /// Of the step before, by position.
    before: Vec<Ends>,
}

impl<'g> Chain<'g> {
    /// No step yet.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn new(group: &'g DeviceGroup) -> Result<Self> {
        Ok(Self { group, before: listed(OP, group.devices().iter().map(|_| Ok(Ends::default())))? })
    }

    /// Let devices enqueue a step: `job` is called on each one's thread with its position, and gives what [`Chain::relay`] gave.
    ///
    /// # Errors
    /// Those of `job`.
    pub fn step(
        &mut self,
        takes_part: impl Fn(usize) -> bool,
        job: impl Fn(&Self, usize) -> Result<Ends> + Sync,
    ) -> Result<()> {
        let made = self.group.on_some(takes_part, |_, position| job(self, position))?;
        for (before, made) in self.before.iter_mut().zip(made) {
            if let Some(made) = made {
                *before = made;
            }
        }
        Ok(())
    }

    /// As [`DeviceGroup::relay`], but returns once all is enqueued.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Safety
    /// The memory of the parts stays valid until the chain is waited for or dropped, or [`Chain::drain`] of the position has
    /// returned. Until then only the chain's steps access it, and what they access of the same memory comes [`After`] each
    /// other, unless both read.
    pub unsafe fn relay(
        &self,
        position: usize,
        parts: Vec<Part<'_>>,
        work: impl FnMut(usize, &Launch, Dst<'_>) -> Result<()>,
    ) -> Result<Ends> {
        // SAFETY: the caller's.
        unsafe { run(self.group, &self.before, position, parts, work) }
    }

    /// Let the work of a position come after what the default streams of devices were given, whose memory it reaches by itself.
    ///
    /// # Errors
    /// As [`follow`].
    pub fn follow(&self, position: usize, devices: &[Device]) -> Result<()> {
        let Lanes { compute, .. } = Lanes::of(self.group, position)?;
        devices.iter().try_for_each(|&device| follow(&StreamRef::default_of(device), &compute))
    }

    /// Wait for what is enqueued on a device.
    ///
    /// # Errors
    /// `SynchronizationFailed` if it failed.
    pub fn drain(&self, position: usize) -> Result<()> {
        Lanes::of(self.group, position)?.wait()
    }

    /// Wait for what is enqueued on every device.
    ///
    /// # Errors
    /// As [`Chain::drain`].
    pub fn settle(&self) -> Result<()> {
        self.group.drain()
    }

    /// Wait for every step.
    ///
    /// # Errors
    /// `SynchronizationFailed` if one failed.
    pub fn wait(self) -> Result<()> {
        self.group.drain()
    }
}

impl Drop for Chain<'_> {
    fn drop(&mut self) {
        // After `wait` this finds nothing; after a failure the memory must not be given up before what is under way is done.
        let _ = self.group.drain();
    }
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
        work: impl FnMut(usize, &Launch, Dst<'_>) -> Result<()>,
    ) -> Result<()> {
        let lanes = Waited(Lanes::of(self, position)?);
        // SAFETY: the lanes are waited for before this function returns or unwinds, within the parts' lifetime; parts' pieces
        // are copied in order with their work.
        let enqueued = unsafe { run(self, &[], position, parts, work) };
        enqueued.and(lanes.0.wait())
    }
}

const OP: &str = "copy";

/// Enqueue the parts of a step.
///
/// # Safety
/// As [`Chain::relay`]'s.
unsafe fn run(
    group: &DeviceGroup,
    before: &[Ends],
    position: usize,
    parts: Vec<Part<'_>>,
    mut work: impl FnMut(usize, &Launch, Dst<'_>) -> Result<()>,
) -> Result<Ends> {
    let lanes = Lanes::of(group, position)?;
    let Lanes { compute, incoming, outgoing } = &lanes;
    let launch = Launch { stream: Some(compute.clone()), is_async: true };
    // Once for all copies: if each waited for the other devices' default streams and held them up, copies would wait for
    // each other. What is enqueued there later comes after this call.
    for other in others(compute.device(), &parts) {
        let default = StreamRef::default_of(other);
        follow(&default, &incoming.far)?;
        follow(&default, &outgoing.far)?;
    }
    let wait = |after: After, stream: &StreamRef| {
        before.iter().enumerate().try_for_each(|(of, ends)| ends.wait(after, of, stream))
    };
    let mut ends = Ends::default();
    let last = parts.len().saturating_sub(1);
    for (i, part) in parts.into_iter().enumerate() {
        let Part { mut memory, from, after, to } = part;
        if !from.is_empty() {
            let bytes = |piece: &Piece<(Src<'_>, After)>| match piece {
                Piece::Copied((src, _)) => src.bytes(),
                Piece::Stays(bytes) => *bytes,
            };
            let places = memory.reborrow().split(OP, from.iter().map(bytes))?;
            for (to, piece) in places.iter().zip(&from) {
                let Piece::Copied((from, after)) = piece else { continue };
                let lane = incoming.of(to, from);
                wait(*after, lane)?;
                // SAFETY: the caller's; work on the memory waits for its copies.
                unsafe { enqueue(to, from, lane) }?;
            }
            follow(&incoming.far, compute)?;
            follow(&incoming.near, compute)?;
        }
        wait(after, compute)?;
        work(i, &launch, memory.reborrow())?;
        let done = mark(compute)?;
        if !to.is_empty() {
            outgoing.far.wait(&done)?;
            outgoing.near.wait(&done)?;
            let (from, mut at) = (memory.as_src(), 0);
            for to in &to {
                let lane = match to {
                    Piece::Stays(bytes) => {
                        at += bytes;
                        compute
                    }
                    Piece::Copied(to) => {
                        let piece = from.part(OP, at, to.bytes())?;
                        at += to.bytes();
                        let lane = outgoing.of(to, &piece);
                        // SAFETY: the caller's; nothing of this step writes the memory after its work.
                        unsafe { enqueue(to, &piece, lane) }?;
                        lane
                    }
                };
                if i == last {
                    reserve::push(OP, &mut ends.pieces, mark(lane)?)?;
                }
            }
        }
        reserve::push(OP, &mut ends.work, done)?;
    }
    ends.all = listed(OP, lanes.all().map(mark))?;
    Ok(ends)
}

/// The other devices that pieces lie on.
fn others(own: Device, parts: &[Part<'_>]) -> BTreeSet<Device> {
    let from = |piece: &Piece<(Src<'_>, After)>| match piece {
        Piece::Copied((src, _)) => Some(src.place()),
        Piece::Stays(_) => None,
    };
    let to = |piece: &Piece<Dst<'_>>| match piece {
        Piece::Copied(dst) => Some(dst.place()),
        Piece::Stays(_) => None,
    };
    let places = parts.iter().flat_map(|part| part.from.iter().filter_map(from).chain(part.to.iter().filter_map(to)));
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

/// Streams of one direction: copies from or to other places, and those within the device. These the driver gives to
/// multiprocessors, where they would wait for the kernels before them, and others behind them in turn.
struct Pair {
    far: StreamRef,
    near: StreamRef,
}

impl Pair {
    fn of(&self, to: &Dst<'_>, from: &Src<'_>) -> &StreamRef {
        if to.place() == from.place() { &self.near } else { &self.far }
    }
}

/// The streams of a device that bring, work, and send.
struct Lanes {
    compute: StreamRef,
    incoming: Pair,
    outgoing: Pair,
}

impl Lanes {
    fn of(group: &DeviceGroup, position: usize) -> Result<Self> {
        let pair = |lane| Ok(Pair { far: group.stream(position, lane)?, near: group.urgent_stream(position, lane)? });
        Ok(Self { compute: group.stream(position, 1)?, incoming: pair(0)?, outgoing: pair(2)? })
    }

    fn all(&self) -> impl Iterator<Item = &StreamRef> {
        let copies = [&self.incoming, &self.outgoing].into_iter().flat_map(|pair| [&pair.near, &pair.far]);
        copies.chain([&self.compute])
    }

    /// Wait for all of them, also if one failed.
    fn wait(&self) -> Result<()> {
        let mut result = Ok(());
        for stream in self.all() {
            result = result.and(stream.synchronize());
        }
        result
    }
}

/// Lanes that are waited for, too, if the work unwinds.
struct Waited(Lanes);

impl Drop for Waited {
    fn drop(&mut self) {
        // After the work this finds nothing.
        let _ = self.0.wait();
    }
}

/// A point in a stream.
fn mark(stream: &StreamRef) -> Result<Event> {
    let reached = Event::on(stream.device(), false)?;
    reached.record_on(stream)?;
    Ok(reached)
}

/// Let a stream go on only after what is enqueued on another one.
///
/// # Errors
/// `StreamCreationFailed` if there is no event for it; as [`StreamRef::wait`].
pub fn follow(before: &StreamRef, after: &StreamRef) -> Result<()> {
    after.wait(&mark(before)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Buffer;
    use icicle_error::{Error, ErrorCode};

    fn group() -> DeviceGroup {
        DeviceGroup::new(&[Device::cpu(0)]).unwrap()
    }

    fn new(data: &[u8]) -> Piece<(Src<'_>, After)> {
        Piece::Copied((data.into(), After::Nothing))
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
        let mut sent = |n: usize| sent.by_ref().take(n).map(Piece::Copied).collect::<Vec<_>>();
        let parts = vec![
            Part { memory: place(), from: vec![new(&data[..1]), new(&data[1..4])], after: After::Nothing, to: sent(2) },
            Part { memory: place(), from: vec![new(&data[4..])], after: After::Nothing, to: Vec::new() },
            Part { memory: place(), from: Vec::new(), after: After::Nothing, to: sent(1) },
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

    /// Pieces that stay are neither filled nor sent, and count.
    #[test]
    fn pieces_may_stay() {
        let group = group();
        let mut memory = Buffer::from_slice_on(Device::cpu(0), &[9u8; 4]).unwrap();
        let (data, mut out) = ([1u8, 2], [0u8; 1]);
        let from = vec![Piece::Stays(1), new(&data), Piece::Stays(1)];
        let to = vec![Piece::Stays(2), Piece::Copied(Dst::from(&mut out[..])), Piece::Stays(1)];
        let part = Part { memory: (&mut memory).into(), from, after: After::Nothing, to };
        // SAFETY: all is older than the chain, which ends here.
        let ends = unsafe { Chain::new(&group).unwrap().relay(0, vec![part], |_, _, _| Ok(())) }.unwrap();
        assert_eq!((out, ends.pieces.len()), ([2], 3));
        assert_eq!(memory.to_vec().unwrap(), [9, 1, 2, 9]);
    }

    #[test]
    fn pieces_fill_their_memory_and_failures_end_the_work() {
        let group = group();
        let mut memory = Buffer::<u8>::zeroed_on(Device::cpu(0), 8).unwrap();
        let data = [1u8; 3];
        let parts =
            vec![Part { memory: (&mut memory).into(), from: vec![new(&data)], after: After::Nothing, to: Vec::new() }];
        let error = group.relay(0, parts, |_, _, _| panic!("nothing to work on")).unwrap_err();
        assert_eq!(
            (error.code, &error.detail[..]),
            (ErrorCode::InvalidArgument, "parts of 3 bytes: the memory holds 8")
        );
        let parts = Dst::from(&mut memory).split("test", [4, 4]).unwrap();
        let parts = parts
            .into_iter()
            .map(|memory| Part { memory, from: Vec::new(), after: After::Nothing, to: Vec::new() })
            .collect();
        let mut calls = 0;
        let error = group.relay(0, parts, |_, _, _| {
            calls += 1;
            Err(Error::argument("test", "no"))
        });
        assert_eq!((error.unwrap_err().detail.as_str(), calls), ("no", 1));
        assert_eq!(group.relay(1, Vec::new(), |_, _, _| Ok(())).unwrap_err().code, ErrorCode::InvalidArgument);
    }
}
