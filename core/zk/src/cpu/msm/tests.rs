//! The multiplication against double-and-add and arkworks, for every curve and shape of input.

use crate::cpu::reference;
use crate::msm::{MsmConfig, msm, precompute};
use crate::testing::ark::{ArkGroup, Reference, from_ark, to_ark_scalar};
use crate::testing::samples::{Words, samples};
use ark_ec::{CurveGroup, VariableBaseMSM};
use icicle_algebra::curve::{Affine, Curve, Group, Jacobian, Normalizer, Projective};
use icicle_algebra::with_curve;
use icicle_algebra::{Field, PrimeField};
use icicle_device::{Dst, Src};
use icicle_params::{CURVES, CurveId};

type Scalars<C> = Vec<<C as Curve>::Scalar>;

/// Distinct points: multiples of the generator from a random one on.
fn points<C: Curve>(n: usize) -> Vec<Affine<C>> {
    let step = Jacobian::from(C::GENERATOR).times(&[Words(n as u64).next()]);
    let multiples: Vec<_> = std::iter::successors(Some(step), |p| Some(p.double() + C::GENERATOR)).take(n).collect();
    let mut out = vec![Affine::NEUTRAL; n];
    Normalizer::new("test", n).unwrap().normalize(&multiples, &mut out);
    out
}

/// Random scalars, edges first.
fn scalars<C: Curve>(n: usize) -> Scalars<C> {
    let mut all = samples::<C::Scalar>(n.max(5), n as u64);
    all.truncate(n);
    all
}

/// Run the operation on raw inputs; the results' raw bytes are checked to be normalised.
fn raw_msm<C: Curve>(
    n: usize,
    scalars: &[<C::Scalar as Field>::Raw],
    bases: &[[<C::Base as Field>::Raw; 2]],
    config: &MsmConfig,
) -> Vec<Affine<C>> {
    let mut out = vec![Projective::<C>::NEUTRAL.to_raw(); config.batch];
    out.iter_mut().for_each(|p| bytemuck::bytes_of_mut(p).fill(0xa5));
    msm(C::ID, n, Src::from(scalars), Src::from(bases), config, Dst::from(&mut out)).unwrap();
    let points: Vec<_> = out.iter().map(|&raw| Projective::<C>::from_raw(raw)).collect();
    for (point, raw) in points.iter().zip(out) {
        assert_eq!(Projective::<C>::from(point.to_affine()).to_raw(), raw, "{:?} output not normalised", C::ID);
    }
    points.iter().map(|p| p.to_affine()).collect()
}

fn run<C: Curve>(scalars: &Scalars<C>, points: &[Affine<C>], config: &MsmConfig) -> Vec<Affine<C>> {
    let scalars: Vec<_> = scalars.iter().map(|s| s.to_raw()).collect();
    let points: Vec<_> = points.iter().map(|p| p.to_raw()).collect();
    raw_msm(scalars.len() / config.batch, &scalars, &points, config)
}

fn oracle<C: Curve>(scalars: &[C::Scalar], points: &[Affine<C>]) -> Affine<C> {
    let words: Vec<_> = scalars.iter().map(|s| s.words()[..C::Scalar::WORDS].to_vec()).collect();
    reference::msm(&words, points)
}

fn sizes<C: Curve>() {
    let sizes = [0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 255, 256, 257, 1000];
    for n in if C::ID == CurveId::Bn254 { &sizes[..] } else { &sizes[..10] }.iter().copied() {
        let (scalars, points) = (scalars::<C>(n), points::<C>(n));
        let got = run::<C>(&scalars, &points, &MsmConfig::default());
        assert_eq!(got, [oracle(&scalars, &points)], "{:?} n {n}", C::ID);
    }
}

