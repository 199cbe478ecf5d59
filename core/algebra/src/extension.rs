//! Extensions: `F[x]/(x² - w)`, `F[x]/(x⁴ - w)`, and the tower of the first over itself.

use super::{Field, PrimeField, operators};
use std::marker::PhantomData;

/// The `w` of an extension `F[x]/(x^d - w)`, by how it multiplies.
pub trait NonResidue<F>: Copy + Eq + Send + Sync + 'static {
    /// `w·a`.
    fn times(a: F) -> F;
}

/// `w` a small integer; negative ones included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer<const W: i64>;

impl<F: Field, const W: i64> NonResidue<F> for Integer<W> {
    #[inline(always)]
    fn times(a: F) -> F {
        // Double and add over constant bits: two doublings and an addition for 5, a negation for -1.
        let magnitude = W.unsigned_abs();
        let mut out = a;
        let mut bit = 63 - magnitude.leading_zeros();
        while bit > 0 {
            bit -= 1;
            out = out.double();
            if magnitude >> bit & 1 == 1 {
                out += a;
            }
        }
        if W < 0 { -out } else { out }
    }
}

/// `w = A + B·i` in a quadratic extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Complex<const A: i64, const B: i64>;

impl<F: Field, R: NonResidue<F>, const A: i64, const B: i64> NonResidue<Quadratic<F, R>> for Complex<A, B> {
    #[inline(always)]
    fn times(a: Quadratic<F, R>) -> Quadratic<F, R> {
        let (scale_a, scale_b) = (<Integer<A> as NonResidue<F>>::times, <Integer<B> as NonResidue<F>>::times);
        Quadratic::new(scale_a(a.c0) + R::times(scale_b(a.c1)), scale_a(a.c1) + scale_b(a.c0))
    }
}

/// `c0 + c1·x` with `x² = w`.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Quadratic<F, W> {
    /// Constant coefficient.
    pub c0: F,
    /// Coefficient of `x`.
    pub c1: F,
    w: PhantomData<W>,
}

impl<F: Field, W: NonResidue<F>> Quadratic<F, W> {
    /// From the coefficients.
    pub const fn new(c0: F, c1: F) -> Self {
        Self { c0, c1, w: PhantomData }
    }
    #[inline(always)]
    fn sum(a: Self, b: Self) -> Self {
        Self::new(a.c0 + b.c0, a.c1 + b.c1)
    }
    #[inline(always)]
    fn difference(a: Self, b: Self) -> Self {
        Self::new(a.c0 - b.c0, a.c1 - b.c1)
    }
    #[inline(always)]
    fn negated(a: Self) -> Self {
        Self::new(-a.c0, -a.c1)
    }
    /// Karatsuba: three products.
    #[inline(always)]
    fn product(a: Self, b: Self) -> Self {
        let (low, high) = (a.c0 * b.c0, a.c1 * b.c1);
        let cross = (a.c0 + a.c1) * (b.c0 + b.c1) - low - high;
        Self::new(low + W::times(high), cross)
    }
}

operators!([F: Field, W: NonResidue<F>] Quadratic<F, W>);

impl<F: Field, W: NonResidue<F>> Field for Quadratic<F, W> {
    type Raw = [F::Raw; 2];
    type Prime = F::Prime;
    const ZERO: Self = Self::new(F::ZERO, F::ZERO);
    const ONE: Self = Self::new(F::ONE, F::ZERO);
    const DEGREE: usize = 2 * F::DEGREE;

    #[inline(always)]
    fn from_raw(raw: Self::Raw) -> Self {
        Self::new(F::from_raw(raw[0]), F::from_raw(raw[1]))
    }
    #[inline(always)]
    fn to_raw(self) -> Self::Raw {
        [self.c0.to_raw(), self.c1.to_raw()]
    }
    #[inline(always)]
    fn from_limbs(raw: Self::Raw) -> Self {
        Self::new(F::from_limbs(raw[0]), F::from_limbs(raw[1]))
    }
    #[inline(always)]
    fn to_limbs(self) -> Self::Raw {
        [self.c0.to_limbs(), self.c1.to_limbs()]
    }
    fn is_canonical(raw: &Self::Raw) -> bool {
        raw.iter().all(F::is_canonical)
    }
    fn from_u64(value: u64) -> Self {
        Self::new(F::from_u64(value), F::ZERO)
    }
    fn from_coefficients(mut at: impl FnMut(usize) -> F::Prime) -> Self {
        let c0 = F::from_coefficients(&mut at);
        Self::new(c0, F::from_coefficients(|i| at(F::DEGREE + i)))
    }
    fn coefficient(self, i: usize) -> F::Prime {
        if i < F::DEGREE { self.c0.coefficient(i) } else { self.c1.coefficient(i - F::DEGREE) }
    }
    #[inline(always)]
    fn scale(self, by: F::Prime) -> Self {
        Self::new(self.c0.scale(by), self.c1.scale(by))
    }
    /// Two products: `(c0 + c1)(c0 + w·c1) - (1 + w)·c0·c1` is the constant coefficient.
    #[inline(always)]
    fn square(self) -> Self {
        let cross = self.c0 * self.c1;
        let mixed = (self.c0 + self.c1) * (self.c0 + W::times(self.c1));
        Self::new(mixed - cross - W::times(cross), cross.double())
    }
    /// `(c0 - c1·x) / (c0² - w·c1²)`.
    fn inverse(self) -> Option<Self> {
        let norm = self.c0.square() - W::times(self.c1.square());
        let scale = norm.inverse()?;
        Some(Self::new(self.c0 * scale, -(self.c1 * scale)))
    }
}

