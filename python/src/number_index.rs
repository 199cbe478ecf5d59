//! `x[key]` and `x[key] = value`: by integers and slices as views, by masks and arrays of integers as copies.

use crate::error::{call, refused};
use crate::number_array::{NumberArray, Numbers, scalar, work};
use icicle::{Error, ErrorCode, Result};
use icicle_array::{Array, DType, Index, Scalar, Slice, compress, nonzero, take_at};
use pyo3::exceptions::PyIndexError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyInt, PySlice, PyTuple};

/// A key: what stands for each axis, with `slice(None)` where an array of indices stands.
struct Key {
    basic: Vec<Index>,
    /// Arrays of integers, and which of the entries each stands for.
    arrays: Vec<(usize, Array)>,
    /// The key's one entry is a mask.
    mask: Option<Array>,
}

fn wrong(py: Python<'_>, error: &Error) -> PyErr {
    match error.code {
        ErrorCode::InvalidArgument => refused(py, "InvalidIndex", error),
        _ => crate::error::exception(py, error),
    }
}

/// A plain integer of Python's, without a call.
fn small(object: &Bound<'_, PyAny>) -> Option<isize> {
    if object.is_exact_instance_of::<PyInt>() { object.extract().ok() } else { None }
}

fn bound(object: &Bound<'_, PyAny>) -> PyResult<Option<isize>> {
    if object.is_none() {
        return Ok(None);
    }
    if let Some(index) = small(object) {
        return Ok(Some(index));
    }
    // Beyond the address space is beyond the axis.
    let index = object.call_method0("__index__")?;
    match index.extract::<isize>() {
        Ok(index) => Ok(Some(index)),
        Err(_) => Ok(Some(if index.lt(0)? { isize::MIN + 1 } else { isize::MAX })),
    }
}

impl Key {
    fn of(key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let entries = match key.cast::<PyTuple>() {
            Ok(tuple) => tuple.iter().collect(),
            Err(_) => vec![key.clone()],
        };
        let mut found = Self { basic: Vec::with_capacity(entries.len()), arrays: Vec::new(), mask: None };
        let alone = entries.len() == 1;
        for entry in entries {
            found.push(&entry, alone)?;
        }
        if !found.arrays.is_empty() {
            found.integers_too()?;
        }
        Ok(found)
    }

    fn push(&mut self, entry: &Bound<'_, PyAny>, alone: bool) -> PyResult<()> {
        let py = entry.py();
        if let Ok(slice) = entry.cast::<PySlice>() {
            let step = bound(&slice.getattr(intern!(py, "step"))?)?.unwrap_or(1);
            let start = bound(&slice.getattr(intern!(py, "start"))?)?;
            let stop = bound(&slice.getattr(intern!(py, "stop"))?)?;
            self.basic.push(Index::Slice(Slice { start, stop, step }));
        } else if entry.is_instance_of::<PyEllipsis>() {
            self.basic.push(Index::Ellipsis);
        } else if entry.is_none() {
            self.basic.push(Index::NewAxis);
        } else if let Some(at) = small(entry) {
            self.basic.push(Index::At(at));
        } else if let Ok(array) = entry.cast::<NumberArray>() {
            let array = array.try_borrow()?.0.clone();
            return self.push_array(py, array, alone);
        } else {
            let index = match entry.is_instance_of::<PyBool>() {
                true => None,
                // An array of another library's has the method too, and refuses.
                false => entry.call_method0(intern!(py, "__index__")).ok(),
            };
            let Some(index) = index else {
                let got = entry.get_type().name()?;
                let rule = "must be integers, slices, ..., None, or arrays of integers or bool; see xp.asarray()";
                return Err(PyIndexError::new_err(format!("index: key of type {got}: {rule}")));
            };
            let at = index.extract();
            self.basic.push(Index::At(at.map_err(|_| PyIndexError::new_err("index: exceeds the address space"))?));
        }
        Ok(())
    }

    fn push_array(&mut self, py: Python<'_>, array: Array, alone: bool) -> PyResult<()> {
        if array.dtype() != DType::Bool {
            self.arrays.push((self.basic.len(), array));
            self.basic.push(Index::Slice(Slice::ALL));
        } else if alone {
            self.mask = Some(array);
        } else {
            let places = work(py, "index", &[&array], || Ok(nonzero(&array)))?;
            for places in places.map_err(|error| wrong(py, &error))? {
                self.arrays.push((self.basic.len(), places));
                self.basic.push(Index::Slice(Slice::ALL));
            }
        }
        Ok(())
    }

    /// Beside arrays of integers, integers are arrays without axes, as in NumPy.
    fn integers_too(&mut self) -> PyResult<()> {
        for (place, entry) in self.basic.iter_mut().enumerate() {
            if let Index::At(at) = *entry {
                let array = Array::from_slice_on(self.arrays[0].1.device(), &[at as i64], &[]);
                let array = array.map_err(|error| PyIndexError::new_err(error.to_string()))?;
                self.arrays.push((place, array));
                *entry = Index::Slice(Slice::ALL);
            }
        }
        self.arrays.sort_by_key(|&(place, _)| place);
        Ok(())
    }

    /// The elements a key takes: a view, or a copy where there are arrays.
    fn get(&self, x: &Array) -> Result<Array> {
        if let Some(mask) = &self.mask {
            return compress(x, mask);
        }
        if self.arrays.is_empty() {
            return x.index(&self.basic);
        }
        let chosen = self.chosen(x)?;
        let taken = take_at(&chosen.front(&x.index(&self.basic)?)?, &chosen.arrays)?;
        taken.moveaxis(&chosen.results(), &chosen.places())
    }

