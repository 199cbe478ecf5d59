//! Launching kernels.
#![allow(unsafe_code)]

pub use super::kernel::Kernel;
pub use icicle_kernels::signature::KernelArg;

use super::driver;
use super::gpu::gpu;
use super::loaded::Loaded;
use icicle_device::RawStream;
use icicle_error::{Error, ErrorCode, Result};
use icicle_kernels::signature::{Entry, Owner, Parameters};
use std::ffi::c_void;
use std::sync::atomic::Ordering;

/// Most blocks along x, and along y.
const GRID_X: u64 = (1 << 31) - 1;
const GRID_Y: u64 = (1 << 16) - 1;

/// The first architecture whose kernels can wait for the one before them.
const KERNELS_WAIT: u32 = 90;

/// How many blocks of a grid, or threads of a block, in each direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim(pub [u32; 3]);

impl Dim {
    /// `blocks` blocks, along x as far as they fit, else in rows along y: the kernel's block number is then
    /// `blockIdx.y · gridDim.x + blockIdx.x`, and may lie past the last.
    ///
    /// # Errors
    /// `InvalidArgument` for more than a grid can hold.
    pub fn of_blocks(blocks: u64) -> Result<Self> {
        let rows = blocks.div_ceil(GRID_X).max(1);
        if rows > GRID_Y {
            return Err(Error::argument("launch", format!("{blocks} blocks: must be at most {}", GRID_X * GRID_Y)));
        }
        let columns = blocks.div_ceil(rows).max(1);
        Ok(Self([columns as u32, rows as u32, 1]))
    }

    /// Enough blocks along x for `n` items, one a thread, but no more than `most`: for kernels that stride by the grid.
    pub fn for_items(n: u64, block: u32, most: u32) -> Self {
        let blocks = n.div_ceil(u64::from(block.max(1))).clamp(1, u64::from(most.max(1)));
        Self([blocks as u32, 1, 1])
    }
}

impl From<u32> for Dim {
    fn from(x: u32) -> Self {
        Self([x, 1, 1])
    }
}

impl From<[u32; 3]> for Dim {
    fn from(xyz: [u32; 3]) -> Self {
        Self(xyz)
    }
}

impl Kernel {
    /// Enqueue the kernel on a stream of its device: `grid` blocks of `block` threads with `shared` bytes of dynamic
    /// shared memory. Nothing is waited for.
    ///
    /// # Errors
    /// `InvalidArgument` for a grid, block or shared memory the device cannot run, naming the kernel;
    /// `SynchronizationFailed` if the device is lost to earlier work.
    ///
    /// # Safety
    /// `arguments` are the kernel's parameters, each of the type it declares, and for these the kernel accesses only
    /// memory that is valid until the stream has passed it. The stream is 0 or alive.
    pub unsafe fn launch(
        &self,
        stream: RawStream,
        grid: impl Into<Dim>,
        block: impl Into<Dim>,
        shared: u32,
        arguments: &[&dyn KernelArg],
    ) -> Result<()> {
        // SAFETY: the caller's; not dependent.
        unsafe { self.enqueue(stream, grid.into(), block.into(), shared, false, arguments) }
    }

    /// As [`Kernel::launch`], by programmatic dependent launch: the kernel's blocks may start beside the last of the kernel
    /// before, which hides the time of the launch.
    ///
    /// # Errors
    /// As [`Kernel::launch`].
    ///
    /// # Safety
    /// As [`Kernel::launch`]; compiled for architecture 90 or later, the kernel waits for the one ahead before it
    /// touches memory.
    pub unsafe fn launch_dependent(
        &self,
        stream: RawStream,
        grid: impl Into<Dim>,
        block: impl Into<Dim>,
        arguments: &[&dyn KernelArg],
    ) -> Result<()> {
        let dependent = self.architecture >= KERNELS_WAIT;
        // SAFETY: the caller's.
        unsafe { self.enqueue(stream, grid.into(), block.into(), 0, dependent, arguments) }
    }

