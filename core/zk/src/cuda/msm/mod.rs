//! Multi-scalar multiplication: host side. The kernels are in `kernels/msm/`, their parameters and the scratch memory
//! they need in `icicle_kernels::msm`. Nothing is waited for: how many digits are not zero only the device knows, so
//! launches are sized for the most there can be.
#![allow(unsafe_code)]

mod feed;
mod finish;
mod plan;

use super::call::{Call, Size};
use crate::args::msm as v;
use feed::Feed;
use icicle_cuda::launch::Dim;
use icicle_cuda::scratch::{In, Out, Scratch, finish};
use icicle_cuda::side::Side;
use icicle_cuda::{driver, images, pool};
use icicle_device::{Exec, Place, Src};
use icicle_error::{ErrorCode, Result};
use icicle_kernels::msm::{self as kernels, MERGE_THREADS, Regions, SCAN_BLOCK, Shape, TOGETHER};
use icicle_kernels::{names, sort};
use icicle_params::CurveId;
use plan::Plan;
use std::ops::Range;

/// Scratch memory that is taken without asking how much there is.
const MODEST: u64 = 1 << 29;

/// Whether this build has the kernels of a curve group.
pub(crate) fn has_kernels(curve: CurveId) -> bool {
    super::images::msm(curve).is_ok() && images::image(names::SORT).is_ok()
}

/// `out[b] = Σ_i scalars[b][i]·bases[i]`.
pub(crate) fn msm(exec: &Exec, args: &v::MsmArgs<'_>) -> Result<()> {
    let op = "msm";
    let job = Job::new(op, exec, args.curve)?;
    let out = Out::new(op, exec, &args.out)?;
    let (parts, budget) = job.parts(args)?;
    // Each part has all buckets to itself, however few its points are.
    let plan = Plan::choose(args, args.n / parts.len().max(1), job.point as usize);
    let rows = Scratch::new(op, exec, args.batch * plan.windows as usize * 2 * job.point as usize)?;
    match parts.len() {
        0 => {}
        1 => job.at_once(args, &plan, budget, rows.address())?,
        _ => job.in_parts(args, &plan, budget, &parts, rows.address())?,
    }
    job.finish(&plan, if args.n > 0 { plan.windows } else { 0 }, &rows, &out, args.batch)?;
    out.finish(op, exec)
}

/// `out[factor·i + j] = 2^(shift·j)·bases[i]`.
pub(crate) fn precompute(exec: &Exec, args: &v::PrecomputeArgs<'_>) -> Result<()> {
    let op = "msm_precompute_bases";
    if args.n == 0 {
        return finish(op, exec);
    }
    let job = Job::new(op, exec, args.curve)?;
    let (a, out) = (In::new(op, exec, &args.bases)?, Out::new(op, exec, &args.out)?);
    let (n, factor, montgomery) = (args.n as u64, args.factor as u64, u32::from(args.points_montgomery));
    // SAFETY: `precompute(a, out, n, factor, shift, montgomery)`: n points in, n·factor out, as proved. In place only
    // with factor 1, where each thread writes what it alone has read.
    unsafe {
        job.call.launch(
            kernels::PRECOMPUTE,
            grid(n.min(1 << 30), 1, 128),
            (a.address(), out.address(), n, factor, args.shift, montgomery),
        )
    }?;
    out.finish(op, exec)
}

/// What all launches of a call share.
struct Job<'a> {
    call: Call<'a>,
    sort: Call<'a>,
    curve: CurveId,
    /// Bytes of an affine point; an extended Jacobian one has twice as many.
    point: u64,
    /// Bytes of a scalar.
    scalar: u64,
}

/// One launch set.
struct Part {
    /// Points of a multiplication.
    n: usize,
    batch: u64,
    window: u32,
    windows: u32,
    /// Whether the points are yet to be converted.
    convert: bool,
    /// Whether the rows hold the sums of other points already.
    more: bool,
    /// Addresses of the first multiplication's scalars, bases and row sums.
    scalars: u64,
    bases: u64,
    rows: u64,
}

impl<'a> Job<'a> {
    fn new(op: &'static str, exec: &'a Exec, curve: CurveId) -> Result<Self> {
        let call = Call::of_curve(op, exec, curve, super::images::msm(curve))?;
        let sort = call.sort()?;
        let row = curve.info();
        let point = 2 * row.base.info().bytes() as u64;
        Ok(Self { call, sort, curve, point, scalar: row.scalar.info().bytes() as u64 })
    }

