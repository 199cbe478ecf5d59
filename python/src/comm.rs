//! Collectives: ids, one rank's end of a group of ranks, and calls.

use crate::buffer::{Buffer, Span, elements, viewed};
use crate::device::{Device, DeviceLike};
use crate::error::{call, curve, exception, field};
use crate::group::Vector;
use crate::number_array::NumberArray;
use crate::number_codes::of_format;
use crate::number_type::{NumberType, type_object};
use crate::stream::Stream;
use icicle::comm::{self, Call, Communicator, DataType, Kind, Options, ReduceOp, group, run_sharded};
use icicle::device::StreamRef;
use icicle::device::shared::with;
use icicle::{Error, Result};
use icicle_array::{Array, DType};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::net::ToSocketAddrs;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What the ranks of one communicator find each other by, once; in 128 bytes. It is a secret: who has it may be a rank.
///
/// UniqueId(address=None): a new one. Its process is to be rank 0; while the object is alive there, or its communicator is
/// being made, it listens at `address`, a host and a port such as "10.0.0.1:0" that the other ranks' hosts reach, port 0 for
/// one that the system chooses; None is the loopback interface, for ranks of this host. What ranks send is neither secret nor
/// protected from change on its way.
///
/// Raises InvalidArgument if it cannot listen there, Internal if the system gives no port or no entropy.
#[pyclass(frozen, module = "icicle")]
pub(crate) struct UniqueId(comm::UniqueId);

#[pymethods]
impl UniqueId {
    #[new]
    #[pyo3(signature = (address=None))]
    fn new(py: Python<'_>, address: Option<&str>) -> PyResult<Self> {
        call(py, "unique_id", || {
            let Some(text) = address else { return comm::UniqueId::new() };
            let wrong = |why: String| Error::argument("unique_id", format!("address {text:?}: {why}"));
            let mut found = text.to_socket_addrs().map_err(|error| wrong(error.to_string()))?;
            comm::UniqueId::at(found.next().ok_or_else(|| wrong("has no address".to_owned()))?)
        })
        .map(Self)
    }

    /// The id of such bytes. Raises InvalidArgument if they are no id's.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        call(py, "unique_id", || {
            let rule = || Error::argument("unique_id", format!("data of {} bytes: must be of 128", data.len()));
            comm::UniqueId::from_bytes(data.try_into().map_err(|_| rule())?)
        })
        .map(Self)
    }

    /// The bytes to tell the other ranks. Raises nothing.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// Where rank 0 listens.
    #[getter]
    fn address(&self) -> String {
        self.0.address().to_string()
    }

    fn __repr__(&self) -> String {
        format!("<icicle.UniqueId at {}>", self.0.address())
    }
}

/// Seconds to wait, whether to check, and whether to reduce in the order of ranks.
type GivenOptions = (Option<f64>, Option<bool>, bool);

fn options(op: &'static str, (timeout, check, ordered): GivenOptions) -> Result<Options> {
    let mut options = Options::default().ordered(ordered);
    if let Some(seconds) = timeout {
        let rule = || Error::argument(op, format!("timeout {seconds}: must be a positive number of seconds"));
        let timeout = Duration::try_from_secs_f64(seconds).ok().filter(|timeout| !timeout.is_zero());
        options = options.timeout(timeout.ok_or_else(rule)?);
    }
    Ok(check.into_iter().fold(options, Options::check))
}

/// The native half of `icicle.Communicator`.
#[pyclass(frozen, module = "icicle._icicle")]
pub(crate) struct Comm(Mutex<Option<Arc<Communicator>>>);

impl Comm {
    fn of(made: Communicator) -> Self {
        Self(Mutex::new(Some(Arc::new(made))))
    }

    fn get(&self, op: &'static str) -> Result<Arc<Communicator>> {
        let comm = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        comm.clone().ok_or_else(|| Error::argument(op, "the communicator is closed"))
    }

    fn known(&self, py: Python<'_>, op: &'static str) -> PyResult<Arc<Communicator>> {
        self.get(op).map_err(|error| exception(py, &error))
    }
}

