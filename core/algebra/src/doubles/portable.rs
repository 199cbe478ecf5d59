//! Vectors of doubles on any processor.

use super::instructions::Doubles;

/// Two numbers, without any instructions of vectors that not every processor has.
#[derive(Clone, Copy)]
pub(super) struct Portable;

/// a·b + c. Processors of that architecture all have an instruction for it; elsewhere it would be a call.
#[inline(always)]
fn mul_add(a: f64, b: f64, c: f64) -> f64 {
    if cfg!(target_arch = "aarch64") { a.mul_add(b, c) } else { a * b + c }
}

/// A real number modulo 1 as a word. Adding 3·2⁵¹ rounds to an integer, and the rest plus 1.5 lies in [1, 2], whose mantissa is
/// the rest plus a half.
#[inline(always)]
fn fraction(x: f64) -> u64 {
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let rest = x - ((x + ROUND) - ROUND);
    ((rest + 1.5).to_bits() << 12).wrapping_sub(1 << 63)
}

impl Doubles for Portable {
    const COUNT: usize = 2;
    const RADIX_LOG: u32 = 2;
    type V = [f64; 2];
    type Block = [f64; 2];
    type Words = [u64; 2];

    #[inline(always)]
    fn blocks(from: &[f64]) -> &[[f64; 2]] {
        from.as_chunks().0
    }
    #[inline(always)]
    fn blocks_mut(from: &mut [f64]) -> &mut [[f64; 2]] {
        from.as_chunks_mut().0
    }
    #[inline(always)]
    fn words_mut(from: &mut [u64]) -> &mut [[u64; 2]] {
        from.as_chunks_mut().0
    }
    #[inline(always)]
    fn load(self, from: &[f64; 2]) -> [f64; 2] {
        *from
    }
    #[inline(always)]
    fn store(self, x: [f64; 2], to: &mut [f64; 2]) {
        *to = x;
    }
    #[inline(always)]
    fn splat(self, x: f64) -> [f64; 2] {
        [x; 2]
    }
    #[inline(always)]
    fn add(self, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        [a[0] + b[0], a[1] + b[1]]
    }
    #[inline(always)]
    fn sub(self, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        [a[0] - b[0], a[1] - b[1]]
    }
    #[inline(always)]
    fn mul(self, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        [a[0] * b[0], a[1] * b[1]]
    }
    #[inline(always)]
    fn mul_add(self, a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> [f64; 2] {
        [mul_add(a[0], b[0], c[0]), mul_add(a[1], b[1], c[1])]
    }
    #[inline(always)]
    fn mul_sub(self, a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> [f64; 2] {
        [mul_add(a[0], b[0], -c[0]), mul_add(a[1], b[1], -c[1])]
    }
    #[inline(always)]
    fn sub_mul(self, a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> [f64; 2] {
        [mul_add(-a[0], b[0], c[0]), mul_add(-a[1], b[1], c[1])]
    }
    #[inline(always)]
    fn exchange(self, _: usize, a: [f64; 2], b: [f64; 2]) -> [[f64; 2]; 2] {
        [[a[0], b[0]], [a[1], b[1]]]
    }
    #[inline(always)]
    fn add_fraction(self, x: [f64; 2], to: &mut [u64; 2]) {
        *to = [to[0].wrapping_add(fraction(x[0])), to[1].wrapping_add(fraction(x[1]))];
    }
}
