//! Number-theoretic transforms of field elements and of points.
//!
//! Forward: `X[k] = Σ x[j]·g^j·w^(jk)` with `w` a primitive n-th root of unity and `g` the coset generator; inverse:
//! `x[j] = g^-j/n·Σ X[k]·w^(-jk)`. The root of order n is the domain's root to the power `2^(log domain - log n)`.

pub(crate) use crate::args::ntt::{Block, Columns, Rows};
pub use crate::args::ntt::{Direction, DomainArgs, EcNttArgs, NttArgs, NttConfig, Ordering};

use crate::dispatch::on_device;
use icicle_algebra::{Field, PrimeField};
use icicle_device::check::{count_for, need_dst, need_src, same_or_disjoint};
use icicle_device::{Dst, Src};
use icicle_error::{Error, Result};
use icicle_params::{CurveId, FieldId};
use icicle_runtime::Launch;
use icicle_runtime::choose;

fn check_domain_field(op: &'static str, field: FieldId) -> Result<()> {
    if !field.info().ntt || field.scalar() != field {
        return Err(Error::unsupported(op, format!("field {}: has no NTT domain", field.name())));
    }
    Ok(())
}

/// The log of a domain of at least `size` elements.
fn log_domain(op: &'static str, field: FieldId, arg: &str, size: u64) -> Result<u32> {
    check_domain_field(op, field)?;
    let two_adicity = field.info().prime.two_adicity;
    let log_n = size.max(1).checked_next_power_of_two().map_or(64, u64::trailing_zeros);
    if log_n > two_adicity {
        let detail = format!(
            "{arg} {size}: must be at most 2^{two_adicity}, as {} has no roots of unity of higher two-power order \
             (its two-adicity)",
            field.name()
        );
        return Err(Error::argument(op, detail));
    }
    Ok(log_n)
}

fn is_canonical(field: FieldId, words: &[u64; 12]) -> bool {
    let modulus = field.info().prime.modulus;
    words[modulus.len()..].iter().all(|&w| w == 0) && icicle_params::derive::less(&words[..modulus.len()], modulus)
}

/// Make the domain of a primitive root ready on the current (or the stream's) device; it then serves every transform up
/// to the root's order. A domain already there stays and the call succeeds, as ICICLE's clients expect; release it first
/// to change the root.
///
/// # Errors
/// `InvalidArgument` if the root is not canonical or its order is no power of two, `Unsupported` for fields without NTT.
pub fn init_domain(field: FieldId, root: [u64; 12], launch: &Launch) -> Result<()> {
    let op = "ntt_init_domain";
    check_domain_field(op, field)?;
    if !is_canonical(field, &root) {
        return Err(Error::argument(op, "primitive_root: must be below the modulus"));
    }
    let log_n = icicle_algebra::with_field!(field, F => log_order::<F>(&root))
        .ok_or_else(|| Error::argument(op, "primitive_root: its order must be a power of two"))?;
    let exec = choose(op, launch, &[])?;
    on_device!(&exec, ntt::init_domain(&DomainArgs { field, root, log_n }))
}

/// Log of the order of a root of unity of two-power order.
fn log_order<F: Field>(root: &[u64; 12]) -> Option<u32> {
    let mut x = F::Prime::from_words(root);
    for log_n in 0..=F::Prime::TWO_ADICITY {
        if x == F::Prime::ONE {
            return Some(log_n);
        }
        x = Field::square(x);
    }
    None
}

/// Forget the domain of a field on the current device; nothing happens where there is none.
///
/// # Errors
/// `Unsupported` for fields without NTT.
pub fn release_domain(field: FieldId, launch: &Launch) -> Result<()> {
    let op = "ntt_release_domain";
    check_domain_field(op, field)?;
    let exec = choose(op, launch, &[])?;
    on_device!(&exec, ntt::release_domain(field))
}

/// A primitive root of unity for domains of up to `max_size` elements (rounded up to a power of two), canonical words: a
/// power of the multiplicative generator, as arkworks, gnark-crypto, Plonky3 and EIP-4844 have it.
///
/// # Errors
/// `InvalidArgument` if the field has no root of that order, `Unsupported` for fields without NTT.
pub fn root_of_unity(field: FieldId, max_size: u64) -> Result<[u64; 12]> {
    let log_n = log_domain("get_root_of_unity", field, "max_size", max_size)?;
    Ok(icicle_algebra::with_field!(field, F => power_to::<F>(<F as Field>::Prime::two_adic_root(), log_n)))
}

/// As [`root_of_unity`], ICICLE's choice: another one for `bls12_381` and `babybear`, as its row in the table says.
///
/// # Errors
/// As [`root_of_unity`].
pub fn icicle_root_of_unity(field: FieldId, max_size: u64) -> Result<[u64; 12]> {
    let Some(chosen) = field.info().prime.icicle_root else {
        return root_of_unity(field, max_size);
    };
    let log_n = log_domain("get_root_of_unity", field, "max_size", max_size)?;
    let mut words = [0; 12];
    words[..chosen.root.len()].copy_from_slice(chosen.root);
    Ok(icicle_algebra::with_field!(field, F => power_to::<F>(<F as Field>::Prime::from_words(&words), log_n)))
}

