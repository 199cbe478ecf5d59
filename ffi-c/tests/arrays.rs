//! Arrays of numbers by handle: edges, what is refused and in which words, and threads that free what others use. Results
//! are compared with NumPy's by `tests/c/arrays.c`.
//!
//! SAFETY of every block here: host pointers are to locals that outlive the call, of the lengths given with them; handles are
//! null, or come from a call here and are freed once, after the last call that takes them; addresses that no array has are only
//! refused by the library's table, never read.
#![allow(missing_docs, unsafe_code, clippy::undocumented_unsafe_blocks)] // calls of the C boundary with live arguments
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use icicle_c::array::*;
use icicle_c::array_elementwise::*;
use icicle_c::array_order::*;
use icicle_c::array_pinned::*;
use icicle_c::array_reduce::*;
use icicle_c::array_types::*;
use icicle_c::array_unified::*;
use icicle_c::array_views::*;
use icicle_c::device::icicle_is_device_available;
use icicle_c::error::{Code, icicle_error_take};
use icicle_c::types::IcicleDevice;
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const BOOL: i32 = 0;
const INT32: i32 = 3;
const UINT8: i32 = 5;
const UINT64: i32 = 8;
const FLOAT32: i32 = 11;
const ADD: i32 = 0;
const LESS: i32 = 21;
const DEFAULT: i32 = -1;

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

fn ints(data: &[i32], shape: &[i64]) -> *mut c_void {
    made(|out| unsafe {
        icicle_array_from_host(INT32, data.as_ptr().cast(), shape.as_ptr(), shape.len() as i32, null(), null(), out)
    })
}

fn read<T: Default + Clone>(array: *mut c_void) -> (Vec<i64>, Vec<T>) {
    let info = info(array);
    let (mut shape, mut data) = (vec![0; info.rank as usize], vec![T::default(); info.size as usize]);
    assert_eq!(size_of::<T>(), icicle_dtype_bytes(info.dtype));
    unsafe {
        assert_eq!(icicle_array_shape(array, info.rank, shape.as_mut_ptr(), null_mut()), Code::Success);
        let code = icicle_array_to_host(array, data.as_mut_ptr().cast(), (data.len() * size_of::<T>()) as u64);
        assert_eq!(code, Code::Success, "{}", message());
    }
    (shape, data)
}

fn info(array: *mut c_void) -> ArrayInfo {
    let mut info: ArrayInfo = unsafe { std::mem::zeroed() };
    info.struct_size = size_of::<ArrayInfo>();
    assert_eq!(unsafe { icicle_array_info(array, &mut info) }, Code::Success, "{}", message());
    info
}

fn free(arrays: &[*mut c_void]) {
    arrays.iter().for_each(|&array| assert_eq!(icicle_array_free(array), Code::Success, "{}", message()));
}

fn scalar(kind: i32, integer: i64, real: f64) -> Scalar {
    Scalar { kind, integer, real, imaginary: 0.0 }
}

fn cpu(id: i32) -> IcicleDevice {
    let mut device = IcicleDevice { device_type: [0; 64], id };
    device.device_type[..3].copy_from_slice(&[b'C', b'P', b'U'].map(|byte| byte as _));
    device
}

