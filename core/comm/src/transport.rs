//! What carries a communicator's calls: memory that threads share, connections, or what is between GPUs.

use crate::call::Call;
use crate::options::Options;
use crate::tcp::id::UniqueId;
use icicle_error::{Error, Result};
use std::fmt::Debug;

/// Most ranks of a communicator.
pub(crate) const MOST: usize = 1024;

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
    fn join(&self, invitation: &Invitation, size: usize, rank: usize, options: &Options) -> Result<Self>
    where
        Self: Sized;
    /// What carries, for humans.
    fn name(&self) -> String;
}
