//! Where an array's elements lie: shape, strides and offset, in elements, with checked arithmetic.

use icicle_error::{Error, Result};

/// The most axes an array has.
pub const MAX_RANK: usize = 64;

/// Shape, strides and offset of an array within its storage, in elements.
///
/// Every element it names lies in the storage: whoever makes one sees to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub(crate) shape: Vec<usize>,
    pub(crate) strides: Vec<isize>,
    pub(crate) offset: usize,
}

/// Elements of a shape.
///
/// # Errors
/// `InvalidArgument` if the axes are too many, or the elements more than memory can hold, empty axes left out.
pub fn count(op: &'static str, shape: &[usize]) -> Result<usize> {
    let too = |rule: &str| Error::argument(op, format!("shape {shape:?}: {rule}"));
    if shape.len() > MAX_RANK {
        return Err(Error::argument(op, format!("shape of {} axes: at most {MAX_RANK}", shape.len())));
    }
    let full = shape.iter().try_fold(1usize, |n, &extent| n.checked_mul(extent.max(1)));
    // Sixteen bytes are the largest element.
    match full.filter(|&n| n <= isize::MAX as usize / 16) {
        Some(_) if shape.contains(&0) => Ok(0),
        Some(n) => Ok(n),
        None => Err(too("exceeds the address space")),
    }
}

/// The strides of a shape whose last axis is densest, in elements.
pub fn dense_strides(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![0; shape.len()];
    let mut step = 1usize;
    for (stride, &extent) in strides.iter_mut().zip(shape).rev() {
        *stride = step as isize;
        step = step.wrapping_mul(extent.max(1));
    }
    strides
}

/// The shape that operands of these shapes have together: extents are equal or 1, missing leading ones are 1.
///
/// # Errors
/// `InvalidArgument`, naming the shapes.
pub fn broadcast_shapes(op: &'static str, shapes: &[&[usize]]) -> Result<Vec<usize>> {
    let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    let mut out = vec![1; rank];
    for shape in shapes {
        for (extent, &own) in out[rank - shape.len()..].iter_mut().zip(*shape) {
            if *extent == 1 {
                *extent = own;
            } else if own != 1 && own != *extent {
                return Err(Error::argument(op, format!("shapes {shapes:?}: extents of an axis must be equal or 1")));
            }
        }
    }
    count(op, &out)?;
    Ok(out)
}

/// Whether two shapes are the same. Without axes nothing is compared: libc's comparison of no bytes reads under an empty mask, which
/// takes hundreds of cycles where the address is none, as that of an empty list is.
pub(crate) fn same(a: &[usize], b: &[usize]) -> bool {
    a.len() == b.len() && (a.is_empty() || a == b)
}

/// An axis counted from the front; negative ones count from the end.
///
/// # Errors
/// `InvalidArgument` if there is no such axis.
pub fn axis(op: &'static str, axis: isize, rank: usize) -> Result<usize> {
    let signed = rank as isize;
    match axis {
        axis if axis >= 0 && axis < signed => Ok(axis as usize),
        axis if axis < 0 && axis >= -signed => Ok((axis + signed) as usize),
        _ => {
            Err(Error::argument(op, format!("axis {axis}: an array of {rank} axes has {} to {}", -signed, signed - 1)))
        }
    }
}

/// Axes counted from the front, each once.
///
/// # Errors
/// `InvalidArgument` if there is no such axis, or one occurs twice.
pub fn axes(op: &'static str, list: &[isize], rank: usize) -> Result<Vec<usize>> {
    let mut out = Vec::with_capacity(list.len().min(rank));
    for &one in list {
        let one = axis(op, one, rank)?;
        if out.contains(&one) {
            return Err(Error::argument(op, format!("axes {list:?}: axis {one} occurs twice")));
        }
        out.push(one);
    }
    Ok(out)
}

impl Layout {
    /// The dense layout of a shape.
    ///
    /// # Errors
    /// As [`count`].
    pub fn dense(op: &'static str, shape: &[usize]) -> Result<Self> {
        count(op, shape)?;
        Ok(Self { shape: shape.to_vec(), strides: dense_strides(shape), offset: 0 })
    }

    /// Of elements that memory for `held` of them has.
    ///
    /// # Errors
    /// `InvalidArgument` if there is not one stride an axis, or an element lies elsewhere; as [`count`].
    pub fn within(op: &'static str, shape: &[usize], strides: &[isize], offset: usize, held: usize) -> Result<Self> {
        let n = count(op, shape)?;
        if strides.len() != shape.len() {
            let detail = format!("{} strides: must be {}, one an axis", strides.len(), shape.len());
            return Err(Error::argument(op, detail));
        }
        let (mut first, mut last) = (offset as i128, offset as i128);
        for (&extent, &stride) in shape.iter().zip(strides) {
            let reach = (extent as i128 - 1).saturating_mul(stride as i128);
            let end = if stride < 0 { &mut first } else { &mut last };
            *end = end.saturating_add(reach);
        }
        if n > 0 && (first < 0 || last >= held as i128) {
            return Err(Error::argument(op, format!("elements {first} to {last}: the buffer holds {held}")));
        }
        Ok(Self { shape: shape.to_vec(), strides: strides.to_vec(), offset })
    }