#[test]
fn strides_name_the_same_memory_in_any_order() {
    let data: Vec<i32> = (0..12).collect();
    let from = |start: usize, shape: &[i64], strides: &[i64]| {
        let rank = shape.len() as i32;
        let start = data[start..].as_ptr().cast();
        made(|out| unsafe { icicle_array_from_host(INT32, start, shape.as_ptr(), rank, strides.as_ptr(), null(), out) })
    };
    // Transposed, backwards, and one element repeated.
    let arrays = [from(0, &[4, 3], &[4, 16]), from(11, &[3, 4], &[-16, -4]), from(5, &[2, 2], &[0, 0])];
    assert_eq!(read(arrays[0]), (vec![4, 3], vec![0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]));
    assert_eq!(read(arrays[1]), (vec![3, 4], (0..12).rev().collect()));
    assert_eq!(read(arrays[2]), (vec![2, 2], vec![5; 4]));
    free(&arrays);
    let refuse = |code, text: &str, dtype, start: *const c_void, shape: &[i64], strides: *const i64| {
        refused(code, text, |out| unsafe {
            icicle_array_from_host(dtype, start, shape.as_ptr(), shape.len() as i32, strides, null(), out)
        });
    };
    let start = data.as_ptr().cast::<c_void>();
    let (argument, pointer) = (Code::InvalidArgument, Code::InvalidPointer);
    refuse(argument, "must be one for each of 1 axes, multiples of 4", INT32, start, &[2], [6].as_ptr());
    refuse(argument, "exceed the address space", INT32, start, &[3], [i64::MAX - 3].as_ptr());
    refuse(argument, "exceed the address space", INT32, start, &[3, 3], [1 << 62, -(1 << 62)].as_ptr());
    refuse(argument, "exceeds the address space", INT32, start, &[1 << 40, 1 << 40], null());
    refuse(argument, "extent -1: must be at least 0", INT32, start, &[-1], null());
    refuse(argument, "dtype 15: must be an icicle_dtype_t", 15, start, &[2], null());
    refuse(argument, "dtype -1: must be an icicle_dtype_t", -1, start, &[2], null());
    refuse(pointer, "data is null", INT32, null(), &[2], null());
    refuse(pointer, "must be aligned to 4 bytes", INT32, start.wrapping_byte_add(2), &[2], null());
    refuse(pointer, "strides", INT32, start, &[2], start.wrapping_byte_add(4).cast());
    refused(argument, "rank 65: must be at most 64", |out| unsafe {
        icicle_array_zeros(INT32, null(), 65, null(), out)
    });
    refused(argument, "rank -1", |out| unsafe { icicle_array_zeros(INT32, null(), -1, null(), out) });
    refused(pointer, "shape is null", |out| unsafe { icicle_array_zeros(INT32, null(), 1, null(), out) });
    refused(Code::InvalidDevice, "63", |out| unsafe { icicle_array_zeros(INT32, null(), 0, &cpu(63), out) });
    assert_eq!(unsafe { icicle_array_zeros(INT32, null(), 0, null(), null_mut()) }, Code::InvalidPointer);
    assert_eq!(message(), "zeros: made is null");
}

/// Elements of a byte or two lie at any address that suits them.
#[test]
fn memory_is_aligned_to_elements_alone() {
    let data: Vec<u8> = (0..9).collect();
    for offset in 0..4 {
        let start = data[offset..].as_ptr().cast();
        let x = made(|out| unsafe { icicle_array_from_host(UINT8, start, [5].as_ptr(), 1, null(), null(), out) });
        let mut out = [99u8; 9];
        let code = unsafe { icicle_array_to_host(x, out[offset..].as_mut_ptr().cast(), 5) };
        assert_eq!(code, Code::Success, "{}", message());
        assert_eq!(out[offset..offset + 5], data[offset..offset + 5]);
        assert!(out[..offset].iter().chain(&out[offset + 5..]).all(|&byte| byte == 99));
        free(&[x]);
    }
}

#[test]
fn arrays_of_nothing_and_without_axes() {
    let none = made(|out| unsafe { icicle_array_from_host(FLOAT32, null(), [0, 3].as_ptr(), 2, null(), null(), out) });
    assert_eq!(read::<f32>(none), (vec![0, 3], vec![]));
    assert_eq!(unsafe { icicle_array_to_host(none, null_mut(), 0) }, Code::Success, "{}", message());
    let sum = made(|out| unsafe { icicle_array_sum(none, [0].as_ptr(), 1, 0, DEFAULT, out) });
    assert_eq!(read::<f32>(sum), (vec![3], vec![0.0; 3]));
    refused(Code::InvalidArgument, "there is no element", |out| unsafe { icicle_array_max(none, null(), 0, 0, out) });
    let seven = scalar(ICICLE_SCALAR_INT, 7, 0.0);
    let one = made(|out| unsafe { icicle_array_full(seven, INT32, null(), 0, null(), out) });
    assert_eq!((info(one).rank, info(one).size, info(one).is_dense), (0, 1, true));
    assert_eq!(unsafe { icicle_array_shape(one, 0, null_mut(), null_mut()) }, Code::Success);
    let x = ints(&[1, 2], &[2]);
    let y = made(|out| unsafe { icicle_array_binary(ADD, x, one, out) });
    assert_eq!(read(y), (vec![2], vec![8, 9]));
    let row = made(|out| unsafe { icicle_array_reshape(one, [1, -1].as_ptr(), 2, out) });
    assert_eq!(read(row), (vec![1, 1], vec![7]));
    refused(Code::InvalidArgument, "without axes", |out| unsafe { icicle_array_nonzero(one, out, 0) });
    free(&[none, sum, one, x, y, row]);
}

