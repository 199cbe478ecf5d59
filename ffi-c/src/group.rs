//! Groups of devices, and independent jobs over them.
//!
//! A group has a thread a device, with the device current. It is made with [`icicle_group_create`], used by any number of
//! threads at once, and destroyed with [`icicle_group_destroy`], which waits for its jobs. Calls over a group are complete
//! on return. An error of one device names it in its message.

use crate::code::Code;
use crate::flag::Flag;
use crate::guard::guard;
use crate::handle::Table;
use crate::ptr::{self, Plain};
use crate::stream;
use crate::types::{self, IcicleDevice};
use icicle::device::{Cancel, Lane, MapOptions, link, link_speed};
use icicle::{DeviceGroup, Error, ErrorCode, Result};
use std::ffi::c_void;

static GROUPS: Table<DeviceGroup> = Table::new("group");

/// The group of a handle.
pub(crate) fn by_handle(op: &'static str, group: *mut c_void) -> Result<std::sync::Arc<DeviceGroup>> {
    GROUPS.get(op, group)
}

/// Make a group of `count` devices, of any kinds, and start a thread for each. Destroy it with `icicle_group_destroy`.
///
/// `shares`, if not null, has `count` numbers: each device's part of the work, in proportion. One operation is then split
/// so among all devices, also where fewer would be faster, and a device of share 0 gets none of it. With null the library
/// divides by speed, and leaves out devices that would make a call slower: of virtual CPU devices, which have the same
/// cores, all but one.
///
/// Errors: `INVALID_ARGUMENT` if `count` is below 1, a device is named twice, or a share is negative, not finite, or all are
/// zero; `INVALID_DEVICE` for an unknown type or an id that does not exist; `INVALID_POINTER` if `devices` or `group` is null
/// or misaligned; `UNKNOWN_ERROR` if the system refuses a thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_group_create(
    devices: *const IcicleDevice,
    count: i32,
    shares: *const f64,
    group: *mut *mut c_void,
) -> Code {
    let op = "group_create";
    guard(op, || {
        ptr::check_typed(op, "group", group)?;
        let count = types::at_least(op, "count", count, 1)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let devices = unsafe { ptr::read_many(op, "devices", devices, count) }?;
        let devices = devices.into_iter().map(|device| device.to_core(op)).collect::<Result<Vec<_>>>()?;
        let mut made = DeviceGroup::new(&devices)?;
        if !shares.is_null() {
            // SAFETY: what is asked of these pointers is what this function asks of its caller.
            made = made.with_shares(&unsafe { ptr::read_many(op, "shares", shares, count) }?)?;
        }
        // SAFETY: `group` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "group", group, GROUPS.insert(made)) }
    })
}

/// Make a group of every GPU of the machine, or where there is none of every CPU device; otherwise as
/// `icicle_group_create` without shares.
///
/// Errors: `INVALID_POINTER` if `group` is null or misaligned, `UNKNOWN_ERROR` if the system refuses a thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_group_create_all(group: *mut *mut c_void) -> Code {
    let op = "group_create_all";
    guard(op, || {
        ptr::check_typed(op, "group", group)?;
        let made = GROUPS.insert(DeviceGroup::all()?);
        // SAFETY: `group` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "group", group, made) }
    })
}

/// Destroy a group once its jobs are done, and end its threads; null is ignored. Calls of other threads that use it
/// meanwhile are done first.
///
/// Errors: `INVALID_POINTER` for a handle that is no group.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_group_destroy(group: *mut c_void) -> Code {
    let op = "group_destroy";
    guard(op, || GROUPS.free(op, group))
}

/// Number of a group's devices.
///
/// Errors: `INVALID_POINTER` if `group` is no live group or `count` is null or misaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_group_size(group: *mut c_void, count: *mut i32) -> Code {
    let op = "group_size";
    guard(op, || {
        let size = by_handle(op, group)?.devices().len();
        // SAFETY: `count` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "count", count, size as i32) }
    })
}