fn widths<C: Curve>() {
    let (scalars, points) = (scalars::<C>(90), points::<C>(90));
    let expected = [oracle(&scalars, &points)];
    for c in (1..=16).chain([24]) {
        let config = MsmConfig { c, ..MsmConfig::default() };
        assert_eq!(run::<C>(&scalars, &points, &config), expected, "{:?} c {c}", C::ID);
    }
    for bitsize in [1, 2, 15, 16, 17, 63, 64, 65, 128, C::Scalar::BITS - 1, C::Scalar::BITS] {
        let mask = |s: &C::Scalar| {
            let mut words = s.words();
            words.iter_mut().enumerate().for_each(|(i, word)| {
                let keep = (bitsize as usize).saturating_sub(64 * i).min(64);
                *word &= if keep == 64 { u64::MAX } else { (1 << keep) - 1 };
            });
            C::Scalar::from_words(&words)
        };
        let small: Vec<_> = scalars.iter().map(mask).collect();
        let expected = [oracle(&small, &points)];
        for (c, factor) in [(0, 1), (5, 1), (16, 1), (0, 3), (3, 2), (7, 8)] {
            let config = MsmConfig { bitsize, c, precompute_factor: factor, ..MsmConfig::default() };
            let bases = expanded::<C>(&points, &config);
            let got = run_expanded::<C>(&small, &bases, &config);
            assert_eq!(got, expected, "{:?} bitsize {bitsize} c {c} factor {factor}", C::ID);
        }
    }
}

fn expanded<C: Curve>(points: &[Affine<C>], config: &MsmConfig) -> Vec<[<C::Base as Field>::Raw; 2]> {
    let raw: Vec<_> = points.iter().map(|p| p.to_raw()).collect();
    let mut out = vec![Affine::<C>::NEUTRAL.to_raw(); raw.len() * config.precompute_factor];
    precompute(C::ID, raw.len(), Src::from(&raw), config, Dst::from(&mut out)).unwrap();
    out
}

fn run_expanded<C: Curve>(
    scalars: &Scalars<C>,
    bases: &[[<C::Base as Field>::Raw; 2]],
    config: &MsmConfig,
) -> Vec<Affine<C>> {
    let raw: Vec<_> = scalars.iter().map(|s| s.to_raw()).collect();
    raw_msm(raw.len() / config.batch, &raw, bases, config)
}

fn precomputed<C: Curve>() {
    let (n, batch) = (40, 2);
    let scalars = scalars::<C>(n * batch);
    for (factor, c, shared) in [(1, 0, true), (2, 0, false), (3, 4, true), (8, 5, false), (3, 16, false), (8, 24, true)]
    {
        let config = MsmConfig { precompute_factor: factor, c, batch, shared_points: shared, ..MsmConfig::default() };
        let points = points::<C>(if shared { n } else { n * batch });
        let bases = expanded::<C>(&points, &config);
        let expected: Vec<_> = (0..batch)
            .map(|i| oracle(&scalars[i * n..][..n], &points[if shared { 0 } else { i * n }..][..n]))
            .collect();
        assert_eq!(run_expanded::<C>(&scalars, &bases, &config), expected, "{:?} factor {factor} c {c}", C::ID);
    }
    // The definition itself: out[factor·i + j] = 2^(shift·j)·P_i.
    let config = MsmConfig { precompute_factor: 3, c: 7, ..MsmConfig::default() };
    let shift = crate::msm::precompute_shift(C::Scalar::BITS, 7, 3);
    let points = points::<C>(4);
    for (i, raw) in expanded::<C>(&points, &config).into_iter().enumerate() {
        let expected = (0..shift * (i as u32 % 3)).fold(Jacobian::from(points[i / 3]), |p, _| p.double());
        assert_eq!(Affine::<C>::from_raw(raw), expected.to_affine(), "{:?} multiple {i}", C::ID);
    }
}

/// Inputs that make runs long, sums neutral, or additions doublings.
fn adversarial<C: Curve>() {
    let n = 150;
    let (random, distinct) = (scalars::<C>(n), points::<C>(n));
    let (zero, one) = (C::Scalar::ZERO, C::Scalar::ONE);
    let repeated = |s: C::Scalar| vec![s; n];
    let negated: Vec<_> = (0..n).map(|i| if i % 2 == 0 { distinct[i / 2] } else { -distinct[i / 2] }).collect();
    let holes: Vec<_> = (0..n).map(|i| if i % 3 == 0 { Affine::NEUTRAL } else { distinct[i] }).collect();
    let few: Vec<_> = (0..n).map(|i| distinct[i % 3]).collect();
    let skewed: Vec<_> = (0..n).map(|i| C::Scalar::from_u64(if i % 50 == 0 { i as u64 } else { 1 << 20 })).collect();
    let bits: Vec<_> = (0..n).map(|i| if i % 2 == 0 { zero } else { one }).collect();
    let pairs: Vec<_> = (0..n).map(|i| random[i / 2 * 2]).collect();
    let all_points = [distinct.clone(), vec![distinct[0]; n], negated, holes, vec![Affine::NEUTRAL; n], few];
    let all_scalars =
        [random.clone(), repeated(zero), repeated(one), repeated(-one), repeated(random[9]), skewed, bits, pairs];
    for (i, points) in all_points.iter().enumerate() {
        for (j, scalars) in all_scalars.iter().enumerate() {
            let got = run::<C>(scalars, points, &MsmConfig::default());
            assert_eq!(got, [oracle(scalars, points)], "{:?} points {i} scalars {j}", C::ID);
        }
    }
}

