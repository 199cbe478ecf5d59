//! Transforms of points: host side. The kernels are in `kernels/ecntt/`; order, twiddles and cosets are those of
//! transforms of field elements, level by level.
#![allow(unsafe_code)]

use super::{Steps, generator, powers};
use crate::args::ntt::{Direction, EcNttArgs, NttArgs};
use crate::cuda::call::{self, Call};
use crate::cuda::domain::{self, Bits, Domain, ONE};
use crate::cuda::images;
use icicle_cuda::scratch::{In, Out, Scratch};
use icicle_device::Exec;
use icicle_error::Result;
use icicle_kernels::ecntt::{self as kernels, Step};
use icicle_kernels::launch as plan;
use icicle_kernels::ntt::{PRODUCTS, SHIFT};
use icicle_params::CurveId;

const OP: &str = "ecntt";

/// Whether this build has the kernels of a curve group.
pub(crate) fn has_kernels(curve: CurveId) -> bool {
    curve.info().ecntt && images::ecntt(curve).is_ok() && call::has_kernels(curve.info().scalar)
}

/// Transform every vector of points; results are `(x, y, 1)` or `(0, 1, 0)`.
pub(crate) fn ecntt(exec: &Exec, args: &EcNttArgs<'_>) -> Result<()> {
    let ntt = &args.ntt;
    let known = domain::find(OP, exec.device(), ntt.field, ntt.log_n)?;
    let scalars = Call::of_field(OP, exec, ntt.field)?;
    let steps = Steps::new(ntt.direction, ntt.ordering);
    // In natural order the network's other side is in reversed order.
    let (first, last) = if steps.down { (steps.reverse, steps.mirrored) } else { (steps.mirrored, steps.reverse) };
    let job = Job::new(exec, args)?;
    let tables = Tables::new(&scalars, &known, ntt, steps)?;

    let (a, out) = (In::new(OP, exec, &ntt.input)?, Out::new(OP, exec, &ntt.out)?);
    let places = |reverse: bool| (ntt.log_n, job.width, job.count, u32::from(reverse));
    let (log_n, width, count, reverse) = places(first);
    // SAFETY: `load(a, points, log_n, width, count, reverse)`: count points, as proved, and as many in scratch memory.
    unsafe {
        job.curve.launch(
            kernels::LOAD,
            kernels::load(count),
            (a.address(), job.points.address(), log_n, width, count, reverse),
        )
    }?;
    if !steps.down {
        tables.multiply(&job)?;
    }
    for i in 0..ntt.log_n {
        let level = if steps.down { i } else { ntt.log_n - 1 - i };
        let step = if steps.down { Step::Down } else { Step::Up };
        job.pass(tables.twiddles, count / 2, [ntt.log_n, level, step as u32, u32::from(tables.by_level.is_some()), 0])?;
    }
    if steps.down {
        tables.multiply(&job)?;
    }
    let (log_n, width, count, reverse) = places(last);
    // SAFETY: `store(points, out, log_n, width, count, reverse)`: as above.
    unsafe {
        job.curve.launch(
            kernels::STORE,
            plan::runs(count, scalars.sms),
            (job.points.address(), out.address(), log_n, width, count, reverse),
        )
    }?;
    out.finish(OP, exec)
}

/// What all launches of a call share.
struct Job<'a> {
    curve: Call<'a>,
    /// Points of a row, and of all.
    width: u64,
    count: u64,
    /// All points, and multiples for the threads of a pass.
    points: Scratch,
    multiples: Scratch,
}

impl<'a> Job<'a> {
    fn new(exec: &'a Exec, args: &EcNttArgs<'_>) -> Result<Self> {
        let (curve, ntt) = (args.curve, &args.ntt);
        let curve = Call::of_curve(OP, exec, curve, images::ecntt(curve))?;
        let count = (ntt.batch as u64) << ntt.log_n;
        let points = Scratch::new(OP, exec, curve.bytes(3 * count))?;
        // Passes over pairs, and one over all points.
        let most = [count / 2, count].map(|count| kernels::pass(count, curve.sms).multiples).into_iter().max();
        let multiples = Scratch::new(OP, exec, curve.bytes(most.unwrap_or(0)))?;
        let width = if ntt.columns { ntt.batch as u64 } else { 1 };
        Ok(Self { curve, width, count, points, multiples })
    }

    /// Enqueue a pass over `count` pairs or points with a table of scalars.
    fn pass(&self, table: u64, count: u64, shape: [u32; 5]) -> Result<()> {
        let pass = kernels::pass(count, self.curve.sms);
        let (points, multiples) = (self.points.address(), self.multiples.address());
        let kernel = pass.kernel(kernels::ALONE, kernels::TOGETHER);
        // SAFETY: `pass(points, table, multiples, width, count, shape)`: all points, the scalars that the shape reaches,
        // and multiples for as many threads.
        unsafe { self.curve.launch(kernel, pass.plan, (points, table, multiples, self.width, count, shape)) }
    }
}

/// The scalars of a transform: twiddles, and factors of the points in reversed order.
struct Tables {
    twiddles: u64,
    by_level: Option<Scratch>,
    /// Factors and what rows are masked with to find theirs.
    factors: Option<(u64, u32)>,
    _factors: Option<Scratch>,
}

impl Tables {
    fn new(call: &Call<'_>, known: &Domain, args: &NttArgs<'_>, steps: Steps) -> Result<Self> {
        let (exec, field, log_n) = (call.exec, args.field, args.log_n);
        let mut tables = Self { twiddles: 0, by_level: None, factors: None, _factors: None };
        if log_n == 0 {
            return Ok(tables);
        }
        tables.twiddles = known.twiddles(OP, args.direction, log_n)?.address(OP, exec)?;
        if args.direction == Direction::Inverse {
            let entry = call.bytes(u64::from(log_n)) as u64;
            tables.factors = Some((known.halves(OP)?.address(OP, exec)? + entry, 0));
        }
        if let Some(bits) = powers(call, args, steps) {
            let factors = Scratch::new(OP, exec, call.bytes(1 << log_n))?;
            // SAFETY: `products(out, count, bits)`: 2^count elements.
            unsafe { call.launch(PRODUCTS, plan::chunks(log_n, 1), (factors.address(), log_n, bits)) }?;
            tables.factors = Some((factors.address(), ((1u64 << log_n) - 1) as u32));
            tables._factors = Some(factors);
        } else if let Some(g) = generator(field, args) {
            let bits = Bits::new(call.words, &ONE, &domain::squares(field, &g, log_n));
            let shifted = Scratch::new(OP, exec, call.bytes(1 << log_n))?;
            let grid = plan::elements(call.words, 1 << log_n, call.sms);
            let arguments = (tables.twiddles, shifted.address(), log_n, log_n, bits);
            // SAFETY: `shift(table, out, log_n, levels, bits)`: 2^(levels-1) twiddles at least, 2^levels elements.
            unsafe { call.launch(SHIFT, grid, arguments) }?;
            tables.twiddles = shifted.address();
            tables.by_level = Some(shifted);
        }
        Ok(tables)
    }

    /// Multiply every point by its factor, if there are any.
    fn multiply(&self, job: &Job<'_>) -> Result<()> {
        let Some((factors, mask)) = self.factors else { return Ok(()) };
        job.pass(factors, job.count, [31, 0, Step::Multiply as u32, 0, mask])
    }
}
