//! Circuits run on a GPU, layer by layer.

use super::key::GpuKey;
use super::steps::Steps;
use super::wiring::{Blocks, Origin, Wiring};
use crate::ciphertexts::OnGpu;
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

/// An operand of a tile, in the device's memory.
enum Operand {
    Encrypted(OnGpu),
    Clear(Buffer<u8>),
}

/// Outputs of a layer.
struct Finished {
    words: Buffer<u64>,
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
        let op = task.op;
        let steps = Steps::new(op, self.device)?;
        let size = parameters.ciphertext_words();
        let count = elements.len().checked_mul(task.outputs).and_then(|count| count.checked_mul(size));
        let count = count.ok_or_else(|| icicle_error::reserve::refused(op, elements.len(), task.outputs))?;
        let mut out = Buffer::on(self.device, count)?;
        let memory = memory_stats(self.device)?.total / SHARE;
        let tile = |circuit: &Circuit<'_>| {
            let widest = circuit.layers().map(<[Node]>::len).max().unwrap_or(0);
            let bytes = circuit.held().saturating_mul(8 * size) + widest * WORK;
            // A grid has so many tiles of 64 ciphertexts along y, but for a factor of two.
            (memory as usize / bytes.max(1)).min((1 << 21) / widest.max(1))
        };
        let mut at = 0;
        task.run(parameters, elements, threads, tile, |circuit, first, elements| {
            let words = circuit.outputs() * elements * size;
            let piece = out.slice_mut(at..at + words)?;
            at += words;
            Tile { key: self, steps: &steps, parameters, circuit, elements }.run(task.inputs, first, piece)
        })?;
        steps.finish()?;
        Ok(out)
    }
}

/// A circuit that is about to run for some elements.
struct Tile<'a> {
    key: &'a GpuKey,
    steps: &'a Steps,
    parameters: &'a Parameters,
    circuit: &'a Circuit<'a>,
    elements: usize,
}

impl Tile<'_> {
    fn run(&self, inputs: &[Input<'_>], first: usize, out: BufferViewMut<'_, u64>) -> Result<()> {
        let (op, circuit) = (self.circuit.op(), self.circuit);
        let (size, columns) = (self.parameters.ciphertext_words(), self.parameters.small_words());
        let mut operands: Vec<Operand> = with_capacity(op, inputs.len())?;
        for (at, input) in inputs.iter().enumerate() {
            operands.push(self.operand(input, first, circuit.reach(at))?);
        }
        let mut origins = with_capacity(op, inputs.len())?;
        for (operand, input) in operands.iter().zip(inputs) {
            let blocks = match operand {
                Operand::Encrypted(of) => Blocks::Encrypted(of.words(size)?),
                Operand::Clear(of) => Blocks::Clear(of.view()),
            };
            origins.push(Origin { blocks, per: input.per, outputs: 1 });
        }
        let ends = circuit.last_uses()?;
        let mut done: Vec<Option<Finished>> = with_capacity(op, ends.len())?;
        for (at, nodes) in circuit.layers().enumerate() {
            let outputs = outputs_of(nodes);
            let words = {
                let layers = layers(op, &done)?;
                let signals = nodes.iter().map(|node| &node.input);
                let wiring = Wiring::new(op, (&origins, &layers), signals, self.elements, size)?;
                let powers = self.steps.switch(self.key, &wiring, columns)?;
                self.steps.rotate(self.key, &powers, &tables(op, nodes)?, outputs, columns)?
            };
            done.push(Some(Finished { words, nodes: nodes.len(), outputs }));
            // What nobody reads any more.
            done.iter_mut().zip(&ends).filter(|&(_, &end)| end == at).for_each(|(layer, _)| *layer = None);
        }
        let layers = layers(op, &done)?;
        let wiring = Wiring::new(op, (&origins, &layers), circuit.results().iter(), self.elements, size)?;
        self.steps.combine(&wiring, out)
    }

    /// The blocks of an operand, from the first element's on as far as the circuit reads.
    fn operand(&self, &Input { source, per }: &Input<'_>, first: usize, reach: usize) -> Result<Operand> {
        let (op, device) = (self.circuit.op(), self.key.device);
        let blocks = match reach {
            0 => 0,
            reach => (self.elements - 1) * per + reach,
        };
        let start = first * per;
        match source {
            Source::Encrypted(of) => {
                if start + blocks > of.count() {
                    let detail = format!("a circuit reads block {} of {}", start + blocks, of.count());
                    return Err(Error::new(ErrorCode::Internal, op, detail));
                }
                Ok(Operand::Encrypted(of.on_device(device, start..start + blocks)?))
            }
            Source::Clear(values) => {
                let bytes = collected(op, (start..start + blocks).map(|at| values.block(at, per) as u8))?;
                Ok(Operand::Clear(Buffer::from_slice_on(device, &bytes)?))
            }
        }
    }
}

/// Layers as signals read them; none for those that are given back.
fn layers<'a>(op: &'static str, done: &'a [Option<Finished>]) -> Result<Vec<Option<Origin<'a>>>> {
    collected(
        op,
        done.iter().map(|layer| {
            layer.as_ref().map(|Finished { words, nodes, outputs }| Origin {
                blocks: Blocks::Encrypted(words.view()),
                per: nodes * outputs,
                outputs: *outputs,
            })
        }),
    )
}

/// The upper halves of tables' values.
fn tables(op: &'static str, nodes: &[Node]) -> Result<Vec<u32>> {
    let mut out = with_capacity(op, nodes.len() * VALUES)?;
    out.extend(nodes.iter().flat_map(|node| (0..VALUES).map(|value| (node.table.at(value as i64) >> 32) as u32)));
    Ok(out)
}
