//! Multi-scalar multiplication beside arkworks, in one run: medians over alternating repetitions.
//!
//! `RUSTFLAGS=-Ctarget-cpu=native cargo bench --bench msm -- [min log n] [max log n] [repetitions]`

use ark_ec::short_weierstrass::{Affine, Projective, SWCurveConfig};
use ark_ec::{AffineRepr, CurveGroup, VariableBaseMSM};
use ark_ff::{Field, PrimeField};
use icicle::CurveId;
use icicle::device::{Dst, Src};
use icicle::ops::msm::{MsmConfig, msm};
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

fn raw_bases<P: SWCurveConfig>(points: &[Affine<P>]) -> Vec<u64> {
    let coordinate = |c: P::BaseField| c.to_base_prime_field_elements().flat_map(|e| words(&e)).collect::<Vec<_>>();
    points.iter().filter_map(|p| p.xy()).flat_map(|(x, y)| [coordinate(x), coordinate(y)].concat()).collect()
}

/// Milliseconds of one call.
fn time(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    call();
    start.elapsed().as_secs_f64() * 1e3
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn compare<P: SWCurveConfig>(id: CurveId, log_n: u32, threads: usize, repetitions: usize) {
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
    let raw_points = raw_bases(&points);
    let raw_scalars: Vec<u64> = scalars.iter().flat_map(words).collect();
    let mut out = vec![0u8; 3 * id.info().base.info().bytes()];
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { return };
    pool.install(|| {
        for _ in 0..repetitions {
            let config = MsmConfig::default();
            ours.push(time(|| {
                let result = msm(id, n, Src::from(&raw_scalars), Src::from(&raw_points), &config, Dst::from(&mut out));
                assert!(result.is_ok());
            }));
            theirs.push(time(|| {
                let _ = std::hint::black_box(Projective::<P>::msm_unchecked(&points, &scalars));
            }));
        }
    });
    let expected = Projective::<P>::msm_unchecked(&points, &scalars).into_affine();
    let bytes: Vec<u8> = raw_bases(&[expected]).iter().flat_map(|w| w.to_le_bytes()).collect();
    assert_eq!(out[..bytes.len()], bytes, "results differ");
    let (ours, theirs) = (median(ours), median(theirs));
    println!("msm\t{}\t2^{log_n}\t{threads}\t{ours:.1}\t{theirs:.1}\t{:.2}", id.info().name, theirs / ours);
}

fn main() {
    let numbers: Vec<u32> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let at = |i: usize, default: u32| numbers.get(i).copied().unwrap_or(default);
    println!("op\tcurve\tsize\tthreads\tours ms\tarkworks ms\tratio");
    for log_n in (at(0, 16)..=at(1, 20)).step_by(2) {
        for threads in [1, 2] {
            let repetitions = at(2, 5) as usize;
            compare::<ark_bn254::g1::Config>(CurveId::Bn254, log_n, threads, repetitions);
            compare::<ark_bls12_381::g1::Config>(CurveId::Bls12_381, log_n, threads, repetitions);
        }
    }
}
