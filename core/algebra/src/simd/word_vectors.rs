//! Vectors of elements of one-word primes: what an implementation for some instructions has.

use super::tile::ROW;
use crate::{Field, PrimeField};
use bytemuck::Zeroable;

/// Work that is compiled for the instructions a [`Vectors`] needs: `run` and all below it is `#[inline(always)]`.
pub trait Job {
    /// Do it.
    fn run(self);
}

/// Vectors of elements of a prime field, `K` to a row. There is a value of this only where the processor has what it
/// takes, so that its methods are safe.
///
/// An element is *fresh* as it was loaded or is a product; what it may be else is each implementation's affair, so long
/// as a fresh one comes through all levels of a network of `2^LOG_ROWS` rows.
pub trait Vectors<const K: usize>: Copy + Send + Sync + Sized + 'static {
    /// Whose elements.
    type Field: PrimeField;
    /// Elements of a vector.
    type Vector: Copy + Send + Sync;
    /// A number, prepared to multiply by.
    type Constant: Copy + Send + Sync;
    /// Numbers prepared to multiply by, one for each element.
    type Factor: Copy + Send + Sync;
    /// Log of the rows of a tile, at most.
    const LOG_ROWS: u32;
    /// Levels done between a load and a store, at most 3: as many as there are registers for.
    const LEVELS: u32;

    /// The arithmetic, if the processor has it and may use it.
    fn available() -> Option<Self>;
    /// Prepare a number, given as a [power](Vectors::power).
    fn constant(power: <Self::Field as Field>::Raw) -> Self::Constant;
    /// The word by which products with a power are taken, as if it were an element in memory.
    fn power(w: Self::Field) -> <Self::Field as Field>::Raw;
    /// A vector of zeros.
    fn zero(self) -> Self::Vector;
    /// Do a job.
    fn enter<J: Job>(self, job: J);
    /// A row of elements.
    fn load(self, from: &[<Self::Field as Field>::Raw; ROW]) -> [Self::Vector; K];
    /// The reverse, canonical if asked.
    fn store(self, row: [Self::Vector; K], to: &mut [<Self::Field as Field>::Raw; ROW], canonical: bool);
    /// Rows from a block of as many columns.
    fn load_block(self, from: [&[<Self::Field as Field>::Raw; ROW]; ROW]) -> [[Self::Vector; K]; ROW];
    /// The reverse, column `i` to `to[i] + offset`, canonical if asked.
    ///
    /// # Safety
    /// Sixteen elements may be written there.
    unsafe fn store_block(
        self,
        from: &[[Self::Vector; K]; ROW],
        to: &[*mut <Self::Field as Field>::Raw; ROW],
        offset: usize,
        canonical: bool,
    );
    /// Rows that are columns.
    #[inline(always)]
    fn transposed(self, rows: [[Self::Vector; K]; ROW]) -> [[Self::Vector; K]; ROW] {
        let mut elements = [[<Self::Field as Field>::Raw::zeroed(); ROW]; ROW];
        for i in 0..ROW {
            self.store(rows[i], &mut elements[i], false);
        }
        let mut columns = [&elements[0]; ROW];
        for i in 1..ROW {
            columns[i] = &elements[i];
        }
        self.load_block(columns)
    }
    /// The constant for every element.
    fn repeat(self, constant: &Self::Constant) -> Self::Factor;
    /// The factor of element `i` of a row for every element.
    fn one_of(self, factors: &[Self::Factor; K], i: usize) -> Self::Factor;
    /// Factors from loaded [powers](Vectors::power).
    fn prepare(self, power: Self::Vector) -> Self::Factor;
    /// A product, fresh.
    fn times(self, x: Self::Vector, w: &Self::Factor) -> Self::Vector;
    /// The product of a fresh element and a power, fresh; powers times a factor are powers.
    fn times_power(self, x: Self::Vector, power: Self::Vector) -> Self::Vector;
    /// The same element, fresh.
    fn freshen(self, x: Self::Vector) -> Self::Vector;
    /// What the first operand of the first butterfly is to be if the factor is not 1.
    fn raise(self, x: Self::Vector) -> Self::Vector;
    /// `(x + w·y, x - w·y)`.
    fn down(self, x: Self::Vector, y: Self::Vector, w: &Self::Factor) -> [Self::Vector; 2];
    /// `(x + y, w·(x - y))`.
    fn up(self, x: Self::Vector, y: Self::Vector, w: &Self::Factor) -> [Self::Vector; 2];
    /// `(x + y, x - y)`.
    fn one(self, x: Self::Vector, y: Self::Vector) -> [Self::Vector; 2];
}
