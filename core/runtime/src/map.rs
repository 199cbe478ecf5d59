//! Independent jobs over a group, each on the device that is free.

use crate::group::named;
use crate::{DeviceGroup, StreamRef, registry};
use icicle_device::Device;
use icicle_device::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use icicle_error::{Error, ErrorCode, Result, reserve};
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Asks a [`DeviceGroup::map`] to start no more jobs; clones ask the same.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Start no more jobs. Those under way end; those not started give `Cancelled`.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether [`Cancel::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Options of [`DeviceGroup::map_with`].
#[derive(Clone, Copy)]
pub struct MapOptions<'a> {
    /// Jobs under way on a device at once, each with a stream of its own, at least 1: a job that enqueues asynchronous work
    /// on its [`Lane::stream`] overlaps with the next. Its result is handed over once its stream is synchronized.
    pub streams: usize,
    /// Called after each job with the number of jobs done and that of all, on the threads that ran them, one call at a time.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
    /// Whether to start no more jobs.
    pub cancel: Option<&'a Cancel>,
}

impl Default for MapOptions<'_> {
    fn default() -> Self {
        Self { streams: 1, progress: None, cancel: None }
    }
}

impl std::fmt::Debug for MapOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { streams, progress, cancel } = self;
        let progress = progress.map(|_| "a function");
        f.debug_struct("MapOptions")
            .field("streams", streams)
            .field("progress", &progress)
            .field("cancel", cancel)
            .finish()
    }
}

/// Where a job runs: on the thread of `device`, which is current.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The device.
    pub device: Device,
    /// Its position in the group.
    pub position: usize,
    /// Which of the device's streams, from 0.
    pub lane: usize,
    stream: StreamRef,
}

impl Lane {
    /// The stream for the job's work, non-blocking; the job's result is handed over once it is synchronized.
    pub fn stream(&self) -> StreamRef {
        self.stream.clone()
    }
}

impl DeviceGroup {
    /// Run independent jobs, each on the device that is free, and wait for all; results are in the jobs' order. A job that
    /// fails or panics gives an error that names its device, and the others go on.
    ///
    /// A device takes a job only if it would end it before the others had done all that are left: a slow device beside a
    /// fast one does not keep the caller waiting. A device that is lost takes no more.
    ///
    /// # Errors
    /// `OutOfMemory` if the host has none for the list of jobs or of results; no job is then started.
    pub fn map<J, T, F>(&self, jobs: impl IntoIterator<Item = J>, job: F) -> Result<Vec<Result<T>>>
    where
        J: Send,
        T: Send,
        F: Fn(&Lane, J) -> Result<T> + Sync,
    {
        self.map_with(MapOptions::default(), |_| Ok(()), jobs, |(), lane, item| job(lane, item))
    }

    /// As [`DeviceGroup::map`], with a state a device, such as its bases or its domain, made on the device's thread before
    /// its first job and dropped there. A device whose state cannot be made takes no job; where no device is left, the jobs
    /// give its error.
    ///
    /// # Errors
    /// As [`DeviceGroup::map`]; `InvalidArgument` for no streams.
    pub fn map_with<S, J, T>(
        &self,
        options: MapOptions<'_>,
        state: impl Fn(&Lane) -> Result<S> + Sync,
        jobs: impl IntoIterator<Item = J>,
        job: impl Fn(&mut S, &Lane, J) -> Result<T> + Sync,
    ) -> Result<Vec<Result<T>>>
    where
        J: Send,
        T: Send,
    {
        if options.streams == 0 {
            return Err(Error::argument(OP, "streams 0: must be at least 1"));
        }
        let mut queue = VecDeque::new();
        for item in jobs {
            let place = queue.len();
            queue.try_reserve(1).map_err(|_| reserve::refused(OP, place + 1, size_of::<(usize, J)>()))?;
            queue.push_back((place, item));
        }
        let total = queue.len();
        // What the results need is there before there is one to lose.
        let mut answers = reserve::with_capacity(OP, total)?;
        let results = reserve::collected(OP, (0..total).map(|_| None))?;
        // Called from a job, the devices take their turns on one thread, and none may wait for another.
        let at_once = !self.is_inline();
        let board = Board {
            places: Mutex::new(Places {
                queue,
                preparing: 0,
                done: 0,
                results,
                devices: self.shares().iter().map(|&weight| Progress::new(weight, at_once)).collect(),
            }),
            changed: Condvar::new(),
            cancel: options.cancel,
        };
        let run = |device: Device, position: usize| {
            let _leaving = Leaving { board: &board, position };
            Bench { group: self, device, position, options, board: &board, total }.work(&state, &job);
            Ok(())
        };
        let fault = self.on_each(run).into_iter().find_map(Result::err);
        let Places { results, mut devices, .. } = board.places.into_inner().unwrap_or_else(PoisonError::into_inner);
        let fault = fault.or_else(|| devices.iter_mut().find_map(|device| device.fault.take()));
        let left = || {
            if options.cancel.is_some_and(Cancel::is_cancelled) {
                return Error::new(ErrorCode::Cancelled, OP, "cancelled before the job was started");
            }
            fault.clone().unwrap_or_else(|| Error::new(ErrorCode::Internal, OP, "the job ended without a result"))
        };
        answers.extend(results.into_iter().map(|result| result.unwrap_or_else(|| Err(left()))));
        Ok(answers)
    }
}

const OP: &str = "group_map";

/// What the devices' threads share.
struct Board<'a, J, T> {
    places: Mutex<Places<J, T>>,
    changed: Condvar,
    cancel: Option<&'a Cancel>,
}

struct Places<J, T> {
    /// Jobs not started, and their places in the order.
    queue: VecDeque<(usize, J)>,
    /// Jobs taken by devices that may yet give them back.
    preparing: usize,
    done: usize,
    /// In the jobs' order.
    results: Vec<Option<Result<T>>>,
    devices: Vec<Progress>,
}

/// How a device fares.
struct Progress {
    /// Its speed, relative to the others', until it is measured.
    weight: f64,
    /// Seconds for one of these jobs, once measured.
    seconds: Option<f64>,
    /// When the job under way was started.
    started: Option<Instant>,
    /// Whether it takes jobs.
    active: bool,
    /// Why it takes none.
    fault: Option<Error>,
}

impl Progress {
    fn new(weight: f64, active: bool) -> Self {
        Self { weight, seconds: None, started: None, active, fault: None }
    }
}

impl<J, T> Places<J, T> {
    /// Whether a device that takes a job now ends it before the others have done all that are left.
    fn is_worthwhile(&self, position: usize) -> bool {
        let mine = &self.devices[position];
        let rated = |device: &Progress| device.seconds.map(|seconds| seconds * device.weight.max(f64::MIN_POSITIVE));
        // One measured device tells the others' times by their weights.
        let unit = self.devices.iter().filter_map(rated).min_by(f64::total_cmp);
        let estimate =
            |device: &Progress| device.seconds.or_else(|| unit.map(|unit| unit / device.weight.max(f64::MIN_POSITIVE)));
        let others = || self.devices.iter().enumerate().filter(|(i, device)| *i != position && device.active);
        let Some(seconds) = estimate(mine) else {
            // Nothing is known yet: the fast ones begin.
            return others().all(|(_, device)| mine.weight >= WORTHWHILE * device.weight);
        };
        // The others end what is left at their common rate, but not before one of them has ended a job more.
        let (mut rate, mut left, mut soonest) = (0.0, self.queue.len() as f64, f64::INFINITY);
        for (_, device) in others() {
            if let Some(theirs) = estimate(device) {
                let under_way = device.started.map_or(0.0, |start| (theirs - start.elapsed().as_secs_f64()).max(0.0));
                rate += 1.0 / theirs.max(f64::MIN_POSITIVE);
                left += under_way / theirs.max(f64::MIN_POSITIVE);
                soonest = soonest.min(under_way + theirs);
            }
        }
        seconds <= (left / rate).max(soonest) * SLACK
    }
}

/// Of two devices the slower begins along with the faster if it is not slower than this.
const WORTHWHILE: f64 = 0.5;

/// Estimates of equal devices differ by so much.
const SLACK: f64 = 1.05;

/// A waiting device looks again after this time, as what the others do may take longer than it seemed.
const AGAIN: Duration = Duration::from_millis(2);

impl<J, T> Board<'_, J, T> {
    fn lock(&self) -> MutexGuard<'_, Places<J, T>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job for a device; none if there is none left, or, unless it may wait, none that it should take now.
    fn take(&self, position: usize, may_wait: bool) -> Option<(usize, J)> {
        let mut places = self.lock();
        loop {
            let none_will_come = places.queue.is_empty() && places.preparing == 0;
            if none_will_come || self.cancel.is_some_and(Cancel::is_cancelled) {
                return None;
            }
            if !places.queue.is_empty() && places.is_worthwhile(position) {
                let now = Instant::now();
                places.devices[position].started.get_or_insert(now);
                places.preparing += 1;
                return places.queue.pop_front();
            }
            if !may_wait {
                return None;
            }
            let waited = self.changed.wait_timeout(places, AGAIN).unwrap_or_else(PoisonError::into_inner);
            places = waited.0;
        }
    }

    /// A device that took a job can run it.
    fn keep(&self) {
        self.lock().preparing -= 1;
        self.changed.notify_all();
    }

    /// Give back a job that a device cannot run, and take it out.
    fn give_back(&self, position: usize, item: (usize, J), fault: Error) {
        let mut places = self.lock();
        places.preparing -= 1;
        // It had room there before.
        places.queue.push_front(item);
        drop(places);
        self.retire(position, fault);
    }

    /// Take a device out.
    fn retire(&self, position: usize, fault: Error) {
        let device = &mut self.lock().devices[position];
        (device.active, device.fault) = (false, Some(fault));
        self.changed.notify_all();
    }
}

/// A device takes no more jobs, however it came to that.
struct Leaving<'a, 'b, J, T> {
    board: &'a Board<'b, J, T>,
    position: usize,
}

impl<J, T> Drop for Leaving<'_, '_, J, T> {
    fn drop(&mut self) {
        self.board.lock().devices[self.position].active = false;
        self.board.changed.notify_all();
    }
}

/// One device at work.
struct Bench<'a, 'b, J, T> {
    group: &'a DeviceGroup,
    device: Device,
    position: usize,
    options: MapOptions<'b>,
    board: &'a Board<'b, J, T>,
    total: usize,
}

/// A job whose work is enqueued.
struct UnderWay<T> {
    place: usize,
    result: Result<T>,
    lane: Lane,
}

impl<J, T> Bench<'_, '_, J, T> {
    fn lane(&self, lane: usize) -> Result<Lane> {
        let stream = self.group.stream(self.position, lane)?;
        Ok(Lane { device: self.device, position: self.position, lane, stream })
    }

    fn work<S>(&self, make: &impl Fn(&Lane) -> Result<S>, job: &impl Fn(&mut S, &Lane, J) -> Result<T>) {
        let mut state = None;
        let mut under_way: VecDeque<UnderWay<T>> = VecDeque::new();
        let most = self.options.streams.min(self.total);
        if under_way.try_reserve(most).is_err() {
            let fault = reserve::refused(OP, most, size_of::<UnderWay<T>>());
            return self.board.retire(self.position, named(self.device, fault));
        }
        let mut turn = 0;
        loop {
            let next = match under_way.len() < self.options.streams {
                true => self.board.take(self.position, under_way.is_empty()),
                false => None,
            };
            let Some((place, item)) = next else {
                let Some(oldest) = under_way.pop_front() else { break };
                match self.finish(oldest, !under_way.is_empty()) {
                    true => continue,
                    // What a lost device still has under way is lost, too.
                    false => break,
                }
            };
            let ready = self.lane(turn % self.options.streams).and_then(|lane| match &mut state {
                Some(state) => Ok((state, lane)),
                empty => Ok((empty.insert(caught(|| make(&lane))?), lane)),
            });
            match ready {
                Ok((state, lane)) => {
                    self.board.keep();
                    let result = caught(|| job(state, &lane, item));
                    under_way.push_back(UnderWay { place, result, lane });
                    turn += 1;
                }
                Err(fault) => {
                    self.board.give_back(self.position, (place, item), named(self.device, fault));
                    break;
                }
            }
        }
        while let Some(oldest) = under_way.pop_front() {
            self.finish(oldest, !under_way.is_empty());
        }
    }

    /// Wait for a job's stream and hand its result over. Whether the device is still there.
    fn finish(&self, job: UnderWay<T>, more: bool) -> bool {
        let UnderWay { place, result, lane } = job;
        let waited = lane.stream.synchronize();
        let result = result.and_then(|value| waited.map(|()| value)).map_err(|error| named(self.device, error));
        let is_there = result.is_ok() || registry::synchronize(self.device).is_ok();
        let mut places = self.board.lock();
        let device = &mut places.devices[self.position];
        if let Some(start) = std::mem::replace(&mut device.started, more.then(Instant::now)) {
            let seconds = start.elapsed().as_secs_f64();
            device.seconds = Some(device.seconds.map_or(seconds, |before| (before + seconds) / 2.0));
        }
        if !is_there {
            device.active = false;
            device.fault = result.as_ref().err().cloned();
        }
        places.done += 1;
        let done = places.done;
        places.results[place] = Some(result);
        if let Some(progress) = self.options.progress {
            // Under the lock, so that the numbers rise; a panic of it is nobody's.
            let _ = catch_unwind(AssertUnwindSafe(|| progress(done, self.total)));
        }
        drop(places);
        self.board.changed.notify_all();
        is_there
    }
}

/// Run a caller's function; a panic becomes an error.
fn caught<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    // What the function captured is the caller's to judge after a panic.
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic: Box<dyn Any + Send>| {
        let text = crate::workers::message(panic.as_ref()).to_owned();
        // A payload's destructor may panic in its turn.
        std::mem::forget(panic);
        Err(Error::new(ErrorCode::Internal, OP, format!("job panicked: {text}")))
    })
}

#[cfg(all(test, shuttle))]
#[path = "map_interleavings.rs"]
mod interleavings;
