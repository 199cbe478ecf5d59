//! Vector operations.
//!
//! Shapes: `batch_size` vectors of `size` elements, one after another or interleaved. Encoding: canonical elements
//! aligned to 4 bytes; additions, subtractions and sums take Montgomery form as well. Place: each buffer in host memory
//! or on one device, which the library sees from the pointer; a flag that says "on device" of host memory is an error.
//! Aliasing: an output may be exactly an input where both are as long. Async: with `is_async` buffers stay in use until
//! the stream is synchronized. Errors: `INVALID_POINTER`, `INVALID_ARGUMENT`, `API_NOT_IMPLEMENTED`.

use crate::error::Code;
use crate::field::by_number;
use crate::guard::guard;
use crate::ptr;
use crate::types::{self, Flag, VecOpsConfig};
use icicle::ops::vector::{self, Binary, Reduce};
use std::ffi::c_void;

/// # Safety
/// The crate's contract.
unsafe fn binary(
    (op, kind): (&'static str, Binary),
    field: i32,
    vec_a: *const c_void,
    vec_b: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    guard(op, || {
        let field = by_number(op, field)?;
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        let core = config.to_core(op)?;
        let n = types::size(op, "size", size)?;
        let extent = (ptr::extent(op, "size", &[n, core.batch])?, field.info().bytes());
        // SAFETY: `vec_a` holds that many elements until the work is done, by the caller's promise.
        let a = unsafe { ptr::src(op, "vec_a", vec_a, extent, config.is_a_on_device) }?;
        // SAFETY: `vec_b` holds that many elements until the work is done, by the caller's promise.
        let b = unsafe { ptr::src(op, "vec_b", vec_b, extent, config.is_b_on_device) }?;
        // SAFETY: `output` has room for that many, for this call alone, by the caller's promise.
        let out = unsafe { ptr::dst(op, "output", output, extent, config.is_result_on_device) }?;
        vector::binary(kind, field, n, a, b, &core, out)
    })
}

/// # Safety
/// The crate's contract.
unsafe fn scalar(
    (op, kind): (&'static str, Binary),
    field: i32,
    scalar_a: *const c_void,
    vec_b: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    guard(op, || {
        let field = by_number(op, field)?;
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        let core = config.to_core(op)?;
        let n = types::size(op, "size", size)?;
        let bytes = field.info().bytes();
        let extent = (ptr::extent(op, "size", &[n, core.batch])?, bytes);
        // SAFETY: `scalar_a` holds that many elements until the work is done, by the caller's promise.
        let a = unsafe { ptr::src(op, "scalar_a", scalar_a, (core.batch, bytes), config.is_a_on_device) }?;
        // SAFETY: `vec_b` holds that many elements until the work is done, by the caller's promise.
        let b = unsafe { ptr::src(op, "vec_b", vec_b, extent, config.is_b_on_device) }?;
        // SAFETY: `output` has room for that many, for this call alone, by the caller's promise.
        let out = unsafe { ptr::dst(op, "output", output, extent, config.is_result_on_device) }?;
        vector::scalar(kind, field, n, a, b, &core, out)
    })
}

/// # Safety
/// The crate's contract.
unsafe fn reduce(
    (op, kind): (&'static str, Reduce),
    field: i32,
    vec_a: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    guard(op, || {
        let field = by_number(op, field)?;
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        let core = config.to_core(op)?;
        let n = types::size(op, "size", size)?;
        let bytes = field.info().bytes();
        let total = ptr::extent(op, "size", &[n, core.batch])?;
        // SAFETY: `vec_a` holds that many elements until the work is done, by the caller's promise.
        let a = unsafe { ptr::src(op, "vec_a", vec_a, (total, bytes), config.is_a_on_device) }?;
        // SAFETY: `output` has room for that many, for this call alone, by the caller's promise.
        let out = unsafe { ptr::dst(op, "output", output, (core.batch, bytes), config.is_result_on_device) }?;
        vector::reduce(kind, field, n, a, &core, out)
    })
}

enum Unary {
    Inverse,
    BitReverse,
    Montgomery(bool),
}

/// # Safety
/// The crate's contract.
unsafe fn unary(
    (op, kind): (&'static str, Unary),
    field: i32,
    input: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    guard(op, || {
        let field = by_number(op, field)?;
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        let core = config.to_core(op)?;
        let n = types::size(op, "size", size)?;
        let extent = (ptr::extent(op, "size", &[n, core.batch])?, field.info().bytes());
        // SAFETY: `input` holds that many elements until the work is done, by the caller's promise.
        let a = unsafe { ptr::src(op, "input", input, extent, config.is_a_on_device) }?;
        // SAFETY: `output` has room for that many, for this call alone, by the caller's promise.
        let out = unsafe { ptr::dst(op, "output", output, extent, config.is_result_on_device) }?;
        match kind {
            Unary::Inverse => vector::inv(field, n, a, &core, out),
            Unary::BitReverse => vector::bit_reverse(field, n, a, &core, out),
            Unary::Montgomery(to) => vector::convert_montgomery(field, n, a, to, &core, out),
        }
    })
}

/// `output[i] = vec_a[i] + vec_b[i]`, of `batch_size` vectors of `size` elements each. Operands may be in Montgomery
/// form, both.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_vector_add(
    field: i32,
    vec_a: *const c_void,
    vec_b: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    // SAFETY: the caller's promise, passed on.
    unsafe { binary(("vector_add", Binary::Add), field, vec_a, vec_b, size, config, output) }
}

/// `output[i] = vec_a[i] - vec_b[i]`, otherwise as `icicle_vector_add`.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_vector_sub(
    field: i32,
    vec_a: *const c_void,
    vec_b: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    // SAFETY: the caller's promise, passed on.
    unsafe { binary(("vector_sub", Binary::Sub), field, vec_a, vec_b, size, config, output) }
}

/// `output[i] = vec_a[i]·vec_b[i]`, of `batch_size` vectors of `size` elements each.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_vector_mul(
    field: i32,
    vec_a: *const c_void,
    vec_b: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    // SAFETY: the caller's promise, passed on.
    unsafe { binary(("vector_mul", Binary::Mul), field, vec_a, vec_b, size, config, output) }
}

/// `output[i] = vec_a[i]/vec_b[i]`, 0 where `vec_b[i]` has no inverse, of `batch_size` vectors of `size` elements
/// each.
///
/// Cost: as `icicle_vector_inv`, and a product an element.
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says; none for a divisor of 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_vector_div(
    field: i32,
    vec_a: *const c_void,
    vec_b: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    // SAFETY: the caller's promise, passed on.
    unsafe { binary(("vector_div", Binary::Div), field, vec_a, vec_b, size, config, output) }
}

/// `output[i] = scalar_a + vec_b[i]`: `scalar_a` holds one element for each of `batch_size` vectors of `size`
/// elements, and is disjoint from `output`. Operands may be in Montgomery form, both.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_scalar_add_vec(
    field: i32,
    scalar_a: *const c_void,
    vec_b: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    // SAFETY: the caller's promise, passed on.
    unsafe { scalar(("scalar_add_vec", Binary::Add), field, scalar_a, vec_b, size, config, output) }
}

