//! Checked decoding on the host: canonical elements, points on their curve, compressed points.
//!
//! Operations take their inputs as reduced and on the curve, as ICICLE's do. Data from outside goes through here first.

use icicle_algebra::curve::{Affine, Bls12_381, Projective};
use icicle_algebra::{Field, PrimeField};
use icicle_algebra::{with_curve, with_field};
use icicle_device::check::{bytes_for, need_dst, need_src};
use icicle_device::{Dst, Place, Src};
use icicle_error::reserve::with_capacity;
use icicle_error::{Error, Result};
use icicle_params::derive::{less, shift_right};
use icicle_params::{CurveId, FieldId};
use icicle_params::{Prime, prime::Bls12_381Fq};

/// Bytes of a compressed point of BLS12-381's G1.
pub const COMPRESSED_BYTES: usize = 48;

const COMPRESSED: u8 = 0x80;
const INFINITY: u8 = 0x40;
const LARGER_Y: u8 = 0x20;

/// The elements of a host source, one by one.
fn host<'a, T: bytemuck::Pod>(op: &'static str, arg: &str, src: &Src<'a>) -> Result<icicle_cpu::In<'a, T>> {
    match src.place() {
        Place::Host => Ok(icicle_cpu::In::new(src)),
        Place::Device(device) => Err(Error::pointer(op, format!("{arg} lies on {device}: must be host memory"))),
    }
}

/// Check that `n` elements in host memory are below the modulus, coefficient by coefficient.
///
/// # Errors
/// `InvalidArgument` names the first that is not; `InvalidPointer` for device memory.
pub fn check_elements(field: FieldId, n: usize, elements: Src<'_>) -> Result<()> {
    let op = "check_elements";
    need_src(op, "elements", &elements, n, field.info().bytes())?;
    with_field!(field, F => {
        let view = host::<<F as Field>::Raw>(op, "elements", &elements)?;
        match (0..n).find(|&i| !F::is_canonical(&view.get(i))) {
            None => Ok(()),
            Some(i) => Err(Error::argument(op, format!("element {i}: must be below the modulus of {}", field.name()))),
        }
    })
}

/// Check that `n` affine points in host memory have canonical coordinates and lie on the curve; `(0, 0)` is the neutral
/// element. Membership of the prime-order group is not checked.
///
/// # Errors
/// `InvalidArgument` names the first that does not; `InvalidPointer` for device memory.
pub fn check_points(curve: CurveId, n: usize, points: Src<'_>) -> Result<()> {
    let op = "check_points";
    let row = curve.info();
    need_src(op, "points", &points, n, 2 * row.base.info().bytes())?;
    with_curve!(curve, C => {
        type Raw = <<C as icicle_algebra::curve::Curve>::Base as Field>::Raw;
        let view = host::<[Raw; 2]>(op, "points", &points)?;
        match (0..n).find(|&i| Affine::<C>::from_raw_checked(view.get(i)).is_none()) {
            None => Ok(()),
            Some(i) => Err(Error::argument(
                op,
                format!("point {i}: coordinates must be below the modulus and satisfy the equation of {}", row.name),
            )),
        }
    })
}

fn only_bls12_381(op: &'static str, curve: CurveId) -> Result<()> {
    if curve == CurveId::Bls12_381 {
        return Ok(());
    }
    Err(Error::unsupported(op, format!("curve {}: only bls12_381 has a compressed form here", curve.info().name)))
}

/// Whether `y` is the larger of `±y`.
fn is_larger(y: &icicle_algebra::fields::Bls12_381Base) -> bool {
    let half = shift_right(Bls12_381Fq::MODULUS, 1);
    less(&half, &y.words()[..half.len()])
}

