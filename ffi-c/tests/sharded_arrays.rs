//! Arrays over groups by handle: what one device gives, however they lie, what is refused and in which words, and threads that
//! free what others use.
//!
//! SAFETY of every block here: host pointers are to locals that outlive the call, of the lengths given with them; handles are
//! null, or come from a call here and are freed once, after the last call that takes them; where threads free what others use,
//! the library's table keeps it alive or refuses it.
#![allow(missing_docs, unsafe_code, clippy::undocumented_unsafe_blocks)] // calls of the C boundary with live arguments
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use icicle_c::array::*;
use icicle_c::array_elementwise::*;
use icicle_c::array_order::*;
use icicle_c::array_reduce::*;
use icicle_c::array_types::*;
use icicle_c::error::{Code, icicle_error_take};
use icicle_c::group::*;
use icicle_c::sharded_array::*;
use icicle_c::sharded_array_reduce::*;
use icicle_c::types::IcicleDevice;
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const INT32: i32 = 3;
const FLOAT32: i32 = 11;
const FLOAT64: i32 = 12;
const DEFAULT: i32 = -1;
const ADD: i32 = 0;
const SUBTRACT: i32 = 1;
const NEGATIVE: i32 = 1;
const SQRT: i32 = 4;

type Handle = *mut c_void;

fn cpu(id: i32) -> IcicleDevice {
    let mut device = IcicleDevice { device_type: [0; 64], id };
    device.device_type[..3].copy_from_slice(&[b'C', b'P', b'U'].map(|byte| byte as _));
    device
}

/// Four devices, of which one has no share; or some.
fn group(shares: &[f64]) -> Handle {
    static SET: Once = Once::new();
    // Before anything asks for a device.
    SET.call_once(|| unsafe { std::env::set_var("ICICLE_CPU_DEVICES", "4") });
    let devices: Vec<_> = (0..shares.len() as i32).map(cpu).collect();
    made(|out| unsafe { icicle_group_create(devices.as_ptr(), shares.len() as i32, shares.as_ptr(), out) })
}

fn message() -> String {
    let mut text = [0; 512];
    let _ = unsafe { icicle_error_take(text.as_mut_ptr(), text.len()) };
    unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned()
}

/// What a call makes.
fn made(call: impl FnOnce(*mut Handle) -> Code) -> Handle {
    let mut out = null_mut();
    let code = call(&mut out);
    assert_eq!(code, Code::Success, "{}", message());
    out
}

/// A call that makes nothing, and says why.
fn refused(code: Code, text: &str, call: impl FnOnce(*mut Handle) -> Code) {
    let mark = std::ptr::without_provenance_mut(48);
    let mut out = mark;
    assert_eq!(call(&mut out), code, "{}", message());
    let message = message();
    assert!(message.contains(text), "{message:?} lacks {text:?}");
    assert_eq!(out, mark, "{message}");
}

fn floats(data: &[f32], shape: &[i64]) -> Handle {
    made(|out| unsafe {
        icicle_array_from_host(FLOAT32, data.as_ptr().cast(), shape.as_ptr(), shape.len() as i32, null(), null(), out)
    })
}

/// A table of small numbers, none of which is 0 or the same as its neighbour.
fn table(rows: i64, columns: i64) -> Handle {
    floats(&(0..rows * columns).map(|i| ((i * 7919 + 13) % 41 - 20) as f32 + 0.5).collect::<Vec<_>>(), &[rows, columns])
}

/// Shape and values as doubles; the array is freed.
fn taken(array: Handle) -> (Vec<i64>, Vec<f64>) {
    let wide = made(|out| unsafe { icicle_array_astype(array, FLOAT64, out) });
    let mut info: ArrayInfo = unsafe { std::mem::zeroed() };
    info.struct_size = size_of::<ArrayInfo>();
    assert_eq!(unsafe { icicle_array_info(wide, &mut info) }, Code::Success, "{}", message());
    let (mut shape, mut data) = (vec![0; info.rank as usize], vec![0f64; info.size as usize]);
    unsafe {
        assert_eq!(icicle_array_shape(wide, info.rank, shape.as_mut_ptr(), null_mut()), Code::Success);
        assert_eq!(icicle_array_to_host(wide, data.as_mut_ptr().cast(), (data.len() * 8) as u64), Code::Success);
    }
    assert_eq!((icicle_array_free(wide), icicle_array_free(array)), (Code::Success, Code::Success));
    (shape, data)
}

