//! Transforms of points on the device against the CPU device.

use super::vector::{Case, elements};
use super::{exclusive, small};
use icicle::device::{self, Dst, Launch, Src};
use icicle::ops::ntt::{Direction, NttConfig, Ordering, ecntt, init_domain, root_of_unity};
use icicle::ops::vector::VectorConfig;
use icicle::ops::{Domain, Op, msm};
use icicle::{CURVES, CurveId, Device, DeviceGuard};

const CUDA: Device = Device::cuda(0);

/// Multiples of the generator, projective and canonical.
pub fn points(curve: CurveId, n: usize) -> Vec<u32> {
    let row = curve.info();
    let coordinate = |c: &[[u64; 12]; 2]| -> Vec<u32> {
        c[0].iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).take(row.base.info().bytes() / 4).collect()
    };
    let generator = [coordinate(&row.x), coordinate(&row.y)].concat();
    let scalars = elements(row.scalar, n, 17);
    let mut out = vec![0u32; n * generator.len() / 2 * 3];
    let config = msm::MsmConfig { batch: n, ..msm::MsmConfig::default() };
    msm::msm(curve, 1, (&scalars).into(), (&generator).into(), &config, (&mut out).into()).unwrap();
    out
}

#[test]
fn transforms_of_points_agree_with_the_cpu() {
    let Some(_one) = exclusive() else { return };
    let mut count = 0;
    for row in CURVES.iter().filter(|row| device::supports(CUDA, Op::EcNtt, Domain::Curve(row.id)).unwrap()) {
        // Enough pairs for a thread each, and few enough for eight together.
        let log_most = if small() { 5 } else { 15 };
        for device in [Device::cpu(0), CUDA] {
            let _guard = DeviceGuard::new(device).unwrap();
            init_domain(row.scalar, root_of_unity(row.scalar, 1 << log_most).unwrap(), &Launch::default()).unwrap();
        }
        let input = points(row.id, 1 << log_most);
        let each = input.len() >> log_most;
        let mut cases = vec![(0, 1, false), (3, 2, true), (5, 1, false)];
        if !small() && row.id == CurveId::Bn254 {
            cases.extend([(9, 64, true), (log_most, 1, false)]);
        }
        for (log_n, batch, columns) in cases {
            let input = &input[..(each * batch) << log_n];
            for direction in [Direction::Forward, Direction::Inverse] {
                for (ordering, coset) in [(Ordering::NaturalNatural, 7), (Ordering::ReversedNatural, 1)] {
                    let mut words = [0u64; 12];
                    words[0] = coset;
                    let call = |s: &[Src<'_>], c: &VectorConfig, out: Dst<'_>| {
                        let config =
                            NttConfig { launch: c.launch.clone(), coset: Some(words), batch, columns, ordering };
                        ecntt(row.id, 1 << log_n, direction, &config, s[0], out)
                    };
                    let name = format!("{} {direction:?} {ordering:?} 2^{log_n} batch {batch} {columns}", row.name);
                    Case { name, inputs: vec![input], out_words: input.len(), call: &call }
                        .compare(&VectorConfig::default());
                    count += 1;
                }
            }
        }
    }
    println!("{count} transforms of points agree with the CPU");
}
