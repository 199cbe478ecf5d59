//! Bits: one bootstrap a block for two operands, none for the complement.

use super::addition::operand_block;
use super::evaluate::{Results, evaluate_each};
use super::operand::{Argument, check_pair};
use super::{FheBool, FheUint, Operand, blocks_of};
use crate::ciphertexts::check_lengths;
use crate::circuit::{Circuit, Evaluator, Signal};
use crate::parameters::MESSAGES;
use icicle_error::Result;

const BASE: i64 = MESSAGES as i64;

/// A function of the bits of two operands.
pub(crate) fn bitwise(
    keys: &dyn Evaluator,
    op: &'static str,
    x: &Operand<'_>,
    y: &Operand<'_>,
    f: fn(i64, i64) -> i64,
) -> Result<FheUint> {
    let (n, bits) = check_pair(op, keys.key().tag, x, y)?;
    let each = |circuit: &mut Circuit<'_>| {
        for at in 0..blocks_of(bits) {
            let (x, y) = (operand_block(circuit, 0, x, at)?, operand_block(circuit, 1, y, at)?);
            let block = match (x.known(), y.known()) {
                (Some(value), _) => one_known(circuit, y, |v| f(value, v))?,
                (_, Some(value)) => one_known(circuit, x, |v| f(v, value))?,
                _ => {
                    let both = circuit.weighted(BASE, &x, &y)?;
                    circuit.lut(&both, |v| f(v / BASE, v % BASE))?
                }
            };
            circuit.output(block)?;
        }
        Ok(())
    };
    Ok(evaluate_each(keys, op, n, vec![x.argument(), y.argument()], &each)?.integers(bits))
}

/// A function of a block, by no bootstrap where it is the same for all values, or the value.
fn one_known(circuit: &mut Circuit<'_>, block: Signal, f: impl Fn(i64) -> i64) -> Result<Signal> {
    if (0..BASE).all(|v| f(v) == v) {
        return Ok(block);
    }
    if (0..BASE).all(|v| f(v) == f(0)) {
        return Ok(Signal::constant(f(0)));
    }
    circuit.lut(&block, f)
}

/// The bits that are not set.
pub(crate) fn not(keys: &dyn Evaluator, x: &FheUint) -> Result<FheUint> {
    const OP: &str = "fhe_not";
    x.blocks.check(OP, "x", keys.key().tag)?;
    let per = x.per_integer();
    Ok(subtracted_from(keys, OP, MESSAGES - 1, (x.len(), per), Argument::Integers(x))?.integers(x.bits))
}

/// Whether it does not hold.
pub(crate) fn logical_not(keys: &dyn Evaluator, x: &FheBool) -> Result<FheBool> {
    const OP: &str = "fhe_logical_not";
    x.blocks.check(OP, "x", keys.key().tag)?;
    Ok(subtracted_from(keys, OP, 1, (x.len(), 1), Argument::Bools(x))?.bools())
}

/// Truth values from how many of two hold.
pub(crate) fn logical(
    keys: &dyn Evaluator,
    op: &'static str,
    x: &FheBool,
    y: &FheBool,
    f: fn(i64) -> bool,
) -> Result<FheBool> {
    x.blocks.check(op, "x", keys.key().tag)?;
    y.blocks.check(op, "y", keys.key().tag)?;
    check_lengths(op, ["x", "y"], [x.len(), y.len()])?;
    let each = |circuit: &mut Circuit<'_>| {
        let count = circuit.sum([&circuit.block(0, 0)?, &circuit.block(1, 0)?])?;
        let held = circuit.lut(&count, |count| i64::from(f(count)))?;
        circuit.output(held)?;
        Ok(())
    };
    Ok(evaluate_each(keys, op, x.len(), vec![Argument::Bools(x), Argument::Bools(y)], &each)?.bools())
}

/// Each message taken from another: no bootstraps.
fn subtracted_from(
    keys: &dyn Evaluator,
    op: &'static str,
    from: u64,
    (n, per): (usize, usize),
    x: Argument<'_>,
) -> Result<Results> {
    let each = |circuit: &mut Circuit<'_>| {
        (0..per).try_for_each(|at| {
            let less = Signal::constant(from as i64).plus(op, &circuit.block(0, at)?, -1)?;
            circuit.output(less)
        })
    };
    evaluate_each(keys, op, n, vec![x], &each)
}
