//! Encrypted integers: operations, with the calling thread's server key.

use crate::array_types::{self as names, Names};
use crate::code::Code;
use crate::fhe_handles::{hand_out, make, operand};
use crate::fhe_types::{FheOperand, type_of};
use crate::guard::guard;
use crate::ptr;
use crate::types;
use icicle::fhe::current_server_key;
use icicle::fhe::dynamic::{self, FheArray, FheBinaryOp, FheOverflowOp, FheUnaryOp};
use icicle::{Error, Result};
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// Name of a type of encrypted elements, such as `uint8`; null if `kind` is none. The string is static: do not free it.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_fhe_type_name(kind: i32) -> *const c_char {
    names::static_name(Names::FheTypes, kind)
}

/// Name of an operation on two encrypted arrays, such as `add`; null if `op` is none. The string is static: do not free it.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_fhe_binary_op_name(op: i32) -> *const c_char {
    names::static_name(Names::FheBinary, op)
}

/// Name of an operation on one encrypted array, such as `not`; null if `op` is none. The string is static: do not free it.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_fhe_unary_op_name(op: i32) -> *const c_char {
    names::static_name(Names::FheUnary, op)
}

/// Name of an operation on two encrypted arrays that also gives a flag, such as `overflowing_add`; null if `op` is none. The
/// string is static: do not free it.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_fhe_overflow_op_name(op: i32) -> *const c_char {
    names::static_name(Names::FheOverflow, op)
}

fn number<T>(found: Option<T>, number: i32, kinds: &str) -> Result<T> {
    found.ok_or_else(|| Error::argument("fhe", format!("op {number}: must be an icicle_fhe_{kinds}_op_t")))
}

/// An operation, an `icicle_fhe_binary_op_t`, on each pair of elements; comparisons give truth values. Integers are of one
/// width, but for amounts of shifts, and results modulo that; arrays are of one length. Of the operands at least one is
/// encrypted; shifted is an encrypted one, by amounts modulo the width. Truth values have `and`, `or`, `xor`, `eq` and `ne`,
/// and clear ones are no operands.
///
/// The result lies in the memory of the key's device, of a group's each part where it was computed, and is there when the call
/// returns; operands may lie anywhere. Free the result with `icicle_fhe_array_free`.
///
/// Errors: `INVALID_ARGUMENT` if `op` or a type is none, the thread has no server key, an array is of another key, or types or
/// lengths do not fit; `INVALID_POINTER` if an operand is no live array, `made` null or misaligned, or clear elements are;
/// `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_binary(op: i32, x: FheOperand, y: FheOperand, made: *mut *mut c_void) -> Code {
    let body = || {
        let binary = number(FheBinaryOp::from_number(op), op, "binary")?;
        let key = current_server_key(binary.op())?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let (x, y) = unsafe { (x.hold(binary.op(), "x")?, y.hold(binary.op(), "y")?) };
        dynamic::binary(&key, binary, x.value(), y.value())
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make("fhe_binary", made, body) }
}

/// An operation, an `icicle_fhe_unary_op_t`, on an array; otherwise as `icicle_fhe_binary`. Truth values have `not`.
///
/// Errors: as `icicle_fhe_binary`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_unary(op: i32, x: *mut c_void, made: *mut *mut c_void) -> Code {
    let body = || {
        let unary = number(FheUnaryOp::from_number(op), op, "unary")?;
        let key = current_server_key(unary.op())?;
        dynamic::unary(&key, unary, &*operand(unary.op(), "x", x)?)
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make("fhe_unary", made, body) }
}

/// An operation, an `icicle_fhe_overflow_op_t`, on each pair of integers, and in `flags` truth values: whether the result is
/// beyond the width. Otherwise as `icicle_fhe_binary`.
///
/// Errors: as `icicle_fhe_binary`; `INVALID_POINTER` also if `flags` is null or misaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_overflowing(
    op: i32,
    x: FheOperand,
    y: FheOperand,
    made: *mut *mut c_void,
    flags: *mut *mut c_void,
) -> Code {
    guard("fhe_overflowing", || {
        let overflow = number(FheOverflowOp::from_number(op), op, "overflow")?;
        let name = overflow.op();
        ptr::check_typed(name, "made", made)?;
        ptr::check_typed(name, "flags", flags)?;
        let key = current_server_key(name)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let (x, y) = unsafe { (x.hold(name, "x")?, y.hold(name, "y")?) };
        let [integers, held] = dynamic::overflowing(&key, overflow, x.value(), y.value())?;
        // SAFETY: `made` has room for what is written, by the caller's promise.
        unsafe { ptr::write(name, "made", made, hand_out(integers)) }?;
        // SAFETY: `flags` has room for what is written, by the caller's promise.
        unsafe { ptr::write(name, "flags", flags, hand_out(held)) }
    })
}

