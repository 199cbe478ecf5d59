//! Between widths, and to and from truth values.

use super::evaluate::{Results, evaluate_each};
use super::operand::Argument;
use super::{FheBool, FheUint, blocks_of};
use crate::circuit::{Circuit, Evaluator, Signal};
use icicle_error::reserve::with_capacity;
use icicle_error::{Error, Result};

/// Refuse widths that integers do not have.
pub(crate) fn check_bits(op: &'static str, bits: u32) -> Result<()> {
    match bits {
        8 | 16 | 32 | 64 => Ok(()),
        _ => Err(Error::argument(op, format!("bits is {bits}, must be 8, 16, 32 or 64"))),
    }
}

/// The low bits, or zeros above: no bootstraps.
pub(crate) fn cast(keys: &dyn Evaluator, x: &FheUint, bits: u32) -> Result<FheUint> {
    const OP: &str = "fhe_cast";
    x.blocks.check(OP, "x", keys.key().tag)?;
    check_bits(OP, bits)?;
    let (n, per) = (x.len(), x.per_integer());
    Ok(resized(keys, OP, (n, per), Argument::Integers(x), blocks_of(bits))?.integers(bits))
}

/// 1 where it holds, else 0: no bootstraps.
pub(crate) fn cast_bool(keys: &dyn Evaluator, x: &FheBool, bits: u32) -> Result<FheUint> {
    const OP: &str = "fhe_cast_bool";
    x.blocks.check(OP, "x", keys.key().tag)?;
    check_bits(OP, bits)?;
    Ok(resized(keys, OP, (x.len(), 1), Argument::Bools(x), blocks_of(bits))?.integers(bits))
}

/// Integers of other numbers of blocks, cut off or with zeros above.
fn resized(
    keys: &dyn Evaluator,
    op: &'static str,
    (n, old): (usize, usize),
    x: Argument<'_>,
    new: usize,
) -> Result<Results> {
    let each = |circuit: &mut Circuit<'_>| {
        (0..new).try_for_each(|at| {
            let block = if at < old { circuit.block(0, at)? } else { Signal::constant(0) };
            circuit.output(block)
        })
    };
    evaluate_each(keys, op, n, vec![x], &each)
}

/// Whether an integer is not 0.
pub(crate) fn to_bool(keys: &dyn Evaluator, x: &FheUint) -> Result<FheBool> {
    const OP: &str = "fhe_to_bool";
    /// Blocks whose sum one bootstrap reads.
    const SUMMED: usize = 5;
    x.blocks.check(OP, "x", keys.key().tag)?;
    let per = x.per_integer();
    let each = |circuit: &mut Circuit<'_>| {
        let mut blocks: Vec<Signal> = with_capacity(OP, per)?;
        for at in 0..per {
            blocks.push(circuit.block(0, at)?);
        }
        while blocks.len() > 1 || blocks[0].high() != 1 {
            // Flags are at most 1 each.
            let together = if blocks[0].high() == 1 { 15 } else { SUMMED };
            let mut flags = with_capacity(OP, blocks.len().div_ceil(together))?;
            for group in blocks.chunks(together) {
                let sum = circuit.sum(group)?;
                flags.push(circuit.lut(&sum, |v| i64::from(v > 0))?);
            }
            blocks = flags;
        }
        circuit.output_all(blocks)?;
        Ok(())
    };
    Ok(evaluate_each(keys, OP, x.len(), vec![Argument::Integers(x)], &each)?.bools())
}
