//! What goes wrong between ranks of a process or over TCP.

use super::*;
use std::time::{Duration, Instant};

#[test]
fn an_id_makes_one_communicator_of_those_who_have_it() {
    let id = new_id();
    let comms: Vec<usize> = std::thread::scope(|scope| {
        let other = scope.spawn(move || join(&id, 2, 1, &config(10.0)).unwrap());
        let forged = scope.spawn(move || {
            let mut wrong = id;
            wrong.bytes[30] ^= 1; // of the nonce
            join(&wrong, 2, 1, &config(0.3)).unwrap_err()
        });
        // The forger is refused, and takes nobody's place.
        assert!(matches!(forged.join().unwrap(), Code::RemoteError | Code::Timeout));
        vec![join(&id, 2, 0, &config(10.0)).unwrap(), other.join().unwrap()]
    });
    fails(join(&id, 2, 0, &config(1.0)).unwrap_err(), Code::InvalidArgument, "used already");
    fails(unsafe { icicle_comm_id_release(&id) }, Code::InvalidArgument, "used or released already");
    assert_eq!(each(&comms, |rank, comm| sum(comm, rank as i64)), [(Code::Success, 1); 2]);
    destroy(comms);
}

#[test]
fn ranks_that_do_not_come_are_named() {
    let id = new_id();
    let start = Instant::now();
    fails(join(&id, 3, 0, &config(0.2)).unwrap_err(), Code::Timeout, "[1, 2]");
    for comms in [all(3, 0.2), connected(3, 0.2)] {
        let codes = each(&comms[..2], |_, comm| (sum(comm, 1).0, message()));
        for (code, text) in &codes {
            assert!(matches!(code, Code::Timeout | Code::RemoteError), "{text}");
        }
        assert!(codes.iter().any(|(code, text)| *code == Code::Timeout && text.contains('2')), "{codes:?}");
        // The error stays, and is asked for.
        let (mut failure, mut text) = (Code::Success, [0; 256]);
        ok(unsafe { icicle_comm_failure(handle(comms[0]), &mut failure, text.as_mut_ptr(), text.len()) });
        assert_eq!(failure, codes[0].0);
        assert_eq!(unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy(), codes[0].1);
        assert_eq!(sum(comms[0], 1).0, codes[0].0);
        destroy(comms);
    }
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn calls_that_differ_are_errors_of_both() {
    let check = CommConfig { check: 1, ..config(20.0) };
    let id = new_id();
    let checked: Vec<usize> = std::thread::scope(|scope| {
        let other = scope.spawn(move || join(&id, 2, 1, &check).unwrap());
        vec![join(&id, 2, 0, &check).unwrap(), other.join().unwrap()]
    });
    for comms in [all(2, 20.0), checked] {
        let codes = each(&comms, |rank, comm| {
            let (mut x, op) = ([0i64; 4], ICICLE_REDUCE_SUM);
            let x = x.as_mut_ptr().cast();
            let count = 1 + rank as u64;
            let code = unsafe { icicle_comm_all_reduce(handle(comm), numbers(INT64), op, count, x, x, null_mut()) };
            (code, message())
        });
        assert!(
            codes.iter().any(|(code, text)| {
                *code == Code::InvalidArgument && text.contains("sum of 1 int64") && text.contains("sum of 2 int64")
            }),
            "{codes:?}"
        );
        destroy(comms);
    }
}

/// Without a check a rank that only sends goes on before a call that does not match is seen; with one it does not.
#[test]
fn checked_calls_send_nothing_that_does_not_match() {
    for check in [0, 1] {
        let (config, id) = (CommConfig { check, ..config(20.0) }, new_id());
        let comms: Vec<usize> = std::thread::scope(|scope| {
            let other = scope.spawn(move || join(&id, 2, 1, &config).unwrap());
            vec![join(&id, 2, 0, &config).unwrap(), other.join().unwrap()]
        });
        let codes = each(&comms, |rank, comm| {
            let (comm, t, mut x) = (handle(comm), numbers(INT64), [0i64; 2]);
            let x = x.as_mut_ptr().cast();
            match rank {
                0 => unsafe { icicle_comm_send(comm, t, 1, 1, x, null_mut()) },
                _ => unsafe { icicle_comm_recv(comm, t, 2, 0, x, null_mut()) },
            }
        });
        assert_eq!((codes[0] != Code::Success, codes[1]), (check == 1, Code::InvalidArgument), "{codes:?}");
        destroy(comms);
    }
}

#[test]
fn an_abort_ends_calls_that_wait() {
    for comms in [all(2, 60.0), connected(2, 60.0)] {
        let start = Instant::now();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| (sum(comms[0], 1).0, message()));
            std::thread::sleep(Duration::from_millis(100));
            ok(icicle_comm_abort(handle(comms[0])));
            let (code, text) = waiting.join().unwrap();
            assert_eq!(code, Code::Cancelled, "{text}");
            assert!(text.contains("rank 0 aborted"), "{text}");
        });
        // Over TCP what rank 0 sent before may still be received, and its end is seen after that.
        let codes = [sum(comms[1], 1).0, sum(comms[1], 1).0];
        assert!(matches!(codes[1], Code::Cancelled | Code::RemoteError), "{codes:?}");
        assert!(start.elapsed() < Duration::from_secs(20));
        destroy(comms);
    }
}