/// Decompress points of BLS12-381's G1: 48 bytes each, big-endian x with the flags compressed, infinity and larger y in the
/// top bits (IETF draft-irtf-cfrg-pairing-friendly-curves-11, appendix C), to affine points in host memory. Membership of
/// the prime-order group is not checked.
///
/// # Errors
/// `InvalidArgument` names the first point with wrong flags, x not below the modulus or not on the curve, and nothing is
/// written; `Unsupported` for other curves.
pub fn decompress(curve: CurveId, compressed: &[u8], out: Dst<'_>) -> Result<()> {
    let op = "decompress_points";
    only_bls12_381(op, curve)?;
    if !compressed.len().is_multiple_of(COMPRESSED_BYTES) {
        return Err(Error::argument(
            op,
            format!("{} bytes: must be a multiple of {COMPRESSED_BYTES}", compressed.len()),
        ));
    }
    let n = compressed.len() / COMPRESSED_BYTES;
    need_dst(op, "points", &out, n, 2 * COMPRESSED_BYTES)?;
    host::<[u32; 24]>(op, "points", &out.as_src())?;
    let mut points = with_capacity(op, n)?;
    for (i, bytes) in compressed.chunks_exact(COMPRESSED_BYTES).enumerate() {
        points.push(decompress_one(bytes).map_err(|why| Error::argument(op, format!("point {i}: {why}")))?);
    }
    let out = icicle_cpu::Out::new(&out);
    points.iter().enumerate().for_each(|(i, point)| out.set(i, point.to_raw()));
    Ok(())
}

fn decompress_one(bytes: &[u8]) -> std::result::Result<Affine<Bls12_381>, &'static str> {
    let flags = bytes[0];
    let mut words = [0u64; 6];
    for (word, chunk) in words.iter_mut().rev().zip(bytes.chunks_exact(8)) {
        *word = chunk.iter().fold(0, |w, &b| w << 8 | b as u64);
    }
    words[5] &= (1 << 61) - 1;
    if flags & COMPRESSED == 0 {
        return Err("the compressed flag must be set");
    }
    if flags & INFINITY != 0 {
        return match flags & LARGER_Y == 0 && words == [0; 6] {
            true => Ok(Affine::NEUTRAL),
            false => Err("the point at infinity must have no other bits set"),
        };
    }
    if !less(&words, &Bls12_381Fq::MODULUS) {
        return Err("x must be below the modulus");
    }
    let x = icicle_algebra::fields::Bls12_381Base::from_words(&words);
    let square = x.square() * x + <Bls12_381 as icicle_algebra::curve::Curve>::B;
    // The prime is 3 modulo 4, so a root is the power (p + 1)/4; p's low bits are 11, so (p + 1)/4 = (p >> 2) + 1.
    let mut exponent = shift_right(Bls12_381Fq::MODULUS, 2);
    exponent[0] += 1;
    let y = square.pow(&exponent);
    if y.square() != square {
        return Err("no point of the curve has this x");
    }
    Ok(Affine::new(x, if is_larger(&y) == (flags & LARGER_Y != 0) { y } else { -y }))
}

/// Compress projective points of BLS12-381's G1 in host memory; the encoding of [`decompress`].
///
/// # Errors
/// `InvalidArgument` if lengths do not match; `Unsupported` for other curves; `InvalidPointer` for device memory.
pub fn compress(curve: CurveId, points: Src<'_>, out: &mut [u8]) -> Result<()> {
    let op = "compress_points";
    only_bls12_381(op, curve)?;
    let n = out.len() / COMPRESSED_BYTES;
    if out.len() != bytes_for(op, "output", n, COMPRESSED_BYTES)? {
        return Err(Error::argument(
            op,
            format!("output of {} bytes: must be a multiple of {COMPRESSED_BYTES}", out.len()),
        ));
    }
    need_src(op, "points", &points, n, 3 * COMPRESSED_BYTES)?;
    let view = host(op, "points", &points)?;
    for (i, bytes) in out.chunks_exact_mut(COMPRESSED_BYTES).enumerate() {
        compress_one(icicle_algebra::curve::Group::to_affine(Projective::<Bls12_381>::from_raw(view.get(i))), bytes);
    }
    Ok(())
}

fn compress_one(point: Affine<Bls12_381>, bytes: &mut [u8]) {
    if point.is_neutral() {
        bytes.fill(0);
        bytes[0] = COMPRESSED | INFINITY;
        return;
    }
    let words = point.x.words();
    bytes
        .chunks_exact_mut(8)
        .zip(words[..6].iter().rev())
        .for_each(|(chunk, w)| chunk.copy_from_slice(&w.to_be_bytes()));
    bytes[0] |= COMPRESSED | if is_larger(&point.y) { LARGER_Y } else { 0 };
}

