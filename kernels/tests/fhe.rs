//! Cases for `fhe.cpp`: what the host launches rotations with.

use icicle_kernels::fhe::{
    LANE_ROOTS, ONE, Roots, SMALL, SWITCH_COLUMNS, SWITCH_KEY_BYTES, SWITCH_ROWS, THREAD_ROOTS, TWO,
};
use std::fmt::Write;

/// One line.
pub fn cases() -> String {
    let mut out = String::new();
    for shape in [ONE, TWO, SMALL] {
        write!(out, "{} {} {} ", shape.together, shape.threads, shape.shared).unwrap();
    }
    let roots = size_of::<Roots>();
    let own = [LANE_ROOTS, THREAD_ROOTS].map(|words| 8 * words);
    writeln!(out, "{roots} {} {} {SWITCH_ROWS} {SWITCH_COLUMNS} {SWITCH_KEY_BYTES}", own[0], own[1]).unwrap();
    out
}
