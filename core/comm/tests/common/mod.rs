//! What tests of both transports do: every operation, against the oracle.
#![allow(dead_code)] // each suite uses some

pub mod oracle;

use icicle_array::DType;
use icicle_comm::{Call, Communicator, DataType, Options, ReduceOp, UniqueId, group};
use icicle_device::{Device, Dst, Src};
use icicle_error::Result;
use icicle_params::FieldId;
use icicle_runtime::{Buffer, Event, Launch, Stream};
use icicle_zk::vector::{self, VectorConfig};
use oracle::{input, reduced, same};
use std::sync::Once;
use std::thread;
use std::time::Duration;

/// The number of ranks there are devices for.
pub const DEVICES: usize = 7;

/// Virtual devices, before anything asks for them.
pub fn devices(n: usize) -> Vec<Device> {
    static SET: Once = Once::new();
    // SAFETY: before this process's first use of the library, and of the environment by other threads.
    SET.call_once(|| unsafe { std::env::set_var("ICICLE_CPU_DEVICES", DEVICES.to_string()) });
    (0..n).map(|i| Device::cpu(i as u32)).collect()
}

pub fn options(seconds: f64) -> Options {
    Options::default().timeout(Duration::from_secs_f64(seconds)).check(false)
}

/// Run a job as each rank, in threads of one process; results in the order of ranks.
pub fn local<T: Send>(n: usize, options: &Options, job: impl Fn(Communicator) -> T + Sync) -> Vec<T> {
    each(Communicator::init_all_with(&devices(n), options).unwrap(), job)
}

