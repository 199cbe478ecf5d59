//! Transforms over a group: batches are spread, one transform is done in four steps (D. H. Bailey, "FFTs in external or
//! hierarchical memory", 1990, <https://doi.org/10.1007/BF00162341>).
//!
//! The `n = R·C` elements are a matrix of `R` rows. Forward: transforms of length `R` down the columns, which are divided
//! among the devices; an all-to-all that gives each device whole rows; transforms of length `C` along row `r`, whose factors
//! `w^(r·c)` are those of the coset of `w^r`. Row `r` then holds the results of index `r` modulo `R`: bit-reversed they are
//! a block in place, and natural order takes one more all-to-all. Backward the same steps go the other way.

use super::parts::{alone, no_stream, on_one, takes_part, workers, written_to};
use super::reach;
use super::steps::{Plan, Slab};
use crate::ntt::{self, Direction, NttConfig};
use icicle_device::check::{count_for, same_or_disjoint};
use icicle_device::{Device, Dst, Place, Src};
use icicle_error::reserve::{self, filled, listed};
use icicle_error::{Error, Result};
use icicle_params::FieldId;
use icicle_runtime::divided::{Input, Output};
use icicle_runtime::slots::Slots;
use icicle_runtime::{Buffer, DeviceGroup, Launch, Layout, Sharded, transfer};
use std::ops::Range;

/// Fewer bytes for each device do not pay the way to it.
const LEAST: usize = 64 << 20;

/// Rows of the matrix at most; devices' shares are rounded to whole ones.
const MOST_ROWS: usize = 64;

/// Rows of a device, if there are so many: while it works on one, copies of others go on. With more of them, each copy and
/// launch does too little.
const PARTS: usize = 4;

/// The same where kernels reach the memory of other devices: columns, which wait for the link, then have more levels.
const PARTS_REACHED: usize = 16;

/// Where slabs of a device's columns end, in eighths: what is left to do once all copies are done is the last one's. Where
/// kernels fetch what they need, the first one's rows are copied while they fetch the second's.
const SLABS: &[usize] = &[0, 3, 5, 7, 8];
const SLABS_REACHED: &[usize] = &[0, 6, 8];

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
/// Sharded vectors lie in blocks. Of one transform, blocks of whole 64ths, or of other parts that are a power of two of equal
/// ones, are transformed where they lie; others, and fewer than 4,096 elements, on one device. Of a batch, which is not
/// interleaved, each device does the transforms that begin in its block; where blocks are of whole transforms, nothing is
/// copied.
///
/// # Errors
/// As there; an error of a device names it. `InvalidArgument` for a stream, interleaved transforms of sharded vectors, another
/// layout than blocks, or a sharded vector of another group.
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
        if config.batch != 1 && config.columns {
            return Err(Error::argument(OP, "columns_batch: must be false for several transforms of sharded vectors"));
        }
    }
    let call = Call { group, field, n, bytes, direction, config };
    if config.batch > 1 {
        return call.batch(&input, out);
    }
    match call.plan(&input, &out)? {
        Some(plan) if plan.reaches => plan.run_within_reach(&input, out),
        Some(plan) => plan.run(&input, out),
        None => call.alone(&input, out),
    }
}

