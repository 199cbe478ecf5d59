//! Destinations of a call that is divided: each thread takes its own.

use icicle_device::Dst;
use icicle_error::{Error, ErrorCode, Result};
use std::sync::{Mutex, PoisonError};

/// Destinations by position, each to be taken once.
#[derive(Debug)]
pub struct Slots<'a>(Vec<Mutex<Option<Dst<'a>>>>);

impl<'a> Slots<'a> {
    /// Destinations to take.
    pub fn new(parts: impl IntoIterator<Item = Dst<'a>>) -> Self {
        Self(parts.into_iter().map(|part| Mutex::new(Some(part))).collect())
    }

    /// Take the destination of a position.
    ///
    /// # Errors
    /// `Internal` if there is none, or none any more.
    pub fn take(&self, position: usize) -> Result<Dst<'a>> {
        let slot = self.0.get(position);
        let taken = slot.and_then(|slot| slot.lock().unwrap_or_else(PoisonError::into_inner).take());
        taken.ok_or_else(|| Error::new(ErrorCode::Internal, "group", format!("part {position} is taken twice")))
    }
}
