//! Number-theoretic transforms of elements and of points, and their domains.
#![allow(clippy::too_many_arguments)] // as in vector.rs

use crate::buffer::{Buffer, produce};
use crate::device::DeviceLike;
use crate::error::{call, curve, exception, field};
use crate::group::Group;
use crate::ntt_config::{config, words};
use crate::stream::{Stream, launch};
use icicle::device::DeviceGuard;
use icicle::ops::ntt::Direction;
use icicle::ops::{self, Domain};
use icicle::{Error, Launch};
use pyo3::prelude::*;

fn bytes(words: [u64; 12]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Transform `batch` vectors of `n` elements of a field, or of projective points of a curve over the domain of its scalar
/// field; the coset generator is little-endian bytes. With a group all its devices work on it.
#[pyfunction]
#[pyo3(signature = (of_points, number, n, batch, columns, x, inverse, ordering, coset=None, out=None, stream=None, group=None))]
pub(crate) fn transform<'py>(
    py: Python<'py>,
    of_points: bool,
    number: i32,
    n: usize,
    batch: usize,
    columns: bool,
    x: &Bound<'py, Buffer>,
    inverse: bool,
    ordering: &str,
    coset: Option<&[u8]>,
    out: Option<Bound<'py, Buffer>>,
    stream: Option<&Bound<'py, Stream>>,
    group: Option<&Bound<'py, Group>>,
) -> PyResult<Bound<'py, Buffer>> {
    let (op, group) = (if of_points { "ecntt" } else { "ntt" }, group.map(Bound::get));
    let domain = match of_points {
        true => curve(op, number).map(Domain::Curve),
        false => field(op, number).map(Domain::Field),
    };
    let config = config(op, batch, columns, ordering, coset, launch(stream, false));
    let (domain, config) = domain.and_then(|domain| Ok((domain, config?))).map_err(|error| exception(py, &error))?;
    let itemsize = match domain {
        Domain::Field(field) => field.info().bytes(),
        Domain::Curve(curve) => 3 * curve.info().base.info().bytes(),
    };
    let (input, direction) = (x.get().span(), if inverse { Direction::Inverse } else { Direction::Forward });
    produce(py, op, out, (x.get().on(), n.saturating_mul(batch).saturating_mul(itemsize)), |out| {
        let input = input.src(op, "input")?;
        match (domain, group) {
            (Domain::Field(field), None) => ops::ntt::ntt(field, n, direction, &config, input, out),
            (Domain::Field(field), Some(group)) => {
                ops::group::ntt(&*group.get(op)?, field, n, direction, &config, input, out)
            }
            (Domain::Curve(curve), None) => ops::ntt::ecntt(curve, n, direction, &config, input, out),
            (Domain::Curve(_), Some(_)) => Err(Error::unsupported(op, "transforms of points over a group")),
        }
    })
}

/// Make a root's powers ready on a device; the root is little-endian bytes.
#[pyfunction]
pub(crate) fn init_domain(py: Python<'_>, number: i32, root: &[u8], device: DeviceLike) -> PyResult<()> {
    let op = "ntt_init_domain";
    call(py, op, || {
        let root = words(op, "primitive_root", root)?;
        let _current = DeviceGuard::new(device.0)?;
        ops::ntt::init_domain(field(op, number)?, root, &Launch::default())
    })
}

/// Forget a device's domain of a field.
#[pyfunction]
pub(crate) fn release_domain(py: Python<'_>, number: i32, device: DeviceLike) -> PyResult<()> {
    let op = "ntt_release_domain";
    call(py, op, || {
        let _current = DeviceGuard::new(device.0)?;
        ops::ntt::release_domain(field(op, number)?, &Launch::default())
    })
}

/// A primitive root of unity for domains of up to `size` elements, little-endian bytes.
#[pyfunction]
pub(crate) fn root_of_unity(py: Python<'_>, number: i32, size: u64) -> PyResult<Vec<u8>> {
    let op = "get_root_of_unity";
    call(py, op, || ops::ntt::root_of_unity(field(op, number)?, size).map(bytes))
}
