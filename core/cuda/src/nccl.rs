//! NCCL: NVIDIA's collectives, loaded if it is there. Its functions by the types of nccl.h; who calls them proves operands.
#![allow(unsafe_code)]

mod issue;

pub use issue::{Issue, Operands};

use crate::gpu::{Gpu, gpu};
use crate::library::{self, Known, NCCL};
use crate::lock::lock;
use icicle_device::{Device, DeviceKind};
use icicle_error::{Error, ErrorCode, Result};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

type Handle = *mut c_void;

/// What the ranks of a new communicator know it by, an `ncclUniqueId`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Id(pub [u8; 128]);

/// An `ncclConfig_t` as NCCL 2.14 had it first; what was added since, later versions then choose themselves.
#[repr(C)]
struct Config {
    size: usize,
    magic: u32,
    version: u32,
    blocking: c_int,
}

/// The version of that layout, and the least one of the library.
const VERSION: c_int = 21400;

/// A type of elements, an `ncclDataType_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[allow(missing_docs)]
pub enum DataType {
    Int8 = 0,
    UInt8 = 1,
    Int32 = 2,
    UInt32 = 3,
    Int64 = 4,
    UInt64 = 5,
    Float16 = 6,
    Float32 = 7,
    Float64 = 8,
    BFloat16 = 9,
}

/// A reduction, an `ncclRedOp_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[allow(missing_docs)]
pub enum RedOp {
    Sum = 0,
    Prod = 1,
    Max = 2,
    Min = 3,
}

const SUCCESS: c_int = 0;
const REMOTE: c_int = 6;
const IN_PROGRESS: c_int = 7;

type Buffer = *const c_void;
type MutBuffer = *mut c_void;
type Stream = *mut c_void;

/// Its functions, after nccl.h. Every enumeration is an `int`: later versions have values that are not known here.
struct Functions {
    version: c_int,
    unique_id: unsafe extern "C" fn(*mut Id) -> c_int,
    init: unsafe extern "C" fn(*mut Handle, c_int, Id, c_int, *mut Config) -> c_int,
    finalize: unsafe extern "C" fn(Handle) -> c_int,
    destroy: unsafe extern "C" fn(Handle) -> c_int,
    abort: unsafe extern "C" fn(Handle) -> c_int,
    async_error: unsafe extern "C" fn(Handle, *mut c_int) -> c_int,
    error_string: unsafe extern "C" fn(c_int) -> *const c_char,
    last_error: unsafe extern "C" fn(Handle) -> *const c_char,
    group_start: unsafe extern "C" fn() -> c_int,
    group_end: unsafe extern "C" fn() -> c_int,
    all_reduce: unsafe extern "C" fn(Buffer, MutBuffer, usize, c_int, c_int, Handle, Stream) -> c_int,
    reduce: unsafe extern "C" fn(Buffer, MutBuffer, usize, c_int, c_int, c_int, Handle, Stream) -> c_int,
    reduce_scatter: unsafe extern "C" fn(Buffer, MutBuffer, usize, c_int, c_int, Handle, Stream) -> c_int,
    broadcast: unsafe extern "C" fn(Buffer, MutBuffer, usize, c_int, c_int, Handle, Stream) -> c_int,
    all_gather: unsafe extern "C" fn(Buffer, MutBuffer, usize, c_int, Handle, Stream) -> c_int,
    send: unsafe extern "C" fn(Buffer, usize, c_int, c_int, Handle, Stream) -> c_int,
    recv: unsafe extern "C" fn(MutBuffer, usize, c_int, c_int, Handle, Stream) -> c_int,
}

fn functions() -> std::result::Result<&'static Functions, &'static String> {
    static FOUND: OnceLock<std::result::Result<Functions, String>> = OnceLock::new();
    FOUND.get_or_init(|| load(&NCCL)).as_ref()
}

