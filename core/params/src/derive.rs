//! Constants derived from a modulus at compile time.
//!
//! Numbers are little-endian arrays of 64-bit limbs. Every function is `const`, so a wrong row fails to compile.

/// Parse a hexadecimal number (no prefix, at most `16·N` digits).
pub const fn hex<const N: usize>(text: &str) -> [u64; N] {
    let s = text.as_bytes();
    assert!(s.len() <= 16 * N, "number does not fit its limbs");
    let mut out = [0u64; N];
    let mut i = 0;
    while i < s.len() {
        let c = s[s.len() - 1 - i];
        let digit = match c {
            b'0'..=b'9' => c - b'0',
            b'a'..=b'f' => c - b'a' + 10,
            _ => panic!("not a lower-case hexadecimal digit"),
        };
        out[i / 16] |= (digit as u64) << (4 * (i % 16));
        i += 1;
    }
    out
}

/// Number of significant bits.
pub const fn bits(a: &[u64]) -> u32 {
    let mut i = a.len();
    while i > 0 {
        i -= 1;
        if a[i] != 0 {
            return 64 * i as u32 + 64 - a[i].leading_zeros();
        }
    }
    0
}

/// `a < b`.
pub const fn less(a: &[u64], b: &[u64]) -> bool {
    let mut i = a.len();
    while i > 0 {
        i -= 1;
        if a[i] != b[i] {
            return a[i] < b[i];
        }
    }
    false
}

/// `a - b` modulo `2^(64N)`.
pub const fn wrapping_sub<const N: usize>(a: [u64; N], b: [u64; N]) -> [u64; N] {
    let mut out = [0u64; N];
    let mut borrow = 0u64;
    let mut i = 0;
    while i < N {
        let (d, b1) = a[i].overflowing_sub(b[i]);
        let (d, b2) = d.overflowing_sub(borrow);
        out[i] = d;
        borrow = (b1 | b2) as u64;
        i += 1;
    }
    out
}

/// `2a mod p` for `a < p`.
pub const fn double_mod<const N: usize>(a: [u64; N], p: [u64; N]) -> [u64; N] {
    let mut out = [0u64; N];
    let mut carry = 0u64;
    let mut i = 0;
    while i < N {
        out[i] = (a[i] << 1) | carry;
        carry = a[i] >> 63;
        i += 1;
    }
    if carry != 0 || !less(&out, &p) { wrapping_sub(out, p) } else { out }
}

/// `2^exponent mod p`.
pub const fn power_of_two_mod<const N: usize>(exponent: u32, p: [u64; N]) -> [u64; N] {
    let mut out = [0u64; N];
    out[0] = 1;
    let mut i = 0;
    while i < exponent {
        out = double_mod(out, p);
        i += 1;
    }
    out
}

/// `-p⁻¹ mod 2⁶⁴` by Newton's iteration; the Montgomery constant.
pub const fn negated_inverse_64(p0: u64) -> u64 {
    assert!(p0 & 1 == 1, "modulus must be odd");
    let mut inv = 1u64;
    let mut i = 0;
    while i < 6 {
        inv = inv.wrapping_mul(2u64.wrapping_sub(p0.wrapping_mul(inv)));
        i += 1;
    }
    inv.wrapping_neg()
}

/// Montgomery product `a·b·2^(-64N) mod p`, operands below `p`.
pub const fn montgomery_mul<const N: usize>(a: [u64; N], b: [u64; N], p: [u64; N], inv: u64) -> [u64; N] {
    let mut t = [0u64; N];
    let mut over = 0u64;
    let mut i = 0;
    while i < N {
        let mut carry = 0u64;
        let mut j = 0;
        while j < N {
            let s = t[j] as u128 + a[i] as u128 * b[j] as u128 + carry as u128;
            t[j] = s as u64;
            carry = (s >> 64) as u64;
            j += 1;
        }
        let (top, top_carry) = over.overflowing_add(carry);
        let m = t[0].wrapping_mul(inv);
        let mut carry = ((t[0] as u128 + m as u128 * p[0] as u128) >> 64) as u64;
        let mut j = 1;
        while j < N {
            let s = t[j] as u128 + m as u128 * p[j] as u128 + carry as u128;
            t[j - 1] = s as u64;
            carry = (s >> 64) as u64;
            j += 1;
        }
        let (last, c) = top.overflowing_add(carry);
        t[N - 1] = last;
        over = top_carry as u64 + c as u64;
        i += 1;
    }
    if over != 0 || !less(&t, &p) { wrapping_sub(t, p) } else { t }
}

/// `base^exponent` in Montgomery form, `one` being `R mod p`.
pub const fn montgomery_pow<const N: usize>(
    base: [u64; N],
    exponent: [u64; N],
    one: [u64; N],
    p: [u64; N],
    inv: u64,
) -> [u64; N] {
    let mut out = one;
    let mut i = bits(&exponent);
    while i > 0 {
        i -= 1;
        out = montgomery_mul(out, out, p, inv);
        if exponent[i as usize / 64] >> (i % 64) & 1 == 1 {
            out = montgomery_mul(out, base, p, inv);
        }
    }
    out
}

/// Largest `s` with `2^s | p - 1`.
pub const fn two_adicity(p: &[u64]) -> u32 {
    let mut i = 0;
    let mut zeros = 0;
    while i < p.len() {
        let limb = if i == 0 { p[0] - 1 } else { p[i] };
        if limb != 0 {
            return zeros + limb.trailing_zeros();
        }
        zeros += 64;
        i += 1;
    }
    zeros
}

/// `a >> shift`.
pub const fn shift_right<const N: usize>(a: [u64; N], shift: u32) -> [u64; N] {
    let (words, rest) = ((shift / 64) as usize, shift % 64);
    let mut out = [0u64; N];
    let mut i = 0;
    while i + words < N {
        out[i] = a[i + words] >> rest;
        if rest != 0 && i + words + 1 < N {
            out[i] |= a[i + words + 1] << (64 - rest);
        }
        i += 1;
    }
    out
}
