//! Linear algebra by cuSOLVER, NVIDIA's library, loaded if it is there: of matrices of `float64` or `complex128`, dense by columns,
//! one call for each of a stack.
#![allow(unsafe_code)]

mod functions;
mod task;

pub use crate::handles::Solver;
pub use task::{Part, Task};

use crate::copy;
use crate::driver::{self, Handle};
use crate::gpu::Gpu;
use crate::lock::lock;
use crate::scratch::Scratch;
use functions::{Context, Functions, Params, functions};
use icicle_device::{CopyArgs, Exec, Place};
use icicle_error::{Error, ErrorCode, Result};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use task::Work;

/// Why there is no cuSOLVER here, if there is none.
pub fn unavailable() -> Option<&'static str> {
    functions().err().map(String::as_str)
}

impl Solver {
    /// Do a task for each of `count` stacks of operands, on the call's stream, and wait for it. What is given says how each
    /// ended: 0 is well; what else means is the task's.
    ///
    /// # Errors
    /// `Unsupported` where there is no cuSOLVER, or it does not do this; `OutOfMemory`; `BackendLoadFailed` if it refuses the
    /// device; `Internal` with its word; that the device is lost.
    ///
    /// # Safety
    /// Operands lie on the device as the task says, apart from each other, and are nobody else's to write until this returns.
    pub unsafe fn run(
        &self,
        op: &'static str,
        gpu: &Gpu,
        exec: &Exec,
        task: &Task,
        count: usize,
    ) -> Result<Vec<c_int>> {
        let functions = functions().map_err(|why| Error::unsupported(op, why.as_str()))?;
        let mut infos = icicle_error::reserve::with_capacity::<c_int>(op, count)?;
        infos.resize(count, 0);
        let bytes = size_of_val(&*infos);
        let found = Scratch::new(op, exec, bytes)?;
        let mut held = lock(&self.0);
        let handles = match *held {
            Some(handles) => handles,
            None => *held.insert(make(op, gpu, functions)?),
        };
        let (context, params) = (handles.0 as Context, handles.1 as Params);
        // SAFETY: the context is alive, and nobody else's while the lock is held.
        let set = || unsafe { (functions.set_stream)(context, exec.stream() as *mut c_void) };
        call(op, gpu, "set stream", set)?;
        let mut sizes = [0; 2];
        // SAFETY: as above; addresses are the caller's, and only looked at.
        call(op, gpu, task.name(), || unsafe { task.sizes(functions, context, params, &mut sizes) })?;
        let mut host = icicle_error::reserve::with_capacity(op, sizes[1].div_ceil(8))?;
        host.resize(sizes[1].div_ceil(8), 0);
        let area = Scratch::new(op, exec, sizes[0])?;
        let mut work = Work { device: area.address(), device_bytes: sizes[0], host, host_bytes: sizes[1] };
        let mut ended = Ok(());
        for i in 0..count {
            let info = found.address() + (i * size_of::<c_int>()) as u64;
            // SAFETY: as above; work and info are this call's, which waits below.
            let run = || unsafe { task.enqueue(functions, context, params, i as u64, &mut work, info) };
            ended = call(op, gpu, task.name(), run);
            if ended.is_err() {
                break;
            }
            gpu.note_launch("cuSOLVER");
        }
        // Before memory of the host that calls may work in is given back, also where one was refused.
        // SAFETY: the stream is the call's.
        gpu.with(op, ErrorCode::SynchronizationFailed, || unsafe { driver::stream_synchronize(exec.stream()) })?;
        ended?;
        let args = CopyArgs {
            dst: infos.as_mut_ptr().cast(),
            dst_place: Place::Host,
            src: found.address() as *const u8,
            src_place: Place::Device(exec.device()),
            bytes,
            in_order: true,
        };
        // SAFETY: both hold as many bytes; the copy is done on return.
        unsafe { copy::copy(&exec.with_async(false), &args) }?;
        match infos.iter().position(|&info| info < 0) {
            None => Ok(infos),
            Some(i) => {
                let detail = format!("cuSOLVER: {} on {}: argument {} is wrong", task.name(), gpu.device, -infos[i]);
                Err(Error::new(ErrorCode::Internal, op, detail))
            }
        }
    }
}

fn make(op: &'static str, gpu: &Gpu, functions: &Functions) -> Result<(Handle, Handle)> {
    let (mut context, mut params) = (null_mut(), null_mut());
    // SAFETY: a place for the context, which is of the device whose CUDA context is the thread's.
    call(op, gpu, "create", || unsafe { (functions.create)(&raw mut context) }).map_err(|error| {
        let code = if error.code == ErrorCode::Internal { ErrorCode::BackendLoadFailed } else { error.code };
        Error::new(code, op, format!("{}; ICICLE_CUSOLVER_PATH=none does without", error.detail))
    })?;
    // SAFETY: a place for options, which stay those it has by itself.
    call(op, gpu, "create params", || unsafe { (functions.create_params)(&raw mut params) })?;
    Ok((context as Handle, params as Handle))
}

/// Call the library in the device's CUDA context.
fn call(op: &'static str, gpu: &Gpu, what: &str, call: impl FnOnce() -> c_int) -> Result<()> {
    let status = gpu.with(op, ErrorCode::Internal, || Ok(call()))?;
    if status == 0 {
        return Ok(());
    }
    // The library tells little of faults of earlier work; the driver does.
    gpu.with(op, ErrorCode::SynchronizationFailed, driver::synchronize)?;
    let code = match status {
        2 => ErrorCode::OutOfMemory,
        4 | 8 | 9 => ErrorCode::Unsupported,
        _ => ErrorCode::Internal,
    };
    Err(Error::new(code, op, format!("cuSOLVER: {what} on {}: {}", gpu.device, name(status))))
}

/// `cusolverStatus_t`.
fn name(status: c_int) -> String {
    match status {
        1 => "CUSOLVER_STATUS_NOT_INITIALIZED",
        2 => "CUSOLVER_STATUS_ALLOC_FAILED",
        3 => "CUSOLVER_STATUS_INVALID_VALUE",
        4 => "CUSOLVER_STATUS_ARCH_MISMATCH",
        5 => "CUSOLVER_STATUS_MAPPING_ERROR",
        6 => "CUSOLVER_STATUS_EXECUTION_FAILED",
        7 => "CUSOLVER_STATUS_INTERNAL_ERROR",
        8 => "CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
        9 => "CUSOLVER_STATUS_NOT_SUPPORTED",
        other => return format!("error {other}"),
    }
    .into()
}
