//! Arrays of points on the device against the CPU device, whose own reference is arkworks: every operation and form.

use super::vector::{Case, elements};
use super::{exclusive, fake, small};
use icicle::device::{self, Dst, Src};
use icicle::ops::point::{self, Binary, PointForm, Points, PointsMut};
use icicle::ops::vector::VectorConfig;
use icicle::ops::{Domain, Op};
use icicle::{CURVES, CurveId, Device};

const CUDA: Device = Device::cuda(0);
const FORMS: [PointForm; 2] = [PointForm::Affine, PointForm::Projective];

/// Random points with neutral ones, repetitions and opposites among them; another `Z` for each projective one.
fn points(curve: CurveId, form: PointForm, n: usize, seed: u64) -> Vec<u32> {
    let base = curve.info().base;
    let words = base.info().bytes() / 4;
    let mut affine = vec![0u8; 16 * 8 * words];
    point::random(curve, PointForm::Affine, &mut affine).unwrap();
    let mut affine: Vec<u32> = affine.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    affine[..2 * words].fill(0);
    affine.copy_within(2 * words..4 * words, 4 * words);
    let all: Vec<u32> = affine.into_iter().cycle().take(n * 2 * words).collect();
    if form == PointForm::Affine {
        return all;
    }
    // (x·z, y·z, z); z is not zero because 1 is added to where it is.
    let mut z = elements(base, n, seed);
    z.chunks_exact_mut(words).filter(|z| z.iter().all(|&w| w == 0)).for_each(|z| z[0] = 1);
    let mut projective = vec![0u32; n * 3 * words];
    let launch = device::Launch::default();
    point::normalize(curve, n, Points::affine(&all), &launch, PointsMut::projective(&mut projective)).unwrap();
    let spread: Vec<u32> = z.chunks_exact(words).flat_map(|z| [z, z, z].concat()).collect();
    let (a, b, mut out) = (Src::from(&projective), Src::from(&spread), vec![0u32; projective.len()]);
    let config = VectorConfig::default();
    icicle::ops::vector::binary(icicle::ops::vector::Binary::Mul, base, 3 * n, a, b, &config, Dst::from(&mut out))
        .unwrap();
    out
}

/// Second operands: the first ones, their opposites, and those of other places in turn.
fn others(curve: CurveId, form: PointForm, a: &[u32], n: usize) -> Vec<u32> {
    let mut opposite = vec![0u32; a.len()];
    let (points, launch) = (Points { form, src: a.into() }, device::Launch::default());
    point::negate(curve, n, points, &launch, PointsMut { form, dst: (&mut opposite).into() }).unwrap();
    let each = a.len().checked_div(n).unwrap_or(1);
    let turn = |i: usize| match i % 3 {
        0 => &a[i * each..(i + 1) * each],
        1 => &opposite[i * each..(i + 1) * each],
        _ => &a[(n - 1 - i) * each..(n - i) * each],
    };
    (0..n).flat_map(turn).copied().collect()
}

