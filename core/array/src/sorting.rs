//! Elements in order, where they belong in it, and each once. NaN comes last, as in NumPy.

use crate::array::{Array, Fresh, on_cpu};
use crate::dtype::{Visitor, visit};
use crate::indexing::flattened;
use crate::layout;
use crate::{Bool, Complex, DType, Element, bf16, f16, promote};
use icicle_cpu::parallel;
use icicle_error::reserve::{collected, with_capacity};
use icicle_error::{Error, Result};
use std::cmp::Ordering;

/// Elements with an order: numbers ascending, then NaN; complex ones by real and then imaginary part.
trait Ordered: Element {
    fn order(&self, other: &Self) -> Ordering;
    /// Put elements in order.
    fn sort(line: &mut [Self]) {
        line.sort_by(Self::order);
    }
}

macro_rules! ordered {
    ($($t:ty)*; $($f:ty, $key:ty;)*) => {
        $(impl Ordered for $t {
            #[inline(always)]
            fn order(&self, other: &Self) -> Ordering {
                self.cmp(other)
            }
            fn sort(line: &mut [Self]) {
                line.sort_unstable();
            }
        })*
        $(impl Ordered for $f {
            #[inline(always)]
            fn order(&self, other: &Self) -> Ordering {
                self.partial_cmp(other).unwrap_or_else(|| self.is_nan().cmp(&other.is_nan()))
            }
            /// As integers of the same size, which compare without a branch: of a negative number all bits but the sign are
            /// inverted, and NaN loses its sign, so that it is above infinity.
            fn sort(line: &mut [Self]) {
                for x in line.iter_mut().filter(|x| x.is_nan()) {
                    *x = Self::from_bits(x.to_bits() << 1 >> 1);
                }
                let keys: &mut [$key] = bytemuck::cast_slice_mut(line);
                let turn = |key: $key| key ^ ((key >> (<$key>::BITS - 1)) & <$key>::MAX);
                keys.iter_mut().for_each(|key| *key = turn(*key));
                keys.sort_unstable();
                keys.iter_mut().for_each(|key| *key = turn(*key));
            }
        })*
        /// Do a task for the type of a dtype.
        fn with_order<V: OrderedVisitor>(dtype: DType, visitor: V) -> V::Output {
            match dtype {
                $(d if d == <$t>::DTYPE => visitor.visit::<$t>(),)*
                $(d if d == <$f>::DTYPE => visitor.visit::<$f>(),)*
                DType::Complex64 => visitor.visit::<Complex<f32>>(),
                _ => visitor.visit::<Complex<f64>>(),
            }
        }
    };
}
ordered!(Bool i8 i16 i32 i64 u8 u16 u32 u64; f16, i16; bf16, i16; f32, i32; f64, i64;);

impl Ordered for Complex<f32> {
    fn order(&self, other: &Self) -> Ordering {
        complex_order((self.re, self.im), (other.re, other.im))
    }
}
impl Ordered for Complex<f64> {
    fn order(&self, other: &Self) -> Ordering {
        complex_order((self.re, self.im), (other.re, other.im))
    }
}

/// Numbers without NaN first, then by parts.
fn complex_order<T: Ordered>(a: (T, T), b: (T, T)) -> Ordering {
    #[allow(clippy::eq_op)] // NaN differs from itself
    let nan = |z: (T, T)| z.0 != z.0 || z.1 != z.1;
    nan(a).cmp(&nan(b)).then(a.0.order(&b.0)).then(a.1.order(&b.1))
}

trait OrderedVisitor {
    type Output;
    fn visit<T: Ordered>(self) -> Self::Output;
}

/// Bytes from which on lines are sorted by several threads.
const PARALLEL: usize = 1 << 16;

