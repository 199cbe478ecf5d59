//! Arrays of numbers: operations on each element.

use crate::array::{make, operand, optional};
use crate::array_types::{self as types, Names, Scalar};
use crate::code::Code;
use crate::flag::Flag;
use icicle::Error;
use icicle::array;
use std::ffi::{c_char, c_void};

/// Name of an operation on one array in the array API, such as `sqrt`; null if `op` is none. The string is static: do not
/// free it.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_unary_op_name(op: i32) -> *const c_char {
    types::static_name(Names::Unary, op)
}

/// Name of an operation on two arrays in the array API, such as `add`; null if `op` is none. The string is static: do not
/// free it.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_binary_op_name(op: i32) -> *const c_char {
    types::static_name(Names::Binary, op)
}

/// An operation, an `icicle_unary_op_t`, on each element: an array of the same shape. Its dtype is the operand's, bool of
/// questions, and the parts' of a complex number's distance and parts.
///
/// Like all calls that make an array: arguments are checked before it returns; the elements are computed then, or once they
/// are needed (`icicle_array_to_host`, `icicle_array_item`, as an operand), and memory that lacks then is told there. The
/// operands may be freed at once. Free the result with `icicle_array_free`. A call that fails makes nothing.
///
/// Errors: `INVALID_POINTER` if `array` is no live one, or `made` null or misaligned; `INVALID_ARGUMENT` if `op` is none, or
/// not defined for the dtype; `API_NOT_IMPLEMENTED` if the array is not on a CPU; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_unary(op: i32, array: *mut c_void, made: *mut *mut c_void) -> Code {
    let body = || {
        let op = types::unary_op(op)?;
        array::unary(op, &*operand(op.name(), "array", array)?)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make("unary", made, body) }
}

/// An operation, an `icicle_binary_op_t`, on each pair of elements. Shapes broadcast: aligned at their last axes, extents are
/// equal or 1, missing ones 1. The result has the operands' common dtype, or bool of comparisons: the wider of a kind, the
/// next wider signed integer for a signed and an unsigned one, complex for real and complex floats, `float32` for the two
/// 16-bit floats; integers and floats have none.
///
/// Errors: `INVALID_POINTER` if `x` or `y` is no live array, or `made` null or misaligned; `INVALID_ARGUMENT` if `op` is none,
/// or not defined for the dtype, the shapes do not broadcast, the dtypes have no common one, or the arrays are on several
/// devices; `API_NOT_IMPLEMENTED` if they are not on a CPU; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_binary(op: i32, x: *mut c_void, y: *mut c_void, made: *mut *mut c_void) -> Code {
    let body = || {
        let op = types::binary_op(op)?;
        array::binary(op, &*operand(op.name(), "x", x)?, &*operand(op.name(), "y", y)?)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make("binary", made, body) }
}

/// As `icicle_array_binary`, of an array and a number: `x ∘ y`, or with `reversed` `y ∘ x`. The number takes the array's
/// dtype; a complex one beside a real floating-point array makes both complex.
///
/// Errors: as `icicle_array_binary`; `INVALID_ARGUMENT` also if the number's kind and the dtype do not fit (a float and
/// integers, a number and bool), or the dtype does not hold the integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_binary_scalar(
    op: i32,
    x: *mut c_void,
    y: Scalar,
    reversed: Flag,
    made: *mut *mut c_void,
) -> Code {
    let body = || {
        let op = types::binary_op(op)?;
        let x = operand(op.name(), "x", x)?;
        let y = y.to_core(op.name(), "y")?;
        let dtype = y.dtype_with(op.name(), x.dtype())?;
        let y = array::full(x.device(), &[], y, dtype).map_err(|error| Error { op: op.name(), ..error })?;
        if reversed != 0 { array::binary(op, &y, &x) } else { array::binary(op, &x, &y) }
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make("binary", made, body) }
}

/// The element of `x` where `condition` is true, else that of `y`, in their common dtype. All three broadcast.
///
/// Errors: `INVALID_POINTER` if an operand is no live array, or `made` null or misaligned; `INVALID_ARGUMENT` if the condition
/// is not of bool, the shapes do not broadcast, the dtypes have no common one, or the arrays are on several devices;
/// `API_NOT_IMPLEMENTED` if they are not on a CPU; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_where(
    condition: *mut c_void,
    x: *mut c_void,
    y: *mut c_void,
    made: *mut *mut c_void,
) -> Code {
    let op = "where";
    let body = || {
        let condition = operand(op, "condition", condition)?;
        array::select(&condition, &*operand(op, "x", x)?, &*operand(op, "y", y)?)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// Elements no less than `min` and no greater than `max`, which broadcast to the array and may be null; NaN stays.
///
/// Errors: `INVALID_POINTER` if `array`, or a bound that is not null, is no live one, or `made` null or misaligned;
/// `INVALID_ARGUMENT` if the dtype has no order, the shapes do not broadcast, bounds widen the shape or the dtype, or the
/// arrays are on several devices; `API_NOT_IMPLEMENTED` if they are not on a CPU; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_array_clip(
    array: *mut c_void,
    min: *mut c_void,
    max: *mut c_void,
    made: *mut *mut c_void,
) -> Code {
    let op = "clip";
    let body = || {
        let (array, min, max) = (operand(op, "array", array)?, optional(op, "min", min)?, optional(op, "max", max)?);
        array::clip(&array, min.as_deref(), max.as_deref())
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}
