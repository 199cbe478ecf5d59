//! The structs of ICICLE's ABI, their layouts asserted, their defaults, and what they mean to the core.
//!
//! Flags are read as bytes, any nonzero one meaning true: a foreign `bool` of another value would be undefined in Rust.

pub use crate::flag::Flag;

use crate::ptr::{plain, versioned};
use crate::stream;
use icicle::device::Launch;
use icicle::ops::matrix::MatMulConfig as CoreMatMul;
use icicle::ops::msm::MsmConfig as CoreMsm;
use icicle::ops::ntt::{NttConfig as CoreNtt, Ordering};
use icicle::ops::vector::VectorConfig;
use icicle::{Error, Result};
use std::ffi::{c_char, c_void};
use std::mem::offset_of;

/// A device by type name and index, such as `{"CUDA", 1}`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct IcicleDevice {
    /// Device type, ending with 0: `CPU` or `CUDA`.
    pub device_type: [c_char; 64],
    /// Which device of the type, from 0.
    pub id: i32,
}

/// What a device is, as ICICLE asks.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DeviceProperties {
    /// Whether the device computes directly in host memory.
    pub using_host_memory: Flag,
    /// 0 where host memory is used, else 1.
    pub num_memory_regions: i32,
    /// Whether page-locked host memory speeds up copies.
    pub supports_pinned_memory: Flag,
}

/// Options of vector operations, and of polynomials, transposes, conversions of points and programs.
///
/// Shapes: sizes count elements, not bytes. A buffer holds `batch_size` vectors, one after another unless
/// `columns_batch`. A buffer of no elements may be null.
/// Encoding: canonical elements aligned to 4 bytes. A value that is not below the modulus gives an unspecified result,
/// never a fault; `icicle_check_elements` finds such.
/// Place: each buffer lies in host memory or on one device, which the library finds by its address. The call runs on
/// the device of `stream`, else on that of its buffers, else on the thread's current one; a GPU brings buffers of the
/// host over and copies results back. A flag `is_…_on_device` that is set declares device memory, and that is checked;
/// one that is not set declares nothing.
/// Aliasing: an output may be exactly an input of the same length, unless the function says disjoint.
///
/// Asynchrony: without `is_async` a call is complete on return. With it a call on a GPU returns once its work is
/// enqueued on `stream`. Until that stream is synchronized (`icicle_stream_synchronize`), or an event recorded after
/// the call is reached, device and page-locked memory must stay valid, inputs unchanged and outputs unread; work
/// enqueued later on the same stream may use them. Pageable inputs have been read, and pageable outputs are complete,
/// on return. Work that fails later is the error of the call that waits for it. On the CPU every call is complete on
/// return. `config` itself is read during the call only.
///
/// Errors: `INVALID_POINTER` if `config` or a buffer is null or misaligned, if a buffer leaves its allocation, lies on
/// another device than the call runs on, or is declared device memory and is not, or if `stream` is no stream.
/// `INVALID_ARGUMENT` for an unknown field or curve, a `batch_size` below 1, sizes beyond the address space, or an
/// output that overlaps an input where it must not. `API_NOT_IMPLEMENTED` where `icicle_supports` says no.
/// `OUT_OF_MEMORY` if the device or the host refuses scratch memory. On a GPU also `COPY_FAILED`,
/// `SYNCHRONIZATION_FAILED` if work failed, and `BACKEND_LOAD_FAILED` if it cannot load the kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct VecOpsConfig {
    /// Stream to enqueue on, of `icicle_create_stream`; null is the default stream of the device.
    pub stream: *mut c_void,
    /// The first input is device memory.
    pub is_a_on_device: Flag,
    /// The second input is device memory.
    pub is_b_on_device: Flag,
    /// The result is device memory.
    pub is_result_on_device: Flag,
    /// Return once the work is enqueued, on devices with streams.
    pub is_async: Flag,
    /// Number of vectors, at least 1.
    pub batch_size: i32,
    /// Element `i` of vector `b` lies at `i·batch_size + b`.
    pub columns_batch: Flag,
    /// Not read: ICICLE's options of its backends.
    pub ext: *const c_void,
}

