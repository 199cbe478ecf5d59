//! What moves bytes between devices.

use super::area::Area;
use super::copies::{self, Marks};
use super::work::Work;
use crate::call::Call;
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

    /// Whether it has an operation itself.
    pub(super) fn has(&self, call: &Call<'_>) -> bool {
        let _ = call;
        match self {
            Self::Copies => false,
            #[cfg(feature = "cuda")]
            Self::Nccl(nccl) => nccl.has(call),
        }
    }

    /// Enqueue transfers between ranks, of which one end or both are here, and of ranks to themselves.
    pub(super) fn exchange(
        &self,
        op: &'static str,
        works: &[Work],
        marks: &Marks,
        out: &[End],
        into: &[End],
    ) -> Result<()> {
        match self {
            #[cfg(feature = "cuda")]
            Self::Nccl(nccl) if nccl.moves(works, out, into) => nccl.exchange(op, works, out, into),
            _ => copies::exchange(op, works, marks, out, into),
        }
    }

    /// Enqueue an operation that it has itself.
    pub(super) fn native(&self, works: &[Work]) -> Result<()> {
        let _ = works;
        match self {
            Self::Copies => Ok(()),
            #[cfg(feature = "cuda")]
            Self::Nccl(nccl) => nccl.native(works),
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
