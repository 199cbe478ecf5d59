//! Number-theoretic transforms, of field elements and of points.
//!
//! `config` points to the transform options of the field's scalar field: `icicle_ntt_config_1_t` for 4-byte scalars
//! (babybear, koalabear), `_2_t` for 8 bytes (goldilocks), `_8_t` for 32 (bn254, bls12_381, bls12_377, stark252),
//! `_12_t` for 48 (bw6_761). An extension, and a curve, take those of their scalar field.

use crate::error::Code;
use crate::field::by_number;
use crate::guard::guard;
use crate::point;
use crate::ptr;
use crate::types::{self, AnyNttConfig, NttConfig, NttInitDomainConfig};
use icicle::algebra::{Field, PrimeField};
use icicle::device::{Dst, Launch, Src};
use icicle::ops::ntt::{self, Direction};
use icicle::{Error, FieldId, Result, with_field};
use std::ffi::{c_int, c_void};

pub(crate) fn direction(op: &'static str, dir: c_int) -> Result<Direction> {
    match dir {
        0 => Ok(Direction::Forward),
        1 => Ok(Direction::Inverse),
        other => Err(Error::argument(op, format!("dir {other}: must be 0 (forward) or 1 (inverse)"))),
    }
}

/// # Safety
/// The crate's contract: `config` points to the options of `field`'s scalar field.
pub(crate) unsafe fn read_config(op: &'static str, field: FieldId, config: *const c_void) -> Result<AnyNttConfig> {
    /// # Safety
    /// As above, the scalar field having `LIMBS` limbs.
    unsafe fn read<const LIMBS: usize>(op: &'static str, config: *const c_void) -> Result<AnyNttConfig> {
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        unsafe { ptr::read(op, "config", config.cast::<NttConfig<LIMBS>>()) }.map(Into::into)
    }
    match field.scalar().info().bytes() {
        // SAFETY: the caller's promise; the size tells the limbs, here and below.
        4 => unsafe { read::<1>(op, config) },
        // SAFETY: as above.
        8 => unsafe { read::<2>(op, config) },
        // SAFETY: as above.
        32 => unsafe { read::<8>(op, config) },
        // SAFETY: as above.
        48 => unsafe { read::<12>(op, config) },
        other => Err(Error::unsupported(op, format!("scalars of {other} bytes: there are no transform options"))),
    }
}

/// # Safety
/// The crate's contract: `input` and `output` hold `size·batch_size` elements of `bytes`.
pub(crate) unsafe fn buffers<'a>(
    op: &'static str,
    input: *const c_void,
    output: *mut c_void,
    factors: [usize; 2],
    bytes: usize,
    config: &AnyNttConfig,
) -> Result<(Src<'a>, Dst<'a>)> {
    let extent = (ptr::extent(op, "size", &factors)?, bytes);
    // SAFETY: `input` holds that many elements until the work is done, by the caller's promise.
    let src = unsafe { ptr::src(op, "input", input, extent, config.are_inputs_on_device) }?;
    // SAFETY: `output` has room for that many, for this call alone, by the caller's promise.
    let dst = unsafe { ptr::dst(op, "output", output, extent, config.are_outputs_on_device) }?;
    Ok((src, dst))
}

