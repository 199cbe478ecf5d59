//! Devices: which there are, which one a thread works on, what they are.

use crate::error::Code;
use crate::guard::{guard, guard_icicle};
use crate::ptr;
use crate::types::{DeviceProperties, Flag, IcicleDevice};
use icicle::device::{self, Device, DeviceKind, current_device, registry};
use icicle::{Error, ErrorCode, Result};
use std::ffi::{c_char, c_int};
use std::path::Path;

impl IcicleDevice {
    pub(crate) fn from_core(device: Device) -> Self {
        let mut device_type = [0; 64];
        for (to, from) in device_type.iter_mut().zip(device.kind.name().bytes()) {
            *to = from as c_char;
        }
        Self { device_type, id: device.index as i32 }
    }

    fn kind(&self, op: &'static str) -> Result<DeviceKind> {
        let bytes: Vec<u8> = self.device_type.iter().map(|&c| c as u8).take_while(|&c| c != 0).collect();
        let known = device::kinds();
        known.iter().copied().find(|kind| kind.name().as_bytes() == bytes).ok_or_else(|| {
            let names: Vec<_> = known.iter().map(|kind| kind.name()).collect();
            let detail = format!("type {:?}: must be one of {names:?}", String::from_utf8_lossy(&bytes));
            Error::new(ErrorCode::InvalidDevice, op, detail)
        })
    }

    pub(crate) fn to_core(self, op: &'static str) -> Result<Device> {
        let kind = self.kind(op)?;
        match u32::try_from(self.id) {
            Ok(index) => Ok(Device { kind, index }),
            Err(_) => {
                let detail = format!("id {}: must be at least 0", self.id);
                Err(Error::new(ErrorCode::InvalidDevice, op, detail))
            }
        }
    }
}

/// # Safety
/// The crate's contract: `device` is one to read.
unsafe fn read(op: &'static str, device: *const IcicleDevice) -> Result<Device> {
    // SAFETY: `device` can be read unless it is null, by the caller's promise.
    unsafe { ptr::read(op, "device", device) }?.to_core(op)
}

/// Set the device this thread works on.
///
/// Errors: `INVALID_POINTER`; `INVALID_DEVICE` for an unknown type or an id that does not exist, the device stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_set_device(device: *const IcicleDevice) -> Code {
    // SAFETY: the pointer can be read unless it is null, by the caller's promise.
    guard_icicle("set_device", || device::set_current_device(unsafe { read("set_device", device) }?))
}

/// Say where the file of one of NVIDIA's libraries is, before anything needs it: `NVRTC`, which compiles what arrays on GPUs
/// compute, `cuBLAS`, which multiplies matrices there, `cuFFT`, which does Fourier transforms, `cuSOLVER`, which does linear
/// algebra, or `NCCL`, which carries collectives between them. What the process has loaded is taken before it, and so is a file
/// that the environment names (`ICICLE_NVRTC_PATH`, `ICICLE_CUBLAS_PATH` and so on).
///
/// Errors: `INVALID_POINTER`; `INVALID_ARGUMENT` if there is no such library or file, or the library has been looked for;
/// nothing is changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_set_library_path(library: *const c_char, path: *const c_char) -> Code {
    let op = "set_library_path";
    guard(op, || {
        // SAFETY: C strings, by the caller's promise.
        let (library, path) = unsafe { (ptr::text(op, "library", library)?, ptr::text(op, "path", path)?) };
        icicle::cuda::set_library_path(&library, Path::new(&path))
    })
}

/// Set the device of threads that never set one, now and later.
///
/// Errors: as `icicle_set_device`; the default stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_set_default_device(device: *const IcicleDevice) -> Code {
    let op = "set_default_device";
    // SAFETY: the pointer can be read unless it is null, by the caller's promise.
    guard_icicle(op, || device::set_default_device(unsafe { read(op, device) }?))
}

/// The device this thread works on: the one it set, else the default.
///
/// Errors: `INVALID_POINTER` if `device` is null or misaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_get_active_device(device: *mut IcicleDevice) -> Code {
    let op = "get_active_device";
    // SAFETY: `device` has room for what is written, by the caller's promise.
    guard_icicle(op, || unsafe { ptr::write(op, "device", device, IcicleDevice::from_core(current_device())) })
}

/// How many devices there are of the current device's type.
///
/// Errors: `INVALID_POINTER` if `device_count` is null or misaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_get_device_count(device_count: *mut c_int) -> Code {
    let op = "get_device_count";
    let count = || device::device_count(current_device().kind) as c_int;
    // SAFETY: `device_count` has room for what is written, by the caller's promise.
    guard_icicle(op, || unsafe { ptr::write(op, "device_count", device_count, count()) })
}

