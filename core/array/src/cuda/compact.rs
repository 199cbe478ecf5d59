//! Where a mask is true.
#![allow(unsafe_code)]

use super::call::Call;
use super::scan::Scan;
use super::to_host::read;
use crate::DType;
use crate::array::{Array, Fresh};
use icicle_error::Result;
use icicle_kernels::array_scan::{COMPACT, MASK_COUNTS, MASK_PLACES, SCAN_U64};
use icicle_kernels::names::ARRAY_SCAN;
use icicle_kernels::signature::Owner;

/// The indices of a dense bool array's true elements, in C order, as `int64` along one axis. It waits for the device, which
/// says how many there are.
///
/// # Errors
/// `Unsupported` without the kernels; `OutOfMemory`.
pub(crate) fn positions(op: &'static str, mask: &Array) -> Result<Array> {
    let fresh = |count: u64| Fresh::new(op, mask.device(), DType::Int64, &[count as usize]);
    let n = mask.len() as u64;
    if n == 0 {
        return Ok(fresh(0)?.done());
    }
    let call = Call::new(op, mask.device())?;
    let tiles = n.div_ceil(COMPACT.size());
    // How many are before each tile, and last before the end.
    let (counts, starts) = (call.scratch(tiles as usize * 8)?, call.scratch((tiles as usize + 1) * 8)?);
    let address = mask.as_ptr()? as u64;
    let grid = ((tiles.min(u64::from(call.sms) * BLOCKS) as u32).into(), COMPACT.threads);
    let sums = Scan { lines: 1, length: tiles, initial: true, product: false, kernels: SCAN_U64, of_totals: SCAN_U64 };
    let mut count = [0u64];
    // SAFETY: a dense array of bytes, and scratch of these lengths; the last word was written in the same stream's order.
    unsafe {
        let arguments = (address, counts.address(), n, tiles);
        call.launch(ARRAY_SCAN, (Owner::Any, MASK_COUNTS), grid, arguments)?;
        sums.run(&call, counts.address(), starts.address())?;
        read(&call, starts.address() + tiles * 8, &mut count)?;
    }
    let mut out = fresh(count[0])?;
    let arguments = (address, starts.address(), out.start() as u64, n, tiles);
    // SAFETY: as above; the result has a place for each.
    unsafe { call.launch(ARRAY_SCAN, (Owner::Any, MASK_PLACES), grid, arguments)? };
    Ok(out.done())
}

/// Blocks a multiprocessor is given at most; kernels stride by the grid.
const BLOCKS: u64 = 64;
