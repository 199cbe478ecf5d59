//! Values of a polynomial whose coefficients are divided among devices.

use super::parts::takes_part;
use crate::polynomial;
use crate::vector::{self, Binary, VectorConfig};
use icicle_algebra::{Field, with_field};
use icicle_device::check::{count_for, disjoint, need_dst, need_src};
use icicle_device::{Device, Dst, Src};
use icicle_error::reserve::filled;
use icicle_error::{Error, Result};
use icicle_params::FieldId;
use icicle_runtime::divided::{Input, ranges};
use icicle_runtime::{DeviceGroup, DeviceGuard, Layout, transfer};

/// Fewer coefficients for each device do not pay the way to it.
const LEAST: usize = 1 << 22;

/// Values of a polynomial of `n` coefficients at `points` points over a group: each device evaluates its coefficients as a
/// polynomial of its own, whose values are multiplied by the power of the point that its first one stands for and added on
/// the host. Otherwise as [`crate::polynomial::evaluate`] with a batch of one.
///
/// # Errors
/// As there; an error of a device names it. `InvalidArgument` if coefficients are cyclic.
pub fn evaluate<'a>(
    group: &DeviceGroup,
    field: FieldId,
    n: usize,
    coeffs: impl Into<Input<'a>>,
    points: usize,
    domain: Src<'_>,
    out: Dst<'_>,
) -> Result<()> {
    let op = "poly_eval";
    let (coeffs, bytes) = (coeffs.into(), field.info().bytes());
    coeffs.need(op, "coeffs", group, n, bytes)?;
    need_src(op, "domain", &domain, points, bytes)?;
    need_dst(op, "evals", &out, points, bytes)?;
    disjoint(op, "domain", &out, &domain)?;
    if let Input::Whole(src) = &coeffs {
        disjoint(op, "coeffs", &out, src)?;
    }
    if coeffs.sharded().is_some_and(|vector| vector.layout() == Layout::Cyclic) {
        return Err(Error::argument(op, "coeffs: must not be cyclic: reshard them first"));
    }
    let parts = ranges(op, group, n, LEAST, &[&coeffs], None)?;
    let size = count_for(op, "evals", points, bytes)?;
    let mut at = filled(op, size, 0u8)?;
    transfer((&mut at).into(), domain)?;
    let config = VectorConfig::default();
    let one = |device: Device, position: usize| {
        let part = &parts[position];
        let own = coeffs.on(op, device, position, part, bytes)?;
        let mut values = filled(op, size, 0u8)?;
        polynomial::evaluate(field, part.len(), own.src(), points, (&at).into(), &config, (&mut values).into())?;
        if part.start > 0 {
            let powers = with_field!(field, F => powers::<F>(&at, part.start))?;
            let mut shifted = filled(op, size, 0u8)?;
            let (a, b) = ((&values).into(), (&powers).into());
            vector::binary(Binary::Mul, field, points, a, b, &config, (&mut shifted).into())?;
            values = shifted;
        }
        Ok(values)
    };
    let partials = group.on_some(takes_part(&parts), one)?;
    let _host = DeviceGuard::new(Device::cpu(0))?;
    let mut total = filled(op, size, 0u8)?;
    for values in partials.iter().flatten() {
        vector::accumulate(field, points, (&mut total).into(), values.into(), &config)?;
    }
    transfer(out, (&total).into())
}

/// The powers of elements in memory form.
fn powers<F: Field>(elements: &[u8], exponent: usize) -> Result<Vec<u8>> {
    let bytes = size_of::<F::Raw>();
    let mut out = filled("poly_eval", elements.len(), 0u8)?;
    for (to, from) in out.chunks_exact_mut(bytes).zip(elements.chunks_exact(bytes)) {
        let power = F::from_raw(bytemuck::pod_read_unaligned(from)).pow(&[exponent as u64]);
        to.copy_from_slice(bytemuck::bytes_of(&power.to_raw()));
    }
    Ok(out)
}
