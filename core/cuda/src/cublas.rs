//! Products of matrices by cuBLAS, NVIDIA's library, loaded if it is there.
#![allow(unsafe_code)]

pub use crate::handles::Blas;

use crate::driver::{self, Handle};
use crate::gpu::Gpu;
use crate::library::{self, CUBLAS};
use crate::lock::lock;
use icicle_device::RawStream;
use icicle_error::{Error, ErrorCode, Result};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;

type Context = *mut c_void;

/// `cublasGemmEx_64`: `C = alpha·A·B + beta·C` of matrices by columns.
type Gemm = unsafe extern "C" fn(
    context: Context,
    of_a: c_int,
    of_b: c_int,
    m: i64,
    n: i64,
    k: i64,
    alpha: *const c_void,
    a: *const c_void,
    a_type: c_int,
    a_pitch: i64,
    b: *const c_void,
    b_type: c_int,
    b_pitch: i64,
    beta: *const c_void,
    c: *mut c_void,
    c_type: c_int,
    c_pitch: i64,
    compute: c_int,
    algorithm: c_int,
) -> c_int;

/// `cublasGemmStridedBatchedEx_64`: the same for each of a stack.
type StackGemm = unsafe extern "C" fn(
    context: Context,
    of_a: c_int,
    of_b: c_int,
    m: i64,
    n: i64,
    k: i64,
    alpha: *const c_void,
    a: *const c_void,
    a_type: c_int,
    a_pitch: i64,
    a_step: i64,
    b: *const c_void,
    b_type: c_int,
    b_pitch: i64,
    b_step: i64,
    beta: *const c_void,
    c: *mut c_void,
    c_type: c_int,
    c_pitch: i64,
    c_step: i64,
    count: i64,
    compute: c_int,
    algorithm: c_int,
) -> c_int;

/// Its functions, after cublas_api.h.
struct Functions {
    create: unsafe extern "C" fn(*mut Context) -> c_int,
    set_stream: unsafe extern "C" fn(Context, *mut c_void) -> c_int,
    set_math: unsafe extern "C" fn(Context, c_int) -> c_int,
    gemm: Gemm,
    stack_gemm: StackGemm,
    status_name: unsafe extern "C" fn(c_int) -> *const c_char,
}

/// `CUBLAS_STATUS_ALLOC_FAILED`.
const ALLOC_FAILED: c_int = 3;
/// `CUBLAS_OP_N`.
const AS_IT_IS: c_int = 0;
/// `CUBLAS_OP_T`.
const TRANSPOSED: c_int = 1;
/// `CUBLAS_GEMM_DEFAULT`.
const ANY_ALGORITHM: c_int = -1;
/// `CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION`: sums in parts of 16-bit products are in float32 too.
const WIDE_SUMS: c_int = 16;

fn functions() -> std::result::Result<&'static Functions, &'static String> {
    static FOUND: OnceLock<std::result::Result<Functions, String>> = OnceLock::new();
    let load = || {
        let library = CUBLAS.open()?;
        // SAFETY: the types are those of cublas_api.h; the library stays.
        let found = unsafe {
            Functions {
                create: library::function(&library, "cublasCreate_v2")?,
                set_stream: library::function(&library, "cublasSetStream_v2")?,
                set_math: library::function(&library, "cublasSetMathMode")?,
                gemm: library::function(&library, "cublasGemmEx_64")?,
                stack_gemm: library::function(&library, "cublasGemmStridedBatchedEx_64")?,
                status_name: library::function(&library, "cublasGetStatusName")?,
            }
        };
        std::mem::forget(library);
        Ok(found)
    };
    FOUND.get_or_init(load).as_ref()
}

/// Why there is no cuBLAS here, if there is none.
pub fn unavailable() -> Option<&'static str> {
    functions().err().map(String::as_str)
}

/// The numbers of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// `float16`, added in `float32`.
    F16,
    /// `bfloat16`, added in `float32`.
    BF16,
    /// `float32`.
    F32,
    /// `float32`, rounded to TF32 before it is multiplied where the device has units for that.
    TF32,
    /// `float64`.
    F64,
    /// `complex64`.
    C64,
    /// `complex128`.
    C128,
}

impl Numbers {
    /// `cudaDataType_t` of library_types.h, and `cublasComputeType_t`.
    const fn types(self) -> (c_int, c_int) {
        const BY_32: c_int = 68;
        const BY_TF32: c_int = 77;
        const BY_64: c_int = 70;
        match self {
            Self::F16 => (2, BY_32),
            Self::BF16 => (14, BY_32),
            Self::F32 => (0, BY_32),
            Self::TF32 => (0, BY_TF32),
            Self::F64 => (1, BY_64),
            Self::C64 => (4, BY_32),
            Self::C128 => (5, BY_64),
        }
    }
}

/// The matrices of an operand.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// Where the first begins, on the device.
    pub address: u64,
    /// Whether elements of rows follow each other, else those of columns.
    pub by_rows: bool,
    /// Elements from a row, or column, to the next: at least as many as it has.
    pub pitch: i64,
    /// Elements from one matrix of the stack to the next; 0 if all are one.
    pub step: i64,
}

