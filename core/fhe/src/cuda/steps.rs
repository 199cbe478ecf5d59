//! The steps of bootstrapping as launches: each checks that its memory is as long as the kernel reads and writes.
#![allow(unsafe_code)] // launches and copies, which take addresses

use super::memory::{Memory, Span, Streams};
use super::rotation_key::RotationKey;
use super::wiring::Wiring;
use icicle_cuda::gpu::{self, Gpu};
use icicle_cuda::launch::Dim;
use icicle_cuda::module::Loaded;
use icicle_cuda::scratch::In;
use icicle_device::{CopyArgs, Device, Exec, Place, Src};
use icicle_error::{Error, ErrorCode, Result};
use icicle_kernels::fhe::{self as kernels, BLOCK, LANES, POLYNOMIAL_SIZE, RotationShape};
use icicle_kernels::names::FHE;
use icicle_kernels::signature::{Entry, Owner, Parameters};
use icicle_runtime::{Buffer, BufferViewMut, Event, Stream};

/// Elements between the short ciphertexts that follow each other: 919 at most, and 16-bit ones in whole chunks.
const STRIDE: usize = 920;
/// Short ciphertexts up to which the key switch is cut into many parts, to fill the device.
const FEW: usize = 128;
/// Parts for few, and for many.
const PARTS: [u32; 2] = [16, 4];
/// Warps of a block.
const WARPS: u32 = BLOCK / LANES as u32;

/// Kernels of a device, on a stream of their own.
pub(super) struct Steps<'a> {
    op: &'static str,
    streams: &'a Streams,
    /// There until this is dropped.
    stream: Option<Stream>,
    exec: Exec,
    gpu: &'static Gpu,
    image: &'static Loaded,
    /// The kernel for many rotations.
    many: RotationShape,
    /// That for as few as there are multiprocessors.
    few: RotationShape,
}

/// Ciphertexts after the key switch, their elements powers of X.
pub(super) struct Powers {
    words: Memory<u16>,
    count: usize,
}

impl Drop for Steps<'_> {
    fn drop(&mut self) {
        // Also where an error ended the operation: what it reads may be given back afterwards.
        if let Some(stream) = self.stream.take()
            && stream.synchronize().is_ok()
        {
            self.streams.give_back(stream);
        }
    }
}

impl<'a> Steps<'a> {
    pub(super) fn new(op: &'static str, streams: &'a Streams) -> Result<Self> {
        let device = streams.device;
        let gpu = gpu::gpu(op, device.index)?;
        let shapes = [kernels::TWO, kernels::SMALL].into_iter().find(|shape| shape.shared <= gpu.shared_bytes);
        let Some(many) = shapes else {
            let (got, least) = (gpu.shared_bytes, kernels::SMALL.shared);
            return Err(Error::unsupported(
                op,
                format!("{device} has {got} bytes of shared memory a block, encrypted integers need {least}"),
            ));
        };
        let few = if kernels::ONE.shared <= gpu.shared_bytes { kernels::ONE } else { many };
        let image = gpu.images.get(gpu, FHE).map_err(|error| Error { op, ..error })?;
        let stream = streams.take().map_err(|error| Error { op, ..error })?;
        // SAFETY: this has the stream until it is dropped.
        let exec = unsafe { Exec::new(device, stream.as_ref().raw(), true) };
        Ok(Self { op, streams, stream: Some(stream), exec, gpu, image, many, few })
    }

    pub(super) fn device(&self) -> Device {
        self.exec.device()
    }

    /// Rotations that the device does at once.
    pub(super) fn together(&self) -> usize {
        // A multiprocessor that can has two blocks.
        let blocks = if self.many == kernels::TWO { 2 } else { 1 };
        self.gpu.units as usize * blocks * self.many.together as usize
    }

    /// Rotations that take no longer than one.
    pub(super) fn at_least_time(&self) -> usize {
        self.gpu.units as usize * self.few.together as usize
    }

    /// Wait until all is done.
    pub(super) fn finish(&self) -> Result<()> {
        self.stream.as_ref().map_or(Ok(()), Stream::synchronize).map_err(|error| Error { op: self.op, ..error })
    }

    /// Let what comes wait for what another has enqueued, on the same device.
    pub(super) fn follow(&self, other: &Self) -> Result<()> {
        let event = Event::on(self.device(), false)?;
        if let (Some(before), Some(after)) = (&other.stream, &self.stream) {
            event.record(before)?;
            after.wait(&event)?;
        }
        Ok(())
    }

