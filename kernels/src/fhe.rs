//! Programmable bootstrapping (`fhe/rotation.cuh`, `fhe/switching.cuh`), in the image [`crate::names::FHE`]: its kernels, and
//! the roots of unity that they take.

use crate::signature::{Address, kernels};

/// Coefficients of a polynomial.
pub const POLYNOMIAL_SIZE: usize = 2048;
/// Digits of an element in the key switch.
pub const LEVELS: usize = 4;
/// Values of a table.
pub const TABLE_VALUES: usize = 16;
/// Lanes of a warp, which hold a transform together.
pub const LANES: usize = 32;
/// Threads of a block, but for rotations.
pub const BLOCK: u32 = 128;
/// Ciphertexts and columns that a warp of the key switch multiplies at a time, and parts that its sums may be cut into at most.
pub const SWITCH_ROWS: u32 = 64;
/// Columns.
pub const SWITCH_COLUMNS: u32 = 8;
/// Bytes that the key switch's key has for each eight columns.
pub const SWITCH_KEY_BYTES: usize = POLYNOMIAL_SIZE / 16 * 4 * LANES * 16;

/// Cosine and tangent of an angle, of each of `Roots` of `fhe/transform.cuh`: 16 of the forward transform, 8 of the inverse, 32
/// of the twist.
pub type Roots = [f64; 2 * 56];
/// Words of `LaneRoots`: 16 forward and 16 inverse roots of each lane, and a twist.
pub const LANE_ROOTS: usize = 2 * 33 * LANES;
/// Threads that a polynomial has in `fhe_rotate_one`.
pub const THREADS: usize = 64;
/// Words of `ThreadRoots` of `fhe/rotation_one.cuh`: of each thread 16 forward and 8 inverse roots and a twist, and 32 of all.
pub const THREAD_ROOTS: usize = 2 * (25 * THREADS + 32);

/// A kernel that rotates: the ciphertexts and threads of a block, and the bytes of shared memory it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RotationShape {
    /// Ciphertexts.
    pub together: u32,
    /// Threads.
    pub threads: u32,
    /// Dynamic shared memory.
    pub shared: u32,
}

/// Of `fhe_rotate_one`, which has the least latency: a block has a multiprocessor.
pub const ONE: RotationShape = RotationShape { together: 1, threads: 128, shared: 123_392 };
/// Of `fhe_rotate_two`, of which a multiprocessor runs two blocks where it has twice the memory: the highest rate.
pub const TWO: RotationShape = RotationShape { together: 2, threads: 128, shared: 112 << 10 };
/// Of `fhe_rotate_small`, for devices with less shared memory.
pub const SMALL: RotationShape = RotationShape { together: 1, threads: 64, shared: 64 << 10 };

kernels! {
    /// Kernels of encrypted integers.
    FHE_KERNELS: Fhe {
        COMBINE = "fhe_combine"(
            sources: Address, terms: Address, signals: Address, first: u64, per_element: u32, out: Address,
        );
        DECOMPOSE = "fhe_decompose"(
            sources: Address, terms: Address, signals: Address, first: u64, per_element: u32, digits: Address, small: Address,
            body: u32, stride: u32,
        );
        KEY_SWITCH = "fhe_key_switch"(digits: Address, key: Address, small: Address, count: u32, columns: u32, stride: u32);
        SWITCH_MODULUS = "fhe_switch_modulus"(small: Address, out: Address, count: u32, words: u32, stride: u32);
        ROTATE_ONE = "fhe_rotate_one"(
            roots: Roots, own_roots: Address, masks: Address, tables: Address, key: Address, out: Address, count: u32,
            table_count: u32, outputs: u32, steps: u32, stride: u32,
        );
        ROTATE_TWO = "fhe_rotate_two"(
            roots: Roots, own_roots: Address, masks: Address, tables: Address, key: Address, out: Address, count: u32,
            table_count: u32, outputs: u32, steps: u32, stride: u32,
        );
        ROTATE_SMALL = "fhe_rotate_small"(
            roots: Roots, own_roots: Address, masks: Address, tables: Address, key: Address, out: Address, count: u32,
            table_count: u32, outputs: u32, steps: u32, stride: u32,
        );
        ARRANGE_KEY = "fhe_arrange_key"(words: Address, out: Address, columns: u32);
    }
}
