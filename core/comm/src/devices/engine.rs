//! Steps of several ranks, enqueued by one thread.

use super::carrier::{Carrier, End, Transfer};
use super::copies::pairs;
use super::plan::Step;
use super::work::Work;
use super::{area::enqueue, fold};
use crate::call::Call;
use crate::memory::divided;
use icicle_device::{Device, DeviceKind};
use icicle_error::reserve::listed;
use icicle_error::{Error, ErrorCode, Result, reserve};
use icicle_runtime::StreamRef;
use icicle_runtime::relay::follow;

/// What does calls of devices: of all ranks of a process, or of one of several processes.
#[derive(Debug)]
pub(crate) struct Engine {
    /// How many ranks there are in all.
    size: usize,
    /// The devices of those here, from the first on.
    devices: Vec<Device>,
    first: usize,
    carrier: Carrier,
}

/// What a failure leaves behind: dropping it ends what is under way, and waits for it.
struct Guard<'a> {
    carrier: &'a Carrier,
    streams: Vec<StreamRef>,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if !self.streams.is_empty() {
            self.carrier.abort();
        }
        for stream in &self.streams {
            // The first error is told.
            let _ = stream.synchronize();
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
        Self { size, devices, first, carrier }
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
    /// are here. Gives the streams that were enqueued on.
    ///
    /// # Errors
    /// `OutOfMemory`, and those of the devices. Nothing uses the operands any more then, and the carrier is of no use.
    pub fn run(&self, calls: &[(usize, Call<'_>)]) -> Result<Vec<StreamRef>> {
        let stream = |(rank, call): &(usize, Call<'_>)| {
            let device = self.device(call.kind.op(), *rank)?;
            Ok(call.stream().cloned().unwrap_or_else(|| StreamRef::default_of(device)))
        };
        let op = calls.first().map_or("group", |(_, call)| call.kind.op());
        let streams = listed(op, calls.iter().map(stream))?;
        let mut guard = Guard { carrier: &self.carrier, streams };
        let mut works = reserve::with_capacity(op, calls.len())?;
        self.begin(calls, &mut works)?;
        self.steps(&works)?;
        works.iter().try_for_each(Work::bring_back)?;
        Ok(std::mem::take(&mut guard.streams))
    }

    fn begin(&self, calls: &[(usize, Call<'_>)], works: &mut Vec<Work>) -> Result<()> {
        for (rank, call) in calls {
            let device = self.device(call.kind.op(), *rank)?;
            works.push(Work::new(call, (*rank, self.size), device, self.carrier.has(call))?);
        }
        Ok(())
    }

    fn steps(&self, works: &[Work]) -> Result<()> {
        let Some(first) = works.first() else { return Ok(()) };
        for i in 0..first.plan.steps.len() {
            match &first.plan.steps[i] {
                Step::Native => self.carrier.native(works)?,
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
            let end = |&(other, region)| Ok(End { work, other, area: it.area(&region)? });
            for (ends, found) in [(&mut out, sent), (&mut into, received)] {
                let mut found = found.iter().filter(|(_, region)| region.bytes > 0).map(end);
                found.try_for_each(|end| reserve::push(op, ends, end?))?;
            }
        }
        let is_own = |end: &End| works[end.work].rank == end.other;
        let ((own_out, out), (own_into, into)) = (divided(op, out, is_own)?, divided(op, into, is_own)?);
        self.carrier.exchange(op, works, &out, &into)?;
        for Transfer { from, to } in pairs(op, works, &own_out, &own_into)? {
            let (sends, receives) = (&works[from.0].stream, &works[to.0].stream);
            let apart = from.0 != to.0;
            if apart {
                follow(receives, sends)?;
            }
            enqueue(to.1, from.1, sends)?;
            if apart {
                follow(sends, receives)?;
            }
        }
        Ok(())
    }
}
