//! What the driver tells of devices and addresses, and what it is asked for.
#![allow(missing_docs)] // the driver's own numbers, under its names

/// Facts of a device that need no context.
pub struct Description {
    pub name: String,
    pub uuid: [u8; 16],
    pub pci: String,
    pub total_memory: u64,
}

/// The device attributes this library asks for.
#[derive(Clone, Copy, Debug)]
pub enum Attribute {
    ComputeMajor,
    ComputeMinor,
    Multiprocessors,
    ClockKhz,
    MemoryClockKhz,
    MemoryBusBits,
    L2Bytes,
    SharedBytesOptIn,
    CopyEngines,
    Ecc,
    ManagedMemory,
    ConcurrentManagedAccess,
    MemoryPools,
    HostRegister,
}

/// What the driver knows of an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pointer {
    /// 0 unknown to the driver, 1 host (page-locked), 2 device.
    pub kind: u32,
    /// Whether it is managed.
    pub managed: bool,
    /// The device, where there is one.
    pub device: i32,
    /// Start of the allocation.
    pub start: u64,
    /// Its length.
    pub bytes: usize,
}
