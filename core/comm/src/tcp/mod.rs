//! Ranks in processes of their own: each has a connection to each, over TCP.

mod algorithms;
mod env;
mod exchange;
mod handshake;
mod id;
mod rendezvous;

pub use id::UniqueId;

use crate::call::Call;
use crate::local::Member;
use crate::memory::copy_all;
use crate::transport::{INIT, Invitation, Options, Transport};
use algorithms::Collective;
use exchange::{Incoming, Outgoing, Tag, Wires, close};
use icicle_device::{Dst, Src};
use icicle_error::{Error, ErrorCode, Result};
use rendezvous::Mesh;
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// A rank with a connection to each other.
#[derive(Debug)]
pub(crate) struct Tcp {
    rank: usize,
    size: usize,
    options: Options,
    mesh: Mesh,
    failure: OnceLock<Error>,
    /// One call at a time; ranks that were sent part of a message.
    turn: Mutex<Vec<bool>>,
}

impl Tcp {
    /// Connect, and wait until all ranks have.
    pub fn connect(id: &UniqueId, size: usize, rank: usize, options: &Options) -> Result<Self> {
        let now = Instant::now();
        let deadline = now.checked_add(options.timeout).unwrap_or(now + Duration::from_secs(1 << 30));
        let mesh = rendezvous::mesh(id, size, rank, deadline)?;
        for stream in mesh.iter().flatten() {
            let ready = stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true));
            ready.map_err(|error| Error::new(ErrorCode::Internal, INIT, format!("a connection: {error}")))?;
        }
        let (failure, turn) = (OnceLock::new(), Mutex::new(vec![false; size]));
        let this = Self { rank, size, options: options.clone(), mesh, failure, turn };
        this.run(vec![Call::init()])?;
        Ok(this)
    }

    fn all(&self, calls: Vec<Call<'_>>, partial: &mut Vec<bool>) -> Result<()> {
        let failure = || self.failure.get().cloned();
        let mut wires = Wires { op: INIT, mesh: &self.mesh, timeout: self.options.timeout, failure: &failure, partial };
        let (transfers, collectives): (Vec<_>, Vec<_>) = calls.into_iter().partition(Call::is_transfer);
        if !transfers.is_empty() {
            self.transfers(&mut wires, transfers)?;
        }
        for call in collectives {
            let mut collective = Collective::new(&mut wires, self.rank, self.size, &call);
            if self.options.check {
                collective.check()?;
            }
            collective.run(call)?;
        }
        Ok(())
    }

    /// Transfers in both directions, all at once.
    fn transfers(&self, wires: &mut Wires<'_>, calls: Vec<Call<'_>>) -> Result<()> {
        wires.op = calls.first().map_or("group", |call| call.kind.op());
        let (own, mut calls): (Vec<_>, Vec<_>) = calls.into_iter().partition(|call| call.peer == self.rank);
        if self.options.check {
            // Both ends name those that go from the lower rank first: the first of each direction are one transfer.
            let from = |call: &Call<'_>| if call.send.is_some() { self.rank } else { call.peer };
            calls.sort_by_key(|call| from(call) != self.rank.min(call.peer));
            let what = |call: &Call<'_>| (Tag::Check, call.descriptor());
            let outgoing: Vec<_> = calls
                .iter()
                .map(|call| Outgoing { to: call.peer, what: what(call), body: Src::from(&[0u8; 0][..]) })
                .collect();
            let incoming: Vec<_> = calls
                .iter()
                .map(|call| Incoming { from: call.peer, what: what(call), body: Dst::from(&mut [0u8; 0][..]) })
                .collect();
            wires.exchange(outgoing, incoming)?;
        }
        let (mut outgoing, mut incoming) = (Vec::new(), Vec::new());
        for call in calls {
            let what = (Tag::Data, call.descriptor());
            outgoing.extend(call.send.map(|body| Outgoing { to: call.peer, what, body }));
            incoming.extend(call.recv.map(|body| Incoming { from: call.peer, what, body }));
        }
        wires.exchange(outgoing, incoming)?;
        // As many are sent as received, and what belongs together is equally long.
        let (mut sent, mut received) = (Vec::new(), Vec::new());
        for call in own {
            sent.extend(call.send);
            received.extend(call.recv);
        }
        copy_all(wires.op, received.into_iter().zip(sent).collect())
    }
}

impl Transport for Tcp {
    fn run(&self, calls: Vec<Call<'_>>) -> Result<()> {
        let mut partial = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(failure) = self.failure.get() {
            return Err(failure.clone());
        }
        let result = self.all(calls, &mut partial);
        match result {
            Ok(()) => Ok(()),
            Err(error) => {
                // An abort closes by itself, once this thread lets it.
                if self.failure.set(error.clone()).is_ok() {
                    close(&self.mesh, &partial, &error);
                }
                Err(self.failure.get().cloned().unwrap_or(error))
            }
        }
    }

    fn failure(&self) -> Option<Error> {
        self.failure.get().cloned()
    }

    fn abort(&self, error: Error) {
        if self.failure.set(error.clone()).is_err() {
            return;
        }
        // Who waits for connections wakes.
        for stream in self.mesh.iter().flatten() {
            let _ = stream.shutdown(Shutdown::Read);
        }
        let partial = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        close(&self.mesh, &partial, &error);
    }

    fn invite(&self, _: usize) -> Result<Invitation> {
        let here = self.mesh.iter().flatten().find_map(|stream| stream.local_addr().ok());
        let ip = here.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip());
        let id = UniqueId::at(SocketAddr::new(ip, 0))?;
        Ok(Invitation { bytes: id.to_bytes(), id: Some(id) })
    }

    fn join(&self, invitation: &Invitation, size: usize, rank: usize, options: &Options) -> Result<Box<dyn Transport>> {
        let id = match &invitation.id {
            Some(id) => id.clone(),
            None => UniqueId::from_bytes(&invitation.bytes)?,
        };
        Ok(Box::new(Self::connect(&id, size, rank, options)?))
    }

    fn member(&self) -> Option<&Member> {
        None
    }
}
