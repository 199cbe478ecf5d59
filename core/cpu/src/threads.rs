//! The CPU device's threads: a rayon pool of the library's own.
//!
//! Why not rayon's global pool: it is made once in a process, so that one thread the system refuses disables it for good;
//! a forked child inherits it without its threads and waits for them for ever; and whoever makes it first sets its size.
//! Here a pool that could not be made, or not with all its threads, is tried again later, and a child makes its own.
//! Meanwhile calls run with fewer threads, at worst the caller's alone.
#![allow(unsafe_code)]

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

/// Milliseconds that a pool that lacks threads is used before they are asked for again.
const RETRY: u64 = 1000;
/// Most threads for each hardware thread: more only take turns.
const OVERSUBSCRIPTION: usize = 4;

/// Who does the tasks of a parallel loop.
pub(super) enum Pool {
    /// The rayon pool whose worker the caller is.
    Callers,
    /// The library's own.
    Own(&'static ThreadPool),
    /// Nobody but the caller.
    None,
}

/// A pool and whose it is; never freed, as a thread may be at work in it.
struct State {
    process: u32,
    pool: Option<Arc<ThreadPool>>,
    /// Milliseconds after `START` when to ask for the threads that were refused; never if none were.
    retry: AtomicU64,
}

const NEVER: u64 = u64::MAX;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Changed without a lock: in a forked child a lock could be held by a thread that is not there.
static STATE: AtomicPtr<State> = AtomicPtr::new(std::ptr::null_mut());

/// The threads to use.
pub(super) fn pool() -> Pool {
    if rayon::current_thread_index().is_some() {
        return Pool::Callers;
    }
    match state().and_then(|state| state.pool.as_deref()) {
        Some(pool) => Pool::Own(pool),
        None => Pool::None,
    }
}

fn now() -> u64 {
    START.elapsed().as_millis() as u64
}

fn state() -> Option<&'static State> {
    let process = std::process::id();
    let seen = STATE.load(Ordering::Acquire);
    // SAFETY: null, or a state that was leaked whole below.
    let state = unsafe { seen.as_ref() }.filter(|state| state.process == process);
    if state.is_some_and(|state| now() < state.retry.load(Ordering::Relaxed)) {
        return state;
    }
    let held = state.and_then(|state| state.pool.clone());
    let wanted = wanted();
    let made = make(wanted, held.as_ref().map_or(1, |pool| pool.current_num_threads())).map(Arc::new);
    let complete = made.as_ref().map_or(1, |pool| pool.current_num_threads()) == wanted;
    let retry = if complete { NEVER } else { now() + RETRY };
    if let (Some(state), None) = (state, &made) {
        state.retry.store(retry, Ordering::Relaxed);
        return Some(state);
    }
    let next = Box::into_raw(Box::new(State { process, pool: made, retry: AtomicU64::new(retry) }));
    match STATE.compare_exchange(seen, next, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: leaked here, and never freed.
        Ok(_) => unsafe { next.as_ref() },
        Err(other) => {
            // SAFETY: made here and seen by no one else; its idle threads end with it.
            drop(unsafe { Box::from_raw(next) });
            // SAFETY: leaked whole by the thread that was faster; of this process, as the exchange was.
            unsafe { other.as_ref() }
        }
    }
}

/// A pool of as many threads as wanted, else of as many as the system gives; none if those are not more than `held`.
fn make(wanted: usize, held: usize) -> Option<ThreadPool> {
    let halves = std::iter::successors(Some(wanted), |threads| Some(threads / 2));
    halves.take_while(|&threads| threads > held).find_map(|threads| {
        let named = ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("icicle cpu {i}"));
        named.build().ok()
    })
}

/// As many as the hardware has, or as `RAYON_NUM_THREADS` says, within reason.
fn wanted() -> usize {
    let hardware = std::thread::available_parallelism().map_or(1, |n| n.get());
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|n| n.trim().parse().ok()).filter(|&n| n > 0);
    asked.unwrap_or(hardware).min(OVERSUBSCRIPTION * hardware)
}
