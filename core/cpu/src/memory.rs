//! The CPU's view of operands: host-addressable memory as raw element arrays.
//!
//! An output may be exactly an input, so these are not slices but pairs of pointer and length with copying accessors;
//! [`In::slice`] and [`Out::slice`] are for operations whose arguments are proven disjoint.
#![allow(unsafe_code)]
#![allow(clippy::len_without_is_empty)] // kernels take lengths; none asks whether there is nothing

use bytemuck::Pod;
use icicle_device::{Dst, Src};
use icicle_error::Result;
use icicle_error::reserve::refused;
use std::alloc::Layout;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// Bytes that loops ask for memory ahead.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 1024;
/// Bytes of results that are written by streaming stores: with their operands more than three times a core's own cache. Written
/// through it they would first be read, and be gone from it before anyone else wants them.
const STREAMING_FROM: usize = 8 << 20;

/// What was written by streaming (non-temporal) stores is seen by whoever learns that this thread is done.
#[inline(always)]
pub fn store_fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}

/// Elements to read.
#[derive(Clone, Copy)]
pub struct In<'a, T> {
    ptr: *const T,
    len: usize,
    memory: PhantomData<&'a T>,
}

/// Elements to write (and read). Threads may write disjoint ranges at the same time.
pub struct Out<'a, T> {
    ptr: *mut T,
    len: usize,
    memory: PhantomData<&'a mut T>,
}

// SAFETY: plain data behind the pointers; who writes what is each operation's partition of the index range.
unsafe impl<T: Send + Sync> Send for In<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for In<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Send for Out<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Out<'_, T> {}

impl<'a, T: Pod> In<'a, T> {
    /// View a source. Its length is a whole number of elements and its address aligned to 4 bytes, the alignment of
    /// every memory form: `Args` constructors and the FFI's pointer checks see to it.
    pub fn new(src: &Src<'a>) -> Self {
        let len = src.bytes() / size_of::<T>();
        // An empty source may have any address, null included.
        let ptr: *const T = if len == 0 { std::ptr::NonNull::dangling().as_ptr() } else { src.as_ptr().cast() };
        assert!(ptr.is_aligned() && len * size_of::<T>() == src.bytes(), "unchecked source");
        Self { ptr, len, memory: PhantomData }
    }
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Where they begin.
    pub fn start(&self) -> *const u8 {
        self.ptr.cast()
    }
    /// The `i`-th element.
    #[inline(always)]
    pub fn get(&self, i: usize) -> T {
        assert!(i < self.len);
        // SAFETY: in bounds of memory valid for reads; `T` is plain data.
        unsafe { self.ptr.add(i).read() }
    }
    /// The address of elements `start..start + n`.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    #[inline(always)]
    pub fn at(&self, start: usize, n: usize) -> *const T {
        assert!(start <= self.len && n <= self.len - start);
        self.ptr.wrapping_add(start)
    }
    /// `G` elements from `start` on.
    #[inline(always)]
    pub fn group<const G: usize>(&self, start: usize) -> [T; G] {
        // SAFETY: in bounds, as `at` checks; arrays of plain data may be read anywhere.
        unsafe { self.at(start, G).cast::<[T; G]>().read_unaligned() }
    }
    /// Prefetch what lies some way behind `G` elements from `start` on.
    #[inline(always)]
    pub fn prefetch<const G: usize>(&self, start: usize) {
        #[cfg(target_arch = "x86_64")]
        for line in 0..size_of::<[T; G]>().div_ceil(64) {
            use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let at = self.ptr.wrapping_add(start).wrapping_byte_add(AHEAD + 64 * line);
            // SAFETY: a hint, which may name any address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = start;
    }
    /// Copy elements `start..start + block.len()` out.
    #[inline(always)]
    pub fn read(&self, start: usize, block: &mut [T]) {
        assert!(start <= self.len && block.len() <= self.len - start);
        // SAFETY: in bounds; a private block does not overlap foreign memory.
        unsafe { std::ptr::copy_nonoverlapping(self.ptr.add(start), block.as_mut_ptr(), block.len()) }
    }
    /// As a slice.
    ///
    /// # Safety
    /// Nothing writes this memory while the slice lives: the operation's outputs are disjoint from it.
    pub unsafe fn slice(&self) -> &'a [T] {
        // SAFETY: valid for reads for `'a`, aligned, and by contract not written.
        unsafe { std::slice::from_raw_parts(self.ptr, self.len) }
    }
}

