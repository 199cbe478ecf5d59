//! One persistent thread per device for work that spans devices: the caller enqueues n jobs and waits n times.
//!
//! A job runs with its device current. Called from a job, the functions here run inline on that thread instead: a worker
//! that waited for workers could wait for itself. So they do in a forked child, which has no threads but one. A queue holds
//! so many jobs; who adds one more waits. An idle worker looks for a job a while before it sleeps, and so does who waits for
//! jobs: a GPU's for longer than the standard library's channels do. Who would only wait for jobs does one of them, in its
//! worker's place: a thread that sleeps for milliseconds takes a tenth of one to wake.
#![allow(unsafe_code)]
#![allow(clippy::missing_const_for_thread_local)] // shuttle's form has none

use crate::{DeviceGuard, registry};
use icicle_device::sync::mpsc::{self, Receiver, SyncSender};
use icicle_device::sync::thread::{self, JoinHandle};
use icicle_device::sync::{Arc, Mutex, MutexGuard, PoisonError, thread_local};
use icicle_device::{Device, DeviceKind};
use icicle_error::{Error, ErrorCode, Result};
use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
#[cfg(not(shuttle))]
use std::time::{Duration, Instant};

type Job = Box<dyn FnOnce() + Send>;

thread_local! {
    static IS_WORKER: Cell<bool> = Cell::new(false);
}

/// Jobs a queue holds: its memory, which cannot be refused with an error, is less than a page.
const QUEUE: usize = 128;

/// A device's thread, and the queue it takes jobs from; the thread ends with the queue.
struct Worker {
    queue: Queue,
    thread: JoinHandle<()>,
}

/// The way to a device's thread.
#[derive(Clone)]
struct Queue {
    jobs: SyncSender<Job>,
    line: Arc<Line>,
}

/// A device's jobs stand in line.
#[derive(Default)]
struct Line {
    /// Jobs that are not done yet.
    length: Mutex<usize>,
    /// Held by who does one.
    turn: Mutex<()>,
}

impl Line {
    fn length(&self) -> MutexGuard<'_, usize> {
        self.length.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stand in line if nobody does, which is to have the turn at once: a job that is put behind this one must not come before it.
    fn try_enter(&self) -> Option<MutexGuard<'_, ()>> {
        let mut length = self.length();
        if *length > 0 {
            return None;
        }
        *length = 1;
        Some(self.turn())
    }

    /// Do the job whose turn it is, on a thread that counts as the device's meanwhile.
    fn work(&self, turn: MutexGuard<'_, ()>, job: impl FnOnce()) {
        let before = IS_WORKER.with(|is_worker| is_worker.replace(true));
        // Jobs catch their own panics; what is left are destructors of results nobody takes.
        drop(catch_unwind(AssertUnwindSafe(job)));
        IS_WORKER.with(|is_worker| is_worker.set(before));
        drop(turn);
        *self.length() -= 1;
    }
}

impl Queue {
    /// Put a job behind all that stand there; waits where there are many.
    fn send(&self, device: Device, job: Job) -> Result<()> {
        *self.line.length() += 1;
        self.jobs.send(job).map_err(|_| {
            *self.line.length() -= 1;
            fault(device, "is gone")
        })
    }
}

impl Worker {
    fn start(device: Device) -> Result<Self> {
        let (jobs, queue) = mpsc::sync_channel::<Job>(QUEUE);
        let line = Arc::new(Line::default());
        let own = line.clone();
        let work = move || {
            while let Some(job) = next(&queue, is_prompt(device)) {
                own.work(own.turn(), job);
            }
        };
        let started = thread::Builder::new().name(format!("icicle {device}")).spawn(work);
        let thread = started.map_err(|error| fault(device, &format!("cannot start: {error}")))?;
        Ok(Self { queue: Queue { jobs, line }, thread })
    }
}

/// How long a thread looks for a message before it sleeps, where that pays: some times what the system takes to wake it.
#[cfg(not(shuttle))]
const LOOK: Duration = Duration::from_micros(50);

/// Whether threads that wait for a device's jobs look for them a while: a GPU's short work is over before a sleeping thread has
/// woken, and leaves the processor idle; a CPU's own work is what looking would take time from.
fn is_prompt(device: Device) -> bool {
    device.kind == DeviceKind::Cuda
}

