//! Collectives as messages. Elements are reduced in the order of ranks wherever that is done, so that bits are the same
//! everywhere.
//!
//! Every message goes straight to the rank that needs it, as each has a connection to each. What is large is divided
//! into a chunk for
//! each rank: one that is reduced by its rank and then sent to all costs every rank `2·(n - 1)/n` of the bytes each
//! way, as a ring does.

use super::exchange::{Incoming, Outgoing, Tag, Wires};
use crate::call::{Call, Descriptor, Kind};
use crate::memory::copy_all;
use crate::reduce::Reduction;
use icicle_cpu::memory::Scratch;
use icicle_device::{Dst, Src};
use icicle_error::reserve::listed;
use icicle_error::{Error, ErrorCode, Result, reserve};
use std::ops::Range;

/// Bytes up to which a vector is sent whole: a second step would take longer than they do.
const SMALL: usize = 1 << 14;
/// Bytes of each rank that are reduced at a time.
const SEGMENT: usize = 1 << 20;
/// What parts of scratch memory are aligned to.
const LINE: usize = 64;

/// A rank's part of a collective.
pub(super) struct Collective<'w, 's> {
    pub wires: &'w mut Wires<'s>,
    pub rank: usize,
    pub size: usize,
    pub descriptor: Descriptor,
    /// Bytes of one element.
    pub element: usize,
    pub reduction: Option<Reduction>,
}

impl<'w, 's> Collective<'w, 's> {
    pub fn new(wires: &'w mut Wires<'s>, rank: usize, size: usize, call: &Call<'_>) -> Self {
        let op = call.kind.op();
        wires.op = op;
        let data_type = call.data_type;
        let reduction = call.reduce.map(|reduce| Reduction { op, data_type, reduce });
        Self { wires, rank, size, descriptor: call.descriptor(), element: data_type.bytes(), reduction }
    }

