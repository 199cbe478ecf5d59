//! Vector operations: host sides. The kernels, their parameters and what they ask of grids are in `kernels/vec/`.
#![allow(unsafe_code)]

use super::call::Call;
use crate::args::vector::{self as v, Binary, Reduce, Shape};
use icicle_cuda::scratch::{In, Out, Scratch, finish};
use icicle_cuda::{driver, parts};
use icicle_device::Exec;
use icicle_error::{ErrorCode, Result};
use icicle_kernels::Plan;
use icicle_kernels::field::{self, ReduceBlock, ReduceThread};
use icicle_kernels::{launch as plan, layout};

/// `out = a ∘ b`, element by element, however many vectors they are.
pub(crate) fn binary(exec: &Exec, args: &v::BinaryArgs<'_>) -> Result<()> {
    let (op, step) = match args.binary {
        Binary::Add => ("vector_add", Some(field::ADD)),
        Binary::Sub => ("vector_sub", Some(field::SUB)),
        Binary::Mul => ("vector_mul", Some(field::MUL)),
        Binary::Div => ("vector_div", None),
    };
    if args.shape.total() == 0 {
        return finish(op, exec);
    }
    let call = Call::of_field(op, exec, args.shape.field)?;
    // A division needs scratch memory.
    let spare = if step.is_none() { call.bytes(1) } else { 0 };
    parts::each(op, exec, args.shape.total(), [&args.a, &args.b], &args.out, spare, |[a, b], out, spare, n| {
        let n = n as u64;
        let grid = plan::elements(call.words, n, call.sms);
        match step {
            // SAFETY: each holds n elements, as the arguments' constructor proved.
            Some(step) => unsafe { call.launch(step, grid, (a, b, out, n)) },
            // SAFETY: as above, scratch memory too.
            None => unsafe { call.launch(field::DIV, plan::runs(n, call.sms), (a, b, out, spare, n)) },
        }
    })
}

/// `out = a·b`, `b` over the scalar field.
pub(crate) fn mixed_mul(exec: &Exec, args: &v::BinaryArgs<'_>) -> Result<()> {
    let op = "vector_mixed_mul";
    if args.shape.total() == 0 {
        return finish(op, exec);
    }
    let call = Call::of_field(op, exec, args.shape.field)?;
    parts::each(op, exec, args.shape.total(), [&args.a, &args.b], &args.out, 0, |[a, b], out, _, n| {
        let n = n as u64;
        // SAFETY: `mixed_mul(a, b, out, n)`: each holds n elements of its field, as the arguments' constructor proved.
        unsafe { call.launch(field::MIXED_MUL, plan::elements(call.words, n, call.sms), (a, b, out, n)) }
    })
}

/// `out = s ∘ v`, one scalar for each vector.
pub(crate) fn scalar(exec: &Exec, args: &v::BinaryArgs<'_>) -> Result<()> {
    let (op, row, flat) = match args.binary {
        Binary::Add => ("scalar_add_vec", field::SCALAR_ADD_ROW, field::SCALAR_ADD_FLAT),
        Binary::Sub => ("scalar_sub_vec", field::SCALAR_SUB_ROW, field::SCALAR_SUB_FLAT),
        Binary::Mul | Binary::Div => ("scalar_mul_vec", field::SCALAR_MUL_ROW, field::SCALAR_MUL_FLAT),
    };
    let Shape { field, n, batch, columns } = args.shape;
    if args.shape.total() == 0 {
        return finish(op, exec);
    }
    let call = Call::of_field(op, exec, field)?;
    let scalars = In::new(op, exec, &args.a)?;
    if batch == 1 {
        return parts::each(op, exec, n, [&args.b], &args.out, 0, |[b], out, _, n| {
            let (n, batch) = (n as u64, 1u64);
            let grid = plan::rows(call.words, n, batch, call.sms);
            // SAFETY: `row(scalars, a, out, n, batch)`: one scalar, n elements, as proved.
            unsafe { call.launch(row, grid, (scalars.address(), b, out, n, batch)) }
        });
    }
    let (b, out) = (In::new(op, exec, &args.b)?, Out::new(op, exec, &args.out)?);
    let (ps, pb, po) = (scalars.address(), b.address(), out.address());
    let (n, batch) = (n as u64, batch as u64);
    // A row of its own is worth it for a vector that keeps a block busy.
    if !columns && n >= 4 * u64::from(plan::threads(call.words)) {
        let grid = plan::rows(call.words, n, batch, call.sms);
        // SAFETY: `row(scalars, a, out, n, batch)`: batch scalars, n·batch elements, as proved.
        unsafe { call.launch(row, grid, (ps, pb, po, n, batch)) }?;
    } else {
        let columns = u32::from(columns);
        // SAFETY: `flat(scalars, a, out, n, batch, columns)`: as above.
        unsafe { call.launch(flat, plan::elements(call.words, n * batch, call.sms), (ps, pb, po, n, batch, columns)) }?;
    }
    out.finish(op, exec)
}

