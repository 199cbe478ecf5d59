//! Collectives over vectors that lie on the devices of a group.
#![allow(unsafe_code)] // the environment
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::oracle::{input, reduced, same, types};
use common::{devices, options};
use icicle_array::DType;
use icicle_comm::{Communicator, DataType, Kind, ReduceOp, UniqueId, run_sharded};
use icicle_error::ErrorCode;
use icicle_runtime::{DeviceGroup, Layout, Sharded};

/// What each device is to hold.
fn scattered(group: &DeviceGroup, t: DataType, layout: Layout, parts: &[Vec<u8>]) -> Sharded {
    let each = parts[0].len() / t.bytes();
    let n = if layout == Layout::Replicated { each } else { each * parts.len() };
    let mut vector = Sharded::new(group, n, t.bytes(), layout).unwrap();
    for (to, from) in vector.parts_mut().iter_mut().zip(parts) {
        to.copy_from_slice(from).unwrap();
    }
    vector
}

fn parts(vector: &Sharded) -> Vec<Vec<u8>> {
    vector.parts().iter().map(|part| part.to_vec().unwrap()).collect()
}

#[track_caller]
fn expect(kind: Kind, t: DataType, vector: &Sharded, expected: &[Vec<u8>]) {
    let found = parts(vector);
    let equal = found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| same(t, a, b));
    assert!(equal, "{kind:?} of {t} over {} devices", expected.len());
}

/// Every kind on `n` elements a device, against what each device is to hold by the kind's definition.
fn every_kind(ranks: &[Communicator], group: &DeviceGroup, t: DataType, n: usize) {
    use Layout::{Blocks, Cyclic, Replicated};
    let (size, root) = (ranks.len(), ranks.len() - 1);
    let short: Vec<Vec<u8>> = (0..size).map(|rank| input(t, rank as u64, n)).collect();
    let long: Vec<Vec<u8>> = (0..size).map(|rank| input(t, 100 + rank as u64, n * size)).collect();
    let untouched = |bytes: usize| vec![0xa5u8; bytes];
    let empty = |layout, bytes: usize| scattered(group, t, layout, &vec![untouched(bytes); size]);
    let share = |all: &[u8], rank: usize| all[rank * n * t.bytes()..(rank + 1) * n * t.bytes()].to_vec();
    let run = |kind, op, send: Option<&Sharded>, recv: &mut Sharded| {
        run_sharded(ranks, kind, t, op, root, send, recv).unwrap();
    };
    for layout in [Blocks, Cyclic, Replicated] {
        let sent = scattered(group, t, layout, &short);
        for op in ReduceOp::ALL.into_iter().filter(|op| op.takes(t)) {
            let sum = reduced(t, op, &short);
            let mut recv = empty(layout, short[0].len());
            run(Kind::AllReduce, op, Some(&sent), &mut recv);
            expect(Kind::AllReduce, t, &recv, &vec![sum.clone(); size]);
            let mut both = scattered(group, t, layout, &short);
            run(Kind::AllReduce, op, None, &mut both);
            expect(Kind::AllReduce, t, &both, &vec![sum.clone(); size]);
            let mut both = scattered(group, t, layout, &short);
            run(Kind::Reduce, op, None, &mut both);
            let at_root = |rank: usize, other: Vec<u8>| if rank == root { sum.clone() } else { other };
            let kept: Vec<_> = (0..size).map(|rank| at_root(rank, short[rank].clone())).collect();
            expect(Kind::Reduce, t, &both, &kept);
        }
        let mut recv = empty(layout, short[0].len());
        run(Kind::Broadcast, ReduceOp::Sum, Some(&sent), &mut recv);
        expect(Kind::Broadcast, t, &recv, &vec![short[root].clone(); size]);
        let sent = scattered(group, t, layout, &long);
        let mut recv = empty(layout, long[0].len());
        run(Kind::AllToAll, ReduceOp::Sum, Some(&sent), &mut recv);
        let from_all = |rank: usize| long.iter().flat_map(|sent| share(sent, rank)).collect();
        expect(Kind::AllToAll, t, &recv, &(0..size).map(from_all).collect::<Vec<_>>());
    }
    let blocks = scattered(group, t, Blocks, &short);
    let mut recv = empty(Replicated, long[0].len());
    run(Kind::AllGather, ReduceOp::Sum, Some(&blocks), &mut recv);
    expect(Kind::AllGather, t, &recv, &vec![short.concat(); size]);
    let mut recv = empty(Replicated, long[0].len());
    run(Kind::Gather, ReduceOp::Sum, Some(&blocks), &mut recv);
    let gathered = |rank: usize| if rank == root { short.concat() } else { untouched(long[0].len()) };
    expect(Kind::Gather, t, &recv, &(0..size).map(gathered).collect::<Vec<_>>());
    let sent = scattered(group, t, Replicated, &long);
    for op in ReduceOp::ALL.into_iter().filter(|op| op.takes(t)) {
        let sum = reduced(t, op, &long);
        let mut recv = empty(Blocks, short[0].len());
        run(Kind::ReduceScatter, op, Some(&sent), &mut recv);
        expect(Kind::ReduceScatter, t, &recv, &(0..size).map(|rank| share(&sum, rank)).collect::<Vec<_>>());
    }
    let mut recv = empty(Blocks, short[0].len());
    run(Kind::Scatter, ReduceOp::Sum, Some(&sent), &mut recv);
    expect(Kind::Scatter, t, &recv, &(0..size).map(|rank| share(&long[root], rank)).collect::<Vec<_>>());
}

