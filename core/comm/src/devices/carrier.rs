//! What moves bytes between devices.

use super::copies;
use super::work::{End, Native, Work};
use crate::call::{Call, Ranked};
#[cfg(feature = "cuda")]
use icicle_device::Device;
use icicle_error::Result;

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
    /// What carries between GPUs of this process: NCCL where it is, and no GPU is there twice, which it refuses.
    ///
    /// # Errors
    /// NCCL's.
    #[cfg(feature = "cuda")]
    pub(super) fn of_process(op: &'static str, devices: &[Device], ordered: bool) -> Result<Self> {
        let mut reached = true;
        for (i, &one) in devices.iter().enumerate() {
            for &other in devices[..i].iter().filter(|&&other| other != one) {
                for (from, to) in [(one, other), (other, one)] {
                    // NCCL and copies go over the host where devices do not reach each other.
                    match icicle_cuda::enable_peer_access(from, to) {
                        Err(error) if error.code == icicle_error::ErrorCode::Unsupported => reached = false,
                        answer => answer?,
                    }
                }
            }
        }
        let is_twice = devices.iter().enumerate().any(|(i, device)| devices[..i].contains(device));
        if is_twice || !icicle_cuda::nccl::is_there(op)? {
            return Ok(Self::Copies);
        }
        Ok(Self::Nccl(super::nccl::Nccl::of_process(op, devices, ordered, reached)?))
    }

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