fn info(array: Handle) -> ShardedArrayInfo {
    let mut info: ShardedArrayInfo = unsafe { std::mem::zeroed() };
    info.struct_size = size_of::<ShardedArrayInfo>();
    assert_eq!(unsafe { icicle_sharded_array_info(array, &mut info) }, Code::Success, "{}", message());
    info
}

fn axis_of(axis: &Option<i32>) -> *const i32 {
    axis.as_ref().map_or(null(), |axis| axis)
}

fn scatter(group: Handle, array: Handle, axis: Option<i32>) -> Handle {
    made(|out| unsafe { icicle_sharded_array_scatter(group, array, axis_of(&axis), out) })
}

/// That an array over a group is one of a device, which is freed with it.
fn same(group: Handle, sharded: Handle, whole: Handle, what: &str) {
    let want = taken(whole);
    let shape: Vec<i64> = {
        let mut shape = vec![0; info(sharded).rank as usize];
        let code = unsafe { icicle_sharded_array_shape(sharded, shape.len() as i32, shape.as_mut_ptr()) };
        assert_eq!(code, Code::Success, "{}", message());
        shape
    };
    assert_eq!((shape, info(sharded).size), (want.0.clone(), want.1.len() as i64), "{what}");
    let here = made(|out| unsafe { icicle_sharded_array_gather(group, sharded, null(), out) });
    assert_eq!(taken(here), want, "{what}");
    assert_eq!(icicle_sharded_array_free(sharded), Code::Success, "{}", message());
}

/// As C declares the reductions of one device, and of a group.
type OfOne = unsafe extern "C" fn(Handle, *const i32, i32, u8, *mut Handle) -> Code;
type OfGroup = unsafe extern "C" fn(Handle, Handle, *const i32, i32, u8, *mut Handle) -> Code;

unsafe extern "C" fn sum(x: Handle, axes: *const i32, n: i32, keep: u8, out: *mut Handle) -> Code {
    unsafe { icicle_array_sum(x, axes, n, keep, DEFAULT, out) }
}
unsafe extern "C" fn prod(x: Handle, axes: *const i32, n: i32, keep: u8, out: *mut Handle) -> Code {
    unsafe { icicle_array_prod(x, axes, n, keep, DEFAULT, out) }
}

