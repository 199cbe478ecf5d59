//! Arbitrary arguments to every entry, as the fuzz target makes them, from fixed seeds; and the ones that must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test's way to fail
#![allow(unsafe_code)] // the entries are C's

#[path = "../../tests/fuzz/src/drive.rs"]
#[allow(dead_code, missing_docs)]
mod drive;

use icicle_c::error::{Code, icicle_error_take};
use icicle_c::types::{MsmConfig, NttConfig8, VecOpsConfig};
use icicle_c::{encoding, memory, msm, ntt, vector};
use std::ffi::c_void;

/// So many inputs of a length, from fixed seeds.
fn inputs(count: u64, bytes: usize) -> impl Iterator<Item = Vec<u8>> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..count).map(move |round| {
        (0..bytes)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(round | 1);
                (state >> 56) as u8
            })
            .collect()
    })
}

#[test]
fn arbitrary_calls_end_with_a_code() {
    inputs(3000, 200).for_each(|data| drive::drive(&data));
}

#[test]
fn arbitrary_calls_on_encrypted_integers_end_with_a_code() {
    inputs(500, 600).for_each(|data| drive::drive_encrypted(&data));
}

fn message() -> String {
    let mut text = [0u8; 256];
    // SAFETY: the buffer has this many bytes.
    let _ = unsafe { icicle_error_take(text.as_mut_ptr().cast(), text.len()) };
    String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned()
}

const BN254: i32 = 10;

/// Each pointer of `vector_add`, null and misaligned, is named.
#[test]
fn each_bad_pointer_is_named() {
    let good = [1u32; 64];
    let mut out = [7u32; 64];
    let config = VecOpsConfig::default();
    for (bad, rule) in [(std::ptr::null::<c_void>(), "is null"), (good.as_ptr().wrapping_byte_add(1).cast(), "aligned")]
    {
        for (position, name) in ["vec_a", "vec_b", "output", "config"].iter().enumerate() {
            let pick = |at: usize, good: *const c_void| if at == position { bad } else { good };
            let source = good.as_ptr().cast();
            // SAFETY: the bad pointer is refused before use, the others hold two elements of 32 bytes and a configuration.
            let code = unsafe {
                vector::icicle_vector_add(
                    BN254,
                    pick(0, source),
                    pick(1, source),
                    2,
                    pick(3, (&raw const config).cast()).cast(),
                    pick(2, out.as_mut_ptr().cast_const().cast()).cast_mut(),
                )
            };
            let text = message();
            assert_eq!(code, Code::InvalidPointer, "{name}: {text}");
            assert!(text.contains(name) && text.contains(rule), "{name}: {text}");
        }
    }
    assert_eq!(out, [7; 64], "outputs are written on success only");
}

#[test]
fn sizes_and_numbers_out_of_range_are_named() {
    let data = [1u32; 256];
    let mut out = [7u32; 256];
    let (source, target) = (data.as_ptr().cast::<c_void>(), out.as_mut_ptr().cast::<c_void>());
    let transform = |edit: fn(&mut NttConfig8), size, dir| {
        let mut config = NttConfig8::default();
        edit(&mut config);
        // SAFETY: sizes beyond 8 elements, what the buffers hold, are refused before use.
        unsafe { ntt::icicle_ntt(BN254, source, size, dir, (&raw const config).cast(), target) }
    };
    let product = |edit: fn(&mut MsmConfig), size| {
        let mut config = MsmConfig::default();
        edit(&mut config);
        // SAFETY: as above; the result of 96 bytes has room.
        unsafe { msm::icicle_msm(11, source, source, size, &config, target) }
    };
    let check = |code: Code, want: &str| {
        let text = message();
        assert_eq!(code, Code::InvalidArgument, "{text}");
        assert!(text.contains(want), "{text} lacks {want}");
    };
    check(transform(|_| (), -1, 0), "size -1");
    check(transform(|_| (), 3, 0), "size 3");
    check(transform(|_| (), 1 << 62, 0), "address space");
    check(transform(|_| (), 4, 2), "dir 2");
    check(transform(|c| c.ordering = 6, 4, 0), "ordering 6");
    check(transform(|c| c.batch_size = 0, 4, 0), "batch_size 0");
    check(transform(|c| c.coset_gen = [0; 8], 4, 0), "coset_gen");
    check(transform(|c| c.coset_gen = [u32::MAX; 8], 4, 0), "coset_gen");
    check(product(|_| (), -1), "msm_size -1");
    check(product(|_| (), i64::MAX), "address space");
    check(product(|c| c.batch_size = -7, 1), "batch_size -7");
    check(product(|c| c.precompute_factor = 0, 1), "precompute_factor 0");
    check(product(|c| c.c = -1, 1), "c -1");
    check(product(|c| c.c = 25, 1), "c 25");
    check(product(|c| c.bitsize = 255, 1), "bitsize 255");
    assert_eq!(out, [7; 256], "outputs are written on success only");
}

#[test]
fn impossible_sizes_of_memory_are_named() {
    let untouched = std::ptr::dangling_mut::<c_void>();
    for bytes in [usize::MAX, 1 << (usize::BITS - 1), isize::MAX as usize] {
        for allocate in [memory::icicle_malloc as unsafe extern "C" fn(_, _) -> _, memory::icicle_host_alloc] {
            let mut ptr = untouched;
            // SAFETY: the pointer to write is this test's.
            let code = unsafe { allocate(&raw mut ptr, bytes) };
            let text = message();
            assert_eq!(code, Code::AllocationFailed, "{text}");
            assert!(text.contains(&format!("size {bytes}: exceeds the address space")), "{text}");
            assert_eq!(ptr, untouched);
        }
    }
}

/// Errors begin with the operation's public name.
#[test]
fn encodings_are_named() {
    let (compressed, mut points) = ([0u8; 48], [7u32; 36]);
    let out = points.as_mut_ptr().cast::<c_void>();
    // SAFETY: a compressed point, and room for an affine one.
    let code = unsafe { encoding::icicle_decompress_points(21, compressed.as_ptr().cast(), 1, out) };
    assert_eq!((code, message().split(':').next()), (Code::InvalidArgument, Some("decompress_points")));
    // SAFETY: other curves are refused before use.
    let code = unsafe { encoding::icicle_compress_points(11, out, 1, out) };
    assert_eq!((code, message().split(':').next()), (Code::Unsupported, Some("compress_points")));
    assert_eq!(points, [7; 36]);
}

/// What is no extension has no mixed products, in the words of `icicle_supports`.
#[test]
fn mixed_products_are_of_extensions() {
    let (one, mut out, config) = ([1u32; 16], [7u32; 16], VecOpsConfig::default());
    let source = one.as_ptr().cast();
    // SAFETY: two elements of 32 bytes each.
    let code = unsafe {
        vector::icicle_vector_mixed_mul(BN254, source, source, 2, &raw const config, out.as_mut_ptr().cast())
    };
    assert_eq!((code, out), (Code::Unsupported, [7; 16]), "{}", message());
}
