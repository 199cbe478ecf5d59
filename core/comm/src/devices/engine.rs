//! Steps of several ranks, enqueued by one thread.

use super::carrier::Carrier;
use super::copies::{self, Marks, Sides};
use super::fold;
use super::plan::{Plan, Region, Step, moved, plan};
use super::work::{End, Native, On, Work, stream_of};
use crate::call::{Call, Ranked};
use icicle_device::{Device, DeviceKind};
use icicle_error::{Error, ErrorCode, Result, reserve};
use std::marker::PhantomData;

/// What does calls of devices: of all ranks of a process, or of one of several processes.
#[derive(Debug)]
pub(crate) struct Engine {
    /// How many ranks there are in all.
    size: usize,
    /// The devices of those here, from the first on.
    devices: Vec<Device>,
    /// Whether they are different GPUs.
    are_apart: bool,
    first: usize,
    carrier: Carrier,
    marks: Marks,
    sides: Sides,
}

/// Bytes to each rank from which on moves by copies have streams of their own, beside copies on a device and reductions. A copy
/// between two H100 takes 2.8 µs a MiB, one on a device or a sum 0.7 to 1.1.
const ASIDE: usize = 8 << 20;

/// Calls under way: dropping it ends them, and waits for them.
struct Guard<'c, 'a, C: Ranked<'a>> {
    engine: &'c Engine,
    calls: &'c [C],
    operands: PhantomData<Call<'a>>,
}

impl<'a, C: Ranked<'a>> Drop for Guard<'_, 'a, C> {
    fn drop(&mut self) {
        self.engine.carrier.abort();
        for part in self.calls {
            let (rank, call) = (part.rank(), part.call());
            // The first error is told.
            let _ = self.engine.device(call.kind.op(), rank).and_then(|device| stream_of(call, device).synchronize());
        }
        let _ = self.engine.sides.synchronize();
    }
}

/// The engine of ranks of one process, or none if their devices are CPUs, whose memory is the host's.
///
/// # Errors
/// `Unsupported` for devices of both kinds; NCCL's.
pub(crate) fn of_process(op: &'static str, devices: &[Device], ordered: bool) -> Result<Option<Engine>> {
    if devices.iter().all(|device| device.kind == DeviceKind::Cpu) {
        return Ok(None);
    }
    if let Some(cpu) = devices.iter().find(|device| device.kind == DeviceKind::Cpu) {
        return Err(Error::unsupported(op, format!("{cpu} beside GPUs: ranks must be on devices of one kind")));
    }
    #[cfg(feature = "cuda")]
    {
        let carrier = Carrier::of_process(op, devices, ordered)?;
        Ok(Some(Engine::new(devices.len(), 0, reserve::collected(op, devices.iter().copied())?, carrier)))
    }
    #[cfg(not(feature = "cuda"))]
    {
        let _ = ordered;
        Err(Error::unsupported(op, "GPUs: this build is without them"))
    }
}

impl Engine {
    /// Ranks `first` and on of `size`, on so many devices.
    pub fn new(size: usize, first: usize, devices: Vec<Device>, carrier: Carrier) -> Self {
        let is_apart =
            |(i, device): (usize, &Device)| device.kind == DeviceKind::Cuda && !devices[..i].contains(device);
        let are_apart = devices.iter().enumerate().all(is_apart);
        Self { size, devices, are_apart, first, carrier, marks: Marks::default(), sides: Sides::default() }
    }

    fn device(&self, op: &'static str, rank: usize) -> Result<Device> {
        let device = rank.checked_sub(self.first).and_then(|place| self.devices.get(place)).copied();
        device.ok_or_else(|| Error::new(ErrorCode::Internal, op, format!("rank {rank} is not here")))
    }

    /// What carries.
    pub fn carrier(&self) -> &Carrier {
        &self.carrier
    }

    /// Check, before anything is sent, that a device can reduce what a call asks for.
    ///
    /// # Errors
    /// `Unsupported` if what it needs is not there.
    pub fn offers(&self, device: Device, call: &Call<'_>) -> Result<()> {
        if call.reduce.is_none() || self.carrier.reduces(call) {
            return Ok(());
        }
        fold::offers(call.kind.op(), device, call)
    }

