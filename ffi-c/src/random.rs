//! Arrays of random numbers, which are functions of a key.
//!
//! The same call gives the same numbers, on any number of threads and in every language. A key is 16 bytes that are copied
//! and never used up: it is split for independent numbers, and needs no freeing.

use crate::array::{make, operand, place};
use crate::array_types::{self as types, ICICLE_SCALAR_INT, ICICLE_SCALAR_UINT, Scalar};
use crate::code::Code;
use crate::flag::Flag;
use crate::guard::guard;
use crate::ptr;
use crate::types::{IcicleDevice, count};
use icicle::array::random::{self, Key};
use icicle::array::{self, Array};
use icicle::device::Device;
use icicle::{Error, Result};
use std::ffi::c_void;

/// What random numbers are a function of: 128 bits, of which any are a key. Begin with `icicle_random_key`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct RandomKey {
    /// The key of the cipher Philox4x32-10, then the upper half of its counters.
    pub words: [u32; 4],
}

impl RandomKey {
    fn of(key: Key) -> Self {
        Self { words: key.words() }
    }

    fn to_core(self) -> Key {
        Key::from_words(self.words)
    }
}

/// The key of a seed.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_random_key(seed: u64) -> RandomKey {
    RandomKey::of(Key::new(seed))
}

/// The key for a number, such as that of a step: another for another number, but with a probability of 2^-128.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_random_fold_in(key: RandomKey, data: u64) -> RandomKey {
    RandomKey::of(key.to_core().fold_in(data))
}

/// Write `count` keys whose numbers are independent of each other's and of this key's. No two of them are equal, and the
/// first of many are those of few.
///
/// Errors: `INVALID_ARGUMENT` if `count` is negative; `INVALID_POINTER` if `keys` is null (unless `count` is 0) or misaligned;
/// `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_random_split(key: RandomKey, keys: *mut RandomKey, count: i64) -> Code {
    let op = "split";
    guard(op, || {
        let n = self::count(op, "count", count)?;
        if n > 0 {
            ptr::check_typed(op, "keys", keys)?;
        }
        for (i, made) in key.to_core().split(n)?.into_iter().enumerate() {
            // SAFETY: `keys` has room for `count` of them, by the caller's promise.
            unsafe { ptr::write(op, "keys", keys.wrapping_add(i), RandomKey::of(made)) }?;
        }
        Ok(())
    })
}

/// Make an array of a shape, on a device, as a function of the key says.
///
/// # Safety
/// The crate's contract.
unsafe fn drawn(
    op: &'static str,
    (shape, rank): (*const i64, i32),
    device: *const IcicleDevice,
    made: *mut *mut c_void,
    draw: impl FnOnce(Device, &[usize]) -> Result<Array>,
) -> Code {
    let body = || {
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let (shape, device) = unsafe { (types::shape(op, shape, rank)?, place(op, device)?) };
        draw(device, &shape)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// Make an array of integers of all values of an unsigned dtype, equally likely: the bits of the cipher's blocks, lowest
/// first. Its `rank` extents are `shape`, which may be null if `rank` is 0; element `i` in C order depends on the key and `i`
/// only.
///
/// `device`, unless null, is where the array is to be; by default on the thread's current device. Free the array with
/// `icicle_array_free`. On a CPU the numbers are computed when the call returns, on a GPU enqueued on its default stream; they are
/// the same to the bit.
///
/// Errors: `INVALID_ARGUMENT` if `dtype` is none or not unsigned, `rank` is not 0 to 64, an extent is negative, or the array
/// exceeds the address space; `INVALID_POINTER` if a pointer is null where it may not be or misaligned; `INVALID_DEVICE`;
/// `API_NOT_IMPLEMENTED` on a GPU with neither NVRTC nor kernels; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_random_bits(
    key: RandomKey,
    dtype: i32,
    shape: *const i64,
    rank: i32,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let op = "bits";
    let draw = |device, shape: &[usize]| random::bits(device, &key.to_core(), shape, types::dtype(op, dtype)?);
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { drawn(op, (shape, rank), device, made, draw) }
}

/// Make an array of numbers from `low` up to before `high`, equally likely, of 24 random bits in `float32` and 53 in
/// `float64`; what would round to `high` is the number before it. Shape, place and ownership are as `icicle_random_bits`
/// says.
///
/// Errors: as `icicle_random_bits`; `INVALID_ARGUMENT` if `dtype` is not one of these, `low` is not below `high` in it, or
/// their distance is not finite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_random_uniform(
    key: RandomKey,
    low: f64,
    high: f64,
    dtype: i32,
    shape: *const i64,
    rank: i32,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let op = "uniform";
    let draw =
        |device, shape: &[usize]| random::uniform(device, &key.to_core(), shape, types::dtype(op, dtype)?, low, high);
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { drawn(op, (shape, rank), device, made, draw) }
}