fn montgomery<C: Curve>() {
    let (n, batch) = (50, 2);
    let (scalars, points) = (scalars::<C>(n * batch), points::<C>(n));
    let expected: Vec<_> = scalars.chunks(n).map(|s| oracle(s, &points)).collect();
    let (rs, rp) = (C::Scalar::montgomery_factor(), <C::Base as Field>::Prime::montgomery_factor());
    for (sm, pm, factor) in [(false, false, 1), (true, false, 1), (false, true, 1), (true, true, 3)] {
        let config = MsmConfig {
            batch,
            scalars_montgomery: sm,
            points_montgomery: pm,
            precompute_factor: factor,
            ..MsmConfig::default()
        };
        let s: Vec<_> = scalars.iter().map(|&s| if sm { s * rs } else { s }).collect();
        let p: Vec<_> = points.iter().map(|&p| if pm { p.scale(rp) } else { p }).collect();
        let got = run_expanded::<C>(&s, &expanded::<C>(&p, &config), &config);
        assert_eq!(got, expected, "{:?} montgomery {sm} {pm}", C::ID);
    }
}

fn agrees_with_arkworks<C: Reference>() {
    let n = 700;
    let scalars = samples::<C::Scalar>(n, 5);
    let theirs: Vec<_> = scalars.iter().map(|&s| to_ark_scalar::<C>(s)).collect();
    let generator = <ArkGroup<C> as ark_ec::PrimeGroup>::generator();
    let points: Vec<_> = theirs.iter().rev().map(|s| (generator * s).into_affine()).collect();
    let expected = ArkGroup::<C>::msm(&points, &theirs).unwrap().into_affine();
    let ours: Vec<_> = points.iter().map(|&p| from_ark::<C>(p)).collect();
    assert_eq!(run::<C>(&scalars, &ours, &MsmConfig::default()), [from_ark::<C>(expected)], "{:?}", C::ID);
}

#[test]
fn every_size_matches_double_and_add() {
    CURVES.iter().for_each(|row| with_curve!(row.id, C => sizes::<C>()));
}

#[test]
fn every_window_and_bitsize_matches_double_and_add() {
    for id in [CurveId::Bn254, CurveId::Bls12_381, CurveId::Bw6_761].into_iter().filter(|id| id.is_built()) {
        with_curve!(id, C => widths::<C>());
    }
}

#[test]
fn precomputed_bases_and_batches_match_double_and_add() {
    CURVES.iter().for_each(|row| with_curve!(row.id, C => precomputed::<C>()));
}

#[test]
fn adversarial_inputs_match_double_and_add() {
    let curves = [CurveId::Bn254, CurveId::Bls12_381, CurveId::Bn254G2, CurveId::Grumpkin];
    for id in curves.into_iter().filter(|id| id.is_built()) {
        with_curve!(id, C => adversarial::<C>());
    }
}

#[test]
fn montgomery_inputs_match_double_and_add() {
    CURVES.iter().for_each(|row| with_curve!(row.id, C => montgomery::<C>()));
}

#[test]
fn msm_agrees_with_arkworks() {
    CURVES.iter().for_each(|row| with_curve!(row.id, C => agrees_with_arkworks::<C>()));
}

