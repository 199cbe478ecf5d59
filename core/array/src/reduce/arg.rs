//! Where the least and the greatest elements are.
#![allow(unsafe_code)] // memory by address

use super::fold::{FoldOp, Loops, find};
use super::plan;
use crate::array::{Array, Fresh, computing};
use crate::dtype::{Visitor, visit};
use crate::job::Order;
use crate::layout::{self, Layout};
use crate::source::{Draft, Scratch, Source};
use crate::{DType, Element};
use icicle_cpu::blocks::{Work, for_ranges};
use icicle_error::{Error, Result};

/// The index of the first least element along an axis, or in C order of all, in `int64`; of the first NaN if there is one.
///
/// # Errors
/// `InvalidArgument` if there is no such axis or no element along it, or the dtype has no order; `Unsupported` if the array
/// is not on a CPU; `OutOfMemory`.
pub fn argmin(x: &Array, axis: Option<isize>, keepdims: bool) -> Result<Array> {
    place("argmin", FoldOp::Min, x, axis, keepdims)
}

/// The index of the first greatest element; as [`argmin`] otherwise.
///
/// # Errors
/// As [`argmin`].
pub fn argmax(x: &Array, axis: Option<isize>, keepdims: bool) -> Result<Array> {
    place("argmax", FoldOp::Max, x, axis, keepdims)
}

fn place(name: &'static str, op: FoldOp, x: &Array, axis: Option<isize>, keepdims: bool) -> Result<Array> {
    let device = computing(name, &[x])?;
    let axes: Vec<_> = match axis {
        Some(axis) => vec![layout::axis(name, axis, x.rank())?],
        None => (0..x.rank()).collect(),
    };
    let loops = find(op, x.dtype())
        .ok_or_else(|| Error::argument(name, format!("array of {}: the operation is not defined for it", x.dtype())))?;
    let length: usize = axes.iter().map(|&k| x.shape()[k]).product();
    if length == 0 {
        return Err(Error::argument(name, format!("shape {:?} along axes {axes:?}: there is no element", x.shape())));
    }
    let order: Vec<_> = (0..x.rank()).filter(|k| !axes.contains(k)).chain(axes.iter().copied()).collect();
    let order = Order { shape: x.shape().to_vec(), axes: Some(order) };
    #[cfg(feature = "cuda")]
    if device.kind == icicle_device::DeviceKind::Cuda {
        let kernel = if op == FoldOp::Min { "ArgMin" } else { "ArgMax" };
        let (from, outer) = (loops.from, x.len() / length);
        let (op, acc, to, order) = (name, from, DType::Int64, &order);
        let fold = crate::cuda::fold::Fold { op, name: kernel, from, acc, to, order, outer, length, width: 1 };
        return Ok(fold
            .run(device, x)?
            .done()
            .with_layout(Layout::dense(name, &plan::result_shape(x, &axes, keepdims))?));
    }
    let (draft, source) = Draft::reading(name, &order, x, loops.from)?;
    let shape = plan::result_shape(x, &axes, keepdims);
    let mut out = Fresh::new(name, device, DType::Int64, &shape)?;
    visit(loops.from, Search { draft: &draft, source: &source, loops, length, out: out.slice::<i64>() });
    Ok(out.done().with_layout(Layout::dense(name, &shape)?))
}

struct Search<'a> {
    draft: &'a Draft,
    source: &'a Source,
    loops: Loops,
    length: usize,
    out: &'a mut [i64],
}

struct Results(*mut i64);
// SAFETY: each task writes its own.
unsafe impl Sync for Results {}
impl Results {
    fn at(&self, i: usize) -> *mut i64 {
        self.0.wrapping_add(i)
    }
}

impl Visitor for Search<'_> {
    type Output = ();

    fn visit<T: Element>(self) {
        let Self { draft, source, loops, length, out } = self;
        let (n, out) = (out.len(), Results(out.as_mut_ptr()));
        let step = draft.at_once();
        for_ranges(n, length * loops.from.bytes(), Work::Light, |range| {
            draft.with(|scratch| {
                for outer in range {
                    // SAFETY: elements of the source, and this task's own result.
                    unsafe {
                        let first = first::<T>(source, (&loops, step), outer * length, length, scratch);
                        out.at(outer).write(first as i64);
                    }
                }
            });
        });
    }
}

/// The index of the first extreme of `length` elements: the step of so many where it first occurs, then its place there.
///
/// # Safety
/// The source has the elements, which the loops fold to elements; a step is its draft's.
unsafe fn first<T: Element>(
    source: &Source,
    (loops, step): (&Loops, usize),
    start: usize,
    length: usize,
    scratch: &mut Scratch,
) -> usize {
    let mut found = None::<(T, usize)>;
    for at in (0..length).step_by(step) {
        let n = step.min(length - at);
        // SAFETY: the caller's; the loops hold one element each.
        let (own, both) = unsafe {
            let block = source.block(start + at, n, scratch);
            // From its first element on, since what a fold starts with is none.
            let mut own = block.cast::<T>().read();
            (loops.run)(n, block, (&raw mut own).cast());
            // Merged with what was found before: that, unless this is better or the first NaN.
            let mut both = found.map_or(own, |(best, _)| best);
            (loops.merge)(1, (&raw const own).cast(), (&raw mut both).cast());
            (own, both)
        };
        match found {
            Some((best, _)) if same(best, both) => {}
            _ => found = Some((own, at)),
        }
    }
    let Some((best, at)) = found else {
        return 0;
    };
    let n = step.min(length - at);
    // SAFETY: the caller's.
    let block = unsafe { std::slice::from_raw_parts(source.block(start + at, n, scratch).cast::<T>(), n) };
    at + block.iter().position(|&x| same(x, best)).unwrap_or(0)
}

/// Whether both are equal, or both NaN.
#[allow(clippy::eq_op)] // NaN differs from itself
fn same<T: PartialEq>(a: T, b: T) -> bool {
    a == b || (a != a && b != b)
}
