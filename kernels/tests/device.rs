//! Cases for `device.cpp`: operands, and what the core's CPU device makes of them.

use crate::{Random, bytemuck_words};
use icicle::algebra::Field;
use icicle::algebra::curve::{self, Curve, Group, Projective};
use icicle::device::{Dst, Launch, Src};
use icicle::ops::ntt::{Direction, NttConfig, Ordering, ecntt, init_domain, root_of_unity};
use icicle::ops::point::{self, Binary, PointForm, Points, PointsMut};
use icicle::ops::polynomial::divide;
use icicle::ops::vector::VectorConfig;
use icicle::{FieldId, with_field};
use icicle_kernels::names::kernel_curve;
use std::fmt::Write;

/// Words as `device.cpp` reads them.
fn text(words: &[u32]) -> String {
    if words.is_empty() { "-".into() } else { words.iter().map(|w| format!("{w:08x}")).collect() }
}

/// One case a line.
pub fn cases() -> String {
    let mut out = String::new();
    use FieldId as Id;
    let fields = [Id::Bn254Scalar, Id::Bn254G2Base, Id::Bls12_381Base, Id::Bw6_761Base, Id::BabyBearScalar];
    let small = [Id::BabyBearExtension, Id::GoldilocksScalar, Id::GoldilocksExtension, Id::M31Qm31];
    for id in fields.into_iter().chain(small) {
        with_field!(id, F => divisions::<F>(id, &mut out));
    }
    // Products of the larger fields take microseconds here.
    transforms::<curve::Bn254>(3, &mut out);
    transforms::<curve::Bls12_381>(2, &mut out);
    transforms::<curve::Bls12_377>(2, &mut out);
    transforms::<curve::Bw6_761>(1, &mut out);
    arrays::<curve::Bn254>(&mut out);
    arrays::<curve::Bn254G2>(&mut out);
    arrays::<curve::Bls12_377G2>(&mut out);
    arrays::<curve::Bw6_761G2>(&mut out);
    arrays::<curve::Grumpkin>(&mut out);
    out
}

/// Denominators of every length around a step's, with zeros on top of some.
fn divisions<F: Field>(id: FieldId, out: &mut String) {
    let mut random = Random(id as u64);
    let words = size_of::<F::Raw>() / 4;
    for (n, m, zeros) in
        [(0, 2, 0), (1, 1, 0), (3, 5, 0), (5, 3, 2), (130, 1, 0), (64, 1, 3), (129, 64, 0), (200, 70, 1)]
    {
        for (batch, columns) in [(1, false), (3, true), (3, false)] {
            let at = |n: usize, v: usize, i: usize| if columns { i * batch + v } else { v * n + i };
            let mut elements = |count: usize| -> Vec<F> {
                (0..count).map(|i| if i % 7 == 3 { F::ZERO } else { random.element() }).collect()
            };
            let (mut numerator, mut denominator) = (elements(n * batch), elements((m + zeros) * batch));
            for v in 0..batch {
                denominator[at(m + zeros, v, m - 1)] = F::from_u64(7 + v as u64);
                (m..m + zeros).for_each(|i| denominator[at(m + zeros, v, i)] = F::ZERO);
                // Numerators of different degrees in one batch.
                (n.saturating_sub(40 * v)..n).for_each(|i| numerator[at(n, v, i)] = F::ZERO);
            }
            let lower = |x: &[F]| -> Vec<u32> { x.iter().flat_map(|x| bytemuck_words(&x.to_raw())).collect() };
            let (numerator, denominator) = (lower(&numerator), lower(&denominator));
            let (q_size, r_size) = ((n + 1).saturating_sub(m) + 2, n + 1);
            let (mut q, mut r) = (vec![1u32; q_size * batch * words], vec![1u32; r_size * batch * words]);
            let config = VectorConfig { batch, columns, ..VectorConfig::default() };
            let (a, b) = (Src::from(&numerator), Src::from(&denominator));
            let (to_q, to_r) = (Dst::from(&mut q), Dst::from(&mut r));
            divide(id, n, a, m + zeros, b, &config, q_size, to_q, r_size, to_r).unwrap();
            let sizes = format!("{n} {} {q_size} {r_size} {batch} {}", m + zeros, u32::from(columns));
            let all = [numerator, denominator, q, r].map(|words| text(&words)).join(" ");
            writeln!(out, "divide {} {sizes} {all}", id.name()).unwrap();
        }
    }
}

