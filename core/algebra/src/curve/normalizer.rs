//! Many points made affine together.

use super::affine::{Affine, Curve};
use super::jacobian::Group;
use crate::{Field, batch};
use icicle_error::Result;
use icicle_error::reserve::with_capacity;

/// Makes many points affine for the price of one inversion; keeps its memory.
#[derive(Debug)]
pub struct Normalizer<C: Curve> {
    inverses: Vec<C::Base>,
    products: Vec<C::Base>,
}

impl<C: Curve> Normalizer<C> {
    /// For up to `n` points at a time; an error names the operation.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn new(op: &'static str, n: usize) -> Result<Self> {
        Ok(Self { inverses: with_capacity(op, n)?, products: with_capacity(op, n)? })
    }

    /// The affine forms of points; `out` is as long as `points`.
    pub fn normalize<G: Group<Curve = C>>(&mut self, points: &[G], out: &mut [Affine<C>]) {
        self.inverses.clear();
        self.inverses.extend(points.iter().map(Group::denominator));
        batch::invert(&mut self.inverses, &mut self.products);
        for ((slot, &point), &inverse) in out.iter_mut().zip(points).zip(&self.inverses) {
            *slot = if inverse.is_zero() { Affine::NEUTRAL } else { point.affine_with(inverse) };
        }
    }
}
