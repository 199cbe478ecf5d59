//! Vector operations over a group: every device works on its elements, results of reductions meet on the host.

use super::parts::{all_for, alone, takes_part, workers, written_to};
use crate::vector::{self, Binary, Reduce, VectorConfig};
use icicle_device::check::{need_dst, need_src, same_or_disjoint};
use icicle_device::{Device, Dst, Place, Src};
use icicle_error::Result;
use icicle_error::reserve::filled;
use icicle_params::FieldId;
use icicle_runtime::DeviceGroup;
use icicle_runtime::divided::{Input, Output, ranges};
use icicle_runtime::{DeviceGuard, transfer};
use std::time::Instant;

/// Fewer elements for each device do not pay the way to it.
const LEAST: usize = 1 << 22;

/// One vector of a call: its name, the vector, and the bytes of an element.
type Named<'n, 'a> = (&'n str, &'n Input<'a>, usize);

/// Run an elementwise operation on each device's elements: `job` has their number, what is read and what is written.
fn each(
    op: &'static str,
    group: &DeviceGroup,
    n: usize,
    inputs: &[Named<'_, '_>],
    output: (&str, Output<'_>, usize),
    job: impl Fn(usize, &[Src<'_>], Dst<'_>) -> Result<()> + Sync,
) -> Result<()> {
    let (name, output, width) = output;
    inputs.iter().try_for_each(|(name, input, bytes)| input.need(op, name, group, n, *bytes))?;
    output.need(op, name, group, n, width)?;
    if let Output::Whole(dst) = &output {
        for (name, input, _) in inputs {
            if let Input::Whole(src) = input {
                same_or_disjoint(op, name, dst, src)?;
            }
        }
    }
    let read: Vec<&Input<'_>> = inputs.iter().map(|(_, input, _)| *input).collect();
    let mut ranges = ranges(op, group, n, LEAST, &read, Some(&output))?;
    if let Output::Whole(dst) = &output
        && read.iter().all(|input| input.sharded().is_none())
        && workers(&ranges) < 2
    {
        ranges = all_for(group, alone(group, &read, Some(dst.place())), n);
    }
    let slots = output.slots(op, &ranges, width)?;
    let run = |device, position: usize| {
        let range = &ranges[position];
        let held = inputs.iter().map(|&(_, input, bytes)| input.on(op, device, position, range, bytes));
        let held = held.collect::<Result<Vec<_>>>()?;
        let sources: Vec<Src<'_>> = held.iter().map(|held| held.src()).collect();
        let to = slots.take(position)?;
        let start = Instant::now();
        written_to(device, to, |to| job(range.len(), &sources, to))?;
        group.record(op, position, range.len(), start.elapsed());
        Ok(())
    };
    group.on_some(takes_part(&ranges), run).map(|_| ())
}

/// `out[i] = a[i] ∘ b[i]` over a group; otherwise as [`crate::vector::binary`] with a batch of one.
///
/// # Errors
/// As there; an error of a device names it. `InvalidArgument` if a sharded vector is of another group, or only some are
/// cyclic.
pub fn binary<'a>(
    group: &DeviceGroup,
    binary: Binary,
    field: FieldId,
    n: usize,
    a: impl Into<Input<'a>>,
    b: impl Into<Input<'a>>,
    out: impl Into<Output<'a>>,
) -> Result<()> {
    let (a, b, bytes) = (a.into(), b.into(), field.info().bytes());
    let inputs = [("vec_a", &a, bytes), ("vec_b", &b, bytes)];
    each(binary.op(), group, n, &inputs, ("output", out.into(), bytes), |n, sources, to| {
        vector::binary(binary, field, n, sources[0], sources[1], &VectorConfig::default(), to)
    })
}

/// `a[i] = a[i] + b[i]` over a group.
///
/// # Errors
/// As [`binary`].
pub fn accumulate<'a>(
    group: &DeviceGroup,
    field: FieldId,
    n: usize,
    a: impl Into<Output<'a>>,
    b: impl Into<Input<'a>>,
) -> Result<()> {
    let op = "vector_accumulate";
    let (a, b, bytes) = (a.into(), b.into(), field.info().bytes());
    if let Output::Whole(dst) = &a
        && let Place::Device(device) = dst.place()
    {
        // Read and written where it lies: there is no copy to read from elsewhere.
        b.need(op, "vec_b", group, n, bytes)?;
        need_dst(op, "vec_a", dst, n, bytes)?;
        let held =
            b.on(op, device, group.devices().iter().position(|&own| own == device).unwrap_or(0), &(0..n), bytes)?;
        let Output::Whole(dst) = a else { return Ok(()) };
        return vector::accumulate(field, n, dst, held.src(), &VectorConfig::default());
    }
    each(op, group, n, &[("vec_b", &b, bytes)], ("vec_a", a, bytes), |n, sources, to| {
        vector::accumulate(field, n, to, sources[0], &VectorConfig::default())
    })
}

/// `out[i] = a[i]·b[i]` for elements of an extension and of its scalar field, over a group; otherwise as
/// [`crate::vector::mixed_mul`].
///
/// # Errors
/// As [`binary`]; `Unsupported` if the field is no extension.
pub fn mixed_mul<'a>(
    group: &DeviceGroup,
    field: FieldId,
    n: usize,
    a: impl Into<Input<'a>>,
    b: impl Into<Input<'a>>,
    out: impl Into<Output<'a>>,
) -> Result<()> {
    let (a, b) = (a.into(), b.into());
    let (bytes, scalar) = (field.info().bytes(), field.scalar().info().bytes());
    let inputs = [("vec_a", &a, bytes), ("vec_b", &b, scalar)];
    each("vector_mixed_mul", group, n, &inputs, ("output", out.into(), bytes), |n, sources, to| {
        vector::mixed_mul(field, n, sources[0], sources[1], &VectorConfig::default(), to)
    })
}

