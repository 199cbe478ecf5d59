//! Random numbers by handle: edges, and what is refused and in which words. Their values are compared with other libraries' by
//! `tests/c/arrays.c`.
//!
//! SAFETY of every block here: host pointers are to locals that outlive the call, of the lengths given with them; handles are
//! null, or come from a call here and are freed once, after the last call that takes them; addresses that no array has are only
//! refused by the library's table, never read.
#![allow(missing_docs, unsafe_code, clippy::undocumented_unsafe_blocks)] // calls of the C boundary with live arguments
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use icicle_c::array::*;
use icicle_c::array_types::*;
use icicle_c::error::{Code, icicle_error_take};
use icicle_c::random::*;
use icicle_c::types::IcicleDevice;
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

const BOOL: i32 = 0;
const INT8: i32 = 1;
const INT64: i32 = 4;
const UINT32: i32 = 7;
const FLOAT32: i32 = 11;
const FLOAT64: i32 = 12;

fn message() -> String {
    let mut text = [0; 512];
    let _ = unsafe { icicle_error_take(text.as_mut_ptr(), text.len()) };
    unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned()
}

/// What a call makes.
fn made(call: impl FnOnce(*mut *mut c_void) -> Code) -> *mut c_void {
    let mut out = null_mut();
    let code = call(&mut out);
    assert_eq!(code, Code::Success, "{}", message());
    out
}

/// A call that makes nothing, and says why.
fn refused(code: Code, text: &str, call: impl FnOnce(*mut *mut c_void) -> Code) {
    let mark = std::ptr::without_provenance_mut(48);
    let mut out = mark;
    assert_eq!(call(&mut out), code, "{}", message());
    let message = message();
    assert!(message.contains(text), "{message:?} lacks {text:?}");
    assert_eq!(out, mark, "{message}");
}

fn values<T: Default + Clone>(array: *mut c_void, n: usize) -> Vec<T> {
    let mut data = vec![T::default(); n];
    let code = unsafe { icicle_array_to_host(array, data.as_mut_ptr().cast(), (n * size_of::<T>()) as u64) };
    assert_eq!(code, Code::Success, "{}", message());
    assert_eq!(icicle_array_free(array), Code::Success);
    data
}

fn int(value: i64) -> Scalar {
    Scalar { kind: ICICLE_SCALAR_INT, integer: value, real: 0.0, imaginary: 0.0 }
}

#[test]
fn keys_are_values() {
    let key = icicle_random_key(0x0123_4567_89ab_cdef);
    assert_eq!(key.words, [0x89ab_cdef, 0x0123_4567, 0, 0]);
    assert_eq!(icicle_random_fold_in(key, 3), icicle_random_fold_in(key, 3));
    assert_ne!(icicle_random_fold_in(key, 3), icicle_random_fold_in(key, 4));
    let none = RandomKey { words: [7; 4] };
    let mut keys = [none; 4];
    assert_eq!(unsafe { icicle_random_split(key, keys.as_mut_ptr(), 3) }, Code::Success);
    assert!(keys[..3].iter().all(|&made| made != key && made != none) && keys[3] == none);
    let mut first = [none];
    assert_eq!(unsafe { icicle_random_split(key, first.as_mut_ptr(), 1) }, Code::Success);
    assert_eq!(first[0], keys[0]);
    assert_eq!(unsafe { icicle_random_split(key, null_mut(), 0) }, Code::Success);
    let split = |keys, n| unsafe { icicle_random_split(key, keys, n) };
    assert_eq!((split(null_mut(), 1), message()), (Code::InvalidPointer, "split: keys is null".to_owned()));
    assert_eq!(split(keys.as_mut_ptr().wrapping_byte_add(1), 1), Code::InvalidPointer);
    assert!(message().contains("keys") && split(keys.as_mut_ptr(), -1) == Code::InvalidArgument);
    assert_eq!(message(), "split: count -1: must be at least 0");
    assert_eq!(split(keys.as_mut_ptr(), i64::MAX), Code::OutOfMemory);
    assert_eq!((message().starts_with("split: "), keys[3]), (true, none));
}

#[test]
fn arrays_have_the_shape_asked_for() {
    let (key, shape) = (icicle_random_key(1), [2i64, 3]);
    let whole =
        values::<f32>(made(|out| unsafe { icicle_random_normal(key, FLOAT32, shape.as_ptr(), 2, null(), out) }), 6);
    let one = values::<f32>(made(|out| unsafe { icicle_random_normal(key, FLOAT32, null(), 0, null(), out) }), 1);
    assert_eq!(one[0], whole[0]);
    let empty = made(|out| unsafe { icicle_random_bits(key, UINT32, [0i64, 5].as_ptr(), 2, null(), out) });
    assert!(values::<u32>(empty, 0).is_empty());
    let x = made(|out| unsafe { icicle_array_arange(int(0), int(10), int(1), INT64, null(), out) });
    let order = values::<i64>(made(|out| unsafe { icicle_random_permutation(key, 10, null(), out) }), 10);
    assert_eq!(values::<i64>(made(|out| unsafe { icicle_random_shuffle(key, x, -1, out) }), 10), order);
    assert_eq!(values::<i64>(made(|out| unsafe { icicle_random_choice(key, x, 4, 0, 0, out) }), 4), order[..4]);
    let some = values::<i64>(made(|out| unsafe { icicle_random_choice(key, x, 40, 0, 1, out) }), 40);
    assert!(some.iter().all(|one| (0..10).contains(one)));
    assert_eq!(icicle_array_free(x), Code::Success);
}

