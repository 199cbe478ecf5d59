//! One client's server keys on the devices of a group: operations are divided among them.

use crate::ciphertexts::Ciphertexts;
use crate::circuit::{Evaluator, Task};
#[cfg(feature = "cuda")]
use crate::cuda::GpuKey;
use crate::server_key::ServerKey;
#[cfg(feature = "cuda")]
use crate::server_key::Side;
use icicle_device::{Device, DeviceKind};
use icicle_error::Result;
use icicle_error::reserve::with_capacity;
use icicle_runtime::DeviceGroup;
use std::sync::Arc;
use std::time::Instant;

/// Server keys for all devices of a group. Its operations are those of a [`ServerKey`], and decrypt to the same; the elements of an
/// array are divided among the devices, by how fast they were before or by the group's chosen shares. What a device computes
/// stays in its memory.
///
/// CPU devices share the host's memory, and one key: they are the same processor, so that without chosen shares one of them does
/// the work with all threads.
pub struct KeySet {
    group: Arc<DeviceGroup>,
    /// Of each device, by its position.
    keys: Vec<Arc<ServerKey>>,
}

impl std::fmt::Debug for KeySet {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("KeySet").field("key", &self.keys[0]).field("devices", &self.group.devices()).finish()
    }
}

impl KeySet {
    /// Keys for every device of a group, from that of one device: a CPU's key serves all CPU devices, and each GPU gets a copy, as
    /// [`ServerKey::to_device`] makes it.
    ///
    /// # Errors
    /// Those of [`ServerKey::to_device`].
    pub fn new(group: Arc<DeviceGroup>, key: Arc<ServerKey>) -> Result<Self> {
        const OP: &str = "fhe_key_set";
        let mut keys: Vec<Arc<ServerKey>> = with_capacity(OP, group.devices().len())?;
        for &device in group.devices() {
            let serves = |key: &&Arc<ServerKey>| {
                key.device() == device || (key.device().kind, device.kind) == (DeviceKind::Cpu, DeviceKind::Cpu)
            };
            let known = keys.iter().chain([&key]).find(serves).map(Arc::clone);
            keys.push(known.map_or_else(|| key.to_device(device).map(Arc::new), Ok)?);
        }
        Ok(Self { group, keys })
    }

    /// The devices.
    pub fn group(&self) -> &DeviceGroup {
        &self.group
    }

    /// The key of the device of a position, for a thread that works on that device.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no such position.
    pub fn on(&self, position: usize) -> Result<Arc<ServerKey>> {
        self.group.device(position)?;
        Ok(Arc::clone(&self.keys[position]))
    }
}

impl Evaluator for KeySet {
    fn key(&self) -> &ServerKey {
        &self.keys[0]
    }

    fn threads(&self) -> usize {
        let first = |at: usize| !self.keys[..at].iter().any(|other| Arc::ptr_eq(other, &self.keys[at]));
        (0..self.keys.len()).filter(|&at| first(at)).map(|at| self.keys[at].threads()).sum()
    }

    fn evaluate(&self, task: &Task<'_>) -> Result<Ciphertexts> {
        #[cfg(feature = "cuda")]
        if let Some(results) = self.evaluate_wide(task)? {
            return Ok(results);
        }
        let shares = self.group.divide(task.op, task.elements, 1, 1);
        let compute = |_: Device, position: usize| {
            let (start, share) = (Instant::now(), shares[position].clone());
            // The same circuits on all devices: what noise results have was found out for these.
            let results = self.keys[position].evaluate_share(task, share.clone(), self.threads())?;
            self.group.record(task.op, position, share.len(), start.elapsed());
            Ok(results)
        };
        let parts = self.group.on_some(|position| !shares[position].is_empty(), compute)?;
        // In the order of elements, which is that of devices.
        let parts: Vec<&Ciphertexts> = parts.iter().flatten().collect();
        match parts.is_empty() {
            true => self.keys[0].evaluate_share(task, 0..0, 1),
            false => Ciphertexts::joined(task.op, &parts),
        }
    }
}

