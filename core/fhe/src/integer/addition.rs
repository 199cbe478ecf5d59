//! Sums and differences modulo 2ᵇⁱᵗˢ.

use super::carry::fastest_sum;
use super::evaluate::{Results, elementwise, evaluate, picked};
use super::operand::check_pair;
use super::{FheBool, FheUint, Operand, blocks_of};
use crate::circuit::{Build, Circuit, Evaluator, Polarity, Signal, digit};
use crate::parameters::MESSAGES;
use icicle_error::Result;
use icicle_error::reserve::with_capacity;

/// x + y.
pub(crate) fn add(keys: &dyn Evaluator, x: &Operand<'_>, y: &Operand<'_>) -> Result<FheUint> {
    let (results, bits) = combine(keys, "fhe_add", x, y, false, false)?;
    Ok(results.integers(bits))
}

/// x - y.
pub(crate) fn sub(keys: &dyn Evaluator, x: &Operand<'_>, y: &Operand<'_>) -> Result<FheUint> {
    let (results, bits) = combine(keys, "fhe_sub", x, y, true, false)?;
    Ok(results.integers(bits))
}

/// x + y, and whether it is above what the width holds.
pub(crate) fn overflowing_add(keys: &dyn Evaluator, x: &Operand<'_>, y: &Operand<'_>) -> Result<(FheUint, FheBool)> {
    flagged(keys, combine(keys, "fhe_overflowing_add", x, y, false, true)?)
}

/// x - y, and whether it is below 0.
pub(crate) fn overflowing_sub(keys: &dyn Evaluator, x: &Operand<'_>, y: &Operand<'_>) -> Result<(FheUint, FheBool)> {
    flagged(keys, combine(keys, "fhe_overflowing_sub", x, y, true, true)?)
}

/// -x.
pub(crate) fn neg(keys: &dyn Evaluator, x: &FheUint) -> Result<FheUint> {
    const OP: &str = "fhe_neg";
    x.blocks.check(OP, "x", keys.key().tag)?;
    let per = x.per_integer();
    let build: Build<'_> = &|blank, share| {
        let sums = |circuit: &mut Circuit<'_>| {
            let mut sums = with_capacity(OP, per)?;
            for at in 0..per {
                let block = circuit.block(0, at)?;
                sums.push(complement(OP, &block)?.offset(i64::from(at == 0)));
            }
            Ok(sums)
        };
        fastest_sum(blank, share, None, &sums)
    };
    let x = Operand::from(x);
    Ok(evaluate(keys, &elementwise(OP, x.len().unwrap_or(0), build), vec![x.argument()])?.integers(x.bits()))
}

/// 3 less a block.
fn complement(op: &'static str, block: &Signal) -> Result<Signal> {
    Signal::constant(MESSAGES as i64 - 1).plus(op, block, -1)
}

/// The block of an operand of a circuit, or of the clear integer that stands for all.
pub(super) fn operand_block(circuit: &Circuit<'_>, operand: usize, of: &Operand<'_>, at: usize) -> Result<Signal> {
    match of.scalar() {
        Some(value) => Ok(Signal::constant(digit(value, at))),
        None => circuit.block(operand, at),
    }
}

/// The sum of both operands' blocks, the second's complemented where it is subtracted: with a carry, at most 3 + 3 + 1.
fn combine(
    keys: &dyn Evaluator,
    op: &'static str,
    x: &Operand<'_>,
    y: &Operand<'_>,
    subtract: bool,
    carry_out: bool,
) -> Result<(Results, u32)> {
    let (n, bits) = check_pair(op, keys.key().tag, x, y)?;
    let build: Build<'_> = &|blank, share| {
        let sums = |circuit: &mut Circuit<'_>| {
            let mut sums = with_capacity(op, blocks_of(bits))?;
            for at in 0..blocks_of(bits) {
                let (x, y) = (operand_block(circuit, 0, x, at)?, operand_block(circuit, 1, y, at)?);
                let y = if subtract { complement(op, &y)?.offset(i64::from(at == 0)) } else { y };
                sums.push(x.plus(op, &y, 1)?);
            }
            Ok(sums)
        };
        fastest_sum(blank, share, carry_out.then_some(subtract), &sums)
    };
    Ok((evaluate(keys, &elementwise(op, n, build), vec![x.argument(), y.argument()])?, bits))
}

/// The last block of each integer, apart from the others.
fn flagged(keys: &dyn Evaluator, (results, bits): (Results, u32)) -> Result<(FheUint, FheBool)> {
    const OP: &str = "fhe_overflowing";
    let per = blocks_of(bits);
    let blocks = picked(keys, OP, &results.blocks, per + 1, 0..per)?;
    let flags = picked(keys, OP, &results.blocks, per + 1, per..per + 1)?;
    let flags = FheBool { blocks: flags, polarity: Polarity::Plain, repeats: false };
    Ok((FheUint { blocks, ..results.integers(bits) }, flags))
}