#[test]
fn what_cannot_be_is_refused() {
    let (key, shape) = (icicle_random_key(1), [2i64]);
    let s = shape.as_ptr();
    let (argument, pointer) = (Code::InvalidArgument, Code::InvalidPointer);
    let bits = |dtype, shape, rank, device| {
        move |out: *mut *mut c_void| unsafe { icicle_random_bits(key, dtype, shape, rank, device, out) }
    };
    refused(argument, "bits: dtype 15: must be an icicle_dtype_t", bits(15, s, 1, null()));
    refused(argument, "bits: dtype int64: must be an unsigned integer", bits(INT64, s, 1, null()));
    refused(argument, "bits: rank 65: must be at most 64", bits(UINT32, s, 65, null()));
    refused(argument, "bits: extent -1: must be at least 0", bits(UINT32, [-1i64].as_ptr(), 1, null()));
    refused(argument, "exceeds the address space", bits(UINT32, [i64::MAX].as_ptr(), 1, null()));
    refused(pointer, "bits: shape is null", bits(UINT32, null(), 1, null()));
    refused(pointer, "shape", bits(UINT32, s.wrapping_byte_add(1), 1, null()));
    let mut cpu = IcicleDevice { device_type: [0; 64], id: 63 };
    cpu.device_type[..3].copy_from_slice(&[b'C', b'P', b'U'].map(|byte| byte as _));
    refused(Code::InvalidDevice, "63", bits(UINT32, s, 1, &cpu));
    assert_eq!(bits(UINT32, s, 1, null())(null_mut()), pointer);
    assert_eq!(message(), "bits: made is null");

    let uniform = |dtype, low, high| {
        move |out: *mut *mut c_void| unsafe { icicle_random_uniform(key, low, high, dtype, s, 1, null(), out) }
    };
    refused(argument, "uniform: dtype bool: must be float32 or float64", uniform(BOOL, 0.0, 1.0));
    refused(argument, "uniform: low 1 and high 1: low must be below high", uniform(FLOAT64, 1.0, 1.0));
    refused(argument, "uniform: low NaN", uniform(FLOAT64, f64::NAN, 1.0));
    refused(argument, "distance finite in float32", uniform(FLOAT32, -3e38, 3e38));
    refused(argument, "normal: dtype int8: must be float32 or float64", |out| unsafe {
        icicle_random_normal(key, INT8, s, 1, null(), out)
    });
    let integers = |dtype, low, high| {
        move |out: *mut *mut c_void| unsafe { icicle_random_integers(key, low, high, dtype, s, 1, null(), out) }
    };
    let half = Scalar { kind: ICICLE_SCALAR_FLOAT, integer: 0, real: 0.5, imaginary: 0.0 };
    let none = Scalar { kind: 9, integer: 0, real: 0.0, imaginary: 0.0 };
    let truth = Scalar { kind: ICICLE_SCALAR_BOOL, integer: 1, real: 0.0, imaginary: 0.0 };
    refused(argument, "integers: low: kind 3: must be ICICLE_SCALAR_INT", integers(INT8, half, int(1)));
    refused(argument, "integers: high: kind 0: must be ICICLE_SCALAR_INT", integers(INT8, int(0), truth));
    refused(argument, "integers: high: kind 9: must be an ICICLE_SCALAR_ constant", integers(INT8, int(0), none));
    refused(argument, "integers: low 0 and high 129: low must be below high", integers(INT8, int(0), int(129)));
    refused(argument, "integers: dtype float32: must be an integer", integers(FLOAT32, int(0), int(1)));
    refused(argument, "bernoulli: probability 1.5: must be from 0 to 1", |out| unsafe {
        icicle_random_bernoulli(key, 1.5, s, 1, null(), out)
    });
    refused(argument, "permutation: n -1: must be at least 0", |out| unsafe {
        icicle_random_permutation(key, -1, null(), out)
    });
    let x = made(|out| unsafe { icicle_array_zeros(FLOAT32, s, 1, null(), out) });
    refused(argument, "shuffle: axis 1: an array of 1 axes has -1 to 0", |out| unsafe {
        icicle_random_shuffle(key, x, 1, out)
    });
    refused(argument, "choice: 3 of 2 elements: there must be as many", |out| unsafe {
        icicle_random_choice(key, x, 3, 0, 0, out)
    });
    refused(argument, "choice: n -1: must be at least 0", |out| unsafe { icicle_random_choice(key, x, -1, 0, 1, out) });
    refused(pointer, "shuffle: array: array is null", |out| unsafe { icicle_random_shuffle(key, null_mut(), 0, out) });
    assert_eq!(icicle_array_free(x), Code::Success);
    refused(pointer, "freed already", |out| unsafe { icicle_random_choice(key, x, 1, 0, 1, out) });
}
