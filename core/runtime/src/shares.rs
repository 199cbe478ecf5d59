//! How work is divided among devices in proportion to their speed.

use crate::registry;
use icicle_device::{Device, DeviceKind};
use icicle_error::{Error, Result};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Divide `0..n` in proportion to weights; every boundary but the last is a multiple of `granule`.
pub fn divide(n: usize, granule: usize, weights: &[f64]) -> Vec<Range<usize>> {
    let granule = granule.max(1);
    let total: f64 = weights.iter().sum();
    let (mut start, mut before) = (0, 0.0);
    let last = weights.iter().rposition(|&weight| weight > 0.0);
    let part = |(i, weight): (usize, &f64)| {
        before += weight;
        let granules = (n as f64 / granule as f64 * (before / total)).round() as usize;
        // Nothing may be left to those behind the last of any weight.
        let end = if Some(i) >= last { n } else { granules.saturating_mul(granule).clamp(start, n) };
        let range = start..end;
        start = end;
        range
    };
    weights.iter().enumerate().map(part).collect()
}

/// Weights a caller gives: one a device, none negative, not all zero.
///
/// # Errors
/// `InvalidArgument`.
pub(crate) fn checked(op: &'static str, weights: &[f64], devices: usize) -> Result<()> {
    if weights.len() != devices {
        return Err(Error::argument(
            op,
            format!("{} shares: must be one for each of {devices} devices", weights.len()),
        ));
    }
    if let Some((i, weight)) = weights.iter().enumerate().find(|(_, w)| !w.is_finite() || **w < 0.0) {
        return Err(Error::argument(op, format!("share {i} {weight}: must be finite and not negative")));
    }
    if weights.iter().all(|&weight| weight == 0.0) {
        return Err(Error::argument(op, "shares: must not all be zero"));
    }
    Ok(())
}

/// How many hardware threads of a CPU one multiprocessor of a GPU counts for until speeds are measured: on an H200 with 132
/// of them an MSM of BN254 takes a 45th of its time on 16 threads (docs/PERFORMANCE.md).
const THREADS_A_MULTIPROCESSOR: f64 = 5.5;

/// Speeds to begin with: by parallel units, those of the CPU shared among its virtual devices.
///
/// # Errors
/// `InvalidDevice`.
pub(crate) fn expected(devices: &[Device]) -> Result<Vec<f64>> {
    let cpus = devices.iter().filter(|device| device.kind == DeviceKind::Cpu).count().max(1) as f64;
    let speed = |&device: &Device| {
        let units = f64::from(registry::device_info(device)?.units.max(1));
        Ok(match device.kind {
            DeviceKind::Cpu => units / cpus,
            DeviceKind::Cuda => units * THREADS_A_MULTIPROCESSOR,
        })
    };
    devices.iter().map(speed).collect()
}