fn load(known: &Known) -> std::result::Result<Functions, String> {
    let library = known.open()?;
    // SAFETY: the type is that of nccl.h; the library stays.
    let ask = unsafe { library::function::<unsafe extern "C" fn(*mut c_int) -> c_int>(&library, "ncclGetVersion")? };
    let mut version = 0;
    // SAFETY: writes one number.
    let code = unsafe { ask(&raw mut version) };
    if code != SUCCESS || version < VERSION {
        return Err(format!("NCCL: the library is of version {version}: must be 2.14 or later"));
    }
    // SAFETY: the types are those of nccl.h; the library stays.
    let found = unsafe {
        Functions {
            version,
            unique_id: library::function(&library, "ncclGetUniqueId")?,
            init: library::function(&library, "ncclCommInitRankConfig")?,
            finalize: library::function(&library, "ncclCommFinalize")?,
            destroy: library::function(&library, "ncclCommDestroy")?,
            abort: library::function(&library, "ncclCommAbort")?,
            async_error: library::function(&library, "ncclCommGetAsyncError")?,
            error_string: library::function(&library, "ncclGetErrorString")?,
            last_error: library::function(&library, "ncclGetLastError")?,
            group_start: library::function(&library, "ncclGroupStart")?,
            group_end: library::function(&library, "ncclGroupEnd")?,
            all_reduce: library::function(&library, "ncclAllReduce")?,
            reduce: library::function(&library, "ncclReduce")?,
            reduce_scatter: library::function(&library, "ncclReduceScatter")?,
            broadcast: library::function(&library, "ncclBroadcast")?,
            all_gather: library::function(&library, "ncclAllGather")?,
            send: library::function(&library, "ncclSend")?,
            recv: library::function(&library, "ncclRecv")?,
        }
    };
    std::mem::forget(library);
    Ok(found)
}

/// Why there is no NCCL here, if there is none.
pub fn unavailable() -> Option<&'static str> {
    functions().err().map(String::as_str)
}

/// Whether NCCL is there.
///
/// # Errors
/// `Unsupported` if it is not where the environment says.
pub fn is_there(op: &'static str) -> Result<bool> {
    match functions() {
        Ok(_) => Ok(true),
        Err(why) if NCCL.is_asked_for() => Err(Error::unsupported(op, why.clone())),
        Err(_) => Ok(false),
    }
}

/// The library's version, such as 22803, if it is there.
pub fn version() -> Option<i32> {
    functions().ok().map(|functions| functions.version)
}

fn needed(op: &'static str) -> Result<&'static Functions> {
    functions().map_err(|why| Error::unsupported(op, why.clone()))
}

/// A device's state, ready to be called. Memory of CPU devices is the host's, and needs nothing: a library that works there, as
/// tests have one, is called alike.
fn ready(op: &'static str, device: Device) -> Result<Option<&'static Gpu>> {
    match device.kind {
        DeviceKind::Cuda => gpu(op, device.index).map(Some),
        DeviceKind::Cpu => Ok(None),
    }
}

/// Run calls with a device current.
fn on<T>(op: &'static str, device: Device, calls: impl FnOnce() -> T) -> Result<T> {
    match ready(op, device)? {
        Some(gpu) => gpu.with(op, ErrorCode::Internal, || Ok(calls())),
        None => Ok(calls()),
    }
}

impl Functions {
    /// Check a result.
    #[inline]
    fn check(&self, op: &'static str, code: c_int, handle: Handle) -> Result<()> {
        if code == SUCCESS || code == IN_PROGRESS { Ok(()) } else { Err(self.error(op, code, handle)) }
    }

    /// A result as an error, with the library's words.
    #[cold]
    fn error(&self, op: &'static str, code: c_int, handle: Handle) -> Error {
        let text = |words: *const c_char| match words.is_null() {
            true => String::new(),
            // SAFETY: a text of the library's that ends with NUL.
            false => unsafe { CStr::from_ptr(words) }.to_string_lossy().into_owned(),
        };
        // SAFETY: asks for texts; a communicator or none.
        let (why, last) = unsafe { (text((self.error_string)(code)), text((self.last_error)(handle))) };
        let last = if last.is_empty() { last } else { format!(": {last}") };
        let kind = if code == REMOTE { ErrorCode::RemoteError } else { ErrorCode::Internal };
        Error::new(kind, op, format!("NCCL: {why} ({code}){last}"))
    }
}

impl Id {
    /// A new one.
    ///
    /// # Errors
    /// `Unsupported` without NCCL; its own.
    pub fn new(op: &'static str) -> Result<Self> {
        let functions = needed(op)?;
        let mut id = Self([0; 128]);
        // SAFETY: room for an id.
        let code = unsafe { (functions.unique_id)(&raw mut id) };
        functions.check(op, code, null_mut())?;
        Ok(id)
    }
}

/// Communicators, one of each rank.
struct Ends(Vec<Handle>);
// SAFETY: any thread may call NCCL for communicators, one at a time, which the lock around sees to.
unsafe impl Send for Ends {}

/// Communicators of the ranks that one thread at a time calls for.
pub struct Comms {
    functions: &'static Functions,
    devices: Vec<Device>,
    /// The states of the devices, if they are GPUs.
    gpus: Vec<&'static Gpu>,
    /// Whether calls return when they are enqueued; else they are asked until they are.
    blocking: bool,
    /// None once they are aborted or gone.
    ends: Mutex<Option<Ends>>,
}

impl std::fmt::Debug for Comms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Comms").field("devices", &self.devices).finish_non_exhaustive()
    }
}

