//! Encrypted integers in the form to send: keys and fresh encryptions with a seed for what is random and public in them.

use crate::code::Code;
use crate::fhe_handles::{CLIENTS, SERVERS, make, make_in};
use crate::fhe_types::{decode, describe, type_of};
use crate::guard::guard;
use crate::handle::Table;
use crate::types::IcicleDevice;
use icicle::fhe::dynamic::{self, CompressedFheArray};
use icicle::fhe::{CompressedServerKey, CurrentKey};
use std::ffi::c_void;

pub(crate) static SERVER_KEYS: Table<CompressedServerKey> = Table::new("compressed server key");
pub(crate) static ARRAYS: Table<CompressedFheArray> = Table::new("compressed array");

/// Make a client's server key in the form to keep and send, 30 MB instead of 120. Free it with
/// `icicle_fhe_compressed_server_key_free`.
///
/// Errors: `INVALID_POINTER` if `client` is no live client key, or `made` null or misaligned; `OUT_OF_MEMORY`; `UNKNOWN_ERROR`
/// where the system gives no random numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_compressed_server_key_generate(
    client: *mut c_void,
    made: *mut *mut c_void,
) -> Code {
    let op = "fhe_compressed_server_key";
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make_in(&SERVER_KEYS, op, made, || CLIENTS.get(op, client)?.compressed_server_key()) }
}

/// Make the key to compute with on a device, by default the thread's current one, of a compressed one, which stays. Free it with
/// `icicle_fhe_server_key_free`.
///
/// Errors: `INVALID_POINTER` if `key` is no live compressed server key, or `made` null or misaligned; `API_NOT_IMPLEMENTED` for a
/// GPU that has too little shared memory; `INVALID_DEVICE`; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_server_key_decompress(
    key: *mut c_void,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let op = "fhe_decompress_server_key";
    let body = || {
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let device = unsafe { crate::array::place(op, device) }?;
        SERVER_KEYS.get(op, key)?.decompress(device).map(CurrentKey::from)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make_in(&SERVERS, op, made, body) }
}

/// Free a compressed server key; null is ignored. Keys that were made of it stay.
///
/// Errors: `INVALID_POINTER` for a handle that is no compressed server key.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_fhe_compressed_server_key_free(key: *mut c_void) -> Code {
    let op = "fhe_compressed_server_key_free";
    guard(op, || SERVER_KEYS.free(op, key))
}

/// Encrypt `n` elements in the form to keep and send, 4 bytes for each bit instead of 8196; otherwise as `icicle_fhe_encrypt`.
/// Free the array with `icicle_fhe_compressed_array_free`.
///
/// Errors: as `icicle_fhe_encrypt`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_encrypt_compressed(
    client: *mut c_void,
    kind: i32,
    values: *const c_void,
    n: usize,
    made: *mut *mut c_void,
) -> Code {
    let op = "fhe_encrypt_compressed";
    let body = || {
        let client = CLIENTS.get(op, client)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let values = unsafe { decode(op, "values", type_of(op, kind)?, values, n) }?;
        dynamic::encrypt_compressed(&client, values.as_clear())
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make_in(&ARRAYS, op, made, body) }
}

/// The array to compute with, of a compressed one, which stays. Free it with `icicle_fhe_array_free`.
///
/// Errors: `INVALID_POINTER` if `array` is no live compressed array, or `made` null or misaligned; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_array_decompress(array: *mut c_void, made: *mut *mut c_void) -> Code {
    let op = "fhe_decompress";
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, || ARRAYS.get(op, array)?.decompress()) }
}

/// What a compressed array's elements are, an `icicle_fhe_type_t`, and how many there are; either may be null.
///
/// Errors: `INVALID_POINTER` if `array` is no live compressed array, or `kind` or `n` misaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_compressed_array_info(array: *mut c_void, kind: *mut i32, n: *mut usize) -> Code {
    let op = "fhe_compressed_array_info";
    guard(op, || {
        let array = ARRAYS.get(op, array)?;
        // SAFETY: each is null or has room for what is written, by the caller's promise.
        unsafe { describe(op, (array.kind(), array.len()), kind, n) }
    })
}

/// Free a compressed array; null is ignored. Arrays that were made of it stay.
///
/// Errors: `INVALID_POINTER` for a handle that is no compressed array.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_fhe_compressed_array_free(array: *mut c_void) -> Code {
    let op = "fhe_compressed_array_free";
    guard(op, || ARRAYS.free(op, array))
}
