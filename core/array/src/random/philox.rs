//! Philox4x32-10: a block cipher of four words that turns a counter into random bits.
//!
//! J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11.

use crate::Element;
use icicle_cpu::dispatch::{Kernel, widest};
use icicle_cpu::parallel;

/// The multipliers and the increments of the key, of the paper's section 4.3 and its authors' library Random123: found by
/// search there, and the golden ratio and sqrt(3) - 1 as fractions of 2^32.
const MULTIPLIER: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;

/// Blocks that are computed together.
pub(super) const LANES: usize = 16;
/// Words of the blocks of a group: word `w` of block `l` is `[w][l]`.
pub(super) type Words = [[u32; LANES]; 4];
/// Elements of a task: whole groups, whatever their elements are.
const TASK: usize = 1 << 14;
/// Elements from which on several threads are used.
const PARALLEL: usize = 1 << 15;

/// Where numbers come from: the cipher's key, and the upper half of its counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stream {
    pub(super) key: [u32; 2],
    pub(super) upper: [u32; 2],
}

impl Stream {
    /// The block of a counter's lower half.
    pub(super) fn block(&self, lower: u64) -> [u32; 4] {
        encrypt([lower as u32, (lower >> 32) as u32, self.upper[0], self.upper[1]].map(|word| [word]), self.key)
            .map(|[word]| word)
    }

    /// The blocks of a counter's lower half and those that follow.
    #[inline(always)]
    fn group(&self, lower: u64) -> Words {
        let at = |l: usize| lower + l as u64;
        let counters = [
            std::array::from_fn(|l| at(l) as u32),
            std::array::from_fn(|l| (at(l) >> 32) as u32),
            [self.upper[0]; LANES],
            [self.upper[1]; LANES],
        ];
        encrypt(counters, self.key)
    }
}

/// Ten rounds over the blocks of some counters.
#[inline(always)]
fn encrypt<const L: usize>(mut x: [[u32; L]; 4], mut key: [u32; 2]) -> [[u32; L]; 4] {
    for round in 0..ROUNDS {
        if round > 0 {
            key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
        }
        for l in 0..L {
            let a = u64::from(x[0][l]) * u64::from(MULTIPLIER[0]);
            let b = u64::from(x[2][l]) * u64::from(MULTIPLIER[1]);
            let (first, third) = ((b >> 32) as u32 ^ x[1][l] ^ key[0], (a >> 32) as u32 ^ x[3][l] ^ key[1]);
            (x[0][l], x[1][l], x[2][l], x[3][l]) = (first, b as u32, third, a as u32);
        }
    }
    x
}

/// How the words of blocks become elements.
pub(super) trait Rule: Sync {
    type Out: Element;
    /// Elements of a group of blocks.
    const GROUP: usize;
    /// The elements of a group, of which the first has this index.
    fn group(&self, first: usize, words: &Words, out: &mut [Self::Out]);
    /// What kernels call it, and the words that they make it of.
    #[cfg(feature = "cuda")]
    fn on_gpu(&self) -> OnGpu;
}

/// A rule in a kernel: a type of `random.cuh` or `normal.cuh`, by what it is made of.
#[cfg(feature = "cuda")]
pub(crate) struct OnGpu {
    /// The type's name, without that of its elements.
    pub(crate) template: &'static str,
    /// Of its elements.
    pub(crate) dtype: crate::DType,
    pub(crate) words: Vec<u64>,
    /// Elements of a block.
    pub(crate) of_block: usize,
}

#[cfg(feature = "cuda")]
impl OnGpu {
    /// A rule's type.
    pub(super) fn new<R: Rule>(template: &'static str, words: impl Into<Vec<u64>>) -> Self {
        Self { template, dtype: R::Out::DTYPE, words: words.into(), of_block: R::GROUP / LANES }
    }

    /// The name of the type: a template of its elements' type, unless these can be of one only.
    pub(crate) fn type_name(&self) -> String {
        match self.dtype {
            crate::DType::Bool => self.template.to_owned(),
            dtype => format!("{}<{dtype}>", self.template),
        }
    }
}

/// Words of 64 bits, two of a block: number `h` of block `l`.
#[inline(always)]
pub(super) fn wide(words: &Words, h: usize, l: usize) -> u64 {
    u64::from(words[2 * h][l]) | u64::from(words[2 * h + 1][l]) << 32
}

struct Fill<'a, R: Rule> {
    stream: &'a Stream,
    rule: &'a R,
    first: usize,
    out: &'a mut [R::Out],
}

impl<R: Rule> Kernel for Fill<'_, R> {
    const VECTORS: bool = true;
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { stream, rule, first, out } = self;
        let mut groups = out.chunks_exact_mut(R::GROUP);
        let mut at = first;
        for group in &mut groups {
            rule.group(at, &stream.group((at / R::GROUP * LANES) as u64), group);
            at += R::GROUP;
        }
        let rest = groups.into_remainder();
        if !rest.is_empty() {
            // A group has at most as many elements as its words have bytes.
            let mut last = [R::Out::default(); 16 * LANES];
            rule.group(at, &stream.group((at / R::GROUP * LANES) as u64), &mut last[..R::GROUP]);
            rest.copy_from_slice(&last[..rest.len()]);
        }
    }
}

/// Write all elements of a stream by a rule, by several threads if they are many.
pub(super) fn fill<R: Rule>(stream: &Stream, rule: &R, out: &mut [R::Out]) {
    const { assert!(TASK.is_multiple_of(R::GROUP) && R::GROUP <= 16 * LANES) };
    let task = |i: usize, out: &mut [R::Out]| widest(Fill { stream, rule, first: i * TASK, out });
    match out.len() >= PARALLEL {
        true => parallel::chunks(out, TASK, &task),
        false => out.chunks_mut(TASK).enumerate().for_each(|(i, out)| task(i, out)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers for `philox4x32 10` of Random123 1.14, `tests/kat_vectors`: counter, key, result.
    #[test]
    fn known_answers() {
        for (counter, key, want) in [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ] {
            let stream = Stream { key, upper: [counter[2], counter[3]] };
            assert_eq!(stream.block(u64::from(counter[0]) | u64::from(counter[1]) << 32), want);
        }
    }

    #[test]
    fn groups_are_blocks_one_after_another() {
        let stream = Stream { key: [5, 6], upper: [7, 8] };
        for first in [0, (1 << 32) - 3, 1 << 58] {
            let words = stream.group(first);
            for l in 0..LANES {
                assert_eq!(words.map(|word| word[l]), stream.block(first + l as u64));
            }
        }
    }
}