/// The elements along an axis in ascending order, or descending, where NaN comes first; -0.0 is below 0.0.
///
/// # Errors
/// `InvalidArgument` if there is no such axis; `Unsupported` if it is not on a CPU; `OutOfMemory`.
pub fn sort(x: &Array, axis: isize, descending: bool) -> Result<Array> {
    struct Lines<'a>(&'a mut Fresh, usize, bool);
    impl OrderedVisitor for Lines<'_> {
        type Output = ();
        fn visit<T: Ordered>(self) {
            let Self(out, length, descending) = self;
            let data = out.slice::<T>();
            let line = |line: &mut [T]| {
                T::sort(line);
                if descending {
                    line.reverse();
                }
            };
            match size_of_val(data) >= PARALLEL {
                true => parallel::chunks(data, length, &|_, part| line(part)),
                false => data.chunks_mut(length).for_each(line),
            }
        }
    }
    const OP: &str = "sort";
    let (last, axis) = lines(OP, x, axis)?;
    let mut out = Fresh::new(OP, x.device(), x.dtype(), last.shape())?;
    let length = x.shape()[axis];
    if !x.is_empty() {
        copy_into(&last, &mut out)?;
        with_order(x.dtype(), Lines(&mut out, length, descending));
    }
    out.done().moveaxis(&[-1], &[axis as isize])
}

/// An array with an axis moved to the end, and the axis.
fn lines(op: &'static str, x: &Array, axis: isize) -> Result<(Array, usize)> {
    on_cpu(op, &[x])?;
    let axis = layout::axis(op, axis, x.rank())?;
    Ok((x.moveaxis(&[axis as isize], &[-1])?, axis))
}

fn copy_into(x: &Array, out: &mut Fresh) -> Result<()> {
    struct Copy<'a>(&'a Array, &'a mut Fresh);
    impl Visitor for Copy<'_> {
        type Output = Result<()>;
        #[allow(unsafe_code)]
        fn visit<T: Element>(self) -> Result<()> {
            // SAFETY: the result has as many elements of this dtype.
            unsafe { self.0.read(0, self.0.len(), self.1.slice::<T>().as_mut_ptr().cast()) }
        }
    }
    visit(x.dtype(), Copy(x, out))
}

/// The indices that sort the elements along an axis, in `int64`; equal elements keep their order, also descending.
///
/// # Errors
/// As [`sort`].
pub fn argsort(x: &Array, axis: isize, descending: bool) -> Result<Array> {
    struct Lines<'a>(&'a Array, &'a mut [i64], usize, bool);
    impl OrderedVisitor for Lines<'_> {
        type Output = Result<()>;
        fn visit<T: Ordered>(self) -> Result<()> {
            let Self(x, out, length, descending) = self;
            let data = x.elements::<T>()?;
            let line = |k: usize, line: &mut [i64]| {
                let values = &data[k * length..];
                line.iter_mut().enumerate().for_each(|(i, index)| *index = i as i64);
                let at = |i: &i64| values[*i as usize];
                if descending {
                    line.sort_by(|a, b| at(b).order(&at(a)));
                } else {
                    line.sort_by(|a, b| at(a).order(&at(b)));
                }
            };
            match size_of_val(out) >= PARALLEL {
                true => parallel::chunks(out, length, &line),
                false => out.chunks_mut(length).enumerate().for_each(|(k, part)| line(k, part)),
            }
            Ok(())
        }
    }
    const OP: &str = "argsort";
    let (last, axis) = lines(OP, x, axis)?;
    let mut out = Fresh::new(OP, x.device(), DType::Int64, last.shape())?;
    let length = x.shape()[axis];
    if !x.is_empty() {
        with_order(x.dtype(), Lines(&last.contiguous()?, out.slice::<i64>(), length, descending))?;
    }
    out.done().moveaxis(&[-1], &[axis as isize])
}

/// For each value, the index in a sorted array before which it belongs so that the order stays: the first such, or with
/// `right` the last. In the values' shape and `int64`.
///
/// # Errors
/// `InvalidArgument` if `sorted` has not one axis, or the dtypes have no common one; `Unsupported` if they are not on a CPU.
pub fn searchsorted(sorted: &Array, values: &Array, right: bool) -> Result<Array> {
    struct Search<'a>(&'a Array, &'a Array, &'a mut [i64], bool);
    impl OrderedVisitor for Search<'_> {
        type Output = Result<()>;
        fn visit<T: Ordered>(self) -> Result<()> {
            let Self(sorted, values, out, right) = self;
            let sorted = sorted.elements::<T>()?;
            for (out, value) in out.iter_mut().zip(values.elements::<T>()?) {
                let before = |x: &T| match x.order(value) {
                    Ordering::Less => true,
                    Ordering::Equal => right,
                    Ordering::Greater => false,
                };
                *out = sorted.partition_point(before) as i64;
            }
            Ok(())
        }
    }
    const OP: &str = "searchsorted";
    on_cpu(OP, &[sorted, values])?;
    if sorted.rank() != 1 {
        return Err(Error::argument(OP, format!("sorted array of {} axes: must have one", sorted.rank())));
    }
    let dtype = promote(OP, sorted.dtype(), values.dtype())?;
    let (sorted, values) = (sorted.astype(dtype)?.contiguous()?, values.astype(dtype)?.contiguous()?);
    let mut out = Fresh::new(OP, values.device(), DType::Int64, values.shape())?;
    with_order(dtype, Search(&sorted, &values, out.slice::<i64>(), right))?;
    Ok(out.done())
}

