// Calls on encrypted integers: keys and arrays of any kind in every place, hostile bytes, few bootstraps.

use super::input::{Input, ROOM};
use icicle_c::error::Code;
use icicle_c::types::IcicleDevice;
use icicle_c::{fhe::*, fhe_bytes::*, fhe_compressed::*, fhe_operations::*, fhe_types::FheOperand};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

/// What bytes of every kind begin with: format, version, kind, parameters.
const HEADER: [u8; 16] = *b"icicle\xf4\xe1\x01\0\0\0\x01\0\0\0";

type ToBytes = unsafe extern "C" fn(*mut c_void, *mut c_void, usize, *mut usize) -> Code;
type FromBytes = unsafe extern "C" fn(*const c_void, usize, *mut *mut c_void) -> Code;

/// A client key and a server key that live as long as the process, as they take long to make: handles.
fn keys() -> [*mut c_void; 2] {
    static KEYS: OnceLock<[usize; 2]> = OnceLock::new();
    let keys = KEYS.get_or_init(|| {
        let (mut client, mut server) = (null_mut(), null_mut());
        // SAFETY: outputs are locals, the client key is alive.
        unsafe {
            assert_eq!(icicle_fhe_client_key_generate(&mut client), Code::Success);
            assert_eq!(icicle_fhe_server_key_generate(client, null(), &mut server), Code::Success);
        }
        [client as usize, server as usize]
    });
    keys.map(|key| key as *mut c_void)
}

/// Mostly the client key, else another handle.
fn client(i: &mut Input) -> *mut c_void {
    if i.byte().is_multiple_of(4) { i.handle() } else { keys()[0] }
}

/// What an array holds, if it is one.
fn info(array: *mut c_void) -> Option<(i32, usize)> {
    let (mut kind, mut n) = (0, 0);
    // SAFETY: any address may be asked about, and the outputs are locals.
    (unsafe { icicle_fhe_array_info(array, &mut kind, &mut n) } == Code::Success).then_some((kind, n))
}

/// Whether operations on an array would take long: more than an integer of 8 bits or two truth values.
fn is_wide(array: *mut c_void) -> bool {
    info(array).is_some_and(|(kind, n)| kind > 1 || n > 2 - kind as usize)
}

/// Clear elements of any type, or a handle.
fn operand(i: &mut Input) -> FheOperand {
    let array = if i.byte().is_multiple_of(3) { null_mut() } else { i.handle() };
    FheOperand { array, values: i.pointer(), n: i.size() as usize, kind: i32::from(i.byte() % 7) - 1 }
}

/// Write an object's bytes, all if they are few, and read them again: they must be the same.
///
/// # Safety
/// The functions belong together.
unsafe fn there_and_back(
    to: ToBytes,
    from: FromBytes,
    free: extern "C" fn(*mut c_void) -> Code,
    of: *mut c_void,
) -> Code {
    let (mut needed, mut buffer) = (0, vec![0u8; 512]);
    // SAFETY: buffers have the sizes that are given.
    unsafe {
        let code = to(of, null_mut(), 0, &mut needed);
        if code != Code::Success || needed > ROOM * 32 {
            return code;
        }
        let code = to(of, buffer.as_mut_ptr().cast(), buffer.len(), null_mut());
        assert_eq!(code == Code::Success, needed <= buffer.len());
        buffer.resize(needed, 0);
        assert_eq!(to(of, buffer.as_mut_ptr().cast(), needed, &mut needed), Code::Success);
        let (mut again, mut copy) = (null_mut(), vec![0u8; needed]);
        assert_eq!(from(buffer.as_ptr().cast(), needed, &mut again), Code::Success);
        assert_eq!(to(again, copy.as_mut_ptr().cast(), needed, null_mut()), Code::Success);
        assert!(buffer == copy);
        free(again)
    }
}

/// Bytes that a hostile sender makes up, or what an array of the client's is with some altered.
fn hostile(i: &mut Input) -> Vec<u8> {
    let mut bytes = Vec::new();
    if i.byte().is_multiple_of(2) {
        let (mut array, mut needed, values) = (null_mut(), 0, [7u8; 2]);
        // SAFETY: there are two values; the buffer has the size that is given.
        unsafe {
            let values = values.as_ptr().cast();
            assert_eq!(
                icicle_fhe_encrypt_compressed(keys()[0], i32::from(i.byte() % 2), values, 2, &mut array),
                Code::Success
            );
            assert_eq!(icicle_fhe_compressed_array_to_bytes(array, null_mut(), 0, &mut needed), Code::Success);
            bytes.resize(needed, 0);
            let code = icicle_fhe_compressed_array_to_bytes(array, bytes.as_mut_ptr().cast(), needed, null_mut());
            assert_eq!(code, Code::Success);
        }
        let _ = icicle_fhe_compressed_array_free(array);
        for _ in 0..i.byte() % 4 {
            let at = i.byte() as usize % needed;
            bytes[at] = i.byte();
        }
        bytes.truncate(needed - (i.byte() as usize).saturating_sub(200));
    } else {
        bytes.extend(HEADER);
        bytes[10] = i.byte() % 11;
        for _ in 0..i.byte() {
            bytes.push(i.byte());
        }
    }
    bytes
}

