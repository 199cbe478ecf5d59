//! Operands of inversions and quotients.

use icicle_algebra::Field;
use icicle_cpu::memory::{In, Out};

/// Operands: inverses of `a`, times the dividends if there are any.
pub(super) struct Quotients<'a, F: Field> {
    pub dividends: Option<In<'a, F::Raw>>,
    pub a: In<'a, F::Raw>,
    pub out: Out<'a, F::Raw>,
}

impl<F: Field> Quotients<'_, F> {
    /// What inverses of limbs are to be multiplied by. Limbs `x` stand for `x/R`; the inverse `R/x` is to become limbs of
    /// `1/x`, which stand for `1/(xR)`, or else meet limbs of a dividend, `a/R`, to become limbs of `a/x`.
    pub fn factor(&self) -> F {
        let limbs = F::from_limbs(F::ONE.to_raw());
        if self.dividends.is_some() { limbs } else { limbs.square() }
    }
}