/// Whether this machine has a device of this type, whatever the id: `SUCCESS` if it has.
///
/// Errors: `INVALID_DEVICE` if it has none, with the reason; `INVALID_POINTER` if `dev` is null or misaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_is_device_available(dev: *const IcicleDevice) -> Code {
    let op = "is_device_available";
    guard_icicle(op, || {
        // SAFETY: `dev` can be read unless it is null, by the caller's promise.
        let kind = unsafe { ptr::read(op, "dev", dev) }?.kind(op)?;
        registry::backend(Device { kind, index: 0 }).map(drop)
    })
}

/// What the current device is.
///
/// Errors: `INVALID_POINTER` if `properties` is null or misaligned, `INVALID_DEVICE` if there is no such device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_get_device_properties(properties: *mut DeviceProperties) -> Code {
    let op = "get_device_properties";
    guard_icicle(op, || {
        let info = registry::device_info(current_device())?;
        let value = DeviceProperties {
            using_host_memory: info.uses_host_memory.into(),
            num_memory_regions: info.memory_regions as i32,
            supports_pinned_memory: info.supports_pinned.into(),
        };
        // SAFETY: `properties` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "properties", properties, value) }
    })
}

/// The types this machine has devices of, separated by commas, the CPU last.
///
/// Errors: `INVALID_POINTER`; `OUT_OF_MEMORY` if `output_size` bytes do not hold the list and its 0, nothing is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_get_registered_devices(output: *mut c_char, output_size: usize) -> Code {
    let op = "get_registered_devices";
    guard_icicle(op, || {
        ptr::check_typed(op, "output", output)?;
        let kinds = device::kinds().into_iter().rev().filter(|&kind| device::device_count(kind) > 0);
        let list = kinds.map(|kind| kind.name()).collect::<Vec<_>>().join(",");
        if output_size <= list.len() {
            let detail = format!("output_size {output_size}: must be at least {}", list.len() + 1);
            return Err(Error::new(ErrorCode::OutOfMemory, op, detail));
        }
        // SAFETY: `output` has room for what is written, by the caller's promise.
        unsafe { ptr::write_text(op, "output", output, output_size, &list) }.map(drop)
    })
}

/// For ICICLE's clients: backends are part of this library, so nothing is loaded, no argument is read, and the answer
/// is `SUCCESS`.
///
/// Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_load_backend(path: *const c_char, is_recursive: Flag) -> Code {
    let _ = (path, is_recursive);
    Code::Success
}

/// For ICICLE's clients: backends are part of this library, so nothing is loaded and the answer is `SUCCESS`.
///
/// Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_load_backend_from_env_or_default() -> Code {
    Code::Success
}

/// A device in numbers.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DeviceInfo {
    /// `sizeof` this struct, which you set; after the call the bytes of it that were written.
    pub struct_size: usize,
    /// The device.
    pub device: IcicleDevice,
    /// Parallel units: hardware threads of a CPU, multiprocessors of a GPU.
    pub units: u32,
    /// Bytes of memory; 0 where unknown.
    pub total_memory_bytes: u64,
    /// Whether the device computes directly in host memory.
    pub uses_host_memory: bool,
    /// Whether page-locked host memory speeds up copies.
    pub supports_pinned: bool,
    /// The processor's or GPU's name, cut to fit, ending with 0.
    pub name: [c_char; 128],
}

ptr::versioned! { DeviceInfo }

/// Describe a device. Set `info->struct_size`.
///
/// Errors: `INVALID_POINTER`, `INVALID_DEVICE`, `INVALID_ARGUMENT` for a `struct_size` below the struct's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_device_info(device: *const IcicleDevice, info: *mut DeviceInfo) -> Code {
    let op = "device_info";
    guard(op, || {
        // SAFETY: the pointer can be read unless it is null, by the caller's promise.
        let row = registry::device_info(unsafe { read(op, device) }?)?;
        let value = DeviceInfo {
            struct_size: size_of::<DeviceInfo>(),
            device: IcicleDevice::from_core(row.device),
            units: row.units,
            total_memory_bytes: row.total_memory.unwrap_or(0),
            uses_host_memory: row.uses_host_memory,
            supports_pinned: row.supports_pinned,
            name: crate::registry::chars(&row.name),
        };
        // SAFETY: `info` has room for what is written, by the caller's promise.
        unsafe { ptr::write_sized(op, "info", info, value) }
    })
}