#[test]
fn destroyed_while_another_thread_waits() {
    for comms in [all(2, 60.0), connected(2, 60.0)] {
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| sum(comms[0], 1));
            std::thread::sleep(Duration::from_millis(100));
            // The call that has it goes on; no other finds it any more.
            ok(icicle_comm_destroy(handle(comms[0])));
            assert_eq!(sum(comms[0], 1).0, Code::InvalidPointer);
            assert!(message().contains("freed already"));
            assert_eq!(sum(comms[1], 2), (Code::Success, 3));
            assert_eq!(waiting.join().unwrap(), (Code::Success, 3));
        });
        // Its rank has left.
        assert_eq!(sum(comms[1], 2).0, Code::RemoteError);
        assert!(message().contains("rank 0"));
        for gone in [comms[0], 0, 64] {
            let code = icicle_comm_abort(handle(gone));
            fails(code, Code::InvalidPointer, "communicator");
            fails(icicle_comm_finalize(handle(gone)), Code::InvalidPointer, "communicator");
        }
        fails(icicle_comm_destroy(handle(comms[0])), Code::InvalidPointer, "freed already");
        ok(icicle_comm_destroy(null_mut()));
        ok(icicle_comm_destroy(handle(comms[1])));
    }
}

/// Handles go while threads are in calls with them, and two threads take each away: one does, every call ends, and a sum that
/// a rank got is right.
#[test]
fn destroyed_in_the_middle_of_calls() {
    let start = Instant::now();
    for round in 0..20 {
        for comms in [all(3, 60.0), connected(3, 60.0)] {
            std::thread::scope(|scope| {
                let ranks = comms.iter().enumerate().map(|(rank, &comm)| {
                    scope.spawn(move || {
                        for call in 0.. {
                            match sum(comm, call + rank as i64) {
                                (Code::Success, found) => assert_eq!(found, 3 * call + 3),
                                (code, _) => return (code, message()),
                            }
                        }
                        unreachable!()
                    })
                });
                let ranks: Vec<_> = ranks.collect();
                std::thread::sleep(Duration::from_micros(500 * (round % 7)));
                let gone = comms[round as usize % 3];
                let take = move || icicle_comm_destroy(handle(gone));
                let (one, other) = (scope.spawn(take), scope.spawn(take));
                let mut codes = [one.join().unwrap(), other.join().unwrap()];
                codes.sort_by_key(|&code| code as i32);
                assert_eq!(codes, [Code::Success, Code::InvalidPointer]);
                for (&comm, rank) in comms.iter().zip(ranks) {
                    let (code, text) = rank.join().unwrap();
                    let expected = if comm == gone { Code::InvalidPointer } else { Code::RemoteError };
                    assert_eq!(code, expected, "{text}");
                }
            });
            comms.iter().filter(|comm| **comm != comms[round as usize % 3]).for_each(|&comm| destroy(vec![comm]));
        }
    }
    assert!(start.elapsed() < Duration::from_secs(60), "not by the timeout");
}
