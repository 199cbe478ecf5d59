//! Communicators: one rank's end of a group of ranks, each with a device, in one process or in several.
//!
//! Every rank calls the same operations in the same order, from a thread or process of its own, or one thread calls for
//! several ranks by `icicle_comm_group`. A communicator is used by any number of threads, one call at a time. Once a call
//! failed for what another rank did or did not do, each later call returns the first error at once: make a new one. Calls
//! that are refused for their arguments send nothing and harm nothing.

use crate::array::place;
use crate::code::Code;
use crate::comm_types::{CommConfig, CommId, CommInfo};
use crate::group;
use crate::guard::guard;
use crate::handle::Table;
use crate::ptr;
use crate::types::{self, IcicleDevice};
use icicle::comm::{Communicator, UniqueId};
use icicle::{Error, Result};
use std::ffi::{c_char, c_void};
use std::net::ToSocketAddrs;
use std::sync::{Arc, Mutex, PoisonError};

static COMMUNICATORS: Table<Communicator> = Table::new("communicator");

/// Ids that listen until they are used or released.
static IDS: Mutex<Vec<UniqueId>> = Mutex::new(Vec::new());

/// The communicator of a handle.
pub(crate) fn by_handle(op: &'static str, comm: *mut c_void) -> Result<Arc<Communicator>> {
    COMMUNICATORS.get(op, comm)
}

/// Take an id out of those that listen.
fn forget(bytes: &[u8; 128]) -> Option<UniqueId> {
    let mut ids = IDS.lock().unwrap_or_else(PoisonError::into_inner);
    let at = ids.iter().position(|id| id.to_bytes() == *bytes)?;
    Some(ids.swap_remove(at))
}

/// Options, by default all of the defaults.
///
/// # Safety
/// The crate's contract.
unsafe fn options(op: &'static str, config: *const CommConfig) -> Result<icicle::comm::Options> {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { ptr::read_sized(op, "config", config, CommConfig::default()) }?.to_core(op)
}

/// Default options: 300 seconds; checks if the environment has `ICICLE_COMM_CHECK=1`.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_comm_config_default() -> CommConfig {
    CommConfig::default()
}

/// A new id, for one communicator of several processes. Copy it to the other ranks; this process is to be rank 0, and
/// listens until `icicle_comm_init_rank` or `icicle_comm_id_release`.
///
/// `address`, unless null, is where: a host and a port such as `10.0.0.1:0`, which the other ranks' hosts reach, port 0 for
/// one that the system chooses. With null it is the loopback interface, for ranks of this host. What ranks send is neither
/// secret nor protected from change on its way.
///
/// Errors: `INVALID_POINTER` if `id` is null; `INVALID_ARGUMENT` if it cannot listen at the address, or that is no
/// address; `UNKNOWN_ERROR` if the system gives no port or no entropy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_id_create(address: *const c_char, id: *mut CommId) -> Code {
    let op = "unique_id";
    guard(op, || {
        ptr::check_typed(op, "id", id)?;
        let made = match address.is_null() {
            true => UniqueId::new()?,
            false => {
                // SAFETY: `address` ends with 0, by the caller's promise.
                let text = unsafe { ptr::text(op, "address", address) }?;
                let wrong = |why: String| Error::argument(op, format!("address {text:?}: {why}"));
                let mut found = text.to_socket_addrs().map_err(|error| wrong(error.to_string()))?;
                UniqueId::at(found.next().ok_or_else(|| wrong("has no address".to_owned()))?)?
            }
        };
        let bytes = made.to_bytes();
        IDS.lock().unwrap_or_else(PoisonError::into_inner).push(made);
        // SAFETY: `id` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "id", id, CommId { bytes }) }
    })
}

/// No longer listen for ranks of an id that is not used after all.
///
/// Errors: `INVALID_POINTER` if `id` is null; `INVALID_ARGUMENT` if it was not made in this process, or is used or released
/// already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_id_release(id: *const CommId) -> Code {
    let op = "id_release";
    guard(op, || {
        // SAFETY: `id` can be read unless it is null, by the caller's promise.
        let id = unsafe { ptr::read(op, "id", id) }?;
        let rule = "id: was not made in this process, or was used or released already";
        forget(&id.bytes).map(drop).ok_or_else(|| Error::argument(op, rule))
    })
}

/// Hand out communicators.
///
/// # Safety
/// `comms` has room for as many handles.
unsafe fn hand_out(op: &'static str, comms: *mut *mut c_void, made: Vec<Communicator>) -> Result<()> {
    for (i, made) in made.into_iter().enumerate() {
        // SAFETY: there is room, by the caller's promise.
        unsafe { ptr::write(op, "comms", comms.wrapping_add(i), COMMUNICATORS.insert(made)) }?;
    }
    Ok(())
}

