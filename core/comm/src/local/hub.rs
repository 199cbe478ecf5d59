//! Where the ranks of one process meet.

use crate::call::{Call, INIT, Kind};
use crate::devices::{Engine, of_process};
use icicle_device::Device;
use icicle_error::reserve::listed;
use icicle_error::{Error, ErrorCode, Result, reserve};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// A posted call's number.
pub(super) type Ticket = u64;

/// How far a posted call is.
#[derive(Debug)]
enum Progress {
    /// Others have not come yet.
    Waiting(Call<'static>),
    /// Being done.
    Running,
    /// Done.
    Done(Result<()>),
}

/// A posted call.
#[derive(Debug)]
struct Entry {
    ticket: Ticket,
    rank: usize,
    kind: Kind,
    progress: Progress,
}

/// What all ranks have posted.
#[derive(Debug, Default)]
struct State {
    /// Threads that wait for a change.
    waiting: usize,
    /// Ranks whose communicator is gone.
    left: Vec<bool>,
    /// How many collectives each rank has posted.
    posted: Vec<u64>,
    next: Ticket,
    /// In the order of tickets.
    entries: Vec<Entry>,
    /// Collectives that some ranks have not come to, by number: the ticket of each rank.
    rounds: Vec<(u64, Vec<Option<Ticket>>)>,
    /// Transfers from a rank to another whose other end has not come, in the order of tickets; between two ranks all of one kind.
    transfers: Vec<((usize, usize), Ticket)>,
}

/// Where the ranks of one process meet.
#[derive(Debug)]
pub(super) struct Hub {
    /// The first error that ended communication; set under the lock, so that who waits learns of it, and read without.
    failure: OnceLock<Error>,
    state: Mutex<State>,
    changed: Condvar,
    pub size: usize,
    /// Whether reductions keep the order of ranks.
    ordered: bool,
    /// The devices of ranks that came.
    devices: Mutex<Vec<Option<Device>>>,
    /// What does calls of devices with memory of their own; found once all ranks came.
    engine: OnceLock<Result<Option<Engine>>>,
    /// Communicators that are split off, until all their ranks came.
    pub children: Mutex<BTreeMap<u64, (Arc<Hub>, usize)>>,
}

/// Calls that belong together and to nothing else: of a collective, or from a rank to another.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Whole {
    Collective,
    Transfer(usize, usize),
}

/// Calls to be done together, in the order of ranks; of a transfer the sending one first.
pub(super) struct Job {
    pub calls: Vec<(usize, Call<'static>)>,
    pub tickets: Vec<Ticket>,
}

impl Hub {
    pub fn new(op: &'static str, size: usize, ordered: bool) -> Result<Self> {
        let (left, posted) = (reserve::filled(op, size, false)?, reserve::filled(op, size, 0)?);
        Ok(Self {
            failure: OnceLock::new(),
            state: Mutex::new(State { left, posted, ..State::default() }),
            changed: Condvar::new(),
            size,
            ordered,
            devices: Mutex::new(reserve::filled(op, size, None)?),
            engine: OnceLock::new(),
            children: Mutex::default(),
        })
    }

    /// One whose calls an engine does.
    #[cfg(test)]
    pub fn with_engine(size: usize, engine: Engine) -> Self {
        let hub = Self::new("test", size, false).unwrap();
        let _ = hub.engine.set(Ok(Some(engine)));
        hub
    }

    /// A rank comes, on a device.
    pub fn come(&self, rank: usize, device: Device) {
        self.devices.lock().unwrap_or_else(PoisonError::into_inner)[rank] = Some(device);
    }

