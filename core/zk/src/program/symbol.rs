//! Values of a circuit.

use std::fmt;
use std::ops::{Add, Mul, Sub};
use std::sync::Arc;

/// A value of a circuit: an input, a constant, or the result of an operation. Cheap to clone; a clone is the same value,
/// computed once.
#[derive(Clone)]
pub struct Symbol(pub(super) Arc<Node>);

pub(super) struct Node {
    pub kind: Kind,
    /// Degree as a polynomial in the inputs; −1 if an inverse takes part.
    pub degree: i64,
    /// Registers a tree of this shape needs (R. Sethi, J. D. Ullman, "The generation of optimal code for arithmetic
    /// expressions", 1970): the side that needs more is computed first.
    pub need: u32,
}

pub(super) enum Kind {
    Input(usize),
    Constant(Box<[u8]>),
    Add(Symbol, Symbol),
    Sub(Symbol, Symbol),
    Mul(Symbol, Symbol),
    Inverse(Symbol),
}

impl Kind {
    /// Operands, first and second.
    pub fn operands(&self) -> [Option<&Symbol>; 2] {
        match self {
            Self::Input(_) | Self::Constant(_) => [None, None],
            Self::Add(a, b) | Self::Sub(a, b) | Self::Mul(a, b) => [Some(a), Some(b)],
            Self::Inverse(a) => [Some(a), None],
        }
    }
}

impl Symbol {
    /// The `i`-th parameter's value before execution.
    pub fn input(i: usize) -> Self {
        Self::new(Kind::Input(i), 1)
    }

    /// A constant, the bytes of an element in memory form. A program with it executes in every field whose elements are
    /// no longer; longer constants are cut, so that an extension's constant is its first coefficient to the prime field.
    pub fn constant(bytes: &[u8]) -> Self {
        Self::new(Kind::Constant(bytes.into()), 0)
    }

    /// The inverse; of zero it is zero.
    pub fn inverse(&self) -> Self {
        Self::new(Kind::Inverse(self.clone()), -1)
    }

    /// Whether this is the `i`-th input itself.
    pub fn is_input(&self, i: usize) -> bool {
        matches!(self.0.kind, Kind::Input(index) if index == i)
    }

    /// Degree as a polynomial in the inputs, before cancellation; −1 if an inverse takes part.
    pub fn degree(&self) -> i64 {
        self.0.degree
    }

    fn new(kind: Kind, degree: i64) -> Self {
        let need = match kind.operands().map(|s| s.map(|s| s.0.need)) {
            [None, _] => 0,
            [Some(a), None] => a.max(1),
            [Some(a), Some(b)] if a == b => a.saturating_add(1),
            [Some(a), Some(b)] => a.max(b),
        };
        Self(Arc::new(Node { kind, degree, need }))
    }

    fn joined(&self, other: &Self, degree: impl Fn(i64, i64) -> i64) -> i64 {
        if self.degree() < 0 || other.degree() < 0 { -1 } else { degree(self.degree(), other.degree()) }
    }
}

impl Add for &Symbol {
    type Output = Symbol;
    fn add(self, other: Self) -> Symbol {
        Symbol::new(Kind::Add(self.clone(), other.clone()), self.joined(other, i64::max))
    }
}

impl Sub for &Symbol {
    type Output = Symbol;
    fn sub(self, other: Self) -> Symbol {
        Symbol::new(Kind::Sub(self.clone(), other.clone()), self.joined(other, i64::max))
    }
}

impl Mul for &Symbol {
    type Output = Symbol;
    fn mul(self, other: Self) -> Symbol {
        Symbol::new(Kind::Mul(self.clone(), other.clone()), self.joined(other, i64::saturating_add))
    }
}

impl fmt::Debug for Symbol {
    /// The outermost operation only: a circuit may be deep, and its tree far larger than itself.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match &self.0.kind {
            Kind::Input(i) => return write!(f, "input {i}"),
            Kind::Constant(bytes) => return write!(f, "constant {bytes:x?}"),
            Kind::Add(..) => "sum",
            Kind::Sub(..) => "difference",
            Kind::Mul(..) => "product",
            Kind::Inverse(_) => "inverse",
        };
        write!(f, "{name} of degree {}", self.degree())
    }
}

impl Node {
    fn take(&mut self) -> Kind {
        std::mem::replace(&mut self.kind, Kind::Input(0))
    }
}

impl Drop for Node {
    /// Without recursion, as a circuit may be deeper than the stack, and without memory, as there may be none left: trees are
    /// rotated until the first operand is a leaf, or held by somebody else, and then the second one is next.
    fn drop(&mut self) {
        let mut dying = self.take();
        loop {
            let (mut first, rest) = match dying {
                Kind::Input(_) | Kind::Constant(_) => return,
                Kind::Inverse(a) => (a, None),
                Kind::Add(a, b) | Kind::Sub(a, b) | Kind::Mul(a, b) => (a, Some(b)),
            };
            let own = Arc::get_mut(&mut first.0).map_or(Kind::Input(0), Node::take);
            // Which operation it was does not matter any more.
            dying = match (own, rest) {
                (own, None) => own,
                (Kind::Input(_) | Kind::Constant(_), Some(rest)) => Kind::Inverse(rest),
                (Kind::Inverse(a), Some(rest)) => Kind::Add(a, rest),
                (Kind::Add(a, b) | Kind::Sub(a, b) | Kind::Mul(a, b), Some(rest)) => {
                    if let Some(node) = Arc::get_mut(&mut first.0) {
                        node.kind = Kind::Add(b, rest);
                    }
                    Kind::Add(a, first)
                }
            };
        }
    }
}
