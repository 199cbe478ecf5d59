//! Arrays and operations whose types are known when a program runs: what other languages call.
//!
//! An operation is a row of a table; [`binary`], [`unary`] and their like find the method of the key for the types they are given.

use crate::circuit::Values;
use crate::current::CurrentKey;
use crate::integer::{FheBool, FheUint, Operand};
use icicle_error::{Error, Result};

mod arrays;
mod encryption;
mod types;

pub use crate::fhe_integers;
pub use arrays::{CompressedFheArray, FheArray};
pub use encryption::{decrypt, encrypt, encrypt_compressed, trivial};
pub use types::{Clear, Elements, FheType};

/// An operand: an encrypted array, or clear elements. One clear element stands for all.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// An encrypted array.
    Encrypted(&'a FheArray),
    /// Clear elements.
    Clear(Clear<'a>),
}

macro_rules! table {
    ($type:ident, $kind:literal: $($op:ident $name:ident $meaning:literal;)*) => {
        #[doc = concat!("An operation on ", $kind, ".")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type {
            $(#[doc = $meaning] $op,)*
        }

        impl $type {
            /// Every one, by number.
            pub const ALL: &[Self] = &[$(Self::$op,)*];

            /// The operation of a number.
            pub fn from_number(number: i32) -> Option<Self> {
                Self::ALL.get(usize::try_from(number).ok()?).copied()
            }

            /// Its name, which is that of the key's method.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$op => stringify!($name),)* }
            }

            /// The operation as errors name it.
            pub const fn op(self) -> &'static str {
                match self { $(Self::$op => concat!("fhe_", stringify!($name)),)* }
            }

            /// What it computes.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$op => $meaning,)* }
            }
        }
    };
}
// Numbers of rows are those of C: new ones go to the end.
table! { FheBinaryOp, "each pair of elements of two arrays":
    Add add "x + y.";
    Sub sub "x - y.";
    Mul mul "x y.";
    Min min "The smaller of both.";
    Max max "The larger of both.";
    BitAnd bitand "The bits set in both; of truth values, whether both hold.";
    BitOr bitor "The bits set in either; of truth values, whether either holds.";
    BitXor bitxor "The bits set in one of both; of truth values, whether one holds.";
    Shl shl "x shifted to higher bits by y.";
    Shr shr "x shifted to lower bits by y.";
    RotateLeft rotate_left "x rotated to higher bits by y.";
    RotateRight rotate_right "x rotated to lower bits by y.";
    Eq eq "Whether x = y.";
    Ne ne "Whether x is not y.";
    Lt lt "Whether x < y.";
    Le le "Whether x is at most y.";
    Gt gt "Whether x > y.";
    Ge ge "Whether x is at least y.";
}
table! { FheUnaryOp, "one array":
    Neg neg "-x.";
    Not not "The bits not set; of truth values, whether it does not hold.";
    Sum sum "The sum of all elements, an array of one.";
}
table! { FheOverflowOp, "each pair of integers, with a flag":
    Add overflowing_add "x + y, and whether it is above what the width holds.";
    Sub overflowing_sub "x - y, and whether it is below 0.";
}

impl<'a> Clear<'a> {
    fn integers(self) -> Option<Operand<'a>> {
        let one = |value: u64, bits: u32| Operand::clear_of(Values::One(value), bits);
        macro_rules! integers {
            ($($kind:ident $clear:ident $integer:ident $number:literal $name:literal $meaning:literal;)*) => {
                match self {
                    Self::Bool(_) => None,
                    $(Self::$clear(&[value]) => Some(one(value.into(), $integer::BITS)),
                    Self::$clear(values) => Some(values.into()),)*
                }
            };
        }
        fhe_integers!(integers)
    }
}

impl<'a> Value<'a> {
    /// As an operand of operations on integers.
    fn operand(self, op: &'static str, name: &str) -> Result<Operand<'a>> {
        let integers = match self {
            Self::Encrypted(x) => x.integers().map(Operand::from),
            Self::Clear(values) => values.integers(),
        };
        integers.ok_or_else(|| Error::argument(op, format!("{name} holds truth values, must hold integers")))
    }

    /// As truth values, if it has them.
    fn bools(self) -> Option<&'a FheBool> {
        match self {
            Self::Encrypted(x) => x.bools(),
            Self::Clear(_) => None,
        }
    }
}

