//! Products of floats by cuBLAS.
#![allow(unsafe_code)] // which takes addresses

use super::matrices::{Axis, Matrices};
use super::products::Products;
use crate::cuda::call::Call;
use crate::precision::{Float32Precision, float32_matmul_precision};
use icicle_cuda::cublas::{self, Numbers, Operand, Product};
use icicle_error::Result;
use icicle_kernels::array_product::Number;

fn numbers(number: Number) -> Option<Numbers> {
    Some(match number {
        Number::F16 => Numbers::F16,
        Number::BF16 => Numbers::BF16,
        Number::F32 => match float32_matmul_precision() {
            Float32Precision::Highest => Numbers::F32,
            Float32Precision::High => Numbers::TF32,
        },
        Number::F64 => Numbers::F64,
        Number::C64 => Numbers::C64,
        Number::C128 => Numbers::C128,
        Number::U8 | Number::U16 | Number::U32 | Number::U64 => return None,
    })
}

/// Whether there is a cuBLAS that multiplies such numbers.
pub(super) fn takes(number: Number) -> bool {
    numbers(number).is_some() && cublas::unavailable().is_none()
}

/// Enqueue products that [`takes`] says it does; `k` is not 0.
///
/// # Errors
/// As [`cublas::Blas::multiply`]; as of a copy, for an operand whose rows meet.
pub(super) fn multiply(call: &Call, products: &Products) -> Result<()> {
    let Some(numbers) = numbers(products.number) else {
        return super::tiles::multiply(call, products);
    };
    for product in calls(products, numbers) {
        // SAFETY: operands lie as the product says, within their arrays; results are dense.
        unsafe { call.gpu.blas.multiply(call.op, call.gpu, call.exec.stream(), &product)? };
    }
    Ok(())
}

/// The products that each call makes: those along the densest axis of the stack, which are one.
pub(super) fn calls(products: &Products, numbers: Numbers) -> impl Iterator<Item = Product> {
    let bytes = products.number.bytes() as i64;
    let of = move |matrices: &Matrices, step: i64, by: i64| Operand {
        address: matrices.address.wrapping_add_signed(by * bytes),
        by_rows: matrices.by_rows,
        pitch: matrices.pitch,
        step,
    };
    // BLAS knows no steps back.
    let (outer, inner) = match products.axes.split_last() {
        Some((inner, outer)) if inner.x >= 0 && inner.y >= 0 => (outer, *inner),
        _ => (&products.axes[..], Axis { extent: 1, x: 0, y: 0 }),
    };
    let each = (inner.extent * products.m * products.n) as u64 * products.number.bytes() as u64;
    let count: usize = outer.iter().map(|axis| axis.extent).product();
    (0..count).map(move |i| {
        let (mut rest, mut x, mut y) = (i, 0, 0);
        for axis in outer.iter().rev() {
            let at = (rest % axis.extent) as i64;
            (rest, x, y) = (rest / axis.extent, x + at * axis.x, y + at * axis.y);
        }
        Product {
            numbers,
            count: inner.extent as i64,
            m: products.m as i64,
            n: products.n as i64,
            k: products.k as i64,
            x: of(&products.x, inner.x, x),
            y: of(&products.y, inner.y, y),
            out: products.out + i as u64 * each,
        }
    })
}
