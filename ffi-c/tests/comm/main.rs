//! Collectives by handle: ranks in threads and in processes, and what goes wrong between them.
//!
//! SAFETY of every block here: host pointers are to locals that outlive the call, of the lengths given with them; handles come
//! from a call here; where threads destroy what others use, the library's table keeps it alive or refuses it.
#![allow(missing_docs, unsafe_code, clippy::undocumented_unsafe_blocks)] // calls of the C boundary with live arguments
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod failures;
mod processes;
mod sharded;

use icicle_c::comm::*;
use icicle_c::comm_ops::*;
use icicle_c::comm_types::*;
use icicle_c::error::{Code, icicle_error_take};
use icicle_c::group::{icicle_group_create, icicle_group_destroy};
use icicle_c::types::IcicleDevice;
use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::Once;

const FLOAT64: i32 = 12;
const INT64: i32 = 4;
const BABYBEAR: i32 = 10010;

fn numbers(dtype: i32) -> CommType {
    CommType { kind: ICICLE_COMM_NUMBERS, number: dtype }
}

fn cpu(id: i32) -> IcicleDevice {
    static SET: Once = Once::new();
    // Before anything asks for a device.
    SET.call_once(|| unsafe { std::env::set_var("ICICLE_CPU_DEVICES", "4") });
    let mut device = IcicleDevice { device_type: [0; 64], id };
    device.device_type[..3].copy_from_slice(&[b'C', b'P', b'U'].map(|byte| byte as _));
    device
}

fn handle(number: usize) -> *mut c_void {
    std::ptr::without_provenance_mut(number)
}

fn message() -> String {
    let mut text = [0; 512];
    let _ = unsafe { icicle_error_take(text.as_mut_ptr(), text.len()) };
    unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned()
}

#[track_caller]
fn ok(code: Code) {
    assert_eq!(code, Code::Success, "{}", message());
}

#[track_caller]
fn fails(found: Code, code: Code, text: &str) {
    let message = message();
    assert_eq!(found, code, "{message}");
    assert!(message.contains(text), "{message:?} lacks {text:?}");
}

fn config(seconds: f64) -> CommConfig {
    CommConfig { timeout_seconds: seconds, ..icicle_comm_config_default() }
}

/// Ranks of this process.
fn all(n: usize, seconds: f64) -> Vec<usize> {
    let devices: Vec<_> = (0..n as i32).map(cpu).collect();
    let mut made = vec![null_mut(); n];
    ok(unsafe { icicle_comm_init_all(devices.as_ptr(), n as i32, &config(seconds), made.as_mut_ptr()) });
    made.into_iter().map(|made| made.addr()).collect()
}

fn new_id() -> CommId {
    let mut id = CommId { bytes: [0; 128] };
    cpu(0);
    ok(unsafe { icicle_comm_id_create(null(), &mut id) });
    id
}

fn join(id: &CommId, size: i32, rank: i32, config: &CommConfig) -> Result<usize, Code> {
    let mut made = null_mut();
    match unsafe { icicle_comm_init_rank(id, size, rank, &cpu(rank), config, &mut made) } {
        Code::Success => Ok(made.addr()),
        code => Err(code),
    }
}

/// Ranks over TCP, each in a thread.
fn connected(n: i32, seconds: f64) -> Vec<usize> {
    let id = new_id();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n).map(|rank| scope.spawn(move || join(&id, n, rank, &config(seconds)))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap().unwrap()).collect()
    })
}

