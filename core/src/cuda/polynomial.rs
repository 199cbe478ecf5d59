//! Polynomials: host sides. The kernels are in `kernels/vec/polynomial.cuh`.
#![allow(unsafe_code)]

use super::call::Call;
use super::launch::KernelArg;
use super::scratch::{In, Out, Scratch, finish};
use crate::Result;
use crate::device::Exec;
use crate::ops::polynomial as po;
use icicle_kernels::Plan;
use icicle_kernels::launch as plan;

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
    let segments = plan::polynomial_segments(call.words, n, values, call.sms);
    let columns = u32::from(args.columns);
    let partial = match segments {
        1 => None,
        _ => Some(Scratch::new(op, exec, call.bytes(values * segments))?),
    };
    let target = partial.as_ref().map_or(po, Scratch::address);
    let grid = plan::blocks(call.words, values, segments);
    // SAFETY: `polynomial_evaluate(coefficients, domain, out, n, points, batch, pitch, stride, segments, columns)`:
    // n·batch coefficients in this layout, as proved; `segments` results a value.
    unsafe {
        let arguments: [&dyn KernelArg; 10] =
            [&pc, &pd, &target, &n, &points, &batch, &pitch, &stride, &segments, &columns];
        call.launch("polynomial_evaluate", grid, &arguments)
    }?;
    if partial.is_some() {
        let last = Plan { grid: (1, values.min(65535) as u32), threads: plan::threads(call.words) };
        // SAFETY: `sum_block(a, out, n, batch)`: `segments` results of each value, one after another.
        unsafe { call.launch("sum_block", last, &[&target, &po, &segments, &values]) }?;
    }
    out.finish(op, exec)
}
