//! Carries: from sums of blocks, from 0 to 6 each and to 7 in the lowest, to blocks below 4 and a carry out.
//!
//! Ripple carry takes one bootstrap a block and as many steps. Where there are more threads than that keeps busy, groups of four
//! blocks say first whether a carry goes through them, so that fewer bootstraps follow each other, and more are done.

use crate::circuit::{Circuit, Share, Signal, fastest};
use crate::lookup_table::LookupTable;
use crate::parameters::MESSAGES;
use icicle_error::Result;
use icicle_error::reserve::{push, with_capacity};

const BASE: i64 = MESSAGES as i64;
/// Blocks of a group, and groups whose carries are found at once: with weights 1, 2, 4, 8, their states are below 32.
const GROUP: usize = 4;

/// How carries are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carry {
    /// From block to block.
    Ripple,
    /// Into groups first, then from block to block in all groups at once.
    Grouped,
    /// Into groups, then into all blocks at once.
    Prefix,
}

pub(crate) const CARRIES: [Carry; 3] = [Carry::Ripple, Carry::Grouped, Carry::Prefix];

/// The message of each block, and the carry out, 0 or 1.
pub(crate) fn propagate(circuit: &mut Circuit<'_>, sums: &[Signal], carry: Carry) -> Result<(Vec<Signal>, Signal)> {
    let mut messages = with_capacity(circuit.op(), sums.len())?;
    let out = match carry {
        Carry::Ripple => ripple(circuit, sums, Signal::constant(0), &mut messages)?,
        Carry::Grouped => {
            let inner = &sums[..(sums.len() - 1) / GROUP * GROUP];
            let states = states(circuit, inner)?;
            let groups = group_states(circuit, &states)?;
            let carries = group_carries(circuit, &groups)?;
            let mut out = Signal::constant(0);
            for (group, into) in sums.chunks(GROUP).zip(&carries) {
                out = ripple(circuit, group, into.copied(circuit.op())?, &mut messages)?;
            }
            out
        }
        Carry::Prefix => prefix(circuit, sums, &mut messages)?,
    };
    Ok((messages, out))
}

/// Output blocks by the way of carrying that is fastest for a share, and the carry out, or one less it, where it is wanted.
pub(crate) fn fastest_sum<'c>(
    blank: &Circuit<'c>,
    share: &Share,
    carry_out: Option<bool>,
    sums: &dyn Fn(&mut Circuit<'c>) -> Result<Vec<Signal>>,
) -> Result<Circuit<'c>> {
    fastest(
        share,
        CARRIES.map(|carry| {
            let mut circuit = blank.blank();
            let sums = sums(&mut circuit)?;
            let (messages, out) = propagate(&mut circuit, &sums, carry)?;
            circuit.output_all(messages)?;
            match carry_out {
                None => {}
                Some(false) => circuit.output(out)?,
                Some(true) => {
                    let borrow = Signal::constant(1).plus(circuit.op(), &out, -1)?;
                    circuit.output(borrow)?;
                }
            }
            circuit.pruned()
        }),
    )
}

fn ripple(circuit: &mut Circuit<'_>, sums: &[Signal], into: Signal, to: &mut Vec<Signal>) -> Result<Signal> {
    let mut carry = into;
    for sum in sums {
        let total = circuit.sum([sum, &carry])?;
        // Nothing to carry: where a clear operand is 0 from the lowest block on.
        if total.high() < BASE && total.is_wire() {
            push(circuit.op(), to, total)?;
            carry = Signal::constant(0);
            continue;
        }
        let [message, next] = circuit.pair(&total, |v| v % BASE, |v| v / BASE)?;
        push(circuit.op(), to, message)?;
        carry = next;
    }
    Ok(carry)
}

/// Of each block, 2 if it gives a carry, 1 if it passes one on, else 0; times 2 to the power of its place in the group. The lowest
/// gets no carry.
fn states(circuit: &mut Circuit<'_>, sums: &[Signal]) -> Result<Vec<Signal>> {
    let mut states = with_capacity(circuit.op(), sums.len())?;
    for (at, sum) in sums.iter().enumerate() {
        let state = circuit.lut(sum, |v| state(v, at) << (at % GROUP))?;
        states.push(state);
    }
    Ok(states)
}

