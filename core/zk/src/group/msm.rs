//! Multi-scalar multiplication over a group: every device multiplies its points, and the partial sums are added once.

use super::parts::{all_for, alone, no_stream, takes_part, workers, written_to};
use crate::msm::{self, MsmConfig};
use crate::point::{self, PointForm, Points, PointsMut};
use icicle_device::check::{count_for, disjoint};
use icicle_device::{Device, Dst};
use icicle_error::reserve::filled;
use icicle_error::{Error, Result};
use icicle_params::CurveId;
use icicle_runtime::divided::{Input, Output, ranges};
use icicle_runtime::slots::Slots;
use icicle_runtime::{DeviceGroup, DeviceGuard, Launch, Layout, transfer};
use std::ops::Range;
use std::time::Instant;

/// Fewer points for each device do not pay the way to it: on an H200 an MSM of 2^16 points is bound by its last steps.
const LEAST: usize = 1 << 17;

/// The same of points that lie on the devices already: on two H100 half of 2^16 takes 0.6 to 0.8 of the whole.
const LEAST_HELD: usize = 1 << 14;

/// `out[b] = Σ scalars[b][i]·bases[i]` over a group: batches are spread, one multiplication is split by points. Otherwise as
/// [`crate::msm::msm`], with its result to the byte.
///
/// Sharded operands are one multiplication's (a batch of one): `n` scalars, and `n` elements of bases that hold
/// `precompute_factor` points each.
///
/// # Errors
/// As there; an error of a device names it. `InvalidArgument` for a stream, a batch of sharded operands, or a sharded vector
/// of another group.
pub fn msm<'a>(
    group: &DeviceGroup,
    curve: CurveId,
    n: usize,
    scalars: impl Into<Input<'a>>,
    bases: impl Into<Input<'a>>,
    config: &MsmConfig,
    out: Dst<'_>,
) -> Result<()> {
    let op = "msm";
    let (scalars, bases) = (scalars.into(), bases.into());
    no_stream(op, &config.launch)?;
    msm::check_config(op, curve, config)?;
    let work = Work::new(curve, n, config);
    let is_sharded = scalars.sharded().is_some() || bases.sharded().is_some();
    if is_sharded && config.batch != 1 {
        return Err(Error::argument(op, format!("batch_size {}: must be 1 of sharded vectors", config.batch)));
    }
    scalars.need(op, "scalars", group, count_for(op, "scalars", n, config.batch)?, work.scalar_bytes)?;
    bases.need(op, "bases", group, count_for(op, "bases", n, work.sets)?, work.base_bytes)?;
    icicle_device::check::need_dst(op, "results", &out, config.batch, work.sum_bytes)?;
    for (arg, input) in [("scalars", &scalars), ("bases", &bases)] {
        if let Input::Whole(src) = input {
            disjoint(op, arg, &out, src)?;
        }
    }
    let is_cyclic = |input: &Input<'_>| input.sharded().is_some_and(|vector| vector.layout() == Layout::Cyclic);
    let is_in_order = !is_cyclic(&scalars) && !is_cyclic(&bases);
    let parts = ranges(op, group, n, LEAST, &[&scalars, &bases], None)?;
    let batches = group.divide(op, config.batch, 1, LEAST.div_ceil(n.max(1)));
    let is_worthwhile = workers(&group.divide(op, n, 1, LEAST_HELD)) > 1;
    match (workers(&batches), workers(&parts)) {
        // Several small multiplications take longer than one, by more than bringing their operands together.
        _ if is_sharded && (is_worthwhile || !is_in_order) => work.split(group, &parts, &scalars, &bases, out),
        (2.., _) => work.spread(group, &batches, &scalars, &bases, out),
        (_, 2..) if !is_sharded => work.split(group, &parts, &scalars, &bases, out),
        _ => {
            let position = alone(group, &[&scalars, &bases], Some(out.place()));
            work.spread(group, &all_for(group, position, config.batch), &scalars, &bases, out)
        }
    }
}

/// A call's shape.
struct Work<'c> {
    curve: CurveId,
    n: usize,
    config: &'c MsmConfig,
    /// Sets of bases.
    sets: usize,
    scalar_bytes: usize,
    /// A base with its multiples.
    base_bytes: usize,
    sum_bytes: usize,
}

impl<'c> Work<'c> {
    fn new(curve: CurveId, n: usize, config: &'c MsmConfig) -> Self {
        let row = curve.info();
        let coordinate = row.base.info().bytes();
        Self {
            curve,
            n,
            config,
            sets: config.sets(),
            scalar_bytes: row.scalar.info().bytes(),
            base_bytes: 2 * coordinate * config.precompute_factor,
            sum_bytes: 3 * coordinate,
        }
    }

    /// Each device does some of the batch.
    fn spread(
        &self,
        group: &DeviceGroup,
        parts: &[Range<usize>],
        scalars: &Input<'_>,
        bases: &Input<'_>,
        out: Dst<'_>,
    ) -> Result<()> {
        let slots = Slots::new(out.split("msm", parts.iter().map(|part| part.len() * self.sum_bytes))?)?;
        let run = |device, position: usize| {
            let part = &parts[position];
            let own = part.start * self.n..part.end * self.n;
            let sets = if self.config.shared_points { 0..self.n } else { own.clone() };
            let scalars = scalars.on("msm", device, position, &own, self.scalar_bytes)?;
            let bases = bases.on("msm", device, position, &sets, self.base_bytes)?;
            let config = MsmConfig { batch: part.len(), ..self.config.clone() };
            let to = slots.take(position)?;
            written_to(device, to, |to| msm::msm(self.curve, self.n, scalars.src(), bases.src(), &config, to))
        };
        group.on_some(takes_part(parts), run).map(|_| ())
    }