/// The next message; none once nobody can send any.
fn next<T>(messages: &Receiver<T>, is_prompt: bool) -> Option<T> {
    #[cfg(not(shuttle))]
    if is_prompt {
        let start = Instant::now();
        while start.elapsed() < LOOK {
            match messages.try_recv() {
                Ok(message) => return Some(message),
                Err(mpsc::TryRecvError::Disconnected) => return None,
                Err(mpsc::TryRecvError::Empty) => std::hint::spin_loop(),
            }
        }
    }
    // Under shuttle time does not pass.
    let _ = is_prompt;
    messages.recv().ok()
}

fn fault(device: Device, what: &str) -> Error {
    Error::new(ErrorCode::Internal, "run_on", format!("worker of {device}: {what}"))
}

/// Workers, one a device, started with its first job. Dropping them waits for their jobs.
pub(crate) struct Workers {
    /// The lock is held while the jobs of one call are enqueued, so that the jobs of two calls stand in the same order in
    /// every queue and may wait for their siblings.
    started: Mutex<BTreeMap<Device, Worker>>,
    /// The process that has the threads.
    process: OnceLock<u32>,
}

/// Those of this process, for [`run_on`] and [`on_each`].
static WORKERS: Workers = Workers::new();

/// A device's queue; its worker is started if this is its first.
fn queue_of(started: &mut BTreeMap<Device, Worker>, device: Device) -> Result<&Queue> {
    let worker = match started.entry(device) {
        Entry::Occupied(worker) => worker.into_mut(),
        Entry::Vacant(vacant) => vacant.insert(Worker::start(device)?),
    };
    Ok(&worker.queue)
}

/// Run a job with its device current; a panic becomes an error.
pub(crate) fn attempt<T>(device: Device, job: impl FnOnce() -> Result<T>) -> Result<T> {
    let guarded = || {
        let _guard = DeviceGuard::new(device)?;
        job()
    };
    // The job's captures are dropped with it and seen by no one after a panic, or are shared and the caller's to judge.
    catch_unwind(AssertUnwindSafe(guarded)).unwrap_or_else(|panic| {
        let detail = format!("job on {device} panicked: {}", message(panic.as_ref()));
        Err(Error::new(ErrorCode::Internal, "run_on", detail))
    })
}

pub(crate) fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// A job's result, to wait for. Dropping it leaves the job running.
#[derive(Debug)]
#[must_use = "an error of the job is only seen by waiting"]
pub struct JobHandle<T>(Receiver<Result<T>>);

impl<T> JobHandle<T> {
    /// Wait for the job.
    ///
    /// # Errors
    /// The job's own, or `Internal` with the message if it panicked.
    pub fn wait(self) -> Result<T> {
        let lost = |_| Err(Error::new(ErrorCode::Internal, "run_on", "the job ended without a result"));
        self.0.recv().unwrap_or_else(lost)
    }
}

/// Run a job on a device's worker, with the device current. Jobs of one device run one after another, in order.
///
/// # Errors
/// `InvalidDevice` if the device does not exist; `Internal` if its worker cannot be started. The job is then dropped.
pub fn run_on<T, F>(device: Device, job: F) -> Result<JobHandle<T>>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T> + Send + 'static,
{
    WORKERS.run_on(device, job)
}

/// Run `job(device, position)` for each of the devices at once, each on its device's worker, and wait for all: the last one on
/// the calling thread, in its worker's place, if that has nothing else to do. Results are in the devices' order. A device named
/// twice runs its jobs one after another.
pub fn on_each<T, F>(devices: &[Device], job: F) -> Vec<Result<T>>
where
    T: Send,
    F: Fn(Device, usize) -> Result<T> + Sync,
{
    WORKERS.on_each(devices, job)
}

impl Workers {
    pub(crate) const fn new() -> Self {
        Self { started: Mutex::new(BTreeMap::new()), process: OnceLock::new() }
    }

    /// Start a device's worker, unless it is.
    pub(crate) fn start(&self, device: Device) -> Result<()> {
        registry::backend(device)?;
        match self.inline() {
            true => Ok(()),
            false => queue_of(&mut self.started.lock().unwrap_or_else(PoisonError::into_inner), device).map(|_| ()),
        }
    }

    /// Whether this process was forked from the one with the threads, and has none of them.
    fn is_child(&self) -> bool {
        let id = std::process::id();
        *self.process.get_or_init(|| id) != id
    }

