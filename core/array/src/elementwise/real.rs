//! Functions of real and complex numbers that Rust lacks, or has with other rules.

use crate::{Complex, bf16, f16};

/// Real floating-point numbers, as far as the functions here need them.
pub(crate) trait Real:
    Copy
    + PartialOrd
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
    + std::ops::Rem<Output = Self>
    + std::ops::Neg<Output = Self>
{
    const ZERO: Self;
    const ONE: Self;
    const TWO: Self;
    const LN_2: Self;
    const LOG2_E: Self;
    const LOG10_E: Self;
    /// Above it a number's square says nothing about 1.
    const LARGE: Self;
    fn double(self) -> f64;
    fn rounded(value: f64) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    fn ln(self) -> Self;
    fn ln_1p(self) -> Self;
    fn exp(self) -> Self;
    fn exp_m1(self) -> Self;
    fn floor(self) -> Self;
    fn is_infinite(self) -> bool;
    fn copysign(self, sign: Self) -> Self;
    fn hypot(self, other: Self) -> Self;
    fn atan2(self, other: Self) -> Self;
    fn sin_cos(self) -> (Self, Self);
}

macro_rules! real {
    ($($t:ident)*) => {
        $(impl Real for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const TWO: Self = 2.0;
            const LN_2: Self = std::$t::consts::LN_2;
            const LOG2_E: Self = std::$t::consts::LOG2_E;
            const LOG10_E: Self = std::$t::consts::LOG10_E;
            const LARGE: Self = 2.0 / <$t>::EPSILON;
            real!(@ $t abs sqrt ln ln_1p exp exp_m1 floor);
            #[inline(always)]
            fn is_infinite(self) -> bool { <$t>::is_infinite(self) }
            #[inline(always)]
            fn double(self) -> f64 { self as f64 }
            #[inline(always)]
            fn rounded(value: f64) -> Self { value as $t }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self { <$t>::copysign(self, sign) }
            #[inline(always)]
            fn hypot(self, other: Self) -> Self { <$t>::hypot(self, other) }
            #[inline(always)]
            fn atan2(self, other: Self) -> Self { <$t>::atan2(self, other) }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) { <$t>::sin_cos(self) }
        })*
    };
    (@ $t:ident $($name:ident)*) => {
        $(#[inline(always)]
        fn $name(self) -> Self { <$t>::$name(self) })*
    };
}
real!(f32 f64);

/// The sign of a number: -1, the zero it is, 1 or NaN.
#[inline(always)]
pub(super) fn sign<T: Real>(x: T) -> T {
    if x > T::ZERO {
        T::ONE
    } else if x < T::ZERO {
        -T::ONE
    } else {
        // A zero of either sign gives 0, and NaN itself.
        x + T::ZERO
    }
}

/// The inverse of the hyperbolic sine.
#[inline(always)]
pub(super) fn asinh<T: Real>(x: T) -> T {
    let a = x.abs();
    let value = if a > T::LARGE {
        a.ln() + T::LN_2
    } else {
        let square = a * a;
        (a + square / (T::ONE + (square + T::ONE).sqrt())).ln_1p()
    };
    value.copysign(x)
}

/// The inverse of the hyperbolic cosine; NaN below 1.
#[inline(always)]
pub(super) fn acosh<T: Real>(x: T) -> T {
    if x > T::LARGE {
        return x.ln() + T::LN_2;
    }
    if x < T::ONE {
        return (x - T::ONE).sqrt();
    }
    let above = x - T::ONE;
    (above + (T::TWO * above + above * above).sqrt()).ln_1p()
}

/// The inverse of the hyperbolic tangent; NaN beyond -1 and 1.
#[inline(always)]
pub(super) fn atanh<T: Real>(x: T) -> T {
    let a = x.abs();
    ((T::TWO * a / (T::ONE - a)).ln_1p() / T::TWO).copysign(x)
}

/// Python's floored quotient and remainder: the remainder has the divisor's sign, and a quotient by 0 is that of `/`.
#[inline(always)]
pub(super) fn divmod<T: Real>(a: T, b: T) -> (T, T) {
    let rest = a % b;
    if b == T::ZERO {
        return (a / b, rest);
    }
    let mut quotient = (a - rest) / b;
    let rest = if rest == T::ZERO {
        T::ZERO.copysign(b)
    } else if (b < T::ZERO) != (rest < T::ZERO) {
        quotient = quotient - T::ONE;
        rest + b
    } else {
        rest
    };
    if quotient == T::ZERO {
        return (T::ZERO.copysign(a / b), rest);
    }
    let floored = quotient.floor();
    let half = T::ONE / T::TWO;
    (if quotient - floored > half { floored + T::ONE } else { floored }, rest)
}