/// Asked while something is not ready: an error ends the wait.
pub type GoOn<'a> = &'a dyn Fn() -> Result<()>;

impl Comms {
    /// Communicators of some ranks of `size`, each with its device, which this thread makes together. Those that are not
    /// blocking are waited for while `go_on` allows it.
    ///
    /// # Errors
    /// `Unsupported` without NCCL; its own; those of `go_on`.
    pub fn new(
        op: &'static str,
        id: Id,
        size: usize,
        ranks: &[(usize, Device)],
        blocking: bool,
        go_on: GoOn<'_>,
    ) -> Result<Self> {
        let functions = needed(op)?;
        let devices: Vec<Device> = ranks.iter().map(|&(_, device)| device).collect();
        let gpus = devices.iter().filter_map(|&device| ready(op, device).transpose()).collect::<Result<Vec<_>>>()?;
        let mut handles: Vec<Handle> = vec![null_mut(); ranks.len()];
        // SAFETY: takes nothing.
        functions.check(op, unsafe { (functions.group_start)() }, null_mut())?;
        let mut result = Ok(());
        for (&(rank, device), handle) in ranks.iter().zip(&mut handles) {
            let mut config = Config {
                size: size_of::<Config>(),
                magic: 0xcafe_beef,
                version: VERSION as u32,
                blocking: c_int::from(blocking),
            };
            // SAFETY: room for a handle, which lives until the group ends, and a configuration, which is read.
            let init = || unsafe {
                (functions.init)(std::ptr::from_mut(handle), size as c_int, id, rank as c_int, &raw mut config)
            };
            result = result.and(on(op, device, init).and_then(|code| functions.check(op, code, null_mut())));
        }
        // SAFETY: the group that was started.
        let ended = functions.check(op, unsafe { (functions.group_end)() }, null_mut());
        let comms = Self { functions, devices, gpus, blocking, ends: Mutex::new(Some(Ends(handles))) };
        result.and(ended).and_then(|()| comms.settle(op, comms.handles(op, &lock(&comms.ends))?, go_on))?;
        Ok(comms)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.devices.len()
    }

    fn handles<'a>(&self, op: &'static str, ends: &'a Option<Ends>) -> Result<&'a [Handle]> {
        let gone = || Error::new(ErrorCode::Cancelled, op, "the communicator was aborted");
        ends.as_ref().map(|ends| &ends.0[..]).ok_or_else(gone)
    }

    /// Wait until what was begun is enqueued.
    fn settle(&self, op: &'static str, handles: &[Handle], go_on: GoOn<'_>) -> Result<()> {
        if self.blocking {
            return Ok(());
        }
        for &handle in handles {
            let mut asked = 0u32;
            while self.state(op, handle)? == IN_PROGRESS {
                go_on()?;
                asked += 1;
                if asked > 1000 {
                    std::thread::sleep(Duration::from_micros(100));
                } else {
                    std::hint::spin_loop();
                }
            }
        }
        Ok(())
    }