fn state(sum: i64, at: usize) -> i64 {
    match sum {
        BASE.. => 2,
        3 if at > 0 => 1,
        _ => 0,
    }
}

/// The state of each group of blocks, times 2 to the power of its place among the groups whose carries are found at once; of the
/// lowest, its carry.
fn group_states(circuit: &mut Circuit<'_>, states: &[Signal]) -> Result<Vec<Signal>> {
    let mut groups = with_capacity(circuit.op(), states.len() / GROUP)?;
    for (at, group) in states.chunks(GROUP).enumerate() {
        let total = circuit.sum(group)?;
        // From 0 to 30: 16 and above give a carry, 15 passes one on.
        let state = if at == 0 {
            circuit.padding(&total, 1)?
        } else {
            let weight = 1u64 << (at % GROUP);
            let below = LookupTable::scaled(|v| if v == 15 { 0 } else { -1 }, weight);
            circuit.bootstrap(&total, below)?.offset(weight as i64)
        };
        groups.push(state);
    }
    Ok(groups)
}

/// The carry into each group, and out of the last.
fn group_carries(circuit: &mut Circuit<'_>, groups: &[Signal]) -> Result<Vec<Signal>> {
    let mut carries = with_capacity(circuit.op(), groups.len() + 1)?;
    carries.push(Signal::constant(0));
    for (first, run) in groups.chunks(GROUP).enumerate() {
        let mut total = carries[first * GROUP].copied(circuit.op())?;
        for (at, group) in run.iter().enumerate() {
            if first == 0 && at == 0 {
                carries.push(group.copied(circuit.op())?);
                total = circuit.weighted(2, group, &total)?;
                continue;
            }
            total = circuit.sum([&total, group])?;
            let carry = match at {
                // Up to 31.
                3 => circuit.padding(&total, 1)?,
                _ => circuit.lut(&total, |v| i64::from(v >= 2 << at))?,
            };
            carries.push(carry);
        }
    }
    Ok(carries)
}

fn prefix(circuit: &mut Circuit<'_>, sums: &[Signal], to: &mut Vec<Signal>) -> Result<Signal> {
    let op = circuit.op();
    let (mut messages, mut states) = (with_capacity(op, sums.len())?, with_capacity(op, sums.len())?);
    for (at, sum) in sums.iter().enumerate() {
        let [message, state] = circuit.pair(sum, |v| v % BASE, |v| state(v, at) << (at % GROUP))?;
        messages.push(message);
        states.push(state);
    }
    let groups = group_states(circuit, &states)?;
    let carries = group_carries(circuit, &groups)?;
    for (group, (messages, states)) in messages.chunks(GROUP).zip(states.chunks(GROUP)).enumerate() {
        let into = &carries[group];
        for (at, message) in messages.iter().enumerate() {
            // 4 times the carry into the group, and 4 times the state of the blocks below: 8 and above is a carry, or 4 where there are
            // none below.
            let into = circuit.weighted(BASE, into, message)?;
            let total = match at {
                0 => into,
                1 => circuit.weighted(BASE, &states[0], &into)?,
                _ => {
                    let below = circuit.sum(&states[..at])?;
                    let most = 1 << at;
                    let state = circuit.lut(&below, |v| match v {
                        _ if v >= most => 2 * BASE,
                        _ if v == most - 1 => BASE,
                        _ => 0,
                    })?;
                    circuit.sum([&state, &into])?
                }
            };
            let least = if at == 0 { BASE } else { 2 * BASE };
            let done = match total.is_wire() {
                true => total,
                false => circuit.lut(&total, |v| (v + i64::from(v >= least)) % BASE)?,
            };
            push(op, to, done)?;
        }
    }
    carries[sums.len().div_ceil(GROUP)].copied(op)
}
