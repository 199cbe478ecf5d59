//! The server's key in the host's memory, and programmable bootstrapping on CPUs.

use crate::blind_rotation::{Scratch, extract_sample, rotate_by_masks, switch_modulus};
use crate::bootstrapping_key::BootstrappingKey;
use crate::ciphertexts::zeros;
use crate::fourier::Fourier;
use crate::key_switch::KeySwitchKey;
use crate::lookup_table::LookupTable;
use crate::parameters::Parameters;
use icicle_cpu::parallel;
use icicle_cpu::scratch::PerThread;
use icicle_error::Result;
use icicle_error::reserve::filled;

/// The key-switching key and the bootstrapping key.
pub(crate) struct HostKey {
    pub(crate) parameters: &'static Parameters,
    pub(crate) key_switch: KeySwitchKey,
    pub(crate) bootstrap: BootstrappingKey,
    pub(crate) fourier: Fourier,
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

impl HostKey {
    /// A key of its parts.
    pub(crate) fn new(
        op: &'static str,
        parameters: &'static Parameters,
        key_switch: KeySwitchKey,
        bootstrap: BootstrappingKey,
    ) -> Result<Self> {
        Ok(Self { parameters, key_switch, bootstrap, fourier: Fourier::new(op, parameters.polynomial_size)? })
    }

    /// Programmable bootstrapping of `n` ciphertexts: outputs of one follow each other.
    pub(crate) fn bootstrap(&self, op: &'static str, n: usize, layer: &Layer<'_>) -> Result<Vec<u64>> {
        let (parameters, size) = (self.parameters, self.parameters.ciphertext_words());
        let mut out = zeros(op, parameters, n.saturating_mul(layer.outputs))?;
        // As many together as leave every thread as much to do.
        let together = n.div_ceil(parallel::threads() * n.div_ceil(parallel::threads() * TOGETHER).max(1)).max(1);
        let scratch = PerThread::new(op, n.div_ceil(together), || {
            Ok(Work {
                inputs: filled(op, together * size, 0)?,
                small: filled(op, together * parameters.small_words(), 0)?,
                rotation: Scratch::new(op, parameters.polynomial_size, together)?,
            })
        })?;
        parallel::chunks(&mut out, together * layer.outputs * size, &|task, outputs| {
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
    use crate::parameters::{DELTA, TOY};
    use crate::test_keys::toy;

    #[test]
    fn boxes_end_half_way_to_the_next_value() {
        let server = toy().1.host("test").unwrap();
        let tables = [LookupTable::pair(|v| v as i64, |v| 7 - v as i64)];
        for (offset, bound) in [((DELTA / 2).wrapping_neg(), "lower"), (DELTA / 2 - 1, "upper")] {
            // Without a mask there is no noise, and the phase is what is read.
            let input = |i: usize, to: &mut [u64]| add_constant(to, (DELTA * i as u64).wrapping_add(offset));
            let layer = Layer { input: &input, tables: &tables, outputs: 2 };
            let out = server.bootstrap("test", 8, &layer).unwrap();
            for v in 0..8 {
                let bodies = [2 * v, 2 * v + 1].map(|at| out[(at + 1) * TOY.ciphertext_words() - 1]);
                assert_eq!(bodies, [DELTA * v as u64, DELTA * (7 - v as u64)], "{v} {bound}");
            }
        }
    }
}