/// Options of operations on arrays of points. For products the first operand is the scalars. Begin with
/// `icicle_points_config_default`.
///
/// Shapes: `n` points or scalars in each operand, or one that stands for `n` where a flag says single; `n` results.
/// Encoding: coordinates canonical and aligned to 4 bytes; affine `x, y` or homogeneous projective `X, Y, Z` as flags
/// say. Results are normalised: `x, y` or `x, y, 1`, the neutral element `(0, 0)` or `(0, 1, 0)`. Nothing checks that
/// points are on the curve; for others the result is unspecified.
/// Aliasing: an output may be exactly an operand of points of the same form and length, and is disjoint from all
/// others. Place, asynchrony and errors are as `icicle_vec_ops_config_t` says; also `INVALID_ARGUMENT` for a
/// `struct_size` below that of the first version, or for bytes set beyond what this library knows.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PointsConfig {
    /// `sizeof` this struct, as `icicle_points_config_default` sets it.
    pub struct_size: usize,
    /// Stream to enqueue on, of `icicle_create_stream`; null is the default stream of the device.
    pub stream: *mut c_void,
    /// The first operand is device memory.
    pub is_a_on_device: Flag,
    /// The second operand is device memory.
    pub is_b_on_device: Flag,
    /// The result is device memory.
    pub is_result_on_device: Flag,
    /// Return once the work is enqueued, on devices with streams.
    pub is_async: Flag,
    /// The first operand's points are `x, y` rather than `X, Y, Z`.
    pub is_a_affine: Flag,
    /// The second operand's points are.
    pub is_b_affine: Flag,
    /// The result's points are.
    pub is_result_affine: Flag,
    /// The first operand is a single point, or scalar, that stands for `n`.
    pub is_a_single: Flag,
    /// The second operand is a single point that stands for `n`.
    pub is_b_single: Flag,
    /// Not read: ICICLE's options of its backends.
    pub ext: *const c_void,
}

/// Options of a matrix product. Place, asynchrony and errors are as `icicle_vec_ops_config_t` says.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MatMulConfig {
    /// Stream to enqueue on, of `icicle_create_stream`; null is the default stream of the device.
    pub stream: *mut c_void,
    /// `mat_a` is device memory.
    pub is_a_on_device: Flag,
    /// `mat_b` is device memory.
    pub is_b_on_device: Flag,
    /// `mat_out` is device memory.
    pub is_result_on_device: Flag,
    /// `mat_a` is stored transposed.
    pub a_transposed: Flag,
    /// `mat_b` is stored transposed.
    pub b_transposed: Flag,
    /// Store the result transposed.
    pub result_transposed: Flag,
    /// Return once the work is enqueued, on devices with streams.
    pub is_async: Flag,
    /// Not read: ICICLE's options of its backends.
    pub ext: *const c_void,
}

/// Options of `icicle_ntt_init_domain`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct NttInitDomainConfig {
    /// A stream of the device that gets the domain; null means the current device.
    pub stream: *mut c_void,
    /// Without effect: nothing is enqueued.
    pub is_async: Flag,
    /// Not read: ICICLE's options of its backends.
    pub ext: *const c_void,
}

/// Options of a multi-scalar multiplication. Place, asynchrony and errors are as `icicle_vec_ops_config_t` says, for
/// scalars, bases and results; the flag of results also says where `icicle_msm_precompute_bases` writes.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MsmConfig {
    /// Stream to enqueue on, of `icicle_create_stream`; null is the default stream of the device.
    pub stream: *mut c_void,
    /// The bases hold this many multiples of each point, 1 to 1024.
    pub precompute_factor: i32,
    /// Most window bits, at most 24; 0 sets no bound. The library takes the cheapest window up to it for the number of
    /// points. With precomputed bases it also fixes the distance of the multiples (16 if 0), so the expansion and the
    /// MSM must be given the same value.
    pub c: i32,
    /// Significant bits of the scalars; 0 means those of the scalar field.
    pub bitsize: i32,
    /// Number of multiplications, at least 1.
    pub batch_size: i32,
    /// The batch shares one set of bases.
    pub are_points_shared_in_batch: Flag,
    /// Scalars are device memory.
    pub are_scalars_on_device: Flag,
    /// Scalars are in Montgomery form.
    pub are_scalars_montgomery_form: Flag,
    /// Bases are device memory.
    pub are_points_on_device: Flag,
    /// Coordinates of the bases are in Montgomery form.
    pub are_points_montgomery_form: Flag,
    /// Results are device memory.
    pub are_results_on_device: Flag,
    /// Return once the work is enqueued, on devices with streams.
    pub is_async: Flag,
    /// Not read: ICICLE's options of its backends.
    pub ext: *const c_void,
}

