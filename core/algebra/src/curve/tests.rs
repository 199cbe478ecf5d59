//! Group laws of every curve through one generic function, and agreement with arkworks.

use super::*;
use crate::testing::ark::{ArkGroup, Reference, from_ark, to_ark_scalar};
use crate::testing::samples::{Words, samples};
use crate::{Field, PrimeField};
use ark_ec::{CurveGroup, PrimeGroup};
use icicle_params::CURVES;

/// Double-and-add with affine additions only through `G`'s mixed addition: an oracle that shares nothing with windows.
fn naive<G: Group>(point: Affine<G::Curve>, words: &[u64]) -> G {
    let mut out = G::NEUTRAL;
    for &word in words.iter().rev() {
        for bit in (0..64).rev() {
            out = out.double();
            if word >> bit & 1 == 1 {
                out += point;
            }
        }
    }
    out
}

/// Random points, their opposites, the neutral element, and forms with denominators other than one.
fn points<G: Group>() -> Vec<G> {
    let mut words = Words(7);
    let mut out = vec![G::NEUTRAL, <G::Curve as Curve>::GENERATOR.into()];
    for _ in 0..3 {
        let point = naive::<G>(<G::Curve as Curve>::GENERATOR, &[words.next()]);
        out.extend([point, -point, point.to_affine().into(), point.double()]);
    }
    out
}

fn group_laws<G: Group + std::fmt::Debug>() {
    let name = std::any::type_name::<G>();
    let all = points::<G>();
    for &a in &all {
        assert_eq!(a + G::NEUTRAL, a, "{name} neutral right");
        assert_eq!(G::NEUTRAL + a, a, "{name} neutral left");
        assert_eq!(a + -a, G::NEUTRAL, "{name} opposite");
        assert!((a + -a).is_neutral(), "{name} opposite is neutral");
        assert_eq!(a + a, a.double(), "{name} double");
        assert_eq!(a.double() + a, a.times(&[3]), "{name} triple");
        let affine = a.to_affine();
        assert!(affine.is_on_curve(), "{name} on curve");
        assert_eq!(G::from(affine), a, "{name} affine round trip");
        let jacobian: Jacobian<G::Curve> = a.into();
        assert_eq!(G::from(jacobian), a, "{name} Jacobian round trip");
        assert_eq!(jacobian.to_affine(), affine, "{name} Jacobian form");
        for &b in &all {
            assert_eq!(a + b, b + a, "{name} commutes");
            assert_eq!(a + b.to_affine(), a + b, "{name} mixed");
            assert_eq!(a - b.to_affine(), a - b, "{name} mixed difference");
            assert_eq!((a == b), (a.to_affine() == b.to_affine()), "{name} equality");
            for &c in &all {
                assert_eq!((a + b) + c, a + (b + c), "{name} associates");
            }
        }
    }
    let mut affine = vec![Affine::NEUTRAL; all.len()];
    Normalizer::new("test", all.len()).unwrap().normalize(&all, &mut affine);
    assert_eq!(affine, all.iter().map(|p| p.to_affine()).collect::<Vec<_>>(), "{name} normalize");
}

/// `r·G = 0`, edges of scalars, and the windowed multiplication against the naive one.
fn scalar_multiplication<C: Curve>() {
    let generator = Projective::<C>::from(C::GENERATOR);
    let order = C::Scalar::MODULUS;
    assert!(C::GENERATOR.is_on_curve(), "{:?} generator", C::ID);
    assert!(generator.times(order).is_neutral(), "{:?} order", C::ID);
    assert!(generator.times(&[]).is_neutral() && generator.times(&[0, 0]).is_neutral());
    assert_eq!(generator.times_scalar(-C::Scalar::ONE), -generator, "{:?} r - 1", C::ID);
    let mut all: Vec<Vec<u64>> = (0..70).map(|i| vec![i]).collect();
    all.extend([vec![u64::MAX], vec![u64::MAX; 3], vec![0, 1 << 63], vec![1 << 63, 0, 0, 1]]);
    all.extend(samples::<C::Scalar>(9, 3).iter().map(|s| s.words().to_vec()));
    for words in all {
        assert_eq!(generator.times(&words), naive(C::GENERATOR, &words), "{:?} {words:x?}", C::ID);
    }
}

fn memory_forms<C: Curve>() {
    let point = Projective::<C>::from(C::GENERATOR).double() + C::GENERATOR;
    let affine = point.to_affine();
    assert_eq!(Affine::<C>::from_raw(affine.to_raw()), affine);
    assert_eq!(Affine::<C>::from_raw_checked(affine.to_raw()), Some(affine));
    assert_eq!(Affine::<C>::from_raw_checked(Affine::<C>::NEUTRAL.to_raw()), Some(Affine::NEUTRAL));
    assert_eq!(Affine::<C>::from_raw_checked(Affine::<C>::new(affine.x, affine.y + C::Base::ONE).to_raw()), None);
    let mut huge = affine.to_raw();
    bytemuck::bytes_of_mut(&mut huge).fill(0xff);
    assert_eq!(Affine::<C>::from_raw_checked(huge), None);
    assert_eq!(Projective::<C>::from_raw(point.to_raw()), point);
    assert!(point.is_on_curve() && Projective::<C>::NEUTRAL.is_on_curve());
    let zero = C::Base::ZERO;
    let none = Projective::<C> { x: zero, y: zero, z: zero };
    let same = none;
    assert!(none != same && none != point && Projective::NEUTRAL != none && !none.is_on_curve());
    let neutral = Projective::<C>::NEUTRAL;
    assert_eq!(neutral.to_affine(), Affine::NEUTRAL);
    assert_eq!(neutral, Projective { y: neutral.y.double(), ..neutral });
    let factor = <C::Base as Field>::Prime::montgomery_factor();
    let montgomery = affine.scale(factor).to_raw();
    assert_eq!(Affine::<C>::from_raw(montgomery).scale(Affine::<C>::montgomery_inverse()), affine);
}

