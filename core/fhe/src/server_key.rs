//! The server's key: it computes on ciphertexts, and tells nothing about them.

use crate::blind_rotation::{Scratch, extract_sample, rotate_by_mask, switch_modulus};
use crate::bootstrapping_key::BootstrappingKey;
use crate::ciphertexts::{Ciphertexts, KeyTag};
use crate::client_key::ClientKey;
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
    key_switch: KeySwitchKey,
    bootstrap: BootstrappingKey,
    fourier: Fourier,
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

/// What a bootstrap works in beside the blind rotation's: its input, and that after the key switch.
struct Work {
    input: Vec<u64>,
    small: Vec<u64>,
    rotation: Scratch,
}

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
    pub(crate) fn generate(client: &ClientKey, device: Device) -> Result<Self> {
        const OP: &str = "fhe_server_key";
        if device.kind != DeviceKind::Cpu {
            return Err(Error::unsupported(OP, format!("device {device}: encrypted integers run on CPUs only")));
        }
        icicle_runtime::device_info(device)?;
        let parameters = client.parameters;
        Ok(Self {
            parameters,
            tag: client.tag,
            device,
            key_switch: KeySwitchKey::generate(OP, parameters, &client.large, &client.small)?,
            bootstrap: BootstrappingKey::generate(OP, parameters, &client.small, &client.large)?,
            fourier: Fourier::new(OP, parameters.polynomial_size)?,
        })
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
        Ciphertexts::new(op, self.tag, count, self.parameters.ciphertext_words())
    }

    /// Programmable bootstrapping of `n` ciphertexts: outputs of one follow each other.
    pub(crate) fn bootstrap(&self, op: &'static str, n: usize, layer: &Layer<'_>) -> Result<Ciphertexts> {
        let mut out = self.zeros(op, n.saturating_mul(layer.outputs))?;
        let parameters = self.parameters;
        let scratch = PerThread::new(op, n, || {
            Ok(Work {
                input: filled(op, parameters.ciphertext_words(), 0)?,
                small: filled(op, parameters.small_words(), 0)?,
                rotation: Scratch::new(op, parameters.polynomial_size)?,
            })
        })?;
        parallel::chunks(&mut out.words, layer.outputs * parameters.ciphertext_words(), &|i, outputs| {
            scratch.lend(|work| {
                work.input.fill(0);
                (layer.input)(i, &mut work.input);
                self.bootstrap_one(&layer.tables[i % layer.tables.len()], outputs, work);
            });
        });
        Ok(out)
    }

    /// Key switch, modulus switch, blind rotation, sample extraction.
    fn bootstrap_one(&self, table: &LookupTable, outputs: &mut [u64], work: &mut Work) {
        let n = self.parameters.polynomial_size;
        let Work { input, small, rotation } = work;
        self.key_switch.switch(input, small);
        switch_modulus(small, n);
        let Some((&body, mask)) = small.split_last() else { return };
        let (accumulator_mask, accumulator_body) = rotation.accumulator.split_at_mut(n);
        accumulator_mask.fill(0);
        table.write(self.parameters, body as usize, accumulator_body);
        rotate_by_mask(mask, &self.bootstrap, self.parameters, &self.fourier, rotation);
        for (at, output) in outputs.chunks_mut(self.parameters.ciphertext_words()).enumerate() {
            extract_sample(&rotation.accumulator, at * n / 2, output);
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
