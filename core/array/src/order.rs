//! The order of elements: numbers ascending, then NaN; and lines of them, or of their indices, in order.
//!
//! Real elements are sorted as unsigned words of the same size and order, whose comparison is one instruction and whose digits
//! can be counted; for indices, each word has its element's index below, which keeps the order of equal elements and needs no
//! look at the elements. Nothing is written until all memory is there.

use crate::dtype::Element;
#[cfg(target_arch = "x86_64")]
use crate::quicksort::Vectors;
use crate::radix::{self, Scratch, Word};
use crate::{Bool, Complex, DType, bf16, f16};
use icicle_cpu::dispatch::{Kernel, widest};
use icicle_cpu::parallel;
use icicle_cpu::scratch::PerThread;
use icicle_error::Result;
use icicle_error::reserve::filled;
use std::cmp::Ordering;

/// Elements with an order: numbers ascending, then NaN; complex ones by real and then imaginary part.
pub(crate) trait Ordered: Element {
    /// Equal elements are equal, all NaN are, and -0.0 and 0.0.
    fn order(&self, other: &Self) -> Ordering;
    /// Put each line in order, -0.0 below 0.0: of the elements of `from`, of which there are as many, or of those it holds.
    ///
    /// # Errors
    /// `OutOfMemory`; the lines are then as they were.
    fn sort(op: &'static str, from: Option<&[Self]>, lines: &mut [Self], length: usize, descending: bool)
    -> Result<()>;
    /// The indices of each line's elements in order; equal ones keep theirs.
    ///
    /// # Errors
    /// `OutOfMemory`.
    fn argsort(op: &'static str, lines: &[Self], out: &mut [i64], length: usize, descending: bool) -> Result<()>;
}

/// What is done for whichever type with an order a dtype has.
pub(crate) trait OrderedVisitor {
    type Output;
    fn visit<T: Ordered>(self) -> Self::Output;
}

/// Elements that are unsigned words in disguise.
trait Keyed: Ordered {
    type Key: Sortable;
    /// The word, all of whose bits matter but the sign of NaN.
    fn key(bits: Self::Key) -> Self::Key;
    /// Its element again.
    fn bits(key: Self::Key) -> Self::Key;
    /// The word, the same for equal elements.
    fn rank(self) -> Self::Key;
}

macro_rules! ordered {
    ($(integer $u:ty, $key:ty, $turn:literal;)* $(float $f:ty, $bits:ty;)*) => {
        $(impl Keyed for $u {
            type Key = $key;
            #[inline(always)]
            fn key(bits: $key) -> $key {
                bits ^ ($turn << (<$key>::BITS - 1))
            }
            #[inline(always)]
            fn bits(key: $key) -> $key {
                Self::key(key)
            }
            #[inline(always)]
            fn rank(self) -> $key {
                Self::key(bytemuck::cast(self))
            }
        }
        ordered!(@ $u, |a, b| a.cmp(b));)*
        $(impl Keyed for $f {
            type Key = $bits;
            /// Of a negative number all bits are inverted, of others the sign; NaN loses its sign first, so that it is above
            /// infinity.
            #[inline(always)]
            fn key(bits: $bits) -> $bits {
                const SIGN: $bits = 1 << (<$bits>::BITS - 1);
                let bits = if bits & !SIGN > <$f>::INFINITY.to_bits() { bits & !SIGN } else { bits };
                if bits & SIGN == 0 { bits | SIGN } else { !bits }
            }
            #[inline(always)]
            fn bits(key: $bits) -> $bits {
                const SIGN: $bits = 1 << (<$bits>::BITS - 1);
                if key & SIGN == 0 { !key } else { key ^ SIGN }
            }
            #[inline(always)]
            fn rank(self) -> $bits {
                const SIGN: $bits = 1 << (<$bits>::BITS - 1);
                let bits = self.to_bits();
                let size = bits & !SIGN;
                if size > <$f>::INFINITY.to_bits() {
                    <$bits>::MAX
                } else {
                    Self::key(if size == 0 { 0 } else { bits })
                }
            }
        }
        ordered!(@ $f, |a, b| a.partial_cmp(b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())));)*
        /// Do a task for the type of a dtype.
        pub(crate) fn with_order<V: OrderedVisitor>(dtype: DType, visitor: V) -> V::Output {
            match dtype {
                $(d if d == <$u>::DTYPE => visitor.visit::<$u>(),)*
                $(d if d == <$f>::DTYPE => visitor.visit::<$f>(),)*
                DType::Complex64 => visitor.visit::<Complex<f32>>(),
                _ => visitor.visit::<Complex<f64>>(),
            }
        }
    };
    (@ $t:ty, |$a:ident, $b:ident| $order:expr) => {
        impl Ordered for $t {
            #[inline(always)]
            fn order(&self, other: &Self) -> Ordering {
                let ($a, $b) = (self, other);
                $order
            }
            fn sort(
                op: &'static str,
                from: Option<&[Self]>,
                lines: &mut [Self],
                length: usize,
                descending: bool,
            ) -> Result<()> {
                sort_words::<Self>(op, from, lines, length, descending)
            }
            fn argsort(
                op: &'static str,
                lines: &[Self],
                out: &mut [i64],
                length: usize,
                descending: bool,
            ) -> Result<()> {
                match size_of::<Self>() <= 4 && length <= 1 << 32 {
                    true => narrow_indices(op, lines, out, length, descending),
                    false => wide_indices(op, lines, out, length, descending),
                }
            }
        }
    };
}
ordered! {
    integer Bool, u8, 0;
    integer i8, u8, 1;
    integer i16, u16, 1;
    integer i32, u32, 1;
    integer i64, u64, 1;
    integer u8, u8, 0;
    integer u16, u16, 0;
    integer u32, u32, 0;
    integer u64, u64, 0;
    float f16, u16;
    float bf16, u16;
    float f32, u32;
    float f64, u64;
}

macro_rules! complex {
    ($($t:ty)*) => {
        $(impl Ordered for Complex<$t> {
            /// Numbers without NaN first, then by parts.
            fn order(&self, other: &Self) -> Ordering {
                let nan = |z: &Self| z.re.is_nan() || z.im.is_nan();
                nan(self).cmp(&nan(other)).then(self.re.order(&other.re)).then(self.im.order(&other.im))
            }
            fn sort(
                _: &'static str,
                from: Option<&[Self]>,
                lines: &mut [Self],
                length: usize,
                descending: bool,
            ) -> Result<()> {
                from.into_iter().for_each(|from| lines.copy_from_slice(from));
                let bits = |z: &Self| (<$t>::key(z.re.to_bits()), <$t>::key(z.im.to_bits()));
                let order = |a: &Self, b: &Self| a.order(b).then_with(|| bits(a).cmp(&bits(b)));
                each_line(lines, length, &|_, line| {
                    line.sort_unstable_by(|a, b| if descending { order(b, a) } else { order(a, b) });
                });
                Ok(())
            }
            fn argsort(_: &'static str, lines: &[Self], out: &mut [i64], length: usize, descending: bool) -> Result<()> {
                each_line(out, length, &|k, line| {
                    let values = &lines[k * length..];
                    line.iter_mut().enumerate().for_each(|(i, index)| *index = i as i64);
                    line.sort_unstable_by(|&i, &j| {
                        let order = values[i as usize].order(&values[j as usize]);
                        if descending { order.reverse().then(i.cmp(&j)) } else { order.then(i.cmp(&j)) }
                    });
                });
                Ok(())
            }
        })*
    };
}
complex!(f32 f64);

/// Bytes from which on several threads sort lines.
const PARALLEL: usize = 1 << 16;
/// Elements from which on several threads sort one line.
const LONG: usize = 1 << 18;
/// Elements of a line that a thread takes at once where each is done by itself.
const PIECE: usize = 1 << 14;

/// Do a task for each line and its number.
fn each_line<T: Send>(lines: &mut [T], length: usize, task: &(dyn Fn(usize, &mut [T]) + Sync)) {
    match size_of_val(lines) >= PARALLEL {
        true => parallel::chunks(lines, length, task),
        false => lines.chunks_mut(length).enumerate().for_each(|(k, line)| task(k, line)),
    }
}

/// Do a task for each piece of a line and the index of its first element.
fn each_piece<T: Send>(line: &mut [T], task: &(dyn Fn(usize, &mut [T]) + Sync)) {
    match line.len() >= LONG {
        true => parallel::chunks(line, PIECE, &|i, piece| task(i * PIECE, piece)),
        false => task(0, line),
    }
}

/// Words that lines are sorted as.
trait Sortable: Word {
    /// How slices of them are sorted in vectors; none if the processor does not.
    #[cfg(target_arch = "x86_64")]
    fn vectors() -> Option<Vectors<Self>> {
        None
    }
}

macro_rules! sortable {
    ($($t:ty $(: $vectors:path)?)*) => {
        $(impl Sortable for $t {
            $(#[cfg(target_arch = "x86_64")]
            fn vectors() -> Option<Vectors<Self>> {
                $vectors()
            })?
        })*
    };
}
sortable!(u8 u16 u32: Vectors::available u64: Vectors::available u128);

/// How a line of words is put in order.
enum Sorter<W> {
    #[cfg(target_arch = "x86_64")]
    Vectors(Vectors<W>),
    Compare,
    Count(Scratch<W>),
}

impl<W: Sortable> Sorter<W> {
    /// For lines of so many words, of which a number of bits matter; words that are equal in those are so or ascend.
    fn new(op: &'static str, length: usize, bits: u32) -> Result<Self> {
        #[cfg(target_arch = "x86_64")]
        if let Some(vectors) = W::vectors() {
            return Ok(Self::Vectors(vectors));
        }
        // On one thread, four passes over memory take as long as comparisons do for a few thousand words, eight always longer.
        let counts = length >= LONG || (bits <= 32 && length >= 1 << 12);
        if counts { Scratch::new(op, length).map(Self::Count) } else { Ok(Self::Compare) }
    }