/// An operation on each pair of elements. Truth values have `bitand`, `bitor`, `bitxor`, `eq` and `ne`.
///
/// # Errors
/// Those of the key's method of this name; `InvalidArgument` for truth values where there are to be integers.
pub fn binary(key: &CurrentKey, op: FheBinaryOp, x: Value<'_>, y: Value<'_>) -> Result<FheArray> {
    use FheBinaryOp::*;
    if let (Some(x), Some(y)) = (x.bools(), y.bools()) {
        let held = match op {
            BitAnd => key.logical_and(x, y)?,
            BitOr => key.logical_or(x, y)?,
            BitXor | Ne => key.logical_xor(x, y)?,
            Eq => key.logical_not(&key.logical_xor(x, y)?)?,
            _ => return Err(Error::argument(op.op(), "x and y hold truth values, must hold integers")),
        };
        return Ok(FheArray::Bool(held));
    }
    let (a, b) = (x.operand(op.op(), "x")?, y.operand(op.op(), "y")?);
    let shifted = |by: fn(&CurrentKey, &FheUint, &Operand<'_>) -> Result<FheUint>| match x {
        Value::Encrypted(FheArray::Uint(x)) => by(key, x, &b).map(FheArray::Uint),
        _ => Err(Error::argument(op.op(), "x is clear, must be encrypted")),
    };
    match op {
        Add => key.add(a, b).map(FheArray::Uint),
        Sub => key.sub(a, b).map(FheArray::Uint),
        Mul => key.mul(a, b).map(FheArray::Uint),
        Min => key.min(a, b).map(FheArray::Uint),
        Max => key.max(a, b).map(FheArray::Uint),
        BitAnd => key.bitand(a, b).map(FheArray::Uint),
        BitOr => key.bitor(a, b).map(FheArray::Uint),
        BitXor => key.bitxor(a, b).map(FheArray::Uint),
        Shl => shifted(|key, x, by| key.shl(x, *by)),
        Shr => shifted(|key, x, by| key.shr(x, *by)),
        RotateLeft => shifted(|key, x, by| key.rotate_left(x, *by)),
        RotateRight => shifted(|key, x, by| key.rotate_right(x, *by)),
        Eq => key.eq(a, b).map(FheArray::Bool),
        Ne => key.ne(a, b).map(FheArray::Bool),
        Lt => key.lt(a, b).map(FheArray::Bool),
        Le => key.le(a, b).map(FheArray::Bool),
        Gt => key.gt(a, b).map(FheArray::Bool),
        Ge => key.ge(a, b).map(FheArray::Bool),
    }
}

/// An operation on one array. Truth values have `not`.
///
/// # Errors
/// Those of the key's method of this name; `InvalidArgument` for truth values where there are to be integers.
pub fn unary(key: &CurrentKey, op: FheUnaryOp, x: &FheArray) -> Result<FheArray> {
    match (op, x) {
        (FheUnaryOp::Not, FheArray::Bool(x)) => key.logical_not(x).map(FheArray::Bool),
        (FheUnaryOp::Not, FheArray::Uint(x)) => key.not(x).map(FheArray::Uint),
        (FheUnaryOp::Neg, FheArray::Uint(x)) => key.neg(x).map(FheArray::Uint),
        (FheUnaryOp::Sum, FheArray::Uint(x)) => key.sum(x).map(FheArray::Uint),
        (_, FheArray::Bool(_)) => Err(Error::argument(op.op(), "x holds truth values, must hold integers")),
    }
}

/// A sum or difference of each pair, and whether it is beyond the width.
///
/// # Errors
/// Those of the key's method of this name; `InvalidArgument` for truth values.
pub fn overflowing(key: &CurrentKey, op: FheOverflowOp, x: Value<'_>, y: Value<'_>) -> Result<[FheArray; 2]> {
    let (x, y) = (x.operand(op.op(), "x")?, y.operand(op.op(), "y")?);
    let (integers, flags) = match op {
        FheOverflowOp::Add => key.overflowing_add(x, y)?,
        FheOverflowOp::Sub => key.overflowing_sub(x, y)?,
    };
    Ok([FheArray::Uint(integers), FheArray::Bool(flags)])
}

/// Of each pair of integers the first where the condition holds, else the second.
///
/// # Errors
/// Those of the key's method; `InvalidArgument` for a condition of integers, or a choice of truth values.
pub fn select(key: &CurrentKey, condition: &FheArray, x: Value<'_>, y: Value<'_>) -> Result<FheArray> {
    const OP: &str = "fhe_select";
    let integers = || Error::argument(OP, "condition holds integers, must hold truth values");
    let condition = condition.bools().ok_or_else(integers)?;
    key.select(condition, x.operand(OP, "x")?, y.operand(OP, "y")?).map(FheArray::Uint)
}

/// The elements in another type: the low bits, or zeros above; truth values as 0 and 1, integers as whether they are not 0.
///
/// # Errors
/// Those of the key's method.
pub fn cast(key: &CurrentKey, x: &FheArray, to: FheType) -> Result<FheArray> {
    match (x, to.bits()) {
        (FheArray::Uint(x), Some(bits)) => key.cast(x, bits).map(FheArray::Uint),
        (FheArray::Uint(x), None) => key.to_bool(x).map(FheArray::Bool),
        (FheArray::Bool(x), Some(bits)) => key.cast_bool(x, bits).map(FheArray::Uint),
        (FheArray::Bool(_), None) => x.try_clone(),
    }
}

/// How many truth values hold, as an array of one integer of a type.
///
/// # Errors
/// Those of the key's method; `InvalidArgument` for integers, or a type of truth values.
pub fn count(key: &CurrentKey, x: &FheArray, to: FheType) -> Result<FheArray> {
    const OP: &str = "fhe_count";
    let x = x.bools().ok_or_else(|| Error::argument(OP, "x holds integers, must hold truth values"))?;
    let bits = to.bits().ok_or_else(|| Error::argument(OP, "type is bool, must be one of integers"))?;
    key.count(x, bits).map(FheArray::Uint)
}
