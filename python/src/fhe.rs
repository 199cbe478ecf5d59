//! Encrypted integers: keys, arrays, operations with the thread's server key. `icicle/fhe.py` has operators and NumPy.

use crate::device::DeviceLike;
use crate::error::{brief, call, exception};
use crate::group::Group;
use icicle::fhe::dynamic::{
    self, CompressedFheArray, Elements, FheArray, FheBinaryOp, FheOverflowOp, FheType, FheUnaryOp, Value,
};
use icicle::fhe::{self, ClientKey, CompressedServerKey, CurrentKey, KeySet, MESSAGE_2_CARRY_2, ServerKey};
use icicle::{Error, Result};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// The native half of `icicle.fhe.ClientKey`.
#[pyclass(frozen, module = "icicle._icicle")]
pub(crate) struct FheClientKey(ClientKey);

/// The native half of `icicle.fhe.ServerKey`.
#[pyclass(frozen, module = "icicle._icicle")]
pub(crate) struct FheServerKey(CurrentKey);

/// The native half of `icicle.fhe.Array`.
#[pyclass(frozen, module = "icicle._icicle")]
pub(crate) struct FheNumbers(FheArray);

/// The native half of `icicle.fhe.CompressedServerKey`.
#[pyclass(frozen, module = "icicle._icicle")]
pub(crate) struct FheCompressedServerKey(CompressedServerKey);

/// The native half of `icicle.fhe.CompressedArray`.
#[pyclass(frozen, module = "icicle._icicle")]
pub(crate) struct FheCompressedNumbers(CompressedFheArray);

/// An object as an object of Python's that holds its bytes.
fn as_bytes<'py, B: AsRef<[u8]> + Send>(
    py: Python<'py>,
    op: &'static str,
    write: impl FnOnce() -> Result<B> + Send,
) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(py, call(py, op, write)?.as_ref()))
}

fn or_current(device: Option<DeviceLike>) -> icicle::Device {
    device.map_or_else(icicle::device::current_device, |device| device.0)
}

/// Clear elements, copied out of a buffer of Python's.
fn elements(op: &'static str, kind: i32, values: &Bound<'_, PyAny>) -> PyResult<Elements> {
    let py = values.py();
    macro_rules! read {
        ($($kind:ident $elements:ident $integer:ident $number:literal $name:literal $meaning:literal;)*) => {
            match type_of(op, kind).map_err(|error| exception(py, &error))? {
                FheType::Bool => {
                    let bytes = PyBuffer::<u8>::get(values)?.to_vec(py)?;
                    Elements::Bool(bytes.iter().map(|&byte| byte != 0).collect())
                }
                $(FheType::$kind => Elements::$elements(PyBuffer::<$integer>::get(values)?.to_vec(py)?),)*
            }
        };
    }
    Ok(icicle::fhe::fhe_integers!(read))
}

fn type_of(op: &'static str, kind: i32) -> Result<FheType> {
    FheType::from_number(kind).ok_or_else(|| Error::argument(op, format!("type {kind}: must be one of fhe_types()")))
}

/// An operand: an encrypted array, or the type and the buffer of clear elements.
pub(crate) enum Operand<'py> {
    Encrypted(Bound<'py, FheNumbers>),
    Clear(Elements),
}

impl<'py> FromPyObject<'_, 'py> for Operand<'py> {
    type Error = PyErr;
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = object.cast::<FheNumbers>() {
            return Ok(Self::Encrypted(array.to_owned()));
        }
        let (kind, values): (i32, Bound<'py, PyAny>) = object.extract()?;
        elements("fhe", kind, &values).map(Self::Clear)
    }
}

impl Operand<'_> {
    fn value(&self) -> Value<'_> {
        match self {
            Self::Encrypted(array) => Value::Encrypted(&array.get().0),
            Self::Clear(values) => Value::Clear(values.as_clear()),
        }
    }
}

#[pymethods]
impl FheClientKey {
    #[new]
    fn new(py: Python<'_>) -> PyResult<Self> {
        call(py, "fhe_client_key", || ClientKey::generate(&MESSAGE_2_CARRY_2)).map(Self)
    }

    fn server_key(&self, py: Python<'_>, device: Option<DeviceLike>) -> PyResult<FheServerKey> {
        call(py, "fhe_server_key", || self.0.server_key(or_current(device)).map(CurrentKey::from)).map(FheServerKey)
    }

