//! Operations on a CUDA device, medians of wall-clock times, beside what peers took on one H200: sppark 17278d7 and
//! ICICLE v4's CUDA backend, the better of both for each size, and the device's own copy.
//!
//! `cargo bench -p icicle-compute --bench cuda [-- <msm|skew|other|host|ntt|vector>]`; `cargo xtask gpu --bench cuda` stages it for a machine
//! without Rust.
#![allow(missing_docs, clippy::unwrap_used, unsafe_code)]

use icicle::device::{Dst, PinnedBuffer, Src, copy, set_current_device, synchronize};
use icicle::ops::msm::{MsmConfig, msm, precompute};
use icicle::ops::ntt::{Direction, NttConfig, init_domain, ntt, root_of_unity};
use icicle::ops::vector::{Binary, VectorConfig, binary};
use icicle::ops::{point, random};
use icicle::{Buffer, CurveId, Device, FieldId, Launch};
use std::time::Instant;

const RUNS: usize = 9;

/// Median milliseconds of a call, after one that is not counted.
fn time(call: impl FnMut()) -> f64 {
    median(RUNS, call)
}

/// As [`time`], of as many runs.
fn median(runs: usize, mut call: impl FnMut()) -> f64 {
    call();
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            call();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[runs / 2]
}

/// As [`time`], a call's share of several that are enqueued before the device is waited for.
fn time_enqueued(device: Device, count: usize, mut call: impl FnMut()) -> f64 {
    let all = time(|| {
        (0..count).for_each(|_| call());
        synchronize(device).unwrap();
    });
    all / count as f64
}

fn show(what: &str, log_n: u32, ms: f64, peer: Option<f64>) {
    let peer = peer.map_or(String::new(), |peer| format!("  peer {peer:9.3}  ratio {:.2}", peer / ms));
    println!("{what:<34} 2^{log_n:<2} {ms:9.4} ms{peer}");
}

/// Random scalars, and 2^16 random points again and again.
fn inputs(curve: CurveId, log_n: u32) -> (Vec<u8>, Vec<u8>) {
    let row = curve.info();
    let mut scalars = vec![0; row.scalar.info().bytes() << log_n];
    random::field_seeded(row.scalar, [7; 32], &mut scalars).unwrap();
    let mut some = vec![0; (2 * row.base.info().bytes()) << log_n.min(16)];
    point::random(curve, point::PointForm::Affine, &mut some).unwrap();
    (scalars, some.repeat(1 << log_n.saturating_sub(16)))
}

const MSM: [(CurveId, [f64; 8]); 2] = [
    (CurveId::Bn254, [4.2, 2.7, 3.96, 5.53, 10.3, 25.2, 78.6, 275.0]),
    (CurveId::Bls12_381, [10.6, 4.2, 6.2, 12.9, 19.8, 45.9, 140.1, 557.0]),
];

fn multiplications(device: Device) {
    for (curve, peers) in MSM {
        let row = curve.info();
        let (scalars, points) = inputs(curve, 26);
        let mut out = Buffer::<u8>::on(device, 3 * row.base.info().bytes()).unwrap();
        for (i, peer) in peers.into_iter().enumerate() {
            let log_n = 12 + 2 * i as u32;
            let s = Buffer::from_slice_on(device, &scalars[..row.scalar.info().bytes() << log_n]).unwrap();
            let p = Buffer::from_slice_on(device, &points[..(2 * row.base.info().bytes()) << log_n]).unwrap();
            let config = MsmConfig::default();
            let run = || msm(curve, 1 << log_n, Src::from(&s), Src::from(&p), &config, Dst::from(&mut out)).unwrap();
            show(&format!("msm {} resident", row.name), log_n, time(run), Some(peer));
        }
    }
}

/// A distribution of scalars, made of uniform ones: what becomes of each, by a random number.
type Skew = fn(scalar: &mut [u8], bits: usize, random: u64);

fn keep(scalar: &mut [u8], bits: usize) {
    for (i, byte) in scalar.iter_mut().enumerate() {
        *byte &= ((1u32 << bits.saturating_sub(8 * i).min(8)) - 1) as u8;
    }
}

fn set(scalar: &mut [u8], value: u8) {
    scalar.fill(0);
    scalar[0] = value;
}

