//! Multi-scalar multiplication: `Σ s_i·P_i`.

pub use crate::args::msm::{
    MAX_C, MAX_PRECOMPUTE_FACTOR, MsmArgs, MsmConfig, MsmCounts, PRECOMPUTE_C, PrecomputeArgs, precompute_shift,
};

use crate::args::msm::step;
use crate::dispatch::on_device;
use icicle_device::check::{count_for, disjoint, need_dst, need_src, same_or_disjoint};
use icicle_device::{Dst, Src};
use icicle_error::{Error, Result};
use icicle_params::CurveId;
use icicle_runtime::choose;

/// What options say of scalars: their bits, and those between the multiples of a base.
struct Bits {
    bits: u32,
    step: u32,
}

fn checked(op: &'static str, curve: CurveId, config: &MsmConfig) -> Result<Bits> {
    let field_bits = curve.info().scalar.info().prime.bits;
    if config.batch == 0 {
        return Err(Error::argument(op, "batch_size 0: must be at least 1"));
    }
    if config.precompute_factor == 0 {
        return Err(Error::argument(op, "precompute_factor 0: must be at least 1"));
    }
    if config.precompute_factor > MAX_PRECOMPUTE_FACTOR {
        let factor = config.precompute_factor;
        return Err(Error::argument(
            op,
            format!("precompute_factor {factor}: must be at most {MAX_PRECOMPUTE_FACTOR}"),
        ));
    }
    if config.c > MAX_C {
        return Err(Error::argument(op, format!("c {}: must be at most {MAX_C}", config.c)));
    }
    if config.bitsize > field_bits {
        return Err(Error::argument(op, format!("bitsize {}: must be at most {field_bits}", config.bitsize)));
    }
    let bits = if config.bitsize == 0 { field_bits } else { config.bitsize };
    let step = step(bits, config.c, config.precompute_factor);
    Ok(Bits { bits, step })
}

/// Check the options of a multiplication.
pub(crate) fn check_config(op: &'static str, curve: CurveId, config: &MsmConfig) -> Result<()> {
    checked(op, curve, config).map(|_| ())
}

/// `out[b] = Σ_i scalars[b][i]·bases[i]`, homogeneous projective points; `n = 0` gives zero.
///
/// Scalars are `batch × n`; bases `n·precompute_factor` affine points, shared or one set for each of the batch. Zero
/// points `(0, 0)` count as the neutral element. Scalars of more than `bitsize` bits give an unspecified point.
///
/// # Errors
/// `InvalidArgument` for `batch`, `precompute_factor`, `c` or `bitsize` out of range, lengths that do not match or
/// overlap; `InvalidPointer` for memory on another device; `OutOfMemory`.
pub fn msm(curve: CurveId, n: usize, scalars: Src<'_>, bases: Src<'_>, config: &MsmConfig, out: Dst<'_>) -> Result<()> {
    let op = "msm";
    let Bits { bits, step } = checked(op, curve, config)?;
    let row = curve.info();
    let base_bytes = row.base.info().bytes();
    let counts = config.counts(op, n)?;
    need_src(op, "scalars", &scalars, counts.scalars, row.scalar.info().bytes())?;
    need_src(op, "bases", &bases, counts.bases, 2 * base_bytes)?;
    need_dst(op, "results", &out, config.batch, 3 * base_bytes)?;
    disjoint(op, "scalars", &out, &scalars)?;
    disjoint(op, "bases", &out, &bases)?;
    let exec = choose(op, &config.launch, &[bases.operand(), scalars.operand(), out.operand()])?;
    let args = MsmArgs {
        curve,
        n,
        batch: config.batch,
        shared_points: config.shared_points,
        precompute_factor: config.precompute_factor,
        c: config.c,
        step,
        bits,
        scalars_montgomery: config.scalars_montgomery,
        points_montgomery: config.points_montgomery,
        scalars,
        bases,
        out,
    };
    on_device!(&exec, msm::msm(&args))
}

/// Expand bases for [`msm`] with the same `precompute_factor`, `c` and `bitsize`:
/// `out[factor·i + j] = 2^(shift·j)·bases[i]` with `shift` of [`precompute_shift`]; encoding as the input's. With a factor
/// of 1 `out` may be exactly `bases`.
///
/// # Errors
/// As [`msm`].
pub fn precompute(curve: CurveId, n: usize, bases: Src<'_>, config: &MsmConfig, out: Dst<'_>) -> Result<()> {
    let op = "msm_precompute_bases";
    let Bits { step, .. } = checked(op, curve, config)?;
    let bytes = 2 * curve.info().base.info().bytes();
    let factor = config.precompute_factor;
    need_src(op, "input_bases", &bases, n, bytes)?;
    need_dst(op, "output_bases", &out, count_for(op, "output_bases", n, factor)?, bytes)?;
    match factor {
        1 => same_or_disjoint(op, "input_bases", &out, &bases)?,
        _ => disjoint(op, "input_bases", &out, &bases)?,
    }
    let exec = choose(op, &config.launch, &[bases.operand(), out.operand()])?;
    let args =
        PrecomputeArgs { curve, n, factor, shift: step, points_montgomery: config.points_montgomery, bases, out };
    on_device!(&exec, msm::precompute(&args))
}
