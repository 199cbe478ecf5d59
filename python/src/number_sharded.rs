//! Arrays of numbers over the devices of a group: the native half of `icicle.xp.ShardedArray`.

use crate::device::{Device, DeviceLike};
use crate::error::{call, exception, refused};
use crate::group::Group;
use crate::number_array::{NumberArray, Numbers, Weak, number};
use crate::number_type::{NumberType, TypeLike, type_object};
use icicle::{DeviceGroup, Error, ErrorCode, Result};
use icicle_array::{BinaryOp, Placement, ShardedArray, UnaryOp, broadcast_shapes, promote};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The native half of `icicle.xp.ShardedArray`.
#[pyclass(frozen, module = "icicle._icicle")]
pub(crate) struct ShardedNumbers(ShardedArray);

/// A reduction along axes that may keep them.
type Reduction = fn(&ShardedArray, &DeviceGroup, Option<&[isize]>, bool) -> Result<ShardedArray>;

/// First and last index of the split axis on a device, and what it holds.
type Part = (Device, usize, usize, NumberArray);

/// An operation of a name.
fn named<T: Copy>(op: &'static str, all: &[T], name: impl Fn(T) -> &'static str, wanted: &str) -> Result<T> {
    let found = all.iter().copied().find(|&one| name(one) == wanted);
    found.ok_or_else(|| Error::argument(op, format!("operation {wanted:?}: must be one of the array API's names")))
}

/// Run what makes an array; a refusal that `of_type` says is the dtype's is a TypeError as well.
fn lay(
    py: Python<'_>,
    op: &'static str,
    of_type: impl FnOnce() -> bool,
    run: impl FnOnce() -> Result<ShardedArray> + Send,
) -> PyResult<ShardedNumbers> {
    match call(py, op, || Ok(run()))? {
        Ok(made) => Ok(ShardedNumbers(made)),
        Err(error) if error.code == ErrorCode::InvalidArgument && of_type() => Err(refused(py, "InvalidType", &error)),
        Err(error) => Err(exception(py, &error)),
    }
}

impl ShardedNumbers {
    /// Whether a group has the array's devices.
    fn is_of(&self, group: &Group) -> bool {
        group.get("sharded_array").is_ok_and(|group| group.devices() == self.0.devices())
    }
}