/// Make an array of normal numbers of mean 0 and deviation 1, by Box and Muller's transform, in `float32` or `float64`: at
/// most 6.77 and 8.66 from 0. Shape, place and ownership are as `icicle_random_bits` says.
///
/// Errors: as `icicle_random_bits`; `INVALID_ARGUMENT` if `dtype` is not one of these.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_random_normal(
    key: RandomKey,
    dtype: i32,
    shape: *const i64,
    rank: i32,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let op = "normal";
    let draw = |device, shape: &[usize]| random::normal(device, &key.to_core(), shape, types::dtype(op, dtype)?);
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { drawn(op, (shape, rank), device, made, draw) }
}

/// A bound of integers.
fn bound(op: &'static str, arg: &str, value: Scalar) -> Result<i128> {
    match (value.kind, value.to_core(op, arg)?) {
        (ICICLE_SCALAR_INT | ICICLE_SCALAR_UINT, array::Scalar::Int(value)) => Ok(value),
        (kind, _) => {
            Err(Error::argument(op, format!("{arg}: kind {kind}: must be ICICLE_SCALAR_INT or ICICLE_SCALAR_UINT")))
        }
    }
}

/// Make an array of integers from `low` up to before `high`, equally likely, without bias. The bounds are of kind
/// `ICICLE_SCALAR_INT` or `ICICLE_SCALAR_UINT`; integers of all values of `uint64` are those of `icicle_random_bits`. Shape,
/// place and ownership are as there.
///
/// Errors: as `icicle_random_bits`; `INVALID_ARGUMENT` if a bound is no integer, `low` is not below `high`, or `dtype` is no
/// integer one or does not hold the numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_random_integers(
    key: RandomKey,
    low: Scalar,
    high: Scalar,
    dtype: i32,
    shape: *const i64,
    rank: i32,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let op = "integers";
    let draw = |device, shape: &[usize]| {
        let (low, high) = (bound(op, "low", low)?, bound(op, "high", high)?);
        random::integers(device, &key.to_core(), low, high, shape, types::dtype(op, dtype)?)
    };
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { drawn(op, (shape, rank), device, made, draw) }
}

/// Make an array of bool whose elements are true with a probability, which is rounded to a multiple of 2^-32. Shape, place
/// and ownership are as `icicle_random_bits` says.
///
/// Errors: as `icicle_random_bits`; `INVALID_ARGUMENT` if the probability is not from 0 to 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_random_bernoulli(
    key: RandomKey,
    probability: f64,
    shape: *const i64,
    rank: i32,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let draw = |device, shape: &[usize]| random::bernoulli(device, &key.to_core(), probability, shape);
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { drawn("bernoulli", (shape, rank), device, made, draw) }
}

/// Make an array of the integers from 0 to `n - 1`, in `int64`, in an order all of which are equally likely, but for
/// `n^2 / 2^65` at most in total variation. Place and ownership are as `icicle_random_bits` says.
///
/// Errors: `INVALID_ARGUMENT` if `n` is negative or too large; `INVALID_POINTER` if `device` is misaligned or `made` null or
/// misaligned; `INVALID_DEVICE`; `API_NOT_IMPLEMENTED` on a GPU with neither NVRTC nor kernels; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_random_permutation(
    key: RandomKey,
    n: i64,
    device: *const IcicleDevice,
    made: *mut *mut c_void,
) -> Code {
    let op = "permutation";
    let body = || {
        // SAFETY: `device` can be read unless it is null, by the caller's promise.
        let device = unsafe { place(op, device) }?;
        random::permutation(device, &key.to_core(), count(op, "n", n)?)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// An array with the indices of an axis in the order that `icicle_random_permutation` gives for its extent, on the array's
/// device. The axis counts from the end if negative. Free the array with `icicle_array_free`.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `made` null or misaligned; `INVALID_ARGUMENT` if there is no such
/// axis; `API_NOT_IMPLEMENTED` on a GPU with neither NVRTC nor kernels; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_random_shuffle(
    key: RandomKey,
    array: *mut c_void,
    axis: i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "shuffle";
    let body = || random::shuffle(&key.to_core(), &*operand(op, "array", array)?, axis as isize);
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// `n` elements along an axis, each of them any with the same probability; without `replace`, none twice. The axis counts
/// from the end if negative. Free the array with `icicle_array_free`.
///
/// Errors: as `icicle_random_shuffle`; `INVALID_ARGUMENT` also if `n` is negative, or there are no elements to choose from or,
/// without `replace`, fewer than `n`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_random_choice(
    key: RandomKey,
    array: *mut c_void,
    n: i64,
    axis: i32,
    replace: Flag,
    made: *mut *mut c_void,
) -> Code {
    let op = "choice";
    let body = || {
        let array = operand(op, "array", array)?;
        random::choice(&key.to_core(), &array, count(op, "n", n)?, axis as isize, replace != 0)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}
