//! Matrices of field elements, row-major.

pub use crate::args::matrix::{MatMulConfig, MultiplyArgs, TransposeArgs};

use crate::args::vector::VectorConfig;
use crate::dispatch::on_device;
use icicle_device::check::{count_for, disjoint, need_dst, need_src, same_or_disjoint};
use icicle_device::{Dst, Src};
use icicle_error::{Error, Result};
use icicle_params::FieldId;
use icicle_runtime::choose;

/// Transpose `batch` matrices of `rows × cols`; in place allowed.
///
/// # Errors
/// `InvalidArgument` for lengths that do not match or partial overlap, `InvalidPointer` for memory on another device.
pub fn transpose(
    field: FieldId,
    rows: usize,
    cols: usize,
    a: Src<'_>,
    config: &VectorConfig,
    out: Dst<'_>,
) -> Result<()> {
    let op = "matrix_transpose";
    if config.batch == 0 {
        return Err(Error::argument(op, "batch_size 0: must be at least 1"));
    }
    let total = count_for(op, "matrices", count_for(op, "matrix", rows, cols)?, config.batch)?;
    need_src(op, "mat_in", &a, total, field.info().bytes())?;
    need_dst(op, "mat_out", &out, total, field.info().bytes())?;
    same_or_disjoint(op, "mat_in", &out, &a)?;
    let exec = choose(op, &config.launch, &[a.operand(), out.operand()])?;
    let args = TransposeArgs { field, rows, cols, batch: config.batch, columns: config.columns, a, out };
    on_device!(&exec, matrix::transpose(&args))
}

/// `out = A·B`, the operands `(rows, columns)` as stored; the flags say which are stored transposed.
///
/// # Errors
/// `InvalidArgument` for a dimension of 0, inner dimensions that differ, lengths that do not match, or overlap.
pub fn multiply(
    field: FieldId,
    a: Src<'_>,
    a_shape: (usize, usize),
    b: Src<'_>,
    b_shape: (usize, usize),
    config: &MatMulConfig,
    out: Dst<'_>,
) -> Result<()> {
    let op = "matmul";
    let orient = |(r, c): (usize, usize), transposed: bool| if transposed { (c, r) } else { (r, c) };
    let ((rows, inner), (inner_b, cols)) = (orient(a_shape, config.a_transposed), orient(b_shape, config.b_transposed));
    if [rows, inner, inner_b, cols].contains(&0) {
        return Err(Error::argument(
            op,
            format!("shapes {a_shape:?} and {b_shape:?}: every dimension must be at least 1"),
        ));
    }
    if inner != inner_b {
        return Err(Error::argument(op, format!("inner dimensions {inner} and {inner_b}: must be equal")));
    }
    let bytes = field.info().bytes();
    need_src(op, "mat_a", &a, count_for(op, "mat_a", rows, inner)?, bytes)?;
    need_src(op, "mat_b", &b, count_for(op, "mat_b", inner, cols)?, bytes)?;
    need_dst(op, "mat_out", &out, count_for(op, "mat_out", rows, cols)?, bytes)?;
    disjoint(op, "mat_a", &out, &a)?;
    disjoint(op, "mat_b", &out, &b)?;
    let exec = choose(op, &config.launch, &[a.operand(), b.operand(), out.operand()])?;
    let args = MultiplyArgs {
        field,
        rows,
        inner,
        cols,
        a_transposed: config.a_transposed,
        b_transposed: config.b_transposed,
        result_transposed: config.result_transposed,
        a,
        b,
        out,
    };
    on_device!(&exec, matrix::multiply(&args))
}
