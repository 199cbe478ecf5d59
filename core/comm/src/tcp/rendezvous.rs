//! How ranks find each other: all connect to rank 0, which tells them where the others listen; then each pair connects.

use super::exchange::{Mesh, close};
use super::handshake::{self, HELLO, Hello, MAC, Verdict, left, read_exact, write_all};
use super::id::{Nonce, UniqueId, ip_bytes, ip_of};
use icicle_error::reserve::listed;
use icicle_error::{Error, ErrorCode, Result, reserve};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

const OP: &str = "init_rank";
/// How long who connects may take for its hello.
const PATIENCE: Duration = Duration::from_secs(10);
/// Most connections that have not proved anything yet: more than there are ranks.
const STRANGERS: usize = crate::transport::MOST + 64;
/// How much longer than its own timeout a rank waits for what rank 0 has to say: which ranks are missing.
const GRACE: Duration = Duration::from_secs(1);
/// Bytes that tell where a rank listens.
const ENTRY: usize = 20;
/// Longest message of rank 0.
const MESSAGE: usize = 1 << 16;

/// A rank that came.
struct Arrival {
    stream: TcpStream,
    hello: Hello,
    challenges: [u8; 64],
}

/// Connect rank `rank` of `size` to all others. Those that it is connected with learn why it fails.
pub(super) fn mesh(id: &UniqueId, size: usize, rank: usize, deadline: Instant) -> Result<Mesh> {
    let mut mesh: Mesh = listed(OP, (0..size).map(|_| Ok(None)))?;
    let whole = reserve::filled(OP, size, false)?;
    match connect(&mut mesh, id, rank, deadline) {
        Ok(()) => Ok(mesh),
        Err(error) => {
            close(&mesh, &whole, &error);
            Err(error)
        }
    }
}

fn connect(mesh: &mut Mesh, id: &UniqueId, rank: usize, deadline: Instant) -> Result<()> {
    let size = mesh.len();
    if rank == 0 {
        let listener = id.take(OP)?;
        let arrivals = accept(&listener, id.nonce(), size, 1, deadline);
        // Nobody else comes as rank 0's.
        drop(listener);
        let arrivals = introduce(arrivals, id.nonce(), size, deadline)?;
        for (place, arrival) in mesh[1..].iter_mut().zip(arrivals) {
            *place = Some(arrival.stream);
        }
        return Ok(());
    }
    let root = call_root(id, deadline)?;
    let failed = |error: io::Error| Error::new(ErrorCode::Internal, OP, format!("connections of this rank: {error}"));
    let here = root.local_addr().map_err(failed)?.ip();
    let listener = TcpListener::bind((here, 0)).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    let hello = Hello { rank: rank as u32, size: size as u32, port };
    let challenges = handshake::connect(&root, id.nonce(), hello, 0, deadline)?;
    let table = listen_to_root(&root, id.nonce(), &challenges, size, deadline)?;
    mesh[0] = Some(root);
    for (other, address) in table.into_iter().enumerate().take(rank).skip(1) {
        let stream = TcpStream::connect_timeout(&address, left(deadline));
        let stream = stream.map_err(|error| unreachable(other, address, &error, deadline))?;
        handshake::connect(&stream, id.nonce(), Hello { port: 0, ..hello }, other, deadline)?;
        mesh[other] = Some(stream);
    }
    let arrivals = accept(&listener, id.nonce(), size, rank + 1, deadline);
    for arrival in arrivals.map_err(|(error, _)| error)? {
        let other = arrival.hello.rank as usize;
        mesh[other] = Some(arrival.stream);
    }
    Ok(())
}

/// The error of a rank that told where it listens.
fn unreachable(rank: usize, address: SocketAddr, error: &io::Error, deadline: Instant) -> Error {
    let detail = format!("{address} cannot be reached: {error}");
    match Instant::now() >= deadline || error.kind() == io::ErrorKind::TimedOut {
        true => Error::new(ErrorCode::Timeout, OP, format!("timed out waiting for ranks [{rank}]: {detail}")),
        false => Error::new(ErrorCode::RemoteError, OP, format!("rank {rank} at {detail}")),
    }
}