/// Further facts of a device, such as `compute capability=9.0`, one a line.
///
/// Writes at most `bytes` bytes to `buffer`, the last of them 0, and cuts what does not fit; `*needed` (may be null) =
/// bytes the whole text takes with its 0. `buffer` may be null if `bytes` is 0.
///
/// Errors: `INVALID_POINTER`, `INVALID_DEVICE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_device_facts(
    device: *const IcicleDevice,
    buffer: *mut c_char,
    bytes: usize,
    needed: *mut usize,
) -> Code {
    let op = "device_facts";
    guard(op, || {
        // SAFETY: the pointer can be read unless it is null, by the caller's promise.
        let row = registry::device_info(unsafe { read(op, device) }?)?;
        if !needed.is_null() {
            ptr::check_typed(op, "needed", needed)?;
        }
        let lines: Vec<_> = row.facts.iter().map(|(name, value)| format!("{name}={value}")).collect();
        // SAFETY: `buffer` has room for what is written, by the caller's promise.
        let whole = unsafe { ptr::write_text(op, "buffer", buffer, bytes, &lines.join("\n")) }?;
        if needed.is_null() {
            return Ok(());
        }
        // SAFETY: `needed` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "needed", needed, whole) }
    })
}

/// A device's memory in numbers, all in bytes but `allocations`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MemoryStats {
    /// `sizeof` this struct, which you set; after the call the bytes of it that were written.
    pub struct_size: usize,
    /// Memory of the device in all.
    pub total: u64,
    /// Memory of the device no process uses.
    pub free: u64,
    /// Bytes handed out by this library and not yet freed.
    pub used: u64,
    /// Bytes the pool holds, handed out or cached.
    pub reserved: u64,
    /// Highest `used` since the process started.
    pub high_water: u64,
    /// Allocations alive.
    pub allocations: u64,
    /// Limit of `used`; `UINT64_MAX` if none is set.
    pub limit: u64,
}

ptr::versioned! { MemoryStats }

/// A device's memory in numbers.
///
/// Set `stats->struct_size`.
///
/// Errors: `INVALID_POINTER`, `INVALID_DEVICE`, `INVALID_ARGUMENT` for a `struct_size` below the struct's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_memory_stats(device: *const IcicleDevice, stats: *mut MemoryStats) -> Code {
    let op = "memory_stats";
    guard(op, || {
        // SAFETY: the pointer can be read unless it is null, by the caller's promise.
        let of = registry::memory_stats(unsafe { read(op, device) }?)?;
        let value = MemoryStats {
            struct_size: size_of::<MemoryStats>(),
            total: of.total,
            free: of.free,
            used: of.used,
            reserved: of.reserved,
            high_water: of.high_water,
            allocations: of.allocations,
            limit: of.limit.unwrap_or(u64::MAX),
        };
        // SAFETY: `stats` has room for what is written, by the caller's promise.
        unsafe { ptr::write_sized(op, "stats", stats, value) }
    })
}

/// Limit the bytes a device hands out at a time; `UINT64_MAX` lifts the limit. Memory handed out already stays valid.
///
/// Errors: `INVALID_POINTER`, `INVALID_DEVICE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_set_memory_limit(device: *const IcicleDevice, bytes: u64) -> Code {
    let op = "set_memory_limit";
    let limit = (bytes != u64::MAX).then_some(bytes);
    // SAFETY: the pointer can be read unless it is null, by the caller's promise.
    guard(op, || registry::set_memory_limit(unsafe { read(op, device) }?, limit))
}

/// Give a device's cached memory back until at most `keep_bytes` bytes stay reserved; on a GPU once all its work is
/// done. Memory handed out stays valid.
///
/// Errors: `INVALID_POINTER`, `INVALID_DEVICE`, `DEALLOCATION_FAILED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_memory_trim(device: *const IcicleDevice, keep_bytes: u64) -> Code {
    let op = "memory_trim";
    // SAFETY: the pointer can be read unless it is null, by the caller's promise.
    guard(op, || registry::trim(unsafe { read(op, device) }?, keep_bytes))
}

/// `*result` = whether work on `device` can read memory of `peer` directly. Copies work either way.
///
/// Errors: `INVALID_POINTER`, `INVALID_DEVICE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_can_access_peer(
    device: *const IcicleDevice,
    peer: *const IcicleDevice,
    result: *mut bool,
) -> Code {
    let op = "can_access_peer";
    guard(op, || {
        // SAFETY: the pointer can be read unless it is null, by the caller's promise.
        let device = registry::device_info(unsafe { read(op, device) }?)?;
        // SAFETY: the pointer can be read unless it is null, by the caller's promise.
        let peer = registry::device_info(unsafe { read(op, peer) }?)?;
        let value = device.device == peer.device || (device.uses_host_memory && peer.uses_host_memory);
        // SAFETY: `result` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "result", result, value) }
    })
}