    /// Sort words, and do what is left to do for each piece of them that is in order.
    fn sort(&mut self, words: &mut [W], bits: std::ops::Range<u32>, finish: &(dyn Fn(&mut [W]) + Sync)) {
        match self {
            Self::Compare => words.sort_unstable(),
            _ if words.is_sorted() => {}
            #[cfg(target_arch = "x86_64")]
            Self::Vectors(vectors) => return vectors.sort(words, words.len() >= LONG, finish),
            Self::Count(scratch) => radix::sort(words, scratch, bits, words.len() >= LONG),
        }
        each_piece(words, &|_, piece| finish(piece));
    }
}

/// Do a task for each line, each thread with memory of its own; or, for long lines, one after another.
fn with_memory<T: Send, M: Send>(
    op: &'static str,
    lines: &mut [T],
    length: usize,
    make: impl FnMut() -> Result<M>,
    task: &(dyn Fn(usize, &mut [T], &mut M) + Sync),
) -> Result<()> {
    if length >= LONG || size_of_val(lines) < PARALLEL {
        let mut make = make;
        let mut memory = make()?;
        lines.chunks_mut(length).enumerate().for_each(|(k, line)| task(k, line, &mut memory));
        return Ok(());
    }
    let memory = PerThread::new(op, lines.len() / length, make)?;
    parallel::chunks(lines, length, &|k, line| memory.lend(|memory| task(k, line, memory)));
    Ok(())
}

/// Elements as words that ascend as they do, or descend.
struct Keys<'a, T: Keyed> {
    from: Option<&'a [T::Key]>,
    words: &'a mut [T::Key],
    descending: bool,
}

