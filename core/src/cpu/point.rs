//! Coordinates of points to and from Montgomery form.

use super::memory::{In, Out};
use super::parallel::indices;
use crate::algebra::curve::Curve;
use crate::algebra::{Field, PrimeField};
use crate::ops::point as v;
use crate::{Result, with_curve};

/// Coordinates converted by one task.
const BLOCK: usize = 1 << 10;

/// See [`Ops::point_convert_montgomery`](crate::ops::Ops::point_convert_montgomery).
pub(crate) fn convert_montgomery(args: &v::ConvertArgs) -> Result<()> {
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
    use crate::CURVES;
    use crate::algebra::curve::{Group, Projective};
    use crate::device::{Dst, Launch, Src};
    use crate::ops::point::{PointForm, convert_montgomery};

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
