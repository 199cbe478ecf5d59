//! Matrices of field elements, row by row. Places, async and errors as in `vector`.

use crate::error::Code;
use crate::field::by_number;
use crate::guard::guard;
use crate::ptr;
use crate::types::{MatMulConfig, VecOpsConfig};
use icicle::ops::matrix;
use std::ffi::c_void;

/// `mat_out = mat_a·mat_b`, row by row. Rows and columns are as stored; a flag in `config` says which operand is
/// stored transposed, and whether the result is to be.
///
/// `mat_out` is disjoint from both operands; it holds the rows of `mat_a` times the columns of `mat_b`, as multiplied.
///
/// Cost: rows times inner dimension times columns products.
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says; also `INVALID_ARGUMENT` for a dimension of 0, or inner dimensions that
/// differ.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_matmul(
    field: i32,
    mat_a: *const c_void,
    nof_rows_a: u32,
    nof_cols_a: u32,
    mat_b: *const c_void,
    nof_rows_b: u32,
    nof_cols_b: u32,
    config: *const MatMulConfig,
    mat_out: *mut c_void,
) -> Code {
    let op = "matmul";
    guard(op, || {
        let field = by_number(op, field)?;
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        let core = config.to_core(op)?;
        let a_shape = (nof_rows_a as usize, nof_cols_a as usize);
        let b_shape = (nof_rows_b as usize, nof_cols_b as usize);
        let rows = if core.a_transposed { a_shape.1 } else { a_shape.0 };
        let cols = if core.b_transposed { b_shape.0 } else { b_shape.1 };
        let bytes = field.info().bytes();
        let a_all = (ptr::extent(op, "mat_a", &[a_shape.0, a_shape.1])?, bytes);
        let b_all = (ptr::extent(op, "mat_b", &[b_shape.0, b_shape.1])?, bytes);
        let out_all = (ptr::extent(op, "mat_out", &[rows, cols])?, bytes);
        // SAFETY: `mat_a` holds that many elements until the work is done, by the caller's promise.
        let a = unsafe { ptr::src(op, "mat_a", mat_a, a_all, config.is_a_on_device) }?;
        // SAFETY: `mat_b` holds that many elements until the work is done, by the caller's promise.
        let b = unsafe { ptr::src(op, "mat_b", mat_b, b_all, config.is_b_on_device) }?;
        // SAFETY: `mat_out` has room for that many, for this call alone, by the caller's promise.
        let out = unsafe { ptr::dst(op, "mat_out", mat_out, out_all, config.is_result_on_device) }?;
        matrix::multiply(field, a, a_shape, b, b_shape, &core, out)
    })
}

/// Transpose `batch_size` matrices of `nof_rows` times `nof_cols` elements, stored row by row; `mat_out` may be
/// `mat_in`. With `columns_batch` entry `i` of matrix `b` lies at `i·batch_size + b`. `is_a_on_device` applies to
/// `mat_in`.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_matrix_transpose(
    field: i32,
    mat_in: *const c_void,
    nof_rows: u32,
    nof_cols: u32,
    config: *const VecOpsConfig,
    mat_out: *mut c_void,
) -> Code {
    let op = "matrix_transpose";
    guard(op, || {
        let field = by_number(op, field)?;
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        let core = config.to_core(op)?;
        let (rows, cols) = (nof_rows as usize, nof_cols as usize);
        let extent = (ptr::extent(op, "mat_in", &[rows, cols, core.batch])?, field.info().bytes());
        // SAFETY: `mat_in` holds that many elements until the work is done, by the caller's promise.
        let a = unsafe { ptr::src(op, "mat_in", mat_in, extent, config.is_a_on_device) }?;
        // SAFETY: `mat_out` has room for that many, for this call alone, by the caller's promise.
        let out = unsafe { ptr::dst(op, "mat_out", mat_out, extent, config.is_result_on_device) }?;
        matrix::transpose(field, rows, cols, a, &core, out)
    })
}
