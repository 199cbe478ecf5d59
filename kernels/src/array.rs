//! Sources of kernels of number arrays, for those that are compiled when they are needed: headers by the names under which
//! they include each other.

/// Each header's name and text.
pub const HEADERS: &[(&str, &str)] = &[
    ("number.cuh", include_str!("../array/number.cuh")),
    ("cast.cuh", include_str!("../array/cast.cuh")),
    ("real.cuh", include_str!("../array/real.cuh")),
    ("complex.cuh", include_str!("../array/complex.cuh")),
    ("ops.cuh", include_str!("../array/ops.cuh")),
    ("elementwise.cuh", include_str!("../array/elementwise.cuh")),
    ("fold.cuh", include_str!("../array/fold.cuh")),
    ("random.cuh", include_str!("../array/random.cuh")),
    ("normal.cuh", include_str!("../array/normal.cuh")),
    ("ranks.cuh", include_str!("../array/ranks.cuh")),
];
