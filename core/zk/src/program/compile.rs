//! From circuits to straight-line code over a small file of slots.

use super::predefined::Predefined;
use super::symbol::{Kind, Node, Symbol};
use icicle_error::reserve::{collected, filled, push, refused, with_capacity};
use icicle_error::{Error, Result};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// What an instruction computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Opcode {
    Add,
    Sub,
    Mul,
    /// `1/a`, zero of zero; `b` is `a`.
    Inverse,
}

/// `to = a ∘ b` over slots. `to` is a register, and neither `a` nor `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the formula says it
pub struct Instruction {
    pub opcode: Opcode,
    pub a: u32,
    pub b: u32,
    pub to: u32,
}

/// Code that gives new values to some of its parameters.
///
/// Slots are numbered: first the inputs it reads, then its constants, then registers. Each value is computed once, and
/// none that no parameter needs.
#[derive(Clone, Debug, Default)]
pub struct Program {
    parameters: usize,
    inputs: Vec<usize>,
    constants: Vec<Box<[u8]>>,
    registers: usize,
    code: Vec<Instruction>,
    outputs: Vec<(usize, u32)>,
    degree: i64,
}

const OP: &str = "generate_program";

impl Program {
    /// A program from its parameters' new values; a parameter whose symbol is its own input keeps its value.
    ///
    /// # Errors
    /// `InvalidArgument` without parameters, or if a symbol depends on an input that is no parameter; `OutOfMemory`.
    pub fn new(parameters: &[Symbol]) -> Result<Self> {
        Self::compile(parameters, Assignment::AtOnce)
    }

    /// As [`Program::new`], but parameters get their new values one after another, as ICICLE's programs do: where a symbol
    /// names an input whose parameter comes before its own and has been given a new value, it reads that one. A value
    /// already computed for an earlier parameter stays as it is.
    ///
    /// # Errors
    /// As [`Program::new`].
    pub fn in_order(parameters: &[Symbol]) -> Result<Self> {
        Self::compile(parameters, Assignment::InOrder)
    }

    fn compile(parameters: &[Symbol], assignment: Assignment) -> Result<Self> {
        let last = parameters.last().ok_or_else(|| Error::argument(OP, "no parameters: need at least 1"))?;
        let mut compiler = Compiler { parameters: parameters.len(), ..Compiler::default() };
        compiler.schedule(parameters, assignment)?;
        let mut program = compiler.allocate()?;
        program.degree = last.degree();
        Ok(program)
    }

    /// A program that computes one value from its inputs, ICICLE's `ReturningValueProgram`: `parameters` are the inputs
    /// and, last, the value returned; executing it takes as many vectors and overwrites the last. As the generated C
    /// wrapper of ICICLE passes the inputs' symbols along, an input that was given a new symbol is overwritten too.
    ///
    /// # Errors
    /// As [`Program::new`].
    pub fn returning(parameters: &[Symbol]) -> Result<Self> {
        Self::new(parameters)
    }

    /// A circuit known by number. Its parameters are the inputs `a, b, c` (and `eq`), and last the result.
    pub fn predefined(which: Predefined) -> Self {
        // Its symbols depend on its own parameters only.
        Self::new(&which.parameters()).unwrap_or_default()
    }

    /// As [`Program::predefined`], which already returns a value.
    pub fn returning_predefined(which: Predefined) -> Self {
        Self::predefined(which)
    }

    /// Number of parameters, of vectors in an execution.
    pub fn parameters(&self) -> usize {
        self.parameters
    }
    /// Degree of the last parameter's value (of the returned one) as a polynomial in the inputs, before cancellation; −1
    /// if an inverse takes part.
    pub fn degree(&self) -> i64 {
        self.degree
    }
    /// Parameters it reads: what the first slots hold.
    pub fn inputs(&self) -> &[usize] {
        &self.inputs
    }
    /// Constants, in the slots after the inputs.
    pub fn constants(&self) -> &[Box<[u8]>] {
        &self.constants
    }
    /// Slots in all.
    pub fn slots(&self) -> usize {
        self.inputs.len() + self.constants.len() + self.registers
    }
    /// The code.
    pub fn code(&self) -> &[Instruction] {
        &self.code
    }
    /// Parameters it changes, each with the slot of its new value.
    pub fn outputs(&self) -> &[(usize, u32)] {
        &self.outputs
    }
}

/// Insert into a map.
fn insert<K: Eq + Hash, V>(map: &mut HashMap<K, V>, key: K, value: V) -> Result<()> {
    map.try_reserve(1).map_err(|_| refused(OP, map.len() + 1, size_of::<(K, V)>()))?;
    map.insert(key, value);
    Ok(())
}

/// When parameters get their new values.
#[derive(Clone, Copy, PartialEq)]
enum Assignment {
    /// All at the end: every symbol sees the old values.
    AtOnce,
    /// Each before the next parameter's value is computed.
    InOrder,
}

/// A value's number in the order of computation, or its place among inputs or constants.
#[derive(Clone, Copy)]
enum Value {
    Input(u32),
    Constant(u32),
    Computed(u32),
}

/// A computation.
struct Step {
    opcode: Opcode,
    a: Value,
    b: Value,
}

#[derive(Default)]
struct Compiler<'s> {
    parameters: usize,
    /// Values of constants and results; those of inputs change.
    values: HashMap<*const Node, Value>,
    inputs: Vec<usize>,
    /// The value each parameter has now, where it is needed or was assigned.
    current: HashMap<usize, Value>,
    constants: Vec<&'s [u8]>,
    constant_slots: HashMap<&'s [u8], u32>,
    /// What is computed, operands before results.
    steps: Vec<Step>,
    outputs: Vec<(usize, Value)>,
}