    fn state(&self, op: &'static str, handle: Handle) -> Result<c_int> {
        let mut state = SUCCESS;
        // SAFETY: a communicator, and room for a number.
        let code = unsafe { (self.functions.async_error)(handle, &raw mut state) };
        self.functions.check(op, code, handle)?;
        self.functions.check(op, state, handle)?;
        Ok(state)
    }

    /// An error that NCCL met after calls returned, if it met one. Nothing while another thread calls for these ranks.
    ///
    /// # Errors
    /// That one.
    pub fn check(&self, op: &'static str) -> Result<()> {
        let Ok(ends) = self.ends.try_lock() else { return Ok(()) };
        ends.iter().flat_map(|ends| &ends.0).try_for_each(|&handle| self.state(op, handle).map(|_| ()))
    }

    /// Hand all communicators to something that ends them, each with its device current.
    fn end(&self, op: &'static str, ends: &mut Option<Ends>, end: unsafe extern "C" fn(Handle) -> c_int) {
        let handles = ends.take().map_or_else(Vec::new, |ends| ends.0);
        for (handle, &device) in handles.into_iter().zip(&self.devices).filter(|(handle, _)| !handle.is_null()) {
            // A failure has no one to go to: it is gone either way.
            // SAFETY: ours, not used again.
            let _ = on(op, device, || unsafe { end(handle) });
        }
    }

    /// End them at once; kernels that wait for other ranks end.
    pub fn abort(&self) {
        self.end("abort", &mut lock(&self.ends), self.functions.abort);
    }

    /// Give them back once their work is done; if `go_on` does not allow waiting that long, abort them.
    pub fn finish(&self, go_on: GoOn<'_>) {
        const OP: &str = "finalize";
        let mut ends = lock(&self.ends);
        let flush = || -> Result<()> {
            if self.blocking {
                return Ok(());
            }
            let handles = self.handles(OP, &ends)?;
            for (&handle, &device) in handles.iter().zip(&self.devices) {
                // SAFETY: ours, and alive.
                let code = on(OP, device, || unsafe { (self.functions.finalize)(handle) })?;
                self.functions.check(OP, code, handle)?;
            }
            self.settle(OP, handles, go_on)
        };
        match flush() {
            Ok(()) => self.end(OP, &mut ends, self.functions.destroy),
            Err(_) => self.end("abort", &mut ends, self.functions.abort),
        }
    }
}

impl Drop for Comms {
    fn drop(&mut self) {
        self.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// A library with functions that return a number, by their names.
    fn library(name: &str, source: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("icicle-nccl-{name}-{}", std::process::id()));
        let (c, so) = (path.with_extension("c"), path.with_extension("so"));
        std::fs::write(&c, source).unwrap();
        let compiled = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&so).arg(&c).status().unwrap();
        assert!(compiled.success());
        std::fs::remove_file(c).unwrap();
        so
    }

    #[test]
    fn what_is_no_nccl_is_refused() {
        static FOREIGN: Known = Known::new("NCCL", "ICICLE_TEST_NCCL_FOREIGN", &["libc.so.6"], "nccl");
        assert_eq!(load(&FOREIGN).err().unwrap(), "the library lacks ncclGetVersion");

        static OLD: Known = Known::new("NCCL", "ICICLE_TEST_NCCL_OLD", &[], "nccl");
        let old = library("old", "int ncclGetVersion(int* v) { *v = 21212; return 0; }");
        OLD.set_path(old.clone()).unwrap();
        assert_eq!(load(&OLD).err().unwrap(), "NCCL: the library is of version 21212: must be 2.14 or later");

        static PART: Known = Known::new("NCCL", "ICICLE_TEST_NCCL_PART", &[], "nccl");
        let part = library("part", "int ncclGetVersion(int* v) { *v = 22803; return 0; }");
        PART.set_path(part.clone()).unwrap();
        assert_eq!(load(&PART).err().unwrap(), "the library lacks ncclGetUniqueId");
        [old, part].iter().for_each(|path| std::fs::remove_file(path).unwrap());
    }

    #[test]
    fn the_configuration_is_as_long_as_nccl_had_it_first() {
        assert_eq!((size_of::<Config>(), size_of::<Id>()), (24, 128));
    }
}
