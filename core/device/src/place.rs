//! Where memory lies.

use super::device::Device;

/// Where memory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the host's memory.
    Host,
    /// In memory allocated on a device.
    Device(Device),
}
