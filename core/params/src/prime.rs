//! The primes.

use crate::derive::*;
use core::hash::Hash;

/// A prime modulus and what follows from it. `N` is the number of 64-bit limbs.
///
/// Montgomery form means `x·R mod p` with `R = 2^(64N)`; 31-bit fields use `R = 2^32` and derive their own constants.
pub trait Prime<const N: usize>: Copy + Eq + Hash + Send + Sync + 'static {
    /// Name, such as `bn254_fr`.
    const NAME: &'static str;
    /// The prime.
    const MODULUS: [u64; N];
    /// A generator of the multiplicative group.
    const GENERATOR: u64;
    /// Significant bits of the prime.
    const BITS: u32 = bits(&Self::MODULUS);
    /// `-p⁻¹ mod 2⁶⁴`.
    const INV: u64 = negated_inverse_64(Self::MODULUS[0]);
    /// `R mod p`.
    const R: [u64; N] = power_of_two_mod(64 * N as u32, Self::MODULUS);
    /// `R² mod p`.
    const R2: [u64; N] = power_of_two_mod(128 * N as u32, Self::MODULUS);
    /// Largest `s` with `2^s | p - 1`.
    const TWO_ADICITY: u32 = two_adicity(&Self::MODULUS);
    /// A primitive `2^TWO_ADICITY`-th root of unity, `g^((p-1)/2^s)`, in Montgomery form.
    const ROOT: [u64; N] = {
        let mut one = [0u64; N];
        one[0] = 1;
        let mut g = [0u64; N];
        g[0] = Self::GENERATOR;
        let g = montgomery_mul(g, Self::R2, Self::MODULUS, Self::INV);
        let odd = shift_right(wrapping_sub(Self::MODULUS, one), Self::TWO_ADICITY);
        let root = montgomery_pow(g, odd, Self::R, Self::MODULUS, Self::INV);
        // The order is exactly 2^s: squared s-1 times it is -1.
        let mut x = root;
        let mut i = 1;
        while i < Self::TWO_ADICITY {
            x = montgomery_mul(x, x, Self::MODULUS, Self::INV);
            i += 1;
        }
        let minus_one = wrapping_sub(Self::MODULUS, Self::R);
        assert!(!less(&x, &minus_one) && !less(&minus_one, &x), "not a quadratic non-residue");
        root
    };
}

/// Check that `root` (canonical) has the order `2^log_order` exactly.
const fn has_order<const N: usize, P: Prime<N>>(root: [u64; N], log_order: u32) -> bool {
    let mut x = montgomery_mul(root, P::R2, P::MODULUS, P::INV);
    let mut i = 1;
    while i < log_order {
        x = montgomery_mul(x, x, P::MODULUS, P::INV);
        i += 1;
    }
    let minus_one = wrapping_sub(P::MODULUS, P::R);
    !less(&x, &minus_one) && !less(&minus_one, &x)
}

/// A root of unity that is chosen, not derived.
#[derive(Clone, Copy, Debug)]
pub struct ChosenRoot {
    /// A primitive `2^two_adicity`-th root of unity, canonical little-endian 64-bit limbs.
    pub root: &'static [u64],
    /// Where it is chosen.
    pub source: &'static str,
}

/// One row of the table of primes, for consumers that enumerate at run time or at build time.
#[derive(Clone, Copy, Debug)]
pub struct PrimeInfo {
    /// Name, such as `bn254_fr`.
    pub name: &'static str,
    /// Little-endian 64-bit limbs.
    pub modulus: &'static [u64],
    /// Significant bits.
    pub bits: u32,
    /// A generator of the multiplicative group.
    pub generator: u64,
    /// Largest `s` with `2^s | p - 1`.
    pub two_adicity: u32,
    /// Where the prime is defined.
    pub source: &'static str,
    /// ICICLE's root of unity, where it is another than the one derived from the generator.
    pub icicle_root: Option<ChosenRoot>,
}

