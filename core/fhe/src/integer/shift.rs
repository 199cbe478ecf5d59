//! Shifts and rotations, by amounts modulo the width: of clear amounts by at most one bootstrap a block, of encrypted ones by one
//! for each bit of the amount.

use super::evaluate::{Operation, elementwise, evaluate};
use super::operand::{Argument, Kind};
use super::{FheUint, Operand};
use crate::ciphertexts::check_lengths;
use crate::circuit::{Build, Circuit, Evaluator, Signal};
use crate::parameters::{MESSAGE_BITS, MESSAGES};
use icicle_error::Result;
use icicle_error::reserve::{push, with_capacity};

const BASE: i64 = MESSAGES as i64;

/// Which way bits go, and whether those that leave come back at the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Direction {
    pub(crate) left: bool,
    pub(crate) around: bool,
}

/// x shifted or rotated by amounts.
pub(crate) fn shift(
    keys: &dyn Evaluator,
    op: &'static str,
    x: &FheUint,
    amounts: &Operand<'_>,
    direction: Direction,
) -> Result<FheUint> {
    let tag = keys.key().tag;
    x.blocks.check(op, "x", tag)?;
    if let Some(amounts) = amounts.encrypted() {
        amounts.blocks.check(op, "amount", tag)?;
    }
    if let Some(n) = amounts.len() {
        check_lengths(op, ["x", "amount"], [x.len(), n])?;
    }
    let per = x.per_integer();
    let results = match amounts.0 {
        Kind::Encrypted(amounts) => {
            let build: Build<'_> = &|blank, _| by_encrypted(blank, per, direction);
            let arguments = vec![Argument::Integers(x), Argument::Integers(amounts)];
            evaluate(keys, &elementwise(op, x.len(), build), arguments)?
        }
        Kind::Clear { values, .. } => {
            let distinct = values.len().is_some();
            let build: Build<'_> = &|blank, share| {
                let mut circuit = blank.blank();
                let integers = if distinct { share.range.clone() } else { 0..1 };
                for (place, integer) in integers.enumerate() {
                    by_clear(&mut circuit, place * per, per, values.get(integer), direction)?;
                }
                Ok(circuit)
            };
            let operation = Operation { distinct, ..elementwise(op, x.len(), build) };
            evaluate(keys, &operation, vec![Argument::Integers(x)])?
        }
    };
    Ok(results.integers(x.bits))
}

/// Of so many blocks, the one that a distance brings to a place, if there is one.
fn origin(at: usize, by: usize, per: usize, direction: Direction) -> Option<usize> {
    let from = if direction.left { at.checked_sub(by) } else { Some(at + by).filter(|&from| from < per) };
    match direction.around {
        true => Some((if direction.left { at + per - by } else { at + by }) % per),
        false => from,
    }
}

/// Output an integer, whose blocks begin at a place, shifted by an amount.
fn by_clear(circuit: &mut Circuit<'_>, first: usize, per: usize, amount: u64, direction: Direction) -> Result<()> {
    let amount = (amount % (per as u64 * u64::from(MESSAGE_BITS))) as usize;
    let (blocks, odd) = (amount / 2, amount % 2 == 1);
    for at in 0..per {
        let block = |circuit: &Circuit<'_>, by: usize| match origin(at, by, per, direction) {
            Some(from) => circuit.block(0, first + from),
            None => Ok(Signal::constant(0)),
        };
        let near = block(circuit, blocks)?;
        if !odd {
            circuit.output(near)?;
            continue;
        }
        // Its neighbour, a bit of which comes in.
        let far = block(circuit, blocks + 1)?;
        let both = circuit.weighted(BASE, &near, &far)?;
        let moved = circuit.lut(&both, |v| one_bit(v / BASE, v % BASE, direction.left))?;
        circuit.output(moved)?;
    }
    Ok(())
}

/// A block moved by one bit, with what comes in from its neighbour.
fn one_bit(block: i64, neighbour: i64, left: bool) -> i64 {
    if left { ((block << 1) | (neighbour >> 1)) % BASE } else { (block >> 1) | ((neighbour << 1) % BASE) }
}

/// Operand 0 shifted by operand 1: by each of its bits, what stays and what moves.
fn by_encrypted<'c>(blank: &Circuit<'c>, per: usize, direction: Direction) -> Result<Circuit<'c>> {
    let mut circuit = blank.blank();
    let op = circuit.op();
    let bits = (per as u32 * MESSAGE_BITS).trailing_zeros() as usize;
    let mut amount = with_capacity(op, bits + 1)?;
    for at in 0..bits.div_ceil(2) {
        let block = circuit.block(1, at)?;
        // 4 where the bit is set.
        let [low, high] = circuit.pair(&block, |v| v % 2 * BASE, |v| v / 2 % 2 * BASE)?;
        amount.push(low);
        amount.push(high);
    }
    let mut blocks = with_capacity(op, per)?;
    for at in 0..per {
        blocks.push(circuit.block(0, at)?);
    }
    for (at, bit) in amount.iter().take(bits).enumerate() {
        let left = direction.left;
        let (mut stays, mut moves) = (with_capacity(op, per)?, with_capacity(op, per)?);
        for block in &blocks {
            let both = circuit.sum([block, bit])?;
            let [stay, moved] = match at {
                // Within the block and into the next.
                0 => circuit.pair(
                    &both,
                    |v| if v < BASE { v } else { one_bit(v - BASE, 0, left) },
                    |v| if v < BASE { 0 } else { one_bit(0, v - BASE, left) },
                )?,
                _ => circuit.pair(&both, |v| if v < BASE { v } else { 0 }, |v| if v < BASE { 0 } else { v - BASE })?,
            };
            stays.push(stay);
            moves.push(moved);
        }
        let by = if at == 0 { 1 } else { 1 << (at - 1) };
        let mut next = with_capacity(op, per)?;
        for (place, stay) in stays.iter().enumerate() {
            let block = match origin(place, by, per, direction) {
                Some(from) => circuit.sum([stay, &moves[from]])?.within(0, BASE - 1),
                None => stay.copied(op)?,
            };
            push(op, &mut next, block)?;
        }
        blocks = next;
    }
    circuit.output_all(blocks)?;
    circuit.pruned()
}