#[test]
fn numbers_without_a_dtype_take_the_arrays() {
    let x = ints(&[1, -2, 3], &[3]);
    let with = |op, y, reversed| made(|out| unsafe { icicle_array_binary_scalar(op, x, y, reversed, out) });
    let ten = scalar(ICICLE_SCALAR_INT, 10, 0.0);
    let subtract = 1;
    let (left, right) = (with(subtract, ten, 0), with(subtract, ten, 1));
    assert_eq!((read(left).1, read(right).1), (vec![-9, -12, -7], vec![9, 12, 7]));
    let less = with(LESS, scalar(ICICLE_SCALAR_INT, 2, 0.0), 0);
    assert_eq!((info(less).dtype, read::<u8>(less).1), (BOOL, vec![1, 1, 0]));
    let argument = |text: &str, y| {
        refused(Code::InvalidArgument, text, |out| unsafe { icicle_array_binary_scalar(ADD, x, y, 0, out) });
    };
    argument("add: scalar Float(0.5) with an array of int32", scalar(ICICLE_SCALAR_FLOAT, 0, 0.5));
    argument("int32 holds -2147483648 to 2147483647", scalar(ICICLE_SCALAR_INT, 1 << 31, 0.0));
    argument("kind 5: must be an ICICLE_SCALAR_ constant", scalar(5, 0, 0.0));
    argument("kind -1", scalar(-1, 0, 0.0));

    let most = made(|out| unsafe {
        icicle_array_full(scalar(ICICLE_SCALAR_UINT, -1, 0.0), UINT64, [1, 1].as_ptr(), 2, null(), out)
    });
    let mut value = scalar(9, 9, 9.0);
    assert_eq!(unsafe { icicle_array_item(most, &mut value) }, Code::Success);
    assert_eq!((value.kind, value.integer as u64), (ICICLE_SCALAR_UINT, u64::MAX));
    let item = |start: Scalar, dtype| {
        let one = made(|out| unsafe { icicle_array_full(start, dtype, null(), 0, null(), out) });
        let mut value = scalar(9, 9, 9.0);
        assert_eq!(unsafe { icicle_array_item(one, &mut value) }, Code::Success);
        free(&[one]);
        (value.kind, value.integer, value.real, value.imaginary)
    };
    assert_eq!(item(scalar(ICICLE_SCALAR_BOOL, 5, 0.0), BOOL), (ICICLE_SCALAR_BOOL, 1, 0.0, 0.0));
    assert_eq!(item(scalar(ICICLE_SCALAR_INT, -7, 0.0), INT32), (ICICLE_SCALAR_INT, -7, 0.0, 0.0));
    assert_eq!(item(scalar(ICICLE_SCALAR_FLOAT, 0, 0.5), FLOAT32), (ICICLE_SCALAR_FLOAT, 0, 0.5, 0.0));
    let imaginary = Scalar { kind: ICICLE_SCALAR_COMPLEX, integer: 0, real: 1.0, imaginary: -2.0 };
    assert_eq!(item(imaginary, 14), (ICICLE_SCALAR_COMPLEX, 0, 1.0, -2.0));
    assert_eq!(unsafe { icicle_array_item(x, &mut value) }, Code::InvalidArgument);
    assert_eq!(message(), "item: array of 3 elements: must have exactly one");
    free(&[x, left, right, less, most]);
}

#[test]
fn sequences_and_matrices_are_made_by_rule() {
    let number = |value| scalar(ICICLE_SCALAR_INT, value, 0.0);
    let range = made(|out| unsafe { icicle_array_arange(number(5), number(-1), number(-2), INT32, null(), out) });
    assert_eq!(read(range), (vec![3], vec![5, 3, 1]));
    let real = |value| scalar(ICICLE_SCALAR_FLOAT, 0, value);
    let ends =
        |endpoint| made(|out| unsafe { icicle_array_linspace(real(0.0), real(1.0), 4, endpoint, 12, null(), out) });
    let (closed, open) = (ends(1), ends(0));
    assert_eq!((read(closed).1, read(open).1), (vec![0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0], vec![0.0, 0.25, 0.5, 0.75]));
    let eye = made(|out| unsafe { icicle_array_eye(2, 3, 1, INT32, null(), out) });
    assert_eq!(read(eye), (vec![2, 3], vec![0, 1, 0, 0, 0, 1]));
    let ones = made(|out| unsafe { icicle_array_ones(INT32, [2].as_ptr(), 1, null(), out) });
    assert_eq!(read(ones), (vec![2], vec![1, 1]));
    let zero = number(0);
    refused(Code::InvalidArgument, "the step must not be 0", |out| unsafe {
        icicle_array_arange(zero, zero, zero, INT32, null(), out)
    });
    refused(Code::InvalidArgument, "n -1", |out| unsafe {
        icicle_array_linspace(real(0.0), real(1.0), -1, 1, 12, null(), out)
    });
    refused(Code::InvalidArgument, "rows -1", |out| unsafe { icicle_array_eye(-1, 2, 0, INT32, null(), out) });
    free(&[range, closed, open, eye, ones]);
}

