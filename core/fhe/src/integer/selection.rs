//! Selection between two arrays, by a condition or by which is larger.

use super::addition::operand_block;
use super::comparison::less_times;
use super::evaluate::evaluate_each;
use super::operand::{Argument, check_alike, check_pair};
use super::{FheBool, FheUint, Operand, blocks_of};
use crate::ciphertexts::check_lengths;
use crate::circuit::{Circuit, Evaluator, Signal};
use crate::lookup_table::LookupTable;
use icicle_error::Result;

/// Of each pair of integers the first where the condition holds, else the second.
pub(crate) fn select(keys: &dyn Evaluator, condition: &FheBool, x: &Operand<'_>, y: &Operand<'_>) -> Result<FheUint> {
    const OP: &str = "fhe_select";
    let tag = keys.key().tag;
    condition.blocks.check(OP, "condition", tag)?;
    if let Some(n) = check_alike(OP, tag, x, y)? {
        check_lengths(OP, ["condition", "x"], [condition.len(), n])?;
    }
    let each = |circuit: &mut Circuit<'_>| {
        let condition = circuit.block(2, 0)?;
        let eight = circuit.bootstrap(&condition, LookupTable::scaled(|v| i64::from(v % 2 == 1), 8))?;
        choose(circuit, &eight, x, y)?;
        Ok(())
    };
    let arguments = vec![x.argument(), y.argument(), Argument::Bools(condition)];
    Ok(evaluate_each(keys, OP, condition.len(), arguments, &each)?.integers(x.bits()))
}

/// The smaller of each pair, or the larger.
pub(crate) fn extreme(
    keys: &dyn Evaluator,
    op: &'static str,
    x: &Operand<'_>,
    y: &Operand<'_>,
    larger: bool,
) -> Result<FheUint> {
    let (n, bits) = check_pair(op, keys.key().tag, x, y)?;
    let each = |circuit: &mut Circuit<'_>| {
        let eight = less_times(circuit, x, y, 8)?;
        // 8 where the first is smaller: then it is chosen, or the second is.
        let eight = if larger { Signal::constant(8).plus(op, &eight, -1)? } else { eight };
        choose(circuit, &eight, x, y)?;
        Ok(())
    };
    Ok(evaluate_each(keys, op, n, vec![x.argument(), y.argument()], &each)?.integers(bits))
}

/// Output operand 0 where a signal is 8, operand 1 where it is 0.
fn choose(circuit: &mut Circuit<'_>, eight: &Signal, x: &Operand<'_>, y: &Operand<'_>) -> Result<()> {
    let op = circuit.op();
    for at in 0..blocks_of(x.bits()) {
        let (x, y) = (operand_block(circuit, 0, x, at)?, operand_block(circuit, 1, y, at)?);
        // 4 + x - y, from 1 to 7, and 8 more where x is wanted: the difference that is then to be added to y.
        let difference = x.plus(op, &y, -1)?.plus(op, eight, 1)?.offset(4);
        let gated = circuit.lut(&difference, |v| if v >= 8 { v - 12 } else { 0 })?;
        circuit.output(y.plus(op, &gated, 1)?.within(0, 3))?;
    }
    Ok(())
}
