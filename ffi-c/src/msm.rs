//! Multi-scalar multiplication.

use crate::error::Code;
use crate::guard::guard;
use crate::point;
use crate::ptr;
use crate::types::{self, MsmConfig};
use icicle::device::{Dst, Src};
use icicle::ops::msm::{self, MsmConfig as CoreMsm};
use icicle::{CurveId, Result};
use std::ffi::c_void;

/// What a multiplication is called with.
pub(crate) struct Operands<'a> {
    pub(crate) n: usize,
    pub(crate) scalars: Src<'a>,
    pub(crate) bases: Src<'a>,
    pub(crate) config: CoreMsm,
    pub(crate) results: Dst<'a>,
}

/// # Safety
/// The crate's contract, of `icicle_msm`.
pub(crate) unsafe fn operands<'a>(
    op: &'static str,
    curve: CurveId,
    scalars: *const c_void,
    bases: *const c_void,
    msm_size: i64,
    config: &MsmConfig,
    results: *mut c_void,
) -> Result<Operands<'a>> {
    let core = config.to_core(op)?;
    let n = types::count(op, "msm_size", msm_size)?;
    let (scalar, base) = (curve.info().scalar.info().bytes(), curve.info().base.info().bytes());
    let counts = core.counts(op, n)?;
    // SAFETY: `scalars` holds that many elements until the work is done, by the caller's promise.
    let scalars = unsafe { ptr::src(op, "scalars", scalars, (counts.scalars, scalar), config.are_scalars_on_device) }?;
    // SAFETY: `bases` holds that many elements until the work is done, by the caller's promise.
    let bases = unsafe { ptr::src(op, "bases", bases, (counts.bases, 2 * base), config.are_points_on_device) }?;
    let out = (core.batch, 3 * base);
    // SAFETY: `results` has room for that many, for this call alone, by the caller's promise.
    let results = unsafe { ptr::dst(op, "results", results, out, config.are_results_on_device) }?;
    Ok(Operands { n, scalars, bases, config: core, results })
}

/// `results[b] = Σ scalars[b][i]·bases[i]`: `batch_size` homogeneous projective points, normalised (`Z` = 1, or
/// `(0, 1, 0)`); `msm_size` 0 gives the neutral element.
///
/// Scalars: `batch_size` times `msm_size` elements of the scalar field, one multiplication after another. Bases:
/// `msm_size` affine points times `precompute_factor`, one set shared or one for each of the batch; `(0, 0)` is the
/// neutral element. Canonical unless a flag says Montgomery; results are canonical. `results` is disjoint from both.
/// Scalars of more than `bitsize` bits, and points not on the curve, give an unspecified point.
///
/// Cost: with windows of `c` bits, for each about `msm_size + 2^(c-1)` additions of points, and there are `bitsize/c`
/// (the bucket method: N. Pippenger, "On the evaluation of powers and monomials", 1980; D. J. Bernstein et al.,
/// "Faster batch forgery identification", 2012, <https://eprint.iacr.org/2012/549>).
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says; also `INVALID_ARGUMENT` if `msm_size` is negative, or
/// `precompute_factor`, `c` or `bitsize` out of its range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_msm(
    curve: i32,
    scalars: *const c_void,
    bases: *const c_void,
    msm_size: i64,
    config: *const MsmConfig,
    results: *mut c_void,
) -> Code {
    let op = "msm";
    guard(op, || {
        let curve = point::by_number(op, curve)?;
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let call = unsafe { operands(op, curve, scalars, bases, msm_size, &config, results) }?;
        msm::msm(curve, call.n, call.scalars, call.bases, &call.config, call.results)
    })
}

/// Expand bases for `icicle_msm` with the same `precompute_factor`, `c` and `bitsize`:
/// `output_bases[factor·i + j] = 2^(shift·j)·input_bases[i]` with `shift = c·(⌊(⌈bitsize/c⌉ - 1)/factor⌋ + 1)`, `c` 16
/// and `bitsize` the scalar field's where they are 0.
///
/// `nof_bases` affine points, times `batch_size` unless the batch shares them; `output_bases` holds
/// `precompute_factor` times as many, in the encoding of the input, and is disjoint from it unless the factor is 1.
/// `are_points_on_device` applies to `input_bases`, `are_results_on_device` to `output_bases`.
///
/// Cost: `shift·(factor - 1)` doublings a point.
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says; also `INVALID_ARGUMENT` if `nof_bases` is negative, or an option out of
/// its range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_msm_precompute_bases(
    curve: i32,
    input_bases: *const c_void,
    nof_bases: i64,
    config: *const MsmConfig,
    output_bases: *mut c_void,
) -> Code {
    let op = "msm_precompute_bases";
    guard(op, || {
        let curve = point::by_number(op, curve)?;
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        let core = config.to_core(op)?;
        let n = ptr::extent(op, "nof_bases", &[types::count(op, "nof_bases", nof_bases)?, core.sets()])?;
        let n_out = ptr::extent(op, "output_bases", &[n, core.precompute_factor])?;
        let bytes = 2 * curve.info().base.info().bytes();
        // SAFETY: `input_bases` holds that many elements until the work is done, by the caller's promise.
        let bases = unsafe { ptr::src(op, "input_bases", input_bases, (n, bytes), config.are_points_on_device) }?;
        let out = (n_out, bytes);
        // SAFETY: `output_bases` has room for that many, for this call alone, by the caller's promise.
        let out = unsafe { ptr::dst(op, "output_bases", output_bases, out, config.are_results_on_device) }?;
        msm::precompute(curve, n, bases, &core, out)
    })
}
