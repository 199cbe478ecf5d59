//! What ranks of different processes find each other by.

use icicle_error::{Error, ErrorCode, Result, reserve};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError, Weak};

const OP: &str = "unique_id";
const MAGIC: &[u8; 4] = b"ICC1";

/// A secret that the ranks of one communicator share.
pub(super) type Nonce = [u8; 32];

/// Where rank 0 waits, until it takes it.
type Waiting = Mutex<Option<TcpListener>>;

/// Those of ids that were made here, for ids that come back as bytes.
static MADE: Mutex<Vec<(Nonce, Weak<Waiting>)>> = Mutex::new(Vec::new());

/// What the ranks of one communicator find each other by, once: rank 0's address and a nonce, in 128 bytes. It is a
/// secret: who has it
/// may be a rank.
///
/// Rank 0's process makes it and tells the others, by a file, a pipe or MPI. While one of its copies is alive there, or its
/// communicator is being made, it listens.
#[derive(Clone)]
pub struct UniqueId {
    address: SocketAddr,
    nonce: Nonce,
    waiting: Option<Arc<Waiting>>,
}

impl UniqueId {
    /// A new id, for ranks of this host: rank 0 listens on the loopback interface, port chosen by the system.
    ///
    /// # Errors
    /// `Internal` if the system gives no port or no entropy.
    pub fn new() -> Result<Self> {
        Self::at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
    }

    /// A new id for ranks of any host that reaches an address of this one. Port 0 is one that the system chooses. What
    /// ranks send
    /// is neither secret nor protected from change on its way, so that the network must be trusted.
    ///
    /// # Errors
    /// `InvalidArgument` if it is no address of this host that others could use; `Internal` if the system gives no entropy.
    pub fn at(address: SocketAddr) -> Result<Self> {
        let mut nonce = [0; 32];
        fill(&mut nonce)?;
        Self::listening(address, nonce)
    }

    /// As [`UniqueId::at`], with a nonce that the others know, too.
    pub(crate) fn listening(address: SocketAddr, nonce: Nonce) -> Result<Self> {
        if address.ip().is_unspecified() {
            return Err(Error::argument(
                OP,
                format!("address {address}: must be one that the other ranks can connect to"),
            ));
        }
        let failed = |error| Error::argument(OP, format!("address {address}: cannot listen there: {error}"));
        let listener = TcpListener::bind(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let waiting = Arc::new(Mutex::new(Some(listener)));
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        made.retain(|(_, waiting)| waiting.strong_count() > 0);
        reserve::push(OP, &mut made, (nonce, Arc::downgrade(&waiting)))?;
        Ok(Self { address, nonce, waiting: Some(waiting) })
    }

    /// The id of a rank that does not listen.
    pub(crate) fn calling(address: SocketAddr, nonce: Nonce) -> Self {
        Self { address, nonce, waiting: None }
    }

    /// The bytes to tell others.
    pub fn to_bytes(&self) -> [u8; 128] {
        let mut bytes = [0; 128];
        bytes[..4].copy_from_slice(MAGIC);
        bytes[4] = if self.address.is_ipv4() { 4 } else { 6 };
        bytes[6..8].copy_from_slice(&self.address.port().to_be_bytes());
        bytes[8..24].copy_from_slice(&ip_bytes(self.address.ip()));
        bytes[24..56].copy_from_slice(&self.nonce);
        bytes
    }

    /// The id of such bytes.
    ///
    /// # Errors
    /// `InvalidArgument` if they are no id's.
    pub fn from_bytes(bytes: &[u8; 128]) -> Result<Self> {
        let (mut ip, mut nonce) = ([0; 16], [0; 32]);
        ip.copy_from_slice(&bytes[8..24]);
        nonce.copy_from_slice(&bytes[24..56]);
        let family_fits = matches!(bytes[4], 4 | 6);
        if &bytes[..4] != MAGIC || !family_fits || bytes[56..].iter().any(|&byte| byte != 0) {
            return Err(Error::argument(OP, "bytes: must be those of an id of this version of the library"));
        }
        let port = u16::from_be_bytes([bytes[6], bytes[7]]);
        let made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = made.iter().find(|(known, _)| *known == nonce).and_then(|(_, waiting)| waiting.upgrade());
        Ok(Self { address: SocketAddr::new(ip_of(bytes[4] == 4, ip), port), nonce, waiting })
    }

    /// Where rank 0 listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether rank 0 of this process has begun to make a communicator of it, or is elsewhere.
    pub fn is_used(&self) -> bool {
        let waits = |waiting: &Arc<Waiting>| waiting.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        !self.waiting.as_ref().is_some_and(waits)
    }

    pub(super) fn nonce(&self) -> &Nonce {
        &self.nonce
    }

    /// What rank 0 listens with, once.
    pub(super) fn take(&self, op: &'static str) -> Result<TcpListener> {
        let Some(waiting) = &self.waiting else {
            return Err(Error::argument(
                op,
                "id: was not made in this process, as rank 0's must be, or was used already",
            ));
        };
        let listener = waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        listener.ok_or_else(|| Error::argument(op, "id: was used already; make a new one for each communicator"))
    }
}

impl fmt::Debug for UniqueId {
    /// Without the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UniqueId").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Random bytes of the system.
pub(super) fn fill(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes)
        .map_err(|error| Error::new(ErrorCode::Internal, OP, format!("the system gives no entropy: {error}")))
}

/// An address in 16 bytes.
pub(super) fn ip_bytes(ip: IpAddr) -> [u8; 16] {
    match ip {
        IpAddr::V4(ip) => ip.to_ipv6_mapped().octets(),
        IpAddr::V6(ip) => ip.octets(),
    }
}

/// The address of 16 bytes.
pub(super) fn ip_of(is_v4: bool, bytes: [u8; 16]) -> IpAddr {
    let ip = Ipv6Addr::from(bytes);
    match ip.to_ipv4_mapped() {
        Some(v4) if is_v4 => IpAddr::V4(v4),
        _ => IpAddr::V6(ip),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_bytes_and_back() {
        let id = UniqueId::new().unwrap();
        let back = UniqueId::from_bytes(&id.to_bytes()).unwrap();
        assert_eq!((back.address, back.nonce), (id.address, id.nonce));
        assert!(id.address.ip().is_loopback() && id.address.port() != 0);
        // Without the nonce.
        assert_eq!(format!("{id:?}"), format!("UniqueId {{ address: {}, .. }}", id.address));
        // Rank 0 may have it from bytes; it is used once, whichever copy is.
        drop(back.take("test").unwrap());
        assert!(id.take("test").unwrap_err().detail.contains("used already"));
        drop((id.clone(), back));
        let bytes = id.to_bytes();
        drop(id);
        let elsewhere = UniqueId::from_bytes(&bytes).unwrap();
        assert!(elsewhere.take("test").unwrap_err().detail.contains("not made in this process"));
        for (at, value) in [(0, b'X'), (4, 5), (60, 1)] {
            let mut bad = bytes;
            bad[at] = value;
            assert_eq!(UniqueId::from_bytes(&bad).unwrap_err().code, ErrorCode::InvalidArgument);
        }
        assert!(UniqueId::at(SocketAddr::from(([0, 0, 0, 0], 0))).unwrap_err().detail.contains("must be one"));
        assert!(UniqueId::at(SocketAddr::from(([192, 0, 2, 1], 0))).unwrap_err().detail.contains("cannot listen"));
    }
}
