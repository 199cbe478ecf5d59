//! Unsigned words in order of some of their bits, by counting: as many passes over memory as the bits have digits, whatever
//! the words are. Words whose bits are equal keep their order.
//!
//! Least digit first. A pass cuts the words into pieces and counts the digits of each, so that it is known where each piece's
//! words of a digit go; then all pieces are written at the same time. Pieces depend on the number of words only.
#![allow(unsafe_code)] // pieces write to interleaved places

use bytemuck::Pod;
use icicle_cpu::parallel;
use icicle_error::Result;
use icicle_error::reserve::filled;

/// Bits of a digit: 256 places to write to, whose cache lines stay in a first-level cache of 32 KiB.
const DIGIT: u32 = 8;
const DIGITS: usize = 1 << DIGIT;
/// Words of a piece at least, so that counting is little beside them.
const PIECE: usize = 1 << 16;

/// An unsigned word.
pub(crate) trait Word: Pod + Ord + Send + Sync + Default {
    /// The digit that begins at a bit.
    fn digit(self, bit: u32) -> usize;
    /// Its bits.
    const BITS: u32;
    /// All bits inverted, which turns the order.
    fn inverted(self) -> Self;
    /// Its lowest 64 bits.
    fn low(self) -> u64;
}

macro_rules! words {
    ($($t:ty)*) => {
        $(impl Word for $t {
            #[inline(always)]
            fn digit(self, bit: u32) -> usize {
                (self >> bit) as usize % DIGITS
            }
            const BITS: u32 = <$t>::BITS;
            #[inline(always)]
            fn inverted(self) -> Self {
                !self
            }
            #[inline(always)]
            fn low(self) -> u64 {
                self as u64
            }
        })*
    };
}
words!(u8 u16 u32 u64 u128);

/// Memory for sorting words, whose counts are those of so many words.
pub(crate) struct Scratch<W> {
    words: Vec<W>,
    places: Vec<[usize; DIGITS]>,
}

impl<W: Word> Scratch<W> {
    /// For up to `n` words.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub(crate) fn new(op: &'static str, n: usize) -> Result<Self> {
        Ok(Self { words: filled(op, n, W::default())?, places: filled(op, n.div_ceil(PIECE), [0; DIGITS])? })
    }
}

struct Target<W>(*mut W);
// SAFETY: each place is written by one piece only.
unsafe impl<W> Sync for Target<W> {}
impl<W> Target<W> {
    /// # Safety
    /// The place is within the memory and nobody else's.
    #[inline(always)]
    unsafe fn write(&self, place: usize, word: W) {
        // SAFETY: the caller's.
        unsafe { self.0.add(place).write(word) };
    }
}

/// Put words in ascending order of their `bits`, in scratch for at least as many; by several threads if asked.
pub(crate) fn sort<W: Word>(data: &mut [W], scratch: &mut Scratch<W>, bits: std::ops::Range<u32>, parallel: bool) {
    let n = data.len();
    let other = &mut scratch.words[..n];
    let places = &mut scratch.places[..n.div_ceil(PIECE)];
    let mut in_other = false;
    for bit in bits.step_by(DIGIT as usize) {
        let (from, to) = if in_other { (&mut *other, &mut *data) } else { (&mut *data, &mut *other) };
        in_other ^= pass(from, to, places, bit, parallel);
    }
    if in_other {
        data.copy_from_slice(other);
    }
}

/// Write all words in order of one digit, unless all have the same; whether it did.
fn pass<W: Word>(from: &mut [W], to: &mut [W], places: &mut [[usize; DIGITS]], bit: u32, parallel: bool) -> bool {
    let n = from.len();
    let count = |_: usize, counts: &mut [[usize; DIGITS]], piece: &mut [W]| {
        let counts = &mut counts[0];
        counts.fill(0);
        piece.iter().for_each(|word| counts[word.digit(bit)] += 1);
    };
    each(places, from, parallel, &count);
    let mut next = 0;
    for digit in 0..DIGITS {
        let first = next;
        for counts in places.iter_mut() {
            next += std::mem::replace(&mut counts[digit], next);
        }
        if next - first == n {
            return false;
        }
    }
    let to = Target(to.as_mut_ptr());
    let write = |_: usize, places: &mut [[usize; DIGITS]], piece: &mut [W]| {
        let places = &mut places[0];
        for word in piece {
            let place = &mut places[word.digit(bit)];
            // SAFETY: counted above: the words of each digit and piece have places of their own among the `n`.
            unsafe { to.write(*place, *word) };
            *place += 1;
        }
    };
    each(places, from, parallel, &write);
    true
}

/// What is done for a piece, given its number, its counts and its words.
type Task<'a, W> = &'a (dyn Fn(usize, &mut [[usize; DIGITS]], &mut [W]) + Sync);

/// Do a task for each piece.
fn each<W: Word>(places: &mut [[usize; DIGITS]], words: &mut [W], parallel: bool, task: Task<'_, W>) {
    match parallel {
        true => parallel::chunks_with((places, 1), (words, PIECE), task),
        false => places.chunks_mut(1).zip(words.chunks_mut(PIECE)).enumerate().for_each(|(i, (p, w))| task(i, p, w)),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    /// Numbers without order, by the multiplier and increment of Knuth's MMIX.
    pub(crate) fn mixed(n: usize) -> Vec<u64> {
        let next = |x: &u64| Some(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
        std::iter::successors(Some(1), next).take(n).map(|x| x ^ x >> 31).collect()
    }

    #[test]
    fn words_are_in_order_of_the_bits_and_equal_ones_as_they_were() {
        for n in [0, 1, 2, 255, 256, 257, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 5] {
            let mut scratch = Scratch::new("test", n).unwrap();
            for (first, last) in [(0, 64), (0, 8), (24, 56), (60, 64)] {
                // Of the top digit only one value, so that a pass is left out and the result ends in the scratch, or not.
                for mask in [u64::MAX, u64::MAX >> 8] {
                    let words: Vec<_> = mixed(n).iter().map(|word| word & mask).collect();
                    let mut want = words.clone();
                    want.sort_by_key(|word| word >> first & (u64::MAX >> (64 - (last - first))));
                    for parallel in [false, true] {
                        let mut data = words.clone();
                        sort(&mut data, &mut scratch, first..last, parallel);
                        assert!(data == want, "{n} {first} {last} {parallel}");
                    }
                }
            }
        }
    }

    #[test]
    fn words_of_every_size() {
        fn check<W: Word>(of: impl Fn(u64) -> W) {
            let mut words: Vec<W> = mixed(1000).into_iter().map(of).collect();
            let mut want = words.clone();
            want.sort();
            sort(&mut words, &mut Scratch::new("test", 1000).unwrap(), 0..W::BITS, false);
            assert!(words == want, "{} bits", W::BITS);
        }
        check(|x| x as u8);
        check(|x| x as u16);
        check(|x| x as u32);
        check(|x| x);
        check(|x| u128::from(x) << 61 ^ u128::from(!x));
    }
}
