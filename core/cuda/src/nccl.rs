//! NCCL: NVIDIA's collectives, loaded if it is there. Its functions by the types of nccl.h; who calls them proves operands.
#![allow(unsafe_code)]

mod issue;

use issue::Party;
pub use issue::{Issue, Operands};

use crate::gpu::{Gpu, gpu};
use crate::library::{self, Known, NCCL};
use crate::lock::lock;
use icicle_device::{Device, DeviceKind};
use icicle_error::{Error, ErrorCode, Result, reserve};
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
    /// A result as an error, with the library's words.
    fn check(&self, op: &'static str, code: c_int, handle: Handle) -> Result<()> {
        if code == SUCCESS || code == IN_PROGRESS {
            return Ok(());
        }
        let text = |words: *const c_char| match words.is_null() {
            true => String::new(),
            // SAFETY: a text of the library's that ends with NUL.
            false => unsafe { CStr::from_ptr(words) }.to_string_lossy().into_owned(),
        };
        // SAFETY: asks for texts; a communicator or none.
        let (why, last) = unsafe { (text((self.error_string)(code)), text((self.last_error)(handle))) };
        let last = if last.is_empty() { last } else { format!(": {last}") };
        let kind = if code == REMOTE { ErrorCode::RemoteError } else { ErrorCode::Internal };
        Err(Error::new(kind, op, format!("NCCL: {why} ({code}){last}")))
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

/// A communicator's end, none once it is aborted or gone.
struct End(Handle);
// SAFETY: any thread may call NCCL for a communicator, one at a time, which the lock around sees to.
unsafe impl Send for End {}

/// One rank's communicator.
pub struct Comm {
    functions: &'static Functions,
    device: Device,
    /// Whether calls return when they are enqueued; else they are asked until they are.
    blocking: bool,
    end: Mutex<Option<End>>,
}

impl std::fmt::Debug for Comm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Comm").field("device", &self.device).finish_non_exhaustive()
    }
}

/// Asked while something is not ready: an error ends the wait.
pub type GoOn<'a> = &'a dyn Fn() -> Result<()>;

impl Comm {
    /// Communicators of some ranks of `size`, each with its device, which this thread makes together. Those that are not
    /// blocking are waited for while `go_on` allows it.
    ///
    /// # Errors
    /// `Unsupported` without NCCL; its own; those of `go_on`.
    pub fn all(
        op: &'static str,
        id: Id,
        size: usize,
        ranks: &[(usize, Device)],
        blocking: bool,
        go_on: GoOn<'_>,
    ) -> Result<Vec<Self>> {
        let functions = needed(op)?;
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
        let comms: Vec<Self> = handles
            .into_iter()
            .zip(ranks)
            .map(|(handle, &(_, device))| Self {
                functions,
                device,
                blocking,
                end: Mutex::new((!handle.is_null()).then_some(End(handle))),
            })
            .collect();
        result = result.and(ended);
        for comm in &comms {
            result = result.and_then(|()| comm.settle(op, comm.handle(op, &lock(&comm.end))?, go_on));
        }
        match result {
            Ok(()) => Ok(comms),
            Err(error) => {
                comms.iter().for_each(Self::abort);
                Err(error)
            }
        }
    }

    /// The device.
    pub fn device(&self) -> Device {
        self.device
    }

    fn handle(&self, op: &'static str, end: &Option<End>) -> Result<Handle> {
        let gone = || Error::new(ErrorCode::Cancelled, op, "the communicator was aborted");
        end.as_ref().map(|end| end.0).ok_or_else(gone)
    }

    /// Wait until what was begun is enqueued.
    fn settle(&self, op: &'static str, handle: Handle, go_on: GoOn<'_>) -> Result<()> {
        if self.blocking {
            return Ok(());
        }
        let mut asked = 0u32;
        loop {
            match self.state(op, handle)? {
                IN_PROGRESS => go_on()?,
                _ => return Ok(()),
            }
            asked += 1;
            if asked > 1000 {
                std::thread::sleep(Duration::from_micros(100));
            } else {
                std::hint::spin_loop();
            }
        }
    }

