//! Circuits run on a GPU, layer by layer.

use super::key::GpuKey;
use super::memory::{Memory, Span};
use super::steps::Steps;
use super::wiring::{Blocks, Origin, Wiring};
use crate::ciphertexts::Place;
use crate::circuit::{Circuit, Input, Node, Source, Task, outputs_of};
use crate::parameters::{Parameters, VALUES};
use icicle_error::reserve::{collected, with_capacity};
use icicle_error::{Error, ErrorCode, Result};
use icicle_runtime::{Buffer, BufferViewMut, memory_stats};
use std::ops::Range;

/// The part of a device's memory that a tile's layers may take.
const SHARE: u64 = 8;
/// Bytes that a bootstrap works in beside ciphertexts: digits, and what the key switch and the modulus switch leave.
const WORK: usize = 4 * 2048 + 6 * 920;

/// An operand of a tile, in a device's memory.
enum Operand<'a> {
    /// Where it was.
    There(Span<'a, u64>),
    Copied(Memory<u64>),
    Clear(Memory<u8>),
}

/// Outputs of a layer.
struct Finished {
    words: Memory<u64>,
    nodes: usize,
    outputs: usize,
}

impl GpuKey {
    /// The results of some elements, in the device's memory, when they are done.
    pub(crate) fn evaluate(
        &self,
        parameters: &Parameters,
        task: &Task<'_>,
        elements: Range<usize>,
        threads: usize,
    ) -> Result<Buffer<u64>> {
        Self::evaluate_together(&[self], parameters, task, elements, threads)
    }

    /// As [`evaluate`](Self::evaluate), by the devices of several keys, which divide the bootstraps of each wide layer; results lie
    /// on the first.
    pub(crate) fn evaluate_together(
        keys: &[&Self],
        parameters: &Parameters,
        task: &Task<'_>,
        elements: Range<usize>,
        threads: usize,
    ) -> Result<Buffer<u64>> {
        let op = task.op;
        // On one device two tiles at once: what little one does at the end of each layer, the other does not wait for.
        let lanes = if keys.len() == 1 { 2 } else { 1 };
        let mut steps: Vec<Steps<'_>> = with_capacity(op, lanes * keys.len())?;
        for key in keys.iter().cycle().take(lanes * keys.len()) {
            steps.push(Steps::new(op, &key.streams)?);
        }
        let Some(first) = steps.first() else { return Err(Error::new(ErrorCode::Internal, op, "no key")) };
        let size = parameters.ciphertext_words();
        let count = elements.len().checked_mul(task.outputs).and_then(|count| count.checked_mul(size));
        let count = count.ok_or_else(|| icicle_error::reserve::refused(op, elements.len(), task.outputs))?;
        let mut out = first.results(count)?;
        steps[1..].iter().filter(|other| other.device() == first.device()).try_for_each(|other| other.follow(first))?;
        let memory = memory_stats(first.device())?.total / SHARE / lanes as u64;
        // Fewer than these a layer are rotated the other way.
        let few = first.at_least_time();
        let tile = |circuit: &Circuit<'_>| {
            let widest = circuit.layers().map(<[Node]>::len).max().unwrap_or(0);
            let bytes = circuit.held().saturating_mul(8 * size) + widest * WORK;
            let layers = circuit.layers().count().max(1);
            let share = elements.len().div_ceil(lanes);
            let divided = share * circuit.bootstraps() / layers > few;
            // A grid has so many tiles of 64 ciphertexts along y, but for a factor of two.
            let most = (memory as usize / bytes.max(1)).min((1 << 21) / widest.max(1));
            if divided { share.min(most) } else { most }
        };
        let (mut at, mut lane) = (0, 0);
        task.run(parameters, elements.clone(), threads, tile, |circuit, first, elements| {
            let words = circuit.outputs() * elements * size;
            let piece = out.slice_mut(at..at + words)?;
            at += words;
            let steps = &steps[lane * keys.len()..][..keys.len()];
            lane = (lane + 1) % lanes;
            Tile { op, parameters, circuit, elements }.run(keys, steps, (task.inputs, first), piece)
        })?;
        steps.iter().try_for_each(Steps::finish)?;
        Ok(out)
    }
}

