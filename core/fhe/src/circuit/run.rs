//! Circuits run on a server key: layer by layer, over tiles of elements.

use super::{Circuit, Node, Noise, Signal, Wire};
use crate::ciphertexts::{Ciphertexts, add_constant, add_multiple};
use crate::integer::Values;
use crate::lookup_table::LookupTable;
use crate::parameters::DELTA;
use crate::server_key::{Layer, ServerKey};
use icicle_cpu::parallel;
use icicle_error::Result;
use icicle_error::reserve::{collected, with_capacity};
use std::ops::Range;

/// Ciphertexts that a tile's layers may hold at once: 256 MiB of full size.
const TILE: usize = 1 << 14;

/// Elements of a tile whose circuit is another for each.
const DISTINCT: usize = 32;

/// A range in parts of so many, the last perhaps smaller.
fn parts(range: Range<usize>, size: usize) -> impl Iterator<Item = Range<usize>> {
    range.clone().step_by(size).map(move |at| at..(at + size).min(range.end))
}

/// The shares that each have a circuit of their own, for all of some elements: one, or where elements differ as many as are run.
pub(crate) fn shares(elements: usize, threads: usize, distinct: bool) -> impl Iterator<Item = Share> {
    let size = if distinct { DISTINCT } else { elements.max(1) };
    // None at all have the circuit of one, too.
    parts(0..elements.max(1), size).map(move |range| match distinct {
        true => Share { elements: 1, threads, range: range.start..range.end.min(elements) },
        false => Share { elements, threads, range: 0..elements },
    })
}

/// Where blocks of an operand are.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    Encrypted(&'a Ciphertexts),
    /// Clear integers, cut into blocks when they are read.
    Clear(Values<'a>),
}

/// An operand of a circuit.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub(crate) source: Source<'a>,
    /// Blocks of an element.
    pub(crate) per: usize,
}

/// A part of an operation's elements.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    /// How many one circuit is run for, so that its cost can be told.
    pub(crate) elements: usize,
    /// Bootstraps that run at once.
    pub(crate) threads: usize,
    /// Which: for circuits that differ from element to element.
    pub(crate) range: Range<usize>,
}

/// What makes the circuit for a share, over the operands of an empty one.
pub(crate) type Build<'a> = &'a (dyn for<'c> Fn(&Circuit<'c>, &Share) -> Result<Circuit<'c>> + Sync);

/// An operation over an array.
pub(crate) struct Task<'a> {
    pub(crate) op: &'static str,
    pub(crate) elements: usize,
    pub(crate) inputs: &'a [Input<'a>],
    pub(crate) operands: &'a [Noise],
    /// Results of an element.
    pub(crate) outputs: usize,
    /// Whether a circuit computes all elements of its share, each in its own way, their blocks one after another.
    pub(crate) distinct: bool,
    pub(crate) build: Build<'a>,
}

/// What runs circuits: a server key, or those of several devices.
pub(crate) trait Evaluator: Sync {
    /// One of the keys, for what they have in common.
    fn key(&self) -> &ServerKey;

    /// Bootstraps that a device does at once: what circuits are chosen by.
    fn threads(&self) -> usize {
        parallel::threads()
    }

    /// The results of all elements.
    fn evaluate(&self, task: &Task<'_>) -> Result<Ciphertexts>;
}

impl Evaluator for ServerKey {
    fn key(&self) -> &ServerKey {
        self
    }

    fn evaluate(&self, task: &Task<'_>) -> Result<Ciphertexts> {
        self.evaluate_share(task, 0..task.elements, self.threads())
    }
}

impl ServerKey {
    /// The results of some elements, by circuits for so many threads.
    pub(crate) fn evaluate_share(
        &self,
        task: &Task<'_>,
        elements: Range<usize>,
        threads: usize,
    ) -> Result<Ciphertexts> {
        let mut out = self.zeros(task.op, elements.len().saturating_mul(task.outputs))?;
        if elements.is_empty() || task.outputs == 0 {
            return Ok(out);
        }
        let blank = Circuit::new(task.op, self.parameters.max_norm2, task.operands);
        let words = task.outputs * out.size;
        let share =
            |range: Range<usize>| Share { elements: if task.distinct { 1 } else { range.len() }, threads, range };
        if task.distinct {
            for (range, out) in parts(elements, DISTINCT).zip(out.words.chunks_mut(DISTINCT * words)) {
                let circuit = (task.build)(&blank, &share(range.clone()))?;
                self.run(&circuit, task.inputs, (range.start, 1), out)?;
            }
            return Ok(out);
        }
        let circuit = (task.build)(&blank, &share(elements.clone()))?;
        let tile = (TILE / circuit.held().max(1)).max(1);
        for (range, out) in parts(elements, tile).zip(out.words.chunks_mut(tile * words)) {
            self.run(&circuit, task.inputs, (range.start, range.len()), out)?;
        }
        Ok(out)
    }