    /// Every rank but this one.
    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let (rank, size) = (self.rank, self.size);
        // The next one first, so that not all begin with the same.
        (1..size).map(move |step| (rank + step) % size)
    }

    fn to<'a>(&self, to: usize, body: Src<'a>) -> Outgoing<'a> {
        Outgoing { to, what: (Tag::Data, self.descriptor), body }
    }

    fn from<'a>(&self, from: usize, body: Dst<'a>) -> Incoming<'a> {
        Incoming { from, what: (Tag::Data, self.descriptor), body }
    }

    /// The same for all others.
    fn to_all<'a>(&self, body: Src<'a>) -> Result<Vec<Outgoing<'a>>> {
        listed(self.op(), self.others().map(|to| Ok(self.to(to, body))))
    }

    fn op(&self) -> &'static str {
        self.wires.op
    }

    /// Tell all ranks what this one is about to call, and hear the same from them.
    pub fn check(&mut self) -> Result<()> {
        let what = (Tag::Check, self.descriptor);
        let outgoing = self.others().map(|to| Outgoing { to, what, body: Src::from(&[0u8; 0][..]) });
        let incoming = self.others().map(|from| Incoming { from, what, body: Dst::from(&mut [0u8; 0][..]) });
        self.wires.exchange(outgoing, incoming)
    }

    pub fn run(&mut self, call: Call<'_>) -> Result<()> {
        let lost = || Error::new(ErrorCode::Internal, call.kind.op(), "an operand is missing");
        let (count, root) = (call.count, call.peer);
        match (call.kind, call.send, call.recv) {
            (Kind::Barrier | Kind::Init, _, _) => self.barrier(),
            (Kind::AllReduce, Some(send), Some(recv)) => self.all_reduce(count, send, recv),
            (Kind::Reduce, Some(send), recv) => self.reduce(count, root, send, recv),
            (Kind::ReduceScatter, Some(send), Some(recv)) => {
                self.chunks_reduced(send, &|rank| rank * count..(rank + 1) * count, recv)
            }
            (Kind::Broadcast, send, Some(recv)) => self.broadcast(count, root, send, recv),
            (Kind::AllGather, Some(send), Some(recv)) => self.all_gather(send, recv),
            (Kind::AllToAll, Some(send), Some(recv)) => self.all_to_all(send, recv),
            (Kind::Gather, Some(send), recv) => self.gather(root, send, recv),
            (Kind::Scatter, send, Some(recv)) => self.scatter(root, send, recv),
            _ => Err(lost()),
        }
    }

    fn barrier(&mut self) -> Result<()> {
        let what = (Tag::Data, self.descriptor);
        let outgoing = self.others().map(|to| Outgoing { to, what, body: Src::from(&[0u8; 0][..]) });
        let incoming = self.others().map(|from| Incoming { from, what, body: Dst::from(&mut [0u8; 0][..]) });
        self.wires.exchange(outgoing, incoming)
    }

    /// Elements of a rank's chunk of `count`.
    fn chunk(&self, count: usize) -> impl Fn(usize) -> Range<usize> + use<> {
        let (each, more) = (count / self.size, count % self.size);
        let start = move |rank: usize| rank * each + rank.min(more);
        move |rank| start(rank)..start(rank + 1)
    }

    fn bytes_of(&self, elements: &Range<usize>) -> Range<usize> {
        elements.start * self.element..elements.end * self.element
    }

    fn part<'a>(&self, src: &Src<'a>, elements: &Range<usize>) -> Result<Src<'a>> {
        let bytes = self.bytes_of(elements);
        src.part(self.wires.op, bytes.start, bytes.len())
    }

    /// Scratch memory for `bytes` of each rank, and the bytes from one to the next.
    fn scratch(&self, bytes: usize) -> Result<(Scratch, usize)> {
        let stride = bytes.next_multiple_of(LINE).max(LINE);
        let all = stride.checked_mul(self.size);
        let all = all.ok_or_else(|| reserve::refused(self.wires.op, self.size, stride))?;
        Ok((Scratch::new::<u8>(self.op(), all)?, stride))
    }

    /// Destinations of `bytes` for every other rank.
    fn places<'m>(&self, scratch: &'m mut Scratch, stride: usize, bytes: usize) -> Result<Vec<Incoming<'m>>> {
        let places = scratch.elements::<u8>().chunks_exact_mut(stride).take(self.size).enumerate();
        let others = places.filter(|(rank, _)| *rank != self.rank);
        listed(self.op(), others.map(|(rank, place)| Ok(self.from(rank, Dst::from(&mut place[..bytes])))))
    }

    /// Reduce what this rank has and what the others sent.
    fn fold(&self, n: usize, own: Src<'_>, scratch: &mut Scratch, stride: usize, output: Dst<'_>) -> Result<()> {
        let Some(reduction) = &self.reduction else { return Ok(()) };
        let bytes = n * self.element;
        let received = scratch.elements::<u8>().chunks_exact(stride).take(self.size).enumerate();
        let mut sources = reserve::with_capacity(self.op(), self.size)?;
        sources.extend(received.map(|(rank, place)| if rank == self.rank { own } else { Src::from(&place[..bytes]) }));
        reduction.run(n, &sources, vec![output])
    }

    /// All ranks send all to all.
    fn all_reduce(&mut self, count: usize, send: Src<'_>, mut recv: Dst<'_>) -> Result<()> {
        let bytes = send.bytes();
        if bytes <= SMALL || self.size == 1 {
            let (mut scratch, stride) = self.scratch(bytes)?;
            let outgoing = self.to_all(send)?;
            let incoming = self.places(&mut scratch, stride, bytes)?;
            self.wires.exchange(outgoing, incoming)?;
            return self.fold(count, send, &mut scratch, stride, recv);
        }
        let chunk = self.chunk(count);
        let own = self.bytes_of(&chunk(self.rank));
        self.chunks_reduced(send, &chunk, recv.reborrow().part(self.op(), own.start, own.len())?)?;
        self.all_gather_chunks(&chunk, recv, None)
    }

    /// Every rank gets its chunk of the reduction, a segment at a time. `output` may be that chunk of `send`.
    fn chunks_reduced(
        &mut self,
        send: Src<'_>,
        chunk: &dyn Fn(usize) -> Range<usize>,
        mut output: Dst<'_>,
    ) -> Result<()> {
        let step = (SEGMENT / self.element).max(1);
        let longest = (0..self.size).map(|rank| chunk(rank).len()).max().unwrap_or(0);
        let (mut scratch, stride) = self.scratch(step.min(longest) * self.element)?;
        let segment = |rank: usize, at: usize| {
            let chunk = chunk(rank);
            (chunk.start + at).min(chunk.end)..(chunk.start + at + step).min(chunk.end)
        };
        // Nothing to reduce is a message all the same: ranks that do not match are seen.
        for at in (0..longest.max(1)).step_by(step) {
            let own = segment(self.rank, at);
            let outgoing = self.others().map(|to| Ok(self.to(to, self.part(&send, &segment(to, at))?)));
            let outgoing = listed(self.op(), outgoing)?;
            let incoming = self.places(&mut scratch, stride, own.len() * self.element)?;
            self.wires.exchange(outgoing, incoming)?;
            let at = at.min(chunk(self.rank).len()) * self.element;
            let out = output.reborrow().part(self.op(), at, own.len() * self.element)?;
            let own_source = self.part(&send, &own)?;
            self.fold(own.len(), own_source, &mut scratch, stride, out)?;
        }
        Ok(())
    }

    /// Every rank has its chunk of `recv` and sends it to all; `complete` is a rank that has all.
    fn all_gather_chunks(
        &mut self,
        chunk: &dyn Fn(usize) -> Range<usize>,
        recv: Dst<'_>,
        complete: Option<usize>,
    ) -> Result<()> {
        let own = self.part(&recv.as_src(), &chunk(self.rank))?;
        let needs = |rank: usize| complete != Some(rank);
        let outgoing = listed(self.op(), self.others().filter(|&to| needs(to)).map(|to| Ok(self.to(to, own))))?;
        let parts = recv.split(self.op(), (0..self.size).map(|rank| self.bytes_of(&chunk(rank)).len()))?;
        let parts = parts.into_iter().enumerate().filter(|(rank, _)| *rank != self.rank && needs(self.rank));
        let incoming = listed(self.op(), parts.map(|(from, part)| Ok(self.from(from, part))))?;
        self.wires.exchange(outgoing, incoming)
    }

    fn reduce(&mut self, count: usize, root: usize, send: Src<'_>, recv: Option<Dst<'_>>) -> Result<()> {
        let bytes = send.bytes();
        let is_root = self.rank == root;
        if bytes <= SMALL || self.size == 1 {
            let (mut scratch, stride) = self.scratch(bytes)?;
            let outgoing = (!is_root).then(|| self.to(root, send));
            let incoming = if is_root { self.places(&mut scratch, stride, bytes)? } else { Vec::new() };
            self.wires.exchange(outgoing, incoming)?;
            return recv.map_or(Ok(()), |recv| self.fold(count, send, &mut scratch, stride, recv));
        }
        let chunk = self.chunk(count);
        let own = self.bytes_of(&chunk(self.rank));
        let Some(mut recv) = recv else {
            let mut mine = Scratch::new::<u8>(self.op(), own.len())?;
            let mine = &mut mine.elements::<u8>()[..own.len()];
            self.chunks_reduced(send, &chunk, Dst::from(&mut *mine))?;
            let message = self.to(root, Src::from(&*mine));
            return self.wires.exchange([message], []);
        };
        self.chunks_reduced(send, &chunk, recv.reborrow().part(self.op(), own.start, own.len())?)?;
        let parts = recv.split(self.op(), (0..self.size).map(|rank| self.bytes_of(&chunk(rank)).len()))?;
        let parts = parts.into_iter().enumerate().filter(|(rank, _)| *rank != self.rank);
        let incoming = listed(self.op(), parts.map(|(from, part)| Ok(self.from(from, part))))?;
        self.wires.exchange([], incoming)
    }

    fn broadcast(&mut self, count: usize, root: usize, send: Option<Src<'_>>, mut recv: Dst<'_>) -> Result<()> {
        if recv.bytes() <= SMALL || self.size <= 2 {
            return match send {
                Some(send) => {
                    let outgoing = self.to_all(send)?;
                    self.wires.exchange(outgoing, [])?;
                    copy_all(self.op(), vec![(recv, send)])
                }
                None => {
                    let message = self.from(root, recv);
                    self.wires.exchange([], [message])
                }
            };
        }
        // The root sends each rank its chunk, and every rank its own to all that need it.
        let chunk = self.chunk(count);
        if let Some(send) = send {
            let outgoing = self.others().map(|to| Ok(self.to(to, self.part(&send, &chunk(to))?)));
            let outgoing = listed(self.op(), outgoing)?;
            self.wires.exchange(outgoing, [])?;
            copy_all(self.op(), vec![(recv.reborrow(), send)])?;
        } else {
            let own = self.bytes_of(&chunk(self.rank));
            let message = self.from(root, recv.reborrow().part(self.op(), own.start, own.len())?);
            self.wires.exchange([], [message])?;
        }
        self.all_gather_chunks(&chunk, recv, Some(root))
    }

    /// Parts of a destination, of the same bytes for every rank: this rank's, and those of the others.
    fn shares<'a>(&self, recv: Dst<'a>) -> Result<(Dst<'a>, Vec<Incoming<'a>>)> {
        let bytes = recv.bytes() / self.size;
        let (mut own, mut incoming) = (None, reserve::with_capacity(self.op(), self.size)?);
        for (rank, part) in recv.split(self.op(), (0..self.size).map(|_| bytes))?.into_iter().enumerate() {
            match rank == self.rank {
                true => own = Some(part),
                false => incoming.push(self.from(rank, part)),
            }
        }
        let own = own.ok_or_else(|| Error::new(ErrorCode::Internal, self.op(), "a part is missing"))?;
        Ok((own, incoming))
    }

    /// A part of a source, of the same bytes for every rank.
    fn share<'a>(&self, send: &Src<'a>, rank: usize) -> Result<Src<'a>> {
        let bytes = send.bytes() / self.size;
        send.part(self.op(), rank * bytes, bytes)
    }

    fn all_gather(&mut self, send: Src<'_>, recv: Dst<'_>) -> Result<()> {
        let outgoing = self.to_all(send)?;
        let (own, incoming) = self.shares(recv)?;
        self.wires.exchange(outgoing, incoming)?;
        copy_all(self.op(), vec![(own, send)])
    }

    fn all_to_all(&mut self, send: Src<'_>, recv: Dst<'_>) -> Result<()> {
        let outgoing = self.others().map(|to| Ok(self.to(to, self.share(&send, to)?)));
        let outgoing = listed(self.op(), outgoing)?;
        let (own, incoming) = self.shares(recv)?;
        self.wires.exchange(outgoing, incoming)?;
        copy_all(self.op(), vec![(own, self.share(&send, self.rank)?)])
    }

    fn gather(&mut self, root: usize, send: Src<'_>, recv: Option<Dst<'_>>) -> Result<()> {
        match recv {
            Some(recv) => {
                let (own, incoming) = self.shares(recv)?;
                self.wires.exchange([], incoming)?;
                copy_all(self.op(), vec![(own, send)])
            }
            None => {
                let message = self.to(root, send);
                self.wires.exchange([message], [])
            }
        }
    }

    fn scatter(&mut self, root: usize, send: Option<Src<'_>>, recv: Dst<'_>) -> Result<()> {
        match send {
            Some(send) => {
                let outgoing = self.others().map(|to| Ok(self.to(to, self.share(&send, to)?)));
                let outgoing = listed(self.op(), outgoing)?;
                self.wires.exchange(outgoing, [])?;
                copy_all(self.op(), vec![(recv, self.share(&send, self.rank)?)])
            }
            None => {
                let message = self.from(root, recv);
                self.wires.exchange([], [message])
            }
        }
    }
}
