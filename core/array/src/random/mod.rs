//! Random numbers that are functions of a key: the same call gives the same numbers to the bit, on any number of threads and on
//! any device, CPU or GPU.
//!
//! A [`Key`] is split, never used up: each function gives the same numbers again for the same key, so whoever needs others
//! takes another key. Element `i` depends on key and `i` only, whatever the shape: it comes from block `i * bits / 128` of
//! Philox4x32-10 under the key, where `bits` are those that an element takes.
//!
//! ```
//! use icicle_array::{DType, random::{self, Key}};
//! use icicle_device::Device;
//!
//! # fn main() -> icicle_error::Result<()> {
//! let [weights, noise] = Key::new(7).split(2)?[..] else { unreachable!() };
//! let w = random::normal(Device::cpu(0), &weights, &[3, 4], DType::Float32)?;
//! let u = random::uniform(Device::cpu(0), &noise, &[3], DType::Float64, -1.0, 1.0)?;
//! assert_eq!((w.shape(), u.to_vec::<f64>()?.iter().all(|x| (-1.0..1.0).contains(x))), (&[3, 4][..], true));
//! # Ok(())
//! # }
//! ```

mod key;
mod normal;
pub(crate) mod philox;
mod rules;

use crate::array::{Array, Fresh, compute_on};
use crate::layout::count;
use crate::{DType, Element, iinfo};
use icicle_device::Device;
#[cfg(feature = "cuda")]
use icicle_device::DeviceKind;
use icicle_error::{Error, Result};
use philox::{Rule, fill};

pub use key::Key;

/// Elements of a rule, on a device.
fn elements<R: Rule>(op: &'static str, device: Device, key: &Key, shape: &[usize], rule: &R) -> Result<Array> {
    #[cfg(feature = "cuda")]
    if device.kind == DeviceKind::Cuda {
        return crate::cuda::random::elements(op, device, key.words(), shape, rule.on_gpu());
    }
    compute_on(op, device)?;
    let mut out = Fresh::new(op, device, R::Out::DTYPE, shape)?;
    fill(&key.0, rule, out.slice());
    Ok(out.done())
}

/// An error about a dtype.
fn wrong<T>(op: &'static str, dtype: DType, rule: &str) -> Result<T> {
    Err(Error::argument(op, format!("dtype {dtype}: must be {rule}")))
}

/// Integers of all values of an unsigned dtype, equally likely: the bits of the cipher's blocks, lowest first.
///
/// # Errors
/// `InvalidArgument` if the dtype is not unsigned or the shape too large; `Unsupported` on a GPU with neither
/// NVRTC nor kernels; `OutOfMemory`.
pub fn bits(device: Device, key: &Key, shape: &[usize], dtype: DType) -> Result<Array> {
    const OP: &str = "bits";
    match dtype {
        DType::UInt8 => elements(OP, device, key, shape, &rules::Bits::<u8>::NEW),
        DType::UInt16 => elements(OP, device, key, shape, &rules::Bits::<u16>::NEW),
        DType::UInt32 => elements(OP, device, key, shape, &rules::Bits::<u32>::NEW),
        DType::UInt64 => elements(OP, device, key, shape, &rules::Bits::<u64>::NEW),
        _ => wrong(OP, dtype, "an unsigned integer"),
    }
}

/// Numbers from `low` up to before `high`: `low + (high - low) k / 2^b` for `k` of `b` equally likely bits, 24 in `float32` and
/// 53 in `float64`, rounded; what would round to `high` is the number before it.
///
/// # Errors
/// `InvalidArgument` if the dtype is not one of these, `low` is not below `high` in it, the distance is not finite, or the shape
/// is too large; `Unsupported` on a GPU with neither NVRTC nor kernels; `OutOfMemory`.
pub fn uniform(device: Device, key: &Key, shape: &[usize], dtype: DType, low: f64, high: f64) -> Result<Array> {
    const OP: &str = "uniform";
    let check = |fits: bool| match fits {
        true => Ok(()),
        false => Err(Error::argument(
            OP,
            format!("low {low} and high {high}: low must be below high, and the distance finite in {dtype}"),
        )),
    };
    match dtype {
        DType::Float32 => {
            let (low, high) = (low as f32, high as f32);
            check(low < high && (high - low).is_finite())?;
            elements(OP, device, key, shape, &rules::Uniform { low, span: high - low, last: high.next_down() })
        }
        DType::Float64 => {
            check(low < high && (high - low).is_finite())?;
            elements(OP, device, key, shape, &rules::Uniform { low, span: high - low, last: high.next_down() })
        }
        _ => wrong(OP, dtype, "float32 or float64"),
    }
}

/// Normal numbers of mean 0 and deviation 1, by Box and Muller's transform of pairs of words, of 32 bits in `float32` and 64 in
/// `float64`: at most 6.77 and 8.66 from 0, and within 4 epsilon, relative, of the exact transform of the words as fractions, the
/// first rounded to the dtype.
///
/// # Errors
/// `InvalidArgument` if the dtype is not one of these or the shape too large; `Unsupported` on a GPU with neither NVRTC nor
/// kernels; `OutOfMemory`.
pub fn normal(device: Device, key: &Key, shape: &[usize], dtype: DType) -> Result<Array> {
    const OP: &str = "normal";
    match dtype {
        DType::Float32 => elements(OP, device, key, shape, &normal::Narrow),
        DType::Float64 => elements(OP, device, key, shape, &normal::Wide),
        _ => wrong(OP, dtype, "float32 or float64"),
    }
}

