//! The ways to carry a communicator's calls; this alone names them.

use crate::local::Member;
use crate::options::Options;
use crate::tcp::{Tcp, UniqueId};
use crate::transport::{Invitation, Transport};
use icicle_device::{Device, DeviceKind};
use icicle_error::Result;
use std::ops::Deref;

/// A way to carry a communicator's calls.
#[derive(Debug)]
pub(crate) enum Way {
    /// Between ranks of one process: memory that they share, or what is between their GPUs.
    Process(Member),
    /// Between CPU devices of several processes: connections.
    Connections(Tcp),
    /// Between GPUs of several processes: NCCL.
    #[cfg(feature = "cuda")]
    Linked(crate::devices::Linked),
}

impl Way {
    /// Connect a rank on a device with others that are perhaps in other processes, and wait until all have.
    ///
    /// # Errors
    /// As [`Communicator::init_rank`](crate::Communicator::init_rank).
    pub fn connect(id: &UniqueId, size: usize, rank: usize, device: Device, options: &Options) -> Result<Self> {
        let tcp = Tcp::connect(id, size, rank, options)?;
        match device.kind {
            DeviceKind::Cpu => Ok(Self::Connections(tcp)),
            #[cfg(feature = "cuda")]
            DeviceKind::Cuda => crate::devices::Linked::new(tcp, size, rank, device, options).map(Self::Linked),
            #[cfg(not(feature = "cuda"))]
            DeviceKind::Cuda => {
                Err(icicle_error::Error::unsupported(crate::call::INIT, "GPUs: this build is without them"))
            }
        }
    }

    /// Come to a new communicator.
    ///
    /// # Errors
    /// As [`Way::connect`].
    pub fn join(&self, invitation: &Invitation, size: usize, rank: usize, options: &Options) -> Result<Self> {
        match self {
            Self::Process(member) => member.join(invitation, size, rank, options).map(Self::Process),
            Self::Connections(tcp) => tcp.join(invitation, size, rank, options).map(Self::Connections),
            #[cfg(feature = "cuda")]
            Self::Linked(linked) => linked.join(invitation, size, rank, options).map(Self::Linked),
        }
    }

    /// The rank among those of one process, if it is one: one thread may then issue calls of several.
    pub fn member(&self) -> Option<&Member> {
        match self {
            Self::Process(member) => Some(member),
            _ => None,
        }
    }
}

impl Deref for Way {
    type Target = dyn Transport;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Process(member) => member,
            Self::Connections(tcp) => tcp,
            #[cfg(feature = "cuda")]
            Self::Linked(linked) => linked,
        }
    }
}
