//! Operations over a group: one call, divided among its devices, with the result of one device.
//!
//! Operands are memory, on the host or one device, or sharded vectors of the group's devices. Calls have no stream and are
//! complete on return.

use crate::code::Code;
use crate::field::by_number;
use crate::group::by_handle;
use crate::guard::guard;
use crate::ntt::{buffers, direction, read_config, read_root};
use crate::program::{self, Handle};
use crate::ptr;
use crate::sharded::by_handle as vector_of;
use crate::types::{self, Flag, MsmConfig};
use crate::{msm, point};
use icicle::device::shared::{reading, with, with_all};
use icicle::ops::group as over;
use icicle::ops::vector::{Binary, Reduce};
use icicle::{Error, Result};
use std::ffi::{c_int, c_void};

/// `results[b] = Σ scalars[b][i]·bases[i]` over a group: batches are spread, one multiplication is split by points. Otherwise
/// as `icicle_msm`, with its result to the byte.
///
/// `stream` of the options is null and `is_async` not set.
///
/// Asynchrony: none, complete on return.
/// Errors: as `icicle_msm`; `INVALID_POINTER` also if `group` is no live group, `INVALID_ARGUMENT` also for a stream. Of a
/// batch whose devices do not all succeed some results may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_group_msm(
    group: *mut c_void,
    curve: i32,
    scalars: *const c_void,
    bases: *const c_void,
    msm_size: i64,
    config: *const MsmConfig,
    results: *mut c_void,
) -> Code {
    let op = "group_msm";
    guard(op, || {
        let (group, curve) = (by_handle(op, group)?, point::by_number(op, curve)?);
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let call = unsafe { msm::operands(op, curve, scalars, bases, msm_size, &config, results) }?;
        over::msm(&group, curve, call.n, call.scalars, call.bases, &call.config, call.results)
    })
}

/// One multiplication of sharded scalars and bases, of as many elements each; an element of the bases is
/// `precompute_factor` affine points. `results` is one point in memory. Otherwise as `icicle_group_msm`, `batch_size` being 1.
///
/// Asynchrony: none, complete on return.
/// Errors: as `icicle_group_msm`; `INVALID_POINTER` also if a vector is no live one, `INVALID_ARGUMENT` also if one is of
/// other devices, or one alone is cyclic.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_group_msm_sharded(
    group: *mut c_void,
    curve: i32,
    scalars: *mut c_void,
    bases: *mut c_void,
    config: *const MsmConfig,
    results: *mut c_void,
) -> Code {
    let op = "group_msm_sharded";
    guard(op, || {
        let (group, curve) = (by_handle(op, group)?, point::by_number(op, curve)?);
        // SAFETY: `config` can be read unless it is null, by the caller's promise.
        let config = unsafe { ptr::read(op, "config", config) }?;
        let core = config.to_core(op)?;
        let (scalars, bases) = (vector_of(op, scalars)?, vector_of(op, bases)?);
        let point = 3 * curve.info().base.info().bytes();
        // SAFETY: `results` has room for that many, for this call alone, by the caller's promise.
        let out = unsafe { ptr::dst(op, "results", results, (core.batch, point), config.are_results_on_device) }?;
        reading(&[&scalars, &bases], |sources| {
            over::msm(&group, curve, sources[0].len(), sources[0], sources[1], &core, out)
        })
    })
}

/// Make a root of unity the domain of a scalar field on every device of a group; otherwise as `icicle_ntt_init_domain`.
///
/// Errors: as `icicle_ntt_init_domain`; `INVALID_POINTER` also if `group` is no live group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_group_ntt_init_domain(
    group: *mut c_void,
    field: i32,
    primitive_root: *const c_void,
) -> Code {
    let op = "group_ntt_init_domain";
    guard(op, || {
        let (group, field) = (by_handle(op, group)?, by_number(op, field)?);
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let root = unsafe { read_root(op, field, primitive_root) }?;
        over::init_domain(&group, field, root)
    })
}

/// Forget the domain of a scalar field on every device of a group.
///
/// Errors: as `icicle_ntt_release_domain`; `INVALID_POINTER` if `group` is no live group.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_group_ntt_release_domain(group: *mut c_void, field: i32) -> Code {
    let op = "group_ntt_release_domain";
    guard(op, || over::release_domain(&*by_handle(op, group)?, by_number(op, field)?))
}

