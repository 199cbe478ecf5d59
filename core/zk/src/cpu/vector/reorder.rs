//! Bit reversal and slices: moves, independent of what the elements are.

use super::layout::layout_of;
use crate::args::vector::{SliceArgs, UnaryArgs};
use bytemuck::Pod;
use icicle_algebra::Field;
use icicle_algebra::with_field;
use icicle_cpu::blocks::{Layout, Work, for_ranges};
use icicle_cpu::memory::{In, Out};
use icicle_device::Exec;
use icicle_error::Result;

pub(crate) fn bit_reverse(_: &Exec, args: &UnaryArgs) -> Result<()> {
    with_field!(args.shape.field, F => reverse::<<F as Field>::Raw>(args));
    Ok(())
}

fn reverse<T: Pod + Send + Sync>(args: &UnaryArgs) {
    let (a, out) = (In::<T>::new(&args.a), Out::<T>::new(&args.out));
    let layout = layout_of(&args.shape);
    let ((vectors, width), n) = (layout.cells(), layout.n);
    if n == 0 {
        return;
    }
    let (log_n, mask) = (n.trailing_zeros(), n - 1);
    // The vector's number stays, the index within it is reversed.
    let reversed = |i: usize| (i & !mask) | (i & mask).reverse_bits().unbounded_shr(usize::BITS - log_n);
    let in_place = out.is(&a);
    for_ranges(vectors * n, width * size_of::<T>(), Work::Light, |cells| {
        for i in cells {
            let j = reversed(i);
            for k in 0..width {
                let (to, from) = (i * width + k, j * width + k);
                if !in_place {
                    out.set(to, a.get(from));
                } else if i < j {
                    // The pair belongs to its lower index, so one task swaps it.
                    let (low, high) = (a.get(to), a.get(from));
                    out.set(to, high);
                    out.set(from, low);
                }
            }
        }
    });
}

pub(crate) fn slice(_: &Exec, args: &SliceArgs) -> Result<()> {
    with_field!(args.shape.field, F => take::<<F as Field>::Raw>(args));
    Ok(())
}

fn take<T: Pod + Send + Sync>(args: &SliceArgs) {
    let (a, out) = (In::<T>::new(&args.a), Out::<T>::new(&args.out));
    let Layout { n, batch, columns } = layout_of(&args.shape);
    let (offset, stride, n_out) = (args.offset, args.stride, args.n_out);
    let from = |i: usize| {
        if columns {
            (offset + i / batch * stride) * batch + i % batch
        } else {
            i / n_out * n + offset + i % n_out * stride
        }
    };
    for_ranges(out.len(), size_of::<T>(), Work::Light, |range| range.for_each(|i| out.set(i, a.get(from(i)))));
}