/// A circuit that is about to run for some elements.
struct Tile<'a> {
    op: &'static str,
    parameters: &'a Parameters,
    circuit: &'a Circuit<'a>,
    elements: usize,
}

/// A device that runs it.
struct Side<'a> {
    key: &'a GpuKey,
    steps: &'a Steps<'a>,
    operands: Vec<Operand<'a>>,
    done: Vec<Option<Finished>>,
}

impl Tile<'_> {
    fn run(
        &self,
        keys: &[&GpuKey],
        steps: &[Steps<'_>],
        (inputs, first): (&[Input<'_>], usize),
        out: BufferViewMut<'_, u64>,
    ) -> Result<()> {
        let ends = self.circuit.last_uses()?;
        let mut sides: Vec<Side<'_>> = with_capacity(self.op, keys.len())?;
        for (key, steps) in keys.iter().zip(steps) {
            let mut operands = with_capacity(self.op, inputs.len())?;
            for (at, input) in inputs.iter().enumerate() {
                operands.push(self.operand(steps, input, first, self.circuit.reach(at))?);
            }
            sides.push(Side { key, steps, operands, done: with_capacity(self.op, ends.len())? });
        }
        for (at, nodes) in self.circuit.layers().enumerate() {
            let outputs = outputs_of(nodes);
            let wide = sides.iter().any(|side| nodes.len() * self.elements > side.steps.at_least_time());
            let share = if wide { nodes.len().div_ceil(sides.len()) } else { nodes.len() };
            let mut parts: Vec<Memory<u64>> = with_capacity(self.op, sides.len())?;
            for (at, side) in sides.iter().enumerate() {
                // What is not wide is done by all, which takes no longer.
                let chunk = if wide { nodes.chunks(share).nth(at) } else { Some(nodes) };
                if let Some(nodes) = chunk {
                    parts.push(self.layer(side, inputs, nodes, outputs)?);
                }
            }
            let whole =
                if wide && sides.len() > 1 { self.exchanged(&sides, &parts, nodes.len() * outputs)? } else { parts };
            for (side, words) in sides.iter_mut().zip(whole) {
                side.done.push(Some(Finished { words, nodes: nodes.len(), outputs }));
                // What nobody reads any more.
                side.done.iter_mut().zip(&ends).filter(|&(_, &end)| end == at).for_each(|(layer, _)| *layer = None);
            }
        }
        let Some(side) = sides.first() else { return Ok(()) };
        let (origins, layers) = (self.origins(side, inputs)?, self.layers(side)?);
        let signals = self.circuit.results().iter();
        let wiring = Wiring::new(self.op, (&origins, &layers), signals, self.elements, self.size())?;
        side.steps.combine(&wiring, out)
    }

    /// Bootstraps of some nodes of a layer.
    fn layer(&self, side: &Side<'_>, inputs: &[Input<'_>], nodes: &[Node], outputs: usize) -> Result<Memory<u64>> {
        let (origins, layers) = (self.origins(side, inputs)?, self.layers(side)?);
        let signals = nodes.iter().map(|node| &node.input);
        let wiring = Wiring::new(self.op, (&origins, &layers), signals, self.elements, self.size())?;
        let columns = self.parameters.small_words();
        let powers = side.steps.switch(&side.key.key_switch, &wiring, columns)?;
        side.steps.rotate(&side.key.rotation, &powers, &tables(self.op, nodes)?, outputs, columns)
    }

    /// A layer's ciphertexts on each device, so many of an element, of the parts that devices computed.
    fn exchanged(&self, sides: &[Side<'_>], parts: &[Memory<u64>], per: usize) -> Result<Vec<Memory<u64>>> {
        sides.iter().try_for_each(|side| side.steps.finish())?;
        let mut whole = with_capacity(self.op, sides.len())?;
        for side in sides {
            let words = side.steps.memory(self.elements * per * self.size())?;
            for element in 0..self.elements {
                let mut at = element * per * self.size();
                for (part, from) in parts.iter().zip(sides) {
                    let of_element = part.len() / self.elements;
                    let span = part.span().part(element * of_element, of_element);
                    side.steps.copy_from_gpu(&words, at, span, from.steps.device())?;
                    at += of_element;
                }
            }
            whole.push(words);
        }
        Ok(whole)
    }

    fn size(&self) -> usize {
        self.parameters.ciphertext_words()
    }

    /// Operands as signals read them.
    fn origins<'s>(&self, side: &'s Side<'_>, inputs: &[Input<'_>]) -> Result<Vec<Origin<'s>>> {
        let mut origins = with_capacity(self.op, inputs.len())?;
        for (operand, input) in side.operands.iter().zip(inputs) {
            let blocks = match operand {
                Operand::There(of) => Blocks::Encrypted(*of),
                Operand::Copied(of) => Blocks::Encrypted(of.span()),
                Operand::Clear(of) => Blocks::Clear(of.span()),
            };
            origins.push(Origin { blocks, per: input.per, outputs: 1 });
        }
        Ok(origins)
    }

    /// Layers as signals read them; none for those that are given back.
    fn layers<'s>(&self, side: &'s Side<'_>) -> Result<Vec<Option<Origin<'s>>>> {
        let origin = |Finished { words, nodes, outputs }: &'s Finished| Origin {
            blocks: Blocks::Encrypted(words.span()),
            per: nodes * outputs,
            outputs: *outputs,
        };
        collected(self.op, side.done.iter().map(|layer| layer.as_ref().map(origin)))
    }

    /// The blocks of an operand, from the first element's on as far as the circuit reads.
    fn operand<'s>(
        &self,
        steps: &Steps<'_>,
        &Input { source, per }: &Input<'s>,
        first: usize,
        reach: usize,
    ) -> Result<Operand<'s>> {
        let (op, size) = (self.op, self.size());
        let blocks = match reach {
            0 => 0,
            reach => (self.elements - 1) * per + reach,
        };
        let range = first * per..first * per + blocks;
        match source {
            Source::Encrypted(of) => {
                if range.end > of.count() {
                    let detail = format!("a circuit reads block {} of {}", range.end, of.count());
                    return Err(Error::new(ErrorCode::Internal, op, detail));
                }
                let mut places = of.places(range.clone());
                if let (Some((_, Place::Gpu(words, span))), None) = (places.next(), places.next())
                    && words.device() == steps.device()
                {
                    return Ok(Operand::There(Span::of(words, span)));
                }
                let copied = steps.memory(blocks * size)?;
                for (at, place) in of.places(range) {
                    match place {
                        Place::Host(words) => steps.copy_from_host(&copied, at * size, words)?,
                        Place::Gpu(words, span) => {
                            steps.copy_from_gpu(&copied, at * size, Span::of(words, span), words.device())?;
                        }
                    }
                }
                Ok(Operand::Copied(copied))
            }
            Source::Clear(values) => {
                let bytes = collected(op, range.map(|at| values.block(at, per) as u8))?;
                let copied = steps.memory(bytes.len())?;
                steps.copy_from_host(&copied, 0, &bytes)?;
                Ok(Operand::Clear(copied))
            }
        }
    }
}

/// The upper halves of tables' values.
fn tables(op: &'static str, nodes: &[Node]) -> Result<Vec<u32>> {
    let mut out = with_capacity(op, nodes.len() * VALUES)?;
    out.extend(nodes.iter().flat_map(|node| (0..VALUES).map(|value| (node.table.at(value as i64) >> 32) as u32)));
    Ok(out)
}
