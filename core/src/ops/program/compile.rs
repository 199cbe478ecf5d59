//! From circuits to straight-line code over a small file of slots.

use super::symbol::{Kind, Node, Symbol};
use super::{Error, Predefined, Result};
use std::collections::HashMap;
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
    /// `InvalidArgument` without parameters, or if a symbol depends on an input that is no parameter.
    pub fn new(parameters: &[Symbol]) -> Result<Self> {
        let last = parameters.last().ok_or_else(|| Error::argument(OP, "no parameters: need at least 1"))?;
        let mut compiler = Compiler { parameters: parameters.len(), ..Compiler::default() };
        compiler.schedule(parameters)?;
        let mut program = compiler.allocate(parameters);
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

/// A node's number in the order of computation, or its place among inputs or constants.
#[derive(Clone, Copy)]
enum Value {
    Input(u32),
    Constant(u32),
    Computed(u32),
}

#[derive(Default)]
struct Compiler<'s> {
    parameters: usize,
    values: HashMap<*const Node, Value>,
    inputs: Vec<usize>,
    input_slots: HashMap<usize, u32>,
    constants: Vec<&'s [u8]>,
    constant_slots: HashMap<&'s [u8], u32>,
    /// Nodes to compute, operands before results.
    order: Vec<&'s Node>,
}

impl<'s> Compiler<'s> {
    fn value(&self, symbol: &Symbol) -> Option<Value> {
        self.values.get(&Arc::as_ptr(&symbol.0)).copied()
    }

    /// Put everything the changed parameters need in order, depth first, without recursion.
    fn schedule(&mut self, parameters: &'s [Symbol]) -> Result<()> {
        let mut stack: Vec<&'s Symbol> = Vec::new();
        for (_, symbol) in parameters.iter().enumerate().filter(|(i, s)| !s.is_input(*i)) {
            stack.push(symbol);
            while let Some(&top) = stack.last() {
                let operands = top.0.kind.operands();
                let [first, second] = operands.map(|o| o.filter(|s| self.value(s).is_none()));
                match (first, second) {
                    (None, None) => {
                        stack.pop();
                        self.place(top)?;
                    }
                    (Some(a), Some(b)) => stack.push(if b.0.need > a.0.need { b } else { a }),
                    (Some(next), None) | (None, Some(next)) => stack.push(next),
                }
            }
        }
        Ok(())
    }

    fn place(&mut self, symbol: &'s Symbol) -> Result<()> {
        if self.value(symbol).is_some() {
            return Ok(());
        }
        let value = match &symbol.0.kind {
            Kind::Input(i) if *i >= self.parameters => {
                return Err(Error::argument(OP, format!("input {i}: the program has {} parameters", self.parameters)));
            }
            Kind::Input(i) => Value::Input(*self.input_slots.entry(*i).or_insert_with(|| {
                self.inputs.push(*i);
                self.inputs.len() as u32 - 1
            })),
            Kind::Constant(bytes) => Value::Constant(*self.constant_slots.entry(bytes).or_insert_with(|| {
                self.constants.push(bytes);
                self.constants.len() as u32 - 1
            })),
            Kind::Add(..) | Kind::Sub(..) | Kind::Mul(..) | Kind::Inverse(_) => {
                self.order.push(&symbol.0);
                Value::Computed(self.order.len() as u32 - 1)
            }
        };
        self.values.insert(Arc::as_ptr(&symbol.0), value);
        Ok(())
    }

    /// When each computed value is used last; outputs are used at the end.
    fn last_uses(&self, parameters: &[Symbol]) -> Vec<usize> {
        let mut last = vec![0; self.order.len()];
        for (at, node) in self.order.iter().enumerate() {
            for operand in node.kind.operands().into_iter().flatten() {
                if let Some(Value::Computed(i)) = self.value(operand) {
                    last[i as usize] = at;
                }
            }
        }
        for (_, symbol) in parameters.iter().enumerate().filter(|(i, s)| !s.is_input(*i)) {
            if let Some(Value::Computed(i)) = self.value(symbol) {
                last[i as usize] = usize::MAX;
            }
        }
        last
    }

    /// Give computed values registers, each free again after its value's last use.
    fn allocate(self, parameters: &[Symbol]) -> Program {
        let last = self.last_uses(parameters);
        let first_register = (self.inputs.len() + self.constants.len()) as u32;
        let mut register = vec![0u32; self.order.len()];
        let (mut free, mut registers) = (Vec::new(), 0u32);
        let mut code = Vec::with_capacity(self.order.len());
        let slot = |symbol: &Symbol, register: &[u32]| match self.value(symbol) {
            Some(Value::Input(i)) => i,
            Some(Value::Constant(i)) => self.inputs.len() as u32 + i,
            Some(Value::Computed(i)) => first_register + register[i as usize],
            None => 0, // every operand was scheduled
        };
        for (at, node) in self.order.iter().enumerate() {
            let (opcode, a, b) = match &node.kind {
                Kind::Sub(a, b) => (Opcode::Sub, a, b),
                Kind::Mul(a, b) => (Opcode::Mul, a, b),
                Kind::Inverse(a) => (Opcode::Inverse, a, a),
                Kind::Add(a, b) => (Opcode::Add, a, b),
                Kind::Input(_) | Kind::Constant(_) => continue, // not computed
            };
            let (a_slot, b_slot) = (slot(a, &register), slot(b, &register));
            register[at] = free.pop().unwrap_or_else(|| {
                registers += 1;
                registers - 1
            });
            code.push(Instruction { opcode, a: a_slot, b: b_slot, to: first_register + register[at] });
            let same = Arc::ptr_eq(&a.0, &b.0);
            for operand in [Some(a), Some(b).filter(|_| !same)].into_iter().flatten() {
                if let Some(Value::Computed(i)) = self.value(operand)
                    && last[i as usize] == at
                {
                    free.push(register[i as usize]);
                }
            }
        }
        let changed = parameters.iter().enumerate().filter(|(i, s)| !s.is_input(*i));
        let outputs = changed.map(|(i, symbol)| (i, slot(symbol, &register))).collect();
        Program {
            parameters: parameters.len(),
            inputs: self.inputs.clone(),
            constants: self.constants.iter().map(|&c| c.into()).collect(),
            registers: registers as usize,
            code,
            outputs,
            degree: 0,
        }
    }
}
