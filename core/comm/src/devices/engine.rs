//! Steps of several ranks, enqueued by one thread.

use super::carrier::{Carrier, End};
use super::copies::Marks;
use super::fold;
use super::plan::{Plan, Region, Step, plan};
use super::work::{Work, stream_of};
use crate::call::Call;
use icicle_device::{Device, DeviceKind};
use icicle_error::{Error, ErrorCode, Result, reserve};

/// What does calls of devices: of all ranks of a process, or of one of several processes.
#[derive(Debug)]
pub(crate) struct Engine {
    /// How many ranks there are in all.
    size: usize,
    /// The devices of those here, from the first on.
    devices: Vec<Device>,
    first: usize,
    carrier: Carrier,
    marks: Marks,
}

/// Calls under way: dropping it ends them, and waits for them.
struct Guard<'a> {
    engine: &'a Engine,
    calls: &'a [(usize, Call<'a>)],
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.engine.carrier.abort();
        for (rank, call) in self.calls {
            // The first error is told.
            let _ = self.engine.device(call.kind.op(), *rank).and_then(|device| stream_of(call, device).synchronize());
        }
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
        let carrier = super::nccl::carrier_of_process(op, devices, ordered)?;
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
        Self { size, devices, first, carrier, marks: Marks::default() }
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
        if call.reduce.is_none() || self.carrier.has(call) {
            return Ok(());
        }
        fold::offers(call.kind.op(), device, call)
    }

    /// Enqueue calls of ranks: those of one operation, of all ranks that are here; or transfers, both ends where both ranks
    /// are here.
    ///
    /// # Errors
    /// `OutOfMemory`, and those of the devices. Nothing uses the operands any more then, and the carrier is of no use.
    pub fn run(&self, calls: &[(usize, Call<'_>)]) -> Result<()> {
        let Some((_, first)) = calls.first() else { return Ok(()) };
        let guard = Guard { engine: self, calls };
        let mut works = reserve::with_capacity(first.kind.op(), calls.len())?;
        let is_native = self.carrier.has(first);
        for (rank, call) in calls {
            let plan = if is_native { Plan::default() } else { plan(call, *rank, self.size)? };
            let device = self.device(call.kind.op(), *rank)?;
            works.push(Work::new(call, (*rank, self.size), device, plan)?);
        }
        match is_native {
            true => self.carrier.native(&works)?,
            false => self.steps(&works)?,
        }
        works.iter().try_for_each(Work::bring_back)?;
        // All is enqueued.
        std::mem::forget(guard);
        Ok(())
    }

    fn steps(&self, works: &[Work]) -> Result<()> {
        let Some(first) = works.first() else { return Ok(()) };
        for i in 0..first.plan.steps.len() {
            match &first.plan.steps[i] {
                Step::Fold(_) => {
                    for work in works {
                        if let Some(Step::Fold(fold)) = work.plan.steps.get(i) {
                            fold::run(work, fold)?;
                        }
                    }
                }
                Step::Move { .. } => self.moves(works, i)?,
            }
        }
        Ok(())
    }

    /// Transfers of all works in a step.
    fn moves(&self, works: &[Work], step: usize) -> Result<()> {
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
            return Ok(());
        }
        self.carrier.exchange(op, works, &self.marks, &out, &into)
    }
}
