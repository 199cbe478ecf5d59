//! Functions of complex numbers: the inverse ones continuous to their branch cuts from the side that the sign of zero says,
//! after W. Kahan, "Branch cuts for complex elementary functions, or much ado about nothing's sign bit", 1987. What they give
//! for infinities and NaN is ISO C's, annex G, and the array API's.

use crate::Complex;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

type C = Complex<f64>;

const INFINITY: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Times i, and a function's result times -i: what leads from a hyperbolic function to the circular one.
fn turned(function: fn(C) -> C, z: C) -> C {
    let found = function(C::new(-z.im, z.re));
    C::new(found.im, -found.re)
}

pub(super) fn sign(z: C) -> C {
    let (x, y) = (z.re, z.im);
    match (x.is_infinite(), y.is_infinite()) {
        _ if x == 0.0 && y == 0.0 => z,
        (true, false) if !y.is_nan() => C::new(1f64.copysign(x), 0f64.copysign(y)),
        (false, true) if !x.is_nan() => C::new(0f64.copysign(x), 1f64.copysign(y)),
        _ => z / x.hypot(y),
    }
}

/// `exp(z) - 1`.
pub(super) fn expm1(z: C) -> C {
    if z.is_finite() {
        return super::real::complex_expm1(z);
    }
    let power = z.exp();
    C::new(power.re - 1.0, power.im)
}

pub(super) fn sqrt(z: C) -> C {
    let (x, y) = (z.re, z.im);
    if y.is_infinite() {
        C::new(INFINITY, y)
    } else if x == INFINITY {
        C::new(x, if y.is_nan() { y } else { 0f64.copysign(y) })
    } else if x == -INFINITY {
        if y.is_nan() { C::new(y, INFINITY) } else { C::new(0.0, INFINITY.copysign(y)) }
    } else if x.is_nan() || y.is_nan() {
        C::new(NAN, NAN)
    } else {
        z.sqrt()
    }
}

pub(super) fn sinh(z: C) -> C {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        C::new(x.sinh(), y)
    } else if y.is_finite() {
        C::new(x.sinh() * y.cos(), x.cosh() * y.sin())
    } else {
        C::new(if x == 0.0 || x.is_infinite() { x } else { NAN }, NAN)
    }
}

pub(super) fn cosh(z: C) -> C {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        C::new(x.cosh(), if x.is_nan() { y } else { y * 1f64.copysign(x) })
    } else if y.is_finite() {
        C::new(x.cosh() * y.cos(), x.sinh() * y.sin())
    } else {
        C::new(if x.is_infinite() { INFINITY } else { NAN }, if x == 0.0 { x } else { NAN })
    }
}

/// Beyond this, `tanh` of a real number is 1 in double precision.
const FLAT: f64 = 22.0;

pub(super) fn tanh(z: C) -> C {
    let (x, y) = (z.re, z.im);
    if y == 0.0 {
        return C::new(x.tanh(), y);
    }
    if !y.is_finite() {
        return match x {
            x if x.is_infinite() => C::new(1f64.copysign(x), 0f64.copysign(y)),
            x => C::new(if x == 0.0 { x } else { NAN }, NAN),
        };
    }
    if x.abs() > FLAT {
        return C::new(1f64.copysign(x), 4.0 * y.sin() * y.cos() * (-2.0 * x.abs()).exp());
    }
    let (tangent, sine) = (y.tan(), x.sinh());
    let wide = 1.0 + tangent * tangent;
    let below = 1.0 + wide * sine * sine;
    C::new(wide * (1.0 + sine * sine).sqrt() * sine / below, tangent / below)
}

pub(super) fn sin(z: C) -> C {
    turned(sinh, z)
}

pub(super) fn cos(z: C) -> C {
    cosh(C::new(-z.im, z.re))
}

pub(super) fn tan(z: C) -> C {
    turned(tanh, z)
}

/// Square roots of `1 - z` and `1 + z`, whose parts of zero keep their signs.
fn roots(z: C) -> (C, C) {
    (C::new(1.0 - z.re, -z.im).sqrt(), C::new(1.0 + z.re, z.im).sqrt())
}

pub(super) fn asin(z: C) -> C {
    if !z.is_finite() {
        return turned(asinh_beyond, z);
    }
    let (less, more) = roots(z);
    C::new(z.re.atan2(less.re * more.re - less.im * more.im), (less.re * more.im - less.im * more.re).asinh())
}

/// `asin` turned by a right angle.
pub(super) fn asinh(z: C) -> C {
    if z.is_finite() { turned(asin, z) } else { asinh_beyond(z) }
}

/// Of infinities and NaN.
fn asinh_beyond(z: C) -> C {
    let (x, y) = (z.re, z.im);
    if x.is_infinite() {
        let angle = if y.is_infinite() { FRAC_PI_4.copysign(y) } else { 0f64.copysign(y) };
        C::new(x, if y.is_nan() { y } else { angle })
    } else if y.is_infinite() {
        C::new(INFINITY.copysign(x), if x.is_nan() { x } else { FRAC_PI_2.copysign(y) })
    } else {
        C::new(NAN, if y == 0.0 { y } else { NAN })
    }
}

pub(super) fn acos(z: C) -> C {
    if !z.is_finite() {
        return acos_beyond(z);
    }
    let (less, more) = roots(z);
    C::new(2.0 * less.re.atan2(more.re), (more.re * less.im - more.im * less.re).asinh())
}

/// Of infinities and NaN.
fn acos_beyond(z: C) -> C {
    let (x, y) = (z.re, z.im);
    let away = if y.is_nan() { -INFINITY } else { -INFINITY.copysign(y) };
    match (x.is_infinite(), y.is_infinite()) {
        _ if x.is_infinite() && y.is_nan() => C::new(y, away),
        (true, true) => C::new(if x > 0.0 { FRAC_PI_4 } else { PI - FRAC_PI_4 }, away),
        (true, false) => C::new(if x > 0.0 { 0.0 } else { PI }, away),
        (false, true) => C::new(if x.is_nan() { x } else { FRAC_PI_2 }, away),
        (false, false) => C::new(if x == 0.0 { FRAC_PI_2 } else { NAN }, NAN),
    }
}

pub(super) fn acosh(z: C) -> C {
    if !z.is_finite() {
        let found = acos_beyond(z);
        return C::new(found.im.abs(), if found.re.is_nan() { found.re } else { found.re.copysign(z.im) });
    }
    let (less, more) = (C::new(z.re - 1.0, z.im).sqrt(), C::new(z.re + 1.0, z.im).sqrt());
    C::new((less.re * more.re + less.im * more.im).asinh(), 2.0 * less.im.atan2(more.re))
}

pub(super) fn atanh(z: C) -> C {
    let (x, y) = (z.re, z.im);
    if !z.is_finite() {
        let near = if x.is_nan() { 0.0 } else { 0f64.copysign(x) };
        return match y {
            y if y.is_infinite() || (x.is_infinite() && !y.is_nan()) => C::new(near, FRAC_PI_2.copysign(y)),
            y if x.is_infinite() || x == 0.0 => C::new(near, y),
            _ => C::new(NAN, NAN),
        };
    }
    let from_one = 1.0 - x.abs();
    let re = 0.25 * (4.0 * x.abs() / (from_one * from_one + y * y)).ln_1p();
    C::new(re.copysign(x), 0.5 * (2.0 * y).atan2((1.0 - x) * (1.0 + x) - y * y))
}

/// `atanh` turned by a right angle.
pub(super) fn atan(z: C) -> C {
    turned(atanh, z)
}

#[cfg(test)]
mod tests {
    use super::*;

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
