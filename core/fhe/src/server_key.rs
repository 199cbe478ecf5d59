//! The server's key: it computes on ciphertexts, and tells nothing about them.

use crate::blind_rotation::{Scratch, extract_sample, rotate_by_masks, switch_modulus};
use crate::bootstrapping_key::BootstrappingKey;
use crate::ciphertexts::{Ciphertexts, KeyTag};
use crate::fourier::Fourier;
use crate::key_switch::KeySwitchKey;
use crate::lookup_table::LookupTable;
use crate::parameters::Parameters;
use icicle_cpu::parallel;
use icicle_cpu::scratch::PerThread;
use icicle_device::{Device, DeviceKind};
use icicle_error::reserve::filled;
use icicle_error::{Error, Result};
use std::fmt;

/// The key to compute with: the key-switching key and the bootstrapping key, 120 MB, in a CPU's memory.
///
/// It holds only encryptions, so that it may be given away; threads may share it.
pub struct ServerKey {
    pub(crate) parameters: &'static Parameters,
    pub(crate) tag: KeyTag,
    device: Device,
    pub(crate) key_switch: KeySwitchKey,
    pub(crate) bootstrap: BootstrappingKey,
    pub(crate) fourier: Fourier,
}

impl fmt::Debug for ServerKey {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("ServerKey")
            .field("parameters", &self.parameters.name)
            .field("tag", &self.tag)
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}

/// What bootstraps that are done together work in beside the blind rotations': their inputs, and those after the key switch.
struct Work {
    inputs: Vec<u64>,
    small: Vec<u64>,
    rotation: Scratch,
}

/// Bootstraps that are done together, each step of all before the next: keys come from memory once for them, and what they work in
/// stays in a core's own cache, half a megabyte.
const TOGETHER: usize = 8;

/// Bootstraps that do not depend on each other.
pub(crate) struct Layer<'a> {
    /// Write the input of a bootstrap, a combination of earlier ciphertexts, over zeros.
    pub(crate) input: &'a (dyn Fn(usize, &mut [u64]) + Sync),
    /// The tables, which bootstraps take in turn.
    pub(crate) tables: &'a [LookupTable],
    /// Functions in each table: 1, or 2 for pairs.
    pub(crate) outputs: usize,
}

impl ServerKey {
    /// Refuse a device that cannot have a key.
    pub(crate) fn check_device(op: &'static str, device: Device) -> Result<()> {
        if device.kind != DeviceKind::Cpu {
            return Err(Error::unsupported(op, format!("device {device}: encrypted integers run on CPUs only")));
        }
        icicle_runtime::device_info(device).map(|_| ())
    }

    /// A key of its parts, for a device that was checked.
    pub(crate) fn of(
        op: &'static str,
        (parameters, tag): (&'static Parameters, KeyTag),
        device: Device,
        key_switch: KeySwitchKey,
        bootstrap: BootstrappingKey,
    ) -> Result<Self> {
        let fourier = Fourier::new(op, parameters.polynomial_size)?;
        Ok(Self { parameters, tag, device, key_switch, bootstrap, fourier })
    }

    /// The set of parameters.
    pub fn parameters(&self) -> &'static Parameters {
        self.parameters
    }

    /// The device that computes.
    pub fn device(&self) -> Device {
        self.device
    }

    /// No ciphertexts but room for so many.
    pub(crate) fn zeros(&self, op: &'static str, count: usize) -> Result<Ciphertexts> {
        Ciphertexts::new(op, self.parameters, self.tag, count)
    }

    /// Programmable bootstrapping of `n` ciphertexts: outputs of one follow each other.
    pub(crate) fn bootstrap(&self, op: &'static str, n: usize, layer: &Layer<'_>) -> Result<Ciphertexts> {
        let mut out = self.zeros(op, n.saturating_mul(layer.outputs))?;
        let (parameters, size) = (self.parameters, self.parameters.ciphertext_words());
        // As many together as leave every thread as much to do.
        let together = n.div_ceil(parallel::threads() * n.div_ceil(parallel::threads() * TOGETHER).max(1)).max(1);
        let scratch = PerThread::new(op, n.div_ceil(together), || {
            Ok(Work {
                inputs: filled(op, together * size, 0)?,
                small: filled(op, together * parameters.small_words(), 0)?,
                rotation: Scratch::new(op, parameters.polynomial_size, together)?,
            })
        })?;
        parallel::chunks(&mut out.words, together * layer.outputs * size, &|task, outputs| {
            scratch.lend(|work| self.bootstrap_together(layer, task * together, outputs, work));
        });
        Ok(out)
    }

    /// Key switch, modulus switch, blind rotation, sample extraction, of the bootstraps from the `first` on.
    fn bootstrap_together(&self, layer: &Layer<'_>, first: usize, outputs: &mut [u64], work: &mut Work) {
        let (n, size, small_size) =
            (self.parameters.polynomial_size, self.parameters.ciphertext_words(), self.parameters.small_words());
        let count = outputs.len() / (layer.outputs * size);
        let Work { inputs, small, rotation } = work;
        let (inputs, small) = (&mut inputs[..count * size], &mut small[..count * small_size]);
        inputs.fill(0);
        inputs.chunks_mut(size).enumerate().for_each(|(i, input)| (layer.input)(first + i, input));
        self.key_switch.switch(inputs, small);
        for (i, (ciphertext, accumulator)) in
            small.chunks_mut(small_size).zip(rotation.accumulators.chunks_mut(2 * n)).enumerate()
        {
            switch_modulus(ciphertext, n);
            let (mask, body) = accumulator.split_at_mut(n);
            mask.fill(0);
            let table = &layer.tables[(first + i) % layer.tables.len()];
            table.write(self.parameters, ciphertext[small_size - 1] as usize, body);
        }
        rotate_by_masks(small, small_size, &self.bootstrap, self.parameters, &self.fourier, rotation);
        let accumulators = rotation.accumulators.chunks(2 * n);
        for (outputs, accumulator) in outputs.chunks_mut(layer.outputs * size).zip(accumulators) {
            for (at, output) in outputs.chunks_mut(size).enumerate() {
                extract_sample(accumulator, at * n / 2, output);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ciphertexts::add_constant;
    use crate::parameters::DELTA;
    use crate::test_keys::toy;

    #[test]
    fn boxes_end_half_way_to_the_next_value() {
        let (_, server) = toy();
        let tables = [LookupTable::pair(|v| v as i64, |v| 7 - v as i64)];
        for (offset, bound) in [((DELTA / 2).wrapping_neg(), "lower"), (DELTA / 2 - 1, "upper")] {
            // Without a mask there is no noise, and the phase is what is read.
            let input = |i: usize, to: &mut [u64]| add_constant(to, (DELTA * i as u64).wrapping_add(offset));
            let layer = Layer { input: &input, tables: &tables, outputs: 2 };
            let out = server.bootstrap("test", 8, &layer).unwrap();
            for v in 0..8 {
                let bodies = [2 * v, 2 * v + 1].map(|at| out.get(at)[out.size - 1]);
                assert_eq!(bodies, [DELTA * v as u64, DELTA * (7 - v as u64)], "{v} {bound}");
            }
        }
    }
}
