//! Matrix operations: host sides. The kernels are in `kernels/vec/{layout,matrix}.cuh`.
#![allow(unsafe_code)]

use super::call::Call;
use crate::args::matrix as m;
use icicle_cuda::scratch::{In, Out, finish};
use icicle_device::Exec;
use icicle_error::Result;
use icicle_kernels::{field, launch as plan, layout};

/// Transposes; in place through memory of the call.
pub(crate) fn transpose(exec: &Exec, args: &m::TransposeArgs<'_>) -> Result<()> {
    let op = "matrix_transpose";
    if args.rows * args.cols * args.batch == 0 {
        return finish(op, exec);
    }
    let call = Call::of_layout(op, exec, args.field)?;
    let mut a = In::new(op, exec, &args.a)?;
    let out = Out::new(op, exec, &args.out)?;
    if a.address() == out.address() {
        a = In::copied(op, exec, &args.a)?;
    }
    let (pa, po) = (a.address(), out.address());
    let (rows, cols, batch) = (args.rows as u64, args.cols as u64, args.batch as u64);
    if args.columns && batch > 1 {
        let grid = plan::elements(call.words, rows * cols * batch, call.sms);
        // SAFETY: `transpose_columns(a, out, rows, cols, batch)`: batch interleaved matrices, as proved; not in place.
        unsafe { call.launch(layout::TRANSPOSE_COLUMNS, grid, (pa, po, rows, cols, batch)) }?;
    } else {
        let grid = plan::transpose(call.words, rows, cols, batch);
        // SAFETY: `transpose(a, out, rows, cols, batch)`: batch contiguous matrices, as proved; not in place.
        unsafe { call.launch(layout::TRANSPOSE, grid, (pa, po, rows, cols, batch)) }?;
    }
    out.finish(op, exec)
}

/// A product; what is stored transposed only changes the strides.
pub(crate) fn multiply(exec: &Exec, args: &m::MultiplyArgs<'_>) -> Result<()> {
    let op = "matmul";
    let call = Call::of_field(op, exec, args.field)?;
    let (a, b) = (In::new(op, exec, &args.a)?, In::new(op, exec, &args.b)?);
    let out = Out::new(op, exec, &args.out)?;
    let (pa, pb, po) = (a.address(), b.address(), out.address());
    let (rows, inner, cols) = (args.rows as u64, args.inner as u64, args.cols as u64);
    let strides = |rows: u64, cols: u64, transposed: bool| if transposed { (1, rows) } else { (cols, 1) };
    let (a_row, a_col) = strides(rows, inner, args.a_transposed);
    let (b_row, b_col) = strides(inner, cols, args.b_transposed);
    let (out_row, out_col) = strides(rows, cols, args.result_transposed);
    let grid = plan::tiles(call.words, rows, cols);
    // SAFETY: `matmul(a, b, out, rows, inner, cols, strides…)`: operands of these shapes, as proved.
    unsafe {
        call.launch(field::MATMUL, grid, (pa, pb, po, rows, inner, cols, a_row, a_col, b_row, b_col, out_row, out_col))
    }?;
    out.finish(op, exec)
}
