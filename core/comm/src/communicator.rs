//! Communicators: one rank's end of a group of ranks.

use crate::call::{Call, INIT, Ranked};
use crate::local::Member;
use crate::options::Options;
use crate::tcp::UniqueId;
use crate::transfers::own_transfers;
use crate::transport::MOST;
use crate::ways::Way;
use crate::{DataType, ReduceOp};
use icicle_device::{Device, DeviceKind, Dst, Src};
use icicle_error::reserve::listed;
use icicle_error::{Error, ErrorCode, Result};
use icicle_runtime::{DeviceGroup, registry};

/// One rank's end of a group of ranks, each with a device.
///
/// Every rank calls the same operations in the same order, from a thread or process of its own, or one thread calls for
/// several
/// ranks by [`group`](crate::group()). A call is complete when it returns, unless it has a [stream](Call::on). Once a call failed for what another rank did
/// or did not do, the
/// communicator is of no use any more: each later call returns the first error at once, at every rank that learned of it.
/// Calls that are refused for their arguments send nothing and harm nothing.
///
/// Dropping a communicator leaves the group: ranks that wait for this one then fail and say so. [`Communicator::finalize`]
/// waits until none does.
#[derive(Debug)]
pub struct Communicator {
    pub(crate) rank: usize,
    pub(crate) size: usize,
    pub(crate) device: Device,
    pub(crate) options: Options,
    pub(crate) transport: Way,
}

/// Check that collectives run on a device.
fn usable(op: &'static str, device: Device) -> Result<()> {
    registry::backend(device)?;
    match device.kind {
        DeviceKind::Cuda if !cfg!(feature = "cuda") => {
            Err(Error::unsupported(op, format!("{device}: this build is without GPUs")))
        }
        _ => Ok(()),
    }
}

impl Communicator {
    /// Communicators of one process, one rank for each device, in their order. A device may be named more than once.
    ///
    /// Between GPUs NCCL carries, where it is found and no GPU is named twice; else copies between devices.
    ///
    /// # Errors
    /// `InvalidArgument` if there are none or more than 1024; `InvalidDevice`; `Unsupported` for devices of both kinds, and
    /// for GPUs in a build without them; NCCL's.
    pub fn init_all(devices: &[Device]) -> Result<Vec<Self>> {
        Self::init_all_with(devices, &Options::default())
    }

    /// As [`Communicator::init_all`], with options.
    ///
    /// # Errors
    /// As [`Communicator::init_all`].
    pub fn init_all_with(devices: &[Device], options: &Options) -> Result<Vec<Self>> {
        let op = "init_all";
        if devices.is_empty() || devices.len() > MOST {
            let detail = format!("devices: there are {}, must be 1 to {MOST}", devices.len());
            return Err(Error::argument(op, detail));
        }
        devices.iter().try_for_each(|&device| usable(op, device))?;
        let size = devices.len();
        let members = Member::all(devices, options)?.into_iter().enumerate();
        let all = members.zip(devices).map(|((rank, member), &device)| Self {
            rank,
            size,
            device,
            options: options.clone(),
            transport: Way::Process(member),
        });
        listed(op, all.map(Ok))
    }

    /// A rank for each device of a group, in its order; otherwise as [`Communicator::init_all`]. Vectors over the group are
    /// operands of all of them by [`run_sharded`](crate::run_sharded).
    ///
    /// # Errors
    /// As [`Communicator::init_all`].
    pub fn init_group(group: &DeviceGroup, options: &Options) -> Result<Vec<Self>> {
        Self::init_all_with(group.devices(), options)
    }

    /// Rank `rank` of `size`, each perhaps in a process of its own: waits until all came. Rank 0 is in the process that
    /// made the id.
    ///
    /// # Errors
    /// `InvalidArgument` if the rank is not below the size, that not 1 to 1024, or the id is used already;
    /// `InvalidDevice`; `Unsupported`
    /// for GPUs without NCCL; `Timeout`, which names the ranks that did not come; `RemoteError` if another rank failed, or refused
    /// this one.
    pub fn init_rank(id: &UniqueId, size: usize, rank: usize, device: Device, options: &Options) -> Result<Self> {
        if size == 0 || size > MOST {
            return Err(Error::argument(INIT, format!("size {size}: must be 1 to {MOST}")));
        }
        if rank >= size {
            return Err(Error::argument(INIT, format!("rank {rank}: must be below the size, {size}")));
        }
        usable(INIT, device)?;
        let transport = Way::connect(id, size, rank, device, options)?;
        Ok(Self { rank, size, device, options: options.clone(), transport })
    }

    /// This rank, from 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many ranks there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// This rank's device.
    pub fn device(&self) -> Device {
        self.device
    }

    /// What carries, for humans: `host memory`, `TCP`, `copies between devices`, or `NCCL` and its version.
    pub fn carrier(&self) -> String {
        self.transport.name()
    }

    /// The error that ended communication, if one did, such as one that a call in another thread met.
    pub fn failure(&self) -> Option<Error> {
        self.transport.failure()
    }

    /// End communication: calls of this rank that wait, in any thread, fail with `Cancelled`, and so do later ones; the
    /// other ranks
    /// fail as they notice. What is being computed is computed to its end first.
    pub fn abort(&self) {
        let detail = format!("rank {} aborted the communicator", self.rank);
        self.transport.abort(Error::new(ErrorCode::Cancelled, "abort", detail));
    }

    /// Wait for all ranks to finalize, and leave.
    ///
    /// # Errors
    /// As [`Communicator::barrier`].
    pub fn finalize(self) -> Result<()> {
        self.barrier()
    }

