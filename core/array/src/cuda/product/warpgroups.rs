//! Large products of 16-bit floats, and of float32 where TF32 is allowed, by warpgroups: on GPUs of capability 9.0 alone.
#![allow(unsafe_code)] // kernels take addresses

use super::matrices::Matrices;
use super::products::Products;
use crate::cuda::call::Call;
use crate::precision::{Float32Precision, float32_matmul_precision};
use icicle_cuda::driver::{self, Tiled};
use icicle_cuda::launch::Dim;
use icicle_error::{ErrorCode, Result};
use icicle_kernels::array_product::Number;
use icicle_kernels::array_warpgroup::{SHARED, THREADS, TensorMap, kernel, tile};
use icicle_kernels::names::ARRAY_WARPGROUP;
use icicle_kernels::signature::Owner;

/// The capability that has these instructions; later ones have others.
const CAPABILITY: [i32; 2] = [9, 0];

/// Numbers that tiles are copied of, if they are multiplied so.
fn tiled(number: Number) -> Option<Tiled> {
    match number {
        Number::F16 => Some(Tiled::F16),
        Number::BF16 => Some(Tiled::BF16),
        Number::F32 if float32_matmul_precision() == Float32Precision::High => Some(Tiled::F32),
        _ => None,
    }
}

/// Whether the copies of tiles take a matrix: lines at multiples of 16 bytes that do not meet, and sizes below 2^31.
fn is_tiled(matrix: &Matrices, number: Number) -> bool {
    let fits = |size: usize| size > 0 && i32::try_from(size).is_ok_and(|size| size < i32::MAX - 256);
    matrix.is_plain() && matrix.is_aligned(16 / number.bytes(), []) && fits(matrix.rows) && fits(matrix.columns)
}

/// Multiply if the kernels take these operands and a device is busy with their tiles; whether they did.
///
/// # Errors
/// `OutOfMemory`; as [`Call::launch_with_shared`].
pub(super) fn multiply(call: &Call, products: &Products) -> Result<bool> {
    let Some(numbers) = tiled(products.number) else { return Ok(false) };
    let tile = tile(products.number);
    let blocks = (products.m as u64).div_ceil(tile.m) * (products.n as u64).div_ceil(tile.n);
    let busy = products.axes.is_empty() && blocks >= u64::from(call.sms) / 2;
    if !busy || call.gpu.capability != CAPABILITY || icicle_kernels::image(ARRAY_WARPGROUP).is_err() {
        return Ok(false);
    }
    // Of float32 the sums are along both operands' lines; those of copies are as long as the sums.
    let along = [products.x.by_rows, !products.y.by_rows];
    let copies = match (products.number, along) {
        (Number::F32, [true, true]) => (None, None),
        (Number::F32, _) if !products.k.is_multiple_of(16 / products.number.bytes()) => return Ok(false),
        (Number::F32, [of_x, of_y]) => {
            ((!of_x).then(|| products.x.dense()).transpose()?, (!of_y).then(|| products.y.dense_columns()).transpose()?)
        }
        _ => (None, None),
    };
    let (x, y) = (copies.0.as_ref().unwrap_or(&products.x), copies.1.as_ref().unwrap_or(&products.y));
    if !is_tiled(x, products.number) || !is_tiled(y, products.number) {
        return Ok(false);
    }
    let map = |matrix: &Matrices, lines: u64| -> Result<TensorMap> {
        let (dense, count) = if matrix.by_rows { (matrix.columns, matrix.rows) } else { (matrix.rows, matrix.columns) };
        let pitch = matrix.pitch as u64 * products.number.bytes() as u64;
        let ask = || {
            driver::tensor_map(
                numbers,
                matrix.address,
                [dense as u64, count as u64],
                pitch,
                [tile.k as u32, lines as u32],
            )
        };
        call.gpu.with(call.op, ErrorCode::Internal, ask)
    };
    // A tile of lines along the sums is of as many as the block has; else it is a square.
    let of_x = map(x, if x.by_rows { tile.m } else { tile.k })?;
    let of_y = map(y, if y.by_rows { tile.k } else { tile.n })?;
    let launch = (Dim::of_blocks(blocks)?, THREADS, SHARED);
    let sizes = [products.m, products.n, products.k].map(|size| size as u64);
    let arguments = (of_x, of_y, products.out, sizes[0], sizes[1], sizes[2]);
    let owner = Owner::Number(products.number);
    // SAFETY: operands lie as the maps say, within their arrays; results are dense.
    unsafe { call.launch_with_shared(ARRAY_WARPGROUP, (owner, kernel(x.by_rows, y.by_rows)), launch, arguments) }?;
    Ok(true)
}