/// A value like any other, the same in all places.
fn one_value(scalar: &mut [u8], bits: usize) {
    scalar.iter_mut().enumerate().for_each(|(i, byte)| *byte = (i * 37 + 11) as u8);
    keep(scalar, bits - 2);
}

const SKEWS: [(&str, Skew); 13] = [
    ("1 bit short", |s, bits, _| keep(s, bits - 1)),
    ("2 bits short", |s, bits, _| keep(s, bits - 2)),
    ("3 bits short", |s, bits, _| keep(s, bits - 3)),
    ("4 bits short", |s, bits, _| keep(s, bits - 4)),
    ("5 bits short", |s, bits, _| keep(s, bits - 5)),
    ("6 bits short", |s, bits, _| keep(s, bits - 6)),
    ("8 bits short", |s, bits, _| keep(s, bits - 8)),
    ("64 bits", |s, _, _| keep(s, 64)),
    ("mostly 0 and 1", |s, _, r| {
        if r % 50 > 0 {
            set(s, (r >> 32 & 1) as u8)
        }
    }),
    ("half one value", |s, bits, r| {
        if r % 2 > 0 {
            one_value(s, bits)
        }
    }),
    ("all equal", |s, bits, _| one_value(s, bits)),
    ("seven values", |s, bits, r| {
        one_value(s, bits);
        s[1..9].copy_from_slice(&(r % 7 * 0x0123_4567_89ab_cdef).to_le_bytes());
    }),
    // Of ten 4 are zero, 2 one, 2 short.
    ("a witness", |s, _, r| match r % 10 {
        0..4 => set(s, 0),
        4..6 => set(s, 1),
        6..8 => keep(s, 16),
        _ => {}
    }),
];

/// Scalars that are not uniform, as multiples of the time of uniform ones.
fn skewed_multiplications(device: Device) {
    for curve in [CurveId::Bn254, CurveId::Bls12_381, CurveId::Bn254G2] {
        let row = curve.info();
        let (bytes, bits) = (row.scalar.info().bytes(), row.scalar.info().prime.bits as usize);
        let (scalars, points) = inputs(curve, 22);
        let mut out = Buffer::<u8>::on(device, 3 * row.base.info().bytes()).unwrap();
        for log_n in (12..=22).step_by(2) {
            let n = 1 << log_n;
            let p = Buffer::from_slice_on(device, &points[..(2 * row.base.info().bytes()) << log_n]).unwrap();
            let uniform = Buffer::from_slice_on(device, &scalars[..n * bytes]).unwrap();
            let mut ms = |s: &Buffer<u8>| {
                let config = MsmConfig::default();
                median(1, || msm(curve, n, Src::from(s), Src::from(&p), &config, Dst::from(&mut out)).unwrap())
            };
            ms(&uniform);
            for (i, (name, skew)) in SKEWS.into_iter().enumerate() {
                let mut skewed = scalars[..n * bytes].to_vec();
                let mut state = 1u64;
                for scalar in skewed.chunks_exact_mut(bytes) {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    skew(scalar, bits, state >> 20);
                }
                let skewed = Buffer::from_slice_on(device, &skewed).unwrap();
                ms(&skewed);
                // By turns: short calls vary by a tenth and more, with the thread that finishes them and over time.
                let runs = if log_n < 20 { 61 } else { RUNS };
                let turns: Vec<[f64; 2]> = (0..runs).map(|_| [ms(&uniform), ms(&skewed)]).collect();
                let [base, other] = [0, 1].map(|which| {
                    let mut times: Vec<f64> = turns.iter().map(|turn| turn[which]).collect();
                    times.sort_by(f64::total_cmp);
                    times[runs / 2]
                });
                if i == 0 {
                    print!("skew {} 2^{log_n}: uniform {base:.3} ms", row.name);
                }
                print!(", {name} {:.2}", other / base);
            }
            println!();
        }
    }
}

