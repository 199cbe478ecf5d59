//! Vector operations beside arkworks: `cargo bench -p icicle-compute --bench vector`.
//!
//! Prints medians of runs by turns, and of ours alone. Arkworks' data are in its working form (Montgomery), ours
//! canonical as at the boundary: our product does the conversion too.
#![allow(missing_docs, clippy::unwrap_used)]

use ark_ff::PrimeField;
use icicle::algebra::{Field, fields};
use icicle::ops::vector::{self as v, Binary, VectorConfig};
use icicle::{FIELDS, FieldId};
use rayon::prelude::*;
use std::time::Instant;

const N: usize = 1 << 20;
const RUNS: usize = 15;

/// Median milliseconds of two pieces of work, run alternately; and of the first by itself, to compare with peers that are
/// other programs, whose data stay in the caches they fit.
fn medians(mut ours: impl FnMut(), mut peer: impl FnMut()) -> [f64; 3] {
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e3
    };
    ours();
    peer();
    let (a, b): (Vec<_>, Vec<_>) = (0..RUNS).map(|_| (time(&mut ours), time(&mut peer))).unzip();
    let alone: Vec<_> = (0..RUNS).map(|_| time(&mut ours)).collect();
    [a, b, alone].map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[RUNS / 2]
    })
}

fn report(op: &str, field: &str, threads: usize, [ours, peer, alone]: [f64; 3]) {
    println!(
        "{op:<8} {field:<18} 2^{:<3} threads {threads}  ours {ours:>8.3} ms  peer {peer:>8.3} ms  ratio {:>5.2}  \
        ours alone {alone:>8.3} ms",
        N.ilog2(),
        peer / ours
    );
}

fn random<F: Field>(id: FieldId, seed: u8) -> Vec<F::Raw> {
    let bytes = id.info().bytes();
    let mut out = vec![0u8; N * bytes];
    icicle::ops::random::field_seeded(id, [seed; 32], &mut out).unwrap();
    out.chunks(bytes).map(bytemuck::pod_read_unaligned).collect()
}

fn bn254(threads: usize) {
    type F = fields::Bn254Scalar;
    let id = FieldId::Bn254Scalar;
    let (a, b) = (random::<F>(id, 1), random::<F>(id, 2));
    let mut out = a.clone();
    let lift = |raw: &Vec<_>| -> Vec<_> {
        raw.iter().map(|x| ark_bn254::Fr::from_le_bytes_mod_order(bytemuck::bytes_of(x))).collect()
    };
    let (ark_a, ark_b) = (lift(&a), lift(&b));
    let mut ark_out = ark_a.clone();
    for (name, op) in [("add", Binary::Add), ("sub", Binary::Sub), ("mul", Binary::Mul)] {
        let times = medians(
            || v::binary(op, id, N, (&a).into(), (&b).into(), &VectorConfig::default(), (&mut out).into()).unwrap(),
            || {
                let zip = ark_out.par_chunks_mut(4096).zip(ark_a.par_chunks(4096)).zip(ark_b.par_chunks(4096));
                zip.for_each(|((out, a), b)| {
                    let pairs = out.iter_mut().zip(a).zip(b);
                    if op == Binary::Add {
                        pairs.for_each(|((out, a), b)| *out = *a + b);
                    } else if op == Binary::Sub {
                        pairs.for_each(|((out, a), b)| *out = *a - b);
                    } else {
                        pairs.for_each(|((out, a), b)| *out = *a * b);
                    }
                });
            },
        );
        report(name, id.name(), threads, times);
    }
    let s = a[..1].to_vec();
    let (ark_s, config) = (ark_a[0], VectorConfig::default());
    for (name, op) in [("scal sub", Binary::Sub), ("scal mul", Binary::Mul)] {
        let times = medians(
            || v::scalar(op, id, N, (&s).into(), (&b).into(), &config, (&mut out).into()).unwrap(),
            || {
                ark_out.par_chunks_mut(4096).zip(ark_b.par_chunks(4096)).for_each(|(out, b)| {
                    let pairs = out.iter_mut().zip(b);
                    if op == Binary::Sub {
                        pairs.for_each(|(out, b)| *out = ark_s - b);
                    } else {
                        pairs.for_each(|(out, b)| *out = ark_s * b);
                    }
                });
            },
        );
        report(name, id.name(), threads, times);
    }
    let times = medians(
        || v::inv(id, N, (&a).into(), &VectorConfig::default(), (&mut out).into()).unwrap(),
        || {
            ark_out.copy_from_slice(&ark_a);
            ark_ff::batch_inversion(&mut ark_out);
        },
    );
    report("inv", id.name(), threads, times);
}

/// Without a peer in Rust's registry that takes canonical data: the copy of the first operand stands for the memory's
/// speed.
fn small(id: FieldId, threads: usize) {
    icicle::with_field!(id, F => {
        let (a, b) = (random::<F>(id, 1), random::<F>(id, 2));
        let (mut out, mut copy) = (a.clone(), a.clone());
        for (name, op) in [("add", Binary::Add), ("mul", Binary::Mul)] {
            let times = medians(
                || v::binary(op, id, N, (&a).into(), (&b).into(), &VectorConfig::default(), (&mut out).into()).unwrap(),
                || copy.copy_from_slice(std::hint::black_box(&a)),
            );
            report(name, id.name(), threads, times);
        }
        let times = medians(
            || v::inv(id, N, (&a).into(), &VectorConfig::default(), (&mut out).into()).unwrap(),
            || copy.copy_from_slice(std::hint::black_box(&a)),
        );
        report("inv", id.name(), threads, times);
    });
}

fn main() {
    // Under `cargo test --benches` only compile.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    println!("fields known: {}; peer: arkworks 0.6, or a copy of one operand for small fields", FIELDS.len());
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            bn254(threads);
            small(FieldId::BabyBearScalar, threads);
            small(FieldId::M31Scalar, threads);
            small(FieldId::BabyBearExtension, threads);
            small(FieldId::GoldilocksScalar, threads);
        });
    }
}
