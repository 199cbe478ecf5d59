//! Memory that begins where a cache line does: vectors of a line's width are then read from one line each.

use icicle_error::Result;
use icicle_error::reserve::filled;
use std::ops::{Deref, DerefMut};
use zeroize::Zeroize;

/// Bytes of a cache line, and of the widest vectors.
const LINE: usize = 64;

/// So many values of a type whose size divides a line's.
pub(crate) struct Lines<T> {
    values: Vec<T>,
    /// Values before the first line.
    start: usize,
    len: usize,
}

impl<T: Copy> Lines<T> {
    /// The same value, `len` times.
    pub(crate) fn filled(op: &'static str, len: usize, value: T) -> Result<Self> {
        let more = LINE / size_of::<T>();
        let values = filled(op, len.saturating_add(more), value)?;
        // At most a line away, as values lie at multiples of their size.
        let start = values.as_ptr().align_offset(LINE).min(more);
        Ok(Self { values, start, len })
    }
}

impl<T> Zeroize for Lines<T>
where
    [T]: Zeroize,
{
    fn zeroize(&mut self) {
        self[..].zeroize();
    }
}

impl<T> Deref for Lines<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.values[self.start..][..self.len]
    }
}

impl<T> DerefMut for Lines<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[self.start..][..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_begin_with_a_line() {
        for len in [0, 1, 7, 1000] {
            let mut lines = Lines::filled("test", len, 3.0f64).unwrap();
            assert_eq!((lines.len(), lines.as_ptr() as usize % 64), (len, 0));
            lines.iter_mut().for_each(|x| *x += 1.0);
            assert!(lines.iter().all(|&x| x == 4.0));
        }
    }
}
