//! Number-theoretic transforms: host side. The kernels are in `kernels/ntt/`, their tables in `domain`.
//!
//! As on the CPU, elements of extensions and interleaved transforms are rows of several elements of the prime field. A
//! transform is a few passes over the data, each several levels of the network. The pass over the low rows may permute
//! its outer side on the way, so that natural order on both sides costs memory for a copy instead of a pass.
#![allow(unsafe_code)]

pub(super) mod points;
mod reach;

use super::call::Call;
use super::domain::{self, Bits, Domain, ONE, Words};
use super::vector::bit_reverse_on_device;
use crate::args::ntt::{Block, Direction, DomainArgs, NttArgs, Ordering};
use crate::args::vector::Shape;
use icicle_cuda::scratch::{Scratch, finish};
use icicle_cuda::{copy, parts};
use icicle_device::{CopyArgs, Exec};
use icicle_error::Error;
use icicle_error::Result;
use icicle_kernels::launch as plan;
use icicle_kernels::ntt::{MULTIPLY, PRODUCTS, Pass, SHIFT, Transform, passes};
use icicle_params::FieldId;
pub(crate) use points::ecntt;
pub(crate) use reach::{columns_within_reach, high_rows, reaches, rows_within_reach};

/// Make a domain known; its tables are made when they are needed.
pub(crate) fn init_domain(exec: &Exec, args: &DomainArgs) -> Result<()> {
    if !super::call::has_kernels(args.field) {
        let detail = format!("field {}: this build has no kernels for it", args.field.name());
        return Err(Error::unsupported("ntt_init_domain", detail));
    }
    domain::init(exec.device(), args);
    Ok(())
}

/// Forget a domain.
pub(crate) fn release_domain(exec: &Exec, field: FieldId) -> Result<()> {
    domain::release(exec.device(), field);
    Ok(())
}

/// The domain's root of order `2^log_n`.
pub(crate) fn domain_root(exec: &Exec, field: FieldId, log_n: u32) -> Result<Words> {
    domain::root("get_root_of_unity_from_domain", exec.device(), field, log_n)
}

/// What is done, in order: see `cpu/ntt/plan.rs` for the reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    /// Whether the network goes from natural to reversed order.
    pub down: bool,
    /// Whether the low rows' pass permutes.
    pub mirrored: bool,
    /// Whether the other side is permuted: by a pass of its own, before going down and after going up.
    pub reverse: bool,
    /// Whether the coset is a part of the twiddles, or powers of its generator are a pass of their own.
    pub coset_inside: bool,
}

impl Steps {
    pub fn new(direction: Direction, ordering: Ordering) -> Self {
        let forward = direction == Direction::Forward;
        let (reversed_in, reversed_out) = (ordering.input_reversed(), ordering.output_reversed());
        let down = if reversed_in == reversed_out { forward } else { reversed_out };
        let (first, last) = (reversed_in == down, reversed_out != down);
        let (mirrored, reverse) = if down { (last, first) } else { (first, last) };
        Self { down, mirrored, reverse, coset_inside: down == forward }
    }
}

/// The tables of a transform: twiddles and the block of their network that it is, those of the upper passes, factors of the
/// low rows and what their indices are masked with.
struct Tables {
    twiddles: u64,
    block: u32,
    /// Whether the twiddles are those of the network that the transform is a block of.
    is_block: bool,
    by_level: Option<Scratch>,
    factors: u64,
    factor_mask: u32,
    _factors: Option<Scratch>,
}

/// Transform every vector.
pub(crate) fn ntt(exec: &Exec, args: &NttArgs<'_>) -> Result<()> {
    let op = "ntt";
    let scalar = args.field.scalar();
    let known = domain::find(op, exec.device(), scalar, args.log_n)?;
    if args.log_n == 0 {
        return copied(op, exec, args);
    }
    let call = Call::of_field(op, exec, scalar)?;
    let degree = args.field.info().extension.degree() as u64;
    let (batch, columns) = (args.batch as u64, args.columns && args.batch > 1);
    let (width, vectors) = if columns { (degree * batch, 1) } else { (degree, batch) };
    let steps = Steps::new(args.direction, args.ordering);
    let powers = powers(&call, args, steps);
    let whole = Transform { words: call.words, log_n: args.log_n, width, batch: vectors, mirrored: steps.mirrored };
    // Levels depend on the size alone, so that parts have the same tables.
    let levels = passes(&whole, call.sms);
    let tables = Tables::new(&call, &known, args, steps, levels[0].levels)?;
    // The pass that permutes reads and writes different places. Going down it comes last, so that the passes before it write
    // elsewhere; going up it comes first, where only the input can be in its way.
    let in_place = args.out.as_ptr().cast_const() == args.input.as_ptr();
    let moved = steps.down || in_place || powers.is_some();
    let spare = if steps.mirrored && levels.len() > 1 && moved { args.out.bytes() / vectors as usize } else { 0 };
    // Transforms one after another on the host are done as they come.
    parts::each(op, exec, vectors as usize, [&args.input], &args.out, spare, |[a], out, spare, count| {
        let batch = count as u64;
        let transform = Transform { batch, ..whole };
        let shape =
            Shape { field: args.field, n: 1 << args.log_n, batch: if columns { args.batch } else { count }, columns };
        // SAFETY: as many elements of the operands, as the arguments' constructor proved.
        unsafe { vectors_on_device(&call, &tables, (steps, powers.as_ref()), &transform, &shape, (a, out, spare)) }
    })
}

