//! Coordinates of points to and from Montgomery form.

use super::memory::{In, Out};
use crate::algebra::curve::Curve;
use crate::algebra::{Field, PrimeField};
use crate::ops::point as v;
use crate::{Result, with_curve};
use rayon::prelude::*;

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
    (0..input.len().div_ceil(BLOCK)).into_par_iter().for_each(|block| {
        for i in block * BLOCK..input.len().min((block + 1) * BLOCK) {
            out.set(i, F::from_raw(input.get(i)).scale(by).to_raw());
        }
    });
}
