//! What is asked of cuSOLVER, and the calls that do it.
#![allow(unsafe_code)]

use super::functions::{Context, Functions, Params};
use std::ffi::{c_int, c_schar, c_void};
use std::ptr::null;

/// Where an operand of the first of a stack begins, and the bytes to that of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// On the device.
    pub address: u64,
    /// From one to the next.
    pub step: u64,
}

impl Part {
    fn of<T>(self, i: u64) -> *mut T {
        (self.address + i * self.step) as *mut T
    }
}

/// What is done with each matrix of a stack, `a`, of real numbers or complex ones; no extent is 0. Matrices lie dense by columns.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // fields are named where each is described
pub enum Task {
    /// The lower factor of Cholesky, written over the lower triangle of an `n` by `n` matrix; it ends with the order of the
    /// first minor that is not positive.
    Cholesky { complex: bool, n: i64, a: Part },
    /// The factors of Gauss with rows exchanged, written over an `n` by `n` matrix, and `n` rows of `i64`, from 1 on, that each
    /// was exchanged with; it ends with the number of the first pivot that is 0, from 1 on.
    Lu { complex: bool, n: i64, a: Part, rows: Part },
    /// Solutions written over `columns` right sides of such factors.
    Solve { complex: bool, n: i64, columns: i64, a: Part, rows: Part, b: Part },
    /// The upper triangle and Householder's reflectors, written over an `m` by `n` matrix, and their factors.
    Qr { complex: bool, m: i64, n: i64, a: Part, factors: Part },
    /// The first `columns` columns of the product of `reflectors`, written over them.
    Columns { complex: bool, m: i64, columns: i64, reflectors: i64, a: Part, factors: Part },
    /// Eigenvalues, ascending, by the lower triangle of an `n` by `n` matrix, and with `vectors` those written over it; it ends
    /// with what does not converge.
    Hermitian { complex: bool, n: i64, a: Part, values: Part, vectors: bool },
    /// Singular values, descending, of an `m` by `n` matrix that has no fewer rows than columns and is written over; the first
    /// columns of the left vectors and rows of the right ones, `whole` all of them; it ends with what does not converge.
    Singular { complex: bool, m: i64, n: i64, a: Part, values: Part, vectors: Option<(Part, Part)>, whole: bool },
    /// Eigenvalues of an `n` by `n` complex matrix, which is written over, and right eigenvectors; it ends with what does not
    /// converge.
    General { n: i64, a: Part, values: Part, vectors: Option<Part> },
}

/// The memory that a call works in, on the device and on the host, and its bytes.
pub(super) struct Work {
    pub(super) device: u64,
    pub(super) device_bytes: usize,
    pub(super) host: Vec<u64>,
    pub(super) host_bytes: usize,
}

/// `cudaDataType_t` of library_types.h.
const REAL: c_int = 1;
const COMPLEX: c_int = 5;
/// `CUBLAS_FILL_MODE_LOWER`.
const LOWER: c_int = 0;
/// `CUBLAS_OP_N`.
const AS_IT_IS: c_int = 0;
/// `CUSOLVER_STATUS_NOT_SUPPORTED`.
const NOT_SUPPORTED: c_int = 9;

fn kind(complex: bool) -> c_int {
    if complex { COMPLEX } else { REAL }
}

/// `jobu` and `jobvt`.
fn job(vectors: bool, whole: bool) -> c_schar {
    (if !vectors {
        b'N'
    } else if whole {
        b'A'
    } else {
        b'S'
    }) as c_schar
}

