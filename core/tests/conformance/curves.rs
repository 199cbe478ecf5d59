//! Curve groups against arkworks: multi-scalar multiplication in all its options, conversions.

use crate::{PLACES, Where, call, offered};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{BigInteger, Field, One, PrimeField, Zero};
use icicle::device::Launch;
use icicle::ops::msm::{MsmConfig, msm, precompute};
use icicle::ops::point::{PointForm, convert_montgomery};
use icicle::ops::{Domain, Op};
use icicle::{CURVES, CurveId, Device};

/// Run a generic function for the arkworks group of a curve id.
macro_rules! with_group {
    ($id:expr, $f:ident) => {
        match $id {
            CurveId::Bn254 => $f::<ark_bn254::G1Projective>($id),
            CurveId::Bn254G2 => $f::<ark_bn254::G2Projective>($id),
            CurveId::Bls12_381 => $f::<ark_bls12_381::G1Projective>($id),
            CurveId::Bls12_381G2 => $f::<ark_bls12_381::G2Projective>($id),
            CurveId::Bls12_377 => $f::<ark_bls12_377::G1Projective>($id),
            CurveId::Bls12_377G2 => $f::<ark_bls12_377::G2Projective>($id),
            CurveId::Bw6_761 => $f::<ark_bw6_761::G1Projective>($id),
            CurveId::Bw6_761G2 => $f::<ark_bw6_761::G2Projective>($id),
            CurveId::Grumpkin => $f::<ark_grumpkin::Projective>($id),
        }
    };
}

pub fn check(_: Device) {
    for row in CURVES {
        with_group!(row.id, group);
    }
}

pub fn words<F: Field>(x: &F) -> Vec<u32>
where
    F::BasePrimeField: PrimeField,
{
    x.to_base_prime_field_elements()
        .flat_map(|c| {
            c.into_bigint()
                .to_bytes_le()
                .chunks(4)
                .map(|b| u32::from_le_bytes(b.try_into().unwrap()))
                .collect::<Vec<_>>()
        })
        .collect()
}

pub fn field<F: Field>(words: &[u32]) -> F
where
    F::BasePrimeField: PrimeField,
{
    let each = words.len() / F::extension_degree() as usize;
    let coefficient = |w: &[u32]| {
        F::BasePrimeField::from_le_bytes_mod_order(&w.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>())
    };
    F::from_base_prime_field_elems(words.chunks(each).map(coefficient)).unwrap()
}

pub fn affine<G: CurveGroup>(points: &[G::Affine]) -> Vec<u32>
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let zero = G::BaseField::zero();
    points
        .iter()
        .flat_map(|p| p.xy().map_or([words(&zero), words(&zero)], |(x, y)| [words(&x), words(&y)]).concat())
        .collect()
}

/// Whether projective words are a point.
pub fn is<G: CurveGroup>(got: &[u32], expected: &G) -> bool
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let each = got.len() / 3;
    let [x, y, z] = [0, 1, 2].map(|i| field::<G::BaseField>(&got[i * each..(i + 1) * each]));
    match expected.into_affine().xy() {
        None => x.is_zero() && !y.is_zero() && z.is_zero(),
        Some((ex, ey)) => !z.is_zero() && ex * z == x && ey * z == y,
    }
}

/// A deterministic mix of points: multiples of the generator with zeros, repetitions and opposites among them.
pub fn points<G: CurveGroup>(n: usize, seed: u64) -> Vec<G::Affine> {
    let mut p = G::generator() * G::ScalarField::from(seed);
    let all: Vec<G> = (0..n)
        .map(|i| {
            p = if i % 5 == 4 { p } else { p.double() + G::generator() };
            match i % 9 {
                3 => G::zero(),
                5 => -p,
                _ => p,
            }
        })
        .collect();
    G::normalize_batch(&all)
}

/// A deterministic mix of scalars: 0, 1, r - 1, powers of two, small, full, repeated.
pub fn scalars<F: PrimeField>(n: usize, seed: u64) -> Vec<F> {
    let mut x = F::from(seed + 2);
    (0..n)
        .map(|i| {
            x = x.square() + F::from(7u64);
            match i % 8 {
                0 => F::zero(),
                1 => F::one(),
                2 => -F::one(),
                3 => F::from(2u64).pow([(i % F::MODULUS_BIT_SIZE as usize) as u64 / 2]),
                4 => F::from(5u64),
                _ => x,
            }
        })
        .collect()
}

pub fn scalar_words<F: PrimeField>(scalars: &[F]) -> Vec<u32> {
    scalars.iter().flat_map(words).collect()
}

fn sum<G: CurveGroup>(points: &[G::Affine], scalars: &[G::ScalarField]) -> G {
    points.iter().zip(scalars).map(|(p, s)| *p * *s).sum()
}

