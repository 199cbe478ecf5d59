//! Messages to and from many ranks at once, by one thread.

use crate::call::{DESCRIPTOR, Descriptor};
use crate::memory::{read_some, send_some};
use icicle_device::{Dst, Src};
use icicle_error::{Error, ErrorCode, Result, reserve};
use icicle_runtime::transfer;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// Bytes before each message: what it is, a code, its length, whose call it belongs to.
const HEAD: usize = 16 + DESCRIPTOR;
/// Longest text of a failure.
const TEXT: usize = 4096;
/// Bytes up to which a message is read at once with what is before it: a call of the system takes as long as copying more.
const SHORT: usize = 256;

/// What a message is.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Tag {
    /// Elements.
    Data = 0x4443_4349,
    /// What a rank is about to call.
    Check = 0x4b43_4349,
    /// Why a rank goes.
    Failure = 0x4643_4349,
}

/// A message to a rank.
pub(super) struct Outgoing<'a> {
    pub to: usize,
    pub what: (Tag, Descriptor),
    pub body: Src<'a>,
}

/// A message from a rank.
pub(super) struct Incoming<'a> {
    pub from: usize,
    pub what: (Tag, Descriptor),
    pub body: Dst<'a>,
}

fn head(tag: Tag, code: i32, length: usize, descriptor: Descriptor) -> [u8; HEAD] {
    let mut bytes = [0; HEAD];
    bytes[..4].copy_from_slice(&(tag as u32).to_le_bytes());
    bytes[4..8].copy_from_slice(&code.to_le_bytes());
    bytes[8..16].copy_from_slice(&(length as u64).to_le_bytes());
    bytes[16..].copy_from_slice(&descriptor.to_bytes());
    bytes
}

/// What goes to and comes from one rank.
struct Lane<'a, 's> {
    rank: usize,
    stream: &'s TcpStream,
    outgoing: VecDeque<(Outgoing<'a>, [u8; HEAD])>,
    /// Bytes of the first outgoing message that are gone.
    sent: usize,
    incoming: VecDeque<Incoming<'a>>,
    /// What comes before the first incoming message, and that if it is short.
    front: [u8; HEAD + SHORT],
    /// Bytes of the first incoming message that came.
    received: usize,
}

/// The connections of a rank, by rank; none to itself.
pub(super) type Mesh = Vec<Option<TcpStream>>;

/// What connects a rank with the others.
pub(super) struct Wires<'s> {
    pub op: &'static str,
    pub mesh: &'s Mesh,
    pub timeout: Duration,
    /// The error that ended communication, perhaps in another thread.
    pub failure: &'s dyn Fn() -> Option<Error>,
    /// Ranks that were sent part of a message: they would take what is sent now for its rest.
    pub partial: &'s mut Vec<bool>,
}

