//! Transfers of a rank to itself.

use crate::call::{Call, Kind};
use icicle_device::check::disjoint;
use icicle_error::{Error, Result};

/// Check that what a rank sends to itself, it receives: the first it sends is the first it receives.
pub(crate) fn own_transfers(rank: usize, calls: &[Call<'_>]) -> Result<()> {
    if !calls.iter().any(|call| call.is_transfer() && call.peer == rank) {
        return Ok(());
    }
    let own = |kind: Kind| calls.iter().filter(move |call| call.kind == kind && call.peer == rank);
    let (sent, received) = (own(Kind::Send).count(), own(Kind::Recv).count());
    if sent != received {
        let op = if sent > received { "send" } else { "recv" };
        let detail = format!(
            "peer {rank} is the caller: {sent} calls send and {received} receive; a group must have as many of both"
        );
        return Err(Error::argument(op, detail));
    }
    for (send, recv) in own(Kind::Send).zip(own(Kind::Recv)) {
        let (theirs, ours) = (send.descriptor(), recv.descriptor());
        if theirs != ours {
            let detail = format!("rank {rank} calls {theirs}, and receives {ours}: both must be the same");
            return Err(Error::argument("send", detail));
        }
        if let (Some(from), Some(to)) = (&send.send, &recv.recv) {
            disjoint("recv", "what is sent", to, from)?;
        }
    }
    Ok(())
}