#[pymethods]
impl Comm {
    #[staticmethod]
    fn init_all(py: Python<'_>, devices: Vec<DeviceLike>, given: GivenOptions) -> PyResult<Vec<Self>> {
        let op = "init_all";
        let devices: Vec<_> = devices.iter().map(|device| device.0).collect();
        let made = call(py, op, || Communicator::init_all_with(&devices, &options(op, given)?))?;
        Ok(made.into_iter().map(Self::of).collect())
    }

    #[staticmethod]
    fn init_rank(
        py: Python<'_>,
        id: &Bound<'_, UniqueId>,
        size: usize,
        rank: usize,
        device: DeviceLike,
        given: GivenOptions,
    ) -> PyResult<Self> {
        let (op, id) = ("init_rank", &id.get().0);
        call(py, op, || Communicator::init_rank(id, size, rank, device.0, &options(op, given)?)).map(Self::of)
    }

    #[staticmethod]
    fn from_env(py: Python<'_>, device: DeviceLike, given: GivenOptions) -> PyResult<Self> {
        let op = "from_env";
        call(py, op, || Communicator::from_env(device.0, &options(op, given)?)).map(Self::of)
    }

    fn rank(&self, py: Python<'_>) -> PyResult<usize> {
        self.known(py, "rank").map(|comm| comm.rank())
    }

    fn size(&self, py: Python<'_>) -> PyResult<usize> {
        self.known(py, "size").map(|comm| comm.size())
    }

    fn carrier(&self, py: Python<'_>) -> PyResult<String> {
        self.known(py, "carrier").map(|comm| comm.carrier())
    }

    fn device(&self, py: Python<'_>) -> PyResult<Device> {
        self.known(py, "device").map(|comm| Device(comm.device()))
    }

    /// The exception, not raised.
    fn failure(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let failure = self.known(py, "failure")?.failure();
        failure.map(|error| Ok(exception(py, &error).into_pyobject(py)?.into_any().unbind())).transpose()
    }

    fn split(&self, py: Python<'_>, color: Option<u32>, key: i32) -> PyResult<Option<Self>> {
        call(py, "split", || self.get("split")?.split(color, key)).map(|part| part.map(Self::of))
    }

    fn abort(&self, py: Python<'_>) -> PyResult<()> {
        call(py, "abort", || self.get("abort").map(|comm| comm.abort()))
    }

    fn finalize(&self, py: Python<'_>) -> PyResult<()> {
        call(py, "finalize", || {
            let comm = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
            comm.ok_or_else(|| Error::argument("finalize", "the communicator is closed"))?.barrier()
        })
    }

    fn close(&self, py: Python<'_>) {
        let comm = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(comm));
    }
}

/// What an operand's memory is: dtype, shape, and whether it may be written, of an object with the buffer protocol. Raises
/// TypeError or BufferError for one whose items are no numbers or do not lie in order.
#[pyfunction]
pub(crate) fn comm_memory(
    py: Python<'_>,
    operation: &str,
    object: &Bound<'_, PyAny>,
) -> PyResult<(Py<NumberType>, Vec<usize>, bool)> {
    let got = object.get_type().name()?.to_string();
    let none = |_| PyTypeError::new_err(format!("{operation}: object of type {got}: must be an array or a buffer"));
    let view = PyUntypedBuffer::get(object).map_err(none)?;
    if !view.is_c_contiguous() {
        return Err(PyBufferError::new_err(format!("{operation}: array at strides: its elements must lie in order")));
    }
    let format = view.format().to_string_lossy();
    let refuse = || PyTypeError::new_err(format!("{operation}: items of format {format:?}: must be numbers"));
    let dtype = of_format(&format, view.item_size()).ok_or_else(refuse)?;
    Ok((type_object(py, dtype)?, view.shape().to_vec(), !view.readonly()))
}

/// Memory that a call sends.
enum Sent<'py> {
    Memory(Bound<'py, Buffer>),
    Host(PyUntypedBuffer),
    Numbers(Array),
}