impl<T: Keyed> Kernel for Keys<'_, T> {
    const VECTORS: bool = true;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let key = |bits| if self.descending { T::key(bits).inverted() } else { T::key(bits) };
        match self.from {
            Some(from) => self.words.iter_mut().zip(from).for_each(|(word, bits)| *word = key(*bits)),
            None => self.words.iter_mut().for_each(|word| *word = key(*word)),
        }
    }
}

/// The words' elements again.
struct Elements<'a, T: Keyed> {
    words: &'a mut [T::Key],
    descending: bool,
}

impl<T: Keyed> Kernel for Elements<'_, T> {
    const VECTORS: bool = true;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let key = |word: T::Key| if self.descending { word.inverted() } else { word };
        self.words.iter_mut().for_each(|word| *word = T::bits(key(*word)));
    }
}

fn sort_words<T: Keyed>(
    op: &'static str,
    from: Option<&[T]>,
    lines: &mut [T],
    length: usize,
    descending: bool,
) -> Result<()> {
    let words: &mut [T::Key] = bytemuck::cast_slice_mut(lines);
    let from: Option<&[T::Key]> = from.map(bytemuck::cast_slice);
    let bits = T::Key::BITS;
    with_memory(op, words, length, || Sorter::new(op, length, bits), &|k, line, sorter: &mut Sorter<T::Key>| {
        each_piece(line, &|first, words| {
            let from = from.map(|from| &from[k * length + first..][..words.len()]);
            widest(Keys::<T> { from, words, descending });
        });
        sorter.sort(line, 0..bits, &|words| widest(Elements::<T> { words, descending }));
    })
}