    /// Enqueue a launch.
    ///
    /// # Safety
    /// As [`Kernel::launch_dependent`].
    unsafe fn enqueue(
        &self,
        stream: RawStream,
        Dim(grid): Dim,
        Dim(block): Dim,
        shared: u32,
        dependent: bool,
        arguments: &[&dyn KernelArg],
    ) -> Result<()> {
        let op = "launch";
        let gpu = gpu(op, self.index)?;
        let threads: u64 = block.iter().map(|&n| u64::from(n)).product();
        if threads == 0 || threads > u64::from(self.max_threads) || shared > gpu.shared_bytes || grid.contains(&0) {
            return Err(Error::argument(op, self.describe(grid, block, shared, gpu.shared_bytes)));
        }
        let mut values: Vec<*mut c_void> = arguments.iter().map(|argument| argument.address().cast_mut()).collect();
        let run = || {
            if shared > self.shared.load(Ordering::Relaxed) {
                // SAFETY: modules are never unloaded.
                unsafe { driver::function_set_shared(self.function, shared) }?;
                self.shared.fetch_max(shared, Ordering::Relaxed);
            }
            // SAFETY: the caller's; the driver copies the values before it returns.
            unsafe { driver::launch(self.function, grid, block, shared, stream, dependent, &mut values) }
        };
        let detail = || self.describe(grid, block, shared, gpu.shared_bytes);
        gpu.with_detail(op, ErrorCode::Internal, detail, run)?;
        gpu.note_launch(self.name);
        Ok(())
    }

    fn describe(&self, grid: [u32; 3], block: [u32; 3], shared: u32, most_shared: u32) -> String {
        format!(
            "kernel {} with grid {grid:?}, block {block:?}, shared {shared}: block must be 1 to {} threads, shared at most {most_shared}",
            self.name, self.max_threads
        )
    }
}

impl Loaded {
    /// Enqueue a kernel of the library, whose arguments are its parameters by their types. `dependent` as
    /// [`Kernel::launch_dependent`].
    ///
    /// # Errors
    /// As [`Kernel::launch`]; `Unsupported` if the owner has no such kernel.
    ///
    /// # Safety
    /// As [`Kernel::launch`], but for the arguments' types; [`Kernel::launch_dependent`] if so.
    pub unsafe fn launch<P: Parameters>(
        &self,
        stream: RawStream,
        (owner, entry): (Owner, Entry<P>),
        (grid, block): (Dim, u32),
        dependent: bool,
        arguments: &P,
    ) -> Result<()> {
        let kernel = self.kernel(owner, entry)?;
        let dependent = dependent && kernel.architecture >= KERNELS_WAIT;
        // SAFETY: the caller's; the types are those of the kernel's row in the table.
        arguments.with(|all| unsafe { kernel.enqueue(stream, grid, block.into(), 0, dependent, all) })
    }

    /// As [`Loaded::launch`], with so many bytes of dynamic shared memory.
    ///
    /// # Errors
    /// As [`Loaded::launch`].
    ///
    /// # Safety
    /// As [`Loaded::launch`].
    pub unsafe fn launch_with_shared<P: Parameters>(
        &self,
        stream: RawStream,
        (owner, entry): (Owner, Entry<P>),
        (grid, block, shared): (Dim, u32, u32),
        arguments: &P,
    ) -> Result<()> {
        let kernel = self.kernel(owner, entry)?;
        // SAFETY: the caller's; the types are those of the kernel's row in the table.
        arguments.with(|all| unsafe { kernel.enqueue(stream, grid, block.into(), shared, false, all) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_hold_every_block() {
        assert_eq!(Dim::of_blocks(0).unwrap().0, [1, 1, 1]);
        assert_eq!(Dim::of_blocks(7).unwrap().0, [7, 1, 1]);
        assert_eq!(Dim::of_blocks(GRID_X).unwrap().0, [GRID_X as u32, 1, 1]);
        for blocks in [GRID_X + 1, 1 << 32, (1 << 40) + 3, GRID_X * GRID_Y] {
            let [x, y, _] = Dim::of_blocks(blocks).unwrap().0;
            let held = u64::from(x) * u64::from(y);
            assert!(held >= blocks && held - blocks < u64::from(y), "{blocks}");
        }
        let error = Dim::of_blocks(GRID_X * GRID_Y + 1).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
    }

    #[test]
    fn strided_grids_are_capped() {
        assert_eq!(Dim::for_items(0, 256, 100).0, [1, 1, 1]);
        assert_eq!(Dim::for_items(257, 256, 100).0, [2, 1, 1]);
        assert_eq!(Dim::for_items(u64::MAX, 256, 100).0, [100, 1, 1]);
    }
}
