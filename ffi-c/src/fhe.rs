//! Encrypted integers: keys, encryption, decryption, the key a thread computes with.
//!
//! A client key encrypts and decrypts, a server key computes. Keys and arrays are handles; arrays are values that no call
//! changes, so any number of threads may use them at once. Each is freed on its own; a thread keeps the server key that it
//! was given, also when the handle is freed.

use crate::code::Code;
use crate::fhe_handles::{ARRAYS, CLIENTS, SERVERS, make, make_in, operand, server_key};
use crate::fhe_types::{self as types, decode};
use crate::group;
use crate::guard::guard;
use crate::ptr;
use crate::types::IcicleDevice;
use icicle::Error;
use icicle::fhe::dynamic;
use icicle::fhe::{self, ClientKey, CurrentKey, KeySet, MESSAGE_2_CARRY_2};
use std::ffi::c_void;

/// Draw a client key of the parameters `MESSAGE_2_CARRY_2`, of the operating system's random numbers. It encrypts and
/// decrypts, stays in the host's memory, and is wiped when it is freed, with `icicle_fhe_client_key_free`.
///
/// Errors: `INVALID_POINTER` if `made` is null or misaligned; `OUT_OF_MEMORY`; `UNKNOWN_ERROR` where the system gives no
/// random numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_client_key_generate(made: *mut *mut c_void) -> Code {
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make_in(&CLIENTS, "fhe_client_key", made, || ClientKey::generate(&MESSAGE_2_CARRY_2)) }
}

/// Free a client key, and wipe it once no other thread uses it; null is ignored.
///
/// Errors: `INVALID_POINTER` for a handle that is no client key.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_fhe_client_key_free(key: *mut c_void) -> Code {
    let op = "fhe_client_key_free";
    guard(op, || CLIENTS.free(op, key))
}

/// Make the key to compute with on a device, by default the thread's current one: seconds of work, 120 MB. It reads nothing.
/// Free it with `icicle_fhe_server_key_free`.
///
/// Errors: `INVALID_POINTER` if `client` is no live client key, or `made` null or misaligned; `API_NOT_IMPLEMENTED` for a
/// GPU that has too little shared memory; `INVALID_DEVICE`; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_server_key_generate(
    client: *mut c_void,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let op = "fhe_server_key";
    let body = || {
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let device = unsafe { crate::array::place(op, device) }?;
        CLIENTS.get(op, client)?.server_key(device).map(CurrentKey::from)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make_in(&SERVERS, op, made, body) }
}

/// A server key that divides arrays among the devices of a group, made from that of one: a CPU's key serves all
/// CPU devices, and each GPU gets a copy in its memory, 90 MB. Results decrypt to those of one device; each part stays where it was
/// computed. It keeps the group and the key alive. Free it with `icicle_fhe_server_key_free`.
///
/// Errors: `INVALID_POINTER` if `key` is no live server key of one device, `group` no live group, or `made` null or
/// misaligned; `INVALID_ARGUMENT` if `key` is one of a group; `API_NOT_IMPLEMENTED` for a GPU's key in a group with a
/// CPU, or a GPU that has too little shared memory; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_key_set_create(
    key: *mut c_void,
    group: *mut c_void,
    made: *mut *mut c_void,
) -> Code {
    let op = "fhe_key_set";
    let body = || {
        let key = server_key(op, key)?;
        KeySet::new(group::by_handle(op, group)?, key).map(CurrentKey::from)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make_in(&SERVERS, op, made, body) }
}

/// Free a server key, of one device or of a group; null is ignored. Threads that have it keep it until they are given
/// another.
///
/// Errors: `INVALID_POINTER` for a handle that is no server key.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_fhe_server_key_free(key: *mut c_void) -> Code {
    let op = "fhe_server_key_free";
    guard(op, || SERVERS.free(op, key))
}

/// Make a server key the calling thread's, for the operations it calls, or with null none. Each thread has its own.
///
/// Errors: `INVALID_POINTER` if `key` is neither null nor a live server key.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_fhe_set_server_key(key: *mut c_void) -> Code {
    let op = "fhe_set_server_key";
    guard(op, || {
        match key.is_null() {
            true => fhe::unset_server_key(),
            false => fhe::set_server_key((*SERVERS.get(op, key)?).clone()),
        }
        Ok(())
    })
}

