//! The libraries of others, each called as its users call it.
#![allow(unsafe_code)]

use ark_ec::short_weierstrass::{Affine, Projective, SWCurveConfig};
use ark_ec::{CurveConfig, CurveGroup, VariableBaseMSM};
use ark_ff::{BigInteger, Fp, PrimeField};

/// A multiplication that is ready to run, its result in affine form.
type Call<P> = Box<dyn FnMut() -> Affine<P> + Send>;

/// Takes points and scalars into a library's own form.
type Prepare<P> = fn(&[Affine<P>], &[<P as CurveConfig>::ScalarField]) -> Call<P>;

/// A library.
pub struct Peer<P: SWCurveConfig> {
    pub name: &'static str,
    pub prepare: Prepare<P>,
}

pub fn arkworks<P: SWCurveConfig>() -> Peer<P> {
    Peer {
        name: "arkworks",
        prepare: |points, scalars| {
            let (points, scalars) = (points.to_vec(), scalars.to_vec());
            Box::new(move || Projective::<P>::msm_unchecked(&points, &scalars).into_affine())
        },
    }
}

/// The bytes of a number, little-endian.
fn bytes<F: PrimeField>(value: F) -> Vec<u8> {
    value.into_bigint().to_bytes_le()
}

pub fn blst() -> Peer<ark_bls12_381::g1::Config> {
    use blst::*;
    // Both keep numbers in Montgomery form of six words.
    fn from(x: blst_fp) -> ark_bls12_381::Fq {
        Fp::new_unchecked(ark_ff::BigInt(x.l))
    }
    Peer {
        name: "blst",
        prepare: |points, scalars| {
            let fp = |x: ark_bls12_381::Fq| blst_fp { l: x.0.0 };
            let points: Vec<_> = points.iter().map(|p| blst_p1_affine { x: fp(p.x), y: fp(p.y) }).collect();
            let scalars: Vec<u8> = scalars.iter().flat_map(|&s| bytes(s)).collect();
            Box::new(move || {
                let sum = match rayon::current_num_threads() {
                    1 => one_thread(&points, &scalars),
                    // On all processors.
                    _ => points.mult(&scalars, 255),
                };
                let mut affine = blst_p1_affine::default();
                // SAFETY: both are valid for the call.
                unsafe { blst_p1_to_affine(&mut affine, &sum) };
                Affine::new_unchecked(from(affine.x), from(affine.y))
            })
        },
    }
}

/// Its multiplication without its pool of threads.
fn one_thread(points: &[blst::blst_p1_affine], scalars: &[u8]) -> blst::blst_p1 {
    let mut sum = blst::blst_p1::default();
    // An array of pointers that ends with null says that what follows the first is contiguous.
    let (points_at, scalars_at) = ([points.as_ptr(), std::ptr::null()], [scalars.as_ptr(), std::ptr::null()]);
    // SAFETY: as many points and scalars of 32 bytes as said, and the scratch memory it asks for.
    unsafe {
        let size = blst::blst_p1s_mult_pippenger_scratch_sizeof(points.len());
        let mut scratch = vec![0u64; size.div_ceil(8)];
        let (points_at, scalars_at) = (points_at.as_ptr(), scalars_at.as_ptr());
        blst::blst_p1s_mult_pippenger(&mut sum, points_at, points.len(), scalars_at, 255, scratch.as_mut_ptr());
    }
    sum
}

/// A function that prepares halo2curves' multiplication on one of its curves. Arguments: its name, ours in arkworks, theirs.
macro_rules! halo2 {
    ($name:ident, $config:ty, $field:ty, $module:ident, $fq:ident) => {
        pub fn $name() -> Peer<$config> {
            use halo2curves::$module::{Fr, G1Affine, $fq};
            fn number<F: ff::PrimeField>(bytes: &[u8]) -> F {
                let mut repr = F::Repr::default();
                repr.as_mut().copy_from_slice(bytes);
                F::from_repr(repr).unwrap_or(F::ZERO)
            }
            Peer {
                name: "halo2curves",
                prepare: |points, scalars| {
                    let point = |p: &Affine<$config>| G1Affine { x: number(&bytes(p.x)), y: number(&bytes(p.y)) };
                    let points: Vec<G1Affine> = points.iter().map(point).collect();
                    let scalars: Vec<Fr> = scalars.iter().map(|&s| number(&bytes(s))).collect();
                    Box::new(move || {
                        let sum: G1Affine = group::Curve::to_affine(&halo2curves::msm::msm_best(&scalars, &points));
                        let field = |x: &$fq| <$field>::from_le_bytes_mod_order(ff::PrimeField::to_repr(x).as_ref());
                        Affine::new_unchecked(field(&sum.x), field(&sum.y))
                    })
                },
            }
        }
    };
}

halo2!(halo2_bn254, ark_bn254::g1::Config, ark_bn254::Fq, bn256, Fq);
halo2!(halo2_bls12_381, ark_bls12_381::g1::Config, ark_bls12_381::Fq, bls12381, Fq);
