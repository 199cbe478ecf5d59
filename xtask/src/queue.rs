//! The order of suites that run side by side: first those of a folder that no other builds in, for Cargo builds one thing at a
//! time in a folder; when there is none, the next: it waits for the folder, and builds while the other's tests run. What a suite runs
//! alone, a linker or a test of one thread, then leaves no processor idle.

use crate::suite::Suite;
use std::sync::{Mutex, PoisonError};

/// Suites by their numbers: those that wait, in order, and the places of those that run.
pub struct Queue {
    places: Vec<String>,
    state: Mutex<State>,
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
        Self { places, state: Mutex::new(state) }
    }

    /// The first that waits and whose place is free, otherwise the first that waits; none when none does.
    pub fn take(&self) -> Option<usize> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { waiting, running } = &mut *state;
        let free = |i: &usize| !running.iter().any(|&j| self.places[j] == self.places[*i]);
        let at = waiting.iter().position(free).or((!waiting.is_empty()).then_some(0))?;
        let i = waiting.remove(at);
        running.push(i);
        Some(i)
    }

    /// One that was taken has ended.
    pub fn done(&self, i: usize) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.running.retain(|&j| j != i);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{cargo, few};

    #[test]
    fn suites_of_other_places_come_first() {
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
    fn when_all_places_are_busy_the_next_is_taken() {
        let all = [few("a", "test"), few("b", "test"), few("c", "test")];
        let queue = Queue::new(&all.iter().collect::<Vec<_>>());
        assert_eq!([queue.take(), queue.take(), queue.take(), queue.take()], [Some(0), Some(1), Some(2), None]);
    }
}