/// The device at a position of a group, from 0, and its part of the work, as a number in proportion to the others'.
///
/// Errors: `INVALID_POINTER` if `group` is no live group, or `device` or `share` null or misaligned; `INVALID_ARGUMENT` if
/// there is no such position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_group_device(
    group: *mut c_void,
    position: i32,
    device: *mut IcicleDevice,
    share: *mut f64,
) -> Code {
    let op = "group_device";
    guard(op, || {
        ptr::check_typed(op, "device", device)?;
        ptr::check_typed(op, "share", share)?;
        let (group, position) = (by_handle(op, group)?, types::at_least(op, "position", position, 0)?);
        let found = IcicleDevice::from_core(group.device(position)?);
        // SAFETY: `device` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "device", device, found) }?;
        // SAFETY: `share` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "share", share, group.shares()[position]) }
    })
}

/// How copies go from one device to another: `kind` 0 within the same memory, 1 directly (NVLink, PCIe), 2 over the host's
/// memory; and, unless `bytes_per_second` is null, how fast, measured at the first such call in the process (five copies of
/// 64 MiB, of which the fastest counts).
///
/// Errors: `INVALID_DEVICE` for an unknown type or an id that does not exist; `INVALID_POINTER` if `from`, `to` or `kind` is
/// null or misaligned; `OUT_OF_MEMORY` and `COPY_FAILED` of the measurement.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_device_link(
    from: *const IcicleDevice,
    to: *const IcicleDevice,
    kind: *mut i32,
    bytes_per_second: *mut f64,
) -> Code {
    let op = "device_link";
    guard(op, || {
        ptr::check_typed(op, "kind", kind)?;
        // SAFETY: `from` can be read unless it is null, by the caller's promise.
        let from = unsafe { ptr::read(op, "from", from) }?.to_core(op)?;
        // SAFETY: `to` can be read unless it is null, by the caller's promise.
        let to = unsafe { ptr::read(op, "to", to) }?.to_core(op)?;
        let found = link(from, to)? as i32;
        if !bytes_per_second.is_null() {
            // SAFETY: `bytes_per_second` has room for what is written, by the caller's promise.
            unsafe { ptr::write(op, "bytes_per_second", bytes_per_second, link_speed(from, to)?) }?;
        }
        // SAFETY: `kind` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "kind", kind, found) }
    })
}

/// Where a job of `icicle_group_map` runs.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GroupJob {
    /// Bytes of this struct.
    pub struct_size: usize,
    /// Which job, from 0.
    pub job: i64,
    /// The position of the device in the group.
    pub position: i32,
    /// The device, which is current.
    pub device: IcicleDevice,
    /// A stream of the job's own among those under way on the device, for its work; null on the CPU. It is synchronized
    /// after the job returned, before the job counts as done.
    pub stream: *mut c_void,
}

/// Options of `icicle_group_map`. Begin with `icicle_group_map_config_default`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GroupMapConfig {
    /// `sizeof` this struct, as `icicle_group_map_config_default` sets it.
    pub struct_size: usize,
    /// Jobs under way on a device at once, each with a stream of its own, at least 1: jobs that enqueue asynchronous work
    /// overlap.
    pub streams: i32,
    /// Called after each job with the jobs done and all, one call at a time, from the threads that jobs run on, unless null.
    /// Returning false starts no more jobs: those left end with `CANCELLED`.
    pub progress: Option<unsafe extern "C" fn(context: *mut c_void, done: i64, total: i64) -> Flag>,
    /// Passed to `progress`.
    pub progress_context: *mut c_void,
}

// SAFETY: numbers and pointers; a function pointer that is not one is the caller's breach.
unsafe impl Plain for GroupMapConfig {}
ptr::versioned! { GroupMapConfig }