#[cfg(feature = "cuda")]
impl KeySet {
    /// The results of fewer elements than there are GPUs, by all of these together: where there are several.
    fn evaluate_wide(&self, task: &Task<'_>) -> Result<Option<Ciphertexts>> {
        let mut keys: Vec<&GpuKey> = with_capacity(task.op, self.keys.len())?;
        for (key, share) in self.keys.iter().zip(self.group.shares()) {
            if let Side::Gpu(key) = &key.side
                && *share > 0.0
                && !keys.iter().any(|other| std::ptr::eq(*other, &**key))
            {
                keys.push(key);
            }
        }
        if keys.len() < 2 || task.elements == 0 || task.elements >= keys.len() {
            return Ok(None);
        }
        let ServerKey { parameters, tag, .. } = *self.key();
        let words = GpuKey::evaluate_together(&keys, parameters, task, 0..task.elements, self.threads())?;
        Ciphertexts::on_gpu(task.op, (parameters, tag), words).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::TOY;
    use crate::{ClientKey, set_server_key};
    use icicle_error::ErrorCode;
    use std::process::Command;

    /// In a process of its own, which has several CPU devices.
    #[test]
    fn work_is_divided_among_devices() {
        const CHILD: &str = "ICICLE_TEST_DEVICES";
        if std::env::var_os(CHILD).is_none() {
            let mut again = Command::new(std::env::current_exe().unwrap());
            again.args(["--exact", "key_set::tests::work_is_divided_among_devices", "--nocapture"]);
            let output = again.env(CHILD, "1").env("ICICLE_CPU_DEVICES", "3").output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && text.contains("1 passed"),
                "{text}{}",
                String::from_utf8_lossy(&output.stderr)
            );
            return;
        }
        let devices: Vec<Device> = (0..3).map(|index| Device { kind: DeviceKind::Cpu, index }).collect();
        let client = ClientKey::generate(&TOY).unwrap();
        let server = Arc::new(client.server_key(devices[0]).unwrap());
        let (a, b): (Vec<u8>, Vec<u8>) = (0..20u8).map(|i| (i * 11, i * 7 + 3)).unzip();
        let (x, y) = (client.encrypt(&a).unwrap(), client.encrypt(&b).unwrap());
        let chosen = DeviceGroup::new(&devices).unwrap().with_shares(&[1.0, 0.0, 3.0]).unwrap();
        for group in [chosen, DeviceGroup::new(&devices).unwrap(), DeviceGroup::new(&devices[1..2]).unwrap()] {
            let keys = KeySet::new(Arc::new(group), Arc::clone(&server)).unwrap();
            // The same ciphertexts, to the last bit, as of one device.
            assert_eq!(keys.mul(&x, &y).unwrap().words().unwrap(), server.mul(&x, &y).unwrap().words().unwrap());
            assert_eq!(keys.mul(&x, &b).unwrap().words().unwrap(), server.mul(&x, &b).unwrap().words().unwrap());
            assert_eq!(keys.shl(&x, 1u8).unwrap().words().unwrap(), server.shl(&x, 1u8).unwrap().words().unwrap());
            assert_eq!(client.decrypt::<u8>(&keys.sum(&x).unwrap()).unwrap(), [(190u32 * 11 % 256) as u8]);
            let none = client.encrypt::<u8>(&[]).unwrap();
            assert!(keys.add(&none, &none).unwrap().is_empty());
            let long = client.encrypt(&[1u8]).unwrap();
            assert_eq!(keys.add(&x, &long).unwrap_err().code, ErrorCode::InvalidArgument);
            assert_eq!(keys.apply_block_lut(&long, |v| 3 - v).unwrap().len(), 1);
            assert_eq!(keys.on(7).unwrap_err().code, ErrorCode::InvalidArgument);
            assert!(Arc::ptr_eq(&keys.on(0).unwrap(), &server));
            // What is divided is what devices remember.
            assert!(format!("{keys:?}").len() < 400);
            set_server_key(keys);
            let sum = (&x + &y).unwrap();
            assert_eq!(
                client.decrypt::<u8>(&sum).unwrap(),
                (0..20u8).map(|i| i.wrapping_mul(18).wrapping_add(3)).collect::<Vec<u8>>()
            );
        }
    }
}
