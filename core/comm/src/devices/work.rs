//! A call of one rank while it is being done: its steps, its memory, and its stream.

use super::area::{Area, Scratch, enqueue};
use super::plan::{Of, Plan, Region};
use crate::call::{Call, Kind};
use crate::reduce::Reduction;
use icicle_device::{Device, Place};
use icicle_error::Result;
use icicle_runtime::StreamRef;

/// What a stream of a call is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum On {
    /// Reductions, and all that others enqueue on the call's stream.
    Fold,
    /// Moves between ranks.
    Move,
}

/// A call of one rank.
#[derive(Debug)]
pub(super) struct Work {
    pub op: &'static str,
    pub rank: usize,
    pub size: usize,
    /// Bytes of one element.
    pub element: usize,
    pub reduction: Option<Reduction>,
    pub stream: StreamRef,
    /// Another stream, for moves.
    side: Option<StreamRef>,
    pub plan: Plan,
    send: Area,
    recv: Area,
    scratch: Option<Scratch>,
    /// Host memory to bring results to, and where they are.
    back: Option<(Area, Area)>,
    /// What the host's operands are meanwhile.
    _staged: Vec<Scratch>,
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

/// The stream that a call waits for before it returns; none for one that is asynchronous.
pub(crate) fn waited(call: &Call<'_>, device: Device) -> Option<StreamRef> {
    match call.stream() {
        Some(stream) => call.is_on_host().then(|| stream.clone()),
        None => Some(StreamRef::default_of(device)),
    }
}

/// The stream that a call of a rank on a device is on.
pub(crate) fn stream_of(call: &Call<'_>, device: Device) -> StreamRef {
    call.stream().cloned().unwrap_or_else(|| StreamRef::default_of(device))
}

impl Work {
    /// A checked call of a rank on its device, and what it does; operands of the host are brought there.
    ///
    /// # Errors
    /// `OutOfMemory`, `CopyFailed`.
    pub fn new(
        call: &Call<'_>,
        (rank, size): (usize, usize),
        device: Device,
        side: Option<StreamRef>,
        plan: Plan,
    ) -> Result<Self> {
        let op = call.kind.op();
        let stream = stream_of(call, device);
        let (mut send, mut recv) = (Area::of_send(call), Area::of_recv(call));
        let (mut staged, mut back) = (Vec::new(), None);
        let on_host = |area: &Area| area.bytes() > 0 && area.place() == Place::Host;
        if on_host(&send) || on_host(&recv) {
            let inside = |inner: &Area, outer: &Area| {
                let offset = inner.address().addr().checked_sub(outer.address().addr())?;
                (on_host(inner) && on_host(outer) && offset.checked_add(inner.bytes())? <= outer.bytes())
                    .then_some(offset)
            };
            // In place, one lies within the other there as here.
            let (received_inside, sent_inside) = (inside(&recv, &send), inside(&send, &recv));
            let mut bring = |area: &Area, fill: bool| -> Result<Area> {
                let scratch = Scratch::new(&stream, area.bytes())?;
                if fill {
                    enqueue(scratch.area(), *area, &stream)?;
                }
                let on_device = scratch.area();
                staged.push(scratch);
                Ok(on_device)
            };
            let (host_send, host_recv) = (send, recv);
            if let Some(offset) = sent_inside {
                recv = bring(&host_recv, false)?;
                send = recv.part(op, offset, host_send.bytes())?;
                enqueue(send, host_send, &stream)?;
            } else {
                if on_host(&host_send) {
                    send = bring(&host_send, true)?;
                }
                if let Some(offset) = received_inside {
                    recv = send.part(op, offset, host_recv.bytes())?;
                } else if on_host(&host_recv) {
                    recv = bring(&host_recv, false)?;
                }
            }
            if on_host(&host_recv) {
                back = Some((host_recv, recv));
            }
        }
        let scratch = match plan.scratch {
            0 => None,
            bytes => Some(Scratch::new(&stream, bytes)?),
        };
        let reduction = call.reduce.map(|reduce| Reduction { op, data_type: call.data_type, reduce });
        let element = call.data_type.bytes();
        // As much as is received: the rest of the host's memory stays.
        let bytes = received(call, size);
        let cut = |(host, device): (Area, Area)| Ok((host.part(op, 0, bytes)?, device.part(op, 0, bytes)?));
        let back = back.map(cut).transpose()?;
        let _staged = staged;
        Ok(Self { op, rank, size, element, reduction, stream, side, plan, send, recv, scratch, back, _staged })
    }

    /// The stream for something.
    pub fn on(&self, what: On) -> &StreamRef {
        match what {
            On::Fold => &self.stream,
            On::Move => self.side.as_ref().unwrap_or(&self.stream),
        }
    }

    /// The memory of a region.
    pub fn area(&self, region: &Region) -> Result<Area> {
        let of = match region.of {
            Of::Send => self.send,
            Of::Recv => self.recv,
            Of::Scratch => self.scratch.as_ref().map_or(Area::NONE, Scratch::area),
        };
        of.part(self.op, region.offset, region.bytes)
    }

    /// The call, as a carrier that has it itself takes it.
    pub fn native<'a>(&self, call: &'a Call<'a>) -> Native<'a> {
        Native { rank: self.rank, call, send: self.send, recv: self.recv }
    }

    /// Bring results to the host, where they are asked for there.
    pub fn bring_back(&self) -> Result<()> {
        self.back.iter().try_for_each(|&(host, device)| enqueue(host, device, &self.stream))
    }
}

/// Bytes that a rank receives in all.
fn received(call: &Call<'_>, size: usize) -> usize {
    let parts = match call.kind {
        Kind::AllGather | Kind::Gather | Kind::AllToAll => size,
        _ => 1,
    };
    call.bytes() * parts
}
