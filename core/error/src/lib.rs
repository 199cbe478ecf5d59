//! What every call of icicle ends with, and vectors whose memory may be refused.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod error;
pub mod reserve;

pub use error::{Error, ErrorCode, Result};
