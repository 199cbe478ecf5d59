//! Forward transforms beside arkworks and Plonky3, medians of one run each by turns.
//!
//! `cargo bench -p icicle-compute --bench ntt [-- <field> <log n>]`; for the small fields also with
//! `RUSTFLAGS=-Ctarget-cpu=native`, without which Plonky3 uses no vector instructions.
#![allow(missing_docs, clippy::unwrap_used)]

use ark_ff::BigInt;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use bytemuck::Pod;
use icicle::FieldId;
use icicle::algebra::Limbs;
use icicle::ops::ntt::{Direction, NttConfig, Ordering, init_domain, ntt, root_of_unity};
use p3_dft::{Radix2DFTSmallBatch, TwoAdicSubgroupDft};
use p3_field::integers::QuotientMap;
use p3_matrix::dense::RowMajorMatrix;
use rayon::ThreadPoolBuilder;
use std::time::Instant;

/// Runs of either side, the first is warm-up; more of them if they take less than `SECONDS`.
const RUNS: usize = 8;
const SECONDS: f64 = 1.0;

/// Milliseconds, median and least: on a busy machine only the latter says much.
fn summary(mut times: Vec<f64>) -> [f64; 2] {
    times.sort_by(f64::total_cmp);
    [times[times.len() / 2], times[0]]
}

/// Time two functions on fresh inputs by turns.
fn race<A, B>(make: (impl Fn() -> A, impl Fn() -> B), run: (impl Fn(&mut A), impl Fn(&mut B))) -> [[f64; 2]; 2] {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let begin = Instant::now();
    let mut i = 0;
    while i < RUNS || begin.elapsed().as_secs_f64() < SECONDS {
        let (mut a, mut b) = (make.0(), make.1());
        let start = Instant::now();
        run.0(&mut a);
        let middle = Instant::now();
        run.1(&mut b);
        let end = Instant::now();
        if i > 0 {
            ours.push((middle - start).as_secs_f64() * 1e3);
            theirs.push((end - middle).as_secs_f64() * 1e3);
        }
        i += 1;
    }
    [summary(ours), summary(theirs)]
}

fn report(what: &str, log_n: u32, threads: usize, [ours, theirs]: [[f64; 2]; 2], peer: &str) {
    let show = |[median, least]: [f64; 2]| format!("{median:9.3} ms (least {least:9.3})");
    let [median, least] = [theirs[0] / ours[0], theirs[1] / ours[1]];
    println!(
        "{what:<32} 2^{log_n} {threads} threads  ours {}  {peer} {}  ratio {median:.2} ({least:.2})",
        show(ours),
        show(theirs)
    );
}

fn on(threads: usize, work: impl FnOnce() + Send) {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work);
}

/// Deterministic words below a bound.
fn words(n: usize, bound: u64) -> Vec<u64> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        state ^ (state >> 31)
    };
    (0..n).map(|_| next() % bound).collect()
}

fn ours<T: Pod>(field: FieldId, log_n: u32, ordering: Ordering, data: &mut Vec<T>) {
    let config = NttConfig { ordering, ..NttConfig::default() };
    let dst = icicle::device::Dst::from(data);
    ntt(field, 1 << log_n, Direction::Forward, &config, dst.as_src(), dst).unwrap();
}

fn large<Fr: ark_ff::PrimeField<BigInt = BigInt<4>>>(name: &str, field: FieldId, log_n: u32, threads: usize) {
    let random = words(4 << log_n, 1 << 61);
    let raw: Vec<Limbs<4>> = random.chunks_exact(4).map(|c| Limbs([c[0], c[1], c[2], c[3] >> 1])).collect();
    let ark: Vec<Fr> = raw.iter().map(|l| Fr::from_bigint(BigInt(l.0)).unwrap()).collect();
    let domain = Radix2EvaluationDomain::<Fr>::new(1 << log_n).unwrap();
    on(threads, || {
        let times = race(
            (|| raw.clone(), || ark.clone()),
            (|x| ours(field, log_n, Ordering::NaturalNatural, x), |x| domain.fft_in_place(x)),
        );
        report(&format!("{name} natural"), log_n, threads, times, "arkworks");
    });
}

