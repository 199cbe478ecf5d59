//! Polynomials: host sides. The kernels are in `kernels/vec/polynomial.cuh` and `kernels/vec/division.cuh`.
#![allow(unsafe_code)]

use super::call::Call;
use super::vector::{highest_non_zero_on_device, pitch_and_stride};
use crate::args::polynomial as po;
use crate::args::vector::Shape;
use icicle_cuda::scratch::{In, Out, Scratch, finish};
use icicle_cuda::{copy, driver};
use icicle_device::{CopyArgs, Exec, Place};
use icicle_error::{Error, ErrorCode, Result, reserve};
use icicle_kernels::launch::{self as plan, DIVISION_STEP};
use icicle_kernels::{Plan, field};

/// Values of polynomials at points.
pub(crate) fn evaluate(exec: &Exec, args: &po::EvaluateArgs<'_>) -> Result<()> {
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
        let arguments = (pc, pd, target, n, points, batch, pitch, stride, segments, columns);
        call.launch(field::POLYNOMIAL_EVALUATE, grid, arguments)
    }?;
    if partial.is_some() {
        let last = Plan { grid: (1, values.min(65535) as u32), threads: plan::threads(call.words) };
        // SAFETY: `sum_block(a, out, n, batch)`: `segments` results of each value, one after another.
        unsafe { call.launch(field::SUM_BLOCK, last, (target, po, segments, values)) }?;
    }
    out.finish(op, exec)
}

/// Quotients and remainders. What is refused depends on the leading coefficients, so those are waited for; the divisions
/// themselves are enqueued.
pub(crate) fn divide(exec: &Exec, args: &po::DivideArgs<'_>) -> Result<()> {
    let op = "poly_division";
    let call = Call::of_field(op, exec, args.field)?;
    let (batch, columns) = (args.batch, args.columns);
    let (rest, denominator) = (In::copied(op, exec, &args.numerator)?, In::new(op, exec, &args.denominator)?);
    let top = Scratch::new(op, exec, 3 * batch * size_of::<i64>())?;
    let of = |n: usize| Shape { field: args.field, n, batch, columns };
    let row = |i: usize| top.address() + (i * batch * size_of::<i64>()) as u64;
    // SAFETY: the operands' elements, as the arguments' constructor proved; a row of results for each.
    unsafe {
        highest_non_zero_on_device(op, exec, rest.address(), row(0), &of(args.n))?;
        highest_non_zero_on_device(op, exec, denominator.address(), row(1), &of(args.m))
    }?;
    let (m, count) = (args.m as u64, batch as u64);
    let reversed = Scratch::new(op, exec, call.bytes(m * count))?;
    let series = Scratch::new(op, exec, call.bytes(DIVISION_STEP * count))?;
    let (top, reversed, series) = (top.address(), reversed.address(), series.address());
    let (pitch, stride) = pitch_and_stride(m, count, columns);
    let grid = plan::divisions(call.words, m, count, call.sms);
    let arguments = (denominator.address(), top, reversed, series, m, count, pitch, stride);
    // SAFETY: `prepare(denominators, top, reversed, series, m, batch, pitch, stride)`: m·batch elements in this layout, as
    // proved, as many again, `DIVISION_STEP` a vector, and the third row of `top`.
    unsafe { call.launch(field::DIVISION_PREPARE, grid, arguments) }?;
    let steps = steps(args, &read(exec, top, 3 * batch)?)?;

    let (quotient, remainder) = (Out::new(op, exec, &args.quotient)?, Out::new(op, exec, &args.remainder)?);
    let (q, bytes, stream) = (quotient.address(), args.quotient.bytes(), exec.stream());
    if bytes > 0 {
        let gpu = icicle_cuda::gpu::gpu(op, exec.device().index)?;
        // SAFETY: the quotients' own bytes.
        gpu.with(op, ErrorCode::Internal, || unsafe { driver::fill(q, 0, bytes, stream) })?;
    }
    let (n, room) = (args.n as u64, args.r_size as u64);
    let (pitch, _) = pitch_and_stride(n, count, columns);
    let (q_pitch, _) = pitch_and_stride(args.q_size as u64, count, columns);
    for step in 0..steps {
        let arguments = (rest.address(), reversed, series, top, q, step, m, count, pitch, q_pitch, stride);
        // SAFETY: `step(rest, reversed, series, top, quotient, step, m, batch, pitch, q_pitch, stride)`: n·batch elements
        // in this layout, what was prepared, and room for the quotients, as `steps` has checked.
        unsafe { call.launch(field::DIVISION_STEP, grid, arguments) }?;
    }
    if room > 0 {
        let (r_pitch, _) = pitch_and_stride(room, count, columns);
        let grid = plan::divisions(call.words, room, count, call.sms);
        let arguments = (rest.address(), top, remainder.address(), room, count, pitch, r_pitch, stride);
        // SAFETY: `remainder(rest, top, out, room, batch, pitch, out_pitch, stride)`: room·batch results in this layout.
        unsafe { call.launch(field::DIVISION_REMAINDER, grid, arguments) }?;
    }
    quotient.finish(op, exec)?;
    remainder.finish(op, exec)
}

/// Numbers on the device, once the stream has written them.
fn read(exec: &Exec, address: u64, count: usize) -> Result<Vec<i64>> {
    let mut out = reserve::filled("poly_division", count, 0i64)?;
    let copy = CopyArgs {
        dst: out.as_mut_ptr().cast(),
        dst_place: Place::Host,
        src: address as *const u8,
        src_place: Place::Device(exec.device()),
        bytes: size_of_val(out.as_slice()),
        in_order: true,
    };
    // SAFETY: the vector, and scratch memory of the call as long; the copy is done on return.
    unsafe { copy::copy(&exec.with_async(false), &copy) }?;
    Ok(out)
}

/// The steps of the longest division, from the rows of `top`: the numerators' and the denominators' leading coefficients,
/// and whether the latter have inverses.
///
/// # Errors
/// `InvalidArgument` for denominators that do not divide, and capacities too small.
fn steps(args: &po::DivideArgs<'_>, top: &[i64]) -> Result<u64> {
    let refuse = |detail: String| Err(Error::argument("poly_division", detail));
    let (batch, mut longest) = (args.batch, 0);
    for v in 0..batch {
        let [numerator, denominator] = [top[v], top[batch + v]].map(|top| (top + 1) as usize);
        if denominator == 0 {
            return refuse(format!("denominator {v}: must not be zero"));
        }
        if top[2 * batch + v] == 0 {
            return refuse(format!("denominator {v}: its leading coefficient has no inverse"));
        }
        let quotient = (numerator + 1).saturating_sub(denominator);
        for (name, room, need) in [("r_size", args.r_size, numerator), ("q_size", args.q_size, quotient)] {
            if room < need {
                return refuse(format!("{name} {room}: need room for {need} coefficients"));
            }
        }
        longest = longest.max(quotient);
    }
    Ok((longest as u64).div_ceil(DIVISION_STEP))
}