/// # Safety
/// As `super::call`.
pub unsafe fn call(i: &mut Input, out: &mut *mut c_void) -> Code {
    let (x, y, kind, n) = (i.handle(), i.handle(), i32::from(i.byte() % 7) - 1, i.size() as usize);
    let (values, number) = (i.pointer(), i32::from(i.byte() % 21) - 1);
    let wide = [x, y].into_iter().any(is_wide);
    let mut device = IcicleDevice { device_type: [0; 64], id: 0 };
    device.device_type[..4].copy_from_slice(&[67, 85, 68, 65]);
    // SAFETY: memory holds eight elements and more; sizes are few or refused; handles are the library's or refused.
    unsafe {
        match i.byte() % 27 {
            0 => icicle_fhe_client_key_generate(out),
            1..=3 => icicle_fhe_encrypt(client(i), kind, values, n, out),
            4 => icicle_fhe_encrypt_compressed(client(i), kind, values, n, out),
            5 => icicle_fhe_trivial(kind, values, n, out),
            6 => icicle_fhe_decrypt(client(i), x, values, if n > 8 { n } else { info(x).map_or(n, |(_, n)| n) }),
            7 => {
                let (mut kind, mut n) = (0i32, [0usize; 2]);
                let misaligned = n.as_mut_ptr().wrapping_byte_add(usize::from(i.byte() % 2));
                let kind = if i.byte().is_multiple_of(4) { null_mut() } else { &raw mut kind };
                match i.byte() % 2 {
                    0 => icicle_fhe_array_info(x, kind, misaligned),
                    _ => icicle_fhe_compressed_array_info(x, kind, misaligned),
                }
            }
            8 => icicle_fhe_slice(x, n, i.size() as usize, out),
            // A few more, or more than memory holds.
            9 if info(x).is_none_or(|(_, n)| n < 16) => icicle_fhe_repeat(x, n, out),
            10 if !wide => icicle_fhe_concatenate([x, y].as_ptr(), i.int().min(2), out),
            11 if !wide => icicle_fhe_unary(number, x, out),
            12..=14 if !wide => {
                let (mut a, mut b) = (operand(i), operand(i));
                (a.array, b.array) =
                    (if a.array.is_null() { a.array } else { x }, if b.array.is_null() { b.array } else { y });
                // Clear elements for a wide one do not come here, more than a few are no operands of one.
                match i.byte() % 4 {
                    0 => {
                        let mut flags = null_mut();
                        let code = icicle_fhe_overflowing(number, a, b, out, &mut flags);
                        if code == Code::Success {
                            i.handles.push(flags);
                        }
                        code
                    }
                    1 => icicle_fhe_select(if i.byte().is_multiple_of(2) { x } else { i.live }, a, b, out),
                    _ => icicle_fhe_binary(number, a, b, out),
                }
            }
            15 if !wide => icicle_fhe_cast(x, kind, out),
            16 if !wide => icicle_fhe_count(x, kind, out),
            17 => match i.byte() % 4 {
                0 => there_and_back(
                    icicle_fhe_client_key_to_bytes,
                    icicle_fhe_client_key_from_bytes,
                    icicle_fhe_client_key_free,
                    x,
                ),
                1 => there_and_back(
                    icicle_fhe_compressed_array_to_bytes,
                    icicle_fhe_compressed_array_from_bytes,
                    icicle_fhe_compressed_array_free,
                    x,
                ),
                2 => icicle_fhe_server_key_to_bytes(x, values, n.min(64), null_mut()),
                _ => there_and_back(icicle_fhe_array_to_bytes, icicle_fhe_array_from_bytes, icicle_fhe_array_free, x),
            },
            18..=20 => {
                let bytes = hostile(i);
                let (data, n) =
                    (bytes.as_ptr().cast(), if i.byte().is_multiple_of(32) { usize::MAX } else { bytes.len() });
                match i.byte() % 6 {
                    0 => icicle_fhe_client_key_from_bytes(data, n, out),
                    1 => icicle_fhe_server_key_from_bytes(data, n, null(), out),
                    2 => icicle_fhe_compressed_server_key_from_bytes(data, n, out),
                    3 => icicle_fhe_array_from_bytes(data, n, out),
                    _ => icicle_fhe_compressed_array_from_bytes(data, n, out),
                }
            }
            21 => icicle_fhe_array_decompress(x, out),
            // The thread's key for some of the calls, which without it end soon.
            22 => match i.byte() % 4 {
                0 => icicle_fhe_set_server_key(keys()[1]),
                1 => icicle_fhe_set_server_key(x),
                2 => icicle_fhe_set_server_key(null_mut()),
                _ => icicle_fhe_server_key(out),
            },
            23 => icicle_fhe_key_set_create(if i.byte().is_multiple_of(2) { x } else { keys()[1] }, y, out),
            24 => match i.byte() % 2 {
                0 => icicle_fhe_server_key_generate(client(i), &device, out),
                _ => icicle_fhe_server_key_decompress(x, &device, out),
            },
            25 => free(x, i.byte()),
            _ => icicle_fhe_array_free(null_mut()),
        }
    }
}

/// Free a handle as what it may be.
fn free(handle: *mut c_void, which: u8) -> Code {
    match which % 5 {
        0 => icicle_fhe_array_free(handle),
        1 => icicle_fhe_compressed_array_free(handle),
        2 => icicle_fhe_client_key_free(handle),
        3 => icicle_fhe_server_key_free(handle),
        _ => icicle_fhe_compressed_server_key_free(handle),
    }
}

/// Leave the thread without a key, and free a handle, whatever it is.
pub fn clean_up(handle: *mut c_void) {
    let _ = icicle_fhe_set_server_key(null_mut());
    (0..5).for_each(|which| _ = free(handle, which));
}