impl<'py> Sent<'py> {
    fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(buffer) = object.cast::<Buffer>() {
            return Ok(Self::Memory(buffer.clone()));
        }
        if let Ok(array) = object.cast::<NumberArray>() {
            let array = array.try_borrow()?.0.clone();
            return call(object.py(), "contiguous", || array.contiguous()).map(Self::Numbers);
        }
        PyUntypedBuffer::get(object).map(Self::Host)
    }

    fn span(&self) -> Result<Span<'_>> {
        match self {
            Self::Memory(buffer) => Ok(buffer.get().span()),
            Self::Host(view) => Ok(viewed(view)),
            Self::Numbers(array) => elements(array),
        }
    }
}

/// Memory that a call receives to. An array of numbers is a value: it gets new memory.
enum Received<'py> {
    Memory(Bound<'py, Buffer>),
    Host(PyUntypedBuffer),
    Numbers(Bound<'py, NumberArray>, icicle::Buffer<u8>),
}

/// Where a call receives, for its time.
enum Target<'a> {
    Span(Span<'a>),
    Fresh(&'a mut icicle::Buffer<u8>),
}

impl<'py> Received<'py> {
    fn of(object: &Bound<'py, PyAny>, device: icicle::Device) -> PyResult<Self> {
        if let Ok(buffer) = object.cast::<Buffer>() {
            return Ok(Self::Memory(buffer.clone()));
        }
        if let Ok(array) = object.cast::<NumberArray>() {
            let bytes = { array.try_borrow().map(|array| array.0.len() * array.0.dtype().bytes())? };
            let fresh = call(object.py(), "malloc", || icicle::Buffer::on(device, bytes))?;
            return Ok(Self::Numbers(array.clone(), fresh));
        }
        PyUntypedBuffer::get(object).map(Self::Host)
    }

    fn target(&mut self) -> Target<'_> {
        match self {
            Self::Memory(buffer) => Target::Span(buffer.get().span()),
            Self::Host(view) => Target::Span(viewed(view)),
            Self::Numbers(_, fresh) => Target::Fresh(fresh),
        }
    }

    /// An array gets what was received.
    fn done(self, py: Python<'_>) -> PyResult<()> {
        let Self::Numbers(object, fresh) = self else { return Ok(()) };
        let mut array = object.try_borrow_mut()?;
        let (dtype, shape) = (array.0.dtype(), array.0.shape().to_vec());
        array.0 = call(py, "from_buffer", || Array::from_buffer(fresh, dtype, &shape))?;
        Ok(())
    }
}

/// A call as Python has it: communicator, operation, class of its type ("numbers", "elements", "points") and number within it (of
/// numbers the place in `number_types()`), reduction, count, root or peer, what is sent, where to receive, stream.
type Given<'py> = (
    Bound<'py, Comm>,
    String,
    (String, i32),
    Option<String>,
    usize,
    usize,
    Option<Bound<'py, PyAny>>,
    Option<Bound<'py, PyAny>>,
    Option<Bound<'py, Stream>>,
);

fn data_type(op: &'static str, (class, number): &(String, i32)) -> Result<DataType> {
    Ok(match class.as_str() {
        "elements" => field(op, *number)?.into(),
        "points" => curve(op, *number)?.into(),
        _ => {
            let rule = || Error::argument(op, format!("type {number}: must be the place of one in number_types()"));
            let dtype = usize::try_from(*number).ok().and_then(|at| DType::ALL.get(at)).copied();
            dtype.ok_or_else(rule)?.into()
        }
    })
}

fn kind(name: &str) -> Result<Kind> {
    let found = Kind::ALL.into_iter().find(|kind| kind.op() == name);
    found.ok_or_else(|| Error::argument("group", format!("operation {name:?}: there is none")))
}

fn reduction(op: &'static str, name: Option<&str>) -> Result<ReduceOp> {
    let Some(name) = name else { return Ok(ReduceOp::Sum) };
    let found = ReduceOp::ALL.into_iter().find(|reduce| reduce.name() == name);
    let names = ReduceOp::ALL.map(ReduceOp::name);
    found.ok_or_else(|| Error::argument(op, format!("op {name:?}: must be one of {names:?}")))
}