/// Every ordering and direction, with batches and cosets in turns.
fn transforms<C: Curve>(most: u32, out: &mut String) {
    let scalar = C::ID.info().scalar;
    init_domain(scalar, root_of_unity(scalar, 1 << most).unwrap(), &Launch::default()).unwrap();
    let orderings = [
        Ordering::NaturalNatural,
        Ordering::NaturalReversed,
        Ordering::ReversedNatural,
        Ordering::ReversedReversed,
        Ordering::NaturalMixed,
        Ordering::MixedNatural,
    ];
    for (turn, (log_n, ordering, direction)) in (0..=most)
        .flat_map(|log_n| orderings.map(|ordering| (log_n, ordering)))
        .flat_map(|(log_n, ordering)| [Direction::Forward, Direction::Inverse].map(|d| (log_n, ordering, d)))
        .enumerate()
    {
        let (batch, columns) = [(1, false), (2, true), (3, false)][turn % 3];
        let mut coset = [0u64; 12];
        coset[0] = if turn % 5 < 3 { 11 } else { 1 };
        let config = NttConfig { coset: Some(coset), batch, columns, ordering, ..NttConfig::default() };
        let input = words(PointForm::Projective, &group::<C>(batch << log_n, turn as u64));
        let mut output = vec![1u32; input.len()];
        ecntt(C::ID, 1 << log_n, direction, &config, (&input).into(), (&mut output).into()).unwrap();
        let flags = [columns, direction == Direction::Inverse, ordering.input_reversed(), ordering.output_reversed()];
        let [columns, inverse, reversed_in, reversed_out] = flags.map(u32::from);
        let (name, input, output) = (C::ID.info().name, text(&input), text(&output));
        let numbers = format!("{log_n} {batch} {columns} {inverse} {reversed_in} {reversed_out} {}", coset[0]);
        writeln!(out, "ecntt {name} {numbers} {input} {output}").unwrap();
    }
}

/// Every operation on arrays of points, forms in turns, with one operand for all among them.
fn arrays<C: Curve>(out: &mut String) {
    let forms = [PointForm::Affine, PointForm::Projective];
    let all = forms.into_iter().flat_map(|a| forms.map(|b| (a, b))).flat_map(|(a, b)| forms.map(|out| (a, b, out)));
    for (turn, forms) in all.enumerate() {
        let ones = [(9, 9), (9, 1), (1, 9), (1, 1)][turn % 4];
        for op in ["add", "sub", "mul", "normalize", "negate", "equal"] {
            array::<C>(op, forms, ones, out);
        }
    }
}

fn array<C: Curve>(
    op: &str,
    (a_form, b_form, out_form): (PointForm, PointForm, PointForm),
    (a_count, b_count): (usize, usize),
    out: &mut String,
) {
    let (n, launch) = (a_count.max(b_count), Launch::default());
    let first = group::<C>(a_count, 5);
    // Second operands are the same, opposite, and others.
    let others = group::<C>(b_count + 1, 6);
    let second: Vec<_> = (0..b_count)
        .map(|i| match i % 3 {
            0 => others[i],
            1 => -others[i],
            _ => others[i + 1],
        })
        .collect();
    let a_count = if matches!(op, "normalize" | "negate") { n } else { a_count };
    let a = words(a_form, &if a_count == first.len() { first } else { group::<C>(n, 5) });
    let mut random = Random(n as u64);
    let scalar = |i: usize| match i % 4 {
        0 => random.element::<C::Scalar>(),
        1 => C::Scalar::ZERO,
        2 => -C::Scalar::ONE,
        _ => C::Scalar::ONE,
    };
    let b = match op {
        "mul" => (0..b_count).map(scalar).flat_map(|s| bytemuck_words(&s.to_raw())).collect(),
        _ => words(b_form, &second),
    };
    let size = if op == "equal" { n } else { n * out_form.bytes(C::ID) / 4 };
    let mut result = vec![1u32; size];
    let (x, y) = (Points { form: a_form, src: (&a).into() }, Points { form: b_form, src: (&b).into() });
    let dst = Dst::from(&mut result);
    let to = |dst| PointsMut { form: out_form, dst };
    match op {
        "add" => point::binary(Binary::Add, C::ID, n, x, y, &launch, to(dst)),
        "sub" => point::binary(Binary::Sub, C::ID, n, x, y, &launch, to(dst)),
        "mul" => point::scalar_mul(C::ID, n, y.src, x, &launch, to(dst)),
        "normalize" => point::normalize(C::ID, n, x, &launch, to(dst)),
        "negate" => point::negate(C::ID, n, x, &launch, to(dst)),
        _ => point::equal(C::ID, n, x, y, &launch, dst),
    }
    .unwrap();
    let forms = [a_form, b_form, out_form].map(|form| u32::from(form == PointForm::Projective));
    let numbers = format!("{op} {n} {a_count} {b_count} {} {} {}", forms[0], forms[1], forms[2]);
    let kernels = kernel_curve(C::ID).info().name;
    writeln!(out, "points {kernels} {numbers} {} {} {}", text(&a), text(&b), text(&result)).unwrap();
}

fn words<C: Curve>(form: PointForm, points: &[Projective<C>]) -> Vec<u32> {
    let point = |p: &Projective<C>| match form {
        PointForm::Affine => p.to_affine().to_raw().iter().flat_map(bytemuck_words).collect::<Vec<_>>(),
        PointForm::Projective => p.to_raw().iter().flat_map(bytemuck_words).collect(),
    };
    points.iter().flat_map(point).collect()
}

/// Points with any `Z`, neutral, equal and opposite ones among them; the same points for every seed.
fn group<C: Curve>(n: usize, seed: u64) -> Vec<Projective<C>> {
    let mut random = Random(seed);
    let mut at = Projective::<C>::from(C::GENERATOR);
    let one = |i: usize| {
        at = if i % 5 == 4 { at } else { at.double() + C::GENERATOR };
        let p = match i % 7 {
            2 => Projective::NEUTRAL,
            5 => -at,
            _ => at,
        };
        let z: C::Base = random.element();
        Projective::<C> { x: p.x * z, y: p.y * z, z: p.z * z }
    };
    (0..n).map(one).collect()
}
