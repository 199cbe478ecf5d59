//! Groups of devices, jobs over them, sharded vectors and the operations on those.
#![allow(clippy::too_many_arguments)] // as in vector.rs

use crate::buffer::{Buffer, produce};
use crate::device::{Device, DeviceLike};
use crate::error::{call, curve, exception, field};
use crate::ntt_config::config;
use crate::stream::Stream;
use icicle::device::shared::{reading, with};
use icicle::device::{Cancel, Lane, Layout, MapOptions, SharedVector, link, link_speed};
use icicle::ops::group as over;
use icicle::ops::msm::MsmConfig;
use icicle::ops::ntt::Direction;
use icicle::ops::vector::{Binary, Reduce};
use icicle::{Error, Launch, Result, Sharded};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, Mutex, PoisonError};

/// The native half of `icicle.DeviceGroup`.
#[pyclass(frozen, module = "icicle._icicle")]
pub(crate) struct Group(Mutex<Option<Arc<icicle::DeviceGroup>>>);

impl Group {
    /// The group, for the time of a call.
    pub(crate) fn get(&self, op: &'static str) -> Result<Arc<icicle::DeviceGroup>> {
        let group = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        group.clone().ok_or_else(|| Error::argument(op, "the group is closed"))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let group = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // Its jobs may be Python's: they need the lock to end.
        Python::attach(|py| py.detach(|| drop(group)));
    }
}

#[pymethods]
impl Group {
    #[new]
    fn new(py: Python<'_>, devices: Option<Vec<DeviceLike>>, shares: Option<Vec<f64>>) -> PyResult<Self> {
        call(py, "group", || {
            let made = match devices {
                Some(devices) => {
                    let devices: Vec<_> = devices.iter().map(|device| device.0).collect();
                    icicle::DeviceGroup::new(&devices)?
                }
                None => icicle::DeviceGroup::all()?,
            };
            match shares {
                Some(shares) => made.with_shares(&shares),
                None => Ok(made),
            }
        })
        .map(|made| Self(Mutex::new(Some(Arc::new(made)))))
    }

    fn devices(&self, py: Python<'_>) -> PyResult<Vec<Device>> {
        call(py, "group", || Ok(self.get("group")?.devices().to_vec())).map(|all| all.into_iter().map(Device).collect())
    }

    fn shares(&self, py: Python<'_>) -> PyResult<Vec<f64>> {
        call(py, "group", || Ok(self.get("group")?.shares().to_vec()))
    }

