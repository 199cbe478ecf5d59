//! Arrays of points one by one against arkworks, word for word: results are normalised.

use crate::curves::{affine, points, scalar_words, scalars, words};
use crate::points::projective;
use crate::{SIZES, Where, call, offered};
use ark_ec::CurveGroup;
use ark_ff::{Field, PrimeField};
use icicle::device::{Dst, Launch, Src};
use icicle::ops::point::{self, Binary, PointForm, Points, PointsMut};
use icicle::ops::{Domain, Op};
use icicle::{CurveId, ErrorCode};

const FORMS: [PointForm; 2] = [PointForm::Affine, PointForm::Projective];

fn input<'a>(form: PointForm, src: impl Into<Src<'a>>) -> Points<'a> {
    Points { form, src: src.into() }
}

fn output<'a>(form: PointForm, dst: impl Into<Dst<'a>>) -> PointsMut<'a> {
    PointsMut { form, dst: dst.into() }
}

/// Points as words of a form, normalised.
fn plain<G: CurveGroup>(form: PointForm, points: &[G]) -> Vec<u32>
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    match form {
        PointForm::Affine => affine::<G>(&G::normalize_batch(points)),
        PointForm::Projective => projective(points),
    }
}

/// The same with another `Z` for each point, where there is one.
fn scaled<G: CurveGroup>(form: PointForm, points: &[G]) -> Vec<u32>
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let PointForm::Projective = form else { return plain(form, points) };
    let words_of = plain::<G>(form, points);
    let each = words_of.len().checked_div(3 * points.len()).unwrap_or(1);
    let scale = |(i, c): (usize, &[u32])| {
        let z = G::BaseField::from(3 + (i / 3) as u64).square() - G::BaseField::from(2u64);
        words(&(crate::curves::field::<G::BaseField>(c) * z))
    };
    words_of.chunks(each).enumerate().flat_map(scale).collect()
}

/// Second operands that are equal, opposite, neutral and unrelated in turn.
fn others<G: CurveGroup>(a: &[G]) -> Vec<G> {
    let unrelated = points::<G>(a.len(), 11);
    let turn = |(i, (&a, u)): (usize, (&G, &G::Affine))| match i % 6 {
        1 => a,
        2 => -a,
        3 => G::zero(),
        _ => (*u).into(),
    };
    a.iter().zip(&unrelated).enumerate().map(turn).collect()
}

pub fn check<G: CurveGroup>(id: CurveId, place: Where)
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let all = [Op::PointBinary, Op::PointScalarMul, Op::PointUnary, Op::PointEqual];
    if !all.into_iter().all(|op| offered(op, Domain::Curve(id))) {
        return;
    }
    for n in SIZES.into_iter().filter(|&n| n <= 257) {
        let a: Vec<G> = points::<G>(n, 3).into_iter().map(Into::into).collect();
        let b = others(&a);
        for form in FORMS {
            for other in FORMS {
                sums(id, place, (form, &a), (other, &b));
                comparisons(id, place, (form, &a), (other, &b));
                signs(id, place, (form, &a), other);
            }
            if n <= 33 {
                products(id, place, (form, &a), n);
            }
        }
    }
    // More than one task of the cheapest operations.
    let a: Vec<G> = points::<G>(1025, 9).into_iter().map(Into::into).collect();
    let b = others(&a);
    for (form, other) in [(FORMS[0], FORMS[1]), (FORMS[1], FORMS[0])] {
        comparisons(id, place, (form, &a), (other, &b));
        signs(id, place, (form, &a), other);
    }
    // One scalar or point for many, enough for a table of its multiples.
    let a: Vec<G> = points::<G>(70, 5).into_iter().map(Into::into).collect();
    products(id, place, (PointForm::Projective, &a[..1]), 70);
    spread(id, place, &a);
    refusals::<G>(id);
}

