//! Rules that arguments of every operation obey, each with an error that names operation, argument, value and rule.

use crate::operand::{Dst, Src};
use icicle_error::{Error, Result};

/// `count·size` bytes, or an error naming the argument.
///
/// # Errors
/// `InvalidArgument`.
pub fn bytes_for(op: &'static str, arg: &str, count: usize, size: usize) -> Result<usize> {
    count
        .checked_mul(size)
        .filter(|&bytes| bytes <= isize::MAX as usize)
        .ok_or_else(|| Error::argument(op, format!("{arg} of {count} elements: exceeds the address space")))
}

/// `a·b` elements, or an error naming the argument.
///
/// # Errors
/// `InvalidArgument`.
pub fn count_for(op: &'static str, arg: &str, a: usize, b: usize) -> Result<usize> {
    a.checked_mul(b)
        .ok_or_else(|| Error::argument(op, format!("{arg} of {a} times {b} elements: exceeds the address space")))
}

/// Check that a source holds exactly what is needed.
///
/// # Errors
/// `InvalidArgument`.
pub fn need_src(op: &'static str, arg: &str, src: &Src<'_>, count: usize, size: usize) -> Result<()> {
    let bytes = bytes_for(op, arg, count, size)?;
    if src.bytes() != bytes {
        return Err(Error::argument(
            op,
            format!("{arg} holds {} bytes: need {count} elements, {bytes} bytes", src.bytes()),
        ));
    }
    Ok(())
}

/// Check that a destination holds exactly what is needed.
///
/// # Errors
/// `InvalidArgument`.
pub fn need_dst(op: &'static str, arg: &str, dst: &Dst<'_>, count: usize, size: usize) -> Result<()> {
    need_src(op, arg, &dst.as_src(), count, size)
}

/// Check that a destination and a source are the same memory or disjoint.
///
/// # Errors
/// `InvalidArgument`.
pub fn same_or_disjoint(op: &'static str, arg: &str, dst: &Dst<'_>, src: &Src<'_>) -> Result<()> {
    let (d, s) = (dst.as_ptr() as usize, src.as_ptr() as usize);
    let identical = d == s && dst.bytes() == src.bytes();
    let empty = dst.bytes() == 0 || src.bytes() == 0;
    if identical || empty || d + dst.bytes() <= s || s + src.bytes() <= d {
        return Ok(());
    }
    Err(Error::argument(op, format!("output overlaps {arg} in part: must be the same memory or disjoint")))
}

/// Check that a destination and a source share nothing.
///
/// # Errors
/// `InvalidArgument`.
pub fn disjoint(op: &'static str, arg: &str, dst: &Dst<'_>, src: &Src<'_>) -> Result<()> {
    let (d, s) = (dst.as_ptr() as usize, src.as_ptr() as usize);
    if dst.bytes() == 0 || src.bytes() == 0 || d + dst.bytes() <= s || s + src.bytes() <= d {
        return Ok(());
    }
    Err(Error::argument(op, format!("output overlaps {arg}: must be disjoint")))
}
