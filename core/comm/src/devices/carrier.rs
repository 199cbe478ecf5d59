//! What moves bytes between devices.

use super::area::Area;
use super::copies;
use super::work::Work;
use crate::call::{Call, Ranked};
use icicle_error::Result;

/// Bytes that go from a rank to another: which work sends, which receives, and the memory of both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    pub from: (usize, Area),
    pub to: (usize, Area),
}

/// One end of a transfer to or from a rank: the work, the other rank, and the memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub work: usize,
    pub other: usize,
    pub area: Area,
}

/// What a rank calls, which a carrier has itself; the operands lie on the rank's device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Native<'a> {
    pub rank: usize,
    pub call: &'a Call<'a>,
    pub send: Area,
    pub recv: Area,
}

impl<'a> Native<'a> {
    /// A call whose operands lie there.
    pub fn new(rank: usize, call: &'a Call<'a>) -> Self {
        Self { rank, call, send: Area::of_send(call), recv: Area::of_recv(call) }
    }
}

/// What moves bytes between devices.
#[derive(Debug)]
pub(crate) enum Carrier {
    /// Copies between the devices of this process.
    Copies,
    /// NCCL.
    #[cfg(feature = "cuda")]
    Nccl(super::nccl::Nccl),
}

impl Carrier {
    /// What it is, for humans.
    pub fn name(&self) -> String {
        match self {
            Self::Copies => "copies between devices".to_owned(),
            #[cfg(feature = "cuda")]
            Self::Nccl(nccl) => nccl.name(),
        }
    }

    /// Whether it reduces such elements itself.
    pub(super) fn reduces(&self, call: &Call<'_>) -> bool {
        let _ = call;
        match self {
            Self::Copies => false,
            #[cfg(feature = "cuda")]
            Self::Nccl(nccl) => nccl.reduces(call),
        }
    }

    /// Whether it has what a rank calls itself.
    pub(super) fn has(&self, rank: usize, call: &Call<'_>) -> bool {
        let _ = (rank, call);
        match self {
            Self::Copies => false,
            #[cfg(feature = "cuda")]
            Self::Nccl(nccl) => nccl.has(rank, call),
        }
    }

    /// Whether moves of calls go by copies: of one operation, of all ranks that are here, or transfers.
    pub(super) fn copies<'a>(&self, calls: &[impl Ranked<'a>]) -> bool {
        let _ = calls;
        match self {
            Self::Copies => true,
            #[cfg(feature = "cuda")]
            Self::Nccl(nccl) => nccl.copies(calls),
        }
    }

    /// Enqueue transfers that do not go by copies: between ranks, of which one end or both are here, and of ranks to themselves.
    pub(super) fn exchange(&self, op: &'static str, works: &[Work], out: &[End], into: &[End]) -> Result<()> {
        match self {
            Self::Copies => copies::exchange(op, works, out, into),
            #[cfg(feature = "cuda")]
            Self::Nccl(nccl) => nccl.exchange(op, works, out, into),
        }
    }

    /// Enqueue what ranks call, all that are here, and it has itself.
    pub(super) fn native<'a>(&self, op: &'static str, parts: impl Iterator<Item = Native<'a>>) -> Result<()> {
        let _ = (op, &parts);
        match self {
            Self::Copies => Ok(()),
            #[cfg(feature = "cuda")]
            Self::Nccl(nccl) => nccl.native(op, parts),
        }
    }

    /// End what waits for other ranks.
    pub(super) fn abort(&self) {
        match self {
            Self::Copies => {}
            #[cfg(feature = "cuda")]
            Self::Nccl(nccl) => nccl.abort(),
        }
    }
}