/// What [`unique_all`] finds.
#[derive(Clone, Debug)]
pub struct Unique {
    /// Each value once, ascending; every NaN is one of its own.
    pub values: Array,
    /// Where each value occurs first in the flattened array, in `int64`.
    pub indices: Array,
    /// For each element of the array, the index of its value, in the array's shape and `int64`.
    pub inverse: Array,
    /// How often each value occurs, in `int64`.
    pub counts: Array,
}

/// Each value once, where it is and how often.
///
/// # Errors
/// `Unsupported` if the array is not on a CPU; `OutOfMemory`.
pub fn unique_all(x: &Array) -> Result<Unique> {
    const OP: &str = "unique";
    struct Starts<'a>(&'a Array);
    impl OrderedVisitor for Starts<'_> {
        type Output = Result<Vec<usize>>;
        fn visit<T: Ordered>(self) -> Self::Output {
            let data = self.0.elements::<T>()?;
            let mut starts = with_capacity(OP, data.len())?;
            starts.extend((0..data.len()).filter(|&i| i == 0 || data[i] != data[i - 1]));
            Ok(starts)
        }
    }
    let device = on_cpu(OP, &[x])?;
    let flat = flattened(x)?;
    let order = argsort(&flat, 0, false)?;
    let sorted = crate::take(&flat, &order, 0)?;
    let starts = with_order(x.dtype(), Starts(&sorted))?;
    let integers = |list: Vec<i64>, shape: &[usize]| Array::from_slice_on(device, &list, shape);
    let (k, places) = (starts.len(), order.elements::<i64>()?);
    let end = |i: usize| starts.get(i + 1).copied().unwrap_or(places.len());
    let mut inverse = icicle_error::reserve::filled(OP, x.len(), 0i64)?;
    for i in 0..k {
        places[starts[i]..end(i)].iter().for_each(|&place| inverse[place as usize] = i as i64);
    }
    let indices = integers(collected(OP, starts.iter().map(|&start| places[start]))?, &[k])?;
    let counts = integers(collected(OP, (0..k).map(|i| (end(i) - starts[i]) as i64))?, &[k])?;
    let values = crate::take(&flat, &indices, 0)?;
    Ok(Unique { values, indices, inverse: integers(inverse, x.shape())?, counts })
}

/// Each value once, ascending; every NaN is one of its own.
///
/// # Errors
/// As [`unique_all`].
pub fn unique_values(x: &Array) -> Result<Array> {
    struct Distinct<'a>(&'a Array);
    impl OrderedVisitor for Distinct<'_> {
        type Output = Result<Array>;
        fn visit<T: Ordered>(self) -> Self::Output {
            let data = self.0.elements::<T>()?;
            let mut values: Vec<T> = with_capacity("unique", data.len())?;
            values.extend((0..data.len()).filter(|&i| i == 0 || data[i] != data[i - 1]).map(|i| data[i]));
            Array::from_slice_on(self.0.device(), &values, &[values.len()])
        }
    }
    on_cpu("unique", &[x])?;
    with_order(x.dtype(), Distinct(&sort(&flattened(x)?, 0, false)?))
}

/// Whether each element of `x` occurs in `test`, in the shape of `x`.
///
/// # Errors
/// `InvalidArgument` if the dtypes have no common one; `Unsupported` if they are not on a CPU; `OutOfMemory`.
pub fn isin(x: &Array, test: &Array) -> Result<Array> {
    on_cpu("isin", &[x, test])?;
    let sorted = sort(&flattened(test)?, 0, false)?;
    let (first, past) = (searchsorted(&sorted, x, false)?, searchsorted(&sorted, x, true)?);
    // NaN equals nothing, though it has a place in the order.
    crate::logical_and(&crate::not_equal(&first, &past)?, &crate::equal(x, x)?)
}
