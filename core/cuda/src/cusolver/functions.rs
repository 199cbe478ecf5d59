//! cuSOLVER's functions, after cusolverDn.h.
#![allow(unsafe_code)]

use crate::library::{self, CUSOLVER};
use std::ffi::{c_int, c_schar, c_void};
use std::sync::OnceLock;

/// `cusolverDnHandle_t`.
pub(super) type Context = *mut c_void;
/// `cusolverDnParams_t`.
pub(super) type Params = *mut c_void;
type In = *const c_void;
type Out = *mut c_void;
type Sizes = *mut usize;
type Info = *mut c_int;

pub(super) type CholeskySize =
    unsafe extern "C" fn(Context, Params, c_int, i64, c_int, In, i64, c_int, Sizes, Sizes) -> c_int;
pub(super) type Cholesky =
    unsafe extern "C" fn(Context, Params, c_int, i64, c_int, Out, i64, c_int, Out, usize, Out, usize, Info) -> c_int;
pub(super) type LuSize = unsafe extern "C" fn(Context, Params, i64, i64, c_int, In, i64, c_int, Sizes, Sizes) -> c_int;
pub(super) type Lu = unsafe extern "C" fn(
    Context,
    Params,
    i64,
    i64,
    c_int,
    Out,
    i64,
    *mut i64,
    c_int,
    Out,
    usize,
    Out,
    usize,
    Info,
) -> c_int;
pub(super) type Solve =
    unsafe extern "C" fn(Context, Params, c_int, i64, i64, c_int, In, i64, *const i64, c_int, Out, i64, Info) -> c_int;
pub(super) type QrSize =
    unsafe extern "C" fn(Context, Params, i64, i64, c_int, In, i64, c_int, In, c_int, Sizes, Sizes) -> c_int;
pub(super) type Qr = unsafe extern "C" fn(
    Context,
    Params,
    i64,
    i64,
    c_int,
    Out,
    i64,
    c_int,
    Out,
    c_int,
    Out,
    usize,
    Out,
    usize,
    Info,
) -> c_int;
pub(super) type ColumnsSize = unsafe extern "C" fn(Context, c_int, c_int, c_int, In, c_int, In, *mut c_int) -> c_int;
pub(super) type Columns = unsafe extern "C" fn(Context, c_int, c_int, c_int, Out, c_int, In, Out, c_int, Info) -> c_int;
pub(super) type HermitianSize =
    unsafe extern "C" fn(Context, Params, c_int, c_int, i64, c_int, In, i64, c_int, In, c_int, Sizes, Sizes) -> c_int;
pub(super) type Hermitian = unsafe extern "C" fn(
    Context,
    Params,
    c_int,
    c_int,
    i64,
    c_int,
    Out,
    i64,
    c_int,
    Out,
    c_int,
    Out,
    usize,
    Out,
    usize,
    Info,
) -> c_int;
pub(super) type SingularSize = unsafe extern "C" fn(
    Context,
    Params,
    c_schar,
    c_schar,
    i64,
    i64,
    c_int,
    In,
    i64,
    c_int,
    In,
    c_int,
    In,
    i64,
    c_int,
    In,
    i64,
    c_int,
    Sizes,
    Sizes,
) -> c_int;
pub(super) type Singular = unsafe extern "C" fn(
    Context,
    Params,
    c_schar,
    c_schar,
    i64,
    i64,
    c_int,
    Out,
    i64,
    c_int,
    Out,
    c_int,
    Out,
    i64,
    c_int,
    Out,
    i64,
    c_int,
    Out,
    usize,
    Out,
    usize,
    Info,
) -> c_int;
pub(super) type GeneralSize = unsafe extern "C" fn(
    Context,
    Params,
    c_int,
    c_int,
    i64,
    c_int,
    In,
    i64,
    c_int,
    In,
    c_int,
    In,
    i64,
    c_int,
    In,
    i64,
    c_int,
    Sizes,
    Sizes,
) -> c_int;
pub(super) type General = unsafe extern "C" fn(
    Context,
    Params,
    c_int,
    c_int,
    i64,
    c_int,
    Out,
    i64,
    c_int,
    Out,
    c_int,
    Out,
    i64,
    c_int,
    Out,
    i64,
    c_int,
    Out,
    usize,
    Out,
    usize,
    Info,
) -> c_int;

/// What is called. Pairs are of the memory a call works in, and the call.
pub(super) struct Functions {
    pub create: unsafe extern "C" fn(*mut Context) -> c_int,
    pub set_stream: unsafe extern "C" fn(Context, *mut c_void) -> c_int,
    pub create_params: unsafe extern "C" fn(*mut Params) -> c_int,
    pub cholesky: (CholeskySize, Cholesky),
    pub lu: (LuSize, Lu),
    pub solve: Solve,
    pub qr: (QrSize, Qr),
    pub real_columns: (ColumnsSize, Columns),
    pub complex_columns: (ColumnsSize, Columns),
    pub hermitian: (HermitianSize, Hermitian),
    pub singular: (SingularSize, Singular),
    /// From cuSOLVER 11.7 on.
    pub general: Option<(GeneralSize, General)>,
}

pub(super) fn functions() -> Result<&'static Functions, &'static String> {
    static FOUND: OnceLock<Result<Functions, String>> = OnceLock::new();
    let load = || {
        let library = CUSOLVER.open()?;
        // SAFETY: the types are those of cusolverDn.h; the library stays.
        let found = unsafe {
            let general = library::function(&library, "cusolverDnXgeev_bufferSize")
                .and_then(|size| Ok((size, library::function(&library, "cusolverDnXgeev")?)));
            Functions {
                create: library::function(&library, "cusolverDnCreate")?,
                set_stream: library::function(&library, "cusolverDnSetStream")?,
                create_params: library::function(&library, "cusolverDnCreateParams")?,
                cholesky: (
                    library::function(&library, "cusolverDnXpotrf_bufferSize")?,
                    library::function(&library, "cusolverDnXpotrf")?,
                ),
                lu: (
                    library::function(&library, "cusolverDnXgetrf_bufferSize")?,
                    library::function(&library, "cusolverDnXgetrf")?,
                ),
                solve: library::function(&library, "cusolverDnXgetrs")?,
                qr: (
                    library::function(&library, "cusolverDnXgeqrf_bufferSize")?,
                    library::function(&library, "cusolverDnXgeqrf")?,
                ),
                real_columns: (
                    library::function(&library, "cusolverDnDorgqr_bufferSize")?,
                    library::function(&library, "cusolverDnDorgqr")?,
                ),
                complex_columns: (
                    library::function(&library, "cusolverDnZungqr_bufferSize")?,
                    library::function(&library, "cusolverDnZungqr")?,
                ),
                hermitian: (
                    library::function(&library, "cusolverDnXsyevd_bufferSize")?,
                    library::function(&library, "cusolverDnXsyevd")?,
                ),
                singular: (
                    library::function(&library, "cusolverDnXgesvd_bufferSize")?,
                    library::function(&library, "cusolverDnXgesvd")?,
                ),
                general: general.ok(),
            }
        };
        std::mem::forget(library);
        Ok(found)
    };
    FOUND.get_or_init(load).as_ref()
}
