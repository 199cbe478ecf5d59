//! The devices: which there are, and the state each keeps for the life of the process.

pub use super::lock::lock;

use super::account::Pool;
use super::cufft::plans::Plans;
use super::driver::{self, Attribute, Failure, Handle, Outcome};
use super::fault::{self, Fault};
use super::fork;
use super::handles::{Blas, Solver};
use super::host_work::HostWork;
use super::loaded::{Compiled, Images};
use super::staging::Lanes;
use icicle_device::{Device, RawStream, limit};
use icicle_error::{Error, ErrorCode, Result};
use std::collections::BTreeMap;
use std::iter;
use std::sync::{Mutex, OnceLock};

/// What was found when CUDA was first asked for.
pub struct Platform {
    /// The process that initialised the driver; a forked child cannot use it.
    process: u32,
    /// How many forks there were then.
    forks: u32,
    /// The driver's CUDA version, such as 13000.
    pub version: i32,
    devices: Vec<OnceLock<Result<Gpu>>>,
    /// Why there are no devices, where there are none.
    pub unavailable: Option<String>,
}

/// The platform, found on first use.
pub fn platform() -> &'static Platform {
    static PLATFORM: OnceLock<Platform> = OnceLock::new();
    PLATFORM.get_or_init(|| {
        let (version, count) = match fork::watch().and_then(|()| driver::init()).and_then(|v| Ok((v, count()?))) {
            Ok(found) => found,
            Err(why) => return Platform::none(why),
        };
        let devices = (0..count).map(|_| OnceLock::new()).collect();
        Platform { version, devices, unavailable: None, ..Platform::none(String::new()) }
    })
}

fn count() -> std::result::Result<u32, String> {
    match driver::device_count() {
        Ok(0) => Err("the CUDA driver shows no device; CUDA_VISIBLE_DEVICES may hide them".into()),
        Ok(count) => Ok(count),
        Err(Failure(code)) => Err(format!("no CUDA device: cuDeviceGetCount gave {}", fault::describe(code))),
    }
}

impl Platform {
    fn none(why: String) -> Self {
        let (process, forks) = (std::process::id(), fork::count());
        Self { process, forks, version: 0, devices: Vec::new(), unavailable: Some(why) }
    }

    /// How many devices there are.
    pub fn count(&self) -> u32 {
        self.devices.len() as u32
    }

    #[inline]
    fn same_process(&self, op: &'static str) -> Result<()> {
        if fork::count() == self.forks { Ok(()) } else { Err(self.is_forked(op)) }
    }

    #[cold]
    fn is_forked(&self, op: &'static str) -> Error {
        let now = std::process::id();
        let detail = format!(
            "process {now} was forked from {}, which had initialised CUDA: start it with spawn or exec instead",
            self.process
        );
        Error::new(ErrorCode::InvalidDevice, op, detail)
    }

    /// The first device that already has a context and is not lost, else the first of all.
    pub fn any(&self) -> u32 {
        let usable =
            |slot: &OnceLock<Result<Gpu>>| slot.get().is_some_and(|g| matches!(g, Ok(gpu) if !gpu.fault.is_set()));
        self.devices.iter().position(usable).unwrap_or(0) as u32
    }
}

/// A device's state, made when the device is first used and kept for good: its context is the process's own.
pub struct Gpu {
    /// Which.
    pub device: Device,
    /// Its primary context.
    pub context: Handle,
    /// Its memory.
    pub pool: Pool,
    /// The images loaded into it.
    pub images: Images,
    /// Kernels compiled for it.
    pub compiled: Compiled,
    /// What cuBLAS keeps for it.
    pub blas: Blas,
    /// cuFFT's plans for it.
    pub plans: Plans,
    /// What cuSOLVER keeps for it.
    pub solver: Solver,
    /// What its copies from and to pageable memory go through.
    pub lanes: Lanes,
    /// What calls have the host do.
    pub host_work: HostWork,
    /// Its compute capability, major and minor.
    pub capability: [i32; 2],
    /// Multiprocessors.
    pub units: u32,
    /// Shared memory a block may ask for.
    pub shared_bytes: u32,
    /// Whether it has managed memory.
    pub managed: bool,
    /// Whether host and device may touch managed memory at the same time.
    pub concurrent_managed: bool,
    fault: Fault,
    /// Live streams of ours, and whether each is non-blocking.
    streams: Mutex<BTreeMap<RawStream, bool>>,
    /// Peers whose memory this device reaches, or why not.
    pub peers: Mutex<BTreeMap<u32, Result<()>>>,
    launched: Mutex<Option<&'static str>>,
}

