//! A rank's part in an operation: what it sends and receives, checked before anything leaves it.

use crate::memory::{host_dst, host_src};
use crate::{DataType, ReduceOp};
use icicle_device::check::{count_for, disjoint, need_dst, need_src, same_or_disjoint};
use icicle_device::{Device, Dst, Place, Src};
use icicle_error::{Error, Result};
use icicle_runtime::StreamRef;

macro_rules! kinds {
    ($($name:ident, $number:literal, $op:literal;)*) => {
        /// Which operation, by the number that bindings in other languages and the wire know it by.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Kind {
            $(#[doc = concat!("`", $op, "`.")] $name = $number,)*
        }

        impl Kind {
            /// Its name, such as `all_reduce`.
            pub const fn op(self) -> &'static str {
                match self { $(Self::$name => $op,)* }
            }
            /// The operation of a number that came over the wire.
            pub(crate) fn op_of(number: u8) -> Option<&'static str> {
                match number { $($number => Some($op),)* _ => None }
            }
        }
    };
}

kinds! {
    AllReduce, 1, "all_reduce";
    Broadcast, 2, "broadcast";
    Reduce, 3, "reduce";
    AllGather, 4, "all_gather";
    ReduceScatter, 5, "reduce_scatter";
    AllToAll, 6, "all_to_all";
    Gather, 7, "gather";
    Scatter, 8, "scatter";
    Send, 9, "send";
    Recv, 10, "recv";
    Barrier, 11, "barrier";
    Init, 12, "init_rank";
}

/// What making a communicator is called.
pub(crate) const INIT: &str = Kind::Init.op();

impl Kind {
    /// Every one that a rank may call.
    pub const ALL: [Self; 11] = [
        Self::AllReduce,
        Self::Broadcast,
        Self::Reduce,
        Self::AllGather,
        Self::ReduceScatter,
        Self::AllToAll,
        Self::Gather,
        Self::Scatter,
        Self::Send,
        Self::Recv,
        Self::Barrier,
    ];

    /// Whether it reduces.
    pub const fn is_reduction(self) -> bool {
        matches!(self, Self::AllReduce | Self::Reduce | Self::ReduceScatter)
    }

    /// How many elements a rank sends and receives: `count`, or `all` (`count` times the number of ranks). None where
    /// it needs no memory, as at other ranks than the root.
    pub fn elements(self, count: usize, all: usize, is_root: bool) -> (Option<usize>, Option<usize>) {
        let at_root = |n| is_root.then_some(n);
        match self {
            Self::AllReduce => (Some(count), Some(count)),
            Self::Broadcast => (at_root(count), Some(count)),
            Self::Reduce => (Some(count), at_root(count)),
            Self::AllGather => (Some(count), Some(all)),
            Self::ReduceScatter => (Some(all), Some(count)),
            Self::AllToAll => (Some(all), Some(all)),
            Self::Gather => (Some(count), at_root(all)),
            Self::Scatter => (at_root(all), Some(count)),
            Self::Send => (Some(count), None),
            Self::Recv => (None, Some(count)),
            Self::Barrier | Self::Init => (None, None),
        }
    }
}

/// One rank's part in a collective operation, or one end of a transfer between two: for [`Communicator::run`] and
/// [`group`].
///
/// Counts are NCCL's: of the elements of one rank, which is the whole vector of `all_reduce`, `broadcast` and `reduce`,
/// what each
/// rank sends in `all_gather`, `gather` and `scatter`, what each receives in `reduce_scatter`, and what each sends to
/// each in
/// `all_to_all`. Operands lie on the communicator's device or on the host. What is significant at the root only is
/// ignored at other ranks.
///
/// [`Communicator::run`]: crate::Communicator::run
/// [`group`]: crate::group()
#[derive(Debug)]
pub struct Call<'a> {
    pub(crate) kind: Kind,
    pub(crate) data_type: DataType,
    pub(crate) reduce: Option<ReduceOp>,
    pub(crate) count: usize,
    /// Root, or the other end of a transfer; 0 where there is none.
    pub(crate) peer: usize,
    pub(crate) send: Option<Src<'a>>,
    pub(crate) recv: Option<Dst<'a>>,
    stream: Option<StreamRef>,
}

