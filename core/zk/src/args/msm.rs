//! Options and checked arguments of multi-scalar multiplications.

pub(crate) mod windows;

use icicle_device::check::count_for;
use icicle_device::{Dst, Src};
use icicle_error::Result;
use icicle_params::CurveId;
use icicle_runtime::Launch;

/// Options of a multi-scalar multiplication.
#[derive(Clone, Debug)]
pub struct MsmConfig {
    /// Stream and asynchrony.
    pub launch: Launch,
    /// The bases hold this many multiples of each point (see [`precompute`](crate::msm::precompute)), 1 to
    /// [`MAX_PRECOMPUTE_FACTOR`].
    pub precompute_factor: usize,
    /// Most window bits; 0 sets no bound. The library chooses the cheapest window up to it for the number of points. With
    /// precomputed bases `c`, or [`PRECOMPUTE_C`] for 0, also fixes the distance of the multiples (see
    /// [`precompute_shift`]), so that [`precompute`](crate::msm::precompute) and [`msm`](crate::msm::msm) must be told the
    /// same.
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

/// How many elements the operands of an MSM hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MsmCounts {
    /// Scalars of the whole batch.
    pub scalars: usize,
    /// Affine points, all multiples of all sets.
    pub bases: usize,
}

impl MsmConfig {
    /// How many sets of bases the batch has: one if it shares them.
    pub fn sets(&self) -> usize {
        if self.shared_points { 1 } else { self.batch }
    }

    /// What an MSM of `n` points takes.
    ///
    /// # Errors
    /// `InvalidArgument` for more than the address space holds.
    pub fn counts(&self, op: &'static str, n: usize) -> Result<MsmCounts> {
        let scalars = count_for(op, "scalars", n, self.batch)?;
        let bases = count_for(op, "bases", count_for(op, "bases", n, self.precompute_factor)?, self.sets())?;
        Ok(MsmCounts { scalars, bases })
    }
}

/// Largest window the library accepts.
pub const MAX_C: u32 = 24;

/// Most multiples of each point the library accepts: more than any scalar has bits.
pub const MAX_PRECOMPUTE_FACTOR: usize = 1 << 10;

/// Checked arguments of [`msm`](crate::msm::msm).
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

/// Checked arguments of [`precompute`](crate::msm::precompute).
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
/// since [`precompute`](crate::msm::precompute) and [`msm`](crate::msm::msm) may be told different ones.
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
