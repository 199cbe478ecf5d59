//! Field arithmetic by big integers, from nothing but a field's row in the table.

use icicle::FieldId;
use icicle_params::Extension;
use num_bigint::BigUint;

/// A field of the table.
#[derive(Clone)]
pub struct Field {
    pub id: FieldId,
    p: BigUint,
    extension: Extension,
    words: usize,
}

/// Coefficients over the prime field.
pub type Element = Vec<BigUint>;

impl Field {
    pub fn new(id: FieldId) -> Self {
        let row = id.info();
        let p = BigUint::from_slice(
            &row.prime.modulus.iter().flat_map(|l| [*l as u32, (*l >> 32) as u32]).collect::<Vec<_>>(),
        );
        let degree = row.extension.degree();
        Self { id, p, extension: row.extension, words: row.bytes() / 4 / degree }
    }

    pub fn degree(&self) -> usize {
        self.extension.degree()
    }

    /// 32-bit words of an element in memory.
    pub fn words(&self) -> usize {
        self.words * self.degree()
    }

    pub fn encode(&self, elements: &[Element]) -> Vec<u32> {
        let coefficient = |c: &BigUint| {
            let mut words = c.to_u32_digits();
            words.resize(self.words, 0);
            words
        };
        elements.iter().flatten().flat_map(coefficient).collect()
    }

    pub fn decode(&self, words: &[u32]) -> Vec<Element> {
        words.chunks(self.words()).map(|e| e.chunks(self.words).map(BigUint::from_slice).collect()).collect()
    }

    pub fn integer(&self, value: u64) -> Element {
        let mut out = vec![BigUint::ZERO; self.degree()];
        out[0] = BigUint::from(value) % &self.p;
        out
    }

    /// Edges (0, 1, p - 1, all coefficients p - 1), then pseudo-random elements.
    pub fn samples(&self, n: usize, seed: u64) -> Vec<Element> {
        let mut state = seed;
        let mut next = || {
            // SplitMix64.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        let minus_one = &self.p - 1u32;
        (0..n)
            .map(|i| match (i + seed as usize) % 11 {
                0 => self.integer(0),
                1 => self.integer(1),
                2 => self.sub(&self.integer(0), &self.integer(1)),
                3 => vec![minus_one.clone(); self.degree()],
                _ => (0..self.degree())
                    .map(|_| BigUint::from_slice(&(0..28).map(|_| next() as u32).collect::<Vec<_>>()) % &self.p)
                    .collect(),
            })
            .collect()
    }

    pub fn add(&self, a: &Element, b: &Element) -> Element {
        a.iter().zip(b).map(|(x, y)| (x + y) % &self.p).collect()
    }

    pub fn sub(&self, a: &Element, b: &Element) -> Element {
        a.iter().zip(b).map(|(x, y)| (x + &self.p - y) % &self.p).collect()
    }

    fn small(&self, w: i64, x: &BigUint) -> BigUint {
        let magnitude = x * w.unsigned_abs() % &self.p;
        if w < 0 { (&self.p - magnitude) % &self.p } else { magnitude }
    }

    /// The product of polynomials, reduced by `x^d = w`.
    fn reduced_product(&self, a: &[BigUint], b: &[BigUint], w: i64) -> Element {
        let d = a.len();
        let mut out = vec![BigUint::ZERO; d];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                let product = x * y % &self.p;
                let term = if i + j < d { product } else { self.small(w, &product) };
                out[(i + j) % d] = (&out[(i + j) % d] + term) % &self.p;
            }
        }
        out
    }

    pub fn mul(&self, a: &Element, b: &Element) -> Element {
        match self.extension {
            Extension::None => vec![&a[0] * &b[0] % &self.p],
            Extension::Quadratic(w) | Extension::Quartic(w) => self.reduced_product(a, b, w),
            Extension::ComplexTower(re, im) => {
                // (A + B·u)(C + D·u) = AC + (re + im·i)·BD + (AD + BC)·u over the complex numbers of the prime field.
                let times = |x: &[BigUint], y: &[BigUint]| self.reduced_product(x, y, -1);
                let (a0, a1, b0, b1) = (&a[..2], &a[2..], &b[..2], &b[2..]);
                let u2 = vec![BigUint::from(re as u64), BigUint::from(im as u64)];
                let low = self.add(&times(a0, b0), &times(&u2, &times(a1, b1)));
                let high = self.add(&times(a0, b1), &times(a1, b0));
                [low, high].concat()
            }
        }
    }

    pub fn pow(&self, a: &Element, exponent: &BigUint) -> Element {
        let mut out = self.integer(1);
        for i in (0..exponent.bits()).rev() {
            out = self.mul(&out, &out);
            if exponent.bit(i) {
                out = self.mul(&out, a);
            }
        }
        out
    }

    /// The inverse by Lagrange's theorem, zero for zero. Only for fields.
    pub fn inverse(&self, a: &Element) -> Element {
        let order = self.p.pow(self.degree() as u32);
        self.pow(a, &(order - 2u32))
    }

    /// Whether every nonzero element has an inverse.
    pub fn is_field(&self) -> bool {
        self.id != FieldId::M31Extension
    }

    /// Embed an element of the scalar field.
    pub fn embed(&self, a: &Element) -> Element {
        let mut out = a.clone();
        out.resize(self.degree(), BigUint::ZERO);
        out
    }

    /// `R` of Montgomery form: two to the bits of a coefficient's memory form.
    pub fn montgomery_factor(&self) -> Element {
        self.embed(&vec![(BigUint::from(1u32) << (32 * self.words)) % &self.p])
    }
}
