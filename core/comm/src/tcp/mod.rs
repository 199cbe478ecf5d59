//! Ranks in processes of their own: each has a connection to each, over TCP.

mod algorithms;
mod env;
mod exchange;
mod handshake;
pub(crate) mod id;
mod rendezvous;

pub use id::UniqueId;

use crate::call::{Call, INIT};
use crate::memory::{copy_all, divided};
use crate::options::Options;
use crate::transport::{Invitation, Transport};
use algorithms::Collective;
use exchange::{Incoming, Mesh, Outgoing, Tag, Wires, close};
use icicle_device::{Dst, Src};
use icicle_error::reserve::listed;
use icicle_error::{Error, ErrorCode, Result, reserve};
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
    /// The process that connected.
    process: u32,
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
        let (failure, turn) = (OnceLock::new(), Mutex::new(reserve::filled(INIT, size, false)?));
        let this = Self { rank, size, options: options.clone(), mesh, failure, turn, process: std::process::id() };
        this.run(vec![Call::init()])?;
        Ok(this)
    }

    /// Check that this is no forked child, which has its parent's connections, but is no rank.
    fn is_own(&self, op: &'static str) -> Result<()> {
        match std::process::id() == self.process {
            true => Ok(()),
            false => Err(Error::argument(op, "communicator: is the parent's; a forked child must make its own")),
        }
    }

    /// A result, of which the other ranks are told if it is an error.
    fn told(&self, result: Result<()>, partial: &[bool]) -> Result<()> {
        let Err(error) = result else { return Ok(()) };
        // An abort closes by itself, once this thread lets it.
        if self.failure.set(error.clone()).is_ok() {
            close(&self.mesh, partial, &error);
        }
        Err(self.failure.get().cloned().unwrap_or(error))
    }

    /// Compare what ranks are about to call, and wait until all that it concerns do: of calls that something else carries.
    #[cfg(feature = "cuda")]
    pub fn meet(&self, calls: &[Call<'_>]) -> Result<()> {
        self.is_own(calls.first().map_or(INIT, |call| call.kind.op()))?;
        let mut partial = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(failure) = self.failure.get() {
            return Err(failure.clone());
        }
        let result = self.compare(calls, &mut partial);
        self.told(result, &partial)
    }

    #[cfg(feature = "cuda")]
    fn compare(&self, calls: &[Call<'_>], partial: &mut Vec<bool>) -> Result<()> {
        let failure = || self.failure.get().cloned();
        let mut wires = Wires { op: INIT, mesh: &self.mesh, timeout: self.options.timeout, failure: &failure, partial };
        let transfers = calls.iter().filter(|call| call.is_transfer() && call.peer != self.rank);
        let transfers = listed(INIT, transfers.map(Ok))?;
        if !transfers.is_empty() {
            wires.op = transfers[0].kind.op();
            self.compare_transfers(&mut wires, transfers)?;
        }
        for call in calls.iter().filter(|call| !call.is_transfer()) {
            Collective::new(&mut wires, self.rank, self.size, call).check()?;
        }
        Ok(())
    }

    /// Whether a connection ended, and to which rank. Nothing is read.
    #[cfg(feature = "cuda")]
    pub fn ended(&self) -> Option<usize> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let ends = PollFlags::RDHUP | PollFlags::HUP | PollFlags::ERR;
        let ranks: Vec<usize> = (0..self.size).filter(|&rank| self.mesh[rank].is_some()).collect();
        let mut asked: Vec<_> =
            self.mesh.iter().flatten().map(|stream| PollFd::new(stream, PollFlags::RDHUP)).collect();
        poll(&mut asked, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).ok()?;
        asked.iter().position(|fd| fd.revents().intersects(ends)).map(|place| ranks[place])
    }

    /// Tell both ends of transfers what the other is about to do.
    fn compare_transfers(&self, wires: &mut Wires<'_>, calls: Vec<&Call<'_>>) -> Result<()> {
        // Both ends name those that go from the lower rank first: the first of each direction are one transfer.
        let from = |call: &Call<'_>| if call.send.is_some() { self.rank } else { call.peer };
        let (up, down) = divided(wires.op, calls, |call| from(call) == self.rank.min(call.peer))?;
        let calls = || up.iter().chain(&down);
        let what = |call: &Call<'_>| (Tag::Check, call.descriptor());
        let outgoing = calls().map(|call| Outgoing { to: call.peer, what: what(call), body: Src::from(&[0u8; 0][..]) });
        let incoming =
            calls().map(|call| Incoming { from: call.peer, what: what(call), body: Dst::from(&mut [0u8; 0][..]) });
        wires.exchange(outgoing, incoming)
    }

    fn all(&self, calls: Vec<Call<'_>>, partial: &mut Vec<bool>) -> Result<()> {
        let failure = || self.failure.get().cloned();
        let mut wires = Wires { op: INIT, mesh: &self.mesh, timeout: self.options.timeout, failure: &failure, partial };
        let (transfers, collectives) = divided(wires.op, calls, Call::is_transfer)?;
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
        let (own, calls) = divided(wires.op, calls, |call| call.peer == self.rank)?;
        if self.options.check {
            self.compare_transfers(wires, reserve::collected(wires.op, calls.iter())?)?;
        }
        let (sends, receives) = divided(wires.op, calls, |call| call.send.is_some())?;
        let what = |call: &Call<'_>| (Tag::Data, call.descriptor());
        let outgoing = sends.into_iter().filter_map(|call| {
            let (to, what) = (call.peer, what(&call));
            call.send.map(|body| Outgoing { to, what, body })
        });
        let incoming = receives.into_iter().filter_map(|call| {
            let (from, what) = (call.peer, what(&call));
            call.recv.map(|body| Incoming { from, what, body })
        });
        wires.exchange(outgoing, incoming)?;
        // As many are sent as received, and what belongs together is equally long.
        let (sent, received) = divided(wires.op, own, |call| call.send.is_some())?;
        let received = received.into_iter().filter_map(|call| call.recv);
        let pairs = received.zip(sent.into_iter().filter_map(|call| call.send));
        copy_all(wires.op, listed(wires.op, pairs.map(Ok))?)
    }
}

impl Transport for Tcp {
    fn run(&self, calls: Vec<Call<'_>>) -> Result<()> {
        self.is_own(calls.first().map_or(INIT, |call| call.kind.op()))?;
        let mut partial = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(failure) = self.failure.get() {
            return Err(failure.clone());
        }
        let calls = listed("group", calls.into_iter().map(Call::on_host));
        let result = calls.and_then(|calls| self.all(calls, &mut partial));
        self.told(result, &partial)
    }

    fn name(&self) -> String {
        "TCP".to_owned()
    }

    fn failure(&self) -> Option<Error> {
        self.failure.get().cloned()
    }

    fn abort(&self, error: Error) {
        if self.failure.set(error.clone()).is_err() || self.is_own("abort").is_err() {
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

    fn join(&self, invitation: &Invitation, size: usize, rank: usize, options: &Options) -> Result<Self> {
        let id = match &invitation.id {
            Some(id) => id.clone(),
            None => UniqueId::from_bytes(&invitation.bytes)?,
        };
        Self::connect(&id, size, rank, options)
    }
}