    /// Whether no operands of calls of different ranks can be the same memory, as each is on its rank's GPU.
    pub fn keeps_apart<'a>(&self, calls: &[impl Ranked<'a>]) -> bool {
        self.are_apart && !calls.iter().any(|part| part.call().is_on_host())
    }

    /// Enqueue calls of ranks: those of one operation, of all ranks that are here; or transfers, both ends where both ranks
    /// are here.
    ///
    /// # Errors
    /// `OutOfMemory`, and those of the devices. Nothing uses the operands any more then, and the carrier is of no use.
    pub fn run<'a>(&self, calls: &[impl Ranked<'a>]) -> Result<()> {
        let Some(first) = calls.first().map(Ranked::call) else { return Ok(()) };
        let op = first.kind.op();
        let has = |part: &_| self.carrier.has(Ranked::rank(part), Ranked::call(part));
        // Collectives are all alike.
        let alike = if first.is_transfer() { calls } else { &calls[..1] };
        let is_native = alike.iter().all(has);
        if !is_native || calls.iter().any(|part| part.call().is_on_host()) {
            return self.work(op, calls, is_native);
        }
        let guard = Guard { engine: self, calls, operands: PhantomData };
        self.carrier.native(op, calls.iter().map(|part| Native::new(part.rank(), part.call())))?;
        // All is enqueued.
        std::mem::forget(guard);
        Ok(())
    }

    /// Enqueue calls in steps, or those of operands that are brought to the devices.
    fn work<'a>(&self, op: &'static str, calls: &[impl Ranked<'a>], is_native: bool) -> Result<()> {
        let by_copies = !is_native && self.carrier.copies(calls);
        let is_aside = by_copies && self.devices.len() > 1;
        let mut works = reserve::with_capacity(op, calls.len())?;
        // Before the works' memory goes.
        let guard = Guard { engine: self, calls, operands: PhantomData };
        for (rank, call) in calls.iter().map(|part| (part.rank(), part.call())) {
            let is_aside = is_aside && moved(call, self.size) >= ASIDE;
            let plan = if is_native { Plan::default() } else { plan(call, rank, self.size, is_aside)? };
            let device = self.device(op, rank)?;
            let side = is_aside.then(|| self.sides.get(op, rank - self.first, &self.devices)).transpose()?;
            works.push(Work::new(call, (rank, self.size), device, side, plan)?);
        }
        match is_native {
            true => self.carrier.native(op, works.iter().zip(calls).map(|(work, part)| work.native(part.call())))?,
            false => self.steps(&works, by_copies)?,
        }
        works.iter().try_for_each(Work::bring_back)?;
        std::mem::forget(guard);
        Ok(())
    }

    fn steps(&self, works: &[Work], by_copies: bool) -> Result<()> {
        let Some(first) = works.first() else { return Ok(()) };
        // Whether there are copies that calls' streams do not wait for yet.
        let mut is_moving = false;
        for (i, step) in first.plan.steps.iter().enumerate() {
            match step {
                Step::Wait if by_copies => self.marks.order(works, On::Fold, On::Move)?,
                // Transfers of other carriers wait for both ends.
                Step::Wait => {}
                Step::Move { .. } => is_moving |= self.moves(works, i, by_copies)? && by_copies,
                Step::Fold(_) => {
                    if std::mem::take(&mut is_moving) {
                        self.marks.order(works, On::Move, On::Fold)?;
                    }
                    for work in works {
                        if let Some(Step::Fold(fold)) = work.plan.steps.get(i) {
                            fold::run(work, fold)?;
                        }
                    }
                }
            }
        }
        if is_moving { self.marks.order(works, On::Move, On::Fold) } else { Ok(()) }
    }

    /// Transfers of all works in a step; whether there are any.
    fn moves(&self, works: &[Work], step: usize, by_copies: bool) -> Result<bool> {
        let op = works[0].op;
        let (mut out, mut into) = (Vec::new(), Vec::new());
        for (work, it) in works.iter().enumerate() {
            let Some(Step::Move { out: sent, into: received }) = it.plan.steps.get(step) else { continue };
            let own = |ends: &[(usize, Region)]| {
                ends.iter().find(|(other, _)| *other == it.rank).map(|(_, own)| it.area(own))
            };
            let own = [own(sent).transpose()?, own(received).transpose()?].map(|own| own.map(|own| own.address()));
            // In place, a rank has already what it sends to itself.
            let is_there = own[0].is_some() && own[0] == own[1];
            for (ends, found) in [(&mut out, sent), (&mut into, received)] {
                for &(other, region) in found {
                    if region.bytes > 0 && !(is_there && other == it.rank) {
                        reserve::push(op, ends, End { work, other, area: it.area(&region)? })?;
                    }
                }
            }
        }
        if out.is_empty() && into.is_empty() {
            return Ok(false);
        }
        match by_copies {
            true => copies::exchange(op, works, &out, &into)?,
            false => self.carrier.exchange(op, works, &out, &into)?,
        }
        Ok(true)
    }
}
