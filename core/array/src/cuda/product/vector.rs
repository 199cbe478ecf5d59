//! Products of a matrix and a vector, at the speed of memory.
#![allow(unsafe_code)] // kernels take addresses

use super::matrices::stack;
use super::products::{Products, cut};
use super::tiles::add_parts;
use crate::cuda::call::Call;
use icicle_cuda::launch::Dim;
use icicle_error::Result;
use icicle_kernels::array_product::{COLUMNS_TIMES_VECTOR, ROW_TIMES_VECTOR, ROWS, ROWS_TIMES_VECTOR, THREADS};
use icicle_kernels::names::ARRAY_PRODUCT;
use icicle_kernels::signature::Owner;

/// Warps that rows are divided among, where they are long: many times what a device holds, so that its multiprocessors end
/// together.
const WARPS: u64 = 1 << 16;
/// Accesses of a warp to a row that a part has at least.
const ROW_STEPS: u64 = 16;
/// Blocks that columns are divided among.
const BLOCKS: u64 = 1 << 12;
/// Columns that a group of threads has at least in a part.
const GROUP_COLUMNS: u64 = 16;

/// Enqueue products whose second operand has one column, with elements that follow each other.
///
/// # Errors
/// `Unsupported` without the kernels; `OutOfMemory`.
pub(super) fn multiply(call: &Call, products: &Products) -> Result<()> {
    let owner = Owner::Number(products.number);
    let by_rows = products.x.by_rows;
    let plan = if by_rows { Plan::rows(products) } else { Plan::columns(products) };
    let grid = (Dim::of_blocks(plan.blocks)?, THREADS);
    let results = (products.count() * products.m) as u64;
    let bytes = if plan.parts > 1 { results * plan.parts * products.number.sum_bytes() as u64 } else { 0 };
    let sums = call.scratch(bytes as usize)?;
    let out = if plan.parts > 1 { sums.address() } else { products.out };
    let (x, y) = (products.x.address, products.y.address);
    let (sizes, pitch, stack) = (products.sizes(plan.parts, plan.part), products.x.pitch, stack(&products.axes));
    let aligned = Plan::aligned(products);
    // SAFETY: operands lie as the arguments say, within their arrays; results, or scratch for each part's sums, are dense.
    unsafe {
        if by_rows {
            let kernel = if plan.width == 1 { ROW_TIMES_VECTOR } else { ROWS_TIMES_VECTOR };
            call.launch(ARRAY_PRODUCT, (owner, kernel), grid, (x, y, out, sizes, pitch, stack, aligned))?;
        } else {
            let arguments = (x, y, out, sizes, pitch, stack, plan.width, aligned);
            call.launch(ARRAY_PRODUCT, (owner, COLUMNS_TIMES_VECTOR), grid, arguments)?;
        }
        add_parts(call, owner, (out, products.out), results, plan.parts)
    }
}

/// How a product is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    /// Rows of a warp, or threads along a column.
    width: u32,
    parts: u64,
    part: u64,
    blocks: u64,
}

impl Plan {
    fn rows(products: &Products) -> Self {
        let (m, k, count) = (products.m as u64, products.k as u64, products.count() as u64);
        // A few rows are one each, so that none is read for nothing.
        let width = if m < ROWS { 1 } else { ROWS };
        let (groups, access) = (m.div_ceil(width) * count, 32 * per_access(products));
        let parts = (WARPS / groups).min(k / (access * ROW_STEPS));
        let (parts, part) = cut(k, parts, access * if width == 1 { 4 } else { 2 });
        Self { width: width as u32, parts, part, blocks: groups.div_ceil(u64::from(THREADS / 32)) * parts }
    }

    fn columns(products: &Products) -> Self {
        let (m, k, count) = (products.m as u64, products.k as u64, products.count() as u64);
        let along = m.div_ceil(per_access(products));
        // As many as waste no more than an eighth of the last strip's threads.
        let wasted = |width: &u64| along.next_multiple_of(*width) - along <= along / 8;
        let width = [256, 128, 64, 32].into_iter().find(wasted).unwrap_or(along.next_power_of_two().min(32));
        let (strips, groups) = (along.div_ceil(width) * count, u64::from(THREADS) / width);
        let parts = (BLOCKS / strips).min(k / (groups * GROUP_COLUMNS));
        let (parts, part) = cut(k, parts, groups);
        Self { width: width as u32, parts, part, blocks: strips * parts }
    }

    /// Whether accesses are of 16 bytes.
    fn aligned(products: &Products) -> u32 {
        let unit = per_access(products) as usize;
        let matrix = products.x.is_aligned(unit, products.axes.iter().map(|axis| axis.x));
        let vector = products.y.is_aligned(unit, products.axes.iter().map(|axis| axis.y));
        u32::from(matrix && (vector || !products.x.by_rows))
    }
}

/// Numbers of an access of 16 bytes.
fn per_access(products: &Products) -> u64 {
    16 / products.number.bytes() as u64
}
