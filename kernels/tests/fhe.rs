//! Cases for `fhe.cpp`: what the host launches rotations with.

use icicle_kernels::fhe::{LANE_ROOTS, ONE, Roots, SMALL, SWITCH_COLUMNS, SWITCH_KEY_BYTES, SWITCH_ROWS, TWO};
use std::fmt::Write;

/// One line.
pub fn cases() -> String {
    let mut out = String::new();
    for shape in [ONE, TWO, SMALL] {
        write!(out, "{} {} ", shape.together, shape.shared).unwrap();
    }
    let roots = size_of::<Roots>();
    writeln!(out, "{roots} {} {SWITCH_ROWS} {SWITCH_COLUMNS} {SWITCH_KEY_BYTES}", 8 * LANE_ROOTS).unwrap();
    out
}
