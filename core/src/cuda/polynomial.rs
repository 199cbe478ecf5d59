//! Polynomials: host sides. The kernels are in `kernels/vec/polynomial.cuh`.
#![allow(unsafe_code)]

use super::call::Call;
use super::launch::KernelArg;
use super::scratch::{In, Out, Scratch, finish};
use crate::Result;
use crate::device::Exec;
use crate::ops::polynomial as po;

/// Values of polynomials at points.
pub(super) fn evaluate(exec: &Exec, args: &po::EvaluateArgs<'_>) -> Result<()> {
    let op = "poly_eval";
    let (n, points, batch) = (args.n as u64, args.points as u64, args.batch as u64);
    let values = points * batch;
    if values == 0 {
        return finish(op, exec);
    }
    let call = Call::of_field(op, exec, args.field)?;
    let (coeffs, domain) = (In::new(op, exec, &args.coeffs)?, In::new(op, exec, &args.domain)?);
    let out = Out::new(op, exec, &args.out)?;
    let (pc, pd, po) = (coeffs.address(), domain.address(), out.address());
    let (pitch, stride) = if args.columns { (1, batch) } else { (n, 1) };
    // Several blocks a value where values alone do not fill the device; each with 64 coefficients a thread or more.
    let most = n.div_ceil(64 * u64::from(call.threads)).max(1);
    let segments = (4 * call.units()).div_ceil(values).clamp(1, most);
    let columns = u32::from(args.columns);
    let partial = match segments {
        1 => None,
        _ => Some(Scratch::new(op, exec, (values * segments) as usize * call.words * 4)?),
    };
    let target = partial.as_ref().map_or(po, Scratch::address);
    let grid = call.blocks(values * segments, 1);
    // SAFETY: `polynomial_evaluate(coefficients, domain, out, n, points, batch, pitch, stride, segments, columns)`:
    // n·batch coefficients in this layout, as proved; `segments` results a value.
    unsafe {
        let arguments: [&dyn KernelArg; 10] =
            [&pc, &pd, &target, &n, &points, &batch, &pitch, &stride, &segments, &columns];
        call.launch("polynomial_evaluate", grid, &arguments)
    }?;
    if partial.is_some() {
        // SAFETY: `sum_block(a, out, n, batch)`: `segments` results of each value, one after another.
        unsafe { call.launch("sum_block", call.blocks(1, values), &[&target, &po, &segments, &values]) }?;
    }
    out.finish(op, exec)
}