    fn compressed_server_key(&self, py: Python<'_>) -> PyResult<FheCompressedServerKey> {
        call(py, "fhe_compressed_server_key", || self.0.compressed_server_key()).map(FheCompressedServerKey)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        as_bytes(py, "fhe_client_key_to_bytes", || self.0.to_bytes())
    }

    /// Read in place: no copy of the secret is left behind here.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        call(py, "fhe_client_key_from_bytes", || ClientKey::from_bytes(bytes)).map(Self)
    }

    fn encrypt_compressed(
        &self,
        py: Python<'_>,
        kind: i32,
        values: &Bound<'_, PyAny>,
    ) -> PyResult<FheCompressedNumbers> {
        const OP: &str = "fhe_encrypt_compressed";
        let values = elements(OP, kind, values)?;
        call(py, OP, || dynamic::encrypt_compressed(&self.0, values.as_clear())).map(FheCompressedNumbers)
    }

    fn encrypt(&self, py: Python<'_>, kind: i32, values: &Bound<'_, PyAny>) -> PyResult<FheNumbers> {
        let values = elements("fhe_encrypt", kind, values)?;
        call(py, "fhe_encrypt", || dynamic::encrypt(&self.0, values.as_clear())).map(FheNumbers)
    }

    /// The elements' bytes.
    fn decrypt<'py>(&self, py: Python<'py>, array: &FheNumbers) -> PyResult<Bound<'py, PyBytes>> {
        as_bytes(py, "fhe_decrypt", || dynamic::decrypt(&self.0, &array.0)?.to_memory())
    }
}

#[pymethods]
impl FheServerKey {
    fn over(&self, py: Python<'_>, group: &Group) -> PyResult<Self> {
        const OP: &str = "fhe_key_set";
        call(py, OP, || match &self.0 {
            CurrentKey::Server(key) => KeySet::new(group.get(OP)?, Arc::clone(key)).map(CurrentKey::from),
            CurrentKey::Set(_) => Err(Error::argument(OP, "the key is of a group, must be of one device")),
        })
        .map(Self)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        const OP: &str = "fhe_server_key_to_bytes";
        as_bytes(py, OP, || match &self.0 {
            CurrentKey::Server(key) => key.to_bytes(),
            CurrentKey::Set(_) => Err(Error::argument(OP, "the key is of a group, must be of one device")),
        })
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8], device: Option<DeviceLike>) -> PyResult<Self> {
        let body = || ServerKey::from_bytes(bytes, or_current(device)).map(CurrentKey::from);
        call(py, "fhe_server_key_from_bytes", body).map(Self)
    }
}

#[pymethods]
impl FheCompressedServerKey {
    fn decompress(&self, py: Python<'_>, device: Option<DeviceLike>) -> PyResult<FheServerKey> {
        let body = || self.0.decompress(or_current(device)).map(CurrentKey::from);
        call(py, "fhe_decompress_server_key", body).map(FheServerKey)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        as_bytes(py, "fhe_compressed_server_key_to_bytes", || self.0.to_bytes())
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        call(py, "fhe_compressed_server_key_from_bytes", || CompressedServerKey::from_bytes(bytes)).map(Self)
    }
}

#[pymethods]
impl FheCompressedNumbers {
    fn kind(&self) -> i32 {
        self.0.kind() as i32
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn decompress(&self, py: Python<'_>) -> PyResult<FheNumbers> {
        call(py, "fhe_decompress", || self.0.decompress()).map(FheNumbers)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        as_bytes(py, "fhe_compressed_array_to_bytes", || self.0.to_bytes())
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        call(py, "fhe_compressed_array_from_bytes", || CompressedFheArray::from_bytes(bytes)).map(Self)
    }
}

#[pymethods]
impl FheNumbers {
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        as_bytes(py, "fhe_array_to_bytes", || self.0.to_bytes())
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        call(py, "fhe_array_from_bytes", || FheArray::from_bytes(bytes)).map(Self)
    }

    fn kind(&self) -> i32 {
        self.0.kind() as i32
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn slice(&self, py: Python<'_>, start: usize, end: usize) -> PyResult<Self> {
        call(py, "fhe_slice", || self.0.slice(start..end)).map(Self)
    }

    fn repeat(&self, py: Python<'_>, times: usize) -> PyResult<Self> {
        call(py, "fhe_repeat", || self.0.repeat(times)).map(Self)
    }
}

/// Make a key the calling thread's, or none.
#[pyfunction]
pub(crate) fn fhe_set_server_key(key: Option<&FheServerKey>) {
    match key {
        Some(key) => fhe::set_server_key(key.0.clone()),
        None => fhe::unset_server_key(),
    }
}

/// The calling thread's key.
#[pyfunction]
pub(crate) fn fhe_server_key() -> Option<FheServerKey> {
    fhe::server_key().map(FheServerKey)
}

/// Names of types, by number.
#[pyfunction]
pub(crate) fn fhe_types() -> Vec<&'static str> {
    FheType::ALL.iter().map(|kind| kind.name()).collect()
}