impl<'s> Wires<'s> {
    /// Send and receive messages, those of each rank in their order, all ranks at once.
    pub fn exchange<'a>(
        &mut self,
        outgoing: impl IntoIterator<Item = Outgoing<'a>>,
        incoming: impl IntoIterator<Item = Incoming<'a>>,
    ) -> Result<()> {
        let mut lanes: Vec<Lane<'a, 's>> = Vec::new();
        for message in outgoing {
            let head = head(message.what.0, 0, message.body.bytes(), message.what.1);
            append(self.op, &mut self.lane(&mut lanes, message.to)?.outgoing, (message, head))?;
        }
        for message in incoming {
            append(self.op, &mut self.lane(&mut lanes, message.from)?.incoming, message)?;
        }
        let result = self.work(&mut lanes);
        if result.is_err() {
            lanes.iter().for_each(|lane| self.partial[lane.rank] |= lane.sent > 0);
        }
        result
    }

    fn lane<'l, 'a>(&self, lanes: &'l mut Vec<Lane<'a, 's>>, rank: usize) -> Result<&'l mut Lane<'a, 's>> {
        let place = match lanes.iter().position(|lane| lane.rank == rank) {
            Some(place) => place,
            None => {
                let stream = self.mesh.get(rank).and_then(Option::as_ref);
                let none = || Error::new(ErrorCode::Internal, self.op, format!("no connection to rank {rank}"));
                let stream = stream.ok_or_else(none)?;
                let (outgoing, incoming) = (VecDeque::new(), VecDeque::new());
                let lane = Lane { rank, stream, outgoing, sent: 0, incoming, front: [0; HEAD + SHORT], received: 0 };
                reserve::push(self.op, lanes, lane)?;
                lanes.len() - 1
            }
        };
        Ok(&mut lanes[place])
    }

    fn work(&self, lanes: &mut [Lane<'_, '_>]) -> Result<()> {
        let mut last = Instant::now();
        loop {
            if let Some(failure) = (self.failure)() {
                return Err(failure);
            }
            let (mut moved, mut more) = (false, false);
            for lane in lanes.iter_mut() {
                for step in [lane.push(self.op)?, lane.pull(self.op)?] {
                    moved |= step != Step::Stuck;
                    more |= step == Step::More;
                }
            }
            if lanes.iter().all(Lane::is_done) {
                return Ok(());
            }
            if moved {
                last = Instant::now();
            }
            if more {
                continue;
            }
            let left = self.timeout.saturating_sub(last.elapsed());
            if left.is_zero() {
                let waiting = lanes.iter().filter(|lane| !lane.is_done());
                let mut missing: Vec<usize> = waiting.map(|lane| lane.rank).collect();
                missing.sort_unstable();
                return Err(Error::new(
                    ErrorCode::Timeout,
                    self.op,
                    format!("timed out waiting for ranks {missing:?}"),
                ));
            }
            self.wait(lanes, left)?;
        }
    }

    /// Wait until something can go on.
    fn wait(&self, lanes: &[Lane<'_, '_>], left: Duration) -> Result<()> {
        let mut waited = reserve::with_capacity(self.op, lanes.len())?;
        for lane in lanes.iter().filter(|lane| !lane.is_done()) {
            let mut events = PollFlags::empty();
            events.set(PollFlags::OUT, !lane.outgoing.is_empty());
            events.set(PollFlags::IN, !lane.incoming.is_empty());
            waited.push(PollFd::new(lane.stream, events));
        }
        match poll(&mut waited, Timespec::try_from(left).ok().as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(Error::new(ErrorCode::Internal, self.op, format!("waiting for connections: {error}"))),
        }
    }
}

/// Put a message behind others.
fn append<T>(op: &'static str, to: &mut VecDeque<T>, message: T) -> Result<()> {
    to.try_reserve(1).map_err(|_| reserve::refused(op, to.len() + 1, size_of::<T>()))?;
    to.push_back(message);
    Ok(())
}

/// How far a lane came.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Nowhere: it is done, or must wait.
    Stuck,
    /// As far as it can without waiting.
    Moved,
    /// Perhaps not as far as it can.
    More,
}

/// Whether to try again later.
fn later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

impl Lane<'_, '_> {
    fn is_done(&self) -> bool {
        self.outgoing.is_empty() && self.incoming.is_empty()
    }

    /// Send what can be sent.
    fn push(&mut self, op: &'static str) -> Result<Step> {
        let Some((message, head)) = self.outgoing.front() else { return Ok(Step::Stuck) };
        match send_some(self.stream, head, &message.body, self.sent) {
            Ok(n) => {
                self.sent += n;
                // What is not sent whole had no room.
                if self.sent < HEAD + message.body.bytes() {
                    return Ok(if n > 0 { Step::Moved } else { Step::Stuck });
                }
                self.outgoing.pop_front();
                self.sent = 0;
                Ok(if self.outgoing.is_empty() { Step::Moved } else { Step::More })
            }
            Err(error) if later(&error) => Ok(Step::Stuck),
            Err(error) => Err(self.gone(op, Some(&error))),
        }
    }

    /// Receive what is there.
    fn pull(&mut self, op: &'static str) -> Result<Step> {
        let Some(message) = self.incoming.front_mut() else { return Ok(Step::Stuck) };
        let (length, what, before) = (message.body.bytes(), message.what, self.received);
        let front = HEAD + if length <= SHORT { length } else { 0 };
        let read = match before < front {
            true => {
                let mut stream = self.stream;
                stream.read(&mut self.front[before..front])
            }
            false => read_some(self.stream, &mut message.body, before - HEAD),
        };
        match read {
            Ok(0) => return Err(self.gone(op, None)),
            Ok(n) => self.received += n,
            Err(error) if later(&error) => return Ok(Step::Stuck),
            Err(error) => return Err(self.gone(op, Some(&error))),
        }
        if before < HEAD && self.received >= HEAD {
            self.judge(op, length, what)?;
        }
        if self.received < HEAD + length {
            return Ok(Step::More);
        }
        if let Some(message) = self.incoming.pop_front()
            && length <= SHORT
        {
            transfer(message.body, Src::from(&self.front[HEAD..HEAD + length]))?;
        }
        self.received = 0;
        Ok(if self.incoming.is_empty() { Step::Moved } else { Step::More })
    }

