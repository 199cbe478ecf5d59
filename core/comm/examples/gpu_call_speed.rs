//! What enqueueing a call of eight bytes costs one thread that does so for both of two GPUs, without what the GPUs take: microseconds,
//! the least of 30 blocks of calls, `cargo run --release -p icicle-comm --features cuda --example gpu_call_speed`. With an operation
//! and a number it makes that many calls and says nothing, for a profiler.

use icicle_array::DType;
use icicle_comm::{Call, Communicator, Kind, ReduceOp, group};
use icicle_device::{Device, Dst, Src};
use icicle_error::{Error, Result};
use icicle_runtime::{Buffer, Stream};
use std::time::{Duration, Instant};

const BLOCKS: usize = 30;
/// Fewer than a stream holds.
const CALLS: usize = 100;

struct Rank {
    comm: Communicator,
    stream: Stream,
    send: Buffer<u32>,
    recv: Buffer<u32>,
}

/// Enqueue a call of all ranks, with 8 bytes on its longer side; of a transfer, from the first rank to the second, both ends.
fn enqueue(ranks: &mut [Rank], kind: Kind) -> Result<()> {
    let mut calls = Vec::with_capacity(ranks.len());
    for Rank { comm, stream, send, recv } in ranks {
        let (kind, peer) = match (kind, comm.rank()) {
            (Kind::Send, 0) => (Kind::Send, 1),
            (Kind::Send, _) => (Kind::Recv, 0),
            (kind, _) => (kind, 0),
        };
        let is_whole = matches!(kind, Kind::AllReduce | Kind::Broadcast | Kind::Reduce | Kind::Send | Kind::Recv);
        let count = if is_whole { 2 } else { 1 };
        let (sent, received) = kind.elements(count, 2, comm.rank() == peer);
        let send = sent.map(|n| Src::from(&*send).part("call", 0, 4 * n)).transpose()?;
        let recv = received.map(|n| Dst::from(recv).part("call", 0, 4 * n)).transpose()?;
        let call = Call::of(kind, DType::UInt32, ReduceOp::Sum, count, peer, send, recv);
        calls.push((&*comm, call.on(stream.as_ref())));
    }
    group(calls)
}

fn main() -> Result<()> {
    let gpus = [Device::cuda(0), Device::cuda(1)];
    let rank = |(comm, gpu)| -> Result<Rank> {
        let (send, recv) = (Buffer::zeroed_on(gpu, 2)?, Buffer::zeroed_on(gpu, 2)?);
        Ok(Rank { comm, stream: Stream::non_blocking(gpu)?, send, recv })
    };
    let mut ranks = Communicator::init_all(&gpus)?.into_iter().zip(gpus).map(rank).collect::<Result<Vec<_>>>()?;
    let mut arguments = std::env::args().skip(1);
    if let (Some(name), Some(count)) = (arguments.next(), arguments.next()) {
        let unknown = || Error::argument("gpu_call_speed", format!("{name} {count}: an operation, and how often"));
        let kind = Kind::ALL.into_iter().find(|kind| kind.op() == name).ok_or_else(unknown)?;
        let count: usize = count.parse().map_err(|_| unknown())?;
        return (0..count).try_for_each(|_| enqueue(&mut ranks, kind));
    }
    println!("{}", ranks[0].comm.carrier());
    // Of a transfer the one end names both.
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Recv) {
        let mut best = Duration::MAX;
        for _ in 0..BLOCKS {
            let start = Instant::now();
            (0..CALLS).try_for_each(|_| enqueue(&mut ranks, kind))?;
            best = best.min(start.elapsed());
            ranks.iter().try_for_each(|rank| rank.stream.synchronize())?;
        }
        println!("{:<16}{:>8.2}", kind.op(), best.as_secs_f64() * 1e6 / CALLS as f64);
    }
    Ok(())
}
