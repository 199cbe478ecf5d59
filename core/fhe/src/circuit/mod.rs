//! Circuits: operations on integers as layers of bootstraps, described and checked before any of them runs.
//!
//! A circuit computes one element of an array; it runs on many at once. Its description knows what noise and what values each
//! bootstrap reads, so that one which could fail more often than the parameters promise is an error, and how many bootstraps
//! follow each other, so that circuits for the same operation can be compared.

mod on_host;
mod polarity;
mod run;
mod signal;
mod values;

pub(crate) use polarity::Polarity;
#[cfg(feature = "cuda")]
pub(crate) use run::outputs_of;
pub(crate) use run::{Build, Evaluator, Input, Share, Source, Task, fastest, shares};
pub(crate) use signal::{Signal, Wire};
pub(crate) use values::{Values, digit};

use crate::lookup_table::LookupTable;
use crate::parameters::VALUES;
use icicle_error::reserve::{collected, filled, push, with_capacity};
use icicle_error::{Error, ErrorCode, Result};

/// What a circuit has to know of an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise {
    /// The sum of squared weights over fresh ciphertexts and bootstraps' outputs, of the block that has most.
    pub(crate) norm2: u32,
    /// How it goes together with that of others.
    pub(crate) polarity: Polarity,
    /// Whether blocks of an element may be the same ciphertexts.
    pub(crate) repeats: bool,
    /// The largest value of a block.
    pub(crate) high: i64,
}

/// A bootstrap: what it reads, and a table with one function or two.
pub(crate) struct Node {
    pub(crate) input: Signal,
    pub(crate) table: LookupTable,
    pub(crate) outputs: usize,
}

/// Layers of bootstraps, each of which reads what layers before it wrote, and combinations of their outputs as results.
pub(crate) struct Circuit<'a> {
    op: &'static str,
    max_norm2: u32,
    operands: &'a [Noise],
    layers: Vec<Vec<Node>>,
    outputs: Vec<Signal>,
}

impl<'a> Circuit<'a> {
    /// No bootstraps yet, over operands.
    pub(crate) fn new(op: &'static str, max_norm2: u32, operands: &'a [Noise]) -> Self {
        Self { op, max_norm2, operands, layers: Vec::new(), outputs: Vec::new() }
    }

    /// The same without what was added.
    pub(crate) fn blank(&self) -> Self {
        Self::new(self.op, self.max_norm2, self.operands)
    }

