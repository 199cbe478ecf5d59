//! Comparisons, by differences of pairs of blocks: four bits each, from -15 to 15, which the padding bit has room for.

use super::addition::operand_block;
use super::evaluate::evaluate_each;
use super::operand::check_pair;
use super::{FheBool, Operand, blocks_of};
use crate::circuit::{Circuit, Evaluator, Signal};
use crate::lookup_table::LookupTable;
use crate::parameters::{MESSAGES, VALUES};
use icicle_error::Result;
use icicle_error::reserve::with_capacity;

/// Signs that one bootstrap compares: weights 1, 2, 4, 8 keep their sum, whose sign is that of the last that is not 0, below 16.
const SIGNS: usize = 4;

/// Whether x = y, or whether not.
pub(crate) fn equal(
    keys: &dyn Evaluator,
    op: &'static str,
    x: &Operand<'_>,
    y: &Operand<'_>,
    negate: bool,
) -> Result<FheBool> {
    // The odd continuation of the table is 0 at -1 to -15, too.
    compare(keys, op, x, y, &|circuit| {
        let pairs = blocks_of(x.bits()) / 2;
        // With what pairs there are not, 16 where all are equal: the padding bit.
        let mut count = Signal::constant((VALUES - pairs) as i64);
        for at in 0..pairs {
            let difference = difference(circuit, x, y, at)?;
            let same = circuit.bootstrap(&difference, LookupTable::new(|v| i64::from(v == 0)))?;
            count = circuit.sum([&count, &same])?;
        }
        let all = circuit.padding(&count, 1)?;
        inverted(circuit, all, negate)
    })
}

/// Whether x < y, or whether not.
pub(crate) fn less(
    keys: &dyn Evaluator,
    op: &'static str,
    x: &Operand<'_>,
    y: &Operand<'_>,
    negate: bool,
) -> Result<FheBool> {
    compare(keys, op, x, y, &|circuit| {
        let less = less_times(circuit, x, y, 1)?;
        inverted(circuit, less, negate)
    })
}

/// Whether x > y, or whether not.
pub(crate) fn greater(
    keys: &dyn Evaluator,
    op: &'static str,
    x: &Operand<'_>,
    y: &Operand<'_>,
    negate: bool,
) -> Result<FheBool> {
    check_pair(op, keys.key().tag, x, y)?;
    less(keys, op, y, x, negate)
}

fn inverted(circuit: &Circuit<'_>, x: Signal, negate: bool) -> Result<Signal> {
    if negate { Signal::constant(1).plus(circuit.op(), &x, -1) } else { Ok(x) }
}

type Answer<'a> = &'a (dyn Fn(&mut Circuit<'_>) -> Result<Signal> + Sync);

fn compare(
    keys: &dyn Evaluator,
    op: &'static str,
    x: &Operand<'_>,
    y: &Operand<'_>,
    answer: Answer<'_>,
) -> Result<FheBool> {
    let (n, _) = check_pair(op, keys.key().tag, x, y)?;
    let each = |circuit: &mut Circuit<'_>| {
        let answer = answer(circuit)?;
        circuit.output(answer)?;
        Ok(())
    };
    Ok(evaluate_each(keys, op, n, vec![x.argument(), y.argument()], &each)?.bools())
}

/// A weight where operand 0 is below operand 1, else 0.
pub(super) fn less_times(circuit: &mut Circuit<'_>, x: &Operand<'_>, y: &Operand<'_>, weight: i64) -> Result<Signal> {
    let op = circuit.op();
    let sign = |at: usize| LookupTable::scaled(|v| i64::from(v > 0), 1 << (at % SIGNS));
    let pairs = blocks_of(x.bits()) / 2;
    let mut signs = with_capacity(op, pairs)?;
    for at in 0..pairs {
        let difference = difference(circuit, x, y, at)?;
        signs.push(circuit.bootstrap(&difference, sign(at))?);
    }
    while signs.len() > SIGNS {
        let mut next = with_capacity(op, signs.len() / SIGNS)?;
        for (at, group) in signs.chunks(SIGNS).enumerate() {
            let sum = circuit.sum(group)?;
            next.push(circuit.bootstrap(&sum, sign(at))?);
        }
        signs = next;
    }
    // Negative sums have the padding bit set.
    let sum = circuit.sum(&signs)?;
    circuit.padding(&sum, weight)
}

/// The difference of a pair of blocks.
fn difference(circuit: &Circuit<'_>, x: &Operand<'_>, y: &Operand<'_>, pair: usize) -> Result<Signal> {
    let mut total = Signal::constant(0);
    for (at, weight) in [(2 * pair, 1), (2 * pair + 1, MESSAGES as i64)] {
        total = circuit.weighted(weight, &operand_block(circuit, 0, x, at)?, &total)?;
        total = circuit.weighted(-weight, &operand_block(circuit, 1, y, at)?, &total)?;
    }
    Ok(total)
}
