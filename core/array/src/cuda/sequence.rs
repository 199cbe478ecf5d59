//! Numbers at equal distances.
#![allow(unsafe_code)]

use super::call::Call;
use super::sort::elements;
use crate::array::{Array, Fresh};
use crate::{Complex, DType};
use icicle_device::Device;
use icicle_error::Result;
use icicle_kernels::array_scan::{SEQUENCE_INTEGERS, SEQUENCE_REALS};
use icicle_kernels::names::ARRAY_SCAN;
use icicle_kernels::signature::Owner;

/// `n` integers from one on by a distance, modulo 2⁶⁴, in `int64`.
///
/// # Errors
/// `Unsupported` without the kernels; `OutOfMemory`.
pub(crate) fn integers(op: &'static str, device: Device, n: usize, from: u64, by: u64) -> Result<Array> {
    let mut out = Fresh::new(op, device, DType::Int64, &[n])?;
    if n > 0 {
        let call = Call::new(op, device)?;
        let arguments = (out.start() as u64, n as u64, from, by);
        // SAFETY: room for so many.
        unsafe { call.launch(ARRAY_SCAN, (Owner::Any, SEQUENCE_INTEGERS), elements(&call, n as u64), arguments)? };
    }
    Ok(out.done())
}

/// `n` numbers from one on by a distance, the last of them `to` if there is one, in `float64` or `complex128`.
///
/// # Errors
/// As [`integers`].
pub(crate) fn numbers(
    op: &'static str,
    device: Device,
    n: usize,
    dtype: DType,
    (from, by, to): (Complex<f64>, Complex<f64>, Option<Complex<f64>>),
) -> Result<Array> {
    let mut out = Fresh::new(op, device, dtype, &[n])?;
    if n > 0 {
        let call = Call::new(op, device)?;
        let (ends, to) = (u32::from(to.is_some()), to.unwrap_or_default());
        let parts = [(from.re, by.re, to.re), (from.im, by.im, to.im)];
        let stride = if dtype == DType::Complex128 { 2 } else { 1 };
        for ((from, by, to), part) in parts.into_iter().zip(0..stride) {
            let arguments = (out.start() as u64 + 8 * part, n as u64, stride, from, by, ends, to);
            // SAFETY: room for so many, of one part or two.
            unsafe { call.launch(ARRAY_SCAN, (Owner::Any, SEQUENCE_REALS), elements(&call, n as u64), arguments)? };
        }
    }
    Ok(out.done())
}