/// Options of a transform; `LIMBS` is the number of 32-bit limbs of the scalar field, also for extensions and points.
/// Place, asynchrony and errors are as `icicle_vec_ops_config_t` says.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct NttConfig<const LIMBS: usize> {
    /// Stream to enqueue on, of `icicle_create_stream`; null is the default stream of the device.
    pub stream: *mut c_void,
    /// Coset generator, canonical; 1 for none.
    pub coset_gen: [u32; LIMBS],
    /// Number of transforms, at least 1.
    pub batch_size: i32,
    /// Element `i` of transform `b` lies at `i·batch_size + b`.
    pub columns_batch: Flag,
    /// Order of inputs and outputs: NN 0, NR 1, RN 2, RR 3, NM 4, MN 5.
    pub ordering: i32,
    /// Inputs are device memory.
    pub are_inputs_on_device: Flag,
    /// Outputs are device memory.
    pub are_outputs_on_device: Flag,
    /// Return once the work is enqueued, on devices with streams.
    pub is_async: Flag,
    /// Not read: ICICLE's options of its backends.
    pub ext: *const c_void,
}

/// Options of a transform whose scalar field has 4 bytes: babybear, koalabear.
pub type NttConfig1 = NttConfig<1>;
/// Options of a transform whose scalar field has 8 bytes: goldilocks.
pub type NttConfig2 = NttConfig<2>;
/// Options of a transform whose scalar field has 32 bytes: bn254, bls12_381, bls12_377, stark252.
pub type NttConfig8 = NttConfig<8>;
/// Options of a transform whose scalar field has 48 bytes: bw6_761.
pub type NttConfig12 = NttConfig<12>;

impl<const LIMBS: usize> Default for NttConfig<LIMBS> {
    fn default() -> Self {
        let core = CoreNtt::default();
        Self {
            stream: std::ptr::null_mut(),
            coset_gen: std::array::from_fn(|i| u32::from(i == 0)),
            batch_size: core.batch as i32,
            columns_batch: core.columns.into(),
            ordering: core.ordering as i32,
            are_inputs_on_device: 0,
            are_outputs_on_device: 0,
            is_async: 0,
            ext: std::ptr::null(),
        }
    }
}

impl<const LIMBS: usize> From<NttConfig<LIMBS>> for AnyNttConfig {
    fn from(config: NttConfig<LIMBS>) -> Self {
        Self {
            stream: config.stream,
            coset_gen: std::array::from_fn(|i| config.coset_gen.get(i).copied().unwrap_or(0)),
            batch_size: config.batch_size,
            columns_batch: config.columns_batch,
            ordering: config.ordering,
            are_inputs_on_device: config.are_inputs_on_device,
            are_outputs_on_device: config.are_outputs_on_device,
            is_async: config.is_async,
        }
    }
}

/// Transform options with room for every coset generator.
pub(crate) struct AnyNttConfig {
    stream: *mut c_void,
    coset_gen: [u32; 24],
    batch_size: i32,
    columns_batch: Flag,
    ordering: i32,
    pub(crate) are_inputs_on_device: Flag,
    pub(crate) are_outputs_on_device: Flag,
    is_async: Flag,
}

impl AnyNttConfig {
    pub(crate) fn to_core(&self, op: &'static str) -> Result<CoreNtt> {
        let mut coset = [0u64; 12];
        for (word, pair) in coset.iter_mut().zip(self.coset_gen.chunks_exact(2)) {
            *word = u64::from(pair[0]) | u64::from(pair[1]) << 32;
        }
        let ordering = match self.ordering {
            0 => Ordering::NaturalNatural,
            1 => Ordering::NaturalReversed,
            2 => Ordering::ReversedNatural,
            3 => Ordering::ReversedReversed,
            4 => Ordering::NaturalMixed,
            5 => Ordering::MixedNatural,
            other => return Err(Error::argument(op, format!("ordering {other}: must be 0 to 5"))),
        };
        Ok(CoreNtt {
            launch: stream::launch(op, self.stream, self.is_async)?,
            coset: Some(coset),
            batch: at_least(op, "batch_size", self.batch_size, 1)?,
            columns: self.columns_batch != 0,
            ordering,
        })
    }
}