#[test]
fn views_outlive_what_they_were_made_from() {
    let x = ints(&(0..6).collect::<Vec<_>>(), &[2, 3]);
    let slice = |kind, start: Option<i64>, stop: Option<i64>, step| ArrayIndex {
        kind,
        has_start: start.is_some().into(),
        has_stop: stop.is_some().into(),
        start: start.unwrap_or(99),
        stop: stop.unwrap_or(99),
        step,
    };
    let all = [slice(ICICLE_INDEX_ELLIPSIS, None, None, 0), slice(ICICLE_INDEX_SLICE, None, None, -2)];
    let columns = made(|out| unsafe { icicle_array_index(x, all.as_ptr(), 2, out) });
    let at = [slice(ICICLE_INDEX_NEW_AXIS, None, None, 0), slice(ICICLE_INDEX_AT, Some(-1), None, 0)];
    let row = made(|out| unsafe { icicle_array_index(x, at.as_ptr(), 2, out) });
    let part = [slice(ICICLE_INDEX_SLICE, Some(1), Some(2), 1)];
    let second = made(|out| unsafe { icicle_array_index(x, part.as_ptr(), 1, out) });
    let refuse = |text: &str, list: &[ArrayIndex]| {
        refused(Code::InvalidArgument, text, |out| unsafe {
            icicle_array_index(x, list.as_ptr(), list.len() as i32, out)
        });
    };
    refuse("index 2: the axis has 2 elements", &[slice(ICICLE_INDEX_AT, Some(2), None, 0)]);
    refuse("step 0", &[slice(ICICLE_INDEX_SLICE, None, None, 0)]);
    refuse("kind 4: must be an ICICLE_INDEX_ constant", &[slice(4, None, None, 1)]);
    refuse("at most 2 and one", &[slice(ICICLE_INDEX_SLICE, None, None, 1); 3]);
    let turned = made(|out| unsafe { icicle_array_matrix_transpose(x, out) });
    let mut strides = [0; 2];
    assert_eq!(unsafe { icicle_array_shape(turned, 2, null_mut(), strides.as_mut_ptr()) }, Code::Success);
    assert_eq!((strides, info(turned).is_dense), ([4, 12], false));
    let dense = made(|out| unsafe { icicle_array_copy(turned, out) });
    assert!(info(dense).is_dense);
    let moved = made(|out| unsafe { icicle_array_moveaxis(x, [0].as_ptr(), [-1].as_ptr(), 1, out) });
    let order = made(|out| unsafe { icicle_array_permute_dims(x, [1, 0].as_ptr(), 2, out) });
    let wide = made(|out| unsafe { icicle_array_expand_dims(x, 0, out) });
    let narrow = made(|out| unsafe { icicle_array_squeeze(wide, [0].as_ptr(), 1, out) });
    let tall = made(|out| unsafe { icicle_array_broadcast_to(x, [2, 2, 3].as_ptr(), 3, out) });
    refused(Code::InvalidArgument, "must be all 2 axes", |out| unsafe {
        icicle_array_permute_dims(x, [0].as_ptr(), 1, out)
    });
    refused(Code::InvalidArgument, "axis 2", |out| unsafe { icicle_array_squeeze(x, [2].as_ptr(), 1, out) });
    refused(Code::InvalidArgument, "axis_count 65: must be at most 64", |out| unsafe {
        icicle_array_flip(x, [0].as_ptr(), 65, out)
    });
    refused(Code::InvalidArgument, "axis 0 occurs twice", |out| unsafe {
        icicle_array_sum(x, [0, -2].as_ptr(), 2, 0, DEFAULT, out)
    });
    refused(Code::InvalidArgument, "does not broadcast", |out| unsafe {
        icicle_array_broadcast_to(x, [2, 4].as_ptr(), 2, out)
    });
    free(&[x]);
    assert_eq!(read(columns), (vec![2, 2], vec![2, 0, 5, 3]));
    assert_eq!(read(row), (vec![1, 3], vec![3, 4, 5]));
    assert_eq!(read(second), (vec![1, 3], vec![3, 4, 5]));
    for array in [turned, dense, moved, order] {
        assert_eq!(read(array), (vec![3, 2], vec![0, 3, 1, 4, 2, 5]));
    }
    assert_eq!(read(narrow), (vec![2, 3], (0..6).collect()));
    assert_eq!(read::<i32>(tall).1, [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]);
    free(&[columns, row, second, turned, dense, moved, order, wide, narrow, tall]);
}

