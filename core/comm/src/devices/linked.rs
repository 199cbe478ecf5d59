//! Ranks on GPUs in processes of their own: connected over TCP, by which they meet, and NCCL, which carries.
//!
//! Before each call ranks compare over TCP what they are about to do: one that does not come is missed by name, and NCCL, which
//! would wait for ever, is not asked. A thread watches what is under way: if a rank's process ends or the time is up, it
//! aborts, and whoever waits for the stream is told.

use super::carrier::Carrier;
use super::nccl::Nccl;
use super::work::stream_of;
use super::{Engine, waited};
use crate::call::{Call, INIT};
use crate::memory::divided;
use crate::options::Options;
use crate::tcp::Tcp;
use crate::transport::{Invitation, Transport};
use icicle_array::DType;
use icicle_cuda::nccl::Id;
use icicle_device::{Device, DeviceKind};
use icicle_error::reserve::listed;
use icicle_error::{Error, ErrorCode, Result};
use icicle_runtime::Event;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How often the watcher looks.
const LOOK: Duration = Duration::from_millis(20);
/// How much longer than a rank that is gone its last work may take here: it may have left after all was done there.
const GRACE: Duration = Duration::from_secs(2);

/// A rank on a GPU.
#[derive(Debug)]
pub(crate) struct Linked {
    pub(super) inner: Arc<Inner>,
    watcher: Option<JoinHandle<()>>,
}

#[derive(Debug)]
pub(super) struct Inner {
    tcp: Tcp,
    rank: usize,
    device: Device,
    options: Options,
    engine: Engine,
    failure: OnceLock<Error>,
    watched: Mutex<Watched>,
    changed: Condvar,
    /// One call at a time.
    turn: Mutex<()>,
}

#[derive(Debug, Default)]
struct Watched {
    /// What is under way: reached when it is done.
    marks: VecDeque<Mark>,
    /// Events of marks that were reached, for others.
    spare: Vec<Event>,
    /// When something was last reached.
    progress: Option<Instant>,
    is_over: bool,
}

#[derive(Debug)]
struct Mark {
    op: &'static str,
    event: Event,
    since: Instant,
    /// Whether nobody waits for it in the call.
    is_async: bool,
}

