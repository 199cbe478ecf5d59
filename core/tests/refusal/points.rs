//! Arrays of points, multi-scalar multiplications and transforms of points.

use crate::operation::{Operation, elements, kept, points, poison, words};
use icicle::device::{Dst, Launch};
use icicle::ops::msm::{MsmConfig, msm, precompute};
use icicle::ops::ntt::{Direction, NttConfig, Ordering, ecntt, init_domain, root_of_unity};
use icicle::ops::point::{self, Binary, PointForm, Points, PointsMut};
use icicle::{CurveId, Result};

const CURVES: [CurveId; 3] = [CurveId::Bn254, CurveId::Bls12_381G2, CurveId::Bw6_761];

pub fn operations() -> Vec<Operation> {
    let mut all = Vec::new();
    let here = |curve: &CurveId| icicle::CURVES.iter().any(|row| row.id == *curve);
    for curve in CURVES.into_iter().filter(here) {
        arrays(curve, &mut all);
        sums(curve, &mut all);
    }
    sums(CurveId::Bn254G2, &mut all);
    for direction in [Direction::Forward, Direction::Inverse] {
        for ordering in [Ordering::NaturalNatural, Ordering::NaturalReversed, Ordering::ReversedReversed] {
            for in_place in [false, true] {
                transform(direction, ordering, in_place, &mut all);
            }
        }
    }
    all
}

fn of(form: PointForm, words: &[u32]) -> Points<'_> {
    match form {
        PointForm::Affine => Points::affine(words),
        PointForm::Projective => Points::projective(words),
    }
}

fn to(form: PointForm, words: &mut Vec<u32>) -> PointsMut<'_> {
    match form {
        PointForm::Affine => PointsMut::affine(words),
        PointForm::Projective => PointsMut::projective(words),
    }
}

fn arrays(curve: CurveId, all: &mut Vec<Operation>) {
    use PointForm::{Affine, Projective};
    let (name, base) = (curve.info().name, words(curve.info().base));
    let n = if curve == CurveId::Bn254 { 1500 } else { 400 };
    let launch = kept(Launch::default());
    let of_form = move |form| points(curve, n, form == Affine);
    for (a_form, b_form, out_form) in [
        (Affine, Affine, Affine),
        (Affine, Affine, Projective),
        (Projective, Affine, Affine),
        (Projective, Projective, Projective),
    ] {
        all.push(Operation::one(format!("{name} sums {a_form:?} {b_form:?} {out_form:?}"), move || {
            let (a, b) = (of_form(a_form), of_form(b_form));
            (poison(n * out_form.coordinates() * base), move |out: &mut Vec<u32>| {
                let (a, b) = (of(a_form, &a), of(b_form, &b));
                point::binary(Binary::Add, curve, n, a, b, launch, to(out_form, out))
            })
        }));
    }
    for form in [Affine, Projective] {
        all.push(Operation::one(format!("{name} difference {form:?} in place"), move || {
            let b = of_form(form);
            (of_form(form), move |out: &mut Vec<u32>| {
                let out = to(form, out);
                let a = Points { form, src: out.dst.as_src() };
                point::binary(Binary::Sub, curve, n, a, of(form, &b[..form.coordinates() * base]), launch, out)
            })
        }));
        all.push(Operation::one(format!("{name} negate {form:?} in place"), move || {
            (of_form(form), move |out: &mut Vec<u32>| {
                let out = to(form, out);
                point::negate(curve, n, Points { form, src: out.dst.as_src() }, launch, out)
            })
        }));
        all.push(Operation::one(format!("{name} normalize {form:?}"), move || {
            let a = of_form(form);
            (poison(n * 3 * base), move |out: &mut Vec<u32>| {
                point::normalize(curve, n, of(form, &a), launch, PointsMut::projective(out))
            })
        }));
        all.push(Operation::one(format!("{name} multiply {form:?}"), move || {
            let (scalars, a) = (elements(curve.info().scalar, n, 1), of_form(form));
            (poison(n * 2 * base), move |out: &mut Vec<u32>| {
                point::scalar_mul(curve, n, (&scalars).into(), of(form, &a), launch, PointsMut::affine(out))
            })
        }));
        all.push(Operation::one(format!("{name} equal {form:?}"), move || {
            let a = of_form(form);
            (poison(n), move |out: &mut Vec<u32>| {
                point::equal(curve, n, of(form, &a), of(form, &a), launch, out.into())
            })
        }));
        all.push(Operation::one(format!("{name} to Montgomery {form:?}"), move || {
            let a = of_form(form);
            (poison(a.len()), move |out: &mut Vec<u32>| {
                point::convert_montgomery(curve, form, n, (&a).into(), true, launch, out.into())
            })
        }));
        all.push(Operation::one(format!("{name} random {form:?}"), move || {
            (poison(n * form.coordinates() * base), move |out: &mut Vec<u32>| {
                point::random(curve, form, out)?;
                // Other points in every process, all of them there.
                assert!(out.chunks(base).all(|x| x.iter().any(|&word| word != 0xa5a5_a5a5)));
                out.fill(1);
                Ok(())
            })
        }));
    }
    all.push(Operation::one(format!("{name} multiples of one point"), move || {
        let (scalars, a) = (elements(curve.info().scalar, n, 1), points(curve, 1, true));
        (poison(n * 3 * base), move |out: &mut Vec<u32>| {
            point::scalar_mul(curve, n, (&scalars).into(), Points::affine(&a), launch, PointsMut::projective(out))
        })
    }));
}

