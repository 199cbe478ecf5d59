//! Signals: what flows between bootstraps, integer combinations of blocks of operands and of bootstraps' outputs.

use crate::parameters::DELTA;
use icicle_error::Result;
use icicle_error::reserve::{collected, with_capacity};

/// A ciphertext that a circuit reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wire {
    /// A block of an operand's element.
    Block { operand: u32, block: u32 },
    /// An output of a bootstrap of a layer.
    Output { layer: u32, node: u32, output: u32 },
}

/// A combination of wires and a constant, and what values it can have.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    /// Wires and their weights, in the order of wires, each once and none 0.
    pub(super) terms: Vec<(Wire, i64)>,
    /// On the torus.
    pub(super) constant: u64,
    /// The least and the largest value, in halves of a message.
    range: [i64; 2],
}

impl Signal {
    /// A number of messages.
    pub(crate) fn constant(messages: i64) -> Self {
        Self { terms: Vec::new(), constant: DELTA.wrapping_mul(messages as u64), range: [2 * messages; 2] }
    }

    /// A constant on the torus, a multiple of half a message.
    pub(super) fn on_torus(value: u64) -> Self {
        Self { terms: Vec::new(), constant: value, range: [halves(value); 2] }
    }

    /// One wire, whose values lie in a range of halves of a message.
    pub(crate) fn wire(op: &'static str, wire: Wire, range: [i64; 2]) -> Result<Self> {
        let mut terms = with_capacity(op, 1)?;
        terms.push((wire, 1));
        Ok(Self { terms, constant: 0, range })
    }

    /// A copy.
    pub(crate) fn copied(&self, op: &'static str) -> Result<Self> {
        Ok(Self { terms: collected(op, self.terms.iter().copied())?, ..*self })
    }

    /// The sum of this and a multiple of another.
    pub(crate) fn plus(&self, op: &'static str, other: &Self, times: i64) -> Result<Self> {
        let mut terms = with_capacity(op, self.terms.len() + other.terms.len())?;
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let (wire, weight) = match (a.peek(), b.peek()) {
                (Some(x), Some(y)) if x.0 == y.0 => (x.0, x.1 + times * y.1),
                (Some(x), Some(y)) if x.0 < y.0 => (x.0, x.1),
                (Some(x), None) => (x.0, x.1),
                (_, Some(y)) => (y.0, times * y.1),
                (None, None) => break,
            };
            a.next_if(|x| x.0 == wire);
            b.next_if(|y| y.0 == wire);
            if weight != 0 {
                terms.push((wire, weight));
            }
        }
        let [low, high] = if times < 0 { [other.range[1], other.range[0]] } else { other.range };
        let range = [self.range[0] + times * low, self.range[1] + times * high];
        Ok(Self { terms, constant: self.constant.wrapping_add(other.constant.wrapping_mul(times as u64)), range })
    }

    /// This and a number of messages.
    pub(crate) fn offset(mut self, messages: i64) -> Self {
        self.constant = self.constant.wrapping_add(DELTA.wrapping_mul(messages as u64));
        self.range = self.range.map(|bound| bound + 2 * messages);
        self
    }

    /// This and half a message.
    pub(crate) fn half_more(mut self) -> Self {
        self.constant = self.constant.wrapping_add(DELTA / 2);
        self.range = self.range.map(|bound| bound + 1);
        self
    }

    /// The same, where a range is known that its terms do not tell: whole messages.
    pub(crate) fn within(mut self, low: i64, high: i64) -> Self {
        self.range = [2 * low, 2 * high];
        self
    }

    /// The least and the largest value, in halves of a message.
    pub(super) fn range(&self) -> [i64; 2] {
        self.range
    }

    /// The largest number of messages it can be.
    pub(crate) fn high(&self) -> i64 {
        self.range[1] / 2
    }

    /// Wires and their weights.
    #[cfg(feature = "cuda")]
    pub(crate) fn terms(&self) -> &[(Wire, i64)] {
        &self.terms
    }

    /// The constant, as an element of the torus.
    #[cfg(feature = "cuda")]
    pub(crate) fn on_the_torus(&self) -> u64 {
        self.constant
    }

    /// The value, if it is the same whatever the operands.
    pub(crate) fn known(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.range[0] / 2)
    }

    /// Whether it is one wire as it is.
    pub(crate) fn is_wire(&self) -> bool {
        self.constant == 0 && matches!(self.terms[..], [(_, 1)])
    }

    /// The same, of bootstraps that have new places in their layers.
    pub(super) fn renumber(&mut self, places: &[Vec<u32>]) {
        for (wire, _) in &mut self.terms {
            if let Wire::Output { layer, node, .. } = wire {
                *node = places[*layer as usize][*node as usize];
            }
        }
    }

    /// The first layer that can read it.
    pub(crate) fn layer(&self) -> usize {
        let layers = self.terms.iter().map(|(wire, _)| match wire {
            Wire::Block { .. } => 0,
            Wire::Output { layer, .. } => *layer as usize + 1,
        });
        layers.max().unwrap_or(0)
    }
}

/// A torus element, a multiple of half a message, as a number of these: above -32, up to 32, which is the same as -32.
pub(super) fn halves(value: u64) -> i64 {
    match value as i64 / (DELTA / 2) as i64 {
        -32 => 32,
        halves => halves,
    }
}
