//! Operators on encrypted integers, and methods without a key: both use the calling thread's.

use super::{FheBool, FheUint, Operand};
use crate::current::current_server_key;
use icicle_error::Result;
use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Neg, Not, Shl, Shr, Sub};

/// A call of an operation of the thread's key.
macro_rules! call {
    ($name:ident($($argument:expr),*)) => {
        current_server_key(concat!("fhe_", stringify!($name)))?.$name($($argument),*)
    };
}

/// Operators between encrypted integers, and with clear ones on either side. Results are `Result`s: `(&x + &y)?`.
macro_rules! binary {
    ($($trait:ident $operator:ident $name:ident;)*) => {
        $(
            impl<'a, T: Into<Operand<'a>>> $trait<T> for &'a FheUint {
                type Output = Result<FheUint>;
                fn $operator(self, other: T) -> Result<FheUint> {
                    call!($name(self, other))
                }
            }
            binary!(@clear $trait $operator $name: u8 u16 u32 u64);
        )*
    };
    (@clear $trait:ident $operator:ident $name:ident: $($type:ty)*) => {
        $(
            impl $trait<&FheUint> for $type {
                type Output = Result<FheUint>;
                fn $operator(self, other: &FheUint) -> Result<FheUint> {
                    call!($name(self, other))
                }
            }
        )*
    };
}
binary! {
    Add add add;
    Sub sub sub;
    Mul mul mul;
    BitAnd bitand bitand;
    BitOr bitor bitor;
    BitXor bitxor bitxor;
}

/// Shifts, by clear or encrypted amounts.
macro_rules! shifts {
    ($($trait:ident $name:ident;)*) => {
        $(
            impl<'a, T: Into<Operand<'a>>> $trait<T> for &'a FheUint {
                type Output = Result<FheUint>;
                fn $name(self, amount: T) -> Result<FheUint> {
                    call!($name(self, amount))
                }
            }
        )*
    };
}
shifts! {
    Shl shl;
    Shr shr;
}

impl Neg for &FheUint {
    type Output = Result<FheUint>;
    fn neg(self) -> Result<FheUint> {
        call!(neg(self))
    }
}

impl Not for &FheUint {
    type Output = Result<FheUint>;
    fn not(self) -> Result<FheUint> {
        call!(not(self))
    }
}

/// Operators between truth values.
macro_rules! logical {
    ($($trait:ident $operator:ident $name:ident;)*) => {
        $(
            impl $trait<&FheBool> for &FheBool {
                type Output = Result<FheBool>;
                fn $operator(self, other: &FheBool) -> Result<FheBool> {
                    call!($name(self, other))
                }
            }
        )*
    };
}
logical! {
    BitAnd bitand logical_and;
    BitOr bitor logical_or;
    BitXor bitxor logical_xor;
}

impl Not for &FheBool {
    type Output = Result<FheBool>;
    fn not(self) -> Result<FheBool> {
        call!(logical_not(self))
    }
}

/// Methods with the thread's key.
macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        // Only operands need the lifetime.
        #[allow(clippy::needless_lifetimes)]
        impl FheUint {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// `InvalidArgument` where the calling thread has no server key; those of the method of [`ServerKey`](crate::ServerKey) of
                /// this name.
                pub fn $name<'a>(&'a self $(, $argument: $type)*) -> Result<$result> {
                    call!($name(self $(, $argument)*))
                }
            )*
        }
    };
}
methods! {
    /// Whether this is the other.
    eq(other: impl Into<Operand<'a>>) -> FheBool;
    /// Whether this is not the other.
    ne(other: impl Into<Operand<'a>>) -> FheBool;
    /// Whether this is less than the other.
    lt(other: impl Into<Operand<'a>>) -> FheBool;
    /// Whether this is at most the other.
    le(other: impl Into<Operand<'a>>) -> FheBool;
    /// Whether this is greater than the other.
    gt(other: impl Into<Operand<'a>>) -> FheBool;
    /// Whether this is at least the other.
    ge(other: impl Into<Operand<'a>>) -> FheBool;
    /// The smaller of this and the other.
    min(other: impl Into<Operand<'a>>) -> FheUint;
    /// The larger of this and the other.
    max(other: impl Into<Operand<'a>>) -> FheUint;
    /// The sum, and whether it is above what the width holds.
    overflowing_add(other: impl Into<Operand<'a>>) -> (FheUint, FheBool);
    /// The difference, and whether it is below 0.
    overflowing_sub(other: impl Into<Operand<'a>>) -> (FheUint, FheBool);
    /// Rotated to higher bits.
    rotate_left(amount: impl Into<Operand<'a>>) -> FheUint;
    /// Rotated to lower bits.
    rotate_right(amount: impl Into<Operand<'a>>) -> FheUint;
    /// In another width.
    cast(bits: u32) -> FheUint;
    /// Whether this is not 0.
    to_bool() -> FheBool;
    /// The sum of all elements.
    sum() -> FheUint;
}

impl FheBool {
    /// Of each pair of integers the first where this holds, else the second.
    ///
    /// # Errors
    /// `InvalidArgument` where the calling thread has no server key; those of [`ServerKey::select`](crate::ServerKey::select).
    pub fn select<'a>(&'a self, x: impl Into<Operand<'a>>, y: impl Into<Operand<'a>>) -> Result<FheUint> {
        call!(select(self, x, y))
    }

    /// 1 where it holds, else 0, in integers of so many bits.
    ///
    /// # Errors
    /// Those of [`select`](Self::select), and `InvalidArgument` for another number of bits.
    pub fn cast(&self, bits: u32) -> Result<FheUint> {
        call!(cast_bool(self, bits))
    }

    /// How many hold, in an integer of so many bits.
    ///
    /// # Errors
    /// Those of [`cast`](Self::cast).
    pub fn count(&self, bits: u32) -> Result<FheUint> {
        call!(count(self, bits))
    }
}
