//! Operations on one array: the table of their names, types and expressions.

use super::classes::{each, result, weight};
use super::exponential::Exponential;
use super::loops::{Found, Map, resolve, unary_loop};
use super::{complex, real};
use crate::array::Array;
use crate::lazy::apply;
use crate::step::{Code, Kernel, Step};
use crate::{Bool, DType};
use icicle_cpu::blocks::Work;
use icicle_error::{Error, Result};

macro_rules! map {
    ($t:ty, $op:ident, $out:ident, $x:ident, $value:expr) => {
        impl Map<$t> for ops::$op {
            type Out = result!($out, $t);
            #[inline(always)]
            fn map($x: $t) -> Self::Out {
                $value
            }
        }
    };
}

macro_rules! find {
    ($t:ty, $op:ident, $dtype:ident) => {
        if $dtype == <$t as crate::Element>::DTYPE {
            return Some(unary_loop::<ops::$op, $t>());
        }
    };
}

macro_rules! table {
    ($($op:ident $name:ident $weight:ident $meaning:literal {
        $($class:ident -> $out:ident: |$x:ident| $value:expr;)*
    })*) => {
        /// An operation on each element of one array.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum UnaryOp {
            $(#[doc = $meaning] $op,)*
        }

        mod ops {
            $(pub(super) struct $op;)*
        }

        $(
            impl super::loops::Weight for ops::$op {
                const VECTORS: bool = weight!($weight).0;
                const WORK: Work = weight!($weight).1;
            }
            $(each!($class, map!($op, $out, $x, $value));)*
        )*

        impl UnaryOp {
            /// Every one.
            pub const ALL: &[Self] = &[$(Self::$op,)*];

            /// Its name in the array API.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$op => stringify!($name),)* }
            }

            /// What it gives, in a sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$op => $meaning,)* }
            }

            pub(super) fn work(self) -> Work {
                match self { $(Self::$op => <ops::$op as super::loops::Weight>::WORK,)* }
            }

            /// The loop over elements of a dtype.
            pub(super) fn find(self, dtype: DType) -> Option<Found> {
                match self {
                    $(Self::$op => { $(each!($class, find!($op, dtype));)* })*
                }
                None
            }
        }

        $(
            #[doc = concat!($meaning, "\n\n# Errors\nAs [`unary`].")]
            pub fn $name(x: &Array) -> Result<Array> {
                unary(UnaryOp::$op, x)
            }
        )*
    };
}

