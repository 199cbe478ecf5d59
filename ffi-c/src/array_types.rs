//! What describes arrays over the boundary: numbers without a dtype, indices, shapes and axes.

use crate::flag::Flag;
use crate::ptr;
use crate::types::{IcicleDevice, at_least, count};
use icicle::array::{self, Array, BinaryOp, Complex, DType, Index, MAX_RANK, Slice, UnaryOp};
use icicle::fhe::dynamic::{FheBinaryOp, FheOverflowOp, FheType, FheUnaryOp};
use icicle::{Error, Result};
use std::ffi::{CString, c_char, c_void};
use std::sync::OnceLock;

/// Kind of `icicle_scalar_t`: true unless `integer` is 0.
pub const ICICLE_SCALAR_BOOL: i32 = 0;
/// Kind of `icicle_scalar_t`: `integer`.
pub const ICICLE_SCALAR_INT: i32 = 1;
/// Kind of `icicle_scalar_t`: the bits of `integer` as an unsigned one.
pub const ICICLE_SCALAR_UINT: i32 = 2;
/// Kind of `icicle_scalar_t`: `real`.
pub const ICICLE_SCALAR_FLOAT: i32 = 3;
/// Kind of `icicle_scalar_t`: `real` and `imaginary`.
pub const ICICLE_SCALAR_COMPLEX: i32 = 4;

/// A number without a dtype of its own: it takes that of the array it meets.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Scalar {
    /// An `ICICLE_SCALAR_` constant, which says what of the rest counts.
    pub kind: i32,
    /// The value of integers and booleans.
    pub integer: i64,
    /// The value of real numbers, and the real part of complex ones.
    pub real: f64,
    /// The imaginary part.
    pub imaginary: f64,
}

impl Scalar {
    pub(crate) fn of(value: array::Scalar) -> Self {
        let (kind, integer) = match value {
            array::Scalar::Bool(value) => (ICICLE_SCALAR_BOOL, i64::from(value)),
            array::Scalar::Int(value) => match i64::try_from(value) {
                Ok(value) => (ICICLE_SCALAR_INT, value),
                Err(_) => (ICICLE_SCALAR_UINT, value as i64),
            },
            array::Scalar::Float(_) => (ICICLE_SCALAR_FLOAT, 0),
            array::Scalar::Complex(_) => (ICICLE_SCALAR_COMPLEX, 0),
        };
        let value = if kind >= ICICLE_SCALAR_FLOAT { value.complex() } else { Complex::default() };
        Self { kind, integer, real: value.re, imaginary: value.im }
    }

    pub(crate) fn to_core(self, op: &'static str, arg: &str) -> Result<array::Scalar> {
        Ok(match self.kind {
            ICICLE_SCALAR_BOOL => array::Scalar::Bool(self.integer != 0),
            ICICLE_SCALAR_INT => array::Scalar::Int(self.integer.into()),
            ICICLE_SCALAR_UINT => array::Scalar::Int((self.integer as u64).into()),
            ICICLE_SCALAR_FLOAT => array::Scalar::Float(self.real),
            ICICLE_SCALAR_COMPLEX => array::Scalar::Complex(Complex::new(self.real, self.imaginary)),
            kind => return Err(Error::argument(op, format!("{arg}: kind {kind}: must be an ICICLE_SCALAR_ constant"))),
        })
    }
}

/// Kind of `icicle_array_index_t`: the element at `start`, from the end if negative; the axis is gone.
pub const ICICLE_INDEX_AT: i32 = 0;
/// Kind of `icicle_array_index_t`: a range.
pub const ICICLE_INDEX_SLICE: i32 = 1;
/// Kind of `icicle_array_index_t`: all of as many axes as are not named otherwise.
pub const ICICLE_INDEX_ELLIPSIS: i32 = 2;
/// Kind of `icicle_array_index_t`: a new axis of extent 1.
pub const ICICLE_INDEX_NEW_AXIS: i32 = 3;

/// What is taken along an axis. A range is Python's `start:stop:step`: it begins at `start` and ends before `stop`, both from
/// the end of the axis if negative, and moved to it if outside.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ArrayIndex {
    /// An `ICICLE_INDEX_` constant, which says what of the rest counts.
    pub kind: i32,
    /// Whether a range has a `start`; otherwise it begins with the axis, or with its end for a negative step.
    pub has_start: Flag,
    /// Whether a range has a `stop`; otherwise it goes on to the end of the axis, or to its beginning for a negative step.
    pub has_stop: Flag,
    /// The element, or the first of a range.
    pub start: i64,
    /// The index before which a range ends.
    pub stop: i64,
    /// From one index of a range to the next, not 0.
    pub step: i64,
}

