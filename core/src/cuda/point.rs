//! Arrays of curve points: host side. Both forms are vectors of coordinates.
#![allow(unsafe_code)]

use super::call::Call;
use super::scratch::{In, Out, finish};
use crate::Result;
use crate::device::Exec;
use crate::ops::point as v;
use icicle_kernels::launch as plan;

/// Every coordinate to or from Montgomery form.
pub(super) fn convert_montgomery(exec: &Exec, args: &v::ConvertArgs<'_>) -> Result<()> {
    let op = match args.form {
        v::PointForm::Affine => "affine_convert_montgomery",
        v::PointForm::Projective => "projective_convert_montgomery",
    };
    if args.n == 0 {
        return finish(op, exec);
    }
    let call = Call::of_field(op, exec, args.curve.info().base)?;
    let (a, out) = (In::new(op, exec, &args.input)?, Out::new(op, exec, &args.out)?);
    let n = (args.n * args.form.coordinates()) as u64;
    let step = if args.to_montgomery { "encode" } else { "decode" };
    let grid = plan::elements(call.words, n, call.sms);
    // SAFETY: `step(a, out, n)`: each holds n coordinates, as proved.
    unsafe { call.launch(step, grid, &[&a.address(), &out.address(), &n]) }?;
    out.finish(op, exec)
}
