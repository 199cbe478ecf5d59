//! Single curve points, on the host, and arrays of them.
//!
//! Affine points are `x, y`, the neutral element `(0, 0)`; projective points homogeneous `X, Y, Z`, the neutral element
//! `(0, 1, 0)`. Coordinates are canonical. Nothing checks that a point is on its curve but `icicle_point_is_on_curve`.

use crate::error::Code;
use crate::guard::{guard, guard_or};
use crate::ptr;
use crate::types::{self, Flag, VecOpsConfig};
use icicle::algebra::Field;
use icicle::algebra::curve::{Curve, Group, Projective};
use icicle::ops::point::{self, PointForm};
use icicle::{CurveId, Error, Result, with_curve};
use std::ffi::c_void;

/// The curve group with a number.
pub(crate) fn by_number(op: &'static str, number: i32) -> Result<CurveId> {
    CurveId::from_number(number)
        .ok_or_else(|| Error::argument(op, format!("curve {number}: must be one of icicle_curve_info")))
}

/// # Safety
/// The crate's contract: `point` is a projective point to read.
unsafe fn read<C: Curve>(op: &'static str, arg: &str, point: *const c_void) -> Result<Projective<C>> {
    // SAFETY: the caller's promise.
    unsafe { ptr::read_element::<[<C::Base as Field>::Raw; 3]>(op, arg, point) }.map(Projective::from_raw)
}

/// `result = point1 + point2`, single projective points in host memory, canonical coordinates aligned to 4 bytes;
/// `result` may be an operand. The result's `Z` is not normalised. Nothing checks that points are on the curve.
///
/// Errors: `INVALID_ARGUMENT` for an unknown curve; `INVALID_POINTER` if a pointer is null or misaligned. Memory of a
/// GPU is not recognised here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_point_add(
    curve: i32,
    point1: *const c_void,
    point2: *const c_void,
    result: *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { sum("point_add", false, curve, point1, point2, result) }
}

/// `result = point1 - point2`; otherwise as `icicle_point_add`.
///
/// Errors: as `icicle_point_add`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_point_sub(
    curve: i32,
    point1: *const c_void,
    point2: *const c_void,
    result: *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { sum("point_sub", true, curve, point1, point2, result) }
}

/// # Safety
/// The crate's contract.
unsafe fn sum(
    op: &'static str,
    negate: bool,
    curve: i32,
    point1: *const c_void,
    point2: *const c_void,
    result: *mut c_void,
) -> Code {
    guard(op, || {
        with_curve!(by_number(op, curve)?, C => {
            // SAFETY: `point1` can be read unless it is null, by the caller's promise.
            let a = unsafe { read::<C>(op, "point1", point1) }?;
            // SAFETY: `point2` can be read unless it is null, by the caller's promise.
            let b = unsafe { read::<C>(op, "point2", point2) }?;
            let value = if negate { a - b } else { a + b };
            // SAFETY: `result` has room for what is written, by the caller's promise.
            unsafe { ptr::write_element(op, "result", result, value.to_raw()) }
        })
    })
}

/// `result = scalar·point`, `scalar` one canonical element of the scalar field; otherwise as `icicle_point_add`.
///
/// Cost: a doubling a bit of the scalar field at most.
/// Errors: as `icicle_point_add`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_point_mul_scalar(
    curve: i32,
    point: *const c_void,
    scalar: *const c_void,
    result: *mut c_void,
) -> Code {
    let op = "point_mul_scalar";
    guard(op, || {
        with_curve!(by_number(op, curve)?, C => {
            type S = <C as Curve>::Scalar;
            // SAFETY: `point` can be read unless it is null, by the caller's promise.
            let point = unsafe { read::<C>(op, "point", point) }?;
            // SAFETY: `scalar` can be read unless it is null, by the caller's promise.
            let scalar = S::from_raw(unsafe { ptr::read_element(op, "scalar", scalar) }?);
            // SAFETY: `result` has room for what is written, by the caller's promise.
            unsafe { ptr::write_element(op, "result", result, point.times_scalar(scalar).to_raw()) }
        })
    })
}

