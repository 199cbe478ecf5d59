//! What NVIDIA's libraries keep for a device: handles that each makes when it is first called, for the life of the process, and
//! that one thread uses at a time, under the lock. How they are made and used is in the library's own file.

use super::driver::Handle;
use icicle_error::Result;
use std::sync::Mutex;

/// What cuBLAS keeps: a context.
#[derive(Default)]
pub struct Blas(pub(crate) Mutex<Option<Result<Handle>>>);

/// What cuSOLVER keeps: a context, and options.
#[derive(Default)]
pub struct Solver(pub(crate) Mutex<Option<(Handle, Handle)>>);
