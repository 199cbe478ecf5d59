//! Comparisons, by differences of pairs of blocks: four bits each, from -15 to 15, which the padding bit has room for.

use super::bitwise::subtracted_from;
use super::{FheBool, FheUint, Quiet};
use crate::ciphertexts::{Ciphertexts, add_constant, add_multiple};
use crate::lookup_table::LookupTable;
use crate::parameters::{DELTA, MESSAGES, VALUES};
use crate::server_key::{Layer, ServerKey};
use icicle_error::Result;

/// Signs that one bootstrap compares: weights 1, 2, 4, 8 keep their sum, whose sign is that of the last that is not 0, below 16.
const SIGNS: usize = 4;

impl ServerKey {
    /// Whether x = y.
    ///
    /// # Errors
    /// `InvalidArgument` for integers of another key, or of different widths or lengths; `OutOfMemory`.
    pub fn eq(&self, x: &FheUint, y: &FheUint) -> Result<FheBool> {
        self.equal("fhe_eq", x, y)
    }

    /// Whether x ≠ y.
    ///
    /// # Errors
    /// Those of [`eq`](Self::eq).
    pub fn ne(&self, x: &FheUint, y: &FheUint) -> Result<FheBool> {
        self.inverted("fhe_ne", self.equal("fhe_ne", x, y)?)
    }

    /// Whether x < y.
    ///
    /// # Errors
    /// Those of [`eq`](Self::eq).
    pub fn lt(&self, x: &FheUint, y: &FheUint) -> Result<FheBool> {
        self.check_pair("fhe_lt", x, y)?;
        self.less("fhe_lt", x, y)
    }

    /// Whether x ≤ y.
    ///
    /// # Errors
    /// Those of [`eq`](Self::eq).
    pub fn le(&self, x: &FheUint, y: &FheUint) -> Result<FheBool> {
        self.check_pair("fhe_le", x, y)?;
        self.inverted("fhe_le", self.less("fhe_le", y, x)?)
    }

    /// Whether x > y.
    ///
    /// # Errors
    /// Those of [`eq`](Self::eq).
    pub fn gt(&self, x: &FheUint, y: &FheUint) -> Result<FheBool> {
        self.check_pair("fhe_gt", x, y)?;
        self.less("fhe_gt", y, x)
    }

    /// Whether x ≥ y.
    ///
    /// # Errors
    /// Those of [`eq`](Self::eq).
    pub fn ge(&self, x: &FheUint, y: &FheUint) -> Result<FheBool> {
        self.check_pair("fhe_ge", x, y)?;
        self.inverted("fhe_ge", self.less("fhe_ge", x, y)?)
    }

    fn inverted(&self, op: &'static str, x: FheBool) -> Result<FheBool> {
        Ok(FheBool { blocks: subtracted_from(op, 1, &x.blocks)? })
    }

    fn equal(&self, op: &'static str, x: &FheUint, y: &FheUint) -> Result<FheBool> {
        self.check_pair(op, x, y)?;
        // The odd continuation of the table is 0 at -1 to -15, too.
        let zero = LookupTable::new(|difference| i64::from(difference == 0));
        let flags = self.of_differences(op, x, y, &[zero])?;
        let pairs = x.per_integer() / 2;
        // With what pairs there are not, 16 where all are equal: the padding bit.
        let count = |i: usize, to: &mut [u64]| {
            for at in 0..pairs {
                add_multiple(to, flags.get(i * pairs + at), 1);
            }
            add_constant(to, DELTA * (VALUES - pairs) as u64);
        };
        self.padding_bits(op, x.len(), &count)
    }

    fn less(&self, op: &'static str, x: &FheUint, y: &FheUint) -> Result<FheBool> {
        let scaled: [LookupTable; SIGNS] = std::array::from_fn(|at| LookupTable::scaled(|v| i64::from(v > 0), 1 << at));
        let mut per = x.per_integer() / 2;
        let mut signs = self.of_differences(op, x, y, &scaled[..per.min(SIGNS)])?;
        while per > SIGNS {
            let next = per / SIGNS;
            let sum = |i: usize, to: &mut [u64]| add_group(to, &signs, i * SIGNS, SIGNS);
            let layer = Layer { input: &sum, tables: &scaled[..next.min(SIGNS)], outputs: 1 };
            signs = self.bootstrap(op, x.len() * next, &layer)?;
            per = next;
        }
        // Negative sums have the padding bit set.
        self.padding_bits(op, x.len(), &|i, to| add_group(to, &signs, i * per, per))
    }

    /// Operands whose differences a bootstrap may read.
    pub(super) fn comparable<'a>(&self, op: &'static str, x: &'a FheUint, y: &'a FheUint) -> Result<[Quiet<'a>; 2]> {
        let most = self.norm_limit(34, 0);
        let (x, mut y) = (self.quiet(op, x, most)?, self.quiet(op, y, most)?);
        // Noise that both share cancels, unless one is a complement: then it would double.
        if x.complemented != y.complemented {
            y = Quiet::Refreshed(self.refreshed(op, &y)?);
        }
        Ok([x, y])
    }

    /// Tables applied in turn to the difference of each pair of blocks.
    fn of_differences(
        &self,
        op: &'static str,
        x: &FheUint,
        y: &FheUint,
        tables: &[LookupTable],
    ) -> Result<Ciphertexts> {
        let [x, y] = self.comparable(op, x, y)?;
        let difference = |i: usize, to: &mut [u64]| {
            for (block, weight) in [(2 * i, 1), (2 * i + 1, MESSAGES)] {
                add_multiple(to, x.blocks.get(block), weight);
                add_multiple(to, y.blocks.get(block), weight.wrapping_neg());
            }
        };
        self.bootstrap(op, x.blocks.count() / 2, &Layer { input: &difference, tables, outputs: 1 })
    }

    /// The padding bits of combinations.
    fn padding_bits(&self, op: &'static str, n: usize, input: &(dyn Fn(usize, &mut [u64]) + Sync)) -> Result<FheBool> {
        let table = LookupTable::padding_bit();
        let mut blocks = self.bootstrap(op, n, &Layer { input, tables: &[table], outputs: 1 })?;
        blocks.add_to_bodies(DELTA / 2);
        Ok(FheBool { blocks })
    }
}

fn add_group(to: &mut [u64], signs: &Ciphertexts, first: usize, count: usize) {
    (first..first + count).for_each(|at| add_multiple(to, signs.get(at), 1));
}
