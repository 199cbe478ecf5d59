//! Memory of one virtual CPU device: what is handed out, a cache of freed blocks by size, and a limit.
//!
//! Freed blocks are kept so that the next allocation of about the same size costs neither system calls nor page faults.
//! Memory from the system is zeroed: every byte a caller can reach is initialised, whatever the block held before.
#![allow(unsafe_code)]

use icicle_device::Device;
use icicle_error::{Error, ErrorCode, Result};
use std::alloc::Layout;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Alignment of device memory: a cache line, and a register of 512 bits.
pub(super) const ALIGN: usize = 64;

/// The largest size a block can have: the address space, less a block's header and rounding.
const MAX_BYTES: usize = isize::MAX as usize / 8 * 7;

/// What the virtual devices share: the host's memory.
#[derive(Debug, Default)]
pub(super) struct HostMemory {
    /// Bytes of the host in all, where known.
    total: Option<u64>,
    /// Bytes all pools hold.
    reserved: AtomicU64,
}

impl HostMemory {
    pub(super) fn new(total: Option<u64>) -> Arc<Self> {
        Arc::new(Self { total, reserved: AtomicU64::new(0) })
    }

    /// Bytes of the host in all, where known.
    pub(super) fn total(&self) -> Option<u64> {
        self.total
    }

    /// A zeroed block, unless the pools together would then hold more than the host has. Systems that overcommit grant
    /// such sizes and kill the process at the first touch.
    pub(super) fn allocate(&self, size: usize) -> Option<Block> {
        let fits = |held: u64| held.checked_add(size as u64).filter(|&sum| self.total.is_none_or(|total| sum <= total));
        self.reserved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).ok()?;
        let block = Block::from_system(size);
        if block.is_none() {
            self.reserved.fetch_sub(size as u64, Ordering::Relaxed);
        }
        block
    }

    /// Give a block back to the system.
    ///
    /// # Safety
    /// `size` is that of [`HostMemory::allocate`].
    pub(super) unsafe fn release(&self, block: Block, size: usize) {
        // SAFETY: the caller's.
        unsafe { block.into_system(size) };
        self.reserved.fetch_sub(size as u64, Ordering::Relaxed);
    }
}

/// Bytes from which on a block is worth pages of 2 MiB: it has some whole ones.
#[cfg(target_os = "linux")]
const LARGE: usize = 4 << 20;