/// One kind of call without a root.
macro_rules! call {
    ($kind:ident, $data_type:expr, $count:expr) => {
        Self {
            kind: Kind::$kind,
            data_type: $data_type.into(),
            reduce: None,
            count: $count,
            peer: 0,
            send: None,
            recv: None,
            stream: None,
        }
    };
}

impl<'a> Call<'a> {
    /// A call of any kind, as bindings in other languages make it; `reduce` counts where the kind reduces, `peer` is the
    /// root or the other end of a transfer.
    pub fn of(
        kind: Kind,
        t: impl Into<DataType>,
        reduce: ReduceOp,
        count: usize,
        peer: usize,
        send: Option<Src<'a>>,
        recv: Option<Dst<'a>>,
    ) -> Self {
        let reduce = kind.is_reduction().then_some(reduce);
        Self { kind, data_type: t.into(), reduce, count, peer, send, recv, stream: None }
    }

    /// Every rank gets the reduction of all ranks' vectors. In place: `recv` is exactly `send`.
    pub fn all_reduce(t: impl Into<DataType>, op: ReduceOp, count: usize, send: Src<'a>, recv: Dst<'a>) -> Self {
        Self { reduce: Some(op), send: Some(send), recv: Some(recv), ..call!(AllReduce, t, count) }
    }

    /// Every rank gets the root's vector; `send` is significant at the root. In place: `recv` is exactly `send`.
    pub fn broadcast(t: impl Into<DataType>, count: usize, root: usize, send: Option<Src<'a>>, recv: Dst<'a>) -> Self {
        Self { peer: root, send, recv: Some(recv), ..call!(Broadcast, t, count) }
    }

    /// The root gets the reduction of all ranks' vectors; `recv` is significant there. In place: `recv` is exactly `send`.
    pub fn reduce(
        t: impl Into<DataType>,
        op: ReduceOp,
        count: usize,
        root: usize,
        send: Src<'a>,
        recv: Option<Dst<'a>>,
    ) -> Self {
        Self { reduce: Some(op), peer: root, send: Some(send), recv, ..call!(Reduce, t, count) }
    }

    /// Every rank gets `count` elements of each, in the order of ranks. In place: `send` is elements `rank·count` and
    /// on of `recv`.
    pub fn all_gather(t: impl Into<DataType>, count: usize, send: Src<'a>, recv: Dst<'a>) -> Self {
        Self { send: Some(send), recv: Some(recv), ..call!(AllGather, t, count) }
    }

    /// Each rank gets its `count` elements of the reduction of all ranks' vectors, in the order of ranks. In place:
    /// `recv` is elements
    /// `rank·count` and on of `send`.
    pub fn reduce_scatter(t: impl Into<DataType>, op: ReduceOp, count: usize, send: Src<'a>, recv: Dst<'a>) -> Self {
        Self { reduce: Some(op), send: Some(send), recv: Some(recv), ..call!(ReduceScatter, t, count) }
    }

    /// Each rank sends `count` elements to each, which receives them in the order of ranks. Not in place.
    pub fn all_to_all(t: impl Into<DataType>, count: usize, send: Src<'a>, recv: Dst<'a>) -> Self {
        Self { send: Some(send), recv: Some(recv), ..call!(AllToAll, t, count) }
    }

    /// The root gets `count` elements of each rank, in the order of ranks; `recv` is significant there. In place:
    /// `send` is elements
    /// `root·count` and on of `recv`.
    pub fn gather(t: impl Into<DataType>, count: usize, root: usize, send: Src<'a>, recv: Option<Dst<'a>>) -> Self {
        Self { peer: root, send: Some(send), recv, ..call!(Gather, t, count) }
    }

    /// Each rank gets its `count` of the root's elements, in the order of ranks; `send` is significant there. In place:
    /// `recv` is
    /// elements `root·count` and on of `send`.
    pub fn scatter(t: impl Into<DataType>, count: usize, root: usize, send: Option<Src<'a>>, recv: Dst<'a>) -> Self {
        Self { peer: root, send, recv: Some(recv), ..call!(Scatter, t, count) }
    }

    /// Send to a rank, which calls [`Call::recv`]: to the caller itself only within a [`group`](crate::group()) that has
    /// both.
    pub fn send(t: impl Into<DataType>, count: usize, peer: usize, send: Src<'a>) -> Self {
        Self { peer, send: Some(send), ..call!(Send, t, count) }
    }

