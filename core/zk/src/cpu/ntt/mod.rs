//! Transforms on the CPU.
//!
//! Data stay in memory form throughout and are multiplied by working-form twiddles (see [`algebra`](icicle_algebra::)). An
//! element of an extension is a row of prime-field elements, interleaved transforms are wider rows, so only prime fields
//! have kernels. Large prime fields have another way through the same network, in lanes, where the processor can.

mod copy;
mod domain;
#[cfg(target_arch = "x86_64")]
mod in_place;
mod kernel;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod network;
mod plan;
mod points;
mod reverse;
#[cfg(target_arch = "x86_64")]
mod tiled;

use crate::args::ntt::{Columns, DomainArgs, EcNttArgs, NttArgs, Rows};
use copy::copy;
use icicle_algebra::{PrimeField, curve};
use icicle_cpu::memory::{In, Out};
use icicle_device::{Device, Exec};
use icicle_error::{Error, Result};
use icicle_params::{CurveId, FieldId};
use plan::Plan;

/// Run an expression with a type alias bound to the prime field of a scalar field with NTT, else an error.
///
/// Arguments: the operation, the id of the scalar field, the alias, the expression.
macro_rules! with_domain_field {
    ($op:expr, $field:expr, $alias:ident => $body:expr) => {
        with_domain_field!(@ $op, $field, $alias, $body, Bn254Scalar BabyBearScalar GoldilocksScalar,
            Bls12_381Scalar Bls12_377Scalar Bw6_761Scalar Stark252Scalar KoalaBearScalar)
    };
    (@ $op:expr, $field:expr, $alias:ident, $body:expr, $($few:ident)*, $($more:ident)*) => {
        match $field {
            $(FieldId::$few => {
                type $alias = icicle_algebra::fields::$few;
                $body
            })*
            $(#[cfg(not(icicle_few))]
            FieldId::$more => {
                type $alias = icicle_algebra::fields::$more;
                $body
            })*
            other => Err(Error::unsupported($op, format!("field {}: has no NTT", other.name()))),
        }
    };
}

pub(crate) fn init_domain(exec: &Exec, args: &DomainArgs) -> Result<()> {
    with_domain_field!("ntt_init_domain", args.field, F => {
        domain::init::<F>(exec.device(), args.field, &args.root, args.log_n);
        Ok(())
    })
}

pub(crate) fn release_domain(exec: &Exec, field: FieldId) -> Result<()> {
    domain::release(exec.device(), field);
    Ok(())
}

pub(crate) fn domain_root(exec: &Exec, field: FieldId, log_n: u32) -> Result<[u64; 12]> {
    let op = "get_root_of_unity_from_domain";
    with_domain_field!(op, field, F => domain::root::<F>(op, exec.device(), field, log_n))
}

pub(crate) fn ntt(exec: &Exec, args: &NttArgs) -> Result<()> {
    with_domain_field!("ntt", args.field.scalar(), F => transform::<F>(exec.device(), args))
}

/// A processor reaches no other device's memory.
pub(crate) fn reaches(_: &Exec, _: FieldId, _: &[Device]) -> Result<bool> {
    Ok(false)
}

fn out_of_reach() -> Result<()> {
    Err(Error::unsupported("ntt", "memory of other devices: out of a processor's reach"))
}

/// See [`reaches`].
pub(crate) fn columns_within_reach(_: &Exec, _: &NttArgs, _: &Columns) -> Result<()> {
    out_of_reach()
}

/// See [`reaches`].
pub(crate) fn rows_within_reach(_: &Exec, _: &NttArgs, _: &Rows) -> Result<()> {
    out_of_reach()
}

/// See [`reaches`].
pub(crate) fn high_rows(_: &Exec, _: &NttArgs) -> Result<()> {
    out_of_reach()
}

pub(crate) fn ecntt(exec: &Exec, args: &EcNttArgs) -> Result<()> {
    match args.curve {
        CurveId::Bn254 => points::transform::<curve::Bn254>(exec.device(), &args.ntt),
        #[cfg(not(icicle_few))]
        CurveId::Bls12_381 => points::transform::<curve::Bls12_381>(exec.device(), &args.ntt),
        #[cfg(not(icicle_few))]
        CurveId::Bls12_377 => points::transform::<curve::Bls12_377>(exec.device(), &args.ntt),
        #[cfg(not(icicle_few))]
        CurveId::Bw6_761 => points::transform::<curve::Bw6_761>(exec.device(), &args.ntt),
        other => Err(Error::unsupported("ecntt", format!("curve {}: has no ECNTT", other.info().name))),
    }
}

fn transform<F: PrimeField>(device: Device, args: &NttArgs) -> Result<()> {
    let (plan, width) = planned::<F>(device, args)?;
    #[cfg(target_arch = "x86_64")]
    if lanes::transform(&plan, args, width)? {
        return Ok(());
    }
    one_by_one(&plan, args, width)
}

/// The plan, and the elements of a row.
fn planned<F: PrimeField>(device: Device, args: &NttArgs) -> Result<(Plan<F>, usize)> {
    let plan = Plan::<F>::new("ntt", device, args)?;
    let degree = args.field.info().extension.degree();
    let width = if args.columns { args.batch * degree } else { degree };
    Ok((plan, width))
}

/// Transform on any processor.
fn one_by_one<F: PrimeField>(plan: &Plan<F>, args: &NttArgs, width: usize) -> Result<()> {
    // Before anything is written, as this may fail.
    let table = plan.twiddles(args.log_n)?;
    let (src, dst) = (In::<F::Raw>::new(&args.input), Out::<F::Raw>::new(&args.out));
    if plan.reverse_first {
        reverse::rows(&src, &dst, args.log_n, width);
    } else if !dst.is(&src) {
        copy(&src, &dst);
    }
    // SAFETY: inputs are no longer read, or are this very memory; nothing else touches it before the slice is gone.
    #[allow(unsafe_code)]
    plan.run::<F>(&table, unsafe { dst.slice() }, width);
    if plan.reverse_last {
        reverse::rows(&In::new(&args.out.as_src()), &dst, args.log_n, width);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
