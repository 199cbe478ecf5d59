//! Loops over all cores, compiled once for every caller: tasks are called through a pointer, since a task is large
//! enough not to feel it, and each copy of the thread pool's machinery would cost more than the kernels themselves.

use rayon::prelude::*;

/// Do the tasks `0..n`, on all threads if asked.
pub(crate) fn indices(n: usize, parallel: bool, task: &(dyn Fn(usize) + Sync)) {
    if parallel {
        (0..n).into_par_iter().for_each(task);
    } else {
        (0..n).for_each(task);
    }
}

/// Do a task for each chunk of `size` elements, given its index, on all threads.
pub(crate) fn chunks<T: Send>(data: &mut [T], size: usize, task: &(dyn Fn(usize, &mut [T]) + Sync)) {
    data.par_chunks_mut(size).enumerate().for_each(|(i, chunk)| task(i, chunk));
}

/// Do a task for the chunks at each place of two equally long slices, on all threads.
pub(crate) fn paired_chunks<T: Send>([a, b]: [&mut [T]; 2], size: usize, task: &(dyn Fn([&mut [T]; 2]) + Sync)) {
    a.par_chunks_mut(size).zip(b.par_chunks_mut(size)).for_each(|(a, b)| task([a, b]));
}

/// Do a task for the chunks at each place of four equally long slices, on all threads.
pub(crate) fn four_chunks<T: Send>([a, b, c, d]: [&mut [T]; 4], size: usize, task: &(dyn Fn([&mut [T]; 4]) + Sync)) {
    let left = a.par_chunks_mut(size).zip(b.par_chunks_mut(size));
    let right = c.par_chunks_mut(size).zip(d.par_chunks_mut(size));
    left.zip(right).for_each(|((a, b), (c, d))| task([a, b, c, d]));
}