    /// Set them.
    fn set(&self, x: &mut Array, values: &Array) -> Result<()> {
        if let Some(mask) = &self.mask {
            return x.assign_mask(mask, values);
        }
        if self.arrays.is_empty() {
            return x.assign(&self.basic, values);
        }
        let chosen = self.chosen(x)?;
        let view = x.index(&self.basic)?;
        let shape = chosen.shape(&view)?;
        let values = values.broadcast_to(&shape)?.moveaxis(&chosen.places(), &chosen.results())?;
        let leading = chosen.axes.iter().enumerate().all(|(k, &axis)| axis == k as isize);
        let whole = self.basic.iter().all(|entry| matches!(entry, Index::Ellipsis | Index::Slice(Slice::ALL)));
        if leading && whole {
            return x.assign_at(&chosen.arrays, &values);
        }
        let mut front = chosen.front(&view)?.copy()?;
        front.assign_at(&chosen.arrays, &values)?;
        x.assign(&self.basic, &front.moveaxis(&chosen.fronts(), &chosen.axes)?)
    }

    /// Which axes, of what the rest of the key takes, the arrays stand for, and where theirs go.
    fn chosen(&self, x: &Array) -> Result<Chosen<'_>> {
        let named = self.basic.iter().filter(|entry| matches!(entry, Index::At(_) | Index::Slice(_))).count();
        let wide = x.rank().saturating_sub(named);
        let mut axes = Vec::new();
        let mut axis = 0usize;
        for (place, entry) in self.basic.iter().enumerate() {
            if self.arrays.iter().any(|&(at, _)| at == place) {
                axes.push(axis as isize);
            }
            axis += if *entry == Index::Ellipsis { wide } else { 1 };
        }
        let adjacent = self.arrays.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1);
        let shapes: Vec<_> = self.arrays.iter().map(|(_, array)| array.shape()).collect();
        let common = icicle_array::broadcast_shapes("index", &shapes)?;
        let first = if adjacent { axes[0] } else { 0 };
        Ok(Chosen { axes, arrays: self.arrays.iter().map(|(_, array)| array).collect(), common, first })
    }
}

struct Chosen<'a> {
    axes: Vec<isize>,
    arrays: Vec<&'a Array>,
    /// The shape the arrays have together.
    common: Vec<usize>,
    /// Where it stands in the result: in their axes' place if they are neighbours, else in front.
    first: isize,
}

impl Chosen<'_> {
    fn fronts(&self) -> Vec<isize> {
        (0..self.axes.len() as isize).collect()
    }
    fn results(&self) -> Vec<isize> {
        (0..self.common.len() as isize).collect()
    }
    fn places(&self) -> Vec<isize> {
        (0..self.common.len() as isize).map(|k| self.first + k).collect()
    }
    fn front(&self, view: &Array) -> Result<Array> {
        view.moveaxis(&self.axes, &self.fronts())
    }
    fn shape(&self, view: &Array) -> Result<Vec<usize>> {
        let mut rest: Vec<_> = view.shape().to_vec();
        for &axis in self.axes.iter().rev() {
            rest.remove(axis as usize);
        }
        rest.splice(self.first as usize..self.first as usize, self.common.iter().copied());
        Ok(rest)
    }
}

#[pymethods]
impl NumberArray {
    fn __getitem__(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = slf.py();
        let key = Key::of(key)?;
        let x = slf.try_borrow()?.0.clone();
        let taken = match key.mask.is_none() && key.arrays.is_empty() {
            true => key.get(&x),
            false => work(py, "index", &[&x], || Ok(key.get(&x)))?,
        };
        taken.map(Self).map_err(|error| wrong(py, &error))
    }

    fn __setitem__(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = slf.py();
        let key = Key::of(key)?;
        let dtype = slf.try_borrow()?.0.dtype();
        let values = match scalar(value)? {
            Some(value) => weak(slf, value)?,
            None => value.extract::<Numbers>()?.0,
        };
        if !icicle_array::can_cast(values.dtype(), dtype) && !both_integers(values.dtype(), dtype) {
            let detail =
                format!("values of {}: an array of {dtype} does not hold them; cast with astype", values.dtype());
            return Err(refused(py, "InvalidType", &Error::argument("assign", detail)));
        }
        let mut held = slf.try_borrow_mut()?;
        let x = &mut held.0;
        let small = x.len().max(values.len()).saturating_mul(dtype.bytes()) <= 1 << 16;
        let done = match small {
            true => crate::error::brief(py, "assign", || Ok(key.set(x, &values))),
            false => call(py, "assign", || Ok(key.set(x, &values))),
        };
        done?.map_err(|error| wrong(py, &error))
    }
}

/// Integers wrap into narrower ones, as in NumPy.
fn both_integers(from: DType, to: DType) -> bool {
    (from.is_integer() && to.is_integer()) || (from.is_floating() && to.is_floating() && from.kind() == to.kind())
}

fn weak(slf: &Bound<'_, NumberArray>, value: Scalar) -> PyResult<Array> {
    let py = slf.py();
    let (dtype, device) = (slf.try_borrow()?.0.dtype(), slf.try_borrow()?.0.device());
    let fits = value.dtype_with("assign", dtype).map_err(|error| refused(py, "InvalidType", &error))?;
    if fits != dtype {
        let detail = format!("scalar {value:?}: an array of {dtype} holds real numbers");
        return Err(refused(py, "InvalidType", &Error::argument("assign", detail)));
    }
    crate::error::brief(py, "assign", || icicle_array::full(device, &[], value, dtype))
}
