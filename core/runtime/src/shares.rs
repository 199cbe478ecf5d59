//! How work is divided among devices in proportion to their speed.

use icicle_device::{Device, DeviceKind};
use icicle_error::{Error, Result};
use std::ops::Range;

use crate::registry;

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
            (7, 8, &[1.0, 1.0, 0.0], &[7, 7, 7]),
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
}
