//! Linear algebra, by cuSOLVER: in double precision whatever the dtype, as on CPUs, and rounded at the end.
//!
//! Matrices lie by columns there: a transposed copy does, which is written over, and results are views of transposed memory. How
//! each matrix ended is read before a call returns.
#![allow(unsafe_code)] // which takes addresses

mod factor;
mod spectral;

use super::call::Call;
use crate::array::{Array, Fresh};
use crate::linalg::stack::Stack;
use crate::{Bool, DType};
use icicle_cuda::cusolver::{self, Part, Task};
use icicle_error::{Error, Result};

pub(crate) use factor::{cholesky, inv, pivots, qr, solve};
pub(crate) use spectral::{Vectors, general, hermitian, pinv, singular};

/// Matrices of a stack on a GPU that has cuSOLVER, none of them without elements.
pub(crate) struct Matrices<'a> {
    stack: &'a Stack,
    count: usize,
    m: usize,
    n: usize,
}

impl<'a> Matrices<'a> {
    /// # Errors
    /// `Unsupported` where there is no cuSOLVER.
    fn of(stack: &'a Stack) -> Result<Self> {
        // Before anything is computed or copied.
        if let Some(why) = cusolver::unavailable() {
            return Err(Error::unsupported(stack.op, why));
        }
        Ok(Self { stack, count: stack.count()?, m: stack.rows, n: stack.columns })
    }

    fn complex(&self) -> bool {
        self.stack.is_complex()
    }

    /// The dtype that is computed in.
    fn wide(&self) -> DType {
        self.stack.wide().dtype()
    }

    /// New memory for numbers of each matrix, extents as they lie.
    fn fresh(&self, dtype: DType, extents: &[usize]) -> Result<Array> {
        let shape = [&self.stack.batch[..], extents].concat();
        Ok(Fresh::new(self.stack.op, self.stack.device(), dtype, &shape)?.done())
    }

    /// What a matrix of each has in memory, `extents` being what it has of an array's last axes.
    fn part(array: &Array, extents: &[usize]) -> Result<Part> {
        let step = extents.iter().product::<usize>() * array.dtype().bytes();
        Ok(Part { address: array.as_ptr()?.addr() as u64, step: step as u64 })
    }

    /// Do a task for each matrix, and wait.
    ///
    /// # Errors
    /// As [`cusolver::Solver::run`].
    ///
    /// # Safety
    /// Parts are of dense arrays, one for each matrix of the stack, of as many elements as the task says; nobody else holds those
    /// that it writes.
    unsafe fn run(&self, task: &Task) -> Result<Vec<i32>> {
        let call = Call::new(self.stack.op, self.stack.device())?;
        // SAFETY: the caller's.
        unsafe { call.gpu.solver.run(call.op, call.gpu, &call.exec, task, self.count) }
    }

    /// Which matrices hold neither NaN nor infinities.
    fn finite(&self) -> Result<Vec<bool>> {
        let found = crate::all(&crate::isfinite(self.stack.wide())?, Some(&[-2, -1]), false)?;
        Ok(found.to_vec::<Bool>()?.into_iter().map(bool::from).collect())
    }
}
