//! Elements in order, where they belong in it, and each once. NaN comes last, as in NumPy.

use crate::array::{Array, Fresh, compute_on, on_one};
use crate::dtype::{Visitor, visit};
use crate::indexing::flattened;
use crate::layout;
use crate::order::{Ordered, OrderedVisitor, with_order};
use crate::unique::Unique;
use crate::{DType, Element, promote};
#[cfg(feature = "cuda")]
use icicle_device::DeviceKind;
use icicle_error::reserve::{collected, with_capacity};
use icicle_error::{Error, Result};
use std::cmp::Ordering;

/// The elements along an axis in ascending order, or descending, where NaN comes first; -0.0 is below 0.0.
///
/// # Errors
/// `InvalidArgument` if there is no such axis; `Unsupported` for complex elements on a GPU; `OutOfMemory`.
pub fn sort(x: &Array, axis: isize, descending: bool) -> Result<Array> {
    struct Lines<'a>(&'a Array, &'a mut Fresh, usize, bool);
    impl OrderedVisitor for Lines<'_> {
        type Output = Result<()>;
        fn visit<T: Ordered>(self) -> Self::Output {
            let Self(from, out, length, descending) = self;
            let dense = from.is_dense();
            if !dense {
                copy_into(from, out)?;
            }
            let from = if dense { Some(from.elements()?) } else { None };
            T::sort(OP, from, out.slice::<T>(), length, descending)
        }
    }
    const OP: &str = "sort";
    let (last, axis) = lines(OP, x, axis)?;
    #[cfg(feature = "cuda")]
    if x.device().kind == DeviceKind::Cuda {
        return crate::cuda::sort::sort(OP, &last.contiguous()?, descending)?.moveaxis(&[-1], &[axis as isize]);
    }
    compute_on(OP, x.device())?;
    let mut out = Fresh::new(OP, x.device(), x.dtype(), last.shape())?;
    let length = x.shape()[axis];
    if !x.is_empty() {
        with_order(x.dtype(), Lines(&last, &mut out, length, descending))?;
    }
    out.done().moveaxis(&[-1], &[axis as isize])
}

/// An array with an axis moved to the end, and the axis.
fn lines(op: &'static str, x: &Array, axis: isize) -> Result<(Array, usize)> {
    let axis = layout::axis(op, axis, x.rank())?;
    Ok((x.moveaxis(&[axis as isize], &[-1])?, axis))
}

fn copy_into(x: &Array, out: &mut Fresh) -> Result<()> {
    const OP: &str = "sort";
    struct Copy<'a>(&'a Array, &'a mut Fresh);
    impl Visitor for Copy<'_> {
        type Output = Result<()>;
        fn visit<T: Element>(self) -> Result<()> {
            self.0.read_all(OP, self.1.slice::<T>())
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
        fn visit<T: Ordered>(self) -> Self::Output {
            T::argsort(OP, self.0.elements()?, self.1, self.2, self.3)
        }
    }
    const OP: &str = "argsort";
    let (last, axis) = lines(OP, x, axis)?;
    #[cfg(feature = "cuda")]
    if x.device().kind == DeviceKind::Cuda {
        return crate::cuda::sort::argsort(OP, &last.contiguous()?, descending)?.moveaxis(&[-1], &[axis as isize]);
    }
    compute_on(OP, x.device())?;
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
/// `InvalidArgument` if `sorted` has not one axis, or the dtypes have no common one, or they are on several devices;
/// `Unsupported` for complex elements on a GPU; `OutOfMemory`.
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
    let device = on_one(OP, &[sorted, values])?;
    if sorted.rank() != 1 {
        return Err(Error::argument(OP, format!("sorted array of {} axes: must have one", sorted.rank())));
    }
    let dtype = promote(OP, sorted.dtype(), values.dtype())?;
    let (sorted, values) = (sorted.astype(dtype)?.contiguous()?, values.astype(dtype)?.contiguous()?);
    #[cfg(feature = "cuda")]
    if device.kind == DeviceKind::Cuda {
        return crate::cuda::search::searchsorted(OP, &sorted, &values, right);
    }
    let mut out = Fresh::new(OP, compute_on(OP, device)?, DType::Int64, values.shape())?;
    with_order(dtype, Search(&sorted, &values, out.slice::<i64>(), right))?;
    Ok(out.done())
}

/// Each value once, where it is and how often.
///
/// # Errors
/// `Unsupported` for complex elements on a GPU; `OutOfMemory`.
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
    #[cfg(feature = "cuda")]
    if x.device().kind == DeviceKind::Cuda {
        return crate::cuda::search::unique_all(OP, x);
    }
    let (device, flat) = (compute_on(OP, x.device())?, flattened(x)?);
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
            let mut values: Vec<T> = with_capacity(OP, data.len())?;
            values.extend((0..data.len()).filter(|&i| i == 0 || data[i] != data[i - 1]).map(|i| data[i]));
            Array::from_slice_on(self.0.device(), &values, &[values.len()])
        }
    }
    const OP: &str = "unique";
    #[cfg(feature = "cuda")]
    if x.device().kind == DeviceKind::Cuda {
        return crate::cuda::search::unique_values(OP, x);
    }
    compute_on(OP, x.device())?;
    with_order(x.dtype(), Distinct(&sort(&flattened(x)?, 0, false)?))
}

/// Whether each element of `x` occurs in `test`, in the shape of `x`.
///
/// # Errors
/// `InvalidArgument` if the dtypes have no common one, or they are on several devices; `Unsupported` for complex elements on a
/// GPU; `OutOfMemory`.
pub fn isin(x: &Array, test: &Array) -> Result<Array> {
    on_one("isin", &[x, test])?;
    let sorted = sort(&flattened(test)?, 0, false)?;
    let (first, past) = (searchsorted(&sorted, x, false)?, searchsorted(&sorted, x, true)?);
    // NaN equals nothing, though it has a place in the order.
    crate::logical_and(&crate::not_equal(&first, &past)?, &crate::equal(x, x)?)
}
