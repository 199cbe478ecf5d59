//! Random points: multiples of the generator.

use crate::args::point::PointForm;
use crate::cpu::fixed_base::FixedBase;
use crate::random;
use icicle_algebra::curve::{Affine, Curve, Jacobian, Normalizer, Projective};
use icicle_algebra::with_curve;
use icicle_algebra::{Field, PrimeField};
use icicle_cpu::parallel::chunks;
use icicle_cpu::scratch::PerThread;
use icicle_error::Result;
use icicle_error::reserve::{collected, filled, with_capacity};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// Points made by one task.
const BLOCK: usize = 1 << 8;

/// Fill with points `s·G`, `s` uniform, in memory form.
pub(crate) fn points(curve: icicle_params::CurveId, form: PointForm, out: &mut [u8]) -> Result<()> {
    with_curve!(curve, C => run::<C>(form, out))
}

const OP: &str = "generate_points";

/// What a block keeps.
struct Kept<C: Curve> {
    scalars: Vec<u8>,
    products: Vec<Jacobian<C>>,
    points: Vec<Affine<C>>,
    normalizer: Normalizer<C>,
}

impl<C: Curve> Kept<C> {
    /// For `n` points.
    fn new(n: usize) -> Result<Self> {
        Ok(Self {
            scalars: filled(OP, n * C::Scalar::BYTES, 0)?,
            products: with_capacity(OP, n)?,
            points: filled(OP, n, Affine::NEUTRAL)?,
            normalizer: Normalizer::new(OP, n)?,
        })
    }
}

fn run<C: Curve>(form: PointForm, out: &mut [u8]) -> Result<()> {
    let point = form.coordinates() * size_of::<<C::Base as Field>::Raw>();
    let n = out.len() / point;
    let generator = FixedBase::<C>::new(OP, C::GENERATOR.into(), n)?;
    let mut seeds = StdRng::from_seed(random::seed(OP)?);
    let mut blocks = collected(OP, out.chunks_mut(point * BLOCK).map(|out| (StdRng::from_rng(&mut seeds), out)))?;
    let kept = PerThread::new(OP, blocks.len(), || Kept::<C>::new(n.min(BLOCK)))?;
    let block = |rng: &mut StdRng, out: &mut [u8], kept: &mut Kept<C>| {
        let n = out.len() / point;
        let Kept { scalars, products, points, normalizer } = kept;
        let (scalars, points) = (&mut scalars[..n * C::Scalar::BYTES], &mut points[..n]);
        random::elements::<C::Scalar>(rng, scalars);
        let scalars = scalars.chunks_exact(C::Scalar::BYTES);
        products.clear();
        products.extend(scalars.map(|scalar| generator.times(bytemuck::pod_read_unaligned(scalar))));
        normalizer.normalize(products, points);
        for (slot, &affine) in out.chunks_exact_mut(point).zip(points.iter()) {
            match form {
                PointForm::Affine => slot.copy_from_slice(bytemuck::bytes_of(&affine.to_raw())),
                PointForm::Projective => slot.copy_from_slice(bytemuck::bytes_of(&Projective::from(affine).to_raw())),
            }
        }
    };
    chunks(&mut blocks, 1, &|_, one| {
        kept.lend(|kept| one.iter_mut().for_each(|(rng, out)| block(rng, out, kept)));
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use icicle_algebra::curve::Group;
    use icicle_params::CURVES;

    #[test]
    fn points_are_of_the_prime_order_group_and_differ() {
        for row in CURVES {
            with_curve!(row.id, C => {
                type Raw = <<C as Curve>::Base as Field>::Raw;
                for n in [1, 63, BLOCK + 3] {
                    let mut out = vec![0; n * size_of::<[Raw; 2]>()];
                    points(row.id, PointForm::Affine, &mut out).unwrap();
                    let raw: Vec<[Raw; 2]> =
                        out.chunks(size_of::<[Raw; 2]>()).map(bytemuck::pod_read_unaligned).collect();
                    for (i, &raw) in raw.iter().enumerate() {
                        let point = Affine::<C>::from_raw_checked(raw).unwrap();
                        assert!(point.is_on_curve() && !point.is_neutral(), "{} {i}", row.name);
                    }
                    let last = Jacobian::<C>::from(Affine::from_raw(raw[n - 1]));
                    assert!(last.times(<C as Curve>::Scalar::MODULUS).is_neutral(), "{}", row.name);
                    assert!(n == 1 || raw[0] != raw[n - 1]);
                }
            });
        }
    }
}