/// Bases with eight multiples of each point, beside ICICLE 2.8; and the groups over larger fields, which have no peer.
fn other_multiplications(device: Device) {
    let rows = [
        (CurveId::Bls12_381, 8, 20, Some(12.4)),
        (CurveId::Bls12_381, 8, 24, Some(126.7)),
        (CurveId::Bn254, 8, 20, None),
        (CurveId::Bn254G2, 1, 20, None),
        (CurveId::Bls12_381G2, 1, 20, None),
        (CurveId::Bw6_761, 1, 20, None),
    ];
    for (curve, precompute_factor, log_n, peer) in rows {
        let row = curve.info();
        let (scalars, points) = inputs(curve, log_n);
        let s = Buffer::from_slice_on(device, &scalars).unwrap();
        let p = Buffer::from_slice_on(device, &points).unwrap();
        let mut bases = Buffer::<u8>::on(device, points.len() * precompute_factor).unwrap();
        let mut out = Buffer::<u8>::on(device, 3 * row.base.info().bytes()).unwrap();
        let config = MsmConfig { precompute_factor, ..MsmConfig::default() };
        precompute(curve, 1 << log_n, Src::from(&p), &config, Dst::from(&mut bases)).unwrap();
        let run = || msm(curve, 1 << log_n, Src::from(&s), Src::from(&bases), &config, Dst::from(&mut out)).unwrap();
        show(&format!("msm {} factor {precompute_factor}", row.name), log_n, time(run), peer);
    }
}

/// Both inputs on the host: pageable, page-locked, and resident beside them.
fn host_inputs(device: Device) {
    let log_n = 24;
    for (curve, peers) in [(CurveId::Bn254, [188.0, 84.84]), (CurveId::Bls12_381, [250.0, 163.0])] {
        let row = curve.info();
        let (scalars, points) = inputs(curve, log_n);
        let mut out = vec![0u8; 3 * row.base.info().bytes()];
        let config = MsmConfig::default();
        let mut run = |s: Src<'_>, p: Src<'_>| msm(curve, 1 << log_n, s, p, &config, Dst::from(&mut out)).unwrap();
        let (s, p) =
            (Buffer::from_slice_on(device, &scalars).unwrap(), Buffer::from_slice_on(device, &points).unwrap());
        show(&format!("msm {} resident", row.name), log_n, time(|| run(Src::from(&s), Src::from(&p))), None);
        drop((s, p));
        let ms = time(|| run(Src::from(&scalars), Src::from(&points)));
        show(&format!("msm {} pageable", row.name), log_n, ms, Some(peers[0]));
        let (s, p) = (PinnedBuffer::from_slice(&scalars).unwrap(), PinnedBuffer::from_slice(&points).unwrap());
        let ms = time(|| run(Src::from(&s), Src::from(&p)));
        show(&format!("msm {} page-locked", row.name), log_n, ms, Some(peers[1]));
    }
}

/// Transforms and products of operands on the host: pageable and page-locked.
fn host_operands(device: Device) {
    let field = FieldId::Bn254Scalar;
    init_domain(field, root_of_unity(field, 1 << 24).unwrap(), &Launch::default()).unwrap();
    let mut data = vec![0; field.info().bytes() << 24];
    random::field_seeded(field, [7; 32], &mut data).unwrap();
    let mut out = vec![1u8; data.len()];
    let (pinned, mut pinned_out) = (PinnedBuffer::from_slice(&data).unwrap(), PinnedBuffer::from_slice(&out).unwrap());
    let on_device = Buffer::from_slice_on(device, &data).unwrap();
    let launch = Launch::default();
    // SAFETY: two buffers of this length in each.
    let ms = time(|| unsafe { copy(on_device.as_ptr().cast_mut(), data.as_ptr(), data.len(), &launch) }.unwrap());
    show("copy of 512 MiB from pageable", 24, ms, None);
    // SAFETY: as above.
    let ms = time(|| unsafe { copy(out.as_mut_ptr(), on_device.as_ptr(), data.len(), &launch) }.unwrap());
    show("copy of 512 MiB to pageable", 24, ms, None);
    drop(on_device);
    for log_n in [24, 20, 16] {
        let config = NttConfig { batch: 1 << (24 - log_n), ..NttConfig::default() };
        let run = |src: Src<'_>, dst: Dst<'_>| ntt(field, 1 << log_n, Direction::Forward, &config, src, dst).unwrap();
        let peers = if log_n == 24 { [Some(86.64), Some(24.03)] } else { [None; 2] };
        let what = format!("ntt bn254, batch of {}", config.batch);
        show(&format!("{what}, pageable"), log_n, time(|| run(Src::from(&data), Dst::from(&mut out))), peers[0]);
        let ms = time(|| run(Src::from(&pinned), Dst::from(&mut pinned_out)));
        show(&format!("{what}, page-locked"), log_n, ms, peers[1]);
    }
    let config = VectorConfig::default();
    let run = |a: Src<'_>, b: Src<'_>, dst: Dst<'_>| binary(Binary::Mul, field, 1 << 24, a, b, &config, dst).unwrap();
    let ms = time(|| run(Src::from(&data), Src::from(&data), Dst::from(&mut out)));
    show("multiply bn254, pageable", 24, ms, None);
    let ms = time(|| run(Src::from(&pinned), Src::from(&pinned), Dst::from(&mut pinned_out)));
    show("multiply bn254, page-locked", 24, ms, None);
}

