//! Operations on two arrays: the table of their names, types and expressions.

use super::classes::{each, result, weight};
use super::integer::Integer;
use super::loops::{FoundPair, Zip, binary_loop, resolve};
use super::real::{self, NextAfter};
use super::unary::{UnaryOp, unary};
use crate::array::Array;
use crate::lazy::apply;
use crate::step::{Code, Kernel, Step};
use crate::{Bool, DType, Scalar, promote};
use icicle_cpu::blocks::Work;
use icicle_device::DeviceKind;
use icicle_error::{Error, Result};

macro_rules! zip {
    ($t:ty, $op:ident, $out:ident, $x:ident, $y:ident, $value:expr) => {
        impl Zip<$t> for ops::$op {
            type Out = result!($out, $t);
            #[inline(always)]
            fn zip($x: $t, $y: $t) -> Self::Out {
                $value
            }
        }
    };
}

macro_rules! find {
    ($t:ty, $op:ident, $dtype:ident) => {
        if $dtype == <$t as crate::Element>::DTYPE {
            return Some(binary_loop::<ops::$op, $t>());
        }
    };
}

macro_rules! table {
    ($($op:ident $name:ident $weight:ident $meaning:literal {
        $($class:ident -> $out:ident: |$x:ident, $y:ident| $value:expr;)*
    })*) => {
        /// An operation on each pair of elements of two arrays.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum BinaryOp {
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
            $(each!($class, zip!($op, $out, $x, $y, $value));)*
        )*

        impl BinaryOp {
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
            pub(super) fn find(self, dtype: DType) -> Option<FoundPair> {
                match self {
                    $(Self::$op => { $(each!($class, find!($op, dtype));)* })*
                }
                None
            }
        }

        $(
            #[doc = concat!($meaning, "\n\n# Errors\nAs [`binary`].")]
            pub fn $name(x: &Array, y: &Array) -> Result<Array> {
                binary(BinaryOp::$op, x, y)
            }
        )*
    };
}