/// The bits below a word of up to 32 that hold its index.
const INDEX: u32 = 32;

/// Indices by words of 64 bits, in the result's own memory.
fn narrow_indices<T: Keyed>(
    op: &'static str,
    lines: &[T],
    out: &mut [i64],
    length: usize,
    descending: bool,
) -> Result<()> {
    let words: &mut [u64] = bytemuck::cast_slice_mut(out);
    let bits = T::Key::BITS;
    with_memory(op, words, length, || Sorter::new(op, length, bits), &|k, line, sorter: &mut Sorter<u64>| {
        let values = &lines[k * length..][..length];
        each_piece(line, &|first, piece| {
            for (i, (word, value)) in (first..).zip(piece.iter_mut().zip(&values[first..])) {
                let rank = if descending { value.rank().inverted() } else { value.rank() };
                *word = rank.low() << INDEX | i as u64;
            }
        });
        let index = |words: &mut [u64]| words.iter_mut().for_each(|word| *word &= (1 << INDEX) - 1);
        sorter.sort(line, INDEX..INDEX + bits, &index);
    })
}

/// Indices by words of 128 bits.
fn wide_indices<T: Keyed>(
    op: &'static str,
    lines: &[T],
    out: &mut [i64],
    length: usize,
    descending: bool,
) -> Result<()> {
    let bits = T::Key::BITS;
    let make = || Ok((filled(op, length, 0u128)?, Sorter::<u128>::new(op, length, bits)?));
    with_memory(op, out, length, make, &|k, line, (words, sorter)| {
        let values = &lines[k * length..][..length];
        each_piece(words, &|first, piece| {
            for (i, (word, value)) in (first..).zip(piece.iter_mut().zip(&values[first..])) {
                let rank = if descending { value.rank().inverted() } else { value.rank() };
                *word = u128::from(rank.low()) << 64 | i as u128;
            }
        });
        sorter.sort(words, 64..64 + bits, &|_| {});
        each_piece(line, &|first, piece| {
            piece.iter_mut().zip(&words[first..]).for_each(|(index, word)| *index = *word as i64);
        });
    })
}