impl Default for GroupMapConfig {
    fn default() -> Self {
        Self { struct_size: size_of::<Self>(), streams: 1, progress: None, progress_context: std::ptr::null_mut() }
    }
}

/// Default options: one job at a time on each device, no calls of progress.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_group_map_config_default() -> GroupMapConfig {
    GroupMapConfig::default()
}

/// A caller's pointer, which its functions share among threads.
#[derive(Clone, Copy)]
struct Context(*mut c_void);

// SAFETY: the caller's promise: its functions may be called from the group's threads.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

/// Run `jobs` independent jobs, each on the device that is free, and wait for all: `job(context, place)` returns 0, or an
/// error code of its own. `results`, unless null, gets `jobs` codes, in the jobs' order.
///
/// `job` is called from the group's threads, or the caller's in place of one, of different devices at once, with the device current; it
/// must not unwind. A
/// device takes a job only if it would end it before the others had done all that are left, so that a slow device beside a
/// fast one keeps nobody waiting. Jobs that fail do not keep others from running.
///
/// Asynchrony: complete on return, with the work that jobs enqueued on their streams.
/// Errors: the first failed job's, whose number and device the message names; `CANCELLED` for jobs not started.
/// `INVALID_POINTER` if `group` is no live group, or `job`, `config` or `results` null where it may not be or misaligned;
/// `INVALID_ARGUMENT` if `jobs` is negative, `streams` below 1, or for a `struct_size` that is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_group_map(
    group: *mut c_void,
    jobs: i64,
    job: Option<unsafe extern "C" fn(context: *mut c_void, place: *const GroupJob) -> i32>,
    context: *mut c_void,
    config: *const GroupMapConfig,
    results: *mut i32,
) -> Code {
    let op = "group_map";
    guard(op, || {
        let group = by_handle(op, group)?;
        let jobs = types::count(op, "jobs", jobs)?;
        let job = job.ok_or_else(|| Error::pointer(op, "job is null"))?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let config = unsafe { ptr::read_sized(op, "config", config, GroupMapConfig::default()) }?;
        if jobs > 0 && !results.is_null() {
            ptr::check_typed(op, "results", results)?;
        }
        let streams = types::at_least(op, "streams", config.streams, 1)?;
        let (context, told, cancel) = (Context(context), Context(config.progress_context), Cancel::default());
        let progress = |done: usize, total: usize| {
            let told: Context = told;
            // SAFETY: what is asked of these pointers is what this function asks of its caller.
            let go_on = config.progress.is_none_or(|call| unsafe { call(told.0, done as i64, total as i64) } != 0);
            if !go_on {
                cancel.cancel();
            }
        };
        let run = |_: &mut (), lane: &Lane, number: usize| {
            let context: Context = context;
            let kept = stream::lend(lane.stream());
            let place = GroupJob {
                struct_size: size_of::<GroupJob>(),
                job: number as i64,
                position: lane.position as i32,
                device: IcicleDevice::from_core(lane.device),
                stream: kept.handle(),
            };
            // SAFETY: what is asked of these pointers is what this function asks of its caller.
            match unsafe { job(context.0, &raw const place) } {
                0 => Ok(()),
                code => {
                    let kind = ErrorCode::ALL.iter().copied().find(|&kind| kind as i32 == code);
                    Err(Error::new(kind.unwrap_or(ErrorCode::Internal), op, format!("job {number} returned {code}")))
                }
            }
        };
        let options = MapOptions { streams, progress: Some(&progress), cancel: Some(&cancel) };
        let answers = group.map_with(options, |_| Ok(()), 0..jobs, run)?;
        if !results.is_null() {
            for (i, answer) in answers.iter().enumerate() {
                let code = answer.as_ref().map_or_else(|error| error.code as i32, |()| 0);
                // SAFETY: as above: `jobs` numbers.
                unsafe { ptr::write(op, "results", results.wrapping_add(i), code) }?;
            }
        }
        answers.into_iter().collect()
    })
}
