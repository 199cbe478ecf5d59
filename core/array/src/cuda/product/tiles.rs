//! Products by our own kernels, of any numbers.
#![allow(unsafe_code)] // which take addresses

use super::matrices::stack;
use super::products::{Products, cut};
use crate::cuda::call::Call;
use icicle_cuda::launch::Dim;
use icicle_error::Result;
use icicle_kernels::array_product::{SUM_PARTS, THREADS, Tile, X_ALIGNED, Y_ALIGNED, tile_kernel};
use icicle_kernels::names::ARRAY_PRODUCT;
use icicle_kernels::signature::Owner;

/// Blocks that fill a large device once: two for each of an H200's multiprocessors. A constant, and not what the device has, so
/// that sums are cut alike everywhere.
const BLOCKS: u64 = 264;

/// What a part of a sum has at least, so that its products take longer than writing and adding the part.
const PART: u64 = 256;

/// Whether tiles are large, how many parts sums have, and how long those are.
fn plan(products: &Products) -> (bool, u64, u64) {
    let (m, n, k) = (products.m as u64, products.n as u64, products.k as u64);
    let blocks = |tile: Tile| m.div_ceil(tile.m) * n.div_ceil(tile.n) * products.count() as u64;
    let small = products.number.tile(false);
    let is_more = m > small.m || n > small.n;
    let large = blocks(products.number.tile(true)) >= BLOCKS / 2 || products.number.on_tensor_cores() && is_more;
    let tile = products.number.tile(large);
    let parts = if blocks(tile) < BLOCKS / 2 { (BLOCKS / blocks(tile)).min(k / PART) } else { 1 };
    let (parts, part) = cut(k, parts, tile.k);
    (large, parts, part)
}

/// Enqueue them.
///
/// # Errors
/// `Unsupported` without the kernels; `OutOfMemory`.
pub(super) fn multiply(call: &Call, products: &Products) -> Result<()> {
    let (large, parts, part) = plan(products);
    let (number, owner) = (products.number, Owner::Number(products.number));
    let (x, y, tile) = (&products.x, &products.y, number.tile(large));
    let blocks = (products.m as u64).div_ceil(tile.m) * (products.n as u64).div_ceil(tile.n);
    let grid = Dim::of_blocks(blocks * products.count() as u64 * parts)?;
    let aligned = [
        (x, products.axes.iter().map(|axis| axis.x).collect::<Vec<_>>(), X_ALIGNED),
        (y, products.axes.iter().map(|axis| axis.y).collect(), Y_ALIGNED),
    ];
    let aligned = aligned.into_iter().filter(|(x, steps, _)| x.is_aligned(number.aligned(), steps.iter().copied()));
    let aligned = aligned.map(|(_, _, bit)| bit).sum::<u32>();
    let results = products.count() * products.m * products.n;
    let sums = call.scratch(if parts > 1 { results * parts as usize * number.sum_bytes() } else { 0 })?;
    let out = if parts > 1 { sums.address() } else { products.out };
    let arguments =
        (x.address, y.address, out, products.sizes(parts, part), x.pitch, y.pitch, stack(&products.axes), aligned);
    // SAFETY: operands lie as the arguments say, within their arrays; results, or scratch for each part's sums, are dense.
    unsafe {
        let kernel = tile_kernel(large, x.by_rows, y.by_rows);
        call.launch(ARRAY_PRODUCT, (owner, kernel), (grid, THREADS), arguments)?;
        add_parts(call, owner, (out, products.out), results as u64, parts)
    }
}

/// Add sums in parts, if there are several.
///
/// # Errors
/// As [`multiply`].
///
/// # Safety
/// `sums` has `n` sums of each part, `out` takes as many results, on the call's device.
pub(super) unsafe fn add_parts(call: &Call, owner: Owner, (sums, out): (u64, u64), n: u64, parts: u64) -> Result<()> {
    if parts == 1 {
        return Ok(());
    }
    let grid = Dim::for_items(n, 32, call.sms * 64);
    // SAFETY: the caller's.
    unsafe { call.launch(ARRAY_PRODUCT, (owner, SUM_PARTS), (grid, THREADS), (sums, out, n, parts)) }
}
