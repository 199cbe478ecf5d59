//! Arrays of curve points: host side. The kernels are in `kernels/point/`; conversions of coordinates are those of fields.
#![allow(unsafe_code)]

use super::call::Call;
use crate::args::point as v;
use crate::args::point::PointForm;
use icicle_cuda::scratch::{In, Out, Scratch, finish};
use icicle_device::Exec;
use icicle_error::Result;
use icicle_kernels::launch as plan;
use icicle_kernels::point::{self, PART, each};
use icicle_kernels::{ecntt, field};
use icicle_params::CurveId;

/// Whether this build has the kernels of a curve group.
pub(crate) fn has_kernels(curve: CurveId) -> bool {
    super::images::msm(curve).is_ok()
}

/// An operand on the device.
struct Operand {
    memory: In,
    projective: bool,
    /// Points from one to the next: none for one that stands for all.
    step: u64,
    /// Bytes of a point.
    bytes: usize,
}

impl Operand {
    /// As kernels take it, a `PointsIn`, from point `first` on.
    fn from(&self, first: u64) -> [u64; 3] {
        let address = self.memory.address() + first * self.step * self.bytes as u64;
        [address, self.step, u64::from(self.projective)]
    }
}

impl<'a> Call<'a> {
    fn of_points(op: &'static str, exec: &'a Exec, curve: CurveId) -> Result<Self> {
        Self::of_curve(op, exec, curve, super::images::msm(curve))
    }

    fn operand(&self, points: &v::Points<'_>) -> Result<Operand> {
        let memory = In::new(self.op, self.exec, &points.src)?;
        let bytes = self.bytes(points.form.coordinates() as u64);
        let step = u64::from(points.src.bytes() != bytes);
        Ok(Operand { memory, projective: points.form == PointForm::Projective, step, bytes })
    }

    /// Have points computed in parts, each given by its first and its number, into scratch memory, and write them
    /// normalised. A part's operands are read before it is written.
    fn produce(
        &self,
        n: usize,
        out: &v::PointsMut<'_>,
        compute: &dyn Fn(u64, u64, &Scratch) -> Result<()>,
    ) -> Result<()> {
        let (op, exec, n) = (self.op, self.exec, n as u64);
        let (to, pitch) = (Out::new(op, exec, &out.dst)?, self.bytes(out.form.coordinates() as u64) as u64);
        let projective = u32::from(out.form == PointForm::Projective);
        let points = Scratch::new(op, exec, self.bytes(3 * n.min(PART)))?;
        for first in (0..n).step_by(PART as usize) {
            let count = PART.min(n - first);
            compute(first, count, &points)?;
            let (place, grid) = (to.address() + first * pitch, plan::runs(count, self.sms));
            // SAFETY: `store(points, out, n, projective)`: count points in scratch memory, and room for as many.
            unsafe { self.launch(point::STORE, grid, (points.address(), place, count, projective)) }?;
        }
        to.finish(op, exec)
    }
}

/// `out = a ± b`.
pub(crate) fn binary(exec: &Exec, args: &v::BinaryArgs<'_>) -> Result<()> {
    let (op, negate) = match args.binary {
        v::Binary::Add => ("points_add", 0u32),
        v::Binary::Sub => ("points_sub", 1),
    };
    if args.n == 0 {
        return finish(op, exec);
    }
    let job = Call::of_points(op, exec, args.curve)?;
    let (a, b) = (job.operand(&args.a)?, job.operand(&args.b)?);
    job.produce(args.n, &args.out, &|first, count, points| {
        let arguments = (a.from(first), b.from(first), points.address(), count, negate);
        // SAFETY: `sum(a, b, points, n, negate)`: count points each, or one, as proved, and as many in scratch memory.
        unsafe { job.launch(point::SUM, each(count), arguments) }
    })
}

