//! A backend's handles, by number.

/// A backend's stream handle; 0 is the device's default stream (the CPU has no other).
pub type RawStream = usize;

/// A backend's event handle, never 0.
pub type RawEvent = usize;