/// `c0 + c1·x + c2·x² + c3·x³` with `x⁴ = w`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Quartic<F, W>([F; 4], PhantomData<W>);

impl<F: PrimeField, W: NonResidue<F>> Quartic<F, W> {
    /// From the coefficients.
    pub const fn new(c: [F; 4]) -> Self {
        Self(c, PhantomData)
    }
    #[inline(always)]
    fn sum(a: Self, b: Self) -> Self {
        Self::new(std::array::from_fn(|i| a.0[i] + b.0[i]))
    }
    #[inline(always)]
    fn difference(a: Self, b: Self) -> Self {
        Self::new(std::array::from_fn(|i| a.0[i] - b.0[i]))
    }
    #[inline(always)]
    fn negated(a: Self) -> Self {
        Self::new(a.0.map(|c| -c))
    }
    #[inline(always)]
    fn product(a: Self, b: Self) -> Self {
        let mut low = [F::ZERO; 4];
        let mut high = [F::ZERO; 4];
        for i in 0..4 {
            for j in 0..4 {
                let product = a.0[i] * b.0[j];
                if i + j < 4 {
                    low[i + j] += product;
                } else {
                    high[i + j - 4] += product;
                }
            }
        }
        Self::new(std::array::from_fn(|i| low[i] + W::times(high[i])))
    }
    /// As `A + B·x` over `F[y]/(y² - w)`, `y = x²`.
    fn halves(self) -> (Quadratic<F, W>, Quadratic<F, W>) {
        let [c0, c1, c2, c3] = self.0;
        (Quadratic::new(c0, c2), Quadratic::new(c1, c3))
    }
}

operators!([F: PrimeField, W: NonResidue<F>] Quartic<F, W>);

impl<F: PrimeField, W: NonResidue<F>> Field for Quartic<F, W> {
    type Raw = [F::Raw; 4];
    type Prime = F;
    const ZERO: Self = Self::new([F::ZERO; 4]);
    const ONE: Self = Self::new([F::ONE, F::ZERO, F::ZERO, F::ZERO]);
    const DEGREE: usize = 4;

    #[inline(always)]
    fn from_raw(raw: Self::Raw) -> Self {
        Self::new(raw.map(F::from_raw))
    }
    #[inline(always)]
    fn to_raw(self) -> Self::Raw {
        self.0.map(F::to_raw)
    }
    #[inline(always)]
    fn from_limbs(raw: Self::Raw) -> Self {
        Self::new(raw.map(F::from_limbs))
    }
    #[inline(always)]
    fn to_limbs(self) -> Self::Raw {
        self.0.map(F::to_limbs)
    }
    fn is_canonical(raw: &Self::Raw) -> bool {
        raw.iter().all(F::is_canonical)
    }
    fn from_u64(value: u64) -> Self {
        Self::new([F::from_u64(value), F::ZERO, F::ZERO, F::ZERO])
    }
    fn from_coefficients(at: impl FnMut(usize) -> F) -> Self {
        Self::new(std::array::from_fn(at))
    }
    fn coefficient(self, i: usize) -> F {
        self.0[i]
    }
    #[inline(always)]
    fn scale(self, by: F) -> Self {
        Self::new(self.0.map(|c| c * by))
    }
    /// `(A - B·x) / (A² - y·B²)`; none where that norm has no inverse.
    fn inverse(self) -> Option<Self> {
        let (a, b) = self.halves();
        let b2 = b.square();
        let norm = a.square() - Quadratic::new(W::times(b2.c1), b2.c0);
        let scale = norm.inverse()?;
        let (even, odd) = (a * scale, -(b * scale));
        Some(Self::new([even.c0, odd.c0, even.c1, odd.c1]))
    }
}

impl<F: Field, W: NonResidue<F>> Default for Quadratic<F, W> {
    fn default() -> Self {
        Self::new(F::ZERO, F::ZERO)
    }
}

impl<F: PrimeField, W: NonResidue<F>> Default for Quartic<F, W> {
    fn default() -> Self {
        Self::new([F::ZERO; 4])
    }
}

impl<F: Field, W> std::fmt::Debug for Quadratic<F, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({:?}, {:?})", self.c0, self.c1)
    }
}

impl<F: PrimeField, W> std::fmt::Debug for Quartic<F, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.0)
    }
}
