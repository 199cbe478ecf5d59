//! The operations, as methods of what computes: a server key, or the keys of several devices.

use super::shift::Direction;
use super::{
    FheBool, FheUint, Operand, addition, bitwise, cast, comparison, evaluate, multiplication, selection, shift, sum,
};
use crate::circuit::Evaluator;
use crate::current::CurrentKey;
use crate::key_set::KeySet;
use crate::parameters::MESSAGES;
use crate::server_key::ServerKey;
use icicle_error::{Error, Result};

/// Give the operations to types that evaluate.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident ($($argument:ident: $kind:tt),*) -> $result:ty = $run:expr;)*) => {
        operations!(@of ServerKey; $($(#[$doc])* $name ($($argument: $kind),*) -> $result = $run;)*);
        operations!(@of KeySet; $($(#[$doc])* $name ($($argument: $kind),*) -> $result = $run;)*);
        operations!(@of CurrentKey; $($(#[$doc])* $name ($($argument: $kind),*) -> $result = $run;)*);
        #[cfg(test)]
        operations!(@of super::tests::Counting; $($(#[$doc])* $name ($($argument: $kind),*) -> $result = $run;)*);
    };
    (@of $type:ty; $($(#[$doc:meta])* $name:ident ($($argument:ident: $kind:tt),*) -> $result:ty = $run:expr;)*) => {
        // Only operands need the lifetime.
        #[allow(clippy::needless_lifetimes)]
        impl $type {
            $(
                $(#[$doc])*
                pub fn $name<'a>(&self $(, $argument: operations!(@type $kind 'a))*) -> Result<$result> {
                    $(let $argument = operations!(@read $kind $argument);)*
                    let run: fn(&dyn Evaluator $(, operations!(@given $kind))*) -> Result<$result> = $run;
                    run(self $(, $argument)*)
                }
            )*
        }
    };
    (@type operand $life:lifetime) => { impl Into<Operand<$life>> };
    (@type uint $life:lifetime) => { &$life FheUint };
    (@type bool $life:lifetime) => { &$life FheBool };
    (@type bits $life:lifetime) => { u32 };
    (@read operand $argument:ident) => { &$argument.into() };
    (@read $kind:tt $argument:ident) => { $argument };
    (@given operand) => { &Operand<'_> };
    (@given uint) => { &FheUint };
    (@given bool) => { &FheBool };
    (@given bits) => { u32 };
}

const LEFT: Direction = Direction { left: true, around: false };
const RIGHT: Direction = Direction { left: false, around: false };
const AROUND_LEFT: Direction = Direction { left: true, around: true };
const AROUND_RIGHT: Direction = Direction { left: false, around: true };

operations! {
    /// x + y, modulo 2ᵇⁱᵗˢ. Either may be clear.
    ///
    /// # Errors
    /// `InvalidArgument` for integers of another key, or of different widths or lengths, or two clear operands; `OutOfMemory`.
    add(x: operand, y: operand) -> FheUint = addition::add;

    /// x - y, modulo 2ᵇⁱᵗˢ. Either may be clear.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    sub(x: operand, y: operand) -> FheUint = addition::sub;

    /// x + y modulo 2ᵇⁱᵗˢ, and whether the sum is 2ᵇⁱᵗˢ or above.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    overflowing_add(x: operand, y: operand) -> (FheUint, FheBool) = addition::overflowing_add;

    /// x - y modulo 2ᵇⁱᵗˢ, and whether x is below y.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    overflowing_sub(x: operand, y: operand) -> (FheUint, FheBool) = addition::overflowing_sub;

    /// -x, modulo 2ᵇⁱᵗˢ.
    ///
    /// # Errors
    /// `InvalidArgument` for integers of another key, `OutOfMemory`.
    neg(x: uint) -> FheUint = addition::neg;

    /// x · y, modulo 2ᵇⁱᵗˢ. Either may be clear.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    mul(x: operand, y: operand) -> FheUint = multiplication::mul;

    /// The sum of all elements, modulo 2ᵇⁱᵗˢ, as an array of one; 0 for an empty array.
    ///
    /// # Errors
    /// `InvalidArgument` for integers of another key, `OutOfMemory`.
    sum(x: uint) -> FheUint = sum::sum;

    /// How many elements hold, modulo 2ᵇⁱᵗˢ, as an array of one integer of 8, 16, 32 or 64 bits.
    ///
    /// # Errors
    /// `InvalidArgument` for truth values of another key or another number of bits, `OutOfMemory`.
    count(x: bool, bits: bits) -> FheUint = sum::count;

    /// The smaller of each pair. Either operand may be clear.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    min(x: operand, y: operand) -> FheUint = |keys, x, y| selection::extreme(keys, "fhe_min", x, y, false);

    /// The larger of each pair. Either operand may be clear.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    max(x: operand, y: operand) -> FheUint = |keys, x, y| selection::extreme(keys, "fhe_max", x, y, true);

    /// Of each pair of integers the first where the condition holds, else the second. Both may be clear.
    ///
    /// # Errors
    /// `InvalidArgument` for operands of another key, or of different widths or lengths; `OutOfMemory`.
    select(condition: bool, x: operand, y: operand) -> FheUint = selection::select;

    /// Whether x = y. Either may be clear.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    eq(x: operand, y: operand) -> FheBool = |keys, x, y| comparison::equal(keys, "fhe_eq", x, y, false);

    /// Whether x ≠ y. Either may be clear.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    ne(x: operand, y: operand) -> FheBool = |keys, x, y| comparison::equal(keys, "fhe_ne", x, y, true);

    /// Whether x < y. Either may be clear.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    lt(x: operand, y: operand) -> FheBool = |keys, x, y| comparison::less(keys, "fhe_lt", x, y, false);

    /// Whether x ≤ y. Either may be clear.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    le(x: operand, y: operand) -> FheBool = |keys, x, y| comparison::greater(keys, "fhe_le", x, y, true);

    /// Whether x > y. Either may be clear.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    gt(x: operand, y: operand) -> FheBool = |keys, x, y| comparison::greater(keys, "fhe_gt", x, y, false);

    /// Whether x ≥ y. Either may be clear.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    ge(x: operand, y: operand) -> FheBool = |keys, x, y| comparison::less(keys, "fhe_ge", x, y, true);

    /// The bits that are set in both. Either operand may be clear.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    bitand(x: operand, y: operand) -> FheUint = |keys, x, y| bitwise::bitwise(keys, "fhe_bitand", x, y, |x, y| x & y);

    /// The bits that are set in either. Either operand may be clear.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    bitor(x: operand, y: operand) -> FheUint = |keys, x, y| bitwise::bitwise(keys, "fhe_bitor", x, y, |x, y| x | y);

    /// The bits that are set in one of the two. Either operand may be clear.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    bitxor(x: operand, y: operand) -> FheUint = |keys, x, y| bitwise::bitwise(keys, "fhe_bitxor", x, y, |x, y| x ^ y);

    /// The bits that are not set.
    ///
    /// # Errors
    /// `InvalidArgument` for integers of another key, `OutOfMemory`.
    not(x: uint) -> FheUint = bitwise::not;

    /// x shifted to higher bits by an amount modulo the width, zeros coming in. Amounts may be clear, or encrypted: then of any
    /// width.
    ///
    /// # Errors
    /// `InvalidArgument` for operands of another key, or of different lengths; `OutOfMemory`.
    shl(x: uint, amount: operand) -> FheUint = |keys, x, amount| shift::shift(keys, "fhe_shl", x, amount, LEFT);

    /// x shifted to lower bits by an amount modulo the width, zeros coming in.
    ///
    /// # Errors
    /// Those of [`shl`](Self::shl).
    shr(x: uint, amount: operand) -> FheUint = |keys, x, amount| shift::shift(keys, "fhe_shr", x, amount, RIGHT);

    /// x rotated to higher bits by an amount.
    ///
    /// # Errors
    /// Those of [`shl`](Self::shl).
    rotate_left(x: uint, amount: operand) -> FheUint =
        |keys, x, amount| shift::shift(keys, "fhe_rotate_left", x, amount, AROUND_LEFT);

    /// x rotated to lower bits by an amount.
    ///
    /// # Errors
    /// Those of [`shl`](Self::shl).
    rotate_right(x: uint, amount: operand) -> FheUint =
        |keys, x, amount| shift::shift(keys, "fhe_rotate_right", x, amount, AROUND_RIGHT);

    /// The same integers in another width, 8, 16, 32 or 64 bits: the low bits, or zeros above.
    ///
    /// # Errors
    /// `InvalidArgument` for integers of another key or another number of bits, `OutOfMemory`.
    cast(x: uint, bits: bits) -> FheUint = cast::cast;

    /// 1 where a truth value holds, else 0, in integers of 8, 16, 32 or 64 bits.
    ///
    /// # Errors
    /// `InvalidArgument` for truth values of another key or another number of bits, `OutOfMemory`.
    cast_bool(x: bool, bits: bits) -> FheUint = cast::cast_bool;

    /// Whether an integer is not 0.
    ///
    /// # Errors
    /// `InvalidArgument` for integers of another key, `OutOfMemory`.
    to_bool(x: uint) -> FheBool = cast::to_bool;

    /// Whether both hold.
    ///
    /// # Errors
    /// `InvalidArgument` for truth values of another key, or of different lengths; `OutOfMemory`.
    logical_and(x: bool, y: bool) -> FheBool = |keys, x, y| bitwise::logical(keys, "fhe_logical_and", x, y, |n| n == 2);

    /// Whether either holds.
    ///
    /// # Errors
    /// Those of [`logical_and`](Self::logical_and).
    logical_or(x: bool, y: bool) -> FheBool = |keys, x, y| bitwise::logical(keys, "fhe_logical_or", x, y, |n| n > 0);

    /// Whether one of the two holds.
    ///
    /// # Errors
    /// Those of [`logical_and`](Self::logical_and).
    logical_xor(x: bool, y: bool) -> FheBool = |keys, x, y| bitwise::logical(keys, "fhe_logical_xor", x, y, |n| n == 1);

    /// Whether it does not hold.
    ///
    /// # Errors
    /// `InvalidArgument` for truth values of another key, `OutOfMemory`.
    logical_not(x: bool) -> FheBool = bitwise::logical_not;
}

/// Apply a function of values from 0 to 3 to each block of two bits, the lowest first in an integer, by one bootstrap each.
pub(crate) fn apply_block_lut(keys: &dyn Evaluator, x: &FheUint, f: &dyn Fn(u8) -> u8) -> Result<FheUint> {
    const OP: &str = "fhe_apply_block_lut";
    x.blocks.check(OP, "x", keys.key().tag)?;
    let values: [u8; MESSAGES as usize] = std::array::from_fn(|v| f(v as u8));
    if let Some((at, value)) = values.iter().enumerate().find(|&(_, &value)| u64::from(value) >= MESSAGES) {
        return Err(Error::argument(OP, format!("f({at}) is {value}, must be below {MESSAGES}")));
    }
    evaluate::map_blocks(keys, OP, x, &|v| i64::from(values[v as usize % values.len()]))
}

impl KeySet {
    /// A function of values from 0 to 3 applied to each block of two bits of integers, by one bootstrap each.
    ///
    /// # Errors
    /// `InvalidArgument` for integers of another key, or a function with a value above 3; `OutOfMemory`.
    pub fn apply_block_lut(&self, x: &FheUint, f: impl Fn(u8) -> u8) -> Result<FheUint> {
        apply_block_lut(self, x, &f)
    }
}

impl ServerKey {
    /// A function of values from 0 to 3 applied to each block of two bits of integers, by one bootstrap each.
    ///
    /// # Errors
    /// `InvalidArgument` for integers of another key, or a function with a value above 3; `OutOfMemory`.
    pub fn apply_block_lut(&self, x: &FheUint, f: impl Fn(u8) -> u8) -> Result<FheUint> {
        apply_block_lut(self, x, &f)
    }
}