impl Watched {
    /// Forget what is done.
    fn sort_out(&mut self) {
        let Self { marks, spare, .. } = self;
        for _ in 0..marks.len() {
            let Some(mark) = marks.pop_front() else { return };
            // A fault of the device is told to whoever waits for it.
            if matches!(mark.event.query(), Ok(false)) {
                marks.push_back(mark);
            } else if spare.try_reserve(1).is_ok() {
                spare.push(mark.event);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Linked {
    /// A rank that is connected; all ranks make theirs at once.
    ///
    /// # Errors
    /// `Unsupported` without NCCL, at all ranks if at one; `InvalidArgument` if ranks have other options; `Timeout`,
    /// `RemoteError`.
    pub fn new(tcp: Tcp, size: usize, rank: usize, device: Device, options: &Options) -> Result<Self> {
        // Rank 0 tells the id; each, whether it has what it takes.
        let id = if rank == 0 { Id::new(INIT) } else { Ok(Id([0; 128])) };
        let mine = match icicle_cuda::nccl::version() {
            Some(version) if id.is_ok() => [version, i32::from(options.ordered)],
            _ => [0, 0],
        };
        let mut all = icicle_error::reserve::filled(INIT, 2 * size, 0i32)?;
        tcp.run(vec![Call::all_gather(DType::Int32, 2, mine[..].into(), (&mut all).into())])?;
        let (ranks, _) = all.as_chunks::<2>();
        if let Some(without) = ranks.iter().position(|&[version, _]| version == 0) {
            let why = icicle_cuda::nccl::unavailable().unwrap_or("rank 0 has no id");
            let why = if without == rank { why.to_owned() } else { format!("rank {without} has no NCCL") };
            return Err(id
                .err()
                .unwrap_or_else(|| Error::unsupported(INIT, format!("GPUs of several processes: {why}"))));
        }
        for (other, theirs) in ranks.iter().enumerate() {
            if theirs != &mine {
                let detail = format!(
                    "rank {other} has NCCL {}, ordered {}; this rank {}, {}: all must have the same",
                    theirs[0],
                    theirs[1] == 1,
                    mine[0],
                    mine[1] == 1
                );
                return Err(Error::argument(INIT, detail));
            }
        }
        let mut bytes = id?.0;
        let sent = bytes;
        let sent = (rank == 0).then_some(sent[..].into());
        tcp.run(vec![Call::broadcast(DType::UInt8, 128, 0, sent, (&mut bytes[..]).into())])?;
        let late = Instant::now().checked_add(options.timeout);
        let go_on = || {
            if let Some(gone) = tcp.ended() {
                return Err(Error::new(ErrorCode::RemoteError, INIT, format!("rank {gone} left while NCCL connected")));
            }
            match late.is_some_and(|late| Instant::now() >= late) {
                true => Err(Error::new(ErrorCode::Timeout, INIT, "timed out while NCCL connected the ranks")),
                false => Ok(()),
            }
        };
        let nccl = Nccl::of_rank(INIT, Id(bytes), (rank, size), device, options.ordered, &go_on);
        let nccl = nccl.inspect_err(|error| tcp.abort(error.clone()))?;
        // One whose NCCL failed is noticed here.
        tcp.run(vec![Call::init()])?;
        let engine = Engine::new(size, rank, vec![device], Carrier::Nccl(nccl));
        let (failure, watched, changed) = (OnceLock::new(), Mutex::default(), Condvar::new());
        let (options, turn) = (options.clone(), Mutex::default());
        let inner = Arc::new(Inner { tcp, rank, device, options, engine, failure, watched, changed, turn });
        let watching = inner.clone();
        let watcher = thread::Builder::new().name(format!("icicle rank {rank}")).spawn(move || watching.watch());
        let watcher = watcher
            .map_err(|error| Error::new(ErrorCode::Internal, INIT, format!("the system refuses a thread: {error}")))?;
        Ok(Self { inner, watcher: Some(watcher) })
    }
}

impl Inner {
    /// End communication with an error, unless one did.
    fn fail(&self, error: Error) -> Error {
        let first = self.failure.set(error.clone()).is_ok();
        let error = self.failure.get().cloned().unwrap_or(error);
        if first {
            if let Carrier::Nccl(nccl) = self.engine.carrier() {
                nccl.fail(error.clone());
            }
            self.tcp.abort(error.clone());
        }
        error
    }

    fn run(&self, calls: Vec<Call<'_>>) -> Result<()> {
        let _turn = lock(&self.turn);
        if let Some(failure) = self.failure.get() {
            return Err(failure.clone());
        }
        let result = self.tcp.meet(&calls).and_then(|()| self.enqueue(calls));
        result.map_err(|error| self.fail(error))
    }

    /// Calls that all ranks are about to enqueue.
    fn enqueue(&self, calls: Vec<Call<'_>>) -> Result<()> {
        // Those that are to be complete.
        let op = calls.first().map_or("group", |call| call.kind.op());
        let waits = listed(op, calls.iter().filter_map(|call| waited(call, self.device)).map(Ok))?;
        let (transfers, collectives) = divided(op, calls, Call::is_transfer)?;
        let transfers = listed(op, transfers.into_iter().map(|call| Ok((self.rank, call))))?;
        self.issue(&transfers)?;
        for call in collectives {
            self.issue(&[(self.rank, call)])?;
        }
        for stream in waits {
            let done = stream.synchronize();
            // What ended the wait, if it was not the work.
            if let Some(failure) = self.failure.get() {
                return Err(failure.clone());
            }
            done?;
        }
        Ok(())
    }

    fn issue(&self, calls: &[(usize, Call<'_>)]) -> Result<()> {
        let Some((_, first)) = calls.first() else { return Ok(()) };
        let op = first.kind.op();
        self.engine.run(calls)?;
        for (_, call) in calls {
            let spare = lock(&self.watched).spare.pop();
            let event = spare.map_or_else(|| Event::on(self.device, false), Ok)?;
            event.record_on(&stream_of(call, self.device))?;
            let is_async = waited(call, self.device).is_none();
            let mut watched = lock(&self.watched);
            watched.marks.push_back(Mark { op, event, since: Instant::now(), is_async });
            // The watcher waits for the first.
            if watched.marks.len() == 1 {
                self.changed.notify_all();
            }
        }
        Ok(())
    }

    /// Until it is over: see that what is under way ends.
    fn watch(&self) {
        let mut gone: Option<(usize, Instant)> = None;
        loop {
            let op = {
                let mut watched = lock(&self.watched);
                while watched.marks.is_empty() && !watched.is_over {
                    watched = self.changed.wait(watched).unwrap_or_else(PoisonError::into_inner);
                }
                if watched.is_over && watched.marks.is_empty() || self.failure.get().is_some() {
                    return;
                }
                let before = watched.marks.len();
                watched.sort_out();
                if watched.marks.len() < before {
                    watched.progress = Some(Instant::now());
                }
                // Work waits for that before it: what counts is since when nothing was done.
                let progress = watched.progress;
                let is_async = watched.marks.iter().any(|mark| mark.is_async);
                watched
                    .marks
                    .front()
                    .map(|mark| (mark.op, progress.map_or(mark.since, |at| at.max(mark.since)), is_async))
            };
            if let Some((op, since, is_async)) = op
                && let Err(error) = self.look(op, since, &mut gone)
            {
                // Before what is under way ends for it.
                if is_async {
                    self.tell(error.clone());
                }
                self.fail(error);
                return;
            }
            thread::sleep(LOOK);
        }
    }

    /// Whether what is under way may still end.
    pub(super) fn look(&self, op: &'static str, since: Instant, gone: &mut Option<(usize, Instant)>) -> Result<()> {
        if let Carrier::Nccl(nccl) = self.engine.carrier() {
            nccl.check(op)?;
        }
        if gone.is_none() {
            *gone = self.tcp.ended().map(|rank| (rank, Instant::now()));
        }
        if let Some((rank, at)) = *gone
            && at.elapsed() > GRACE
        {
            let detail = format!("rank {rank} closed the connection, and work with it is not done");
            return Err(Error::new(ErrorCode::RemoteError, op, detail));
        }
        if since.elapsed() > self.options.timeout {
            let detail = "timed out: all ranks have called it, and the devices are not done";
            return Err(Error::new(ErrorCode::Timeout, op, detail));
        }
        Ok(())
    }

    /// Leave an error to whoever waits for the device.
    fn tell(&self, error: Error) {
        if self.device.kind == DeviceKind::Cuda
            && let Ok(gpu) = icicle_cuda::gpu::gpu("group", self.device.index)
        {
            gpu.host_work.fail(error);
        }
    }
}

impl Transport for Linked {
    fn run(&self, calls: Vec<Call<'_>>) -> Result<()> {
        self.inner.run(calls)
    }

    fn offers(&self, call: &Call<'_>) -> Result<()> {
        self.inner.engine.offers(self.inner.device, call)?;
        self.failure().map_or(Ok(()), Err)
    }

    fn failure(&self) -> Option<Error> {
        self.inner.failure.get().cloned()
    }

    fn abort(&self, error: Error) {
        self.inner.fail(error);
        self.inner.changed.notify_all();
    }

    fn invite(&self, size: usize) -> Result<Invitation> {
        self.inner.tcp.invite(size)
    }

    fn join(&self, invitation: &Invitation, size: usize, rank: usize, options: &Options) -> Result<Self> {
        let tcp = self.inner.tcp.join(invitation, size, rank, options)?;
        Self::new(tcp, size, rank, self.inner.device, options)
    }

    fn name(&self) -> String {
        self.inner.engine.carrier().name()
    }
}

impl Drop for Linked {
    fn drop(&mut self) {
        // The watcher ends when what is under way has, or cannot.
        lock(&self.inner.watched).is_over = true;
        self.inner.changed.notify_all();
        if let Some(watcher) = self.watcher.take() {
            let _ = watcher.join();
        }
        let Carrier::Nccl(nccl) = self.inner.engine.carrier() else { return };
        if self.inner.failure.get().is_some() {
            nccl.abort();
        } else {
            let late = Instant::now() + GRACE;
            nccl.finish(&|| match Instant::now() >= late {
                true => Err(Error::new(ErrorCode::Timeout, "finalize", "NCCL does not end")),
                false => Ok(()),
            });
        }
    }
}
