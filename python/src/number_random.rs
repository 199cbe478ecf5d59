//! Random numbers, which are functions of a key.
#![allow(clippy::too_many_arguments)] // as in vector.rs

use crate::device::DeviceLike;
use crate::error::{brief, call, exception};
use crate::number_array::{NumberArray, Numbers, made};
use crate::number_type::TypeLike;
use icicle::device::{Device, current_device};
use icicle::{Error, Result};
use icicle_array::Array;
use icicle_array::random;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

/// What random numbers are a function of: 128 bits.
///
/// Key(seed): the key of an integer of 64 bits. The same key gives the same numbers, every time and in every language: split it
/// for independent ones.
///
/// Raises InvalidArgument for a seed that is not 0 to 18446744073709551615, TypeError for one that is no integer.
#[pyclass(frozen, eq, hash, from_py_object, module = "icicle.random")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key(random::Key);

/// An integer of 64 bits, or an error that says so.
fn word(op: &'static str, name: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    let py = value.py();
    value.extract::<u64>().map_err(|error| match error.is_instance_of::<PyOverflowError>(py) {
        true => {
            let text = value.str().map_or_else(|_| "of many digits".to_owned(), |text| text.to_string());
            let rule = format!("{name} {text}: must be 0 to {}", u64::MAX);
            exception(py, &Error::argument(op, rule))
        }
        false => error,
    })
}

#[pymethods]
impl Key {
    #[new]
    fn new(seed: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(random::Key::new(word("key", "seed", seed)?)))
    }

    /// The key of four integers of 32 bits, of which any are a key: those that `words` gives. Raises OverflowError or TypeError
    /// for others.
    #[staticmethod]
    fn from_words(words: [u32; 4]) -> Self {
        Self(random::Key::from_words(words))
    }

    /// The key as four integers of 32 bits.
    #[getter]
    fn words(&self) -> (u32, u32, u32, u32) {
        self.0.words().into()
    }

    /// Keys whose numbers are independent of each other's and of this key's. No two of them are equal, and the first of many
    /// are those of few. Raises InvalidArgument for a negative number of them, OutOfMemory.
    #[pyo3(signature = (n=2))]
    fn split(&self, py: Python<'_>, n: isize) -> PyResult<Vec<Self>> {
        let count = || usize::try_from(n).map_err(|_| Error::argument("split", format!("n {n}: must not be negative")));
        Ok(brief(py, "split", || self.0.split(count()?))?.into_iter().map(Self).collect())
    }

    /// The key for a number, such as that of a step. Raises InvalidArgument for a number that is not 0 to
    /// 18446744073709551615, TypeError for one that is no integer.
    fn fold_in(&self, data: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(self.0.fold_in(word("fold_in", "data", data)?)))
    }

    fn __repr__(&self) -> String {
        format!("icicle.random.Key.from_words({:?})", self.0.words())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, ([u32; 4],))> {
        Ok((py.get_type::<Self>().getattr("from_words")?, (self.0.words(),)))
    }
}

/// Draw elements: without the interpreter's lock where they are many.
fn drawn(
    py: Python<'_>,
    op: &'static str,
    shape: &[usize],
    device: Option<DeviceLike>,
    draw: impl FnOnce(Device) -> Result<Array> + Send,
) -> PyResult<NumberArray> {
    let device = device.map_or_else(current_device, |device| device.0);
    let few = shape.iter().fold(1usize, |n, &extent| n.saturating_mul(extent)) <= 1 << 12;
    if few { brief(py, op, || draw(device)) } else { call(py, op, || draw(device)) }.map(NumberArray)
}

/// Integers of all values of an unsigned dtype.
#[pyfunction]
pub(crate) fn random_bits(
    py: Python<'_>,
    key: Key,
    shape: Vec<usize>,
    dtype: TypeLike,
    device: Option<DeviceLike>,
) -> PyResult<NumberArray> {
    drawn(py, "bits", &shape, device, |device| random::bits(device, &key.0, &shape, dtype.0))
}

/// Numbers from a low one up to before a high one.
#[pyfunction]
pub(crate) fn random_uniform(
    py: Python<'_>,
    key: Key,
    shape: Vec<usize>,
    low: f64,
    high: f64,
    dtype: TypeLike,
    device: Option<DeviceLike>,
) -> PyResult<NumberArray> {
    drawn(py, "uniform", &shape, device, |device| random::uniform(device, &key.0, &shape, dtype.0, low, high))
}

/// Normal numbers of mean 0 and deviation 1.
#[pyfunction]
pub(crate) fn random_normal(
    py: Python<'_>,
    key: Key,
    shape: Vec<usize>,
    dtype: TypeLike,
    device: Option<DeviceLike>,
) -> PyResult<NumberArray> {
    drawn(py, "normal", &shape, device, |device| random::normal(device, &key.0, &shape, dtype.0))
}

/// An integer of Python's; one beyond 128 bits is the nearest of them, which no dtype holds either.
fn bound(value: &Bound<'_, PyAny>) -> PyResult<i128> {
    value.extract::<i128>().or_else(|error| match error.is_instance_of::<PyOverflowError>(value.py()) {
        true => Ok(if value.lt(0)? { i128::MIN } else { i128::MAX }),
        false => Err(error),
    })
}

/// Integers from a low one up to before a high one.
#[pyfunction]
pub(crate) fn random_integers(
    py: Python<'_>,
    key: Key,
    low: &Bound<'_, PyAny>,
    high: &Bound<'_, PyAny>,
    shape: Vec<usize>,
    dtype: TypeLike,
    device: Option<DeviceLike>,
) -> PyResult<NumberArray> {
    let (low, high) = (bound(low)?, bound(high)?);
    drawn(py, "integers", &shape, device, |device| random::integers(device, &key.0, low, high, &shape, dtype.0))
}

/// Truth values that are true with a probability.
#[pyfunction]
pub(crate) fn random_bernoulli(
    py: Python<'_>,
    key: Key,
    probability: f64,
    shape: Vec<usize>,
    device: Option<DeviceLike>,
) -> PyResult<NumberArray> {
    drawn(py, "bernoulli", &shape, device, |device| random::bernoulli(device, &key.0, probability, &shape))
}

/// The integers below a number in random order.
#[pyfunction]
pub(crate) fn random_permutation(
    py: Python<'_>,
    key: Key,
    n: usize,
    device: Option<DeviceLike>,
) -> PyResult<NumberArray> {
    drawn(py, "permutation", &[n], device, |device| random::permutation(device, &key.0, n))
}

/// An array with the indices of an axis in random order.
#[pyfunction]
pub(crate) fn random_shuffle(py: Python<'_>, key: Key, x: Numbers, axis: isize) -> PyResult<NumberArray> {
    made(py, "shuffle", &[&x.0], || random::shuffle(&key.0, &x.0, axis))
}

/// Random elements along an axis.
#[pyfunction]
pub(crate) fn random_choice(
    py: Python<'_>,
    key: Key,
    x: Numbers,
    n: usize,
    axis: isize,
    replace: bool,
) -> PyResult<NumberArray> {
    drawn(py, "choice", &[n, x.0.len()], None, |_| random::choice(&key.0, &x.0, n, axis, replace))
}
