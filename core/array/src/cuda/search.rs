//! Places in sorted arrays, and runs of equal elements.
#![allow(unsafe_code)]

use super::call::Call;
use super::compact;
use super::sort::{argsort, bits, elements, sort};
use crate::array::{Array, Fresh};
use crate::indexing::flattened;
use crate::unique::Unique;
use crate::{DType, Kind};
use icicle_error::{Error, Result};
use icicle_kernels::array_scan::{RUN_LENGTHS, RUN_NUMBERS, RUN_STARTS, SEARCH};
use icicle_kernels::array_sort::{Bits, GATHER64};
use icicle_kernels::names::{ARRAY_SCAN, ARRAY_SORT};
use icicle_kernels::signature::Owner;

/// For each value, how many sorted elements are below it, or with `right` not above it; both arrays dense and of one dtype.
///
/// # Errors
/// `Unsupported` for complex elements, or without the kernels; `OutOfMemory`.
pub(crate) fn searchsorted(op: &'static str, sorted: &Array, values: &Array, right: bool) -> Result<Array> {
    let mut out = Fresh::new(op, values.device(), DType::Int64, values.shape())?;
    let (bytes, n) = (values.dtype().bytes(), values.len() as u64);
    let order = bits(op, values.dtype())?.order(bytes, false, true);
    if n > 0 {
        let call = Call::new(op, values.device())?;
        let addresses = (sorted.as_ptr()? as u64, values.as_ptr()? as u64, out.start() as u64);
        let (sorted_at, values_at, out_at) = addresses;
        let arguments = (sorted_at, values_at, out_at, sorted.len() as u64, n, u32::from(right), order);
        // SAFETY: dense arrays, and a place for each value.
        unsafe { call.launch(ARRAY_SCAN, (Owner::Bytes(bytes), SEARCH), elements(&call, n), arguments)? };
    }
    Ok(out.done())
}

/// Each element once, ascending; every NaN is one of its own.
///
/// # Errors
/// As [`searchsorted`].
pub(crate) fn unique_values(op: &'static str, x: &Array) -> Result<Array> {
    let sorted = sort(op, &flattened(x)?, false)?;
    let starts = run_starts(op, &sorted)?;
    gather(op, &sorted, &starts)
}

/// Each element once, where it is first and how often, and each element's number among those.
///
/// # Errors
/// As [`searchsorted`].
pub(crate) fn unique_all(op: &'static str, x: &Array) -> Result<Unique> {
    let (flat, n, device) = (flattened(x)?, x.len() as u64, x.device());
    let order = argsort(op, &flat, false)?;
    let starts = run_starts(op, &gather(op, &flat, &order)?)?;
    let indices = gather(op, &order, &starts)?;
    let values = gather(op, &flat, &indices)?;
    let mut counts = Fresh::new(op, device, DType::Int64, starts.shape())?;
    let mut inverse = Fresh::new(op, device, DType::Int64, x.shape())?;
    if n > 0 {
        let call = Call::new(op, device)?;
        let (runs, starts, order) = (starts.len() as u64, starts.as_ptr()? as u64, order.as_ptr()? as u64);
        // SAFETY: dense arrays; the order has each index once.
        unsafe {
            let arguments = (starts, counts.start() as u64, runs, n);
            call.launch(ARRAY_SCAN, (Owner::Any, RUN_LENGTHS), elements(&call, runs), arguments)?;
            let arguments = (order, starts, inverse.start() as u64, runs, n);
            call.launch(ARRAY_SCAN, (Owner::Any, RUN_NUMBERS), elements(&call, n), arguments)?;
        }
    }
    Ok(Unique { values, indices, inverse: inverse.done(), counts: counts.done() })
}

/// Where runs of equal elements begin in a sorted, dense array with one axis.
fn run_starts(op: &'static str, sorted: &Array) -> Result<Array> {
    let mut begins = Fresh::new(op, sorted.device(), DType::Bool, sorted.shape())?;
    let (bytes, n) = (sorted.dtype().bytes(), sorted.len() as u64);
    let order = bits(op, sorted.dtype())?.order(bytes, false, true);
    if n > 0 {
        let call = Call::new(op, sorted.device())?;
        let arguments = (sorted.as_ptr()? as u64, begins.start() as u64, n, order);
        // SAFETY: a dense array, and a place for each element.
        unsafe { call.launch(ARRAY_SCAN, (Owner::Bytes(bytes), RUN_STARTS), elements(&call, n), arguments)? };
    }
    compact::positions(op, &begins.done())
}

/// The elements of a dense array with one axis at indices that are its own.
fn gather(op: &'static str, x: &Array, indices: &Array) -> Result<Array> {
    let bytes = x.dtype().bytes();
    if x.dtype().kind() == Kind::Complex {
        return Err(Error::unsupported(op, format!("dtype {} on a GPU: must be real", x.dtype())));
    }
    let mut out = Fresh::new(op, x.device(), x.dtype(), indices.shape())?;
    let n = indices.len() as u64;
    if n > 0 {
        let call = Call::new(op, x.device())?;
        // Which copies bits as they are.
        let order = Bits::Unsigned.order(bytes, false, false);
        let arguments = (x.as_ptr()? as u64, indices.as_ptr()? as u64, out.start() as u64, n, order);
        // SAFETY: dense arrays, and a place for each index; the callers' indices are of elements.
        unsafe { call.launch(ARRAY_SORT, (Owner::Bytes(bytes), GATHER64), elements(&call, n), arguments)? };
    }
    Ok(out.done())
}
