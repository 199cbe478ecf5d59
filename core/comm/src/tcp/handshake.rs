//! How two ranks that connect prove to each other that they have the same id, without sending its nonce.
//!
//! Who accepts sends a challenge; who connects answers with its rank, a challenge of its own, and a MAC over both by
//! the nonce; who accepts
//! answers with a verdict and a MAC of its own. Comparisons take constant time.

use super::id::{Nonce, fill};
use hmac::{Hmac, Mac};
use icicle_error::{Error, ErrorCode, Result};
use sha2::Sha256;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Bytes of a MAC.
pub(super) const MAC: usize = 32;
/// Bytes of a challenge with what tells the protocol.
pub(super) const GREETING: usize = 36;
/// Bytes of a hello without its MAC.
const HELLO_BODY: usize = 48;
/// Bytes of a hello.
pub(super) const HELLO: usize = HELLO_BODY + MAC;
const MAGIC: &[u8; 4] = b"ICM1";

/// What a rank that connects says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hello {
    pub rank: u32,
    pub size: u32,
    /// Where it accepts connections itself; 0 if it does not.
    pub port: u16,
}

/// What becomes of a rank that connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Verdict {
    Welcome = 0,
    WrongNonce = 1,
    OtherSize = 2,
    Taken = 3,
    NoSuchRank = 4,
}

impl Verdict {
    fn why(number: u8) -> &'static str {
        match number {
            1 => "the nonces differ, so this rank has another communicator's id",
            2 => "the ranks were given different sizes",
            3 => "another process came as this rank already",
            4 => "it expects no such rank",
            _ => "it does not say why",
        }
    }
}

/// The tag of parts, each with its length.
pub(super) fn tag(nonce: &Nonce, parts: &[&[u8]]) -> Result<[u8; MAC]> {
    Ok(mac(nonce, parts)?.finalize().into_bytes().into())
}

fn mac(nonce: &Nonce, parts: &[&[u8]]) -> Result<Hmac<Sha256>> {
    let unusable = |_| Error::new(ErrorCode::Internal, "init_rank", "a nonce is no key");
    let mut mac = Hmac::<Sha256>::new_from_slice(nonce).map_err(unusable)?;
    for part in parts {
        mac.update(&(part.len() as u64).to_le_bytes());
        mac.update(part);
    }
    Ok(mac)
}

pub(super) fn is_authentic(nonce: &Nonce, parts: &[&[u8]], found: &[u8]) -> bool {
    mac(nonce, parts).is_ok_and(|mac| mac.verify_slice(found).is_ok())
}

/// Time left until a deadline, at least a moment: a timeout of zero would be none.
pub(super) fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
}

/// Read exactly as many bytes before a deadline.
pub(super) fn read_exact(mut stream: &TcpStream, mut to: &mut [u8], deadline: Instant) -> io::Result<()> {
    while !to.is_empty() {
        if Instant::now() >= deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left(deadline)))?;
        match stream.read(to) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => to = &mut to[n..],
            Err(error) if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Write all bytes before a deadline.
pub(super) fn write_all(mut stream: &TcpStream, bytes: &[u8], deadline: Instant) -> io::Result<()> {
    stream.set_write_timeout(Some(left(deadline)))?;
    stream.write_all(bytes)
}

/// The side that connects: prove, and check the other side's proof. The challenges of both, to derive more MACs from.
pub(super) fn connect(
    stream: &TcpStream,
    nonce: &Nonce,
    hello: Hello,
    to: usize,
    deadline: Instant,
) -> Result<[u8; 64]> {
    let name = |error: io::Error| {
        let (code, what) = match error.kind() {
            io::ErrorKind::TimedOut => (ErrorCode::Timeout, "did not answer in time".to_owned()),
            _ => (ErrorCode::RemoteError, format!("ended the handshake: {error}")),
        };
        Error::new(code, "init_rank", format!("rank {to} {what}"))
    };
    let refused = |why: &str| Error::new(ErrorCode::RemoteError, "init_rank", format!("rank {to} refused: {why}"));
    let mut greeting = [0; GREETING];
    read_exact(stream, &mut greeting, deadline).map_err(name)?;
    if &greeting[..4] != MAGIC {
        return Err(refused("what answers at its address is no rank of this version of the library"));
    }
    let mut challenges = [0; 64];
    challenges[..32].copy_from_slice(&greeting[4..]);
    fill(&mut challenges[32..])?;
    let mut bytes = [0; HELLO];
    bytes[..4].copy_from_slice(MAGIC);
    bytes[4..8].copy_from_slice(&hello.rank.to_le_bytes());
    bytes[8..12].copy_from_slice(&hello.size.to_le_bytes());
    bytes[12..14].copy_from_slice(&hello.port.to_le_bytes());
    bytes[16..48].copy_from_slice(&challenges[32..]);
    let tag = tag(nonce, &[b"hello", &challenges[..32], &bytes[..HELLO_BODY]])?;
    bytes[HELLO_BODY..].copy_from_slice(&tag);
    write_all(stream, &bytes, deadline).map_err(name)?;
    let mut answer = [0; 1 + MAC];
    read_exact(stream, &mut answer, deadline).map_err(name)?;
    let is_authentic = is_authentic(nonce, &[b"verdict", &challenges, &answer[..1]], &answer[1..]);
    match answer[0] {
        0 if is_authentic => Ok(challenges),
        0 => Err(refused("it has another communicator's id")),
        number => Err(refused(Verdict::why(number))),
    }
}

/// Who accepts greets with a challenge.
pub(super) fn greet(mut stream: &TcpStream) -> Result<[u8; 32]> {
    let mut greeting = [0; GREETING];
    greeting[..4].copy_from_slice(MAGIC);
    fill(&mut greeting[4..])?;
    // A fresh connection takes so few bytes at once; one that does not is no rank's.
    let _ = stream.write(&greeting);
    let mut challenge = [0; 32];
    challenge.copy_from_slice(&greeting[4..]);
    Ok(challenge)
}

/// Whether a hello is one of who has the nonce, and what it says.
pub(super) fn hear(nonce: &Nonce, challenge: &[u8; 32], bytes: &[u8; HELLO]) -> Option<(Hello, [u8; 64])> {
    if &bytes[..4] != MAGIC || !is_authentic(nonce, &[b"hello", challenge, &bytes[..HELLO_BODY]], &bytes[HELLO_BODY..])
    {
        return None;
    }
    let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let mut challenges = [0; 64];
    challenges[..32].copy_from_slice(challenge);
    challenges[32..].copy_from_slice(&bytes[16..48]);
    Some((Hello { rank: word(4), size: word(8), port: word(12) as u16 }, challenges))
}

/// Tell who connected what becomes of it.
pub(super) fn answer(mut stream: &TcpStream, nonce: &Nonce, challenges: &[u8; 64], verdict: Verdict) -> Result<()> {
    let mut bytes = [verdict as u8; 1 + MAC];
    let tag = tag(nonce, &[b"verdict", challenges, &bytes[..1]])?;
    bytes[1..].copy_from_slice(&tag);
    // As in `greet`.
    let _ = stream.write(&bytes);
    Ok(())
}
