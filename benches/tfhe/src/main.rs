//! Ours beside TFHE-rs on CPUs, in one process and by turns: the same parameters, the same values, results decrypted and compared.
//!
//! `cargo run --release -- [repetitions] [integers] [operation]…` in this folder, all operations unless some are named. Medians of
//! wall time and of the time processors worked, which a loaded machine distorts less.

use icicle_device::{Device, DeviceKind};
use icicle_fhe::{ClientKey, MESSAGE_2_CARRY_2};
use rayon::prelude::*;
use std::hint::black_box;
use std::time::{Duration, Instant};
use tfhe::integer::{BooleanBlock, RadixCiphertext, gen_keys_radix};
use tfhe_bench::THEIRS;

/// Blocks of an integer of 64 bits.
const BLOCKS: usize = 32;

/// How long this process's threads have run.
fn worked() -> Duration {
    let read = |path: std::path::PathBuf| std::fs::read_to_string(path.join("schedstat")).unwrap_or_default();
    let first = |text: String| text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0u64);
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    Duration::from_nanos(tasks.map(|task| first(read(task.path()))).sum())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Do both by turns, and print what one unit of the work takes.
fn compare<'a>(name: &str, repetitions: usize, units: usize, ours: &'a mut dyn FnMut(), theirs: &'a mut dyn FnMut()) {
    let mut times = [const { (Vec::new(), Vec::new()) }; 2];
    let mut works = [ours, theirs];
    // The first time does not count.
    for repetition in 0..=repetitions {
        for (work, (wall, cpu)) in works.iter_mut().zip(&mut times) {
            let (start, before) = (Instant::now(), worked());
            work();
            if repetition > 0 {
                wall.push(start.elapsed() / units as u32);
                cpu.push((worked() - before) / units as u32);
            }
        }
    }
    let [(wall, cpu), (their_wall, their_cpu)] = times.map(|(wall, cpu)| (median(wall), median(cpu)));
    println!(
        "{name:<24} ours {wall:>10.2?} ({cpu:>10.2?} of processors)   theirs {their_wall:>10.2?} ({their_cpu:>10.2?})   theirs / ours {:.2} ({:.2})",
        their_wall.as_secs_f64() / wall.as_secs_f64(),
        their_cpu.as_secs_f64() / cpu.as_secs_f64(),
    );
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

fn main() -> icicle_error::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default| arguments.next().map_or(default, |text| text.parse::<usize>().expect("a number"));
    let (repetitions, count) = (number(5), number(64));
    let chosen: Vec<String> = arguments.collect();
    let client = ClientKey::generate(&MESSAGE_2_CARRY_2)?;
    let server = client.server_key(Device { kind: DeviceKind::Cpu, index: 0 })?;
    let (their_client, their_server) = gen_keys_radix(THEIRS, BLOCKS);

    // Key switch and bootstrap, on one thread: one alone, then a batch.
    let integer_client: &tfhe::integer::ClientKey = their_client.as_ref();
    let (shortint_client, shortint_server): (&tfhe::shortint::ClientKey, &tfhe::shortint::ServerKey) =
        (integer_client.as_ref(), their_server.as_ref());
    for batch in [1, 64] {
        let x = client.encrypt_shortints(&vec![3; batch])?;
        let their_x: Vec<_> = (0..batch).map(|_| shortint_client.encrypt(3)).collect();
        let table = shortint_server.generate_lookup_table(|v| v ^ 1);
        let repetitions = if batch == 1 { 10 * repetitions } else { repetitions };
        pool(1).install(|| {
            compare(
                &format!("KS+PBS, {batch}, 1 thread"),
                repetitions,
                batch,
                &mut || {
                    black_box(server.apply_lut(black_box(&x), |v| v ^ 1).unwrap());
                },
                &mut || {
                    for x in black_box(&their_x) {
                        let _ = black_box(shortint_server.apply_lookup_table(x, &table));
                    }
                },
            );
        });
        let y = server.apply_lut(&x, |v| v ^ 1)?;
        assert!(client.decrypt_shortints(&y)?.iter().all(|&v| v == 2));
        assert_eq!(shortint_client.decrypt(&shortint_server.apply_lookup_table(&their_x[0], &table)), 2);
    }

    // Integers of 64 bits on two threads.
    let value = |i: usize, odd: u64| (i as u64 + 1).wrapping_mul(odd);
    let a: Vec<u64> = (0..count).map(|i| value(i, 0x9e37_79b9_7f4a_7c15)).collect();
    let b: Vec<u64> = (0..count).map(|i| if i % 3 == 0 { a[i] } else { value(i, 0xd1b5_4a32_d192_ed03) }).collect();
    let (x, y) = (client.encrypt(&a)?, client.encrypt(&b)?);
    let encrypt = |values: &[u64]| values.iter().map(|&v| their_client.encrypt(v)).collect::<Vec<RadixCiphertext>>();
    let (their_x, their_y) = (encrypt(&a), encrypt(&b));
    let smaller = server.lt(&x, &y)?;
    let their_smaller: Vec<_> =
        pool(2).install(|| their_x.par_iter().zip(&their_y).map(|(x, y)| their_server.lt_parallelized(x, y)).collect());
    macro_rules! integers {
        ($name:literal, $expected:expr, $decrypt:expr, $ours:expr, $theirs:expr) => {
            let is_chosen = chosen.is_empty() || chosen.iter().any(|name| name == $name);
            let run = || {
                let theirs = || {
                    (0..count).into_par_iter().map(|i| $theirs(&their_x[i], &their_y[i], &their_smaller[i])).collect()
                };
                let (mut got, mut their_got) = (None, Vec::new());
                compare(
                    concat!($name, ", 2 threads"),
                    repetitions,
                    count,
                    &mut || got = Some($ours.unwrap()),
                    &mut || their_got = theirs(),
                );
                let expected: Vec<_> = a.iter().zip(&b).map($expected).collect();
                let (decrypt, their_decrypt) = $decrypt;
                assert_eq!(decrypt(&got.unwrap()).unwrap(), expected);
                assert_eq!(their_got.iter().map(their_decrypt).collect::<Vec<_>>(), expected);
            };
            if is_chosen {
                pool(2).install(run);
            }
        };
    }
    let integers = (|x: &_| client.decrypt::<u64>(x), |x: &RadixCiphertext| their_client.decrypt::<u64>(x));
    let bools = (|x: &_| client.decrypt_bools(x), |x: &BooleanBlock| their_client.decrypt_bool(x));
    integers!("add64", |(a, b)| a.wrapping_add(*b), integers, server.add(&x, &y), |x, y, _| {
        their_server.add_parallelized(x, y)
    });
    integers!("mul64", |(a, b)| a.wrapping_mul(*b), integers, server.mul(&x, &y), |x, y, _| {
        their_server.mul_parallelized(x, y)
    });
    integers!("eq64", |(a, b)| a == b, bools, server.eq(&x, &y), |x, y, _| their_server.eq_parallelized(x, y));
    integers!("lt64", |(a, b)| a < b, bools, server.lt(&x, &y), |x, y, _| their_server.lt_parallelized(x, y));
    integers!("select64", |(a, b)| *a.min(b), integers, server.select(&smaller, &x, &y), |x, y, smaller| {
        their_server.cmux_parallelized(smaller, x, y)
    });
    integers!(
        "max64",
        |(a, b)| *a.max(b),
        integers,
        server.gt(&x, &y).and_then(|larger| server.select(&larger, &x, &y)),
        |x, y, _| their_server.max_parallelized(x, y)
    );
    Ok(())
}
