//! Inverses modulo an odd prime by division steps.
//!
//! Bernstein, Yang, "Fast constant-time gcd computation and modular inversion", <https://eprint.iacr.org/2019/266>: 62
//! division steps at a time depend on the low bits of `f` and `g` alone; their matrix is then applied to the long
//! numbers. The time depends on the value: no secrets here.

/// Steps whose matrix is applied at once; also the bits of a limb.
const STEPS: u32 = 62;
const MASK: i64 = (1 << STEPS) - 1;
/// Limbs of the longest numbers: 12 words, a sign, and room for a multiple of the modulus.
const LIMBS: usize = 13;

/// A signed number: limbs of 62 bits from 0 to `2^62 - 1`, but the topmost with the sign.
type Long = [i64; LIMBS];

/// `2^62` times the effect of [`STEPS`] steps: `(f, g) ↦ (u·f + v·g, q·f + r·g) / 2^62`.
struct Matrix {
    u: i64,
    v: i64,
    q: i64,
    r: i64,
}

/// A number with `0 < x < 2p` such that `a·x = 1 mod p`, if `a` and `p` are coprime; `p` odd, at most 12 words.
///
/// `inv` is `-p⁻¹ mod 2^64`.
pub(super) fn inverse<const N: usize>(a: &[u64; N], p: &[u64; N], inv: u64) -> Option<[u64; N]> {
    let limbs = N + 1;
    let modulus = split(p);
    let (mut f, mut g) = (modulus, split(a));
    // f = d·a and g = e·a modulo p.
    let (mut d, mut e): (Long, Long) = ([0; LIMBS], [0; LIMBS]);
    e[0] = 1;
    let mut delta = 1i64;
    // Theorem 11.2 of the paper: this many steps suffice for numbers of 64N bits.
    let rounds = ((49 * 64 * N as u32 + 57) / 17).div_ceil(STEPS);
    for _ in 0..rounds {
        if g[..limbs].iter().all(|&limb| limb == 0) {
            break;
        }
        let matrix = steps(&mut delta, f[0] as u64 | (f[1] as u64) << STEPS, g[0] as u64 | (g[1] as u64) << STEPS);
        (f, g) = apply(&matrix, &f, &g, None, limbs);
        (d, e) = apply(&matrix, &d, &e, Some((&modulus, inv)), limbs);
    }
    let negative = f[limbs - 1] < 0;
    let magnitude_one = if negative {
        f[..limbs - 1].iter().all(|&l| l == MASK) && f[limbs - 1] == -1
    } else {
        f[0] == 1 && f[1..limbs].iter().all(|&l| l == 0)
    };
    magnitude_one.then(|| join(&reduced(d, negative, &modulus, limbs)))
}

/// 62 division steps on the low words of odd `f` and of `g`.
fn steps(delta: &mut i64, mut f: u64, mut g: u64) -> Matrix {
    let (mut u, mut v, mut q, mut r) = (1i64, 0i64, 0i64, 1i64);
    let mut left = STEPS;
    loop {
        // Steps with even g halve it; doubling the other row keeps the matrix integral.
        let even = (g | u64::MAX << left).trailing_zeros();
        g >>= even;
        (u, v) = (u << even, v << even);
        *delta += even as i64;
        left -= even;
        if left == 0 {
            return Matrix { u, v, q, r };
        }
        if *delta > 0 {
            *delta = -*delta;
            (f, g) = (g, f.wrapping_neg());
            (u, q) = (q, -u);
            (v, r) = (r, -v);
        }
        // Until delta is positive again f stays; the multiple of f that clears g's low bits does those steps at once.
        // f² = 1 mod 8, so f·(2 - f²) inverts f modulo 64.
        let bits = left.min((1 - *delta).min(6) as u32);
        let multiple = g.wrapping_mul(f).wrapping_mul(f.wrapping_mul(f).wrapping_sub(2)) & ((1 << bits) - 1);
        g = g.wrapping_add(f.wrapping_mul(multiple));
        q += u * multiple as i64;
        r += v * multiple as i64;
    }
}

/// Both rows of a matrix over `2^62`; modulo `p` if given, which makes the division exact by adding a multiple of `p`
/// of at most `p/2` after it. Without a modulus it is exact already.
#[inline(always)]
fn apply(m: &Matrix, a: &Long, b: &Long, modulus: Option<(&Long, u64)>, limbs: usize) -> (Long, Long) {
    let row = |x: i64, y: i64| {
        let low = (x as i128 * a[0] as i128 + y as i128 * b[0] as i128) as u64;
        // Centred, so that the result grows by half a modulus at most.
        let times = modulus.map_or(0, |(_, inv)| (low.wrapping_mul(inv) << 2) as i64 >> 2);
        let mut out = [0; LIMBS];
        let mut carry = 0i128;
        for i in 0..limbs {
            let p = modulus.map_or(0, |(p, _)| p[i]);
            carry += x as i128 * a[i] as i128 + y as i128 * b[i] as i128 + times as i128 * p as i128;
            if i > 0 {
                out[i - 1] = carry as i64 & MASK;
            }
            carry >>= STEPS;
        }
        out[limbs - 1] = carry as i64;
        out
    };
    (row(m.u, m.v), row(m.q, m.r))
}

/// `±d` reduced below the modulus; at most some ten multiples of it away.
fn reduced(d: Long, negate: bool, modulus: &Long, limbs: usize) -> Long {
    let combine = |a: &Long, sign: i64, b: &Long| {
        let mut out = [0; LIMBS];
        let mut carry = 0;
        for i in 0..limbs {
            let sum = a[i] + sign * b[i] + carry;
            out[i] = if i + 1 < limbs { sum & MASK } else { sum };
            carry = sum >> STEPS;
        }
        out
    };
    let mut x = if negate { combine(&[0; LIMBS], -1, &d) } else { d };
    while x[limbs - 1] < 0 {
        x = combine(&x, 1, modulus);
    }
    loop {
        let less = combine(&x, -1, modulus);
        if less[limbs - 1] < 0 {
            return x;
        }
        x = less;
    }
}

fn split<const N: usize>(words: &[u64; N]) -> Long {
    let bits = STEPS as usize;
    std::array::from_fn(|i| {
        let word = |k: usize| words.get(k).copied().unwrap_or(0) as u128;
        let (index, offset) = (bits * i / 64, bits * i % 64);
        ((word(index) | word(index + 1) << 64) >> offset) as i64 & MASK
    })
}

fn join<const N: usize>(limbs: &Long) -> [u64; N] {
    let bits = STEPS as usize;
    std::array::from_fn(|k| {
        let limb = |i: usize| limbs.get(i).copied().unwrap_or(0) as u128;
        let (index, offset) = (64 * k / bits, 64 * k % bits);
        ((limb(index) | limb(index + 1) << bits | limb(index + 2) << (2 * bits)) >> offset) as u64
    })
}
