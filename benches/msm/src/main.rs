//! Multi-scalar multiplication beside arkworks, blst and halo2curves, by turns in one run: medians, results compared.
//!
//! `RUSTFLAGS=-Ctarget-cpu=native cargo run --release -p msm-bench -- [min log n] [max log n] [repetitions]`; at the end
//! curves of degree two beside arkworks.

mod peers;

use ark_ec::short_weierstrass::{Affine, Projective, SWCurveConfig};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{Field, PrimeField};
use icicle::CurveId;
use icicle::device::{Dst, Src};
use icicle::ops::msm::{MsmConfig, msm};
use peers::Peer;
use std::time::Instant;

fn words<F: PrimeField>(value: &F) -> Vec<u64> {
    value.into_bigint().as_ref().to_vec()
}

/// Points with cheap setup: every one the double of the last plus the generator.
fn bases<P: SWCurveConfig>(n: usize) -> Vec<Affine<P>> {
    let generator = Affine::<P>::generator();
    let all: Vec<Projective<P>> = std::iter::successors(Some(generator.into_group()), |p| {
        let mut next = *p;
        next += p;
        Some(next + generator)
    })
    .take(n)
    .collect();
    Projective::normalize_batch(&all)
}

fn raw<P: SWCurveConfig>(points: &[Affine<P>]) -> Vec<u64> {
    let coordinate = |c: P::BaseField| c.to_base_prime_field_elements().flat_map(|e| words(&e)).collect::<Vec<_>>();
    points.iter().filter_map(|p| p.xy()).flat_map(|(x, y)| [coordinate(x), coordinate(y)].concat()).collect()
}

/// Milliseconds of one call, and its result.
fn time<T>(mut call: impl FnMut() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = call();
    (start.elapsed().as_secs_f64() * 1e3, result)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// What a run measures.
struct Sizes {
    logs: Vec<u32>,
    repetitions: usize,
}

impl Sizes {
    fn compare<P: SWCurveConfig>(&self, id: CurveId, peers: &[Peer<P>]) {
        for &log_n in &self.logs {
            for threads in [1, 2] {
                compare::<P>(id, log_n, threads, self.repetitions, peers);
            }
        }
    }
}

fn compare<P: SWCurveConfig>(id: CurveId, log_n: u32, threads: usize, repetitions: usize, peers: &[Peer<P>]) {
    let n = 1 << log_n;
    let mut state = 1u64;
    let mut word = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 32) ^ state << 17
    };
    let points = bases::<P>(n);
    let scalars: Vec<P::ScalarField> = (0..n)
        .map(|_| P::ScalarField::from_le_bytes_mod_order(&[(); 8].map(|()| word().to_le_bytes()).concat()))
        .collect();
    let (raw_points, raw_scalars) = (raw(&points), scalars.iter().flat_map(words).collect::<Vec<u64>>());
    let mut out = vec![0u64; 3 * id.info().base.info().bytes() / 8];
    let mut others: Vec<_> =
        peers.iter().map(|peer| (peer.name, (peer.prepare)(&points, &scalars), Vec::new())).collect();
    let mut ours = Vec::new();
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { return };
    pool.install(|| {
        for _ in 0..repetitions {
            let (elapsed, result) = time(|| {
                msm(id, n, Src::from(&raw_scalars), Src::from(&raw_points), &MsmConfig::default(), Dst::from(&mut out))
            });
            assert!(result.is_ok());
            ours.push(elapsed);
            for (name, call, times) in &mut others {
                let (elapsed, point) = time(call);
                let expected = raw(&[point]);
                assert_eq!(out[..expected.len()], expected, "{name} differs");
                times.push(elapsed);
            }
        }
    });
    let ours = median(ours);
    let name = id.info().name;
    for (peer, _, times) in others {
        let theirs = median(times);
        println!("msm\t{name}\t2^{log_n}\t{threads}\t{ours:.1}\t{peer}\t{theirs:.1}\t{:.2}", theirs / ours);
    }
}

fn main() {
    let numbers: Vec<u32> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let at = |i: usize, default: u32| numbers.get(i).copied().unwrap_or(default);
    println!("op\tcurve\tsize\tthreads\tours ms\tpeer\ttheirs ms\tratio");
    let sizes = Sizes { logs: (at(0, 12)..=at(1, 20)).step_by(2).collect(), repetitions: at(2, 5) as usize };
    sizes.compare::<ark_bn254::g1::Config>(CurveId::Bn254, &[peers::arkworks(), peers::halo2_bn254()]);
    sizes.compare::<ark_bls12_381::g1::Config>(
        CurveId::Bls12_381,
        &[peers::arkworks(), peers::blst(), peers::halo2_bls12_381()],
    );
    sizes.compare::<ark_bn254::g2::Config>(CurveId::Bn254G2, &[peers::arkworks()]);
    sizes.compare::<ark_bls12_381::g2::Config>(CurveId::Bls12_381G2, &[peers::arkworks()]);
}
