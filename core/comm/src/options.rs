//! What a communicator is told when it is made.

use std::time::Duration;

/// How long to wait, and what to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How long a call waits for ranks that do not come or do not go on, before it fails and names them.
    pub timeout: Duration,
    /// Exchange what every rank is about to do first, so that calls that do not match are an error before any data is sent.
    /// Ranks of one process are always compared. Off unless the environment has `ICICLE_COMM_CHECK=1`.
    pub check: bool,
    /// On GPUs: reduce numbers in the order of ranks, as CPU devices always do, so that floats have the same bits as there.
    /// Else NCCL, where it carries, reduces those that it has. All ranks must set it alike.
    pub ordered: bool,
}

impl Default for Options {
    fn default() -> Self {
        let check = std::env::var_os("ICICLE_COMM_CHECK").is_some_and(|value| value == "1");
        Self { timeout: Duration::from_secs(300), check, ordered: false }
    }
}

impl Options {
    /// With another timeout.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Whether to check.
    pub fn check(self, check: bool) -> Self {
        Self { check, ..self }
    }

    /// Whether to reduce in the order of ranks.
    pub fn ordered(self, ordered: bool) -> Self {
        Self { ordered, ..self }
    }
}