fn of(form: PointForm, src: Src<'_>) -> Points<'_> {
    Points { form, src }
}

fn to(form: PointForm, dst: Dst<'_>) -> PointsMut<'_> {
    PointsMut { form, dst }
}

/// Every operation on `n` points, of which the second operand may be one; how many calls that were.
fn check(curve: CurveId, n: usize, [a_form, b_form, out_form]: [PointForm; 3], single: bool) -> usize {
    let row = curve.info();
    let a = points(curve, a_form, n, 3);
    let mut b = match a_form == b_form {
        true => others(curve, b_form, &a, n),
        false => points(curve, b_form, n, 5),
    };
    let mut scalars = elements(row.scalar, n, 7);
    if single {
        b.truncate(b_form.bytes(curve) / 4);
        scalars.truncate(row.scalar.info().bytes() / 4);
    }
    let words = n * out_form.bytes(curve) / 4;
    let mut count = 0;
    let mut compare = |what: &str, inputs: Vec<&[u32]>, out_words: usize, call: super::vector::Call<'_>| {
        let name = format!("{} {what} {n} {a_form:?} {b_form:?} {out_form:?} single {single}", row.name);
        Case { name, inputs, out_words, call }.compare(&VectorConfig::default());
        count += 1;
    };
    for binary in [Binary::Add, Binary::Sub] {
        compare(&format!("{binary:?}"), vec![&a, &b], words, &|s, c, out| {
            point::binary(binary, curve, n, of(a_form, s[0]), of(b_form, s[1]), &c.launch, to(out_form, out))
        });
    }
    compare("multiply", vec![&scalars, &a], words, &|s, c, out| {
        point::scalar_mul(curve, n, s[0], of(a_form, s[1]), &c.launch, to(out_form, out))
    });
    compare("normalize", vec![&a], words, &|s, c, out| {
        point::normalize(curve, n, of(a_form, s[0]), &c.launch, to(out_form, out))
    });
    compare("negate", vec![&a], words, &|s, c, out| {
        point::negate(curve, n, of(a_form, s[0]), &c.launch, to(out_form, out))
    });
    compare("equal", vec![&a, &b], n, &|s, c, out| {
        point::equal(curve, n, of(a_form, s[0]), of(b_form, s[1]), &c.launch, out)
    });
    count
}

fn offered(curve: CurveId) -> bool {
    device::supports(CUDA, Op::PointBinary, Domain::Curve(curve)).unwrap()
}

#[test]
fn arrays_of_points_agree_with_the_cpu() {
    let Some(_one) = exclusive() else { return };
    let mut count = 0;
    for row in CURVES.iter().filter(|row| offered(row.id)) {
        for (n, single) in [(0, false), (1, false), (33, false), (70, true)] {
            for a in FORMS {
                for b in FORMS {
                    count += FORMS.map(|out| check(row.id, n, [a, b, out], single)).iter().sum::<usize>();
                }
            }
        }
        // Enough for a thread a product.
        if !small() && !fake() {
            count += check(row.id, 10_007, [PointForm::Projective, PointForm::Affine, PointForm::Projective], false);
        }
    }
    println!("{count} calls on arrays of points agree with the CPU");
}

/// Products and sums in more parts than one, the last of few points; in place.
#[test]
fn long_arrays_are_taken_in_parts() {
    let Some(_one) = exclusive() else { return };
    let (curve, n) = (CurveId::Bn254, (1 << 20) + 5);
    if !offered(curve) || small() || fake() {
        return;
    }
    let form = PointForm::Affine;
    let a = points(curve, form, n, 3);
    let scalars = elements(curve.info().scalar, n, 7);
    for (name, inputs) in [("sum", vec![&a[..]]), ("product", vec![&a[..], &scalars[..]])] {
        let call: super::vector::Call<'_> = &|s, c, out| {
            let (points, out) = (Points { form, src: s[0] }, PointsMut { form, dst: out });
            match s.get(1) {
                None => point::binary(Binary::Add, curve, n, points, points, &c.launch, out),
                Some(&scalars) => point::scalar_mul(curve, n, scalars, points, &c.launch, out),
            }
        };
        Case { name: name.into(), inputs, out_words: a.len(), call }.compare(&VectorConfig::default());
    }
}

#[test]
fn points_may_be_replaced() {
    let Some(_one) = exclusive() else { return };
    for row in CURVES.iter().filter(|row| offered(row.id) && !fake()) {
        for form in FORMS {
            let (curve, n) = (row.id, 50);
            let a = points(curve, form, n, 3);
            let b = others(curve, form, &a, n);
            let run = |device, in_place| {
                let _guard = icicle::DeviceGuard::new(device).unwrap();
                let (mut x, y) = (icicle::Buffer::from_slice(&a).unwrap(), icicle::Buffer::from_slice(&b).unwrap());
                let mut other = icicle::Buffer::from_slice(&b).unwrap();
                let (dst, y) = (Dst::from(&mut x), Points { form, src: (&y).into() });
                let (points, launch) = (Points { form, src: dst.as_src() }, device::Launch::default());
                let out = PointsMut { form, dst: if in_place { dst } else { (&mut other).into() } };
                point::binary(Binary::Sub, curve, n, points, y, &launch, out).unwrap();
                if in_place { x.to_vec().unwrap() } else { other.to_vec().unwrap() }
            };
            assert!(run(CUDA, true) == run(Device::cpu(0), false), "{} {form:?}", row.name);
        }
    }
}
