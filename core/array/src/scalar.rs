//! Numbers without a dtype.

use crate::{Complex, DType, Kind};
use icicle_error::{Error, Result};

/// A number without a dtype of its own, as a literal of Python is: it takes that of the array it meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// A boolean.
    Bool(bool),
    /// An integer: every value of every integer dtype.
    Int(i128),
    /// A real number.
    Float(f64),
    /// A complex number.
    Complex(Complex<f64>),
}

impl Scalar {
    /// The dtype it has where it meets an array of `dtype`: the array's own, or for a complex number and a real
    /// floating-point array the complex dtype of the same precision.
    ///
    /// # Errors
    /// `InvalidArgument` where the array API leaves it undefined: a float and an integer array, any number and a boolean one.
    pub fn dtype_with(&self, op: &'static str, dtype: DType) -> Result<DType> {
        let fits = match (self, dtype.kind()) {
            (Self::Bool(_), Kind::Bool) => true,
            (Self::Int(_), kind) => kind != Kind::Bool,
            (Self::Float(_), Kind::Float | Kind::Complex) => true,
            (Self::Complex(_), Kind::Complex) => true,
            (Self::Complex(_), Kind::Float) => {
                return Ok(if dtype == DType::Float64 { DType::Complex128 } else { DType::Complex64 });
            }
            _ => false,
        };
        match fits {
            true => Ok(dtype),
            false => Err(Error::argument(
                op,
                format!("scalar {self:?} with an array of {dtype}: no common dtype; cast first"),
            )),
        }
    }

    /// Its value as an integer of a dtype.
    ///
    /// # Errors
    /// `InvalidArgument` if it is not one of that dtype.
    pub(crate) fn integer(&self, op: &'static str, dtype: DType) -> Result<i128> {
        let value = match *self {
            Self::Bool(value) => i128::from(value),
            Self::Int(value) => value,
            Self::Float(value) if value.fract() == 0.0 && value.abs() < 1e30 => value as i128,
            _ => return Err(Error::argument(op, format!("scalar {self:?}: is no integer of {dtype}"))),
        };
        let range = crate::iinfo(dtype)?;
        match value >= range.min && value <= range.max {
            true => Ok(value),
            false => Err(Error::argument(op, format!("scalar {value}: {dtype} holds {} to {}", range.min, range.max))),
        }
    }

    /// Its value as a complex number, rounded.
    pub fn complex(&self) -> Complex<f64> {
        match *self {
            Self::Bool(value) => Complex::new(f64::from(u8::from(value)), 0.0),
            Self::Int(value) => Complex::new(value as f64, 0.0),
            Self::Float(value) => Complex::new(value, 0.0),
            Self::Complex(value) => value,
        }
    }
}

macro_rules! from {
    ($($type:ty, $variant:ident;)*) => {
        $(impl From<$type> for Scalar {
            fn from(value: $type) -> Self {
                Self::$variant(value.into())
            }
        })*
    };
}
from! {
    bool, Bool; i32, Int; i64, Int; u32, Int; u64, Int; i128, Int; f32, Float; f64, Float; Complex<f64>, Complex;
}
