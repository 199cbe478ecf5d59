//! One operation's way to its kernels: which image and names they have, and how large grids are.
#![allow(unsafe_code)]

use super::gpu::{self, Gpu};
use super::images;
use super::launch::{Dim, KernelArg};
use super::module::Module;
use crate::device::Exec;
use crate::{FIELDS, FieldId, Result};

/// The image of the kernels that move elements and need no field.
const LAYOUT: &str = "layout";
/// Blocks for each multiprocessor in grids that stride: enough for the last ones to even out.
const BLOCKS_PER_UNIT: u32 = 32;
/// Most rows of a grid.
const MOST_ROWS: u64 = 65535;

/// The field whose kernels serve a field: the first of the same prime and extension.
fn serving(field: FieldId) -> FieldId {
    let info = field.info();
    let same = |modulus: &[u64], extension| modulus == info.prime.modulus && extension == info.extension;
    FIELDS.iter().find(|row| same(row.prime.modulus, row.extension)).map_or(field, |row| row.id)
}

/// Whether this build has the vector kernels of a field.
pub(super) fn has_kernels(field: FieldId) -> bool {
    images::image(serving(field).info().prefix).is_some() && images::image(LAYOUT).is_some()
}

/// A call on its device.
pub(super) struct Call<'a> {
    /// The operation, for errors.
    pub op: &'static str,
    /// Device and stream.
    pub exec: &'a Exec,
    module: &'static Module,
    prefix: String,
    units: u32,
    /// Words of an element.
    pub words: usize,
    /// Threads of a block.
    pub threads: u32,
}

impl<'a> Call<'a> {
    /// Kernels over a field.
    ///
    /// # Errors
    /// `Unsupported` if this build has none, `BackendLoadFailed` if the device cannot run them.
    pub fn of_field(op: &'static str, exec: &'a Exec, field: FieldId) -> Result<Self> {
        let (gpu, row) = (gpu::gpu(op, exec.device.index)?, serving(field).info());
        let words = row.bytes() / 4;
        // As `Access` in kernels/vec/access.cuh: fewer for the largest elements, so that tiles fit shared memory.
        let threads = if words >= 24 { 128 } else { 256 };
        let module = gpu.modules.get(gpu, row.prefix)?;
        Ok(Self::new(op, exec, gpu, module, row.id.name().to_string(), words, threads))
    }

    /// Kernels that move the elements of a field.
    ///
    /// # Errors
    /// As [`Call::of_field`].
    pub fn of_layout(op: &'static str, exec: &'a Exec, field: FieldId) -> Result<Self> {
        let gpu = gpu::gpu(op, exec.device.index)?;
        let words = field.info().bytes() / 4;
        let module = gpu.modules.get(gpu, LAYOUT)?;
        Ok(Self::new(op, exec, gpu, module, format!("words{words}"), words, 256))
    }

    fn new(
        op: &'static str,
        exec: &'a Exec,
        gpu: &Gpu,
        module: &'static Module,
        prefix: String,
        words: usize,
        threads: u32,
    ) -> Self {
        Self { op, exec, module, prefix, units: gpu.units, words, threads }
    }

    /// Multiprocessors.
    pub fn units(&self) -> u64 {
        u64::from(self.units)
    }

    /// A grid of rows that stride: enough blocks along x for `items` threads, `rows` along y.
    pub fn grid(&self, items: u64, rows: u64) -> Dim {
        let rows = rows.clamp(1, MOST_ROWS) as u32;
        let most = (self.units * BLOCKS_PER_UNIT).div_ceil(rows);
        let Dim([x, ..]) = Dim::for_items(items, self.threads, most);
        Dim([x, rows, 1])
    }

    /// A strided grid of at most `x` by `y` blocks.
    pub fn blocks(&self, x: u64, y: u64) -> Dim {
        Dim([x.clamp(1, 1 << 20) as u32, y.clamp(1, MOST_ROWS) as u32, 1])
    }

    /// Enqueue a kernel.
    ///
    /// # Errors
    /// As [`Kernel::launch`](super::launch::Kernel::launch).
    ///
    /// # Safety
    /// As [`Kernel::launch`](super::launch::Kernel::launch).
    pub unsafe fn launch(&self, step: &str, grid: Dim, arguments: &[&dyn KernelArg]) -> Result<()> {
        let kernel = self.module.kernel(&format!("{}_{step}", self.prefix))?;
        // SAFETY: the caller's.
        unsafe { kernel.launch(self.exec.stream, grid, self.threads, 0, arguments) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_one_prime_share_kernels() {
        assert_eq!(serving(FieldId::Bn254Scalar), FieldId::Bn254Scalar);
        assert_eq!(serving(FieldId::GrumpkinScalar), FieldId::Bn254Base);
        assert_eq!(serving(FieldId::GrumpkinBase), FieldId::Bn254Scalar);
        assert_eq!(serving(FieldId::Bw6_761Scalar), FieldId::Bls12_377Base);
        assert_eq!(serving(FieldId::Bw6_761G2Base), FieldId::Bw6_761Base);
        assert_eq!(serving(FieldId::M31Qm31), FieldId::M31Qm31);
    }
}