/// How fast devices were, by operation.
#[derive(Debug, Default)]
pub(crate) struct Speeds(Mutex<BTreeMap<&'static str, Vec<Option<f64>>>>);

/// Devices that were expected to be equal count as equal unless what was measured differs by more than this: else the parts
/// of equal GPUs would change from call to call.
const EQUAL: f64 = 1.1;

impl Speeds {
    /// Remember a speed: half of it is the last measurement.
    pub(crate) fn record(&self, op: &'static str, expected: &[f64], position: usize, speed: f64) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let speeds = known.entry(op).or_insert_with(|| vec![None; expected.len()]);
        if let Some(slot) = speeds.get_mut(position) {
            *slot = Some(slot.map_or(speed, |before| (before + speed) / 2.0));
        }
    }

    /// Whether a device was measured at an operation.
    pub(crate) fn knows(&self, op: &'static str, position: usize) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(op).is_some_and(|speeds| speeds.get(position).is_some_and(Option::is_some))
    }

    /// The speeds for an operation: measured ones, and of devices not measured as many times what was expected as the
    /// measured ones are.
    pub(crate) fn of(&self, op: &'static str, expected: &[f64]) -> Vec<f64> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(measured) = known.get(op) else { return expected.to_vec() };
        let pairs =
            || measured.iter().zip(expected).filter_map(|(speed, expected)| speed.map(|speed| (speed, expected)));
        let (sum, of) = pairs().fold((0.0, 0.0), |(sum, of), (speed, expected)| (sum + speed, of + expected));
        if of == 0.0 {
            return expected.to_vec();
        }
        let speed = |(speed, expected): (&Option<f64>, &f64)| speed.unwrap_or(expected * sum / of);
        let mut speeds: Vec<f64> = measured.iter().zip(expected).map(speed).collect();
        for i in 0..speeds.len() {
            let alike = |&j: &usize| expected[j] == expected[i];
            let group: Vec<usize> = (0..speeds.len()).filter(alike).collect();
            let (low, high) = group.iter().fold((f64::MAX, 0.0f64), |(l, h), &j| (l.min(speeds[j]), h.max(speeds[j])));
            if group[0] == i && high <= EQUAL * low {
                let mean = group.iter().map(|&j| speeds[j]).sum::<f64>() / group.len() as f64;
                group.iter().for_each(|&j| speeds[j] = mean);
            }
        }
        speeds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other_and_fill_the_whole() {
        for (n, granule, weights, ends) in [
            (10, 1, &[1.0, 1.0][..], &[5, 10][..]),
            (11, 1, &[1.0, 3.0], &[3, 11]),
            (10, 4, &[1.0, 1.0], &[4, 10]),
            (64, 16, &[1.0, 2.0, 1.0], &[16, 48, 64]),
            (3, 1, &[1.0; 7], &[0, 1, 1, 2, 2, 3, 3]),
            (0, 1, &[1.0, 2.0], &[0, 0]),
            (5, 1, &[0.0, 1.0, 0.0], &[0, 5, 5]),
            (7, 8, &[1.0, 1.0, 0.0], &[0, 7, 7]),
            (1, 0, &[1.0], &[1]),
        ] {
            let parts = divide(n, granule, weights);
            assert_eq!(parts.iter().map(|part| part.end).collect::<Vec<_>>(), ends, "{n} by {granule}: {weights:?}");
            assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start) && parts[0].start == 0);
        }
    }

    #[test]
    fn shares_are_checked() {
        for (weights, detail) in [
            (&[1.0][..], "1 shares: must be one for each of 2 devices"),
            (&[1.0, -1.0], "share 1 -1: must be finite and not negative"),
            (&[f64::NAN, 1.0], "share 0 NaN: must be finite and not negative"),
            (&[f64::INFINITY, 1.0], "share 0 inf: must be finite and not negative"),
            (&[0.0, 0.0], "shares: must not all be zero"),
        ] {
            assert_eq!(checked("group", weights, 2).unwrap_err().detail, detail);
        }
        checked("group", &[0.0, 2.0], 2).unwrap();
    }

    #[test]
    fn measured_speeds_replace_what_was_expected() {
        let (speeds, expected) = (Speeds::default(), [10.0, 10.0, 1.0]);
        assert_eq!(speeds.of("msm", &expected), expected);
        speeds.record("msm", &expected, 0, 500.0);
        assert_eq!(speeds.of("msm", &expected), [500.0, 500.0, 50.0], "by what the first is to its expectation");
        assert_eq!(speeds.of("ntt", &expected), expected, "of another operation nothing is known");
        speeds.record("msm", &expected, 1, 520.0);
        assert_eq!(speeds.of("msm", &expected), [510.0, 510.0, 51.0], "nearly equal devices are equal");
        speeds.record("msm", &expected, 1, 280.0);
        assert_eq!(speeds.of("msm", &expected)[..2], [500.0, 400.0], "half of the last measurement");
        speeds.record("msm", &expected, 2, 9.0);
        assert_eq!(speeds.of("msm", &expected)[2], 9.0);
    }
}
