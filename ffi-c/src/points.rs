//! Arrays of points, one by one.
//!
//! Shapes: `n` points or scalars in each operand, or one that stands for `n` where the options say single. Encoding:
//! canonical, affine or homogeneous projective as the options say; results are normalised, `(x, y)` or `(x, y, 1)`, the
//! neutral element `(0, 0)` or `(0, 1, 0)`. Nothing checks that points are on the curve. Place: each buffer in host memory
//! or on one device, which the library sees from the pointer; a flag that says "on device" of host memory is an error.
//! Aliasing: an output may be exactly an operand of points of the same form and length, and is disjoint from others.
//! Async: with `is_async` buffers stay in use until the stream is synchronized. Errors: `INVALID_POINTER`,
//! `INVALID_ARGUMENT`, `API_NOT_IMPLEMENTED`.

use crate::error::Code;
use crate::guard::guard;
use crate::point::by_number;
use crate::ptr;
use crate::types::{self, Flag, PointsConfig};
use icicle::device::Launch;
use icicle::ops::point::{self, Binary, PointForm, Points, PointsMut};
use icicle::{CurveId, Result};
use std::ffi::c_void;

/// What a call is about.
struct Call {
    op: &'static str,
    curve: CurveId,
    n: usize,
    config: PointsConfig,
    launch: Launch,
}

fn form(is_affine: Flag) -> PointForm {
    if is_affine != 0 { PointForm::Affine } else { PointForm::Projective }
}

impl Call {
    /// # Safety
    /// The crate's contract.
    unsafe fn new(op: &'static str, curve: i32, n: u64, config: *const PointsConfig) -> Result<Self> {
        let curve = by_number(op, curve)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let config = unsafe { ptr::read_sized(op, "config", config, PointsConfig::default()) }?;
        Ok(Self { op, curve, n: types::size(op, "n", n)?, config, launch: config.launch(op)? })
    }
    fn count(&self, single: Flag) -> usize {
        if single != 0 { 1 } else { self.n }
    }
    /// The first operand, points.
    ///
    /// # Safety
    /// As above, here and below.
    unsafe fn a<'a>(&self, arg: &'static str, points: *const c_void) -> Result<Points<'a>> {
        let (form, count) = (form(self.config.is_a_affine), self.count(self.config.is_a_single));
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let src =
            unsafe { ptr::src(self.op, arg, points, (count, form.bytes(self.curve)), self.config.is_a_on_device) }?;
        Ok(Points { form, src })
    }
    unsafe fn b<'a>(&self, arg: &'static str, points: *const c_void) -> Result<Points<'a>> {
        let (form, count) = (form(self.config.is_b_affine), self.count(self.config.is_b_single));
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let src =
            unsafe { ptr::src(self.op, arg, points, (count, form.bytes(self.curve)), self.config.is_b_on_device) }?;
        Ok(Points { form, src })
    }
    unsafe fn out<'a>(&self, points: *mut c_void) -> Result<PointsMut<'a>> {
        let form = form(self.config.is_result_affine);
        let extent = (self.n, form.bytes(self.curve));
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let dst = unsafe { ptr::dst(self.op, "output", points, extent, self.config.is_result_on_device) }?;
        Ok(PointsMut { form, dst })
    }
}

/// # Safety
/// The crate's contract.
unsafe fn binary(
    (op, kind): (&'static str, Binary),
    curve: i32,
    points_a: *const c_void,
    points_b: *const c_void,
    n: u64,
    config: *const PointsConfig,
    output: *mut c_void,
) -> Code {
    guard(op, || {
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let call = unsafe { Call::new(op, curve, n, config) }?;
        // SAFETY: as above.
        let (a, b) = unsafe { (call.a("points_a", points_a)?, call.b("points_b", points_b)?) };
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        point::binary(kind, call.curve, call.n, a, b, &call.launch, unsafe { call.out(output) }?)
    })
}

/// `output[i] = points_a[i] + points_b[i]`, `n` points each; any forms, single operands too, as
/// `icicle_points_config_t` says.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_points_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_points_add(
    curve: i32,
    points_a: *const c_void,
    points_b: *const c_void,
    n: u64,
    config: *const PointsConfig,
    output: *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { binary(("points_add", Binary::Add), curve, points_a, points_b, n, config, output) }
}

