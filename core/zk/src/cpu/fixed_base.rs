//! Many multiples of one point by fixed-base windows: a table of every digit of every window.

use icicle_algebra::curve::{Affine, Curve, Group, Jacobian, Normalizer};
use icicle_algebra::{Field, PrimeField};
use icicle_error::Result;
use icicle_error::reserve::{filled, with_capacity};

/// Bits of a window.
const WINDOW: usize = 8;
/// Digits other than 0.
const DIGITS: usize = (1 << WINDOW) - 1;
/// Below this many multiples the table costs more than it saves.
const FEW: usize = 64;

/// A point to multiply, with a table where there are many multiples.
pub(crate) struct FixedBase<C: Curve> {
    base: Jacobian<C>,
    /// `digit·2^(8·window)·base`, digits 1 to 255 of a window one after another.
    table: Vec<Affine<C>>,
}

impl<C: Curve> FixedBase<C> {
    /// For `n` multiples of a point.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn new(op: &'static str, base: Jacobian<C>, n: usize) -> Result<Self> {
        let windows = if n < FEW { 0 } else { C::Scalar::BYTES };
        let mut multiples = with_capacity(op, windows * DIGITS)?;
        let mut power = base;
        for _ in 0..windows {
            let mut sum = power;
            for _ in 0..DIGITS {
                multiples.push(sum);
                sum += power;
            }
            power = sum;
        }
        let mut table = filled(op, multiples.len(), Affine::NEUTRAL)?;
        Normalizer::new(op, multiples.len())?.normalize(&multiples, &mut table);
        Ok(Self { base, table })
    }

    /// `scalar·base`, a scalar in memory form.
    pub fn times(&self, scalar: <C::Scalar as Field>::Raw) -> Jacobian<C> {
        if self.table.is_empty() {
            return self.base.times_scalar(C::Scalar::from_raw(scalar));
        }
        let digits = bytemuck::bytes_of(&scalar).iter().enumerate();
        digits.fold(Jacobian::NEUTRAL, |sum, (window, &digit)| {
            if digit == 0 { sum } else { sum + self.table[window * DIGITS + digit as usize - 1] }
        })
    }
}