/// Do calls as one; arrays of numbers that they receive to have new values then.
#[pyfunction]
pub(crate) fn comm_run(py: Python<'_>, calls: Vec<Given<'_>>) -> PyResult<()> {
    let wrong = |error: Error| exception(py, &error);
    let (mut heads, mut waits) = (Vec::with_capacity(calls.len()), Vec::new());
    let (mut sent, mut received) = (Vec::with_capacity(calls.len()), Vec::with_capacity(calls.len()));
    for (comm, name, class, reduce, count, peer, send, recv, stream) in calls {
        let kind = kind(&name).map_err(wrong)?;
        let op = kind.op();
        let comm = comm.get().get(op).map_err(wrong)?;
        let (class, reduce) = (data_type(op, &class).map_err(wrong)?, reduction(op, reduce.as_deref()).map_err(wrong)?);
        let send = send.as_ref().map(Sent::of).transpose()?;
        let recv = recv.as_ref().map(|recv| Received::of(recv, comm.device())).transpose()?;
        let stream = stream.map(|stream| stream.get().core());
        // Other memory than buffers may be let go of before the stream comes to it: on the CPU that is no wait.
        let of_buffers =
            matches!(send, None | Some(Sent::Memory(_))) && matches!(recv, None | Some(Received::Memory(_)));
        waits.extend(stream.iter().filter(|_| !of_buffers).cloned());
        heads.push((comm, kind, class, reduce, count, peer, stream));
        sent.push(send);
        received.push(recv);
    }
    let sources = sent.iter().map(|send| send.as_ref().map(Sent::span).transpose()).collect::<Result<Vec<_>>>();
    let sources = sources.map_err(wrong)?;
    let targets: Vec<_> = received.iter_mut().map(|recv| recv.as_mut().map(Received::target)).collect();
    call(py, "group", || {
        let mut made = Vec::with_capacity(heads.len());
        for ((head, send), recv) in heads.iter().zip(sources).zip(targets) {
            let (comm, kind, class, reduce, count, peer, stream) = head;
            let recv = match recv {
                Some(Target::Span(span)) => Some(span.raw_dst(kind.op(), "recv")?),
                Some(Target::Fresh(buffer)) => Some(buffer.into()),
                None => None,
            };
            let call = Call::of(*kind, *class, *reduce, *count, *peer, send.map(Span::raw_src), recv);
            let call = stream.iter().fold(call, |call, stream| call.on(stream.clone()));
            made.push((&**comm, call));
        }
        // Also after an error: part of the work may be enqueued.
        let done = group(made);
        waits.iter().map(StreamRef::synchronize).fold(done, Result::and)
    })?;
    received.into_iter().flatten().try_for_each(|recv| recv.done(py))
}

/// Do a collective of ranks whose operands are vectors over a group's devices; the same one twice is in place.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // as the operation has
pub(crate) fn comm_run_sharded(
    py: Python<'_>,
    comms: Vec<Bound<'_, Comm>>,
    operation: &str,
    class: (String, i32),
    reduce: &str,
    root: usize,
    send: &Bound<'_, Vector>,
    recv: &Bound<'_, Vector>,
) -> PyResult<()> {
    let wrong = |error: Error| exception(py, &error);
    let kind = kind(operation).map_err(wrong)?;
    let op = kind.op();
    let ranks = comms.iter().map(|comm| comm.get().get(op)).collect::<Result<Vec<_>>>().map_err(wrong)?;
    let (class, reduce) = (data_type(op, &class).map_err(wrong)?, reduction(op, Some(reduce)).map_err(wrong)?);
    let is_in_place = send.is(recv);
    let (from, to) = (&send.get().0, &recv.get().0);
    call(py, op, || match is_in_place {
        true => run_sharded(&ranks, kind, class, reduce, root, None, &mut to.write()),
        false => with(op, &[from], to, |from, to| run_sharded(&ranks, kind, class, reduce, root, Some(from[0]), to)),
    })
}
