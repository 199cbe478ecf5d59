//! Which dtype a result has, which casts keep every value, and the limits of dtypes.

use crate::{DType, Kind};
use icicle_error::{Error, Result};

/// The dtype that holds both by the array API's table: the wider of a kind, the next wider signed integer for a signed and
/// an unsigned one, complex for real and complex floats. `float16` and `bfloat16` meet in `float32`.
///
/// # Errors
/// `InvalidArgument` where the standard leaves it undefined: booleans with numbers, integers with floats, `uint64` with
/// signed integers.
pub fn promote(op: &'static str, a: DType, b: DType) -> Result<DType> {
    if a == b {
        return Ok(a);
    }
    common(a, b)
        .ok_or_else(|| Error::argument(op, format!("dtypes {a} and {b}: have no common dtype; cast one of them")))
}

fn common(a: DType, b: DType) -> Option<DType> {
    let wider = if a.bytes() >= b.bytes() { a } else { b };
    match (a.kind(), b.kind()) {
        (Kind::Signed, Kind::Signed) | (Kind::Unsigned, Kind::Unsigned) | (Kind::Complex, Kind::Complex) => Some(wider),
        (Kind::Float, Kind::Float) if a.is_half() && b.is_half() => Some(DType::Float32),
        (Kind::Float, Kind::Float) => Some(wider),
        (Kind::Signed, Kind::Unsigned) => signed_over(a, b),
        (Kind::Unsigned, Kind::Signed) => signed_over(b, a),
        (Kind::Float, Kind::Complex) | (Kind::Complex, Kind::Float) => {
            let double = a.real() == DType::Float64 || b.real() == DType::Float64;
            Some(if double { DType::Complex128 } else { DType::Complex64 })
        }
        _ => None,
    }
}

/// The signed dtype that holds a signed and an unsigned one.
fn signed_over(signed: DType, unsigned: DType) -> Option<DType> {
    match signed.bytes().max(2 * unsigned.bytes()) {
        1 => Some(DType::Int8),
        2 => Some(DType::Int16),
        4 => Some(DType::Int32),
        8 => Some(DType::Int64),
        _ => None,
    }
}

/// The dtype that holds all.
///
/// # Errors
/// As [`promote`]; `InvalidArgument` if there is none to start from.
pub fn result_type(op: &'static str, dtypes: &[DType]) -> Result<DType> {
    let (&first, rest) = dtypes.split_first().ok_or_else(|| Error::argument(op, "dtypes: need at least one"))?;
    rest.iter().try_fold(first, |held, &dtype| promote(op, held, dtype))
}

/// Whether promotion leads from one dtype to the other, so that no cast between them loses a value.
pub fn can_cast(from: DType, to: DType) -> bool {
    from == to || common(from, to) == Some(to)
}

/// Whether a dtype is of a kind as the array API names them: `bool`, `signed integer`, `unsigned integer`, `integral`,
/// `real floating`, `complex floating`, `numeric`.
///
/// # Errors
/// `InvalidArgument` for another name.
pub fn isdtype(dtype: DType, kind: &str) -> Result<bool> {
    Ok(match kind {
        "bool" => dtype == DType::Bool,
        "signed integer" => dtype.kind() == Kind::Signed,
        "unsigned integer" => dtype.kind() == Kind::Unsigned,
        "integral" => dtype.is_integer(),
        "real floating" => dtype.kind() == Kind::Float,
        "complex floating" => dtype.kind() == Kind::Complex,
        "numeric" => dtype != DType::Bool,
        _ => return Err(Error::argument("isdtype", format!("kind {kind:?}: names no kind, such as \"integral\""))),
    })
}

/// What an integer dtype holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerInfo {
    /// Bits of an element.
    pub bits: u32,
    /// The least value.
    pub min: i128,
    /// The greatest.
    pub max: i128,
}

/// What an integer dtype holds.
///
/// # Errors
/// `InvalidArgument` for any other.
pub fn iinfo(dtype: DType) -> Result<IntegerInfo> {
    let bits = 8 * dtype.bytes() as u32;
    match dtype.kind() {
        Kind::Signed => Ok(IntegerInfo { bits, min: -(1 << (bits - 1)), max: (1 << (bits - 1)) - 1 }),
        Kind::Unsigned => Ok(IntegerInfo { bits, min: 0, max: (1 << bits) - 1 }),
        _ => Err(Error::argument("iinfo", format!("dtype {dtype}: must be an integer dtype"))),
    }
}

/// What a floating-point dtype, or the parts of a complex one, hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatInfo {
    /// Bits of a number.
    pub bits: u32,
    /// The difference of 1 and the next greater number.
    pub eps: f64,
    /// The greatest finite number; the least is its negative.
    pub max: f64,
    /// The smallest positive number with all bits of precision.
    pub smallest_normal: f64,
    /// The dtype of the numbers themselves.
    pub dtype: DType,
}

/// What a floating-point dtype, or the parts of a complex one, hold.
///
/// # Errors
/// `InvalidArgument` for any other.
pub fn finfo(dtype: DType) -> Result<FloatInfo> {
    let real = dtype.real();
    let info = |bits, precision: i32, exponent: i32| FloatInfo {
        bits,
        eps: 2f64.powi(-precision),
        // The exponent is that of 2 in the greatest number; powers beyond it would overflow.
        max: (2.0 - 2f64.powi(-precision)) * 2f64.powi(exponent),
        smallest_normal: 2f64.powi(1 - exponent),
        dtype: real,
    };
    match real {
        DType::Float16 => Ok(info(16, 10, 15)),
        DType::BFloat16 => Ok(info(16, 7, 127)),
        DType::Float32 => Ok(info(32, 23, 127)),
        DType::Float64 => Ok(info(64, 52, 1023)),
        _ => Err(Error::argument("finfo", format!("dtype {dtype}: must be a floating-point dtype"))),
    }
}