/// Products of a stack, of `m` by `k` and `k` by `n`, none of them 0, whose results follow each other by rows.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    /// Of what.
    pub numbers: Numbers,
    /// How many.
    pub count: i64,
    /// Rows of results.
    pub m: i64,
    /// Columns of results.
    pub n: i64,
    /// Length of sums.
    pub k: i64,
    /// The first operand.
    pub x: Operand,
    /// The second.
    pub y: Operand,
    /// Where results go.
    pub out: u64,
}

impl Blas {
    /// Enqueue products on a stream of the device, whose state this is part of.
    ///
    /// # Errors
    /// `Unsupported` where there is no cuBLAS; `OutOfMemory` if it gets no memory; `BackendLoadFailed` if it refuses the device;
    /// `Internal` with its word for a product that it refuses; that the device is lost.
    ///
    /// # Safety
    /// Operands and results lie on the device as the product says, aligned to their numbers and apart, until the stream has
    /// passed. The stream is 0 or alive.
    pub unsafe fn multiply(&self, op: &'static str, gpu: &Gpu, stream: RawStream, product: &Product) -> Result<()> {
        let functions = functions().map_err(|why| Error::unsupported(op, why.as_str()))?;
        let mut made = lock(&self.0);
        let handle = match &*made {
            Some(known) => known.clone()?,
            None => {
                let new = make(op, gpu, functions);
                // A lost device is no property of the library, and memory may be there the next time.
                if !gpu.is_lost() && new.as_ref().err().is_none_or(|error| error.code != ErrorCode::OutOfMemory) {
                    *made = Some(new.clone());
                }
                new?
            }
        };
        let context = handle as Context;
        // SAFETY: the context is alive, and nobody else's while the lock is held.
        run(op, gpu, functions, "set stream", || unsafe { (functions.set_stream)(context, stream as *mut c_void) })?;
        // SAFETY: as above; the rest is the caller's.
        run(op, gpu, functions, "product", || unsafe { gemm(functions, context, product) })?;
        gpu.note_launch("cuBLAS");
        Ok(())
    }
}

fn make(op: &'static str, gpu: &Gpu, functions: &Functions) -> Result<Handle> {
    let mut context = null_mut();
    // SAFETY: a place for the context, which is of the device whose CUDA context is the thread's.
    run(op, gpu, functions, "create", || unsafe { (functions.create)(&raw mut context) }).map_err(|error| {
        let code = if error.code == ErrorCode::Internal { ErrorCode::BackendLoadFailed } else { error.code };
        Error::new(code, op, format!("{}; ICICLE_CUBLAS_PATH=none does without", error.detail))
    })?;
    // SAFETY: just made.
    run(op, gpu, functions, "set math mode", || unsafe { (functions.set_math)(context, WIDE_SUMS) })?;
    Ok(context as Handle)
}

/// Call the library in the device's CUDA context.
fn run(op: &'static str, gpu: &Gpu, functions: &Functions, what: &str, call: impl FnOnce() -> c_int) -> Result<()> {
    let status = gpu.with(op, ErrorCode::Internal, || Ok(call()))?;
    if status == 0 {
        return Ok(());
    }
    // The library tells little of faults of earlier work; the driver does.
    gpu.with(op, ErrorCode::SynchronizationFailed, driver::synchronize)?;
    // SAFETY: a static text of the library's.
    let name = unsafe { CStr::from_ptr((functions.status_name)(status)) }.to_string_lossy();
    let code = if status == ALLOC_FAILED { ErrorCode::OutOfMemory } else { ErrorCode::Internal };
    Err(Error::new(code, op, format!("cuBLAS: {what} on {}: {name}", gpu.device)))
}

/// Results by rows are their transposes by columns, the products of the operands' transposes in the other order.
///
/// # Safety
/// As [`Blas::multiply`]; the context is alive and not used meanwhile.
unsafe fn gemm(functions: &Functions, context: Context, product: &Product) -> c_int {
    let (number, compute) = product.numbers.types();
    // Complex numbers begin with their real part.
    let (single, double) = ([[1f32, 0.0], [0.0; 2]], [[1f64, 0.0], [0.0; 2]]);
    let [one, zero] = match product.numbers {
        Numbers::F64 | Numbers::C128 => double.each_ref().map(|number| number.as_ptr().cast::<c_void>()),
        _ => single.each_ref().map(|number| number.as_ptr().cast()),
    };
    let turn = |operand: &Operand| if operand.by_rows { AS_IT_IS } else { TRANSPOSED };
    let &Product { m, n, k, x, y, count, .. } = product;
    let (of_y, of_x) = (y.address as *const c_void, x.address as *const c_void);
    let (out, turn_y, turn_x) = (product.out as *mut c_void, turn(&y), turn(&x));
    // SAFETY: the caller's; the factors are of the type that the library takes by what it computes.
    unsafe {
        if count == 1 {
            return (functions.gemm)(
                context,
                turn_y,
                turn_x,
                n,
                m,
                k,
                one,
                of_y,
                number,
                y.pitch,
                of_x,
                number,
                x.pitch,
                zero,
                out,
                number,
                n,
                compute,
                ANY_ALGORITHM,
            );
        }
        (functions.stack_gemm)(
            context,
            turn_y,
            turn_x,
            n,
            m,
            k,
            one,
            of_y,
            number,
            y.pitch,
            y.step,
            of_x,
            number,
            x.pitch,
            x.step,
            zero,
            out,
            number,
            n,
            m * n,
            count,
            compute,
            ANY_ALGORITHM,
        )
    }
}
