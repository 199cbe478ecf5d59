//! Encrypted additions of 64 bits on every GPU, or on the processor where there is none, twice: by hand, with threads that each have
//! a server key and a part of the integers, and as one operation on arrays that a key for all devices divides.
//! Try `ICICLE_CPU_DEVICES=2`, which makes two devices of the processor.

use clap::Parser;
use icicle::fhe::{ClientKey, FheUint, KeySet, MESSAGE_2_CARRY_2, ServerKey, ServerKeyGuard, set_server_key};
use icicle::{DeviceGroup, Error, Result};
use rand::random;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Parser)]
#[command(about = "Encrypted additions on every GPU, or on the processor", version)]
struct Options {
    /// Additions on each device.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    additions: u32,
    /// Threads that add on each device, each one integer at a time.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    threads: u32,
}

/// Sums of integers by themselves: a part of them for each device, a part of that for each thread of it.
fn by_hand(keys: &[Arc<ServerKey>], threads: usize, x: &[FheUint], y: &[FheUint]) -> Result<Vec<FheUint>> {
    let per_device = x.len().div_ceil(keys.len());
    let work = x.chunks(per_device).zip(y.chunks(per_device)).zip(keys);
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for ((x, y), key) in work {
            let per_thread = x.len().div_ceil(threads);
            for (x, y) in x.chunks(per_thread).zip(y.chunks(per_thread)) {
                workers.push(scope.spawn(move || {
                    set_server_key(Arc::clone(key));
                    x.iter().zip(y).map(|(x, y)| x + y).collect::<Result<Vec<FheUint>>>()
                }));
            }
        }
        let lost = |_| Error::new(icicle::ErrorCode::Internal, "fhe_additions", "a thread panicked");
        let parts: Result<Vec<Vec<FheUint>>> = workers.into_iter().map(|worker| worker.join().map_err(lost)?).collect();
        Ok(parts?.into_iter().flatten().collect())
    })
}

fn report(how: &str, n: usize, time: Duration) {
    println!("{how}: {n} additions in {:.2} s, {:.2} a second", time.as_secs_f64(), n as f64 / time.as_secs_f64());
}

fn main() -> Result<()> {
    let options = Options::parse();
    let group = Arc::new(DeviceGroup::all()?);
    let start = Instant::now();
    let client = ClientKey::generate(&MESSAGE_2_CARRY_2)?;
    let server = Arc::new(client.server_key(group.device(0)?)?);
    let keys = KeySet::new(Arc::clone(&group), server)?;
    println!("keys in {:.2} s", start.elapsed().as_secs_f64());

    let n = options.additions as usize * group.devices().len();
    let (a, b): (Vec<u64>, Vec<u64>) = (0..n).map(|_| (random::<u64>(), random::<u64>())).unzip();
    let expected: Vec<u64> = a.iter().zip(&b).map(|(a, b)| a.wrapping_add(*b)).collect();
    let (x, y) = (client.encrypt(&a)?, client.encrypt(&b)?);

    let each = |x: &FheUint| (0..n).map(|i| x.slice(i..i + 1)).collect::<Result<Vec<FheUint>>>();
    let (xs, ys) = (each(&x)?, each(&y)?);
    let by_device: Vec<Arc<ServerKey>> = (0..group.devices().len()).map(|i| keys.on(i)).collect::<Result<_>>()?;
    let start = Instant::now();
    let sums = by_hand(&by_device, options.threads as usize, &xs, &ys)?;
    report("by hand", n, start.elapsed());
    for (sum, expected) in sums.iter().zip(&expected) {
        assert_eq!(client.decrypt::<u64>(sum)?, [*expected]);
    }

    let _keys = ServerKeyGuard::new(keys);
    let start = Instant::now();
    let sum = (&x + &y)?;
    report("one operation", n, start.elapsed());
    assert_eq!(client.decrypt::<u64>(&sum)?, expected);
    println!("{n} of {n} sums are right, both ways");
    Ok(())
}