/// Declare the primes: a marker type implementing [`Prime`] and a row of [`PRIMES`] for each.
/// Arguments: type, name, limbs, modulus in hexadecimal, generator, source; ICICLE's root where it is another, its source.
macro_rules! primes {
    (@ $ty:ident $n:literal) => { None };
    (@ $ty:ident $n:literal $root:literal $source:literal) => {{
        const ROOT: [u64; $n] = hex($root);
        assert!(has_order::<$n, $ty>(ROOT, <$ty as Prime<$n>>::TWO_ADICITY), "not a primitive root");
        Some(ChosenRoot { root: &ROOT, source: $source })
    }};
    ($($ty:ident $name:literal $n:literal $hex:literal generator $g:literal source $source:literal
        $(icicle_root $root:literal source $root_source:literal)?;)*) => {
        $(
            #[doc = concat!("The prime `", $name, "` = `0x", $hex, "` (<", $source, ">).")]
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
            pub struct $ty;
            impl Prime<$n> for $ty {
                const NAME: &'static str = $name;
                const MODULUS: [u64; $n] = hex($hex);
                const GENERATOR: u64 = $g;
            }
            impl $ty {
                /// This prime's row.
                pub const INFO: PrimeInfo = PrimeInfo {
                    name: $name,
                    modulus: &<$ty as Prime<$n>>::MODULUS,
                    bits: <$ty as Prime<$n>>::BITS,
                    generator: $g,
                    two_adicity: <$ty as Prime<$n>>::TWO_ADICITY,
                    source: $source,
                    icicle_root: primes!(@ $ty $n $($root $root_source)?),
                };
            }
            // Evaluates the root of unity, and with it every derived constant.
            const _: [u64; $n] = <$ty as Prime<$n>>::ROOT;
        )*
        /// Every prime.
        pub const PRIMES: &[PrimeInfo] = &[$($ty::INFO),*];
    };
}

primes! {
    Bn254Fr "bn254_fr" 4 "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001" generator 5
        source "https://eips.ethereum.org/EIPS/eip-197";
    Bn254Fq "bn254_fq" 4 "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47" generator 3
        source "https://eips.ethereum.org/EIPS/eip-197";
    Bls12_381Fr "bls12_381_fr" 4 "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001" generator 7
        source "https://www.ietf.org/archive/id/draft-irtf-cfrg-pairing-friendly-curves-11.html#section-4.2.1"
        icicle_root "212d79e5b416b6f0fd56dc8d168d6c0c4024ff270b3e0941b788f500b912f1f"
        source "https://github.com/ingonyama-zk/icicle/blob/v4.0.0/icicle/include/icicle/fields/snark_fields/bls12_381_scalar.h";
    Bls12_381Fq "bls12_381_fq" 6
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab" generator 2
        source "https://www.ietf.org/archive/id/draft-irtf-cfrg-pairing-friendly-curves-11.html#section-4.2.1";
    Bls12_377Fr "bls12_377_fr" 4 "12ab655e9a2ca55660b44d1e5c37b00159aa76fed00000010a11800000000001" generator 22
        source "https://eprint.iacr.org/2018/962";
    Bls12_377Fq "bls12_377_fq" 6
        "1ae3a4617c510eac63b05c06ca1493b1a22d9f300f5138f1ef3622fba094800170b5d44300000008508c00000000001" generator 15
        source "https://eprint.iacr.org/2018/962";
    Bw6_761Fq "bw6_761_fq" 12
        "122e824fb83ce0ad187c94004faff3eb926186a81d14688528275ef8087be41707ba638e584e91903cebaff25b423048689c8ed12f9fd9071dcd3dc73ebff2e98a116c25667a8f8160cf8aeeaf0a437e6913e6870000082f49d00000000008b"
        generator 2 source "https://eprint.iacr.org/2020/351";
    Stark252 "stark252" 4 "800000000000011000000000000000000000000000000000000000000000001" generator 3
        source "https://docs.starknet.io/learn/protocol/cryptography";
    BabyBear "babybear" 1 "78000001" generator 31 source "https://eprint.iacr.org/2023/824"
        icicle_root "89" source "https://github.com/risc0/risc0/blob/v1.0.0/risc0/core/src/field/baby_bear.rs";
    KoalaBear "koalabear" 1 "7f000001" generator 3 source "https://eprint.iacr.org/2024/1046";
    Goldilocks "goldilocks" 1 "ffffffff00000001" generator 7 source "https://eprint.iacr.org/2022/274";
    Mersenne31 "m31" 1 "7fffffff" generator 7 source "https://eprint.iacr.org/2024/278";
}
