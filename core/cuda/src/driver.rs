//! The CUDA driver's functions, as far as they are used: the only file that calls cudarc.
//!
//! Every handle is a plain number here, every failure the driver's own. A call is one driver call; what to make of its
//! failure is decided in [`fault`](super::fault). cudarc's functions panic when the library or a symbol is missing:
//! [`init`] probes for both before the first of them, and nothing here is reached unless it succeeded (device indices
//! come from [`device_count`], everything else from a device). Driver results newer than cudarc's enumeration lie within
//! its range of values and are turned into numbers before anything looks at them.
#![allow(unsafe_code)]
#![allow(missing_docs)] // the driver's own functions and numbers, under its names

pub use super::facts::{Attribute, Description, Pointer};
pub use super::fault::{Failure, Outcome};

use cudarc::driver::sys;
use icicle_device::StreamKind;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;

/// A handle of the driver, as a number: contexts, streams, events, pools, modules and functions.
pub type Handle = usize;

/// Call a driver function. In safe functions every argument is a value or a pointer to a live local of the type the
/// function asks for, and handles are checked by the driver or came from it; in unsafe ones the rest is the caller's.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: as above; the symbol exists, since the probe found it.
        let result = unsafe { sys::$function($($argument),*) };
        match result as u32 {
            0 => Ok(()),
            code => Err(Failure(code)),
        }
    }};
}

/// Find the driver and initialise it. Gives its version, such as 13000 for CUDA 13.0.
///
/// # Errors
/// The reason in words.
pub fn init() -> Result<i32, String> {
    super::probe::probe()?;
    // SAFETY: tries names of the driver's library, which the probe found under the last of them.
    if !unsafe { sys::is_culib_present() } {
        return Err("the CUDA driver's library was found by one loader and not by the other".into());
    }
    let named = |Failure(code)| format!("no CUDA device: cuInit gave {}", super::fault::describe(code));
    call!(cuInit(0)).map_err(named)?;
    let mut version = 0;
    call!(cuDriverGetVersion(&mut version)).map_err(named)?;
    Ok(version)
}

pub fn device_count() -> Outcome<u32> {
    let mut count: c_int = 0;
    call!(cuDeviceGetCount(&mut count))?;
    Ok(count.max(0) as u32)
}

pub fn describe(index: u32) -> Outcome<Description> {
    let (mut name, mut pci) = ([0 as c_char; 256], [0 as c_char; 32]);
    let (mut uuid, mut bytes) = (sys::CUuuid { bytes: [0; 16] }, 0usize);
    let device = ordinal(index)?;
    call!(cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int - 1, device))?;
    call!(cuDeviceGetPCIBusId(pci.as_mut_ptr(), pci.len() as c_int - 1, device))?;
    call!(cuDeviceGetUuid_v2(&mut uuid, device))?;
    call!(cuDeviceTotalMem_v2(&mut bytes, device))?;
    Ok(Description {
        name: text(&name),
        uuid: uuid.bytes.map(|b| b as u8),
        pci: text(&pci),
        total_memory: bytes as u64,
    })
}

