//! Copies between the devices of one process, each on a stream of the rank that sends.

use super::area::{Area, enqueue};
use super::work::{End, On, Work};
use icicle_device::Device;
use icicle_error::{Error, ErrorCode, Result, reserve};
use icicle_runtime::{Event, Stream, StreamRef};
use std::sync::{Mutex, PoisonError};

/// Events by which streams wait for each other, kept from call to call.
#[derive(Debug, Default)]
pub(crate) struct Marks(Mutex<Vec<Event>>);

impl Marks {
    /// Let the streams of all works that are for something go on only after what those for something else hold now.
    pub(super) fn order(&self, works: &[Work], before: On, after: On) -> Result<()> {
        let is_itself = |i: usize, j: usize| i == j && works[i].on(before).raw() == works[j].on(after).raw();
        if works.len() < 2 && is_itself(0, 0) {
            return Ok(());
        }
        // Until all wait: an event that is marked again is another's.
        let mut marks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (i, work) in works.iter().enumerate() {
            let device = work.stream.device();
            match (i..marks.len()).find(|&place| marks[place].device() == device) {
                Some(place) => marks.swap(i, place),
                None => {
                    reserve::push(work.op, &mut marks, Event::on(device, false)?)?;
                    let last = marks.len() - 1;
                    marks.swap(i, last);
                }
            }
            marks[i].record_on(work.on(before))?;
        }
        for (j, work) in works.iter().enumerate() {
            for (_, mark) in marks[..works.len()].iter().enumerate().filter(|&(i, _)| !is_itself(i, j)) {
                work.on(after).wait(mark)?;
            }
        }
        Ok(())
    }
}

/// A stream of each rank beside those of its calls, made when it is first needed.
#[derive(Debug, Default)]
pub(crate) struct Sides(Mutex<Vec<Stream>>);

impl Sides {
    /// The stream beside those of the rank at a place, which is on a device.
    pub(super) fn get(&self, op: &'static str, place: usize, devices: &[Device]) -> Result<StreamRef> {
        let mut streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for &device in devices.iter().take(place + 1).skip(streams.len()) {
            reserve::push(op, &mut streams, Stream::non_blocking(device)?)?;
        }
        let missing = || Error::new(ErrorCode::Internal, op, "a rank is not here");
        streams.get(place).map(Stream::as_ref).ok_or_else(missing)
    }

    /// Wait for all of them.
    pub(super) fn synchronize(&self) -> Result<()> {
        let streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        streams.iter().map(Stream::synchronize).fold(Ok(()), Result::and)
    }
}

/// Bytes that go from a rank to another: which work sends, which receives, and the memory of both.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    from: (usize, Area),
    to: (usize, Area),
}

/// The two ends of each transfer. Of two ranks, the first that is sent is the first that is received.
fn pairs(op: &'static str, works: &[Work], out: &[End], into: &[End]) -> Result<Vec<Transfer>> {
    let mut taken = reserve::filled(op, into.len(), false)?;
    let mut pairs = reserve::with_capacity(op, out.len())?;
    for end in out {
        let from = works[end.work].rank;
        let other = into
            .iter()
            .enumerate()
            .position(|(i, other)| !taken[i] && other.other == from && works[other.work].rank == end.other);
        let other = other.ok_or_else(|| Error::new(ErrorCode::Internal, op, "what is sent, nobody receives"))?;
        taken[other] = true;
        pairs.push(Transfer { from: (end.work, end.area), to: (into[other].work, into[other].area) });
    }
    match taken.iter().all(|&taken| taken) {
        true => Ok(pairs),
        false => Err(Error::new(ErrorCode::Internal, op, "what is received, nobody sends")),
    }
}

/// Copy what ranks of this process send each other. What stays with its rank leaves the stream of moves to what does not.
pub(super) fn exchange(op: &'static str, works: &[Work], out: &[End], into: &[End]) -> Result<()> {
    pairs(op, works, out, into)?.into_iter().try_for_each(|Transfer { from, to }| {
        let on = if from.0 == to.0 { On::Fold } else { On::Move };
        enqueue(to.1, from.1, works[from.0].on(on))
    })
}