/// `output[i] = scalar_a - vec_b[i]`, otherwise as `icicle_scalar_add_vec`.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_scalar_sub_vec(
    field: i32,
    scalar_a: *const c_void,
    vec_b: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    // SAFETY: the caller's promise, passed on.
    unsafe { scalar(("scalar_sub_vec", Binary::Sub), field, scalar_a, vec_b, size, config, output) }
}

/// `output[i] = scalar_a·vec_b[i]`: `scalar_a` holds one element for each of `batch_size` vectors of `size` elements,
/// and is disjoint from `output`.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_scalar_mul_vec(
    field: i32,
    scalar_a: *const c_void,
    vec_b: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    // SAFETY: the caller's promise, passed on.
    unsafe { scalar(("scalar_mul_vec", Binary::Mul), field, scalar_a, vec_b, size, config, output) }
}

/// `output[b]` = sum of vector `b` of `size` elements; 0 if `size` is 0. `output` holds `batch_size` elements and is
/// disjoint from `vec_a`, which may be in Montgomery form, and the sums then are.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_vector_sum(
    field: i32,
    vec_a: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    // SAFETY: the caller's promise, passed on.
    unsafe { reduce(("vector_sum", Reduce::Sum), field, vec_a, size, config, output) }
}

/// `output[b]` = product of vector `b` of `size` elements; 1 if `size` is 0. `output` holds `batch_size` elements and
/// is disjoint from `vec_a`.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_vector_product(
    field: i32,
    vec_a: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    // SAFETY: the caller's promise, passed on.
    unsafe { reduce(("vector_product", Reduce::Product), field, vec_a, size, config, output) }
}

