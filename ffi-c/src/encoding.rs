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

/// Check that `n` elements in host memory are below the modulus, coefficient by coefficient; `INVALID_ARGUMENT` names the
/// first that is not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_check_elements(field: i32, elements: *const c_void, n: u64) -> Code {
    let op = "check_elements";
    guard(op, || {
        let field = field::by_number(op, field)?;
        let n = types::size(op, "n", n)?;
        // SAFETY: the caller's promise.
        let src = unsafe { ptr::src(op, "elements", elements, (n, field.info().bytes()), 0) }?;
        encoding::check_elements(field, n, src)
    })
}

/// Check that `n` affine points in host memory have canonical coordinates and lie on the curve; `(0, 0)` is the neutral
/// element. Membership of the prime-order group is not checked. `INVALID_ARGUMENT` names the first that does not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_check_points(curve: i32, points: *const c_void, n: u64) -> Code {
    let op = "check_points";
    guard(op, || {
        let curve = point::by_number(op, curve)?;
        let n = types::size(op, "n", n)?;
        // SAFETY: the caller's promise.
        let src = unsafe { ptr::src(op, "points", points, (n, 2 * curve.info().base.info().bytes()), 0) }?;
        encoding::check_points(curve, n, src)
    })
}

/// Decompress `n` points of BLS12-381's G1, 48 bytes each, to affine points in host memory.
///
/// The encoding is that of Ethereum and Zcash: x big-endian, the top bits say compressed, infinity, larger y.
/// `INVALID_ARGUMENT` names the first point that is no such encoding, and nothing is written; other curves are
/// `API_NOT_IMPLEMENTED`. Membership of the prime-order group is not checked.
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
        // SAFETY: the caller's promise.
        let bytes = unsafe {
            ptr::read_many(
                op,
                "compressed",
                compressed.cast::<u8>(),
                ptr::extent(op, "compressed", &[n, encoding::COMPRESSED_BYTES])?,
            )
        }?;
        let extent = (n, 2 * curve.info().base.info().bytes());
        // SAFETY: the caller's promise.
        let out = unsafe { ptr::dst(op, "points", points, extent, 0) }?;
        encoding::decompress(curve, &bytes, out)
    })
}

/// Compress `n` projective points of BLS12-381's G1 in host memory to 48 bytes each; the encoding of
/// `icicle_decompress_points`.
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
        // SAFETY: the caller's promise.
        let src = unsafe { ptr::src(op, "points", points, (n, 3 * curve.info().base.info().bytes()), 0) }?;
        let mut bytes = filled(op, ptr::extent(op, "compressed", &[n, encoding::COMPRESSED_BYTES])?, 0u8)?;
        encoding::compress(curve, src, &mut bytes)?;
        // SAFETY: the caller's promise.
        unsafe { ptr::write_bytes(op, "compressed", compressed, &bytes) }
    })
}
