//! What carries a communicator's calls: memory that threads share, connections, or what is between GPUs.

use crate::call::Call;
use crate::local::Member;
use crate::tcp::UniqueId;
use icicle_error::{Error, Result};
use std::fmt::Debug;
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

/// What the ranks of a new communicator need to find each other.
#[derive(Debug)]
pub(crate) struct Invitation {
    /// What is sent to them.
    pub bytes: [u8; 128],
    /// What the inviting rank keeps until they came.
    pub id: Option<UniqueId>,
}

/// One rank's end of a communicator.
pub(crate) trait Transport: Send + Sync + Debug {
    /// Check that what carries has all that a call needs, and that communication has not ended.
    fn offers(&self, _: &Call<'_>) -> Result<()> {
        self.failure().map_or(Ok(()), Err)
    }
    /// Do checked calls: collectives in their order, transfers between ranks all at once.
    fn run(&self, calls: Vec<Call<'_>>) -> Result<()>;
    /// The first error that ended communication, if one did.
    fn failure(&self) -> Option<Error>;
    /// End communication with an error, unless one did; calls that wait return it.
    fn abort(&self, error: Error);
    /// Invite ranks of this communicator to a new one.
    fn invite(&self, size: usize) -> Result<Invitation>;
    /// Come to a new communicator.
    fn join(&self, invitation: &Invitation, size: usize, rank: usize, options: &Options) -> Result<Box<dyn Transport>>;
    /// What carries, for humans.
    fn name(&self) -> String;
    /// The rank among those of one process, if it is one: one thread may then issue calls of several.
    fn member(&self) -> Option<&Member>;
}

/// Every communicator of one rank needs nothing to wait for.
pub(crate) const INIT: &str = "init_rank";
