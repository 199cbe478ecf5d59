//! Communicators of some of a communicator's ranks.

use crate::Communicator;
use crate::call::Call;
use crate::transport::Invitation;
use icicle_array::DType;
use icicle_error::reserve::listed;
use icicle_error::{Error, ErrorCode, Result};

const OP: &str = "split";

/// What a rank without a color sends.
const NO_COLOR: i64 = -1;

impl Communicator {
    /// Divide the ranks: those of one color make a communicator, in which they are ordered by key, and by their rank
    /// where keys are
    /// equal. A rank without a color gets none. All ranks call it; this communicator stays as it is.
    ///
    /// # Errors
    /// As [`Communicator::run`], and as [`Communicator::init_rank`] for the new communicator.
    pub fn split(&self, color: Option<u32>, key: i32) -> Result<Option<Self>> {
        self.divide(color, key).inspect_err(|error| {
            // The other ranks need not wait for what comes next.
            if error.code == ErrorCode::OutOfMemory {
                self.transport.abort(error.clone());
            }
        })
    }

    fn divide(&self, color: Option<u32>, key: i32) -> Result<Option<Self>> {
        let mine = [color.map_or(NO_COLOR, i64::from), i64::from(key)];
        let mut all = icicle_error::reserve::filled(OP, 2 * self.size, 0i64)?;
        self.exchange(&mine, &mut all)?;
        let (ranks, _) = all.as_chunks::<2>();
        let mut members = listed(OP, (0..self.size).filter(|&rank| ranks[rank][0] == mine[0]).map(Ok))?;
        members.sort_unstable_by_key(|&rank| (ranks[rank][1], rank));
        let leader = members.first().copied();
        let leads = color.is_some() && leader == Some(self.rank);
        // One that cannot invite says so by sending nothing, or the others would wait for it.
        let invited = leads.then(|| self.transport.invite(members.len()));
        let bytes = match &invited {
            Some(Ok(invitation)) => invitation.bytes,
            _ => [0; 128],
        };
        let mut invitations = icicle_error::reserve::filled(OP, 128 * self.size, 0u8)?;
        self.exchange(&bytes, &mut invitations)?;
        let own = invited.transpose()?;
        let (Some(leader), true) = (leader, color.is_some()) else { return Ok(None) };
        let Some(rank) = members.iter().position(|&rank| rank == self.rank) else { return Ok(None) };
        let bytes = invitations.as_chunks::<128>().0[leader];
        if bytes == [0; 128] {
            let detail = format!("rank {leader}, the first of its color, could not make the communicator");
            return Err(Error::new(ErrorCode::RemoteError, OP, detail));
        }
        let invitation = own.unwrap_or(Invitation { bytes, id: None });
        let transport = self.transport.join(&invitation, members.len(), rank, &self.options)?;
        let (size, device, options) = (members.len(), self.device, self.options.clone());
        Ok(Some(Self { rank, size, device, options, transport }))
    }

    /// Gather values of all ranks.
    fn exchange<T: bytemuck::Pod>(&self, mine: &[T], all: &mut [T]) -> Result<()> {
        self.run(Call::all_gather(DType::UInt8, size_of_val(mine), mine.into(), all.into()))
    }
}
