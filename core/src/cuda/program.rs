//! Programs: host side. A program's code is written for the interpreter of `kernels/program/` and travels with the call.
#![allow(unsafe_code)]

use super::call::Call;
use super::scratch::{In, Out, Scratch, finish};
use crate::algebra::Field;
use crate::device::{Exec, Src};
use crate::ops::program::{ExecuteArgs, Opcode, Program};
use crate::{FieldId, Result, with_field};
use bytemuck::{Pod, Zeroable};
use icicle_kernels::launch as plan;

/// `ProgramInstruction` of `kernels/program/machine.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
struct Instruction {
    a: u64,
    b: u64,
    to: u64,
    opcode: u32,
    zero: u32,
}

/// The last result as an operand; nowhere as a target.
const LAST: u64 = 0;

const COPY: u32 = 4;

const fn opcode(of: Opcode) -> u32 {
    match of {
        Opcode::Add => 0,
        Opcode::Sub => 1,
        Opcode::Mul => 2,
        Opcode::Inverse => 3,
    }
}

const fn element(address: u64) -> u64 {
    address | 1
}
const fn register(number: u64) -> u64 {
    number << 2 | 2
}
const fn constant(distance: usize) -> u64 {
    distance as u64 | 3
}

/// A program over every position of its vectors.
pub(super) fn execute(exec: &Exec, args: &ExecuteArgs<'_>) -> Result<()> {
    let (op, program, n) = ("execute_program", args.program, args.n as u64);
    if n == 0 || program.outputs().is_empty() {
        return finish(op, exec);
    }
    let call = Call::of_field(op, exec, args.field)?;
    let read = program.inputs().iter().map(|&i| In::new(op, exec, &args.vectors[i].as_src()));
    let read = read.collect::<Result<Vec<In>>>()?;
    let written = program.outputs().iter().map(|&(i, _)| Out::new(op, exec, &args.vectors[i]));
    let written = written.collect::<Result<Vec<Out>>>()?;
    let addresses = (read.iter().map(In::address).collect(), written.iter().map(Out::address).collect());
    let code = Code::new(program, addresses, call.bytes(1));
    let uploaded = In::new(op, exec, &Src::from(&code.bytes(args.field, program.constants())))?;
    let grid = plan::positions(call.words, n, code.registers, call.sms);
    let threads = u64::from(grid.grid.0) * u64::from(grid.threads);
    let registers = Scratch::new(op, exec, call.bytes(code.registers * threads))?;
    let count = code.instructions.len() as u64;
    // SAFETY: `program(code, registers, n, count)`: the code names vectors of n elements, as the arguments' constructor
    // proved, constants behind itself, and registers of which every thread has its own.
    unsafe { call.launch("program", grid, &[&uploaded.address(), &registers.address(), &n, &count]) }?;
    written.into_iter().try_for_each(|out| out.finish(op, exec))
}

/// A program as the device reads it: instructions, and behind them the constants.
struct Code {
    instructions: Vec<Instruction>,
    /// Registers of a thread.
    registers: u64,
}

impl Code {
    /// The code of a program whose inputs and outputs, in its order, lie at these addresses.
    fn new(program: &Program, (inputs, outputs): (Vec<u64>, Vec<u64>), element_bytes: usize) -> Self {
        let code = program.code();
        let is_input = |slot: u32| (slot as usize) < inputs.len();
        let saves = program.outputs().iter().filter(|&&(_, slot)| is_input(slot)).count();
        let behind = (saves + code.len() + outputs.len()) * size_of::<Instruction>();
        // Where each slot's value is.
        let mut places: Vec<u64> = inputs.iter().map(|&address| element(address)).collect();
        places.extend((0..program.constants().len()).map(|i| constant(behind + i * element_bytes)));
        places.resize(program.slots(), LAST);
        let mut out = Self { instructions: Vec::with_capacity(behind / size_of::<Instruction>()), registers: 0 };
        let mut push = |opcode, a, b, to| out.instructions.push(Instruction { a, b, to, opcode, zero: 0 });
        let mut next_register = || {
            out.registers += 1;
            register(out.registers - 1)
        };
        // Where an output lies may be an input that another output repeats: those are read before anything is written.
        let saved = program.outputs().iter().map(|&(_, slot)| {
            is_input(slot).then(|| {
                let to = next_register();
                push(COPY, places[slot as usize], LAST, to);
                to
            })
        });
        let saved: Vec<Option<u64>> = saved.collect();
        let kept = kept(program);
        let mut last = None;
        for (instruction, kept) in code.iter().zip(kept) {
            let operand = |slot: u32| if Some(slot) == last { LAST } else { places[slot as usize] };
            let (a, b) = (operand(instruction.a), operand(instruction.b));
            let place = &mut places[instruction.to as usize];
            if kept && *place == LAST {
                *place = next_register();
            }
            push(opcode(instruction.opcode), a, b, if kept { *place } else { LAST });
            last = Some(instruction.to);
        }
        // A copy leaves its value where it was, so outputs of the last result come first.
        let mut targets: Vec<_> = program.outputs().iter().zip(saved).zip(outputs).collect();
        targets.sort_by_key(|((&(_, slot), _), _)| Some(slot) != last);
        for ((&(_, slot), saved), address) in targets {
            let from = if Some(slot) == last { LAST } else { saved.unwrap_or(places[slot as usize]) };
            push(COPY, from, LAST, element(address));
        }
        out
    }

    /// What is uploaded: constants in the field's canonical form.
    fn bytes(&self, field: FieldId, constants: &[Box<[u8]>]) -> Vec<u8> {
        let mut out = bytemuck::cast_slice::<_, u8>(&self.instructions).to_vec();
        with_field!(field, F => {
            type Raw = <F as Field>::Raw;
            for bytes in constants {
                let raw: Raw = bytemuck::pod_read_unaligned(&bytes[..size_of::<Raw>()]);
                out.extend_from_slice(bytemuck::bytes_of(&<F as Field>::from_raw(raw).to_raw()));
            }
        });
        out
    }
}

/// Of each instruction, whether its result is read again after the instruction, or the outputs, that follow it.
fn kept(program: &Program) -> Vec<bool> {
    let code = program.code();
    let mut kept = vec![false; code.len()];
    // Slots that are read after the instruction `at + 1`.
    let mut live = vec![false; program.slots()];
    program.outputs().iter().for_each(|&(_, slot)| live[slot as usize] = true);
    for at in (0..code.len().saturating_sub(1)).rev() {
        let next = code[at + 1];
        kept[at] = live[code[at].to as usize] && next.to != code[at].to;
        live[next.to as usize] = false;
        live[next.a as usize] = true;
        live[next.b as usize] = true;
    }
    kept
}
