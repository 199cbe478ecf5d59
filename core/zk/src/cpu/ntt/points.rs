//! Transforms of points: the same network, with scalar multiplications for products.

use super::kernel::Element;
use super::plan::Plan;
use super::reverse::reversed;
use crate::args::ntt::NttArgs;
use icicle_algebra::Field;
use icicle_algebra::curve::{Affine, Curve, Group, Jacobian, Normalizer, Projective};
use icicle_cpu::memory::{In, Out};
use icicle_cpu::parallel::chunks;
use icicle_cpu::scratch::PerThread;
use icicle_device::Device;
use icicle_error::Result;
use icicle_error::reserve::filled;

/// Points made affine by one inversion.
const GRAIN: usize = 1 << 8;

/// A point as a transform works with it.
#[derive(Clone, Copy)]
struct Point<C: Curve>(Jacobian<C>);

impl<C: Curve> Element for Point<C> {
    type Stored = Jacobian<C>;
    type Twiddle = C::Scalar;
    /// A scalar multiplication is work enough for a task.
    const LEAF: usize = 1;
    const VECTORS: bool = false;
    fn load(stored: Jacobian<C>) -> Self {
        Self(stored)
    }
    fn store(self) -> Jacobian<C> {
        self.0
    }
    fn sum(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
    fn difference(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
    fn times(self, by: C::Scalar) -> Self {
        Self(self.0.times_scalar(by))
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
    plan.run::<Point<C>>(&table, &mut points, width);
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
