//! Whether the CUDA driver is there, asked before anything else touches it: cudarc panics where it is not.

use super::library;

/// The library every Linux driver installs. `libcuda.so` belongs to toolkits and may be an empty stub.
const LIBRARY: &str = "libcuda.so.1";

/// Every driver function [`driver`](super::driver) calls.
pub const SYMBOLS: &[&str] = &[
    "cuInit",
    "cuDriverGetVersion",
    "cuDeviceGetCount",
    "cuDeviceGet",
    "cuDeviceGetName",
    "cuDeviceGetUuid_v2",
    "cuDeviceGetPCIBusId",
    "cuDeviceTotalMem_v2",
    "cuDeviceGetAttribute",
    "cuDeviceCanAccessPeer",
    "cuDevicePrimaryCtxRetain",
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuCtxEnablePeerAccess",
    "cuMemGetInfo_v2",
    "cuMemPoolCreate",
    "cuMemPoolSetAttribute",
    "cuMemPoolGetAttribute",
    "cuMemPoolTrimTo",
    "cuMemPoolSetAccess",
    "cuMemAllocFromPoolAsync",
    "cuMemFreeAsync",
    "cuMemAllocManaged",
    "cuMemFree_v2",
    "cuMemAdvise",
    "cuMemPrefetchAsync",
    "cuMemHostAlloc",
    "cuMemFreeHost",
    "cuMemHostRegister_v2",
    "cuMemHostUnregister",
    "cuPointerGetAttributes",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyPeerAsync",
    "cuMemsetD8Async",
    "cuStreamCreateWithPriority",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
    "cuLaunchHostFunc",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventRecord",
    "cuEventQuery",
    "cuEventSynchronize",
    "cuEventElapsedTime",
    "cuModuleLoadData",
    "cuModuleGetFunction",
    "cuFuncSetAttribute",
    "cuFuncGetAttribute",
    "cuLaunchKernelEx",
    "cuTensorMapEncodeTiled",
];

/// Load the driver for good and look every function up.
///
/// # Errors
/// The reason in words: no library, or a function it lacks.
pub fn probe() -> Result<(), String> {
    probe_library(LIBRARY, SYMBOLS)
}

fn probe_library(name: &str, symbols: &[&str]) -> Result<(), String> {
    let library = library::open_driver(name).map_err(|why| format!("no CUDA driver: {why}"))?;
    if let Some(symbol) = symbols.iter().find(|symbol| !library::has(&library, symbol)) {
        return Err(format!("{name} lacks {symbol}: the driver must be version 535 (CUDA 12.2) or later"));
    }
    // Keep it loaded for as long as the process runs; device state in it outlives any handle of ours.
    std::mem::forget(library);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_a_reason() {
        let why = probe_library("libicicle-no-such-driver.so.1", SYMBOLS).unwrap_err();
        assert!(why.starts_with("no CUDA driver: "), "{why}");
        assert!(why.contains("libicicle-no-such-driver.so.1"), "{why}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_library_without_the_functions_is_a_reason() {
        let why = probe_library("libc.so.6", SYMBOLS).unwrap_err();
        assert_eq!(why, "libc.so.6 lacks cuInit: the driver must be version 535 (CUDA 12.2) or later");
    }

    #[test]
    fn every_function_called_is_looked_up() {
        let source = include_str!("driver.rs");
        let mut called: Vec<&str> =
            source.split("call!(cu").skip(1).map(|rest| rest.split('(').next().unwrap()).collect();
        called.sort_unstable();
        called.dedup();
        let mut probed: Vec<&str> = SYMBOLS.iter().map(|name| &name[2..]).collect();
        probed.sort_unstable();
        assert_eq!(called, probed);
    }
}
