//! Unsigned words in ascending order by quicksort in vectors, in place, so that no memory is needed.
//!
//! Where pivots were bad for long, the standard library's sort, whose time has a bound, does the rest.

use crate::lanes::{Avx512, Lane};
use icicle_cpu::parallel;
use std::sync::{Mutex, PoisonError};

/// What is done for each piece of the words that is in order.
type Finish<'a, W> = &'a (dyn Fn(&mut [W]) + Sync);

/// How words are sorted here, where the processor has the instructions.
#[derive(Clone, Copy)]
pub(crate) struct Vectors<W> {
    with: Avx512,
    sort: fn(Avx512, &mut [W], bool, Finish<W>),
}

impl<W> Vectors<W> {
    pub(crate) fn available() -> Option<Self>
    where
        W: Lane,
    {
        Avx512::available().map(|with| Self { with, sort })
    }

    /// Put words in ascending order, by several threads if asked; and do a task for each piece that is.
    pub(crate) fn sort(self, data: &mut [W], parallel: bool, finish: &(dyn Fn(&mut [W]) + Sync)) {
        (self.sort)(self.with, data, parallel, finish);
    }
}

/// Words of a part from which on another thread may take it.
const SHARED: usize = 1 << 16;
/// Words that a pivot is the median of, and for few words.
const SAMPLE: usize = 64;
const FEW_SAMPLE: usize = 16;
/// Words below which there are few.
const FEW: usize = 1 << 12;

fn sort<W: Lane>(with: Avx512, data: &mut [W], parallel: bool, finish: Finish<W>) {
    let levels = 2 * data.len().max(1).ilog2();
    Sort { with, finish }.part(data, None, levels, parallel);
}

/// What stays the same in all parts.
#[derive(Clone, Copy)]
struct Sort<'a, W> {
    with: Avx512,
    finish: Finish<'a, W>,
}

impl<W: Lane> Sort<'_, W> {
    /// Sort words that are all at least `least`, by so many levels of partitions.
    fn part(self, mut data: &mut [W], mut least: Option<W>, mut levels: u32, parallel: bool) {
        let Self { with, finish } = self;
        while data.len() > Avx512::few::<W>() {
            if levels == 0 {
                data.sort_unstable();
                return finish(data);
            }
            levels -= 1;
            let pivot = pivot(with, data);
            if least == Some(pivot) {
                // As small as a word can be here: all such are in place at once.
                let equal = pivot.next().map_or(data.len(), |next| with.partition(data, next));
                let (left, right) = data.split_at_mut(equal);
                finish(left);
                (data, least) = (right, pivot.next());
                continue;
            }
            let below = with.partition(data, pivot);
            let (left, right) = data.split_at_mut(below);
            if parallel && left.len().min(right.len()) >= SHARED {
                let parts = [Mutex::new(Some((left, least))), Mutex::new(Some((right, Some(pivot))))];
                return parallel::indices(2, true, &|i| {
                    let taken = parts[i].lock().unwrap_or_else(PoisonError::into_inner).take();
                    taken.into_iter().for_each(|(data, least)| self.part(data, least, levels, true));
                });
            }
            self.part(left, least, levels, false);
            (data, least) = (right, Some(pivot));
        }
        with.sort_few(data);
        finish(data);
    }
}

/// The median of some words.
fn pivot<W: Lane>(with: Avx512, data: &[W]) -> W {
    let mut sample = [W::default(); SAMPLE];
    let sample = &mut sample[..if data.len() < FEW { FEW_SAMPLE } else { SAMPLE }];
    let step = data.len() / sample.len();
    for (i, word) in sample.iter_mut().enumerate() {
        *word = data[i * step + step / 2];
    }
    with.sort_few(sample);
    sample[sample.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::radix::tests::mixed;

    fn check<W: Lane>(words: &[W], what: &str) {
        let Some(with) = Avx512::available() else { return };
        let mut want = words.to_vec();
        want.sort();
        for parallel in [false, true] {
            let mut got = words.to_vec();
            // Each word is finished once, and in place by then.
            sort(with, &mut got, parallel, &|words| words.iter_mut().for_each(|word| *word = word.inverted()));
            got.iter_mut().for_each(|word| *word = word.inverted());
            assert!(got == want, "{what}, {} words, parallel {parallel}", words.len());
        }
    }

    fn both(words: &[u64], what: &str) {
        check(words, what);
        check(&words.iter().map(|&word| (word >> 32) as u32).collect::<Vec<_>>(), what);
    }

    #[test]
    fn words_of_every_number() {
        for n in (0..700).chain([1000, 4095, 4096, 4097, 100_000, 300_001]) {
            both(&mixed(n), "mixed");
        }
    }

    #[test]
    fn words_in_patterns() {
        let few = |of: u64| mixed(5000).into_iter().map(move |word| (word % of) << 32).collect::<Vec<_>>();
        both(&few(1), "equal");
        both(&few(2), "two values");
        both(&few(7), "seven values");
        both(&vec![u64::MAX; 3000], "the greatest");
        let greatest = |word: u64| if word.is_multiple_of(3) { u64::MAX } else { word };
        both(&mixed(5000).into_iter().map(greatest).collect::<Vec<_>>(), "the greatest among others");
        both(&(0..5000u64).map(|i| i << 32).collect::<Vec<_>>(), "ascending");
        both(&(0..5000u64).rev().map(|i| i << 32).collect::<Vec<_>>(), "descending");
        let organ = |i: u64| i.min(5000 - i) << 32;
        both(&(0..5000).map(organ).collect::<Vec<_>>(), "up and down");
        // Samples are all 0 but where most words are.
        both(&(0..64 * 300u64).map(|i| if i % 300 == 150 { 0 } else { i << 32 }).collect::<Vec<_>>(), "bad pivots");
    }

    #[test]
    fn without_levels_the_standard_library_sorts() {
        let Some(with) = Avx512::available() else { return };
        let (mut words, mut want) = (mixed(1000), mixed(1000));
        want.sort();
        Sort { with, finish: &|_| {} }.part(&mut words, None, 1, false);
        assert!(words == want);
    }
}
