//! Polynomials as vectors of coefficients, constant term first. Places, aliasing and errors as in `vector`.

use crate::error::Code;
use crate::field::by_number;
use crate::guard::guard;
use crate::ptr;
use crate::types::{self, VecOpsConfig};
use icicle::ops::polynomial;
use std::ffi::c_void;

/// Values of `batch_size` polynomials of `coeffs_size` coefficients, constant term first, at `domain_size` points,
/// which the batch shares.
///
/// `evals` holds `batch_size` times `domain_size` elements and is disjoint from both inputs. With `columns_batch`
/// coefficients and values are interleaved. `is_a_on_device` applies to `coeffs`, `is_b_on_device` to `domain`.
///
/// Cost: `coeffs_size` products a value (Horner's rule); for the roots of unity `icicle_ntt` is cheaper.
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_poly_eval(
    field: i32,
    coeffs: *const c_void,
    coeffs_size: u64,
    domain: *const c_void,
    domain_size: u64,
    config: *const VecOpsConfig,
    evals: *mut c_void,
) -> Code {
    let op = "poly_eval";
    guard(op, || {
        let field = by_number(op, field)?;
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        let core = config.to_core(op)?;
        let n = types::size(op, "coeffs_size", coeffs_size)?;
        let points = types::size(op, "domain_size", domain_size)?;
        let bytes = field.info().bytes();
        let total = ptr::extent(op, "coeffs_size", &[n, core.batch])?;
        let values = ptr::extent(op, "domain_size", &[points, core.batch])?;
        // SAFETY: `coeffs` holds that many elements until the work is done, by the caller's promise.
        let coeffs = unsafe { ptr::src(op, "coeffs", coeffs, (total, bytes), config.is_a_on_device) }?;
        // SAFETY: `domain` holds that many elements until the work is done, by the caller's promise.
        let domain = unsafe { ptr::src(op, "domain", domain, (points, bytes), config.is_b_on_device) }?;
        // SAFETY: `evals` has room for that many, for this call alone, by the caller's promise.
        let evals = unsafe { ptr::dst(op, "evals", evals, (values, bytes), config.is_result_on_device) }?;
        polynomial::evaluate(field, n, coeffs, points, domain, &core, evals)
    })
}

/// `numerator = q_out·denominator + r_out`, the remainder's degree below the denominator's, of `batch_size` pairs of
/// polynomials, constant term first.
///
/// Sizes count coefficients of one polynomial, leading zeros included. `r_size` is at least the numerator's degree
/// plus 1, `q_size` at least the quotient's degree plus 1; what is left over is filled with 0. All four buffers are
/// disjoint. `is_a_on_device` applies to `numerator`, `is_b_on_device` to `denominator`, `is_result_on_device` to both
/// outputs.
///
/// Cost: a product for each pair of coefficients of quotient and denominator (schoolbook division).
/// Asynchrony: as `icicle_vec_ops_config_t` says, but a call on a GPU first waits for the stream, as the degrees
/// decide whether it is refused.
/// Errors: as `icicle_vec_ops_config_t` says; also `INVALID_ARGUMENT` if a denominator is 0 or its leading coefficient
/// has no inverse, if `q_size` or `r_size` is too small, or if `denominator_size` is negative.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_poly_division(
    field: i32,
    numerator: *const c_void,
    numerator_size: u64,
    denominator: *const c_void,
    denominator_size: i64,
    config: *const VecOpsConfig,
    q_out: *mut c_void,
    q_size: u64,
    r_out: *mut c_void,
    r_size: u64,
) -> Code {
    let op = "poly_division";
    guard(op, || {
        let field = by_number(op, field)?;
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        let core = config.to_core(op)?;
        let n = types::size(op, "numerator_size", numerator_size)?;
        let m = types::count(op, "denominator_size", denominator_size)?;
        let (q, r) = (types::size(op, "q_size", q_size)?, types::size(op, "r_size", r_size)?);
        let each = |arg, n| Ok::<_, icicle::Error>((ptr::extent(op, arg, &[n, core.batch])?, field.info().bytes()));
        let (n_all, m_all) = (each("numerator_size", n)?, each("denominator_size", m)?);
        let (q_all, r_all) = (each("q_size", q)?, each("r_size", r)?);
        // SAFETY: `numerator` holds that many elements until the work is done, by the caller's promise.
        let a = unsafe { ptr::src(op, "numerator", numerator, n_all, config.is_a_on_device) }?;
        // SAFETY: `denominator` holds that many elements until the work is done, by the caller's promise.
        let b = unsafe { ptr::src(op, "denominator", denominator, m_all, config.is_b_on_device) }?;
        // SAFETY: `q_out` has room for that many, for this call alone, by the caller's promise.
        let q_dst = unsafe { ptr::dst(op, "q_out", q_out, q_all, config.is_result_on_device) }?;
        // SAFETY: `r_out` has room for that many, for this call alone, by the caller's promise.
        let r_dst = unsafe { ptr::dst(op, "r_out", r_out, r_all, config.is_result_on_device) }?;
        polynomial::divide(field, n, a, m, b, &core, q, q_dst, r, r_dst)
    })
}
