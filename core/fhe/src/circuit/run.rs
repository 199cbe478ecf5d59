//! What circuits are run for, and by: an operation over an array, cut into pieces that a device runs at once.

use super::values::Values;
use super::{Circuit, Node, Noise, Signal, Wire};
use crate::ciphertexts::Ciphertexts;
use crate::parameters::Parameters;
use crate::server_key::{ServerKey, Side};
use icicle_cpu::parallel;
use icicle_error::reserve::collected;
use icicle_error::{Error, ErrorCode, Result};
use std::ops::Range;

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

/// The circuit that takes the fewest rounds for a share, of those with fewest the one with fewest bootstraps.
pub(crate) fn fastest<'a>(
    share: &Share,
    circuits: impl IntoIterator<Item = Result<Circuit<'a>>>,
) -> Result<Circuit<'a>> {
    let mut best: Option<Circuit<'a>> = None;
    let cost = |circuit: &Circuit<'_>| (circuit.rounds(share.elements, share.threads), circuit.bootstraps());
    for circuit in circuits {
        let circuit = circuit?;
        if best.as_ref().is_none_or(|best| cost(&circuit) < cost(best)) {
            best = Some(circuit);
        }
    }
    best.ok_or_else(|| Error::new(ErrorCode::Internal, "fhe", "an operation has no circuit"))
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

    /// Bootstraps that are done at once: what circuits are chosen by.
    fn threads(&self) -> usize;

    /// The results of all elements.
    fn evaluate(&self, task: &Task<'_>) -> Result<Ciphertexts>;
}

impl Task<'_> {
    /// Run circuits for pieces of some elements: each time the circuit, the first element and how many. `tile` says how many a
    /// circuit is run for at once.
    pub(crate) fn run(
        &self,
        parameters: &Parameters,
        elements: Range<usize>,
        threads: usize,
        tile: impl Fn(&Circuit<'_>) -> usize,
        mut run: impl FnMut(&Circuit<'_>, usize, usize) -> Result<()>,
    ) -> Result<()> {
        let blank = Circuit::new(self.op, parameters.max_norm2, self.operands);
        if self.distinct {
            for range in parts(elements, DISTINCT) {
                let circuit = (self.build)(&blank, &Share { elements: 1, threads, range: range.clone() })?;
                run(&circuit, range.start, 1)?;
            }
            return Ok(());
        }
        let circuit = (self.build)(&blank, &Share { elements: self.elements, threads, range: elements.clone() })?;
        let tile = tile(&circuit).max(1);
        parts(elements, tile).try_for_each(|range| run(&circuit, range.start, range.len()))
    }
}

impl Evaluator for ServerKey {
    fn key(&self) -> &ServerKey {
        self
    }

    fn threads(&self) -> usize {
        match &self.side {
            Side::Host(_) => parallel::threads(),
            #[cfg(feature = "cuda")]
            Side::Gpu(key) => key.together(),
        }
    }

    fn evaluate(&self, task: &Task<'_>) -> Result<Ciphertexts> {
        self.evaluate_share(task, 0..task.elements, self.threads())
    }
}

impl ServerKey {
    /// The results of some elements, by circuits for so many threads, on the key's device.
    pub(crate) fn evaluate_share(
        &self,
        task: &Task<'_>,
        elements: Range<usize>,
        threads: usize,
    ) -> Result<Ciphertexts> {
        let (op, whose) = (task.op, (self.parameters, self.tag));
        if elements.is_empty() || task.outputs == 0 {
            return Ciphertexts::new(op, whose, Vec::new());
        }
        match &self.side {
            Side::Host(key) => Ciphertexts::new(op, whose, key.evaluate(task, elements, threads)?),
            #[cfg(feature = "cuda")]
            Side::Gpu(key) => Ciphertexts::on_gpu(op, whose, key.evaluate(self.parameters, task, elements, threads)?),
        }
    }
}

/// Outputs of each bootstrap of a layer.
pub(crate) fn outputs_of(nodes: &[Node]) -> usize {
    nodes.iter().map(|node| node.outputs).max().unwrap_or(1)
}

impl Circuit<'_> {
    /// Of each layer, the one that is the last to read it; the number of layers where results do.
    pub(crate) fn last_uses(&self) -> Result<Vec<usize>> {
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
        // Results are written in the end.
        self.outputs.iter().for_each(|output| use_by(output, self.layers.len()));
        Ok(ends)
    }

    /// Ciphertexts that layers of an element hold, at most.
    pub(crate) fn held(&self) -> usize {
        let Ok(ends) = self.last_uses() else { return usize::MAX };
        let held = |now: usize| {
            let alive = self.layers.iter().zip(&ends).take(now + 1).filter(|&(_, &end)| end >= now);
            alive.map(|(nodes, _)| nodes.len() * outputs_of(nodes)).sum()
        };
        (0..self.layers.len()).map(held).max().unwrap_or(0)
    }

    /// Blocks of an operand that it reads: up to before this one.
    #[cfg(feature = "cuda")]
    pub(crate) fn reach(&self, wanted: usize) -> usize {
        let signals = self.layers.iter().flatten().map(|node| &node.input).chain(&self.outputs);
        let blocks = signals.flat_map(|signal| &signal.terms).map(|(wire, _)| match wire {
            Wire::Block { operand, block } if *operand as usize == wanted => *block as usize + 1,
            _ => 0,
        });
        blocks.max().unwrap_or(0)
    }
}