#[test]
fn results_are_one_devices() {
    let folds: [(&str, OfOne, OfGroup); 8] = [
        ("sum", sum, icicle_sharded_array_sum),
        ("prod", prod, icicle_sharded_array_prod),
        ("min", icicle_array_min, icicle_sharded_array_min),
        ("max", icicle_array_max, icicle_sharded_array_max),
        ("mean", icicle_array_mean, icicle_sharded_array_mean),
        ("all", icicle_array_all, icicle_sharded_array_all),
        ("any", icicle_array_any, icicle_sharded_array_any),
        ("count_nonzero", icicle_array_count_nonzero, icicle_sharded_array_count_nonzero),
    ];
    let half = Scalar { kind: ICICLE_SCALAR_FLOAT, integer: 0, real: 0.5, imaginary: 0.0 };
    for shares in [&[1.0][..], &[1.0, 3.0], &[2.0, 0.0, 1.0, 1.0]] {
        let group = group(shares);
        let (x, row, y) = (table(5, 4), floats(&[1.0, -2.0, 3.0, -4.0], &[4]), table(4, 3));
        for axis in [Some(0), Some(-1), None] {
            let what = format!("{axis:?} over {}", shares.len());
            let array = scatter(group, x, axis);
            let found = info(array);
            let expected =
                axis.map_or((ICICLE_PLACEMENT_REPLICATED, -1), |a| (ICICLE_PLACEMENT_SPLIT, a.rem_euclid(2)));
            assert_eq!((found.placement, found.axis), expected, "{what}");
            assert_eq!((found.dtype, found.rank, found.devices), (FLOAT32, 2, shares.len() as i32));
            let one = |call: &dyn Fn(*mut Handle) -> Code| made(call);
            unsafe {
                same(
                    group,
                    one(&|out| icicle_sharded_array_unary(group, NEGATIVE, array, out)),
                    one(&|out| icicle_array_unary(NEGATIVE, x, out)),
                    &what,
                );
                same(
                    group,
                    one(&|out| icicle_sharded_array_astype(group, array, INT32, out)),
                    one(&|out| icicle_array_astype(x, INT32, out)),
                    &what,
                );
                for reversed in [0, 1] {
                    same(
                        group,
                        one(&|out| icicle_sharded_array_binary_scalar(group, SUBTRACT, array, half, reversed, out)),
                        one(&|out| icicle_array_binary_scalar(SUBTRACT, x, half, reversed, out)),
                        &what,
                    );
                }
                for other in [Some(0), None] {
                    let (over_row, over_y) = (scatter(group, row, other), scatter(group, y, other));
                    same(
                        group,
                        one(&|out| icicle_sharded_array_binary(group, SUBTRACT, array, over_row, out)),
                        one(&|out| icicle_array_binary(SUBTRACT, x, row, out)),
                        &what,
                    );
                    let product = one(&|out| icicle_sharded_array_matmul(group, array, over_y, out));
                    same(group, product, one(&|out| icicle_array_matmul(x, y, out)), &what);
                    for one in [over_row, over_y] {
                        assert_eq!(icicle_sharded_array_free(one), Code::Success);
                    }
                }
                for (name, of_one, of_group) in &folds {
                    for (axes, keep) in [(&[][..], 0), (&[0][..], 1), (&[-1][..], 0), (&[0, 1][..], 1)] {
                        let (list, n) = if name == &"sum" && axes.len() == 2 {
                            (null(), 0)
                        } else {
                            (axes.as_ptr(), axes.len() as i32)
                        };
                        same(
                            group,
                            one(&|out| of_group(group, array, list, n, keep, out)),
                            one(&|out| of_one(x, list, n, keep, out)),
                            &format!("{name} {axes:?} {what}"),
                        );
                    }
                }
                for to in [Some(1), Some(0), None] {
                    let moved = one(&|out| icicle_sharded_array_reshard(group, array, axis_of(&to), out));
                    assert_eq!(info(moved).axis, to.unwrap_or(-1));
                    same(group, moved, one(&|out| icicle_array_copy(x, out)), &what);
                }
                assert_eq!(icicle_sharded_array_free(array), Code::Success);
            }
        }
        for array in [x, row, y] {
            assert_eq!(icicle_array_free(array), Code::Success);
        }
        assert_eq!(icicle_group_destroy(group), Code::Success);
    }
}

#[test]
fn parts_are_what_devices_hold() {
    let group = group(&[2.0, 0.0, 1.0, 1.0]);
    let x = floats(&[33_554_432.0, 1.0, -33_554_432.0, 1.0], &[4]);
    let array = scatter(group, x, Some(0));
    let (mut at, mut all) = (0, Vec::new());
    for position in 0..4 {
        let (mut first, mut count) = (9, 9);
        let part = made(|out| unsafe { icicle_sharded_array_part(array, position, out, &mut first, &mut count) });
        let mut about: ArrayInfo = unsafe { std::mem::zeroed() };
        about.struct_size = size_of::<ArrayInfo>();
        assert_eq!(unsafe { icicle_array_info(part, &mut about) }, Code::Success);
        assert_eq!((first, about.size, about.device.id), (at, count, position));
        at += count;
        all.extend(taken(part).1);
    }
    assert_eq!(all, [33_554_432.0, 1.0, -33_554_432.0, 1.0]);
    // Partial sums are held in doubles, and rounded once.
    let sum = made(|out| unsafe { icicle_sharded_array_sum(group, array, null(), 0, 0, out) });
    assert_eq!((info(sum).placement, info(sum).axis, info(sum).dtype), (ICICLE_PLACEMENT_PARTIAL, -1, FLOAT32));
    let (mut first, mut count) = (9, 9);
    let part = made(|out| unsafe { icicle_sharded_array_part(sum, 0, out, &mut first, &mut count) });
    assert_eq!((first, count), (0, 0));
    assert_eq!(taken(part).1, [33_554_433.0]);
    let mut value = Scalar { kind: 9, integer: 9, real: 9.0, imaginary: 9.0 };
    assert_eq!(unsafe { icicle_sharded_array_item(group, sum, &mut value) }, Code::Success, "{}", message());
    assert_eq!((value.kind, value.real), (ICICLE_SCALAR_FLOAT, 2.0));
    // What was made of it stays; so does it when the group and the array are gone.
    assert_eq!(icicle_array_free(x), Code::Success);
    assert_eq!((icicle_sharded_array_free(array), icicle_group_destroy(group)), (Code::Success, Code::Success));
    assert_eq!(info(sum).size, 1);
    assert_eq!(icicle_sharded_array_free(sum), Code::Success);
    assert_eq!(icicle_sharded_array_free(null_mut()), Code::Success);
}

