//! A device's pool, and the account of what it has handed out.

use super::driver::{self, Handle, Outcome};
use std::sync::atomic::{AtomicU64, Ordering};

/// No limit, in [`Counters::limit`].
const UNLIMITED: u64 = u64::MAX;

/// A device's pool.
pub struct Pool {
    pub(crate) handle: Handle,
    pub(crate) counters: Counters,
}

/// What has been handed out.
#[derive(Debug)]
pub(crate) struct Counters {
    pub(crate) used: AtomicU64,
    pub(crate) high_water: AtomicU64,
    pub(crate) allocations: AtomicU64,
    limit: AtomicU64,
}

impl Default for Counters {
    fn default() -> Self {
        let zero = || AtomicU64::new(0);
        Self { used: zero(), high_water: zero(), allocations: zero(), limit: AtomicU64::new(UNLIMITED) }
    }
}

impl Counters {
    /// Count `bytes` as handed out, unless the limit forbids it.
    pub(crate) fn take(&self, bytes: u64) -> bool {
        let limit = self.limit.load(Ordering::Relaxed);
        let fits = |used: u64| used.checked_add(bytes).filter(|&sum| sum <= limit);
        let fitted = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok();
        if fitted {
            self.allocations.fetch_add(1, Ordering::Relaxed);
        }
        fitted
    }

    /// The driver had what was taken.
    pub(crate) fn keep(&self) {
        self.high_water.fetch_max(self.used.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    pub(crate) fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        self.allocations.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn limit(&self) -> Option<u64> {
        Some(self.limit.load(Ordering::Relaxed)).filter(|&limit| limit != UNLIMITED)
    }
}

impl Pool {
    /// The pool of a device, empty.
    ///
    /// # Errors
    /// The driver's.
    pub fn new(index: u32) -> Outcome<Self> {
        Ok(Self { handle: driver::pool_create(index)?, counters: Counters::default() })
    }

    /// The driver's handle.
    pub fn handle(&self) -> Handle {
        self.handle
    }

    /// Limit the bytes handed out at a time.
    pub fn set_limit(&self, limit: Option<u64>) {
        self.counters.limit.store(limit.unwrap_or(UNLIMITED), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_count_and_limit() {
        let counters = Counters::default();
        assert!(counters.take(100) && counters.take(50));
        counters.keep();
        assert!(counters.take(1000));
        counters.give_back(1000);
        counters.give_back(100);
        assert_eq!(counters.used.load(Ordering::Relaxed), 50);
        assert_eq!(counters.high_water.load(Ordering::Relaxed), 150);
        assert_eq!(counters.allocations.load(Ordering::Relaxed), 1);
        assert_eq!(counters.limit(), None);
        counters.limit.store(60, Ordering::Relaxed);
        assert!(!counters.take(11) && counters.take(10) && !counters.take(u64::MAX));
        assert_eq!(counters.limit(), Some(60));
        assert_eq!(counters.high_water.load(Ordering::Relaxed), 150);
    }
}