/// `out[i] = scalar ∘ v[i]` over a group, the scalar on the host; otherwise as [`crate::vector::scalar`].
///
/// # Errors
/// As [`binary`].
pub fn scalar<'a>(
    group: &DeviceGroup,
    binary: Binary,
    field: FieldId,
    n: usize,
    scalar: Src<'_>,
    v: impl Into<Input<'a>>,
    out: impl Into<Output<'a>>,
) -> Result<()> {
    let op = binary.scalar_op();
    let (v, bytes) = (v.into(), field.info().bytes());
    need_src(op, "scalar", &scalar, 1, bytes)?;
    let mut own = filled(op, bytes, 0u8)?;
    transfer((&mut own).into(), scalar)?;
    each(op, group, n, &[("vec", &v, bytes)], ("output", out.into(), bytes), |n, sources, to| {
        vector::scalar(binary, field, n, (&own).into(), sources[0], &VectorConfig::default(), to)
    })
}

/// `out[i] = a[i]⁻¹`, zero for zero, over a group; otherwise as [`crate::vector::inv`].
///
/// # Errors
/// As [`binary`].
pub fn inv<'a>(
    group: &DeviceGroup,
    field: FieldId,
    n: usize,
    a: impl Into<Input<'a>>,
    out: impl Into<Output<'a>>,
) -> Result<()> {
    let (a, bytes) = (a.into(), field.info().bytes());
    each("vector_inv", group, n, &[("vec_a", &a, bytes)], ("output", out.into(), bytes), |n, sources, to| {
        vector::inv(field, n, sources[0], &VectorConfig::default(), to)
    })
}

/// To Montgomery form or back, over a group; otherwise as [`crate::vector::convert_montgomery`].
///
/// # Errors
/// As [`binary`].
pub fn convert_montgomery<'a>(
    group: &DeviceGroup,
    field: FieldId,
    n: usize,
    a: impl Into<Input<'a>>,
    to_montgomery: bool,
    out: impl Into<Output<'a>>,
) -> Result<()> {
    let (a, bytes) = (a.into(), field.info().bytes());
    each("convert_montgomery", group, n, &[("input", &a, bytes)], ("output", out.into(), bytes), |n, sources, to| {
        vector::convert_montgomery(field, n, sources[0], to_montgomery, &VectorConfig::default(), to)
    })
}

/// The sum or product of all elements over a group: `out` is one element. Otherwise as [`crate::vector::reduce`].
///
/// # Errors
/// As [`binary`].
pub fn reduce<'a>(
    group: &DeviceGroup,
    reduce: Reduce,
    field: FieldId,
    n: usize,
    a: impl Into<Input<'a>>,
    out: Dst<'_>,
) -> Result<()> {
    let (op, a, bytes) = (reduce.op(), a.into(), field.info().bytes());
    a.need(op, "vec_a", group, n, bytes)?;
    need_dst(op, "output", &out, 1, bytes)?;
    // Of a cyclic vector each device reduces what it has: the order does not matter.
    let parts = ranges(op, group, n, LEAST, &[&a], None)?;
    let one = |device, position: usize| {
        let range = &parts[position];
        let held = a.on(op, device, position, range, bytes)?;
        let mut partial = filled(op, bytes, 0u8)?;
        vector::reduce(reduce, field, range.len(), held.src(), &VectorConfig::default(), (&mut partial).into())?;
        Ok(partial)
    };
    let partials: Vec<u8> = group.on_some(takes_part(&parts), one)?.into_iter().flatten().flatten().collect();
    let mut result = filled(op, bytes, 0u8)?;
    let _host = DeviceGuard::new(Device::cpu(0))?;
    let count = partials.len() / bytes;
    vector::reduce(reduce, field, count, (&partials).into(), &VectorConfig::default(), (&mut result).into())?;
    transfer(out, (&result).into())
}
