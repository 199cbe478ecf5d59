//! Polynomials modulo Xᴺ + 1 over the torus: exact products by a key, and rotations.

use crate::fourier::Fourier;
use crate::lines::Lines;
use icicle_error::Result;
use zeroize::ZeroizeOnDrop;

/// A polynomial of bits, transformed, to multiply others by exactly.
///
/// A factor is cut into halves of 32 bits: products of those by bits have at most 32 + 11 bits, and doubles give them to within a
/// fraction, so that rounding makes them exact. Time does not depend on the bits.
#[derive(ZeroizeOnDrop)]
pub(crate) struct KeyPolynomial {
    #[zeroize(skip)]
    fourier: Fourier,
    values: Lines<f64>,
}

/// Memory that [`KeyPolynomial::add_product`] works in. It holds products by a key, which say no more than they do.
#[derive(ZeroizeOnDrop)]
pub(crate) struct ProductScratch {
    values: Lines<f64>,
    product: Lines<f64>,
}

impl KeyPolynomial {
    /// Transform a polynomial of bits.
    pub(crate) fn new(op: &'static str, bits: &[u64]) -> Result<Self> {
        let fourier = Fourier::new(op, bits.len())?;
        let mut key = Self { values: Lines::filled(op, fourier.len(), 0.0)?, fourier };
        key.values.iter_mut().zip(bits).for_each(|(to, &bit)| *to = bit as f64);
        key.fourier.forward(&mut key.values);
        Ok(key)
    }

    /// Memory for products.
    pub(crate) fn scratch(&self, op: &'static str) -> Result<ProductScratch> {
        let values = || Lines::filled(op, self.fourier.len(), 0.0);
        Ok(ProductScratch { values: values()?, product: values()? })
    }

    /// Add the product of the key and a polynomial to another.
    pub(crate) fn add_product(&self, by: &[u64], to: &mut [u64], scratch: &mut ProductScratch) {
        let ProductScratch { values, product } = scratch;
        for shift in [0, 32] {
            values.iter_mut().zip(by).for_each(|(to, &word)| *to = f64::from((word >> shift) as u32));
            self.fourier.forward(values);
            self.fourier.product(values, &self.values, product);
            self.fourier.inverse(product);
            let (low, high) = to.split_at_mut(self.fourier.len() / 2);
            for ((re, im), (low, high)) in self.fourier.coefficients(product).zip(low.iter_mut().zip(high)) {
                let integer = |x: f64| (x.round_ties_even() as i64 as u64) << shift;
                *low = low.wrapping_add(integer(re));
                *high = high.wrapping_add(integer(im));
            }
        }
    }
}

#[cfg(test)]
/// Write the product of a polynomial and Xᵈ, of `d` below 2N.
pub(crate) fn rotate(from: &[u64], d: usize, to: &mut [u64]) {
    let n = from.len();
    let (shift, negative) = (d % n, d >= n);
    let (kept, wrapped) = from.split_at(n - shift);
    let (front, back) = to.split_at_mut(shift);
    let sign = |word: u64, negative: bool| if negative { word.wrapping_neg() } else { word };
    front.iter_mut().zip(wrapped).for_each(|(to, &word)| *to = sign(word, !negative));
    back.iter_mut().zip(kept).for_each(|(to, &word)| *to = sign(word, negative));
}

/// The product modulo Xᴺ + 1 by its definition, exact.
#[cfg(test)]
pub(crate) fn oracle(a: &[u64], b: &[u64]) -> Vec<u64> {
    let n = a.len();
    let mut product = vec![0u64; n];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            let term = x.wrapping_mul(*y);
            let to = &mut product[(i + j) % n];
            *to = if i + j < n { to.wrapping_add(term) } else { to.wrapping_sub(term) };
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Seed;

    #[test]
    fn products_by_a_key_are_exact() {
        for n in [16, 256, 2048] {
            let mut stream = Seed::known(4).stream(n);
            let (mut bits, mut words) = (vec![0; n], vec![0; n]);
            stream.bits(&mut bits);
            stream.uniform(&mut words);
            let key = KeyPolynomial::new("test", &bits).unwrap();
            let mut got = vec![5; n];
            let mut scratch = key.scratch("test").unwrap();
            key.add_product(&words, &mut got, &mut scratch);
            let expected: Vec<u64> = oracle(&bits, &words).iter().map(|word| word.wrapping_add(5)).collect();
            assert_eq!(got, expected, "{n}");
            // The largest sums there are.
            let key = KeyPolynomial::new("test", &vec![1; n]).unwrap();
            let mut got = vec![0; n];
            key.add_product(&vec![u64::MAX; n], &mut got, &mut scratch);
            assert_eq!(got, oracle(&vec![1; n], &vec![u64::MAX; n]), "{n}");
        }
    }

    #[test]
    fn rotations_are_products_by_powers() {
        let from: Vec<u64> = (1..=8).collect();
        for d in 0..16 {
            let mut power = vec![0; 8];
            power[d % 8] = if d < 8 { 1 } else { u64::MAX };
            let mut to = vec![0; 8];
            rotate(&from, d, &mut to);
            assert_eq!(to, oracle(&from, &power), "{d}");
        }
    }
}