    /// Receive from a rank, which calls [`Call::send`].
    pub fn recv(t: impl Into<DataType>, count: usize, peer: usize, recv: Dst<'a>) -> Self {
        Self { peer, recv: Some(recv), ..call!(Recv, t, count) }
    }

    /// Wait for all ranks.
    pub fn barrier() -> Self {
        call!(Barrier, icicle_array::DType::UInt8, 0)
    }

    /// Wait for all ranks of a new communicator.
    pub(crate) fn init() -> Self {
        call!(Init, icicle_array::DType::UInt8, 0)
    }

    /// Asynchronously, on a stream of the communicator's device: after the work that is enqueued there, before what is
    /// enqueued later, and returning once it is enqueued. That is when all ranks have called it. Without a stream a call
    /// is complete when it returns.
    ///
    /// As of every operation, what is asynchronous is not the host's part: on CPU devices every call is complete when it
    /// returns, and so is one whose operands are slices or vectors of the host. A call by which communication fails after it
    /// returned leaves the error to the stream's synchronization and to [`Communicator::failure`].
    ///
    /// [`Communicator::failure`]: crate::Communicator::failure
    pub fn on(self, stream: StreamRef) -> Self {
        Self { stream: Some(stream), ..self }
    }

    /// What all ranks' calls must agree in.
    pub(crate) fn descriptor(&self) -> Descriptor {
        Descriptor {
            // Both ends of a transfer have the same.
            kind: if self.kind == Kind::Recv { Kind::Send as u8 } else { self.kind as u8 },
            reduce: self.reduce.map_or(0, ReduceOp::number),
            root: if self.is_transfer() { 0 } else { self.peer as u32 },
            data_type: self.data_type.number(),
            count: self.count as u64,
        }
    }

    /// Whether it is between two ranks.
    pub(crate) fn is_transfer(&self) -> bool {
        matches!(self.kind, Kind::Send | Kind::Recv)
    }

    /// Bytes of `count` elements.
    pub(crate) fn bytes(&self) -> usize {
        self.count * self.data_type.bytes()
    }

    /// With operands of the host, which those of CPU devices are.
    pub(crate) fn on_host(self) -> Result<Self> {
        let op = self.kind.op();
        let send = self.send.map(|send| host_src(op, &send)).transpose()?;
        let recv = self.recv.map(|recv| host_dst(op, recv)).transpose()?;
        Ok(Self { send, recv, ..self })
    }

    /// Whether an operand lies on the host.
    pub(crate) fn is_on_host(&self) -> bool {
        let is_host = |place: Option<Place>| place == Some(Place::Host);
        is_host(self.send.as_ref().map(Src::place)) || is_host(self.recv.as_ref().map(Dst::place))
    }

    /// The handle of its stream.
    #[cfg(feature = "cuda")]
    pub(crate) fn raw_stream(&self) -> icicle_device::RawStream {
        self.stream.as_ref().map_or(0, StreamRef::raw)
    }

    /// The stream that it is on.
    pub(crate) fn stream(&self) -> Option<&StreamRef> {
        self.stream.as_ref()
    }

    /// Check everything that one rank can know, for rank `rank` of `size` on a device; operands that are not significant there are
    /// forgotten.
    pub(crate) fn check(&mut self, rank: usize, size: usize, device: Device) -> Result<()> {
        let op = self.kind.op();
        if let Some(stream) = &self.stream
            && stream.device() != device
        {
            let detail = format!("stream of {}: the communicator's rank is on {device}", stream.device());
            return Err(Error::argument(op, detail));
        }
        if self.peer >= size {
            let name = if self.is_transfer() { "peer" } else { "root" };
            return Err(Error::argument(op, format!("{name} {}: must be a rank, below {size}", self.peer)));
        }
        if let Some(reduce) = self.reduce {
            reduce.need(op, self.data_type)?;
        }
        let is_root = self.peer == rank;
        match self.kind {
            Kind::Broadcast | Kind::Scatter if !is_root => self.send = None,
            Kind::Reduce | Kind::Gather if !is_root => self.recv = None,
            _ => {}
        }
        let all = count_for(op, "operands", self.count, size)?;
        let (sent, received) = self.kind.elements(self.count, all, is_root);
        let size_of = self.data_type.bytes();
        match (&self.send, sent) {
            (Some(send), Some(n)) => need_src(op, "send", send, n, size_of)?,
            (None, Some(_)) => return Err(Error::argument(op, "send: the root must have something to send")),
            (_, None) => {}
        }
        match (&self.recv, received) {
            (Some(recv), Some(n)) => need_dst(op, "recv", recv, n, size_of)?,
            (None, Some(_)) => return Err(Error::argument(op, "recv: the root must have memory to receive to")),
            (_, None) => {}
        }
        self.places(op, device)?;
        self.overlap(op, rank)
    }

