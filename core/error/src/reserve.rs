//! Vectors whose length follows from a caller's arguments: memory that the host refuses is an error, never an abort.

use crate::{Error, ErrorCode, Result};

/// The error of `n` elements of `size` bytes that were refused.
pub fn refused(op: &'static str, n: usize, size: usize) -> Error {
    let detail = format!("scratch of {n} elements of {size} bytes: the host refused");
    Error::new(ErrorCode::OutOfMemory, op, detail)
}

/// An empty vector that takes `n` elements without another allocation.
///
/// # Errors
/// `OutOfMemory`.
pub fn with_capacity<T>(op: &'static str, n: usize) -> Result<Vec<T>> {
    let mut out = Vec::new();
    out.try_reserve_exact(n).map_err(|_| refused(op, n, size_of::<T>()))?;
    Ok(out)
}

/// `n` copies of a value.
///
/// # Errors
/// `OutOfMemory`.
pub fn filled<T: Clone>(op: &'static str, n: usize, value: T) -> Result<Vec<T>> {
    let mut out = with_capacity(op, n)?;
    out.resize(n, value);
    Ok(out)
}

/// The items of an iterator that knows their number.
///
/// # Errors
/// `OutOfMemory`.
pub fn collected<T>(op: &'static str, items: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>> {
    let n = items.len();
    let mut out = with_capacity(op, n)?;
    out.extend(items.take(n));
    Ok(out)
}

/// The items of an iterator, each of which may be an error.
///
/// # Errors
/// The first item's that is one; `OutOfMemory`.
pub fn listed<T>(op: &'static str, items: impl IntoIterator<Item = Result<T>>) -> Result<Vec<T>> {
    let items = items.into_iter();
    let mut list = with_capacity(op, items.size_hint().0)?;
    for item in items {
        push(op, &mut list, item?)?;
    }
    Ok(list)
}

/// Append a value to a vector whose length is not known beforehand; room grows by doubling.
///
/// # Errors
/// `OutOfMemory`; the vector is as before.
pub fn push<T>(op: &'static str, to: &mut Vec<T>, value: T) -> Result<()> {
    to.try_reserve(1).map_err(|_| refused(op, to.len() + 1, size_of::<T>()))?;
    to.push(value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_no_host_has_are_refused_by_name() {
        let too_many = isize::MAX as usize / 8 + 1;
        for n in [usize::MAX, too_many] {
            let error = filled("msm", n, 0u64).unwrap_err();
            assert_eq!((error.code, error.op), (ErrorCode::OutOfMemory, "msm"));
            assert!(error.detail.contains(&format!("{n} elements of 8 bytes")), "{error}");
            assert_eq!(with_capacity::<u64>("ntt", n).unwrap_err().code, ErrorCode::OutOfMemory);
            assert_eq!(listed("ntt", (0..n).map(Ok)).unwrap_err().code, ErrorCode::OutOfMemory);
        }
        assert_eq!(collected("msm", 0..5).unwrap(), [0, 1, 2, 3, 4]);
        assert_eq!(listed("msm", (0..5).map(Ok)).unwrap(), [0, 1, 2, 3, 4]);
        let third = |i| if i == 3 { Err(Error::argument("msm", "third")) } else { Ok(i) };
        assert_eq!(listed("msm", (0..5).map(third)).unwrap_err().detail, "third");
        let mut out = filled("msm", 2, 7u8).unwrap();
        push("msm", &mut out, 8).unwrap();
        assert_eq!(out, [7, 7, 8]);
    }
}
