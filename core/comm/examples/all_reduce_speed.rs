//! How fast `all_reduce` is beside a copy, on as many devices as there are, from the first again if there are fewer than ranks:
//! `ICICLE_CPU_DEVICES=2 cargo run --release -p icicle-comm --example all_reduce_speed [MIB] [RANKS]`.

use icicle_array::DType;
use icicle_comm::{Communicator, Options, ReduceOp, UniqueId};
use icicle_device::{Device, DeviceKind};
use icicle_error::Result;
use icicle_runtime::{Buffer, device_count, on_each};
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;

fn best(mut job: impl FnMut() -> Result<()>) -> Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        job()?;
        best = best.min(start.elapsed());
    }
    Ok(best)
}

fn ranks(of: Vec<Communicator>, n: usize, text: &str) -> Result<()> {
    let size = of.len();
    let results: Vec<Result<Duration>> = std::thread::scope(|scope| {
        let job = |comm: Communicator| -> Result<Duration> {
            let x = Buffer::from_slice_on(comm.device(), &vec![1.5f32; n])?;
            let mut out = Buffer::<f32>::zeroed_on(comm.device(), n)?;
            let time = best(|| {
                comm.barrier()?;
                comm.all_reduce(DType::Float32, ReduceOp::Sum, n, &x, &mut out)
            })?;
            comm.finalize()?;
            Ok(time)
        };
        let threads: Vec<_> = of.into_iter().map(|comm| scope.spawn(move || job(comm))).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let time = results.into_iter().collect::<Result<Vec<_>>>()?.into_iter().max().unwrap_or_default();
    let bytes = 4 * n;
    // What must be read and written at least: each rank's input and output.
    let moved = (2 * size * bytes) as f64 / time.as_secs_f64() / 1e9;
    let bus = 2.0 * (size - 1) as f64 / size as f64 * bytes as f64 / time.as_secs_f64() / 1e9;
    println!("all_reduce, {text}: {time:?}, {moved:.2} GB/s read and written, bus bandwidth {bus:.2} GB/s");
    Ok(())
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).filter_map(|argument| argument.parse::<usize>().ok());
    let (mib, size) = (arguments.next().unwrap_or(256), arguments.next().unwrap_or(2));
    let n = mib << 18;
    let there = device_count(DeviceKind::Cpu);
    let devices: Vec<Device> = (0..size as u32).map(|rank| Device::cpu(rank % there)).collect();
    // The same traffic as copies: every device copies its input to its output, all at once.
    let inputs = devices.iter().map(|&device| Buffer::from_slice_on(device, &vec![1.5f32; n]));
    let inputs = inputs.collect::<Result<Vec<_>>>()?;
    let outputs = devices.iter().map(|&device| Buffer::<f32>::zeroed_on(device, n).map(std::sync::Mutex::new));
    let outputs = outputs.collect::<Result<Vec<_>>>()?;
    let copy = |_, i: usize| outputs[i].lock().map_or(Ok(()), |mut output| output.copy_from(&inputs[i]));
    let time = best(|| on_each(&devices, copy).into_iter().collect())?;
    let moved = (2 * size * 4 * n) as f64 / time.as_secs_f64() / 1e9;
    println!("copies of {mib} MiB on {size} devices: {time:?}, {moved:.2} GB/s read and written");
    drop((inputs, outputs));
    ranks(Communicator::init_all(&devices)?, n, "in one process")?;
    let (id, options) = (UniqueId::new()?, Options::default());
    let connected: Vec<Result<Communicator>> = std::thread::scope(|scope| {
        let (id, options) = (&id, &options);
        let rank = |(rank, &device)| scope.spawn(move || Communicator::init_rank(id, size, rank, device, options));
        let threads: Vec<_> = devices.iter().enumerate().map(rank).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    ranks(connected.into_iter().collect::<Result<_>>()?, n, "over TCP on the loopback interface")
}
