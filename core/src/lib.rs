//! icicle: devices, memory, and zero-knowledge operations on one device or many.
//!
//! A program lists the [devices](device::devices) of the machine, gives each thread its [current device](DeviceGuard), keeps
//! data in [buffers](Buffer), and runs [operations](ops) over a [field](FieldId) or [curve](CurveId). Operands are host
//! slices or buffers, in memory form: canonical little-endian 32-bit limbs ([`algebra::Limbs`], `u32`, arrays of them).
//! Every call returns a [`Result`] whose [`Error`] names operation, argument, value and rule.
//!
//! Transform a vector and back:
//!
//! ```
//! use icicle::ops::ntt::{Direction, NttConfig, init_domain, ntt, root_of_unity};
//! use icicle::{Buffer, FieldId, Launch};
//!
//! # fn main() -> icicle::Result<()> {
//! let field = FieldId::BabyBearScalar;
//! init_domain(field, root_of_unity(field, 8)?, &Launch::default())?;
//! let x = Buffer::from_slice(&[1u32, 2, 3, 4, 5, 6, 7, 8])?;
//! let mut values = Buffer::<u32>::new(8)?;
//! let config = NttConfig::default();
//! ntt(field, 8, Direction::Forward, &config, (&x).into(), (&mut values).into())?;
//! assert_eq!(values.to_vec()?[0], 36); // the value at 1 is the sum
//! let mut back = vec![0u32; 8];
//! ntt(field, 8, Direction::Inverse, &config, (&values).into(), (&mut back).into())?;
//! assert_eq!(back, x.to_vec()?);
//! # Ok(())
//! # }
//! ```
//!
//! Multiply points by scalars and add up, on each of the machine's devices:
//!
//! ```
//! use icicle::algebra::Limbs;
//! use icicle::algebra::curve::{Bn254, Curve, Group, Projective};
//! use icicle::ops::msm::{MsmConfig, msm};
//! use icicle::{CurveId, DeviceGuard};
//!
//! # fn main() -> icicle::Result<()> {
//! let g = Bn254::GENERATOR;
//! let bases = [g.to_raw(), g.to_raw()];
//! let scalars = [Limbs([3, 0, 0, 0]), Limbs([4, 0, 0, 0])];
//! for device in icicle::device::devices() {
//!     let _current = DeviceGuard::new(device)?;
//!     let mut sum = [[Limbs([0; 4]); 3]];
//!     msm(CurveId::Bn254, 2, scalars[..].into(), bases[..].into(), &MsmConfig::default(), (&mut sum[..]).into())?;
//!     assert_eq!(Projective::<Bn254>::from_raw(sum[0]), Projective::from(g).times(&[7]));
//! }
//! # Ok(())
//! # }
//! ```

pub use icicle_algebra::{with_curve, with_field};
pub use icicle_error::{Error, ErrorCode, Result, error, error_codes, reserve};
pub use icicle_params::{CURVES, CurveId, FIELDS, FieldId};
pub use icicle_runtime::{Buffer, DeviceGroup, DeviceGuard, Launch, Sharded, Stream};

pub use device::{Device, DeviceKind};

/// Fields and curves on the CPU.
pub mod algebra {
    pub use icicle_algebra::{Field, Limbs, PrimeField};
    pub use icicle_algebra::{batch, curve, extension, fields, fp, fp31, goldilocks, mersenne31};
}

/// Devices: what they are, which one a thread works on, their memory, streams and events.
pub mod device {
    pub use icicle_device::{
        Backend, CopyArgs, DeviceInfo, MemoryStats, RawEvent, RawStream, StreamHandle, StreamKind,
    };
    pub use icicle_device::{Device, DeviceKind, Dst, Exec, Place, Src, current_device};
    pub use icicle_runtime::*;
    pub use icicle_zk::supports;
}

/// The operations.
pub mod ops {
    pub use icicle_zk::*;
}

/// Arrays of numbers, on CPUs.
pub use icicle_array as array;

/// Collectives over ranks, on CPUs.
pub use icicle_comm as comm;
/// Encrypted integers, on CPUs.
pub use icicle_fhe as fhe;

/// What only NVIDIA GPUs have.
#[cfg(feature = "cuda")]
pub mod cuda {
    pub use icicle_cuda::{Advice, Dim, Kernel, KernelArg, Managed, Module, PointerInfo, PointerKind};
    pub use icicle_cuda::{
        can_access_peer, enable_peer_access, host_register, host_unregister, pointer_info, set_library_path, warm_up,
    };
}

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
