//! Encrypted integers: keys and arrays as bytes, and back. The bytes are those of every language.

use crate::code::Code;
use crate::fhe_compressed::{self, SERVER_KEYS};
use crate::fhe_handles::{ARRAYS, CLIENTS, SERVERS, make_in, operand, server_key};
use crate::guard::guard;
use crate::handle::Table;
use crate::ptr;
use crate::types::IcicleDevice;
use icicle::fhe::dynamic::{CompressedFheArray, FheArray};
use icicle::fhe::{ClientKey, CompressedServerKey, CurrentKey, ServerKey};
use icicle::{Error, Result};
use std::ffi::c_void;

/// Tell how many bytes an object is, and write them if there is room for any.
///
/// # Safety
/// If not null, `buffer` is valid for writes of as many bytes as are said, and `needed` for a write if it is aligned too.
unsafe fn give<T, B: AsRef<[u8]>>(
    op: &'static str,
    (buffer, bytes, needed): (*mut c_void, usize, *mut usize),
    of: impl FnOnce() -> Result<T>,
    size: impl FnOnce(&T) -> usize,
    write: impl FnOnce(&T) -> Result<B>,
) -> Code {
    guard(op, || {
        let of = of()?;
        if !needed.is_null() {
            ptr::check_typed(op, "needed", needed)?;
        }
        let size = size(&of);
        if bytes != 0 {
            if bytes < size {
                return Err(Error::argument(op, format!("bytes is {bytes}, must be at least {size}, or 0")));
            }
            // SAFETY: what is asked of these pointers is what this function asks of its caller.
            unsafe { ptr::check_host(op, "buffer", buffer, bytes) }?;
            // SAFETY: as above; there is room for all of them.
            unsafe { ptr::write_bytes(op, "buffer", buffer, write(&of)?.as_ref()) }?;
        }
        match needed.is_null() {
            true => Ok(()),
            // SAFETY: what is asked of these pointers is what this function asks of its caller.
            false => unsafe { ptr::write(op, "needed", needed, size) },
        }
    })
}

/// Make an object of a table of what its bytes say, and hand it out.
///
/// # Safety
/// If not null, `data` is valid for reads of as many bytes as are said, and `made` for a write if it is aligned too.
unsafe fn take<T>(
    table: &Table<T>,
    op: &'static str,
    (data, bytes): (*const c_void, usize),
    made: *mut *mut c_void,
    read: impl FnOnce(&[u8]) -> Result<T>,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { make_in(table, op, made, || read(ptr::host_input(op, "data", data, bytes)?)) }
}

/// A client key as bytes, which are as secret as it is: wipe them when they are no longer needed, which the library cannot do.
///
/// `*needed` (may be null) = how many they are, 403. Writes them to `buffer`, which has room for `bytes`; with `bytes` 0
/// nothing is written, `buffer` may be null, and the call tells the size alone, at no cost.
///
/// Errors: `INVALID_POINTER` if `client` is no live client key, `buffer` is null and `bytes` not 0, or `needed` misaligned;
/// `INVALID_ARGUMENT` if `bytes` is neither 0 nor enough; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_client_key_to_bytes(
    client: *mut c_void,
    buffer: *mut c_void,
    bytes: usize,
    needed: *mut usize,
) -> Code {
    let op = "fhe_client_key_to_bytes";
    let of = || CLIENTS.get(op, client);
    // SAFETY: `buffer` and `needed` have room for what is written, by the caller's promise.
    unsafe { give(op, (buffer, bytes, needed), of, |of| of.serialized_size(), |of| of.to_bytes()) }
}

