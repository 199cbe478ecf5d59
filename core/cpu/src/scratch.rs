//! Memory of the tasks of a parallel loop, made before the loop: a task that allocated could be refused when others have
//! written results already.

use super::parallel::threads;
use icicle_error::Result;
use icicle_error::reserve::with_capacity;
use rayon::current_thread_index;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// A value that one task at a time uses, on cache lines of its own: two, as processors fetch them in pairs.
#[repr(align(128))]
struct Slot<T>(Mutex<T>);

impl<T> Slot<T> {
    fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            // Scratch may hold anything.
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// Scratch for each thread that works on a loop.
pub struct PerThread<T>(Vec<Slot<T>>);

impl<T> PerThread<T> {
    /// As many values as threads of the pool can do `tasks` tasks at once.
    ///
    /// # Errors
    /// `OutOfMemory`, also that of `make`.
    pub fn new(op: &'static str, tasks: usize, mut make: impl FnMut() -> Result<T>) -> Result<Self> {
        // Nobody asks for the pool where one thread does all.
        let count = if tasks > 1 { threads().min(tasks) } else { 1 };
        let mut slots = with_capacity(op, count)?;
        for _ in 0..count {
            slots.push(Slot(Mutex::new(make()?)));
        }
        Ok(Self(slots))
    }

    /// Lend a value to a task, the thread's own or, where that is taken, the next free one. The task runs no parallel loop
    /// meanwhile: its thread could take up another task there, which would find no value free.
    pub fn lend<R>(&self, task: impl FnOnce(&mut T) -> R) -> R {
        let (before, from) = self.0.split_at(current_thread_index().unwrap_or(0) % self.0.len());
        // There is a value for each thread of the pool; threads that are not the pool's, should any come, wait.
        let free = from.iter().chain(before).find_map(Slot::try_lock);
        task(&mut free.unwrap_or_else(|| from[0].0.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::indices;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn every_task_has_a_value_to_itself() {
        for tasks in [0, 1, 3, 1000] {
            let made = AtomicUsize::new(0);
            let make = || {
                made.fetch_add(1, Ordering::Relaxed);
                Ok((false, 0usize))
            };
            let values = PerThread::new("test", tasks, make).unwrap();
            assert!((1..=threads().min(tasks).max(1)).contains(&made.into_inner()));
            let task = |_| {
                values.lend(|(used, count)| {
                    assert!(!std::mem::replace(used, true), "two tasks have one value");
                    *count += 1;
                    std::thread::yield_now();
                    *used = false;
                })
            };
            indices(tasks, true, &task);
            let done: usize = values.0.iter().map(|slot| slot.try_lock().unwrap().1).sum();
            assert_eq!(done, tasks);
        }
    }

    #[test]
    fn threads_outside_the_pool_wait_for_their_turn() {
        let values = PerThread::new("test", 2, || Ok(0usize)).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| (0..100).for_each(|_| values.lend(|count| *count += 1)));
            }
        });
        assert_eq!(values.0.iter().map(|slot| *slot.try_lock().unwrap()).sum::<usize>(), 1600);
    }
}