    /// Check that a message is the one that is expected.
    fn judge(&self, op: &'static str, length: usize, (tag, descriptor): (Tag, Descriptor)) -> Result<()> {
        if self.front[..HEAD] == head(tag, 0, length, descriptor) {
            return Ok(());
        }
        if self.front[..4] == (Tag::Failure as u32).to_le_bytes() {
            return Err(self.last_words(op));
        }
        let mut theirs = [0; DESCRIPTOR];
        theirs.copy_from_slice(&self.front[16..HEAD]);
        let (rank, theirs) = (self.rank, Descriptor::from_bytes(&theirs));
        let detail = match theirs == descriptor {
            true => format!("rank {rank} sends another part of {theirs}: all ranks must have the same options"),
            false => format!("rank {rank} calls {theirs}: this rank calls {descriptor}; all ranks must call the same"),
        };
        Err(Error::argument(op, detail))
    }

    /// The error of a rank that told why it goes; the head of its message is read, and perhaps more.
    fn last_words(&self, op: &'static str) -> Error {
        let (head, rest) = self.front.split_at(HEAD);
        let code = i32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        let code = ErrorCode::ALL.iter().find(|known| **known as i32 == code).copied();
        let code = code.filter(|code| matches!(code, ErrorCode::Timeout | ErrorCode::InvalidArgument));
        let mut length = [0; 8];
        length.copy_from_slice(&head[8..16]);
        let mut text = [0; TEXT];
        let text = &mut text[..u64::from_le_bytes(length).min(TEXT as u64) as usize];
        // What was read with it.
        let mut read = (self.received - HEAD).min(text.len());
        text[..read].copy_from_slice(&rest[..read]);
        while read < text.len() {
            let mut stream = self.stream;
            match stream.read(&mut text[read..]) {
                Ok(n) if n > 0 => read += n,
                Err(error) if later(&error) => {
                    // It was sent at once: the rest is on its way, or does not come.
                    let wait = Timespec::try_from(Duration::from_millis(500)).ok();
                    if poll(&mut [PollFd::new(self.stream, PollFlags::IN)], wait.as_ref()).unwrap_or(0) == 0 {
                        break;
                    }
                }
                _ => break,
            }
        }
        let text = String::from_utf8_lossy(&text[..read]);
        Error::new(code.unwrap_or(ErrorCode::RemoteError), op, format!("rank {} failed: {text}", self.rank))
    }

    /// The error of a rank whose connection ended.
    fn gone(&mut self, op: &'static str, error: Option<&io::Error>) -> Error {
        // It may have told why before.
        while self.received < HEAD {
            let mut stream = self.stream;
            match stream.read(&mut self.front[self.received..HEAD]) {
                Ok(n) if n > 0 => self.received += n,
                _ => break,
            }
        }
        if self.received == HEAD && self.front[..4] == (Tag::Failure as u32).to_le_bytes() {
            return self.last_words(op);
        }
        let how = error.map_or_else(String::new, |error| format!(": {error}"));
        Error::new(ErrorCode::RemoteError, op, format!("rank {} closed the connection{how}", self.rank))
    }
}

/// Tell the other ranks why this one goes, as far as they listen, and go.
pub(super) fn close(mesh: &Mesh, partial: &[bool], error: &Error) {
    let text = error.detail.as_bytes();
    let text = &text[..text.len().min(TEXT)];
    let descriptor = Descriptor { kind: 0, reduce: 0, root: 0, data_type: 0, count: 0 };
    let head = head(Tag::Failure, error.code as i32, text.len(), descriptor);
    for (stream, _) in mesh.iter().zip(partial).filter(|(_, partial)| !**partial) {
        if let Some(stream) = stream {
            // Who does not take it at once sees the connection end.
            let _ = send_some(stream, &head, &Src::from(text), 0);
        }
    }
    for stream in mesh.iter().flatten() {
        let _ = stream.shutdown(Shutdown::Write);
    }
}