/// Transform over a group, whose devices all have the field's domain (`icicle_group_ntt_init_domain`): batches are spread,
/// one transform is done in four steps with all-to-all copies between them. Otherwise as `icicle_ntt`, with its result to the
/// byte.
///
/// `stream` of the options is null and `is_async` not set.
///
/// Cost: as `icicle_ntt`; each all-to-all copies every element once, one for bit-reversed results of a forward transform and
/// one more for natural order.
/// Asynchrony: none, complete on return.
/// Errors: as `icicle_ntt`; `INVALID_POINTER` also if `group` is no live group, `INVALID_ARGUMENT` also for a stream. If one
/// device fails for memory or a copy, the others may have written their parts of `output`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_group_ntt(
    group: *mut c_void,
    field: i32,
    input: *const c_void,
    size: i64,
    dir: c_int,
    config: *const c_void,
    output: *mut c_void,
) -> Code {
    let op = "group_ntt";
    guard(op, || {
        let (group, field) = (by_handle(op, group)?, by_number(op, field)?);
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let config = unsafe { read_config(op, field, config) }?;
        let core = config.to_core(op)?;
        let (n, dir) = (types::count(op, "size", size)?, direction(op, dir)?);
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let (src, dst) = unsafe { buffers(op, input, output, [n, core.batch], field.info().bytes(), &config) }?;
        over::ntt(&group, field, n, dir, &core, src, dst)
    })
}

/// Transform a sharded vector in blocks into another; of at least 4,096 elements where they lie, of fewer on one device. It
/// holds `batch_size` transforms one after another, each of as many elements (`columns_batch` is not set): of several, each
/// device does those that begin in its block, without copies where blocks are of whole transforms. Otherwise as
/// `icicle_group_ntt`.
///
/// Asynchrony: none, complete on return.
/// Errors: as `icicle_group_ntt`; `INVALID_POINTER` also if a vector is no live one, `INVALID_ARGUMENT` also if one is of other
/// devices or not in blocks, `output` is `input`, `batch_size` does not divide the vector, or `columns_batch` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_group_ntt_sharded(
    group: *mut c_void,
    field: i32,
    input: *mut c_void,
    dir: c_int,
    config: *const c_void,
    output: *mut c_void,
) -> Code {
    let op = "group_ntt_sharded";
    guard(op, || {
        let (group, field) = (by_handle(op, group)?, by_number(op, field)?);
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let core = unsafe { read_config(op, field, config) }?.to_core(op)?;
        let dir = direction(op, dir)?;
        let (input, output) = (vector_of(op, input)?, vector_of(op, output)?);
        with(op, &[&input], &output, |sources, out| {
            let size = over::ntt_size(sources[0], &core)?;
            over::ntt(&group, field, size, dir, &core, sources[0], out)
        })
    })
}

fn binary_of(op: &'static str, number: i32) -> Result<Binary> {
    match number {
        0 => Ok(Binary::Add),
        1 => Ok(Binary::Sub),
        2 => Ok(Binary::Mul),
        3 => Ok(Binary::Div),
        other => Err(Error::argument(op, format!("operation {other}: must be 0 (add), 1 (sub), 2 (mul) or 3 (div)"))),
    }
}

/// `output[i] = vec_a[i] ∘ vec_b[i]` of sharded vectors of as many elements: `operation` 0 adds, 1 subtracts, 2 multiplies, 3
/// divides (0 by what has no inverse). `output` is another vector. Blocks and copies of the whole may be mixed, each device
/// working on its elements of `output`; cyclic vectors go with cyclic ones.
///
/// Errors: `INVALID_POINTER` if `group` is no live group or a vector no live one; `INVALID_ARGUMENT` for an unknown field or
/// operation, vectors of other lengths, elements or devices, or an `output` that is an input; `API_NOT_IMPLEMENTED` where
/// `icicle_supports` says no; `OUT_OF_MEMORY`; `COPY_FAILED`. After one of the last two the devices that did not fail may have
/// written their parts of `output`.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_group_vector_binary(
    group: *mut c_void,
    field: i32,
    operation: i32,
    vec_a: *mut c_void,
    vec_b: *mut c_void,
    output: *mut c_void,
) -> Code {
    let op = "group_vector_binary";
    guard(op, || {
        let (group, field, kind) = (by_handle(op, group)?, by_number(op, field)?, binary_of(op, operation)?);
        let (a, b) = (vector_of(op, vec_a)?, vector_of(op, vec_b)?);
        with(op, &[&a, &b], &*vector_of(op, output)?, |sources, out| {
            over::binary(&group, kind, field, out.len(), sources[0], sources[1], out)
        })
    })
}