    /// Run a circuit for so many elements from a first one on.
    fn run(
        &self,
        circuit: &Circuit<'_>,
        inputs: &[Input<'_>],
        (first, elements): (usize, usize),
        out: &mut [u64],
    ) -> Result<()> {
        let size = self.parameters.ciphertext_words();
        let ends = circuit.last_uses()?;
        let mut done: Vec<Finished> = with_capacity(circuit.op, circuit.layers.len())?;
        let per = circuit.outputs.len();
        let write = |layer: usize, done: &[Finished], out: &mut [u64]| {
            for (at, output) in circuit.outputs.iter().enumerate().filter(|(_, output)| output.layer() == layer) {
                for element in 0..elements {
                    let to = &mut out[(element * per + at) * size..][..size];
                    gather(output, inputs, first + element, (element, done), to);
                }
            }
        };
        write(0, &done, out);
        for (at, nodes) in circuit.layers.iter().enumerate() {
            let tables: Vec<LookupTable> = collected(circuit.op, nodes.iter().map(|node| node.table))?;
            let input = |i: usize, to: &mut [u64]| {
                let (element, node) = (i / nodes.len(), &nodes[i % nodes.len()]);
                gather(&node.input, inputs, first + element, (element, &done), to);
            };
            let outputs = outputs_of(nodes);
            let layer = Layer { input: &input, tables: &tables, outputs };
            let ciphertexts = self.bootstrap(circuit.op, elements * nodes.len(), &layer)?;
            done.push(Finished { ciphertexts, nodes: nodes.len(), outputs });
            write(at + 1, &done, out);
            // What nobody reads any more.
            for (layer, _) in ends.iter().enumerate().filter(|&(_, &end)| end == at) {
                done[layer].ciphertexts = self.zeros(circuit.op, 0)?;
            }
        }
        Ok(())
    }
}

/// Outputs of a layer, element by element.
struct Finished {
    ciphertexts: Ciphertexts,
    nodes: usize,
    /// Of each bootstrap.
    outputs: usize,
}

fn outputs_of(nodes: &[Node]) -> usize {
    nodes.iter().map(|node| node.outputs).max().unwrap_or(1)
}

/// Write a signal of an element over zeros.
fn gather(
    signal: &Signal,
    inputs: &[Input<'_>],
    element: usize,
    (in_tile, done): (usize, &[Finished]),
    to: &mut [u64],
) {
    add_constant(to, signal.constant);
    for &(wire, weight) in &signal.terms {
        match wire {
            Wire::Block { operand, block } => {
                let Input { source, per } = inputs[operand as usize];
                match source {
                    Source::Encrypted(blocks) => {
                        add_multiple(to, blocks.get(element * per + block as usize), weight as u64);
                    }
                    Source::Clear(values) => {
                        let value = values.block(element * per + block as usize, per);
                        add_constant(to, DELTA.wrapping_mul((weight * value) as u64));
                    }
                }
            }
            Wire::Output { layer, node, output } => {
                let Finished { ciphertexts, nodes, outputs } = &done[layer as usize];
                let at = (in_tile * nodes + node as usize) * outputs + output as usize;
                add_multiple(to, ciphertexts.get(at), weight as u64);
            }
        }
    }
}

impl Circuit<'_> {
    /// Of each layer, the last one that is followed by a reader.
    fn last_uses(&self) -> Result<Vec<usize>> {
        let mut ends: Vec<usize> = collected(self.op, 0..self.layers.len())?;
        let mut use_by = |signal: &Signal, reader: usize| {
            for (wire, _) in &signal.terms {
                if let Wire::Output { layer, .. } = wire {
                    let end = &mut ends[*layer as usize];
                    *end = reader.max(*end);
                }
            }
        };
        for (at, nodes) in self.layers.iter().enumerate() {
            nodes.iter().for_each(|node| use_by(&node.input, at));
        }
        // A result is written once the last layer it reads is done.
        self.outputs.iter().for_each(|output| use_by(output, output.layer().saturating_sub(1)));
        Ok(ends)
    }

    /// Ciphertexts that layers of an element hold, at most.
    fn held(&self) -> usize {
        let Ok(ends) = self.last_uses() else { return usize::MAX };
        let held = |now: usize| {
            let alive = self.layers.iter().zip(&ends).take(now + 1).filter(|&(_, &end)| end >= now);
            alive.map(|(nodes, _)| nodes.len() * outputs_of(nodes)).sum()
        };
        (0..self.layers.len()).map(held).max().unwrap_or(0)
    }
}
