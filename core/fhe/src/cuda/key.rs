//! The server's key in a GPU's memory.

use super::memory::Streams;
use super::roots::{lane_roots, roots, thread_roots};
use super::steps::Steps;
use crate::host_key::HostKey;
use crate::parameters::Parameters;
use icicle_cpu::parallel;
use icicle_device::Device;
use icicle_error::reserve::filled;
use icicle_error::{Error, Result};
use icicle_kernels::fhe::{LANES, POLYNOMIAL_SIZE, Roots};
use icicle_runtime::Buffer;

/// The keys as kernels read them: 90 MB.
pub(crate) struct GpuKey {
    pub(super) streams: Streams,
    /// The upper halves of the key-switching key's words, as bytes for tensor cores.
    pub(super) key_switch: Buffer<u8>,
    /// The bootstrapping key, transformed.
    pub(super) bootstrap: Buffer<f64>,
    pub(super) roots: Roots,
    pub(super) lane_roots: Buffer<f64>,
    pub(super) thread_roots: Buffer<f64>,
    /// Bootstraps that the device does at once.
    together: usize,
}

/// Refuse parameters that kernels are not made for.
fn check_parameters(op: &'static str, of: &Parameters) -> Result<()> {
    let got = (of.polynomial_size, of.pbs_base_log, of.ks_base_log, of.ks_levels);
    if got == (POLYNOMIAL_SIZE, 23, 4, 4) {
        return Ok(());
    }
    Err(Error::unsupported(op, format!("parameters {} on a GPU", of.name)))
}

impl GpuKey {
    /// A copy of a host's key.
    pub(crate) fn new(op: &'static str, device: Device, host: &HostKey) -> Result<Self> {
        check_parameters(op, host.parameters)?;
        let streams = Streams::new(device);
        let steps = Steps::new(op, &streams)?;
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
        let words = Buffer::from_slice_on(device, &host.key_switch.words)?;
        let key_switch = steps.arrange_key(&words, host.parameters.small_words())?;
        let together = steps.together();
        drop(steps);
        Ok(Self {
            streams,
            key_switch,
            bootstrap: Buffer::from_slice_on(device, &values)?,
            roots: roots(),
            lane_roots: Buffer::from_slice_on(device, &lane_roots(op)?)?,
            thread_roots: Buffer::from_slice_on(device, &thread_roots(op)?)?,
            together,
        })
    }

    /// A copy on a GPU, the same or another.
    pub(crate) fn to_device(&self, op: &'static str, device: Device) -> Result<Self> {
        let streams = Streams::new(device);
        let together = Steps::new(op, &streams)?.together();
        Ok(Self {
            streams,
            key_switch: self.key_switch.to_device(device)?,
            bootstrap: self.bootstrap.to_device(device)?,
            roots: self.roots,
            lane_roots: self.lane_roots.to_device(device)?,
            thread_roots: self.thread_roots.to_device(device)?,
            together,
        })
    }

    /// Bootstraps that the device does at once.
    pub(crate) fn together(&self) -> usize {
        self.together
    }
}