/// `out = 1/a`.
pub(crate) fn inverse(exec: &Exec, args: &v::UnaryArgs<'_>) -> Result<()> {
    let op = "vector_inv";
    if args.shape.total() == 0 {
        return finish(op, exec);
    }
    let call = Call::of_field(op, exec, args.shape.field)?;
    parts::each(op, exec, args.shape.total(), [&args.a], &args.out, call.bytes(1), |[a], out, spare, n| {
        let n = n as u64;
        // SAFETY: `inv(a, out, scratch, n)`: each holds n elements, as proved.
        unsafe { call.launch(field::INV, plan::runs(n, call.sms), (a, out, spare, n)) }
    })
}

/// Canonical to Montgomery form, or back.
pub(crate) fn convert_montgomery(exec: &Exec, args: &v::ConvertArgs<'_>) -> Result<()> {
    let op = "convert_montgomery";
    if args.shape.total() == 0 {
        return finish(op, exec);
    }
    let call = Call::of_field(op, exec, args.shape.field)?;
    let step = if args.to_montgomery { field::ENCODE } else { field::DECODE };
    parts::each(op, exec, args.shape.total(), [&args.a], &args.out, 0, |[a], out, _, n| {
        let n = n as u64;
        // SAFETY: `step(a, out, n)`: each holds n elements, as proved.
        unsafe { call.launch(step, plan::elements(call.words, n, call.sms), (a, out, n)) }
    })
}

/// Sum or product of each vector.
pub(crate) fn reduce(exec: &Exec, args: &v::ReduceArgs<'_>) -> Result<()> {
    let (op, kernels) = match args.reduce {
        Reduce::Sum => ("vector_sum", (field::SUM_BLOCK, field::SUM_THREAD)),
        Reduce::Product => ("vector_product", (field::PRODUCT_BLOCK, field::PRODUCT_THREAD)),
    };
    let call = Call::of_field(op, exec, args.shape.field)?;
    let (a, out) = (In::new(op, exec, &args.a)?, Out::new(op, exec, &args.out)?);
    reduce_on_device(&call, kernels, a.address(), out.address(), &args.shape)?;
    out.finish(op, exec)
}

/// Reduce each vector at `a` to an element at `out`, in one launch or two.
fn reduce_on_device(
    call: &Call<'_>,
    (block, thread): (ReduceBlock, ReduceThread),
    a: u64,
    out: u64,
    shape: &Shape,
) -> Result<()> {
    let (n, batch, one) = (shape.n as u64, shape.batch as u64, 1u64);
    if batch == 1 || (!shape.columns && n >= 2 * u64::from(plan::threads(call.words))) {
        // Blocks of a row, then one block for their results.
        let first = plan::partials(call.words, n, batch, call.sms);
        let blocks = u64::from(first.grid.0);
        if blocks == 1 {
            // SAFETY: `block(a, out, n, batch)`: n·batch elements, one result a vector and block.
            return unsafe { call.launch(block, first, (a, out, n, batch)) };
        }
        let partial = Scratch::new(call.op, call.exec, call.bytes(blocks * batch))?;
        let address = partial.address();
        // SAFETY: as above, with `blocks` results a vector.
        unsafe { call.launch(block, first, (a, address, n, batch)) }?;
        let last = Plan { grid: (1, first.grid.1), ..first };
        // SAFETY: as above, over those results.
        return unsafe { call.launch(block, last, (address, out, blocks, batch)) };
    }
    // Interleaved or short vectors: a thread a run of each, then a thread over the results of a vector's runs.
    let (pitch, stride) = pitch_and_stride(n, batch, shape.columns);
    let segments = plan::segments(n, batch, call.sms);
    let last = plan::segment_threads(call.words, batch, 1, call.sms);
    if segments == 1 {
        // SAFETY: `thread(a, out, n, batch, pitch, stride, segments)`: n·batch elements in this layout, batch results.
        return unsafe { call.launch(thread, last, (a, out, n, batch, pitch, stride, one)) };
    }
    let partial = Scratch::new(call.op, call.exec, call.bytes(segments * batch))?;
    let (address, first) = (partial.address(), plan::segment_threads(call.words, batch, segments, call.sms));
    // SAFETY: as above, with `segments·batch` results, interleaved.
    unsafe { call.launch(thread, first, (a, address, n, batch, pitch, stride, segments)) }?;
    // SAFETY: as above, over those results.
    unsafe { call.launch(thread, last, (address, out, segments, batch, one, batch, one)) }
}

/// How vectors lie: element `i` of vector `v` at `v·pitch + i·stride`.
pub(crate) fn pitch_and_stride(n: u64, batch: u64, columns: bool) -> (u64, u64) {
    if columns { (1, batch) } else { (n, 1) }
}

