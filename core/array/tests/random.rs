//! Random numbers against those of other libraries, and against their distributions.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{Case, cases, check};
use icicle_array::random::{Key, bernoulli, bits, choice, integers, normal, permutation, shuffle, uniform};
use icicle_array::*;
use icicle_device::Device;

const CPU: Device = Device::cpu(0);
const SEED: u64 = 0x0123_4567_89ab_cdef;
/// Around a group of blocks, a task, and what several threads share.
const SIZES: [usize; 16] =
    [0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 255, 257, (1 << 14) - 1, (1 << 14) + 1, (1 << 15) - 1, (1 << 16) + 1];

fn vectors() -> Vec<Case> {
    cases(include_str!("random/random.txt"))
}

fn number<T: std::str::FromStr>(case: &Case, name: &str) -> Option<T> {
    case.argument(name).map(|text| text.parse().ok().unwrap_or_else(|| panic!("{}", case.text)))
}

#[test]
fn numbers_are_those_of_randomgens_philox_and_of_exact_functions() {
    let key = Key::new(SEED);
    for case in vectors() {
        let (shape, dtype) = (case.result.shape(), case.result.dtype());
        let got = match case.op.as_str() {
            "bits" => bits(CPU, &key, shape, dtype),
            "uniform" => {
                uniform(CPU, &key, shape, dtype, number(&case, "low").unwrap(), number(&case, "high").unwrap())
            }
            "normal" => normal(CPU, &key, shape, dtype),
            "integers" => {
                integers(CPU, &key, number(&case, "low").unwrap(), number(&case, "high").unwrap(), shape, dtype)
            }
            "bernoulli" => bernoulli(CPU, &key, number(&case, "p").unwrap(), shape),
            "permutation" => permutation(CPU, &key, shape[0]),
            "split" => {
                let i: usize = number(&case, "i").unwrap();
                bits(CPU, &key.split(i + 1).unwrap()[i], shape, dtype)
            }
            "fold" => bits(CPU, &key.fold_in(number(&case, "data").unwrap()), shape, dtype),
            "quantiles" => continue,
            other => panic!("{other}"),
        };
        let got = got.unwrap_or_else(|e| panic!("{}: {e}", case.text));
        // Relative, as the bound that `normal` has is; all others are exact.
        check(&got, &case.result, if case.op == "normal" { 4.0 } else { 0.0 }, &case.text);
    }
}

#[test]
fn single_precision_is_within_four_epsilon_of_double() {
    let (key, n) = (Key::new(77), 1 << 22);
    let words: Vec<u32> = bits(CPU, &key, &[n], DType::UInt32).unwrap().to_vec().unwrap();
    let got: Vec<f32> = normal(CPU, &key, &[n], DType::Float32).unwrap().to_vec().unwrap();
    for (word, got) in words.chunks(2).zip(got.chunks(2)) {
        let u = f64::from(word[0] as f32 + 0.5) / 2f64.powi(32);
        let radius = (-2.0 * u.ln()).sqrt();
        let angle = f64::from(word[1]) * std::f64::consts::TAU / 2f64.powi(32);
        for (got, want) in got.iter().zip([radius * angle.cos(), radius * angle.sin()]) {
            let error = (f64::from(*got) - want).abs();
            assert!(error <= 4.0 * f64::from(f32::EPSILON) * want.abs() + 1e-15, "{got} for {want} of {word:?}");
        }
    }
}