/// Ask for large pages, if the system gives them to those who ask: strides then miss far fewer translations of addresses, and
/// the first touch faults once instead of 512 times.
fn large_pages(base: NonNull<u8>, size: usize) {
    #[cfg(target_os = "linux")]
    if size >= LARGE {
        const PAGE: usize = 2 << 20;
        let skip = base.addr().get().next_multiple_of(PAGE) - base.addr().get();
        // SAFETY: whole pages within the allocation, as its size is above one of them; the advice changes no contents.
        unsafe { libc::madvise(base.as_ptr().add(skip).cast(), (size - skip) / PAGE * PAGE, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (base, size);
}

/// A block from the system, owned; its size is kept by the pool.
#[derive(Debug)]
pub(super) struct Block(NonNull<u8>);

// SAFETY: a block is plain memory with one owner.
unsafe impl Send for Block {}

impl Block {
    /// The system's zeroed pages come at an alignment of 16 only; the block starts at the next multiple of `ALIGN`, and
    /// the distance is kept in the word before it.
    fn layout(size: usize) -> Option<Layout> {
        Layout::from_size_align(size.checked_add(ALIGN)?, 16).ok()
    }

    fn from_system(size: usize) -> Option<Self> {
        // SAFETY: the layout's size is at least `ALIGN`, so not zero.
        let base = NonNull::new(unsafe { std::alloc::alloc_zeroed(Self::layout(size)?) })?;
        large_pages(base, size);
        let offset = ALIGN - base.addr().get() % ALIGN;
        // SAFETY: 16 ≤ offset ≤ ALIGN as the base is aligned to 16, and the allocation has ALIGN bytes to spare.
        let ptr = unsafe { base.add(offset) };
        // SAFETY: the word lies within the at least 16 bytes before the block, aligned to 8.
        unsafe { ptr.cast::<usize>().sub(1).write(offset) };
        Some(Self(ptr))
    }

    /// # Safety
    /// `size` is that of `from_system`.
    unsafe fn into_system(self, size: usize) {
        // SAFETY: written by `from_system`, outside the caller's part of the block.
        let offset = unsafe { self.0.cast::<usize>().sub(1).read() };
        // SAFETY: back to the allocation's first byte.
        let base = unsafe { self.0.sub(offset) };
        if let Some(layout) = Self::layout(size) {
            // SAFETY: allocated with this layout, as the size is the same.
            unsafe { std::alloc::dealloc(base.as_ptr(), layout) };
        }
    }

    /// Hand the memory out; [`Block::from_ptr`] takes it back.
    pub(super) fn into_ptr(self) -> NonNull<u8> {
        self.0
    }

    /// # Safety
    /// `ptr` came from `into_ptr` and is not used again.
    pub(super) unsafe fn from_ptr(ptr: NonNull<u8>) -> Self {
        Self(ptr)
    }
}

/// What the first words of a block in a list hold.
struct Link {
    next: Option<NonNull<Link>>,
    size: usize,
}

/// Blocks nobody has been given, each linked to the next, so that giving memory back takes none.
#[derive(Debug, Default)]
struct FreeList(Option<NonNull<Link>>);

// SAFETY: the list owns its blocks.
unsafe impl Send for FreeList {}

impl FreeList {
    fn is_empty(&self) -> bool {
        self.0.is_none()
    }
    fn push(&mut self, block: Block, size: usize) {
        let link = block.into_ptr().cast::<Link>();
        // SAFETY: a block has at least `ALIGN` bytes and that alignment, and nobody else has it.
        unsafe { link.write(Link { next: self.0, size }) };
        self.0 = Some(link);
    }
    /// A block and its size.
    fn pop(&mut self) -> Option<(Block, usize)> {
        let link = self.0?;
        // SAFETY: written by `push`; nobody had the block since.
        let Link { next, size } = unsafe { link.read() };
        self.0 = next;
        Some((Block(link.cast()), size))
    }
}

/// The size of the block that serves `bytes`: multiples of 64 up to 512, then eight sizes per power of two.
pub(super) fn block_size(bytes: usize) -> Result<usize> {
    if bytes > MAX_BYTES {
        return Err(Error::new(
            ErrorCode::AllocationFailed,
            "malloc",
            format!("size {bytes}: exceeds the address space"),
        ));
    }
    let step = match bytes {
        0..=512 => ALIGN,
        _ => 1 << ((bytes - 1).ilog2() - 3),
    };
    Ok(bytes.max(1).next_multiple_of(step))
}

/// A pool in numbers, all in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Handed out, as asked for.
    pub used: u64,
    /// Held, handed out or cached, as rounded.
    pub reserved: u64,
    /// Highest `used`.
    pub high_water: u64,
    /// Allocations alive.
    pub allocations: u64,
    /// Hard limit of `used`; the cache gives way to it too.
    pub limit: Option<u64>,
}

#[derive(Debug, Default)]
struct State {
    counts: Counts,
    /// Freed blocks by size; no empty lists.
    cached: BTreeMap<usize, FreeList>,
    cached_bytes: u64,
}

impl State {
    fn take(&mut self, size: usize) -> Option<Block> {
        let blocks = self.cached.get_mut(&size)?;
        let (block, _) = blocks.pop()?;
        if blocks.is_empty() {
            self.cached.remove(&size);
        }
        self.cached_bytes -= size as u64;
        Some(block)
    }

    /// Take cached blocks, large ones first, while `more` says so; the caller releases them outside the lock.
    fn shed(&mut self, spare: Option<usize>, more: impl Fn(&Self) -> bool) -> FreeList {
        let mut out = FreeList::default();
        while more(self) {
            let Some(size) = self.cached.keys().rev().copied().find(|&size| Some(size) != spare) else {
                break;
            };
            let Some(block) = self.take(size) else {
                break;
            };
            self.counts.reserved -= size as u64;
            out.push(block, size);
        }
        out
    }
}

/// The pool of one virtual device.
#[derive(Debug)]
pub(super) struct Pool {
    device: Device,
    host: Arc<HostMemory>,
    /// Most bytes the cache holds; larger blocks go straight back.
    keep: u64,
    state: Mutex<State>,
}

impl Pool {
    pub(super) fn new(device: Device, host: Arc<HostMemory>, keep: u64, limit: Option<u64>) -> Self {
        let state = State { counts: Counts { limit, ..Counts::default() }, ..State::default() };
        Self { device, host, keep, state: Mutex::new(state) }
    }

    /// The counters stay whole even if a holder of the lock panicked: each change is a few additions.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn counts(&self) -> Counts {
        self.lock().counts
    }

    pub(super) fn set_limit(&self, limit: Option<u64>) {
        self.lock().counts.limit = limit;
    }

    /// Give cached blocks back until at most `keep` bytes stay reserved.
    pub(super) fn trim(&self, keep: u64) {
        let freed = self.lock().shed(None, |state| state.counts.reserved > keep);
        self.release(freed);
    }

    fn release(&self, mut blocks: FreeList) {
        while let Some((block, size)) = blocks.pop() {
            // SAFETY: allocated with this size: the cache keys are the sizes blocks were allocated with.
            unsafe { self.host.release(block, size) };
        }
    }

    /// Memory for `bytes`, aligned to [`ALIGN`], initialised, its contents unspecified.
    pub(super) fn alloc(&self, bytes: usize) -> Result<NonNull<u8>> {
        let size = block_size(bytes)?;
        let shed = {
            let mut state = self.lock();
            let limit = state.counts.limit.unwrap_or(u64::MAX);
            let used = state.counts.used.saturating_add(bytes as u64);
            if used > limit {
                return Err(self.exhausted(bytes, "the limit is reached", &state.counts));
            }
            state.counts.used = used;
            state.counts.allocations += 1;
            if let Some(block) = state.take(size) {
                state.counts.high_water = state.counts.high_water.max(used);
                return Ok(block.into_ptr());
            }
            state.counts.reserved += size as u64;
            state.shed(None, |state| state.counts.reserved > limit)
        };
        // The system is asked outside the lock: it may have to zero the block.
        self.release(shed);
        let block = self.host.allocate(size).or_else(|| {
            self.trim(0);
            self.host.allocate(size)
        });
        let mut state = self.lock();
        let Some(block) = block else {
            state.counts.used -= bytes as u64;
            state.counts.reserved -= size as u64;
            state.counts.allocations -= 1;
            return Err(self.exhausted(bytes, "the host has no such memory left", &state.counts));
        };
        state.counts.high_water = state.counts.high_water.max(state.counts.used);
        Ok(block.into_ptr())
    }

    /// Take memory back.
    ///
    /// # Safety
    /// `ptr` came from [`Pool::alloc`] of this pool with the same `bytes` and is not used again.
    pub(super) unsafe fn free(&self, ptr: NonNull<u8>, bytes: usize) -> Result<()> {
        let size = block_size(bytes)?;
        // SAFETY: the caller's.
        let block = unsafe { Block::from_ptr(ptr) };
        let freed = {
            let mut state = self.lock();
            state.counts.used -= bytes as u64;
            state.counts.allocations -= 1;
            let room = self.keep.min(state.counts.limit.unwrap_or(u64::MAX));
            let full = |state: &State| state.cached_bytes + size as u64 > room;
            // Old sizes give way to the one in use now, but not for a block the cache cannot hold at all.
            let mut freed = match size as u64 > room {
                true => FreeList::default(),
                false => state.shed(Some(size), full),
            };
            if full(&state) {
                state.counts.reserved -= size as u64;
                freed.push(block, size);
            } else {
                state.cached.entry(size).or_default().push(block, size);
                state.cached_bytes += size as u64;
            }
            freed
        };
        self.release(freed);
        Ok(())
    }

    fn exhausted(&self, bytes: usize, why: &str, counts: &Counts) -> Error {
        let limit = counts.limit.map_or_else(|| "none".into(), |limit| limit.to_string());
        let total = self.host.total.map_or_else(|| "unknown".into(), |total| total.to_string());
        let detail = format!(
            "size {bytes} on {}: {why}; bytes used {}, reserved {}, limit {limit}, host {total}",
            self.device, counts.used, counts.reserved
        );
        Error::new(ErrorCode::OutOfMemory, "malloc", detail)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.trim(0);
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
