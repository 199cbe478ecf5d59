//! Against arkworks and Plonky3.

use super::*;
use ark_ff::BigInt;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use icicle_algebra::fields;
use p3_dft::{Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::{PrimeField64, TwoAdicField, integers::QuotientMap};
use p3_matrix::{Matrix, dense::RowMajorMatrix};

const LOG_N: u32 = 12;

fn ours<F: PrimeField>(field: FieldId, direction: Direction, coset: Option<F>, x: &[F]) -> Vec<F> {
    domain(field);
    let config = NttConfig { coset: coset.map(PrimeField::words), ..NttConfig::default() };
    let out = run::<F>(field, x.len().trailing_zeros(), direction, &config, &raw(x), false).unwrap();
    out.into_iter().map(F::from_raw).collect()
}

/// Compare with arkworks' field of `N` limbs; both use the same root of unity.
fn arkworks<F: PrimeField, A: ark_ff::PrimeField<BigInt = BigInt<N>>, const N: usize>(field: FieldId) {
    if !field.is_built() {
        return;
    }
    let x: Vec<F> = random(1 << LOG_N, 12);
    let theirs = |x: F| A::from_bigint(BigInt(std::array::from_fn(|i| x.words()[i]))).unwrap();
    let back = |x: A| F::from_words(&x.into_bigint().0);
    let input: Vec<A> = x.iter().copied().map(theirs).collect();
    let plain = Radix2EvaluationDomain::<A>::new(1 << LOG_N).unwrap();
    for coset in [None, Some(F::from_u64(7)), Some(x[0])] {
        let domain = coset.map_or(plain, |g| plain.get_coset(theirs(g)).unwrap());
        for direction in DIRECTIONS {
            let want = match direction {
                Direction::Forward => domain.fft(&input),
                Direction::Inverse => domain.ifft(&input),
            };
            let want: Vec<F> = want.into_iter().map(back).collect();
            assert!(ours(field, direction, coset, &x) == want, "{field:?} {direction:?} {coset:?}");
        }
    }
}

#[test]
fn curve_fields_match_arkworks() {
    arkworks::<fields::Bn254Scalar, ark_bn254::Fr, 4>(FieldId::Bn254Scalar);
    arkworks::<fields::Bls12_381Scalar, ark_bls12_381::Fr, 4>(FieldId::Bls12_381Scalar);
    arkworks::<fields::Bls12_377Scalar, ark_bls12_377::Fr, 4>(FieldId::Bls12_377Scalar);
    arkworks::<fields::Bw6_761Scalar, ark_bw6_761::Fr, 6>(FieldId::Bw6_761Scalar);
}

/// Compare with Plonky3, over the domain of its root of unity.
fn plonky3<F: PrimeField, A: TwoAdicField + PrimeField64 + QuotientMap<u64>>(field: FieldId) {
    if !field.is_built() {
        return;
    }
    let x: Vec<F> = random(1 << LOG_N, 13);
    let theirs = |x: F| <A as QuotientMap<u64>>::from_int(x.words()[0]);
    let back = |x: A| F::from_u64(x.as_canonical_u64());
    let w = back(A::two_adic_generator(LOG_N as usize));
    assert_eq!(w, root::<F>(LOG_N), "{field:?}: the same root");
    let matrix = || RowMajorMatrix::new(x.iter().copied().map(theirs).collect(), 1);
    let values = |m: RowMajorMatrix<A>| m.values.into_iter().map(back).collect::<Vec<F>>();
    let dft = Radix2DitParallel::<A>::default();
    let forward = values(dft.dft_batch(matrix()).to_row_major_matrix());
    assert!(ours(field, Direction::Forward, None, &x) == forward, "{field:?} forward");
    let shift = A::GENERATOR;
    let forward = values(dft.coset_dft_batch(matrix(), shift).to_row_major_matrix());
    assert!(ours(field, Direction::Forward, Some(back(shift)), &x) == forward, "{field:?} coset");
    let inverse = values(dft.coset_idft_batch(matrix(), shift).to_row_major_matrix());
    assert!(ours(field, Direction::Inverse, Some(back(shift)), &x) == inverse, "{field:?} inverse coset");
}

#[test]
fn small_fields_match_plonky3() {
    plonky3::<fields::BabyBearScalar, p3_baby_bear::BabyBear>(FieldId::BabyBearScalar);
    plonky3::<fields::KoalaBearScalar, p3_koala_bear::KoalaBear>(FieldId::KoalaBearScalar);
    plonky3::<fields::GoldilocksScalar, p3_goldilocks::Goldilocks>(FieldId::GoldilocksScalar);
}