/// Integers from `low` up to before `high`, equally likely: a word times their number, its upper half, and another word, of a
/// key of the element's own, where the lower half is one of those that some integers have more of (D. Lemire, "Fast random
/// integer generation in an interval", 2019). Words have 32 bits for up to 2^24 integers, else 64.
///
/// # Errors
/// `InvalidArgument` if `low` is not below `high`, the dtype is no integer or does not hold them, or the shape is too large;
/// `Unsupported` on a GPU with neither NVRTC nor kernels; `OutOfMemory`.
pub fn integers(device: Device, key: &Key, low: i128, high: i128, shape: &[usize], dtype: DType) -> Result<Array> {
    const OP: &str = "integers";
    if !dtype.is_integer() {
        return wrong(OP, dtype, "an integer");
    }
    let range = iinfo(dtype)?;
    if low >= high || low < range.min || high - 1 > range.max {
        let rule = format!("low must be below high, from {} to {} in {dtype}", range.min, range.max + 1);
        return Err(Error::argument(OP, format!("low {low} and high {high}: {rule}")));
    }
    macro_rules! of {
        ($($name:ident $t:ty),*) => {
            match dtype {
                $(DType::$name => {
                    let (low, count) = (low as $t, (high - low) as u128);
                    match count <= 1 << 24 {
                        true => elements(OP, device, key, shape, &rules::Few { key: *key, low, count: count as u32 }),
                        false => elements(OP, device, key, shape, &rules::Many::new(*key, low, count)),
                    }
                })*
                _ => wrong(OP, dtype, "an integer"),
            }
        };
    }
    of!(Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16, UInt32 u32, UInt64 u64)
}

/// Truth values that are true with a probability, which is rounded to a multiple of 2^-32.
///
/// # Errors
/// `InvalidArgument` if the probability is not from 0 to 1 or the shape too large; `Unsupported` on a GPU with neither NVRTC nor
/// kernels; `OutOfMemory`.
pub fn bernoulli(device: Device, key: &Key, probability: f64, shape: &[usize]) -> Result<Array> {
    const OP: &str = "bernoulli";
    if !(0.0..=1.0).contains(&probability) {
        return Err(Error::argument(OP, format!("probability {probability}: must be from 0 to 1")));
    }
    let below = (probability * (1u64 << 32) as f64).round_ties_even() as u64;
    elements(OP, device, key, shape, &rules::Bernoulli { below })
}

/// The integers `0..n` in an order all of which are equally likely, but for `n^2 / 2^65` at most in total variation: those that
/// sort as many words of 64 bits, of which equal ones keep their places. In `int64`.
///
/// # Errors
/// `InvalidArgument` if they are too many; `Unsupported` on a GPU with neither NVRTC nor kernels; `OutOfMemory`.
pub fn permutation(device: Device, key: &Key, n: usize) -> Result<Array> {
    const OP: &str = "permutation";
    count(OP, &[n])?;
    let named = |error: Error| Error { op: OP, ..error };
    crate::argsort(&bits(device, key, &[n], DType::UInt64).map_err(named)?, 0, false).map_err(named)
}

/// An array with the indices of an axis in the order that [`permutation`] gives.
///
/// # Errors
/// As [`permutation`] and [`crate::take`].
pub fn shuffle(key: &Key, x: &Array, axis: isize) -> Result<Array> {
    let extent = x.shape()[crate::layout::axis("shuffle", axis, x.rank())?];
    crate::take(x, &permutation(x.device(), key, extent)?, axis)
}

/// `n` elements along an axis, each of them any with the same probability; without `replace`, none twice.
///
/// # Errors
/// As [`shuffle`]; `InvalidArgument` if there are none to choose from, or too few of them.
pub fn choice(key: &Key, x: &Array, n: usize, axis: isize, replace: bool) -> Result<Array> {
    const OP: &str = "choice";
    let extent = x.shape()[crate::layout::axis(OP, axis, x.rank())?];
    if n > 0 && (extent == 0 || (!replace && n > extent)) {
        let rule = if replace { "there must be one" } else { "there must be as many" };
        return Err(Error::argument(OP, format!("{n} of {extent} elements: {rule}")));
    }
    let indices = match replace {
        true if n > 0 => integers(x.device(), key, 0, extent as i128, &[n], DType::Int64)?,
        _ => permutation(x.device(), key, extent)?.index(&[crate::Index::Slice(crate::Slice::range(0, n as isize))])?,
    };
    crate::take(x, &indices, axis)
}

/// Every rule, as kernels have it.
#[cfg(all(test, feature = "cuda"))]
pub(crate) fn rules_on_gpus() -> Vec<philox::OnGpu> {
    let key = Key::new(0);
    let mut rules = vec![
        rules::Bits::<u8>::NEW.on_gpu(),
        rules::Bits::<u16>::NEW.on_gpu(),
        rules::Bits::<u32>::NEW.on_gpu(),
        rules::Bits::<u64>::NEW.on_gpu(),
        rules::Uniform { low: 0f32, span: 1.0, last: 1.0 }.on_gpu(),
        rules::Uniform { low: 0f64, span: 1.0, last: 1.0 }.on_gpu(),
        normal::Narrow.on_gpu(),
        normal::Wide.on_gpu(),
        rules::Bernoulli { below: 1 }.on_gpu(),
    ];
    macro_rules! integers {
        ($($t:ty)*) => {
            $(rules.push(rules::Few::<$t> { key, low: 0, count: 1 }.on_gpu());
            rules.push(rules::Many::<$t>::new(key, 0, 1).on_gpu());)*
        };
    }
    integers!(i8 i16 i32 i64 u8 u16 u32 u64);
    rules
}