    /// Extents of its axes.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Elements from one index of each axis to the next.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Where the element lies whose indices are all 0, in elements.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Where each element lies, in C order, in elements.
    pub fn places(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).map(|mut index| {
            self.shape.iter().zip(&self.strides).rev().fold(self.offset, |place, (&extent, &stride)| {
                let along = (index % extent) as isize;
                index /= extent;
                place.wrapping_add_signed(along.wrapping_mul(stride))
            })
        })
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Whether elements follow each other in memory, the last axis densest.
    pub fn is_dense(&self) -> bool {
        let mut step = 1isize;
        for (&extent, &stride) in self.shape.iter().zip(&self.strides).rev() {
            if extent == 0 {
                return true;
            }
            if extent != 1 && stride != step {
                return false;
            }
            step = step.wrapping_mul(extent as isize);
        }
        true
    }

    /// The same elements for a shape that repeats axes of extent 1, and leading ones.
    ///
    /// # Errors
    /// `InvalidArgument` if the shape is not one they broadcast to.
    pub fn broadcast_to(&self, op: &'static str, shape: &[usize]) -> Result<Self> {
        if same(&self.shape, shape) {
            return Ok(self.clone());
        }
        count(op, shape)?;
        let lead = shape.len().checked_sub(self.shape.len());
        let fits = |lead: usize| self.shape.iter().zip(&shape[lead..]).all(|(&own, &to)| own == to || own == 1);
        let Some(lead) = lead.filter(|&lead| fits(lead)) else {
            return Err(Error::argument(op, format!("shape {:?}: does not broadcast to {shape:?}", self.shape)));
        };
        let mut strides = vec![0; shape.len()];
        for (k, (&extent, &stride)) in self.shape.iter().zip(&self.strides).enumerate() {
            strides[lead + k] = if extent == 1 { 0 } else { stride };
        }
        Ok(Self { shape: shape.to_vec(), strides, offset: self.offset })
    }

    /// The first and the last place, in elements, of a layout that has any.
    pub(crate) fn extent(&self) -> (usize, usize) {
        let steps = self.shape.iter().zip(&self.strides).map(|(&n, &stride)| (n as isize - 1) * stride);
        steps.fold((self.offset, self.offset), |(first, last), step| {
            (first.wrapping_add_signed(step.min(0)), last.wrapping_add_signed(step.max(0)))
        })
    }

    /// Axes in another order: axis `k` of the result is axis `order[k]` of this one. Each must occur once.
    pub(crate) fn permuted(&self, order: &[usize]) -> Self {
        let shape = order.iter().map(|&k| self.shape[k]).collect();
        Self { shape, strides: order.iter().map(|&k| self.strides[k]).collect(), offset: self.offset }
    }

    /// The same elements in another shape of as many, if strides can say it.
    pub(crate) fn reshaped(&self, shape: &[usize]) -> Option<Self> {
        if self.is_dense() || self.is_empty() {
            return Some(Self { shape: shape.to_vec(), strides: dense_strides(shape), offset: self.offset });
        }
        // Old axes of extent 1 say nothing; the others are taken in groups whose product is that of a group of new ones.
        let old: Vec<_> = self.shape.iter().zip(&self.strides).filter(|&(&extent, _)| extent != 1).collect();
        let mut strides = vec![0isize; shape.len()];
        let (mut i, mut j) = (0, 0);
        while i < old.len() && j < shape.len() {
            let (first_old, first_new) = (i, j);
            let (mut of_old, mut of_new) = (*old[i].0, shape[j]);
            (i, j) = (i + 1, j + 1);
            while of_old != of_new {
                if of_new < of_old {
                    of_new *= shape.get(j)?;
                    j += 1;
                } else {
                    of_old *= old.get(i)?.0;
                    i += 1;
                }
            }
            for pair in old[first_old..i].windows(2) {
                if *pair[0].1 != pair[1].1 * *pair[1].0 as isize {
                    return None;
                }
            }
            let mut step = *old[i - 1].1;
            for k in (first_new..j).rev() {
                strides[k] = step;
                step = step.wrapping_mul(shape[k] as isize);
            }
        }
        Some(Self { shape: shape.to_vec(), strides, offset: self.offset })
    }
}

/// A range of an axis with a step, as Python's `start:stop:step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The first index, from the end if negative; by default the axis's first, or last for a negative step.
    pub start: Option<isize>,
    /// The index before which it ends; by default past the axis's last, or before the first for a negative step.
    pub stop: Option<isize>,
    /// From one to the next, not 0.
    pub step: isize,
}

impl Slice {
    /// All of an axis.
    pub const ALL: Self = Self { start: None, stop: None, step: 1 };

    /// From `start` up to before `stop`.
    pub const fn range(start: isize, stop: isize) -> Self {
        Self { start: Some(start), stop: Some(stop), step: 1 }
    }

    /// First index and number of indices on an axis; ends outside it are moved to it.
    ///
    /// # Errors
    /// `InvalidArgument` if the step is 0.
    pub fn resolve(&self, op: &'static str, extent: usize) -> Result<(usize, usize)> {
        let (n, step) = (extent as isize, self.step);
        if step == 0 {
            return Err(Error::argument(op, "slice step 0: must not be 0"));
        }
        let (least, most) = if step > 0 { (0, n) } else { (-1, n - 1) };
        let place = |at: isize| if at < 0 { at.saturating_add(n).max(least) } else { at.min(most) };
        let start = self.start.map_or(if step > 0 { least } else { most }, place);
        let stop = self.stop.map_or(if step > 0 { most } else { least }, place);
        let span = if step > 0 { stop - start } else { start - stop };
        let len = if span <= 0 { 0 } else { (span as usize).div_ceil(step.unsigned_abs()) };
        Ok((if len == 0 { 0 } else { start as usize }, len))
    }
}
