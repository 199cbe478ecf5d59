//! What dtypes are called elsewhere: the struct formats of the buffer protocol, and DLPack's codes.

use icicle_array::{DType, Kind};
use std::ffi::CStr;

/// The struct format of a dtype's elements.
pub(crate) fn format(dtype: DType) -> Option<&'static CStr> {
    Some(match dtype {
        DType::Bool => c"?",
        DType::Int8 => c"b",
        DType::Int16 => c"h",
        DType::Int32 => c"i",
        DType::Int64 => c"q",
        DType::UInt8 => c"B",
        DType::UInt16 => c"H",
        DType::UInt32 => c"I",
        DType::UInt64 => c"Q",
        DType::Float16 => c"e",
        DType::BFloat16 => return None,
        DType::Float32 => c"f",
        DType::Float64 => c"d",
        DType::Complex64 => c"Zf",
        DType::Complex128 => c"Zd",
    })
}

/// The dtype of a struct format with an item's size, in the machine's byte order.
pub(crate) fn of_format(format: &str, bytes: usize) -> Option<DType> {
    let (order, code) = match format.chars().next() {
        Some(order @ ('@' | '=' | '<' | '>' | '!')) => (order, &format[1..]),
        _ => ('@', format),
    };
    if matches!(order, '>' | '!') && bytes > 1 {
        return None;
    }
    let kind = match code {
        "?" => Kind::Bool,
        "b" | "h" | "i" | "l" | "q" | "n" => Kind::Signed,
        "B" | "H" | "I" | "L" | "Q" | "N" => Kind::Unsigned,
        "e" | "f" | "d" => Kind::Float,
        "Zf" | "Zd" | "F" | "D" => Kind::Complex,
        _ => return None,
    };
    DType::ALL.iter().copied().find(|d| d.kind() == kind && d.bytes() == bytes && *d != DType::BFloat16)
}

/// DLPack's codes: signed 0, unsigned 1, float 2, bfloat 4, complex 5, bool 6.
pub(crate) fn code(dtype: DType) -> u8 {
    match dtype.kind() {
        Kind::Signed => 0,
        Kind::Unsigned => 1,
        Kind::Float if dtype == DType::BFloat16 => 4,
        Kind::Float => 2,
        Kind::Complex => 5,
        Kind::Bool => 6,
    }
}

/// The dtype of such a code and as many bits.
pub(crate) fn of_code(found: u8, bits: u8) -> Option<DType> {
    DType::ALL.iter().copied().find(|&dtype| code(dtype) == found && 8 * dtype.bytes() == usize::from(bits))
}
