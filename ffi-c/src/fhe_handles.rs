//! Handles of encrypted integers and their keys.

use crate::code::Code;
use crate::guard::guard;
use crate::handle::Table;
use crate::ptr;
use icicle::fhe::dynamic::FheArray;
use icicle::fhe::{ClientKey, CurrentKey, ServerKey};
use icicle::{Error, Result};
use std::ffi::c_void;
use std::sync::Arc;

pub(crate) static CLIENTS: Table<ClientKey> = Table::new("client key");
pub(crate) static SERVERS: Table<CurrentKey> = Table::new("server key");
pub(crate) static ARRAYS: Table<FheArray> = Table::new("encrypted array");

/// The encrypted array of a handle, which the call has under this name.
pub(crate) fn operand(op: &'static str, arg: &str, handle: *const c_void) -> Result<Arc<FheArray>> {
    ARRAYS.get(op, handle).map_err(|error| Error { detail: format!("{arg}: {}", error.detail), ..error })
}

/// Hand an array out.
pub(crate) fn hand_out(array: FheArray) -> *mut c_void {
    ARRAYS.insert(array)
}

/// The server key of a handle, if it is of one device.
pub(crate) fn server_key(op: &'static str, key: *const c_void) -> Result<Arc<ServerKey>> {
    match &*SERVERS.get(op, key)? {
        CurrentKey::Server(key) => Ok(Arc::clone(key)),
        CurrentKey::Set(_) => Err(Error::argument(op, "key is of a group, must be of one device")),
    }
}

/// Run what makes an array, and hand it out.
///
/// # Safety
/// If not null and aligned, `made` is valid for a write.
pub(crate) unsafe fn make(op: &'static str, made: *mut *mut c_void, body: impl FnOnce() -> Result<FheArray>) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { make_in(&ARRAYS, op, made, body) }
}

/// Run what makes an object of a table, and hand it out.
///
/// # Safety
/// If not null and aligned, `made` is valid for a write.
pub(crate) unsafe fn make_in<T>(
    table: &Table<T>,
    op: &'static str,
    made: *mut *mut c_void,
    body: impl FnOnce() -> Result<T>,
) -> Code {
    guard(op, || {
        ptr::check_typed(op, "made", made)?;
        let object = body()?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        unsafe { ptr::write(op, "made", made, table.insert(object)) }
    })
}