fn group<G: CurveGroup>(id: CurveId)
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
    G::ScalarField: PrimeField,
{
    let row = id.info();
    let out_words = 3 * row.base.info().bytes() / 4;
    for place in PLACES {
        if offered(Op::EcNtt, Domain::Curve(id)) {
            crate::points::transforms::<G>(id, place);
        }
        crate::groups::check::<G>(id, place);
        if !offered(Op::Msm, Domain::Curve(id)) {
            continue;
        }
        for n in [0, 1, 2, 3, 33, 130] {
            let (p, s) = (points::<G>(n, 3), scalars::<G::ScalarField>(n, 1));
            let expected: G = sum(&p, &s);
            for c in [0, 1, 4, 7, 13] {
                let config = MsmConfig { c, ..MsmConfig::default() };
                let got = call(place, &[&scalar_words(&s), &affine::<G>(&p)], out_words, |src, out| {
                    msm(id, n, src[0], src[1], &config, out)
                });
                assert!(is(&got, &expected), "{} msm {n} c {c} {place:?}", row.name);
            }
        }
        batches::<G>(id, place, out_words);
        precomputed::<G>(id, place, out_words);
        skewed::<G>(id, place, out_words);
        montgomery::<G>(id, place, out_words);
    }
}

fn batches<G: CurveGroup>(id: CurveId, place: Where, out_words: usize)
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let (n, batch) = (20, 3);
    let s = scalars::<G::ScalarField>(n * batch, 5);
    for shared_points in [true, false] {
        let p = points::<G>(if shared_points { n } else { n * batch }, 7);
        let config = MsmConfig { batch, shared_points, ..MsmConfig::default() };
        let got = call(place, &[&scalar_words(&s), &affine::<G>(&p)], batch * out_words, |src, out| {
            msm(id, n, src[0], src[1], &config, out)
        });
        for b in 0..batch {
            let set = if shared_points { &p[..] } else { &p[b * n..(b + 1) * n] };
            let expected: G = sum(set, &s[b * n..(b + 1) * n]);
            assert!(is(&got[b * out_words..(b + 1) * out_words], &expected), "{} batch {b} {place:?}", id.info().name);
        }
    }
    // Scalars of few bits.
    let p = points::<G>(n, 2);
    let small: Vec<G::ScalarField> = (0..n as u64).map(|i| G::ScalarField::from(i * i * 31 % 1024)).collect();
    let config = MsmConfig { bitsize: 10, ..MsmConfig::default() };
    let got = call(place, &[&scalar_words(&small), &affine::<G>(&p)], out_words, |src, out| {
        msm(id, n, src[0], src[1], &config, out)
    });
    assert!(is::<G>(&got, &sum(&p, &small)), "{} bitsize 10 {place:?}", id.info().name);
}

fn precomputed<G: CurveGroup>(id: CurveId, place: Where, out_words: usize)
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let n = 17;
    let (p, s) = (points::<G>(n, 4), scalars::<G::ScalarField>(n, 3));
    let bases = affine::<G>(&p);
    for (precompute_factor, c) in [(1, 0), (2, 5), (3, 0), (8, 11)] {
        let config = MsmConfig { precompute_factor, c, ..MsmConfig::default() };
        let expanded =
            call(place, &[&bases], bases.len() * precompute_factor, |src, out| precompute(id, n, src[0], &config, out));
        let got = call(place, &[&scalar_words(&s), &expanded], out_words, |src, out| {
            msm(id, n, src[0], src[1], &config, out)
        });
        assert!(is::<G>(&got, &sum(&p, &s)), "{} precomputed {precompute_factor} c {c} {place:?}", id.info().name);
    }
}

