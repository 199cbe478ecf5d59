//! Backend-specific options by name: an open list that old clients and new backends both survive.

use crate::guard::guard_or;
use crate::handle::Table;
use crate::ptr;
use crate::types::Flag;
use icicle::{Error, Result};
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::sync::{Mutex, PoisonError};

#[derive(Clone, Copy)]
enum Value {
    Int(i32),
    Bool(bool),
}

type Options = Mutex<HashMap<String, Value>>;

static EXTENSIONS: Table<Options> = Table::new("config extension");

/// A new, empty list of options. Free it with `destroy_config_extension`.
#[unsafe(no_mangle)]
pub extern "C" fn create_config_extension() -> *mut c_void {
    guard_or("create_config_extension", std::ptr::null_mut(), || Ok(EXTENSIONS.insert(Options::default())))
}

/// Free a list of options; null is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn destroy_config_extension(ext: *mut c_void) {
    let op = "destroy_config_extension";
    guard_or(op, (), || EXTENSIONS.free(op, ext));
}

/// A copy of a list of options, to be freed like it; null if `ext` is none.
#[unsafe(no_mangle)]
pub extern "C" fn clone_config_extension(ext: *const c_void) -> *mut c_void {
    let op = "clone_config_extension";
    guard_or(op, std::ptr::null_mut(), || {
        let copy = EXTENSIONS.get(op, ext)?.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(EXTENSIONS.insert(Mutex::new(copy)))
    })
}

/// # Safety
/// The crate's contract: `key` is a C string.
unsafe fn set(op: &'static str, ext: *mut c_void, key: *const c_char, value: Value) {
    guard_or(op, (), || {
        // SAFETY: `key` ends with a zero byte, by the caller's promise.
        let key = unsafe { ptr::text(op, "key", key) }?;
        EXTENSIONS.get(op, ext)?.lock().unwrap_or_else(PoisonError::into_inner).insert(key, value);
        Ok(())
    });
}

/// # Safety
/// The crate's contract: `key` is a C string.
unsafe fn get<T: Default>(
    op: &'static str,
    ext: *const c_void,
    key: *const c_char,
    pick: fn(Value) -> Option<T>,
    want: &str,
) -> T {
    guard_or(op, T::default(), || {
        // SAFETY: `key` ends with a zero byte, by the caller's promise.
        let key = unsafe { ptr::text(op, "key", key) }?;
        let value = EXTENSIONS.get(op, ext)?.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        let found: Result<Value> = value.ok_or_else(|| Error::argument(op, format!("key {key:?}: is not set")));
        pick(found?).ok_or_else(|| Error::argument(op, format!("key {key:?}: must hold {want}")))
    })
}

/// Set an option to an integer. Nothing happens if `ext` is no list of options; `icicle_last_error` tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn config_extension_set_int(ext: *mut c_void, key: *const c_char, value: c_int) {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { set("config_extension_set_int", ext, key, Value::Int(value)) }
}

/// Set an option to a truth value. Nothing happens if `ext` is no list of options; `icicle_last_error` tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn config_extension_set_bool(ext: *mut c_void, key: *const c_char, value: Flag) {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { set("config_extension_set_bool", ext, key, Value::Bool(value != 0)) }
}

/// The integer of an option; 0 if there is none, and `icicle_last_error` tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn config_extension_get_int(ext: *const c_void, key: *const c_char) -> c_int {
    let pick = |value| match value {
        Value::Int(value) => Some(value),
        Value::Bool(_) => None,
    };
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { get("config_extension_get_int", ext, key, pick, "an integer") }
}

/// The truth value of an option; false if there is none, and `icicle_last_error` tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn config_extension_get_bool(ext: *const c_void, key: *const c_char) -> bool {
    let pick = |value| match value {
        Value::Bool(value) => Some(value),
        Value::Int(_) => None,
    };
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { get("config_extension_get_bool", ext, key, pick, "a truth value") }
}
