//! Selection between two arrays.

use super::{FheBool, FheUint};
use crate::ciphertexts::{add_constant, add_multiple, check_lengths};
use crate::lookup_table::LookupTable;
use crate::parameters::DELTA;
use crate::server_key::{Layer, ServerKey};
use icicle_error::Result;

impl ServerKey {
    /// Of each pair of integers the first where the condition holds, else the second.
    ///
    /// # Errors
    /// `InvalidArgument` for operands of another key, or of different widths or lengths; `OutOfMemory`.
    pub fn select(&self, condition: &FheBool, x: &FheUint, y: &FheUint) -> Result<FheUint> {
        const OP: &str = "fhe_select";
        condition.blocks.check(OP, "condition", self.tag)?;
        self.check_pair(OP, x, y)?;
        check_lengths(OP, ["condition", "x"], [condition.len(), x.len()])?;
        // A result's norm is its second operand's and 1.
        let most = self.norm_limit(4, 1);
        let (x, y) = (self.quiet(OP, x, most)?, self.quiet(OP, y, most)?);
        let eight = LookupTable::scaled(|value| i64::from(value % 2 == 1), 8);
        let read = |i: usize, to: &mut [u64]| add_multiple(to, condition.blocks.get(i), 1);
        let chosen = self.bootstrap(OP, condition.len(), &Layer { input: &read, tables: &[eight], outputs: 1 })?;
        // 4 + x - y, from 1 to 7, and 8 more where x is wanted: the difference that is then to be added to y.
        let gated = LookupTable::new(|value| if value >= 8 { value as i64 - 12 } else { 0 });
        let per = x.per_integer();
        let difference = |i: usize, to: &mut [u64]| {
            add_multiple(to, chosen.get(i / per), 1);
            add_multiple(to, x.blocks.get(i), 1);
            add_multiple(to, y.blocks.get(i), 1u64.wrapping_neg());
            add_constant(to, 4 * DELTA);
        };
        let layer = Layer { input: &difference, tables: &[gated], outputs: 1 };
        let mut blocks = self.bootstrap(OP, x.blocks.count(), &layer)?;
        add_multiple(&mut blocks.words, &y.blocks.words, 1);
        Ok(FheUint { blocks, norm2: y.norm2 + 1, ..*y })
    }
}
