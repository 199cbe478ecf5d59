//! Encrypted integers on NVIDIA GPUs: the key as kernels read it, and circuits run by them, layer by layer.
//!
//! An operation enqueues all of its work on a stream of its own, in whose order its memory is given back too, and waits for it in
//! the end: what failed is its error, and its results may be used by anyone.

mod key;
mod memory;
mod roots;
mod rotation_key;
mod run;
mod steps;
mod wiring;

pub(crate) use key::GpuKey;
