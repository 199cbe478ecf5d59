//! Fourier transforms by cuFFT, NVIDIA's library, loaded if it is there.
#![allow(unsafe_code)]

pub(crate) mod plans;

pub use plans::{Kind, MOST_AXES, Plans, Shape};

use crate::driver;
use crate::gpu::Gpu;
use crate::library::{self, CUFFT};
use crate::lock::lock;
use crate::scratch::Scratch;
use icicle_device::Exec;
use icicle_error::{Error, ErrorCode, Result};
use plans::{Made, Plan};
use std::ffi::{c_int, c_longlong, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;

/// `cufftXtMakePlanMany`: of a batch of transforms that lie one behind another.
type MakePlan = unsafe extern "C" fn(
    plan: Plan,
    rank: c_int,
    extents: *mut c_longlong,
    in_embed: *mut c_longlong,
    in_stride: c_longlong,
    in_step: c_longlong,
    in_type: c_int,
    out_embed: *mut c_longlong,
    out_stride: c_longlong,
    out_step: c_longlong,
    out_type: c_int,
    batch: c_longlong,
    work_bytes: *mut usize,
    compute: c_int,
) -> c_int;

/// Its functions, after cufft.h and cufftXt.h.
struct Functions {
    create: unsafe extern "C" fn(*mut Plan) -> c_int,
    set_auto_allocation: unsafe extern "C" fn(Plan, c_int) -> c_int,
    make: MakePlan,
    set_stream: unsafe extern "C" fn(Plan, *mut c_void) -> c_int,
    set_work_area: unsafe extern "C" fn(Plan, *mut c_void) -> c_int,
    execute: unsafe extern "C" fn(Plan, *mut c_void, *mut c_void, c_int) -> c_int,
    destroy: unsafe extern "C" fn(Plan) -> c_int,
}

fn functions() -> std::result::Result<&'static Functions, &'static String> {
    static FOUND: OnceLock<std::result::Result<Functions, String>> = OnceLock::new();
    let load = || {
        let library = CUFFT.open()?;
        // SAFETY: the types are those of cufft.h and cufftXt.h; the library stays.
        let found = unsafe {
            Functions {
                create: library::function(&library, "cufftCreate")?,
                set_auto_allocation: library::function(&library, "cufftSetAutoAllocation")?,
                make: library::function(&library, "cufftXtMakePlanMany")?,
                set_stream: library::function(&library, "cufftSetStream")?,
                set_work_area: library::function(&library, "cufftSetWorkArea")?,
                execute: library::function(&library, "cufftXtExec")?,
                destroy: library::function(&library, "cufftDestroy")?,
            }
        };
        std::mem::forget(library);
        Ok(found)
    };
    FOUND.get_or_init(load).as_ref()
}

/// Why there is no cuFFT here, if there is none.
pub fn unavailable() -> Option<&'static str> {
    functions().err().map(String::as_str)
}

impl Plans {
    /// Enqueue transforms from one place on the device to another, on the call's stream, without any factor. [`Kind::Doubled`]
    /// writes over what it takes.
    ///
    /// # Errors
    /// `Unsupported` where there is no cuFFT, or for lengths that it has no transform of; `OutOfMemory`; `Internal` with its
    /// word; that the device is lost.
    ///
    /// # Safety
    /// Both places hold as many elements as the shape says, aligned to complex numbers and apart, until the stream has passed. The
    /// stream is alive, and one of the device, whose state this is part of. Nobody else uses the memory that is written.
    pub unsafe fn transform(
        &self,
        op: &'static str,
        gpu: &Gpu,
        exec: &Exec,
        shape: Shape,
        (from, to): (u64, u64),
    ) -> Result<()> {
        let functions = functions().map_err(|why| Error::unsupported(op, why.as_str()))?;
        let mut plans = lock(&self.0);
        let key = shape.key();
        let made = match plans.find(&key) {
            Some(made) => *made,
            None => {
                let made = make(op, gpu, functions, &key)?;
                if let Some(oldest) = plans.insert(key, made) {
                    destroy(op, gpu, functions, oldest)?;
                }
                made
            }
        };
        let work = Scratch::new(op, exec, made.work)?;
        let (plan, area, stream) = (made.plan, work.address() as *mut c_void, exec.stream() as *mut c_void);
        let (from, to) = (from as *mut c_void, to as *mut c_void);
        let direction = if shape.kind == Kind::Inverse || shape.kind == Kind::Doubled { 1 } else { -1 };
        // SAFETY: the plan is alive, and nobody else's while the lock is held; its memory is given back in the stream's order.
        run(op, gpu, &shape, "set stream", || unsafe { (functions.set_stream)(plan, stream) })?;
        if made.work > 0 {
            // SAFETY: as above: so much memory as the plan asked for.
            run(op, gpu, &shape, "set work area", || unsafe { (functions.set_work_area)(plan, area) })?;
        }
        // SAFETY: as above; the rest is the caller's.
        run(op, gpu, &shape, "transform", || unsafe { (functions.execute)(plan, from, to, direction) })?;
        gpu.note_launch("cuFFT");
        Ok(())
    }
}

