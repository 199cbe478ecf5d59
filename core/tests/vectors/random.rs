//! Random elements and points: over their whole range, in vectors of many pieces too.

use icicle::ops::point::{self, PointForm};
use icicle::ops::random::field_seeded;
use icicle::{CurveId, FIELDS};

/// Every bit of a prime below its highest is one about half of the time; those above its highest never are.
#[test]
fn every_bit_varies() {
    for row in FIELDS {
        let prime_bytes = row.bytes() / row.extension.degree();
        let bits = row.prime.bits as usize;
        let mut out = vec![0u8; 1000 * row.bytes()];
        field_seeded(row.id, [3; 32], &mut out).unwrap();
        let mut ones = vec![0; 8 * prime_bytes];
        for element in out.chunks(prime_bytes) {
            ones.iter_mut().enumerate().for_each(|(i, ones)| *ones += element[i / 8] as usize >> (i % 8) & 1);
        }
        let all = out.len() / prime_bytes;
        for (i, ones) in ones.into_iter().enumerate() {
            match i + 1 {
                bit if bit > bits => assert_eq!(ones, 0, "{:?} bit {i}", row.id),
                // Where the modulus begins decides how often.
                bit if bit + 3 > bits => assert!(ones < all, "{:?} bit {i}", row.id),
                _ => assert!(ones > all / 3 && ones < all * 2 / 3, "{:?} bit {i}: {ones} of {all}", row.id),
            }
        }
    }
}

/// Where one piece ends and the next begins, nothing is left out and nothing repeated.
#[test]
fn long_vectors_are_filled() {
    for row in FIELDS {
        let n = 400_000 / row.bytes();
        let mut out = vec![0u8; n * row.bytes()];
        field_seeded(row.id, [5; 32], &mut out).unwrap();
        // Eight bytes are never the same twice; less than that is an element.
        let width = row.bytes().max(8);
        let mut seen: Vec<_> = out.chunks_exact(width).map(|chunk| &chunk[..8]).collect();
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count, "{:?}", row.id);
        assert!(seen.first().is_some_and(|least| **least != [0; 8]), "{:?}", row.id);
    }
}

#[test]
fn points_are_written_and_differ() {
    for form in [PointForm::Affine, PointForm::Projective] {
        let mut out = vec![0u8; 5 * form.bytes(CurveId::Bn254)];
        point::random(CurveId::Bn254, form, &mut out).unwrap();
        let mut x: Vec<_> = out.chunks(form.bytes(CurveId::Bn254)).map(|point| &point[..32]).collect();
        x.sort_unstable();
        x.dedup();
        assert!(x.len() == 5 && x[0] != [0; 32], "{form:?}");
    }
}