/// Elements of each transform of a vector that holds a configuration's batch of them.
///
/// # Errors
/// `InvalidArgument` if the batch does not divide the vector.
pub fn ntt_size(vector: &Sharded, config: &NttConfig) -> Result<usize> {
    let (len, batch) = (vector.len(), config.batch);
    if batch == 0 || !len.is_multiple_of(batch) {
        return Err(Error::argument(OP, format!("batch_size {batch}: must divide the vector's {len} elements")));
    }
    Ok(len / batch)
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

    /// Each device does some of the transforms: of sharded vectors those that begin in its block.
    fn batch(&self, input: &Input<'_>, out: Output<'_>) -> Result<()> {
        let begin = |blocks: &[Range<usize>]| {
            blocks.iter().map(|block| block.start.div_ceil(self.n)..block.end.div_ceil(self.n)).collect()
        };
        let parts: Vec<Range<usize>> = match out.sharded().or(input.sharded()) {
            Some(vector) => begin(vector.ranges()),
            None => self.group.divide(OP, self.config.batch, 1, LEAST.div_ceil(self.n * self.bytes)),
        };
        if let (Input::Whole(from), Output::Whole(to)) = (input, &out) {
            let is_on_host = from.place() == Place::Host && to.place() == Place::Host;
            if workers(&parts) < 2 || (self.config.columns && !is_on_host) {
                return self.alone(input, out);
            }
        }
        let out = match out {
            Output::Whole(out) if self.config.columns => return self.columns(&parts, input, out),
            out => Slots::new(self.of_parts(&parts, out)?)?,
        };
        let run = |device, position: usize| {
            let part = &parts[position];
            let own = part.start * self.n..part.end * self.n;
            let held = input.on(OP, device, position, &own, self.bytes)?;
            let config = NttConfig { batch: part.len(), ..self.config.clone() };
            let to = out.take(position)?;
            if to.len() == 1 {
                return to.into_iter().try_for_each(|to| self.on_device(device, &config, held.src(), to));
            }
            let mut results = Buffer::<u8>::on(device, own.len() * self.bytes)?;
            self.on_device(device, &config, held.src(), (&mut results).into())?;
            let mut at = 0;
            to.into_iter().try_for_each(|to| {
                let from = Src::from(&results).part(OP, at, to.bytes())?;
                at += to.bytes();
                transfer(to, from)
            })
        };
        self.group.on_some(takes_part(&parts), run).map(|_| ())
    }

    /// Where the results of each device's transforms go: one piece, or several of blocks that end within a transform.
    fn of_parts<'o>(&self, parts: &[Range<usize>], out: Output<'o>) -> Result<Vec<Vec<Dst<'o>>>> {
        let bytes = |part: &Range<usize>| part.len() * self.n * self.bytes;
        let vector = match out {
            Output::Whole(out) => {
                let pieces = out.split(OP, parts.iter().map(bytes))?;
                return listed(OP, pieces.into_iter().map(|piece| Ok(vec![piece])));
            }
            Output::Sharded(vector) => vector,
        };
        let mut pieces = listed(OP, parts.iter().map(|_| Ok(Vec::new())))?;
        let blocks = vector.ranges().to_vec();
        for (block, memory) in blocks.into_iter().zip(vector.parts_mut()) {
            let common = |part: &Range<usize>| {
                let (start, end) = (block.start.max(part.start * self.n), block.end.min(part.end * self.n));
                end.saturating_sub(start) * self.bytes
            };
            let cut = Dst::from(memory).split(OP, parts.iter().map(common))?;
            for (pieces, piece) in pieces.iter_mut().zip(cut).filter(|(_, piece)| piece.bytes() > 0) {
                reserve::push(OP, pieces, piece)?;
            }
        }
        Ok(pieces)
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
        let reaches = reach::reaches(self.group, self.field, self.direction, self.config, &blocks, input, out)?;
        let (parts, slabs) = if reaches { (PARTS_REACHED, SLABS_REACHED) } else { (PARTS, SLABS) };
        let enough = counts.iter().find(|&&rows| rows >= parts * workers(&blocks));
        let Some(&rows) = enough.or(counts.last()) else { return Ok(None) };
        let cols = n / rows;
        let scaled = |of: usize| blocks.iter().map(|b| b.start * of / n..b.end * of / n).collect::<Vec<_>>();
        let cut = scaled(cols).into_iter().enumerate().flat_map(|(position, own)| {
            let bound = move |eighths: usize| own.start + own.len() * eighths / 8;
            let slab = move |i: usize| Slab { position, columns: bound(slabs[i])..bound(slabs[i + 1]) };
            (0..slabs.len() - 1).map(slab).filter(|slab| !slab.columns.is_empty())
        });
        let slabs = listed(OP, cut.map(Ok))?;
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
            reaches,
        }))
    }
}
