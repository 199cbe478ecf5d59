//! What a call of eight bytes a rank costs: by one thread for both ranks, which is all but waiting; by a thread each, beside two
//! threads that wait for each other by a condition variable; over TCP, beside two threads that exchange as many bytes:
//! `cargo run --release -p icicle-comm --example call_speed`. Microseconds, the least of 30 blocks of calls.

use icicle_array::DType;
use icicle_comm::{Call, Communicator, Kind, Options, ReduceOp, UniqueId, group};
use icicle_device::Device;
use icicle_error::{Error, Result};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const BLOCKS: usize = 30;
const CALLS: usize = 300;
const KINDS: [Kind; 6] =
    [Kind::AllReduce, Kind::AllGather, Kind::ReduceScatter, Kind::AllToAll, Kind::Broadcast, Kind::Barrier];

/// Microseconds of one call of a block, at best.
fn best(mut block: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut best = Duration::MAX;
    for _ in 0..BLOCKS {
        let start = Instant::now();
        block()?;
        best = best.min(start.elapsed());
    }
    Ok(best.as_secs_f64() * 1e6 / CALLS as f64)
}

/// A rank's call of a kind, with 16 bytes on its longer side.
fn call<'a>(kind: Kind, send: &'a [u32; 4], recv: &'a mut [u32; 4]) -> Call<'a> {
    let (sent, received) = match kind {
        Kind::AllReduce | Kind::Broadcast => (2, 2),
        Kind::AllGather => (2, 4),
        Kind::ReduceScatter => (4, 2),
        _ => (4, 4),
    };
    let (send, recv) = (Some(send[..sent].into()), Some((&mut recv[..received]).into()));
    Call::of(kind, DType::UInt32, ReduceOp::Sum, if kind == Kind::Barrier { 0 } else { 2 }, 0, send, recv)
}

fn one_thread(ranks: &[Communicator], kind: Kind) -> Result<f64> {
    let (send, mut a, mut b) = ([1; 4], [0; 4], [0; 4]);
    best(|| {
        for _ in 0..CALLS {
            let calls = vec![(&ranks[0], call(kind, &send, &mut a)), (&ranks[1], call(kind, &send, &mut b))];
            group(calls)?;
        }
        Ok(())
    })
}

/// Do a block on two threads, whose number it is told; as long as the second takes.
fn two_threads(block: impl Fn(usize) -> Result<()> + Sync) -> Result<f64> {
    let panicked = || Error::argument("call_speed", "a thread panicked");
    thread::scope(|scope| {
        let other = scope.spawn(|| best(|| block(1)));
        let time = best(|| block(0));
        other.join().map_err(|_| panicked())?.and(time)
    })
}

fn each_its_own(ranks: &[Communicator], kind: Kind) -> Result<f64> {
    two_threads(|rank| {
        let (send, mut recv) = ([1; 4], [0; 4]);
        (0..CALLS).try_for_each(|_| ranks[rank].run(call(kind, &send, &mut recv)))
    })
}

/// Two threads that wait for each other.
fn condition() -> Result<f64> {
    let (came, changed) = (Mutex::new(0usize), Condvar::new());
    two_threads(|_| {
        for _ in 0..CALLS {
            let mut guard = came.lock().unwrap_or_else(PoisonError::into_inner);
            *guard += 1;
            let round = guard.div_ceil(2) * 2;
            if *guard == round {
                changed.notify_all();
            }
            drop(changed.wait_while(guard, |came| *came < round).unwrap_or_else(PoisonError::into_inner));
        }
        Ok(())
    })
}

/// Two threads that exchange what two ranks do: 8 bytes behind 40.
fn sockets() -> Result<f64> {
    let failed = |error: std::io::Error| Error::argument("call_speed", error.to_string());
    let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
    let one = TcpStream::connect(listener.local_addr().map_err(failed)?).map_err(failed)?;
    let ends = [one, listener.accept().map_err(failed)?.0];
    ends.iter().try_for_each(|end| end.set_nodelay(true)).map_err(failed)?;
    two_threads(|rank| {
        let (mut end, mut bytes) = (&ends[rank], [0; 48]);
        (0..CALLS).try_for_each(|_| end.write_all(&bytes).and_then(|()| end.read_exact(&mut bytes))).map_err(failed)
    })
}

fn main() -> Result<()> {
    let devices = [Device::cpu(0); 2];
    let ranks = Communicator::init_all(&devices)?;
    let (id, options) = (UniqueId::new()?, Options::default());
    let connected: Vec<Communicator> = thread::scope(|scope| {
        let (id, options) = (&id, &options);
        let rank = |(rank, device)| scope.spawn(move || Communicator::init_rank(id, 2, rank, device, options));
        let threads: Vec<_> = devices.into_iter().enumerate().map(rank).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect::<Result<_>>()
    })?;
    println!("two threads: condition variable {:.2} µs, sockets {:.2} µs", condition()?, sockets()?);
    println!("{:<16}{:>12}{:>12}{:>12}", "", "one thread", "two", "TCP");
    for kind in KINDS {
        let times = [one_thread(&ranks, kind)?, each_its_own(&ranks, kind)?, each_its_own(&connected, kind)?];
        println!("{:<16}{:>12.2}{:>12.2}{:>12.2}", kind.op(), times[0], times[1], times[2]);
    }
    Ok(())
}