/// The bytes of every function's results for a key, of so many elements.
fn all(key: &Key, n: usize) -> Vec<Vec<u8>> {
    fn bytes<T: Element>(x: icicle_error::Result<Array>) -> Vec<u8> {
        bytemuck::cast_slice(&x.unwrap().to_vec::<T>().unwrap()).to_vec()
    }
    let few = |low, high, dtype| integers(CPU, key, low, high, &[n], dtype);
    vec![
        bytes::<u8>(bits(CPU, key, &[n], DType::UInt8)),
        bytes::<u16>(bits(CPU, key, &[n], DType::UInt16)),
        bytes::<u32>(bits(CPU, key, &[n], DType::UInt32)),
        bytes::<u64>(bits(CPU, key, &[n], DType::UInt64)),
        bytes::<f32>(uniform(CPU, key, &[n], DType::Float32, -1.0, 2.0)),
        bytes::<f64>(uniform(CPU, key, &[n], DType::Float64, -1.0, 2.0)),
        bytes::<f32>(normal(CPU, key, &[n], DType::Float32)),
        bytes::<f64>(normal(CPU, key, &[n], DType::Float64)),
        bytes::<i8>(few(-3, 4, DType::Int8)),
        bytes::<u32>(few(0, 1 << 24, DType::UInt32)),
        bytes::<i64>(few(-(1 << 62), (1 << 62) + 1, DType::Int64)),
        bytes::<Bool>(bernoulli(CPU, key, 0.25, &[n])),
    ]
}

#[test]
fn an_element_depends_on_key_and_index_only() {
    let key = Key::new(3).fold_in(9);
    let most = all(&key, 1 << 17);
    for n in SIZES {
        for (k, (some, most)) in all(&key, n).iter().zip(&most).enumerate() {
            assert!(most.starts_with(some), "function {k}, {n} elements");
            assert_eq!(some.len(), n * most.len() / (1 << 17));
        }
    }
    let one = normal(CPU, &key, &[3, 1, 7], DType::Float64).unwrap();
    assert_eq!(
        (one.shape(), &one.to_vec::<f64>().unwrap()[..]),
        (&[3, 1, 7][..], bytemuck::cast_slice(&most[7][..168]))
    );
}

#[test]
fn threads_change_nothing() {
    let within = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (all(&Key::new(5), 100_001), permutation(CPU, &Key::new(5), 300_001).unwrap().to_vec::<i64>()))
    };
    let one = within(1);
    for threads in [2, 3, 8] {
        assert!(within(threads) == one, "{threads} threads");
    }
}

#[test]
fn words_are_keys() {
    assert_eq!(Key::new(SEED).words(), [0x89ab_cdef, 0x0123_4567, 0, 0]);
    for key in [Key::new(1), Key::new(1).fold_in(2), Key::new(1).split(1).unwrap()[0]] {
        assert_eq!(Key::from_words(key.words()), key);
    }
    assert_eq!(Key::from_words([1, 2, 3, 4]).words(), [1, 2, 3, 4]);
}

#[test]
fn split_keys_share_no_blocks() {
    let key = Key::new(0);
    let split = key.split(100).unwrap();
    assert_eq!((split[..3].to_vec(), key.split(0).unwrap()), (key.split(3).unwrap(), vec![]));
    let folded = (0..50).chain([1 << 32, u64::MAX]).map(|data| key.fold_in(data));
    let further = split[0].split(20).unwrap();
    let mut blocks = Vec::new();
    let keys: Vec<_> = [key, Key::new(1)].into_iter().chain(split).chain(folded).chain(further).collect();
    for key in &keys {
        let words: Vec<u64> = bits(CPU, key, &[512], DType::UInt64).unwrap().to_vec().unwrap();
        blocks.extend(words.chunks(2).map(<[u64]>::to_vec));
    }
    let n = blocks.len();
    blocks.sort();
    blocks.dedup();
    assert_eq!((n, blocks.len()), (256 * keys.len(), n));
}

/// Check that counts of equally likely cells are neither too uneven nor too even, by Pearson's test at five deviations, and that
/// their running sums stray no further than Kolmogorov's distribution lets one in 10^6 do.
fn even(counts: &[usize], context: &str) {
    let (n, cells) = (counts.iter().sum::<usize>() as f64, counts.len() as f64);
    let mean = n / cells;
    let pearson: f64 = counts.iter().map(|&count| (count as f64 - mean).powi(2) / mean).sum();
    let free = cells - 1.0;
    assert!((pearson - free).abs() < 5.0 * (2.0 * free).sqrt(), "{context}: {pearson} of {free}");
    let mut sum = 0.0;
    for (k, &count) in counts.iter().enumerate() {
        sum += count as f64;
        let strays = (sum / n - (k + 1) as f64 / cells).abs();
        // sqrt(ln(2 / 1e-6) / 2)
        assert!(strays < 2.7 / n.sqrt(), "{context}: {strays} at {k}");
    }
}