/// The power of order `2^log_n` of a root of the field's highest two-power order.
fn power_to<F: Field>(root: F::Prime, log_n: u32) -> [u64; 12] {
    (log_n..F::Prime::TWO_ADICITY).fold(root, |x, _| Field::square(x)).words()
}

/// The root of order `2^log_n` of the domain on the current device, canonical words.
///
/// # Errors
/// `InvalidArgument` if there is no domain or it is smaller, `Unsupported` for fields without NTT.
pub fn root_of_unity_from_domain(field: FieldId, log_n: u64) -> Result<[u64; 12]> {
    let op = "get_root_of_unity_from_domain";
    check_domain_field(op, field)?;
    let exec = choose(op, &Launch::default(), &[])?;
    let log_n =
        u32::try_from(log_n).map_err(|_| Error::argument(op, format!("logn {log_n}: larger than the domain")))?;
    on_device!(&exec, ntt::domain_root(field, log_n))
}

/// Check a transform's options and length.
pub(crate) fn check_config(op: &'static str, field: FieldId, n: usize, config: &NttConfig) -> Result<()> {
    if !field.info().ntt {
        return Err(Error::unsupported(op, format!("field {}: has no NTT", field.name())));
    }
    if config.batch == 0 {
        return Err(Error::argument(op, "batch_size 0: must be at least 1"));
    }
    if !n.is_power_of_two() {
        return Err(Error::argument(op, format!("size {n}: must be a power of two")));
    }
    let scalar = field.scalar();
    log_domain(op, scalar, "size", n as u64)?;
    if let Some(coset) = &config.coset
        && (!is_canonical(scalar, coset) || coset.iter().all(|&w| w == 0))
    {
        return Err(Error::argument(op, "coset_gen: must be nonzero and below the modulus"));
    }
    Ok(())
}

#[allow(clippy::too_many_arguments)] // one checked constructor for both kinds of elements
pub(crate) fn check<'a>(
    op: &'static str,
    field: FieldId,
    element_bytes: usize,
    n: usize,
    direction: Direction,
    config: &NttConfig,
    input: Src<'a>,
    out: Dst<'a>,
) -> Result<NttArgs<'a>> {
    check_config(op, field, n, config)?;
    let total = count_for(op, "input", n, config.batch)?;
    need_src(op, "input", &input, total, element_bytes)?;
    need_dst(op, "output", &out, total, element_bytes)?;
    same_or_disjoint(op, "input", &out, &input)?;
    let one = |words: &[u64; 12]| words[0] == 1 && words[1..].iter().all(|&w| w == 0);
    Ok(NttArgs {
        field,
        log_n: n.trailing_zeros(),
        batch: config.batch,
        columns: config.columns,
        direction,
        ordering: config.ordering,
        coset: config.coset.filter(|c| !one(c)),
        block: None,
        input,
        out,
    })
}

/// Transform `batch` vectors of `n` elements of a scalar field or its extension; in place allowed, `n = 0` does nothing.
///
/// # Errors
/// `InvalidArgument` if `n` is no power of two or exceeds the device's domain, for a bad coset generator, lengths that do
/// not match or partial overlap; `Unsupported` for fields without NTT.
pub fn ntt(
    field: FieldId,
    n: usize,
    direction: Direction,
    config: &NttConfig,
    input: Src<'_>,
    out: Dst<'_>,
) -> Result<()> {
    ntt_of_block(field, n, direction, config, None, input, out)
}

/// As [`ntt`], of a block of a larger transform's network: the configuration has its coset.
pub(crate) fn ntt_of_block(
    field: FieldId,
    n: usize,
    direction: Direction,
    config: &NttConfig,
    block: Option<Block>,
    input: Src<'_>,
    out: Dst<'_>,
) -> Result<()> {
    let op = "ntt";
    if !field.info().ntt {
        return Err(Error::unsupported(op, format!("field {}: has no NTT", field.name())));
    }
    if n == 0 {
        return Ok(());
    }
    let args = NttArgs { block, ..check(op, field, field.info().bytes(), n, direction, config, input, out)? };
    let exec = choose(op, &config.launch, &[args.input.operand(), args.out.operand()])?;
    on_device!(&exec, ntt::ntt(&args))
}

/// Transform `batch` vectors of `n` projective points over the domain of the curve's scalar field; otherwise as [`ntt`].
///
/// # Errors
/// As [`ntt`]; `Unsupported` for curves without ECNTT.
pub fn ecntt(
    curve: CurveId,
    n: usize,
    direction: Direction,
    config: &NttConfig,
    input: Src<'_>,
    out: Dst<'_>,
) -> Result<()> {
    let op = "ecntt";
    let row = curve.info();
    if !row.ecntt {
        return Err(Error::unsupported(op, format!("curve {}: has no ECNTT", row.name)));
    }
    if n == 0 {
        return Ok(());
    }
    let ntt = check(op, row.scalar, 3 * row.base.info().bytes(), n, direction, config, input, out)?;
    let exec = choose(op, &config.launch, &[ntt.input.operand(), ntt.out.operand()])?;
    on_device!(&exec, ntt::ecntt(&EcNttArgs { curve, ntt }))
}