/// Transform `batch_size` vectors of `size` elements of a scalar field or its extension.
///
/// `size` is a power of two up to the domain's, or 0, which does nothing. Forward: `X[k] = Σ x[j]·g^j·w^(jk)`, `g` the
/// coset generator, `w` the domain's root of order `size`; inverse: `x[j] = g^-j/size·Σ X[k]·w^(-jk)`. `dir` is 0 for
/// forward, 1 for inverse; `config` points to the `icicle_ntt_config_*_t` of the scalar field's size. Vectors lie one
/// after another, or interleaved with `columns_batch`; `output` may be `input`. The domain is that of the device the
/// call runs on (`icicle_ntt_init_domain`).
///
/// Cost: `size/2·log2(size)` products a vector (J. W. Cooley, J. W. Tukey, "An algorithm for the machine calculation
/// of complex Fourier series", 1965). The first transform of a new largest size also makes its table of roots,
/// `size/2` elements.
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_vec_ops_config_t` says; also `INVALID_ARGUMENT` if the device has no domain or a smaller one, if
/// `size` is negative or no power of two, and for a `dir`, `ordering` or `coset_gen` (0, or not canonical) that is
/// none; `API_NOT_IMPLEMENTED` for fields without transforms.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_ntt(
    field: i32,
    input: *const c_void,
    size: i64,
    dir: c_int,
    config: *const c_void,
    output: *mut c_void,
) -> Code {
    let op = "ntt";
    guard(op, || {
        let field = by_number(op, field)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let config = unsafe { read_config(op, field, config) }?;
        let core = config.to_core(op)?;
        let (n, dir) = (types::count(op, "size", size)?, direction(op, dir)?);
        let bytes = field.info().bytes();
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let (src, dst) = unsafe { buffers(op, input, output, [n, core.batch], bytes, &config) }?;
        ntt::ntt(field, n, dir, &core, src, dst)
    })
}

/// Transform `batch_size` vectors of `size` homogeneous projective points over the domain of the curve's scalar field,
/// `config` being of that field; results are normalised. Otherwise as [`icicle_ntt`].
///
/// Cost: `size/2·log2(size)` scalar multiplications a vector.
/// Asynchrony: as `icicle_vec_ops_config_t` says.
/// Errors: as `icicle_ntt`; `API_NOT_IMPLEMENTED` for curves without such transforms.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_ecntt(
    curve: i32,
    input: *const c_void,
    size: i64,
    dir: c_int,
    config: *const c_void,
    output: *mut c_void,
) -> Code {
    let op = "ecntt";
    guard(op, || {
        let curve = point::by_number(op, curve)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let config = unsafe { read_config(op, curve.info().scalar, config) }?;
        let core = config.to_core(op)?;
        let (n, dir) = (types::count(op, "size", size)?, direction(op, dir)?);
        let bytes = 3 * curve.info().base.info().bytes();
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let (src, dst) = unsafe { buffers(op, input, output, [n, core.batch], bytes, &config) }?;
        ntt::ecntt(curve, n, dir, &core, src, dst)
    })
}

/// Make a root of unity the domain of a scalar field on the current (or the stream's) device: it serves transforms of
/// that field, its extension and its curve up to the root's order. Free it with `icicle_ntt_release_domain`.
///
/// `primitive_root` is one canonical element in host memory, such as `icicle_get_root_of_unity` gives. A domain that
/// is there already stays and the call succeeds: release it first to change the root. Tables are made by the
/// transforms that need them.
///
/// Asynchrony: none, complete on return whatever `is_async` says.
/// Errors: `INVALID_POINTER` if `primitive_root` or `config` is null or misaligned, or `stream` is no stream.
/// `INVALID_ARGUMENT` for an unknown field, or a root that is not canonical or whose order is no power of two.
/// `API_NOT_IMPLEMENTED` if the field is no scalar field with transforms, or the device lacks its kernels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_ntt_init_domain(
    field: i32,
    primitive_root: *const c_void,
    config: *const NttInitDomainConfig,
) -> Code {
    let op = "ntt_init_domain";
    guard(op, || {
        let field = by_number(op, field)?;
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let launch = unsafe { ptr::read(op, "config", config) }?.to_core(op)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let root = unsafe { read_root(op, field, primitive_root) }?;
        ntt::init_domain(field, root, &launch)
    })
}

/// # Safety
/// The crate's contract: `root` is a scalar to read.
pub(crate) unsafe fn read_root(op: &'static str, field: FieldId, root: *const c_void) -> Result<[u64; 12]> {
    with_field!(field.scalar(), F => {
        // SAFETY: `primitive_root` can be read unless it is null, by the caller's promise.
        let raw: <F as Field>::Raw = unsafe { ptr::read_element(op, "primitive_root", root) }?;
        Ok(canonical_words(bytemuck::bytes_of(&raw)))
    })
}

/// The limbs of a prime field's element as words, as they are: the core checks that they are canonical.
fn canonical_words(bytes: &[u8]) -> [u64; 12] {
    let mut words = [0u64; 12];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
        *word = chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    }
    words
}

/// Forget the domain of a scalar field on the current device; nothing happens where there is none. Transforms under
/// way keep what they need of it.
///
/// Errors: `INVALID_ARGUMENT` for an unknown field, `API_NOT_IMPLEMENTED` if it is no scalar field with transforms.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_ntt_release_domain(field: i32) -> Code {
    let op = "ntt_release_domain";
    guard(op, || ntt::release_domain(by_number(op, field)?, &Launch::default()))
}

/// # Safety
/// The crate's contract: `rou` is a scalar to write.
unsafe fn write_root(op: &'static str, field: FieldId, root: &[u64; 12], rou: *mut c_void) -> Result<()> {
    with_field!(field.scalar(), F => {
        let value = <F as Field>::Prime::from_words(root).to_raw();
        // SAFETY: `rou` has room for what is written, by the caller's promise.
        unsafe { ptr::write_element(op, "rou", rou, value) }
    })
}

/// # Safety
/// The crate's contract: `rou` is a scalar to write.
unsafe fn root(field: i32, max_size: u64, rou: *mut c_void, choice: fn(FieldId, u64) -> Result<[u64; 12]>) -> Code {
    let op = "get_root_of_unity";
    guard(op, || {
        let field = by_number(op, field)?;
        let root = choice(field, max_size)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        unsafe { write_root(op, field, &root, rou) }
    })
}

/// A primitive root of unity for domains of up to `max_size` elements (rounded up to a power of two), one canonical
/// element to host memory: a power of the multiplicative generator, as arkworks, gnark-crypto, Plonky3 and EIP-4844
/// have it.
///
/// `bls12_381_get_root_of_unity` and `babybear_get_root_of_unity` give ICICLE's roots, which are others.
///
/// Errors: `INVALID_ARGUMENT` for an unknown field or one without a root of that order, `API_NOT_IMPLEMENTED` if it is
/// no scalar field with transforms, `INVALID_POINTER` if `rou` is null or misaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_get_root_of_unity(field: i32, max_size: u64, rou: *mut c_void) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { root(field, max_size, rou, ntt::root_of_unity) }
}

/// Behind `X_get_root_of_unity`: ICICLE's choice of root.
pub(crate) unsafe fn icicle_choice_of_root(field: i32, max_size: u64, rou: *mut c_void) -> Code {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { root(field, max_size, rou, ntt::icicle_root_of_unity) }
}

/// The root of order `2^logn` of the domain on the current device, one canonical element to host memory.
///
/// Errors: `INVALID_ARGUMENT` for an unknown field, or if there is no domain or a smaller one; `API_NOT_IMPLEMENTED`
/// if the field is no scalar field with transforms; `INVALID_POINTER` if `rou` is null or misaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_get_root_of_unity_from_domain(field: i32, logn: u64, rou: *mut c_void) -> Code {
    let op = "get_root_of_unity_from_domain";
    guard(op, || {
        let field = by_number(op, field)?;
        let root = ntt::root_of_unity_from_domain(field, logn)?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        unsafe { write_root(op, field, &root, rou) }
    })
}
