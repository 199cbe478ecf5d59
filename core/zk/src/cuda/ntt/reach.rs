//! Parts of a transform that several devices share, whose kernels read and write the memory of all: the transforms down
//! columns, and of those along rows the pass over the low rows, whose outer side is the whole vector. What would be copied
//! between devices goes over the links while kernels compute.
#![allow(unsafe_code)]

use super::{Steps, Tables};
use crate::args::ntt::{Columns, NttArgs, Rows};
use crate::cuda::call::{self, Call};
use crate::cuda::domain;
use icicle_cuda::enable_peer_access;
use icicle_cuda::scratch::finish;
use icicle_device::{Device, Exec};
use icicle_error::{Error, ErrorCode, Result};
use icicle_kernels::ntt::{
    DOWN, DOWN_COLUMNS, DOWN_ROWS, Pass, Pieces, Transform, UP, UP_COLUMNS, UP_ROWS, pass_of_columns, passes_of_rows,
    reach,
};
use icicle_params::FieldId;

const OP: &str = "ntt";

/// Whether the device has these kernels for a field, and reaches the memory of other ones.
pub(crate) fn reaches(exec: &Exec, field: FieldId, others: &[Device]) -> Result<bool> {
    let has_kernels = field == field.scalar() && reach(field.info().bytes() / 4) && call::has_kernels(field);
    let is_reached = |&device: &Device| device == exec.device() || enable_peer_access(exec.device(), device).is_ok();
    Ok(has_kernels && others.iter().all(is_reached))
}

/// A call's way to its kernels.
struct Work<'c> {
    call: Call<'c>,
    steps: Steps,
    transform: Transform,
    passes: Vec<Pass>,
    tables: Tables,
}

impl<'c> Work<'c> {
    fn new(exec: &'c Exec, args: &NttArgs<'_>, cut: impl Fn(&Transform, u32) -> Vec<Pass>) -> Result<Self> {
        let known = domain::find(OP, exec.device(), args.field, args.log_n)?;
        let call = Call::of_field(OP, exec, args.field)?;
        let steps = Steps::new(args.direction, args.ordering);
        let (width, batch) = if args.columns { (args.batch as u64, 1) } else { (1, args.batch as u64) };
        let transform = Transform { words: call.words, log_n: args.log_n, width, batch, mirrored: true };
        let passes = cut(&transform, call.sms);
        let tables = Tables::new(&call, &known, args, steps, passes[0].levels)?;
        Ok(Self { call, steps, transform, passes, tables })
    }
}

fn pieces(addresses: &[u64]) -> Result<Pieces> {
    Pieces::new(addresses).ok_or_else(|| Error::new(ErrorCode::Internal, OP, "more rows than a kernel takes"))
}

/// Interleaved transforms in natural order between rows that lie somewhere; the operands of the arguments are not used.
///
/// # Errors
/// As [`ntt`](super::ntt).
///
/// # Safety
/// The rows are as many as the transform has, at multiples of 16 bytes within reach ([`reaches`]), and as long as its width;
/// they are valid until the stream has passed, nobody else writes those that are read or accesses those that are written, and
/// each is read and written in the same place or in other ones.
pub(crate) unsafe fn columns_within_reach(exec: &Exec, args: &NttArgs<'_>, rows: &Columns<'_>) -> Result<()> {
    let Work { call, steps, transform, passes, tables } = Work::new(exec, args, pass_of_columns)?;
    let kernel = if steps.down { DOWN_COLUMNS } else { UP_COLUMNS };
    let pass = &passes[0];
    let shape = pass.shape(&transform, tables.block, tables.factor_mask);
    let arguments = (tables.twiddles, tables.factors, pass.inner, shape, pieces(rows.from)?, pieces(rows.to)?);
    // SAFETY: `columns(table, factors, inner, shape, from, to)`, by the caller's word; passes wait.
    unsafe { call.launch_dependent(kernel, pass.plan, arguments) }?;
    finish(OP, exec)
}

/// The passes over the high rows of a transform in natural order, whose pass over the low ones is [`rows_within_reach`]'s: in
/// place.
///
/// # Errors
/// As [`ntt`](super::ntt).
pub(crate) fn high_rows(exec: &Exec, args: &NttArgs<'_>) -> Result<()> {
    let Work { call, steps, transform, mut passes, tables } = Work::new(exec, args, passes_of_rows)?;
    passes.remove(0);
    if steps.down {
        passes.reverse();
    }
    let kernel = if steps.down { DOWN } else { UP };
    let memory = args.out.as_ptr() as u64;
    for pass in &passes {
        let shape = pass.shape(&transform, tables.block, tables.factor_mask);
        let arguments = (memory, memory, tables.twiddles, 0, pass.inner, pass.groups, shape);
        // SAFETY: `pass(a, out, table, factors, inner, groups, shape)` on the arguments' memory, with this transform's tables;
        // passes wait.
        unsafe { call.launch_dependent(kernel, pass.plan, arguments) }?;
    }
    finish(OP, exec)
}

/// The pass over the low rows of the transforms of rows in natural order, a power of two of them, from the vector or to it.
///
/// # Errors
/// As [`ntt`](super::ntt); `OutOfMemory` without memory for the whole transform's twiddles.
///
/// # Safety
/// The pieces are a power of two, at multiples of 16 bytes within reach ([`reaches`]), and together the vector's elements; they
/// are valid until the stream has passed, and nobody else writes what is read of them or accesses what is written.
pub(crate) unsafe fn rows_within_reach(exec: &Exec, args: &NttArgs<'_>, rows: &Rows<'_>) -> Result<()> {
    let Work { call, steps, transform, passes, tables } = Work::new(exec, args, passes_of_rows)?;
    if !tables.is_block {
        return Err(Error::new(
            ErrorCode::OutOfMemory,
            OP,
            "no memory for the twiddles of a transform over several devices",
        ));
    }
    let kernel = if steps.down { DOWN_ROWS } else { UP_ROWS };
    let pass = &passes[0];
    let log_rows = rows.pieces.len().trailing_zeros();
    let of = [rows.first as u32, args.batch.trailing_zeros(), log_rows, args.log_n - log_rows];
    let shape = pass.shape(&transform, tables.block, tables.factor_mask);
    let arguments = (args.out.as_ptr() as u64, tables.twiddles, tables.factors, shape, of, pieces(rows.pieces)?);
    // SAFETY: `rows(memory, table, factors, shape, rows, pieces)`, by the caller's word; passes wait.
    unsafe { call.launch_dependent(kernel, pass.plan, arguments) }?;
    finish(OP, exec)
}
