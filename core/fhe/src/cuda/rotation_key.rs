//! What blind rotations read in a GPU's memory.

use super::roots::{lane_roots, roots, thread_roots};
use crate::host_key::HostKey;
use icicle_cpu::parallel;
use icicle_device::Device;
use icicle_error::Result;
use icicle_error::reserve::filled;
use icicle_kernels::fhe::{LANES, POLYNOMIAL_SIZE, Roots};
use icicle_runtime::Buffer;

/// The bootstrapping key and the roots of its transforms, as kernels read them.
pub(super) struct RotationKey {
    /// The bootstrapping key, transformed.
    pub(super) bootstrap: Buffer<f64>,
    pub(super) roots: Roots,
    pub(super) lane_roots: Buffer<f64>,
    pub(super) thread_roots: Buffer<f64>,
}

impl RotationKey {
    /// A copy of a host's key.
    pub(super) fn new(op: &'static str, device: Device, host: &HostKey) -> Result<Self> {
        // Values of a transform, in the order of its positions, as pairs that lanes of a warp read side by side.
        let mut values = filled(op, host.bootstrap.values.len(), 0.0)?;
        let places = host.fourier.places(op)?;
        let (reals, imaginaries) = places.split_at(POLYNOMIAL_SIZE / 2);
        parallel::chunks(&mut values, POLYNOMIAL_SIZE, &|polynomial, to| {
            let from = &host.bootstrap.values[polynomial * POLYNOMIAL_SIZE..][..POLYNOMIAL_SIZE];
            for (position, (&re, &im)) in reals.iter().zip(imaginaries).enumerate() {
                let at = position % LANES * LANES + position / LANES;
                (to[2 * at], to[2 * at + 1]) = (from[re], from[im]);
            }
        });
        Ok(Self {
            bootstrap: Buffer::from_slice_on(device, &values)?,
            roots: roots(),
            lane_roots: Buffer::from_slice_on(device, &lane_roots(op)?)?,
            thread_roots: Buffer::from_slice_on(device, &thread_roots(op)?)?,
        })
    }

    /// A copy on a GPU, the same or another.
    pub(super) fn to_device(&self, device: Device) -> Result<Self> {
        Ok(Self {
            bootstrap: self.bootstrap.to_device(device)?,
            roots: self.roots,
            lane_roots: self.lane_roots.to_device(device)?,
            thread_roots: self.thread_roots.to_device(device)?,
        })
    }
}
