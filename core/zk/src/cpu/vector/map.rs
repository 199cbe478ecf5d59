//! Element by element, from operands straight to results.
//!
//! Elements go in groups whose length the compiler knows, so that loops over small fields become vector code whatever
//! overlaps: a group is read before it is written, and an output may be exactly an input.

use bytemuck::Pod;
use icicle_cpu::blocks::{GROUP, Work};
use icicle_cpu::dispatch::Kernel;
use icicle_cpu::memory::{In, Out, store_fence};
use std::marker::PhantomData;
use std::ops::Range;

/// An operation on one element of each operand, kept apart from the loop so that the loop is compiled around it.
pub(super) trait Pairwise<X, Y, A>: Copy + Send + Sync {
    const WORK: Work;
    const VECTORS: bool;
    fn apply(x: X, y: Y) -> A;
}

/// An operand: elements by the index of the result.
pub(super) trait Source: Copy + Send + Sync {
    type Item: Copy;
    fn group<const G: usize>(&self, start: usize) -> [Self::Item; G];
    /// `G` elements from here on are about to be read.
    fn prefetch<const G: usize>(&self, start: usize);
}

impl<T: Pod + Send + Sync> Source for &In<'_, T> {
    type Item = T;
    #[inline(always)]
    fn group<const G: usize>(&self, start: usize) -> [T; G] {
        In::group(self, start)
    }
    #[inline(always)]
    fn prefetch<const G: usize>(&self, start: usize) {
        In::prefetch::<G>(self, start);
    }
}

/// The same element everywhere.
#[derive(Clone, Copy)]
pub(super) struct Repeat<S>(pub S);

impl<S: Copy + Send + Sync> Source for Repeat<S> {
    type Item = S;
    #[inline(always)]
    fn group<const G: usize>(&self, _: usize) -> [S; G] {
        [self.0; G]
    }
    #[inline(always)]
    fn prefetch<const G: usize>(&self, _: usize) {}
}

/// Elements of which the first belongs to the result of this index.
#[derive(Clone, Copy)]
pub(super) struct Along<'a, S>(pub usize, pub &'a [S]);

impl<S: Copy + Send + Sync> Source for Along<'_, S> {
    type Item = S;
    #[inline(always)]
    fn group<const G: usize>(&self, start: usize) -> [S; G] {
        let here = &self.1[start - self.0..][..G];
        let mut group = [here[0]; G];
        group.copy_from_slice(here);
        group
    }
    #[inline(always)]
    fn prefetch<const G: usize>(&self, _: usize) {}
}

/// Results of a range.
pub(super) struct Map<'m, X, Y, A, P> {
    pub x: X,
    pub y: Y,
    pub out: &'m Out<'m, A>,
    pub range: Range<usize>,
    /// As [`Out::put`].
    pub streaming: bool,
    pub op: PhantomData<P>,
}

impl<X: Source, Y: Source, A: Pod, P: Pairwise<X::Item, Y::Item, A>> Map<'_, X, Y, A, P> {
    #[inline(always)]
    fn groups<const G: usize>(&self, range: Range<usize>) {
        for i in range.step_by(G) {
            self.x.prefetch::<G>(i);
            self.y.prefetch::<G>(i);
            let (x, y) = (self.x.group::<G>(i), self.y.group::<G>(i));
            // A loop, not a closure for each place: that would stay one by one.
            let mut results = [A::zeroed(); G];
            for l in 0..G {
                results[l] = P::apply(x[l], y[l]);
            }
            self.out.put(i, results, self.streaming);
        }
    }
}

impl<X: Source, Y: Source, A: Pod, P: Pairwise<X::Item, Y::Item, A>> Kernel for Map<'_, X, Y, A, P> {
    const VECTORS: bool = P::VECTORS;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Range { start, end } = self.range;
        let whole = if P::VECTORS { end - (end - start) % GROUP } else { start };
        if P::VECTORS {
            self.groups::<GROUP>(start..whole);
        }
        self.groups::<1>(whole..end);
        if self.streaming {
            store_fence();
        }
    }
}
