//! Kernels that move elements of `w` words (`vec/layout.cuh`), `words<w>_<op>` in the image [`crate::names::LAYOUT`].

use crate::signature::{Address, kernels};

kernels! {
    /// `bit_reverse_tiles` needs `log_n >= 2·log_side(w)`; both reversals work in place. `transpose` does not: the host
    /// copies the input to scratch first. `out` of `highest_non_zero` must be filled with bytes 0xff before.
    LAYOUT_KERNELS: Layout {
        BIT_REVERSE_TILES = "bit_reverse_tiles"(a: Address, out: Address, log_n: u32, batch: u64);
        BIT_REVERSE_PAIRS = "bit_reverse_pairs"(
            a: Address, out: Address, log_n: u32, batch: u64, pitch: u64, stride: u64,
        );
        SLICE = "slice"(
            a: Address, out: Address, n_out: u64, batch: u64, offset: u64, step: u64, pitch: u64, out_pitch: u64,
            stride: u64,
        );
        TRANSPOSE = "transpose"(a: Address, out: Address, rows: u64, cols: u64, batch: u64);
        TRANSPOSE_COLUMNS = "transpose_columns"(a: Address, out: Address, rows: u64, cols: u64, batch: u64);
        HIGHEST_NON_ZERO = "highest_non_zero"(a: Address, out: Address, n: u64, batch: u64, pitch: u64, stride: u64);
    }
}
