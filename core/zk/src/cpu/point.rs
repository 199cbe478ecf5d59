//! Arrays of points, one by one. A task's points are made affine by one inversion.

use super::fixed_base::FixedBase;
use crate::args::point as v;
use crate::args::point::{Binary, PointForm};
use bytemuck::Zeroable;
use icicle_algebra::curve::pairs::{Adder, Pair};
use icicle_algebra::curve::{Affine, Curve, Group, Jacobian, Normalizer, Projective};
use icicle_algebra::with_curve;
use icicle_algebra::{Field, PrimeField};
use icicle_cpu::memory::{In, Out};
use icicle_cpu::parallel::indices;
use icicle_cpu::scratch::PerThread;
use icicle_device::Exec;
use icicle_error::Result;
use icicle_error::reserve::{filled, with_capacity};

/// Coordinates converted, or points added, by one task.
const BLOCK: usize = 1 << 10;
const SUMS: usize = 1 << 8;
/// Points multiplied by one task: some 50 microseconds each.
const PRODUCTS: usize = 1 << 4;

type Raw<C> = <<C as Curve>::Base as Field>::Raw;

/// An operand.
struct Operand<'a, C: Curve> {
    form: PointForm,
    coordinates: In<'a, Raw<C>>,
    /// Coordinates from point to point: none for one point that stands for all.
    step: usize,
}

impl<'a, C: Curve> Operand<'a, C> {
    fn new(points: &v::Points<'a>) -> Self {
        let coordinates = In::new(&points.src);
        let each = points.form.coordinates();
        Self { form: points.form, coordinates, step: if coordinates.len() == each { 0 } else { each } }
    }
    fn is_affine(&self) -> bool {
        self.form == PointForm::Affine
    }
    fn read<const K: usize>(&self, i: usize) -> [Raw<C>; K] {
        let mut raw = [Raw::<C>::zeroed(); K];
        self.coordinates.read(i * self.step, &mut raw);
        raw
    }
    /// Point `i` of affine ones.
    fn affine(&self, i: usize) -> Affine<C> {
        Affine::from_raw(self.read(i))
    }
    /// Point `i` of either form.
    fn get(&self, i: usize) -> Projective<C> {
        match self.form {
            PointForm::Affine => self.affine(i).into(),
            PointForm::Projective => Projective::from_raw(self.read(i)),
        }
    }
}

/// Computes the points of a task, given the index of their first, with what the thread keeps.
type Task<'a, C, K> = &'a (dyn Fn(usize, &mut [Affine<C>], &mut K) + Sync);

/// Write points that tasks of `grain` compute with what `keep` makes for so many. A task reads its operands before any of
/// its points is written, so they may be in place.
fn write<C: Curve, K: Send>(
    op: &'static str,
    out: &v::PointsMut<'_>,
    grain: usize,
    keep: impl Fn(usize) -> Result<K>,
    task: Task<'_, C, K>,
) -> Result<()> {
    let (form, coordinates) = (out.form, Out::<Raw<C>>::new(&out.dst));
    let n = coordinates.len() / form.coordinates();
    let (tasks, most) = (n.div_ceil(grain), grain.min(n));
    let kept = PerThread::new(op, tasks, || Ok((filled(op, most, Affine::NEUTRAL)?, keep(most)?)))?;
    let one = |at: usize, points: &mut [Affine<C>], kept: &mut K| {
        let first = at * grain;
        let points = &mut points[..grain.min(n - first)];
        task(first, points, kept);
        for (i, &point) in (first..).zip(points.iter()) {
            match form {
                PointForm::Affine => coordinates.write(2 * i, &point.to_raw()),
                PointForm::Projective => coordinates.write(3 * i, &Projective::from(point).to_raw()),
            }
        }
    };
    indices(tasks, n > grain, &|at| kept.lend(|(points, kept)| one(at, points, kept)));
    Ok(())
}

/// As [`write`], point by point in a form that is then normalised.
fn normalized<G: Group>(
    op: &'static str,
    out: &v::PointsMut<'_>,
    grain: usize,
    point: &(dyn Fn(usize) -> G + Sync),
) -> Result<()> {
    let keep = |n| Ok((with_capacity::<G>(op, n)?, Normalizer::new(op, n)?));
    write(op, out, grain, keep, &|first, points, (group, normalizer)| {
        group.clear();
        group.extend((first..first + points.len()).map(point));
        normalizer.normalize(group, points);
    })
}

pub(crate) fn binary(_: &Exec, args: &v::BinaryArgs) -> Result<()> {
    with_curve!(args.curve, C => sums::<C>(args))
}

fn sums<C: Curve>(args: &v::BinaryArgs) -> Result<()> {
    let op = args.binary.op();
    let (a, b) = (Operand::<C>::new(&args.a), Operand::<C>::new(&args.b));
    let negate = args.binary == Binary::Sub;
    if a.is_affine() && b.is_affine() {
        let keep = |n| Ok((with_capacity(op, 2 * n)?, with_capacity(op, n)?, Adder::new(op, n)?));
        return write(op, &args.out, SUMS, keep, &|first, sums, (points, pairs, adder)| {
            let n = sums.len();
            let second = |i| if negate { -b.affine(i) } else { b.affine(i) };
            points.clear();
            points.extend((first..first + n).map(|i| a.affine(i)).chain((first..first + n).map(second)));
            pairs.clear();
            pairs.extend((0..n as u32).map(|i| Pair { a: i, b: i + n as u32, out: i }));
            adder.add(points, pairs, sums);
        });
    }
    normalized(op, &args.out, SUMS, &|i| match (b.is_affine(), negate) {
        (true, false) => a.get(i) + b.affine(i),
        (true, true) => a.get(i) - b.affine(i),
        (false, false) => a.get(i) + b.get(i),
        (false, true) => a.get(i) - b.get(i),
    })
}

