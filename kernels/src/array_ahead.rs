//! Operations on arrays of numbers that are compiled ahead of time, for where nothing compiles when it is needed
//! (`array/ahead.cuh`, `array/ahead_fold.cuh`, `array/random.cuh`, `array/ranks.cuh`), in the images [`crate::names::ARRAY_LIGHT`],
//! [`crate::names::ARRAY_HEAVY`], [`crate::names::ARRAY_FOLD`], [`crate::names::ARRAY_RANDOM`] and [`crate::names::ARRAY_RANKS`]. Which operations, folds and
//! rules there are is said by `array/tables_gen.cuh`.

use crate::signature::{Entry, Signature, kernels};
use bytemuck::{Pod, Zeroable};

/// The dtypes, in the order of their numbers.
pub const DTYPES: [&str; 15] = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
];

/// Axes that a shape has: `AXES` of `array/ahead.cuh`.
pub const AXES: usize = 64;

/// Threads of the kernels' blocks.
pub const THREADS: u32 = 256;

/// Elements of a thread, by their bytes: `BATCH` of `array/ahead.cuh`.
pub const fn batch(heavy: bool, bytes: usize) -> u64 {
    match bytes {
        _ if heavy => 1,
        0..8 => 4,
        8 => 2,
        _ => 1,
    }
}

/// `Shape` of `array/ahead.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Shape {
    /// Elements.
    pub n: u64,
    /// Axes, at least one.
    pub rank: u64,
    /// Extents, outermost first.
    pub extents: [u64; AXES],
}

/// `Leaf` of `array/ahead.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Leaf {
    /// Where the first element lies; 0 if all are `value`.
    pub address: u64,
    /// A value's bytes.
    pub value: [u64; 2],
    /// The dtype's number.
    pub dtype: u64,
    /// Strides in bytes.
    pub strides: [i64; AXES],
}

/// `Apply` of `array/ahead.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Apply {
    /// The operation's number in `array/tables_gen.cuh`.
    pub op: u64,
    /// Leaves that are operands.
    pub operands: u64,
    /// What is walked.
    pub shape: Shape,
    /// Where results go, and operands.
    pub leaves: [Leaf; 4],
}

/// The fewest threads that work on a result of a fold; a block's are the others.
pub const LEAST_LANES: u64 = 32;

/// `Fold` of `array/ahead_fold.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Fold {
    /// Results times elements of each, as they are taken.
    pub shape: Shape,
    /// The elements.
    pub leaf: Leaf,
    /// They are `[outer][length][width]`.
    pub outer: u64,
    /// As above.
    pub length: u64,
    /// As above.
    pub width: u64,
    /// Pieces of each result's elements.
    pub pieces: u64,
    /// Rows of a piece, where the width is more than 1.
    pub rows: u64,
    /// Threads for one piece, where the width is 1.
    pub lanes: u64,
    /// Where pieces' results go, if there are several.
    pub partial: u64,
    /// Counters of pieces, if there are several, all 0.
    pub counters: u64,
    /// Where results go.
    pub out: u64,
}

/// What a rule of random numbers takes: how many numbers, where they go, the stream's two words and the rule's. What a reduction
/// over ranks takes: `Arguments` of `array/ranks.cuh`.
pub type Words = [u64; 8];

kernels! {
    /// Operations on each element in one dtype ([`Owner::Element`](crate::signature::Owner::Element)), in a word or two.
    ARRAY_LIGHT_KERNELS: ArrayLight {
        LIGHT = "light"(a: Apply);
    }
}

kernels! {
    /// Operations on each element in one dtype that take more.
    ARRAY_HEAVY_KERNELS: ArrayHeavy {
        HEAVY = "heavy"(a: Apply);
    }
}

kernels! {
    /// Folds of elements of one dtype.
    ARRAY_FOLD_KERNELS: ArrayFold {
        SUM = "sum"(a: Fold);
        PROD = "prod"(a: Fold);
        MIN = "min"(a: Fold);
        MAX = "max"(a: Fold);
        ALL = "all"(a: Fold);
        ANY = "any"(a: Fold);
        COUNT = "count"(a: Fold);
        ARGMIN = "argmin"(a: Fold);
        ARGMAX = "argmax"(a: Fold);
        SQUARES = "squares"(a: Fold);
    }
}

kernels! {
    /// Random numbers of one dtype.
    ARRAY_RANDOM_KERNELS: ArrayRandom {
        BITS = "bits"(words: Words);
        UNIFORM = "uniform"(words: Words);
        NORMAL = "normal"(words: Words);
        BERNOULLI = "bernoulli"(words: Words);
        FEW = "few"(words: Words);
        MANY = "many"(words: Words);
    }
}

kernels! {
    /// Vectors of ranks of one dtype, reduced.
    ARRAY_RANKS_KERNELS: ArrayRanks {
        RANKS = "ranks"(a: Words);
    }
}

/// The fold of this name in `array/fold.cuh`.
pub fn fold(name: &str) -> Option<Entry<(Fold,)>> {
    [SUM, PROD, MIN, MAX, ALL, ANY, COUNT, ARGMIN, ARGMAX, SQUARES].into_iter().find(is(ARRAY_FOLD_KERNELS, name))
}

/// The rule of this name in `array/random.cuh` or `array/normal.cuh`.
pub fn rule(name: &str) -> Option<Entry<(Words,)>> {
    [BITS, UNIFORM, NORMAL, BERNOULLI, FEW, MANY].into_iter().find(is(ARRAY_RANDOM_KERNELS, name))
}

fn is<P>(table: &'static [Signature], name: &str) -> impl Fn(&Entry<P>) -> bool {
    move |entry| table[entry.index].op.eq_ignore_ascii_case(name)
}

/// Whether there is such a kernel for a dtype.
pub(crate) fn has(op: &str, dtype: &str) -> bool {
    let unsigned = dtype.starts_with("uint");
    let integer = unsigned || dtype.starts_with("int");
    let float = matches!(dtype, "float32" | "float64");
    match op {
        "light" | "ranks" => true,
        "heavy" => integer || float || dtype.starts_with("complex"),
        "sum" => matches!(dtype, "int64" | "uint64" | "float32" | "float64" | "complex128"),
        "prod" => matches!(dtype, "int64" | "uint64" | "float64" | "complex128"),
        "all" | "any" | "count" | "bernoulli" => dtype == "bool",
        "min" | "max" | "argmin" | "argmax" => integer || float,
        "squares" | "uniform" | "normal" => float,
        "bits" => unsigned,
        "few" | "many" => integer,
        _ => false,
    }
}