fn text(characters: &[c_char]) -> String {
    let bytes: Vec<u8> = characters.iter().map(|&c| c as u8).take_while(|&b| b != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn ordinal(index: u32) -> Outcome<sys::CUdevice> {
    let mut device: sys::CUdevice = 0;
    call!(cuDeviceGet(&mut device, index as c_int))?;
    Ok(device)
}

pub fn attribute(index: u32, attribute: Attribute) -> Outcome<i32> {
    use sys::CUdevice_attribute_enum as A;
    let which = match attribute {
        Attribute::ComputeMajor => A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
        Attribute::ComputeMinor => A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        Attribute::Multiprocessors => A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
        Attribute::ClockKhz => A::CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
        Attribute::MemoryClockKhz => A::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
        Attribute::MemoryBusBits => A::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
        Attribute::L2Bytes => A::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
        Attribute::SharedBytesOptIn => A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        Attribute::CopyEngines => A::CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT,
        Attribute::Ecc => A::CU_DEVICE_ATTRIBUTE_ECC_ENABLED,
        Attribute::ManagedMemory => A::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY,
        Attribute::ConcurrentManagedAccess => A::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
        Attribute::MemoryPools => A::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
        Attribute::HostRegister => A::CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED,
    };
    let mut value = 0;
    call!(cuDeviceGetAttribute(&mut value, which, ordinal(index)?))?;
    Ok(value)
}

pub fn can_access_peer(from: u32, to: u32) -> Outcome<bool> {
    let mut can = 0;
    call!(cuDeviceCanAccessPeer(&mut can, ordinal(from)?, ordinal(to)?))?;
    Ok(can != 0)
}

/// The device's primary context, shared with the CUDA runtime of the process; kept for good.
pub fn primary_context(index: u32) -> Outcome<Handle> {
    let mut context = null_mut();
    call!(cuDevicePrimaryCtxRetain(&mut context, ordinal(index)?))?;
    Ok(context as Handle)
}

/// The calling thread's context, 0 if it has none.
pub fn current_context() -> Outcome<Handle> {
    let mut context = null_mut();
    call!(cuCtxGetCurrent(&mut context))?;
    Ok(context as Handle)
}

pub fn set_current_context(context: Handle) -> Outcome<()> {
    call!(cuCtxSetCurrent(context as sys::CUcontext))
}

// All below work on the calling thread's context.

pub fn synchronize() -> Outcome<()> {
    call!(cuCtxSynchronize())
}

/// Let the current context reach the memory of another.
pub fn enable_peer_access(other: Handle) -> Outcome<()> {
    call!(cuCtxEnablePeerAccess(other as sys::CUcontext, 0))
}

/// Free and total bytes of the device.
pub fn memory_info() -> Outcome<(u64, u64)> {
    let (mut free, mut total) = (0, 0);
    call!(cuMemGetInfo_v2(&mut free, &mut total))?;
    Ok((free as u64, total as u64))
}

fn on_device(index: u32) -> sys::CUmemLocation {
    sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: index as c_int }
}

/// A pool that keeps what is freed, and that never makes one stream wait for another to reuse memory.
pub fn pool_create(index: u32) -> Outcome<Handle> {
    use sys::CUmemPool_attribute_enum as A;
    let properties = sys::CUmemPoolProps {
        allocType: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        handleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
        location: on_device(index),
        win32SecurityAttributes: null_mut(),
        maxSize: 0,
        reserved: [0; 56],
    };
    let mut pool = null_mut();
    call!(cuMemPoolCreate(&mut pool, &properties))?;
    let (mut keep, mut no) = (u64::MAX, 0 as c_int);
    call!(cuMemPoolSetAttribute(pool, A::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, (&raw mut keep).cast()))?;
    call!(cuMemPoolSetAttribute(pool, A::CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, (&raw mut no).cast()))?;
    Ok(pool as Handle)
}

/// Bytes the pool holds, handed out or not.
pub fn pool_reserved(pool: Handle) -> Outcome<u64> {
    let mut bytes = 0u64;
    let which = sys::CUmemPool_attribute_enum::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT;
    call!(cuMemPoolGetAttribute(pool as sys::CUmemoryPool, which, (&raw mut bytes).cast()))?;
    Ok(bytes)
}

pub fn pool_trim(pool: Handle, keep: u64) -> Outcome<()> {
    call!(cuMemPoolTrimTo(pool as sys::CUmemoryPool, keep as usize))
}

/// Let device `index` reach the pool's memory, or no longer.
pub fn pool_set_access(pool: Handle, index: u32, allow: bool) -> Outcome<()> {
    use sys::CUmemAccess_flags_enum as F;
    let flags = match allow {
        true => F::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        false => F::CU_MEM_ACCESS_FLAGS_PROT_NONE,
    };
    let access = sys::CUmemAccessDesc { location: on_device(index), flags };
    call!(cuMemPoolSetAccess(pool as sys::CUmemoryPool, &access, 1))
}

pub fn alloc(pool: Handle, bytes: usize, stream: Handle) -> Outcome<u64> {
    let mut address = 0;
    call!(cuMemAllocFromPoolAsync(&mut address, bytes, pool as sys::CUmemoryPool, stream as sys::CUstream))?;
    Ok(address)
}

/// # Safety
/// `address` came from [`alloc`] and is not used after what `stream` now holds.
pub unsafe fn free(address: u64, stream: Handle) -> Outcome<()> {
    call!(cuMemFreeAsync(address, stream as sys::CUstream))
}

/// Memory every device and the host reach under one address.
pub fn alloc_managed(bytes: usize) -> Outcome<u64> {
    let mut address = 0;
    let flags = sys::CUmemAttach_flags_enum::CU_MEM_ATTACH_GLOBAL as c_uint;
    call!(cuMemAllocManaged(&mut address, bytes, flags))?;
    Ok(address)
}

/// # Safety
/// `address` came from [`alloc_managed`] and is not used again.
pub unsafe fn free_managed(address: u64) -> Outcome<()> {
    call!(cuMemFree_v2(address))
}

/// Advice numbers are the driver's; `device` −1 is the host.
pub fn advise(address: u64, bytes: usize, advice: sys::CUmem_advise_enum, device: i32) -> Outcome<()> {
    call!(cuMemAdvise(address, bytes, advice, device))
}

/// Advice of the driver on managed memory.
pub use sys::CUmem_advise_enum as Advice;

/// `device` −1 is the host.
pub fn prefetch(address: u64, bytes: usize, device: i32, stream: Handle) -> Outcome<()> {
    call!(cuMemPrefetchAsync(address, bytes, device, stream as sys::CUstream))
}

/// Page-locked, cached by the processor (not write-combined), known to every context.
pub fn host_alloc(bytes: usize) -> Outcome<*mut u8> {
    let mut address = null_mut();
    call!(cuMemHostAlloc(&mut address, bytes, sys::CU_MEMHOSTALLOC_PORTABLE))?;
    Ok(address.cast())
}

/// # Safety
/// `address` came from [`host_alloc`] and is not used again.
pub unsafe fn host_free(address: *mut u8) -> Outcome<()> {
    call!(cuMemFreeHost(address.cast()))
}

/// # Safety
/// The range is mapped and stays so until it is unregistered.
pub unsafe fn host_register(address: *mut u8, bytes: usize) -> Outcome<()> {
    call!(cuMemHostRegister_v2(address.cast(), bytes, sys::CU_MEMHOSTREGISTER_PORTABLE))
}

pub fn host_unregister(address: *mut u8) -> Outcome<()> {
    call!(cuMemHostUnregister(address.cast()))
}

pub fn pointer(address: u64) -> Outcome<Pointer> {
    use sys::CUpointer_attribute_enum as A;
    let mut which = [
        A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        A::CU_POINTER_ATTRIBUTE_IS_MANAGED,
        A::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        A::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
        A::CU_POINTER_ATTRIBUTE_RANGE_SIZE,
    ];
    let (mut kind, mut managed, mut device, mut start, mut bytes) = (0u32, 0u32, -1 as c_int, 0u64, 0usize);
    let mut values: [*mut c_void; 5] = [
        (&raw mut kind).cast(),
        (&raw mut managed).cast(),
        (&raw mut device).cast(),
        (&raw mut start).cast(),
        (&raw mut bytes).cast(),
    ];
    call!(cuPointerGetAttributes(which.len() as c_uint, which.as_mut_ptr(), values.as_mut_ptr(), address))?;
    Ok(Pointer { kind, managed: managed & 0xff != 0, device, start, bytes })
}

/// # Safety
/// Both ranges are valid until the stream has passed the copy.
pub unsafe fn copy_to_device(dst: u64, src: *const u8, bytes: usize, stream: Handle) -> Outcome<()> {
    call!(cuMemcpyHtoDAsync_v2(dst, src.cast(), bytes, stream as sys::CUstream))
}

/// # Safety
/// Both ranges are valid until the stream has passed the copy.
pub unsafe fn copy_to_host(dst: *mut u8, src: u64, bytes: usize, stream: Handle) -> Outcome<()> {
    call!(cuMemcpyDtoHAsync_v2(dst.cast(), src, bytes, stream as sys::CUstream))
}

/// # Safety
/// Both ranges are valid until the stream has passed the copy.
pub unsafe fn copy_on_device(dst: u64, src: u64, bytes: usize, stream: Handle) -> Outcome<()> {
    call!(cuMemcpyDtoDAsync_v2(dst, src, bytes, stream as sys::CUstream))
}

/// # Safety
/// Both ranges, each of the context beside it, are valid until the stream has passed the copy.
pub unsafe fn copy_between(
    (dst, dst_context): (u64, Handle),
    (src, src_context): (u64, Handle),
    bytes: usize,
    stream: Handle,
) -> Outcome<()> {
    let (to, from) = (dst_context as sys::CUcontext, src_context as sys::CUcontext);
    call!(cuMemcpyPeerAsync(dst, to, src, from, bytes, stream as sys::CUstream))
}

/// # Safety
/// The range is valid until the stream has passed the fill.
pub unsafe fn fill(address: u64, value: u8, bytes: usize, stream: Handle) -> Outcome<()> {
    call!(cuMemsetD8Async(address, value, bytes, stream as sys::CUstream))
}

pub fn stream_create(kind: StreamKind) -> Outcome<Handle> {
    let mut stream = null_mut();
    let flags = c_uint::from(kind != StreamKind::InOrder);
    // The lower the number the more urgent; 0 is what streams have else.
    let priority = -i32::from(kind == StreamKind::Urgent);
    call!(cuStreamCreateWithPriority(&mut stream, flags, priority))?;
    Ok(stream as Handle)
}

/// # Safety
/// The stream is ours, alive, and not used again. The same holds of every stream and event below.
pub unsafe fn stream_destroy(stream: Handle) -> Outcome<()> {
    call!(cuStreamDestroy_v2(stream as sys::CUstream))
}

/// # Safety
/// As [`stream_destroy`], and used again as one likes.
pub unsafe fn stream_synchronize(stream: Handle) -> Outcome<()> {
    call!(cuStreamSynchronize(stream as sys::CUstream))
}

/// # Safety
/// As [`stream_synchronize`].
pub unsafe fn stream_wait_event(stream: Handle, event: Handle) -> Outcome<()> {
    call!(cuStreamWaitEvent(stream as sys::CUstream, event as sys::CUevent, 0))
}

/// A function that the host runs in a stream's order.
pub type HostFunction = unsafe extern "C" fn(*mut c_void);

/// # Safety
/// As [`stream_synchronize`]; the function may be called with `data` once the stream gets there, and calls no driver
/// function.
pub unsafe fn launch_host(stream: Handle, function: HostFunction, data: *mut c_void) -> Outcome<()> {
    call!(cuLaunchHostFunc(stream as sys::CUstream, Some(function), data))
}

pub fn event_create(timing: bool) -> Outcome<Handle> {
    let flags = match timing {
        true => sys::CUevent_flags_enum::CU_EVENT_DEFAULT,
        false => sys::CUevent_flags_enum::CU_EVENT_DISABLE_TIMING,
    };
    let mut event = null_mut();
    call!(cuEventCreate(&mut event, flags as c_uint))?;
    Ok(event as Handle)
}

/// # Safety
/// As [`stream_destroy`].
pub unsafe fn event_destroy(event: Handle) -> Outcome<()> {
    call!(cuEventDestroy_v2(event as sys::CUevent))
}

/// # Safety
/// As [`stream_synchronize`].
pub unsafe fn event_record(event: Handle, stream: Handle) -> Outcome<()> {
    call!(cuEventRecord(event as sys::CUevent, stream as sys::CUstream))
}

/// # Safety
/// As [`stream_synchronize`].
pub unsafe fn event_query(event: Handle) -> Outcome<()> {
    call!(cuEventQuery(event as sys::CUevent))
}

/// # Safety
/// As [`stream_synchronize`].
pub unsafe fn event_synchronize(event: Handle) -> Outcome<()> {
    call!(cuEventSynchronize(event as sys::CUevent))
}

/// # Safety
/// As [`stream_synchronize`].
pub unsafe fn event_elapsed_ms(start: Handle, end: Handle) -> Outcome<f32> {
    let mut ms = 0.0;
    call!(cuEventElapsedTime(&mut ms, start as sys::CUevent, end as sys::CUevent))?;
    Ok(ms)
}

/// # Safety
/// `image` starts a fatbin or cubin, or PTX text that ends with a NUL.
pub unsafe fn module_load(image: *const u8) -> Outcome<Handle> {
    let mut module = null_mut();
    call!(cuModuleLoadData(&mut module, image.cast()))?;
    Ok(module as Handle)
}

/// # Safety
/// The module is alive.
pub unsafe fn module_function(module: Handle, name: &CStr) -> Outcome<Handle> {
    let mut function = null_mut();
    call!(cuModuleGetFunction(&mut function, module as sys::CUmodule, name.as_ptr()))?;
    Ok(function as Handle)
}

/// Allow a function `bytes` of dynamic shared memory a block.
///
/// # Safety
/// The function's module is alive; so it is below.
pub unsafe fn function_set_shared(function: Handle, bytes: u32) -> Outcome<()> {
    let which = sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    call!(cuFuncSetAttribute(function as sys::CUfunction, which, bytes as c_int))
}

/// Numbers of matrices whose tiles are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiled {
    F16,
    BF16,
    F32,
}

