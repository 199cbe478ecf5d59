//! Views: other shapes, orders and ranges of the same memory.

use crate::array::{Array, compute_on, computing};
use crate::conversion::convert_in_order;
use crate::layout::{self, Layout, Slice, count};
use icicle_error::{Error, Result};

/// What is taken along an axis by [`Array::index`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// One element; the axis is gone.
    At(isize),
    /// A range.
    Slice(Slice),
    /// All of as many axes as are not named otherwise.
    Ellipsis,
    /// A new axis of extent 1.
    NewAxis,
}

impl Array {
    /// The same elements in C order in another shape of as many; one extent may be -1, which is what is left. A view if strides
    /// can say it, else a copy.
    ///
    /// # Errors
    /// `InvalidArgument` if the elements are not as many; `OutOfMemory`.
    pub fn reshape(&self, shape: &[isize]) -> Result<Self> {
        let shape = self.resolve_shape(shape)?;
        match self.layout.reshaped(&shape) {
            Some(layout) => Ok(self.with_layout(layout)),
            None => {
                let copy = convert_in_order("reshape", self)?;
                Ok(copy.with_layout(Layout::dense("reshape", &shape)?))
            }
        }
    }

    fn resolve_shape(&self, shape: &[isize]) -> Result<Vec<usize>> {
        let bad = |rule: &str| {
            let detail = format!("shape {shape:?} for {} elements of shape {:?}: {rule}", self.len(), self.shape());
            Error::argument("reshape", detail)
        };
        let unknown = shape.iter().filter(|&&extent| extent == -1).count();
        if unknown > 1 || shape.iter().any(|&extent| extent < -1) {
            return Err(bad("extents must be at least 0, one may be -1"));
        }
        let mut out: Vec<usize> = shape.iter().map(|&extent| extent.max(0) as usize).collect();
        if unknown == 1 {
            let known: Vec<_> = shape.iter().filter(|&&e| e != -1).map(|&e| e as usize).collect();
            let rest = self.len().checked_div(count("reshape", &known)?).ok_or_else(|| bad("-1 could be anything"))?;
            shape.iter().zip(&mut out).filter(|&(&e, _)| e == -1).for_each(|(_, extent)| *extent = rest);
        }
        match count("reshape", &out)? == self.len() {
            true => Ok(out),
            false => Err(bad("must have as many elements")),
        }
    }

    /// Axes in another order: axis `k` of the result is axis `order[k]`.
    ///
    /// # Errors
    /// `InvalidArgument` if `order` is not every axis once.
    pub fn permute_dims(&self, order: &[isize]) -> Result<Self> {
        let order = layout::axes("permute_dims", order, self.rank())?;
        if order.len() != self.rank() {
            let detail = format!("axes {order:?}: must be all {} axes", self.rank());
            return Err(Error::argument("permute_dims", detail));
        }
        Ok(self.with_layout(self.layout.permuted(&order)))
    }

    /// The last two axes exchanged.
    ///
    /// # Errors
    /// `InvalidArgument` if there are fewer.
    pub fn matrix_transpose(&self) -> Result<Self> {
        let rank = self.rank();
        if rank < 2 {
            let detail = format!("array of {rank} axes: must have at least two");
            return Err(Error::argument("matrix_transpose", detail));
        }
        let mut order: Vec<_> = (0..rank).collect();
        order.swap(rank - 1, rank - 2);
        Ok(self.with_layout(self.layout.permuted(&order)))
    }

    /// Some axes elsewhere, the others in their order.
    ///
    /// # Errors
    /// `InvalidArgument` if axes are not there, occur twice, or are not as many as their places.
    pub fn moveaxis(&self, source: &[isize], destination: &[isize]) -> Result<Self> {
        const OP: &str = "moveaxis";
        let (from, to) = (layout::axes(OP, source, self.rank())?, layout::axes(OP, destination, self.rank())?);
        if from.len() != to.len() {
            return Err(Error::argument(OP, format!("axes {source:?} to {destination:?}: must be as many")));
        }
        let mut moved: Vec<_> = to.into_iter().zip(from.iter().copied()).collect();
        moved.sort_unstable();
        let mut order: Vec<_> = (0..self.rank()).filter(|axis| !from.contains(axis)).collect();
        moved.into_iter().for_each(|(place, axis)| order.insert(place, axis));
        Ok(self.with_layout(self.layout.permuted(&order)))
    }

    /// A new axis of extent 1 at a place of the result, which counts from the end if negative.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no such place.
    pub fn expand_dims(&self, axis: isize) -> Result<Self> {
        let at = layout::axis("expand_dims", axis, self.rank() + 1)?;
        let mut layout = self.layout.clone();
        layout.shape.insert(at, 1);
        layout.strides.insert(at, 0);
        count("expand_dims", &layout.shape)?;
        Ok(self.with_layout(layout))
    }

