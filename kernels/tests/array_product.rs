//! Cases for `array_product.cpp`: the tiles and sizes of numbers that the host launches with.

use icicle_kernels::array_product::{Number, Tile};
use icicle_kernels::array_warpgroup;
use std::fmt::Write;

/// One case a line.
pub fn cases() -> String {
    let mut out = String::new();
    for number in Number::ALL {
        for large in [false, true] {
            let Tile { m, n, k } = number.tile(large);
            let bytes = [number.bytes(), number.sum_bytes(), number.aligned()].map(|n| n.to_string()).join(" ");
            writeln!(out, "{} {} {m} {n} {k} {bytes}", number.name(), u8::from(large)).unwrap();
        }
    }
    let Tile { m, n, .. } = array_warpgroup::tile(Number::BF16);
    let (line, threads, shared) = (array_warpgroup::LINE, array_warpgroup::THREADS, array_warpgroup::SHARED);
    writeln!(out, "warpgroup {m} {n} {line} {threads} {shared}").unwrap();
    out
}
