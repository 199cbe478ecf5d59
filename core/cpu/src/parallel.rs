//! Loops over all cores, compiled once for every caller: tasks are called through a pointer, since a task is large
//! enough not to feel it, and each copy of the thread pool's machinery would cost more than the kernels themselves.
#![allow(unsafe_code)]

use super::threads;
use rayon::prelude::*;
use std::marker::PhantomData;

/// Do the tasks `0..n`, on all threads if asked: those of the rayon pool the caller works for, else the library's own.
pub fn indices(n: usize, parallel: bool, task: &(dyn Fn(usize) + Sync)) {
    if !parallel || n < 2 {
        return (0..n).for_each(task);
    }
    match threads::pool() {
        threads::Pool::Callers => (0..n).into_par_iter().for_each(task),
        threads::Pool::Own(pool) => pool.install(|| (0..n).into_par_iter().for_each(task)),
        threads::Pool::None => (0..n).for_each(task),
    }
}

/// Threads that [`indices`] would use now.
pub fn threads() -> usize {
    match threads::pool() {
        threads::Pool::Callers => rayon::current_num_threads(),
        threads::Pool::Own(pool) => pool.current_num_threads(),
        threads::Pool::None => 1,
    }
}

/// How many of `n` tasks, at least `least`, follow each other on one thread and reuse per-task state.
pub fn run_length(n: usize, least: usize) -> usize {
    n.div_ceil(8 * threads()).max(least).max(1)
}

/// A slice cut into chunks of `size` elements, the last perhaps shorter.
struct Chunks<'a, T> {
    start: *mut T,
    len: usize,
    size: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: tasks on several threads each get another chunk, and `T` may be sent to them.
unsafe impl<T: Send> Sync for Chunks<'_, T> {}

impl<'a, T> Chunks<'a, T> {
    fn new(slice: &'a mut [T], size: usize) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len(), size, slice: PhantomData }
    }
    fn count(&self) -> usize {
        self.len.div_ceil(self.size)
    }
    /// # Safety
    /// `i` is below `count`, and no other chunk of this number is alive.
    #[allow(clippy::mut_from_ref)]
    unsafe fn get(&self, i: usize) -> &mut [T] {
        let first = i * self.size;
        // SAFETY: within the slice, which is borrowed; chunks do not overlap, and this is the only one of its number.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(first), self.size.min(self.len - first)) }
    }
}

/// Do a task for each chunk of `size` elements, given its index, on all threads.
pub fn chunks<T: Send>(data: &mut [T], size: usize, task: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let data = Chunks::new(data, size);
    // SAFETY: each index occurs once.
    indices(data.count(), true, &|i| task(i, unsafe { data.get(i) }));
}

/// What is done for a place, given its index and the chunks there.
type PairTask<'a, A, B> = &'a (dyn Fn(usize, &mut [A], &mut [B]) + Sync);

/// Do a task for the chunks at each place of two slices, cut into chunks of their own size, on all threads.
pub fn chunks_with<A: Send, B: Send>(
    (a, a_size): (&mut [A], usize),
    (b, b_size): (&mut [B], usize),
    task: PairTask<'_, A, B>,
) {
    let (a, b) = (Chunks::new(a, a_size), Chunks::new(b, b_size));
    // SAFETY: each index occurs once, and is below both counts.
    indices(a.count().min(b.count()), true, &|i| task(i, unsafe { a.get(i) }, unsafe { b.get(i) }));
}

/// Do a task for the chunks at each place of equally long slices, on all threads.
pub fn chunks_of<T: Send, const N: usize>(slices: [&mut [T]; N], size: usize, task: &(dyn Fn([&mut [T]; N]) + Sync)) {
    let slices = slices.map(|slice| Chunks::new(slice, size));
    let count = slices.iter().map(Chunks::count).min().unwrap_or(0);
    // SAFETY: each index occurs once, and is below every count.
    indices(count, true, &|i| task(std::array::from_fn(|k| unsafe { slices[k].get(i) })));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chunk_is_lent_once() {
        for (n, size) in [(0, 3), (1, 3), (3, 3), (10, 3), (1000, 1), (12, 100)] {
            let mut data = vec![0usize; n];
            chunks(&mut data, size, &|i, chunk| chunk.iter_mut().for_each(|x| *x += i + 1));
            assert!(data.iter().enumerate().all(|(at, &x)| x == at / size + 1), "{n} {size}");
            let (mut a, mut b) = (vec![1usize; n], vec![2usize; n]);
            chunks_of([&mut a, &mut b], size, &|[a, b]| a.swap_with_slice(b));
            assert!(a.iter().all(|&x| x == 2) && b.iter().all(|&x| x == 1), "{n} {size}");
        }
        assert!(run_length(1, 1) == 1 && run_length(5, 100) == 100 && run_length(0, 0) == 1);
    }
}