    /// Each device does some of the points.
    fn split(
        &self,
        group: &DeviceGroup,
        parts: &[Range<usize>],
        scalars: &Input<'_>,
        bases: &Input<'_>,
        out: Dst<'_>,
    ) -> Result<()> {
        let op = "msm";
        let bytes = self.sum_bytes;
        let run = |device, position: usize| {
            let part = &parts[position];
            let config = MsmConfig { batch: 1, ..self.config.clone() };
            let mut sums = filled(op, self.config.batch * bytes, 0u8)?;
            let mut shared = None;
            for (b, sum) in sums.chunks_exact_mut(bytes).enumerate() {
                let of = |b: usize| b * self.n + part.start..b * self.n + part.end;
                let scalars = scalars.on(op, device, position, &self.place(of(b), part, scalars), self.scalar_bytes)?;
                let set = if self.config.shared_points { 0 } else { b };
                if shared.is_none() || set > 0 {
                    shared =
                        Some(bases.on(op, device, position, &self.place(of(set), part, bases), self.base_bytes)?);
                }
                let Some(bases) = &shared else { continue };
                let start = Instant::now();
                msm::msm(self.curve, part.len(), scalars.src(), bases.src(), &config, sum.into())?;
                group.record(op, position, part.len(), start.elapsed());
            }
            Ok(sums)
        };
        let partials = group.on_some(takes_part(parts), run)?;
        let mut partials = partials.into_iter().flatten();
        let _host = DeviceGuard::new(Device::cpu(0))?;
        let Some(mut total) = partials.next() else {
            // No points at all: the neutral element.
            let mut zero = filled(op, self.config.batch * bytes, 0u8)?;
            let none: [u8; 0] = [];
            msm::msm(self.curve, 0, none[..].into(), none[..].into(), self.config, (&mut zero).into())?;
            return transfer(out, (&zero).into());
        };
        for partial in partials {
            total = self.sum(&total, &partial)?;
        }
        transfer(out, (&total).into())
    }

    /// A cyclic vector's elements on a device are all its own, whatever their places.
    fn place(&self, of: Range<usize>, part: &Range<usize>, input: &Input<'_>) -> Range<usize> {
        if input.sharded().is_some() { part.clone() } else { of }
    }

    /// The sums of two batches of points, normalised.
    fn sum(&self, a: &[u8], b: &[u8]) -> Result<Vec<u8>> {
        let (count, launch) = (self.config.batch, Launch::default());
        let form = PointForm::Projective;
        let mut sum = filled("msm", a.len(), 0u8)?;
        let to = PointsMut { form, dst: (&mut sum).into() };
        point::binary(
            point::Binary::Add,
            self.curve,
            count,
            Points { form, src: a.into() },
            Points { form, src: b.into() },
            &launch,
            to,
        )?;
        let mut normal = filled("msm", a.len(), 0u8)?;
        let to = PointsMut { form, dst: (&mut normal).into() };
        point::normalize(self.curve, count, Points { form, src: (&sum).into() }, &launch, to)?;
        Ok(normal)
    }
}

/// As [`crate::msm::precompute`], over a group: every device expands its points.
///
/// Sharded bases have elements of one point, the output's of `precompute_factor` points.
///
/// # Errors
/// As there, and as [`msm()`].
pub fn precompute<'a>(
    group: &DeviceGroup,
    curve: CurveId,
    n: usize,
    bases: impl Into<Input<'a>>,
    config: &MsmConfig,
    out: impl Into<Output<'a>>,
) -> Result<()> {
    let op = "msm_precompute_bases";
    let (bases, out) = (bases.into(), out.into());
    no_stream(op, &config.launch)?;
    msm::check_config(op, curve, config)?;
    let bytes = 2 * curve.info().base.info().bytes();
    let wide = bytes * config.precompute_factor;
    bases.need(op, "input_bases", group, n, bytes)?;
    out.need(op, "output_bases", group, n, wide)?;
    if let (Input::Whole(src), Output::Whole(dst)) = (&bases, &out) {
        disjoint(op, "input_bases", dst, src)?;
    }
    let mut parts = ranges(op, group, n, LEAST, &[&bases], Some(&out))?;
    if let (Input::Whole(_), Output::Whole(dst)) = (&bases, &out)
        && workers(&parts) < 2
    {
        parts = all_for(group, alone(group, &[&bases], Some(dst.place())), n);
    }
    let slots = out.slots(op, &parts, wide)?;
    let run = |device, position: usize| {
        let part = &parts[position];
        let bases = bases.on(op, device, position, part, bytes)?;
        let to = slots.take(position)?;
        written_to(device, to, |to| msm::precompute(curve, part.len(), bases.src(), config, to))
    };
    group.on_some(takes_part(&parts), run).map(|_| ())
}
