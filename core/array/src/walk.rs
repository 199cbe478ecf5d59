//! Elements of a strided layout in C order, by ranges, copied to and from dense memory.
//!
//! Only the size of an element matters here, so there is one loop for each of five sizes.
#![allow(unsafe_code)] // memory by address

use crate::layout::{Layout, MAX_RANK};

/// Axes with those left out that strides make one of: extents, and strides in elements, outermost first.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    axes: Vec<(usize, isize)>,
}

impl Layout {
    /// The same elements in the same order, by the fewest axes that say so.
    pub fn merged(&self) -> Self {
        let (shape, strides) = Walk::new(&self.shape, &self.strides).axes.into_iter().unzip();
        Self { shape, strides, offset: self.offset }
    }

    /// Take the last axis away, if there are elements and its stride is as asked: its extent and stride. What is left are its first
    /// elements.
    pub fn pop_if(&mut self, asked: impl FnOnce(isize) -> bool) -> Option<(usize, isize)> {
        let (&extent, &stride) = (self.shape.last()?, self.strides.last()?);
        if self.is_empty() || !asked(stride) {
            return None;
        }
        self.shape.pop();
        self.strides.pop();
        Some((extent, stride))
    }
}

impl Walk {
    /// The fewest axes that say the same.
    pub(crate) fn new(shape: &[usize], strides: &[isize]) -> Self {
        let mut axes: Vec<(usize, isize)> = Vec::with_capacity(shape.len());
        for (&extent, &stride) in shape.iter().zip(strides).filter(|&(&extent, _)| extent != 1) {
            match axes.last_mut() {
                Some(outer) if outer.1 == stride.wrapping_mul(extent as isize) => {
                    *outer = (outer.0 * extent, stride);
                }
                _ => axes.push((extent, stride)),
            }
        }
        Self { axes }
    }

    /// Whether elements follow each other.
    pub(crate) fn is_dense(&self) -> bool {
        matches!(self.axes[..], [] | [(_, 1)])
    }

    /// Whether all are one and the same.
    pub(crate) fn is_constant(&self) -> bool {
        matches!(self.axes[..], [] | [(_, 0)])
    }

    /// Do a task for elements `start..start + n` in runs of equal stride: the first's offset in elements, the stride, how many.
    #[inline(always)]
    pub(crate) fn runs(&self, start: usize, n: usize, mut task: impl FnMut(isize, isize, usize)) {
        let Some((&(extent, stride), outer)) = self.axes.split_last() else {
            if n > 0 {
                task(0, 0, n);
            }
            return;
        };
        if n == 0 || extent == 0 {
            return;
        }
        let mut index = [0usize; MAX_RANK];
        let (mut rest, mut first) = (start / extent, start % extent);
        let mut base = 0isize;
        for (k, &(extent, stride)) in outer.iter().enumerate().rev() {
            index[k] = rest % extent;
            rest /= extent;
            base += index[k] as isize * stride;
        }
        let mut left = n;
        loop {
            let len = left.min(extent - first);
            task(base + first as isize * stride, stride, len);
            left -= len;
            if left == 0 {
                return;
            }
            first = 0;
            for (k, &(extent, stride)) in outer.iter().enumerate().rev() {
                index[k] += 1;
                base += stride;
                if index[k] < extent {
                    break;
                }
                base -= extent as isize * stride;
                index[k] = 0;
            }
        }
    }
}

/// Copy elements `start..start + n` of a walk from `from` to dense memory.
///
/// # Safety
/// Elements have `size` bytes (1, 2, 4, 8 or 16, 16 at an alignment of 8 and 8 at one of 4); those of the walk can be read,
/// `to` takes `n` and lies elsewhere.
pub(crate) unsafe fn gather(from: *const u8, size: usize, walk: &Walk, start: usize, n: usize, to: *mut u8) {
    // SAFETY: the caller's.
    unsafe {
        match size {
            1 => gather_as::<u8>(from, walk, start, n, to),
            2 => gather_as::<u16>(from, walk, start, n, to),
            4 => gather_as::<u32>(from, walk, start, n, to),
            8 => gather_as::<[u32; 2]>(from, walk, start, n, to),
            _ => gather_as::<[u64; 2]>(from, walk, start, n, to),
        }
    }
}

unsafe fn gather_as<W: Copy>(from: *const u8, walk: &Walk, start: usize, n: usize, to: *mut u8) {
    let (from, mut to) = (from.cast::<W>(), to.cast::<W>());
    walk.runs(start, n, |offset, stride, len| {
        // SAFETY: the caller's: offsets are those of the walk's elements, and `to` advances by all of them.
        unsafe {
            let run = from.offset(offset);
            match stride {
                1 => std::ptr::copy_nonoverlapping(run, to, len),
                0 => {
                    let value = run.read();
                    (0..len).for_each(|i| to.add(i).write(value));
                }
                _ => (0..len).for_each(|i| to.add(i).write(run.offset(i as isize * stride).read())),
            }
            to = to.add(len);
        }
    });
}

/// Copy dense memory to the first `n` elements of a walk at `to`.
///
/// # Safety
/// As [`gather`], the other way round; the walk names no element twice, or any of the values may end there.
pub(crate) unsafe fn scatter(from: *const u8, size: usize, walk: &Walk, n: usize, to: *mut u8) {
    // SAFETY: the caller's.
    unsafe {
        match size {
            1 => scatter_as::<u8>(from, walk, n, to),
            2 => scatter_as::<u16>(from, walk, n, to),
            4 => scatter_as::<u32>(from, walk, n, to),
            8 => scatter_as::<[u32; 2]>(from, walk, n, to),
            _ => scatter_as::<[u64; 2]>(from, walk, n, to),
        }
    }
}

unsafe fn scatter_as<W: Copy>(from: *const u8, walk: &Walk, n: usize, to: *mut u8) {
    let (mut from, to) = (from.cast::<W>(), to.cast::<W>());
    walk.runs(0, n, |offset, stride, len| {
        // SAFETY: the caller's, as in `gather_as`.
        unsafe {
            let run = to.offset(offset);
            match stride {
                1 => std::ptr::copy_nonoverlapping(from, run, len),
                _ => (0..len).for_each(|i| run.offset(i as isize * stride).write(from.add(i).read())),
            }
            from = from.add(len);
        }
    });
}
