//! Programs on the CPU: each instruction runs over a block of positions, and the slots of a block stay in the cache.

use super::blocks::{Block, Work, for_ranges};
use super::memory::{In, Out};
use super::wide::{Kernel, widest};
use crate::algebra::{Field, batch};
use crate::ops::program::{ExecuteArgs, Instruction, Opcode, Program};
use crate::{Result, with_field};
use std::ops::Range;

pub(crate) fn execute(args: &ExecuteArgs) -> Result<()> {
    with_field!(args.field, F => {
        if prefers_working_form(args.program) {
            run::<F, true>(args)
        } else {
            run::<F, false>(args)
        }
    });
    Ok(())
}

/// Whether converting inputs and outputs costs less than a second product for each product.
fn prefers_working_form(program: &Program) -> bool {
    let count = |opcode: Opcode| program.code().iter().filter(|i| i.opcode == opcode).count();
    program.inputs().len() + program.outputs().len() < count(Opcode::Mul) + count(Opcode::Inverse)
}

/// Execution of a range of positions. With `W` slots hold working forms, else limbs as they are.
struct Machine<'m, F: Field, const W: bool> {
    program: &'m Program,
    inputs: &'m [In<'m, F::Raw>],
    outputs: &'m [Out<'m, F::Raw>],
    range: Range<usize>,
}

fn run<F: Field, const W: bool>(args: &ExecuteArgs) {
    let program = args.program;
    let inputs: Vec<In<F::Raw>> = program.inputs().iter().map(|&i| In::new(&args.vectors[i].as_src())).collect();
    let outputs: Vec<Out<F::Raw>> = program.outputs().iter().map(|&(i, _)| Out::new(&args.vectors[i])).collect();
    let (inputs, outputs) = (inputs.as_slice(), outputs.as_slice());
    for_ranges(args.n, size_of::<F::Raw>(), Work::Heavy, |range| {
        widest(Machine::<F, W> { program, inputs, outputs, range });
    });
}

impl<F: Field, const W: bool> Machine<'_, F, W> {
    #[inline(always)]
    fn load(raw: F::Raw) -> F {
        if W { F::from_raw(raw) } else { F::from_limbs(raw) }
    }

    /// A slot for each input, constant and register; constants are filled once.
    fn file(&self, len: usize) -> Vec<Vec<F>> {
        let mut file = vec![vec![F::ZERO; len]; self.program.slots()];
        for (slot, bytes) in file[self.inputs.len()..].iter_mut().zip(self.program.constants()) {
            let raw = bytemuck::pod_read_unaligned(&bytes[..size_of::<F::Raw>()]);
            slot.fill(Self::load(F::from_raw(raw).to_raw()));
        }
        file
    }

    #[inline(always)]
    fn step(file: &mut [Vec<F>], i: &Instruction, k: usize, before: &mut Vec<F>) {
        // The target is neither operand, so it can be taken out of the file meanwhile.
        let mut target = std::mem::take(&mut file[i.to as usize]);
        let (to, a, b) = (&mut target[..k], &file[i.a as usize][..k], &file[i.b as usize][..k]);
        match i.opcode {
            Opcode::Add => to.iter_mut().zip(a).zip(b).for_each(|((to, &a), &b)| *to = a + b),
            Opcode::Sub => to.iter_mut().zip(a).zip(b).for_each(|((to, &a), &b)| *to = a - b),
            Opcode::Mul if W => to.iter_mut().zip(a).zip(b).for_each(|((to, &a), &b)| *to = a * b),
            Opcode::Mul => {
                let products = to.iter_mut().zip(a).zip(b);
                products.for_each(|((to, &a), &b)| *to = a * F::from_raw(b.to_limbs()));
            }
            Opcode::Inverse => {
                to.copy_from_slice(a);
                // As of vectors: limbs x stand for x/R.
                let factor = if W { F::ONE } else { F::from_limbs(F::ONE.to_raw()).square() };
                batch::invert_times(to, factor, before);
            }
        }
        file[i.to as usize] = target;
    }
}

impl<F: Field, const W: bool> Kernel for Machine<'_, F, W> {
    const VECTORS: bool = F::VECTORS;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let mut block = Block::new();
        let raws = block.of::<F::Raw>();
        let mut file = self.file(raws.len().min(self.range.len()));
        let mut before = Vec::new();
        let mut start = self.range.start;
        while start < self.range.end {
            let k = raws.len().min(self.range.end - start);
            let raws = &mut raws[..k];
            for (input, slot) in self.inputs.iter().zip(file.iter_mut()) {
                input.read(start, raws);
                slot.iter_mut().zip(raws.iter()).for_each(|(x, &raw)| *x = Self::load(raw));
            }
            for instruction in self.program.code() {
                Self::step(&mut file, instruction, k, &mut before);
            }
            for (output, &(_, slot)) in self.outputs.iter().zip(self.program.outputs()) {
                for (raw, &x) in raws.iter_mut().zip(&file[slot as usize]) {
                    *raw = if W { x.to_raw() } else { x.to_limbs() };
                }
                output.write(start, raws);
            }
            start += k;
        }
    }
}
