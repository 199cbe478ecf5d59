//! Random points: multiples of the generator.

use crate::algebra::curve::{Affine, Curve, Jacobian, Projective, normalize};
use crate::algebra::{Field, PrimeField};
use crate::cpu::fixed_base::FixedBase;
use crate::cpu::parallel::chunks;
use crate::ops::point::PointForm;
use crate::{Result, with_curve};
use std::sync::OnceLock;

/// Points made by one task.
const BLOCK: usize = 1 << 8;

/// Fill with points `s·G`, `s` uniform, in memory form.
pub(crate) fn points(curve: crate::CurveId, form: PointForm, out: &mut [u8]) -> Result<()> {
    with_curve!(curve, C => run::<C>(form, out))
}

fn run<C: Curve>(form: PointForm, out: &mut [u8]) -> Result<()> {
    let point = form.coordinates() * size_of::<<C::Base as Field>::Raw>();
    let generator = FixedBase::<C>::new(C::GENERATOR.into(), out.len() / point);
    let block = |out: &mut [u8]| -> Result<()> {
        let n = out.len() / point;
        let mut scalars = vec![0; n * C::Scalar::BYTES];
        crate::ops::random::field(C::ID.info().scalar, &mut scalars)?;
        let products: Vec<Jacobian<C>> = scalars
            .chunks_exact(C::Scalar::BYTES)
            .map(|scalar| generator.times(bytemuck::pod_read_unaligned(scalar)))
            .collect();
        let mut points = vec![Affine::NEUTRAL; n];
        normalize(&products, &mut points);
        for (slot, affine) in out.chunks_exact_mut(point).zip(points) {
            match form {
                PointForm::Affine => slot.copy_from_slice(bytemuck::bytes_of(&affine.to_raw())),
                PointForm::Projective => slot.copy_from_slice(bytemuck::bytes_of(&Projective::from(affine).to_raw())),
            }
        }
        Ok(())
    };
    let failed = OnceLock::new();
    chunks(out, point * BLOCK, &|_, out| {
        if let Err(error) = block(out) {
            // Whichever block was first.
            let _ = failed.set(error);
        }
    });
    failed.into_inner().map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CURVES;
    use crate::algebra::curve::Group;

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