/// Scalars that fill few buckets, over multiples of the generator, whose sum is one multiplication; and scalars whose every
/// bit is set, which carry out of every digit, where the multiples' distance divides the scalar's bits and where not.
fn skewed<G: CurveGroup>(id: CurveId, place: Where, out_words: usize)
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let n = 1300u64;
    let multiples: Vec<G> =
        std::iter::successors(Some(G::generator()), |p| Some(*p + G::generator())).take(n as usize).collect();
    let p = G::normalize_batch(&multiples);
    let (bases, uniform) = (affine::<G>(&p), scalars::<G::ScalarField>(n as usize, 11));
    let value = uniform[13];
    let short = |bits: u32| G::ScalarField::from(2u64).pow([u64::from(G::ScalarField::MODULUS_BIT_SIZE - bits)]);
    type Skew<'a, F> = (&'a str, &'a dyn Fn(u64) -> F);
    let skews: [Skew<'_, G::ScalarField>; 5] = [
        ("all equal", &|_| value),
        ("half equal", &|i| if i % 2 == 0 { value } else { uniform[i as usize] }),
        ("zeros and ones", &|i| G::ScalarField::from(i % 2)),
        ("high digits alone", &|i| short(4) * G::ScalarField::from(i % 3)),
        ("all -1", &|_| -G::ScalarField::one()),
    ];
    for (what, skew) in skews {
        let s: Vec<G::ScalarField> = (0..n).map(skew).collect();
        let log: G::ScalarField = s.iter().zip(1u64..).map(|(s, i)| *s * G::ScalarField::from(i)).sum();
        let config = MsmConfig::default();
        let got = call(place, &[&scalar_words(&s), &bases], out_words, |src, out| {
            msm(id, n as usize, src[0], src[1], &config, out)
        });
        assert!(is::<G>(&got, &(G::generator() * log)), "{} {what} {place:?}", id.info().name);
    }
    let (n, p) = (30, &p[..30]);
    for (bitsize, precompute_factor, c) in [(128, 1, 0), (128, 2, 8), (128, 2, 16), (128, 8, 16), (250, 3, 7)] {
        let ones = G::ScalarField::from(2u64).pow([u64::from(bitsize)]) - G::ScalarField::one();
        let s = vec![ones; n];
        let config = MsmConfig { bitsize, precompute_factor, c, ..MsmConfig::default() };
        let few = affine::<G>(p);
        let expanded =
            call(place, &[&few], few.len() * precompute_factor, |src, out| precompute(id, n, src[0], &config, out));
        let got = call(place, &[&scalar_words(&s), &expanded], out_words, |src, out| {
            msm(id, n, src[0], src[1], &config, out)
        });
        let what = format!("bitsize {bitsize} factor {precompute_factor} c {c}");
        assert!(is::<G>(&got, &sum(p, &s)), "{} {what} {place:?}", id.info().name);
    }
}

/// `x·R` of every coordinate, by arkworks.
fn in_montgomery_form<G: CurveGroup>(id: CurveId, affine: &[u32]) -> Vec<u32>
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let bytes = id.info().base.info().bytes();
    let bits = 8 * bytes as u64 / G::BaseField::extension_degree();
    let r = <G::BaseField as Field>::BasePrimeField::from(2u64).pow([bits]);
    let convert = |x: &[u32]| words(&field::<G::BaseField>(x).mul_by_base_prime_field(&r));
    affine.chunks(bytes / 4).flat_map(convert).collect()
}

/// Conversions, and each flag of the multiplication and of the expansion of bases on its own and with the others.
fn montgomery<G: CurveGroup>(id: CurveId, place: Where, out_words: usize)
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let n = 40;
    let (p, s) = (points::<G>(n, 6), scalars::<G::ScalarField>(n, 9));
    let (bases, launch, name) = (affine::<G>(&p), Launch::default(), id.info().name);
    let converted = in_montgomery_form::<G>(id, &bases);
    for (input, to, expected) in [(&bases, true, &converted), (&converted, false, &bases)] {
        let got = call(place, &[input], bases.len(), |src, out| {
            convert_montgomery(id, PointForm::Affine, n, src[0], to, &launch, out)
        });
        assert!(got == *expected, "{name} to Montgomery form {to} {place:?}");
    }
    let scalar_r = G::ScalarField::from(2u64).pow([8 * id.info().scalar.info().bytes() as u64]);
    let in_form: Vec<G::ScalarField> = s.iter().map(|s| *s * scalar_r).collect();
    for (scalars_montgomery, points_montgomery) in [(false, false), (true, false), (false, true), (true, true)] {
        let of = |precompute_factor| MsmConfig {
            scalars_montgomery,
            points_montgomery,
            precompute_factor,
            ..MsmConfig::default()
        };
        let scalars = scalar_words(if scalars_montgomery { &in_form } else { &s });
        let bases = if points_montgomery { &converted } else { &bases };
        let what = format!("{name} scalars {scalars_montgomery} points {points_montgomery} {place:?}");
        let got = call(place, &[&scalars, bases], out_words, |src, out| msm(id, n, src[0], src[1], &of(1), out));
        assert!(is::<G>(&got, &sum(&p, &s)), "{what}");
        // The same multiples in either form.
        let factor = 3;
        let plain = call(place, &[&affine::<G>(&p)], factor * bases.len(), |src, out| {
            precompute(id, n, src[0], &MsmConfig { points_montgomery: false, ..of(factor) }, out)
        });
        let expected = if points_montgomery { in_montgomery_form::<G>(id, &plain) } else { plain };
        let expanded =
            call(place, &[bases], factor * bases.len(), |src, out| precompute(id, n, src[0], &of(factor), out));
        assert!(expanded == expected, "{what}: multiples");
        let got =
            call(place, &[&scalars, &expanded], out_words, |src, out| msm(id, n, src[0], src[1], &of(factor), out));
        assert!(is::<G>(&got, &sum(&p, &s)), "{what}: of multiples");
    }
}
