//! Transforms against the definition, against other libraries, and against themselves.

mod definition;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod peers;
mod points;
mod properties;

use crate::ntt::{Direction, NttConfig, Ordering, init_domain, ntt, root_of_unity};
use crate::testing::samples::samples;
use icicle_algebra::{Field, PrimeField};
use icicle_error::Result;
use icicle_params::{FIELDS, FieldId};
use icicle_runtime::Launch;

const ORDERINGS: [Ordering; 6] = [
    Ordering::NaturalNatural,
    Ordering::NaturalReversed,
    Ordering::ReversedNatural,
    Ordering::ReversedReversed,
    Ordering::NaturalMixed,
    Ordering::MixedNatural,
];
const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Inverse];

/// The domain of every test, kept for good: 2^20 from the table's root.
fn domain(field: FieldId) {
    let scalar = field.scalar();
    init_domain(scalar, root_of_unity(scalar, 1 << 20).unwrap(), &Launch::default()).unwrap();
}

/// The root of order `2^log_n` of that domain.
fn root<F: PrimeField>(log_n: u32) -> F {
    (log_n..F::TWO_ADICITY).fold(F::two_adic_root(), |x, _| Field::square(x))
}

fn reversed(i: usize, log_n: u32) -> usize {
    (0..log_n).fold(0, |out, bit| out | (i >> bit & 1) << (log_n - 1 - bit))
}

fn raw<F: Field>(elements: &[F]) -> Vec<F::Raw> {
    elements.iter().map(|x| x.to_raw()).collect()
}

fn random<F: Field>(n: usize, seed: u64) -> Vec<F> {
    samples::<F>(n + 5, seed)[5..].to_vec()
}

/// Run a transform, in place or not.
fn run<F: Field>(
    field: FieldId,
    log_n: u32,
    direction: Direction,
    config: &NttConfig,
    input: &[F::Raw],
    in_place: bool,
) -> Result<Vec<F::Raw>> {
    let mut out = input.to_vec();
    if in_place {
        let dst = icicle_device::Dst::from(&mut out);
        ntt(field, 1 << log_n, direction, config, dst.as_src(), dst)?;
    } else {
        out.iter_mut().for_each(|x| bytemuck::bytes_of_mut(x).fill(0xa5));
        ntt(field, 1 << log_n, direction, config, input.into(), (&mut out).into())?;
    }
    Ok(out)
}
