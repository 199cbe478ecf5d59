//! Sums and differences modulo 2ᵇⁱᵗˢ, by ripple carry: one bootstrap a block, which gives both its message and its carry.

use super::FheUint;
use crate::ciphertexts::{add_constant, add_multiple};
use crate::lookup_table::LookupTable;
use crate::parameters::{DELTA, MESSAGES};
use crate::server_key::{Layer, ServerKey};
use icicle_error::Result;

/// The first operand of an addition: integers, or zeros.
type Augend<'a> = Option<&'a FheUint>;

impl ServerKey {
    /// x + y.
    ///
    /// # Errors
    /// `InvalidArgument` for integers of another key, or of different widths or lengths; `OutOfMemory`.
    pub fn add(&self, x: &FheUint, y: &FheUint) -> Result<FheUint> {
        const OP: &str = "fhe_add";
        self.check_pair(OP, x, y)?;
        let most = self.norm_limit(4, 1);
        let (x, y) = (self.quiet(OP, x, most)?, self.quiet(OP, y, most)?);
        self.ripple(OP, Some(&x), &y, false)
    }

    /// x - y.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    pub fn sub(&self, x: &FheUint, y: &FheUint) -> Result<FheUint> {
        const OP: &str = "fhe_sub";
        self.check_pair(OP, x, y)?;
        let most = self.norm_limit(4, 1);
        let (x, y) = (self.quiet(OP, x, most)?, self.quiet(OP, y, most)?);
        self.ripple(OP, Some(&x), &y, true)
    }

    /// -x.
    ///
    /// # Errors
    /// `InvalidArgument` for integers of another key, `OutOfMemory`.
    pub fn neg(&self, x: &FheUint) -> Result<FheUint> {
        const OP: &str = "fhe_neg";
        x.blocks.check(OP, "x", self.tag)?;
        let x = self.quiet(OP, x, self.norm_limit(1, 1))?;
        self.ripple(OP, None, &x, true)
    }

    /// The sum of both operands' blocks, the second's complemented where it is subtracted, with carries: at most 3 + 3 + 1.
    fn ripple(&self, op: &'static str, x: Augend<'_>, y: &FheUint, subtract: bool) -> Result<FheUint> {
        let (n, per) = (y.len(), y.per_integer());
        let mut blocks = self.zeros(op, n * per)?;
        let size = blocks.size;
        let tables = [LookupTable::pair(|sum| (sum % MESSAGES) as i64, |sum| (sum / MESSAGES) as i64)];
        // Messages and carries of the blocks before.
        let mut before = self.zeros(op, 0)?;
        for at in 0..per {
            let input = |i: usize, to: &mut [u64]| {
                if let Some(x) = x {
                    add_multiple(to, x.block(i, at), 1);
                }
                if subtract {
                    add_multiple(to, y.block(i, at), 1u64.wrapping_neg());
                    add_constant(to, DELTA * (MESSAGES - 1));
                } else {
                    add_multiple(to, y.block(i, at), 1);
                }
                match at {
                    // Complement and one negate.
                    0 => add_constant(to, if subtract { DELTA } else { 0 }),
                    _ => add_multiple(to, before.get(2 * i + 1), 1),
                }
            };
            let sums = self.bootstrap(op, n, &Layer { input: &input, tables: &tables, outputs: 2 })?;
            for i in 0..n {
                blocks.words[(i * per + at) * size..][..size].copy_from_slice(sums.get(2 * i));
            }
            before = sums;
        }
        Ok(FheUint::bootstrapped(blocks, y.bits))
    }
}
