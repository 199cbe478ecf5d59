//! The server's key with seeds for its masks: a quarter of the size, to be kept and sent.

use crate::bootstrapping_key::SeededBootstrappingKey;
use crate::ciphertexts::KeyTag;
use crate::host_key::HostKey;
use crate::key_switch::SeededKeySwitchKey;
use crate::parameters::Parameters;
use crate::secret_key::LweSecretKey;
use crate::server_key::ServerKey;
use icicle_device::Device;
use icicle_error::Result;
use std::fmt;
use std::sync::Arc;

/// A [`ServerKey`] whose masks are seeds: 30 MB, to be kept, sent, and decompressed for the device that computes.
///
/// It holds only encryptions, so that it may be given away.
pub struct CompressedServerKey {
    pub(crate) parameters: &'static Parameters,
    pub(crate) tag: KeyTag,
    pub(crate) key_switch: SeededKeySwitchKey,
    pub(crate) bootstrap: SeededBootstrappingKey,
}

impl fmt::Debug for CompressedServerKey {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("CompressedServerKey")
            .field("parameters", &self.parameters.name)
            .field("tag", &self.tag)
            .finish_non_exhaustive()
    }
}

impl CompressedServerKey {
    /// The key of a client whose messages are under `large`, and that blind rotation reads `small` for.
    pub(crate) fn generate(
        op: &'static str,
        (parameters, tag): (&'static Parameters, KeyTag),
        large: &LweSecretKey,
        small: &LweSecretKey,
    ) -> Result<Self> {
        Ok(Self {
            parameters,
            tag,
            key_switch: SeededKeySwitchKey::generate(op, parameters, large, small)?,
            bootstrap: SeededBootstrappingKey::generate(op, parameters, small, large)?,
        })
    }

    /// The set of parameters.
    pub fn parameters(&self) -> &'static Parameters {
        self.parameters
    }

    /// Make the key to compute with on a device; this one stays as it is.
    ///
    /// # Errors
    /// `Unsupported` for a GPU that has too little shared memory, or without CUDA; `InvalidDevice`, `OutOfMemory`.
    pub fn decompress(&self, device: Device) -> Result<ServerKey> {
        const OP: &str = "fhe_decompress_server_key";
        ServerKey::check_device(OP, device)?;
        let parameters = self.parameters;
        let key_switch = self.key_switch.decompress(OP, parameters)?;
        let host = HostKey::new(OP, parameters, key_switch, self.bootstrap.decompress(OP, parameters)?)?;
        ServerKey::of(OP, (parameters, self.tag), device, Arc::new(host))
    }
}