/// `out = s·p`.
pub(crate) fn scalar_mul(exec: &Exec, args: &v::ScalarMulArgs<'_>) -> Result<()> {
    let op = "points_mul";
    if args.n == 0 {
        return finish(op, exec);
    }
    let job = Call::of_points(op, exec, args.curve)?;
    let (a, scalars) = (job.operand(&args.points)?, In::new(op, exec, &args.scalars)?);
    let scalar = args.curve.info().scalar.info().bytes();
    let step = u64::from(args.scalars.bytes() != scalar);
    // The last part may be the only one that eight threads a point take together.
    let (all, n) = (ecntt::pass(PART.min(args.n as u64), job.sms), args.n as u64);
    let last = ecntt::pass(n - (n - 1) / PART * PART, job.sms);
    let multiples = Scratch::new(op, exec, job.bytes(all.multiples.max(last.multiples)))?;
    job.produce(args.n, &args.out, &|first, count, points| {
        let pass = ecntt::pass(count, job.sms);
        let from = scalars.address() + first * step * scalar as u64;
        let (kernel, room) = (pass.kernel(point::MUL_ALONE, point::MUL_TOGETHER), multiples.address());
        let arguments = (a.from(first), from, step, points.address(), room, count);
        // SAFETY: `mul(a, scalars, scalar_step, points, multiples, n)`: count points and scalars, or one, as proved, as
        // many points in scratch memory, and multiples for the threads of this grid.
        unsafe { job.launch(kernel, pass.plan, arguments) }
    })
}

/// `out = ±a`.
pub(crate) fn unary(exec: &Exec, args: &v::UnaryArgs<'_>) -> Result<()> {
    let op = if args.negate { "points_negate" } else { "points_normalize" };
    if args.n == 0 {
        return finish(op, exec);
    }
    let job = Call::of_points(op, exec, args.curve)?;
    let (a, negate) = (job.operand(&args.a)?, u32::from(args.negate));
    if !a.projective {
        let out = Out::new(op, exec, &args.out.dst)?;
        let (n, projective) = (args.n as u64, u32::from(args.out.form == PointForm::Projective));
        let arguments = (a.from(0), out.address(), n, projective, negate);
        // SAFETY: `copy(a, out, n, projective, negate)`: n affine points and room for as many, as proved; in place each
        // thread writes what it alone has read.
        unsafe { job.launch(point::COPY, each(n), arguments) }?;
        return out.finish(op, exec);
    }
    job.produce(args.n, &args.out, &|first, count, points| {
        let arguments = (a.from(first), points.address(), count, negate);
        // SAFETY: `load(a, points, n, negate)`: count points, as proved, and as many in scratch memory.
        unsafe { job.launch(point::LOAD, each(count), arguments) }
    })
}

/// Whether `a = b`, as `u32`.
pub(crate) fn equal(exec: &Exec, args: &v::EqualArgs<'_>) -> Result<()> {
    let op = "points_equal";
    if args.n == 0 {
        return finish(op, exec);
    }
    let job = Call::of_points(op, exec, args.curve)?;
    let (a, b) = (job.operand(&args.a)?, job.operand(&args.b)?);
    let (out, n) = (Out::new(op, exec, &args.out)?, args.n as u64);
    // SAFETY: `equal(a, b, out, n)`: n points each, or one, and n words, as proved.
    unsafe { job.launch(point::EQUAL, each(n), (a.from(0), b.from(0), out.address(), n)) }?;
    out.finish(op, exec)
}

/// Every coordinate to or from Montgomery form.
pub(crate) fn convert_montgomery(exec: &Exec, args: &v::ConvertArgs<'_>) -> Result<()> {
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
    let step = if args.to_montgomery { field::ENCODE } else { field::DECODE };
    let grid = plan::elements(call.words, n, call.sms);
    // SAFETY: `step(a, out, n)`: each holds n coordinates, as proved.
    unsafe { call.launch(step, grid, (a.address(), out.address(), n)) }?;
    out.finish(op, exec)
}
