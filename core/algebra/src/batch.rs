//! Inversion of many elements for the price of one.

use super::Field;

/// Replace each element by its inverse, those without one by zero; one inversion and three products each
/// (Montgomery's trick: P. Montgomery, "Speeding the Pollard and elliptic curve methods of factorization", 1987, §10.3.1).
///
/// `scratch` is cleared and reused. In a ring with zero divisors a chain may have no inverse: then one by one.
pub fn invert<F: Field>(elements: &mut [F], scratch: &mut Vec<F>) {
    invert_times(elements, F::ONE, scratch);
}

/// As [`invert`], each inverse times a factor.
pub fn invert_times<F: Field>(elements: &mut [F], factor: F, scratch: &mut Vec<F>) {
    scratch.clear();
    let mut product = F::ONE;
    for &x in elements.iter() {
        scratch.push(product);
        if !x.is_zero() {
            product *= x;
        }
    }
    let Some(mut inverse) = product.inverse() else {
        for x in elements {
            *x = x.inverse().unwrap_or_default() * factor;
        }
        return;
    };
    inverse *= factor;
    for (x, &before) in elements.iter_mut().zip(scratch.iter()).rev() {
        if !x.is_zero() {
            let next = inverse * *x;
            *x = inverse * before;
            inverse = next;
        }
    }
}
