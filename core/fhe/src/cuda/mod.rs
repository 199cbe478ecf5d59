//! Encrypted integers on NVIDIA GPUs: the key as kernels read it, and circuits run by them, layer by layer.
//!
//! Everything is enqueued on the device's default stream, in whose order memory is given back too; an operation waits for it in the
//! end, so that what failed is its error.

mod key;
mod roots;
mod run;
mod steps;
mod wiring;

pub(crate) use key::GpuKey;
