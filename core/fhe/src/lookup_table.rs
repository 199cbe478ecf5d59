//! Lookup tables: functions of the sixteen values, and the polynomials that hold them.

use crate::parameters::{DELTA, Parameters, VALUES};

/// What a bootstrap gives for each value, as torus elements. A value `v` of 16 and above, whose padding bit is set, gives the
/// negative of what `v - 16` gives.
#[derive(Clone, Copy)]
pub(crate) struct LookupTable([u64; VALUES]);

impl LookupTable {
    /// A function whose results are messages, perhaps negative ones.
    pub(crate) fn new(f: impl Fn(u64) -> i64) -> Self {
        Self::scaled(f, 1)
    }

    /// As `new`, every result times a factor. Noise does not grow by it.
    pub(crate) fn scaled(f: impl Fn(u64) -> i64, factor: u64) -> Self {
        Self(std::array::from_fn(|value| DELTA.wrapping_mul(factor).wrapping_mul(f(value as u64) as u64)))
    }

    /// Minus half of a weight below 16, hence half of it from 16 on: with half of it added, the weight where the padding bit is set.
    pub(crate) fn padding_bit(weight: i64) -> Self {
        Self([(DELTA / 2).wrapping_mul(weight as u64).wrapping_neg(); VALUES])
    }

    /// What a bootstrap gives for a value, also a negative one or one above 15.
    pub(crate) fn at(&self, value: i64) -> u64 {
        let at = value.rem_euclid(2 * VALUES as i64) as usize;
        if at < VALUES { self.0[at] } else { self.0[at - VALUES].wrapping_neg() }
    }

    /// Two functions of values below 8, the second in the upper half of the table.
    pub(crate) fn pair(f: impl Fn(u64) -> i64, g: impl Fn(u64) -> i64) -> Self {
        Self::new(|value| if value < 8 { f(value) } else { g(value - 8) })
    }

    /// Write the table's polynomial, rotated: its constant coefficient is then what the phase `rotation` below 2N gives.
    pub(crate) fn write(&self, parameters: &Parameters, rotation: usize, to: &mut [u64]) {
        let (n, size) = (parameters.polynomial_size, parameters.box_size());
        for (j, to) in to.iter_mut().enumerate() {
            // Boxes reach half their size below their value; past 2N all begins anew.
            let at = (j + rotation + size / 2) % (2 * n);
            let value = self.0[at % n / size];
            *to = if at < n { value } else { value.wrapping_neg() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::TOY;

    #[test]
    fn a_rotated_table_begins_with_the_box_of_the_rotation() {
        let table = LookupTable::new(|value| value as i64 * 3);
        let mut polynomial = vec![0; TOY.polynomial_size];
        let first = |rotation: usize, polynomial: &mut [u64]| {
            table.write(&TOY, rotation % 512, polynomial);
            polynomial[0]
        };
        for value in 0..32usize {
            let f = DELTA.wrapping_mul(value as u64 % 16 * 3);
            let expected = if value < 16 { f } else { f.wrapping_neg() };
            // A box is 16 wide.
            for offset in [-8i64, -1, 0, 7] {
                let rotation = (512 + 16 * value as i64 + offset) as usize;
                assert_eq!(first(rotation, &mut polynomial), expected, "{value} {offset}");
            }
        }
        // The second of a pair is half a polynomial further.
        LookupTable::pair(|v| v as i64, |v| -(v as i64)).write(&TOY, 16 * 5, &mut polynomial);
        assert_eq!([polynomial[0], polynomial[128]], [5 * DELTA, (5 * DELTA).wrapping_neg()]);
    }
}
