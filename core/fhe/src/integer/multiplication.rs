//! Products modulo 2ᵇⁱᵗˢ.
//!
//! Two encrypted blocks' product is one bootstrap's, up to 9, which the carries of columns absorb; or two, its message and its carry,
//! where short chains are wanted. A clear integer's blocks are weights, without bootstraps.

use super::columns::{Order, reduce};
use super::evaluate::{Operation, elementwise, evaluate};
use super::operand::check_pair;
use super::{FheUint, Operand, blocks_of};
use crate::circuit::{Build, Circuit, Evaluator, Share, Signal, Values, digit, fastest};
use crate::parameters::MESSAGES;
use icicle_error::Result;
use icicle_error::reserve::{push, with_capacity};

const BASE: i64 = MESSAGES as i64;

/// x · y.
pub(crate) fn mul(keys: &dyn Evaluator, x: &Operand<'_>, y: &Operand<'_>) -> Result<FheUint> {
    const OP: &str = "fhe_mul";
    let (n, bits) = check_pair(OP, keys.key().tag, x, y)?;
    let per = blocks_of(bits);
    let results = match (x.clear(), y.clear()) {
        (None, None) => {
            let build: Build<'_> = &|blank, share| fastest(share, ORDERS.map(|order| product(blank, per, order)));
            evaluate(keys, &elementwise(OP, n, build), vec![x.argument(), y.argument()])?
        }
        (Some(values), _) => evaluate(keys, &by_clear(OP, n, values, &scaled(per, values)), vec![y.argument()])?,
        (_, Some(values)) => evaluate(keys, &by_clear(OP, n, values, &scaled(per, values)), vec![x.argument()])?,
    };
    Ok(results.integers(bits))
}

const ORDERS: [Order; 2] = [Order::ByColumn, Order::AtOnce];

fn by_clear<'a>(op: &'static str, elements: usize, values: Values<'_>, build: Build<'a>) -> Operation<'a> {
    Operation { op, elements, integers: 1, distinct: values.len().is_some(), build }
}

fn empty(op: &'static str, per: usize) -> Result<Vec<Vec<Signal>>> {
    let mut columns = with_capacity(op, per)?;
    columns.resize_with(per, Vec::new);
    Ok(columns)
}

/// The product of two encrypted integers.
fn product<'c>(blank: &Circuit<'c>, per: usize, order: Order) -> Result<Circuit<'c>> {
    let mut circuit = blank.blank();
    let op = circuit.op();
    let mut columns = empty(op, per)?;
    for i in 0..per {
        for j in 0..per - i {
            let both = circuit.weighted(BASE, &circuit.block(0, i)?, &circuit.block(1, j)?)?;
            let top = i + j + 1 == per;
            if order == Order::ByColumn && !top {
                let whole = circuit.lut(&both, |v| (v / BASE) * (v % BASE))?;
                push(op, &mut columns[i + j], whole)?;
                continue;
            }
            let message = circuit.lut(&both, |v| (v / BASE) * (v % BASE) % BASE)?;
            push(op, &mut columns[i + j], message)?;
            if !top {
                let carry = circuit.lut(&both, |v| (v / BASE) * (v % BASE) / BASE)?;
                push(op, &mut columns[i + j + 1], carry)?;
            }
        }
    }
    let messages = reduce(&mut circuit, columns, order)?;
    circuit.output_all(messages)?;
    Ok(circuit)
}

/// What makes circuits for products with clear integers.
fn scaled(per: usize, values: Values<'_>) -> impl for<'c> Fn(&Circuit<'c>, &Share) -> Result<Circuit<'c>> + Sync {
    move |blank, share| {
        fastest(
            share,
            ORDERS.map(|order| {
                let mut circuit = blank.blank();
                let integers = if values.len().is_some() { share.range.clone() } else { 0..1 };
                for (place, integer) in integers.enumerate() {
                    let messages = scaled_one(&mut circuit, place * per, per, values.get(integer), order)?;
                    circuit.output_all(messages)?;
                }
                circuit.pruned()
            }),
        )
    }
}

/// An integer, whose blocks begin at a place, times a clear one.
fn scaled_one(circuit: &mut Circuit<'_>, first: usize, per: usize, by: u64, order: Order) -> Result<Vec<Signal>> {
    let op = circuit.op();
    let mut columns = empty(op, per)?;
    for j in (0..per).filter(|&j| digit(by, j) != 0) {
        for i in 0..per - j {
            let term = circuit.weighted(digit(by, j), &circuit.block(0, first + i)?, &Signal::constant(0))?;
            push(op, &mut columns[i + j], term)?;
        }
    }
    reduce(circuit, columns, order)
}
