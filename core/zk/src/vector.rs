//! Element-wise operations, reductions and reorderings of vectors of field elements.
//!
//! Shapes: every vector holds `batch` vectors of `n` elements in memory form, one after another, or interleaved
//! (`[n][batch]`) with `columns`. Encoding: canonical, except that linear operations work on Montgomery data alike.

pub use crate::args::vector::{
    Binary, BinaryArgs, ConvertArgs, Reduce, ReduceArgs, Shape, SliceArgs, UnaryArgs, VectorConfig,
};

use crate::dispatch::on_device;
use icicle_device::check::{self, count_for, need_dst, need_src, same_or_disjoint};
use icicle_device::{Dst, Exec, Src};
use icicle_error::{Error, Result};
use icicle_params::FieldId;
use icicle_runtime::choose;

fn run<'a>(
    op: &'static str,
    config: &VectorConfig,
    srcs: &[&Src<'a>],
    out: &Dst<'a>,
    go: impl FnOnce(&Exec) -> Result<()>,
) -> Result<()> {
    let mut operands = vec![out.operand()];
    operands.extend(srcs.iter().map(|s| s.operand()));
    let exec = choose(op, &config.launch, &operands)?;
    go(&exec)
}

/// `out[i] = a[i] ∘ b[i]`: sum, difference, product or quotient.
///
/// `n` elements in each of `batch` vectors. `out` may be exactly `a` or `b`. With `n = 0` nothing is written.
///
/// # Errors
/// `InvalidArgument` for lengths that do not match or partial overlap, `InvalidPointer` for memory on another device.
pub fn binary(
    binary: Binary,
    field: FieldId,
    n: usize,
    a: Src<'_>,
    b: Src<'_>,
    config: &VectorConfig,
    out: Dst<'_>,
) -> Result<()> {
    let op = binary.op();
    let shape = Shape::new(op, field, n, config)?;
    need_src(op, "vec_a", &a, shape.total(), shape.bytes())?;
    need_src(op, "vec_b", &b, shape.total(), shape.bytes())?;
    need_dst(op, "output", &out, shape.total(), shape.bytes())?;
    same_or_disjoint(op, "vec_a", &out, &a)?;
    same_or_disjoint(op, "vec_b", &out, &b)?;
    let args = BinaryArgs { binary, shape, a, b, out };
    run(op, config, &[&args.a, &args.b], &args.out, |exec| on_device!(exec, vector::binary(&args)))
}

/// `a[i] += b[i]`. Shapes and errors as [`binary`].
pub fn accumulate(field: FieldId, n: usize, a: Dst<'_>, b: Src<'_>, config: &VectorConfig) -> Result<()> {
    let op = "vector_accumulate";
    let shape = Shape::new(op, field, n, config)?;
    need_dst(op, "vec_a", &a, shape.total(), shape.bytes())?;
    need_src(op, "vec_b", &b, shape.total(), shape.bytes())?;
    same_or_disjoint(op, "vec_b", &a, &b)?;
    let args = BinaryArgs { binary: Binary::Add, shape, a: a.as_src(), b, out: a };
    run(op, config, &[&args.a, &args.b], &args.out, |exec| on_device!(exec, vector::binary(&args)))
}

/// `out[i] = a[i]·b[i]` with `a` over an extension field and `b` over its scalar field. Otherwise as [`binary`].
///
/// # Errors
/// Besides those of [`binary`], `Unsupported` if `field` is no extension, as [`supports`](crate::supports) says.
pub fn mixed_mul(field: FieldId, n: usize, a: Src<'_>, b: Src<'_>, config: &VectorConfig, out: Dst<'_>) -> Result<()> {
    let op = "vector_mixed_mul";
    if field.scalar() == field || field.info().role != icicle_params::Role::Extension {
        return Err(Error::unsupported(op, format!("field {}: must be an extension of a scalar field", field.name())));
    }
    let shape = Shape::new(op, field, n, config)?;
    need_src(op, "vec_a", &a, shape.total(), shape.bytes())?;
    need_src(op, "vec_b", &b, shape.total(), field.scalar().info().bytes())?;
    need_dst(op, "output", &out, shape.total(), shape.bytes())?;
    same_or_disjoint(op, "vec_a", &out, &a)?;
    check::disjoint(op, "vec_b", &out, &b)?;
    let args = BinaryArgs { binary: Binary::Mul, shape, a, b, out };
    run(op, config, &[&args.a, &args.b], &args.out, |exec| on_device!(exec, vector::mixed_mul(&args)))
}

/// `out[i] = s ∘ v[i]`: scalar plus, minus or times vector, `batch` scalars for `batch` vectors.
///
/// # Errors
/// As [`binary`]; `InvalidArgument` for a quotient.
pub fn scalar(
    binary: Binary,
    field: FieldId,
    n: usize,
    scalars: Src<'_>,
    v: Src<'_>,
    config: &VectorConfig,
    out: Dst<'_>,
) -> Result<()> {
    let op = binary.scalar_op();
    if binary == Binary::Div {
        return Err(Error::argument(op, "operation div: must be add, sub or mul"));
    }
    let shape = Shape::new(op, field, n, config)?;
    need_src(op, "scalar_a", &scalars, shape.batch, shape.bytes())?;
    need_src(op, "vec_b", &v, shape.total(), shape.bytes())?;
    need_dst(op, "output", &out, shape.total(), shape.bytes())?;
    same_or_disjoint(op, "vec_b", &out, &v)?;
    check::disjoint(op, "scalar_a", &out, &scalars)?;
    let args = BinaryArgs { binary, shape, a: scalars, b: v, out };
    run(op, config, &[&args.a, &args.b], &args.out, |exec| on_device!(exec, vector::scalar(&args)))
}

