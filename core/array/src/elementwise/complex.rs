//! Inverse functions of complex numbers, continuous to their branch cuts from the side that the sign of zero says: W. Kahan,
//! "Branch cuts for complex elementary functions, or much ado about nothing's sign bit", 1987.

use crate::Complex;

type C = Complex<f64>;

/// Square roots of `1 - z` and `1 + z`, whose parts of zero keep their signs.
fn roots(z: C) -> (C, C) {
    (C::new(1.0 - z.re, -z.im).sqrt(), C::new(1.0 + z.re, z.im).sqrt())
}

pub(super) fn asin(z: C) -> C {
    let (less, more) = roots(z);
    C::new(z.re.atan2(less.re * more.re - less.im * more.im), (less.re * more.im - less.im * more.re).asinh())
}

pub(super) fn acos(z: C) -> C {
    let (less, more) = roots(z);
    C::new(2.0 * less.re.atan2(more.re), (more.re * less.im - more.im * less.re).asinh())
}

/// `asin` turned by a right angle.
pub(super) fn asinh(z: C) -> C {
    let turned = asin(C::new(-z.im, z.re));
    C::new(turned.im, -turned.re)
}

pub(super) fn acosh(z: C) -> C {
    let (less, more) = (C::new(z.re - 1.0, z.im).sqrt(), C::new(z.re + 1.0, z.im).sqrt());
    C::new((less.re * more.re + less.im * more.im).asinh(), 2.0 * less.im.atan2(more.re))
}

pub(super) fn atanh(z: C) -> C {
    let (x, y) = (z.re, z.im);
    let from_one = 1.0 - x.abs();
    let re = 0.25 * (4.0 * x.abs() / (from_one * from_one + y * y)).ln_1p();
    C::new(re.copysign(x), 0.5 * (2.0 * y).atan2((1.0 - x) * (1.0 + x) - y * y))
}

/// `atanh` turned by a right angle.
pub(super) fn atan(z: C) -> C {
    let turned = atanh(C::new(-z.im, z.re));
    C::new(turned.im, -turned.re)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    #[test]
    fn the_sign_of_zero_says_from_which_side_a_cut_is_met() {
        for sign in [1.0f64, -1.0] {
            let zero = 0.0 * sign;
            assert_eq!(atan(C::new(zero, 1.125)).re, FRAC_PI_2 * sign);
            assert_eq!(atan(C::new(zero, -1.125)).re, FRAC_PI_2 * sign);
            assert_eq!(atanh(C::new(2.0, zero)).im, FRAC_PI_2 * sign);
            assert_eq!(atanh(C::new(-2.0, zero)).im, FRAC_PI_2 * sign);
            let bound = 2.0f64.acosh() * sign;
            assert!(
                (asin(C::new(2.0, zero)).im - bound).abs() < 1e-15
                    && (asin(C::new(-2.0, zero)).im - bound).abs() < 1e-15
            );
            assert!(
                (acos(C::new(2.0, zero)).im + bound).abs() < 1e-15
                    && (acos(C::new(-2.0, zero)).im + bound).abs() < 1e-15
            );
            assert!(
                (asinh(C::new(zero, 2.0)).re - bound).abs() < 1e-15
                    && (asinh(C::new(zero, -2.0)).re - bound).abs() < 1e-15
            );
            assert_eq!(acosh(C::new(0.5, zero)).im.signum(), sign);
            assert_eq!(acosh(C::new(-2.0, zero)).im, 2.0 * FRAC_PI_2 * sign);
        }
    }
}