#[test]
fn what_cannot_be_is_refused() {
    let (group, other) = (group(&[1.0, 1.0]), group(&[1.0, 1.0, 1.0]));
    let (x, whole) =
        (table(4, 3), made(|out| unsafe { icicle_array_zeros(INT32, [4i64, 3].as_ptr(), 2, null(), out) }));
    let (array, ints) = (scatter(group, x, Some(0)), scatter(group, whole, Some(0)));
    let (argument, pointer) = (Code::InvalidArgument, Code::InvalidPointer);
    let nowhere = std::ptr::without_provenance_mut(48);
    let number = |kind, integer, real| Scalar { kind, integer, real, imaginary: 0.0 };
    unsafe {
        let scatter = |group, array, axis: *const i32| move |out| icicle_sharded_array_scatter(group, array, axis, out);
        refused(argument, "sharded_array: axis 2: an array of 2 axes has -2 to 1", scatter(group, x, &2));
        refused(pointer, "group is null", scatter(null_mut(), x, &0));
        refused(pointer, "freed already, or never one", scatter(x, x, &0));
        refused(pointer, "sharded_array_scatter: array: array is null", scatter(group, null_mut(), &0));
        refused(pointer, "array: array", scatter(group, array, &0));
        refused(pointer, "axis", scatter(group, x, [0i64].as_ptr().cast::<i32>().wrapping_byte_add(1)));
        assert_eq!(scatter(group, x, &0)(null_mut()), pointer);
        assert_eq!(message(), "sharded_array_scatter: made is null");
        refused(pointer, "array: sharded array", |out| icicle_sharded_array_gather(group, x, null(), out));
        refused(argument, "the group has cpu:0, cpu:1, cpu:2", |out| {
            icicle_sharded_array_gather(other, array, null(), out)
        });
        refused(Code::InvalidDevice, "63", |out| icicle_sharded_array_gather(group, array, &cpu(63), out));
        refused(argument, "the group has", |out| icicle_sharded_array_reshard(other, array, &0, out));
        refused(argument, "axis -3", |out| icicle_sharded_array_reshard(group, array, &-3, out));
        refused(argument, "dtype 99", |out| icicle_sharded_array_astype(group, array, 99, out));
        refused(argument, "unary: op 99: must be an icicle_unary_op_t", |out| {
            icicle_sharded_array_unary(group, 99, array, out)
        });
        refused(argument, "sqrt", |out| icicle_sharded_array_unary(group, SQRT, ints, out));
        refused(argument, "binary: op -1", |out| icicle_sharded_array_binary(group, -1, array, array, out));
        refused(argument, "have no common dtype", |out| icicle_sharded_array_binary(group, ADD, array, ints, out));
        refused(pointer, "y: sharded array", |out| icicle_sharded_array_binary(group, ADD, array, nowhere, out));
        let scalar = |x, value| move |out| icicle_sharded_array_binary_scalar(group, ADD, x, value, 0, out);
        refused(argument, "add: scalar Float(0.5) with an array of int32", scalar(ints, number(3, 0, 0.5)));
        refused(argument, "add: y: kind 9", scalar(ints, number(9, 0, 0.5)));
        refused(argument, "inner extents must be equal", |out| icicle_sharded_array_matmul(group, array, array, out));
        refused(argument, "sum: axis 2", |out| icicle_sharded_array_sum(group, array, &2, 1, 0, out));
        refused(argument, "axis_count 65", |out| icicle_sharded_array_sum(group, array, &0, 65, 0, out));
        refused(argument, "must be floating point", |out| icicle_sharded_array_mean(group, ints, null(), 0, 0, out));
        refused(pointer, "sharded_array_max: array: sharded array is null", |out| {
            icicle_sharded_array_max(group, null_mut(), null(), 0, 0, out)
        });
        let (mut first, mut count) = (7, 7);
        refused(argument, "position 2: the array lies on 2", |out| {
            icicle_sharded_array_part(array, 2, out, &mut first, &mut count)
        });
        refused(argument, "position -1", |out| icicle_sharded_array_part(array, -1, out, &mut first, &mut count));
        refused(pointer, "count is null", |out| icicle_sharded_array_part(array, 0, out, &mut first, null_mut()));
        assert_eq!((first, count), (7, 7));
        let mut value = number(9, 9, 9.0);
        assert_eq!(icicle_sharded_array_item(group, array, &mut value), argument);
        assert_eq!((message().as_str(), value.kind), ("item: array of 12 elements: must have exactly one", 9));
        assert_eq!(icicle_sharded_array_item(group, array, null_mut()), pointer);
        let mut about: ShardedArrayInfo = std::mem::zeroed();
        assert_eq!(icicle_sharded_array_info(array, &mut about), argument);
        assert!(message().contains("info.struct_size 0"));
        let mut shape = [7; 2];
        assert_eq!(icicle_sharded_array_shape(array, 1, shape.as_mut_ptr()), argument);
        assert_eq!((message().as_str(), shape), ("sharded_array_shape: rank 1: the array has 2 axes", [7; 2]));
        assert_eq!(icicle_sharded_array_shape(array, 2, null_mut()), pointer);
        assert_eq!(icicle_sharded_array_free(x), pointer);
        assert!(message().contains("sharded array"));
    }
    for one in [array, ints] {
        assert_eq!((icicle_sharded_array_free(one), icicle_sharded_array_free(one)), (Code::Success, pointer));
    }
    for one in [group, other] {
        assert_eq!(icicle_group_destroy(one), Code::Success);
    }
    assert_eq!((icicle_array_free(x), icicle_array_free(whole)), (Code::Success, Code::Success));
}