/// Sums and differences of operands, into both forms, and in place of either.
fn sums<G: CurveGroup>(id: CurveId, place: Where, a: (PointForm, &[G]), b: (PointForm, &[G]))
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let (n, launch) = (a.1.len(), Launch::default());
    let operands = [scaled(a.0, a.1), scaled(b.0, b.1)];
    for (binary, sum) in [(Binary::Add, G::add as fn(G, G) -> G), (Binary::Sub, G::sub)] {
        let expected: Vec<G> = a.1.iter().zip(b.1).map(|(&a, &b)| sum(a, b)).collect();
        for form in FORMS {
            let expected = plain(form, &expected);
            let what = format!("{} {binary:?} {n} {:?} {:?} {form:?} {place:?}", id.info().name, a.0, b.0);
            let got = call(place, &[&operands[0], &operands[1]], expected.len(), |src, out| {
                point::binary(binary, id, n, input(a.0, src[0]), input(b.0, src[1]), &launch, output(form, out))
            });
            assert!(got == expected, "{what}");
            for (k, operand) in [a.0, b.0].into_iter().enumerate().filter(|&(_, operand)| operand == form) {
                let mut data = operands[k].clone();
                let dst = Dst::from(&mut data);
                let mut both = [input(a.0, &operands[0]), input(b.0, &operands[1])];
                both[k] = input(operand, dst.as_src());
                point::binary(binary, id, n, both[0], both[1], &launch, output(form, dst)).unwrap();
                assert!(data == expected, "{what} in place of {k}");
            }
        }
    }
}

/// Products with a mix of scalars; one point for all `n` if there is but one.
fn products<G: CurveGroup>(id: CurveId, place: Where, a: (PointForm, &[G]), n: usize)
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let (s, launch) = (scalars::<G::ScalarField>(n, 4), Launch::default());
    let expected: Vec<G> = s.iter().enumerate().map(|(i, s)| a.1[if a.1.len() == 1 { 0 } else { i }] * s).collect();
    let (scalars, points) = (scalar_words(&s), scaled(a.0, a.1));
    for form in FORMS {
        let expected = plain(form, &expected);
        let what = format!("{} products {n} {:?} {form:?} {place:?}", id.info().name, a.0);
        let got = call(place, &[&scalars, &points], expected.len(), |src, out| {
            point::scalar_mul(id, n, src[0], input(a.0, src[1]), &launch, output(form, out))
        });
        assert!(got == expected, "{what}");
        if form == a.0 && n == a.1.len() {
            let mut data = points.clone();
            let dst = Dst::from(&mut data);
            let points = input(form, dst.as_src());
            point::scalar_mul(id, n, (&scalars).into(), points, &launch, output(form, dst)).unwrap();
            assert!(data == expected, "{what} in place");
        }
    }
}

/// Normal forms, and negatives.
fn signs<G: CurveGroup>(id: CurveId, place: Where, a: (PointForm, &[G]), form: PointForm)
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let (n, launch, points) = (a.1.len(), Launch::default(), scaled(a.0, a.1));
    let negatives: Vec<G> = a.1.iter().map(|&p| -p).collect();
    for (negate, expected) in [(false, plain(form, a.1)), (true, plain(form, &negatives))] {
        let run = |src: Src<'_>, out: Dst<'_>| match negate {
            false => point::normalize(id, n, input(a.0, src), &launch, output(form, out)),
            true => point::negate(id, n, input(a.0, src), &launch, output(form, out)),
        };
        let what = format!("{} negate {negate} {n} {:?} {form:?} {place:?}", id.info().name, a.0);
        assert!(call(place, &[&points], expected.len(), |src, out| run(src[0], out)) == expected, "{what}");
        if a.0 == form {
            let mut data = points.clone();
            let dst = Dst::from(&mut data);
            run(dst.as_src(), dst).unwrap();
            assert!(data == expected, "{what} in place");
        }
    }
}

fn comparisons<G: CurveGroup>(id: CurveId, place: Where, a: (PointForm, &[G]), b: (PointForm, &[G]))
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let (n, launch) = (a.1.len(), Launch::default());
    let expected: Vec<u32> = a.1.iter().zip(b.1).map(|(a, b)| u32::from(a == b)).collect();
    // Different coordinates for the same points, if they have any.
    let got = call(place, &[&scaled(a.0, a.1), &plain(b.0, b.1)], n, |src, out| {
        point::equal(id, n, input(a.0, src[0]), input(b.0, src[1]), &launch, out)
    });
    assert!(got == expected, "{} equal {n} {:?} {:?} {place:?}", id.info().name, a.0, b.0);
}