/// Get the state of a device, ready to be called.
///
/// # Errors
/// As [`state`]; `SynchronizationFailed` if the device is lost.
pub fn gpu(op: &'static str, index: u32) -> Result<&'static Gpu> {
    let gpu = state(op, index)?;
    gpu.fault.check(op)?;
    Ok(gpu)
}

/// Get the state of a device, lost or not: what is handed back to a lost device is gone already.
///
/// # Errors
/// `InvalidDevice` if it does not exist, could not be opened, or this is a forked process.
pub fn state(op: &'static str, index: u32) -> Result<&'static Gpu> {
    let platform = platform();
    let Some(slot) = platform.devices.get(index as usize) else {
        let why =
            platform.unavailable.clone().unwrap_or_else(|| format!("there are {} CUDA devices", platform.count()));
        return Err(Error::new(ErrorCode::InvalidDevice, op, format!("{}: {why}", Device::cuda(index))));
    };
    platform.same_process(op)?;
    slot.get_or_init(|| Gpu::new(index)).as_ref().map_err(Clone::clone)
}

/// Puts the thread's previous context back, if it had one, so that other users of CUDA on the thread are undisturbed.
#[must_use]
pub struct Bound(Option<Handle>);

impl Drop for Bound {
    fn drop(&mut self) {
        if let Some(previous) = self.0 {
            // A failure would come up again in the next call of whoever owns it.
            let _ = driver::set_current_context(previous);
        }
    }
}

/// Make a context current, unless it or one of others is.
fn bind(context: Handle, mut others: impl Iterator<Item = Handle>) -> Outcome<Bound> {
    let current = driver::current_context()?;
    if current == context || others.any(|other| other == current) {
        return Ok(Bound(None));
    }
    driver::set_current_context(context)?;
    Ok(Bound((current != 0).then_some(current)))
}

impl Gpu {
    fn new(index: u32) -> Result<Self> {
        let device = Device::cuda(index);
        let open = || -> Outcome<Self> {
            let context = driver::primary_context(index)?;
            let _bound = bind(context, iter::empty())?;
            let number = |a| driver::attribute(index, a);
            if number(Attribute::MemoryPools)? == 0 {
                return Err(Failure(801));
            }
            Ok(Self {
                device,
                context,
                pool: Pool::new(index)?,
                images: Images::default(),
                compiled: Compiled::default(),
                blas: Blas::default(),
                plans: Plans::default(),
                solver: Solver::default(),
                lanes: Lanes::default(),
                host_work: HostWork::default(),
                capability: [number(Attribute::ComputeMajor)?, number(Attribute::ComputeMinor)?],
                units: number(Attribute::Multiprocessors)?.max(1) as u32,
                shared_bytes: number(Attribute::SharedBytesOptIn)?.max(0) as u32,
                managed: number(Attribute::ManagedMemory)? != 0,
                concurrent_managed: number(Attribute::ConcurrentManagedAccess)? != 0,
                fault: Fault::none(device),
                streams: Mutex::default(),
                peers: Mutex::default(),
                launched: Mutex::default(),
            })
        };
        let detail = format!("{device} could not be opened");
        let gpu = open().map_err(|failure| fault::error("device", ErrorCode::InvalidDevice, failure, &detail))?;
        if let Some(text) = limit::from_environment() {
            let (_, total) = gpu.with("device", ErrorCode::Internal, driver::memory_info)?;
            gpu.pool.set_limit(Some(limit::parse(&text, Some(total))?));
        }
        Ok(gpu)
    }

    /// Run driver calls in this device's context. The first argument of the error is what `op` fails with where the
    /// driver's result says nothing better.
    ///
    /// # Errors
    /// The failure of `calls` as an error, remembered if the device is lost to it.
    pub fn with<T>(&self, op: &'static str, otherwise: ErrorCode, calls: impl FnOnce() -> Outcome<T>) -> Result<T> {
        self.with_detail(op, otherwise, String::new, calls)
    }

    /// As [`Gpu::with`], with the argument and value at fault in the text.
    ///
    /// # Errors
    /// As [`Gpu::with`].
    pub fn with_detail<T>(
        &self,
        op: &'static str,
        otherwise: ErrorCode,
        detail: impl FnOnce() -> String,
        calls: impl FnOnce() -> Outcome<T>,
    ) -> Result<T> {
        self.calls(calls).map_err(|failure| self.failed(op, otherwise, failure, &detail()))
    }

    /// Run driver calls in this device's context.
    ///
    /// # Errors
    /// The driver's own.
    pub fn calls<T>(&self, calls: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        bind(self.context, iter::empty()).and_then(|_bound| calls())
    }

    /// Run calls that go from device to device themselves: in this device's context, unless one of the others' is current.
    ///
    /// # Errors
    /// The driver's.
    pub fn among<'a, T>(
        &self,
        op: &'static str,
        others: impl Iterator<Item = &'a Self>,
        calls: impl FnOnce() -> T,
    ) -> Result<T> {
        let bound = bind(self.context, others.map(|other| other.context));
        bound.map(|_bound| calls()).map_err(|failure| self.failed(op, ErrorCode::Internal, failure, ""))
    }

    /// A failure as an error, remembered if the device is lost to it.
    pub fn failed(&self, op: &'static str, otherwise: ErrorCode, failure: Failure, detail: &str) -> Error {
        self.fault.note(op, otherwise, failure, detail, *lock(&self.launched))
    }

    /// Check that it may still be called, as [`gpu`] does.
    ///
    /// # Errors
    /// As [`gpu`].
    pub fn check(&self, op: &'static str) -> Result<()> {
        platform().same_process(op)?;
        self.fault.check(op)
    }

    /// Whether the device is lost to a fault.
    pub fn is_lost(&self) -> bool {
        self.fault.is_set()
    }

    /// Remember the kernel last launched, for the text of a fault.
    pub fn note_launch(&self, kernel: &'static str) {
        *lock(&self.launched) = Some(kernel);
    }

    /// Remember a stream.
    pub fn stream_add(&self, stream: RawStream, non_blocking: bool) {
        lock(&self.streams).insert(stream, non_blocking);
    }

    /// Forget a stream and destroy it; `None` if it is not one of ours.
    pub fn stream_remove(&self, stream: RawStream, destroy: impl FnOnce() -> Outcome<()>) -> Option<Outcome<()>> {
        // Under the lock, so that nobody orders work with a stream that is gone.
        let mut streams = lock(&self.streams);
        streams.remove(&stream).map(|_| destroy())
    }

    /// Whether a stream is the default one or one of ours.
    pub fn stream_known(&self, stream: RawStream) -> bool {
        stream == 0 || lock(&self.streams).contains_key(&stream)
    }

    /// Do something with each live stream that does not order itself with the default stream.
    ///
    /// # Errors
    /// The first failure.
    pub fn each_non_blocking(&self, act: impl Fn(RawStream) -> Outcome<()>) -> Outcome<()> {
        let streams = lock(&self.streams);
        streams.iter().filter(|(_, non_blocking)| **non_blocking).try_for_each(|(&stream, _)| act(stream))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_devices_every_call_says_why() {
        let platform = platform();
        if platform.count() > 0 {
            return;
        }
        let why = platform.unavailable.clone().unwrap();
        assert!(!why.is_empty());
        let error = gpu("malloc", 0).err().unwrap();
        assert_eq!((error.code, error.op), (ErrorCode::InvalidDevice, "malloc"));
        assert_eq!(error.detail, format!("cuda:0: {why}"));
        assert_eq!(platform.any(), 0);
    }

    #[test]
    fn a_forked_process_is_told() {
        let child = Platform { process: 1, forks: fork::count().wrapping_sub(1), ..Platform::none(String::new()) };
        let error = child.same_process("malloc").unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidDevice);
        assert!(error.detail.contains("was forked from 1, which had initialised CUDA"), "{error}");
        Platform::none(String::new()).same_process("malloc").unwrap();
    }
}