const MANY: usize = 1 << 20;

#[test]
fn numbers_have_their_distribution() {
    let case = vectors().into_iter().find(|case| case.op == "quantiles").unwrap();
    let quantiles: Vec<f64> = case.result.to_vec().unwrap();
    for seed in [0, 1, u64::MAX] {
        let key = Key::new(seed);
        for dtype in [DType::Float32, DType::Float64] {
            let wide = |x: Array| x.astype(DType::Float64).unwrap().to_vec::<f64>().unwrap();
            let mut counts = vec![0; 1024];
            let x = wide(uniform(CPU, &key, &[MANY], dtype, 2.0, 3.0).unwrap());
            x.iter().for_each(|x| counts[((x - 2.0) * 1024.0) as usize] += 1);
            even(&counts, &format!("uniform {dtype} {seed}"));
            counts.fill(0);
            let z = wide(normal(CPU, &key, &[MANY], dtype).unwrap());
            z.iter().for_each(|z| counts[quantiles.partition_point(|q| q < z)] += 1);
            even(&counts, &format!("normal {dtype} {seed}"));
            // Moments of order k of n numbers have deviation sqrt((m_2k - m_k^2) / n), where m_k = (k - 1)!! or 0.
            for (order, want, deviation) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0f64)] {
                let got = z.iter().map(|z| z.powi(order)).sum::<f64>() / MANY as f64;
                let bound = 5.0 * (deviation / MANY as f64).sqrt();
                assert!((got - want).abs() < bound, "moment {order} of {dtype} {seed}: {got}");
            }
            // Neighbours are a pair of one transform, and of different blocks.
            for lag in [1, 2, 4] {
                let together = z.iter().zip(&z[lag..]).map(|(a, b)| a * b).sum::<f64>() / MANY as f64;
                assert!(together.abs() < 5.0 / (MANY as f64).sqrt(), "{lag} apart of {dtype} {seed}: {together}");
            }
        }
        for (low, high, dtype, cells) in [
            (-3, 4, DType::Int8, 7),
            (0, 256, DType::UInt8, 256),
            (0, 3 << 22, DType::Int32, 3 << 8),
            (-(3 << 61), 3 << 61, DType::Int64, 3 << 8),
        ] {
            let x: Vec<i64> =
                integers(CPU, &key, low, high, &[MANY], dtype).unwrap().astype(DType::Int64).unwrap().to_vec().unwrap();
            let mut counts = vec![0; cells];
            let size = (high - low) / cells as i128;
            x.iter().for_each(|&x| counts[((i128::from(x) - low) / size) as usize] += 1);
            even(&counts, &format!("integers {low} to {high} {seed}"));
        }
    }
}