#[test]
fn every_kind_over_groups() {
    for size in [1, 2, 3] {
        let group = DeviceGroup::new(&devices(size)).unwrap();
        let ranks = Communicator::init_group(&group, &options(60.0)).unwrap();
        for t in types() {
            for n in [0, 1, 5, 64] {
                every_kind(&ranks, &group, t, n);
            }
        }
    }
}

#[test]
fn ranks_over_tcp_in_one_process_too() {
    let (all, id) = (devices(2), UniqueId::new().unwrap());
    let group = DeviceGroup::new(&all).unwrap();
    let ranks: Vec<Communicator> = std::thread::scope(|scope| {
        let id = &id;
        let join =
            |(rank, device)| scope.spawn(move || Communicator::init_rank(id, 2, rank, device, &options(60.0)).unwrap());
        let threads: Vec<_> = all.into_iter().enumerate().map(join).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    every_kind(&ranks, &group, DType::Float32.into(), 1000);
}

#[test]
fn wrong_vectors_and_ranks_are_refused() {
    use Layout::{Blocks, Cyclic, Replicated};
    let all = devices(3);
    let group = DeviceGroup::new(&all[..2]).unwrap();
    let ranks = Communicator::init_group(&group, &options(5.0)).unwrap();
    let t = DType::UInt32;
    let vector = |n, layout| Sharded::from_slice(&group, &vec![7u32; n], layout).unwrap();
    let check = |ranks: &[&Communicator], kind, root, send: Option<&Sharded>, recv: &mut Sharded, text: &str| {
        let error = run_sharded(ranks, kind, t, ReduceOp::Sum, root, send, recv).unwrap_err();
        assert!(error.code == ErrorCode::InvalidArgument && error.to_string().contains(text), "{error}: {text}");
    };
    let both: Vec<&Communicator> = ranks.iter().collect();
    let (mut x, mut y) = (vector(8, Blocks), vector(8, Replicated));
    check(&both[..1], Kind::AllReduce, 0, None, &mut x, "number 0 of 1 is rank 0 of 2");
    check(&[both[1], both[0]], Kind::AllReduce, 0, None, &mut x, "number 0 of 2 is rank 1 of 2");
    check(&[both[0], both[0]], Kind::AllReduce, 0, None, &mut x, "number 1 of 2 is rank 0 of 2");
    check(&both, Kind::AllReduce, 0, Some(&vector(10, Blocks)), &mut x, "send holds");
    check(&both, Kind::AllReduce, 0, Some(&vector(8, Cyclic)), &mut x, "send is cyclic, recv blocks: must be the same");
    check(&both, Kind::AllReduce, 0, None, &mut vector(9, Cyclic), "recv of which devices hold [5, 4] elements");
    // One element, which one device has, and devices without a share.
    check(&both, Kind::AllReduce, 0, None, &mut vector(1, Blocks), "recv of which devices hold [");
    check(&both, Kind::AllToAll, 0, Some(&vector(1, Replicated)), &mut vector(1, Replicated), "");
    let one_sided = DeviceGroup::new(&all[..2]).unwrap().with_shares(&[0.0, 1.0]).unwrap();
    let mut skewed = Sharded::from_slice(&one_sided, &[7u32; 8], Blocks).unwrap();
    check(&both, Kind::AllReduce, 0, None, &mut skewed, "recv of which devices hold [0, 8] elements");
    check(&both, Kind::AllGather, 0, Some(&skewed), &mut y, "send of which devices hold [0, 8] elements");
    check(&both, Kind::Broadcast, 2, None, &mut x, "root 2: must be a rank, below 2");
    check(&both, Kind::AllGather, 0, None, &mut x, "send: must be given");
    check(&both, Kind::AllGather, 0, Some(&vector(8, Cyclic)), &mut y, "must be blocks and replicated");
    check(&both, Kind::Scatter, 0, Some(&x), &mut vector(8, Blocks), "must be replicated and blocks");
    check(&both, Kind::AllGather, 0, Some(&x), &mut vector(9, Replicated), "recv holds");
    check(&both, Kind::AllToAll, 0, Some(&vector(6, Blocks)), &mut vector(6, Blocks), "holds 12 bytes");
    check(&both, Kind::Send, 0, Some(&x), &mut vector(8, Blocks), "send: takes no vectors over a group");
    let wide = Sharded::from_slice(&group, &[[7u16; 3]; 8], Blocks).unwrap();
    check(
        &both,
        Kind::AllReduce,
        0,
        Some(&wide),
        &mut x,
        "send of elements of 6 bytes: must be a multiple of the 4 of",
    );
    let other = DeviceGroup::new(&[all[0], all[2]]).unwrap();
    let mut other = Sharded::from_slice(&other, &[7u32; 8], Blocks).unwrap();
    check(&both, Kind::AllReduce, 0, None, &mut other, "recv on cpu:0, cpu:2: the ranks are on cpu:0, cpu:1");
    assert_eq!(parts(&x), vec![[7, 0, 0, 0].repeat(4); 2], "nothing is written");
    run_sharded(&ranks, Kind::AllReduce, t, ReduceOp::Sum, 0, None, &mut x).unwrap();
    assert_eq!(x.to_vec::<u32>(&group).unwrap(), [14; 8], "the communicator is as it was");
    // Elements of several numbers each.
    let pairs: Vec<[u32; 2]> = (0..8).map(|i| [i, 100 + i]).collect();
    let mut x = Sharded::from_slice(&group, &pairs, Blocks).unwrap();
    run_sharded(&ranks, Kind::AllReduce, t, ReduceOp::Sum, 0, None, &mut x).unwrap();
    let sums: Vec<[u32; 2]> = (0..8).map(|i| [4 + 2 * (i % 4), 204 + 2 * (i % 4)]).collect();
    assert_eq!(x.to_vec::<[u32; 2]>(&group).unwrap(), sums);
}
