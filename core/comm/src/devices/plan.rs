//! What one rank does in an operation, in steps that all ranks take together.
//!
//! Vectors that are reduced are divided into a chunk for each rank: it gets that chunk of all, reduces them in the order of
//! ranks, and sends the result to those who need it, a segment of the chunk at a time. Every rank sends `(n - 1)/n` of the
//! bytes in each of the two halves, as a ring does; short vectors go whole to all.
//!
//! Moves may be on streams beside those of reductions. A segment is then exchanged while the one before it is reduced, into the
//! other half of scratch memory, so that what is between the devices always moves.

use crate::call::{Call, Kind};
use icicle_error::reserve::listed;
use icicle_error::{Result, reserve};
use std::ops::Range;

/// Bytes of each rank for which there is scratch memory.
pub(super) const SEGMENT: usize = 32 << 20;
/// Bytes up to which a vector is sent whole: a second move would take longer than they do.
pub(super) const SMALL: usize = 1 << 16;
/// What parts of scratch memory are aligned to.
const LINE: usize = 256;

/// Memory of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Send,
    Recv,
    Scratch,
}

/// Some bytes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub of: Of,
    pub offset: usize,
    pub bytes: usize,
}

/// What is reduced of all ranks, in their order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fold {
    /// What this rank has.
    pub own: Region,
    /// Where in scratch memory the first of the others' lies, and how far the next.
    pub slots: usize,
    pub stride: usize,
    /// Where the result goes, perhaps exactly where `own` is.
    pub out: Region,
    /// Elements.
    pub n: usize,
}

/// What a rank does, while all others take the same step.
#[derive(Debug)]
pub(super) enum Step {
    /// Let moves that follow come after what all ranks hold now but moves.
    Wait,
    /// Send to ranks and receive from them, of two both in the order given.
    Move { out: Vec<(usize, Region)>, into: Vec<(usize, Region)> },
    /// Reduce, after the moves before.
    Fold(Fold),
}

/// A rank's steps, and the scratch memory that they need; none for an operation that the carrier has.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub steps: Vec<Step>,
    pub scratch: usize,
}

/// What a rank does in a call; `is_ahead` says that moves are on streams of their own.
pub(super) fn plan(call: &Call<'_>, rank: usize, size: usize, is_ahead: bool) -> Result<Plan> {
    let ahead = usize::from(is_ahead);
    Planner { op: call.kind.op(), rank, size, element: call.data_type.bytes(), ahead }.plan(call)
}

/// Bytes that go from a rank to another, or are reduced at a rank.
pub(super) fn moved(call: &Call<'_>, size: usize) -> usize {
    match call.kind {
        Kind::AllReduce | Kind::Reduce => call.bytes() / size,
        _ => call.bytes(),
    }
}

struct Planner {
    op: &'static str,
    rank: usize,
    size: usize,
    element: usize,
    /// How many segments are exchanged ahead of the one that is reduced.
    ahead: usize,
}

fn at(of: Of, offset: usize, bytes: usize) -> Region {
    Region { of, offset, bytes }
}