    /// Memory for the operation.
    pub(super) fn memory<T>(&self, len: usize) -> Result<Memory<T>> {
        Memory::new(self.op, &self.exec, len)
    }

    /// Memory for its results, which others may use once it is done.
    pub(super) fn results(&self, len: usize) -> Result<Buffer<u64>> {
        let stream = self.stream.as_ref().ok_or_else(|| Error::new(ErrorCode::Internal, self.op, "no stream"))?;
        // SAFETY: only work of this stream, and of those that follow it, uses it until the operation has waited for all of these, or,
        // if it fails, has given it back.
        unsafe { Buffer::on_stream(&stream.as_ref(), len) }.map_err(|error| Error { op: self.op, ..error })
    }

    /// Copy words of the host, which may be used again at once, to those from a place on.
    pub(super) fn copy_from_host<T>(&self, to: &Memory<T>, at: usize, from: &[T]) -> Result<()> {
        self.copy(to, at, (from.as_ptr() as u64, Place::Host), from.len(), true)
    }

    /// Copy words of a GPU, which are ready, to those from a place on: when it returns, if they are another's.
    pub(super) fn copy_from_gpu<T>(&self, to: &Memory<T>, at: usize, from: Span<'_, T>, device: Device) -> Result<()> {
        self.copy(to, at, (from.address(), Place::Device(device)), from.len(), device == self.device())
    }

    fn copy<T>(&self, to: &Memory<T>, at: usize, from: (u64, Place), len: usize, is_async: bool) -> Result<()> {
        self.check("a copy's destination", to.len(), at + len)?;
        let args = CopyArgs {
            dst: (to.address() + (at * size_of::<T>()) as u64) as *mut u8,
            dst_place: Place::Device(self.device()),
            src: from.0 as *const u8,
            src_place: from.1,
            bytes: len * size_of::<T>(),
            in_order: true,
        };
        // SAFETY: as many elements on both sides; those of the host are read when this returns, those of this device stay until
        // the operation is done, those of another until the copy is.
        unsafe { icicle_cuda::copy::copy(&self.exec.with_async(is_async), &args) }
    }

