//! Random numbers, a block of the cipher a thread.
#![allow(unsafe_code)] // launches

use super::ahead;
use super::call::Call;
use super::source::{Source, THREADS};
use crate::array::{Array, Fresh};
use crate::random::philox::OnGpu;
use icicle_device::Device;
use icicle_error::Result;

/// The header with the rules.
const HEADER: &str = "normal.cuh";

/// Elements of a rule for a key.
///
/// # Errors
/// `InvalidArgument` if the shape is too large; `Unsupported` with neither NVRTC nor kernels; `OutOfMemory`.
pub(crate) fn elements(
    op: &'static str,
    device: Device,
    [a, b, c, d]: [u32; 4],
    shape: &[usize],
    rule: OnGpu,
) -> Result<Array> {
    let mut out = Fresh::new(op, device, rule.dtype, shape)?;
    let n: usize = shape.iter().product();
    if n > 0 {
        let call = Call::new(op, device)?;
        let wide = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let mut words = vec![n as u64, out.start() as u64, wide(a, b), wide(c, d)];
        words.extend(&rule.words);
        let blocks = n.div_ceil(rule.of_block).div_ceil(THREADS as usize);
        if ahead::is_needed() {
            // SAFETY: as below.
            unsafe { ahead::random(&call, &rule, &words, blocks as u64)? };
            return Ok(out.done());
        }
        // SAFETY: the result has room for so many; every thread writes the elements of its block that there are.
        unsafe { Source::of_words(words).launch(&call, HEADER, &body(&rule), blocks as u64)? };
    }
    Ok(out.done())
}

fn body(rule: &OnGpu) -> String {
    format!("  random::fill<random::{}>(a.word);\n", rule.type_name())
}

/// The text of a rule's kernel.
#[cfg(test)]
pub(super) fn text(rule: &OnGpu) -> String {
    let words = [&[0; 4], &rule.words[..]].concat();
    Source::of_words(words).kernel(HEADER, &body(rule))
}