impl<'s> Compiler<'s> {
    fn value(&self, symbol: &Symbol) -> Option<Value> {
        match symbol.0.kind {
            Kind::Input(i) => self.current.get(&i).copied(),
            _ => self.values.get(&Arc::as_ptr(&symbol.0)).copied(),
        }
    }

    /// Put everything the changed parameters need in order, depth first, without recursion.
    fn schedule(&mut self, parameters: &'s [Symbol], assignment: Assignment) -> Result<()> {
        let mut stack: Vec<&'s Symbol> = Vec::new();
        for (i, symbol) in parameters.iter().enumerate().filter(|(i, s)| !s.is_input(*i)) {
            push(OP, &mut stack, symbol)?;
            while let Some(&top) = stack.last() {
                let operands = match self.value(top) {
                    Some(_) => [None, None],
                    None => top.0.kind.operands(),
                };
                let [first, second] = operands.map(|o| o.filter(|s| self.value(s).is_none()));
                let next = match (first, second) {
                    (None, None) => {
                        stack.pop();
                        self.place(top)?;
                        continue;
                    }
                    (Some(a), Some(b)) if b.0.need <= a.0.need => a,
                    (Some(next), None) | (_, Some(next)) => next,
                };
                push(OP, &mut stack, next)?;
            }
            let value = self.place(symbol)?;
            push(OP, &mut self.outputs, (i, value))?;
            if assignment == Assignment::InOrder {
                insert(&mut self.current, i, value)?;
            }
        }
        Ok(())
    }

    /// The value of a symbol whose operands have theirs.
    fn place(&mut self, symbol: &'s Symbol) -> Result<Value> {
        if let Some(value) = self.value(symbol) {
            return Ok(value);
        }
        let value = match &symbol.0.kind {
            Kind::Input(i) if *i >= self.parameters => {
                return Err(Error::argument(OP, format!("input {i}: the program has {} parameters", self.parameters)));
            }
            Kind::Input(i) => {
                push(OP, &mut self.inputs, *i)?;
                let value = Value::Input(self.inputs.len() as u32 - 1);
                insert(&mut self.current, *i, value)?;
                return Ok(value);
            }
            Kind::Constant(bytes) => self.constant(bytes)?,
            Kind::Add(a, b) => self.step(Opcode::Add, a, b)?,
            Kind::Sub(a, b) => self.step(Opcode::Sub, a, b)?,
            Kind::Mul(a, b) => self.step(Opcode::Mul, a, b)?,
            Kind::Inverse(a) => self.step(Opcode::Inverse, a, a)?,
        };
        insert(&mut self.values, Arc::as_ptr(&symbol.0), value)?;
        Ok(value)
    }

    /// Equal constants are one.
    fn constant(&mut self, bytes: &'s [u8]) -> Result<Value> {
        if let Some(&place) = self.constant_slots.get(bytes) {
            return Ok(Value::Constant(place));
        }
        let place = self.constants.len() as u32;
        push(OP, &mut self.constants, bytes)?;
        insert(&mut self.constant_slots, bytes, place)?;
        Ok(Value::Constant(place))
    }

    fn step(&mut self, opcode: Opcode, a: &'s Symbol, b: &'s Symbol) -> Result<Value> {
        let (a, b) = (self.place(a)?, self.place(b)?);
        push(OP, &mut self.steps, Step { opcode, a, b })?;
        Ok(Value::Computed(self.steps.len() as u32 - 1))
    }

    /// When each computed value is used last; outputs are used at the end.
    fn last_uses(&self) -> Result<Vec<usize>> {
        let mut last = filled(OP, self.steps.len(), 0)?;
        let mut use_at = |value: Value, at: usize| {
            if let Value::Computed(i) = value {
                last[i as usize] = at;
            }
        };
        for (at, step) in self.steps.iter().enumerate() {
            use_at(step.a, at);
            use_at(step.b, at);
        }
        self.outputs.iter().for_each(|&(_, value)| use_at(value, usize::MAX));
        Ok(last)
    }

    /// Give computed values registers, each free again after its value's last use.
    fn allocate(self) -> Result<Program> {
        let last = self.last_uses()?;
        let first_constant = self.inputs.len() as u32;
        let first_register = first_constant + self.constants.len() as u32;
        let mut register = filled(OP, self.steps.len(), 0u32)?;
        let (mut free, mut registers) = (Vec::new(), 0u32);
        let mut code = with_capacity(OP, self.steps.len())?;
        let slot = |value: Value, register: &[u32]| match value {
            Value::Input(i) => i,
            Value::Constant(i) => first_constant + i,
            Value::Computed(i) => first_register + register[i as usize],
        };
        for (at, step) in self.steps.iter().enumerate() {
            let (a, b) = (slot(step.a, &register), slot(step.b, &register));
            register[at] = free.pop().unwrap_or_else(|| {
                registers += 1;
                registers - 1
            });
            code.push(Instruction { opcode: step.opcode, a, b, to: first_register + register[at] });
            let operands = if a == b { [Some(step.a), None] } else { [Some(step.a), Some(step.b)] };
            for operand in operands.into_iter().flatten() {
                if let Value::Computed(i) = operand
                    && last[i as usize] == at
                {
                    push(OP, &mut free, register[i as usize])?;
                }
            }
        }
        let outputs = collected(OP, self.outputs.iter().map(|&(i, value)| (i, slot(value, &register))))?;
        let mut constants = with_capacity(OP, self.constants.len())?;
        for bytes in self.constants {
            constants.push(collected(OP, bytes.iter().copied())?.into());
        }
        let (parameters, inputs, registers) = (self.parameters, self.inputs, registers as usize);
        Ok(Program { parameters, inputs, constants, registers, code, outputs, degree: 0 })
    }
}