/// The client key that `bytes` bytes of `icicle_fhe_client_key_to_bytes` hold, whatever language wrote them. They are as
/// secret as the key. Free it with `icicle_fhe_client_key_free`.
///
/// Errors: `INVALID_ARGUMENT` for bytes that are none, are cut off or go on, or are of another version; `INVALID_POINTER` if
/// `data` is null and `bytes` not 0, or `made` null or misaligned; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_client_key_from_bytes(
    data: *const c_void,
    bytes: usize,
    made: *mut *mut c_void,
) -> Code {
    // SAFETY: `data` holds as many bytes, and `made` has room for what is written, by the caller's promise.
    unsafe { take(&CLIENTS, "fhe_client_key_from_bytes", (data, bytes), made, ClientKey::from_bytes) }
}

/// A server key, ready to compute with, as bytes.
///
/// `*needed` (may be null) = how many they are, 120 MB. Writes them to `buffer`, which has room for `bytes`; with `bytes` 0
/// nothing is written, `buffer` may be null, and the call tells the size alone, at no cost.
///
/// Errors: `INVALID_POINTER` if `key` is no live server key, `buffer` is null and `bytes` not 0, or `needed` misaligned;
/// `INVALID_ARGUMENT` if `bytes` is neither 0 nor enough, or the key is of a group; `API_NOT_IMPLEMENTED` for a GPU's, which has
/// not all of them; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_server_key_to_bytes(
    key: *mut c_void,
    buffer: *mut c_void,
    bytes: usize,
    needed: *mut usize,
) -> Code {
    let op = "fhe_server_key_to_bytes";
    let of = || server_key(op, key);
    // SAFETY: `buffer` and `needed` have room for what is written, by the caller's promise.
    unsafe { give(op, (buffer, bytes, needed), of, |of| of.serialized_size(), |of| of.to_bytes()) }
}

/// The server key that `bytes` bytes of `icicle_fhe_server_key_to_bytes` hold, whatever language wrote them. It computes on
/// `device`, by default the thread's current one. Free it with `icicle_fhe_server_key_free`.
///
/// Errors: `INVALID_ARGUMENT` for bytes that are none, are cut off or go on, or are of another version; `INVALID_POINTER` if
/// `data` is null and `bytes` not 0, or `made` null or misaligned; `API_NOT_IMPLEMENTED` for a GPU that has too little shared memory;
/// `INVALID_DEVICE`; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_server_key_from_bytes(
    data: *const c_void,
    bytes: usize,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let op = "fhe_server_key_from_bytes";
    let read = |data: &[u8]| {
        // SAFETY: `device` is null or holds a device, by the caller's promise.
        let device = unsafe { crate::array::place(op, device) }?;
        ServerKey::from_bytes(data, device).map(CurrentKey::from)
    };
    // SAFETY: `data` holds as many bytes, and `made` has room for what is written, by the caller's promise.
    unsafe { take(&SERVERS, op, (data, bytes), made, read) }
}

/// A compressed server key as bytes.
///
/// `*needed` (may be null) = how many they are, 30 MB. Writes them to `buffer`, which has room for `bytes`; with `bytes` 0
/// nothing is written, `buffer` may be null, and the call tells the size alone, at no cost.
///
/// Errors: `INVALID_POINTER` if `key` is no live compressed server key, `buffer` is null and `bytes` not 0, or `needed`
/// misaligned; `INVALID_ARGUMENT` if `bytes` is neither 0 nor enough; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_compressed_server_key_to_bytes(
    key: *mut c_void,
    buffer: *mut c_void,
    bytes: usize,
    needed: *mut usize,
) -> Code {
    let op = "fhe_compressed_server_key_to_bytes";
    let of = || SERVER_KEYS.get(op, key);
    // SAFETY: `buffer` and `needed` have room for what is written, by the caller's promise.
    unsafe { give(op, (buffer, bytes, needed), of, |of| of.serialized_size(), |of| of.to_bytes()) }
}

