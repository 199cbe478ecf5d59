//! Clear integers as circuits read them: by blocks.

use crate::parameters::MESSAGES;

/// Clear integers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Values<'a> {
    One(u64),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
}

impl Values<'_> {
    /// How many; none for one that stands for all.
    pub(crate) fn len(&self) -> Option<usize> {
        match self {
            Self::One(_) => None,
            Self::U8(values) => Some(values.len()),
            Self::U16(values) => Some(values.len()),
            Self::U32(values) => Some(values.len()),
            Self::U64(values) => Some(values.len()),
        }
    }

    /// One of them.
    pub(crate) fn get(&self, at: usize) -> u64 {
        match self {
            Self::One(value) => *value,
            Self::U8(values) => values[at].into(),
            Self::U16(values) => values[at].into(),
            Self::U32(values) => values[at].into(),
            Self::U64(values) => values[at],
        }
    }

    /// A block, counted through integers of so many blocks.
    pub(crate) fn block(&self, at: usize, per: usize) -> i64 {
        digit(self.get(at / per), at % per)
    }
}

/// The block at a place of a clear integer.
pub(crate) fn digit(value: u64, block: usize) -> i64 {
    (value >> (2 * block) & (MESSAGES - 1)) as i64
}