macro_rules! monty31 {
    ($name:literal, $field:ident, $theirs:ty, $log_n:expr, $threads:expr) => {{
        let (log_n, threads) = ($log_n, $threads);
        let raw: Vec<u32> = words(1 << log_n, 2_013_265_921).into_iter().map(|x| x as u32).collect();
        let p3: Vec<$theirs> = raw.iter().map(|&x| <$theirs as QuotientMap<u32>>::from_int(x)).collect();
        let twiddles = <$theirs>::roots_of_unity_table(1 << log_n);
        for (ordering, what) in [(Ordering::NaturalReversed, "reversed"), (Ordering::NaturalNatural, "natural")] {
            on(threads, || {
                let times = race(
                    (|| raw.clone(), || p3.clone()),
                    (
                        |x| ours(FieldId::$field, log_n, ordering, x),
                        |x: &mut Vec<$theirs>| {
                            <$theirs>::forward_fft(x, &twiddles);
                            if ordering == Ordering::NaturalNatural {
                                p3_util::reverse_slice_index_bits(x);
                            }
                        },
                    ),
                );
                report(&format!("{} {what}", $name), log_n, threads, times, "plonky3 (serial)");
            });
        }
    }};
}

fn goldilocks(log_n: u32, threads: usize) {
    type Theirs = p3_goldilocks::Goldilocks;
    let random = words(1 << log_n, 0xffff_ffff_0000_0001);
    let raw: Vec<Limbs<1>> = random.iter().map(|&x| Limbs([x])).collect();
    let p3: Vec<Theirs> = random.iter().map(|&x| <Theirs as QuotientMap<u64>>::from_int(x)).collect();
    let dft = Radix2DFTSmallBatch::<Theirs>::default();
    on(threads, || {
        let times = race(
            (|| raw.clone(), || Some(RowMajorMatrix::new(p3.clone(), 1))),
            (
                |x| ours(FieldId::GoldilocksScalar, log_n, Ordering::NaturalReversed, x),
                |x: &mut Option<RowMajorMatrix<Theirs>>| *x = x.take().map(|m| dft.dft_batch(m)),
            ),
        );
        report("goldilocks reversed", log_n, threads, times, "plonky3");
    });
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let only = args.first().map_or("", String::as_str);
    let sizes = |all: &[u32]| args.get(1).map_or(all.to_vec(), |n| vec![n.parse().unwrap()]);
    for field in [
        FieldId::Bn254Scalar,
        FieldId::Bls12_381Scalar,
        FieldId::BabyBearScalar,
        FieldId::KoalaBearScalar,
        FieldId::GoldilocksScalar,
    ] {
        init_domain(field, root_of_unity(field, 1 << 24).unwrap(), &icicle::Launch::default()).unwrap();
    }
    for threads in [1, 2] {
        for log_n in sizes(&[16, 18, 20]) {
            if "bn254".contains(only) {
                large::<ark_bn254::Fr>("bn254", FieldId::Bn254Scalar, log_n, threads);
            }
            if "bls12_381".contains(only) {
                large::<ark_bls12_381::Fr>("bls12_381", FieldId::Bls12_381Scalar, log_n, threads);
            }
            if "babybear".contains(only) {
                monty31!("babybear", BabyBearScalar, p3_baby_bear::BabyBear, log_n, threads);
            }
            if "koalabear".contains(only) {
                monty31!("koalabear", KoalaBearScalar, p3_koala_bear::KoalaBear, log_n, threads);
            }
            if "goldilocks".contains(only) {
                goldilocks(log_n, threads);
            }
        }
    }
}
