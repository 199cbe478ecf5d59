//! The sum of an array's integers, by columns of many blocks.

use super::columns::{Order, reduce};
use super::evaluate::{Operation, Results, evaluate};
use super::operand::Argument;
use super::{FheBool, FheUint, blocks_of};
use crate::circuit::{Build, Evaluator, Polarity, Signal, fastest};
use icicle_error::Result;
use icicle_error::reserve::{push, with_capacity};

/// Integers that one circuit adds up; sums of more are added up in turn.
const ROWS: usize = 64;
/// Truth values that one circuit counts.
const FLAGS: usize = 1024;

/// The sum of all, modulo 2ᵇⁱᵗˢ, as an array of one; 0 for none.
pub(crate) fn sum(keys: &dyn Evaluator, x: &FheUint) -> Result<FheUint> {
    const OP: &str = "fhe_sum";
    x.blocks.check(OP, "x", keys.key().tag)?;
    if x.is_empty() {
        let blocks = keys.key().trivial_blocks(OP, x.per_integer(), |_| 0)?;
        return Ok(FheUint { blocks, bits: x.bits, norm2: 0, polarity: Polarity::Plain, repeats: false });
    }
    let mut sums = x.try_clone()?;
    while sums.len() > 1 {
        let whole = sums.len() / ROWS * ROWS;
        let (full, rest) = (sums.slice(0..whole)?, sums.slice(whole..sums.len())?);
        let of = |x: &FheUint, rows| add_up(keys, OP, Argument::Integers(x), (x.len(), rows), x.bits);
        let (full, rest) = (of(&full, ROWS)?.integers(x.bits), of(&rest, rest.len())?.integers(x.bits));
        // Bootstrapped, each for itself.
        sums = FheUint { repeats: false, ..FheUint::concatenate(&[&full, &rest])? };
    }
    Ok(sums)
}

/// How many hold, modulo 2ᵇⁱᵗˢ, as an array of one integer.
pub(crate) fn count(keys: &dyn Evaluator, x: &FheBool, bits: u32) -> Result<FheUint> {
    const OP: &str = "fhe_count";
    x.blocks.check(OP, "x", keys.key().tag)?;
    super::cast::check_bits(OP, bits)?;
    let whole = x.len() / FLAGS * FLAGS;
    let (full, rest) = (x.slice(0..whole)?, x.slice(whole..x.len())?);
    let of = |x: &FheBool, rows| add_up(keys, OP, Argument::Bools(x), (x.len(), rows), bits);
    let (full, rest) = (of(&full, FLAGS)?.integers(bits), of(&rest, rest.len())?.integers(bits));
    sum(keys, &FheUint { repeats: false, ..FheUint::concatenate(&[&full, &rest])? })
}

/// The sums of groups of so many rows, integers or truth values, of `n`.
fn add_up(
    keys: &dyn Evaluator,
    op: &'static str,
    argument: Argument<'_>,
    (n, rows): (usize, usize),
    bits: u32,
) -> Result<Results> {
    let per = blocks_of(bits);
    // Blocks of a row.
    let blocks = if matches!(argument, Argument::Bools(_)) { 1 } else { per };
    let build: Build<'_> = &|blank, share| {
        fastest(
            share,
            [Order::ByColumn, Order::AtOnce].map(|order| {
                let mut circuit = blank.blank();
                let mut columns: Vec<Vec<Signal>> = with_capacity(op, per)?;
                columns.resize_with(per, Vec::new);
                for at in 0..rows * blocks {
                    push(op, &mut columns[at % blocks], circuit.block(0, at)?)?;
                }
                let messages = reduce(&mut circuit, columns, order)?;
                circuit.output_all(messages)?;
                circuit.pruned()
            }),
        )
    };
    let operation = Operation { op, elements: n / rows.max(1), integers: rows, distinct: false, build };
    evaluate(keys, &operation, vec![argument])
}