#[test]
fn what_does_not_fit_is_named() {
    let (x, y) = (ints(&[1, 2, 3], &[3]), ints(&[1, 2], &[2]));
    let floats = made(|out| unsafe { icicle_array_astype(x, FLOAT32, out) });
    refused(Code::InvalidArgument, "add: shapes [[3], [2]]", |out| unsafe { icicle_array_binary(ADD, x, y, out) });
    refused(Code::InvalidArgument, "add: dtypes int32 and float32: have no common dtype", |out| unsafe {
        icicle_array_binary(ADD, x, floats, out)
    });
    refused(Code::InvalidArgument, "op 99: must be an icicle_binary_op_t", |out| unsafe {
        icicle_array_binary(99, x, y, out)
    });
    refused(Code::InvalidArgument, "op -1: must be an icicle_unary_op_t", |out| unsafe {
        icicle_array_unary(-1, x, out)
    });
    refused(Code::InvalidArgument, "sqrt: array of int32: the operation is not defined for it", |out| unsafe {
        icicle_array_unary(4, x, out)
    });
    refused(Code::InvalidArgument, "where: condition of int32: must be of bool", |out| unsafe {
        icicle_array_where(x, x, x, out)
    });
    refused(Code::InvalidArgument, "mean: array of int32: must be floating point", |out| unsafe {
        icicle_array_mean(x, null(), 0, 0, out)
    });
    refused(Code::InvalidArgument, "sum: dtype 15", |out| unsafe { icicle_array_sum(x, null(), 0, 0, 15, out) });
    refused(Code::InvalidArgument, "matmul: shapes [3] and [2]", |out| unsafe { icicle_array_matmul(x, y, out) });
    refused(Code::InvalidArgument, "count 0: must be at least 1", |out| unsafe {
        icicle_array_stack(null(), 0, 0, out)
    });
    refused(Code::InvalidPointer, "concat: arrays[1]: array is null", |out| unsafe {
        icicle_array_concat([x, null_mut()].as_ptr(), 2, null(), out)
    });
    refused(Code::InvalidArgument, "count 2: the array has 1 axes", |out| unsafe { icicle_array_nonzero(x, out, 2) });
    let bounds = |min, max| made(|out| unsafe { icicle_array_clip(x, min, max, out) });
    let two =
        made(|out| unsafe { icicle_array_full(scalar(ICICLE_SCALAR_INT, 2, 0.0), INT32, null(), 0, null(), out) });
    let (above, below, both) = (bounds(two, null_mut()), bounds(null_mut(), two), bounds(two, two));
    assert_eq!((read(above).1, read(below).1, read(both).1), (vec![2, 2, 3], vec![1, 2, 2], vec![2, 2, 2]));
    let short = [0u8; 8];
    assert_eq!(unsafe { icicle_array_to_host(x, short.as_ptr().cast_mut().cast(), 8) }, Code::InvalidArgument);
    assert_eq!(message(), "to_host: data of 8 bytes: 3 elements of int32 take 12");
    assert_eq!(unsafe { icicle_array_to_host(x, null_mut(), 12) }, Code::InvalidPointer);
    assert_eq!(unsafe { icicle_array_shape(x, 2, null_mut(), null_mut()) }, Code::InvalidArgument);
    assert_eq!(message(), "array_shape: rank 2: the array has 1 axes");
    free(&[x, y, floats, two, above, below, both]);
}

