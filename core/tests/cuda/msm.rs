//! Multi-scalar multiplication: where inputs lie and how many results there are changes what the device does, and must
//! not change what comes out. The CPU device is the reference; its own is arkworks.

use super::vector::elements;
use super::{exclusive, fake, small};
use icicle::device::{self, Dst, Launch, PinnedBuffer, Src};
use icicle::ops::msm::{MsmConfig, msm, precompute};
use icicle::ops::{Domain, Op, point};
use icicle::{Buffer, CurveId, Device, DeviceGuard, Stream};

const CUDA: Device = Device::cuda(0);

/// Whether there is a GPU with the kernels of a curve.
fn ready(curve: CurveId) -> bool {
    !fake() && device::supports(CUDA, Op::Msm, Domain::Curve(curve)).unwrap()
}

/// Scalars with 0, 1 and r − 1 among them.
fn scalars(curve: CurveId, n: usize) -> Vec<u32> {
    elements(curve.info().scalar, n, 3)
}

/// 64 random points, the neutral one and a repeated one among them, again and again.
fn points(curve: CurveId, n: usize) -> Vec<u32> {
    let bytes = 2 * curve.info().base.info().bytes();
    let mut some = vec![0u8; 64 * bytes];
    point::random(curve, point::PointForm::Affine, &mut some).unwrap();
    some[..bytes].fill(0);
    some.copy_within(bytes..2 * bytes, 2 * bytes);
    let words: Vec<u32> = some.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    words.into_iter().cycle().take(n * bytes / 4).collect()
}

/// Words of `batch` results.
fn room(curve: CurveId, batch: usize) -> Vec<u32> {
    vec![0xdead_beef; batch * 3 * curve.info().base.info().bytes() / 4]
}

fn on<T>(device: Device, run: impl FnOnce() -> T) -> T {
    let _guard = DeviceGuard::new(device).unwrap();
    run()
}

fn run(curve: CurveId, n: usize, s: Src<'_>, p: Src<'_>, config: &MsmConfig) -> Vec<u32> {
    let mut out = room(curve, config.batch);
    msm(curve, n, s, p, config, Dst::from(&mut out)).unwrap();
    out
}

/// Inputs of more than 32 MiB on the host are taken in parts, copied while the part before is worked on.
#[test]
fn inputs_of_the_host_are_taken_in_parts() {
    let Some(_one) = exclusive() else { return };
    for (curve, n, batch, shared, factor) in [
        (CurveId::Bn254, (1 << 19) + 3, 1, true, 1),
        (CurveId::Bls12_381, (1 << 18) + 1, 2, true, 1),
        (CurveId::Grumpkin, (1 << 18) + 77, 2, false, 1),
        (CurveId::Bn254, 100_001, 3, true, 4),
    ] {
        if !ready(curve) || small() {
            continue;
        }
        let config = MsmConfig { batch, shared_points: shared, precompute_factor: factor, ..MsmConfig::default() };
        let s = scalars(curve, batch * n);
        let mut p = points(curve, if shared { n } else { batch * n });
        if factor > 1 {
            let mut multiples = vec![0; p.len() * factor];
            on(CUDA, || precompute(curve, n, Src::from(&p), &config, Dst::from(&mut multiples))).unwrap();
            p = multiples;
        }
        let expected = on(Device::cpu(0), || run(curve, n, Src::from(&s), Src::from(&p), &config));
        on(CUDA, || {
            let what = format!("{curve:?} {n} {config:?}");
            assert!(run(curve, n, Src::from(&s), Src::from(&p), &config) == expected, "pageable: {what}");
            let (ps, pp) = (PinnedBuffer::from_slice(&s).unwrap(), PinnedBuffer::from_slice(&p).unwrap());
            assert!(run(curve, n, Src::from(&ps), Src::from(&pp), &config) == expected, "page-locked: {what}");
            let ds = Buffer::from_slice(&s).unwrap();
            assert!(run(curve, n, Src::from(&ds), Src::from(&pp), &config) == expected, "points alone: {what}");
            let dp = Buffer::from_slice(&p).unwrap();
            assert!(run(curve, n, Src::from(&ps), Src::from(&dp), &config) == expected, "scalars alone: {what}");
            assert!(run(curve, n, Src::from(&ds), Src::from(&dp), &config) == expected, "resident: {what}");
        });
    }
}