pub(crate) fn scalar_mul(_: &Exec, args: &v::ScalarMulArgs) -> Result<()> {
    with_curve!(args.curve, C => products::<C>(args))
}

fn products<C: Curve>(args: &v::ScalarMulArgs) -> Result<()> {
    let op = "points_mul";
    if args.n == 0 {
        return Ok(());
    }
    let points = Operand::<C>::new(&args.points);
    let scalars = In::<<C::Scalar as Field>::Raw>::new(&args.scalars);
    let scalar = |i| scalars.get(if scalars.len() == 1 { 0 } else { i });
    if points.step == 0 {
        let base = FixedBase::<C>::new(op, points.get(0).into(), args.n)?;
        return normalized(op, &args.out, PRODUCTS, &|i| base.times(scalar(i)));
    }
    let product = |i| Jacobian::from(points.get(i)).times_scalar(C::Scalar::from_raw(scalar(i)));
    normalized(op, &args.out, PRODUCTS, &product)
}

pub(crate) fn unary(_: &Exec, args: &v::UnaryArgs) -> Result<()> {
    with_curve!(args.curve, C => signs::<C>(args))
}

fn signs<C: Curve>(args: &v::UnaryArgs) -> Result<()> {
    let (a, negate) = (Operand::<C>::new(&args.a), args.negate);
    let op = if negate { "points_negate" } else { "points_normalize" };
    if a.is_affine() {
        return write(op, &args.out, BLOCK, |_| Ok(()), &|first, points, _| {
            for (i, point) in (first..).zip(points) {
                *point = if negate { -a.affine(i) } else { a.affine(i) };
            }
        });
    }
    normalized(op, &args.out, SUMS, &|i| if negate { -a.get(i) } else { a.get(i) })
}

pub(crate) fn equal(_: &Exec, args: &v::EqualArgs) -> Result<()> {
    with_curve!(args.curve, C => comparisons::<C>(args));
    Ok(())
}

fn comparisons<C: Curve>(args: &v::EqualArgs) {
    let (a, b) = (Operand::<C>::new(&args.a), Operand::<C>::new(&args.b));
    let (out, n) = (Out::<u32>::new(&args.out), args.n);
    indices(n.div_ceil(BLOCK), n > BLOCK, &|block| {
        for i in block * BLOCK..n.min((block + 1) * BLOCK) {
            out.set(i, u32::from(a.get(i) == b.get(i)));
        }
    });
}

pub(crate) fn convert_montgomery(_: &Exec, args: &v::ConvertArgs) -> Result<()> {
    with_curve!(args.curve, C => run::<<C as Curve>::Base>(args));
    Ok(())
}

/// Both forms are arrays of coordinates, each of which is multiplied by the same constant.
fn run<F: Field>(args: &v::ConvertArgs) {
    let input = In::<F::Raw>::new(&args.input);
    let out = Out::<F::Raw>::new(&args.out);
    let factor = F::Prime::montgomery_factor();
    let by = if args.to_montgomery { factor } else { factor.inverse().unwrap_or_default() };
    indices(input.len().div_ceil(BLOCK), true, &|block| {
        for i in block * BLOCK..input.len().min((block + 1) * BLOCK) {
            out.set(i, F::from_raw(input.get(i)).scale(by).to_raw());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point::{PointForm, convert_montgomery};
    use icicle_algebra::curve::{Group, Projective};
    use icicle_device::{Dst, Src};
    use icicle_params::CURVES;
    use icicle_runtime::Launch;

    /// Coefficients times `R`, from the definition, and back in place.
    fn check<C: Curve>() {
        let point = Projective::<C>::from(C::GENERATOR);
        let raw = [point, Projective { x: point.y, y: -point.x, z: point.y }, Projective { z: C::Base::ZERO, ..point }]
            .map(Projective::to_raw);
        let factor = <C::Base as Field>::Prime::from_u64(2).pow(&[8 * <C::Base as Field>::Prime::BYTES as u64]);
        let expected = raw.map(|p| p.map(|c| C::Base::from_raw(c).scale(factor).to_raw()));
        let launch = Launch::default();
        let mut out = [Projective::<C>::NEUTRAL.to_raw(); 3];
        convert_montgomery(
            C::ID,
            PointForm::Projective,
            3,
            Src::from(&raw[..]),
            true,
            &launch,
            Dst::from(&mut out[..]),
        )
        .unwrap();
        assert_eq!(out, expected, "{:?}", C::ID);
        let same = Dst::from(&mut out[..]);
        let input = same.as_src();
        convert_montgomery(C::ID, PointForm::Projective, 3, input, false, &launch, same).unwrap();
        assert_eq!(out, raw, "{:?} in place", C::ID);
        let affine = raw.map(|[x, y, _]| [x, y]);
        let mut out = affine;
        convert_montgomery(C::ID, PointForm::Affine, 3, Src::from(&affine[..]), true, &launch, Dst::from(&mut out[..]))
            .unwrap();
        assert_eq!(out, expected.map(|[x, y, _]| [x, y]), "{:?} affine", C::ID);
    }

    #[test]
    fn conversion_matches_the_definition() {
        CURVES.iter().for_each(|row| with_curve!(row.id, C => check::<C>()));
    }
}