#[test]
fn orders_and_choices() {
    let key = Key::new(12);
    for n in SIZES {
        let order = permutation(CPU, &key, n).unwrap().to_vec::<i64>().unwrap();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..n as i64) && (n < 20 || order != sorted), "{n}");
    }
    // All orders of four, equally often.
    let mut counts = std::collections::BTreeMap::new();
    for one in key.split(24_000).unwrap() {
        *counts.entry(permutation(CPU, &one, 4).unwrap().to_vec::<i64>().unwrap()).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 24);
    even(&counts.into_values().collect::<Vec<_>>(), "orders of 4");
    let x = arange(CPU, 0.into(), 12.into(), 1.into(), DType::Int32).unwrap().reshape(&[3, 4]).unwrap();
    let order = permutation(CPU, &key, 4).unwrap();
    let integers = |x: &Array| x.to_vec::<i32>().unwrap();
    assert_eq!(integers(&shuffle(&key, &x, 1).unwrap()), integers(&take(&x, &order, 1).unwrap()));
    let all = choice(&key, &x, 4, 1, false).unwrap();
    assert_eq!(integers(&all), integers(&shuffle(&key, &x, 1).unwrap()));
    let (many, none) = (choice(&key, &x, 1000, -1, true).unwrap(), choice(&key, &x, 0, 0, true).unwrap());
    assert_eq!((many.shape(), none.shape()), (&[3, 1000][..], &[0, 4][..]));
    assert!((0..4).all(|k| integers(&many)[..1000].contains(&k)) && integers(&many)[..1000].iter().all(|x| *x < 4));
    let few = choice(&key, &x, 3, 1, false).unwrap();
    assert_eq!(few.shape(), [3, 3]);
}

#[test]
fn bad_arguments_are_errors_that_name_them() {
    let key = Key::new(0);
    let f = DType::Float32;
    let wide = [usize::MAX, 2];
    let says = |got: icicle_error::Result<Array>, want: &str| {
        let error = got.unwrap_err();
        assert_eq!(error.to_string(), want);
        assert_eq!(error.code, icicle_error::ErrorCode::InvalidArgument);
    };
    let too_large = "shape [18446744073709551615, 2]: exceeds the address space";
    says(bits(CPU, &key, &[1], DType::Int8), "bits: dtype int8: must be an unsigned integer");
    says(bits(CPU, &key, &wide, DType::UInt8), &format!("bits: {too_large}"));
    says(uniform(CPU, &key, &[1], DType::Float16, 0.0, 1.0), "uniform: dtype float16: must be float32 or float64");
    for (low, high) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::NAN), (0.0, f64::INFINITY), (-3e38, 3e38)] {
        let rule = "low must be below high, and the distance finite in float32";
        says(uniform(CPU, &key, &[1], f, low, high), &format!("uniform: low {low} and high {high}: {rule}"));
    }
    // Different in float64 only.
    assert!(uniform(CPU, &key, &[1], f, 1.0, 1.0 + 1e-12).is_err());
    assert!(uniform(CPU, &key, &[1], DType::Float64, 1.0, 1.0 + 1e-12).is_ok());
    says(uniform(CPU, &key, &wide, f, 0.0, 1.0), &format!("uniform: {too_large}"));
    says(normal(CPU, &key, &[1], DType::Int64), "normal: dtype int64: must be float32 or float64");
    says(normal(CPU, &key, &wide, f), &format!("normal: {too_large}"));
    says(integers(CPU, &key, 0, 1, &[1], f), "integers: dtype float32: must be an integer");
    for (low, high) in [(0, 0), (5, 4), (-129, 0), (0, 129), (i128::MIN, 0), (0, i128::MAX)] {
        let rule = "low must be below high, from -128 to 128 in int8";
        says(
            integers(CPU, &key, low, high, &[1], DType::Int8),
            &format!("integers: low {low} and high {high}: {rule}"),
        );
    }
    says(integers(CPU, &key, 0, 5, &wide, DType::Int8), &format!("integers: {too_large}"));
    for p in [-0.1, 1.1, f64::NAN] {
        says(bernoulli(CPU, &key, p, &[1]), &format!("bernoulli: probability {p}: must be from 0 to 1"));
    }
    says(permutation(CPU, &key, usize::MAX), "permutation: shape [18446744073709551615]: exceeds the address space");
    let x = zeros(CPU, &[2, 0], f).unwrap();
    says(shuffle(&key, &x, 2), "shuffle: axis 2: an array of 2 axes has -2 to 1");
    says(choice(&key, &x, 1, 1, true), "choice: 1 of 0 elements: there must be one");
    says(choice(&key, &x, 3, 0, false), "choice: 3 of 2 elements: there must be as many");
}
