//! Rows of arrays by their places.
//!
//! Indices are checked on the device, which says once for all of an operation's whether one is outside its axis. Rows are moved in
//! the widest words that their bytes and addresses allow.
#![allow(unsafe_code)]

use super::call::Call;
use super::sort::elements;
use super::to_host::read;
use crate::DType;
use crate::array::{Array, Fresh};
use crate::indices::{Blocks, Indices, outside};
use icicle_cuda::copy::fill;
use icicle_device::Device;
use icicle_error::Result;
use icicle_kernels::array_rows::{self as kernels, SLOT};
use icicle_kernels::names::ARRAY_SCAN;
use icicle_kernels::signature::Owner;

/// The places that `n` indices of each axis name, counted over all axes as one, as `int64` along one axis. It waits for the device,
/// which says whether all are on their axes.
///
/// # Errors
/// `InvalidArgument` for an index that is not; `Unsupported` without the kernels; `OutOfMemory`.
pub(crate) fn places(op: &'static str, device: Device, n: usize, axes: &[Indices]) -> Result<Array> {
    let mut out = Fresh::new(op, device, DType::Int64, &[n])?;
    if n == 0 {
        return Ok(out.done());
    }
    let call = Call::new(op, device)?;
    if axes.is_empty() {
        // SAFETY: the result's own memory.
        unsafe { fill(&call.exec, out.start(), 0, n * 8)? };
        return Ok(out.done());
    }
    let mut bad = vec![u64::MAX; axes.len()];
    let least = call.scratch(axes.len() * 8)?;
    // SAFETY: scratch of this length.
    unsafe { fill(&call.exec, least.address() as *mut u8, 0xff, axes.len() * 8)? };
    for (k, axis) in axes.iter().enumerate() {
        let (indices, first, wraps) = (axis.wide()?, u32::from(k == 0), u32::from(axis.wraps));
        let (from, to, bad) = (indices.as_ptr()? as u64, out.start() as u64, least.address() + 8 * k as u64);
        let arguments = (from, to, bad, n as u64, axis.extent as u64, first, wraps);
        // SAFETY: `n` dense indices, which are given back in the stream's order; a place for each; a word for the axis.
        unsafe { call.launch(ARRAY_SCAN, (Owner::Any, kernels::ROW_PLACES), elements(&call, n as u64), arguments)? };
    }
    // SAFETY: a word for each axis, written in the same stream's order.
    unsafe { read(&call, least.address(), &mut bad)? };
    match axes.iter().zip(bad).find(|&(_, bad)| bad != u64::MAX) {
        None => Ok(out.done()),
        Some((axis, at)) => {
            let (indices, mut index) = (axis.wide()?, [0]);
            // SAFETY: the place of one of the indices.
            unsafe { read(&call, indices.as_ptr()? as u64 + 8 * at, &mut index)? };
            Err(outside(op, index[0] as i64, axis.extent))
        }
    }
}

/// The indices of elements on an axis of that extent, by their places, where `step` elements lie between neighbours on it.
///
/// # Errors
/// `Unsupported` without the kernels; `OutOfMemory`.
pub(crate) fn axis_indices(op: &'static str, places: &Array, step: usize, extent: usize) -> Result<Array> {
    let mut out = Fresh::new(op, places.device(), DType::Int64, places.shape())?;
    let n = places.len() as u64;
    if n > 0 {
        let call = Call::new(op, places.device())?;
        let arguments = (places.as_ptr()? as u64, out.start() as u64, n, step as u64, extent as u64);
        // SAFETY: dense places, and room for as many.
        unsafe { call.launch(ARRAY_SCAN, (Owner::Any, kernels::AXIS_INDICES), elements(&call, n), arguments)? };
    }
    Ok(out.done())
}

/// Take rows of `width` elements of a dense array, as [`Blocks`] says, to memory one after another.
///
/// # Errors
/// `Unsupported` without the kernels; `OutOfMemory`.
///
/// # Safety
/// The places are of rows of the array's blocks, and `out` on the same device takes as many elements.
pub(crate) unsafe fn take(
    op: &'static str,
    x: &Array,
    places: &Array,
    (blocks, width): (Blocks, usize),
    out: &mut Fresh,
) -> Result<()> {
    let call = Call::new(op, x.device())?;
    let (from, to) = (x.as_ptr()? as u64, out.start() as u64);
    let (outer, taken) = (blocks.outer as u64, blocks.taken(places.len()) as u64);
    let (word, width) = words(width * x.dtype().bytes(), from | to);
    let launch = elements(&call, outer * taken * kernels::threads(width));
    let (extent, each) = (blocks.extent as u64, u32::from(blocks.each));
    let places = places.as_ptr()? as u64;
    let arguments = (from, places, to, outer, extent, taken, width, each, kernels::log_lanes(width));
    // SAFETY: the caller's; the words divide rows and addresses.
    unsafe { call.launch(ARRAY_SCAN, (Owner::Bytes(word), kernels::TAKE_ROWS), launch, arguments) }
}

/// Set rows of `row_bytes` at `to` to those of dense values, one for each place. If rows may be named twice, the last value stays;
/// `repeated` is then how many rows there are.
///
/// # Errors
/// `Unsupported` without the kernels; `OutOfMemory`.
///
/// # Safety
/// The places are of rows at `to`, on the places' device, where the values lie too, as many and elsewhere; nobody else uses those rows
/// before the stream has passed this.
pub(crate) unsafe fn set(
    op: &'static str,
    (to, row_bytes): (u64, usize),
    mut places: Array,
    repeated: Option<usize>,
    values: u64,
) -> Result<()> {
    let call = Call::new(op, places.device())?;
    let n = places.len() as u64;
    // Which are changed below, and given back in the stream's order.
    let rows = places.unshared()? as u64;
    if let Some(count) = repeated.filter(|_| n > 1) {
        let slots = (2 * n.min(count as u64)).next_power_of_two();
        let bytes = slots as usize * SLOT;
        let (table, grid) = (call.scratch(bytes)?, elements(&call, n));
        let arguments = (rows, table.address(), n, slots - 1);
        // SAFETY: `n` rows, of which at most half as many differ as there are slots; all of these are free at first.
        unsafe {
            fill(&call.exec, table.address() as *mut u8, 0xff, bytes)?;
            call.launch(ARRAY_SCAN, (Owner::Any, kernels::ENTER_ROWS), grid, arguments)?;
            call.launch(ARRAY_SCAN, (Owner::Any, kernels::KEEP_LAST_ROWS), grid, arguments)?;
        }
    }
    let (word, width) = words(row_bytes, to | values);
    let launch = elements(&call, n * kernels::threads(width));
    let arguments = (to, rows, values, n, width, kernels::log_lanes(width));
    // SAFETY: the caller's; no row is named twice any more, and the words divide rows and addresses.
    unsafe { call.launch(ARRAY_SCAN, (Owner::Bytes(word), kernels::SET_ROWS), launch, arguments) }
}

/// The bytes of the words in which rows are moved, and how many a row has.
fn words(row_bytes: usize, addresses: u64) -> (usize, u64) {
    let word = kernels::word(row_bytes, addresses);
    (word, (row_bytes / word) as u64)
}