/// A count given as a C `int`.
pub(crate) fn at_least(op: &'static str, arg: &str, value: i32, least: u32) -> Result<usize> {
    match u32::try_from(value) {
        Ok(value) if value >= least => Ok(value as usize),
        _ => Err(Error::argument(op, format!("{arg} {value}: must be at least {least}"))),
    }
}

/// A number of elements given as a signed integer.
pub(crate) fn count(op: &'static str, arg: &str, value: i64) -> Result<usize> {
    usize::try_from(value).map_err(|_| Error::argument(op, format!("{arg} {value}: must be at least 0")))
}

/// A number of elements given as an unsigned integer.
pub(crate) fn size(op: &'static str, arg: &str, value: u64) -> Result<usize> {
    usize::try_from(value).map_err(|_| Error::argument(op, format!("{arg} {value}: exceeds the address space")))
}

impl VecOpsConfig {
    pub(crate) fn to_core(self, op: &'static str) -> Result<VectorConfig> {
        let batch = at_least(op, "batch_size", self.batch_size, 1)?;
        Ok(VectorConfig { launch: self.launch(op)?, batch, columns: self.columns_batch != 0 })
    }
    pub(crate) fn launch(&self, op: &'static str) -> Result<Launch> {
        stream::launch(op, self.stream, self.is_async)
    }
}

impl PointsConfig {
    pub(crate) fn launch(&self, op: &'static str) -> Result<Launch> {
        stream::launch(op, self.stream, self.is_async)
    }
}

impl MatMulConfig {
    pub(crate) fn to_core(self, op: &'static str) -> Result<CoreMatMul> {
        Ok(CoreMatMul {
            launch: stream::launch(op, self.stream, self.is_async)?,
            a_transposed: self.a_transposed != 0,
            b_transposed: self.b_transposed != 0,
            result_transposed: self.result_transposed != 0,
        })
    }
}

impl NttInitDomainConfig {
    pub(crate) fn to_core(self, op: &'static str) -> Result<Launch> {
        stream::launch(op, self.stream, self.is_async)
    }
}

impl MsmConfig {
    pub(crate) fn to_core(self, op: &'static str) -> Result<CoreMsm> {
        Ok(CoreMsm {
            launch: stream::launch(op, self.stream, self.is_async)?,
            precompute_factor: at_least(op, "precompute_factor", self.precompute_factor, 1)?,
            c: at_least(op, "c", self.c, 0)? as u32,
            bitsize: at_least(op, "bitsize", self.bitsize, 0)? as u32,
            batch: at_least(op, "batch_size", self.batch_size, 1)?,
            shared_points: self.are_points_shared_in_batch != 0,
            scalars_montgomery: self.are_scalars_montgomery_form != 0,
            points_montgomery: self.are_points_montgomery_form != 0,
        })
    }
}

// What the core has defaults of has the same here.
impl Default for VecOpsConfig {
    fn default() -> Self {
        let VectorConfig { launch, batch, columns } = VectorConfig::default();
        Self {
            stream: std::ptr::null_mut(),
            is_a_on_device: 0,
            is_b_on_device: 0,
            is_result_on_device: 0,
            is_async: launch.is_async.into(),
            batch_size: batch as i32,
            columns_batch: columns.into(),
            ext: std::ptr::null(),
        }
    }
}

impl Default for PointsConfig {
    fn default() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            stream: std::ptr::null_mut(),
            is_a_on_device: 0,
            is_b_on_device: 0,
            is_result_on_device: 0,
            is_async: 0,
            is_a_affine: 0,
            is_b_affine: 0,
            is_result_affine: 0,
            is_a_single: 0,
            is_b_single: 0,
            ext: std::ptr::null(),
        }
    }
}

impl Default for MatMulConfig {
    fn default() -> Self {
        let core = CoreMatMul::default();
        Self {
            stream: std::ptr::null_mut(),
            is_a_on_device: 0,
            is_b_on_device: 0,
            is_result_on_device: 0,
            a_transposed: core.a_transposed.into(),
            b_transposed: core.b_transposed.into(),
            result_transposed: core.result_transposed.into(),
            is_async: core.launch.is_async.into(),
            ext: std::ptr::null(),
        }
    }
}

impl Default for NttInitDomainConfig {
    fn default() -> Self {
        Self { stream: std::ptr::null_mut(), is_async: 0, ext: std::ptr::null() }
    }
}

