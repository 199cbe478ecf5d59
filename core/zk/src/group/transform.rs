//! Transforms over a group: batches are spread, one transform is done in four steps (D. H. Bailey, "FFTs in external or
//! hierarchical memory", 1990, <https://doi.org/10.1007/BF00162341>).
//!
//! The `n = R·C` elements are a matrix of `R` rows. Forward: transforms of length `R` down the columns, which are divided
//! among the devices; an all-to-all that gives each device whole rows; transforms of length `C` along row `r`, whose factors
//! `w^(r·c)` are those of the coset of `w^r`. Row `r` then holds the results of index `r` modulo `R`: bit-reversed they are
//! a block in place, and natural order takes one more all-to-all. Backward the same steps go the other way.

use super::parts::{alone, no_stream, on_one, takes_part, workers, written_to};
use super::steps::{Plan, Slab};
use crate::ntt::{self, Direction, NttConfig};
use icicle_device::check::{count_for, same_or_disjoint};
use icicle_device::{Device, Dst, Place, Src};
use icicle_error::reserve::{filled, listed};
use icicle_error::{Error, Result};
use icicle_params::FieldId;
use icicle_runtime::divided::{Input, Output};
use icicle_runtime::slots::Slots;
use icicle_runtime::{Buffer, DeviceGroup, Launch, Layout, transfer};
use std::ops::Range;

/// Fewer bytes for each device do not pay the way to it.
const LEAST: usize = 64 << 20;

/// Rows of the matrix at most; devices' shares are rounded to whole ones.
const MOST_ROWS: usize = 64;

/// Rows of a device, if there are so many: while it works on one, copies of others go on. With more of them, each copy and
/// launch does too little.
const PARTS: usize = 4;

/// Where slabs of a device's columns end, in eighths: what is left to do once all copies are done is the last one's.
const SLABS: [usize; 5] = [0, 3, 5, 7, 8];

const OP: &str = "ntt";

/// Make the domain of a root of unity ready on every device of a group; otherwise as [`crate::ntt::init_domain`].
///
/// # Errors
/// As there; an error of a device names it.
pub fn init_domain(group: &DeviceGroup, field: FieldId, root: [u64; 12]) -> Result<()> {
    group.on_each(|_, _| ntt::init_domain(field, root, &Launch::default())).into_iter().collect()
}

/// Forget the domain of a field on every device of a group.
///
/// # Errors
/// `Unsupported` for fields without NTT.
pub fn release_domain(group: &DeviceGroup, field: FieldId) -> Result<()> {
    group.on_each(|_, _| ntt::release_domain(field, &Launch::default())).into_iter().collect()
}

/// Transform over a group, whose devices all have the field's domain ([`init_domain`]). Otherwise as [`crate::ntt::ntt`],
/// with its result to the byte.
///
/// Sharded vectors lie in blocks, of one transform (a batch of one). Blocks of whole 64ths, or of other parts that are a
/// power of two of equal ones, are transformed where they lie; others, and fewer than 4,096 elements, on one device.
///
/// # Errors
/// As there; an error of a device names it. `InvalidArgument` for a stream, a batch of sharded vectors, another layout than
/// blocks, or a sharded vector of another group.
pub fn ntt<'a>(
    group: &DeviceGroup,
    field: FieldId,
    n: usize,
    direction: Direction,
    config: &NttConfig,
    input: impl Into<Input<'a>>,
    out: impl Into<Output<'a>>,
) -> Result<()> {
    let (input, out, bytes) = (input.into(), out.into(), field.info().bytes());
    no_stream(OP, &config.launch)?;
    if n == 0 {
        return Ok(());
    }
    ntt::check_config(OP, field, n, config)?;
    let total = count_for(OP, "input", n, config.batch)?;
    input.need(OP, "input", group, total, bytes)?;
    out.need(OP, "output", group, total, bytes)?;
    if let (Input::Whole(src), Output::Whole(dst)) = (&input, &out) {
        same_or_disjoint(OP, "input", dst, src)?;
    }
    for vector in input.sharded().into_iter().chain(out.sharded()) {
        if vector.layout() != Layout::Blocks {
            return Err(Error::argument(OP, format!("vector in {} layout: must be blocks", vector.layout().name())));
        }
        if config.batch != 1 {
            return Err(Error::argument(OP, format!("batch_size {}: must be 1 of sharded vectors", config.batch)));
        }
    }
    let call = Call { group, field, n, bytes, direction, config };
    if config.batch > 1 {
        return call.batch(&input, out);
    }
    match call.plan(&input, &out)? {
        Some(plan) => plan.run(&input, out),
        None => call.alone(&input, out),
    }
}

/// One call.
struct Call<'c> {
    group: &'c DeviceGroup,
    field: FieldId,
    n: usize,
    bytes: usize,
    direction: Direction,
    config: &'c NttConfig,
}