/// Transform vectors on the device.
///
/// # Safety
/// At `from` and `to` are the shape's elements, in the same places or apart, and as many at `spare`, unless that is 0, as it
/// may be if no pass that permutes would read what it writes; valid until the call's stream has passed.
unsafe fn vectors_on_device(
    call: &Call<'_>,
    tables: &Tables,
    (steps, powers): (Steps, Option<&Bits>),
    transform: &Transform,
    shape: &Shape,
    (mut from, to, spare): (u64, u64, u64),
) -> Result<()> {
    let (op, exec) = (call.op, call.exec);
    let Transform { log_n, width, batch, .. } = *transform;
    let mut cut = passes(transform, call.sms);
    if steps.down {
        cut.reverse();
    }
    let multiply = |from: u64, &bits: &Bits| {
        let grid = plan::chunks(log_n, batch);
        // SAFETY: `multiply(a, out, count, width, batch, bits)`: batch vectors of 2^count rows of width elements.
        unsafe { call.launch(MULTIPLY, grid, (from, to, log_n, width, batch, bits)) }
    };
    if steps.down && steps.reverse {
        // SAFETY: the caller's.
        unsafe { bit_reverse_on_device(op, exec, from, to, shape) }?;
        from = to;
    }
    if let Some(bits) = powers.filter(|_| !steps.down) {
        multiply(from, bits)?;
        from = to;
    }
    let through = if spare == 0 { to } else { spare };
    for (i, pass) in cut.iter().enumerate() {
        let target = if i + 1 == cut.len() { to } else { through };
        // SAFETY: the caller's elements, or as many; the tables are this transform's.
        unsafe { tables.pass(call, steps, transform, pass, from, target) }?;
        from = target;
    }
    if let Some(bits) = powers.filter(|_| steps.down) {
        multiply(to, bits)?;
    }
    if !steps.down && steps.reverse {
        // SAFETY: the caller's.
        unsafe { bit_reverse_on_device(op, exec, to, to, shape) }?;
    }
    Ok(())
}

/// A transform of one row changes nothing.
fn copied(op: &'static str, exec: &Exec, args: &NttArgs<'_>) -> Result<()> {
    if args.out.as_ptr().cast_const() != args.input.as_ptr() {
        let (dst, src) = (args.out.as_ptr(), args.input.as_ptr());
        let (dst_place, src_place) = (args.out.place(), args.input.place());
        let copy = CopyArgs { dst, dst_place, src, src_place, bytes: args.out.bytes(), in_order: true };
        // SAFETY: the operands, as long as each other and disjoint, as the arguments' constructor proved.
        unsafe { copy::copy(&exec.with_async(true), &copy) }?;
    }
    finish(op, exec)
}

/// The coset generator of the network: its inverse going back.
pub(crate) fn generator(field: FieldId, args: &NttArgs<'_>) -> Option<Words> {
    args.coset.map(|g| if args.direction == Direction::Forward { g } else { domain::inverse(field, &g) })
}

/// `1/n` going back, else 1.
fn scale(field: FieldId, args: &NttArgs<'_>) -> Words {
    if args.direction == Direction::Forward {
        return ONE;
    }
    let mut n = ONE;
    n[0] = 1 << args.log_n;
    domain::inverse(field, &n)
}

/// The powers that rows are multiplied by where the coset is not inside the network. Rows are in reversed order there.
pub(crate) fn powers(call: &Call<'_>, args: &NttArgs<'_>, steps: Steps) -> Option<Bits> {
    let field = args.field.scalar();
    let g = generator(field, args).filter(|_| !steps.coset_inside)?;
    let mut of_bit = domain::squares(field, &g, args.log_n);
    of_bit.reverse();
    Some(Bits::new(call.words, &scale(field, args), &of_bit))
}

