// Calls on arrays of numbers, on one device and over groups, and what draws random ones.

use super::input::{Input, ROOM};
use icicle_c::{
    array, array_elementwise, array_order, array_pinned, array_reduce, array_types, array_unified, array_views, error,
    random, sharded_array, sharded_array_reduce,
};
use std::ffi::c_void;

fn is_large(array: *mut c_void) -> bool {
    // SAFETY: plain numbers and bytes.
    let mut info = unsafe { std::mem::zeroed::<array_types::ArrayInfo>() };
    info.struct_size = size_of::<array_types::ArrayInfo>();
    // SAFETY: any address may be asked about, and the output is a local.
    unsafe { array::icicle_array_info(array, &mut info) == error::Code::Success && info.size > 1 << 12 }
}

/// Calls on arrays of numbers. Lists hold four, and counts at most as many; ranks are at most four.
///
/// # Safety
/// As `super::call`.
pub unsafe fn call(i: &mut Input, which: u8, out: &mut *mut c_void) -> error::Code {
    let (x, y, z) = (i.handle(), i.handle(), i.handle());
    // Few calls would make arrays of gigabytes of each other.
    if which != 58 && [x, y, z].into_iter().any(is_large) {
        return array::icicle_array_free(std::ptr::null_mut());
    }
    let dtype = i32::from(i.byte() % 17) - 1;
    let ((axes, n), (other, _), (shape, rank)) = (i.axes(), i.axes(), i.shape());
    let (axes, flag) = (if i.byte().is_multiple_of(4) { std::ptr::null() } else { axes.as_ptr() }, i.byte() % 2);
    let (extents, none) = (shape.as_ptr(), std::ptr::null());
    // SAFETY: pointers are null or hold four numbers; memory has ROOM words, which hold all that small extents and strides
    // of at most 64 bytes name from the middle of it, and larger ones are refused.
    unsafe {
        match (which, i.byte() % 12) {
            (52, 0..=3) => {
                let strides: [i64; 4] = std::array::from_fn(|_| i64::from(i.byte() % 17) * 8 - 64);
                let start = i.host.as_ptr().wrapping_add(ROOM / 2).cast();
                let small = shape.iter().all(|&extent| extent <= 5);
                let strides = if small && i.byte().is_multiple_of(2) { strides.as_ptr() } else { none };
                match small {
                    true => array::icicle_array_from_host(dtype, start, extents, rank, strides, std::ptr::null(), out),
                    false => {
                        array::icicle_array_from_host(dtype, none.cast(), extents, rank, none, std::ptr::null(), out)
                    }
                }
            }
            // What is too large for memory is not asked for, as the sanitizer would have it end the program.
            (52, 4..=9) if shape.iter().any(|&extent| extent > 5) => array::icicle_array_free(std::ptr::null_mut()),
            (52, 4) => array::icicle_array_zeros(dtype, extents, rank, std::ptr::null(), out),
            (52, 5) => array::icicle_array_full(i.scalar(), dtype, extents, rank, std::ptr::null(), out),
            (52, 6) => array::icicle_array_eye(shape[0], shape[1], shape[2], dtype, std::ptr::null(), out),
            (52, 7) => {
                array::icicle_array_linspace(i.scalar(), i.scalar(), shape[0], flag, dtype, std::ptr::null(), out)
            }
            (52, 8) => array::icicle_array_arange(i.scalar(), i.scalar(), i.scalar(), dtype, std::ptr::null(), out),
            (52, 9) => array::icicle_array_ones(dtype, extents, rank, std::ptr::null(), out),
            (52, _) => array::icicle_array_astype(x, dtype, out),
            (53, 0..=3) => array_elementwise::icicle_array_unary(i32::from(i.byte() % 42) - 1, x, out),
            (53, 4..=8) => array_elementwise::icicle_array_binary(i32::from(i.byte() % 30) - 1, x, y, out),
            (53, 9) => {
                array_elementwise::icicle_array_binary_scalar(i32::from(i.byte() % 30) - 1, x, i.scalar(), flag, out)
            }
            (53, 10) => array_elementwise::icicle_array_where(x, y, z, out),
            (53, _) => array_elementwise::icicle_array_clip(x, y, z, out),
            (54, 0) => array_reduce::icicle_array_sum(x, axes, n, flag, dtype, out),
            (54, 1) => array_reduce::icicle_array_prod(x, axes, n, flag, dtype, out),
            (54, 2) => array_reduce::icicle_array_min(x, axes, n, flag, out),
            (54, 3) => array_reduce::icicle_array_max(x, axes, n, flag, out),
            (54, 4) => array_reduce::icicle_array_mean(x, axes, n, flag, out),
            (54, 5) => array_reduce::icicle_array_var(x, axes, n, 1.0, flag, out),
            (54, 6) => array_reduce::icicle_array_std(x, axes, n, 1.0, flag, out),
            (54, 7) => array_reduce::icicle_array_all(x, axes, n, flag, out),
            (54, 8) => array_reduce::icicle_array_any(x, axes, n, flag, out),
            (54, 9) => array_reduce::icicle_array_count_nonzero(x, axes, n, flag, out),
            (54, _) => array_reduce::icicle_array_argmin(x, axes, flag, out),
            (55, 0) => array_reduce::icicle_array_argmax(x, axes, flag, out),
            (55, 1) => array_reduce::icicle_array_cumulative_sum(x, axes, dtype, flag, out),
            (55, 2) => array_reduce::icicle_array_cumulative_prod(x, axes, dtype, flag, out),
            (55, 3) => array_order::icicle_array_sort(x, other[0], flag, out),
            (55, 4) => array_order::icicle_array_argsort(x, other[0], flag, out),
            (55, 5) => array_order::icicle_array_searchsorted(x, y, flag, out),
            (55, 6) => array_order::icicle_array_unique_values(x, out),
            (55, 7) => array_order::icicle_array_matmul(x, y, out),
            (55, 8) => array_order::icicle_array_tensordot(x, y, axes, other.as_ptr(), n, out),
            (55, 9) => array_order::icicle_array_vecdot(x, y, other[0], out),
            (55, _) => array::icicle_array_copy(x, out),
            (56, 0) => array_views::icicle_array_reshape(x, extents, rank, out),
            (56, 1) => array_views::icicle_array_permute_dims(x, axes, n, out),
            (56, 2) => array_views::icicle_array_matrix_transpose(x, out),
            (56, 3) => array_views::icicle_array_moveaxis(x, axes, other.as_ptr(), n, out),
            (56, 4) => array_views::icicle_array_expand_dims(x, other[0], out),
            (56, 5) => array_views::icicle_array_squeeze(x, axes, n, out),
            (56, 6) => array_views::icicle_array_flip(x, axes, n, out),
            (56, 7) => array_views::icicle_array_roll(x, extents, axes, n, out),
            (56, 8) => array_views::icicle_array_take(x, y, other[0], out),
            (56, 9) => array_views::icicle_array_take_along_axis(x, y, other[0], out),
            (56, _) => array_views::icicle_array_compress(x, y, out),
            (57, 0..=5) => {
                let indices: [array_types::ArrayIndex; 4] = std::array::from_fn(|_| array_types::ArrayIndex {
                    kind: i32::from(i.byte() % 6) - 1,
                    has_start: i.byte() % 3,
                    has_stop: i.byte() % 3,
                    start: i64::from(i.byte() % 12) - 6,
                    stop: i.size(),
                    step: i.size(),
                });
                array_views::icicle_array_index(x, indices.as_ptr(), n.min(4), out)
            }
            (57, 6) => array_views::icicle_array_concat([x, y, z].as_ptr(), n.min(3), axes, out),
            (57, 7) => array_views::icicle_array_stack([x, y, z].as_ptr(), n.min(3), other[0], out),
            (57, 8) => {
                let mut made = [std::ptr::null_mut(); 8];
                let code = array_views::icicle_array_nonzero(x, made.as_mut_ptr(), rank);
                i.handles.extend(made.into_iter().filter(|handle| !handle.is_null()));
                code
            }
            (57, 9) => array::icicle_array_to_device(x, std::ptr::null(), out),
            (57, 10) => array_unified::icicle_array_to_unified(x, std::ptr::null(), out),
            (57, _) if flag == 1 => array_pinned::icicle_array_to_pinned(x, out),
            (57, _) => array_unified::icicle_array_shared_with(x, std::ptr::null(), out),
            (58, 0..=5) => {
                let mut info = std::mem::zeroed::<array_types::ArrayInfo>();
                info.struct_size = size_of::<array_types::ArrayInfo>();
                let code = array::icicle_array_info(x, &mut info);
                let bytes = info.size as usize * array::icicle_dtype_bytes(info.dtype);
                if code == error::Code::Success && bytes <= ROOM * 8 {
                    let mut shape = [0; 64];
                    let _ = array::icicle_array_shape(x, info.rank, shape.as_mut_ptr(), std::ptr::null_mut());
                    assert_eq!(shape[..info.rank as usize].iter().product::<i64>(), info.size);
                    let mut memory = vec![0u8; bytes];
                    let copied = array::icicle_array_to_host(x, memory.as_mut_ptr().cast(), bytes as u64);
                    assert_eq!(copied, error::Code::Success);
                }
                code
            }
            (58, 6) => array_unified::icicle_array_is_unified(x, &mut false),
            (58, 7) => array_unified::icicle_array_prefetch(x),
            (58, 8) => array_pinned::icicle_array_is_pinned(x, &mut false),
            (58, _) => array::icicle_array_item(x, &mut i.scalar()),
            _ => array_views::icicle_array_broadcast_to(x, extents, rank, out),
        }
    }
}