#[test]
fn freed_foreign_and_null_handles_are_errors() {
    let (x, gone) = (ints(&[1], &[1]), ints(&[1], &[1]));
    free(&[gone]);
    let stale = "freed already, or never one";
    refused(Code::InvalidPointer, stale, |out| unsafe { icicle_array_binary(ADD, x, gone, out) });
    assert_eq!(icicle_array_free(gone), Code::InvalidPointer);
    assert!(message().contains(stale));
    assert_eq!(icicle_array_free(null_mut()), Code::Success);
    refused(Code::InvalidPointer, "y: array is null", |out| unsafe { icicle_array_binary(ADD, x, null_mut(), out) });
    refused(Code::InvalidPointer, "clip: min: array", |out| unsafe { icicle_array_clip(x, gone, null_mut(), out) });
    let mut group = null_mut();
    assert_eq!(unsafe { icicle_c::group::icicle_group_create_all(&mut group) }, Code::Success);
    refused(Code::InvalidPointer, stale, |out| unsafe { icicle_array_sort(group, 0, 0, out) });
    assert_eq!(icicle_c::group::icicle_group_destroy(x), Code::InvalidPointer);
    assert_eq!(icicle_c::group::icicle_group_destroy(group), Code::Success);
    assert!(x.addr() > 64 << 10);
    free(&[x]);
}

/// Threads compute on arrays that others free: each call gives the whole result, or says that the handle is gone.
#[test]
fn threads_free_arrays_that_others_use() {
    const N: usize = 10_000;
    let data: Vec<i32> = (0..N as i32).collect();
    let shared: Vec<AtomicUsize> = (0..4).map(|_| AtomicUsize::new(ints(&data, &[N as i64]).addr())).collect();
    let (stop, done, stale) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let handle = |k: usize| std::ptr::without_provenance_mut(shared[k % 4].load(Ordering::Relaxed));
    std::thread::scope(|scope| {
        for t in 0..3 {
            let (handle, stop, done, stale) = (&handle, &stop, &done, &stale);
            scope.spawn(move || {
                for k in t.. {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let mut out = null_mut();
                    match unsafe { icicle_array_binary(ADD, handle(k), handle(k + 1), &mut out) } {
                        Code::Success => {
                            let sums = read::<i32>(out).1;
                            assert!(sums.iter().enumerate().all(|(i, &sum)| sum == 2 * i as i32));
                            free(&[out]);
                            done.fetch_add(1, Ordering::Relaxed);
                        }
                        Code::InvalidPointer => {
                            assert!(message().contains("freed already"));
                            stale.fetch_add(1, Ordering::Relaxed);
                        }
                        other => panic!("{other:?}: {}", message()),
                    }
                }
            });
        }
        for k in 0..2000 {
            let old = handle(k);
            free(&[old]);
            std::thread::yield_now();
            shared[k % 4].store(ints(&data, &[N as i64]).addr(), Ordering::Relaxed);
        }
        while done.load(Ordering::Relaxed) == 0 {
            std::thread::yield_now();
        }
        stop.store(true, Ordering::Relaxed);
    });
    (0..4).for_each(|k| free(&[handle(k)]));
}