#[cfg(test)]
mod tests {
    use super::*;
    use icicle_algebra::Limbs;
    use icicle_algebra::curve::{Curve, Group};
    use icicle_error::ErrorCode;

    #[test]
    fn compression_round_trips_and_matches_the_specified_generator() {
        let generator = Projective::<Bls12_381>::from(Bls12_381::GENERATOR);
        let points: Vec<_> =
            [generator, generator.double(), -generator, Projective::NEUTRAL].map(Projective::to_raw).into();
        let mut bytes = vec![0; 48 * points.len()];
        compress(CurveId::Bls12_381, (&points).into(), &mut bytes).unwrap();
        // The generator's encoding, from the draft's appendix.
        assert_eq!(bytes[..8], [0x97, 0xf1, 0xd3, 0xa7, 0x31, 0x97, 0xd7, 0x94]);
        assert_eq!(bytes[96] & LARGER_Y, LARGER_Y ^ (bytes[0] & LARGER_Y), "opposite points differ in the sign flag");
        assert_eq!(bytes[144], 0xc0);
        let mut back = vec![[Limbs([1; 6]); 2]; points.len()];
        decompress(CurveId::Bls12_381, &bytes, (&mut back).into()).unwrap();
        for (raw, expected) in back.iter().zip(&points) {
            assert_eq!(Affine::<Bls12_381>::from_raw(*raw), Projective::<Bls12_381>::from_raw(*expected).to_affine());
        }
    }

    #[test]
    fn bad_encodings_are_named_and_nothing_is_written() {
        let mut good = vec![0; 48];
        let generator = [Projective::<Bls12_381>::from(Bls12_381::GENERATOR).to_raw()];
        compress(CurveId::Bls12_381, generator[..].into(), &mut good).unwrap();
        type Break = (&'static str, fn(&mut [u8]));
        let breaks: [Break; 4] = [
            ("compressed flag", |b| b[0] &= 0x7f),
            ("infinity", |b| b[0] |= INFINITY),
            ("below the modulus", |b| b[1..].fill(0xff)),
            ("no point", |b| b[47] ^= 8),
        ];
        for (why, break_it) in breaks {
            let mut bytes = [good.clone(), good.clone()].concat();
            break_it(&mut bytes[48..]);
            if why == "below the modulus" {
                bytes[48] |= 0x1f;
            }
            let mut out = vec![[Limbs([7u64; 6]); 2]; 2];
            let error = decompress(CurveId::Bls12_381, &bytes, (&mut out).into()).expect_err(why);
            assert_eq!(error.code, ErrorCode::InvalidArgument);
            assert!(error.detail.contains("point 1") && error.detail.contains(why), "{error}");
            assert!(out.iter().flatten().all(|limbs| *limbs == Limbs([7u64; 6])));
        }
        let error = decompress(CurveId::Bn254, &good, (&mut [0u32; 24][..]).into()).unwrap_err();
        assert_eq!(error.code, ErrorCode::Unsupported);
    }

    #[test]
    fn elements_and_points_are_checked() {
        for row in icicle_params::FIELDS {
            let mut words = vec![0u32; 3 * row.bytes() / 4];
            check_elements(row.id, 3, (&words).into()).unwrap();
            words[2 * row.bytes() / 4..].fill(u32::MAX);
            let error = check_elements(row.id, 3, (&words).into()).unwrap_err();
            assert!(error.detail.starts_with("element 2:"), "{error}");
        }
        for row in icicle_params::CURVES {
            with_curve!(row.id, C => {
                let mut points = vec![C::GENERATOR.to_raw(), Affine::<C>::NEUTRAL.to_raw()];
                check_points(row.id, 2, (&points).into()).unwrap();
                points[1] = [points[0][0], points[0][0]];
                assert!(check_points(row.id, 2, (&points).into()).unwrap_err().detail.starts_with("point 1:"));
            });
        }
    }
}
