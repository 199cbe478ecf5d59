//! What a layer reads, as kernels take it: signals, their terms, and where the ciphertexts of these are.

use super::memory::Span;
use crate::circuit::{Signal, Wire};
use icicle_error::reserve::with_capacity;
use icicle_error::{Error, ErrorCode, Result};

/// Blocks that signals read, so many of each element: of an operand, or of a layer.
#[derive(Clone, Copy)]
pub(super) enum Blocks<'a> {
    /// Words of ciphertexts.
    Encrypted(Span<'a, u64>),
    /// Values from 0 to 3.
    Clear(Span<'a, u8>),
}

/// A layer, or an operand.
#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    pub(super) blocks: Blocks<'a>,
    /// Blocks of an element.
    pub(super) per: usize,
    /// Outputs of each bootstrap of a layer.
    pub(super) outputs: usize,
}

/// Signals of so many elements, which read no further than their origins reach.
pub(super) struct Wiring<'a> {
    pub(super) words: Vec<u64>,
    /// Words before the terms, and before the signals.
    pub(super) terms: usize,
    pub(super) signals: usize,
    /// Signals of an element, and of all elements.
    pub(super) per_element: usize,
    pub(super) count: usize,
    /// Borrowed as long as kernels are to be enqueued that read it.
    pub(super) _origins: Vec<Origin<'a>>,
}

/// Two words as kernels read them.
fn pair(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

impl<'a> Wiring<'a> {
    /// Signals over operands and, after these, the layers that are done.
    pub(super) fn new<'s>(
        op: &'static str,
        (operands, layers): (&[Origin<'a>], &[Option<Origin<'a>>]),
        signals: impl ExactSizeIterator<Item = &'s Signal> + Clone,
        elements: usize,
        size: usize,
    ) -> Result<Self> {
        let wrong = |what: String| Error::new(ErrorCode::Internal, op, what);
        let terms: usize = signals.clone().map(|signal| signal.terms().len()).sum();
        let sources = operands.len() + layers.len();
        let mut words = with_capacity(op, 3 * sources + 2 * terms + 2 * signals.len())?;
        let mut origins = with_capacity(op, sources)?;
        for origin in operands.iter().map(Some).chain(layers.iter().map(Option::as_ref)) {
            let (address, is_clear) = match origin.map(|origin| origin.blocks) {
                Some(Blocks::Encrypted(of)) => (of.address(), 0),
                Some(Blocks::Clear(of)) => (of.address(), 1),
                None => (0, 0),
            };
            words.extend([address, origin.map_or(0, |origin| origin.per as u64), is_clear]);
            origins.extend(origin.copied());
        }
        let (first_term, mut at) = (words.len(), 0);
        let mut spans = with_capacity(op, 2 * signals.len())?;
        let count = signals.len();
        for signal in signals {
            spans.extend([signal.on_the_torus(), pair(at, at + signal.terms().len() as u32)]);
            at += signal.terms().len() as u32;
            for &(wire, weight) in signal.terms() {
                let (source, origin, offset) = match wire {
                    Wire::Block { operand, block } => {
                        (operand as usize, operands.get(operand as usize), block as usize)
                    }
                    Wire::Output { layer, node, output } => {
                        let origin = layers.get(layer as usize).and_then(Option::as_ref);
                        let outputs = origin.map_or(1, |origin| origin.outputs);
                        (operands.len() + layer as usize, origin, node as usize * outputs + output as usize)
                    }
                };
                let there = origin.map_or(0, |origin| match origin.blocks {
                    Blocks::Encrypted(of) => of.len() / size,
                    Blocks::Clear(of) => of.len(),
                });
                let last = origin.map_or(0, |origin| elements.saturating_sub(1) * origin.per + offset);
                if elements > 0 && last >= there {
                    return Err(wrong(format!("a signal reads block {last} of {there}")));
                }
                words.extend([pair(source as u32, offset as u32), weight as u64]);
            }
        }
        let signals = words.len();
        words.extend(spans);
        Ok(Self { words, terms: first_term, signals, per_element: count, count: count * elements, _origins: origins })
    }

    /// The addresses of the sources, the terms and the signals, where the words lie at one.
    pub(super) fn addresses(&self, words: u64) -> [u64; 3] {
        [0, self.terms, self.signals].map(|at| words + 8 * at as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use icicle_device::Device;
    use icicle_runtime::Buffer;

    #[test]
    fn signals_reach_no_further_than_blocks() {
        let (cpu, size) = (Device::cpu(0), 5);
        let encrypted = Buffer::<u64>::zeroed_on(cpu, 6 * size).unwrap();
        let clear = Buffer::<u8>::zeroed_on(cpu, 4).unwrap();
        let done = Buffer::<u64>::zeroed_on(cpu, 8 * size).unwrap();
        let origin = |blocks, per, outputs| Origin { blocks, per, outputs };
        let operands = [
            origin(Blocks::Encrypted(Span::of(&encrypted, 0..6 * size)), 3, 1),
            origin(Blocks::Clear(Span::of(&clear, 0..4)), 2, 1),
        ];
        let layers = [None, Some(origin(Blocks::Encrypted(Span::of(&done, 0..8 * size)), 4, 2))];
        let signal = |wire| Signal::wire("test", wire, [0, 6]).unwrap();
        let of =
            |signals: &[Signal], elements| Wiring::new("test", (&operands, &layers), signals.iter(), elements, size);
        let output = |layer| Wire::Output { layer, node: 1, output: 1 };
        let signals = [
            signal(Wire::Block { operand: 0, block: 2 }).plus("test", &signal(output(1)), -3).unwrap().offset(1),
            signal(Wire::Block { operand: 1, block: 1 }),
        ];
        let wiring = of(&signals, 2).unwrap();
        assert_eq!((wiring.count, wiring.per_element, wiring.terms, wiring.signals), (4, 2, 12, 18));
        let address = [encrypted.as_ptr(), clear.as_ptr(), done.as_ptr()].map(|at| at as u64);
        let sources = [address[0], 3, 0, address[1], 2, 1, 0, 0, 0, address[2], 4, 0];
        let terms = [pair(0, 2), 1, pair(3, 3), -3i64 as u64, pair(1, 1), 1];
        let spans = [crate::parameters::DELTA, pair(0, 2), 0, pair(2, 3)];
        assert_eq!(wiring.words, [&sources[..], &terms, &spans].concat());
        // One more element than there are blocks for, a block too far, and a layer that is given back.
        for (signals, elements) in [
            (&signals[..], 3),
            (&[signal(Wire::Block { operand: 0, block: 3 })], 2),
            (&[signal(output(0))], 1),
            (&[signal(output(2))], 1),
        ] {
            assert_eq!(of(signals, elements).err().map(|error| error.code), Some(ErrorCode::Internal));
        }
    }
}