fn each<T: Send>(comms: &[usize], job: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let job = &job;
        let rank = |(rank, &comm)| scope.spawn(move || job(rank, comm));
        let threads: Vec<_> = comms.iter().enumerate().map(rank).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn sum(comm: usize, value: i64) -> (Code, i64) {
    let (send, mut recv) = ([value], [0i64]);
    let (from, to) = (send.as_ptr().cast(), recv.as_mut_ptr().cast());
    let op = ICICLE_REDUCE_SUM;
    let code = unsafe { icicle_comm_all_reduce(handle(comm), numbers(INT64), op, 1, from, to, null_mut()) };
    (code, recv[0])
}

fn destroy(comms: Vec<usize>) {
    comms.into_iter().for_each(|comm| ok(icicle_comm_destroy(handle(comm))));
}

/// Every operation on two numbers a rank, of a communicator of any transport; expected values are written out.
fn every_operation(rank: usize, comm: usize, n: usize) {
    let (c, t, s) = (handle(comm), numbers(FLOAT64), null_mut());
    let mine = [rank as f64, 10.0 * rank as f64];
    let total = (0..n).sum::<usize>() as f64;
    let every: Vec<f64> = (0..n).flat_map(|rank| [rank as f64, 10.0 * rank as f64]).collect();
    let (send, root) = (mine.as_ptr().cast::<c_void>(), n as i32 - 1);
    let is_root = rank as i32 == root;

    for (op, expected) in [
        (ICICLE_REDUCE_SUM, [total, 10.0 * total]),
        (ICICLE_REDUCE_PROD, [0.0, 0.0]),
        (ICICLE_REDUCE_MIN, [0.0, 0.0]),
        (ICICLE_REDUCE_MAX, [root.into(), 10.0 * f64::from(root)]),
        (ICICLE_REDUCE_AVG, [total / n as f64, 10.0 * total / n as f64]),
    ] {
        let mut got = [-1.0f64; 2];
        ok(unsafe { icicle_comm_all_reduce(c, t, op, 2, send, got.as_mut_ptr().cast(), s) });
        assert_eq!(got, expected, "all_reduce {op}");
        let mut got = mine;
        let both = got.as_mut_ptr();
        ok(unsafe { icicle_comm_all_reduce(c, t, op, 2, both.cast(), both.cast(), s) });
        assert_eq!(got, expected, "all_reduce {op} in place");
        let mut got = [-1.0f64; 2];
        let recv = if is_root { got.as_mut_ptr().cast() } else { null_mut() };
        ok(unsafe { icicle_comm_reduce(c, t, op, 2, root, send, recv, s) });
        assert_eq!(got, if is_root { expected } else { [-1.0; 2] }, "reduce {op}");
    }
    let mut got = [-1.0f64; 2];
    let from_root = if is_root { send } else { null() };
    ok(unsafe { icicle_comm_broadcast(c, t, 2, root, from_root, got.as_mut_ptr().cast(), s) });
    assert_eq!(got, [root.into(), 10.0 * f64::from(root)], "broadcast");

    let mut got = vec![-1.0f64; 2 * n];
    ok(unsafe { icicle_comm_all_gather(c, t, 2, send, got.as_mut_ptr().cast(), s) });
    assert_eq!(got, every, "all_gather");
    let mut got = vec![-1.0f64; 2 * n];
    got[2 * rank..2 * rank + 2].copy_from_slice(&mine);
    let both = got.as_mut_ptr();
    ok(unsafe { icicle_comm_all_gather(c, t, 2, both.wrapping_add(2 * rank).cast(), both.cast(), s) });
    assert_eq!(got, every, "all_gather in place");
    let mut got = vec![-1.0f64; 2 * n];
    let recv = if is_root { got.as_mut_ptr().cast() } else { null_mut() };
    ok(unsafe { icicle_comm_gather(c, t, 2, root, send, recv, s) });
    assert_eq!(got, if is_root { every.clone() } else { vec![-1.0; 2 * n] }, "gather");

    let mut got = [-1.0f64; 2];
    let from_root = if is_root { every.as_ptr().cast() } else { null() };
    ok(unsafe { icicle_comm_scatter(c, t, 2, root, from_root, got.as_mut_ptr().cast(), s) });
    assert_eq!(got, mine, "scatter");
    let (mut got, all) = ([-1.0f64; 2], every.as_ptr().cast());
    ok(unsafe { icicle_comm_reduce_scatter(c, t, ICICLE_REDUCE_SUM, 2, all, got.as_mut_ptr().cast(), s) });
    assert_eq!(got, mine.map(|value| value * n as f64), "reduce_scatter");

    let sent: Vec<f64> = (0..n).map(|to| (100 * rank + to) as f64).collect();
    let mut got = vec![-1.0f64; n];
    ok(unsafe { icicle_comm_all_to_all(c, t, 1, sent.as_ptr().cast(), got.as_mut_ptr().cast(), s) });
    assert_eq!(got, (0..n).map(|from| (100 * from + rank) as f64).collect::<Vec<_>>(), "all_to_all");

    // Around the ring, which only a group can do without an order.
    let (next, before) = ((rank + 1) % n, (rank + n - 1) % n);
    let mut got = [-1.0f64; 2];
    let call = CommCall { comm: c, r#type: t, count: 2, ..icicle_comm_call_default() };
    let calls = [
        CommCall { operation: ICICLE_COMM_SEND, peer: next as i32, send, ..call },
        CommCall { operation: ICICLE_COMM_RECV, peer: before as i32, recv: got.as_mut_ptr().cast(), ..call },
        CommCall { operation: ICICLE_COMM_BARRIER, ..call },
    ];
    ok(unsafe { icicle_comm_group(calls.as_ptr(), 3) });
    assert_eq!(got, [before as f64, 10.0 * before as f64], "ring");
    // One after the other.
    let mut token = [5.0f64, 6.0];
    if rank > 0 {
        token = [0.0; 2];
        ok(unsafe { icicle_comm_recv(c, t, 2, before as i32, token.as_mut_ptr().cast(), s) });
    }
    if rank + 1 < n {
        ok(unsafe { icicle_comm_send(c, t, 2, next as i32, token.as_ptr().cast(), s) });
    }
    assert_eq!(token, [5.0, 6.0], "chain");
    ok(unsafe { icicle_comm_barrier(c, s) });
}

#[test]
fn every_operation_in_threads_and_over_tcp() {
    for comms in [all(3, 20.0), connected(3, 20.0)] {
        each(&comms, |rank, comm| every_operation(rank, comm, 3));
        each(&comms, |_, comm| ok(icicle_comm_finalize(handle(comm))));
    }
}

#[test]
fn elements_of_fields_are_reduced_in_them() {
    let (comms, p) = (all(2, 20.0), 2_013_265_921u32);
    let element = CommType { kind: ICICLE_COMM_ELEMENTS, number: BABYBEAR };
    let got = each(&comms, |_, comm| {
        let (send, mut recv, op) = ([p - 1, 3], [0u32; 2], ICICLE_REDUCE_PROD);
        let (from, to) = (send.as_ptr().cast(), recv.as_mut_ptr().cast());
        ok(unsafe { icicle_comm_all_reduce(handle(comm), element, op, 2, from, to, null_mut()) });
        recv
    });
    assert_eq!(got, [[1, 9]; 2]);
    let code = unsafe {
        let (x, op) = (&mut [0u32][..], ICICLE_REDUCE_MAX);
        let x = x.as_mut_ptr();
        icicle_comm_all_reduce(handle(comms[0]), element, op, 1, x.cast(), x.cast(), null_mut())
    };
    fails(code, Code::Unsupported, "all_reduce: reduction max of elements of babybear");
    destroy(comms);
}

#[test]
fn bytes_need_no_alignment() {
    let comms = all(3, 20.0);
    let got = each(&comms, |rank, comm| {
        let (mut all, t) = ([0u8; 3 * 5], numbers(5)); // uint8
        all[5 * rank..5 * rank + 5].fill(rank as u8 + 1);
        let both = all.as_mut_ptr();
        let send = both.wrapping_add(5 * rank);
        ok(unsafe { icicle_comm_all_gather(handle(comm), t, 5, send.cast(), both.cast(), null_mut()) });
        all
    });
    assert_eq!(got, [[1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3]; 3]);
    destroy(comms);
}

#[test]
fn ranks_are_split_and_described() {
    let comms = connected(4, 20.0);
    each(&comms, |rank, comm| {
        let color = if rank == 3 { -1 } else { rank as i32 % 2 };
        let mut part = null_mut();
        ok(unsafe { icicle_comm_split(handle(comm), color, -(rank as i32), &mut part) });
        if rank == 3 {
            return assert!(part.is_null());
        }
        let mut info = CommInfo { struct_size: size_of::<CommInfo>(), rank: -1, size: -1, device: cpu(9) };
        ok(unsafe { icicle_comm_info(part, &mut info) });
        let expected = [(1, 2), (0, 1), (0, 2)][rank];
        assert_eq!((info.rank, info.size), expected, "the highest rank has the lowest key");
        assert_eq!(info.device.id, rank as i32);
        let (code, total) = sum(part.addr(), 1 << rank);
        ok(code);
        assert_eq!(total, [5, 2, 5][rank]);
        ok(icicle_comm_destroy(part));
    });
    destroy(comms);
}

fn carrier(comm: usize) -> String {
    let mut text = [1; 64];
    ok(unsafe { icicle_comm_carrier(handle(comm), text.as_mut_ptr(), text.len()) });
    unsafe { CStr::from_ptr(text.as_ptr()) }.to_str().unwrap().to_owned()
}

#[test]
fn what_carries_is_told() {
    for (comms, expected) in [(all(2, 20.0), "host memory"), (connected(2, 20.0), "TCP")] {
        assert_eq!(comms.iter().map(|&comm| carrier(comm)).collect::<Vec<_>>(), [expected; 2]);
        let mut text = [1; 4];
        ok(unsafe { icicle_comm_carrier(handle(comms[0]), text.as_mut_ptr(), 3) });
        let cut = [expected.as_bytes()[0] as _, expected.as_bytes()[1] as _, 0, 1];
        assert_eq!(text, cut, "no more than there is room for");
        ok(unsafe { icicle_comm_carrier(handle(comms[0]), text.as_mut_ptr(), 0) });
        assert_eq!(text, cut);
        let code = unsafe { icicle_comm_carrier(handle(comms[0]), null_mut(), 3) };
        fails(code, Code::InvalidPointer, "comm_carrier: buffer is null");
        fails(unsafe { icicle_comm_carrier(null_mut(), text.as_mut_ptr(), 4) }, Code::InvalidPointer, "communicator");
        destroy(comms);
    }
}

/// A group of the first devices, and a rank for each.
fn over_group(n: i32) -> (*mut c_void, Vec<*mut c_void>) {
    let devices: Vec<_> = (0..n).map(cpu).collect();
    let (mut group, mut made) = (null_mut(), vec![null_mut(); n as usize]);
    ok(unsafe { icicle_group_create(devices.as_ptr(), n, null(), &mut group) });
    ok(unsafe { icicle_comm_init_group(group, &config(20.0), made.as_mut_ptr()) });
    (group, made)
}

#[test]
fn a_rank_for_each_device_of_a_group() {
    let (group, ranks) = over_group(3);
    for (i, &comm) in ranks.iter().enumerate() {
        let mut info = CommInfo { struct_size: size_of::<CommInfo>(), rank: -1, size: -1, device: cpu(9) };
        ok(unsafe { icicle_comm_info(comm, &mut info) });
        assert_eq!((info.rank, info.size, info.device.id), (i as i32, 3, i as i32));
    }
    let comms: Vec<usize> = ranks.iter().map(|comm| comm.addr()).collect();
    assert_eq!(each(&comms, |_, comm| sum(comm, 2)), [(Code::Success, 6); 3]);
    unsafe {
        let (config, mut made) = (config(1.0), [null_mut(); 3]);
        fails(icicle_comm_init_group(group, &config, null_mut()), Code::InvalidPointer, "init_group: comms is null");
        fails(icicle_comm_init_group(group, null(), made.as_mut_ptr()), Code::InvalidPointer, "config is null");
        fails(icicle_comm_init_group(null_mut(), &config, made.as_mut_ptr()), Code::InvalidPointer, "group");
        assert_eq!(made, [null_mut(); 3]);
    }
    destroy(comms);
    ok(icicle_group_destroy(group));
}

#[test]
fn one_thread_calls_for_all_ranks() {
    let comms = all(2, 20.0);
    let (sent, mut got) = ([[1i64, 2], [10, 20]], [[0i64; 2]; 2]);
    let calls: Vec<CommCall> = (0..2)
        .map(|k| CommCall {
            comm: handle(comms[k]),
            operation: ICICLE_COMM_ALL_REDUCE,
            r#type: numbers(INT64),
            count: 2,
            send: sent[k].as_ptr().cast(),
            recv: got[k].as_mut_ptr().cast(),
            ..icicle_comm_call_default()
        })
        .collect();
    ok(unsafe { icicle_comm_group(calls.as_ptr(), 2) });
    assert_eq!(got, [[11, 22]; 2]);
    ok(unsafe { icicle_comm_group(null(), 0) });

    let refused = |change: &dyn Fn(&mut CommCall), code, text: &str| {
        let mut calls = calls.clone();
        change(&mut calls[1]);
        fails(unsafe { icicle_comm_group(calls.as_ptr(), 2) }, code, text);
    };
    refused(&|call| call.struct_size += 8, Code::InvalidArgument, "calls[1].struct_size");
    refused(&|call| call.operation = 99, Code::InvalidArgument, "operation 99: must be an ICICLE_COMM_ constant");
    refused(&|call| call.reduce = 9, Code::InvalidArgument, "all_reduce: reduce 9");
    refused(&|call| call.r#type.kind = 7, Code::InvalidArgument, "type kind 7");
    refused(&|call| call.r#type.number = 77, Code::InvalidArgument, "dtype 77");
    refused(&|call| call.comm = null_mut(), Code::InvalidPointer, "communicator is null");
    refused(&|call| call.send = null(), Code::InvalidPointer, "send is null");
    refused(&|call| call.recv = call.recv.wrapping_byte_add(4), Code::InvalidPointer, "aligned to 8");
    refused(&|call| call.stream = handle(64), Code::InvalidPointer, "stream");
    refused(&|call| call.count = u64::MAX / 2, Code::InvalidArgument, "address space");
    refused(&|call| call.peer = -1, Code::InvalidArgument, "peer -1");
    fails(unsafe { icicle_comm_group(null(), 1) }, Code::InvalidPointer, "calls is null");
    fails(unsafe { icicle_comm_group(calls.as_ptr(), -1) }, Code::InvalidArgument, "count -1");
    // All were refused before anything was sent.
    assert_eq!(each(&comms, |_, comm| sum(comm, 3)), [(Code::Success, 6); 2]);
    destroy(comms);
}

#[test]
fn arguments_that_break_a_rule() {
    let comms = all(2, 20.0);
    let mut x = [0i64; 4];
    let (c, t, x) = (handle(comms[0]), numbers(INT64), x.as_mut_ptr().cast::<c_void>());
    let (s, half) = (null_mut(), x.wrapping_byte_add(8));
    unsafe {
        fails(icicle_comm_broadcast(c, t, 1, 2, x, x, s), Code::InvalidArgument, "broadcast: root 2: must be a rank");
        fails(icicle_comm_send(c, t, 1, 5, x, s), Code::InvalidArgument, "send: peer 5");
        fails(icicle_comm_all_reduce(c, t, 1, 2, x, half, s), Code::InvalidArgument, "overlaps send in part");
        fails(icicle_comm_all_to_all(c, t, 1, x, x, s), Code::InvalidArgument, "overlaps");
        fails(icicle_comm_reduce(c, t, 1, 1, 0, x, null_mut(), s), Code::InvalidPointer, "recv");
    }
    let (device, mut made, mut id) = (cpu(0), null_mut(), CommId { bytes: [0; 128] });
    unsafe {
        let (c, d) = (config(1.0), &raw const device);
        let wrong = CommConfig { timeout_seconds: -1.0, ..c };
        fails(icicle_comm_init_all(d, 1, &wrong, &mut made), Code::InvalidArgument, "timeout_seconds -1");
        fails(icicle_comm_init_all(d, 0, &c, &mut made), Code::InvalidArgument, "count 0");
        fails(icicle_comm_init_all(d, 1, null(), &mut made), Code::InvalidPointer, "config is null");
        fails(icicle_comm_init_all(d, 1, &c, null_mut()), Code::InvalidPointer, "comms is null");
        let old = CommConfig { struct_size: 8, ..c };
        fails(icicle_comm_init_all(d, 1, &old, &mut made), Code::InvalidArgument, "config.struct_size 8");
        fails(icicle_comm_init_all(&cpu(99), 1, &c, &mut made), Code::InvalidDevice, "cpu:99");
        fails(
            icicle_comm_init_rank(&id, 2, 1, d, &c, &mut made),
            Code::InvalidArgument,
            "bytes: must be those of an id",
        );
        fails(icicle_comm_init_rank(null(), 2, 1, d, &c, &mut made), Code::InvalidPointer, "id is null");
        fails(icicle_comm_id_release(&id), Code::InvalidArgument, "not made in this process");
        let address = CString::new("nowhere").unwrap();
        fails(icicle_comm_id_create(address.as_ptr(), &mut id), Code::InvalidArgument, "address \"nowhere\"");
    }
    let id = new_id();
    fails(join(&id, 2, 2, &config(1.0)).unwrap_err(), Code::InvalidArgument, "rank 2: must be below the size");
    fails(join(&id, 0, 0, &config(1.0)).unwrap_err(), Code::InvalidArgument, "size 0");
    ok(unsafe { icicle_comm_id_release(&id) });
    fails(unsafe { icicle_comm_id_release(&id) }, Code::InvalidArgument, "released already");
    fails(join(&id, 2, 0, &config(1.0)).unwrap_err(), Code::InvalidArgument, "id: was not made");
    assert_eq!(each(&comms, |_, comm| sum(comm, 3)), [(Code::Success, 6); 2], "nothing was sent");
    destroy(comms);
}
