//! Python's operators on arrays of numbers.

use crate::number_array::{NumberArray, Numbers};
use crate::number_operators::{apply, keep, multiply, operate, replace};
use icicle_array::{BinaryOp, UnaryOp};
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;

#[pymethods]
impl NumberArray {
    fn __add__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::Add, slf, other, false)
    }
    fn __radd__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::Add, slf, other, true)
    }
    fn __iadd__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        replace(BinaryOp::Add, slf, other)
    }
    fn __sub__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::Subtract, slf, other, false)
    }
    fn __rsub__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::Subtract, slf, other, true)
    }
    fn __isub__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        replace(BinaryOp::Subtract, slf, other)
    }
    fn __mul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::Multiply, slf, other, false)
    }
    fn __rmul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::Multiply, slf, other, true)
    }
    fn __imul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        replace(BinaryOp::Multiply, slf, other)
    }
    fn __truediv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::Divide, slf, other, false)
    }
    fn __rtruediv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::Divide, slf, other, true)
    }
    fn __itruediv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        replace(BinaryOp::Divide, slf, other)
    }
    fn __floordiv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::FloorDivide, slf, other, false)
    }
    fn __rfloordiv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::FloorDivide, slf, other, true)
    }
    fn __ifloordiv__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        replace(BinaryOp::FloorDivide, slf, other)
    }
    fn __mod__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::Remainder, slf, other, false)
    }
    fn __rmod__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::Remainder, slf, other, true)
    }
    fn __imod__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        replace(BinaryOp::Remainder, slf, other)
    }
    fn __and__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::BitwiseAnd, slf, other, false)
    }
    fn __rand__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::BitwiseAnd, slf, other, true)
    }
    fn __iand__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        replace(BinaryOp::BitwiseAnd, slf, other)
    }
    fn __or__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::BitwiseOr, slf, other, false)
    }
    fn __ror__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::BitwiseOr, slf, other, true)
    }
    fn __ior__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        replace(BinaryOp::BitwiseOr, slf, other)
    }
    fn __xor__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::BitwiseXor, slf, other, false)
    }
    fn __rxor__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::BitwiseXor, slf, other, true)
    }
    fn __ixor__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        replace(BinaryOp::BitwiseXor, slf, other)
    }
    fn __lshift__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::LeftShift, slf, other, false)
    }
    fn __rlshift__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::LeftShift, slf, other, true)
    }
    fn __ilshift__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        replace(BinaryOp::LeftShift, slf, other)
    }
    fn __rshift__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::RightShift, slf, other, false)
    }
    fn __rrshift__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        operate(BinaryOp::RightShift, slf, other, true)
    }
    fn __irshift__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        replace(BinaryOp::RightShift, slf, other)
    }
    fn __pow__(
        slf: &Bound<'_, Self>,
        other: &Bound<'_, PyAny>,
        modulo: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        match modulo {
            None => operate(BinaryOp::Pow, slf, other, false),
            Some(_) => Ok(slf.py().NotImplemented()),
        }
    }
    fn __rpow__(
        slf: &Bound<'_, Self>,
        other: &Bound<'_, PyAny>,
        modulo: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        match modulo {
            None => operate(BinaryOp::Pow, slf, other, true),
            Some(_) => Ok(slf.py().NotImplemented()),
        }
    }
    fn __ipow__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>, _modulo: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        replace(BinaryOp::Pow, slf, other)
    }
    fn __matmul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let Ok(second) = other.cast::<Self>() else { return Ok(py.NotImplemented()) };
        let (x, y) = (slf.try_borrow()?.0.clone(), second.try_borrow()?.0.clone());
        Ok(Py::new(py, multiply(py, &x, &y)?)?.into_any())
    }
    fn __rmatmul__(slf: &Bound<'_, Self>, _other: &Bound<'_, PyAny>) -> Py<PyAny> {
        slf.py().NotImplemented()
    }
    fn __imatmul__(slf: &Bound<'_, Self>, other: Numbers) -> PyResult<()> {
        let x = slf.try_borrow()?.0.clone();
        let result = multiply(slf.py(), &x, &other.0)?.0;
        keep(slf.py(), "matmul", slf, &x, result)
    }
    fn __neg__(&self, py: Python<'_>) -> PyResult<Self> {
        apply(py, UnaryOp::Negative, &self.0)
    }
    fn __pos__(&self, py: Python<'_>) -> PyResult<Self> {
        apply(py, UnaryOp::Positive, &self.0)
    }
    fn __abs__(&self, py: Python<'_>) -> PyResult<Self> {
        apply(py, UnaryOp::Abs, &self.0)
    }
    fn __invert__(&self, py: Python<'_>) -> PyResult<Self> {
        apply(py, UnaryOp::BitwiseInvert, &self.0)
    }
    fn __richcmp__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let op = match op {
            CompareOp::Lt => BinaryOp::Less,
            CompareOp::Le => BinaryOp::LessEqual,
            CompareOp::Eq => BinaryOp::Equal,
            CompareOp::Ne => BinaryOp::NotEqual,
            CompareOp::Gt => BinaryOp::Greater,
            CompareOp::Ge => BinaryOp::GreaterEqual,
        };
        operate(op, slf, other, false)
    }
}