    /// The points that are taken at a time, and the scratch memory that may be used for them.
    fn parts(&self, args: &v::MsmArgs<'_>) -> Result<(Vec<Range<usize>>, u64)> {
        let units = self.call.sms;
        let plan = Plan::choose(args, args.n, self.point as usize);
        let all = plan::shape(args, args.n, &plan, args.batch as u64, plan.windows, units);
        let is_modest = all.is_countable() && all.bytes(self.point) <= MODEST;
        let budget = if is_modest { MODEST } else { self.budget()? };
        let most = plan::points_at_once(args, self.point, units, budget);
        let bytes_of = |src: &Src<'_>| match src.place() == Place::Device(self.call.exec.device()) {
            true => 0,
            false => (src.bytes() / args.n.max(1)) as u64,
        };
        let bytes = bytes_of(&args.scalars) + bytes_of(&args.bases);
        Ok((feed::parts(self.call.op, args.n, bytes, most)?, budget))
    }

    /// Half of what the device could still give.
    fn budget(&self) -> Result<u64> {
        let stats = pool::stats(self.call.gpu)?;
        Ok(((stats.free + stats.reserved.saturating_sub(stats.used)) / 2).max(MODEST))
    }

    /// All points, as many multiplications and windows together as the budget allows.
    fn at_once(&self, args: &v::MsmArgs<'_>, plan: &Plan, budget: u64, rows: u64) -> Result<()> {
        let (scalars, bases) = (
            In::new(self.call.op, self.call.exec, &args.scalars)?,
            In::new(self.call.op, self.call.exec, &args.bases)?,
        );
        let (batch, windows) = plan::group(args, args.n, plan, self.point, self.call.sms, budget);
        let largest = plan::shape(args, args.n, plan, batch, windows, self.call.sms);
        let scratch = Scratch::new(self.call.op, self.call.exec, largest.bytes(self.point) as usize)?;
        let mut first = 0;
        while first < args.batch as u64 {
            let set = if args.shared_points { 0 } else { first * largest.entries * self.point };
            let part = Part {
                n: args.n,
                batch: batch.min(args.batch as u64 - first),
                window: 0,
                windows,
                // Points of a shared set are converted once.
                convert: first == 0 || !args.shared_points,
                more: false,
                scalars: scalars.address() + first * args.n as u64 * self.scalar,
                bases: bases.address() + set,
                rows: rows + first * u64::from(plan.windows) * 2 * self.point,
            };
            self.windows(args, plan, part, &largest, scratch.address())?;
            first += batch;
        }
        Ok(())
    }

    /// Some of the points at a time, brought while the ones before are worked on, one multiplication after another.
    fn in_parts(
        &self,
        args: &v::MsmArgs<'_>,
        plan: &Plan,
        budget: u64,
        parts: &[Range<usize>],
        rows: u64,
    ) -> Result<()> {
        let (op, exec) = (self.call.op, self.call.exec);
        let most = parts.iter().map(Range::len).max().unwrap_or(0);
        let (scalar, point) = (self.scalar as usize, args.precompute_factor * self.point as usize);
        // As if there were one multiplication.
        let (_, windows) = plan::group(args, most, plan, self.point, self.call.sms, budget);
        let largest = plan::shape(args, most, plan, 1, windows, self.call.sms);
        let scratch = Scratch::new(op, exec, largest.bytes(self.point) as usize)?;
        let mut scalars = Feed::new(op, exec, &args.scalars, most * scalar)?;
        let mut bases = Feed::new(op, exec, &args.bases, most * point)?;
        let side = Side::new(op, exec)?;
        let mut at = 0;
        for range in parts {
            for b in 0..args.batch {
                let fresh = b == 0 || !args.shared_points;
                if fresh {
                    let set = if args.shared_points { 0 } else { b * args.n };
                    at = bases.bring(op, &side, (set + range.start) * point, range.len() * point)?;
                }
                let part = Part {
                    n: range.len(),
                    batch: 1,
                    window: 0,
                    windows,
                    convert: fresh,
                    more: range.start > 0,
                    scalars: scalars.bring(op, &side, (b * args.n + range.start) * scalar, range.len() * scalar)?,
                    bases: at,
                    rows: rows + b as u64 * u64::from(plan.windows) * 2 * self.point,
                };
                self.windows(args, plan, part, &largest, scratch.address())?;
                scalars.release(op, exec)?;
                bases.release(op, exec)?;
            }
        }
        Ok(())
    }

    /// All windows of some multiplications, `part.windows` at a time.
    fn windows(&self, args: &v::MsmArgs<'_>, plan: &Plan, part: Part, largest: &Shape, scratch: u64) -> Result<()> {
        for window in (0..plan.windows).step_by(part.windows as usize) {
            let windows = part.windows.min(plan.windows - window);
            self.run(
                args,
                plan,
                &Part { window, windows, convert: part.convert && window == 0, ..part },
                largest,
                scratch,
            )?;
        }
        Ok(())
    }

    /// The results from the sums of the windows.
    fn finish(&self, plan: &Plan, windows: u32, rows: &Scratch, out: &Out, batch: usize) -> Result<()> {
        let plan = &Plan { windows, ..*plan };
        // SAFETY: all windows' sums are written by then, and `out` has room for the results, as proved.
        let host = || unsafe {
            finish::finish(
                &self.call.gpu.host_work,
                self.call.exec.stream(),
                self.curve,
                plan,
                (rows.address(), out.address(), batch),
            )
        };
        if self.call.gpu.with(self.call.op, ErrorCode::Internal, host)? {
            return Ok(());
        }
        let batch = batch as u64;
        let arguments = (rows.address(), out.address(), batch, plan.windows, plan.c, plan.wide);
        // SAFETY: `finish(rows, out, batch, windows, c, wide)`: as above.
        unsafe { self.call.launch(kernels::FINISH, grid(batch * TOGETHER, 1, 32), arguments) }
    }

    /// The sums of some windows of some multiplications, into their rows.
    fn run(&self, args: &v::MsmArgs<'_>, plan: &Plan, part: &Part, largest: &Shape, scratch: u64) -> Result<()> {
        let at = &largest.regions(scratch, self.point);
        // With the largest set's chunks and lanes a smaller one fits its regions.
        let (rows, sets) = (part.batch * u64::from(part.windows), largest.sets.min(part.batch));
        let entries = (part.n * args.precompute_factor) as u64;
        let shape = Shape { rows, sets, entries, ..*largest };
        if part.convert {
            let (n, montgomery) = (shape.sets * shape.entries, u32::from(args.points_montgomery));
            let most = u64::from(self.call.sms) * 32 * 256;
            // SAFETY: `convert(a, out, n, montgomery)`: n points in, and room for them.
            unsafe {
                self.call.launch(
                    kernels::CONVERT,
                    grid((2 * n).min(most), 1, 256),
                    (part.bases, at.points, n, montgomery),
                )
            }?;
        }
        self.sort_digits(args, plan, part, at, &shape)?;
        self.accumulate(at, &shape)?;
        let (log_lane, log_lanes, lanes, rows) = (shape.log_lane, shape.log_lanes(), shape.lanes(), shape.rows);
        let arguments = (at.starts, at.sums, at.plain, at.weighted, lanes, log_lane);
        // SAFETY: `lanes(starts, sums, plain, weighted, lanes, log_lane)`: lanes are all buckets, sums of those that are
        // not empty are written.
        unsafe { self.call.launch(kernels::LANES, grid(lanes, 1, 128), arguments) }?;
        let arguments = (at.plain, at.weighted, at.parts, log_lanes, rows);
        let trees = u64::from(1 + log_lanes) * 128;
        // SAFETY: `parts(plain, weighted, parts, log_lanes, rows)`: one tree a block, `1 + log_lanes` of each row.
        unsafe { self.call.launch(kernels::PARTS, grid(trees, rows.min(65535), 128), arguments) }?;
        let (first, windows, all, more) = (part.window, part.windows, plan.windows, u32::from(part.more));
        // SAFETY: `rows(parts, sums, rows, log_lanes, log_lane, first_window, windows, all_windows, more)`: the part's rows
        // lie among those of all windows, and are written if there are more to add.
        unsafe {
            self.call.launch(
                kernels::ROWS,
                grid(rows * TOGETHER, 1, 32),
                (at.parts, part.rows, rows, log_lanes, log_lane, first, windows, all, more),
            )
        }
    }

    /// From scalars to point numbers sorted by bucket.
    fn sort_digits(&self, args: &v::MsmArgs<'_>, plan: &Plan, part: &Part, at: &Regions, shape: &Shape) -> Result<()> {
        let (n, batch, threads) = (part.n as u64, part.batch, u64::from(self.call.sms) * 2048);
        let (bits, factor, montgomery) = (args.bits, args.precompute_factor as u32, u32::from(args.scalars_montgomery));
        let (buckets, row_buckets) = (shape.buckets() as u32, 1u32 << (plan.c - 1));
        let (stream, bytes) = (self.call.exec.stream(), 4 * shape.buckets() as usize);
        // SAFETY: the counts' own bytes.
        let clear = || unsafe { driver::fill(at.starts, 0, bytes, stream) };
        self.call.gpu.with(self.call.op, ErrorCode::Internal, clear)?;
        // Few scalars: windows side by side.
        let across = (2 * threads / (n * batch).max(1)).clamp(1, u64::from(part.windows));
        // SAFETY: `digits(…)`: n·batch scalars, as proved; keys of all entries and counts of all buckets have room.
        unsafe {
            self.call.launch(
                kernels::DIGITS,
                grid((n * batch).min(4 * threads), across, 256),
                (
                    part.scalars,
                    at.keys,
                    at.starts,
                    n,
                    batch,
                    bits,
                    factor,
                    plan.step,
                    plan.c,
                    plan.wide,
                    part.window,
                    part.windows,
                    montgomery,
                    plan.shift,
                ),
            )
        }?;
        let blocks = shape.buckets().div_ceil(SCAN_BLOCK);
        let count = blocks as u32;
        // SAFETY: `sums(counts, sums, n)`, `top(sums, n)`, `apply(counts, sums, starts, cursor, n)`: a sum a block, and
        // one start more than counts.
        unsafe {
            self.sort.launch(sort::SUMS, grid(blocks * 256, 1, 256), (at.starts, at.scan, buckets))?;
            self.sort.launch(sort::TOP, grid(1, 1, 1024), (at.scan, count))?;
            self.sort.launch(
                sort::APPLY,
                grid(blocks * 256, 1, 256),
                (at.starts, at.scan, at.starts, at.cursor, buckets),
            )
        }?;
        let (entries, rows) = (shape.entries, shape.rows);
        let set = if args.shared_points { 0 } else { entries };
        // SAFETY: `scatter(keys, cursor, entries, length, rows, windows, set, buckets)`: each key has its place.
        unsafe {
            self.sort.launch(
                sort::SCATTER,
                grid(entries.min(threads), rows.min(65535), 256),
                (at.keys, at.cursor, at.entries, entries, rows, part.windows, set, row_buckets),
            )
        }
    }

    /// From sorted point numbers to bucket sums.
    fn accumulate(&self, at: &Regions, shape: &Shape) -> Result<()> {
        let (buckets, chunk) = (shape.buckets() as u32, shape.chunk as u32);
        let count = shape.chunks() as u32;
        // SAFETY: `accumulate(starts, entries, points, sums, head, tail, cross, buckets, chunk, chunks)`: partial sums of
        // every chunk have room.
        unsafe {
            self.call.launch(
                kernels::ACCUMULATE,
                grid(u64::from(count), 1, 128),
                (at.starts, at.entries, at.points, at.sums, at.head, at.tail, at.cross, buckets, chunk, count),
            )
        }?;
        let arguments = (at.starts, at.sums, at.head, at.tail, buckets, chunk);
        // SAFETY: `gather(starts, sums, head, tail, buckets, chunk)`: as above.
        unsafe { self.call.launch(kernels::GATHER, grid(shape.buckets(), 1, 128), arguments) }?;
        if !shape.may_be_heavy() {
            return Ok(());
        }
        for (nodes, stride, span) in shape.merges() {
            let threads = u64::from(nodes.div_ceil(span)) * u64::from(MERGE_THREADS);
            let arguments = (at.cross, at.sums, at.head, at.tail, count, stride, span);
            // SAFETY: `merge(cross, sums, head, tail, count, stride, span)`: partial sums of `count` chunks, as above; blocks
            // touch nodes of their own.
            unsafe { self.call.launch(kernels::MERGE, grid(threads, 1, MERGE_THREADS), arguments) }?;
        }
        Ok(())
    }
}

/// Blocks for as many threads along x, and as many blocks along y.
fn grid(threads: u64, rows: u64, block: u32) -> Size {
    let blocks = threads.div_ceil(u64::from(block)).clamp(1, (1 << 31) - 1);
    Size(Dim([blocks as u32, rows.clamp(1, 65535) as u32, 1]), block)
}
