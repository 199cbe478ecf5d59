//! What the threads of a divided call take: each its own.

use icicle_error::reserve::listed;
use icicle_error::{Error, ErrorCode, Result};
use std::sync::{Mutex, PoisonError};

/// Destinations, or lists of them, by position, each to be taken once.
#[derive(Debug)]
pub struct Slots<T>(Vec<Mutex<Option<T>>>);

impl<T> Slots<T> {
    /// Parts to take.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn new(parts: impl IntoIterator<Item = T>) -> Result<Self> {
        listed("group", parts.into_iter().map(|part| Ok(Mutex::new(Some(part))))).map(Self)
    }

    /// Take the part of a position.
    ///
    /// # Errors
    /// `Internal` if there is none, or none any more.
    pub fn take(&self, position: usize) -> Result<T> {
        let slot = self.0.get(position);
        let taken = slot.and_then(|slot| slot.lock().unwrap_or_else(PoisonError::into_inner).take());
        taken.ok_or_else(|| Error::new(ErrorCode::Internal, "group", format!("part {position} is taken twice")))
    }
}