impl Planner {
    /// Every rank but this one, the next one first, so that not all begin with the same.
    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let (rank, size) = (self.rank, self.size);
        (1..size).map(move |step| (rank + step) % size)
    }

    fn plan(&self, call: &Call<'_>) -> Result<Plan> {
        let (bytes, rank, root, size) = (call.bytes(), self.rank, call.peer, self.size);
        let is_root = rank == root;
        let all = |of: Of| listed(self.op, (0..size).map(|other| Ok((other, at(of, other * bytes, bytes)))));
        let whole = |of: Of| at(of, 0, bytes);
        let whole_to_all = || listed(self.op, (0..size).map(|other| Ok((other, whole(Of::Send)))));
        let (mut out, mut into) = (Vec::new(), Vec::new());
        match call.kind {
            Kind::AllReduce => return self.reduced(call, &self.chunk(call.count), Some(None)),
            Kind::Reduce => return self.reduced(call, &self.chunk(call.count), Some(Some(root))),
            Kind::ReduceScatter => {
                let each = call.count;
                return self.reduced(call, &|rank| rank * each..(rank + 1) * each, None);
            }
            Kind::Broadcast => {
                into.push((root, whole(Of::Recv)));
                if is_root {
                    out = whole_to_all()?;
                }
            }
            Kind::Scatter => {
                into.push((root, whole(Of::Recv)));
                if is_root {
                    out = all(Of::Send)?;
                }
            }
            Kind::Gather => {
                out.push((root, whole(Of::Send)));
                if is_root {
                    into = all(Of::Recv)?;
                }
            }
            Kind::AllGather => {
                (out, into) = (whole_to_all()?, all(Of::Recv)?);
            }
            Kind::AllToAll => {
                (out, into) = (all(Of::Send)?, all(Of::Recv)?);
            }
            Kind::Send => out.push((call.peer, whole(Of::Send))),
            Kind::Recv => into.push((call.peer, whole(Of::Recv))),
            // A word of each to each.
            Kind::Barrier | Kind::Init => {
                let word = |place: usize| at(Of::Scratch, place * LINE, 4);
                out = listed(self.op, self.others().map(|other| Ok((other, word(size)))))?;
                into = listed(self.op, self.others().map(|other| Ok((other, word(other)))))?;
                return Ok(Plan { steps: vec![Step::Wait, Step::Move { out, into }], scratch: (size + 1) * LINE });
            }
        }
        Ok(Plan { steps: vec![Step::Wait, Step::Move { out, into }], scratch: 0 })
    }

    /// Elements of a rank's chunk of `count`.
    fn chunk(&self, count: usize) -> impl Fn(usize) -> Range<usize> + use<> {
        let (each, more) = (count / self.size, count % self.size);
        let start = move |rank: usize| rank * each + rank.min(more);
        move |rank| start(rank)..start(rank + 1)
    }

    /// Chunks of the reduction. They go to all ranks, or to a root, at their places in the whole; or each stays where it is
    /// made, as all that its rank receives.
    fn reduced(
        &self,
        call: &Call<'_>,
        chunk: &dyn Fn(usize) -> Range<usize>,
        to: Option<Option<usize>>,
    ) -> Result<Plan> {
        let (rank, size, element) = (self.rank, self.size, self.element);
        let bytes_at = |of: Of, elements: &Range<usize>| at(of, elements.start * element, elements.len() * element);
        if to == Some(None) && (call.bytes() <= SMALL || size == 1) {
            return self.whole(call);
        }
        let longest = (0..size).map(|rank| chunk(rank).len()).max().unwrap_or(0);
        let halves = 1 + self.ahead;
        // As long as each other, and no fewer than are under way at once.
        let segments = (longest * element).div_ceil(SEGMENT / halves).max(halves);
        let step = longest.div_ceil(segments).max(1);
        let stride = (step * element).next_multiple_of(LINE);
        // A slot for each of the others, and one for a result that goes elsewhere.
        let half = self.slots(size, stride)?;
        let slots = |i: usize| i % halves * half;
        let segment = |of: usize, i: usize| {
            let chunk = chunk(of);
            (chunk.start + i * step).min(chunk.end)..(chunk.start + (i + 1) * step).min(chunk.end)
        };
        let list = |ends: &mut dyn Iterator<Item = (usize, Region)>| listed(self.op, ends.map(Ok));
        let place = |i: usize| {
            let own = segment(rank, i);
            match to {
                None => at(Of::Recv, (i * step).min(chunk(rank).len()) * element, own.len() * element),
                Some(Some(root)) if root != rank => {
                    at(Of::Scratch, slots(i) + (size - 1) * stride, own.len() * element)
                }
                Some(_) => bytes_at(Of::Recv, &own),
            }
        };
        let exchange = |i: usize| -> Result<Step> {
            let bytes = segment(rank, i).len() * element;
            let slot = |other| at(Of::Scratch, slots(i) + self.slot(other) * stride, bytes);
            let out = list(&mut self.others().map(|other| (other, bytes_at(Of::Send, &segment(other, i)))))?;
            Ok(Step::Move { out, into: list(&mut self.others().map(|other| (other, slot(other))))? })
        };
        let fold = |i: usize| {
            let own = segment(rank, i);
            let n = own.len();
            Step::Fold(Fold { own: bytes_at(Of::Send, &own), slots: slots(i), stride, out: place(i), n })
        };
        let results = |i: usize| -> Result<Option<Step>> {
            let mut from_all = self.others().map(|other| (other, bytes_at(Of::Recv, &segment(other, i))));
            let (out, into) = match to {
                None => return Ok(None),
                Some(None) => (list(&mut self.others().map(|other| (other, place(i))))?, list(&mut from_all)?),
                Some(Some(root)) if root != rank => (vec![(root, place(i))], Vec::new()),
                Some(Some(_)) => (Vec::new(), list(&mut from_all)?),
            };
            Ok(Some(Step::Move { out, into }))
        };
        let mut steps = reserve::with_capacity(self.op, 1 + 4 * (segments + self.ahead))?;
        steps.push(Step::Wait);
        for i in 0..segments + self.ahead {
            if i < segments {
                steps.push(exchange(i)?);
            }
            if self.ahead == 0 {
                steps.push(fold(i));
            }
            if let Some(reduced) = i.checked_sub(self.ahead).filter(|_| to.is_some() || i + 1 < segments) {
                // Before its result goes, and before its slots are written again.
                steps.push(Step::Wait);
                steps.extend(results(reduced)?);
            }
            if self.ahead > 0 && i < segments {
                steps.push(fold(i));
            }
        }
        Ok(Plan { steps, scratch: halves.checked_mul(half).ok_or_else(|| reserve::refused(self.op, halves, half))? })
    }

    /// A short vector: each rank gets all and reduces them itself.
    fn whole(&self, call: &Call<'_>) -> Result<Plan> {
        let bytes = call.bytes();
        let stride = bytes.next_multiple_of(LINE);
        let own = at(Of::Send, 0, bytes);
        let out = listed(self.op, self.others().map(|other| Ok((other, own))))?;
        let slot = |other| at(Of::Scratch, self.slot(other) * stride, bytes);
        let into = listed(self.op, self.others().map(|other| Ok((other, slot(other)))))?;
        let fold = Fold { own, slots: 0, stride, out: at(Of::Recv, 0, bytes), n: call.count };
        Ok(Plan {
            steps: vec![Step::Wait, Step::Move { out, into }, Step::Fold(fold)],
            scratch: self.slots(self.size - 1, stride)?,
        })
    }

    /// The place of another rank's elements among those that come.
    fn slot(&self, other: usize) -> usize {
        other - usize::from(other > self.rank)
    }

    fn slots(&self, count: usize, stride: usize) -> Result<usize> {
        count.checked_mul(stride).ok_or_else(|| reserve::refused(self.op, count, stride))
    }
}
