//! An allocator that refuses: of the allocations of some size or more, one, counted from when a test says so.
#![allow(unsafe_code)] // an allocator

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes from which on an allocation is refused.
const LEAST: usize = 4096;
/// Which allocation is refused, from 1; 0 for none.
pub static REFUSED: AtomicUsize = AtomicUsize::new(0);
/// Those asked for meanwhile.
pub static ASKED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Whether this thread does what is not tried.
    static EXEMPT: Cell<bool> = const { Cell::new(false) };
}

/// A test that others beside it must not meet: one at a time, as all share the allocator. What its thread does afterwards, such
/// as tell the result, is not tried: the next test may have begun.
#[allow(dead_code)] // collectives need it, operations have a process each
pub struct Turn {
    _held: MutexGuard<'static, ()>,
}

#[allow(dead_code)] // as above
pub fn turn() -> Turn {
    static TURN: Mutex<()> = Mutex::new(());
    Turn { _held: TURN.lock().unwrap_or_else(PoisonError::into_inner) }
}

impl Drop for Turn {
    fn drop(&mut self) {
        EXEMPT.set(true);
    }
}

/// Do what is not tried, on this thread.
#[allow(dead_code)] // as above
pub fn exempt<T>(work: impl FnOnce() -> T) -> T {
    EXEMPT.set(true);
    let result = work();
    EXEMPT.set(false);
    result
}

struct Host;

impl Host {
    fn refuses(bytes: usize) -> bool {
        let refused = REFUSED.load(Ordering::SeqCst);
        refused != 0 && bytes >= LEAST && !EXEMPT.get() && ASKED.fetch_add(1, Ordering::SeqCst) + 1 == refused
    }
}

// SAFETY: the system's allocator, or none.
unsafe impl GlobalAlloc for Host {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if Self::refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if Self::refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if Self::refuses(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's.
        unsafe { System.realloc(ptr, layout, size) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static HOST: Host = Host;