/// Communicators of one process, one rank for each of `count` devices, in their order; `comms` gets as many handles. A
/// device may be named more than once. Destroy each with `icicle_comm_destroy`.
///
/// Asynchrony: complete on return.
/// Errors: `INVALID_ARGUMENT` if `count` is not 1 to 1024, or an option breaks a rule; `INVALID_POINTER` if a pointer is null
/// or misaligned; `INVALID_DEVICE`; `API_NOT_IMPLEMENTED` for devices without collectives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_init_all(
    devices: *const IcicleDevice,
    count: i32,
    config: *const CommConfig,
    comms: *mut *mut c_void,
) -> Code {
    let op = "init_all";
    guard(op, || {
        ptr::check_typed(op, "comms", comms)?;
        let count = types::at_least(op, "count", count, 1)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let (options, devices) = unsafe { (options(op, config)?, ptr::read_many(op, "devices", devices, count)?) };
        let devices = devices.into_iter().map(|device| device.to_core(op)).collect::<Result<Vec<_>>>()?;
        // SAFETY: `comms` has room for `count` handles, by the caller's promise.
        unsafe { hand_out(op, comms, Communicator::init_all_with(&devices, &options)?) }
    })
}

/// As `icicle_comm_init_all`, one rank for each device of a group, in its order: `comms` gets as many handles as
/// `icicle_group_size` says. `icicle_comm_run_sharded` does collectives over the group's sharded vectors.
///
/// Asynchrony: complete on return.
/// Errors: as `icicle_comm_init_all`; `INVALID_POINTER` also if `group` is no live group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_init_group(
    group: *mut c_void,
    config: *const CommConfig,
    comms: *mut *mut c_void,
) -> Code {
    let op = "init_group";
    guard(op, || {
        ptr::check_typed(op, "comms", comms)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let options = unsafe { options(op, config) }?;
        let made = Communicator::init_group(&*group::by_handle(op, group)?, &options)?;
        // SAFETY: `comms` has room for a handle of each device, by the caller's promise.
        unsafe { hand_out(op, comms, made) }
    })
}

/// The communicator of rank `rank` of `size`, each perhaps in a process of its own, on `device`, or where that is null the
/// thread's current device. Rank 0 is in the process that made the id. Destroy it with `icicle_comm_destroy`.
///
/// Asynchrony: complete on return, once all ranks came.
/// Errors: `INVALID_ARGUMENT` if the rank is not below the size, that not 1 to 1024, an option breaks a rule, or the id is
/// none or used already; `INVALID_POINTER` if a pointer is null where it may not be or misaligned; `INVALID_DEVICE`;
/// `API_NOT_IMPLEMENTED` for devices without collectives; `TIMEOUT`, which names the ranks that did not come;
/// `REMOTE_ERROR` if another rank failed, or refused this one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_init_rank(
    id: *const CommId,
    size: i32,
    rank: i32,
    device: *const IcicleDevice,
    config: *const CommConfig,
    comm: *mut *mut c_void,
) -> Code {
    let op = "init_rank";
    guard(op, || {
        ptr::check_typed(op, "comm", comm)?;
        let (size, rank) = (types::at_least(op, "size", size, 1)?, types::at_least(op, "rank", rank, 0)?);
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let (id, device, options) = unsafe { (ptr::read(op, "id", id)?, place(op, device)?, options(op, config)?) };
        let known = UniqueId::from_bytes(&id.bytes)?;
        let made = Communicator::init_rank(&known, size, rank, device, &options);
        if rank == 0 && known.is_used() {
            forget(&id.bytes);
        }
        // SAFETY: `comm` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "comm", comm, COMMUNICATORS.insert(made?)) }
    })
}

/// The communicator of the rank that a launcher made this process: `RANK` of `WORLD_SIZE`, rank 0 listening at
/// `MASTER_ADDR` and `MASTER_PORT`, as torchrun sets them. Where torchrun's own store has that port it is the next one;
/// `ICICLE_COMM_PORT` chooses another. There is no secret but what `ICICLE_COMM_SECRET` says, the same for all ranks.
/// Otherwise as `icicle_comm_init_rank`.
///
/// Asynchrony: complete on return, once all ranks came.
/// Errors: as `icicle_comm_init_rank`; `INVALID_ARGUMENT` also if a variable is missing or no number, or rank 0 cannot
/// listen there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_from_env(
    device: *const IcicleDevice,
    config: *const CommConfig,
    comm: *mut *mut c_void,
) -> Code {
    let op = "from_env";
    guard(op, || {
        ptr::check_typed(op, "comm", comm)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let (device, options) = unsafe { (place(op, device)?, options(op, config)?) };
        let made = Communicator::from_env(device, &options)?;
        // SAFETY: `comm` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "comm", comm, COMMUNICATORS.insert(made)) }
    })
}

