//! How exactly products of `float32` are computed, for the whole process.

use std::sync::atomic::{AtomicBool, Ordering};

/// What a product of `float32` matrices may lose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Float32Precision {
    /// Products and sums in `float32`.
    #[default]
    Highest,
    /// GPUs may round operands to 10 bits behind the point before they are multiplied (TF32), where they have units for it; sums
    /// are in `float32`. Several times as fast; relative errors near 1e-3.
    High,
}

impl Float32Precision {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Highest, Self::High];

    /// Its name: `highest` or `high`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Highest => "highest",
            Self::High => "high",
        }
    }
}

static HIGH: AtomicBool = AtomicBool::new(false);

/// Set how exactly [`matmul`](crate::matmul), and what is made of it, multiplies `float32` from now on, in all threads; at first
/// [`Float32Precision::Highest`]. CPUs always compute with that.
pub fn set_float32_matmul_precision(precision: Float32Precision) {
    HIGH.store(precision == Float32Precision::High, Ordering::Relaxed);
}

/// What was set.
pub fn float32_matmul_precision() -> Float32Precision {
    if HIGH.load(Ordering::Relaxed) { Float32Precision::High } else { Float32Precision::Highest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_stays() {
        assert_eq!(float32_matmul_precision(), Float32Precision::Highest);
        set_float32_matmul_precision(Float32Precision::High);
        assert_eq!(float32_matmul_precision(), Float32Precision::High);
        set_float32_matmul_precision(Float32Precision::Highest);
        assert_eq!(float32_matmul_precision(), Float32Precision::Highest);
    }
}
