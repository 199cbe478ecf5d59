//! How words become bits, uniform numbers, integers and truth values.

use super::key::{FOLD, Key};
#[cfg(feature = "cuda")]
use super::philox::OnGpu;
use super::philox::{LANES, Rule, Words, wide};
use crate::{Bool, Element};
use std::marker::PhantomData;

/// All bits of the blocks.
pub(super) struct Bits<T>(PhantomData<T>);

impl<T> Bits<T> {
    pub(super) const NEW: Self = Self(PhantomData);
}

macro_rules! bits {
    ($($t:ty)*) => {
        $(impl Rule for Bits<$t> {
            type Out = $t;
            const GROUP: usize = 16 * LANES / size_of::<$t>();
            #[inline(always)]
            fn group(&self, _: usize, words: &Words, out: &mut [$t]) {
                const EACH: usize = 4 / size_of::<$t>();
                for l in 0..LANES {
                    for k in 0..4 * EACH {
                        out[4 * EACH * l + k] = (words[k / EACH][l] >> (k % EACH * <$t>::BITS as usize)) as $t;
                    }
                }
            }
            #[cfg(feature = "cuda")]
            fn on_gpu(&self) -> OnGpu {
                OnGpu::new::<Self>("Bits", [])
            }
        })*
    };
}
bits!(u8 u16);

impl Rule for Bits<u32> {
    type Out = u32;
    const GROUP: usize = 4 * LANES;
    #[inline(always)]
    fn group(&self, _: usize, words: &Words, out: &mut [u32]) {
        by_word(words, out, |word| word);
    }
    #[cfg(feature = "cuda")]
    fn on_gpu(&self) -> OnGpu {
        OnGpu::new::<Self>("Bits", [])
    }
}

impl Rule for Bits<u64> {
    type Out = u64;
    const GROUP: usize = 2 * LANES;
    #[inline(always)]
    fn group(&self, _: usize, words: &Words, out: &mut [u64]) {
        by_wide(words, out, |_, word| word);
    }
    #[cfg(feature = "cuda")]
    fn on_gpu(&self) -> OnGpu {
        OnGpu::new::<Self>("Bits", [])
    }
}

/// One element of each word of 32 bits.
#[inline(always)]
fn by_word<T: Element>(words: &Words, out: &mut [T], of: impl Fn(u32) -> T) {
    let mut lanes = [[T::default(); LANES]; 4];
    for w in 0..4 {
        for l in 0..LANES {
            lanes[w][l] = of(words[w][l]);
        }
    }
    for (l, out) in out.chunks_exact_mut(4).enumerate() {
        (0..4).for_each(|w| out[w] = lanes[w][l]);
    }
}

/// One element of each word of 64 bits.
#[inline(always)]
fn by_wide<T: Element>(words: &Words, out: &mut [T], of: impl Fn(usize, u64) -> T) {
    for (l, out) in out.chunks_exact_mut(2).enumerate() {
        (0..2).for_each(|h| out[h] = of(2 * l + h, wide(words, h, l)));
    }
}

/// From `low` on, over `span`, at most `last`.
pub(super) struct Uniform<T> {
    pub(super) low: T,
    pub(super) span: T,
    pub(super) last: T,
}

impl Rule for Uniform<f32> {
    type Out = f32;
    const GROUP: usize = 4 * LANES;
    #[inline(always)]
    fn group(&self, _: usize, words: &Words, out: &mut [f32]) {
        by_word(words, out, |word| {
            let x = self.low + self.span * ((word >> 8) as i32 as f32 * (1.0 / (1 << 24) as f32));
            if x < self.last { x } else { self.last }
        });
    }
    #[cfg(feature = "cuda")]
    fn on_gpu(&self) -> OnGpu {
        OnGpu::new::<Self>("Uniform", [self.low, self.span, self.last].map(|x| x.to_bits().into()))
    }
}

impl Rule for Uniform<f64> {
    type Out = f64;
    const GROUP: usize = 2 * LANES;
    #[inline(always)]
    fn group(&self, _: usize, words: &Words, out: &mut [f64]) {
        by_wide(words, out, |_, word| {
            let x = self.low + self.span * ((word >> 11) as i64 as f64 * (1.0 / (1u64 << 53) as f64));
            if x < self.last { x } else { self.last }
        });
    }
    #[cfg(feature = "cuda")]
    fn on_gpu(&self) -> OnGpu {
        OnGpu::new::<Self>("Uniform", [self.low, self.span, self.last].map(f64::to_bits))
    }
}