/// Of each pair of integers the first where the condition, an array of truth values, holds, else the second. Both may be
/// clear. Otherwise as `icicle_fhe_binary`.
///
/// Errors: as `icicle_fhe_binary`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_select(
    condition: *mut c_void,
    x: FheOperand,
    y: FheOperand,
    made: *mut *mut c_void,
) -> Code {
    let op = "fhe_select";
    let body = || {
        let (key, condition) = (current_server_key(op)?, operand(op, "condition", condition)?);
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let (x, y) = unsafe { (x.hold(op, "x")?, y.hold(op, "y")?) };
        dynamic::select(&key, &condition, x.value(), y.value())
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// The elements in another type, an `icicle_fhe_type_t`: the low bits, or zeros above; truth values as 0 and 1, integers as
/// whether they are not 0.
///
/// Errors: as `icicle_fhe_binary`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_cast(x: *mut c_void, kind: i32, made: *mut *mut c_void) -> Code {
    let op = "fhe_cast";
    let body = || dynamic::cast(&current_server_key(op)?, &*operand(op, "x", x)?, type_of(op, kind)?);
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// How many truth values of an array hold, as an array of one integer of a type, an `icicle_fhe_type_t`.
///
/// Errors: as `icicle_fhe_binary`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_count(x: *mut c_void, kind: i32, made: *mut *mut c_void) -> Code {
    let op = "fhe_count";
    let body = || dynamic::count(&current_server_key(op)?, &*operand(op, "x", x)?, type_of(op, kind)?);
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}

/// The elements from `start` up to `end`, in the same memory, which is given back with the last array that has it. No key is
/// needed.
///
/// Errors: `INVALID_POINTER` if `x` is no live array, or `made` null or misaligned; `INVALID_ARGUMENT` if the range is not
/// within the array; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_slice(x: *mut c_void, start: usize, end: usize, made: *mut *mut c_void) -> Code {
    let op = "fhe_slice";
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, || operand(op, "x", x)?.slice(start..end)) }
}

/// The array `times` times, one after another. On a GPU all are the same memory, which is given back with the last array that
/// has it; on the host they are copies. No key is needed.
///
/// Errors: `INVALID_POINTER` if `x` is no live array, or `made` null or misaligned; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_repeat(x: *mut c_void, times: usize, made: *mut *mut c_void) -> Code {
    let op = "fhe_repeat";
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, || operand(op, "x", x)?.repeat(times)) }
}

/// The elements of `count` arrays of one type and key, one array after another: copied where all lie on the host, else in the same
/// memory, which is given back with the last array that has it. No key is needed.
///
/// Errors: `INVALID_ARGUMENT` if `count` is below 1, or an array is of another type or key; `INVALID_POINTER` if `arrays` is
/// null or misaligned or holds what is no live array, or `made` is null or misaligned; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_fhe_concatenate(
    arrays: *const *mut c_void,
    count: i32,
    made: *mut *mut c_void,
) -> Code {
    let op = "fhe_concatenate";
    let body = || {
        let count = types::at_least(op, "count", count, 1)?;
        // SAFETY: `arrays` holds as many handles, by the caller's promise.
        let handles = unsafe { ptr::read_many(op, "arrays", arrays, count) }?;
        let held = handles.iter().enumerate().map(|(at, &handle)| operand(op, &format!("arrays[{at}]"), handle));
        let held: Vec<Arc<FheArray>> = held.collect::<Result<_>>()?;
        FheArray::concatenate(&held.iter().map(|array| &**array).collect::<Vec<_>>())
    };
    // SAFETY: `made` has room for what is written, by the caller's promise.
    unsafe { make(op, made, body) }
}
