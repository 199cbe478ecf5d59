//! One pair of small keys for all unit tests.

use crate::parameters::TOY;
use crate::{ClientKey, ServerKey};
use icicle_device::{Device, DeviceKind};
use std::sync::LazyLock;

/// Keys of the set `TOY`.
pub(crate) fn toy() -> &'static (ClientKey, ServerKey) {
    static KEYS: LazyLock<(ClientKey, ServerKey)> = LazyLock::new(|| {
        let client = ClientKey::generate(&TOY).unwrap();
        let server = client.server_key(device()).unwrap();
        (client, server)
    });
    &KEYS
}

/// The first CPU device.
pub(crate) fn device() -> Device {
    Device { kind: DeviceKind::Cpu, index: 0 }
}
