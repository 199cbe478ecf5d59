//! Programs on the CPU: each instruction runs over a block of positions, and the slots of a block stay in the cache.

use crate::args::program::ExecuteArgs;
use crate::program::compile::{Instruction, Opcode, Program};
use icicle_algebra::with_field;
use icicle_algebra::{Field, batch};
use icicle_cpu::blocks::{Block, Work, for_ranges, ranges};
use icicle_cpu::dispatch::{Kernel, widest};
use icicle_cpu::memory::{In, Out};
use icicle_cpu::scratch::PerThread;
use icicle_device::Exec;
use icicle_error::Result;
use icicle_error::reserve::{collected, filled, with_capacity};
use std::ops::Range;

pub(crate) fn execute(_: &Exec, args: &ExecuteArgs) -> Result<()> {
    with_field!(args.field, F => {
        if prefers_working_form(args.program) {
            run::<F, true>(args)
        } else {
            run::<F, false>(args)
        }
    })
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
    file: &'m mut File<F>,
}

/// The slots of a block of positions.
struct File<F> {
    /// One for each input, constant and register.
    slots: Vec<Vec<F>>,
    /// What an inversion keeps.
    before: Vec<F>,
}

impl<F: Field> File<F> {
    /// For blocks of up to `len` positions; constants are filled, once for all tasks.
    fn new(program: &Program, len: usize, load: fn(F::Raw) -> F) -> Result<Self> {
        let mut slots = with_capacity(OP, program.slots())?;
        for _ in 0..program.slots() {
            slots.push(filled(OP, len, F::ZERO)?);
        }
        for (slot, bytes) in slots[program.inputs().len()..].iter_mut().zip(program.constants()) {
            let raw = bytemuck::pod_read_unaligned(&bytes[..size_of::<F::Raw>()]);
            slot.fill(load(F::from_raw(raw).to_raw()));
        }
        let inverts = program.code().iter().any(|i| i.opcode == Opcode::Inverse);
        Ok(Self { slots, before: with_capacity(OP, if inverts { len } else { 0 })? })
    }
}

const OP: &str = "execute_program";

fn run<F: Field, const W: bool>(args: &ExecuteArgs) -> Result<()> {
    let (program, size) = (args.program, size_of::<F::Raw>());
    let inputs = program.inputs().iter().map(|&i| In::<F::Raw>::new(&args.vectors[i].as_src()));
    let outputs = program.outputs().iter().map(|&(i, _)| Out::<F::Raw>::new(&args.vectors[i]));
    let (inputs, outputs) = (collected(OP, inputs)?, collected(OP, outputs)?);
    let len = Block::len::<F::Raw>().min(args.n);
    let tasks = ranges(args.n, size, Work::Heavy);
    let files = PerThread::new(OP, tasks, || File::new(program, len, Machine::<F, W>::load))?;
    for_ranges(args.n, size, Work::Heavy, |range| {
        files.lend(|file| widest(Machine::<F, W> { program, inputs: &inputs, outputs: &outputs, range, file }));
    });
    Ok(())
}

impl<F: Field, const W: bool> Machine<'_, F, W> {
    #[inline(always)]
    fn load(raw: F::Raw) -> F {
        if W { F::from_raw(raw) } else { F::from_limbs(raw) }
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
        let mut block = Block::default();
        let raws = block.of::<F::Raw>();
        let File { slots, before } = self.file;
        let mut start = self.range.start;
        while start < self.range.end {
            let k = raws.len().min(self.range.end - start);
            let raws = &mut raws[..k];
            for (input, slot) in self.inputs.iter().zip(slots.iter_mut()) {
                input.read(start, raws);
                slot.iter_mut().zip(raws.iter()).for_each(|(x, &raw)| *x = Self::load(raw));
            }
            for instruction in self.program.code() {
                Self::step(slots, instruction, k, before);
            }
            for (output, &(_, slot)) in self.outputs.iter().zip(self.program.outputs()) {
                for (raw, &x) in raws.iter_mut().zip(&slots[slot as usize]) {
                    *raw = if W { x.to_raw() } else { x.to_limbs() };
                }
                output.write(start, raws);
            }
            start += k;
        }
    }
}
