//! Between widths, and to and from truth values.

use super::evaluate::{blocks_of, evaluate_each};
use super::operand::Argument;
use super::{FheBool, FheUint};
use crate::ciphertexts::Ciphertexts;
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
    Ok(FheUint { blocks: resized(OP, &x.blocks, x.per_integer(), blocks_of(bits))?, bits, ..*x })
}

/// 1 where it holds, else 0: no bootstraps.
pub(crate) fn cast_bool(keys: &dyn Evaluator, x: &FheBool, bits: u32) -> Result<FheUint> {
    const OP: &str = "fhe_cast_bool";
    x.blocks.check(OP, "x", keys.key().tag)?;
    check_bits(OP, bits)?;
    let blocks = resized(OP, &x.blocks, 1, blocks_of(bits))?;
    Ok(FheUint { blocks, bits, norm2: 1, polarity: x.polarity, repeats: x.repeats })
}

/// Integers of other numbers of blocks, cut off or with zeros above.
fn resized(op: &'static str, from: &Ciphertexts, old: usize, new: usize) -> Result<Ciphertexts> {
    let n = from.count() / old;
    let mut to = Ciphertexts::new(op, from.parameters, from.tag, n * new)?;
    let kept = old.min(new) * from.size;
    for (to, from) in to.words.chunks_mut(new * from.size).zip(from.words.chunks(old * from.size)) {
        to[..kept].copy_from_slice(&from[..kept]);
    }
    Ok(to)
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