table! {
    Add add light "The sum; integers wrap." {
        integer -> same: |x, y| x.wrapping_add(y); float -> same: |x, y| x + y; complex -> same: |x, y| x + y;
    }
    Subtract subtract light "The difference; integers wrap." {
        integer -> same: |x, y| x.wrapping_sub(y); float -> same: |x, y| x - y; complex -> same: |x, y| x - y;
    }
    Multiply multiply light "The product; integers wrap." {
        integer -> same: |x, y| x.wrapping_mul(y); float -> same: |x, y| x * y;
        complex -> same: |x, y| crate::Complex::new(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re);
    }
    Divide divide light "The quotient of floating-point numbers." {
        float -> same: |x, y| x / y; complex -> same: |x, y| real::complex_divide(x, y);
    }
    FloorDivide floor_divide heavy "The quotient rounded down; integers by 0 give 0, and the least by -1 itself." {
        integer -> same: |x, y| x.floor_divide(y); float -> same: |x, y| real::floor_divide(x, y);
    }
    Remainder remainder heavy "What is left of the division rounded down, with the divisor's sign; of integers by 0, 0." {
        integer -> same: |x, y| x.floor_remainder(y); float -> same: |x, y| real::divmod(x, y).1;
    }
    Pow pow heavy "The first to the power of the second; integers wrap, and to a negative power are rounded towards 0, of 0 to 0." {
        integer -> same: |x, y| x.power(y); float -> same: |x, y| x.powf(y);
        complex -> same: |x, y| if y.re == 0.0 && y.im == 0.0 { crate::Complex::new(1.0, 0.0) } else { x.powc(y) };
    }
    Atan2 atan2 heavy "The angle of the point with the second as abscissa and the first as ordinate." {
        float -> same: |x, y| x.atan2(y);
    }
    Hypot hypot heavy "The distance from 0 of a point, without overflow on the way." { float -> same: |x, y| x.hypot(y); }
    CopySign copysign light "The first with the sign of the second." { float -> same: |x, y| x.copysign(y); }
    NextAfter nextafter light "The next number of the dtype from the first towards the second." {
        half -> same: |x, y| x.next_after(y); float -> same: |x, y| x.next_after(y);
    }
    LogAddExp logaddexp heavy "The logarithm of the sum of the exponentials." { float -> same: |x, y| real::logaddexp(x, y); }
    Maximum maximum light "The greater, or NaN if either is." {
        integer -> same: |x, y| x.max(y); float -> same: |x, y| if x >= y || x.is_nan() { x } else { y };
    }
    Minimum minimum light "The lesser, or NaN if either is." {
        integer -> same: |x, y| x.min(y); float -> same: |x, y| if x <= y || x.is_nan() { x } else { y };
    }
    BitwiseAnd bitwise_and light "Bits set in both." {
        bool -> same: |x, y| Bool(x.0 & y.0); integer -> same: |x, y| x & y;
    }
    BitwiseOr bitwise_or light "Bits set in either." {
        bool -> same: |x, y| Bool(x.0 | y.0); integer -> same: |x, y| x | y;
    }
    BitwiseXor bitwise_xor light "Bits set in one only." {
        bool -> same: |x, y| Bool(x.0 ^ y.0); integer -> same: |x, y| x ^ y;
    }
    LeftShift bitwise_left_shift light "Bits moved up; by the width or more, or by a negative number, 0." {
        integer -> same: |x, y| x.shift_left(y);
    }
    RightShift bitwise_right_shift light "Bits moved down, the sign staying; by the width or more, or by a negative number, 0 or -1." {
        integer -> same: |x, y| x.shift_right(y);
    }
    Equal equal light "Whether they are equal." {
        bool -> bool: |x, y| (x == y).into(); integer -> bool: |x, y| (x == y).into();
        float -> bool: |x, y| (x == y).into();
        complex -> bool: |x, y| ((x.re == y.re) & (x.im == y.im)).into();
    }
    NotEqual not_equal light "Whether they differ." {
        bool -> bool: |x, y| (x != y).into(); integer -> bool: |x, y| (x != y).into();
        float -> bool: |x, y| (x != y).into();
        complex -> bool: |x, y| ((x.re != y.re) | (x.im != y.im)).into();
    }
    Less less light "Whether the first is less." {
        integer -> bool: |x, y| (x < y).into(); float -> bool: |x, y| (x < y).into();
    }
    LessEqual less_equal light "Whether the first is not greater." {
        integer -> bool: |x, y| (x <= y).into(); float -> bool: |x, y| (x <= y).into();
    }
    Greater greater light "Whether the first is greater." {
        integer -> bool: |x, y| (x > y).into(); float -> bool: |x, y| (x > y).into();
    }
    GreaterEqual greater_equal light "Whether the first is not less." {
        integer -> bool: |x, y| (x >= y).into(); float -> bool: |x, y| (x >= y).into();
    }
    LogicalAnd logical_and light "Whether both are true." { bool -> same: |x, y| Bool(x.0 & y.0); }
    LogicalOr logical_or light "Whether either is true." { bool -> same: |x, y| Bool(x.0 | y.0); }
    LogicalXor logical_xor light "Whether one only is true." { bool -> same: |x, y| Bool(x.0 ^ y.0); }
}

/// An operation on each pair of elements of arrays that broadcast together, in their common dtype, as [`promote`] says.
///
/// # Errors
/// `InvalidArgument` if the shapes do not broadcast, the dtypes have no common one, the operation has no meaning for it, or
/// the arrays are on several devices; `Unsupported` if they are not on a CPU; `OutOfMemory`, of large arrays when their values
/// are needed.
pub fn binary(op: BinaryOp, x: &Array, y: &Array) -> Result<Array> {
    if op == BinaryOp::Pow && is_two(x, y)? {
        return unary(UnaryOp::Square, x);
    }
    let common = promote(op.name(), x.dtype(), y.dtype())?;
    let (step, out) = binary_step(op, common).ok_or_else(|| {
        Error::argument(op.name(), format!("arrays of {common}: the operation is not defined for them"))
    })?;
    apply(step, out, &[x, y])
}

/// An operation on two arrays of a dtype, and the dtype of its results.
pub(crate) fn binary_step(op: BinaryOp, dtype: DType) -> Option<(Step, DType)> {
    let (takes, gives, out, run) = resolve(dtype, |dtype| op.find(dtype))?;
    let (code, kernel) = (Code::Row(UnaryOp::ALL.len() + op as usize), Kernel::Two(run));
    Some((Step { op: op.name(), code, kernel, takes: [takes; 3], gives, work: op.work() }, out))
}

/// Whether `y` is the number 2 for all of `x`: its square is read from memory, its power computed.
fn is_two(x: &Array, y: &Array) -> Result<bool> {
    let one = y.len() == 1 && y.rank() <= x.rank() && y.dtype() == x.dtype() && y.device() == x.device();
    // What lies on another device is not fetched for this.
    let near = y.device().kind == DeviceKind::Cpu || y.constant().is_some();
    Ok(one && near && matches!(y.item()?, Scalar::Int(2) | Scalar::Float(2.0)))
}
