//! Arrays of points, one by one: kernels, and how they are launched. Data for the host code; nothing here needs a GPU.

use crate::launch::Plan;
use crate::signature::{Address, PointsIn, kernels};

kernels! {
    /// Kernels of each curve group, `<curve>_<op>` in the image `<curve>_msm`; `points` are Jacobian ones in scratch memory.
    POINT_KERNELS: Point {
        LOAD = "points_load"(a: PointsIn, points: Address, n: u64, negate: u32);
        SUM = "points_sum"(a: PointsIn, b: PointsIn, points: Address, n: u64, negate: u32);
        MUL_ALONE = "points_mul_alone"(
            a: PointsIn, scalars: Address, scalar_step: u64, points: Address, multiples: Address, n: u64,
        );
        MUL_TOGETHER = "points_mul_together"(
            a: PointsIn, scalars: Address, scalar_step: u64, points: Address, multiples: Address, n: u64,
        );
        STORE = "points_store"(points: Address, out: Address, n: u64, projective: u32);
        COPY = "points_copy"(a: PointsIn, out: Address, n: u64, projective: u32, negate: u32);
        EQUAL = "points_equal"(a: PointsIn, b: PointsIn, out: Address, n: u64);
    }
}

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
