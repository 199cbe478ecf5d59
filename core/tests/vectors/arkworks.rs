//! Prime fields against arkworks.

use super::*;
use ark_ff::{BigInteger, PrimeField};
use icicle::algebra::{PrimeField as _, fields};
use icicle::ops::vector::{self as v, Binary};

/// `n` pairs, all pairs of edges first.
fn check<F: Field, A: PrimeField>(id: FieldId) {
    if !id.is_built() {
        return;
    }
    let edges = [F::ZERO, F::ONE, -F::ONE, F::from_u64(2)];
    let (mut a, mut b) = (data::<F>(id, 500, 1), data::<F>(id, 500, 2));
    for i in 0..16 {
        (a[i], b[i]) = (edges[i / 4].to_raw(), edges[i % 4].to_raw());
    }
    let lift = |raw: &F::Raw| A::from_le_bytes_mod_order(bytemuck::bytes_of(raw));
    let bytes = |x: A| {
        let mut bytes = x.into_bigint().to_bytes_le();
        bytes.resize(F::Prime::BYTES, 0);
        bytes
    };
    let config = VectorConfig::default();
    let mut out = a.clone();
    for op in [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div] {
        v::binary(op, id, 500, (&a).into(), (&b).into(), &config, (&mut out).into()).unwrap();
        for i in 0..500 {
            let (x, y) = (lift(&a[i]), lift(&b[i]));
            let expected = match op {
                Binary::Add => x + y,
                Binary::Sub => x - y,
                Binary::Mul => x * y,
                Binary::Div => x * y.inverse().unwrap_or_default(),
            };
            assert_eq!(bytemuck::bytes_of(&out[i]), bytes(expected), "{id:?} {op:?} {i}");
        }
    }
    v::inv(id, 500, (&a).into(), &config, (&mut out).into()).unwrap();
    for i in 0..500 {
        assert_eq!(bytemuck::bytes_of(&out[i]), bytes(lift(&a[i]).inverse().unwrap_or_default()), "{id:?} inverse {i}");
    }
}

#[test]
fn curve_fields_agree_with_arkworks() {
    check::<fields::Bn254Scalar, ark_bn254::Fr>(FieldId::Bn254Scalar);
    check::<fields::Bn254Base, ark_bn254::Fq>(FieldId::Bn254Base);
    check::<fields::Bls12_381Scalar, ark_bls12_381::Fr>(FieldId::Bls12_381Scalar);
    check::<fields::Bls12_381Base, ark_bls12_381::Fq>(FieldId::Bls12_381Base);
    check::<fields::Bls12_377Scalar, ark_bls12_377::Fr>(FieldId::Bls12_377Scalar);
    check::<fields::Bls12_377Base, ark_bls12_377::Fq>(FieldId::Bls12_377Base);
    check::<fields::Bw6_761Base, ark_bw6_761::Fq>(FieldId::Bw6_761Base);
    check::<fields::GrumpkinScalar, ark_grumpkin::Fr>(FieldId::GrumpkinScalar);
}

/// The same three fields through arkworks' own Montgomery arithmetic, from their moduli.
macro_rules! small {
    ($config:ident, $field:ident, $modulus:literal, $generator:literal) => {
        #[derive(ark_ff::MontConfig)]
        #[modulus = $modulus]
        #[generator = $generator]
        struct $config;
        type $field = ark_ff::Fp64<ark_ff::MontBackend<$config, 1>>;
    };
}
small!(BabyBearConfig, ArkBabyBear, "2013265921", "31");
small!(KoalaBearConfig, ArkKoalaBear, "2130706433", "3");
small!(M31Config, ArkM31, "2147483647", "7");
small!(GoldilocksConfig, ArkGoldilocks, "18446744069414584321", "7");

#[test]
fn small_fields_agree_with_arkworks() {
    check::<fields::BabyBearScalar, ArkBabyBear>(FieldId::BabyBearScalar);
    check::<fields::KoalaBearScalar, ArkKoalaBear>(FieldId::KoalaBearScalar);
    check::<fields::M31Scalar, ArkM31>(FieldId::M31Scalar);
    check::<fields::GoldilocksScalar, ArkGoldilocks>(FieldId::GoldilocksScalar);
}