/// `out[i] = a[reversed bits of i]`.
pub(crate) fn bit_reverse(exec: &Exec, args: &v::UnaryArgs<'_>) -> Result<()> {
    let op = "bit_reverse";
    if args.shape.total() == 0 {
        return finish(op, exec);
    }
    let (a, out) = (In::new(op, exec, &args.a)?, Out::new(op, exec, &args.out)?);
    // SAFETY: n·batch elements each, as the arguments' constructor proved.
    unsafe { bit_reverse_on_device(op, exec, a.address(), out.address(), &args.shape) }?;
    out.finish(op, exec)
}

/// Bring vectors on the device into bit-reversed order, in place or not.
///
/// # Safety
/// At `a` and `out` are the shape's elements, the same ones or disjoint, valid until the call's stream has passed.
pub(crate) unsafe fn bit_reverse_on_device(
    op: &'static str,
    exec: &Exec,
    a: u64,
    out: u64,
    &Shape { field, n, batch, columns }: &Shape,
) -> Result<()> {
    let call = Call::of_layout(op, exec, field)?;
    let (log_n, batch) = (n.ilog2(), batch as u64);
    let tiles = plan::bit_reverse(call.words, log_n, batch).filter(|_| !columns || batch == 1);
    if let Some(tiles) = tiles {
        // SAFETY: `tiles(a, out, log_n, batch)`: batch contiguous vectors of 2^log_n elements by the caller's word.
        return unsafe { call.launch(layout::BIT_REVERSE_TILES, tiles, (a, out, log_n, batch)) };
    }
    let (pitch, stride) = pitch_and_stride(n as u64, batch, columns);
    let grid = plan::elements(call.words, n as u64 * batch, call.sms);
    // SAFETY: `pairs(a, out, log_n, batch, pitch, stride)`: n·batch elements in this layout by the caller's word.
    unsafe { call.launch(layout::BIT_REVERSE_PAIRS, grid, (a, out, log_n, batch, pitch, stride)) }
}

/// `out[i] = a[offset + i·stride]`.
pub(crate) fn slice(exec: &Exec, args: &v::SliceArgs<'_>) -> Result<()> {
    let op = "slice";
    let Shape { field, n, batch, columns } = args.shape;
    if args.n_out == 0 {
        return finish(op, exec);
    }
    let call = Call::of_layout(op, exec, field)?;
    let (a, out) = (In::new(op, exec, &args.a)?, Out::new(op, exec, &args.out)?);
    let (pa, po) = (a.address(), out.address());
    let (n_out, batch, offset, step) = (args.n_out as u64, batch as u64, args.offset as u64, args.stride as u64);
    let (pitch, stride) = pitch_and_stride(n as u64, batch, columns);
    let (out_pitch, _) = pitch_and_stride(n_out, batch, columns);
    let grid = plan::elements(call.words, n_out * batch, call.sms);
    // SAFETY: `slice(a, out, n_out, batch, offset, step, pitch, out_pitch, stride)`: the last index is below n, as proved.
    unsafe { call.launch(layout::SLICE, grid, (pa, po, n_out, batch, offset, step, pitch, out_pitch, stride)) }?;
    out.finish(op, exec)
}

/// Index of the last nonzero element of each vector, −1 if there is none.
pub(crate) fn highest_non_zero(exec: &Exec, args: &v::UnaryArgs<'_>) -> Result<()> {
    let op = "highest_non_zero_idx";
    // The kernel's atomic maximum wants 8-byte alignment.
    let (a, out) = (In::new(op, exec, &args.a)?, Out::aligned(op, exec, &args.out, 8)?);
    // SAFETY: n·batch elements and batch results, as the arguments' constructor proved.
    unsafe { highest_non_zero_on_device(op, exec, a.address(), out.address(), &args.shape) }?;
    out.finish(op, exec)
}

/// Index of the last nonzero element of each vector on the device, `i64` each.
///
/// # Safety
/// At `a` are the shape's elements, at `out`, aligned to 8, room for one result a vector, valid until the call's stream
/// has passed.
pub(crate) unsafe fn highest_non_zero_on_device(
    op: &'static str,
    exec: &Exec,
    a: u64,
    out: u64,
    &Shape { field, n, batch, columns }: &Shape,
) -> Result<()> {
    let call = Call::of_layout(op, exec, field)?;
    let gpu = icicle_cuda::gpu::gpu(op, exec.device().index)?;
    // SAFETY: the results' own bytes; all ones is −1.
    gpu.with(op, ErrorCode::Internal, || unsafe { driver::fill(out, 0xff, 8 * batch, exec.stream()) })?;
    if n == 0 {
        return Ok(());
    }
    let (n, batch) = (n as u64, batch as u64);
    let (pitch, stride) = pitch_and_stride(n, batch, columns);
    let grid = plan::rows(call.words, n, batch, call.sms);
    // SAFETY: `highest_non_zero(a, out, n, batch, pitch, stride)`: as the caller says.
    unsafe { call.launch(layout::HIGHEST_NON_ZERO, grid, (a, out, n, batch, pitch, stride)) }
}
