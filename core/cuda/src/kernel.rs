//! Kernels, as they are found in what is loaded.

use super::driver::Handle;
use std::sync::atomic::AtomicU32;

/// Shared memory any kernel may use without asking.
const SHARED_WITHOUT_ASKING: u32 = 48 << 10;

/// A kernel of a loaded module.
#[derive(Debug)]
pub struct Kernel {
    pub(crate) index: u32,
    pub(crate) name: &'static str,
    pub(crate) function: Handle,
    pub(crate) max_threads: u32,
    /// The virtual architecture it was compiled for.
    pub(crate) architecture: u32,
    /// Dynamic shared memory allowed so far.
    pub(crate) shared: AtomicU32,
}

impl Kernel {
    pub(crate) fn new(index: u32, name: &'static str, function: Handle, max_threads: u32, architecture: u32) -> Self {
        let shared = AtomicU32::new(SHARED_WITHOUT_ASKING);
        Self { index, name, function, max_threads, architecture, shared }
    }

    /// The function's name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Most threads of a block.
    pub fn max_threads(&self) -> u32 {
        self.max_threads
    }
}