/// One operand for all, of each operation that takes two.
fn spread<G: CurveGroup>(id: CurveId, place: Where, a: &[G])
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let (n, launch, form) = (a.len(), Launch::default(), PointForm::Affine);
    let (one, s) = (a[1], G::ScalarField::from(5u64) - G::ScalarField::from(7u64));
    let (many, single, scalar) = (plain(form, a), scaled(PointForm::Projective, &[one]), words(&s));
    let name = id.info().name;
    let run = |f: &dyn Fn(&[Src<'_>], PointsMut<'_>) -> icicle::Result<()>| {
        call(place, &[&many, &single, &scalar], many.len(), |src, out| f(src, output(form, out)))
    };
    let expect = |f: &dyn Fn(G) -> G| plain(form, &a.iter().map(|&p| f(p)).collect::<Vec<_>>());
    let sums =
        run(&|s, out| point::binary(Binary::Add, id, n, input(form, s[0]), Points::projective(s[1]), &launch, out));
    assert!(sums == expect(&|p| p + one), "{name} + one {place:?}");
    let differences =
        run(&|s, out| point::binary(Binary::Sub, id, n, Points::projective(s[1]), input(form, s[0]), &launch, out));
    assert!(differences == expect(&|p| one - p), "{name} one - {place:?}");
    let products = run(&|s, out| point::scalar_mul(id, n, s[2], input(form, s[0]), &launch, out));
    assert!(products == expect(&|p| p * s), "{name} one scalar {place:?}");
    let both = run(&|t, out| point::scalar_mul(id, n, t[2], Points::projective(t[1]), &launch, out));
    assert!(both == expect(&|_| one * s), "{name} one scalar, one point {place:?}");
    let equal = call(place, &[&many, &single], n, |src, out| {
        point::equal(id, n, Points::projective(src[1]), input(form, src[0]), &launch, out)
    });
    assert!(
        equal == a.iter().map(|&p| u32::from(p == one)).collect::<Vec<_>>() && equal.contains(&1),
        "{name} {place:?}"
    );
}

/// What is no point equals nothing; wrong lengths and overlaps are refused with nothing written.
fn refusals<G: CurveGroup>(id: CurveId)
where
    <G::BaseField as Field>::BasePrimeField: PrimeField,
{
    let launch = Launch::default();
    let two = plain(PointForm::Projective, &[G::generator(), G::zero()]);
    let (nothing, mut found) = (vec![0u32; two.len()], [7u32; 2]);
    for other in [&two, &nothing] {
        let (a, b) = (Points::projective(&nothing), Points::projective(other));
        point::equal(id, 2, a, b, &launch, (&mut found[..]).into()).unwrap();
        assert_eq!(found, [0, 0], "{} no point", id.info().name);
    }
    let mut out = vec![7u32; two.len()];
    let refused = |result: icicle::Result<()>, text: &str| {
        let error = result.unwrap_err();
        assert!(error.code == ErrorCode::InvalidArgument && error.to_string().contains(text), "{error}");
    };
    let points = || Points::projective(&two);
    let run = |n, a: Points<'_>, out: PointsMut<'_>| point::binary(Binary::Sub, id, n, a, points(), &launch, out);
    refused(run(3, points(), PointsMut::projective(&mut out)), "points_sub: points_a holds");
    refused(run(2, Points::affine(&two), PointsMut::projective(&mut out)), "points_sub: points_a holds");
    refused(run(2, points(), PointsMut::affine(&mut out)), "points_sub: output holds");
    let scalar = vec![0u32; id.info().scalar.info().bytes() / 4 * 3];
    let products = |n, out: PointsMut<'_>| point::scalar_mul(id, n, (&scalar).into(), points(), &launch, out);
    refused(products(2, PointsMut::projective(&mut out)), "points_mul: scalars holds");
    refused(point::negate(id, 1, points(), &launch, PointsMut::projective(&mut out)), "points_negate: points holds");
    assert!(out.iter().all(|&w| w == 7), "{}: outputs untouched", id.info().name);
}