/// The quotient rounded down, of an infinity as well: there Python's and NumPy's differ from the array API's.
#[inline(always)]
pub(super) fn floor_divide<T: Real>(a: T, b: T) -> T {
    if a.is_infinite() || b.is_infinite() { (a / b).floor() } else { divmod(a, b).0 }
}

/// The logarithm of the sum of exponentials.
#[inline(always)]
pub(super) fn logaddexp<T: Real>(a: T, b: T) -> T {
    if a == b {
        return a + T::LN_2;
    }
    let difference = a - b;
    if difference > T::ZERO {
        a + (-difference).exp().ln_1p()
    } else if difference <= T::ZERO {
        b + difference.exp().ln_1p()
    } else {
        difference
    }
}

/// A function of complex numbers in double precision: the formulas lose digits that `complex64` has.
#[inline(always)]
pub(super) fn wide<T: Real>(z: Complex<T>, f: impl Fn(Complex<f64>) -> Complex<f64>) -> Complex<T> {
    let value = f(Complex { re: z.re.double(), im: z.im.double() });
    Complex { re: T::rounded(value.re), im: T::rounded(value.im) }
}

/// A complex number times a real one.
#[inline(always)]
pub(super) fn scaled<T: Real>(z: Complex<T>, by: T) -> Complex<T> {
    Complex { re: z.re * by, im: z.im * by }
}

/// The quotient of complex numbers by Smith's method, which does not overflow before the result does.
#[inline(always)]
pub(super) fn complex_divide<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    let (re, im) = (b.re.abs(), b.im.abs());
    if re >= im {
        if re == T::ZERO && im == T::ZERO {
            return Complex { re: a.re / re, im: a.im / re };
        }
        let ratio = b.im / b.re;
        let scale = T::ONE / (b.re + b.im * ratio);
        Complex { re: (a.re + a.im * ratio) * scale, im: (a.im - a.re * ratio) * scale }
    } else {
        let ratio = b.re / b.im;
        let scale = T::ONE / (b.im + b.re * ratio);
        Complex { re: (a.re * ratio + a.im) * scale, im: (a.im * ratio - a.re) * scale }
    }
}

/// `exp(z) - 1`, exact near 0.
#[inline(always)]
pub(super) fn complex_expm1<T: Real>(z: Complex<T>) -> Complex<T> {
    let (sin, cos) = z.im.sin_cos();
    let (half, _) = (z.im / T::TWO).sin_cos();
    Complex { re: z.re.exp_m1() * cos - T::TWO * half * half, im: z.re.exp() * sin }
}

/// `log(1 + z)`, exact near 0.
#[inline(always)]
pub(super) fn complex_log1p<T: Real>(z: Complex<T>) -> Complex<T> {
    let one = z.re + T::ONE;
    let near = z.re.abs() < T::ONE / T::TWO && z.im.abs() < T::ONE / T::TWO;
    let re = if near { (z.re * (T::TWO + z.re) + z.im * z.im).ln_1p() / T::TWO } else { one.hypot(z.im).ln() };
    Complex { re, im: z.im.atan2(one) }
}

/// The next number of the type from `x` towards `y`.
pub(crate) trait NextAfter: Copy {
    fn next_after(self, y: Self) -> Self;
}

macro_rules! next_after {
    ($($t:ty, $bits:ty, $sign:expr, $nan:expr;)*) => {
        $(impl NextAfter for $t {
            #[inline(always)]
            fn next_after(self, y: Self) -> Self {
                if self.is_nan() || y.is_nan() {
                    return $nan;
                }
                if self == y {
                    return y;
                }
                let bits = self.to_bits();
                let sign: $bits = $sign;
                if bits & !sign == 0 {
                    // From either zero, the least number on the side of `y`.
                    return Self::from_bits((y.to_bits() & sign) | 1);
                }
                let away = (y > self) == (bits & sign == 0);
                Self::from_bits(if away { bits + 1 } else { bits - 1 })
            }
        })*
    };
}
next_after! {
    f32, u32, 1 << 31, f32::NAN;
    f64, u64, 1 << 63, f64::NAN;
    f16, u16, 1 << 15, f16::NAN;
    bf16, u16, 1 << 15, bf16::NAN;
}