/// True below a bound.
pub(super) struct Bernoulli {
    pub(super) below: u64,
}

impl Rule for Bernoulli {
    type Out = Bool;
    const GROUP: usize = 4 * LANES;
    #[inline(always)]
    fn group(&self, _: usize, words: &Words, out: &mut [Bool]) {
        by_word(words, out, |word| Bool::from(u64::from(word) < self.below));
    }
    #[cfg(feature = "cuda")]
    fn on_gpu(&self) -> OnGpu {
        OnGpu::new::<Self>("Bernoulli", [self.below])
    }
}

/// Up to 2^24 integers.
pub(super) struct Few<T> {
    pub(super) key: Key,
    pub(super) low: T,
    pub(super) count: u32,
}

/// Any number of integers, up to 2^64.
pub(super) struct Many<T> {
    key: Key,
    low: T,
    count: u128,
    excess: u64,
}

impl<T> Many<T> {
    pub(super) fn new(key: Key, low: T, count: u128) -> Self {
        Self { key, low, count, excess: excess(count) }
    }
}

/// How many lower halves of products with a count are refused: those that would be one too many.
fn excess(count: u128) -> u64 {
    ((1u128 << 64) % count) as u64
}

/// The upper half of a word's product with a count, unless the lower is below the excess.
#[inline(always)]
fn scaled(word: u64, count: u128, excess: u64) -> Option<u64> {
    // Of 2^64 integers the product is the word with 64 zeros behind it, and none is refused.
    let (upper, lower) = match count >> 64 {
        0 => {
            let product = u128::from(word) * u128::from(count as u64);
            ((product >> 64) as u64, product as u64)
        }
        _ => (word, 0),
    };
    (lower >= excess).then_some(upper)
}

/// The number for an element whose first word was refused, of words of a key of its own.
#[cold]
fn another(key: &Key, index: usize, count: u128) -> u64 {
    let (own, excess) = (key.derived(FOLD | 1 << 61 | index as u64), excess(count));
    let words = (0u64..).flat_map(|i| {
        let [a, b, c, d] = own.0.block(i).map(u64::from);
        [a | b << 32, c | d << 32]
    });
    // Each is taken with a probability above one half.
    words.into_iter().find_map(|word| scaled(word, count, excess)).unwrap_or(0)
}

macro_rules! integers {
    ($($t:ty)*) => {
        $(impl Rule for Few<$t> {
            type Out = $t;
            const GROUP: usize = 4 * LANES;
            #[inline(always)]
            fn group(&self, first: usize, words: &Words, out: &mut [$t]) {
                let excess = self.count.wrapping_neg() % self.count;
                let product = |word: u32| u64::from(word) * u64::from(self.count);
                by_word(words, out, |word| self.low.wrapping_add((product(word) >> 32) as $t));
                let mut refused = false;
                words.as_flattened().iter().for_each(|&word| refused |= (product(word) as u32) < excess);
                if refused {
                    for i in 0..out.len() {
                        if (product(words[i % 4][i / 4]) as u32) < excess {
                            let value = another(&self.key, first + i, u128::from(self.count));
                            out[i] = self.low.wrapping_add(value as $t);
                        }
                    }
                }
            }
            #[cfg(feature = "cuda")]
            fn on_gpu(&self) -> OnGpu {
                OnGpu::new::<Self>("Few", [self.low as u64, self.count.into()])
            }
        }

        impl Rule for Many<$t> {
            type Out = $t;
            const GROUP: usize = 2 * LANES;
            #[inline(always)]
            fn group(&self, first: usize, words: &Words, out: &mut [$t]) {
                by_wide(words, out, |i, word| {
                    let value = scaled(word, self.count, self.excess).unwrap_or_else(|| another(&self.key, first + i, self.count));
                    self.low.wrapping_add(value as $t)
                });
            }
            #[cfg(feature = "cuda")]
            fn on_gpu(&self) -> OnGpu {
                // 2^64 of them are 0 there.
                OnGpu::new::<Self>("Many", [self.low as u64, self.count as u64])
            }
        })*
    };
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);