/// How tiles of a matrix are copied, swizzled by 128 bytes, with zeros for what is not there: of `lines` lines of `dense` numbers,
/// `pitch` bytes apart. Nothing is read.
pub fn tensor_map(of: Tiled, address: u64, [dense, lines]: [u64; 2], pitch: u64, tile: [u32; 2]) -> Outcome<[u64; 16]> {
    use sys::{
        CUtensorMapDataType_enum as Type, CUtensorMapFloatOOBfill_enum as Fill,
        CUtensorMapInterleave_enum as Interleave, CUtensorMapL2promotion_enum as Promotion,
        CUtensorMapSwizzle_enum as Swizzle,
    };
    let kind = match of {
        Tiled::F16 => Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
        Tiled::BF16 => Type::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
        Tiled::F32 => Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
    };
    let mut map = sys::CUtensorMap { opaque: [0; 16] };
    call!(cuTensorMapEncodeTiled(
        &mut map,
        kind,
        2,
        address as *mut c_void,
        [dense, lines].as_ptr(),
        [pitch].as_ptr(),
        tile.as_ptr(),
        [1, 1].as_ptr(),
        Interleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
        Swizzle::CU_TENSOR_MAP_SWIZZLE_128B,
        Promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
        Fill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    ))?;
    Ok(map.opaque)
}