fn make(op: &'static str, gpu: &Gpu, functions: &Functions, shape: &Shape) -> Result<Made> {
    let mut plan = -1;
    // SAFETY: a place for the plan, which is of the device whose CUDA context is the thread's.
    run(op, gpu, shape, "create", || unsafe { (functions.create)(&raw mut plan) })?;
    let mut axes = shape.axes().to_vec();
    let (mut work, rank) = (0, axes.len() as c_int);
    let ([in_type, out_type, compute], [in_step, out_step]) = (shape.types(), shape.steps());
    let planned = run(op, gpu, shape, "plan", || {
        // SAFETY: just made: memory for its work is given to each call.
        let set = unsafe { (functions.set_auto_allocation)(plan, 0) };
        if set != 0 {
            return set;
        }
        let (axes, none) = (axes.as_mut_ptr(), null_mut());
        // SAFETY: `axes` holds as many extents as there are axes; without embedding, transforms are dense.
        unsafe {
            (functions.make)(
                plan,
                rank,
                axes,
                none,
                1,
                in_step,
                in_type,
                none,
                1,
                out_step,
                out_type,
                shape.batch,
                &raw mut work,
                compute,
            )
        }
    });
    match planned {
        Ok(()) => Ok(Made { plan, work }),
        Err(error) => {
            // What is wrong has been told; nothing was enqueued with it.
            let _ = gpu.calls(|| {
                // SAFETY: made above, and not used.
                unsafe { (functions.destroy)(plan) };
                Ok(())
            });
            Err(error)
        }
    }
}

/// Destroy a plan once what was enqueued with it is done.
fn destroy(op: &'static str, gpu: &Gpu, functions: &Functions, made: Made) -> Result<()> {
    gpu.with(op, ErrorCode::SynchronizationFailed, driver::synchronize)?;
    // SAFETY: nobody knows the plan any more, and nothing that was enqueued uses it.
    let status = gpu.with(op, ErrorCode::Internal, || Ok(unsafe { (functions.destroy)(made.plan) }))?;
    match status {
        0 => Ok(()),
        _ => Err(Error::new(ErrorCode::Internal, op, format!("cuFFT: destroy: {}", name(status)))),
    }
}

/// Call the library in the device's CUDA context.
fn run(op: &'static str, gpu: &Gpu, shape: &Shape, what: &str, call: impl FnOnce() -> c_int) -> Result<()> {
    let status = gpu.with(op, ErrorCode::Internal, || Ok(call()))?;
    if status == 0 {
        return Ok(());
    }
    // The library tells little of faults of earlier work; the driver does.
    gpu.with(op, ErrorCode::SynchronizationFailed, driver::synchronize)?;
    Err(refused(op, gpu, shape, what, status))
}

fn refused(op: &'static str, gpu: &Gpu, shape: &Shape, what: &str, status: c_int) -> Error {
    let code = match status {
        2 => ErrorCode::OutOfMemory,
        // Lengths that it has no transform of.
        8 | 14 | 16 => ErrorCode::Unsupported,
        5 | 7 if what == "create" => ErrorCode::BackendLoadFailed,
        _ => ErrorCode::Internal,
    };
    let transforms = format!("{} transforms of extents {:?}", shape.batch, shape.axes());
    Error::new(code, op, format!("cuFFT: {what} on {} for {transforms}: {}", gpu.device, name(status)))
}

/// `cufftResult`.
fn name(status: c_int) -> String {
    match status {
        1 => "CUFFT_INVALID_PLAN",
        2 => "CUFFT_ALLOC_FAILED",
        3 => "CUFFT_INVALID_TYPE",
        4 => "CUFFT_INVALID_VALUE",
        5 => "CUFFT_INTERNAL_ERROR",
        6 => "CUFFT_EXEC_FAILED",
        7 => "CUFFT_SETUP_FAILED",
        8 => "CUFFT_INVALID_SIZE",
        9 => "CUFFT_UNALIGNED_DATA",
        11 => "CUFFT_INVALID_DEVICE",
        13 => "CUFFT_NO_WORKSPACE",
        14 => "CUFFT_NOT_IMPLEMENTED",
        16 => "CUFFT_NOT_SUPPORTED",
        17 => "CUFFT_MISSING_DEPENDENCY",
        18 => "CUFFT_NVRTC_FAILURE",
        19 => "CUFFT_NVJITLINK_FAILURE",
        other => return format!("error {other}"),
    }
    .into()
}
