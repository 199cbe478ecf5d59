//! Where the ranks of one process meet.

use crate::call::{Call, Kind};
use crate::devices::{Engine, of_process};
use crate::transport::INIT;
use icicle_device::Device;
use icicle_error::{Error, ErrorCode, Result};
use std::collections::{BTreeMap, VecDeque};
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
    rank: usize,
    kind: Kind,
    progress: Progress,
}

/// What all ranks have posted.
#[derive(Debug, Default)]
struct State {
    failure: Option<Error>,
    /// Ranks whose communicator is gone.
    left: Vec<bool>,
    /// How many collectives each rank has posted.
    posted: Vec<u64>,
    next: Ticket,
    entries: BTreeMap<Ticket, Entry>,
    /// Collectives that some ranks have not come to, by number: the ticket of each rank.
    rounds: BTreeMap<u64, Vec<Option<Ticket>>>,
    /// Transfers from a rank to another whose other end has not come, all of one kind.
    transfers: BTreeMap<(usize, usize), VecDeque<Ticket>>,
}

/// Where the ranks of one process meet.
#[derive(Debug)]
pub(super) struct Hub {
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

/// Calls to be done together, in the order of ranks; of a transfer the sending one first.
pub(super) struct Job {
    pub calls: Vec<(usize, Call<'static>)>,
    pub tickets: Vec<Ticket>,
}

impl Hub {
    pub fn new(size: usize, ordered: bool) -> Self {
        let state = State { left: vec![false; size], posted: vec![0; size], ..State::default() };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            size,
            ordered,
            devices: Mutex::new(vec![None; size]),
            engine: OnceLock::new(),
            children: Mutex::default(),
        }
    }

    /// One whose calls an engine does.
    #[cfg(test)]
    pub fn with_engine(size: usize, engine: Engine) -> Self {
        let hub = Self::new(size, false);
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
            let devices: Option<Vec<Device>> = devices.iter().copied().collect();
            let devices = devices.ok_or_else(|| Error::new(ErrorCode::Internal, INIT, "not all ranks have come"))?;
            of_process(INIT, &devices, self.ordered)
        };
        self.engine.get_or_init(find).as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn failure(&self) -> Option<Error> {
        self.lock().failure.clone()
    }

