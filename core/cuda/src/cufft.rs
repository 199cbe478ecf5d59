//! Fourier transforms by cuFFT, NVIDIA's library, loaded if it is there.
#![allow(unsafe_code)]

use crate::driver;
use crate::gpu::Gpu;
use crate::library::{self, CUFFT};
use crate::lock::lock;
use crate::recent::Recent;
use crate::scratch::Scratch;
use icicle_device::Exec;
use icicle_error::{Error, ErrorCode, Result};
use std::ffi::{c_int, c_longlong, c_void};
use std::ptr::null_mut;
use std::sync::{Mutex, OnceLock};

/// `cufftHandle`.
type Plan = c_int;

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

/// A transform by what it takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Complex numbers to complex ones, forward.
    Forward,
    /// Complex numbers to complex ones, inverse.
    Inverse,
    /// Real numbers to the first `n / 2 + 1` of the forward one's along the last axis.
    Halved,
    /// Back to real numbers, inverse.
    Doubled,
}

/// Axes of one transform at most.
pub const MOST_AXES: usize = 3;

/// What a plan is for: transforms that lie dense, one behind another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What it takes and gives.
    pub kind: Kind,
    /// Whether numbers are of 64 bits, else of 32.
    pub double: bool,
    /// Elements in time along each axis, the last densest, unused axes in front 1.
    pub extents: [i64; MOST_AXES],
    /// How many transforms.
    pub batch: i64,
}

impl Shape {
    /// The axes that have more than one element; one at least.
    fn axes(&self) -> &[i64] {
        let first = self.extents.iter().position(|&extent| extent != 1).unwrap_or(MOST_AXES - 1);
        &self.extents[first..]
    }

    /// `cudaDataType_t` of library_types.h: taken, given, computed.
    fn types(&self) -> [c_int; 3] {
        let (real, complex) = if self.double { (1, 5) } else { (0, 4) };
        match self.kind {
            Kind::Forward | Kind::Inverse => [complex, complex, complex],
            Kind::Halved => [real, complex, complex],
            Kind::Doubled => [complex, real, complex],
        }
    }

    /// Elements of one transform as they are taken, and given.
    fn steps(&self) -> [i64; 2] {
        let axes = self.axes();
        let (last, outer) = (axes[axes.len() - 1], axes[..axes.len() - 1].iter().product::<i64>());
        let (whole, half) = (outer * last, outer * (last / 2 + 1));
        match self.kind {
            Kind::Forward | Kind::Inverse => [whole, whole],
            Kind::Halved => [whole, half],
            Kind::Doubled => [half, whole],
        }
    }

    /// What plans are found by: one serves both directions.
    fn key(self) -> Self {
        if self.kind == Kind::Inverse { Self { kind: Kind::Forward, ..self } } else { self }
    }
}

/// Plans that a device keeps; each holds a table of factors on the device.
const KEPT: usize = 32;

/// Plans made for a device, those used last.
pub struct Plans(Mutex<Recent<Shape, Made, KEPT>>);

impl Default for Plans {
    fn default() -> Self {
        Self(Mutex::new(Recent::new()))
    }
}

/// A plan, and the memory that executing it takes.
#[derive(Clone, Copy)]
struct Made {
    plan: Plan,
    work: usize,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(kind: Kind, extents: [i64; MOST_AXES]) -> Shape {
        Shape { kind, double: false, extents, batch: 5 }
    }

    #[test]
    fn axes_of_one_element_in_front_are_no_axes() {
        for (extents, axes) in [
            ([1, 1, 8], &[8][..]),
            ([1, 3, 8], &[3, 8]),
            ([2, 1, 8], &[2, 1, 8]),
            ([1, 8, 1], &[8, 1]),
            ([1, 1, 1], &[1]),
        ] {
            assert_eq!(shape(Kind::Forward, extents).axes(), axes);
        }
    }

    #[test]
    fn transforms_lie_one_behind_another() {
        for (kind, extents, steps) in [
            (Kind::Forward, [1, 3, 8], [24, 24]),
            (Kind::Inverse, [2, 3, 7], [42, 42]),
            (Kind::Halved, [1, 1, 8], [8, 5]),
            (Kind::Halved, [1, 1, 7], [7, 4]),
            (Kind::Halved, [1, 1, 1], [1, 1]),
            (Kind::Doubled, [1, 1, 8], [5, 8]),
            (Kind::Doubled, [2, 3, 7], [24, 42]),
        ] {
            assert_eq!(shape(kind, extents).steps(), steps, "{kind:?} {extents:?}");
        }
    }

    #[test]
    fn both_directions_have_one_plan() {
        let [forward, inverse] = [Kind::Forward, Kind::Inverse].map(|kind| shape(kind, [1, 1, 8]));
        assert_eq!(forward.key(), inverse.key());
        let [halved, doubled] = [Kind::Halved, Kind::Doubled].map(|kind| shape(kind, [1, 1, 8]));
        assert!(halved.key() != doubled.key() && halved.key() != forward.key());
        assert_ne!(Shape { double: true, ..forward }.key(), forward.key());
        assert_ne!(Shape { batch: 6, ..forward }.key(), forward.key());
    }
}
