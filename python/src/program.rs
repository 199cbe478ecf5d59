//! Arithmetic circuits, executed at every position of vectors.

use crate::buffer::Buffer;
use crate::error::{call, exception, field};
use crate::stream::{Stream, launch};
use icicle::ops::program;
use icicle::ops::vector::VectorConfig;
use pyo3::prelude::*;

/// A value of a circuit: an input, a constant, or the result of +, - or * of two values, or of inverse().
#[pyclass(frozen, module = "icicle")]
pub(crate) struct Symbol(program::Symbol);

#[pymethods]
impl Symbol {
    /// The value of the i-th vector before execution. Raises OverflowError for a negative i.
    #[staticmethod]
    fn input(i: usize) -> Self {
        Self(program::Symbol::input(i))
    }

    /// A constant: the bytes of an element in memory form, which Field.symbol() makes of an integer. Raises TypeError
    /// for what is no bytes.
    #[staticmethod]
    fn constant(data: &[u8]) -> Self {
        Self(program::Symbol::constant(data))
    }

    /// The inverse; zero of zero. Raises nothing.
    fn inverse(&self) -> Self {
        Self(self.0.inverse())
    }

    /// Degree as a polynomial in the inputs, before cancellation; -1 if an inverse takes part.
    #[getter]
    fn degree(&self) -> i64 {
        self.0.degree()
    }

    fn __add__(&self, other: &Bound<'_, Self>) -> Self {
        Self(&self.0 + &other.get().0)
    }

    fn __sub__(&self, other: &Bound<'_, Self>) -> Self {
        Self(&self.0 - &other.get().0)
    }

    fn __mul__(&self, other: &Bound<'_, Self>) -> Self {
        Self(&self.0 * &other.get().0)
    }

    fn __repr__(&self) -> String {
        format!("<icicle.Symbol: {:?}>", self.0)
    }
}

/// Code that gives new values to vectors, position by position.
///
/// Program(parameters): one Symbol for each vector, its new value; a vector whose symbol is its own input keeps its
/// values. All new values are computed from the old ones. Raises InvalidArgument for no symbols or an input that is no
/// parameter, TypeError for what are no symbols, OutOfMemory.
#[pyclass(frozen, module = "icicle")]
pub(crate) struct Program(program::Program);

#[pymethods]
impl Program {
    #[new]
    fn new(py: Python<'_>, parameters: Vec<Bound<'_, Symbol>>) -> PyResult<Self> {
        let symbols: Vec<_> = parameters.iter().map(|symbol| symbol.get().0.clone()).collect();
        call(py, "generate_program", || program::Program::new(&symbols)).map(Self)
    }

    /// A circuit the library knows: "ab-c" of a, b, c and the result, or "eq(ab-c)" of a, b, c, eq and the result.
    /// Raises InvalidArgument for another name.
    #[staticmethod]
    fn predefined(py: Python<'_>, name: &str) -> PyResult<Self> {
        let which = match name {
            "ab-c" => program::Predefined::AbMinusC,
            "eq(ab-c)" => program::Predefined::EqTimesAbMinusC,
            _ => {
                let detail = format!("name {name:?}: must be ab-c or eq(ab-c)");
                return Err(exception(py, &icicle::Error::argument("generate_program", detail)));
            }
        };
        Ok(Self(program::Program::predefined(which)))
    }

    /// Number of vectors of an execution.
    #[getter]
    fn parameters(&self) -> usize {
        self.0.parameters()
    }

    /// Degree of the last vector's new value as a polynomial in the inputs; -1 if an inverse takes part.
    #[getter]
    fn degree(&self) -> i64 {
        self.0.degree()
    }

    fn __repr__(&self) -> String {
        format!("<icicle.Program of {} vectors>", self.0.parameters())
    }
}

/// Execute a program on vectors of `n` elements, in place.
#[pyfunction]
#[pyo3(signature = (number, program, n, vectors, stream=None))]
pub(crate) fn execute_program(
    py: Python<'_>,
    number: i32,
    program: &Bound<'_, Program>,
    n: usize,
    vectors: Vec<Bound<'_, Buffer>>,
    stream: Option<&Bound<'_, Stream>>,
) -> PyResult<()> {
    let op = "execute_program";
    let config = VectorConfig { launch: launch(stream, false), ..VectorConfig::default() };
    let spans: Vec<_> = vectors.iter().map(|vector| vector.get().span()).collect();
    let program = program.get();
    call(py, op, || {
        let each = spans.iter().enumerate();
        let mut outs =
            each.map(|(i, span)| span.dst(op, &format!("vector {i}"))).collect::<icicle::Result<Vec<_>>>()?;
        program::execute(field(op, number)?, &program.0, &mut outs, n, &config)
    })
}