    fn close(&self, py: Python<'_>) {
        let group = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(group));
    }

    /// Run a callable on the thread of a device; it takes nothing, and what it returns or raises is lost.
    fn submit(&self, py: Python<'_>, position: usize, job: Py<PyAny>) -> PyResult<()> {
        let run = move || {
            Python::attach(|py| drop(job.call0(py)));
            Ok(())
        };
        call(py, "group", || self.get("group")?.submit(position, run).map(drop))
    }

    /// What each job returned or raised, in order. `state` is called with a device; `job` with the state, unless that is
    /// None, the item, and the stream as keyword if `streams` is given. `progress` may return False to cancel.
    fn map<'py>(
        &self,
        py: Python<'py>,
        job: Py<PyAny>,
        items: Vec<Py<PyAny>>,
        state: Option<Py<PyAny>>,
        streams: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Py<PyAny>>> {
        let op = "group_map";
        let group = self.get(op).map_err(|error| exception(py, &error))?;
        let (cancel, raised) = (Cancel::default(), Mutex::new(None));
        let told = |done: usize, total: usize| {
            let Some(progress) = &progress else { return };
            let answer = Python::attach(|py| {
                let answer = progress.call1(py, (done, total))?;
                Ok::<_, PyErr>(!answer.bind(py).is(pyo3::types::PyBool::new(py, false)))
            });
            if !matches!(answer, Ok(true)) {
                cancel.cancel();
            }
            if let Err(error) = answer {
                raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        };
        let make = |lane: &Lane| match &state {
            Some(state) => Ok(Some(Python::attach(|py| state.call1(py, (Device(lane.device),))))),
            None => Ok(None),
        };
        let run = |made: &mut Option<PyResult<Py<PyAny>>>, lane: &Lane, item: Py<PyAny>| {
            Ok(Python::attach(|py| {
                let keywords = PyDict::new(py);
                if streams.is_some() {
                    keywords.set_item("stream", Bound::new(py, Stream::of(lane.stream()))?)?;
                }
                match made {
                    None => job.call(py, (item,), Some(&keywords)),
                    Some(Ok(made)) => job.call(py, (made.clone_ref(py), item), Some(&keywords)),
                    Some(Err(error)) => Err(error.clone_ref(py)),
                }
            }))
        };
        let options = MapOptions { streams: streams.unwrap_or(1), progress: Some(&told), cancel: Some(&cancel) };
        let answers = call(py, op, || group.map_with(options, make, items, run))?;
        if let Some(error) = raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let answer = |answer: Result<PyResult<Py<PyAny>>>| {
            let raised = match answer {
                Ok(Ok(value)) => return Ok(value),
                Ok(Err(raised)) => raised,
                Err(error) => exception(py, &error),
            };
            Ok(Failure(raised).into_pyobject(py)?.into_any().unbind())
        };
        answers.into_iter().map(answer).collect()
    }

    fn transform_sharded(
        &self,
        py: Python<'_>,
        number: i32,
        x: &Bound<'_, Vector>,
        batch: usize,
        inverse: bool,
        ordering: &str,
        coset: Option<&[u8]>,
    ) -> PyResult<Vector> {
        let op = "ntt";
        let x = x.get();
        call(py, op, || {
            let (group, field) = (self.get(op)?, field(op, number)?);
            let config = config(op, batch, false, ordering, coset, Launch::default())?;
            x.made(&group, |input, out| {
                let size = over::ntt_size(input, &config)?;
                over::ntt(&group, field, size, direction(inverse), &config, input, out)
            })
        })
    }

    fn msm_sharded<'py>(
        &self,
        py: Python<'py>,
        number: i32,
        scalars: &Bound<'py, Vector>,
        points: &Bound<'py, Vector>,
        on: DeviceLike,
    ) -> PyResult<Bound<'py, Buffer>> {
        let op = "msm";
        let curve = curve(op, number).map_err(|error| exception(py, &error))?;
        let (scalars, points) = (&scalars.get().0, &points.get().0);
        produce(py, op, None, (on.0, 3 * curve.info().base.info().bytes()), |out| {
            let group = self.get(op)?;
            reading(&[scalars, points], |x| {
                over::msm(&group, curve, x[0].len(), x[0], x[1], &MsmConfig::default(), out)
            })
        })
    }

    fn binary(
        &self,
        py: Python<'_>,
        operation: &str,
        number: i32,
        a: &Bound<'_, Vector>,
        b: &Bound<'_, Vector>,
    ) -> PyResult<Vector> {
        let op = "vector";
        let (a, b) = (a.get(), b.get());
        call(py, op, || {
            let (group, field, kind) = (self.get(op)?, field(op, number)?, binary(op, operation)?);
            reading(&[&a.0, &b.0], |x| {
                let mut out = x[0].like(&group, x[0].element_bytes())?;
                over::binary(&group, kind, field, x[0].len(), x[0], x[1], &mut out)?;
                Ok(Vector::new(out))
            })
        })
    }

    fn accumulate(&self, py: Python<'_>, number: i32, a: &Bound<'_, Vector>, b: &Bound<'_, Vector>) -> PyResult<()> {
        let op = "vector_accumulate";
        let (a, b) = (a.get(), b.get());
        call(py, op, || {
            let (group, field) = (self.get(op)?, field(op, number)?);
            with(op, &[&b.0], &a.0, |x, a| over::accumulate(&group, field, a.len(), a, x[0]))
        })
    }

    fn scalar(
        &self,
        py: Python<'_>,
        operation: &str,
        number: i32,
        scalar: &[u8],
        v: &Bound<'_, Vector>,
    ) -> PyResult<Vector> {
        let op = "vector";
        let v = v.get();
        let own: Vec<u32> = scalar.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        call(py, op, || {
            let (group, field, kind) = (self.get(op)?, field(op, number)?, binary(op, operation)?);
            v.made(&group, |x, out| over::scalar(&group, kind, field, x.len(), (&own).into(), x, out))
        })
    }

    fn inverse(&self, py: Python<'_>, number: i32, v: &Bound<'_, Vector>) -> PyResult<Vector> {
        let op = "vector_inv";
        let v = v.get();
        call(py, op, || {
            let (group, field) = (self.get(op)?, field(op, number)?);
            v.made(&group, |x, out| over::inv(&group, field, x.len(), x, out))
        })
    }

    fn reduce<'py>(
        &self,
        py: Python<'py>,
        operation: &str,
        number: i32,
        v: &Bound<'py, Vector>,
        on: DeviceLike,
    ) -> PyResult<Bound<'py, Buffer>> {
        let op = "vector_reduce";
        let field = field(op, number).map_err(|error| exception(py, &error))?;
        let kind = if operation == "sum" { Reduce::Sum } else { Reduce::Product };
        let v = v.get();
        produce(py, op, None, (on.0, field.info().bytes()), |out| {
            let group = self.get(op)?;
            let v = v.0.read();
            over::reduce(&group, kind, field, v.len(), &*v, out)
        })
    }

    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        number: i32,
        coefficients: &Bound<'py, Vector>,
        points: usize,
        domain: &Bound<'py, Buffer>,
    ) -> PyResult<Bound<'py, Buffer>> {
        let op = "poly_eval";
        let field = field(op, number).map_err(|error| exception(py, &error))?;
        let (coefficients, at) = (coefficients.get(), domain.get().span());
        produce(py, op, None, (domain.get().on(), points.saturating_mul(field.info().bytes())), |out| {
            let group = self.get(op)?;
            let coefficients = coefficients.0.read();
            let n = coefficients.len();
            over::evaluate(&group, field, n, &*coefficients, points, at.src(op, "domain")?, out)
        })
    }

    /// A vector of `n` elements, from a buffer.
    fn scatter(
        &self,
        py: Python<'_>,
        n: usize,
        element_bytes: usize,
        layout: &str,
        data: &Bound<'_, Buffer>,
    ) -> PyResult<Vector> {
        let op = "sharded";
        let data = data.get().span();
        call(py, op, || {
            let group = self.get(op)?;
            let mut vector = Sharded::new(&group, n, element_bytes, layout_of(op, layout)?)?;
            vector.scatter(&group, data.src(op, "source")?)?;
            Ok(Vector::new(vector))
        })
    }

    fn gather<'py>(
        &self,
        py: Python<'py>,
        vector: &Bound<'py, Vector>,
        on: DeviceLike,
    ) -> PyResult<Bound<'py, Buffer>> {
        let op = "sharded";
        let vector = vector.get();
        let bytes = vector.0.read().bytes();
        produce(py, op, None, (on.0, bytes), |out| vector.0.read().gather(&*self.get(op)?, out))
    }

    /// A new vector for as many elements of as many bytes, its memory uninitialised.
    fn like(&self, py: Python<'_>, vector: &Bound<'_, Vector>, layout: &str) -> PyResult<Vector> {
        let op = "sharded";
        let vector = vector.get();
        call(py, op, || {
            let vector = vector.0.read();
            let (n, bytes) = (vector.len(), vector.element_bytes());
            Sharded::new(&*self.get(op)?, n, bytes, layout_of(op, layout)?).map(Vector::new)
        })
    }

    fn reshard(&self, py: Python<'_>, vector: &Bound<'_, Vector>, layout: &str) -> PyResult<Vector> {
        let op = "sharded";
        let vector = vector.get();
        call(py, op, || Ok(Vector::new(vector.0.read().reshard(&*self.get(op)?, layout_of(op, layout)?)?)))
    }
}

