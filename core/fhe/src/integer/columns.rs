//! Columns: what is to be added up at each place of an integer, reduced until one block a place is left.
//!
//! A bootstrap gives the carry of a group of a column's terms, up to 15 together; their message is what is left when 4 times that is
//! taken off, with more noise, or a second bootstrap's output, or where they are at most 7 together the same bootstrap's.

use super::carry::{Carry, propagate};
use crate::circuit::{Circuit, Signal};
use crate::parameters::{MESSAGES, VALUES};
use icicle_error::Result;
use icicle_error::reserve::{push, with_capacity};

const BASE: i64 = MESSAGES as i64;
/// The most that a group of terms may be together.
const MOST: i64 = VALUES as i64 - 1;
/// The most that one bootstrap of two functions reads.
const MOST_OF_PAIR: i64 = VALUES as i64 / 2 - 1;
/// Noise left for others, beside a message that was not bootstrapped.
const ROOM: u32 = 4;

/// Which bootstraps come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Column by column, the lowest first: the fewest bootstraps.
    ByColumn,
    /// All columns at once, again and again, and carries in the end: the shortest chains.
    AtOnce,
}

/// The messages of an integer whose columns have terms.
pub(crate) fn reduce(circuit: &mut Circuit<'_>, columns: Vec<Vec<Signal>>, order: Order) -> Result<Vec<Signal>> {
    match order {
        Order::ByColumn => by_column(circuit, columns),
        Order::AtOnce => at_once(circuit, columns),
    }
}

fn by_column(circuit: &mut Circuit<'_>, mut columns: Vec<Vec<Signal>>) -> Result<Vec<Signal>> {
    let op = circuit.op();
    let mut out = with_capacity(op, columns.len())?;
    for at in 0..columns.len() {
        let mut terms = std::mem::take(&mut columns[at]);
        let message = loop {
            let Some(group) = take_group(circuit, &mut terms)? else { break Signal::constant(0) };
            let done = terms.is_empty();
            if group.high() < BASE && done && circuit.norm2(&group) <= 1 {
                break group;
            }
            let top = at + 1 == columns.len();
            let (message, carry) = split(circuit, &group, top, done)?;
            if let (Some(carry), Some(next)) = (carry, columns.get_mut(at + 1)) {
                push(op, next, carry)?;
            }
            if done {
                break message;
            }
            push(op, &mut terms, message)?;
        };
        out.push(message);
    }
    Ok(out)
}

/// Terms that a bootstrap can read together, earlier ones first, large ones first, taken out of the others: their sum.
fn take_group(circuit: &Circuit<'_>, terms: &mut Vec<Signal>) -> Result<Option<Signal>> {
    let op = circuit.op();
    terms.sort_by_key(|term| (term.layer(), -term.high()));
    let mut rest = with_capacity(op, terms.len() + 1)?;
    let mut group: Option<Signal> = None;
    for term in terms.drain(..) {
        let sum = match &group {
            None => {
                group = Some(term);
                continue;
            }
            Some(group) => group.plus(op, &term, 1)?,
        };
        if sum.high() <= MOST && circuit.norm2(&sum) <= circuit.max_norm2() {
            group = Some(sum);
        } else {
            rest.push(term);
        }
    }
    *terms = rest;
    Ok(group)
}

/// The message of a group of terms, and its carry, if there can be one and it counts.
fn split(circuit: &mut Circuit<'_>, group: &Signal, top: bool, last: bool) -> Result<(Signal, Option<Signal>)> {
    if top || group.high() < BASE {
        return Ok((circuit.lut(group, |v| v % BASE)?, None));
    }
    if group.high() <= MOST_OF_PAIR {
        let [message, carry] = circuit.pair(group, |v| v % BASE, |v| v / BASE)?;
        return Ok((message, Some(carry)));
    }
    let carry = circuit.lut(group, |v| v / BASE)?;
    let left = circuit.weighted(-BASE, &carry, group)?;
    let message = match !last && circuit.norm2(&left) + ROOM <= circuit.max_norm2() {
        true => left.within(0, BASE - 1),
        false => circuit.lut(group, |v| v % BASE)?,
    };
    Ok((message, Some(carry)))
}

fn at_once(circuit: &mut Circuit<'_>, mut columns: Vec<Vec<Signal>>) -> Result<Vec<Signal>> {
    let op = circuit.op();
    // Two blocks can be left to what propagates carries.
    let large = |terms: &Vec<Signal>| terms.iter().map(Signal::high).sum::<i64>() > 2 * (BASE - 1);
    while columns.iter().any(large) {
        let mut next: Vec<Vec<Signal>> = with_capacity(op, columns.len())?;
        next.resize_with(columns.len(), Vec::new);
        for at in 0..columns.len() {
            let mut terms = std::mem::take(&mut columns[at]);
            if !large(&terms) {
                for term in terms {
                    push(op, &mut next[at], term)?;
                }
                continue;
            }
            while let Some(group) = take_group(circuit, &mut terms)? {
                if group.high() < BASE {
                    push(op, &mut next[at], group)?;
                    continue;
                }
                let (message, carry) = split(circuit, &group, at + 1 == next.len(), true)?;
                push(op, &mut next[at], message)?;
                if let (Some(carry), Some(above)) = (carry, next.get_mut(at + 1)) {
                    push(op, above, carry)?;
                }
            }
        }
        columns = next;
    }
    let mut sums = with_capacity(op, columns.len())?;
    for terms in &columns {
        sums.push(circuit.sum(terms)?);
    }
    Ok(propagate(circuit, &sums, Carry::Prefix)?.0)
}
