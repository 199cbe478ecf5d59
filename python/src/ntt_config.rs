//! How a transform is done, as Python says it.

use icicle::ops::ntt::{NttConfig, Ordering};
use icicle::{Error, Launch, Result};

/// A number of at most 96 bytes, little endian, as words.
pub(crate) fn words(op: &'static str, arg: &str, bytes: &[u8]) -> Result<[u64; 12]> {
    let mut out = [0; 12];
    if bytes.len() > 8 * out.len() {
        return Err(Error::argument(op, format!("{arg} of {} bytes: must have at most 96", bytes.len())));
    }
    for (i, &byte) in bytes.iter().enumerate() {
        out[i / 8] |= u64::from(byte) << (8 * (i % 8));
    }
    Ok(out)
}

/// The configuration of a transform; the coset generator is little-endian bytes.
pub(crate) fn config(
    op: &'static str,
    batch: usize,
    columns: bool,
    ordering: &str,
    coset: Option<&[u8]>,
    launch: Launch,
) -> Result<NttConfig> {
    let ordering = match ordering {
        "nn" => Ordering::NaturalNatural,
        "nr" => Ordering::NaturalReversed,
        "rn" => Ordering::ReversedNatural,
        "rr" => Ordering::ReversedReversed,
        "nm" => Ordering::NaturalMixed,
        "mn" => Ordering::MixedNatural,
        _ => return Err(Error::argument(op, format!("ordering {ordering:?}: must be nn, nr, rn, rr, nm or mn"))),
    };
    let coset = coset.map(|bytes| words(op, "coset_gen", bytes)).transpose()?;
    Ok(NttConfig { launch, coset, batch, columns, ordering })
}
