//! Transforms of points against their definition.

use super::*;
use crate::ntt::ecntt;
use icicle_algebra::curve::{Affine, Bls12_377, Bls12_381, Bn254, Bw6_761, Curve, Group, Jacobian, Projective};
use icicle_device::Dst;
use icicle_error::ErrorCode;
use icicle_params::CURVES;

type Raw<C> = [<<C as Curve>::Base as Field>::Raw; 3];

/// Multiples of the generator, a neutral element among them.
fn multiples<C: Curve>(n: usize, seed: u64) -> Vec<C::Scalar> {
    (0..n as u64).map(|i| C::Scalar::from_u64(if i == 2 { 0 } else { seed + i * i })).collect()
}

fn points<C: Curve>(scalars: &[C::Scalar]) -> Vec<Projective<C>> {
    scalars.iter().map(|&s| Projective::from(C::GENERATOR).times_scalar(s)).collect()
}

/// Raw points whose denominators are not 1.
fn input<C: Curve>(points: &[Projective<C>]) -> Vec<Raw<C>> {
    let by = C::Base::from_u64(77);
    points.iter().map(|p| Projective::<C> { x: p.x * by, y: p.y * by, z: p.z * by }.to_raw()).collect()
}

fn normal<C: Curve>(points: &[Projective<C>]) -> Vec<Raw<C>> {
    points.iter().map(|p| Projective::from(p.to_affine()).to_raw()).collect()
}

/// The transform of `s_i·G` is the transform of `s`, times `G`; scalars are transformed by the field's transform, which
/// has its own tests, and independently summed here for the natural order.
fn check<C: Curve>(log_n: u32) -> Result<()>
where
    Raw<C>: bytemuck::Pod,
{
    let field = C::ID.info().scalar;
    if !C::ID.is_built() {
        return Ok(());
    }
    domain(field);
    let coset = Some(C::Scalar::from_u64(9).words());
    for (batch, columns) in [(1, false), (2, false), (3, true)] {
        let scalars = multiples::<C>(batch << log_n, 3);
        let data = input(&points::<C>(&scalars));
        for direction in DIRECTIONS {
            for ordering in ORDERINGS {
                let config = NttConfig { batch, columns, ordering, coset, ..NttConfig::default() };
                let values = run::<C::Scalar>(field, log_n, direction, &config, &raw(&scalars), false)?;
                let values: Vec<_> = values.into_iter().map(C::Scalar::from_raw).collect();
                let want = normal(&points::<C>(&values));
                let mut out = data.clone();
                let dst = Dst::from(&mut out);
                ecntt(C::ID, 1 << log_n, direction, &config, dst.as_src(), dst)?;
                assert!(out == want, "{:?} 2^{log_n} {direction:?} {config:?}", C::ID);
            }
        }
    }
    Ok(())
}

#[test]
fn points_transform_as_their_scalars_do() {
    for log_n in 0..=2 {
        check::<Bn254>(log_n).unwrap();
    }
    check::<Bls12_381>(2).unwrap();
    check::<Bls12_377>(2).unwrap();
    check::<Bw6_761>(1).unwrap();
}

/// `X[k] = Σ w^(jk)·P[j]`, point by point.
fn definition<C: Curve>()
where
    Raw<C>: bytemuck::Pod,
{
    const LOG_N: u32 = 4;
    if !C::ID.is_built() {
        return;
    }
    domain(C::ID.info().scalar);
    let x = points::<C>(&multiples::<C>(1 << LOG_N, 5));
    let w = root::<C::Scalar>(LOG_N);
    let want: Vec<_> = (0..1u64 << LOG_N)
        .map(|k| {
            let terms = x.iter().enumerate().map(|(j, p)| p.times_scalar(w.pow(&[j as u64 * k])));
            terms.fold(Projective::NEUTRAL, |a, b| a + b)
        })
        .collect();
    let data = input(&x);
    let mut out = data.clone();
    let config = NttConfig::default();
    ecntt(C::ID, 1 << LOG_N, Direction::Forward, &config, (&data).into(), (&mut out).into()).unwrap();
    assert!(out == normal(&want), "{:?}", C::ID);
}

#[test]
fn point_transforms_match_their_definition() {
    definition::<Bn254>();
    definition::<Bls12_381>();
    definition::<Bls12_377>();
    definition::<Bw6_761>();
}

/// Equal points sum to one multiple of 16 and otherwise cancel: the edges of the addition law.
#[test]
fn a_constant_transforms_to_a_peak() {
    domain(FieldId::Bn254Scalar);
    let generator = Projective::<Bn254>::from(Bn254::GENERATOR);
    let data = vec![generator.to_raw(); 16];
    let mut out = data.clone();
    let config = NttConfig::default();
    ecntt(Bn254::ID, 16, Direction::Forward, &config, (&data).into(), (&mut out).into()).unwrap();
    let neutral = Projective::<Bn254>::from(Affine::NEUTRAL).to_raw();
    assert_eq!(out[0], Projective::from(Group::to_affine(Jacobian::from(Bn254::GENERATOR).times(&[16]))).to_raw());
    assert!(out[1..].iter().all(|p| *p == neutral));
}

#[test]
fn curves_of_the_table_have_it() {
    for row in CURVES {
        let bytes = 3 * row.base.info().bytes();
        let (data, mut out) = (vec![0u8; bytes], vec![0u8; bytes]);
        if row.ecntt {
            domain(row.scalar);
        }
        let done = ecntt(row.id, 1, Direction::Forward, &NttConfig::default(), (&data).into(), (&mut out).into());
        match done {
            Ok(()) => assert!(row.ecntt),
            Err(err) => assert!(!row.ecntt && err.code == ErrorCode::Unsupported, "{err}"),
        }
    }
}