/// Arrays that vanish while others compute with them are kept until the call is done, or refused.
#[test]
fn threads_free_what_others_use() {
    let group = group(&[1.0, 2.0]);
    let x = table(64, 64);
    let slots: Vec<AtomicUsize> = (0..4).map(|_| AtomicUsize::new(scatter(group, x, Some(0)).addr())).collect();
    let (stop, done, gone) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let (group, x) = (group.addr(), x.addr());
    let handle = |number: usize| std::ptr::without_provenance_mut::<c_void>(number);
    std::thread::scope(|scope| {
        let users: Vec<_> = (0..3usize)
            .map(|t| {
                let (slots, done, gone) = (&slots, &done, &gone);
                scope.spawn(move || {
                    for i in 0..200 {
                        let array = handle(slots[(i + t) % slots.len()].load(Ordering::Relaxed));
                        let mut out = null_mut();
                        let code = unsafe { icicle_sharded_array_binary(handle(group), ADD, array, array, &mut out) };
                        match code {
                            Code::Success => {
                                assert_eq!(icicle_sharded_array_free(out), Code::Success);
                                done.fetch_add(1, Ordering::Relaxed);
                            }
                            Code::InvalidPointer => _ = gone.fetch_add(1, Ordering::Relaxed),
                            other => panic!("{other:?}: {}", message()),
                        }
                    }
                })
            })
            .collect();
        let (slots, stop) = (&slots, &stop);
        scope.spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                for slot in slots {
                    let next = scatter(handle(group), handle(x), None).addr();
                    let old = handle(slot.swap(next, Ordering::Relaxed));
                    assert_eq!(icicle_sharded_array_free(old), Code::Success);
                }
            }
        });
        users.into_iter().for_each(|user| user.join().unwrap());
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(done.load(Ordering::Relaxed) + gone.load(Ordering::Relaxed), 600);
    assert!(done.load(Ordering::Relaxed) > 0);
}

/// How exactly products of `float32` are computed is one number of the process.
#[test]
fn the_precision_of_products_stays() {
    assert_eq!(icicle_float32_matmul_precision(), ICICLE_FLOAT32_HIGHEST);
    assert_eq!(icicle_set_float32_matmul_precision(ICICLE_FLOAT32_HIGH), Code::Success);
    assert_eq!(icicle_float32_matmul_precision(), ICICLE_FLOAT32_HIGH);
    assert_eq!(icicle_set_float32_matmul_precision(2), Code::InvalidArgument);
    assert_eq!(message(), "set_float32_matmul_precision: precision 2: must be 0 (highest) or 1 (high)");
    assert_eq!(icicle_float32_matmul_precision(), ICICLE_FLOAT32_HIGH);
    assert_eq!(icicle_set_float32_matmul_precision(ICICLE_FLOAT32_HIGHEST), Code::Success);
}