    /// Without axes of extent 1.
    ///
    /// # Errors
    /// `InvalidArgument` if one of the axes has another extent.
    pub fn squeeze(&self, axes: &[isize]) -> Result<Self> {
        let gone = layout::axes("squeeze", axes, self.rank())?;
        if let Some(&axis) = gone.iter().find(|&&axis| self.shape()[axis] != 1) {
            let detail = format!("axis {axis} of extent {}: must be 1", self.shape()[axis]);
            return Err(Error::argument("squeeze", detail));
        }
        let kept: Vec<_> = (0..self.rank()).filter(|axis| !gone.contains(axis)).collect();
        Ok(self.with_layout(self.layout.permuted(&kept)))
    }

    /// Axes run backwards; all if none are named.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no such axis.
    pub fn flip(&self, axes: Option<&[isize]>) -> Result<Self> {
        let axes = match axes {
            Some(axes) => layout::axes("flip", axes, self.rank())?,
            None => (0..self.rank()).collect(),
        };
        let back = Slice { start: None, stop: None, step: -1 };
        axes.into_iter().try_fold(self.clone(), |array, axis| array.slice(axis, back))
    }

    /// Repeated along axes of extent 1 and new leading ones.
    ///
    /// # Errors
    /// `InvalidArgument` if it does not broadcast to the shape.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Self> {
        Ok(self.with_layout(self.layout.broadcast_to("broadcast_to", shape)?))
    }

    /// A range of an axis.
    ///
    /// # Errors
    /// `InvalidArgument` if the step is 0.
    pub(crate) fn slice(&self, axis: usize, slice: Slice) -> Result<Self> {
        Ok(self.with_layout(self.layout.sliced("slice", axis, slice)?))
    }

    /// What indices take, from the first axis on; axes not named are taken whole.
    ///
    /// # Errors
    /// `InvalidArgument` if indices are more than the axes, outside them, or a step is 0.
    pub fn index(&self, indices: &[Index]) -> Result<Self> {
        Ok(self.with_layout(self.layout.indexed("index", indices)?))
    }

    /// Set what indices take to values, cast and broadcast to it. The memory is copied first if another array shares it.
    ///
    /// # Errors
    /// As [`Array::index`]; `InvalidArgument` if the values do not broadcast or cannot be cast; then nothing is written.
    pub fn assign(&mut self, indices: &[Index], values: &Array) -> Result<()> {
        const OP: &str = "assign";
        let target = self.layout.indexed(OP, indices)?;
        #[cfg(feature = "cuda")]
        if values.device().kind == icicle_device::DeviceKind::Cuda
            && (values.device() == self.device() || self.is_shared_with_gpus())
        {
            return crate::cuda::elementwise::overwrite(OP, self, &target, &values.astype(self.dtype)?);
        }
        let device = computing(OP, &[self, values])?;
        compute_on(OP, device)?;
        let values = values.astype(self.dtype)?.broadcast_to(&target.shape)?.contiguous()?;
        self.write(OP, &target, &values)
    }
}

/// Arrays in the shape they have together.
///
/// # Errors
/// `InvalidArgument` if they have none.
pub fn broadcast_arrays(arrays: &[&Array]) -> Result<Vec<Array>> {
    let shapes: Vec<_> = arrays.iter().map(|array| array.shape()).collect();
    let shape = layout::broadcast_shapes("broadcast_arrays", &shapes)?;
    arrays.iter().map(|array| array.broadcast_to(&shape)).collect()
}

impl Layout {
    fn sliced(&self, op: &'static str, axis: usize, slice: Slice) -> Result<Self> {
        let (first, len) = slice.resolve(op, self.shape[axis])?;
        let mut out = self.clone();
        if !self.is_empty() {
            out.offset = self.offset.wrapping_add_signed(first as isize * self.strides[axis]);
        }
        out.shape[axis] = len;
        out.strides[axis] = self.strides[axis].wrapping_mul(slice.step);
        Ok(out)
    }

    fn indexed(&self, op: &'static str, indices: &[Index]) -> Result<Self> {
        let named = indices.iter().filter(|index| matches!(index, Index::At(_) | Index::Slice(_))).count();
        let wide = indices.iter().filter(|&&index| index == Index::Ellipsis).count();
        if named > self.shape.len() || wide > 1 {
            let detail = format!("{named} indices and {wide} ellipses: at most {} and one", self.shape.len());
            return Err(Error::argument(op, detail));
        }
        let mut out = self.clone();
        let mut axis = 0;
        for &index in indices {
            match index {
                Index::At(at) => {
                    let extent = out.shape[axis];
                    let place = if at < 0 { at.saturating_add_unsigned(extent) } else { at };
                    if place < 0 || place as usize >= extent {
                        return Err(Error::argument(op, format!("index {at}: the axis has {extent} elements")));
                    }
                    if !out.is_empty() {
                        out.offset = out.offset.wrapping_add_signed(place * out.strides[axis]);
                    }
                    out.shape.remove(axis);
                    out.strides.remove(axis);
                }
                Index::Slice(slice) => {
                    out = out.sliced(op, axis, slice)?;
                    axis += 1;
                }
                Index::Ellipsis => axis += self.shape.len() - named,
                Index::NewAxis => {
                    out.shape.insert(axis, 1);
                    out.strides.insert(axis, 0);
                    axis += 1;
                }
            }
        }
        count(op, &out.shape)?;
        Ok(out)
    }
}
