//! Circuits run on CPUs, layer by layer.

use super::run::{Input, Source, Task, outputs_of};
use super::{Circuit, Signal, Values, Wire};
use crate::ciphertexts::{add_constant, add_multiple, zeros};
use crate::host_key::{HostKey, Layer};
use crate::lookup_table::LookupTable;
use crate::parameters::DELTA;
use icicle_error::reserve::{collected, with_capacity};
use icicle_error::{Error, ErrorCode, Result};
use std::borrow::Cow;
use std::ops::Range;

/// Ciphertexts that a tile's layers may hold at once: 256 MiB of full size.
const TILE: usize = 1 << 14;

/// The operands of a share, from an element on.
struct Operands<'a> {
    first: usize,
    all: Vec<Operand<'a>>,
}

/// Blocks, so many of an element.
enum Operand<'a> {
    /// Of the share.
    Encrypted(Cow<'a, [u64]>, usize),
    /// Of all elements.
    Clear(Values<'a>, usize),
}

impl HostKey {
    /// The results of some elements.
    pub(super) fn evaluate(&self, task: &Task<'_>, elements: Range<usize>, threads: usize) -> Result<Vec<u64>> {
        let op = task.op;
        let mut operands = Operands { first: elements.start, all: with_capacity(op, task.inputs.len())? };
        for &Input { source, per } in task.inputs {
            operands.all.push(match source {
                Source::Encrypted(of) => {
                    Operand::Encrypted(of.words(op, elements.start * per..elements.end * per)?, per)
                }
                Source::Clear(values) => Operand::Clear(values, per),
            });
        }
        let mut out = zeros(op, self.parameters, elements.len().saturating_mul(task.outputs))?;
        let mut rest = &mut out[..];
        let tile = |circuit: &Circuit<'_>| TILE / circuit.held().max(1);
        task.run(self.parameters, elements, threads, tile, |circuit, first, elements| {
            let count = circuit.outputs() * elements * self.parameters.ciphertext_words();
            let Some(piece) = rest.split_off_mut(..count) else { return Err(other_outputs(op)) };
            self.run(circuit, &operands, (first, elements), piece)
        })?;
        Ok(out)
    }

    /// Run a circuit for so many elements from a first one on.
    fn run(
        &self,
        circuit: &Circuit<'_>,
        operands: &Operands<'_>,
        (first, elements): (usize, usize),
        out: &mut [u64],
    ) -> Result<()> {
        let ends = circuit.last_uses()?;
        let mut done: Vec<Finished> = with_capacity(circuit.op, circuit.layers.len())?;
        for (at, nodes) in circuit.layers.iter().enumerate() {
            let tables: Vec<LookupTable> = collected(circuit.op, nodes.iter().map(|node| node.table))?;
            let input = |i: usize, to: &mut [u64]| {
                gather(&nodes[i % nodes.len()].input, operands, first, i / nodes.len(), &done, to);
            };
            let outputs = outputs_of(nodes);
            let layer = Layer { input: &input, tables: &tables, outputs };
            let words = self.bootstrap(circuit.op, elements * nodes.len(), &layer)?;
            done.push(Finished { words, nodes: nodes.len(), outputs });
            // What nobody reads any more.
            done.iter_mut().zip(&ends).filter(|&(_, &end)| end == at).for_each(|(layer, _)| layer.words = Vec::new());
        }
        let per = circuit.outputs.len();
        for (i, to) in out.chunks_mut(self.parameters.ciphertext_words()).enumerate() {
            gather(&circuit.outputs[i % per], operands, first, i / per, &done, to);
        }
        Ok(())
    }
}

/// An operation whose circuits have other results than it said.
pub(crate) fn other_outputs(op: &'static str) -> Error {
    Error::new(ErrorCode::Internal, op, "a circuit has more results than its operation")
}

/// Outputs of a layer, element by element.
struct Finished {
    words: Vec<u64>,
    nodes: usize,
    /// Of each bootstrap.
    outputs: usize,
}

/// Write a signal over zeros, of an element of the tile that begins at `first`.
fn gather(signal: &Signal, operands: &Operands<'_>, first: usize, at: usize, done: &[Finished], to: &mut [u64]) {
    let size = to.len();
    let mut add = |words: &[u64], at: usize, weight: i64| add_multiple(to, &words[at * size..][..size], weight as u64);
    let mut constant = signal.constant;
    for &(wire, weight) in &signal.terms {
        match wire {
            Wire::Block { operand, block } => match &operands.all[operand as usize] {
                Operand::Encrypted(words, per) => {
                    add(words, (first + at - operands.first) * per + block as usize, weight)
                }
                Operand::Clear(values, per) => {
                    let value = values.block((first + at) * per + block as usize, *per);
                    constant = constant.wrapping_add(DELTA.wrapping_mul((weight * value) as u64));
                }
            },
            Wire::Output { layer, node, output } => {
                let Finished { words, nodes, outputs } = &done[layer as usize];
                add(words, (at * nodes + node as usize) * outputs + output as usize, weight);
            }
        }
    }
    add_constant(to, constant);
}
