//! Transforms of points: the same network, with scalar multiplications for products.

use super::kernel::Element;
use super::plan::Plan;
use super::reverse::reversed;
use crate::Result;
use crate::algebra::Field;
use crate::algebra::curve::{Affine, Curve, Group, Jacobian, Normalizer, Projective};
use crate::cpu::memory::{In, Out};
use crate::cpu::parallel::chunks;
use crate::cpu::scratch::PerThread;
use crate::device::Device;
use crate::ops::ntt::NttArgs;
use crate::reserve::filled;

/// Points made affine by one inversion.
const GRAIN: usize = 1 << 8;

impl<C: Curve> Element for Jacobian<C> {
    type Stored = Self;
    type Twiddle = C::Scalar;
    /// A scalar multiplication is work enough for a task.
    const LEAF: usize = 1;
    const VECTORS: bool = false;
    fn load(stored: Self) -> Self {
        stored
    }
    fn store(self) -> Self {
        self
    }
    fn sum(self, other: Self) -> Self {
        self + other
    }
    fn difference(self, other: Self) -> Self {
        self - other
    }
    fn times(self, by: C::Scalar) -> Self {
        self.times_scalar(by)
    }
}

type Raw<C> = [<<C as Curve>::Base as Field>::Raw; 3];

/// Transform points of a curve; outputs are normalised, `(x, y, 1)` or `(0, 1, 0)`.
pub(super) fn transform<C: Curve>(device: Device, args: &NttArgs) -> Result<()>
where
    Raw<C>: bytemuck::Pod,
{
    let plan = Plan::<C::Scalar>::new("ecntt", device, args)?;
    let width = if args.columns { args.batch } else { 1 };
    let (src, dst) = (In::<Raw<C>>::new(&args.input), Out::<Raw<C>>::new(&args.out));
    let log_n = args.log_n;
    // Where row `at` comes from or goes to.
    let place = |at: usize, reverse: bool| {
        let (row, column) = (at / width, at % width);
        let (first, i) = (row >> log_n << log_n, row & ((1 << log_n) - 1));
        if reverse { (first + reversed(i, log_n)) * width + column } else { at }
    };
    let load = |at| Jacobian::<C>::from(Projective::from_raw(src.get(place(at, plan.reverse_first))));
    // Before anything is written, as this may fail.
    let table = plan.twiddles(log_n)?;
    let mut points = filled("ecntt", src.len(), Jacobian::<C>::NEUTRAL)?;
    let kept = PerThread::new("ecntt", points.len().div_ceil(GRAIN), || {
        let n = src.len().min(GRAIN);
        Ok((filled("ecntt", n, Affine::NEUTRAL)?, Normalizer::new("ecntt", n)?))
    })?;
    chunks(&mut points, GRAIN, &|chunk, points| {
        points.iter_mut().enumerate().for_each(|(i, point)| *point = load(chunk * GRAIN + i));
    });
    plan.run::<Jacobian<C>>(&table, &mut points, width);
    let write = |chunk: usize, points: &[Affine<C>]| {
        for (i, &point) in points.iter().enumerate() {
            dst.set(place(chunk * GRAIN + i, plan.reverse_last), Projective::from(point).to_raw());
        }
    };
    chunks(&mut points, GRAIN, &|chunk, points| {
        kept.lend(|(affine, normalizer)| {
            let affine = &mut affine[..points.len()];
            normalizer.normalize(points, affine);
            write(chunk, affine);
        });
    });
    Ok(())
}
