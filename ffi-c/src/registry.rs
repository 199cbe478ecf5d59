//! What this library offers: fields, curves, operations, version.

use crate::error::Code;
use crate::field;
use crate::guard::guard;
use crate::point;
use crate::ptr;
use icicle::device::{self, current_device};
use icicle::ops::{Domain, Op};
use icicle::{CURVES, Error, FIELDS};
use std::ffi::c_char;

/// Text in an array of characters, cut to fit, ending with 0.
pub(crate) fn chars<const N: usize>(text: &str) -> [c_char; N] {
    let mut end = text.len().min(N - 1);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut out = [0; N];
    for (to, from) in out.iter_mut().zip(text.bytes().take(end)) {
        *to = from as c_char;
    }
    out
}

/// A field.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FieldInfo {
    /// `sizeof` this struct, which you set; after the call the bytes of it that were written.
    pub struct_size: usize,
    /// Number of the field, what the entries call `field`.
    pub id: i32,
    /// Number of the scalar field of the same prefix, whose size decides the transform options.
    pub scalar_id: i32,
    /// Bytes of an element.
    pub bytes: u32,
    /// Coefficients of an element.
    pub degree: u32,
    /// Significant bits of the modulus.
    pub bits: u32,
    /// Largest `s` such that `2^s` divides the modulus minus 1.
    pub two_adicity: u32,
    /// Whether number-theoretic transforms are offered.
    pub has_ntt: bool,
    /// Name, such as `babybear_extension`, ending with 0.
    pub name: [c_char; 32],
    /// ICICLE's prefix, such as `babybear`, ending with 0.
    pub prefix: [c_char; 16],
    /// The modulus, little endian.
    pub modulus: [u8; 96],
}

ptr::versioned! { FieldInfo CurveInfo }

/// A curve group.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CurveInfo {
    /// `sizeof` this struct, which you set; after the call the bytes of it that were written.
    pub struct_size: usize,
    /// Number of the group, what the entries call `curve`.
    pub id: i32,
    /// Number of the field of coordinates.
    pub base_id: i32,
    /// Number of the field of scalars.
    pub scalar_id: i32,
    /// Bytes of an affine point.
    pub affine_bytes: u32,
    /// Bytes of a projective point.
    pub projective_bytes: u32,
    /// Whether transforms of points are offered.
    pub has_ecntt: bool,
    /// Name, such as `bn254_g2`, ending with 0.
    pub name: [c_char; 32],
}

/// How many fields there are.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_field_count() -> u32 {
    FIELDS.len() as u32
}

/// Describe the `index`-th field. Set `info->struct_size`.
///
/// Errors: `INVALID_POINTER` if `info` is null or misaligned, `INVALID_ARGUMENT` if there is none, or for a
/// `struct_size` below the struct's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_field_info(index: u32, info: *mut FieldInfo) -> Code {
    let op = "field_info";
    guard(op, || {
        let rule = || Error::argument(op, format!("index {index}: must be below {}", FIELDS.len()));
        let row = FIELDS.get(index as usize).ok_or_else(rule)?;
        let mut modulus = [0; 96];
        for (to, from) in modulus.iter_mut().zip(row.prime.modulus.iter().flat_map(|word| word.to_le_bytes())) {
            *to = from;
        }
        let value = FieldInfo {
            struct_size: size_of::<FieldInfo>(),
            id: row.id as i32,
            scalar_id: row.id.scalar() as i32,
            bytes: row.bytes() as u32,
            degree: row.extension.degree() as u32,
            bits: row.prime.bits,
            two_adicity: row.prime.two_adicity,
            has_ntt: row.ntt,
            name: chars(row.id.name()),
            prefix: chars(row.prefix),
            modulus,
        };
        // SAFETY: `info` has room for what is written, by the caller's promise.
        unsafe { ptr::write_sized(op, "info", info, value) }
    })
}

/// How many curve groups there are.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_curve_count() -> u32 {
    CURVES.len() as u32
}

/// Describe the `index`-th curve group. Set `info->struct_size`.
///
/// Errors: `INVALID_POINTER` if `info` is null or misaligned, `INVALID_ARGUMENT` if there is none, or for a
/// `struct_size` below the struct's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_curve_info(index: u32, info: *mut CurveInfo) -> Code {
    let op = "curve_info";
    guard(op, || {
        let rule = || Error::argument(op, format!("index {index}: must be below {}", CURVES.len()));
        let row = CURVES.get(index as usize).ok_or_else(rule)?;
        let base_bytes = row.base.info().bytes() as u32;
        let value = CurveInfo {
            struct_size: size_of::<CurveInfo>(),
            id: row.id as i32,
            base_id: row.base as i32,
            scalar_id: row.scalar as i32,
            affine_bytes: 2 * base_bytes,
            projective_bytes: 3 * base_bytes,
            has_ecntt: row.ecntt,
            name: chars(row.name),
        };
        // SAFETY: `info` has room for what is written, by the caller's promise.
        unsafe { ptr::write_sized(op, "info", info, value) }
    })
}

/// `*supported` = whether the current device offers an operation; exactly then it does not return
/// `API_NOT_IMPLEMENTED`. `op` is an `icicle_op_t`; `domain` the number of a field, for operations on points of a
/// curve.
///
/// Errors: `INVALID_ARGUMENT` if there is no such operation, field or curve; `INVALID_POINTER` if `supported` is null
/// or misaligned; `INVALID_DEVICE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_supports(op: i32, domain: i32, supported: *mut bool) -> Code {
    let name = "supports";
    guard(name, || {
        let found = Op::ALL.iter().copied().find(|&o| o as i32 == op);
        let found = found.ok_or_else(|| Error::argument(name, format!("op {op}: must be an icicle_op_t")))?;
        let domain = match found.takes_curves() {
            true => Domain::Curve(point::by_number(name, domain)?),
            false => Domain::Field(field::by_number(name, domain)?),
        };
        let value = device::supports(current_device(), found, domain)?;
        // SAFETY: `supported` has room for what is written, by the caller's promise.
        unsafe { ptr::write(name, "supported", supported, value) }
    })
}

/// The library's version, such as `0.1.0`. The string is static: do not free it.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

#[cfg(test)]
mod tests {
    use super::chars;

    #[test]
    fn texts_are_cut_to_fit_between_characters() {
        let text = |array: &[std::ffi::c_char]| String::from_utf8(array.iter().map(|&c| c as u8).collect()).unwrap();
        assert_eq!(text(&chars::<6>("abc")), "abc\0\0\0");
        assert_eq!(text(&chars::<4>("abc")), "abc\0");
        assert_eq!(text(&chars::<3>("abc")), "ab\0");
        assert_eq!(text(&chars::<3>("aé")), "a\0\0");
        assert_eq!(text(&chars::<4>("aé")), "aé\0");
        assert_eq!(text(&chars::<4>("")), "\0\0\0\0");
    }
}