/// A handle of the calling thread's server key, null if it has none. It names the key beside that it was set by; free it
/// with `icicle_fhe_server_key_free`.
///
/// Errors: `INVALID_POINTER` if `key` is null or misaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_server_key(key: *mut *mut c_void) -> Code {
    let op = "fhe_server_key";
    guard(op, || {
        ptr::check_typed(op, "key", key)?;
        let handle = fhe::server_key().map_or(std::ptr::null_mut(), |key| SERVERS.insert(key));
        // SAFETY: `key` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "key", key, handle) }
    })
}

/// Encrypt `n` elements of a type, an `icicle_fhe_type_t`: bytes that are 0 or another number for truth values, else
/// unsigned integers of the type's width, aligned to it. Free the array with `icicle_fhe_array_free`.
///
/// Errors: `INVALID_ARGUMENT` if `kind` is none; `INVALID_POINTER` if `client` is no live client key, `made` null or
/// misaligned, or `values` null or misaligned and `n` not 0; `OUT_OF_MEMORY`; `UNKNOWN_ERROR` where the system gives no
/// random numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_encrypt(
    client: *mut c_void,
    kind: i32,
    values: *const c_void,
    n: usize,
    made: *mut *mut c_void,
) -> Code {
    let op = "fhe_encrypt";
    let body = || {
        let client = CLIENTS.get(op, client)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let values = unsafe { decode(op, "values", types::type_of(op, kind)?, values, n) }?;
        dynamic::encrypt(&client, values.as_clear())
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// Elements that anyone can read, in the form of encrypted ones under the thread's server key; otherwise as
/// `icicle_fhe_encrypt`.
///
/// Errors: `INVALID_ARGUMENT` if `kind` is none or the thread has no server key; `INVALID_POINTER` if `made` is null or
/// misaligned, or `values` and `n` not 0; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_trivial(
    kind: i32,
    values: *const c_void,
    n: usize,
    made: *mut *mut c_void,
) -> Code {
    let op = "fhe_trivial";
    let body = || {
        let key = fhe::current_server_key(op)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let values = unsafe { decode(op, "values", types::type_of(op, kind)?, values, n) }?;
        dynamic::trivial(&key, values.as_clear())
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// Decrypt an array into `values`, which has room for `n` elements, the array's length, of its type: bytes 0 or 1 for truth
/// values.
///
/// Errors: `INVALID_POINTER` if `client` or `array` is no live one, or `values` null or misaligned and `n` not 0;
/// `INVALID_ARGUMENT` if `n` is not the array's length, or the array is of another key; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_decrypt(
    client: *mut c_void,
    array: *mut c_void,
    values: *mut c_void,
    n: usize,
) -> Code {
    let op = "fhe_decrypt";
    guard(op, || {
        let (client, array) = (CLIENTS.get(op, client)?, operand(op, "array", array)?);
        if n != array.len() {
            return Err(Error::argument(op, format!("n is {n}, must be the array's length, {}", array.len())));
        }
        let bytes = types::bytes(array.kind());
        ptr::check(op, "values", if n == 0 { std::ptr::dangling::<u64>().cast() } else { values }, bytes)?;
        let memory = dynamic::decrypt(&client, &array)?.to_memory()?;
        // SAFETY: `values` has room for the array's elements, by the caller's promise.
        unsafe { ptr::write_bytes(op, "values", values, &memory) }
    })
}

/// What an array's elements are, an `icicle_fhe_type_t`, and how many there are; either may be null.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `kind` or `n` misaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_array_info(array: *mut c_void, kind: *mut i32, n: *mut usize) -> Code {
    let op = "fhe_array_info";
    guard(op, || {
        let array = operand(op, "array", array)?;
        // SAFETY: each is null or has room for what is written, by the caller's promise.
        unsafe { types::describe(op, (array.kind(), array.len()), kind, n) }
    })
}

/// Free an array; null is ignored. Calls of other threads that use it meanwhile are done first, and arrays that share its memory
/// keep that.
///
/// Errors: `INVALID_POINTER` for a handle that is no encrypted array.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_fhe_array_free(array: *mut c_void) -> Code {
    let op = "fhe_array_free";
    guard(op, || ARRAYS.free(op, array))
}
