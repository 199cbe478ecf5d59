//! Bits: one bootstrap a block for two operands, none for the complement.

use super::{FheBool, FheUint};
use crate::ciphertexts::{Ciphertexts, add_multiple, check_lengths};
use crate::lookup_table::LookupTable;
use crate::parameters::{DELTA, MESSAGES};
use crate::server_key::{Layer, ServerKey};
use icicle_error::Result;

impl ServerKey {
    /// The bits that are set in both.
    ///
    /// # Errors
    /// `InvalidArgument` for integers of another key, or of different widths or lengths; `OutOfMemory`.
    pub fn bitand(&self, x: &FheUint, y: &FheUint) -> Result<FheUint> {
        self.bitwise("fhe_bitand", x, y, |x, y| x & y)
    }

    /// The bits that are set in either.
    ///
    /// # Errors
    /// Those of [`bitand`](Self::bitand).
    pub fn bitor(&self, x: &FheUint, y: &FheUint) -> Result<FheUint> {
        self.bitwise("fhe_bitor", x, y, |x, y| x | y)
    }

    /// The bits that are set in one of the two.
    ///
    /// # Errors
    /// Those of [`bitand`](Self::bitand).
    pub fn bitxor(&self, x: &FheUint, y: &FheUint) -> Result<FheUint> {
        self.bitwise("fhe_bitxor", x, y, |x, y| x ^ y)
    }

    /// The bits that are not set.
    ///
    /// # Errors
    /// `InvalidArgument` for integers of another key, `OutOfMemory`.
    pub fn not(&self, x: &FheUint) -> Result<FheUint> {
        const OP: &str = "fhe_not";
        x.blocks.check(OP, "x", self.tag)?;
        let blocks = subtracted_from(OP, MESSAGES - 1, &x.blocks)?;
        Ok(FheUint { blocks, complemented: !x.complemented, ..*x })
    }

    /// Whether both hold.
    ///
    /// # Errors
    /// `InvalidArgument` for truth values of another key, or of different lengths; `OutOfMemory`.
    pub fn logical_and(&self, x: &FheBool, y: &FheBool) -> Result<FheBool> {
        self.logical("fhe_logical_and", x, y, |count| count == 2)
    }

    /// Whether either holds.
    ///
    /// # Errors
    /// Those of [`logical_and`](Self::logical_and).
    pub fn logical_or(&self, x: &FheBool, y: &FheBool) -> Result<FheBool> {
        self.logical("fhe_logical_or", x, y, |count| count > 0)
    }

    /// Whether one of the two holds.
    ///
    /// # Errors
    /// Those of [`logical_and`](Self::logical_and).
    pub fn logical_xor(&self, x: &FheBool, y: &FheBool) -> Result<FheBool> {
        self.logical("fhe_logical_xor", x, y, |count| count == 1)
    }

    /// Whether it does not hold.
    ///
    /// # Errors
    /// `InvalidArgument` for truth values of another key, `OutOfMemory`.
    pub fn logical_not(&self, x: &FheBool) -> Result<FheBool> {
        const OP: &str = "fhe_logical_not";
        x.blocks.check(OP, "x", self.tag)?;
        Ok(FheBool { blocks: subtracted_from(OP, 1, &x.blocks)? })
    }

    fn bitwise(&self, op: &'static str, x: &FheUint, y: &FheUint, f: impl Fn(u64, u64) -> u64) -> Result<FheUint> {
        self.check_pair(op, x, y)?;
        let most = self.norm_limit(25, 0);
        let (x, y) = (self.quiet(op, x, most)?, self.quiet(op, y, most)?);
        let table = LookupTable::new(|value| f(value / MESSAGES, value % MESSAGES) as i64);
        let input = |i: usize, to: &mut [u64]| {
            add_multiple(to, x.blocks.get(i), MESSAGES);
            add_multiple(to, y.blocks.get(i), 1);
        };
        let layer = Layer { input: &input, tables: &[table], outputs: 1 };
        Ok(FheUint::bootstrapped(self.bootstrap(op, x.blocks.count(), &layer)?, x.bits))
    }

    /// Truth values from how many of two hold. Each is a bootstrap's output or one less that: the sum of squared weights is at most 4.
    fn logical(&self, op: &'static str, x: &FheBool, y: &FheBool, f: impl Fn(u64) -> bool) -> Result<FheBool> {
        x.blocks.check(op, "x", self.tag)?;
        y.blocks.check(op, "y", self.tag)?;
        check_lengths(op, ["x", "y"], [x.len(), y.len()])?;
        let table = LookupTable::new(|count| i64::from(f(count)));
        let input = |i: usize, to: &mut [u64]| {
            add_multiple(to, x.blocks.get(i), 1);
            add_multiple(to, y.blocks.get(i), 1);
        };
        let layer = Layer { input: &input, tables: &[table], outputs: 1 };
        Ok(FheBool { blocks: self.bootstrap(op, x.len(), &layer)? })
    }
}

/// Each message taken from another.
pub(super) fn subtracted_from(op: &'static str, from: u64, blocks: &Ciphertexts) -> Result<Ciphertexts> {
    let mut out = blocks.copied(op)?;
    out.negate();
    out.add_to_bodies(DELTA * from);
    Ok(out)
}
