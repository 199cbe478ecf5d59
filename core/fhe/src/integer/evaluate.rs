//! From an operation's arguments to its results: operands with too much noise are bootstrapped first, then the circuit runs.

use super::operand::{Argument, noisiest};
use super::{FheBool, FheUint};
use crate::ciphertexts::Ciphertexts;
use crate::circuit::{Build, Circuit, Evaluator, Input, Noise, Polarity, Source, Task, shares};
use crate::parameters::MESSAGES;
use icicle_error::Result;
use icicle_error::reserve::collected;
use std::ops::Range;

/// An operation that is about to run.
pub(crate) struct Operation<'a> {
    pub(crate) op: &'static str,
    pub(crate) elements: usize,
    /// Integers of an operand that make up an element: 1, but for sums.
    pub(crate) integers: usize,
    /// Whether elements have circuits of their own.
    pub(crate) distinct: bool,
    pub(crate) build: Build<'a>,
}

/// Ciphertexts that a circuit computed, and their noise.
pub(crate) struct Results {
    pub(crate) blocks: Ciphertexts,
    norm2: u32,
    polarity: Polarity,
    repeats: bool,
}

impl Results {
    /// As integers.
    pub(crate) fn integers(self, bits: u32) -> FheUint {
        let Self { blocks, norm2, polarity, repeats } = self;
        FheUint { blocks, bits, norm2, polarity, repeats }
    }

    /// As truth values.
    pub(crate) fn bools(self) -> FheBool {
        let Self { blocks, polarity, repeats, .. } = self;
        FheBool { blocks, polarity, repeats }
    }
}

/// Run an operation.
pub(crate) fn evaluate(
    keys: &dyn Evaluator,
    operation: &Operation<'_>,
    mut arguments: Vec<Argument<'_>>,
) -> Result<Results> {
    let &Operation { op, elements, integers, distinct, build } = operation;
    let max_norm2 = keys.key().parameters.max_norm2;
    let (noise, checked) = loop {
        let noise: Vec<Noise> = collected(op, arguments.iter().map(|argument| argument.noise(integers)))?;
        match (checked(operation, keys.threads(), &Circuit::new(op, max_norm2, &noise)), noisiest(&arguments)) {
            (Ok(checked), _) => break (noise, checked),
            (Err(error), None) => return Err(error),
            (Err(_), Some(at)) => {
                if let Argument::Integers(x) = arguments[at] {
                    arguments[at] = Argument::Refreshed(refreshed(keys, op, x)?);
                }
            }
        }
    };
    let (outputs, norm2, passed_on) = checked;
    let inputs: Vec<Input<'_>> = collected(op, arguments.iter().map(|argument| argument.input(integers)))?;
    let task = Task { op, elements, inputs: &inputs, operands: &noise, outputs, distinct, build };
    Ok(Results {
        blocks: keys.evaluate(&task)?,
        norm2,
        polarity: passed_on.unwrap_or(Polarity::Plain),
        repeats: passed_on.is_some() && arguments.iter().any(Argument::repeats),
    })
}

/// Of all circuits of an operation: results of an element, their most noise, and how operands' noise is in them.
fn checked(
    &Operation { elements, distinct, build, .. }: &Operation<'_>,
    threads: usize,
    blank: &Circuit<'_>,
) -> Result<(usize, u32, Option<Polarity>)> {
    let mut all = (0, 0, None);
    for share in shares(elements, threads, distinct) {
        let circuit = build(blank, &share)?;
        let (norm2, passed_on) = circuit.output_noise();
        let outputs = if distinct { circuit.outputs() / share.range.len().max(1) } else { circuit.outputs() };
        let polarity = [all.2, passed_on].into_iter().flatten().reduce(Polarity::joined);
        all = (outputs, norm2.max(all.1), polarity);
    }
    Ok(all)
}

/// The same integers, each block bootstrapped.
pub(crate) fn refreshed(keys: &dyn Evaluator, op: &'static str, x: &FheUint) -> Result<FheUint> {
    map_blocks(keys, op, x, &|value| value % MESSAGES as i64)
}

/// A function applied to each block.
pub(crate) fn map_blocks(
    keys: &dyn Evaluator,
    op: &'static str,
    x: &FheUint,
    f: &(dyn Fn(i64) -> i64 + Sync),
) -> Result<FheUint> {
    let per = x.per_integer();
    let each = |circuit: &mut Circuit<'_>| {
        for at in 0..per {
            let block = circuit.block(0, at)?;
            let mapped = circuit.lut(&block, f)?;
            circuit.output(mapped)?;
        }
        Ok(())
    };
    Ok(evaluate_each(keys, op, x.len(), vec![Argument::Integers(x)], &each)?.integers(x.bits))
}

/// Run an operation whose elements are integers or truth values that share one circuit, which `each` fills.
pub(crate) fn evaluate_each(
    keys: &dyn Evaluator,
    op: &'static str,
    elements: usize,
    arguments: Vec<Argument<'_>>,
    each: &(dyn Fn(&mut Circuit<'_>) -> Result<()> + Sync),
) -> Result<Results> {
    let build: Build<'_> = &|blank, _| {
        let mut circuit = blank.blank();
        each(&mut circuit)?;
        Ok(circuit)
    };
    evaluate(keys, &elementwise(op, elements, build), arguments)
}

/// Some of the blocks of each element, which has so many.
pub(crate) fn picked(
    keys: &dyn Evaluator,
    op: &'static str,
    from: &Ciphertexts,
    per: usize,
    blocks: Range<usize>,
) -> Result<Ciphertexts> {
    let build: Build<'_> = &|blank, _| {
        let mut circuit = blank.blank();
        for at in blocks.clone() {
            let block = circuit.block(0, at)?;
            circuit.output(block)?;
        }
        Ok(circuit)
    };
    let operands = [Noise { norm2: 1, polarity: Polarity::Plain, repeats: false, high: MESSAGES as i64 - 1 }];
    let inputs = [Input { source: Source::Encrypted(from), per }];
    let elements = from.count() / per;
    keys.evaluate(&Task {
        op,
        elements,
        inputs: &inputs,
        operands: &operands,
        outputs: blocks.len(),
        distinct: false,
        build,
    })
}

/// An operation whose elements are integers and share one circuit.
pub(crate) fn elementwise<'a>(op: &'static str, elements: usize, build: Build<'a>) -> Operation<'a> {
    Operation { op, elements, integers: 1, distinct: false, build }
}
