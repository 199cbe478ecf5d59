//! The order of suites that run side by side: each as soon as none runs that builds in the same folder. Cargo builds one thing at a
//! time in a folder; what a suite runs alone, a linker or a test of one thread, then leaves no processor idle.

use crate::suites::Suite;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Suites by their numbers: those that wait, in order, and the places of those that run.
pub struct Queue {
    places: Vec<String>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    waiting: Vec<usize>,
    running: Vec<usize>,
}

impl Queue {
    /// All of the suites wait.
    pub fn new(suites: &[&Suite]) -> Self {
        let places: Vec<_> = suites.iter().map(|suite| suite.place()).collect();
        let state = State { waiting: (0..places.len()).collect(), running: Vec::new() };
        Self { places, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first that waits and whose place is free, when there is one; none when none waits.
    pub fn take(&self) -> Option<usize> {
        let mut state = self.state();
        while !state.waiting.is_empty() {
            let busy = |i: usize| state.running.iter().any(|&j| self.places[j] == self.places[i]);
            if let Some(at) = state.waiting.iter().position(|&i| !busy(i)) {
                let i = state.waiting.remove(at);
                state.running.push(i);
                return Some(i);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// One that was taken has ended.
    pub fn done(&self, i: usize) {
        self.state().running.retain(|&j| j != i);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::{cargo, few};

    #[test]
    fn suites_of_one_place_run_one_after_another() {
        let all = [cargo("a", "test --release"), cargo("b", "run --release"), few("c", "test"), cargo("d", "test")];
        let queue = Queue::new(&all.iter().collect::<Vec<_>>());
        assert_eq!(queue.take(), Some(0));
        assert_eq!(queue.take(), Some(2), "the second builds where the first does");
        queue.done(0);
        assert_eq!(queue.take(), Some(1));
        queue.done(2);
        assert_eq!(queue.take(), Some(3));
        assert_eq!(queue.take(), None);
    }

    #[test]
    fn who_finds_all_places_busy_waits() {
        let all = [few("a", "test"), few("b", "test")];
        let queue = Queue::new(&all.iter().collect::<Vec<_>>());
        assert_eq!(queue.take(), Some(0));
        std::thread::scope(|scope| {
            let second = scope.spawn(|| queue.take());
            std::thread::sleep(std::time::Duration::from_millis(20));
            assert!(!second.is_finished(), "it must wait");
            queue.done(0);
            assert_eq!(second.join().ok(), Some(Some(1)));
        });
    }
}
