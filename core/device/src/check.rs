//! Rules that arguments of every operation obey, each with an error that names operation, argument, value and rule.

use crate::operand::{Dst, Src};
use icicle_error::{Error, Result};

/// `count·size` bytes, or an error naming the argument.
///
/// # Errors
/// `InvalidArgument`.
#[inline]
pub fn bytes_for(op: &'static str, arg: &str, count: usize, size: usize) -> Result<usize> {
    let too_many = || exceeds(op, format!("{arg} of {count} elements"));
    count.checked_mul(size).filter(|&bytes| bytes <= isize::MAX as usize).ok_or_else(too_many)
}

#[cold]
fn exceeds(op: &'static str, what: String) -> Error {
    Error::argument(op, format!("{what}: exceeds the address space"))
}

/// `a·b` elements, or an error naming the argument.
///
/// # Errors
/// `InvalidArgument`.
#[inline]
pub fn count_for(op: &'static str, arg: &str, a: usize, b: usize) -> Result<usize> {
    a.checked_mul(b).ok_or_else(|| exceeds(op, format!("{arg} of {a} times {b} elements")))
}

/// Check that a source holds exactly what is needed.
///
/// # Errors
/// `InvalidArgument`.
#[inline]
pub fn need_src(op: &'static str, arg: &str, src: &Src<'_>, count: usize, size: usize) -> Result<()> {
    let bytes = bytes_for(op, arg, count, size)?;
    if src.bytes() == bytes { Ok(()) } else { Err(holds(op, arg, src.bytes(), count, bytes)) }
}

#[cold]
fn holds(op: &'static str, arg: &str, held: usize, count: usize, bytes: usize) -> Error {
    Error::argument(op, format!("{arg} holds {held} bytes: need {count} elements, {bytes} bytes"))
}

/// Check that a destination holds exactly what is needed.
///
/// # Errors
/// `InvalidArgument`.
#[inline]
pub fn need_dst(op: &'static str, arg: &str, dst: &Dst<'_>, count: usize, size: usize) -> Result<()> {
    need_src(op, arg, &dst.as_src(), count, size)
}

/// Check that a destination and a source are the same memory or disjoint.
///
/// # Errors
/// `InvalidArgument`.
#[inline]
pub fn same_or_disjoint(op: &'static str, arg: &str, dst: &Dst<'_>, src: &Src<'_>) -> Result<()> {
    let identical = dst.as_ptr().cast_const() == src.as_ptr() && dst.bytes() == src.bytes();
    if identical || are_disjoint(dst, src) {
        return Ok(());
    }
    Err(overlaps(op, arg, " in part: must be the same memory or disjoint"))
}

#[inline]
fn are_disjoint(dst: &Dst<'_>, src: &Src<'_>) -> bool {
    let (d, s) = (dst.as_ptr() as usize, src.as_ptr() as usize);
    dst.bytes() == 0 || src.bytes() == 0 || d + dst.bytes() <= s || s + src.bytes() <= d
}

#[cold]
fn overlaps(op: &'static str, arg: &str, rule: &str) -> Error {
    Error::argument(op, format!("output overlaps {arg}{rule}"))
}

/// Check that a destination and a source share nothing.
///
/// # Errors
/// `InvalidArgument`.
#[inline]
pub fn disjoint(op: &'static str, arg: &str, dst: &Dst<'_>, src: &Src<'_>) -> Result<()> {
    if are_disjoint(dst, src) { Ok(()) } else { Err(overlaps(op, arg, ": must be disjoint")) }
}