    fn state(&self, op: &'static str, handle: Handle) -> Result<c_int> {
        let mut state = SUCCESS;
        // SAFETY: a communicator, and room for a number.
        let code = unsafe { (self.functions.async_error)(handle, &raw mut state) };
        self.functions.check(op, code, handle)?;
        self.functions.check(op, state, handle)?;
        Ok(state)
    }

    /// An error that NCCL met after calls returned, if it met one. Nothing while another thread calls for this rank.
    ///
    /// # Errors
    /// That one.
    pub fn check(&self, op: &'static str) -> Result<()> {
        let Ok(end) = self.end.try_lock() else { return Ok(()) };
        match &*end {
            Some(end) => self.state(op, end.0).map(|_| ()),
            None => Ok(()),
        }
    }

    /// End it at once; kernels that wait for other ranks end.
    pub fn abort(&self) {
        if let Some(End(handle)) = lock(&self.end).take() {
            // A failure has no one to go to: it is gone either way.
            // SAFETY: ours, not used again.
            let _ = on("abort", self.device, || unsafe { (self.functions.abort)(handle) });
        }
    }

    /// Give it back once its work is done; if `go_on` does not allow waiting that long, abort it.
    pub fn finish(&self, go_on: GoOn<'_>) {
        const OP: &str = "finalize";
        if !self.blocking {
            let flushed = {
                let end = lock(&self.end);
                self.handle(OP, &end).and_then(|handle| {
                    // SAFETY: ours, and alive.
                    let code = on(OP, self.device, || unsafe { (self.functions.finalize)(handle) })?;
                    self.functions.check(OP, code, handle)?;
                    self.settle(OP, handle, go_on)
                })
            };
            if flushed.is_err() {
                return self.abort();
            }
        }
        if let Some(End(handle)) = lock(&self.end).take() {
            // SAFETY: ours, not used again.
            let _ = on(OP, self.device, || unsafe { (self.functions.destroy)(handle) });
        }
    }

    /// Enqueue operations of ranks together, which `issue` names; `go_on` is asked while they are not. NCCL goes from device to
    /// device itself.
    ///
    /// # Errors
    /// NCCL's own; `Cancelled` if one was aborted; those of `issue` and `go_on`. What was enqueued is then unspecified: the
    /// communicators must be aborted.
    pub fn group(
        op: &'static str,
        comms: &[Self],
        go_on: GoOn<'_>,
        issue: impl FnOnce(&Issue<'_>) -> Result<()>,
    ) -> Result<()> {
        let Some(first) = comms.first() else { return Ok(()) };
        let mut parties = reserve::with_capacity(op, comms.len())?;
        for comm in comms {
            let gpu = ready(op, comm.device)?;
            let end = lock(&comm.end);
            parties.push(Party { gpu, handle: comm.handle(op, &end)?, _end: end });
        }
        let functions = first.functions;
        let enqueue = || {
            // SAFETY: takes nothing.
            functions.check(op, unsafe { (functions.group_start)() }, null_mut())?;
            let issued = issue(&Issue { op, functions, parties: &parties });
            // SAFETY: the group that was started, ended also after a failure.
            let code = unsafe { (functions.group_end)() };
            issued.and(functions.check(op, code, parties[0].handle))
        };
        // Where a device is current before and after: NCCL leaves the thread the one it found.
        match parties[0].gpu {
            Some(gpu) => gpu.among(op, parties.iter().filter_map(|party| party.gpu), enqueue)??,
            None => enqueue()?,
        }
        comms.iter().zip(&parties).try_for_each(|(comm, party)| comm.settle(op, party.handle, go_on))
    }
}

impl Drop for Comm {
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