impl<'a, T: Pod> Out<'a, T> {
    /// View a destination; as [`In::new`].
    pub fn new(dst: &Dst<'a>) -> Self {
        let view = In::<T>::new(&dst.as_src());
        Self { ptr: view.ptr.cast_mut(), len: view.len, memory: PhantomData }
    }
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Set the `i`-th element.
    #[inline(always)]
    pub fn set(&self, i: usize, value: T) {
        assert!(i < self.len);
        // SAFETY: in bounds of memory valid for writes; each index is written by one task only.
        unsafe { self.ptr.add(i).write(value) }
    }
    /// The address of elements `start..start + n`; ranges are written by one task only.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    #[inline(always)]
    pub fn at(&self, start: usize, n: usize) -> *mut T {
        assert!(start <= self.len && n <= self.len - start);
        self.ptr.wrapping_add(start)
    }
    /// Copy elements in, from `start` on.
    #[inline(always)]
    pub fn write(&self, start: usize, block: &[T]) {
        assert!(start <= self.len && block.len() <= self.len - start);
        // SAFETY: in bounds; a private block does not overlap foreign memory; ranges are written by one task only.
        unsafe { std::ptr::copy_nonoverlapping(block.as_ptr(), self.ptr.add(start), block.len()) }
    }
    /// Copy elements `start..start + n` of a source, which may be this memory, to the same places.
    #[inline(always)]
    pub fn copy(&self, src: &In<'_, T>, start: usize, n: usize) {
        // SAFETY: both in bounds, as `at` checks; ranges are written by one task only.
        unsafe { std::ptr::copy(src.at(start, n), self.at(start, n), n) }
    }
    /// Write elements from `start` on, by streaming stores if asked; [`store_fence`] must follow then.
    #[inline(always)]
    pub fn put<const G: usize>(&self, start: usize, group: [T; G], streaming: bool) {
        let to = self.at(start, G);
        #[cfg(target_arch = "x86_64")]
        if streaming && size_of::<[T; G]>().is_multiple_of(16) && to.addr().is_multiple_of(16) {
            use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
            for i in 0..size_of::<[T; G]>() / 16 {
                // SAFETY: in bounds, as `at` checks, and aligned; ranges are written by one task only.
                unsafe {
                    _mm_stream_si128(
                        to.cast::<__m128i>().add(i),
                        _mm_loadu_si128(group.as_ptr().cast::<__m128i>().add(i)),
                    )
                };
            }
            return;
        }
        let _ = streaming;
        // SAFETY: in bounds, as `at` checks; ranges are written by one task only.
        unsafe { to.cast::<[T; G]>().write_unaligned(group) };
    }
    /// Whether results are written by streaming stores: those that are large, and whose memory was not read for them.
    pub fn streaming_stores(&self, operands: &[*const u8]) -> bool {
        cfg!(target_arch = "x86_64")
            && self.len.saturating_mul(size_of::<T>()) >= STREAMING_FROM
            && !operands.contains(&self.ptr.cast_const().cast())
    }
    /// Whether this is the same memory as a source.
    pub fn is(&self, other: &In<'_, T>) -> bool {
        std::ptr::eq(self.ptr, other.ptr)
    }
    /// As a slice.
    ///
    /// # Safety
    /// Nothing else accesses this memory while the slice lives: the operation's inputs are disjoint from it or no longer
    /// read, and no two slices of it live at once.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn slice(&self) -> &'a mut [T] {
        // SAFETY: valid for reads and writes for `'a`, aligned, and by contract not accessed otherwise.
        unsafe { std::slice::from_raw_parts_mut(self.ptr, self.len) }
    }
}

