//! Handles: opaque numbers of pointer type that nobody dereferences, so that a freed or foreign one is an error, not a
//! fault.

use icicle::{Error, Result};
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// The first handle: Go's runtime kills a process that holds a pointer below 4096, and no program owns memory below 64
/// KiB, so that smaller numbers are taken for errors of arithmetic elsewhere too.
const FIRST: usize = 1 << 20;

/// Numbers are shared by all tables, so that a handle of one kind is never one of another. Multiples of 16, as an
/// allocation's address would be.
static NEXT: AtomicUsize = AtomicUsize::new(FIRST);

/// The live objects of one kind.
pub(crate) struct Table<T> {
    what: &'static str,
    live: RwLock<Option<HashMap<usize, Arc<T>>>>,
}

impl<T> Table<T> {
    pub(crate) const fn new(what: &'static str) -> Self {
        Self { what, live: RwLock::new(None) }
    }

    /// Hand an object out.
    pub(crate) fn insert(&self, value: T) -> *mut c_void {
        let handle = NEXT.fetch_add(16, Ordering::Relaxed);
        let mut live = self.live.write().unwrap_or_else(PoisonError::into_inner);
        live.get_or_insert_default().insert(handle, Arc::new(value));
        handle as *mut c_void
    }

    /// The object of a handle.
    pub(crate) fn get(&self, op: &'static str, handle: *const c_void) -> Result<Arc<T>> {
        let live = self.live.read().unwrap_or_else(PoisonError::into_inner);
        let found = live.as_ref().and_then(|live| live.get(&(handle as usize)).cloned());
        found.ok_or_else(|| self.unknown(op, handle))
    }

    /// Take an object back; whoever still uses it on another thread keeps it until done.
    pub(crate) fn remove(&self, op: &'static str, handle: *const c_void) -> Result<Arc<T>> {
        let mut live = self.live.write().unwrap_or_else(PoisonError::into_inner);
        let found = live.as_mut().and_then(|live| live.remove(&(handle as usize)));
        found.ok_or_else(|| self.unknown(op, handle))
    }

    /// As `remove`, for a caller who frees what may be null, which is ignored.
    pub(crate) fn free(&self, op: &'static str, handle: *const c_void) -> Result<()> {
        if handle.is_null() { Ok(()) } else { self.remove(op, handle).map(drop) }
    }

    fn unknown(&self, op: &'static str, handle: *const c_void) -> Error {
        match handle.is_null() {
            true => Error::pointer(op, format!("{} is null", self.what)),
            false => Error::pointer(op, format!("{} {handle:?}: freed already, or never one", self.what)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use icicle::ErrorCode;

    #[test]
    fn handles_are_pointers_that_gos_runtime_accepts() {
        static TABLE: Table<i32> = Table::new("number");
        for _ in 0..100 {
            let handle = TABLE.insert(0).addr();
            assert!(handle > 64 << 10 && handle.is_multiple_of(16), "{handle:#x}");
        }
    }

    #[test]
    fn freed_foreign_and_null_handles_are_errors() {
        static TABLE: Table<i32> = Table::new("number");
        static OTHER: Table<i32> = Table::new("other number");
        let handle = TABLE.insert(5);
        assert_eq!(*TABLE.get("op", handle).unwrap(), 5);
        assert_eq!(OTHER.get("op", handle).unwrap_err().code, ErrorCode::InvalidPointer);
        assert_eq!(*TABLE.remove("op", handle).unwrap(), 5);
        assert_eq!(TABLE.remove("op", handle).unwrap_err().code, ErrorCode::InvalidPointer);
        assert_eq!(TABLE.get("op", std::ptr::null()).unwrap_err().to_string(), "op: number is null");
        TABLE.free("op", std::ptr::null()).unwrap();
        let other = TABLE.insert(6);
        TABLE.free("op", other).unwrap();
        assert_eq!(TABLE.free("op", other).unwrap_err().code, ErrorCode::InvalidPointer);
    }
}