fn unary<'a>(
    op: &'static str,
    field: FieldId,
    n: usize,
    a: Src<'a>,
    config: &VectorConfig,
    out: Dst<'a>,
) -> Result<UnaryArgs<'a>> {
    let shape = Shape::new(op, field, n, config)?;
    need_src(op, "input", &a, shape.total(), shape.bytes())?;
    need_dst(op, "output", &out, shape.total(), shape.bytes())?;
    same_or_disjoint(op, "input", &out, &a)?;
    Ok(UnaryArgs { shape, a, out })
}

/// `out[i] = 1/a[i]`, zero where `a[i]` has no inverse. Shapes and errors as [`binary`].
pub fn inv(field: FieldId, n: usize, a: Src<'_>, config: &VectorConfig, out: Dst<'_>) -> Result<()> {
    let args = unary("vector_inv", field, n, a, config, out)?;
    run("vector_inv", config, &[&args.a], &args.out, |exec| on_device!(exec, vector::inverse(&args)))
}

/// Sum or product of each vector: `out` holds `batch` elements. An empty vector sums to 0 and multiplies to 1.
///
/// # Errors
/// As [`binary`]; `out` and `a` must be disjoint.
pub fn reduce(reduce: Reduce, field: FieldId, n: usize, a: Src<'_>, config: &VectorConfig, out: Dst<'_>) -> Result<()> {
    let op = reduce.op();
    let shape = Shape::new(op, field, n, config)?;
    need_src(op, "vec_a", &a, shape.total(), shape.bytes())?;
    need_dst(op, "output", &out, shape.batch, shape.bytes())?;
    check::disjoint(op, "vec_a", &out, &a)?;
    let args = ReduceArgs { reduce, shape, a, out };
    run(op, config, &[&args.a], &args.out, |exec| on_device!(exec, vector::reduce(&args)))
}

/// Canonical to Montgomery form (`x·R mod p`, `R = 2^(8·bytes)` of the prime field) or back, coefficient by coefficient.
/// Shapes and errors as [`binary`].
pub fn convert_montgomery(
    field: FieldId,
    n: usize,
    a: Src<'_>,
    to_montgomery: bool,
    config: &VectorConfig,
    out: Dst<'_>,
) -> Result<()> {
    let op = "convert_montgomery";
    let UnaryArgs { shape, a, out } = unary(op, field, n, a, config, out)?;
    let args = ConvertArgs { to_montgomery, shape, a, out };
    run(op, config, &[&args.a], &args.out, |exec| on_device!(exec, vector::convert_montgomery(&args)))
}

/// `out[i] = a[bit-reversed i]` in each vector; `n` a power of two or 0.
///
/// # Errors
/// As [`binary`]; `InvalidArgument` if `n` is no power of two.
pub fn bit_reverse(field: FieldId, n: usize, a: Src<'_>, config: &VectorConfig, out: Dst<'_>) -> Result<()> {
    let op = "bit_reverse";
    if n != 0 && !n.is_power_of_two() {
        return Err(Error::argument(op, format!("size {n}: must be a power of two")));
    }
    let args = unary(op, field, n, a, config, out)?;
    run(op, config, &[&args.a], &args.out, |exec| on_device!(exec, vector::bit_reverse(&args)))
}

/// `out[i] = a[offset + i·stride]` for `i < n_out` in each vector of `n`.
///
/// # Errors
/// As [`binary`]; `InvalidArgument` if the last index is not below `n` or `out` overlaps `a`.
#[allow(clippy::too_many_arguments)] // the shape of the call is ICICLE's
pub fn slice(
    field: FieldId,
    n: usize,
    a: Src<'_>,
    offset: usize,
    stride: usize,
    n_out: usize,
    config: &VectorConfig,
    out: Dst<'_>,
) -> Result<()> {
    let op = "slice";
    let shape = Shape::new(op, field, n, config)?;
    if n_out > 0 {
        let last = (n_out - 1).checked_mul(stride).and_then(|d| d.checked_add(offset));
        if last.is_none_or(|last| last >= n) {
            return Err(Error::argument(
                op,
                format!(
                    "offset {offset}, stride {stride}, size_out {n_out}: offset + (size_out - 1)·stride must be below size_in {n}"
                ),
            ));
        }
    }
    need_src(op, "input", &a, shape.total(), shape.bytes())?;
    need_dst(op, "output", &out, count_for(op, "output", n_out, shape.batch)?, shape.bytes())?;
    check::disjoint(op, "input", &out, &a)?;
    let args = SliceArgs { offset, stride, n_out, shape, a, out };
    run(op, config, &[&args.a], &args.out, |exec| on_device!(exec, vector::slice(&args)))
}

/// The index of the last nonzero element of each vector, −1 if there is none: `out` holds `batch` `i64`.
///
/// # Errors
/// As [`binary`].
pub fn highest_non_zero(field: FieldId, n: usize, a: Src<'_>, config: &VectorConfig, out: Dst<'_>) -> Result<()> {
    let op = "highest_non_zero_idx";
    let shape = Shape::new(op, field, n, config)?;
    need_src(op, "input", &a, shape.total(), shape.bytes())?;
    need_dst(op, "out_idx", &out, shape.batch, size_of::<i64>())?;
    check::disjoint(op, "input", &out, &a)?;
    if out.bytes() > 0 && !out.as_ptr().addr().is_multiple_of(align_of::<i64>()) {
        return Err(Error::pointer(op, format!("out_idx at {:?}: must be aligned to 8 bytes", out.as_ptr())));
    }
    let args = UnaryArgs { shape, a, out };
    run(op, config, &[&args.a], &args.out, |exec| on_device!(exec, vector::highest_non_zero(&args)))
}