/// `n` zeros that the system provides as they are first touched.
///
/// # Errors
/// `OutOfMemory`.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub fn zeroed<T: Pod>(op: &'static str, n: usize) -> Result<Vec<T>> {
    let refused = || refused(op, n, size_of::<T>());
    let layout = Layout::array::<T>(n).map_err(|_| refused())?;
    if layout.size() == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: not of size 0.
    let start = unsafe { std::alloc::alloc_zeroed(layout) }.cast::<T>();
    if start.is_null() {
        return Err(refused());
    }
    // SAFETY: allocated as an array of `n`, by the allocator of vectors; zeros are values of plain data.
    Ok(unsafe { Vec::from_raw_parts(start, n, n) })
}

/// A cache line.
#[repr(align(64))]
#[derive(Clone, Copy)]
struct Line {
    _bytes: [u8; 64],
}

/// Elements that begin where a cache line does, so that each lies in as few as can be: the allocator's memory begins 16
/// bytes into one.
pub struct Aligned<T> {
    lines: Vec<MaybeUninit<Line>>,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Copy> Aligned<T> {
    /// `n` times a value.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn new(op: &'static str, n: usize, value: T) -> Result<Self> {
        const { assert!(align_of::<T>() <= align_of::<Line>()) };
        let lines = n.saturating_mul(size_of::<T>()).div_ceil(size_of::<Line>());
        let mut memory = Vec::<MaybeUninit<Line>>::new();
        memory.try_reserve_exact(lines).map_err(|_| refused(op, n, size_of::<T>()))?;
        for i in 0..n {
            // SAFETY: within the lines reserved.
            unsafe { memory.as_mut_ptr().cast::<T>().add(i).write(value) };
        }
        // SAFETY: reserved; such lines may hold anything.
        unsafe { memory.set_len(lines) };
        Ok(Self { lines: memory, len: n, elements: PhantomData })
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: the lines hold so many elements, written when they were made.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl<T> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

/// Bytes of scratch memory that stay with the process between calls: fresh pages cost more than the passes over them.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
const KEPT: usize = 1 << 25;

/// Those kept, the oldest first.
static SPARE: Mutex<Vec<Vec<u64>>> = Mutex::new(Vec::new());

/// Scratch memory of any content.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub struct Scratch(Vec<u64>);

#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
impl Scratch {
    /// At least `n` elements.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn new<T: Pod>(op: &'static str, n: usize) -> Result<Self> {
        let bytes = n.checked_mul(size_of::<T>()).ok_or_else(|| refused(op, n, size_of::<T>()))?;
        let words = bytes.div_ceil(8);
        if words == 0 {
            return Ok(Self(Vec::new()));
        }
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = (0..spare.len()).filter(|&i| spare[i].len() >= words).min_by_key(|&i| spare[i].len());
        let kept = fits.map(|i| spare.remove(i));
        drop(spare);
        Ok(Self(kept.map_or_else(|| zeroed(op, words), Ok)?))
    }
    /// The elements that fit.
    pub fn elements<T: Pod>(&mut self) -> &mut [T] {
        let bytes = bytemuck::cast_slice_mut::<u64, u8>(&mut self.0);
        let whole = bytes.len() / size_of::<T>() * size_of::<T>();
        bytemuck::cast_slice_mut(&mut bytes[..whole])
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.0.is_empty() {
            return;
        }
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.try_reserve(1).is_ok() {
            spare.push(std::mem::take(&mut self.0));
        }
        while spare.iter().map(|memory| 8 * memory.len()).sum::<usize>() > KEPT {
            spare.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_copied_to_its_places() {
        let (from, mut to) = ([1u32, 2, 3, 4, 5], [0u32; 5]);
        Out::<u32>::new(&Dst::from(&mut to[..])).copy(&In::new(&Src::from(&from[..])), 1, 3);
        assert_eq!(to, [0, 2, 3, 4, 0]);
        let same = Dst::from(&mut to[..]);
        Out::<u32>::new(&same).copy(&In::new(&same.as_src()), 0, 5);
        assert_eq!(to, [0, 2, 3, 4, 0]);
    }

    #[test]
    fn scratch_memory_that_is_kept_is_bounded() {
        let held: Vec<_> = (0..5).map(|_| Scratch::new::<u64>("test", KEPT / 8 / 3).unwrap()).collect();
        drop(held);
        let spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(spare.iter().map(|memory| size_of_val(&memory[..])).sum::<usize>() <= KEPT);
    }
}