/// Buckets of any number of points, on both sides of every bound: crossing no chunk, few and more than one thread adds,
/// blocks of the tree and several of its levels; uniform ones among them.
#[test]
fn no_distribution_of_scalars_changes_the_sum() {
    let Some(_one) = exclusive() else { return };
    let sizes: &[usize] = if small() { &[700, 5000] } else { &[700, 5000, 40_000, 300_000] };
    for curve in [CurveId::Bn254, CurveId::Bls12_381, CurveId::Bn254G2] {
        if !ready(curve) {
            continue;
        }
        let words = curve.info().scalar.info().bytes() / 4;
        for &n in sizes {
            // Distinct but for the neutral one and a repetition, so that a sum that is lost is missed.
            let bytes = 2 * curve.info().base.info().bytes();
            let mut some = vec![0u8; n.min(1 << 14) * bytes];
            point::random(curve, point::PointForm::Affine, &mut some).unwrap();
            some[5 * bytes..6 * bytes].fill(0);
            let p: Vec<u32> = some.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
            let p: Vec<u32> = p.into_iter().cycle().take(n * bytes / 4).collect();
            let uniform = scalars(curve, n);
            let shorten = |scalar: &mut [u32], bits: u32| scalar[words - 1] &= u32::MAX >> bits;
            type Skew<'a> = &'a dyn Fn(usize, &mut [u32]);
            let skews: [(&str, Skew<'_>); 8] = [
                ("short", &|_, s| shorten(s, 4)),
                ("shorter", &|_, s| shorten(s, 9)),
                ("all ones", &|_, s| {
                    s.fill(u32::MAX);
                    shorten(s, 4);
                }),
                ("zeros and ones", &|i, s| {
                    s.fill(0);
                    s[0] = i as u32 % 3 % 2;
                }),
                ("one value in half of the places", &|i, s| {
                    if i % 2 == 0 {
                        s.copy_from_slice(&uniform[..words]);
                        s[1] = 77;
                    }
                }),
                ("all equal", &|_, s| s.fill(0x0123_4567)),
                ("one after another", &|i, s| s.fill(if i < n / 3 { 3 } else { 0x0789_abcd })),
                ("a third none", &|i, s| {
                    if i % 3 == 0 {
                        s.fill(0);
                    }
                }),
            ];
            for (what, skew) in skews {
                let mut s = uniform.clone();
                s.chunks_exact_mut(words).enumerate().for_each(|(i, scalar)| skew(i, scalar));
                for c in if n == 5000 { &[0, 4, 12][..] } else { &[0] } {
                    let config = MsmConfig { c: *c, ..MsmConfig::default() };
                    let [cpu, gpu] = [Device::cpu(0), CUDA]
                        .map(|device| on(device, || run(curve, n, Src::from(&s), Src::from(&p), &config)));
                    assert!(cpu == gpu, "{curve:?} n {n} c {c}: {what}");
                }
            }
        }
    }
}

/// Few results are finished by the host, many by the device; neutral ones and empty ones by either.
#[test]
fn any_number_of_results_is_finished() {
    let Some(_one) = exclusive() else { return };
    let curves = [CurveId::Bn254, CurveId::Bls12_381G2, CurveId::Bw6_761];
    for (curve, batch) in curves.into_iter().flat_map(|curve| [1, 8, 9, 33].map(|batch| (curve, batch))) {
        if !ready(curve) {
            continue;
        }
        for (n, c) in [(0, 0), (1, 0), (37, 0), (37, 1), (200, 11)] {
            let config = MsmConfig { batch, c, ..MsmConfig::default() };
            let (mut s, p) = (scalars(curve, batch * n), points(curve, n));
            // One result is neutral.
            let words = s.len() / batch;
            s[..words].fill(0);
            let [cpu, gpu] = [Device::cpu(0), CUDA]
                .map(|device| on(device, || run(curve, n, Src::from(&s), Src::from(&p), &config)));
            assert!(cpu == gpu, "{curve:?} n {n} c {c} batch {batch}");
        }
    }
}

/// Calls under way at once on several streams keep their results apart.
#[test]
fn many_may_be_under_way() {
    let Some(_one) = exclusive() else { return };
    let (curve, n) = (CurveId::Bn254, 500);
    if !ready(curve) {
        return;
    }
    let _guard = DeviceGuard::new(CUDA).unwrap();
    let (s, p) = (scalars(curve, 16 * n), points(curve, n));
    let expected = on(Device::cpu(0), || {
        run(curve, n, Src::from(&s), Src::from(&p), &MsmConfig { batch: 16, ..MsmConfig::default() })
    });
    let (ds, dp) = (Buffer::from_slice(&s).unwrap(), Buffer::from_slice(&p).unwrap());
    let streams = [Stream::on(CUDA).unwrap(), Stream::on(CUDA).unwrap()];
    let each = s.len() / 16;
    let mut outs: Vec<_> = (0..16).map(|_| Buffer::from_slice(&room(curve, 1)).unwrap()).collect();
    for (i, out) in outs.iter_mut().enumerate() {
        let launch = Launch { stream: Some(streams[i % 2].as_ref()), is_async: true };
        let config = MsmConfig { launch, ..MsmConfig::default() };
        let own = ds.slice(i * each..(i + 1) * each).unwrap();
        msm(curve, n, Src::from(own), Src::from(&dp), &config, Dst::from(out)).unwrap();
    }
    streams.iter().for_each(|stream| stream.synchronize().unwrap());
    let results: Vec<u32> = outs.iter().flat_map(|out| out.to_vec().unwrap()).collect();
    assert!(results == expected);
}