/// Numbers that programs were compiled with; rows are added to the tables' ends only.
#[test]
fn numbers_of_dtypes_and_operations_stay() {
    let names = |name: extern "C" fn(i32) -> *const std::ffi::c_char| {
        let texts = (0i32..).map(|k| name(k)).take_while(|text| !text.is_null());
        assert!(name(-1).is_null() && name(i32::MAX).is_null());
        texts.map(|text| unsafe { CStr::from_ptr(text) }.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    };
    let dtypes =
        "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128";
    assert_eq!(names(icicle_dtype_name), dtypes);
    let unary = "abs negative positive sign sqrt square reciprocal exp expm1 log log1p log2 log10 sin cos tan asin acos atan sinh \
                 cosh tanh asinh acosh atanh floor ceil trunc round isnan isinf isfinite signbit conj real imag logical_not \
                 bitwise_invert";
    assert!(names(icicle_unary_op_name).starts_with(unary), "{}", names(icicle_unary_op_name));
    let binary = "add subtract multiply divide floor_divide remainder pow atan2 hypot copysign nextafter logaddexp maximum minimum \
                  bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift equal not_equal less less_equal \
                  greater greater_equal logical_and logical_or logical_xor";
    assert!(names(icicle_binary_op_name).starts_with(binary), "{}", names(icicle_binary_op_name));
    assert_eq!((icicle_dtype_bytes(14), icicle_dtype_bytes(15), icicle_dtype_bytes(-1)), (16, 0, 0));
}

#[test]
fn arrays_move_between_devices() {
    let x = ints(&[1, 2, 3], &[3]);
    let here = made(|out| unsafe { icicle_array_to_device(x, &cpu(0), out) });
    let current = made(|out| unsafe { icicle_array_to_device(x, null(), out) });
    assert_eq!((read::<i32>(here).1, read::<i32>(current).1), (vec![1, 2, 3], vec![1, 2, 3]));
    refused(Code::InvalidDevice, "63", |out| unsafe { icicle_array_to_device(x, &cpu(63), out) });
    free(&[x, here, current]);
}

/// Page-locked if there is a GPU.
#[test]
fn pinned_memory_of_the_host() {
    let x = ints(&[1, 2, 3, 4, 5, 6], &[2, 3]);
    let turned = made(|out| unsafe { icicle_array_matrix_transpose(x, out) });
    let pinned = made(|out| unsafe { icicle_array_to_pinned(turned, out) });
    let is_pinned = |array| {
        let mut found = true;
        assert_eq!(unsafe { icicle_array_is_pinned(array, &mut found) }, Code::Success, "{}", message());
        found
    };
    let mut gpu = cpu(0);
    gpu.device_type[..4].copy_from_slice(&b"CUDA".map(|byte| byte as _));
    let is_gpu = unsafe { icicle_is_device_available(&gpu) } == Code::Success;
    assert_eq!((is_pinned(turned), is_pinned(pinned)), (false, is_gpu));
    assert!(info(pinned).is_dense && !info(turned).is_dense);
    free(&[turned]);
    assert_eq!(read::<i32>(pinned), (vec![3, 2], vec![1, 4, 2, 5, 3, 6]));
    refused(Code::InvalidPointer, "freed already", |out| unsafe { icicle_array_to_pinned(turned, out) });
    assert_eq!(unsafe { icicle_array_to_pinned(x, null_mut()) }, Code::InvalidPointer);
    assert_eq!(unsafe { icicle_array_is_pinned(x, null_mut()) }, Code::InvalidPointer);
    assert!(message().contains("is_pinned: pinned"));
    free(&[x, pinned]);
}

/// Of CPUs, all memory is unified.
#[test]
fn unified_memory_of_cpus() {
    let x = ints(&[1, 2, 3, 4, 5, 6], &[2, 3]);
    let turned = made(|out| unsafe { icicle_array_matrix_transpose(x, out) });
    let unified = made(|out| unsafe { icicle_array_to_unified(turned, &cpu(0), out) });
    let current = made(|out| unsafe { icicle_array_to_unified(turned, null(), out) });
    let shared = made(|out| unsafe { icicle_array_shared_with(unified, null(), out) });
    for array in [x, turned, unified, current, shared] {
        let mut found = false;
        assert_eq!(unsafe { icicle_array_is_unified(array, &mut found) }, Code::Success, "{}", message());
        assert!(found);
        assert_eq!(icicle_array_prefetch(array), Code::Success, "{}", message());
    }
    // What was made from an array stays when that is freed.
    free(&[unified]);
    for array in [current, shared] {
        assert!(info(array).is_dense);
        assert_eq!(read::<i32>(array), (vec![3, 2], vec![1, 4, 2, 5, 3, 6]));
    }
    refused(Code::InvalidDevice, "63", |out| unsafe { icicle_array_to_unified(x, &cpu(63), out) });
    refused(Code::InvalidDevice, "63", |out| unsafe { icicle_array_shared_with(x, &cpu(63), out) });
    refused(Code::InvalidPointer, "to_unified: array", |out| unsafe {
        icicle_array_to_unified(null_mut(), null(), out)
    });
    refused(Code::InvalidPointer, "freed already", |out| unsafe { icicle_array_shared_with(unified, null(), out) });
    assert_eq!(unsafe { icicle_array_is_unified(x, null_mut()) }, Code::InvalidPointer);
    assert!(message().contains("is_unified: unified"));
    assert_eq!(icicle_array_prefetch(unified), Code::InvalidPointer);
    assert!(message().contains("prefetch: array"));
    assert_eq!(unsafe { icicle_array_to_unified(x, null(), null_mut()) }, Code::InvalidPointer);
    free(&[x, turned, current, shared]);
}