    /// Operands are the device's or the host's, and aligned where they are reduced.
    fn places(&self, op: &'static str, device: Device) -> Result<()> {
        let recv = self.recv.as_ref().map(Dst::as_src);
        let align = if self.reduce.is_some() { self.data_type.align() } else { 1 };
        for (arg, operand) in [("send", &self.send), ("recv", &recv)] {
            let Some(operand) = operand else { continue };
            if let Place::Device(other) = operand.place()
                && other != device
            {
                return Err(Error::pointer(op, format!("{arg} on {other}: the communicator's rank is on {device}")));
            }
            if operand.bytes() > 0 && !operand.as_ptr().addr().is_multiple_of(align) {
                let detail = format!("{arg} at {:?}: must be aligned to {align} bytes", operand.as_ptr());
                return Err(Error::pointer(op, detail));
            }
        }
        Ok(())
    }

    /// What is sent and what is received are the same memory where NCCL allows it, else disjoint.
    fn overlap(&self, op: &'static str, rank: usize) -> Result<()> {
        let (Some(send), Some(recv)) = (&self.send, &self.recv) else { return Ok(()) };
        let offset = rank * self.bytes();
        match self.kind {
            Kind::AllReduce | Kind::Broadcast | Kind::Reduce => same_or_disjoint(op, "send", recv, send),
            Kind::AllGather | Kind::Gather if send.as_ptr() == recv.as_ptr().wrapping_add(offset).cast_const() => {
                Ok(())
            }
            Kind::ReduceScatter | Kind::Scatter if recv.as_ptr().cast_const() == send.as_ptr().wrapping_add(offset) => {
                Ok(())
            }
            _ => disjoint(op, "send", recv, send),
        }
    }
}

/// A call and whose it is.
pub(crate) trait Ranked<'a> {
    /// The rank.
    fn rank(&self) -> usize;
    /// What it calls.
    fn call(&self) -> &Call<'a>;
    /// That, to be done.
    fn into_call(self) -> Call<'a>;
}

impl<'a> Ranked<'a> for (usize, Call<'a>) {
    fn rank(&self) -> usize {
        self.0
    }
    fn call(&self) -> &Call<'a> {
        &self.1
    }
    fn into_call(self) -> Call<'a> {
        self.1
    }
}

/// What all ranks' calls must agree in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    pub kind: u8,
    pub reduce: u8,
    pub root: u32,
    pub data_type: u64,
    pub count: u64,
}

/// Bytes of a descriptor on the wire.
pub(crate) const DESCRIPTOR: usize = 24;

impl Descriptor {
    pub(crate) fn to_bytes(self) -> [u8; DESCRIPTOR] {
        let mut bytes = [0; DESCRIPTOR];
        bytes[0] = self.kind;
        bytes[1] = self.reduce;
        bytes[4..8].copy_from_slice(&self.root.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.data_type.to_le_bytes());
        bytes[16..].copy_from_slice(&self.count.to_le_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8; DESCRIPTOR]) -> Self {
        let [kind, reduce, _, _, r0, r1, r2, r3, rest @ ..] = *bytes;
        let (mut data_type, mut count) = ([0; 8], [0; 8]);
        data_type.copy_from_slice(&rest[..8]);
        count.copy_from_slice(&rest[8..]);
        Self {
            kind,
            reduce,
            root: u32::from_le_bytes([r0, r1, r2, r3]),
            data_type: u64::from_le_bytes(data_type),
            count: u64::from_le_bytes(count),
        }
    }
}

impl std::fmt::Display for Descriptor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(Kind::op_of(self.kind).unwrap_or("an unknown operation"))?;
        if let Some(reduce) = ReduceOp::ALL.into_iter().find(|reduce| reduce.number() == self.reduce) {
            write!(f, " {}", reduce.name())?;
        }
        match DataType::from_number(self.data_type) {
            Some(data_type) => write!(f, " of {} {data_type}", self.count)?,
            None => write!(f, " of {} unknown elements", self.count)?,
        }
        write!(f, ", root {}", self.root)
    }
}
