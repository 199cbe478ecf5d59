//! Sums or products up to each element of a line.
//!
//! How a line is cut depends on its length only, so that floats are rounded alike in every run.
#![allow(unsafe_code)]

use super::call::Call;
use crate::DType;
use crate::array::{Array, Fresh};
use icicle_error::Result;
use icicle_kernels::array_scan::{SCAN, SCAN_C128, SCAN_F32, SCAN_F64, SCAN_U64, ScanKernels, WARP_LINE};
use icicle_kernels::names::ARRAY_SCAN;
use icicle_kernels::signature::Owner;

/// Lines, and how their elements are joined.
pub(super) struct Scan {
    pub(super) lines: u64,
    pub(super) length: u64,
    /// Whether results begin with what no elements have.
    pub(super) initial: bool,
    pub(super) product: bool,
    pub(super) kernels: ScanKernels,
    /// Those for totals.
    pub(super) of_totals: ScanKernels,
}

/// Whether there are kernels for arrays of a dtype, with results of the same.
pub(crate) fn takes(dtype: DType) -> bool {
    use DType::{Complex128, Float32, Float64, Int64, UInt64};
    matches!(dtype, Int64 | UInt64 | Float32 | Float64 | Complex128)
}

/// For each element along the last axis of a dense array of `int64`, `uint64`, `float32`, `float64` or `complex128`, the sum or
/// product of those up to it; with `initial`, also that of none before the first, in lines longer by one. Elements of `float32` are
/// joined as `float64`, and each result is rounded once.
///
/// # Errors
/// `Unsupported` without the kernels; `OutOfMemory`.
pub(crate) fn scan(op: &'static str, x: &Array, initial: bool, product: bool) -> Result<Array> {
    let mut shape = x.shape().to_vec();
    let length = shape.pop().unwrap_or(1);
    let lines = shape.iter().product::<usize>();
    shape.push(length + usize::from(initial));
    let mut out = Fresh::new(op, x.device(), x.dtype(), &shape)?;
    let (kernels, of_totals) = match x.dtype() {
        DType::Float32 => (SCAN_F32, SCAN_F64),
        DType::Float64 => (SCAN_F64, SCAN_F64),
        DType::Complex128 => (SCAN_C128, SCAN_C128),
        _ => (SCAN_U64, SCAN_U64),
    };
    debug_assert!(takes(x.dtype()));
    if lines * (length + usize::from(initial)) > 0 {
        let call = Call::new(op, x.device())?;
        let scan = Scan { lines: lines as u64, length: length as u64, initial, product, kernels, of_totals };
        // SAFETY: a dense array, and a result of the same dtype with longer lines if asked.
        unsafe { scan.run(&call, x.as_ptr()? as u64, out.start() as u64)? };
    }
    Ok(out.done())
}

impl Scan {
    /// Tiles of a line, unless a warp scans it.
    fn tiles(&self) -> Option<u64> {
        (self.length > WARP_LINE).then(|| self.length.div_ceil(SCAN.size()))
    }

    /// From `x` to `out`.
    ///
    /// # Errors
    /// `OutOfMemory`; as [`Call::launch`].
    ///
    /// # Safety
    /// The lines lie on the call's device, and the result's can be written, elsewhere.
    pub(super) unsafe fn run(&self, call: &Call, x: u64, out: u64) -> Result<()> {
        let (first, product) = (u64::from(self.initial), u32::from(self.product));
        let grid = |blocks: u64| ((blocks.min(u64::from(call.sms) * BLOCKS) as u32).into(), SCAN.threads);
        let Some(tiles) = self.tiles() else {
            let launch = grid(self.lines.div_ceil(u64::from(SCAN.threads / 32)));
            let arguments = (x, out, self.lines, self.length, first, product);
            // SAFETY: the caller's.
            return unsafe { call.launch(ARRAY_SCAN, (Owner::Any, self.kernels.lines), launch, arguments) };
        };
        let launch = grid(self.lines * tiles);
        let totals = call.scratch((self.lines * tiles) as usize * self.kernels.bytes)?;
        let before = call.scratch((self.lines * (tiles + 1)) as usize * self.kernels.bytes)?;
        let of_tiles = Self { length: tiles, initial: true, kernels: self.of_totals, ..*self };
        // SAFETY: the caller's; scratch for a total of each tile, and what is before each and after the last.
        unsafe {
            let arguments = (x, totals.address(), self.lines, self.length, tiles, product);
            call.launch(ARRAY_SCAN, (Owner::Any, self.kernels.totals), launch, arguments)?;
            of_tiles.run(call, totals.address(), before.address())?;
            let arguments = (x, before.address(), out, self.lines, self.length, tiles, first, product);
            call.launch(ARRAY_SCAN, (Owner::Any, self.kernels.tiles), launch, arguments)
        }
    }
}

/// Blocks a multiprocessor is given at most; kernels stride by the grid.
const BLOCKS: u64 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_depend_on_the_length_only() {
        for lines in [1, 1 << 20] {
            let tiles = |length| {
                Scan { lines, length, initial: false, product: false, kernels: SCAN_U64, of_totals: SCAN_U64 }.tiles()
            };
            assert_eq!([0, 1, WARP_LINE].map(tiles), [None; 3]);
            assert_eq!(tiles(WARP_LINE + 1), Some(1));
            assert_eq!([2048, 2049, 1 << 33].map(tiles), [Some(1), Some(2), Some(1 << 22)]);
        }
    }
}
