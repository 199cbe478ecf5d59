//! Locks, as they are taken here.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lock what no panic can leave half-done.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
