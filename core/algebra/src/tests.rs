//! Axioms and edges of every field, by one generic test each.

use super::*;
use crate::testing::samples::samples;
use crate::with_field;
use icicle_params::FIELDS;
use icicle_params::FieldId;

/// An element whose working form has words of ones, every `step`-th from the lowest on but for the topmost: what carries do.
fn ones<P: PrimeField>(step: usize) -> P {
    let mut form = (-P::ONE).to_raw();
    let (words, _) = bytemuck::bytes_of_mut(&mut form).as_chunks_mut::<8>();
    if let Some((top, below)) = words.split_last_mut() {
        below.iter_mut().for_each(|word| *word = [0; 8]);
        below.iter_mut().step_by(step).for_each(|word| *word = [0xff; 8]);
        *top = (u64::from_le_bytes(*top) - 1).to_le_bytes();
    }
    P::from_limbs(form)
}

fn axioms<F: Field>(id: FieldId) {
    let mut xs = samples::<F>(12, 1);
    xs.extend([1, 2].map(|step| F::from_coefficients(|_| ones(step))));
    for &a in &xs {
        assert_eq!(F::from_raw(a.to_raw()), a, "{id:?} round trip");
        assert!(F::is_canonical(&a.to_raw()), "{id:?} canonical");
        assert_eq!(a + (-a), F::ZERO, "{id:?} negation");
        assert_eq!(a.square(), a * a, "{id:?} square");
        assert_eq!(a.double(), a + a, "{id:?} double");
        assert_eq!(a.pow(&[5]), a * a * a * a * a, "{id:?} pow");
        match a.inverse() {
            Some(inverse) => assert_eq!(inverse * a, F::ONE, "{id:?} inverse of {a:?}"),
            None => assert!(a.is_zero() || id == FieldId::M31Extension, "{id:?}: {a:?} has an inverse"),
        }
        assert_eq!(F::from_coefficients(|i| a.coefficient(i)), a, "{id:?} coefficients");
        for &b in &xs {
            assert_eq!(a * b, b * a, "{id:?} commutes");
            assert_eq!((a - b) + b, a, "{id:?} difference");
            // Canonical data times a working-form constant is canonical data.
            assert_eq!((F::from_limbs(a.to_raw()) * b).to_limbs(), (a * b).to_raw(), "{id:?} linear");
            for &c in &xs {
                assert_eq!((a + b) * c, a * c + b * c, "{id:?} distributes");
                assert_eq!((a * b) * c, a * (b * c), "{id:?} associates");
            }
        }
    }
    let mut inverted = xs.clone();
    batch::invert(&mut inverted, &mut Vec::new());
    for (a, b) in xs.iter().zip(inverted) {
        assert_eq!(b, a.inverse().unwrap_or(F::ZERO), "{id:?} batch inversion");
    }
    // Every nonzero element of a field of q elements has order dividing q - 1; here p-th powers must permute the
    // coefficients consistently: (a + b)^p = a^p + b^p.
    let p = F::Prime::MODULUS;
    let (a, b) = (xs[5], xs[6]);
    assert_eq!((a + b).pow(p), a.pow(p) + b.pow(p), "{id:?} Frobenius");
    if F::DEGREE == 1 {
        assert_eq!(a.pow(p), a, "{id:?} Fermat");
        let root = F::Prime::two_adic_root();
        let half = (0..F::Prime::TWO_ADICITY - 1).fold(root, |x, _| x.square());
        assert_eq!(half, -F::Prime::ONE, "{id:?} root of unity");
    }
    let mut all_ones = a.to_raw();
    bytemuck::bytes_of_mut(&mut all_ones).fill(0xff);
    assert!(!F::is_canonical(&all_ones), "{id:?} all ones is not canonical");
}

#[test]
fn every_field_satisfies_the_axioms() {
    for row in FIELDS {
        with_field!(row.id, F => axioms::<F>(row.id));
    }
}

#[test]
fn inverses_of_edges_and_random_elements() {
    fn check<F: PrimeField>() {
        let mut all = samples::<F>(300, 21);
        all.extend((1..100).map(F::from_u64));
        all.extend((0..F::BITS as u64).map(|k| F::from_u64(2).pow(&[k])));
        for x in all {
            for x in [x, -x] {
                assert_eq!(x.inverse().map(|inverse| inverse * x), (!x.is_zero()).then_some(F::ONE), "{x:?}");
            }
        }
    }
    for row in FIELDS {
        with_field!(row.id, F => check::<<F as Field>::Prime>());
    }
}

#[test]
fn numbers_and_names_identify_fields() {
    for row in FIELDS {
        assert_eq!(FieldId::from_number(row.id as i32), Some(row.id));
        let name = if row.infix.is_empty() { row.prefix.to_string() } else { format!("{}_{}", row.prefix, row.infix) };
        assert_eq!(row.id.name(), name);
    }
    assert_eq!(FieldId::from_number(13), None);
}