/// As `local`, connected over TCP.
pub fn connected<T: Send>(n: usize, options: &Options, job: impl Fn(Communicator) -> T + Sync) -> Vec<T> {
    let (devices, id) = (devices(n), UniqueId::new().unwrap());
    thread::scope(|scope| {
        let (id, job) = (&id, &job);
        let rank =
            |(rank, device)| scope.spawn(move || job(Communicator::init_rank(id, n, rank, device, options).unwrap()));
        let threads: Vec<_> = devices.into_iter().enumerate().map(rank).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

pub fn each<T: Send>(ranks: Vec<Communicator>, job: impl Fn(Communicator) -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let job = &job;
        let threads: Vec<_> = ranks.into_iter().map(|comm| scope.spawn(move || job(comm))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Memory on a rank's device.
pub struct Memory(Buffer<u8>);

impl Memory {
    pub fn of(comm: &Communicator, bytes: &[u8]) -> Self {
        Self(Buffer::from_slice_on(comm.device(), bytes).unwrap())
    }
    pub fn new(comm: &Communicator, bytes: usize) -> Self {
        Self::of(comm, &vec![0xa5; bytes])
    }
    pub fn dst(&mut self) -> Dst<'_> {
        (&mut self.0).into()
    }
    pub fn src(&self) -> icicle_device::Src<'_> {
        (&self.0).into()
    }
    pub fn bytes(&self) -> Vec<u8> {
        self.0.to_vec().unwrap()
    }
}

fn expect(what: &str, comm: &Communicator, data_type: DataType, n: usize, found: &[u8], expected: &[u8]) {
    let (rank, size) = (comm.rank(), comm.size());
    assert!(same(data_type, found, expected), "{what} of {n} {data_type}, rank {rank} of {size}");
}

/// Every operation on `n` elements of a type; all ranks call it.
pub fn every_operation(comm: &Communicator, t: DataType, n: usize) -> Result<()> {
    let (rank, size, each) = (comm.rank(), comm.size(), t.bytes());
    let seed = |rank: usize| (n as u64) << 8 | rank as u64;
    let whole: Vec<Vec<u8>> = (0..size).map(|rank| input(t, seed(rank), n)).collect();
    let long: Vec<Vec<u8>> = (0..size).map(|rank| input(t, seed(rank) + 77, n * size)).collect();
    let share = |of: &[u8], rank: usize| of[rank * n * each..(rank + 1) * n * each].to_vec();
    let root = n % size;
    for op in ReduceOp::ALL.into_iter().filter(|op| op.takes(t)) {
        let expected = reduced(t, op, &whole);
        let send = Memory::of(comm, &whole[rank]);
        let mut recv = Memory::new(comm, n * each);
        comm.all_reduce(t, op, n, send.src(), recv.dst())?;
        expect(&format!("all_reduce {op:?}"), comm, t, n, &recv.bytes(), &expected);
        assert_eq!(send.bytes(), whole[rank], "what is sent stays");
        let mut both = Memory::of(comm, &whole[rank]);
        let recv = both.dst();
        comm.all_reduce(t, op, n, recv.as_src(), recv)?;
        expect(&format!("all_reduce {op:?} in place"), comm, t, n, &both.bytes(), &expected);

        let mut recv = Memory::new(comm, n * each);
        comm.reduce(t, op, n, root, send.src(), (rank == root).then(|| recv.dst()))?;
        let at_root = |found: Vec<u8>| if rank == root { found } else { expected.clone() };
        expect(&format!("reduce {op:?}"), comm, t, n, &at_root(recv.bytes()), &expected);
        let mut both = Memory::of(comm, &whole[rank]);
        let recv = both.dst();
        comm.reduce(t, op, n, root, recv.as_src(), Some(recv))?;
        expect(&format!("reduce {op:?} in place"), comm, t, n, &at_root(both.bytes()), &expected);

        let expected = share(&reduced(t, op, &long), rank);
        let send = Memory::of(comm, &long[rank]);
        let mut recv = Memory::new(comm, n * each);
        comm.reduce_scatter(t, op, n, send.src(), recv.dst())?;
        expect(&format!("reduce_scatter {op:?}"), comm, t, n, &recv.bytes(), &expected);
        let mut both = Memory::of(comm, &long[rank]);
        let whole = both.dst();
        let (send, bytes) = (whole.as_src(), n * each);
        let parts = whole.split("test", [rank * bytes, bytes, (size - rank - 1) * bytes])?;
        comm.reduce_scatter(t, op, n, send, parts.into_iter().nth(1).unwrap())?;
        expect(&format!("reduce_scatter {op:?} in place"), comm, t, n, &share(&both.bytes(), rank), &expected);
    }
    let send = Memory::of(comm, &whole[rank]);
    let all = whole.concat();
    let mut recv = Memory::new(comm, n * each);
    comm.broadcast(t, n, root, (rank == root).then(|| send.src()), recv.dst())?;
    assert_eq!(recv.bytes(), whole[root], "broadcast of {n} {t}");
    let mut both = Memory::of(comm, &whole[rank]);
    let dst = both.dst();
    comm.broadcast(t, n, root, Some(dst.as_src()), dst)?;
    assert_eq!(both.bytes(), whole[root], "broadcast in place of {n} {t}");

    let mut recv = Memory::new(comm, n * size * each);
    comm.all_gather(t, n, send.src(), recv.dst())?;
    assert_eq!(recv.bytes(), all, "all_gather of {n} {t}");
    let mut mine = vec![0x11; n * size * each];
    mine[rank * n * each..(rank + 1) * n * each].copy_from_slice(&whole[rank]);
    let mut both = Memory::of(comm, &mine);
    let dst = both.dst();
    comm.all_gather(t, n, dst.as_src().part("test", rank * n * each, n * each)?, dst)?;
    assert_eq!(both.bytes(), all, "all_gather in place of {n} {t}");

    let mut recv = Memory::new(comm, n * size * each);
    comm.gather(t, n, root, send.src(), (rank == root).then(|| recv.dst()))?;
    assert!(rank != root || recv.bytes() == all, "gather of {n} {t}");
    let mut both = Memory::of(comm, &mine);
    let dst = both.dst();
    comm.gather(t, n, root, dst.as_src().part("test", rank * n * each, n * each)?, (rank == root).then_some(dst))?;
    assert!(rank != root || both.bytes() == all, "gather in place of {n} {t}");

    let long_send = Memory::of(comm, &long[rank]);
    let mut recv = Memory::new(comm, n * each);
    comm.scatter(t, n, root, (rank == root).then(|| long_send.src()), recv.dst())?;
    assert_eq!(recv.bytes(), share(&long[root], rank), "scatter of {n} {t}");
    let mut recv = Memory::new(comm, n * size * each);
    comm.all_to_all(t, n, long_send.src(), recv.dst())?;
    let expected: Vec<u8> = long.iter().flat_map(|sent| share(sent, rank)).collect();
    assert_eq!(recv.bytes(), expected, "all_to_all of {n} {t}");

    // To itself, with another transfer between.
    let (mut one, mut two) = (Memory::new(comm, n * each), Memory::new(comm, 2 * n * each));
    let twice = whole[rank].repeat(2);
    let double = Memory::of(comm, &twice);
    group(vec![
        (comm, Call::send(t, n, rank, send.src())),
        (comm, Call::send(t, 2 * n, rank, double.src())),
        (comm, Call::recv(t, n, rank, one.dst())),
        (comm, Call::recv(t, 2 * n, rank, two.dst())),
    ])?;
    assert_eq!((one.bytes(), two.bytes()), (whole[rank].clone(), twice), "to itself {n} {t}");

    if size > 1 {
        // Around the ring, both directions at once, which without a group would wait for each other.
        let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
        let (mut left, mut right) = (Memory::new(comm, n * each), Memory::new(comm, n * each));
        group(vec![
            (comm, Call::send(t, n, next, send.src())),
            (comm, Call::recv(t, n, before, left.dst())),
            (comm, Call::send(t, n, before, send.src())),
            (comm, Call::recv(t, n, next, right.dst())),
        ])?;
        assert_eq!((left.bytes(), right.bytes()), (whole[before].clone(), whole[next].clone()), "ring of {n} {t}");
        // From one to the next and on, without a group.
        let mut token = Memory::of(comm, &whole[0]);
        if rank > 0 {
            token = Memory::new(comm, n * each);
            comm.recv(t, n, rank - 1, token.dst())?;
        }
        if rank + 1 < size {
            comm.send(t, n, rank + 1, token.src())?;
        }
        assert_eq!(token.bytes(), whole[0], "chain of {n} {t}");
    }
    comm.barrier()
}

/// The sum of one number of each rank.
pub fn sum(comm: &Communicator, value: i64) -> Result<i64> {
    let mut out = [0i64];
    comm.all_reduce(DType::Int64, ReduceOp::Sum, 1, &[value][..], &mut out[..])?;
    Ok(out[0])
}

/// Calls on streams, ordered by events with what another stream computes before and after; all ranks call it.
pub fn ordered_by_streams(comm: &Communicator) -> Result<()> {
    const N: usize = 1 << 16;
    let (device, rank, size) = (comm.device(), comm.rank(), comm.size() as u32);
    let (compute, communicate) = (Stream::non_blocking(device)?, Stream::non_blocking(device)?);
    let (ready, done) = (Event::on(device, false)?, Event::on(device, false)?);
    let mut x = Buffer::<u32>::zeroed_on(device, N)?;
    let mut sum = Buffer::<u32>::zeroed_on(device, N)?;
    let one = Buffer::from_slice_on(device, &vec![1u32; N])?;
    // Zeros of a prime field below 2^31 and numbers add alike.
    let add = |stream: &Stream, a: Src<'_>, b: Src<'_>, out: Dst<'_>| {
        let launch = Launch { stream: Some(stream.as_ref()), is_async: true };
        let config = VectorConfig { launch, ..VectorConfig::default() };
        vector::binary(vector::Binary::Add, FieldId::BabyBearScalar, N, a, b, &config, out)
    };
    let mut expected = 0u32;
    for round in 0..20u32 {
        // x becomes the sum of before, and one more; the ranks differ in how late.
        add(&compute, Src::from(&sum), Src::from(&one), Dst::from(&mut x))?;
        for _ in 0..rank * 3 {
            let dst = Dst::from(&mut x);
            add(&compute, dst.as_src(), Src::from(&one), dst)?;
        }
        ready.record(&compute)?;
        communicate.wait(&ready)?;
        let call = Call::all_reduce(DType::UInt32, ReduceOp::Max, N, Src::from(&x), Dst::from(&mut sum));
        comm.run(call.on(communicate.as_ref()))?;
        done.record(&communicate)?;
        compute.wait(&done)?;
        expected += 1 + 3 * (size - 1);
        if round % 8 == 0 {
            communicate.synchronize()?;
        }
    }
    compute.synchronize()?;
    assert_eq!(sum.to_vec()?, vec![expected; N], "rank {rank}");
    assert_eq!(comm.failure(), None);
    comm.barrier()
}