/// Call rank 0 until it listens.
fn call_root(id: &UniqueId, deadline: Instant) -> Result<TcpStream> {
    loop {
        match TcpStream::connect_timeout(&id.address(), left(deadline).min(Duration::from_secs(2))) {
            Ok(stream) => return Ok(stream),
            Err(error) if Instant::now() + Duration::from_millis(20) >= deadline => {
                let detail = format!("timed out waiting for ranks [0]: {} cannot be reached: {error}", id.address());
                return Err(Error::new(ErrorCode::Timeout, OP, detail));
            }
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// A connection that has not proved anything yet.
struct Stranger {
    stream: TcpStream,
    challenge: [u8; 32],
    hello: [u8; HELLO],
    read: usize,
    since: Instant,
}

impl Stranger {
    fn new(stream: TcpStream) -> Result<Self> {
        let failed = |error: io::Error| Error::new(ErrorCode::Internal, OP, format!("a connection: {error}"));
        stream.set_nonblocking(true).map_err(failed)?;
        let challenge = handshake::greet(&stream)?;
        Ok(Self { stream, challenge, hello: [0; HELLO], read: 0, since: Instant::now() })
    }

    /// Read what is there; false if nothing will come any more.
    fn listen(&mut self) -> bool {
        while self.read < HELLO {
            match (&self.stream).read(&mut self.hello[self.read..]) {
                Ok(0) => return false,
                Ok(n) => self.read += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => return false,
            }
        }
        self.since.elapsed() < PATIENCE
    }
}

/// Accept the ranks from `first` on, in their order; others are refused. Without all of them, the error and those that
/// came.
fn accept(
    listener: &TcpListener,
    nonce: &Nonce,
    size: usize,
    first: usize,
    deadline: Instant,
) -> std::result::Result<Vec<Arrival>, (Error, Vec<Arrival>)> {
    let mut came: Vec<Option<Arrival>> =
        listed(OP, (first..size).map(|_| Ok(None))).map_err(|error| (error, Vec::new()))?;
    let mut strangers: Vec<Stranger> = Vec::new();
    let result = loop {
        if came.iter().all(Option::is_some) {
            break Ok(());
        }
        if Instant::now() >= deadline {
            let missing: Vec<usize> = (first..size).filter(|rank| came[rank - first].is_none()).collect();
            break Err(Error::new(ErrorCode::Timeout, OP, format!("timed out waiting for ranks {missing:?}")));
        }
        if let Err(error) = step(listener, &mut strangers, deadline) {
            break Err(error);
        }
        // Who is put back has the place of who is taken out.
        for _ in 0..strangers.len() {
            let mut stranger = strangers.remove(0);
            if !stranger.listen() {
                continue;
            }
            if stranger.read < HELLO {
                strangers.push(stranger);
                continue;
            }
            judge(stranger, nonce, size, first, &mut came);
        }
    };
    let all = listed(OP, came.into_iter().flatten().map(Ok)).map_err(|error| (error, Vec::new()))?;
    match result {
        Ok(()) => Ok(all),
        Err(error) => Err((error, all)),
    }
}

/// Wait for something to happen, and accept who calls.
fn step(listener: &TcpListener, strangers: &mut Vec<Stranger>, deadline: Instant) -> Result<()> {
    let failed = |error: io::Error| Error::new(ErrorCode::Internal, OP, format!("connections of this rank: {error}"));
    listener.set_nonblocking(true).map_err(failed)?;
    {
        let mut waited = reserve::with_capacity(OP, 1 + strangers.len())?;
        waited.push(PollFd::new(listener, PollFlags::IN));
        waited.extend(strangers.iter().map(|stranger| PollFd::new(&stranger.stream, PollFlags::IN)));
        // At least every so often, so that who says nothing is let go.
        let time = left(deadline).min(Duration::from_secs(1));
        match poll(&mut waited, Timespec::try_from(time).ok().as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(failed(error.into())),
        }
    }
    loop {
        match listener.accept() {
            Ok((stream, _)) if strangers.len() < STRANGERS => {
                if let Ok(stranger) = Stranger::new(stream) {
                    reserve::push(OP, strangers, stranger)?;
                }
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            // Of a caller that hung up.
            Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted) => {}
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Take a stranger that said hello for the rank that it is, or refuse it.
fn judge(stranger: Stranger, nonce: &Nonce, size: usize, first: usize, came: &mut [Option<Arrival>]) {
    let Stranger { stream, challenge, hello, .. } = stranger;
    let Some((hello, challenges)) = handshake::hear(nonce, &challenge, &hello) else {
        let _ = handshake::answer(&stream, nonce, &[0; 64], Verdict::WrongNonce);
        return;
    };
    let place = (hello.rank as usize).checked_sub(first).and_then(|place| came.get_mut(place));
    let (verdict, place) = match place {
        _ if hello.size as usize != size => (Verdict::OtherSize, None),
        None => (Verdict::NoSuchRank, None),
        Some(Some(_)) => (Verdict::Taken, None),
        Some(place) => (Verdict::Welcome, Some(place)),
    };
    let answered = handshake::answer(&stream, nonce, &challenges, verdict).is_ok();
    if let (Some(place), true) = (place, answered && stream.set_nonblocking(false).is_ok()) {
        *place = Some(Arrival { stream, hello, challenges });
    }
}

/// Tell each rank where the others listen; or, if some are missing, that, and fail.
fn introduce(
    arrivals: std::result::Result<Vec<Arrival>, (Error, Vec<Arrival>)>,
    nonce: &Nonce,
    size: usize,
    deadline: Instant,
) -> Result<Vec<Arrival>> {
    let (arrivals, failure) = match arrivals {
        Ok(arrivals) => (arrivals, None),
        Err((error, arrivals)) => (arrivals, Some(error)),
    };
    let table = failure.map_or_else(|| table(&arrivals, size), Err);
    let (message, failure) = match table {
        Ok(table) => (table, None),
        Err(error) => ([b"F", error.detail.as_bytes()].concat(), Some(error)),
    };
    let deadline = deadline.max(Instant::now() + Duration::from_millis(200));
    for arrival in &arrivals {
        let tag = handshake::tag(nonce, &[b"message", &arrival.challenges, &message])?;
        let length = (message.len() as u32).to_le_bytes();
        // As one: a small message behind another may be held back.
        let mut bytes = reserve::with_capacity(OP, length.len() + message.len() + tag.len())?;
        [&length[..], &message, &tag].into_iter().for_each(|part| bytes.extend_from_slice(part));
        let sent = write_all(&arrival.stream, &bytes, deadline);
        if let (Err(error), None) = (sent, &failure) {
            let detail = format!("rank {} left while ranks connected: {error}", arrival.hello.rank);
            return Err(Error::new(ErrorCode::RemoteError, OP, detail));
        }
    }
    failure.map_or(Ok(arrivals), Err)
}

/// Where all ranks listen, as rank 0 tells them.
fn table(arrivals: &[Arrival], size: usize) -> Result<Vec<u8>> {
    let mut table = reserve::filled(OP, 1 + ENTRY * size, b'T')?;
    for arrival in arrivals {
        let ip = arrival.stream.peer_addr().map_or(IpAddr::from([0; 16]), |address| address.ip());
        let entry = &mut table[1 + ENTRY * arrival.hello.rank as usize..][..ENTRY];
        entry[..16].copy_from_slice(&ip_bytes(ip));
        entry[16..18].copy_from_slice(&arrival.hello.port.to_le_bytes());
        entry[18] = u8::from(ip.is_ipv4());
    }
    Ok(table)
}

/// Hear from rank 0 where the others listen.
fn listen_to_root(
    root: &TcpStream,
    nonce: &Nonce,
    challenges: &[u8; 64],
    size: usize,
    deadline: Instant,
) -> Result<Vec<SocketAddr>> {
    let deadline = deadline + GRACE;
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::TimedOut => {
            Error::new(ErrorCode::Timeout, OP, "timed out waiting for ranks [0], which waits for others")
        }
        _ => Error::new(ErrorCode::RemoteError, OP, format!("rank 0 left while ranks connected: {error}")),
    };
    let mut length = [0; 4];
    read_exact(root, &mut length, deadline).map_err(failed)?;
    let length = u32::from_le_bytes(length) as usize;
    let unusable = || Error::new(ErrorCode::RemoteError, OP, "rank 0 sent what is no list of addresses");
    if length == 0 || length > MESSAGE {
        return Err(unusable());
    }
    let mut message = reserve::filled(OP, length + MAC, 0)?;
    read_exact(root, &mut message, deadline).map_err(failed)?;
    let (message, tag) = message.split_at(length);
    if !handshake::is_authentic(nonce, &[b"message", challenges, message], tag) {
        return Err(unusable());
    }
    if message[0] == b'F' {
        let why = String::from_utf8_lossy(&message[1..]);
        return Err(Error::new(ErrorCode::Timeout, OP, format!("rank 0: {why}")));
    }
    let (entries, rest) = message[1..].as_chunks::<ENTRY>();
    if entries.len() != size || !rest.is_empty() {
        return Err(unusable());
    }
    let address = |entry: &[u8; ENTRY]| {
        let mut ip = [0; 16];
        ip.copy_from_slice(&entry[..16]);
        SocketAddr::new(ip_of(entry[18] == 1, ip), u16::from_le_bytes([entry[16], entry[17]]))
    };
    reserve::collected(OP, entries.iter().map(address))
}
