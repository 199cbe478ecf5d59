//! Multi-scalar multiplication: `Σ s_i·P_i`.

pub(crate) mod windows;

use crate::ops::on_device;
use icicle_device::check::{count_for, disjoint, need_dst, need_src, same_or_disjoint};
use icicle_device::{Dst, Src};
use icicle_error::{Error, Result};
use icicle_params::CurveId;
use icicle_runtime::Launch;
use icicle_runtime::choose;

/// Options of a multi-scalar multiplication.
#[derive(Clone, Debug)]
pub struct MsmConfig {
    /// Stream and asynchrony.
    pub launch: Launch,
    /// The bases hold this many multiples of each point (see [`precompute`]), 1 to [`MAX_PRECOMPUTE_FACTOR`].
    pub precompute_factor: usize,
    /// Most window bits; 0 sets no bound. The library chooses the cheapest window up to it for the number of points. With
    /// precomputed bases `c`, or [`PRECOMPUTE_C`] for 0, also fixes the distance of the multiples (see
    /// [`precompute_shift`]), so that [`precompute`] and [`msm`] must be told the same.
    pub c: u32,
    /// Significant bits of the scalars; 0 means those of the scalar field.
    pub bitsize: u32,
    /// Number of multiplications, at least 1.
    pub batch: usize,
    /// Whether the batch shares one set of bases.
    pub shared_points: bool,
    /// Scalars are in Montgomery form.
    pub scalars_montgomery: bool,
    /// Points' coordinates are in Montgomery form.
    pub points_montgomery: bool,
}

impl Default for MsmConfig {
    fn default() -> Self {
        Self {
            launch: Launch::default(),
            precompute_factor: 1,
            c: 0,
            bitsize: 0,
            batch: 1,
            shared_points: true,
            scalars_montgomery: false,
            points_montgomery: false,
        }
    }
}

/// Largest window the library accepts.
pub const MAX_C: u32 = 24;

/// Most multiples of each point the library accepts: more than any scalar has bits.
pub const MAX_PRECOMPUTE_FACTOR: usize = 1 << 10;

/// Checked arguments of [`msm`].
#[derive(Debug)]
pub struct MsmArgs<'a> {
    /// Curve.
    pub(crate) curve: CurveId,
    /// Scalars per multiplication.
    pub(crate) n: usize,
    /// Multiplications.
    pub(crate) batch: usize,
    /// One set of bases for all.
    pub(crate) shared_points: bool,
    /// Multiples held of each point.
    pub(crate) precompute_factor: usize,
    /// Most window bits, 0 for no bound.
    pub(crate) c: u32,
    /// Bits between the multiples of a base: those of a scalar's signed digits where there is one.
    pub(crate) step: u32,
    /// Significant bits of the scalars, 1 to those of the scalar field.
    pub(crate) bits: u32,
    /// Scalars are in Montgomery form.
    pub(crate) scalars_montgomery: bool,
    /// Coordinates are in Montgomery form.
    pub(crate) points_montgomery: bool,
    /// `batch × n` scalars.
    pub(crate) scalars: Src<'a>,
    /// `n·precompute_factor` affine points, times `batch` unless shared.
    pub(crate) bases: Src<'a>,
    /// `batch` projective points.
    pub(crate) out: Dst<'a>,
}

/// Checked arguments of [`precompute`].
#[derive(Debug)]
pub struct PrecomputeArgs<'a> {
    /// Curve.
    pub(crate) curve: CurveId,
    /// Points.
    pub(crate) n: usize,
    /// Multiples of each.
    pub(crate) factor: usize,
    /// Doublings between two of them.
    pub(crate) shift: u32,
    /// Coordinates, in and out, are in Montgomery form.
    pub(crate) points_montgomery: bool,
    /// `n` affine points.
    pub(crate) bases: Src<'a>,
    /// `n·factor` affine points, a point's multiples one after another.
    pub(crate) out: Dst<'a>,
}

/// The window used with precomputed bases when the caller leaves `c = 0`: it must not depend on the number of points,
/// since [`precompute`] and [`msm`] may be told different ones.
pub const PRECOMPUTE_C: u32 = 16;

/// Doublings between precomputed multiples: `c·((⌈bits/c⌉ - 1)/factor + 1)`, ICICLE's rule.
pub fn precompute_shift(bits: u32, c: u32, factor: usize) -> u32 {
    let windows = bits.div_ceil(c);
    c * (((windows.max(1) - 1) as usize / factor) as u32 + 1)
}

/// Bits between the multiples of a base for a requested window; of a base without others those of a signed scalar.
pub(crate) fn step(bits: u32, c: u32, factor: usize) -> u32 {
    match (factor, c) {
        (1, _) => bits + 1,
        (_, 0) => precompute_shift(bits, PRECOMPUTE_C, factor),
        _ => precompute_shift(bits, c, factor),
    }
}

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
    need_src(op, "scalars", &scalars, count_for(op, "scalars", n, config.batch)?, row.scalar.info().bytes())?;
    let sets = if config.shared_points { 1 } else { config.batch };
    let points = count_for(op, "bases", count_for(op, "bases", n, config.precompute_factor)?, sets)?;
    need_src(op, "bases", &bases, points, 2 * base_bytes)?;
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

#[cfg(test)]
mod tests {
    use super::precompute_shift;

    /// Values of ICICLE's rule, worked out by hand: the scalar's windows, divided among the multiples, rounded up.
    #[test]
    fn doublings_between_multiples_are_those_of_icicle() {
        for (bits, c, factor, shift) in [
            // 16 windows: 2·8, 3·6, 8·2, and fewer windows than multiples.
            (254, 16, 1, 256),
            (254, 16, 2, 128),
            (254, 16, 3, 96),
            (254, 16, 8, 32),
            (254, 16, 16, 16),
            (254, 16, 17, 16),
            (254, 16, 40, 16),
            // 8 and 4 windows exactly, and one more bit.
            (128, 16, 2, 64),
            (128, 8, 2, 64),
            (128, 16, 4, 32),
            (129, 16, 2, 80),
            // 37 windows of 7 bits.
            (255, 7, 3, 91),
            (255, 7, 8, 35),
            (377, 13, 4, 104),
            (1, 16, 4, 16),
            (1, 1, 1, 1),
        ] {
            assert_eq!(precompute_shift(bits, c, factor), shift, "bits {bits} c {c} factor {factor}");
        }
    }
}