#[pymethods]
impl ShardedNumbers {
    /// An array's elements over a group: split along an axis, or for None all on every device.
    #[staticmethod]
    fn scatter(py: Python<'_>, group: &Bound<'_, Group>, x: Numbers, axis: Option<isize>) -> PyResult<Self> {
        let (op, group) = ("sharded_array", group.get());
        let run = || ShardedArray::scatter(&*group.get(op)?, &x.0, Placement::along(axis, x.0.rank())?);
        lay(py, op, || false, run)
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.shape())
    }

    #[getter]
    fn dtype(&self, py: Python<'_>) -> PyResult<Py<NumberType>> {
        type_object(py, self.0.dtype())
    }

    #[getter]
    fn placement(&self) -> &'static str {
        self.0.placement().name()
    }

    #[getter]
    fn axis(&self) -> Option<usize> {
        self.0.placement().axis()
    }

    fn parts(&self) -> Vec<Part> {
        let part = |(k, part): (usize, &icicle_array::Array)| {
            let range = self.0.ranges().get(k).cloned().unwrap_or(0..0);
            (Device(self.0.devices()[k]), range.start, range.end, NumberArray(part.clone()))
        };
        self.0.parts().iter().enumerate().map(part).collect()
    }

    fn gather(&self, py: Python<'_>, group: &Bound<'_, Group>, on: DeviceLike) -> PyResult<NumberArray> {
        let (op, group) = ("sharded_array", group.get());
        call(py, op, || self.0.gather(&*group.get(op)?, on.0)).map(NumberArray)
    }

    fn item<'py>(&self, py: Python<'py>, group: &Bound<'py, Group>) -> PyResult<Bound<'py, PyAny>> {
        let (op, group) = ("sharded_array", group.get());
        number(py, call(py, op, || self.0.item(&*group.get(op)?))?)
    }

    fn reshard(&self, py: Python<'_>, group: &Bound<'_, Group>, axis: Option<isize>) -> PyResult<Self> {
        let (op, group) = ("sharded_array", group.get());
        let run = || self.0.reshard(&*group.get(op)?, Placement::along(axis, self.0.rank())?);
        lay(py, op, || false, run)
    }

    fn astype(&self, py: Python<'_>, group: &Bound<'_, Group>, dtype: TypeLike) -> PyResult<Self> {
        let (op, group) = ("astype", group.get());
        lay(py, op, || self.is_of(group), || self.0.astype(&*group.get(op)?, dtype.0))
    }

    fn unary(&self, py: Python<'_>, group: &Bound<'_, Group>, operation: &str) -> PyResult<Self> {
        let group = group.get();
        let op = call(py, "unary", || named("unary", UnaryOp::ALL, UnaryOp::name, operation))?;
        lay(py, op.name(), || self.is_of(group), || self.0.unary(&*group.get(op.name())?, op))
    }

    fn binary(
        &self,
        py: Python<'_>,
        group: &Bound<'_, Group>,
        operation: &str,
        other: &Bound<'_, Self>,
    ) -> PyResult<Self> {
        let (group, y) = (group.get(), &other.get().0);
        let op = call(py, "binary", || named("binary", BinaryOp::ALL, BinaryOp::name, operation))?;
        let of_type = || {
            let fits = broadcast_shapes(op.name(), &[self.0.shape(), y.shape()]).is_ok();
            let fits = fits && self.is_of(group) && other.get().is_of(group);
            fits || promote(op.name(), self.0.dtype(), y.dtype()).is_err()
        };
        lay(py, op.name(), of_type, || self.0.binary(&*group.get(op.name())?, op, y))
    }

    fn binary_scalar(
        &self,
        py: Python<'_>,
        group: &Bound<'_, Group>,
        operation: &str,
        value: Weak,
        reversed: bool,
    ) -> PyResult<Self> {
        let group = group.get();
        let op = call(py, "binary", || named("binary", BinaryOp::ALL, BinaryOp::name, operation))?;
        // An integer that the dtype does not hold is no matter of types.
        let of_type = || value.0.dtype_with(op.name(), self.0.dtype()).is_err();
        lay(py, op.name(), of_type, || self.0.binary_scalar(&*group.get(op.name())?, op, value.0, reversed))
    }

    fn matmul(&self, py: Python<'_>, group: &Bound<'_, Group>, other: &Bound<'_, Self>) -> PyResult<Self> {
        let (op, group, y) = ("matmul", group.get(), &other.get().0);
        let of_type = || promote(op, self.0.dtype(), y.dtype()).is_err();
        lay(py, op, of_type, || self.0.matmul(&*group.get(op)?, y))
    }

    /// "sum", "prod", "min", "max", "mean", "all", "any" or "count_nonzero" along axes, all if None.
    #[pyo3(signature = (group, operation, axes, keepdims))]
    fn fold(
        &self,
        py: Python<'_>,
        group: &Bound<'_, Group>,
        operation: &str,
        axes: Option<Vec<isize>>,
        keepdims: bool,
    ) -> PyResult<Self> {
        const FOLDS: [(&str, Reduction); 8] = [
            ("sum", ShardedArray::sum),
            ("prod", ShardedArray::prod),
            ("min", ShardedArray::min),
            ("max", ShardedArray::max),
            ("mean", ShardedArray::mean),
            ("all", ShardedArray::all),
            ("any", ShardedArray::any),
            ("count_nonzero", ShardedArray::count_nonzero),
        ];
        let op = "reduce";
        let (name, run) = call(py, op, || named(op, &FOLDS, |fold| fold.0, operation))?;
        let group = group.get();
        let of_type = || name == "mean" && !self.0.dtype().is_floating();
        lay(py, name, of_type, || run(&self.0, &*group.get(name)?, axes.as_deref(), keepdims))
    }
}