/// Calls that draw random numbers: few, or more than memory holds.
///
/// # Safety
/// As `super::call`.
pub unsafe fn call_random(i: &mut Input, out: &mut *mut c_void) -> error::Code {
    let mut keys = [random::icicle_random_key(u64::from(i.byte())); 4];
    let (key, x, place) = (random::icicle_random_fold_in(keys[0], 1), i.handle(), std::ptr::null());
    let (dtype, axis, n) = (i32::from(i.byte() % 17) - 1, i32::from(i.byte() % 6) - 3, i.size());
    let (shape, rank) = i.shape();
    let number = |byte: u8| [0.0, 1.0, 0.5, -3.0, 1e300, f64::NAN, f64::INFINITY, -1e308][byte as usize % 8];
    let (low, high) = (number(i.byte()), number(i.byte()));
    // Between few and what is refused lie gigabytes.
    if is_large(x) || shape.iter().any(|&extent| (6..1 << 61).contains(&extent)) {
        return array::icicle_array_free(std::ptr::null_mut());
    }
    let extents = shape.as_ptr();
    // SAFETY: lists hold four, ranks are at most four; handles are the library's or refused.
    unsafe {
        match i.byte() % 9 {
            0 => random::icicle_random_split(key, keys.as_mut_ptr(), n.min(4)),
            1 => random::icicle_random_bits(key, dtype, extents, rank, place, out),
            2 => random::icicle_random_uniform(key, low, high, dtype, extents, rank, place, out),
            3 => random::icicle_random_normal(key, dtype, extents, rank, place, out),
            4 => random::icicle_random_integers(key, i.scalar(), i.scalar(), dtype, extents, rank, place, out),
            5 => random::icicle_random_bernoulli(key, low, extents, rank, place, out),
            6 => random::icicle_random_permutation(key, n, place, out),
            7 => random::icicle_random_shuffle(key, x, axis, out),
            _ => random::icicle_random_choice(key, x, n, axis, i.byte() % 2, out),
        }
    }
}