    /// Words of the host as memory of the device, in the order of the stream: nothing is waited for.
    fn upload<'w, T>(&self, words: &'w [T]) -> Result<In>
    where
        Src<'w>: From<&'w [T]>,
    {
        In::copied(self.op, &self.exec, &Src::from(words))
    }

    fn check(&self, what: &str, got: usize, needed: usize) -> Result<()> {
        if got >= needed {
            return Ok(());
        }
        Err(Error::new(ErrorCode::Internal, self.op, format!("{what} has {got} elements, the kernel needs {needed}")))
    }

    /// # Safety
    /// The kernel reads and writes only memory that lives until the stream has passed it.
    unsafe fn launch<P: Parameters>(
        &self,
        kernel: Entry<P>,
        grid: [u32; 3],
        (block, shared): (u32, u32),
        arguments: P,
    ) -> Result<()> {
        let stream = self.exec.stream();
        // SAFETY: the caller's; freed memory goes back in the order of the stream.
        unsafe { self.image.launch_with_shared(stream, (Owner::Any, kernel), (Dim(grid), block, shared), &arguments) }
    }

    /// The key-switching key as its kernel reads it, of words of ciphertexts of `columns` words.
    pub(super) fn arrange_key(&self, words: &Buffer<u64>, columns: usize) -> Result<Buffer<u8>> {
        let groups = columns.div_ceil(kernels::SWITCH_COLUMNS as usize);
        self.check("key_switch", words.len(), POLYNOMIAL_SIZE * kernels::LEVELS * columns)?;
        let mut out = Buffer::on(self.device(), groups * kernels::SWITCH_KEY_BYTES)?;
        // A chunk of 16 bytes a thread.
        let blocks = (out.len() / 16 / BLOCK as usize) as u32;
        let arguments = (words.as_ptr() as u64, out.as_mut_ptr() as u64, columns as u32);
        // SAFETY: as many words as ciphertexts have, and all chunks of the result; both are kept until it is done.
        unsafe { self.launch(kernels::ARRANGE_KEY, [blocks, 1, 1], (BLOCK, 0), arguments)? };
        self.finish().map(|()| out)
    }

    /// Write signals as ciphertexts.
    pub(super) fn combine(&self, wiring: &Wiring<'_>, mut out: BufferViewMut<'_, u64>) -> Result<()> {
        self.check("out", out.len(), wiring.count * (POLYNOMIAL_SIZE + 1))?;
        let words = self.upload(&wiring.words)?;
        let [sources, terms, signals] = wiring.addresses(words.address());
        let arguments = (sources, terms, signals, 0, wiring.per_element as u32, out.as_mut_ptr() as u64);
        // SAFETY: what signals read is there, as their wiring checked; a result for each.
        unsafe { self.launch(kernels::COMBINE, [wiring.count as u32, 1, 1], (BLOCK, 0), arguments) }
    }

    /// Signals switched to the short key, and to powers of X, by a key as [`Steps::arrange_key`] gives it.
    pub(super) fn switch(&self, key: &Buffer<u8>, wiring: &Wiring<'_>, columns: usize) -> Result<Powers> {
        let n = wiring.count;
        self.check("a short ciphertext", STRIDE, columns)?;
        let groups = columns.div_ceil(kernels::SWITCH_COLUMNS as usize) as u32;
        self.check("the key", key.len(), groups as usize * kernels::SWITCH_KEY_BYTES)?;
        let digits = self.memory::<u32>(n * POLYNOMIAL_SIZE)?;
        let small = self.memory::<u32>(n * STRIDE)?;
        let words = self.memory::<u16>(n * STRIDE)?;
        let wires = self.upload(&wiring.words)?;
        let [sources, terms, signals] = wiring.addresses(wires.address());
        let (to_digits, to_small) = (digits.address(), small.address());
        let (count, columns, stride) = (n as u32, columns as u32, STRIDE as u32);
        let per_element = wiring.per_element as u32;
        let parts = PARTS[usize::from(n > FEW)];
        let tiles = count.div_ceil(kernels::SWITCH_ROWS);
        let warps = |n: u32| [n.div_ceil(WARPS), 1, 1];
        // SAFETY: what signals read is there, as their wiring checked; digits and short ciphertexts of each, and the key's columns.
        unsafe {
            let arguments = (sources, terms, signals, 0, per_element, to_digits, to_small, columns - 1, stride);
            self.launch(kernels::DECOMPOSE, [count, 1, 1], (BLOCK, 0), arguments)?;
            let arguments = (to_digits, key.as_ptr() as u64, to_small, count, columns, stride);
            self.launch(kernels::KEY_SWITCH, [groups.div_ceil(WARPS), tiles, parts], (BLOCK, 0), arguments)?;
            let arguments = (to_small, words.address(), count, columns, stride);
            self.launch(kernels::SWITCH_MODULUS, warps(count), (BLOCK, 0), arguments)?;
        }
        Ok(Powers { words, count: n })
    }

    /// Tables, which ciphertexts take in turn, rotated by them: so many outputs of each.
    pub(super) fn rotate(
        &self,
        key: &RotationKey,
        powers: &Powers,
        tables: &[u32],
        outputs: usize,
        columns: usize,
    ) -> Result<Memory<u64>> {
        let n = powers.count;
        let steps = columns - 1;
        self.check("the key", key.bootstrap.len(), steps * 4 * POLYNOMIAL_SIZE)?;
        self.check("tables", tables.len(), kernels::TABLE_VALUES)?;
        let values = self.upload(tables)?;
        let out = self.memory(n * outputs * (POLYNOMIAL_SIZE + 1))?;
        let shape = if n <= self.gpu.units as usize { self.few } else { self.many };
        let (kernel, roots) = match shape {
            kernels::ONE => (kernels::ROTATE_ONE, &key.thread_roots),
            kernels::TWO => (kernels::ROTATE_TWO, &key.lane_roots),
            _ => (kernels::ROTATE_SMALL, &key.lane_roots),
        };
        let arguments = (
            key.roots,
            roots.as_ptr() as u64,
            powers.words.address(),
            values.address(),
            key.bootstrap.as_ptr() as u64,
            out.address(),
            n as u32,
            (tables.len() / kernels::TABLE_VALUES) as u32,
            outputs as u32,
            steps as u32,
            STRIDE as u32,
        );
        let grid = [(n as u32).div_ceil(shape.together), 1, 1];
        // SAFETY: the key has so many steps, ciphertexts as many elements; a table at least, and all outputs of each.
        unsafe { self.launch(kernel, grid, (shape.threads, shape.shared), arguments)? };
        Ok(out)
    }
}