impl Default for MsmConfig {
    fn default() -> Self {
        let core = CoreMsm::default();
        Self {
            stream: std::ptr::null_mut(),
            precompute_factor: core.precompute_factor as i32,
            c: core.c as i32,
            bitsize: core.bitsize as i32,
            batch_size: core.batch as i32,
            are_points_shared_in_batch: core.shared_points.into(),
            are_scalars_on_device: 0,
            are_scalars_montgomery_form: core.scalars_montgomery.into(),
            are_points_on_device: 0,
            are_points_montgomery_form: core.points_montgomery.into(),
            are_results_on_device: 0,
            is_async: core.launch.is_async.into(),
            ext: std::ptr::null(),
        }
    }
}

plain! {
    IcicleDevice { device_type, id }
    VecOpsConfig {
        stream, is_a_on_device, is_b_on_device, is_result_on_device, is_async, batch_size, columns_batch, ext,
    }
    PointsConfig {
        struct_size, stream, is_a_on_device, is_b_on_device, is_result_on_device, is_async, is_a_affine, is_b_affine,
        is_result_affine, is_a_single, is_b_single, ext,
    }
    MatMulConfig {
        stream, is_a_on_device, is_b_on_device, is_result_on_device, a_transposed, b_transposed, result_transposed, is_async, ext,
    }
    NttInitDomainConfig { stream, is_async, ext }
    MsmConfig {
        stream, precompute_factor, c, bitsize, batch_size, are_points_shared_in_batch, are_scalars_on_device,
        are_scalars_montgomery_form, are_points_on_device, are_points_montgomery_form, are_results_on_device, is_async, ext,
    }
    NttConfig<LIMBS> {
        stream, coset_gen, batch_size, columns_batch, ordering, are_inputs_on_device, are_outputs_on_device, is_async, ext,
    }
}
versioned! { PointsConfig }

/// Assert a layout. Arguments: type, size, field and offset.
macro_rules! layout {
    ($($ty:ident $size:literal: $($field:ident $offset:literal)*;)*) => {$(
        #[cfg(target_pointer_width = "64")]
        const _: () = {
            assert!(size_of::<$ty>() == $size);
            $(assert!(offset_of!($ty, $field) == $offset);)*
        };
    )*};
}

layout! {
    IcicleDevice 68: device_type 0 id 64;
    DeviceProperties 12: using_host_memory 0 num_memory_regions 4 supports_pinned_memory 8;
    VecOpsConfig 32: stream 0 is_a_on_device 8 is_b_on_device 9 is_result_on_device 10 is_async 11 batch_size 12
        columns_batch 16 ext 24;
    PointsConfig 40: struct_size 0 stream 8 is_a_on_device 16 is_b_on_device 17 is_result_on_device 18 is_async 19
        is_a_affine 20 is_b_affine 21 is_result_affine 22 is_a_single 23 is_b_single 24 ext 32;
    MatMulConfig 24: stream 0 is_a_on_device 8 is_b_on_device 9 is_result_on_device 10 a_transposed 11 b_transposed 12
        result_transposed 13 is_async 14 ext 16;
    NttInitDomainConfig 24: stream 0 is_async 8 ext 16;
    NttConfig1 40: stream 0 coset_gen 8 batch_size 12 columns_batch 16 ordering 20 are_inputs_on_device 24 are_outputs_on_device 25 is_async 26 ext 32;
    NttConfig2 40: stream 0 coset_gen 8 batch_size 16 columns_batch 20 ordering 24 are_inputs_on_device 28 are_outputs_on_device 29 is_async 30 ext 32;
    NttConfig8 64: stream 0 coset_gen 8 batch_size 40 columns_batch 44 ordering 48 are_inputs_on_device 52 are_outputs_on_device 53 is_async 54 ext 56;
    NttConfig12 80: stream 0 coset_gen 8 batch_size 56 columns_batch 60 ordering 64 are_inputs_on_device 68 are_outputs_on_device 69 is_async 70 ext 72;
    MsmConfig 40: stream 0 precompute_factor 8 c 12 bitsize 16 batch_size 20 are_points_shared_in_batch 24
        are_scalars_on_device 25 are_scalars_montgomery_form 26 are_points_on_device 27 are_points_montgomery_form 28
        are_results_on_device 29 is_async 30 ext 32;
}
