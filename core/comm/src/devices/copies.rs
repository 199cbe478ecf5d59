//! Copies between the devices of one process, each on the stream of the rank that sends.

use super::area::enqueue;
use super::carrier::{End, Transfer};
use super::work::Work;
use icicle_error::{Error, ErrorCode, Result, reserve};
use icicle_runtime::Event;
use std::sync::{Mutex, PoisonError};

/// Events by which streams wait for each other, kept from call to call.
#[derive(Debug, Default)]
pub(crate) struct Marks(Mutex<Vec<Event>>);

impl Marks {
    /// Let each work's stream go on only after what the streams of all of them hold now.
    fn meet(&self, works: &[Work]) -> Result<()> {
        if works.len() < 2 {
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
            marks[i].record_on(&work.stream)?;
        }
        for (i, work) in works.iter().enumerate() {
            for (_, mark) in marks[..works.len()].iter().enumerate().filter(|&(j, _)| j != i) {
                work.stream.wait(mark)?;
            }
        }
        Ok(())
    }
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

/// Copy what ranks of this process send each other, after what all their streams hold now, and before what comes later.
pub(super) fn exchange(op: &'static str, works: &[Work], marks: &Marks, out: &[End], into: &[End]) -> Result<()> {
    let pairs = pairs(op, works, out, into)?;
    marks.meet(works)?;
    for Transfer { from, to } in pairs {
        enqueue(to.1, from.1, &works[from.0].stream)?;
    }
    marks.meet(works)
}