    /// Whether jobs run on the calling thread.
    pub(crate) fn inline(&self) -> bool {
        IS_WORKER.with(Cell::get) || self.is_child()
    }

    pub(crate) fn run_on<T, F>(&self, device: Device, job: F) -> Result<JobHandle<T>>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        registry::backend(device)?;
        let (sender, receiver) = mpsc::sync_channel(1);
        let job = move || {
            // Nobody may be waiting any more.
            let _ = sender.send(attempt(device, job));
        };
        if self.inline() {
            job();
        } else {
            let queue = queue_of(&mut self.started.lock().unwrap_or_else(PoisonError::into_inner), device)?.clone();
            // Without the lock: who waits for room in one queue keeps nobody from the others.
            queue.send(device, Box::new(job))?;
        }
        Ok(JobHandle(receiver))
    }

    pub(crate) fn on_each<T, F>(&self, devices: &[Device], job: F) -> Vec<Result<T>>
    where
        T: Send,
        F: Fn(Device, usize) -> Result<T> + Sync,
    {
        let run = |i: usize, device: Device| attempt(device, || job(device, i));
        if self.inline() {
            return devices.iter().enumerate().map(|(i, &device)| run(i, device)).collect();
        }
        let results: Vec<Mutex<Option<Result<T>>>> = devices.iter().map(|_| Mutex::new(None)).collect();
        let end = |i: usize, result| *results[i].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        let (sender, receiver) = mpsc::channel();
        // Waits when dropped too, so that no job outlives what it borrows, even if this function unwinds.
        let pending = Pending { receiver, is_prompt: devices.iter().all(|&device| is_prompt(device)) };
        let line: Option<Arc<Line>>;
        let mut own = None;
        {
            // Dropped before `pending`, which waits until no sender is left.
            let sender: mpsc::Sender<()> = sender;
            let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
            let known = devices.last().and_then(|last| started.get(last));
            line = known.map(|worker| worker.queue.line.clone());
            for (i, &device) in devices.iter().enumerate() {
                if i + 1 == devices.len() {
                    own = line.as_deref().and_then(|line| Some((i, device, line, line.try_enter()?)));
                    if own.is_some() {
                        break;
                    }
                }
                let sender = sender.clone();
                let (run, end) = (&run, &end);
                let job: Box<dyn FnOnce() + Send + '_> = Box::new(move || {
                    end(i, run(i, device));
                    drop(sender);
                });
                // SAFETY: only the lifetime changes. `pending` waits, before anything the job borrows is dropped, until every
                // sender is gone; the job owns one and drops it last, once its result is handed over.
                let job = unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + '_>, Job>(job) };
                let queue = registry::backend(device).and_then(|_| queue_of(&mut started, device));
                let sent = queue.and_then(|queue| queue.send(device, job));
                if let Err(error) = sent {
                    end(i, Err(error));
                }
            }
        }
        if let Some((i, device, line, turn)) = own {
            line.work(turn, || end(i, run(i, device)));
        }
        drop(pending);
        let lost = || Err(Error::new(ErrorCode::Internal, "run_on", "the job ended without a result"));
        let result = |slot: Mutex<Option<_>>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.into_iter().map(|slot| result(slot).unwrap_or_else(lost)).collect()
    }
}

impl std::fmt::Debug for Workers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_tuple("Workers").field(&started.keys().collect::<Vec<_>>()).finish()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        let started = std::mem::take(self.started.get_mut().unwrap_or_else(PoisonError::into_inner));
        let is_child = self.is_child();
        for Worker { queue, thread } in started.into_values() {
            drop(queue);
            if is_child {
                // There is no such thread here.
                std::mem::forget(thread);
            } else if thread.thread().id() != thread::current().id() {
                // A job may be the last owner: its own thread ends with it.
                let _ = thread.join();
            }
        }
    }
}

/// Jobs under way that borrow from the caller; each has a sender, through which nothing is sent.
struct Pending {
    receiver: Receiver<()>,
    is_prompt: bool,
}

impl Drop for Pending {
    /// Wait until every job has dropped its sender.
    fn drop(&mut self) {
        while next(&self.receiver, self.is_prompt).is_some() {}
    }
}

#[cfg(all(test, not(shuttle)))]
#[path = "workers_tests.rs"]
mod tests;

#[cfg(all(test, shuttle))]
#[path = "workers_interleavings.rs"]
mod interleavings;