impl ArrayIndex {
    pub(crate) fn to_core(self, op: &'static str) -> Result<Index> {
        let end = |given: Flag, at: i64| (given != 0).then_some(at as isize);
        Ok(match self.kind {
            ICICLE_INDEX_AT => Index::At(self.start as isize),
            ICICLE_INDEX_SLICE => Index::Slice(Slice {
                start: end(self.has_start, self.start),
                stop: end(self.has_stop, self.stop),
                step: self.step as isize,
            }),
            ICICLE_INDEX_ELLIPSIS => Index::Ellipsis,
            ICICLE_INDEX_NEW_AXIS => Index::NewAxis,
            kind => return Err(Error::argument(op, format!("index kind {kind}: must be an ICICLE_INDEX_ constant"))),
        })
    }
}

/// What an array is.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ArrayInfo {
    /// `sizeof` this struct, which you set; after the call the bytes of it that were written.
    pub struct_size: usize,
    /// Number of elements.
    pub size: i64,
    /// The type of elements, an `icicle_dtype_t`.
    pub dtype: i32,
    /// Number of axes, at most 64.
    pub rank: i32,
    /// Where its memory is.
    pub device: IcicleDevice,
    /// Whether elements follow each other in memory, the last axis densest.
    pub is_dense: bool,
}

impl ArrayInfo {
    pub(crate) fn of(array: &Array) -> Self {
        Self {
            struct_size: size_of::<Self>(),
            size: array.len() as i64,
            dtype: array.dtype() as i32,
            rank: array.rank() as i32,
            device: IcicleDevice::from_core(array.device()),
            is_dense: array.is_dense(),
        }
    }
}

ptr::versioned! { ArrayInfo }
ptr::plain! { ArrayIndex { kind, has_start, has_stop, start, stop, step } }

/// Tables of names that are handed out as static strings.
pub(crate) enum Names {
    DTypes,
    Unary,
    Binary,
    FheTypes,
    FheUnary,
    FheBinary,
    FheOverflow,
}

/// A name by number, or null.
pub(crate) fn static_name(table: Names, number: i32) -> *const c_char {
    static TABLES: [OnceLock<Vec<CString>>; 7] = [const { OnceLock::new() }; 7];
    let (at, names): (_, Vec<_>) = match table {
        Names::DTypes => {
            (DType::ALL.iter().position(|&d| d as i32 == number), DType::ALL.iter().map(|d| d.name()).collect())
        }
        Names::Unary => (unary(number), UnaryOp::ALL.iter().map(|op| op.name()).collect()),
        Names::Binary => (binary(number), BinaryOp::ALL.iter().map(|op| op.name()).collect()),
        Names::FheTypes => (usize::try_from(number).ok(), FheType::ALL.iter().map(|kind| kind.name()).collect()),
        Names::FheUnary => (usize::try_from(number).ok(), FheUnaryOp::ALL.iter().map(|op| op.name()).collect()),
        Names::FheBinary => (usize::try_from(number).ok(), FheBinaryOp::ALL.iter().map(|op| op.name()).collect()),
        Names::FheOverflow => (usize::try_from(number).ok(), FheOverflowOp::ALL.iter().map(|op| op.name()).collect()),
    };
    let made = || names.into_iter().map(|name| CString::new(name).unwrap_or_default()).collect();
    let table = TABLES[table as usize].get_or_init(made);
    at.and_then(|at| table.get(at)).map_or(std::ptr::null(), |name| name.as_ptr())
}

fn unary(number: i32) -> Option<usize> {
    UnaryOp::ALL.iter().position(|&op| op as i32 == number)
}

fn binary(number: i32) -> Option<usize> {
    BinaryOp::ALL.iter().position(|&op| op as i32 == number)
}

/// The operation of an `icicle_unary_op_t`.
pub(crate) fn unary_op(number: i32) -> Result<UnaryOp> {
    let rule = || Error::argument("unary", format!("op {number}: must be an icicle_unary_op_t"));
    unary(number).map(|at| UnaryOp::ALL[at]).ok_or_else(rule)
}

/// The operation of an `icicle_binary_op_t`.
pub(crate) fn binary_op(number: i32) -> Result<BinaryOp> {
    let rule = || Error::argument("binary", format!("op {number}: must be an icicle_binary_op_t"));
    binary(number).map(|at| BinaryOp::ALL[at]).ok_or_else(rule)
}

/// The dtype of an `icicle_dtype_t`.
pub(crate) fn dtype(op: &'static str, number: i32) -> Result<DType> {
    let rule = || Error::argument(op, format!("dtype {number}: must be an icicle_dtype_t"));
    DType::ALL.iter().copied().find(|&dtype| dtype as i32 == number).ok_or_else(rule)
}

/// A dtype that need not be named.
pub(crate) fn optional_dtype(op: &'static str, number: i32) -> Result<Option<DType>> {
    if number == ICICLE_DTYPE_DEFAULT { Ok(None) } else { dtype(op, number).map(Some) }
}

/// No dtype in particular.
const ICICLE_DTYPE_DEFAULT: i32 = -1;