fn function_attribute(function: Handle, which: sys::CUfunction_attribute_enum) -> Outcome<u32> {
    let mut value = 0;
    call!(cuFuncGetAttribute(&mut value, which, function as sys::CUfunction))?;
    Ok(value.max(0) as u32)
}

/// Most threads a block of the function may have.
///
/// # Safety
/// As [`function_set_shared`].
pub unsafe fn function_max_threads(function: Handle) -> Outcome<u32> {
    function_attribute(function, sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
}

/// The virtual architecture the function was compiled for, such as 90.
///
/// # Safety
/// As [`function_set_shared`].
pub unsafe fn function_architecture(function: Handle) -> Outcome<u32> {
    function_attribute(function, sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_PTX_VERSION)
}

/// With `early` the kernel may start before the one ahead of it in the stream has ended; it waits for that itself.
///
/// # Safety
/// `arguments` points to one value of the right type for each parameter, and the kernel accesses only what it may.
pub unsafe fn launch(
    function: Handle,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: Handle,
    early: bool,
    arguments: &mut [*mut c_void],
) -> Outcome<()> {
    let mut attribute = sys::CUlaunchAttribute {
        id: sys::CUlaunchAttributeID_enum::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
        pad: [0; 4],
        value: sys::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
    };
    let config = sys::CUlaunchConfig {
        gridDimX: grid[0],
        gridDimY: grid[1],
        gridDimZ: grid[2],
        blockDimX: block[0],
        blockDimY: block[1],
        blockDimZ: block[2],
        sharedMemBytes: shared,
        hStream: stream as sys::CUstream,
        attrs: &mut attribute,
        numAttrs: c_uint::from(early),
    };
    call!(cuLaunchKernelEx(&config, function as sys::CUfunction, arguments.as_mut_ptr(), null_mut()))
}