impl Task {
    /// What it is called in errors.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Cholesky { .. } => "potrf",
            Self::Lu { .. } => "getrf",
            Self::Solve { .. } => "getrs",
            Self::Qr { .. } => "geqrf",
            Self::Columns { .. } => "orgqr",
            Self::Hermitian { .. } => "syevd",
            Self::Singular { .. } => "gesvd",
            Self::General { .. } => "geev",
        }
    }

    /// Bytes of memory that a call works in, on the device and the host.
    ///
    /// # Safety
    /// The context is alive, and not used meanwhile; operands are as [`super::Solver::run`] asks.
    pub(super) unsafe fn sizes(
        &self,
        f: &Functions,
        context: Context,
        params: Params,
        sizes: &mut [usize; 2],
    ) -> c_int {
        let [device, host] = sizes.each_mut().map(|size| &raw mut *size);
        // SAFETY: the caller's; arguments are in the order of cusolverDn.h.
        unsafe {
            match *self {
                Self::Cholesky { complex, n, a } => {
                    let t = kind(complex);
                    (f.cholesky.0)(context, params, LOWER, n, t, a.of(0), n, t, device, host)
                }
                Self::Lu { complex, n, a, .. } => {
                    let t = kind(complex);
                    (f.lu.0)(context, params, n, n, t, a.of(0), n, t, device, host)
                }
                Self::Solve { .. } => 0,
                Self::Qr { complex, m, n, a, factors } => {
                    let t = kind(complex);
                    (f.qr.0)(context, params, m, n, t, a.of(0), m, t, factors.of(0), t, device, host)
                }
                Self::Columns { complex, m, columns, reflectors, a, factors } => {
                    let Some([m, columns, reflectors]) = short([m, columns, reflectors]) else { return NOT_SUPPORTED };
                    let (size, bytes) = if complex { (f.complex_columns.0, 16) } else { (f.real_columns.0, 8) };
                    let mut numbers = 0;
                    let status = size(context, m, columns, reflectors, a.of(0), m, factors.of(0), &raw mut numbers);
                    *device = numbers.max(0) as usize * bytes;
                    status
                }
                Self::Hermitian { complex, n, a, values, vectors } => {
                    let (t, job) = (kind(complex), c_int::from(vectors));
                    (f.hermitian.0)(context, params, job, LOWER, n, t, a.of(0), n, REAL, values.of(0), t, device, host)
                }
                Self::Singular { complex, m, n, a, values, vectors, whole } => {
                    let (t, job) = (kind(complex), job(vectors.is_some(), whole));
                    let (left, right) = vectors.map_or((null(), null()), |(l, r)| (l.of(0), r.of(0)));
                    (f.singular.0)(
                        context,
                        params,
                        job,
                        job,
                        m,
                        n,
                        t,
                        a.of(0),
                        m,
                        REAL,
                        values.of(0),
                        t,
                        left,
                        m,
                        t,
                        right,
                        n,
                        t,
                        device,
                        host,
                    )
                }
                Self::General { n, a, values, vectors } => {
                    let Some((size, _)) = f.general else { return NOT_SUPPORTED };
                    let right = vectors.map_or(null(), |vectors| vectors.of::<c_void>(0).cast_const());
                    let job = c_int::from(vectors.is_some());
                    size(
                        context,
                        params,
                        0,
                        job,
                        n,
                        COMPLEX,
                        a.of(0),
                        n,
                        COMPLEX,
                        values.of(0),
                        COMPLEX,
                        null(),
                        n,
                        COMPLEX,
                        right,
                        n,
                        COMPLEX,
                        device,
                        host,
                    )
                }
            }
        }
    }

    /// Enqueue it for the operands of number `i`.
    ///
    /// # Safety
    /// As [`Task::sizes`]; `work` is as large as that says, and `info` an integer on the device; both are this call's until the
    /// stream has passed.
    pub(super) unsafe fn enqueue(
        &self,
        f: &Functions,
        context: Context,
        params: Params,
        i: u64,
        work: &mut Work,
        info: u64,
    ) -> c_int {
        let (area, room) = (work.device as *mut c_void, work.device_bytes);
        let (host, host_room) = (work.host.as_mut_ptr().cast::<c_void>(), work.host_bytes);
        let info = info as *mut c_int;
        // SAFETY: the caller's; arguments are in the order of cusolverDn.h.
        unsafe {
            match *self {
                Self::Cholesky { complex, n, a } => {
                    let t = kind(complex);
                    (f.cholesky.1)(context, params, LOWER, n, t, a.of(i), n, t, area, room, host, host_room, info)
                }
                Self::Lu { complex, n, a, rows } => {
                    let t = kind(complex);
                    (f.lu.1)(context, params, n, n, t, a.of(i), n, rows.of(i), t, area, room, host, host_room, info)
                }
                Self::Solve { complex, n, columns, a, rows, b } => {
                    let t = kind(complex);
                    let (a, rows, b) = (a.of(i), rows.of(i), b.of(i));
                    (f.solve)(context, params, AS_IT_IS, n, columns, t, a, n, rows, t, b, n, info)
                }
                Self::Qr { complex, m, n, a, factors } => {
                    let (t, a, factors) = (kind(complex), a.of(i), factors.of(i));
                    (f.qr.1)(context, params, m, n, t, a, m, t, factors, t, area, room, host, host_room, info)
                }
                Self::Columns { complex, m, columns, reflectors, a, factors } => {
                    let Some([m, columns, reflectors]) = short([m, columns, reflectors]) else { return NOT_SUPPORTED };
                    let (run, bytes) = if complex { (f.complex_columns.1, 16) } else { (f.real_columns.1, 8) };
                    let numbers = (room / bytes) as c_int;
                    run(context, m, columns, reflectors, a.of(i), m, factors.of(i), area, numbers, info)
                }
                Self::Hermitian { complex, n, a, values, vectors } => {
                    let (t, job) = (kind(complex), c_int::from(vectors));
                    (f.hermitian.1)(
                        context,
                        params,
                        job,
                        LOWER,
                        n,
                        t,
                        a.of(i),
                        n,
                        REAL,
                        values.of(i),
                        t,
                        area,
                        room,
                        host,
                        host_room,
                        info,
                    )
                }
                Self::Singular { complex, m, n, a, values, vectors, whole } => {
                    let (t, job) = (kind(complex), job(vectors.is_some(), whole));
                    let none = std::ptr::null_mut();
                    let (left, right) = vectors.map_or((none, none), |(l, r)| (l.of(i), r.of(i)));
                    (f.singular.1)(
                        context,
                        params,
                        job,
                        job,
                        m,
                        n,
                        t,
                        a.of(i),
                        m,
                        REAL,
                        values.of(i),
                        t,
                        left,
                        m,
                        t,
                        right,
                        n,
                        t,
                        area,
                        room,
                        host,
                        host_room,
                        info,
                    )
                }
                Self::General { n, a, values, vectors } => {
                    let Some((_, run)) = f.general else { return NOT_SUPPORTED };
                    let none = std::ptr::null_mut();
                    let (right, job) = (vectors.map_or(none, |vectors| vectors.of(i)), c_int::from(vectors.is_some()));
                    run(
                        context,
                        params,
                        0,
                        job,
                        n,
                        COMPLEX,
                        a.of(i),
                        n,
                        COMPLEX,
                        values.of(i),
                        COMPLEX,
                        none,
                        n,
                        COMPLEX,
                        right,
                        n,
                        COMPLEX,
                        area,
                        room,
                        host,
                        host_room,
                        info,
                    )
                }
            }
        }
    }
}

/// Extents as functions of 32 bits take them.
fn short(extents: [i64; 3]) -> Option<[c_int; 3]> {
    let [Ok(a), Ok(b), Ok(c)] = extents.map(c_int::try_from) else { return None };
    Some([a, b, c])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_apart_and_extents_fit() {
        let part = Part { address: 4096, step: 24 };
        assert_eq!((part.of::<u8>(0) as u64, part.of::<u8>(3) as u64), (4096, 4168));
        assert_eq!((short([1, 2, 3]), short([1, 1 << 31, 3])), (Some([1, 2, 3]), None));
        assert_eq!([job(false, true), job(true, true), job(true, false)], [78, 65, 83]);
    }
}