/// `vec_a[i] = vec_a[i] + vec_b[i]` of sharded vectors.
///
/// Errors: as `icicle_group_vector_binary`.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_group_vector_accumulate(
    group: *mut c_void,
    field: i32,
    vec_a: *mut c_void,
    vec_b: *mut c_void,
) -> Code {
    let op = "group_vector_accumulate";
    guard(op, || {
        let (group, field) = (by_handle(op, group)?, by_number(op, field)?);
        let b = vector_of(op, vec_b)?;
        with(op, &[&b], &*vector_of(op, vec_a)?, |sources, a| over::accumulate(&group, field, a.len(), a, sources[0]))
    })
}

/// `output[i] = vec_a[i]·vec_b[i]` of sharded vectors of elements of an extension and of its scalar field.
///
/// Errors: as `icicle_group_vector_binary`; `API_NOT_IMPLEMENTED` also if `field` is no extension of a scalar field.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_group_vector_mixed_mul(
    group: *mut c_void,
    field: i32,
    vec_a: *mut c_void,
    vec_b: *mut c_void,
    output: *mut c_void,
) -> Code {
    let op = "group_vector_mixed_mul";
    guard(op, || {
        let (group, field) = (by_handle(op, group)?, by_number(op, field)?);
        let (a, b) = (vector_of(op, vec_a)?, vector_of(op, vec_b)?);
        with(op, &[&a, &b], &*vector_of(op, output)?, |sources, out| {
            over::mixed_mul(&group, field, out.len(), sources[0], sources[1], out)
        })
    })
}

/// `output[i] = scalar ∘ vector[i]` of sharded vectors, `scalar` one element in memory: `operation` 0 adds, 1 subtracts, 2
/// multiplies.
///
/// Errors: as `icicle_group_vector_binary`; `INVALID_POINTER` also if `scalar` is null or misaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_group_vector_scalar(
    group: *mut c_void,
    field: i32,
    operation: i32,
    scalar: *const c_void,
    vector: *mut c_void,
    output: *mut c_void,
) -> Code {
    let op = "group_vector_scalar";
    guard(op, || {
        let (group, field, kind) = (by_handle(op, group)?, by_number(op, field)?, binary_of(op, operation)?);
        // SAFETY: `scalar` holds that many elements until the work is done, by the caller's promise.
        let scalar = unsafe { ptr::src(op, "scalar", scalar, (1, field.info().bytes()), 0) }?;
        let vector = vector_of(op, vector)?;
        with(op, &[&vector], &*vector_of(op, output)?, |sources, out| {
            over::scalar(&group, kind, field, out.len(), scalar, sources[0], out)
        })
    })
}

/// `output[i] = 1/vector[i]` of sharded vectors, 0 for what has no inverse.
///
/// Errors: as `icicle_group_vector_binary`.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_group_vector_inv(
    group: *mut c_void,
    field: i32,
    vector: *mut c_void,
    output: *mut c_void,
) -> Code {
    let op = "group_vector_inv";
    guard(op, || {
        let (group, field, vector) = (by_handle(op, group)?, by_number(op, field)?, vector_of(op, vector)?);
        with(op, &[&vector], &*vector_of(op, output)?, |sources, out| {
            over::inv(&group, field, out.len(), sources[0], out)
        })
    })
}

