//! The counting sort (`msm/sort.cuh`), in the image [`crate::names::SORT`].

use crate::signature::{Address, kernels};

kernels! {
    /// Kernels of the counting sort.
    SORT_KERNELS: Sort {
        SUMS = "sort_sums"(counts: Address, sums: Address, n: u32);
        TOP = "sort_top"(sums: Address, n: u32);
        APPLY = "sort_apply"(counts: Address, sums: Address, starts: Address, cursor: Address, n: u32);
        SCATTER = "sort_scatter"(
            keys: Address, cursor: Address, entries: Address, length: u64, rows: u64, windows: u32, set: u64, buckets: u32,
        );
    }
}
