//! What the oracle takes from the table, against published values written down here: primes, extensions, roots of unity.

use icicle::ops::ntt::{icicle_root_of_unity, root_of_unity};
use icicle::{FIELDS, FieldId};
use icicle_params::Extension;
use num_bigint::BigUint;

/// Each prime as its definition has it, and a generator of its multiplicative group.
fn prime(id: FieldId) -> (BigUint, u32) {
    use FieldId as Id;
    let two = |exponent: u32| BigUint::from(1u32) << exponent;
    let of = |hex: &str| BigUint::parse_bytes(hex.as_bytes(), 16).unwrap();
    // Barreto-Naehrig and Barreto-Lynn-Scott curves are polynomials in one parameter.
    let x = BigUint::from(4965661367192848881u64);
    let bn = |middle: u32, x: &BigUint| 36u32 * x.pow(4) + 36u32 * x.pow(3) + middle * x.pow(2) + 6u32 * x + 1u32;
    // The parameter of BLS12-381 is negative: only even powers and differences are taken of its magnitude.
    let (z, u) = (BigUint::from(0xd201000000010000u64), BigUint::from(0x8508c00000000001u64));
    let order = |z: &BigUint| z.pow(4) - z.pow(2) + 1u32;
    match id {
        Id::Bn254Scalar | Id::GrumpkinBase => (bn(18, &x), 5),
        Id::Bn254Base | Id::Bn254G2Base | Id::GrumpkinScalar => (bn(24, &x), 3),
        Id::Bls12_381Scalar => (order(&z), 7),
        Id::Bls12_381Base | Id::Bls12_381G2Base => ((&z + 1u32).pow(2) * order(&z) / 3u32 - &z, 2),
        Id::Bls12_377Scalar => (order(&u), 22),
        Id::Bls12_377Base | Id::Bls12_377G2Base | Id::Bw6_761Scalar => ((&u - 1u32).pow(2) * order(&u) / 3u32 + &u, 15),
        Id::Bw6_761Base | Id::Bw6_761G2Base => (
            of("122e824fb83ce0ad187c94004faff3eb926186a81d14688528275ef8087be41707ba638e584e91903cebaff25b423048\
                689c8ed12f9fd9071dcd3dc73ebff2e98a116c25667a8f8160cf8aeeaf0a437e6913e6870000082f49d00000000008b"),
            2,
        ),
        Id::Stark252Scalar => (two(251) + 17u32 * two(192) + 1u32, 3),
        Id::BabyBearScalar | Id::BabyBearExtension => (15u32 * two(27) + 1u32, 31),
        Id::KoalaBearScalar | Id::KoalaBearExtension => (127u32 * two(24) + 1u32, 3),
        Id::M31Scalar | Id::M31Extension | Id::M31Qm31 => (two(31) - 1u32, 7),
        Id::GoldilocksScalar | Id::GoldilocksExtension => (two(64) - two(32) + 1u32, 7),
    }
}

fn number(words: &[u64]) -> BigUint {
    BigUint::from_slice(&words.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect::<Vec<_>>())
}

#[test]
fn primes_and_extensions_are_the_published_ones() {
    for row in FIELDS {
        assert_eq!(number(row.prime.modulus), prime(row.id).0, "{:?}", row.id);
        let extension = match row.id {
            FieldId::Bn254G2Base | FieldId::Bls12_381G2Base => Extension::Quadratic(-1),
            FieldId::Bls12_377G2Base => Extension::Quadratic(-5),
            FieldId::BabyBearExtension => Extension::Quartic(11),
            FieldId::KoalaBearExtension => Extension::Quartic(3),
            FieldId::M31Extension => Extension::Quartic(-1),
            FieldId::M31Qm31 => Extension::ComplexTower(2, 1),
            FieldId::GoldilocksExtension => Extension::Quadratic(7),
            _ => Extension::None,
        };
        assert_eq!(row.extension, extension, "{:?}", row.id);
        let limbs = prime(row.id).0.bits().div_ceil(32) as usize;
        assert_eq!(row.bytes(), 4 * limbs * extension.degree(), "{:?}", row.id);
    }
}

#[test]
fn roots_of_unity_are_powers_of_a_generator() {
    for row in FIELDS.iter().filter(|row| row.ntt && row.id.scalar() == row.id) {
        let (p, generator) = prime(row.id);
        let (one, most) = (BigUint::from(1u32), (&p - 1u32).trailing_zeros().unwrap() as u32);
        for log_n in 0..=most.min(63) {
            let root = number(&root_of_unity(row.id, 1u64 << log_n).unwrap());
            assert_eq!(root, BigUint::from(generator).modpow(&((&p - 1u32) >> log_n), &p), "{:?} 2^{log_n}", row.id);
            // Of exactly this order.
            assert_eq!(root.modpow(&(&one << log_n), &p), one, "{:?} 2^{log_n}", row.id);
            if log_n > 0 {
                assert_eq!(root.modpow(&(&one << (log_n - 1)), &p), &p - 1u32, "{:?} 2^{log_n}", row.id);
            }
        }
        assert!(most >= 63 || root_of_unity(row.id, 2u64 << most).is_err(), "{:?}", row.id);
    }
}

/// ICICLE's choice has the same orders, and is another one in two fields.
#[test]
fn roots_of_icicle_have_their_orders() {
    for row in FIELDS.iter().filter(|row| row.ntt && row.id.scalar() == row.id) {
        let (p, one) = (prime(row.id).0, BigUint::from(1u32));
        let most = (&p - 1u32).trailing_zeros().unwrap() as u32;
        for log_n in 1..=most.min(63) {
            let (root, ours) =
                (icicle_root_of_unity(row.id, 1 << log_n).unwrap(), root_of_unity(row.id, 1 << log_n).unwrap());
            assert_eq!(number(&root).modpow(&(&one << (log_n - 1)), &p), &p - 1u32, "{:?} 2^{log_n}", row.id);
            let another = matches!(row.id, FieldId::Bls12_381Scalar | FieldId::BabyBearScalar) && log_n > 1;
            assert!(another || root == ours, "{:?} 2^{log_n}", row.id);
            assert!(log_n < most || (root != ours) == another, "{:?} 2^{log_n}", row.id);
        }
        assert!(most >= 63 || icicle_root_of_unity(row.id, 2 << most).is_err(), "{:?}", row.id);
    }
}
