//! Programs: host side. A program's code is written for the interpreter of `kernels/program/` and travels with the call.
#![allow(unsafe_code)]

use super::call::Call;
use crate::args::program::ExecuteArgs;
use crate::program::compile::{Opcode, Program};
use icicle_algebra::Field;
use icicle_algebra::with_field;
use icicle_cuda::scratch::{In, Out, Scratch, finish};
use icicle_device::{Exec, Src};
use icicle_error::{Result, reserve};
use icicle_kernels::{field, launch as plan};
use icicle_params::FieldId;

const OP: &str = "execute_program";

/// `ProgramInstruction` of `kernels/program/machine.cuh`: two operands, a target, an opcode.
type Instruction = [u64; 4];

/// The last result as an operand; nowhere as a target.
const LAST: u64 = 0;

const COPY: u64 = 4;

const fn opcode(of: Opcode) -> u64 {
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
pub(crate) fn execute(exec: &Exec, args: &ExecuteArgs<'_>) -> Result<()> {
    let (op, program, n) = (OP, args.program, args.n as u64);
    if n == 0 || program.outputs().is_empty() {
        return finish(op, exec);
    }
    let call = Call::of_field(op, exec, args.field)?;
    let mut read = reserve::with_capacity(op, program.inputs().len())?;
    for &i in program.inputs() {
        read.push(In::new(op, exec, &args.vectors[i].as_src())?);
    }
    let mut written = reserve::with_capacity(op, program.outputs().len())?;
    for &(i, _) in program.outputs() {
        written.push(Out::new(op, exec, &args.vectors[i])?);
    }
    let inputs = reserve::collected(op, read.iter().map(In::address))?;
    let outputs = reserve::collected(op, written.iter().map(Out::address))?;
    let code = Code::new(program, (&inputs, &outputs), call.bytes(1))?;
    let uploaded = In::new(op, exec, &Src::from(&code.bytes(args.field, program.constants())?))?;
    let grid = plan::positions(call.words, n, code.registers, call.sms);
    let threads = u64::from(grid.grid.0) * u64::from(grid.threads);
    let registers = Scratch::new(op, exec, call.bytes(code.registers * threads))?;
    let count = code.instructions.len() as u64;
    // SAFETY: `program(code, registers, n, count)`: the code names vectors of n elements, as the arguments' constructor
    // proved, constants behind itself, and registers of which every thread has its own.
    unsafe { call.launch(field::PROGRAM, grid, (uploaded.address(), registers.address(), n, count)) }?;
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
    ///
    /// # Errors
    /// `OutOfMemory`.
    fn new(program: &Program, (inputs, outputs): (&[u64], &[u64]), element_bytes: usize) -> Result<Self> {
        let (op, code) = (OP, program.code());
        let is_input = |slot: u32| (slot as usize) < inputs.len();
        let saves = program.outputs().iter().filter(|&&(_, slot)| is_input(slot)).count();
        let behind = (saves + code.len() + outputs.len()) * size_of::<Instruction>();
        // Where each slot's value is.
        let mut places = reserve::with_capacity(op, program.slots())?;
        places.extend(inputs.iter().map(|&address| element(address)));
        places.extend((0..program.constants().len()).map(|i| constant(behind + i * element_bytes)));
        places.resize(program.slots(), LAST);
        let instructions = reserve::with_capacity(op, behind / size_of::<Instruction>())?;
        let mut out = Self { instructions, registers: 0 };
        let mut push = |opcode, a, b, to| out.instructions.push([a, b, to, opcode]);
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
        let saved = reserve::collected(op, saved)?;
        let kept = kept(program)?;
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
        let mut targets = reserve::collected(op, program.outputs().iter().zip(saved).zip(outputs))?;
        targets.sort_unstable_by_key(|&((&(_, slot), _), _)| Some(slot) != last);
        for ((&(_, slot), saved), &address) in targets {
            let from = if Some(slot) == last { LAST } else { saved.unwrap_or(places[slot as usize]) };
            push(COPY, from, LAST, element(address));
        }
        Ok(out)
    }

    /// What is uploaded: constants in the field's canonical form.
    ///
    /// # Errors
    /// `OutOfMemory`.
    fn bytes(&self, field: FieldId, constants: &[Box<[u8]>]) -> Result<Vec<u8>> {
        let code = bytemuck::cast_slice::<_, u8>(&self.instructions);
        let mut out = reserve::with_capacity(OP, code.len() + constants.len() * field.info().bytes())?;
        out.extend_from_slice(code);
        with_field!(field, F => {
            type Raw = <F as Field>::Raw;
            for bytes in constants {
                let raw: Raw = bytemuck::pod_read_unaligned(&bytes[..size_of::<Raw>()]);
                out.extend_from_slice(bytemuck::bytes_of(&<F as Field>::from_raw(raw).to_raw()));
            }
        });
        Ok(out)
    }
}

/// Of each instruction, whether its result is read again after the instruction, or the outputs, that follow it.
///
/// # Errors
/// `OutOfMemory`.
fn kept(program: &Program) -> Result<Vec<bool>> {
    let code = program.code();
    let mut kept = reserve::filled(OP, code.len(), false)?;
    // Slots that are read after the instruction `at + 1`.
    let mut live = reserve::filled(OP, program.slots(), false)?;
    program.outputs().iter().for_each(|&(_, slot)| live[slot as usize] = true);
    for at in (0..code.len().saturating_sub(1)).rev() {
        let next = code[at + 1];
        kept[at] = live[code[at].to as usize] && next.to != code[at].to;
        live[next.to as usize] = false;
        live[next.a as usize] = true;
        live[next.b as usize] = true;
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::predefined::Predefined;
    use crate::program::symbol::Symbol;
    use icicle_algebra::fields::BabyBearScalar as F;

    /// Parameter `i` lies here.
    fn address(i: usize) -> u64 {
        16 * (i as u64 + 1)
    }

    fn code_of(program: &Program) -> Code {
        let inputs: Vec<u64> = program.inputs().iter().map(|&i| address(i)).collect();
        let outputs: Vec<u64> = program.outputs().iter().map(|&(i, _)| address(i)).collect();
        Code::new(program, (&inputs, &outputs), 4).unwrap()
    }

    fn apply(opcode: u64, a: F, b: F) -> F {
        match opcode {
            0 => a + b,
            1 => a - b,
            2 => a * b,
            3 => a.inverse().unwrap_or_default(),
            _ => a,
        }
    }

    /// What the kernel does at one position.
    fn interpreted(code: &Code, constants: &[F], parameters: &[F]) -> Vec<F> {
        let (mut out, mut last) = (parameters.to_vec(), F::ZERO);
        // Registers hold nonsense until written.
        let mut registers = vec![F::from_u64(0xbad); code.registers as usize];
        let behind = (code.instructions.len() * size_of::<Instruction>()) as u64;
        for &[a, b, to, opcode] in &code.instructions {
            let read = |operand: u64| match operand & 3 {
                0 => last,
                1 => out[(operand / 16 - 1) as usize],
                2 => registers[(operand >> 2) as usize],
                _ => constants[((operand - behind) >> 2) as usize],
            };
            last = apply(opcode, read(a), if opcode < 3 { read(b) } else { F::ZERO });
            match to & 3 {
                0 => assert_eq!(to, LAST),
                1 => out[(to / 16 - 1) as usize] = last,
                2 => registers[(to >> 2) as usize] = last,
                _ => panic!("a constant as a target"),
            }
        }
        out
    }

    /// What the program means.
    fn executed(program: &Program, constants: &[F], parameters: &[F]) -> Vec<F> {
        let mut slots: Vec<F> = program.inputs().iter().map(|&i| parameters[i]).collect();
        slots.extend(constants);
        slots.resize(program.slots(), F::ZERO);
        for i in program.code() {
            slots[i.to as usize] = apply(opcode(i.opcode), slots[i.a as usize], slots[i.b as usize]);
        }
        let mut out = parameters.to_vec();
        program.outputs().iter().for_each(|&(i, slot)| out[i] = slots[slot as usize]);
        out
    }

    fn check(parameters: &[Symbol]) -> Code {
        let program = Program::new(parameters).unwrap();
        let code = code_of(&program);
        let constants: Vec<F> = (0..program.constants().len()).map(|i| F::from_u64(100 + i as u64)).collect();
        let values: Vec<F> = (0..parameters.len()).map(|i| F::from_u64(3 + 7 * i as u64)).collect();
        assert_eq!(interpreted(&code, &constants, &values), executed(&program, &constants, &values));
        code
    }

    #[test]
    fn short_programs_need_no_registers() {
        for (which, instructions) in [(Predefined::AbMinusC, 3), (Predefined::EqTimesAbMinusC, 4)] {
            let code = code_of(&Program::predefined(which));
            assert_eq!((code.instructions.len(), code.registers), (instructions, 0), "{which:?}");
        }
    }

    #[test]
    fn code_means_what_the_program_means() {
        let [x, y, z]: [Symbol; 3] = std::array::from_fn(Symbol::input);
        let c = Symbol::constant(&[9, 0, 0, 0]);
        let sum = &x + &y;
        let square = &sum * &sum;
        // Rotated; a constant; one value twice; an input beside what is computed from it; inverses of shared values.
        check(&[y.clone(), z.clone(), x.clone()]);
        check(&[c.clone(), y.clone(), x.clone()]);
        check(&[square.clone(), square.clone(), y.clone()]);
        check(&[y.clone(), &(&square - &x) * &c, &square + &sum.inverse()]);
        check(&[&sum - &square, sum.clone(), &(&square * &sum) + &(&z * &c)]);
        let tree = (0..5).fold(vec![x, y, z, c], |level, _| {
            let next = |i: usize| &(&level[i] * &level[(i + 1) % 4]) - &level[(i + 2) % 4];
            (0..4).map(next).collect()
        });
        assert!(check(&tree).registers > 3);
    }

    #[test]
    fn random_programs_mean_the_same() {
        let mut state = 1u64;
        let mut below = |n: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % n as u64) as usize
        };
        for _ in 0..300 {
            let mut values: Vec<Symbol> = (0..4).map(Symbol::input).collect();
            values.extend((0..2).map(|i| Symbol::constant(&[i; 4])));
            for _ in 0..below(40) {
                let (a, b) = (values[below(values.len())].clone(), values[below(values.len())].clone());
                values.push(match below(7) {
                    0 => a.inverse(),
                    1 | 2 => &a + &b,
                    3 | 4 => &a - &b,
                    _ => &a * &b,
                });
            }
            let parameters: Vec<Symbol> = (0..4).map(|_| values[below(values.len())].clone()).collect();
            check(&parameters);
        }
    }

    #[test]
    fn constants_are_canonical_and_behind_the_code() {
        let p = [&Symbol::input(0) * &Symbol::constant(&[0xff; 16])];
        let program = Program::new(&p).unwrap();
        let code = code_of(&program);
        let bytes = code.bytes(FieldId::BabyBearScalar, program.constants()).unwrap();
        let behind = code.instructions.len() * size_of::<Instruction>();
        assert_eq!(code.instructions[0][1] & !3, behind as u64);
        assert_eq!(bytes[behind..], (u32::MAX % 2_013_265_921).to_le_bytes());
    }
}