/// A sharded vector to Montgomery form, or back if `to_montgomery` is not set.
///
/// Errors: as `icicle_group_vector_binary`.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_group_convert_montgomery(
    group: *mut c_void,
    field: i32,
    vector: *mut c_void,
    to_montgomery: Flag,
    output: *mut c_void,
) -> Code {
    let op = "group_convert_montgomery";
    guard(op, || {
        let (group, field, vector) = (by_handle(op, group)?, by_number(op, field)?, vector_of(op, vector)?);
        with(op, &[&vector], &*vector_of(op, output)?, |sources, out| {
            over::convert_montgomery(&group, field, out.len(), sources[0], to_montgomery != 0, out)
        })
    })
}

/// The sum (`operation` 0) or product (1) of a sharded vector's elements, to one element in memory.
///
/// Errors: as `icicle_group_vector_binary`; `INVALID_POINTER` also if `output` is null or misaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_group_vector_reduce(
    group: *mut c_void,
    field: i32,
    operation: i32,
    vector: *mut c_void,
    output: *mut c_void,
) -> Code {
    let op = "group_vector_reduce";
    guard(op, || {
        let (group, field, vector) = (by_handle(op, group)?, by_number(op, field)?, vector_of(op, vector)?);
        let kind = match operation {
            0 => Reduce::Sum,
            1 => Reduce::Product,
            other => return Err(Error::argument(op, format!("operation {other}: must be 0 (sum) or 1 (product)"))),
        };
        // SAFETY: `output` has room for that many, for this call alone, by the caller's promise.
        let out = unsafe { ptr::dst(op, "output", output, (1, field.info().bytes()), 0) }?;
        let vector = vector.read();
        over::reduce(&group, kind, field, vector.len(), &*vector, out)
    })
}

/// Values of the polynomial whose coefficients are a sharded vector, blocks or replicated, at `domain_size` points: `domain`
/// and `evals` are memory.
///
/// Errors: as `icicle_group_vector_binary`; `INVALID_POINTER` also if `domain` or `evals` is null or misaligned,
/// `INVALID_ARGUMENT` also for cyclic coefficients.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_group_poly_eval(
    group: *mut c_void,
    field: i32,
    coeffs: *mut c_void,
    domain: *const c_void,
    domain_size: u64,
    evals: *mut c_void,
) -> Code {
    let op = "group_poly_eval";
    guard(op, || {
        let (group, field, coeffs) = (by_handle(op, group)?, by_number(op, field)?, vector_of(op, coeffs)?);
        let points = types::size(op, "domain_size", domain_size)?;
        let extent = (points, field.info().bytes());
        // SAFETY: `domain` holds that many elements until the work is done, by the caller's promise.
        let domain = unsafe { ptr::src(op, "domain", domain, extent, 0) }?;
        // SAFETY: `evals` has room for that many, for this call alone, by the caller's promise.
        let evals = unsafe { ptr::dst(op, "evals", evals, extent, 0) }?;
        let coeffs = coeffs.read();
        over::evaluate(&group, field, coeffs.len(), &*coeffs, points, domain, evals)
    })
}

/// Execute a program at every position of `nof_params` sharded vectors, one for each parameter, all different and in the same
/// places: those that the program changes are overwritten.
///
/// Errors: as `icicle_group_vector_binary`; `INVALID_POINTER` also if `vectors` is null or misaligned or `program` no live
/// program, `INVALID_ARGUMENT` also if `nof_params` is not the program's number of parameters, a vector is named twice, or
/// vectors lie in different places.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_group_execute_program(
    group: *mut c_void,
    field: i32,
    vectors: *const *mut c_void,
    nof_params: u64,
    program: Handle,
) -> Code {
    let op = "group_execute_program";
    guard(op, || {
        let (group, field) = (by_handle(op, group)?, by_number(op, field)?);
        let (program, count) = (program::by_handle(op, program)?, types::size(op, "nof_params", nof_params)?);
        if count != program.parameters() {
            let detail = format!("nof_params {count}: the program has {} parameters", program.parameters());
            return Err(Error::argument(op, detail));
        }
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        let handles = unsafe { ptr::read_many(op, "vectors", vectors, count) }?;
        let vectors = handles.into_iter().map(|handle| vector_of(op, handle)).collect::<Result<Vec<_>>>()?;
        let vectors: Vec<_> = vectors.iter().map(|vector| &**vector).collect();
        with_all(op, &vectors, |vectors| over::execute(&group, field, &program, vectors))
    })
}