    /// Do one call.
    ///
    /// # Errors
    /// `InvalidArgument`, `InvalidPointer`, `Unsupported` for its arguments, and then nothing is sent. `Timeout`,
    /// `RemoteError`, `Cancelled`
    /// if communication failed; what is received is then unspecified.
    pub fn run(&self, call: Call<'_>) -> Result<()> {
        let mut call = call;
        self.check(&mut call)?;
        let calls = vec![call];
        own_transfers(self.rank, &calls)?;
        self.transport.run(calls)
    }

    pub(crate) fn check(&self, call: &mut Call<'_>) -> Result<()> {
        call.check(self.rank, self.size, self.device)?;
        self.transport.offers(call)
    }

    /// [`Call::all_reduce`], at once.
    ///
    /// # Errors
    /// As [`Communicator::run`]; so do the others.
    pub fn all_reduce<'a>(
        &self,
        data_type: impl Into<DataType>,
        op: ReduceOp,
        count: usize,
        send: impl Into<Src<'a>>,
        recv: impl Into<Dst<'a>>,
    ) -> Result<()> {
        self.run(Call::all_reduce(data_type, op, count, send.into(), recv.into()))
    }

    /// [`Call::broadcast`], at once.
    ///
    /// # Errors
    /// As [`Communicator::run`].
    pub fn broadcast<'a>(
        &self,
        data_type: impl Into<DataType>,
        count: usize,
        root: usize,
        send: Option<Src<'a>>,
        recv: impl Into<Dst<'a>>,
    ) -> Result<()> {
        self.run(Call::broadcast(data_type, count, root, send, recv.into()))
    }

    /// [`Call::reduce`], at once.
    ///
    /// # Errors
    /// As [`Communicator::run`].
    pub fn reduce<'a>(
        &self,
        data_type: impl Into<DataType>,
        op: ReduceOp,
        count: usize,
        root: usize,
        send: impl Into<Src<'a>>,
        recv: Option<Dst<'a>>,
    ) -> Result<()> {
        self.run(Call::reduce(data_type, op, count, root, send.into(), recv))
    }

    /// [`Call::all_gather`], at once.
    ///
    /// # Errors
    /// As [`Communicator::run`].
    pub fn all_gather<'a>(
        &self,
        data_type: impl Into<DataType>,
        count: usize,
        send: impl Into<Src<'a>>,
        recv: impl Into<Dst<'a>>,
    ) -> Result<()> {
        self.run(Call::all_gather(data_type, count, send.into(), recv.into()))
    }

    /// [`Call::reduce_scatter`], at once.
    ///
    /// # Errors
    /// As [`Communicator::run`].
    pub fn reduce_scatter<'a>(
        &self,
        data_type: impl Into<DataType>,
        op: ReduceOp,
        count: usize,
        send: impl Into<Src<'a>>,
        recv: impl Into<Dst<'a>>,
    ) -> Result<()> {
        self.run(Call::reduce_scatter(data_type, op, count, send.into(), recv.into()))
    }

    /// [`Call::all_to_all`], at once.
    ///
    /// # Errors
    /// As [`Communicator::run`].
    pub fn all_to_all<'a>(
        &self,
        data_type: impl Into<DataType>,
        count: usize,
        send: impl Into<Src<'a>>,
        recv: impl Into<Dst<'a>>,
    ) -> Result<()> {
        self.run(Call::all_to_all(data_type, count, send.into(), recv.into()))
    }

    /// [`Call::gather`], at once.
    ///
    /// # Errors
    /// As [`Communicator::run`].
    pub fn gather<'a>(
        &self,
        data_type: impl Into<DataType>,
        count: usize,
        root: usize,
        send: impl Into<Src<'a>>,
        recv: Option<Dst<'a>>,
    ) -> Result<()> {
        self.run(Call::gather(data_type, count, root, send.into(), recv))
    }

    /// [`Call::scatter`], at once.
    ///
    /// # Errors
    /// As [`Communicator::run`].
    pub fn scatter<'a>(
        &self,
        data_type: impl Into<DataType>,
        count: usize,
        root: usize,
        send: Option<Src<'a>>,
        recv: impl Into<Dst<'a>>,
    ) -> Result<()> {
        self.run(Call::scatter(data_type, count, root, send, recv.into()))
    }

    /// [`Call::send`], at once.
    ///
    /// # Errors
    /// As [`Communicator::run`].
    pub fn send<'a>(
        &self,
        data_type: impl Into<DataType>,
        count: usize,
        peer: usize,
        send: impl Into<Src<'a>>,
    ) -> Result<()> {
        self.run(Call::send(data_type, count, peer, send.into()))
    }

    /// [`Call::recv`], at once.
    ///
    /// # Errors
    /// As [`Communicator::run`].
    pub fn recv<'a>(
        &self,
        data_type: impl Into<DataType>,
        count: usize,
        peer: usize,
        recv: impl Into<Dst<'a>>,
    ) -> Result<()> {
        self.run(Call::recv(data_type, count, peer, recv.into()))
    }

    /// [`Call::barrier`], at once.
    ///
    /// # Errors
    /// As [`Communicator::run`].
    pub fn barrier(&self) -> Result<()> {
        self.run(Call::barrier())
    }
}

impl<'a> Ranked<'a> for (&Communicator, Call<'a>) {
    fn rank(&self) -> usize {
        self.0.rank
    }
    fn call(&self) -> &Call<'a> {
        &self.1
    }
    fn into_call(self) -> Call<'a> {
        self.1
    }
}