/// Names of operations on two arrays, on one, and on two with a flag, by number.
#[pyfunction]
pub(crate) fn fhe_operations() -> [Vec<&'static str>; 3] {
    [
        FheBinaryOp::ALL.iter().map(|op| op.name()).collect(),
        FheUnaryOp::ALL.iter().map(|op| op.name()).collect(),
        FheOverflowOp::ALL.iter().map(|op| op.name()).collect(),
    ]
}

fn found<T>(py: Python<'_>, op: Option<T>) -> PyResult<T> {
    brief(py, "fhe", || op.ok_or_else(|| Error::argument("fhe", "op: must be one of fhe_operations()")))
}

#[pyfunction]
pub(crate) fn fhe_trivial(py: Python<'_>, kind: i32, values: &Bound<'_, PyAny>) -> PyResult<FheNumbers> {
    const OP: &str = "fhe_trivial";
    let values = elements(OP, kind, values)?;
    call(py, OP, || dynamic::trivial(&fhe::current_server_key(OP)?, values.as_clear())).map(FheNumbers)
}

#[pyfunction]
pub(crate) fn fhe_binary(py: Python<'_>, op: i32, x: Operand<'_>, y: Operand<'_>) -> PyResult<FheNumbers> {
    let op = found(py, FheBinaryOp::from_number(op))?;
    let (x, y) = (x.value(), y.value());
    call(py, op.op(), || dynamic::binary(&fhe::current_server_key(op.op())?, op, x, y)).map(FheNumbers)
}

#[pyfunction]
pub(crate) fn fhe_unary(py: Python<'_>, op: i32, x: &FheNumbers) -> PyResult<FheNumbers> {
    let op = found(py, FheUnaryOp::from_number(op))?;
    call(py, op.op(), || dynamic::unary(&fhe::current_server_key(op.op())?, op, &x.0)).map(FheNumbers)
}

#[pyfunction]
pub(crate) fn fhe_overflowing(
    py: Python<'_>,
    op: i32,
    x: Operand<'_>,
    y: Operand<'_>,
) -> PyResult<(FheNumbers, FheNumbers)> {
    let op = found(py, FheOverflowOp::from_number(op))?;
    let (x, y) = (x.value(), y.value());
    let [made, flags] = call(py, op.op(), || dynamic::overflowing(&fhe::current_server_key(op.op())?, op, x, y))?;
    Ok((FheNumbers(made), FheNumbers(flags)))
}

#[pyfunction]
pub(crate) fn fhe_select(
    py: Python<'_>,
    condition: &FheNumbers,
    x: Operand<'_>,
    y: Operand<'_>,
) -> PyResult<FheNumbers> {
    const OP: &str = "fhe_select";
    let (x, y) = (x.value(), y.value());
    call(py, OP, || dynamic::select(&fhe::current_server_key(OP)?, &condition.0, x, y)).map(FheNumbers)
}

#[pyfunction]
pub(crate) fn fhe_cast(py: Python<'_>, x: &FheNumbers, kind: i32) -> PyResult<FheNumbers> {
    const OP: &str = "fhe_cast";
    call(py, OP, || dynamic::cast(&fhe::current_server_key(OP)?, &x.0, type_of(OP, kind)?)).map(FheNumbers)
}

#[pyfunction]
pub(crate) fn fhe_count(py: Python<'_>, x: &FheNumbers, kind: i32) -> PyResult<FheNumbers> {
    const OP: &str = "fhe_count";
    call(py, OP, || dynamic::count(&fhe::current_server_key(OP)?, &x.0, type_of(OP, kind)?)).map(FheNumbers)
}

#[pyfunction]
pub(crate) fn fhe_concatenate(py: Python<'_>, arrays: Vec<Bound<'_, FheNumbers>>) -> PyResult<FheNumbers> {
    let arrays: Vec<&FheArray> = arrays.iter().map(|array| &array.get().0).collect();
    call(py, "fhe_concatenate", || FheArray::concatenate(&arrays)).map(FheNumbers)
}