/// `output[i] = points_a[i] - points_b[i]`; otherwise as `icicle_points_add`.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_points_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_points_sub(
    curve: i32,
    points_a: *const c_void,
    points_b: *const c_void,
    n: u64,
    config: *const PointsConfig,
    output: *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { binary(("points_sub", Binary::Sub), curve, points_a, points_b, n, config, output) }
}

/// `output[i] = scalars[i]·points[i]`: scalars are the first operand, `n` canonical elements of the curve's scalar
/// field or one; points the second, `n` or one. `output` may be exactly `points`, and is disjoint from `scalars`.
///
/// Cost: at most a doubling a bit of the scalar field, and fewer additions, for each point.
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_points_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_points_mul(
    curve: i32,
    scalars: *const c_void,
    points: *const c_void,
    n: u64,
    config: *const PointsConfig,
    output: *mut c_void,
) -> Code {
    let op = "points_mul";
    guard(op, || {
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let call = unsafe { Call::new(op, curve, n, config) }?;
        let extent = (call.count(call.config.is_a_single), call.curve.info().scalar.info().bytes());
        // SAFETY: `scalars` holds that many elements until the work is done, by the caller's promise.
        let scalars = unsafe { ptr::src(op, "scalars", scalars, extent, call.config.is_a_on_device) }?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let points = unsafe { call.b("points", points) }?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        point::scalar_mul(call.curve, call.n, scalars, points, &call.launch, unsafe { call.out(output) }?)
    })
}

/// # Safety
/// The crate's contract.
unsafe fn unary(
    op: &'static str,
    negate: bool,
    curve: i32,
    points: *const c_void,
    n: u64,
    config: *const PointsConfig,
    output: *mut c_void,
) -> Code {
    guard(op, || {
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let call = unsafe { Call::new(op, curve, n, config) }?;
        // SAFETY: as above.
        let (a, out) = unsafe { (call.a("points", points)?, call.out(output)?) };
        let run = if negate { point::negate } else { point::normalize };
        run(call.curve, call.n, a, &call.launch, out)
    })
}

/// `output[i] = points[i]`, `n` points normalised, in the form that the options say of the result: from projective to
/// affine form, or back. There is no single operand.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_points_config_t` says; also `INVALID_ARGUMENT` for a single operand unless `n` is 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_points_normalize(
    curve: i32,
    points: *const c_void,
    n: u64,
    config: *const PointsConfig,
    output: *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { unary("points_normalize", false, curve, points, n, config, output) }
}

/// `output[i] = -points[i]`; otherwise as [`icicle_points_normalize`].
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_points_normalize`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_points_negate(
    curve: i32,
    points: *const c_void,
    n: u64,
    config: *const PointsConfig,
    output: *mut c_void,
) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { unary("points_negate", true, curve, points, n, config, output) }
}

/// `output[i]` = 1 if `points_a[i]` and `points_b[i]` are the same group element, whatever their forms, else 0: `n`
/// 32-bit integers, disjoint from the operands. The projective `(0, 0, 0)` is no point and equals nothing.
///
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_points_config_t` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_points_equal(
    curve: i32,
    points_a: *const c_void,
    points_b: *const c_void,
    n: u64,
    config: *const PointsConfig,
    output: *mut u32,
) -> Code {
    let op = "points_equal";
    guard(op, || {
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let call = unsafe { Call::new(op, curve, n, config) }?;
        // SAFETY: as above.
        let (a, b) = unsafe { (call.a("points_a", points_a)?, call.b("points_b", points_b)?) };
        let (extent, on_device) = ((call.n, size_of::<u32>()), call.config.is_result_on_device);
        // SAFETY: `output` has room for that many, for this call alone, by the caller's promise.
        let out = unsafe { ptr::dst(op, "output", output.cast(), extent, on_device) }?;
        point::equal(call.curve, call.n, a, b, &call.launch, out)
    })
}