/// Calls on arrays over groups.
///
/// # Safety
/// As `super::call`.
pub unsafe fn call_sharded(i: &mut Input, out: &mut *mut c_void) -> error::Code {
    use {sharded_array::*, sharded_array_reduce::*};
    let (group, x, y, flag) = (i.handle(), i.handle(), i.handle(), i.byte() % 3);
    let (list, n) = i.axes();
    let (axes, dtype) = if flag == 2 { (std::ptr::null(), -1) } else { (list.as_ptr(), i32::from(i.byte() % 17) - 1) };
    let (mut first, mut count) = (0, 0);
    if is_large(x) {
        return array::icicle_array_free(std::ptr::null_mut());
    }
    // SAFETY: lists hold four, and counts at most as many; handles are the library's or refused.
    unsafe {
        match i.byte() % 20 {
            0..=2 => icicle_sharded_array_scatter(group, x, axes, out),
            3 => icicle_sharded_array_reshard(group, x, axes, out),
            4 => icicle_sharded_array_gather(group, x, std::ptr::null(), out),
            5 => icicle_sharded_array_item(group, x, &mut i.scalar()),
            6 => icicle_sharded_array_astype(group, x, dtype, out),
            7 => icicle_sharded_array_unary(group, i32::from(i.byte() % 42) - 1, x, out),
            8 => icicle_sharded_array_binary(group, i32::from(i.byte() % 30) - 1, x, y, out),
            9 => icicle_sharded_array_binary_scalar(group, i32::from(i.byte() % 30) - 1, x, i.scalar(), flag, out),
            10 => icicle_sharded_array_matmul(group, x, y, out),
            11 => icicle_sharded_array_sum(group, x, axes, n, flag, out),
            12 => icicle_sharded_array_prod(group, x, axes, n, flag, out),
            13 => icicle_sharded_array_min(group, x, axes, n, flag, out),
            14 => icicle_sharded_array_max(group, x, axes, n, flag, out),
            15 => icicle_sharded_array_mean(group, x, axes, n, flag, out),
            16 => icicle_sharded_array_all(group, x, axes, n, flag, out),
            17 => icicle_sharded_array_any(group, x, axes, n, flag, out),
            18 => icicle_sharded_array_count_nonzero(group, x, axes, n, flag, out),
            _ => icicle_sharded_array_part(x, i.int(), out, &mut first, &mut count),
        }
    }
}
