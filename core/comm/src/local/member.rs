//! A rank of several in one process.

use super::hub::{Hub, Whole};
use super::posted::{Part, post_and_wait};
use crate::call::Call;
use crate::options::Options;
use crate::transport::{Invitation, Transport};
use icicle_device::Device;
use icicle_error::{Error, ErrorCode, Result, reserve};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// A rank of several in one process.
#[derive(Debug)]
pub(crate) struct Member {
    hub: Arc<Hub>,
    rank: usize,
    device: Device,
    timeout: Duration,
}

/// Numbers of communicators that are split off.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// Calls of several ranks that one thread issues.
pub(crate) fn run_all(parts: Vec<(&Member, Vec<Call<'_>>)>) -> Result<()> {
    let part = |(member, calls)| -> Part<'_, '_> {
        let member: &Member = member;
        Part { hub: &member.hub, rank: member.rank, device: member.device, timeout: member.timeout, calls }
    };
    let fail = |error: Error| parts.iter().for_each(|(member, _)| member.hub.fail(error.clone()));
    let mut all = reserve::with_capacity("group", parts.len()).inspect_err(|error| fail(error.clone()))?;
    all.extend(parts.into_iter().map(part));
    post_and_wait(all)
}

impl Member {
    pub(super) fn hub(&self) -> &Hub {
        &self.hub
    }

    /// Whether it is of the same communicator.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.hub, &other.hub)
    }

    /// As [`Hub::begin_whole`].
    ///
    /// # Errors
    /// The first that ended communication.
    pub fn begin_whole(&self, what: Whole) -> Result<bool> {
        self.hub.begin_whole(what)
    }

    /// Every rank of a new communicator.
    ///
    /// # Errors
    /// Those of what carries between devices.
    pub fn all(devices: &[Device], options: &Options) -> Result<Vec<Self>> {
        let hub = Arc::new(Hub::new("init_all", devices.len(), options.ordered)?);
        devices.iter().enumerate().for_each(|(rank, &device)| hub.come(rank, device));
        hub.engine()?;
        Self::of(&hub, devices, options)
    }

    /// Every rank of a new communicator, whose calls an engine does.
    #[cfg(test)]
    pub fn with_engine(devices: &[Device], options: &Options, engine: crate::devices::Engine) -> Vec<Self> {
        Self::of(&Arc::new(Hub::with_engine(devices.len(), engine)), devices, options).unwrap()
    }

    fn of(hub: &Arc<Hub>, devices: &[Device], options: &Options) -> Result<Vec<Self>> {
        let rank = |(rank, &device)| Self { hub: hub.clone(), rank, device, timeout: options.timeout };
        reserve::collected("init_all", devices.iter().enumerate().map(rank))
    }
}

impl Transport for Member {
    fn run(&self, calls: Vec<Call<'_>>) -> Result<()> {
        run_all(vec![(self, calls)])
    }

    fn offers(&self, call: &Call<'_>) -> Result<()> {
        if call.reduce.is_some()
            // Who does not come is missed by the call.
            && let Ok(Some(engine)) = self.hub.engine()
        {
            engine.offers(self.device, call)?;
        }
        self.hub.check()
    }

    fn failure(&self) -> Option<Error> {
        self.hub.failure()
    }

    fn abort(&self, error: Error) {
        self.hub.fail(error);
    }

    fn invite(&self, size: usize) -> Result<Invitation> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let child = (Arc::new(Hub::new("split", size, self.hub.is_ordered())?), size);
        self.hub.children.lock().unwrap_or_else(PoisonError::into_inner).insert(number, child);
        let mut bytes = [0; 128];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        Ok(Invitation { bytes, id: None })
    }

    fn join(&self, invitation: &Invitation, _: usize, rank: usize, options: &Options) -> Result<Self> {
        let mut number = [0; 8];
        number.copy_from_slice(&invitation.bytes[..8]);
        let number = u64::from_le_bytes(number);
        let mut children = self.hub.children.lock().unwrap_or_else(PoisonError::into_inner);
        let unknown = || Error::new(ErrorCode::Internal, "split", "the communicator is not there");
        let (hub, left) = children.get_mut(&number).ok_or_else(unknown)?;
        let member = Self { hub: hub.clone(), rank, device: self.device, timeout: options.timeout };
        hub.come(rank, self.device);
        *left -= 1;
        if *left == 0 {
            children.remove(&number);
        }
        drop(children);
        // Once all have come.
        member.run(vec![Call::init()])?;
        Ok(member)
    }

    fn name(&self) -> String {
        match self.hub.engine() {
            Ok(Some(engine)) => engine.carrier().name(),
            _ => "host memory".to_owned(),
        }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.hub.leave(self.rank);
    }
}
