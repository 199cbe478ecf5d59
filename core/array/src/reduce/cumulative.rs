//! Sums and products of all elements up to each.
#![allow(unsafe_code)] // memory by address

use super::summed;
use crate::array::{Array, Fresh, compute_on};
use crate::cast::cast;
use crate::job::Order;
use crate::layout;
use crate::source::{Draft, Memory};
use crate::{Complex, DType, Kind};
use icicle_cpu::blocks::{Work, for_ranges};
use icicle_error::{Error, Result};

/// For each element along an axis, the sum of those up to it; with `initial`, 0 before the first. The dtype as of
/// [`sum`](super::sum); floats are added in `float64`: on a CPU one after another, on a GPU in an order that depends on the axis'
/// length only, so that results are the same in every run.
///
/// # Errors
/// `InvalidArgument` if there is no such axis, or none is named and there are several; `OutOfMemory`.
pub fn cumulative_sum(x: &Array, axis: Option<isize>, dtype: Option<DType>, initial: bool) -> Result<Array> {
    scan("cumulative_sum", x, axis, dtype, initial, false)
}

/// For each element along an axis, the product of those up to it; with `initial`, 1 before the first. As [`cumulative_sum`].
///
/// # Errors
/// As [`cumulative_sum`].
pub fn cumulative_prod(x: &Array, axis: Option<isize>, dtype: Option<DType>, initial: bool) -> Result<Array> {
    scan("cumulative_prod", x, axis, dtype, initial, true)
}

/// A loop over `n` elements in place, from and to what is carried over.
type Scan = unsafe fn(usize, *const u8, *mut u8, *mut u8);

macro_rules! scans {
    ($($t:ty, $zero:expr, $one:expr, |$a:ident, $b:ident| $sum:expr, $product:expr;)*) => {
        fn find(dtype: DType, product: bool) -> Option<(Scan, Start)> {
            $(if dtype == <$t as crate::Element>::DTYPE {
                let run: Scan = match product {
                    // SAFETY: as of `run`.
                    true => |n, x, out, carry| unsafe { run::<$t>(n, x, out, carry, |$a, $b| $product) },
                    // SAFETY: as of `run`.
                    false => |n, x, out, carry| unsafe { run::<$t>(n, x, out, carry, |$a, $b| $sum) },
                };
                let start: $t = if product { $one } else { $zero };
                let mut bytes = [0u8; 16];
                bytes[..size_of::<$t>()].copy_from_slice(bytemuck::bytes_of(&start));
                return Some((run, bytes));
            })*
            None
        }
    };
}
/// The bytes of what is carried at first.
type Start = [u8; 16];

scans! {
    i64, 0, 1, |a, b| a.wrapping_add(b), a.wrapping_mul(b);
    u64, 0, 1, |a, b| a.wrapping_add(b), a.wrapping_mul(b);
    f64, 0.0, 1.0, |a, b| a + b, a * b;
    Complex<f64>, Complex::new(0.0, 0.0), Complex::new(1.0, 0.0), |a, b| a + b, a * b;
}

/// # Safety
/// `x` holds `n` elements, `out` takes them elsewhere, `carry` is one more.
unsafe fn run<T: Copy>(n: usize, x: *const u8, out: *mut u8, carry: *mut u8, step: impl Fn(T, T) -> T) {
    let (x, out, carry) = (x.cast::<T>(), out.cast::<T>(), carry.cast::<T>());
    // SAFETY: the caller's.
    unsafe {
        let mut held = carry.read();
        for i in 0..n {
            held = step(held, x.add(i).read());
            out.add(i).write(held);
        }
        carry.write(held);
    }
}

/// What is carried from one block to the next.
#[repr(align(16))]
struct Carry(Start);

fn scan(
    op: &'static str,
    x: &Array,
    axis: Option<isize>,
    dtype: Option<DType>,
    initial: bool,
    product: bool,
) -> Result<Array> {
    let axis = match axis {
        Some(axis) => layout::axis(op, axis, x.rank())?,
        None if x.rank() == 1 => 0,
        None => return Err(Error::argument(op, format!("array of {} axes: name one", x.rank()))),
    };
    let to = dtype.unwrap_or(summed(x.dtype()));
    let held = match to.kind() {
        Kind::Bool => return Err(Error::argument(op, "dtype bool: must be numeric")),
        Kind::Float => DType::Float64,
        Kind::Complex => DType::Complex128,
        _ => summed(to),
    };
    let (run, start) =
        find(held, product).ok_or_else(|| Error::argument(op, format!("dtype {to}: must be numeric")))?;
    #[cfg(feature = "cuda")]
    if x.device().kind == icicle_device::DeviceKind::Cuda {
        cast(op, x.dtype(), held)?;
        // Where kernels read and write the dtype, nothing wider is kept.
        let dtype = if x.dtype() == to && crate::cuda::scan::takes(to) { to } else { held };
        let last = x.astype(dtype)?.moveaxis(&[axis as isize], &[-1])?.contiguous()?;
        let sums = crate::cuda::scan::scan(op, &last, initial, product)?;
        return sums.astype(to)?.moveaxis(&[-1], &[axis as isize]);
    }
    let device = compute_on(op, x.device())?;
    let length = x.shape()[axis];
    let mut shape = x.shape().to_vec();
    shape.remove(axis);
    let line = length + usize::from(initial);
    shape.push(line);
    let lines: usize = shape[..x.rank() - 1].iter().product();
    let axes = (0..x.rank()).filter(|&k| k != axis).chain([axis]).collect();
    let order = Order { shape: x.shape().to_vec(), axes: Some(axes) };
    let (mut draft, source) = Draft::reading(op, &order, x, held)?;
    let (own, between) = (draft.reserve(held.bytes()), draft.reserve(to.bytes().max(held.bytes())));
    let result = cast(op, held, to)?;
    let mut out = Fresh::new(op, device, to, &shape)?;
    let memory = Memory(out.start());
    for_ranges(lines, line * to.bytes().max(held.bytes()), Work::Light, |range| {
        draft.with(|scratch| {
            let (own, between) = (scratch.at(own), scratch.at(between));
            // Write `n` elements to the result from an index on.
            let put = |from: *const u8, index: usize, n: usize| {
                let to_start = memory.at(index * to.bytes());
                // SAFETY: `n` elements of this task's lines, no more than a step.
                unsafe {
                    match &result {
                        None => std::ptr::copy_nonoverlapping(from, to_start, n * to.bytes()),
                        Some(cast) => cast.run(n, from, between, to_start),
                    }
                }
            };
            for k in range {
                let mut carry = Carry(start);
                let carry = carry.0.as_mut_ptr();
                if initial {
                    put(carry, k * line, 1);
                }
                for at in (0..length).step_by(draft.at_once()) {
                    let n = draft.at_once().min(length - at);
                    // SAFETY: elements of the source, no more than a step, to a block that takes them.
                    unsafe { run(n, source.block(k * length + at, n, scratch), own, carry) };
                    put(own, k * line + at + usize::from(initial), n);
                }
            }
        });
    });
    out.done().moveaxis(&[-1], &[axis as isize])
}