impl Tables {
    /// The tables of a transform whose pass over the low rows does `low` levels.
    fn new(call: &Call<'_>, known: &Domain, args: &NttArgs<'_>, steps: Steps, low: u32) -> Result<Self> {
        let (op, exec, field) = (call.op, call.exec, args.field.scalar());
        let block = args.block.filter(|_| steps.coset_inside);
        // Without memory for the larger transform's twiddles its coset is one as any other.
        let larger = block.and_then(|Block { log_blocks, index }| {
            let log_n = args.log_n + log_blocks;
            let table = (log_n <= known.log_n()).then(|| known.twiddles(op, args.direction, log_n))?;
            Some((table.ok()?, index))
        });
        let is_block = larger.is_some();
        let (twiddles, block) = match larger {
            Some(larger) => larger,
            None => (known.twiddles(op, args.direction, args.log_n)?, 0),
        };
        let twiddles = twiddles.address(op, exec)?;
        let mut tables = Self { twiddles, block, is_block, by_level: None, factors: 0, factor_mask: 0, _factors: None };
        let Some(g) = generator(field, args).filter(|_| !is_block) else {
            if args.direction == Direction::Inverse {
                let entry = call.bytes(u64::from(args.log_n)) as u64;
                tables.factors = known.halves(op)?.address(op, exec)? + entry;
            }
            return Ok(tables);
        };
        if !steps.coset_inside {
            return Ok(tables);
        }
        // The upper passes have the coset in their twiddles, of which there are few; the low rows in factors.
        let bits = Bits::new(call.words, &scale(field, args), &domain::squares(field, &g, args.log_n));
        let factors = Scratch::new(op, exec, call.bytes(1 << low))?;
        // SAFETY: `products(out, count, bits)`: 2^count elements.
        unsafe { call.launch(PRODUCTS, plan::chunks(low, 1), (factors.address(), low, bits)) }?;
        let upper = args.log_n - low;
        if upper > 0 {
            let shifted = Scratch::new(op, exec, call.bytes(1 << upper))?;
            let grid = plan::elements(call.words, 1 << upper, call.sms);
            let arguments = (twiddles, shifted.address(), args.log_n, upper, bits);
            // SAFETY: `shift(table, out, log_n, levels, bits)`: 2^(levels-1) twiddles at least, 2^levels elements.
            unsafe { call.launch(SHIFT, grid, arguments) }?;
            tables.by_level = Some(shifted);
        }
        tables.factors = factors.address();
        tables.factor_mask = u32::MAX;
        tables._factors = Some(factors);
        Ok(tables)
    }

    /// Enqueue a pass.
    ///
    /// # Safety
    /// At `from` and `to` are the transform's elements, valid until the call's stream has passed; other ones if the pass
    /// permutes and there are more.
    unsafe fn pass(
        &self,
        call: &Call<'_>,
        steps: Steps,
        transform: &Transform,
        pass: &Pass,
        from: u64,
        to: u64,
    ) -> Result<()> {
        let low = pass.lo == 0;
        let by_level = self.by_level.as_ref().filter(|_| !low).map(Scratch::address);
        let table = by_level.unwrap_or(self.twiddles);
        let factors = if low { self.factors } else { 0 };
        // In the table of all levels one after another the whole transform is block 1.
        let block = if by_level.is_some() { 1 } else { self.block };
        let shape = pass.shape(transform, block, self.factor_mask);
        let kernel = transform.kernel(steps.down);
        // SAFETY: `pass(a, out, table, factors, inner, groups, shape)`, by the caller's word; passes wait.
        unsafe { call.launch_dependent(kernel, pass.plan, (from, to, table, factors, pass.inner, pass.groups, shape)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_lead_from_order_to_order() {
        use Ordering::{
            MixedNatural, NaturalMixed, NaturalNatural, NaturalReversed, ReversedNatural, ReversedReversed,
        };
        let all = [NaturalNatural, NaturalReversed, ReversedNatural, ReversedReversed, NaturalMixed, MixedNatural];
        for direction in [Direction::Forward, Direction::Inverse] {
            for ordering in all {
                let steps = Steps::new(direction, ordering);
                let (before, after) =
                    if steps.down { (steps.reverse, steps.mirrored) } else { (steps.mirrored, steps.reverse) };
                // The network takes natural order going down, and turns it over.
                assert_eq!(ordering.input_reversed() ^ before, !steps.down, "{direction:?} {ordering:?}");
                assert_eq!(steps.down ^ after, ordering.output_reversed(), "{direction:?} {ordering:?}");
                assert_eq!(steps.coset_inside, steps.down == (direction == Direction::Forward));
                // Powers are applied in reversed order, so nothing else may be permuted there.
                assert!(steps.coset_inside || !(steps.mirrored || steps.reverse), "{direction:?} {ordering:?}");
            }
        }
    }
}
