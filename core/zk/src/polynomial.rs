//! Polynomials as coefficient vectors, constant term first.

pub use crate::args::polynomial::{DivideArgs, EvaluateArgs};

use crate::args::vector::VectorConfig;
use crate::dispatch::on_device;
use icicle_device::check::{count_for, disjoint, need_dst, need_src};
use icicle_device::{Dst, Src};
use icicle_error::{Error, Result};
use icicle_params::FieldId;
use icicle_runtime::choose;

/// Values of `batch` polynomials of `n` coefficients at `points` shared points.
///
/// # Errors
/// `InvalidArgument` for lengths that do not match or overlap, `InvalidPointer` for memory on another device.
pub fn evaluate(
    field: FieldId,
    n: usize,
    coeffs: Src<'_>,
    points: usize,
    domain: Src<'_>,
    config: &VectorConfig,
    out: Dst<'_>,
) -> Result<()> {
    let op = "poly_eval";
    if config.batch == 0 {
        return Err(Error::argument(op, "batch_size 0: must be at least 1"));
    }
    let bytes = field.info().bytes();
    need_src(op, "coeffs", &coeffs, count_for(op, "coeffs", n, config.batch)?, bytes)?;
    need_src(op, "domain", &domain, points, bytes)?;
    need_dst(op, "evals", &out, count_for(op, "evals", points, config.batch)?, bytes)?;
    disjoint(op, "coeffs", &out, &coeffs)?;
    disjoint(op, "domain", &out, &domain)?;
    let exec = choose(op, &config.launch, &[coeffs.operand(), domain.operand(), out.operand()])?;
    let args = EvaluateArgs { field, n, points, batch: config.batch, columns: config.columns, coeffs, domain, out };
    on_device!(&exec, polynomial::evaluate(&args))
}

/// Quotient and remainder: `numerator = quotient·denominator + remainder`, degree of the remainder below the denominator's.
///
/// Capacities: `r_size` at least the numerator's degree plus 1 and `q_size` at least the quotient's degree plus 1; what is
/// left over is zeroed.
///
/// # Errors
/// `InvalidArgument` for a zero denominator, capacities too small, lengths that do not match, or overlap.
#[allow(clippy::too_many_arguments)] // the shape of the call is ICICLE's
pub fn divide(
    field: FieldId,
    n: usize,
    numerator: Src<'_>,
    m: usize,
    denominator: Src<'_>,
    config: &VectorConfig,
    q_size: usize,
    quotient: Dst<'_>,
    r_size: usize,
    remainder: Dst<'_>,
) -> Result<()> {
    let op = "poly_division";
    if config.batch == 0 {
        return Err(Error::argument(op, "batch_size 0: must be at least 1"));
    }
    let bytes = field.info().bytes();
    need_src(op, "numerator", &numerator, count_for(op, "numerator", n, config.batch)?, bytes)?;
    need_src(op, "denominator", &denominator, count_for(op, "denominator", m, config.batch)?, bytes)?;
    need_dst(op, "q_out", &quotient, count_for(op, "q_out", q_size, config.batch)?, bytes)?;
    need_dst(op, "r_out", &remainder, count_for(op, "r_out", r_size, config.batch)?, bytes)?;
    for out in [&quotient, &remainder] {
        disjoint(op, "numerator", out, &numerator)?;
        disjoint(op, "denominator", out, &denominator)?;
    }
    disjoint(op, "q_out", &remainder, &quotient.as_src())?;
    let operands = [numerator.operand(), denominator.operand(), quotient.operand(), remainder.operand()];
    let exec = choose(op, &config.launch, &operands)?;
    let args = DivideArgs {
        field,
        n,
        m,
        q_size,
        r_size,
        batch: config.batch,
        columns: config.columns,
        numerator,
        denominator,
        quotient,
        remainder,
    };
    on_device!(&exec, polynomial::divide(&args))
}