/// Many segments, and runs longer than a task's share.
#[test]
fn large_inputs_agree_with_arkworks() {
    type C = icicle_algebra::curve::Bn254;
    let n = (1 << 18) + 4321;
    let mut words = Words(3);
    let mut scalars: Vec<_> =
        (0..n).map(|_| <C as Curve>::Scalar::from_words(&[(); 4].map(|()| words.next()))).collect();
    let points: Vec<_> = points::<C>(1 << 10).into_iter().cycle().take(n).collect();
    for shape in ["random", "long runs"] {
        if shape == "long runs" {
            scalars.iter_mut().skip(n / 3).for_each(|s| *s = -<C as Curve>::Scalar::from_u64(5));
        }
        // The same sum with the coefficients of equal points added up first.
        let mut folded = vec![<C as Curve>::Scalar::ZERO; 1 << 10];
        scalars.iter().enumerate().for_each(|(i, &s)| folded[i % (1 << 10)] += s);
        assert_eq!(
            run::<C>(&scalars, &points, &MsmConfig::default()),
            [oracle(&folded, &points[..1 << 10])],
            "{shape}"
        );
    }
}

/// Runs of one task and of several, and of so many that what is left of them is of several again.
#[test]
fn sums_of_long_runs_match_multiples() {
    use super::sum::{CHUNK, PARTIALS_PER_CHUNK, sum_long};
    use icicle_algebra::curve::pairs::NEGATE;
    type C = icicle_algebra::curve::Bn254;
    let points = points::<C>(1 << 10);
    let held = points[7];
    for n in [
        0,
        1,
        2,
        PARTIALS_PER_CHUNK,
        CHUNK,
        CHUNK + 1,
        2 * CHUNK + PARTIALS_PER_CHUNK + 1,
        CHUNK * CHUNK / PARTIALS_PER_CHUNK + 1,
    ] {
        let mut words = Words(n as u64);
        let entries: Vec<u32> =
            (0..n).map(|_| words.next()).map(|w| w as u32 & 1023 | (w >> 40) as u32 & NEGATE).collect();
        let mut times = vec![<C as Curve>::Scalar::ZERO; points.len()];
        for &entry in &entries {
            let one = <C as Curve>::Scalar::ONE;
            times[entry as usize & 1023] += if entry & NEGATE != 0 { -one } else { one };
        }
        let expected = Jacobian::from(held) + oracle(&times, &points);
        assert_eq!(sum_long(&entries, held, &points).unwrap(), expected.to_affine(), "{n} points");
    }
}

#[test]
fn thread_counts_do_not_change_the_bytes() {
    type C = icicle_algebra::curve::Bn254;
    let n = 20_000;
    let scalars: Vec<_> = scalars::<C>(n).iter().map(|s| s.to_raw()).collect();
    let points: Vec<_> = points::<C>(n).iter().map(|p| p.to_raw()).collect();
    let results: Vec<_> = [1, 2, 4]
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut out = [Projective::<C>::NEUTRAL.to_raw()];
            let config = MsmConfig::default();
            pool.install(|| msm(C::ID, n, Src::from(&scalars), Src::from(&points), &config, Dst::from(&mut out[..])))
                .unwrap();
            bytemuck::bytes_of(&out).to_vec()
        })
        .into();
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn any_bytes_are_survived() {
    fn garbage<C: Curve>() {
        let mut words = Words(17);
        for n in [1, 50, 300] {
            let mut scalars = vec![C::Scalar::ZERO.to_raw(); n];
            let mut points = vec![Affine::<C>::NEUTRAL.to_raw(); n];
            bytemuck::cast_slice_mut::<_, u8>(&mut scalars).iter_mut().for_each(|b| *b = words.next() as u8);
            bytemuck::cast_slice_mut::<_, u8>(&mut points).iter_mut().for_each(|b| *b = words.next() as u8);
            for montgomery in [false, true] {
                let config =
                    MsmConfig { scalars_montgomery: montgomery, points_montgomery: montgomery, ..MsmConfig::default() };
                let mut out = [Projective::<C>::NEUTRAL.to_raw()];
                msm(C::ID, n, Src::from(&scalars), Src::from(&points), &config, Dst::from(&mut out[..])).unwrap();
                assert!(out[0].iter().all(C::Base::is_canonical));
                bytemuck::cast_slice_mut::<_, u8>(&mut scalars).fill(0xff);
                bytemuck::cast_slice_mut::<_, u8>(&mut points).fill(0xff);
            }
        }
    }
    CURVES.iter().for_each(|row| with_curve!(row.id, C => garbage::<C>()));
}
