//! Arrays of points, one by one: kernels, and how they are launched. Data for the host code; nothing here needs a GPU.

use crate::launch::Plan;

/// Kernels of each curve group, `<curve>_<op>` in the image `<curve>_msm`, with their parameters in order; counts `u64`
/// unless stated. `PointsIn` is `[address, step, projective]`, `u64` each; `points` are Jacobian ones in scratch memory.
pub const POINT_KERNELS: &[(&str, &str)] = &[
    ("points_load", "a: PointsIn, points, n, negate: u32"),
    ("points_sum", "a: PointsIn, b: PointsIn, points, n, negate: u32"),
    ("points_mul_alone", "a: PointsIn, scalars, scalar_step, points, multiples, n"),
    ("points_mul_together", "a: PointsIn, scalars, scalar_step, points, multiples, n"),
    ("points_store", "points, out, n, projective: u32"),
    ("points_copy", "a: PointsIn, out, n, projective: u32, negate: u32"),
    ("points_equal", "a: PointsIn, b: PointsIn, out, n"),
];

/// Points taken at once, which bounds scratch memory; enough to fill any device.
pub const PART: u64 = 1 << 20;

/// For kernels with a thread a point.
pub fn each(n: u64) -> Plan {
    Plan { grid: (n.div_ceil(128).clamp(1, 1 << 30) as u32, 1), threads: 128 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_has_a_thread() {
        assert_eq!((each(0).grid, each(128).grid, each(129).grid), ((1, 1), (1, 1), (2, 1)));
        assert!(each(PART).grid.0 as u64 * 128 >= PART);
    }
}