/// `*result` = whether two projective points are equal, whatever their `Z`; never true of `(0, 0, 0)`, which is no
/// point. Both are in host memory.
///
/// Errors: as `icicle_point_add`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_point_eq(
    curve: i32,
    point1: *const c_void,
    point2: *const c_void,
    result: *mut bool,
) -> Code {
    let op = "point_eq";
    guard(op, || {
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let equal = unsafe { equal(op, curve, point1, point2) }?;
        // SAFETY: `result` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "result", result, equal) }
    })
}

/// `*result` = whether a projective point in host memory satisfies the curve's equation; `(0, 0, 0)` does not count.
/// Membership of the prime-order group is not checked.
///
/// Errors: as `icicle_point_add`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_point_is_on_curve(curve: i32, point: *const c_void, result: *mut bool) -> Code {
    let op = "point_is_on_curve";
    guard(op, || {
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let holds = unsafe { on_curve(op, curve, point) }?;
        // SAFETY: `result` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "result", result, holds) }
    })
}

/// # Safety
/// The crate's contract.
unsafe fn equal(op: &'static str, curve: i32, point1: *const c_void, point2: *const c_void) -> Result<bool> {
    with_curve!(by_number(op, curve)?, C => {
        // SAFETY: `point1` can be read unless it is null, by the caller's promise.
        let a = unsafe { read::<C>(op, "point1", point1) }?;
        // SAFETY: `point2` can be read unless it is null, by the caller's promise.
        let b = unsafe { read::<C>(op, "point2", point2) }?;
        let is_point = |p: &Projective<C>| !(p.x.is_zero() && p.y.is_zero() && p.z.is_zero());
        Ok(is_point(&a) && is_point(&b) && a == b)
    })
}

/// # Safety
/// The crate's contract.
unsafe fn on_curve(op: &'static str, curve: i32, point: *const c_void) -> Result<bool> {
    // SAFETY: `point` can be read unless it is null, by the caller's promise.
    with_curve!(by_number(op, curve)?, C => unsafe { read::<C>(op, "point", point) }.map(|p| p.is_on_curve()))
}

/// Behind `X_projective_eq`, which returns the truth value itself; false of a null pointer.
pub(crate) unsafe fn projective_eq(curve: i32, point1: *const c_void, point2: *const c_void) -> bool {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    guard_or("projective_eq", false, || unsafe { equal("projective_eq", curve, point1, point2) })
}

/// Behind `X_is_on_curve`, which returns the truth value itself; false of a null pointer.
pub(crate) unsafe fn is_on_curve(curve: i32, point: *const c_void) -> bool {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    guard_or("is_on_curve", false, || unsafe { on_curve("is_on_curve", curve, point) })
}

/// Projective to affine form, in host memory; `(0, 0)` for the neutral element. `point_out` may be `point`.
///
/// Cost: an inversion.
/// Errors: as `icicle_point_add`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_point_to_affine(curve: i32, point: *const c_void, point_out: *mut c_void) -> Code {
    let op = "point_to_affine";
    guard(op, || {
        with_curve!(by_number(op, curve)?, C => {
            // SAFETY: `point` can be read unless it is null, by the caller's promise.
            let affine = unsafe { read::<C>(op, "point", point) }?.to_affine();
            // SAFETY: `point_out` has room for what is written, by the caller's promise.
            unsafe { ptr::write_element(op, "point_out", point_out, affine.to_raw()) }
        })
    })
}

/// Affine to projective form, in host memory: coordinates as they are and 1; `(0, 1, 0)` for `(0, 0)`. `point_out` may
/// be `point`.
///
/// Errors: as `icicle_point_add`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_point_from_affine(curve: i32, point: *const c_void, point_out: *mut c_void) -> Code {
    let op = "point_from_affine";
    guard(op, || {
        with_curve!(by_number(op, curve)?, C => {
            type Base = <C as Curve>::Base;
            type Raw = <Base as Field>::Raw;
            // SAFETY: `point` can be read unless it is null, by the caller's promise.
            let [x, y]: [Raw; 2] = unsafe { ptr::read_element(op, "point", point) }?;
            let (zero, one) = (Base::ZERO.to_raw(), Base::ONE.to_raw());
            let projective = if [x, y] == [zero, zero] { [zero, one, zero] } else { [x, y, one] };
            // SAFETY: `point_out` has room for what is written, by the caller's promise.
            unsafe { ptr::write_element(op, "point_out", point_out, projective) }
        })
    })
}

