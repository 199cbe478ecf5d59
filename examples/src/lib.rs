//! What the KZG example and its tests share: the trusted setup, and blobs as field elements.

use icicle::algebra::Limbs;

/// Field elements per blob (EIP-4844).
pub const BLOB_ELEMENTS: usize = 4096;
/// Bytes of a blob.
pub const BLOB_BYTES: usize = 32 * BLOB_ELEMENTS;

/// The trusted setup's G1 points in Lagrange form, natural order, compressed: 48 bytes each.
pub const G1_LAGRANGE: &[u8] = include_bytes!("../../tests/vectors/kzg/g1_lagrange.bin");

/// A scalar of BLS12-381 as it lies in memory.
pub type Scalar = Limbs<4>;

/// A blob's elements: 32 bytes big-endian each, by the specification below the modulus.
pub fn blob_elements(blob: &[u8]) -> Vec<Scalar> {
    let word = |bytes: &[u8]| bytes.iter().fold(0u64, |w, &b| w << 8 | b as u64);
    blob.chunks_exact(32).map(|e| Limbs([word(&e[24..32]), word(&e[16..24]), word(&e[8..16]), word(&e[..8])])).collect()
}

/// The 32 big-endian bytes of an element.
pub fn element_bytes(element: &Scalar) -> [u8; 32] {
    let limbs = element.0;
    let mut out = [0; 32];
    limbs
        .iter()
        .rev()
        .zip(out.chunks_exact_mut(8))
        .for_each(|(limb, bytes)| bytes.copy_from_slice(&limb.to_be_bytes()));
    out
}

/// A random blob: every element uniform below 2^254, which is below the modulus.
pub fn random_blob(rng: &mut impl rand::Rng) -> Vec<u8> {
    let mut blob = vec![0; BLOB_BYTES];
    rng.fill_bytes(&mut blob);
    blob.chunks_exact_mut(32).for_each(|element| element[0] &= 0x3f);
    blob
}

/// Reorder by reversing the bits of each index; the length is a power of two.
pub fn bit_reversed<T: Copy>(items: &[T]) -> Vec<T> {
    let bits = items.len().trailing_zeros();
    (0..items.len()).map(|i| items[if bits == 0 { 0 } else { i.reverse_bits() >> (usize::BITS - bits) }]).collect()
}