/// How many axes a list is for; more than an array can have are an error before anything is read.
fn axis_count(op: &'static str, arg: &str, n: i32) -> Result<usize> {
    let n = at_least(op, arg, n, 0)?;
    match n <= MAX_RANK {
        true => Ok(n),
        false => Err(Error::argument(op, format!("{arg} {n}: must be at most {MAX_RANK}"))),
    }
}

/// Extents of `rank` axes.
///
/// # Safety
/// If not null and aligned, `shape` is valid for reads of `rank` numbers.
pub(crate) unsafe fn shape(op: &'static str, shape: *const i64, rank: i32) -> Result<Vec<usize>> {
    let rank = axis_count(op, "rank", rank)?;
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    let extents = unsafe { ptr::read_many(op, "shape", shape, rank) }?;
    extents.into_iter().map(|extent| count(op, "extent", extent)).collect()
}

/// A number of signed integers, one for each of some axes.
///
/// # Safety
/// If not null and aligned, `list` is valid for reads of `n` numbers.
pub(crate) unsafe fn signed(op: &'static str, arg: &str, list: *const i64, n: i32) -> Result<Vec<isize>> {
    let n = axis_count(op, &format!("number of {arg}"), n)?;
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    let list = unsafe { ptr::read_many(op, arg, list, n) }?;
    Ok(list.into_iter().map(|value| value as isize).collect())
}

/// Axes by number.
///
/// # Safety
/// If not null and aligned, `axes` is valid for reads of `n` numbers.
pub(crate) unsafe fn axes(op: &'static str, axes: *const i32, n: i32) -> Result<Vec<isize>> {
    let n = axis_count(op, "axis_count", n)?;
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    let list = unsafe { ptr::read_many(op, "axes", axes, n) }?;
    Ok(list.into_iter().map(|axis| axis as isize).collect())
}

/// Axes by number; none in particular for null.
///
/// # Safety
/// As [`axes`].
pub(crate) unsafe fn optional_axes(op: &'static str, list: *const i32, n: i32) -> Result<Option<Vec<isize>>> {
    match list.is_null() {
        true => Ok(None),
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        false => unsafe { axes(op, list, n) }.map(Some),
    }
}

/// An axis by number; none in particular for null.
///
/// # Safety
/// If not null and aligned, `axis` is valid for a read.
pub(crate) unsafe fn optional_axis(op: &'static str, axis: *const i32) -> Result<Option<isize>> {
    match axis.is_null() {
        true => Ok(None),
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        false => Ok(Some(unsafe { ptr::read(op, "axis", axis) }? as isize)),
    }
}

/// The strides in bytes of elements that follow each other, the last axis densest.
pub(crate) fn dense_strides(shape: &[usize], element: usize) -> Vec<isize> {
    let mut strides = vec![0; shape.len()];
    let mut step = element as isize;
    for (stride, &extent) in strides.iter_mut().zip(shape).rev() {
        *stride = step;
        step = step.wrapping_mul(extent as isize);
    }
    strides
}

/// The bytes before the first element's address and the bytes in all that a strided array reaches. There are elements.
pub(crate) fn span(op: &'static str, shape: &[usize], strides: &[isize], element: usize) -> Result<(usize, usize)> {
    let reach = |sign: i128| -> Option<i128> {
        let one =
            |(&extent, &stride): (&usize, &isize)| (extent as i128 - 1).checked_mul((stride as i128 * sign).max(0));
        shape.iter().zip(strides).try_fold(0i128, |sum, axis| sum.checked_add(one(axis)?))
    };
    let within = |(before, after): (i128, i128)| {
        let bytes = before.checked_add(after)?.checked_add(element as i128)?;
        (bytes <= isize::MAX as i128).then_some((before as usize, bytes as usize))
    };
    let rule = || Error::argument(op, format!("strides {strides:?} for shape {shape:?}: exceed the address space"));
    reach(-1).zip(reach(1)).and_then(within).ok_or_else(rule)
}

/// Copy a list of handles in.
///
/// # Safety
/// If not null and aligned, `handles` is valid for reads of `n`.
pub(crate) unsafe fn handles(op: &'static str, handles: *const *mut c_void, n: i32) -> Result<Vec<*mut c_void>> {
    let n = at_least(op, "count", n, 1)?;
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { ptr::read_many(op, "arrays", handles, n) }
}

/// Copy a list of indices in.
///
/// # Safety
/// If not null and aligned, `list` is valid for reads of `n`.
pub(crate) unsafe fn indices(op: &'static str, list: *const ArrayIndex, n: i32) -> Result<Vec<Index>> {
    // New axes count too: the result has no more than the most.
    let n = axis_count(op, "count", n)?;
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    let list = unsafe { ptr::read_many(op, "indices", list, n) }?;
    list.into_iter().map(|index| index.to_core(op)).collect()
}
