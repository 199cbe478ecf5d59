//! Sums and products of all elements up to each.
#![allow(unsafe_code)] // memory by address

use super::summed;
use crate::array::{Array, Fresh, on_cpu};
use crate::blocks::{BLOCK, Room, Rooms, Source};
use crate::cast::cast;
use crate::layout;
use crate::{Complex, DType, Kind};
use icicle_cpu::blocks::{Work, for_ranges};
use icicle_error::{Error, Result};

/// For each element along an axis, the sum of those up to it; with `initial`, 0 before the first. The dtype as of
/// [`sum`](super::sum); floats are added in `float64`, one after another.
///
/// # Errors
/// `InvalidArgument` if there is no such axis, or none is named and there are several; `Unsupported` if the array is not on a
/// CPU; `OutOfMemory`.
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

struct Line(*mut u8);
// SAFETY: each task writes its own lines.
unsafe impl Sync for Line {}
impl Line {
    fn at(&self, bytes: usize) -> *mut u8 {
        self.0.wrapping_add(bytes)
    }
}

fn scan(
    op: &'static str,
    x: &Array,
    axis: Option<isize>,
    dtype: Option<DType>,
    initial: bool,
    product: bool,
) -> Result<Array> {
    let device = on_cpu(op, &[x])?;
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
    let last = x.moveaxis(&[axis as isize], &[-1])?;
    let length = x.shape()[axis];
    let mut shape = last.shape().to_vec();
    let line = length + usize::from(initial);
    shape[x.rank() - 1] = line;
    let lines: usize = shape[..x.rank() - 1].iter().product();
    let source = Source::new(op, last, held)?;
    let result = cast(op, held, to)?;
    let mut out = Fresh::new(op, device, to, &shape)?;
    let memory = Line(out.start());
    for_ranges(lines, line * to.bytes().max(held.bytes()), Work::Light, |range| {
        let mut filled = 0;
        let (mut rooms, mut own, mut between, mut carry) = (Rooms::NEW, Room::NEW, Room::NEW, Room::NEW);
        // Write `n` elements that `own` holds to the result from an index on.
        let put = |own: *const u8, between: *mut u8, index: usize, n: usize| {
            let to_start = memory.at(index * to.bytes());
            // SAFETY: `n` elements of this task's lines.
            unsafe {
                match &result {
                    None => std::ptr::copy_nonoverlapping(own, to_start, n * to.bytes()),
                    Some(cast) => cast.run(n, own, between, to_start),
                }
            }
        };
        for k in range {
            // SAFETY: a room holds one element of any kind.
            unsafe { std::ptr::copy_nonoverlapping(start.as_ptr(), carry.start(), start.len()) };
            if initial {
                put(carry.start(), between.start(), k * line, 1);
            }
            for at in (0..length).step_by(BLOCK) {
                let n = BLOCK.min(length - at);
                // SAFETY: elements of the source, a block of them, to a room that takes them.
                unsafe {
                    run(n, source.block(k * length + at, n, &mut rooms, &mut filled), own.start(), carry.start())
                };
                put(own.start(), between.start(), k * line + at + usize::from(initial), n);
            }
        }
    });
    out.done().moveaxis(&[-1], &[axis as isize])
}