    /// End communication with an error, unless it is.
    pub fn fail(&self, error: Error) {
        self.lock().fail(error);
        self.changed.notify_all();
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
            state.fail(error);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Post a rank's call; if it is the last of those that belong together, they are to be done.
    pub fn post(&self, rank: usize, call: Call<'static>) -> Result<(Ticket, Option<Job>)> {
        let mut state = self.lock();
        if let Some(failure) = &state.failure {
            return Err(failure.clone());
        }
        let ticket = state.next;
        state.next += 1;
        let (kind, peer) = (call.kind, call.peer);
        state.entries.insert(ticket, Entry { rank, kind, progress: Progress::Waiting(call) });
        let together = match kind {
            Kind::Send => state.transfer(ticket, (rank, peer), kind),
            Kind::Recv => state.transfer(ticket, (peer, rank), kind),
            _ => state.collective(ticket, rank, self.size),
        };
        let job = together.map(|tickets| state.start(tickets));
        if let Some(error) = state.abandoned() {
            state.fail(error);
            self.changed.notify_all();
        }
        Ok((ticket, job))
    }

    /// Whether nobody uses the operands of any of these.
    pub fn are_over(&self, tickets: &[Ticket]) -> bool {
        let state = self.lock();
        tickets.iter().all(|ticket| state.is_over(*ticket))
    }

    /// Calls are done.
    pub fn finish(&self, tickets: &[Ticket], result: &Result<()>) {
        let mut state = self.lock();
        for ticket in tickets {
            if let Some(entry) = state.entries.get_mut(ticket) {
                entry.progress = Progress::Done(result.clone());
            }
        }
        if let Err(error) = result {
            state.fail(error.clone());
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Wait until each call is done, or cannot be any more; the entries are gone then. `left` answers how much time is
    /// left; none
    /// fails all ranks.
    pub fn wait(&self, tickets: &[Ticket], left: impl Fn() -> Option<Duration>) -> Result<()> {
        let mut state = self.lock();
        loop {
            if state.failure.is_some() {
                state.withdraw(tickets);
            }
            if tickets.iter().all(|ticket| state.is_over(*ticket)) {
                break;
            }
            // What is being done ends by itself.
            let is_waiting = tickets.iter().any(|ticket| state.is_waiting(*ticket));
            state = match (is_waiting, left()) {
                (false, _) => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                (true, Some(left)) => self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                (true, None) => {
                    let error = state.late(tickets);
                    state.fail(error);
                    self.changed.notify_all();
                    state
                }
            };
        }
        let mut result = Ok(());
        for ticket in tickets {
            let progress = state.entries.remove(ticket).map(|entry| entry.progress);
            if result.is_ok() {
                result = match (progress, &state.failure) {
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
    fn fail(&mut self, error: Error) {
        self.failure.get_or_insert(error);
    }

    fn is_waiting(&self, ticket: Ticket) -> bool {
        matches!(self.entries.get(&ticket), Some(Entry { progress: Progress::Waiting(_), .. }))
    }

    /// Nobody uses its operands any more.
    fn is_over(&self, ticket: Ticket) -> bool {
        matches!(self.entries.get(&ticket), None | Some(Entry { progress: Progress::Done(_), .. }))
    }

    /// Take back what nobody has begun.
    fn withdraw(&mut self, tickets: &[Ticket]) {
        for ticket in tickets {
            if self.is_waiting(*ticket) {
                self.entries.remove(ticket);
            }
        }
    }

    /// The tickets of a collective, if this rank is the last to come.
    fn collective(&mut self, ticket: Ticket, rank: usize, size: usize) -> Option<Vec<Ticket>> {
        let number = self.posted[rank];
        self.posted[rank] += 1;
        let round = self.rounds.entry(number).or_insert_with(|| vec![None; size]);
        round[rank] = Some(ticket);
        let all: Option<Vec<Ticket>> = round.iter().copied().collect();
        if all.is_some() {
            self.rounds.remove(&number);
        }
        all
    }

    /// The tickets of both ends of a transfer, if the other end is there.
    fn transfer(&mut self, ticket: Ticket, ends: (usize, usize), kind: Kind) -> Option<Vec<Ticket>> {
        let queue = self.transfers.entry(ends).or_default();
        let other = queue.front().copied();
        match other.filter(|other| self.entries.get(other).is_some_and(|entry| entry.kind != kind)) {
            Some(other) => {
                queue.pop_front();
                Some(if kind == Kind::Send { vec![ticket, other] } else { vec![other, ticket] })
            }
            None => {
                queue.push_back(ticket);
                None
            }
        }
    }

    /// Take calls out, to be done: nobody withdraws them now.
    fn start(&mut self, tickets: Vec<Ticket>) -> Job {
        let mut calls = Vec::with_capacity(tickets.len());
        for ticket in &tickets {
            if let Some(entry) = self.entries.get_mut(ticket)
                && let Progress::Waiting(call) = std::mem::replace(&mut entry.progress, Progress::Running)
            {
                calls.push((entry.rank, call));
            }
        }
        Job { calls, tickets }
    }

    /// Ranks that a call waits for.
    fn missing(&self, ticket: Ticket) -> Vec<usize> {
        let round = self.rounds.values().find(|round| round.contains(&Some(ticket)));
        if let Some(round) = round {
            return (0..round.len()).filter(|&rank| round[rank].is_none()).collect();
        }
        let transfer = self.transfers.iter().find(|(_, queue)| queue.contains(&ticket));
        match (transfer, self.entries.get(&ticket)) {
            (Some(((from, to), _)), Some(entry)) => vec![if entry.rank == *from { *to } else { *from }],
            _ => Vec::new(),
        }
    }

    /// What a call that waits for ranks which left ends with.
    fn abandoned(&self) -> Option<Error> {
        for (&ticket, entry) in &self.entries {
            if !matches!(entry.progress, Progress::Waiting(_)) {
                continue;
            }
            if let Some(gone) = self.missing(ticket).into_iter().find(|&rank| self.left[rank]) {
                let detail = format!("rank {gone} left the communicator, and rank {} waits for it", entry.rank);
                return Some(Error::new(ErrorCode::RemoteError, entry.kind.op(), detail));
            }
        }
        None
    }

    /// What ends when time is up.
    fn late(&self, tickets: &[Ticket]) -> Error {
        let waiting = tickets.iter().find(|ticket| self.is_waiting(**ticket));
        let op = waiting.and_then(|ticket| self.entries.get(ticket)).map_or("group", |entry| entry.kind.op());
        let mut missing: Vec<usize> = tickets.iter().flat_map(|ticket| self.missing(*ticket)).collect();
        missing.sort_unstable();
        missing.dedup();
        Error::new(ErrorCode::Timeout, op, format!("timed out waiting for ranks {missing:?}"))
    }
}
