//! The largest counts C can pass, with sizes of 0: they are checked before anything is allocated, and nothing aborts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test's way to fail
#![allow(unsafe_code)] // the entries are C's

use icicle::{CURVES, FIELDS};
use icicle_c::error::{Code, icicle_error_take};
use icicle_c::types::{MsmConfig, VecOpsConfig};
use icicle_c::{matrix, memory, msm, polynomial, vector};
use std::ffi::c_void;

fn message() -> String {
    let mut text = [0u8; 256];
    // SAFETY: the buffer has this many bytes.
    let _ = unsafe { icicle_error_take(text.as_mut_ptr().cast(), text.len()) };
    String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned()
}

const NULL: *mut c_void = std::ptr::null_mut();

/// Device memory of 64 bytes, so that a result that would be longer is found out.
fn short() -> *mut c_void {
    let mut ptr = NULL;
    // SAFETY: the pointer to write is this function's.
    assert_eq!(unsafe { memory::icicle_malloc(&raw mut ptr, 64) }, Code::Success);
    ptr
}

#[test]
fn multiples_and_batches_of_no_points() {
    let out = short();
    for row in CURVES {
        let call = |config: MsmConfig| {
            let config = MsmConfig { are_results_on_device: 1, ..config };
            // SAFETY: no scalars and no bases; the result is device memory, whose length is known.
            unsafe { msm::icicle_msm(row.id as i32, NULL, NULL, 0, &raw const config, out) }
        };
        let precompute = |config: MsmConfig| {
            // SAFETY: no bases in, and none out.
            unsafe { msm::icicle_msm_precompute_bases(row.id as i32, NULL, 0, &raw const config, NULL) }
        };
        for count in [i32::MAX, 1 << 30, 1 << 20] {
            let many = MsmConfig { precompute_factor: count, ..MsmConfig::default() };
            assert_eq!(call(many), Code::InvalidPointer, "{}: the result is too short", row.name);
            assert!(message().contains("64 bytes"));
            assert_eq!(precompute(many), Code::InvalidArgument, "{}", row.name);
            assert!(message().ends_with(&format!("precompute_factor {count}: must be at most 1024")));
            for shared in [0, 1] {
                let batch = MsmConfig { batch_size: count, are_points_shared_in_batch: shared, ..MsmConfig::default() };
                assert_eq!(call(batch), Code::InvalidPointer, "{}: {}", row.name, message());
                assert_eq!(precompute(batch), Code::Success, "{}: {}", row.name, message());
            }
        }
        let mut sum = [7u32; 3 * 48];
        let host = MsmConfig { precompute_factor: i32::MAX, ..MsmConfig::default() };
        // SAFETY: no scalars and no bases; the result has room.
        let code = unsafe { msm::icicle_msm(row.id as i32, NULL, NULL, 0, &raw const host, sum.as_mut_ptr().cast()) };
        assert_eq!(code, Code::InvalidArgument, "{}", row.name);
        assert!(message().contains("precompute_factor 2147483647: must be at most 1024"));
        assert_eq!(sum, [7; 3 * 48]);
    }
    // SAFETY: allocated above, freed once.
    assert_eq!(unsafe { memory::icicle_free(out) }, Code::Success);
}

#[test]
fn batches_of_empty_vectors() {
    let out = short();
    for row in FIELDS {
        let field = row.id as i32;
        for (batch_size, columns_batch) in [(i32::MAX, 0), (i32::MAX, 1), (1 << 30, 0), (1 << 30, 1)] {
            let config = VecOpsConfig { batch_size, columns_batch, ..VecOpsConfig::default() };
            let config = &raw const config;
            let ok =
                |what: &str, code: Code| assert_eq!(code, Code::Success, "{} {what}: {}", row.id.name(), message());
            // SAFETY: operands of no elements.
            unsafe {
                ok("add", vector::icicle_vector_add(field, NULL, NULL, 0, config, NULL));
                ok("sub", vector::icicle_vector_sub(field, NULL, NULL, 0, config, NULL));
                ok("mul", vector::icicle_vector_mul(field, NULL, NULL, 0, config, NULL));
                ok("div", vector::icicle_vector_div(field, NULL, NULL, 0, config, NULL));
                ok("inv", vector::icicle_vector_inv(field, NULL, 0, config, NULL));
                ok("bit_reverse", vector::icicle_bit_reverse(field, NULL, 0, config, NULL));
                ok("montgomery", vector::icicle_convert_montgomery(field, NULL, 0, 1, config, NULL));
                ok("slice", vector::icicle_slice(field, NULL, 0, 1, 0, 0, config, NULL));
                ok("accumulate", vector::icicle_vector_accumulate(field, NULL, NULL, 0, config));
                ok("transpose", matrix::icicle_matrix_transpose(field, NULL, 0, u32::MAX, config, NULL));
                ok("transpose", matrix::icicle_matrix_transpose(field, NULL, u32::MAX, 0, config, NULL));
                ok("evaluate", polynomial::icicle_poly_eval(field, NULL, 0, NULL, 0, config, NULL));
            }
            // One element for each of the batch, more than there is room for.
            let device = VecOpsConfig { batch_size, columns_batch, is_result_on_device: 1, ..VecOpsConfig::default() };
            let device = &raw const device;
            let short = |what: &str, code: Code| assert_eq!(code, Code::InvalidPointer, "{} {what}", row.id.name());
            // SAFETY: operands of no elements, and device memory, whose length is known.
            unsafe {
                short("sum", vector::icicle_vector_sum(field, NULL, 0, device, out));
                short("product", vector::icicle_vector_product(field, NULL, 0, device, out));
                short("highest", vector::icicle_highest_non_zero_idx(field, NULL, 0, device, out.cast()));
            }
        }
    }
    // SAFETY: allocated above, freed once.
    assert_eq!(unsafe { memory::icicle_free(out) }, Code::Success);
}