    /// The name of the operation.
    pub(crate) fn op(&self) -> &'static str {
        self.op
    }

    /// A block of an operand.
    pub(crate) fn block(&self, operand: usize, block: usize) -> Result<Signal> {
        let wire = Wire::Block { operand: operand as u32, block: block as u32 };
        Signal::wire(self.op, wire, [0, 2 * self.operands[operand].high])
    }

    /// The sum of signals.
    pub(crate) fn sum<'s>(&self, signals: impl IntoIterator<Item = &'s Signal>) -> Result<Signal> {
        signals.into_iter().try_fold(Signal::default(), |sum, signal| sum.plus(self.op, signal, 1))
    }

    /// A multiple of a signal and another.
    pub(crate) fn weighted(&self, weight: i64, x: &Signal, y: &Signal) -> Result<Signal> {
        y.plus(self.op, x, weight)
    }

    /// The table's value of a signal, by one bootstrap; by none where the signal is known.
    pub(crate) fn bootstrap(&mut self, input: &Signal, table: LookupTable) -> Result<Signal> {
        let [output, _] = self.node(input, table, 1)?;
        Ok(output)
    }

    /// Two functions of a signal below 8, by one bootstrap.
    pub(crate) fn pair(
        &mut self,
        input: &Signal,
        f: impl Fn(i64) -> i64,
        g: impl Fn(i64) -> i64,
    ) -> Result<[Signal; 2]> {
        if let Some(value) = input.known() {
            return Ok([Signal::constant(f(value)), Signal::constant(g(value))]);
        }
        self.node(input, LookupTable::pair(|v| f(v as i64), |v| g(v as i64)), 2)
    }

    /// A function of a signal from 0 to 15.
    pub(crate) fn lut(&mut self, input: &Signal, f: impl Fn(i64) -> i64) -> Result<Signal> {
        match input.known() {
            Some(value) => Ok(Signal::constant(f(value))),
            None => self.bootstrap(input, LookupTable::new(|v| f(v as i64))),
        }
    }

    /// `weight` where a signal is from 16 to 31, or negative down to -16; 0 where it is from 0 to 15.
    pub(crate) fn padding(&mut self, input: &Signal, weight: i64) -> Result<Signal> {
        let half = self.bootstrap(input, LookupTable::padding_bit(weight))?;
        Ok(match weight % 2 {
            0 => half.offset(weight / 2),
            _ => half.offset(weight / 2).half_more(),
        })
    }

    fn node(&mut self, input: &Signal, table: LookupTable, outputs: usize) -> Result<[Signal; 2]> {
        self.check(input, outputs)?;
        let [low, high] = input.range();
        if input.known().is_some() {
            let value = table.at(low / 2);
            return Ok([Signal::on_torus(value), Signal::default()]);
        }
        let layer = input.layer();
        while self.layers.len() <= layer {
            push(self.op, &mut self.layers, Vec::new())?;
        }
        let node = self.layers[layer].len() as u32;
        let range = |output: usize| {
            // Of a pair, the second is half a table further.
            let values = (low / 2..=high / 2).map(|v| signal::halves(table.at(v + 8 * output as i64)));
            values.fold([i64::MAX, i64::MIN], |[low, high], v| [low.min(v), high.max(v)])
        };
        let wire = |output: usize| Wire::Output { layer: layer as u32, node, output: output as u32 };
        let first = Signal::wire(self.op, wire(0), range(0))?;
        let second = if outputs == 2 { Signal::wire(self.op, wire(1), range(1))? } else { Signal::default() };
        let input = input.copied(self.op)?;
        push(self.op, &mut self.layers[layer], Node { input, table, outputs })?;
        Ok([first, second])
    }

    /// Make a signal a result, of which a bootstrap can read at least one.
    pub(crate) fn output(&mut self, signal: Signal) -> Result<()> {
        self.check_noise(&signal)?;
        push(self.op, &mut self.outputs, signal)
    }

    /// Make signals results.
    pub(crate) fn output_all(&mut self, signals: impl IntoIterator<Item = Signal>) -> Result<()> {
        signals.into_iter().try_for_each(|signal| self.output(signal))
    }

    /// The same without bootstraps that no result depends on.
    pub(crate) fn pruned(mut self) -> Result<Self> {
        let mut used: Vec<Vec<bool>> = with_capacity(self.op, self.layers.len())?;
        for nodes in &self.layers {
            used.push(filled(self.op, nodes.len(), false)?);
        }
        self.outputs.iter().for_each(|output| mark(output, &mut used));
        for layer in (0..self.layers.len()).rev() {
            for (at, node) in self.layers[layer].iter().enumerate() {
                if used[layer][at] {
                    mark(&node.input, &mut used);
                }
            }
        }
        // Where each of those left is now.
        let mut places: Vec<Vec<u32>> = with_capacity(self.op, used.len())?;
        for used in &used {
            let mut next = 0;
            places.push(collected(
                self.op,
                used.iter().map(|&used| {
                    next += u32::from(used);
                    next.wrapping_sub(1)
                }),
            )?);
        }
        for (nodes, used) in self.layers.iter_mut().zip(&used) {
            let mut used = used.iter();
            nodes.retain(|_| used.next() == Some(&true));
            nodes.iter_mut().for_each(|node| node.input.renumber(&places));
        }
        self.outputs.iter_mut().for_each(|output| output.renumber(&places));
        while self.layers.last().is_some_and(Vec::is_empty) {
            self.layers.pop();
        }
        Ok(self)
    }

    /// Refuse what a bootstrap may not read: values that a table cannot tell apart, or too much noise.
    fn check(&self, input: &Signal, outputs: usize) -> Result<()> {
        let [low, high] = input.range();
        let wrong = |detail: String| Err(Error::new(ErrorCode::Internal, self.op, detail));
        let told_apart = match outputs {
            2 => low >= 0 && high < VALUES as i64,
            _ => low >= -2 * VALUES as i64 && high - low < 4 * VALUES as i64,
        };
        if !told_apart || low % 2 != 0 {
            return wrong(format!("a bootstrap of {outputs} functions would read values from {low}/2 to {high}/2"));
        }
        self.check_noise(input)
    }

    fn check_noise(&self, input: &Signal) -> Result<()> {
        let (norm2, most) = (self.norm2(input), self.max_norm2);
        if norm2 <= most {
            return Ok(());
        }
        let detail = format!("a bootstrap would read a squared norm of {norm2}, must be at most {most}");
        Err(Error::new(ErrorCode::Internal, self.op, detail))
    }

    /// The most noise there may be.
    pub(crate) fn max_norm2(&self) -> u32 {
        self.max_norm2
    }

    /// How many results there are.
    pub(crate) fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// The sum of squared weights over independent ciphertexts, at most.
    ///
    /// Bootstraps' outputs are independent, and so are blocks of one operand, unless it repeats some. Those of two operands may be the same ciphertexts in
    /// any order: weights then add where they have the same sign, and cancel where they do not.
    pub(crate) fn norm2(&self, signal: &Signal) -> u32 {
        let mut bootstraps = 0;
        // Of each operand.
        let mut parts: Vec<(u32, f64, Polarity)> = Vec::new();
        for &(wire, weight) in &signal.terms {
            let Wire::Block { operand, .. } = wire else {
                bootstraps += weight * weight;
                continue;
            };
            let Noise { norm2, polarity, repeats, .. } = self.operands[operand as usize];
            let (square, polarity) = ((weight * weight) as f64 * f64::from(norm2), polarity.times(weight));
            match parts.iter_mut().find(|part| part.0 == operand) {
                Some(part) => {
                    let cross = if repeats { 2.0 * (part.1 * square).sqrt() } else { 0.0 };
                    *part = (operand, part.1 + square + cross, part.2.joined(polarity));
                }
                None => parts.push((operand, square, polarity)),
            }
        }
        let mut sum: f64 = parts.iter().map(|part| part.1).sum();
        for (i, a) in parts.iter().enumerate() {
            for b in parts[..i].iter().filter(|b| !a.2.cancels(b.2)) {
                sum += 2.0 * (a.1 * b.1).sqrt();
            }
        }
        // Roots are rounded: of squares, this is still the square.
        bootstraps as u32 + (sum - 1e-9).ceil() as u32
    }

    /// The squared norm of the result that has most, and how the noise of operands' blocks is in results, if it is.
    pub(crate) fn output_noise(&self) -> (u32, Option<Polarity>) {
        let norm2 = self.outputs.iter().map(|output| self.norm2(output)).max().unwrap_or(0);
        let polarities =
            self.outputs.iter().flat_map(|output| &output.terms).filter_map(|&(wire, weight)| match wire {
                Wire::Block { operand, .. } => Some(self.operands[operand as usize].polarity.times(weight)),
                Wire::Output { .. } => None,
            });
        (norm2, polarities.reduce(Polarity::joined))
    }

    /// The bootstraps of each layer.
    #[cfg(feature = "cuda")]
    pub(crate) fn layers(&self) -> impl Iterator<Item = &[Node]> {
        self.layers.iter().map(Vec::as_slice)
    }

    /// The results.
    #[cfg(feature = "cuda")]
    pub(crate) fn results(&self) -> &[Signal] {
        &self.outputs
    }

    /// Bootstraps for one element.
    pub(crate) fn bootstraps(&self) -> usize {
        self.layers.iter().map(Vec::len).sum()
    }

    /// Layers, which follow each other.
    #[cfg(test)]
    pub(crate) fn depth(&self) -> usize {
        self.layers.len()
    }

    /// How often threads take a bootstrap each, for so many elements.
    pub(crate) fn rounds(&self, elements: usize, threads: usize) -> usize {
        self.layers.iter().map(|layer| (layer.len() * elements).div_ceil(threads.max(1))).sum()
    }
}

fn mark(signal: &Signal, used: &mut [Vec<bool>]) {
    for (wire, _) in &signal.terms {
        if let Wire::Output { layer, node, .. } = wire {
            used[*layer as usize][*node as usize] = true;
        }
    }
}