table! {
    Abs abs light "The absolute value, of complex numbers the real distance from 0; of the least signed integer itself." {
        signed -> same: |x| x.wrapping_abs(); unsigned -> same: |x| x;
        float -> same: |x| x.abs(); complex -> part: |x| x.re.hypot(x.im);
    }
    Negative negative light "The number times -1; integers wrap." {
        integer -> same: |x| x.wrapping_neg(); float -> same: |x| -x; complex -> same: |x| -x;
    }
    Positive positive light "The number itself." {
        integer -> same: |x| x; float -> same: |x| x; complex -> same: |x| x;
    }
    Sign sign light "-1, 0 or 1 by the sign; NaN for NaN; for complex numbers, the number of that direction at distance 1 or 0." {
        signed -> same: |x| x.signum(); unsigned -> same: |x| x.min(1);
        float -> same: |x| real::sign(x);
        complex -> same: |x| real::wide(x, complex::sign);
    }
    Sqrt sqrt light "The square root; NaN for negative real numbers." {
        float -> same: |x| x.sqrt(); complex -> same: |x| real::wide(x, complex::sqrt);
    }
    Square square light "The number times itself; integers wrap." {
        integer -> same: |x| x.wrapping_mul(x); float -> same: |x| x * x; complex -> same: |x| x * x;
    }
    Reciprocal reciprocal light "1 divided by the number." {
        float -> same: |x| 1.0 / x; complex -> same: |x| real::complex_divide(crate::Complex::new(1.0, 0.0), x);
    }
    Exp exp long "e to the number." { float -> same: |x| x.exponential(); complex -> same: |x| real::wide(x, |z| z.exp()); }
    Expm1 expm1 heavy "e to the number, less 1, exact for small ones." {
        float -> same: |x| x.exp_m1();
        complex -> same: |x| real::wide(x, complex::expm1);
    }
    Log log heavy "The natural logarithm." { float -> same: |x| x.ln(); complex -> same: |x| real::wide(x, |z| z.ln()); }
    Log1p log1p heavy "The natural logarithm of 1 plus the number, exact for small ones." {
        float -> same: |x| x.ln_1p();
        complex -> same: |x| real::complex_log1p(x);
    }
    Log2 log2 heavy "The logarithm to base 2." {
        float -> same: |x| x.log2(); complex -> same: |x| real::scaled(x.ln(), real::Real::LOG2_E);
    }
    Log10 log10 heavy "The logarithm to base 10." {
        float -> same: |x| x.log10(); complex -> same: |x| real::scaled(x.ln(), real::Real::LOG10_E);
    }
    Sin sin heavy "The sine." { float -> same: |x| x.sin(); complex -> same: |x| real::wide(x, complex::sin); }
    Cos cos heavy "The cosine." { float -> same: |x| x.cos(); complex -> same: |x| real::wide(x, complex::cos); }
    Tan tan heavy "The tangent." { float -> same: |x| x.tan(); complex -> same: |x| real::wide(x, complex::tan); }
    Asin asin heavy "The inverse of the sine." { float -> same: |x| x.asin(); complex -> same: |x| real::wide(x, complex::asin); }
    Acos acos heavy "The inverse of the cosine." { float -> same: |x| x.acos(); complex -> same: |x| real::wide(x, complex::acos); }
    Atan atan heavy "The inverse of the tangent." { float -> same: |x| x.atan(); complex -> same: |x| real::wide(x, complex::atan); }
    Sinh sinh heavy "The hyperbolic sine." { float -> same: |x| x.sinh(); complex -> same: |x| real::wide(x, complex::sinh); }
    Cosh cosh heavy "The hyperbolic cosine." { float -> same: |x| x.cosh(); complex -> same: |x| real::wide(x, complex::cosh); }
    Tanh tanh heavy "The hyperbolic tangent." { float -> same: |x| x.tanh(); complex -> same: |x| real::wide(x, complex::tanh); }
    Asinh asinh heavy "The inverse of the hyperbolic sine." { float -> same: |x| real::asinh(x); complex -> same: |x| real::wide(x, complex::asinh); }
    Acosh acosh heavy "The inverse of the hyperbolic cosine." { float -> same: |x| real::acosh(x); complex -> same: |x| real::wide(x, complex::acosh); }
    Atanh atanh heavy "The inverse of the hyperbolic tangent." { float -> same: |x| real::atanh(x); complex -> same: |x| real::wide(x, complex::atanh); }
    Floor floor light "The greatest integer that is not greater." { integer -> same: |x| x; float -> same: |x| x.floor(); }
    Ceil ceil light "The least integer that is not less." { integer -> same: |x| x; float -> same: |x| x.ceil(); }
    Trunc trunc light "The integer part." { integer -> same: |x| x; float -> same: |x| x.trunc(); }
    Round round light "The nearest integer, the even one of two." {
        integer -> same: |x| x; float -> same: |x| x.round_ties_even();
        complex -> same: |x| crate::Complex::new(x.re.round_ties_even(), x.im.round_ties_even());
    }
    IsNan isnan light "Whether it is NaN, of complex numbers a part." {
        integer -> bool: |_x| Bool(0); float -> bool: |x| x.is_nan().into();
        complex -> bool: |x| (x.re.is_nan() | x.im.is_nan()).into();
    }
    IsInf isinf light "Whether it is infinite, of complex numbers a part." {
        integer -> bool: |_x| Bool(0); float -> bool: |x| x.is_infinite().into();
        complex -> bool: |x| (x.re.is_infinite() | x.im.is_infinite()).into();
    }
    IsFinite isfinite light "Whether it is neither NaN nor infinite, nor a part is." {
        integer -> bool: |_x| Bool(1); float -> bool: |x| x.is_finite().into();
        complex -> bool: |x| (x.re.is_finite() & x.im.is_finite()).into();
    }
    SignBit signbit light "Whether the sign bit is set, as of -0.0." {
        float -> bool: |x| x.is_sign_negative().into();
    }
    Conj conj light "The complex conjugate; real numbers as they are." {
        integer -> same: |x| x; float -> same: |x| x; complex -> same: |x| x.conj();
    }
    Real real light "The real part." { integer -> same: |x| x; float -> same: |x| x; complex -> part: |x| x.re; }
    Imag imag light "The imaginary part." { complex -> part: |x| x.im; }
    LogicalNot logical_not light "Whether it is false." { bool -> same: |x| Bool((x.0 == 0) as u8); }
    BitwiseInvert bitwise_invert light "Every bit inverted; booleans negated." {
        bool -> same: |x| Bool((x.0 == 0) as u8); integer -> same: |x| !x;
    }
}

/// An operation on each element, in the array's shape. Floats of 16 bits are computed in `float32` and rounded.
///
/// # Errors
/// `InvalidArgument` if the operation has no meaning for the dtype (functions of real numbers take floating point only: cast
/// integers first); `Unsupported` if the array is not on a CPU; `OutOfMemory`, of large arrays when their values are needed.
pub fn unary(op: UnaryOp, x: &Array) -> Result<Array> {
    let (step, out) = unary_step(op, x.dtype()).ok_or_else(|| {
        Error::argument(op.name(), format!("array of {}: the operation is not defined for it", x.dtype()))
    })?;
    apply(step, out, &[x])
}

/// An operation on a dtype, and the dtype of its results.
pub(crate) fn unary_step(op: UnaryOp, dtype: DType) -> Option<(Step, DType)> {
    let (takes, gives, out, run) = resolve(dtype, |dtype| op.find(dtype))?;
    let (code, kernel) = (Code::Row(op as usize), Kernel::One(run));
    Some((Step { op: op.name(), code, kernel, takes: [takes; 3], gives, work: op.work() }, out))
}