/// Divide the ranks: those of one color make a communicator, in which they are ordered by key, and by their rank where keys
/// are equal. All ranks call it; this communicator stays as it is. A rank with a negative color gets null. Destroy the new
/// one with `icicle_comm_destroy`.
///
/// Errors: `INVALID_POINTER` if `comm` is no live communicator or `made` null or misaligned; `OUT_OF_MEMORY`; `TIMEOUT`;
/// `REMOTE_ERROR`; `CANCELLED` if the communicator is aborted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_split(comm: *mut c_void, color: i32, key: i32, made: *mut *mut c_void) -> Code {
    let op = "split";
    guard(op, || {
        ptr::check_typed(op, "made", made)?;
        let part = by_handle(op, comm)?.split(u32::try_from(color).ok(), key)?;
        let handle = part.map_or(std::ptr::null_mut(), |part| COMMUNICATORS.insert(part));
        // SAFETY: `made` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "made", made, handle) }
    })
}

/// What a communicator is. Set `info->struct_size`.
///
/// Errors: `INVALID_POINTER` if `comm` is no live communicator, or `info` null or misaligned; `INVALID_ARGUMENT` for a
/// `struct_size` below the struct's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_info(comm: *mut c_void, info: *mut CommInfo) -> Code {
    let op = "comm_info";
    guard(op, || {
        let comm = by_handle(op, comm)?;
        let value = CommInfo {
            struct_size: size_of::<CommInfo>(),
            rank: comm.rank() as i32,
            size: comm.size() as i32,
            device: IcicleDevice::from_core(comm.device()),
        };
        // SAFETY: `info` has room for what is written, by the caller's promise.
        unsafe { ptr::write_sized(op, "info", info, value) }
    })
}

/// What carries a communicator's calls, for humans: `host memory`, `TCP`, `copies between devices`, or `NCCL` and its version;
/// cut to fit `bytes`, its terminating 0 included. 64 are enough.
///
/// Errors: `INVALID_POINTER` if `comm` is no live communicator or `buffer` null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_carrier(comm: *mut c_void, buffer: *mut c_char, bytes: usize) -> Code {
    let op = "comm_carrier";
    guard(op, || {
        let carrier = by_handle(op, comm)?.carrier();
        // SAFETY: `buffer` is valid for writes of `bytes`, by the caller's promise.
        unsafe { ptr::write_text(op, "buffer", buffer, bytes, &carrier) }.map(drop)
    })
}

/// The error that ended communication, if one did, such as one that a call of another thread met: `*failure` is its code, or
/// `SUCCESS`, and `buffer` gets its text, cut to fit `bytes`; it may be null if they are 0.
///
/// Errors: `INVALID_POINTER` if `comm` is no live communicator, `failure` null or misaligned, or `buffer` null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_comm_failure(
    comm: *mut c_void,
    failure: *mut Code,
    buffer: *mut c_char,
    bytes: usize,
) -> Code {
    let op = "comm_failure";
    guard(op, || {
        ptr::check_typed(op, "failure", failure)?;
        let found = by_handle(op, comm)?.failure();
        let text = found.as_ref().map_or(String::new(), Error::to_string);
        // SAFETY: `buffer` is valid for writes of `bytes`, by the caller's promise.
        unsafe { ptr::write_text(op, "buffer", buffer, bytes, &text) }?;
        let code = found.map_or(Code::Success, |error| Code::from(error.code));
        // SAFETY: `failure` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "failure", failure, code) }
    })
}

/// End communication: calls of this rank that wait, in any thread, fail with `CANCELLED`, and so do later ones; the other
/// ranks fail with `REMOTE_ERROR` as they notice, those of one process with `CANCELLED`. The communicator is still to be
/// destroyed.
///
/// Errors: `INVALID_POINTER` if `comm` is no live communicator.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_comm_abort(comm: *mut c_void) -> Code {
    let op = "comm_abort";
    guard(op, || by_handle(op, comm).map(|comm| comm.abort()))
}

/// Wait for all ranks to finalize, and destroy the communicator, also where that fails.
///
/// Errors: `INVALID_POINTER` if `comm` is no live communicator; `TIMEOUT`; `REMOTE_ERROR`; `CANCELLED` if it is aborted.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_comm_finalize(comm: *mut c_void) -> Code {
    let op = "finalize";
    guard(op, || COMMUNICATORS.remove(op, comm)?.barrier())
}

/// Leave, without waiting for the others: those that wait for this rank fail with `REMOTE_ERROR`. Calls of other threads that
/// use the communicator are done first; `icicle_comm_abort` ends those. Null is ignored.
///
/// Errors: `INVALID_POINTER` for a handle that is no communicator.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_comm_destroy(comm: *mut c_void) -> Code {
    let op = "comm_destroy";
    guard(op, || COMMUNICATORS.free(op, comm))
}