    /// What does calls, if CPUs do not; all ranks have come.
    pub fn engine(&self) -> Result<Option<&Engine>> {
        let find = || {
            let devices = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
            let missing = || Error::new(ErrorCode::Internal, INIT, "not all ranks have come");
            let devices = listed(INIT, devices.iter().map(|device| device.ok_or_else(missing)))?;
            of_process(INIT, &devices, self.ordered)
        };
        self.engine.get_or_init(find).as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn failure(&self) -> Option<Error> {
        self.failure.get().cloned()
    }

    /// Check that communication has not ended.
    ///
    /// # Errors
    /// The first that ended it.
    pub fn check(&self) -> Result<()> {
        self.failure.get().map_or(Ok(()), |failure| Err(failure.clone()))
    }

    /// End communication with an error, unless it is.
    pub fn fail(&self, error: Error) {
        self.failed(&mut self.lock(), error);
    }

    /// As `fail`, under the lock.
    fn failed(&self, state: &mut State, error: Error) {
        let _ = self.failure.set(error);
        self.tell(state);
    }

    /// Wake who waits, if anybody does: it would ask the system each time.
    fn tell(&self, state: &State) {
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    /// Whether reductions keep the order of ranks.
    pub fn is_ordered(&self) -> bool {
        self.ordered
    }

    /// A rank's communicator is gone: who waits for it need not.
    pub fn leave(&self, rank: usize) {
        let mut state = self.lock();
        state.left[rank] = true;
        if let Some(error) = state.abandoned() {
            self.failed(&mut state, error);
        }
    }

    /// Begin a collective that one thread calls for all ranks, or a transfer of which it calls both ends: nobody need be waited for.
    /// False if another thread has such calls of some of them here, behind which this one is to come.
    ///
    /// # Errors
    /// The first that ended communication.
    pub fn begin_whole(&self, what: Whole) -> Result<bool> {
        let mut state = self.lock();
        self.check()?;
        if let Whole::Transfer(from, to) = what {
            return Ok(!state.transfers.iter().any(|(ends, _)| *ends == (from, to)));
        }
        let first = state.posted.first().copied();
        if state.posted.iter().any(|&posted| Some(posted) != first) {
            return Ok(false);
        }
        state.posted.iter_mut().for_each(|posted| *posted += 1);
        Ok(true)
    }

    /// Post a rank's call; if it is the last of those that belong together, they are to be done.
    pub fn post(&self, rank: usize, call: Call<'static>) -> Result<(Ticket, Option<Job>)> {
        let mut state = self.lock();
        self.check()?;
        let ticket = state.next;
        state.next += 1;
        let posted = state.take(ticket, rank, call, self.size);
        // The other ranks need not wait for a rank that has no memory for its call, nor for one that left.
        if let Some(error) = posted.as_ref().err().cloned().or_else(|| state.abandoned()) {
            self.failed(&mut state, error);
        }
        posted.map(|job| (ticket, job))
    }

    /// Whether nobody uses the operands of any of these.
    pub fn are_over(&self, tickets: &[Ticket]) -> bool {
        let state = self.lock();
        tickets.iter().all(|ticket| state.is_over(*ticket))
    }

    /// Calls are done; they may have no tickets.
    pub fn finish(&self, tickets: &[Ticket], result: Result<()>) {
        if tickets.is_empty() && result.is_ok() {
            return;
        }
        let mut state = self.lock();
        for ticket in tickets {
            if let Some(entry) = state.entry_mut(*ticket) {
                entry.progress = Progress::Done(result.clone());
            }
        }
        match result {
            Ok(()) => self.tell(&state),
            Err(error) => self.failed(&mut state, error),
        }
    }

    /// Wait until each call is done, or cannot be any more; the entries are gone then. `left` answers how much time is
    /// left; none
    /// fails all ranks.
    pub fn wait(&self, tickets: &[Ticket], left: impl Fn() -> Option<Duration>) -> Result<()> {
        let mut state = self.lock();
        loop {
            if self.failure.get().is_some() {
                state.withdraw(tickets);
            }
            if tickets.iter().all(|ticket| state.is_over(*ticket)) {
                break;
            }
            // What is being done ends by itself.
            let is_waiting = tickets.iter().any(|ticket| state.is_waiting(*ticket));
            state.waiting += 1;
            state = match (is_waiting, left()) {
                (false, _) => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                (true, Some(left)) => self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                (true, None) => {
                    let error = state.late(tickets);
                    self.failed(&mut state, error);
                    state
                }
            };
            state.waiting -= 1;
        }
        let mut result = Ok(());
        for ticket in tickets {
            let progress = state.remove(*ticket).map(|entry| entry.progress);
            if result.is_ok() {
                result = match (progress, self.failure.get()) {
                    (Some(Progress::Done(result)), _) => result,
                    (_, Some(failure)) => Err(failure.clone()),
                    (_, None) => Err(Error::new(ErrorCode::Internal, "group", "a call is gone without a result")),
                };
            }
        }
        result
    }
}

impl State {
    /// Where an entry is.
    fn place(&self, ticket: Ticket) -> Option<usize> {
        self.entries.binary_search_by_key(&ticket, |entry| entry.ticket).ok()
    }

    fn entry(&self, ticket: Ticket) -> Option<&Entry> {
        self.place(ticket).map(|place| &self.entries[place])
    }

    fn entry_mut(&mut self, ticket: Ticket) -> Option<&mut Entry> {
        self.place(ticket).map(|place| &mut self.entries[place])
    }

    fn remove(&mut self, ticket: Ticket) -> Option<Entry> {
        self.place(ticket).map(|place| self.entries.remove(place))
    }

    fn is_waiting(&self, ticket: Ticket) -> bool {
        matches!(self.entry(ticket), Some(Entry { progress: Progress::Waiting(_), .. }))
    }

    /// Nobody uses its operands any more.
    fn is_over(&self, ticket: Ticket) -> bool {
        matches!(self.entry(ticket), None | Some(Entry { progress: Progress::Done(_), .. }))
    }

    /// Take a rank's call; if it is the last of those that belong together, they are to be done. After an error it is not here,
    /// and all waits as before.
    fn take(&mut self, ticket: Ticket, rank: usize, call: Call<'static>, size: usize) -> Result<Option<Job>> {
        let (op, kind, peer) = (call.kind.op(), call.kind, call.peer);
        reserve::push(op, &mut self.entries, Entry { ticket, rank, kind, progress: Progress::Waiting(call) })?;
        let together = match kind {
            Kind::Send => self.transfer(op, ticket, (rank, peer), kind),
            Kind::Recv => self.transfer(op, ticket, (peer, rank), kind),
            _ => self.collective(op, ticket, rank, size),
        };
        let job = together.and_then(|tickets| tickets.map(|tickets| self.start(op, tickets)).transpose());
        if job.is_err() {
            self.remove(ticket);
        }
        job
    }

    /// Take back what nobody has begun.
    fn withdraw(&mut self, tickets: &[Ticket]) {
        for ticket in tickets {
            if self.is_waiting(*ticket) {
                self.remove(*ticket);
            }
        }
    }

    /// The tickets of a collective, if this rank is the last to come.
    fn collective(
        &mut self,
        op: &'static str,
        ticket: Ticket,
        rank: usize,
        size: usize,
    ) -> Result<Option<Vec<Ticket>>> {
        let number = self.posted[rank];
        self.posted[rank] += 1;
        let place = match self.rounds.iter().position(|(found, _)| *found == number) {
            Some(place) => place,
            None => {
                reserve::push(op, &mut self.rounds, (number, reserve::filled(op, size, None)?))?;
                self.rounds.len() - 1
            }
        };
        let round = &mut self.rounds[place].1;
        round[rank] = Some(ticket);
        if round.iter().any(Option::is_none) {
            return Ok(None);
        }
        let all = listed(op, round.iter().flatten().copied().map(Ok))?;
        self.rounds.remove(place);
        Ok(Some(all))
    }

    /// The tickets of both ends of a transfer, if the other end is there.
    fn transfer(
        &mut self,
        op: &'static str,
        ticket: Ticket,
        ends: (usize, usize),
        kind: Kind,
    ) -> Result<Option<Vec<Ticket>>> {
        let first = self.transfers.iter().position(|(found, _)| *found == ends);
        let is_other = |place: &usize| self.entry(self.transfers[*place].1).is_some_and(|entry| entry.kind != kind);
        let Some(place) = first.filter(is_other) else {
            return reserve::push(op, &mut self.transfers, (ends, ticket)).map(|()| None);
        };
        let (_, other) = self.transfers.remove(place);
        Ok(Some(if kind == Kind::Send { vec![ticket, other] } else { vec![other, ticket] }))
    }

    /// Take calls out, to be done: nobody withdraws them now.
    fn start(&mut self, op: &'static str, tickets: Vec<Ticket>) -> Result<Job> {
        let mut calls = reserve::with_capacity(op, tickets.len())?;
        for ticket in &tickets {
            if let Some(entry) = self.entry_mut(*ticket)
                && let Progress::Waiting(call) = std::mem::replace(&mut entry.progress, Progress::Running)
            {
                calls.push((entry.rank, call));
            }
        }
        Ok(Job { calls, tickets })
    }

    /// Whether a call waits for a rank.
    fn misses(&self, ticket: Ticket, rank: usize) -> bool {
        if let Some((_, round)) = self.rounds.iter().find(|(_, round)| round.contains(&Some(ticket))) {
            return round[rank].is_none();
        }
        let transfer = self.transfers.iter().find(|(_, found)| *found == ticket);
        match (transfer, self.entry(ticket)) {
            (Some(((from, to), _)), Some(entry)) => rank == if entry.rank == *from { *to } else { *from },
            _ => false,
        }
    }

    /// What a call that waits for ranks which left ends with.
    fn abandoned(&self) -> Option<Error> {
        let left = |rank: &usize| self.left[*rank];
        if !self.left.contains(&true) {
            return None;
        }
        for entry in self.entries.iter().filter(|entry| matches!(entry.progress, Progress::Waiting(_))) {
            let mut gone = (0..self.left.len()).filter(left);
            if let Some(gone) = gone.find(|&rank| self.misses(entry.ticket, rank)) {
                let detail = format!("rank {gone} left the communicator, and rank {} waits for it", entry.rank);
                return Some(Error::new(ErrorCode::RemoteError, entry.kind.op(), detail));
            }
        }
        None
    }

    /// What ends when time is up.
    fn late(&self, tickets: &[Ticket]) -> Error {
        let waiting = tickets.iter().find(|ticket| self.is_waiting(**ticket));
        let op = waiting.and_then(|ticket| self.entry(*ticket)).map_or("group", |entry| entry.kind.op());
        let is_missing = |rank: &usize| tickets.iter().any(|ticket| self.misses(*ticket, *rank));
        let missing: Vec<usize> = (0..self.left.len()).filter(is_missing).collect();
        Error::new(ErrorCode::Timeout, op, format!("timed out waiting for ranks {missing:?}"))
    }
}