/// `output[i] = 1/vec_a[i]`, 0 where there is no inverse, of `batch_size` vectors of `size` elements each. The flag of
/// the first input applies to `vec_a`.
///
/// Cost: about 3 products an element, and one inversion for many of them (P. L. Montgomery, "Speeding the Pollard and
/// elliptic curve methods of factorization", 1987, §10.3.1).
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says; none for an element of 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_vector_inv(
    field: i32,
    vec_a: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    // SAFETY: the caller's promise, passed on.
    unsafe { unary(("vector_inv", Unary::Inverse), field, vec_a, size, config, output) }
}

/// `output[i] = input[bits of i reversed]`, of `batch_size` vectors of `size` elements each; `size` is a power of two
/// or 0.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says; also `INVALID_ARGUMENT` if `size` is not 0 and no power of two.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_bit_reverse(
    field: i32,
    input: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    // SAFETY: the caller's promise, passed on.
    unsafe { unary(("bit_reverse", Unary::BitReverse), field, input, size, config, output) }
}

/// Convert `batch_size` vectors of `size` elements to Montgomery form (`x·R`, `R` = 2 to the bits of the prime field's
/// limbs; P. L. Montgomery, "Modular multiplication without trial division", 1985) if `is_to_montgomery`, else back.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_convert_montgomery(
    field: i32,
    input: *const c_void,
    size: u64,
    is_to_montgomery: Flag,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    // SAFETY: the caller's promise, passed on.
    unsafe {
        unary(("convert_montgomery", Unary::Montgomery(is_to_montgomery != 0)), field, input, size, config, output)
    }
}

/// `vec_a[i] += vec_b[i]`, of `batch_size` vectors of `size` elements each. `vec_b` is exactly `vec_a` or disjoint.
/// Operands may be in Montgomery form, both. `is_a_on_device` applies to `vec_a`, which is the result too.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_vector_accumulate(
    field: i32,
    vec_a: *mut c_void,
    vec_b: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
) -> Code {
    let op = "vector_accumulate";
    guard(op, || {
        let field = by_number(op, field)?;
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        let core = config.to_core(op)?;
        let n = types::size(op, "size", size)?;
        let extent = (ptr::extent(op, "size", &[n, core.batch])?, field.info().bytes());
        // SAFETY: `vec_a` has room for that many, for this call alone, by the caller's promise.
        let a = unsafe { ptr::dst(op, "vec_a", vec_a, extent, config.is_a_on_device) }?;
        // SAFETY: `vec_b` holds that many elements until the work is done, by the caller's promise.
        let b = unsafe { ptr::src(op, "vec_b", vec_b, extent, config.is_b_on_device) }?;
        vector::accumulate(field, n, a, b, &core)
    })
}

