//! One collective over vectors that lie on the devices of a group.

use crate::call::{Call, Kind};
use crate::{Communicator, DataType, ReduceOp, group};
use icicle_device::{Dst, Src};
use icicle_error::reserve::collected;
use icicle_error::reserve::listed;
use icicle_error::{Error, Result};
use icicle_runtime::{Layout, Sharded};
use std::borrow::Borrow;

/// Do a collective of all ranks of a process at once, where each rank's operands are what its device holds of vectors over
/// the same devices; complete on return.
///
/// `ranks` are all ranks of a communicator, in their order, as [`Communicator::init_group`] makes them. An element of the
/// vectors is one or several of the type, and every device holds as many. `send` is `None` for in place, where what `recv` holds is sent:
/// of `AllReduce`, `Broadcast` and `Reduce`. `reduce` counts where the kind reduces, `root` where it has one.
///
/// | kind | `send` | `recv` |
/// |---|---|---|
/// | `AllReduce`, `Broadcast`, `Reduce`, `AllToAll` | any layout | the same |
/// | `AllGather`, `Gather` | blocks | replicated (of `Gather` the root's is written) |
/// | `ReduceScatter`, `Scatter` | replicated | blocks |
///
/// ```
/// use icicle_array::DType;
/// use icicle_comm::{Communicator, Kind, Options, ReduceOp, run_sharded};
/// use icicle_device::Device;
/// use icicle_runtime::{DeviceGroup, Layout, Sharded};
///
/// # fn main() -> icicle_error::Result<()> {
/// let devices = DeviceGroup::new(&[Device::cpu(0)])?;
/// let ranks = Communicator::init_group(&devices, &Options::default())?;
/// // Gradients of every device become the sum of all.
/// let mut x = Sharded::from_slice(&devices, &[1.0f32, 2.0], Layout::Replicated)?;
/// run_sharded(&ranks, Kind::AllReduce, DType::Float32, ReduceOp::Sum, 0, None, &mut x)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// `InvalidArgument` for a transfer between two ranks or a barrier, for ranks that are not all of a communicator, and for vectors on
/// other devices, of other elements or lengths, in other layouts, or of which devices hold unequally many; otherwise as
/// [`Communicator::run`].
pub fn run_sharded(
    ranks: &[impl Borrow<Communicator>],
    kind: Kind,
    t: impl Into<DataType>,
    reduce: ReduceOp,
    root: usize,
    send: Option<&Sharded>,
    recv: &mut Sharded,
) -> Result<()> {
    let (op, t) = (kind.op(), t.into());
    let refuse = |detail: String| Err(Error::argument(op, detail));
    let ranks: Vec<&Communicator> = collected(op, ranks.iter().map(Borrow::borrow))?;
    if let Some((i, comm)) = ranks.iter().enumerate().find(|(i, comm)| (comm.rank, comm.size) != (*i, ranks.len())) {
        let (rank, size, n) = (comm.rank, comm.size, ranks.len());
        return refuse(format!("ranks: number {i} of {n} is rank {rank} of {size}; must be all ranks in their order"));
    }
    let sent = match (send, kind) {
        (Some(send), _) => held(op, "send", send, &ranks, t)?,
        (None, Kind::AllReduce | Kind::Broadcast | Kind::Reduce) => 0,
        (None, _) => return refuse("send: must be given, as it is not done in place".to_owned()),
    };
    let received = held(op, "recv", recv, &ranks, t)?;
    let layouts = send.map(|send| (send.layout(), recv.layout()));
    let (count, fits) = match kind {
        Kind::AllReduce | Kind::Broadcast | Kind::Reduce => (received, layouts.is_none_or(|(from, to)| from == to)),
        Kind::AllToAll => (received / ranks.len().max(1), layouts.is_none_or(|(from, to)| from == to)),
        Kind::AllGather | Kind::Gather => (sent, layouts == Some((Layout::Blocks, Layout::Replicated))),
        Kind::ReduceScatter | Kind::Scatter => (received, layouts == Some((Layout::Replicated, Layout::Blocks))),
        Kind::Send | Kind::Recv | Kind::Barrier | Kind::Init => {
            return refuse("takes no vectors over a group: must be a collective with operands".to_owned());
        }
    };
    if let (Some((from, to)), false) = (layouts, fits) {
        let rule = match kind {
            Kind::AllGather | Kind::Gather => "must be blocks and replicated",
            Kind::ReduceScatter | Kind::Scatter => "must be replicated and blocks",
            _ => "must be the same",
        };
        return refuse(format!("send is {}, recv {}: {rule}", from.name(), to.name()));
    }
    let calls = ranks.iter().zip(recv.parts_mut()).enumerate().map(|(i, (&comm, part))| {
        let dst = Dst::from(part);
        let src = send.map_or(dst.as_src(), |send| Src::from(&send.parts()[i]));
        (comm, Call::of(kind, t, reduce, count, root, Some(src), Some(dst)))
    });
    group(listed(op, calls.map(Ok))?)
}

/// How many elements of a type each device holds of a vector that lies on the ranks' devices.
fn held(op: &'static str, arg: &str, vector: &Sharded, ranks: &[&Communicator], t: DataType) -> Result<usize> {
    let refuse = |detail: String| Err(Error::argument(op, format!("{arg} {detail}")));
    if !vector.devices().iter().eq(ranks.iter().map(|comm| &comm.device)) {
        let names = |devices: Vec<String>| devices.join(", ");
        let (on, of) = (vector.devices().iter(), ranks.iter());
        let (on, of) = (on.map(ToString::to_string).collect(), of.map(|comm| comm.device.to_string()).collect());
        return refuse(format!("on {}: the ranks are on {}", names(on), names(of)));
    }
    let (width, bytes) = (vector.element_bytes(), t.bytes());
    if !width.is_multiple_of(bytes) {
        return refuse(format!("of elements of {width} bytes: must be a multiple of the {bytes} of {t}"));
    }
    let mut lengths = vector.ranges().iter().map(ExactSizeIterator::len);
    let first = lengths.next().unwrap_or(0);
    if lengths.any(|length| length != first) {
        let lengths: Vec<usize> = vector.ranges().iter().map(ExactSizeIterator::len).collect();
        return refuse(format!("of which devices hold {lengths:?} elements: must be as many on each"));
    }
    Ok(first * (width / bytes))
}
