//! Checked decoding: for data from outside, before it goes into operations, which take their inputs as they are.

use crate::error::Code;
use crate::field;
use crate::guard::guard;
use crate::point;
use crate::ptr;
use crate::types;
use icicle::ops::encoding;
use icicle::reserve::filled;
use std::ffi::c_void;

/// Check that `n` elements are below the modulus, coefficient by coefficient. They lie in host memory, not in that of
/// any device, a CPU's included.
///
/// Errors: `INVALID_ARGUMENT` names the first element that is not, also for an unknown field; `INVALID_POINTER` if
/// `elements` is null, misaligned or device memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_check_elements(field: i32, elements: *const c_void, n: u64) -> Code {
    let op = "check_elements";
    guard(op, || {
        let field = field::by_number(op, field)?;
        let n = types::size(op, "n", n)?;
        // SAFETY: `elements` holds that many elements until the work is done, by the caller's promise.
        let src = unsafe { ptr::src(op, "elements", elements, (n, field.info().bytes()), 0) }?;
        encoding::check_elements(field, n, src)
    })
}

/// Check that `n` affine points have canonical coordinates and lie on the curve; `(0, 0)` is the neutral element.
/// Membership of the prime-order group is not checked. They lie in host memory, not in that of any device, a CPU's
/// included.
///
/// Errors: `INVALID_ARGUMENT` names the first point that does not, also for an unknown curve; `INVALID_POINTER` if
/// `points` is null, misaligned or device memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_check_points(curve: i32, points: *const c_void, n: u64) -> Code {
    let op = "check_points";
    guard(op, || {
        let curve = point::by_number(op, curve)?;
        let n = types::size(op, "n", n)?;
        // SAFETY: `points` holds that many elements until the work is done, by the caller's promise.
        let src = unsafe { ptr::src(op, "points", points, (n, 2 * curve.info().base.info().bytes()), 0) }?;
        encoding::check_points(curve, n, src)
    })
}

/// Decompress `n` points of BLS12-381's G1, 48 bytes each, of any alignment, to `n` affine points, both in host
/// memory.
///
/// The encoding is that of Ethereum and Zcash: x big-endian, the top bits say compressed, infinity, larger y (IETF
/// draft-irtf-cfrg-pairing-friendly-curves-11, appendix C). Membership of the prime-order group is not checked.
///
/// Cost: a square root a point, which is a power with an exponent of 379 bits.
/// Errors: `INVALID_ARGUMENT` names the first point that is no such encoding, and nothing is written; also for an
/// unknown curve. `API_NOT_IMPLEMENTED` for other curves, `INVALID_POINTER` if a pointer is null or `points`
/// misaligned or device memory, `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_decompress_points(
    curve: i32,
    compressed: *const c_void,
    n: u64,
    points: *mut c_void,
) -> Code {
    let op = "decompress_points";
    guard(op, || {
        let curve = point::by_number(op, curve)?;
        let n = types::size(op, "n", n)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let bytes = unsafe {
            ptr::read_many(
                op,
                "compressed",
                compressed.cast::<u8>(),
                ptr::extent(op, "compressed", &[n, encoding::COMPRESSED_BYTES])?,
            )
        }?;
        let extent = (n, 2 * curve.info().base.info().bytes());
        // SAFETY: `points` has room for that many, for this call alone, by the caller's promise.
        let out = unsafe { ptr::dst(op, "points", points, extent, 0) }?;
        encoding::decompress(curve, &bytes, out)
    })
}

/// Compress `n` projective points of BLS12-381's G1 in host memory to 48 bytes each; the encoding of
/// `icicle_decompress_points`. Nothing checks that they are on the curve.
///
/// Cost: an inversion a point.
/// Errors: `INVALID_ARGUMENT` for an unknown curve, `API_NOT_IMPLEMENTED` for other curves, `INVALID_POINTER` if a
/// pointer is null or `points` misaligned or device memory, `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_compress_points(
    curve: i32,
    points: *const c_void,
    n: u64,
    compressed: *mut c_void,
) -> Code {
    let op = "compress_points";
    guard(op, || {
        let curve = point::by_number(op, curve)?;
        let n = types::size(op, "n", n)?;
        // SAFETY: `points` holds that many elements until the work is done, by the caller's promise.
        let src = unsafe { ptr::src(op, "points", points, (n, 3 * curve.info().base.info().bytes()), 0) }?;
        let mut bytes = filled(op, ptr::extent(op, "compressed", &[n, encoding::COMPRESSED_BYTES])?, 0u8)?;
        encoding::compress(curve, src, &mut bytes)?;
        // SAFETY: `compressed` has room for what is written, by the caller's promise.
        unsafe { ptr::write_bytes(op, "compressed", compressed, &bytes) }
    })
}