fn agrees_with_arkworks<C: Reference>() {
    let scalars = samples::<C::Scalar>(9, 11);
    let generator = Projective::<C>::from(from_ark::<C>(ArkGroup::<C>::generator().into_affine()));
    assert_eq!(generator, C::GENERATOR.into(), "{:?} generator", C::ID);
    let theirs: Vec<_> = scalars.iter().map(|&s| ArkGroup::<C>::generator() * to_ark_scalar::<C>(s)).collect();
    let ours: Vec<_> = scalars.iter().map(|&s| generator.times_scalar(s)).collect();
    for (a, &x) in theirs.iter().zip(&ours) {
        assert_eq!(from_ark::<C>(a.into_affine()), x.to_affine(), "{:?} scalar multiplication", C::ID);
        for (b, &y) in theirs.iter().zip(&ours) {
            let sum = from_ark::<C>((*a + b).into_affine());
            assert_eq!(sum, (x + y).to_affine(), "{:?} addition", C::ID);
        }
    }
}

#[test]
fn every_form_of_every_group_satisfies_the_group_laws() {
    for row in CURVES {
        with_curve!(row.id, C => {
            group_laws::<Jacobian<C>>();
            group_laws::<Projective<C>>();
            group_laws::<Xyzz<C>>();
        });
    }
}

#[test]
fn scalar_multiplication_matches_double_and_add() {
    for row in CURVES {
        with_curve!(row.id, C => scalar_multiplication::<C>());
    }
}

#[test]
fn memory_forms_round_trip_and_are_checked() {
    for row in CURVES {
        with_curve!(row.id, C => memory_forms::<C>());
    }
}

#[test]
fn points_of_order_two_add_correctly() {
    fn check<G: Group<Curve = Bls12_377>>() {
        // Outside the prime-order group: y = 0, x³ = -1.
        let two = Affine::new(-<Bls12_377 as Curve>::Base::ONE, <Bls12_377 as Curve>::Base::ZERO);
        assert!(two.is_on_curve());
        let (order_two, other) = (G::from(two), G::from(Bls12_377::GENERATOR));
        assert!(order_two.double().is_neutral() && (order_two + order_two).is_neutral());
        assert!((order_two + two).is_neutral());
        assert!((order_two + other).to_affine().is_on_curve());
        assert_eq!((order_two + other) + two, other);
        assert_eq!((order_two + other).double(), other.double());
        assert_eq!((order_two + other) - other, order_two);
    }
    check::<Jacobian<Bls12_377>>();
    check::<Projective<Bls12_377>>();
    check::<Xyzz<Bls12_377>>();
    // Batches: it is its own opposite, whichever way it is named.
    let two = Affine::<Bls12_377>::new(-<Bls12_377 as Curve>::Base::ONE, <Bls12_377 as Curve>::Base::ZERO);
    let other = Bls12_377::GENERATOR;
    let pair =
        |k: u32| pairs::Pair { a: (k & 1) * pairs::NEGATE, b: (k >> 1 & 1) + (k >> 2 & 1) * pairs::NEGATE, out: k };
    let mut sums = [other; 8];
    pairs::Adder::new("test", 8).unwrap().add(&[two, other], &[0, 1, 2, 3, 4, 5, 6, 7].map(pair), &mut sums);
    for (k, sum) in sums.into_iter().enumerate() {
        let second = if k & 4 == 0 { other } else { -other };
        let expected = if k & 2 == 0 { Affine::NEUTRAL } else { (Xyzz::from(two) + second).to_affine() };
        assert_eq!(sum, expected, "{k}");
    }
}

#[test]
fn points_agree_with_arkworks() {
    for row in CURVES {
        with_curve!(row.id, C => agrees_with_arkworks::<C>());
    }
}

/// Batched additions, on vectors and without, against one by one: chords, doublings, opposites, neutral points; points and
/// the opposites of points.
fn batched_additions<C: Curve>() {
    let all = points::<Xyzz<C>>();
    let affine: Vec<Affine<C>> = all.iter().map(|p| p.to_affine()).collect();
    let named = (0..affine.len() as u32).flat_map(|i| [i, i | pairs::NEGATE]);
    let both = named.clone().flat_map(|a| named.clone().map(move |b| (a, b)));
    let pairs: Vec<pairs::Pair> = both.zip(0..).map(|((a, b), out)| pairs::Pair { a, b, out }).collect();
    let point = |i: u32| {
        let point = all[pairs::place(i)];
        if i & pairs::NEGATE != 0 { -point } else { point }
    };
    let mut adder = pairs::Adder::new("test", pairs.len()).unwrap();
    for count in [0, 1, 7, 8, 9, 16, 17, pairs.len()] {
        let (mut next, mut portable) = (vec![C::GENERATOR; pairs.len()], vec![C::GENERATOR; pairs.len()]);
        adder.add(&affine, &pairs[..count], &mut next);
        adder.add_portably(&affine, &pairs[..count], &mut portable);
        assert_eq!(next, portable, "{:?} {count} pairs", C::ID);
        for (pair, got) in pairs[..count].iter().zip(&next) {
            let expected = (point(pair.a) + point(pair.b)).to_affine();
            assert_eq!(*got, expected, "{:?} {count} pairs: {pair:?}", C::ID);
        }
        assert!(next[count..].iter().all(|p| *p == C::GENERATOR), "{:?} wrote elsewhere", C::ID);
    }
}

#[test]
fn batched_additions_match_single_ones() {
    for row in CURVES {
        with_curve!(row.id, C => batched_additions::<C>());
    }
}
