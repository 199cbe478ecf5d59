//! Random field elements, on the host.

use bytemuck::Pod;
use icicle_algebra::with_field;
use icicle_algebra::{Field, PrimeField};
use icicle_cpu::parallel::chunks;
use icicle_error::reserve::collected;
use icicle_error::{Error, ErrorCode, Result};
use icicle_params::FieldId;
use rand::rngs::{StdRng, SysRng};
use rand::{Rng, SeedableRng, TryRng};

/// Bytes made from one seed; a round number of elements of every field fits, about.
const PIECE_BYTES: usize = 1 << 16;

/// Fill host memory with uniform elements of a field, canonical, from ChaCha seeded by the operating system.
///
/// Shape: any plain data, such as `u8`, `u32` or limbs, that a whole number of elements fills. Encoding: memory form, any
/// alignment. Rejection sampling: every element is equally likely.
///
/// # Errors
/// `InvalidArgument` if `out` is no whole number of elements, `Internal` if the system gives no entropy, `OutOfMemory`.
pub fn field<T: Pod>(field: FieldId, out: &mut [T]) -> Result<()> {
    field_seeded(field, seed(OP)?, out)
}

/// A seed from the operating system.
pub(crate) fn seed(op: &'static str) -> Result<[u8; 32]> {
    let mut seed = [0; 32];
    let failed = |error| Error::new(ErrorCode::Internal, op, format!("operating system's entropy: {error}"));
    SysRng.try_fill_bytes(&mut seed).map_err(failed)?;
    Ok(seed)
}

/// As [`field`], from a seed: the same bytes for the same seed and length on every machine, whatever the threads. For tests; not
/// promised between versions.
///
/// # Errors
/// `InvalidArgument` if `out` is no whole number of elements, `OutOfMemory`.
pub fn field_seeded<T: Pod>(field: FieldId, seed: [u8; 32], out: &mut [T]) -> Result<()> {
    let out: &mut [u8] = bytemuck::cast_slice_mut(out);
    let bytes = field.info().bytes();
    if !out.len().is_multiple_of(bytes) {
        return Err(Error::argument(OP, format!("output of {} bytes: must be a multiple of {bytes}", out.len())));
    }
    with_field!(field, F => fill::<<F as Field>::Prime>(seed, out))
}

const OP: &str = "generate_random";

/// Fill with elements of a prime field: an extension's are those of its coefficients.
fn fill<F: PrimeField>(seed: [u8; 32], out: &mut [u8]) -> Result<()> {
    let piece = PIECE_BYTES / F::BYTES * F::BYTES;
    let mut seeds = StdRng::from_seed(seed);
    if out.len() <= piece {
        elements::<F>(&mut StdRng::from_rng(&mut seeds), out);
        return Ok(());
    }
    // Each piece has its own generator, so pieces do not depend on who makes them.
    let mut pieces = collected(OP, out.chunks_mut(piece).map(|piece| (StdRng::from_rng(&mut seeds), piece)))?;
    chunks(&mut pieces, 1, &|_, one| one.iter_mut().for_each(|(rng, piece)| elements::<F>(rng, piece)));
    Ok(())
}

/// Fill with elements of one generator.
pub(crate) fn elements<F: PrimeField>(rng: &mut StdRng, out: &mut [u8]) {
    out.chunks_exact_mut(F::BYTES).for_each(|element| uniform::<F>(rng, element));
}

/// One element: as many random bits as the modulus has, until they are below it (fewer than two trials on average).
fn uniform<F: PrimeField>(rng: &mut StdRng, element: &mut [u8]) {
    let spare = 8 * F::BYTES as u32 - F::BITS;
    loop {
        rng.fill_bytes(element);
        // Clear the spare top bits: whole bytes, then a part of one.
        let (whole, part) = (spare as usize / 8, spare % 8);
        let top = F::BYTES - whole;
        element[top..].fill(0);
        element[top - 1] &= 0xff >> part;
        if F::is_canonical(&bytemuck::pod_read_unaligned(element)) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use icicle_params::FIELDS;

    #[test]
    fn elements_are_canonical_and_fill_the_range() {
        for row in FIELDS {
            let mut out = vec![0u8; 1000 * row.bytes()];
            field_seeded(row.id, [7; 32], &mut out).unwrap();
            with_field!(row.id, F => {
                let elements: Vec<<F as Field>::Raw> =
                    out.chunks(row.bytes()).map(bytemuck::pod_read_unaligned).collect();
                assert!(elements.iter().all(F::is_canonical), "{:?}", row.id);
                // The mean of 1000 uniform values lies within 5 deviations of the middle: p·(1/2 ± 5/√12000).
                type P = <F as Field>::Prime;
                let top = |words: &[u64], bits: u32| {
                    let value = words.iter().rev().fold(0f64, |acc, &w| acc * 2f64.powi(64) + w as f64);
                    value / 2f64.powi(bits as i32)
                };
                let p = top(P::MODULUS, P::BITS);
                for i in 0..F::DEGREE {
                    let sum: f64 = elements.iter()
                        .map(|&e| top(&F::from_raw(e).coefficient(i).words()[..P::WORDS], P::BITS) / p).sum();
                    assert!((sum / 1000.0 - 0.5).abs() < 0.046, "{:?}: mean {}", row.id, sum / 1000.0);
                }
            });
        }
    }

    #[test]
    fn seeds_decide_and_threads_do_not() {
        let id = FieldId::Bn254Scalar;
        let make = |threads: usize, seed: u8| {
            let mut out = vec![0u8; 32 * 10_000];
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| field_seeded(id, [seed; 32], &mut out)).unwrap();
            out
        };
        assert_eq!(make(1, 1), make(4, 1));
        assert_ne!(make(1, 1), make(1, 2));
        let (mut a, mut b) = ([0u8; 320], [0u8; 320]);
        field(id, &mut a).unwrap();
        field(id, &mut b).unwrap();
        assert_ne!(a, b);
    }

    #[test]
    fn lengths_are_checked() {
        let error = field(FieldId::Bn254Scalar, &mut [0; 33]).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        field(FieldId::Bn254Scalar, &mut [0u8; 0]).unwrap();
    }
}