const NTT: [(FieldId, [f64; 6]); 4] = [
    (FieldId::Bn254Scalar, [0.026, 0.071, 0.269, 1.10, 4.66, 23.5]),
    (FieldId::Bls12_381Scalar, [0.026, 0.073, 0.273, 1.12, 4.73, 23.81]),
    (FieldId::BabyBearScalar, [0.014, 0.016, 0.028, 0.073, 0.260, 1.14]),
    (FieldId::GoldilocksScalar, [0.015, 0.019, 0.056, 0.173, 0.723, 3.15]),
];

fn transforms(device: Device) {
    for (field, peers) in NTT {
        init_domain(field, root_of_unity(field, 1 << 26).unwrap(), &Launch::default()).unwrap();
        let mut data = vec![0; field.info().bytes() << 20];
        random::field_seeded(field, [7; 32], &mut data).unwrap();
        for (i, peer) in peers.into_iter().enumerate() {
            let log_n = 16 + 2 * i as u32;
            let bytes = field.info().bytes() << log_n;
            let a =
                Buffer::from_slice_on(device, &data.iter().copied().cycle().take(bytes).collect::<Vec<_>>()).unwrap();
            let mut b = Buffer::<u8>::on(device, bytes).unwrap();
            let config = NttConfig { launch: Launch { is_async: true, ..Launch::default() }, ..NttConfig::default() };
            let ms = time_enqueued(device, 20, || {
                ntt(field, 1 << log_n, Direction::Forward, &config, Src::from(&a), Dst::from(&mut b)).unwrap();
            });
            show(&format!("ntt {} natural", field.name()), log_n, ms, Some(peer));
        }
    }
}

fn vectors(device: Device) {
    let n = 1usize << 24;
    let fields = [
        FieldId::Bn254Scalar,
        FieldId::Bls12_381Base,
        FieldId::BabyBearScalar,
        FieldId::GoldilocksScalar,
        FieldId::M31Scalar,
    ];
    let config = VectorConfig { launch: Launch { is_async: true, ..Launch::default() }, ..VectorConfig::default() };
    for field in fields {
        let bytes = field.info().bytes() * n;
        let mut data = vec![0; bytes];
        random::field_seeded(field, [7; 32], &mut data).unwrap();
        let a = Buffer::from_slice_on(device, &data).unwrap();
        let (b, mut out) = (Buffer::from_slice_on(device, &data).unwrap(), Buffer::<u8>::on(device, bytes).unwrap());
        // A copy reads and writes each byte; two operands and a result are half as much again.
        let copied = time_enqueued(device, 20, || {
            // SAFETY: two buffers of this length, alive until the device is waited for.
            unsafe { copy(out.as_mut_ptr(), a.as_ptr(), bytes, &config.launch) }.unwrap();
        });
        for (what, op) in [("add", Binary::Add), ("multiply", Binary::Mul)] {
            let ms = time_enqueued(device, 20, || {
                binary(op, field, n, Src::from(&a), Src::from(&b), &config, Dst::from(&mut out)).unwrap();
            });
            println!(
                "{:<34} 2^24 {ms:9.4} ms  {:.0} % of copy",
                format!("{what} {}", field.name()),
                150.0 * copied / ms
            );
        }
    }
}

fn main() {
    let device = Device::cuda(0);
    if let Err(why) = set_current_device(device) {
        println!("{why}");
        return;
    }
    let only: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let wanted = |name: &str| only.is_empty() || only.iter().any(|word| word == name);
    if wanted("msm") {
        multiplications(device);
    }
    if wanted("skew") {
        skewed_multiplications(device);
    }
    if wanted("other") {
        other_multiplications(device);
    }
    if wanted("host") {
        host_operands(device);
        host_inputs(device);
    }
    if wanted("ntt") {
        transforms(device);
    }
    if wanted("vector") {
        vectors(device);
    }
}