/// The generator of the group of prime order, projective with `Z` = 1, to host memory.
///
/// Errors: as `icicle_point_add`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_point_generator(curve: i32, result: *mut c_void) -> Code {
    let op = "point_generator";
    guard(op, || {
        with_curve!(by_number(op, curve)?, C => {
            let generator = Projective::<C>::from(<C as Curve>::GENERATOR);
            // SAFETY: `result` has room for what is written, by the caller's promise.
            unsafe { ptr::write_element(op, "result", result, generator.to_raw()) }
        })
    })
}

/// # Safety
/// The crate's contract.
unsafe fn generate(op: &'static str, form: PointForm, curve: i32, points: *mut c_void, n: i64) -> Code {
    guard(op, || {
        let curve = by_number(op, curve)?;
        let n = types::count(op, "n", n)?;
        let extent = (n, form.coordinates() * curve.info().base.info().bytes());
        // SAFETY: `points` has room for that many, for this call alone, by the caller's promise.
        let out = unsafe { ptr::host_bytes(op, "points", points, extent) }?;
        point::random(curve, form, out)
    })
}

/// `n` random affine points of the group of prime order, to host memory or that of a CPU device: the generator times
/// uniform scalars from the operating system's seed.
///
/// Errors: `INVALID_ARGUMENT` for an unknown curve or a negative `n`; `INVALID_POINTER` if `points` is null,
/// misaligned, memory of a GPU, or too short an allocation; `OUT_OF_MEMORY`; `UNKNOWN_ERROR` if the system gives no
/// entropy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_generate_affine_points(curve: i32, points: *mut c_void, n: i64) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { generate("generate_affine_points", PointForm::Affine, curve, points, n) }
}

/// As `icicle_generate_affine_points`, projective points.
///
/// Errors: as `icicle_generate_affine_points`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_generate_projective_points(curve: i32, points: *mut c_void, n: i64) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { generate("generate_projective_points", PointForm::Projective, curve, points, n) }
}

/// # Safety
/// The crate's contract.
unsafe fn convert(
    (op, form): (&'static str, PointForm),
    curve: i32,
    input: *const c_void,
    n: u64,
    is_into: Flag,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    guard(op, || {
        let curve = by_number(op, curve)?;
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        let core = config.to_core(op)?;
        let n = ptr::extent(op, "n", &[types::size(op, "n", n)?, core.batch])?;
        let extent = (n, form.coordinates() * curve.info().base.info().bytes());
        // SAFETY: `input` holds that many elements until the work is done, by the caller's promise.
        let src = unsafe { ptr::src(op, "input", input, extent, config.is_a_on_device) }?;
        // SAFETY: `output` has room for that many, for this call alone, by the caller's promise.
        let dst = unsafe { ptr::dst(op, "output", output, extent, config.is_result_on_device) }?;
        point::convert_montgomery(curve, form, n, src, is_into != 0, &core.launch, dst)
    })
}

/// Convert the coordinates of `n` affine points, times `batch_size`, to Montgomery form if `is_into`, else back;
/// `output` may be `input`. `is_a_on_device` applies to `input`; the order of the batch does not matter.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_affine_convert_montgomery(
    curve: i32,
    input: *const c_void,
    n: u64,
    is_into: Flag,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    let op = ("affine_convert_montgomery", PointForm::Affine);
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { convert(op, curve, input, n, is_into, config, output) }
}

/// As [`icicle_affine_convert_montgomery`], of projective points.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_projective_convert_montgomery(
    curve: i32,
    input: *const c_void,
    n: u64,
    is_into: Flag,
    config: *const VecOpsConfig,
    output: *mut c_void,
) -> Code {
    let op = ("projective_convert_montgomery", PointForm::Projective);
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { convert(op, curve, input, n, is_into, config, output) }
}