/// `output[i] = vec_a[i]·vec_b[i]`, `vec_a` and `output` over the extension `field`, `vec_b` over its scalar field:
/// `batch_size` vectors of `size` elements each. `vec_b` is disjoint from `output`.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says; `API_NOT_IMPLEMENTED` also if `field` is no extension of a scalar field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_vector_mixed_mul(
    field: i32,
    vec_a: *const c_void,
    vec_b: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    let op = "vector_mixed_mul";
    guard(op, || {
        let field = by_number(op, field)?;
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        let core = config.to_core(op)?;
        let n = types::size(op, "size", size)?;
        let total = ptr::extent(op, "size", &[n, core.batch])?;
        let (bytes, scalar_bytes) = (field.info().bytes(), field.scalar().info().bytes());
        // SAFETY: `vec_a` holds that many elements until the work is done, by the caller's promise.
        let a = unsafe { ptr::src(op, "vec_a", vec_a, (total, bytes), config.is_a_on_device) }?;
        // SAFETY: `vec_b` holds that many elements until the work is done, by the caller's promise.
        let b = unsafe { ptr::src(op, "vec_b", vec_b, (total, scalar_bytes), config.is_b_on_device) }?;
        // SAFETY: `output` has room for that many, for this call alone, by the caller's promise.
        let out = unsafe { ptr::dst(op, "output", output, (total, bytes), config.is_result_on_device) }?;
        vector::mixed_mul(field, n, a, b, &core, out)
    })
}

/// `output[i] = input[offset + i·stride]` for `i < size_out`, in each of `batch_size` vectors of `size_in` elements;
/// every index below `size_in`. `input` and `output`, of `batch_size` vectors of `size_out`, are disjoint.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says; also `INVALID_ARGUMENT` if an index is not below `size_in`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_slice(
    field: i32,
    input: *const c_void,
    offset: u64,
    stride: u64,
    size_in: u64,
    size_out: u64,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    let op = "slice";
    guard(op, || {
        let field = by_number(op, field)?;
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        let core = config.to_core(op)?;
        let (offset, stride) = (types::size(op, "offset", offset)?, types::size(op, "stride", stride)?);
        let (n, n_out) = (types::size(op, "size_in", size_in)?, types::size(op, "size_out", size_out)?);
        let bytes = field.info().bytes();
        let total = ptr::extent(op, "size_in", &[n, core.batch])?;
        let total_out = ptr::extent(op, "size_out", &[n_out, core.batch])?;
        // SAFETY: `input` holds that many elements until the work is done, by the caller's promise.
        let a = unsafe { ptr::src(op, "input", input, (total, bytes), config.is_a_on_device) }?;
        // SAFETY: `output` has room for that many, for this call alone, by the caller's promise.
        let out = unsafe { ptr::dst(op, "output", output, (total_out, bytes), config.is_result_on_device) }?;
        vector::slice(field, n, a, offset, stride, n_out, &core, out)
    })
}

/// `out_idx[b]` = index of the last element of vector `b` of `size` elements that is not 0, or -1: `batch_size` 64-bit
/// integers, disjoint from `input`. `is_result_on_device` applies to `out_idx`.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says; `INVALID_POINTER` also if `out_idx` is not aligned to 8 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_highest_non_zero_idx(
    field: i32,
    input: *const c_void,
    size: u64,
    config: *const VecOpsConfig,
    out_idx: *mut i64,
) -> Code {
    let op = "highest_non_zero_idx";
    guard(op, || {
        let field = by_number(op, field)?;
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        let core = config.to_core(op)?;
        let n = types::size(op, "size", size)?;
        let total = ptr::extent(op, "size", &[n, core.batch])?;
        ptr::check_typed(op, "out_idx", out_idx)?;
        // SAFETY: `input` holds that many elements until the work is done, by the caller's promise.
        let a = unsafe { ptr::src(op, "input", input, (total, field.info().bytes()), config.is_a_on_device) }?;
        let indices = (core.batch, size_of::<i64>());
        // SAFETY: `out_idx` has room for that many, for this call alone, by the caller's promise.
        let out = unsafe { ptr::dst(op, "out_idx", out_idx.cast(), indices, config.is_result_on_device) }?;
        vector::highest_non_zero(field, n, a, &core, out)
    })
}
