//! What the library offers: fields, curves, operations, and which libraries it found.

use icicle::device::{Device, registry};
use icicle::ops::Op;
use icicle::{CURVES, DeviceKind, FIELDS};
use icicle_params::{Extension, Role};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// Every operation's name, for Device.supports().
#[pyfunction]
pub(crate) fn operations() -> Vec<&'static str> {
    Op::ALL.iter().map(|op| op.name()).collect()
}

/// Every field's row, in the order of their numbers.
#[pyfunction]
pub(crate) fn fields(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let row = |info: &icicle_params::FieldInfo| {
        let dict = PyDict::new(py);
        dict.set_item("number", info.id as i32)?;
        dict.set_item("name", info.id.name())?;
        dict.set_item("prefix", info.prefix)?;
        dict.set_item("infix", info.infix)?;
        dict.set_item("scalar", info.id.scalar() as i32)?;
        dict.set_item("itemsize", info.bytes())?;
        dict.set_item("degree", info.extension.degree())?;
        dict.set_item("bits", info.prime.bits)?;
        dict.set_item("two_adicity", info.prime.two_adicity)?;
        dict.set_item("has_ntt", info.ntt)?;
        dict.set_item("is_extension", info.role == Role::Extension)?;
        let modulus: Vec<u8> = info.prime.modulus.iter().flat_map(|word| word.to_le_bytes()).collect();
        dict.set_item("modulus", PyBytes::new(py, &modulus))?;
        let extension = match info.extension {
            Extension::None => None,
            Extension::Quadratic(w) => Some(("quadratic", vec![w])),
            Extension::Quartic(w) => Some(("quartic", vec![w])),
            Extension::ComplexTower(a, b) => Some(("complex tower", vec![a, b])),
        };
        dict.set_item("extension", extension)?;
        Ok(dict)
    };
    FIELDS.iter().map(row).collect()
}

/// Every curve group's row, in the order of their numbers.
#[pyfunction]
pub(crate) fn curves(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let row = |info: &icicle_params::CurveInfo| {
        let dict = PyDict::new(py);
        dict.set_item("number", info.id as i32)?;
        dict.set_item("name", info.name)?;
        dict.set_item("base", info.base as i32)?;
        dict.set_item("scalar", info.scalar as i32)?;
        dict.set_item("has_ecntt", info.ecntt)?;
        let bytes = |words: &[u64; 12]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        dict.set_item("b", info.b.iter().map(|c| PyBytes::new(py, &bytes(c))).collect::<Vec<_>>())?;
        dict.set_item("source", info.source)?;
        Ok(dict)
    };
    CURVES.iter().map(row).collect()
}

/// The libraries that are looked for at run time: name, and None if found, else why not.
#[pyfunction]
pub(crate) fn libraries() -> Vec<(&'static str, Option<String>)> {
    let driver = match registry::device_count(DeviceKind::Cuda) {
        0 => registry::device_info(Device::cuda(0)).err().map(|error| error.detail),
        _ => None,
    };
    vec![("CUDA driver", driver)]
}

/// The library's version.
#[pyfunction]
pub(crate) fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