impl<'c> Call<'c> {
    /// On one device: the one that has the whole of the result, if there is one.
    fn alone(&self, input: &Input<'_>, out: Output<'_>) -> Result<()> {
        let total = self.n * self.config.batch;
        let ranges = out.sharded().map(|vector| vector.ranges().to_vec());
        let (position, written) = match &out {
            Output::Whole(dst) => (alone(self.group, &[input], Some(dst.place())), true),
            Output::Sharded(_) => match ranges.iter().flatten().position(|range| range.len() == total) {
                Some(position) => (position, true),
                None => (alone(self.group, &[input], None), false),
            },
        };
        let of = |device, to: Dst<'_>| {
            let held = input.on(OP, device, position, &(0..total), self.bytes)?;
            self.on_device(device, self.config, held.src(), to)
        };
        match out {
            Output::Sharded(vector) if !written => {
                let result = on_one(self.group, position, |device| {
                    let mut result = Buffer::<u8>::on(device, total * self.bytes)?;
                    of(device, (&mut result).into())?;
                    Ok(result)
                })?;
                vector.scatter(self.group, (&result).into())
            }
            Output::Sharded(vector) => {
                let slots = Slots::new(vector.parts_mut().iter_mut().map(Dst::from))?;
                on_one(self.group, position, |device| of(device, slots.take(position)?))
            }
            Output::Whole(dst) => {
                let slot = Slots::new([dst])?;
                on_one(self.group, position, |device| of(device, slot.take(0)?))
            }
        }
    }

    /// The transform of one device, also to memory elsewhere.
    fn on_device(&self, device: Device, config: &NttConfig, from: Src<'_>, to: Dst<'_>) -> Result<()> {
        written_to(device, to, |to| ntt::ntt(self.field, self.n, self.direction, config, from, to))
    }

    /// Each device does some of the transforms.
    fn batch(&self, input: &Input<'_>, out: Output<'_>) -> Result<()> {
        let parts = self.group.divide(OP, self.config.batch, 1, LEAST.div_ceil(self.n * self.bytes));
        let Output::Whole(out) = out else { return Ok(()) };
        let is_on_host = out.place() == Place::Host && matches!(input, Input::Whole(src) if src.place() == Place::Host);
        if workers(&parts) < 2 || (self.config.columns && !is_on_host) {
            return self.alone(input, Output::Whole(out));
        }
        if self.config.columns {
            return self.columns(&parts, input, out);
        }
        let slots = Slots::new(out.split(OP, parts.iter().map(|part| part.len() * self.n * self.bytes))?)?;
        let run = |device, position: usize| {
            let part = &parts[position];
            let own = part.start * self.n..part.end * self.n;
            let held = input.on(OP, device, position, &own, self.bytes)?;
            let config = NttConfig { batch: part.len(), ..self.config.clone() };
            self.on_device(device, &config, held.src(), slots.take(position)?)
        };
        self.group.on_some(takes_part(&parts), run).map(|_| ())
    }

    /// Each device does some of the interleaved transforms, gathered from the host.
    fn columns(&self, parts: &[Range<usize>], input: &Input<'_>, out: Dst<'_>) -> Result<()> {
        let Input::Whole(src) = input else { return Ok(()) };
        let row = self.config.batch * self.bytes;
        let run = |device: Device, position: usize| {
            let part = &parts[position];
            let width = part.len() * self.bytes;
            let mut own = filled(OP, self.n * width, 0u8)?;
            for (i, to) in own.chunks_exact_mut(width).enumerate() {
                transfer(to.into(), src.part(OP, i * row + part.start * self.bytes, width)?)?;
            }
            let config = NttConfig { batch: part.len(), ..self.config.clone() };
            let mut results = filled(OP, own.len(), 0u8)?;
            self.on_device(device, &config, (&own).into(), (&mut results).into())?;
            Ok(results)
        };
        let results = self.group.on_some(takes_part(parts), run)?;
        let widths = || parts.iter().map(|part| part.len() * self.bytes);
        let rows = out.split(OP, (0..self.n).map(|_| row))?;
        for (i, to) in rows.into_iter().enumerate() {
            for ((to, width), results) in to.split(OP, widths())?.into_iter().zip(widths()).zip(&results) {
                if let Some(results) = results {
                    transfer(to, results[i * width..][..width].into())?;
                }
            }
        }
        Ok(())
    }

    /// How the devices share one transform; none if one device does it.
    fn plan(&self, input: &Input<'_>, out: &Output<'_>) -> Result<Option<Plan<'_>>> {
        let n = self.n;
        if self.group.is_one_processor() {
            return Ok(None);
        }
        let blocks = match out.sharded().or(input.sharded()) {
            Some(vector) => vector.ranges().to_vec(),
            None => self.group.divide(OP, n, n.div_ceil(MOST_ROWS), LEAST.div_ceil(self.bytes)),
        };
        if workers(&blocks) < 2 {
            return Ok(None);
        }
        let fits = |&rows: &usize| rows * rows <= n && blocks.iter().all(|block| block.end.is_multiple_of(n / rows));
        let counts: Vec<usize> = (1..=MOST_ROWS.ilog2()).map(|log| 1 << log).filter(fits).collect();
        let enough = counts.iter().find(|&&rows| rows >= PARTS * workers(&blocks));
        let Some(&rows) = enough.or(counts.last()) else { return Ok(None) };
        let cols = n / rows;
        let scaled = |of: usize| blocks.iter().map(|b| b.start * of / n..b.end * of / n).collect::<Vec<_>>();
        let slabs = scaled(cols).into_iter().enumerate().flat_map(|(position, own)| {
            let bound = move |eighths: usize| own.start + own.len() * eighths / 8;
            let slab = move |i| Slab { position, columns: bound(SLABS[i])..bound(SLABS[i + 1]) };
            (0..SLABS.len() - 1).map(slab).filter(|slab| !slab.columns.is_empty())
        });
        let slabs = listed(OP, slabs.map(Ok))?;
        let first = (0..blocks.len()).find(|&position| !blocks[position].is_empty()).unwrap_or(0);
        let log_n = u64::from(n.trailing_zeros());
        let root = on_one(self.group, first, |_| ntt::root_of_unity_from_domain(self.field.scalar(), log_n))?;
        Ok(Some(Plan {
            group: self.group,
            field: self.field,
            bytes: self.bytes,
            direction: self.direction,
            config: self.config,
            rows,
            cols,
            blocks: scaled(rows),
            slabs,
            root,
        }))
    }
}