/// The compressed server key that `bytes` bytes of `icicle_fhe_compressed_server_key_to_bytes` hold, whatever language wrote
/// them. Free it with `icicle_fhe_compressed_server_key_free`.
///
/// Errors: `INVALID_ARGUMENT` for bytes that are none, are cut off or go on, or are of another version; `INVALID_POINTER` if
/// `data` is null and `bytes` not 0, or `made` null or misaligned; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_compressed_server_key_from_bytes(
    data: *const c_void,
    bytes: usize,
    made: *mut *mut c_void,
) -> Code {
    // SAFETY: `data` holds as many bytes, and `made` has room for what is written, by the caller's promise.
    unsafe {
        take(&SERVER_KEYS, "fhe_compressed_server_key_from_bytes", (data, bytes), made, CompressedServerKey::from_bytes)
    }
}

/// An encrypted array as bytes.
///
/// `*needed` (may be null) = how many they are, 8196 for each bit of an integer, 16 392 for a truth value. Writes them to
/// `buffer`, which has room for `bytes`; with `bytes` 0 nothing is written, `buffer` may be null, and the call tells the size
/// alone, at no cost.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, `buffer` is null and `bytes` not 0, or `needed` misaligned;
/// `INVALID_ARGUMENT` if `bytes` is neither 0 nor enough; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_array_to_bytes(
    array: *mut c_void,
    buffer: *mut c_void,
    bytes: usize,
    needed: *mut usize,
) -> Code {
    let op = "fhe_array_to_bytes";
    let of = || operand(op, "array", array);
    // SAFETY: `buffer` and `needed` have room for what is written, by the caller's promise.
    unsafe { give(op, (buffer, bytes, needed), of, |of| of.serialized_size(), |of| of.to_bytes()) }
}

/// The encrypted array that `bytes` bytes of `icicle_fhe_array_to_bytes` hold, whatever language wrote them. They say of which
/// type it is. Free it with `icicle_fhe_array_free`.
///
/// Errors: `INVALID_ARGUMENT` for bytes that are none, are cut off or go on, or are of another version; `INVALID_POINTER` if
/// `data` is null and `bytes` not 0, or `made` null or misaligned; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_array_from_bytes(
    data: *const c_void,
    bytes: usize,
    made: *mut *mut c_void,
) -> Code {
    // SAFETY: `data` holds as many bytes, and `made` has room for what is written, by the caller's promise.
    unsafe { take(&ARRAYS, "fhe_array_from_bytes", (data, bytes), made, FheArray::from_bytes) }
}

/// A compressed array as bytes.
///
/// `*needed` (may be null) = how many they are, 4 for each bit of an integer, 8 for a truth value. Writes them to `buffer`,
/// which has room for `bytes`; with `bytes` 0 nothing is written, `buffer` may be null, and the call tells the size alone, at
/// no cost.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, `buffer` is null and `bytes` not 0, or `needed` misaligned;
/// `INVALID_ARGUMENT` if `bytes` is neither 0 nor enough; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_compressed_array_to_bytes(
    array: *mut c_void,
    buffer: *mut c_void,
    bytes: usize,
    needed: *mut usize,
) -> Code {
    let op = "fhe_compressed_array_to_bytes";
    let of = || fhe_compressed::ARRAYS.get(op, array);
    // SAFETY: `buffer` and `needed` have room for what is written, by the caller's promise.
    unsafe { give(op, (buffer, bytes, needed), of, |of| of.serialized_size(), |of| of.to_bytes()) }
}

/// The compressed array that `bytes` bytes of `icicle_fhe_compressed_array_to_bytes` hold, whatever language wrote them. They
/// say of which type it is. Free it with `icicle_fhe_compressed_array_free`.
///
/// Errors: `INVALID_ARGUMENT` for bytes that are none, are cut off or go on, or are of another version; `INVALID_POINTER` if
/// `data` is null and `bytes` not 0, or `made` null or misaligned; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_compressed_array_from_bytes(
    data: *const c_void,
    bytes: usize,
    made: *mut *mut c_void,
) -> Code {
    // SAFETY: `data` holds as many bytes, and `made` has room for what is written, by the caller's promise.
    unsafe {
        take(
            &fhe_compressed::ARRAYS,
            "fhe_compressed_array_from_bytes",
            (data, bytes),
            made,
            CompressedFheArray::from_bytes,
        )
    }
}
