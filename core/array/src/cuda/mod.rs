//! Arrays on NVIDIA GPUs.
//!
//! What is done on each element, and folds of it, is generated: a chain of operations becomes the text of a kernel that reads
//! each input once (`draft`, `source`), compiled by NVRTC when it is first needed and kept for the life of the process
//! (`icicle_cuda::nvrtc`). Extents, strides, addresses and constants are arguments, so that a chain is compiled once. Where there is
//! no NVRTC, kernels that were compiled ahead of time do one operation at a time (`ahead`).
//!
//! Everything runs on the device's default stream, in whose order memory is given back too, and nothing waits but what brings
//! values to the host.

mod ahead;
mod axes;
mod call;
pub(crate) mod compact;
#[cfg(test)]
mod compiling;
mod draft;
pub(crate) mod elementwise;
#[cfg(feature = "fft")]
pub(crate) mod fft;
pub(crate) mod fold;
#[cfg(feature = "linalg")]
pub(crate) mod linalg;
pub(crate) mod product;
mod radix;
pub(crate) mod random;
pub(crate) mod rows;
pub(crate) mod scan;
pub(crate) mod search;
pub(crate) mod sequence;
pub(crate) mod sort;
mod source;
pub(crate) mod to_host;