fn direction(inverse: bool) -> Direction {
    if inverse { Direction::Inverse } else { Direction::Forward }
}

fn binary(op: &'static str, name: &str) -> Result<Binary> {
    match name {
        "add" => Ok(Binary::Add),
        "sub" => Ok(Binary::Sub),
        "mul" => Ok(Binary::Mul),
        "div" => Ok(Binary::Div),
        _ => Err(Error::argument(op, format!("operation {name:?}: must be add, sub, mul or div"))),
    }
}

fn layout_of(op: &'static str, name: &str) -> Result<Layout> {
    let found = Layout::ALL.into_iter().find(|layout| layout.name() == name);
    found.ok_or_else(|| Error::argument(op, format!("layout {name:?}: must be blocks, cyclic or replicated")))
}

/// A job that failed, with its exception, apart from the exceptions that a job may return.
#[pyclass(frozen, module = "icicle._icicle")]
pub(crate) struct Failure(PyErr);

#[pymethods]
impl Failure {
    /// What it raised.
    #[getter]
    fn exception(&self, py: Python<'_>) -> PyErr {
        self.0.clone_ref(py)
    }
}

/// The native half of `icicle.ShardedArray`.
#[pyclass(frozen, module = "icicle._icicle")]
pub(crate) struct Vector(pub(crate) SharedVector);

impl Vector {
    fn new(vector: Sharded) -> Self {
        Self(SharedVector::new(vector))
    }

    /// A vector in the same places, written by an operation on this one.
    fn made(
        &self,
        group: &icicle::DeviceGroup,
        run: impl FnOnce(&Sharded, &mut Sharded) -> Result<()>,
    ) -> Result<Self> {
        let input = self.0.read();
        let mut out = input.like(group, input.element_bytes())?;
        run(&input, &mut out)?;
        Ok(Self::new(out))
    }
}

#[pymethods]
impl Vector {
    #[getter]
    fn layout(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.read().layout().name().to_owned())
    }

    /// First and last of each device's elements, and their address.
    fn parts(&self, py: Python<'_>) -> Vec<(usize, usize, usize)> {
        py.detach(|| {
            let vector = self.0.read();
            let parts = vector.ranges().iter().zip(vector.parts());
            parts.map(|(range, part)| (range.start, range.end, part.as_ptr().addr())).collect()
        })
    }
}

/// How copies go from one device to another: `same memory`, `peer` or `host`; and bytes a second, if they are to be measured.
#[pyfunction]
pub(crate) fn device_link(
    py: Python<'_>,
    a: DeviceLike,
    b: DeviceLike,
    measure: bool,
) -> PyResult<(String, Option<f64>)> {
    call(py, "device_link", || {
        let speed = if measure { Some(link_speed(a.0, b.0)?) } else { None };
        Ok((link(a.0, b.0)?.name().to_owned(), speed))
    })
}