/// What is multiplied: `n`, options, and whether all scalars are the same.
fn sums(curve: CurveId, all: &mut Vec<Operation>) {
    let (row, base) = (curve.info(), words(curve.info().base));
    let n = if curve == CurveId::Bn254 { 2000 } else { 300 };
    let plain = MsmConfig::default();
    let configs = [
        ("", n, plain.clone(), false),
        (" few", 5, plain.clone(), false),
        (" shared batch", n / 4, MsmConfig { batch: 3, ..plain.clone() }, false),
        (" batch", n / 4, MsmConfig { batch: 3, shared_points: false, ..plain.clone() }, false),
        (" batch of few", 3, MsmConfig { batch: 200, shared_points: false, ..plain.clone() }, false),
        (" precomputed", n, MsmConfig { precompute_factor: 3, c: 8, ..plain.clone() }, false),
        (" Montgomery", n, MsmConfig { scalars_montgomery: true, points_montgomery: true, ..plain.clone() }, false),
        // More points in a bucket than a task adds up.
        (" skewed", if curve == CurveId::Bn254 { 9500 } else { n }, plain.clone(), true),
    ];
    for (what, n, config, same) in configs {
        let config = kept(config);
        all.push(Operation::one(format!("{} MSM{what}", row.name), move || {
            let sets = if config.shared_points { 1 } else { config.batch };
            let mut scalars = elements(row.scalar, n * config.batch, 1);
            if same {
                let (first, rest) = scalars.split_at_mut(words(row.scalar));
                rest.chunks_mut(first.len()).for_each(|scalar| scalar.copy_from_slice(first));
            }
            let some = points(curve, 50, true);
            let bases: Vec<u32> =
                some.iter().copied().cycle().take(n * config.precompute_factor * sets * 2 * base).collect();
            (poison(config.batch * 3 * base), move |out: &mut Vec<u32>| {
                msm(curve, n, (&scalars).into(), (&bases).into(), config, out.into())
            })
        }));
    }
    all.push(Operation::one(format!("{} precomputation", row.name), move || {
        let config = kept(MsmConfig { precompute_factor: 3, c: 8, ..plain.clone() });
        let bases = points(curve, n, true);
        (poison(3 * bases.len()), move |out: &mut Vec<u32>| precompute(curve, n, (&bases).into(), config, out.into()))
    }));
}

fn transform(direction: Direction, ordering: Ordering, in_place: bool, all: &mut Vec<Operation>) {
    let curve = CurveId::Bn254;
    let place = if in_place { " in place" } else { "" };
    all.push(Operation::one(format!("ECNTT {direction:?} {ordering:?}{place}"), move || {
        let n = 1 << 8;
        let scalar = curve.info().scalar;
        init_domain(scalar, root_of_unity(scalar, n as u64).unwrap(), &Launch::default()).unwrap();
        let input = points(curve, n, false);
        let coset = Some(std::array::from_fn(|i| if i == 0 { 5 } else { 0 }));
        let config = kept(NttConfig { ordering, coset, ..NttConfig::default() });
        let out = if in_place { input.clone() } else { poison(input.len()) };
        let run = move |out: &mut Vec<u32>| -> Result<()> {
            let out = Dst::from(out);
            let input = if in_place { out.as_src() } else { (&input).into() };
            ecntt(curve, n, direction, config, input, out)
        };
        (out, run)
    }));
}
