//! The values of an operation, or a chain of them, as statements of a kernel: what `source.rs` of the CPU's side does with
//! blocks.

use crate::DType;
use crate::array::{Array, Pending};
use crate::cast;
use crate::chain::{Asks, passes};
use crate::job::Order;
use crate::layout::Layout;
use crate::step::{Code, Step};
use crate::storage::Storage;
use icicle_error::Result;
use std::fmt::Write;
use std::sync::Arc;

/// Arrays and constants of one kernel.
const LEAVES: usize = 20;

/// What a kernel reads.
#[derive(Clone)]
pub(super) enum Leaf {
    /// An array's elements in the order of the kernel, which the storage keeps; the layout's offset counts elements.
    Memory { storage: Arc<Storage>, dtype: DType, layout: Layout },
    /// One value, by its bytes.
    Constant { bytes: [u8; 16], dtype: DType },
}

impl Leaf {
    /// An array's elements in an order, computed if they wait.
    ///
    /// # Errors
    /// `InvalidArgument` if it does not broadcast; `OutOfMemory`.
    pub(super) fn of(op: &'static str, order: &Order, array: &Array) -> Result<Self> {
        let dtype = array.dtype();
        if let Some(bytes) = array.constant() {
            return Ok(Self::Constant { bytes, dtype });
        }
        let layout = order.arrange(op, &array.layout)?;
        Ok(Self::Memory { storage: Arc::clone(array.storage()?), dtype, layout })
    }

    pub(super) fn dtype(&self) -> DType {
        match self {
            Self::Memory { dtype, .. } | Self::Constant { dtype, .. } => *dtype,
        }
    }
}

/// A value's name in the statements: `x` and the number of a leaf, or `v` and one of its own.
pub(super) type Value = String;

/// Statements, and what they read.
#[derive(Clone)]
pub(super) struct Draft {
    op: &'static str,
    pub(super) leaves: Vec<Leaf>,
    pub(super) text: String,
    values: usize,
}

impl Draft {
    pub(super) fn new(op: &'static str) -> Self {
        Self { op, leaves: Vec::new(), text: String::new(), values: 0 }
    }

    /// Whether a kernel has room for its arguments. One operation always has.
    fn fits(&self) -> bool {
        self.leaves.len() <= LEAVES
    }

    fn name(&mut self, dtype: DType, value: &str) -> Value {
        let name = format!("v{}", self.values);
        self.values += 1;
        let _ = writeln!(self.text, "      const {} {name} = {value};", dtype.name());
        name
    }

    /// An operand's elements in an order, as a dtype: from memory, or computed.
    ///
    /// # Errors
    /// `InvalidArgument` if it does not broadcast or cannot be cast; `OutOfMemory`.
    pub(super) fn operand(&mut self, order: &Order, array: &Array, to: DType, asks: Asks) -> Result<Value> {
        if let Some(bytes) = array.constant() {
            return self.constant(bytes, array.dtype(), to);
        }
        if let Some(pending) = array.pending()
            && passes(pending, array, order, asks)
            && let Some(value) = self.inline(order, pending, to)?
        {
            return Ok(value);
        }
        self.memory(order, array, to)
    }

    /// What an operation gives; none if it has been computed, or there is no room.
    fn inline(&mut self, order: &Order, pending: &Pending, to: DType) -> Result<Option<Value>> {
        let operands = pending.operands();
        if operands.is_empty() {
            return Ok(None);
        }
        let before = self.clone();
        let value = self.step(order, pending.step, &operands.iter().collect::<Vec<_>>(), pending.dtype)?;
        let value = self.cast(value, pending.dtype, to)?;
        if self.fits() {
            return Ok(Some(value));
        }
        *self = before;
        Ok(None)
    }

    /// An array's elements in an order, as a dtype, from memory.
    fn memory(&mut self, order: &Order, array: &Array, to: DType) -> Result<Value> {
        let dtype = array.dtype();
        let leaf = self.leaf(Leaf::of(self.op, order, array)?);
        self.cast(leaf, dtype, to)
    }

    /// One value, as a dtype.
    fn constant(&mut self, bytes: [u8; 16], dtype: DType, to: DType) -> Result<Value> {
        let leaf = self.leaf(Leaf::Constant { bytes, dtype });
        self.cast(leaf, dtype, to)
    }

    /// A leaf's name; what is read already is not read again.
    fn leaf(&mut self, leaf: Leaf) -> Value {
        let same = |known: &Leaf| match (known, &leaf) {
            (Leaf::Memory { storage: a, dtype: t, layout: x }, Leaf::Memory { storage: b, dtype: u, layout: y }) => {
                Arc::ptr_eq(a, b) && t == u && x == y
            }
            _ => false,
        };
        let place = self.leaves.iter().position(same).unwrap_or_else(|| {
            self.leaves.push(leaf.clone());
            self.leaves.len() - 1
        });
        format!("x{place}")
    }

    /// An operation's results in an order, as a dtype.
    ///
    /// # Errors
    /// As [`Draft::operand`].
    pub(super) fn step(&mut self, order: &Order, step: Step, operands: &[&Array], to: DType) -> Result<Value> {
        let name = match step.code {
            Code::Constant(bytes) => return self.constant(bytes, step.gives, to),
            Code::Cast => return self.operand(order, operands[0], to, Asks::Chain),
            Code::Row(_) | Code::Where => step.op,
        };
        let mut arguments = Vec::with_capacity(operands.len());
        for (array, takes) in operands.iter().zip(step.takes) {
            arguments.push(self.operand(order, array, takes, Asks::Chain)?);
        }
        let value = self.name(step.gives, &format!("ops::{name}({})", arguments.join(", ")));
        self.cast(value, step.gives, to)
    }

    /// A value as another dtype.
    ///
    /// # Errors
    /// `InvalidArgument` if it cannot be cast.
    fn cast(&mut self, value: Value, from: DType, to: DType) -> Result<Value> {
        if from == to {
            return Ok(value);
        }
        cast::cast(self.op, from, to)?;
        Ok(self.name(to, &format!("cast<{}>({value})", to.name())))
    }
}
