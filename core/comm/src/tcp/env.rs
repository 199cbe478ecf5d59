//! Ranks that a launcher starts: torchrun, or whatever sets its variables.

use super::UniqueId;
use crate::Communicator;
use crate::options::Options;
use icicle_device::Device;
use icicle_error::{Error, Result};
use sha2::{Digest, Sha256};
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Instant;
use std::{env, thread, time::Duration};

const OP: &str = "from_env";

/// A variable's value.
fn variable(name: &str) -> Result<String> {
    match env::var(name) {
        Ok(value) => Ok(value),
        Err(env::VarError::NotPresent) => Err(Error::argument(OP, format!("{name}: must be set, as torchrun does"))),
        Err(error) => Err(Error::argument(OP, format!("{name}: {error}"))),
    }
}

fn number(name: &str) -> Result<usize> {
    let text = variable(name)?;
    text.parse().map_err(|_| Error::argument(OP, format!("{name} {text:?}: must be a number")))
}

/// Where rank 0 listens: `MASTER_PORT`, or the next one where torchrun's own store has that, or `ICICLE_COMM_PORT`.
fn port() -> Result<u16> {
    let is_chosen = env::var_os("ICICLE_COMM_PORT").is_some();
    let name = if is_chosen { "ICICLE_COMM_PORT" } else { "MASTER_PORT" };
    let port = number(name)?;
    let is_taken = !is_chosen && env::var("TORCHELASTIC_USE_AGENT_STORE").is_ok_and(|value| value == "True");
    let port = port + usize::from(is_taken);
    u16::try_from(port)
        .ok()
        .filter(|&port| port != 0)
        .ok_or_else(|| Error::argument(OP, format!("{name} {port}: must be a port, from 1 to 65535")))
}

/// The nonce of ranks that were told the same.
fn nonce(host: &str, port: u16) -> [u8; 32] {
    let mut hash = Sha256::new();
    let secrets = ["TORCHELASTIC_RUN_ID", "ICICLE_COMM_SECRET"].map(|name| env::var(name).unwrap_or_default());
    for part in ["icicle from_env", host, &port.to_string(), &secrets[0], &secrets[1]] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

impl Communicator {
    /// The rank that a launcher made this process: `RANK` of `WORLD_SIZE`, rank 0 listening at `MASTER_ADDR` and
    /// `MASTER_PORT`, as torchrun
    /// sets them. Where torchrun's own store has that port it is the next one; `ICICLE_COMM_PORT` chooses another.
    /// Waits until all came.
    ///
    /// There is no secret nonce but what `ICICLE_COMM_SECRET` says, the same for all ranks: set it where others reach
    /// the port.
    ///
    /// # Errors
    /// `InvalidArgument` if a variable is missing or no number, or rank 0 cannot listen there; as
    /// [`Communicator::init_rank`].
    pub fn from_env(device: Device, options: &Options) -> Result<Self> {
        let (rank, size, host, port) = (number("RANK")?, number("WORLD_SIZE")?, variable("MASTER_ADDR")?, port()?);
        let unknown = |why: String| Error::argument(OP, format!("MASTER_ADDR {host:?}: {why}"));
        let addresses = (&*host, port).to_socket_addrs().map_err(|error| unknown(error.to_string()))?;
        let addresses: Vec<SocketAddr> = addresses.collect();
        // One that all ranks agree on: names may have addresses of both kinds.
        let address = addresses.iter().find(|address| address.is_ipv4()).or(addresses.first()).copied();
        let address = address.ok_or_else(|| unknown("has no address".to_owned()))?;
        let nonce = nonce(&host, port);
        let id = if rank == 0 { listen(address, nonce, options)? } else { UniqueId::calling(address, nonce) };
        Self::init_rank(&id, size, rank, device, options)
    }
}

/// Listen where an earlier communicator may just have.
fn listen(address: SocketAddr, nonce: [u8; 32], options: &Options) -> Result<UniqueId> {
    let start = Instant::now();
    loop {
        match UniqueId::listening(address, nonce) {
            Ok(id) => return Ok(id),
            Err(error) if start.elapsed() >= options.timeout.min(Duration::from_secs(5)) => return Err(error),
            Err(_) => thread::sleep(Duration::from_millis(50)),
        }
    }
}
