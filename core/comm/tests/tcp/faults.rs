//! Faults: each ends the calls of all ranks that are left, in time, and they make a new communicator.

use super::common::{connected, devices, each, options, sum};
use super::processes::{start, succeeded};
use icicle_array::DType;
use icicle_comm::{Communicator, Options, UniqueId};
use icicle_error::{Error, ErrorCode, Result};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

fn init(id: &UniqueId, size: usize, rank: usize, options: &Options) -> Result<Communicator> {
    Communicator::init_rank(id, size, rank, devices(7)[rank], options)
}

/// Those of two ranks that are left make a new communicator.
fn recover() {
    assert_eq!(connected(2, &options(20.0), |comm| sum(&comm, 21).unwrap()), [42, 42]);
}

fn is(error: &Error, code: ErrorCode, text: &str) {
    assert!(error.code == code && error.to_string().contains(text), "{error}: {code:?}, {text}");
}

#[test]
fn a_killed_process_is_named() {
    let id = UniqueId::new().unwrap();
    let mut killed = start("hang", 2, 3, Some(&id), &[]);
    let (met, mut begin) = (Barrier::new(3), Instant::now());
    thread::scope(|scope| {
        for rank in [0, 1] {
            let (id, met) = (&id, &met);
            scope.spawn(move || {
                let comm = init(id, 3, rank, &options(30.0)).unwrap();
                assert_eq!(sum(&comm, 1).unwrap(), 3);
                met.wait();
                let error = sum(&comm, 1).unwrap_err();
                is(&error, ErrorCode::RemoteError, "rank 2");
                assert_eq!(comm.barrier().unwrap_err(), error);
            });
        }
        met.wait();
        begin = Instant::now();
        thread::sleep(Duration::from_millis(200));
        killed.kill().unwrap();
        killed.wait().unwrap();
    });
    assert!(begin.elapsed() < Duration::from_secs(20), "not by the timeout");
    recover();
}

#[test]
fn ranks_that_never_come_are_named() {
    let id = UniqueId::new().unwrap();
    let begin = Instant::now();
    thread::scope(|scope| {
        for rank in [0, 2] {
            let id = &id;
            scope.spawn(move || {
                let error = init(id, 4, rank, &options(0.7)).unwrap_err();
                is(&error, ErrorCode::Timeout, "timed out waiting for ranks [1, 3]");
            });
        }
    });
    // Rank 0 itself.
    let listening = UniqueId::new().unwrap();
    let error = init(&UniqueId::from_bytes(&listening.to_bytes()).unwrap(), 2, 1, &options(0.3)).unwrap_err();
    is(&error, ErrorCode::Timeout, "rank 0 did not answer in time");
    let bytes = listening.to_bytes();
    drop(listening);
    let error = init(&UniqueId::from_bytes(&bytes).unwrap(), 2, 1, &options(0.3)).unwrap_err();
    is(&error, ErrorCode::Timeout, "timed out waiting for ranks [0]");
    assert!(begin.elapsed() < Duration::from_secs(5));
    recover();
}

#[test]
fn ranks_that_do_not_go_on_are_named() {
    let begin = Instant::now();
    connected(3, &options(0.5), |comm| {
        if comm.rank() == 1 {
            thread::sleep(Duration::from_millis(1500));
            return;
        }
        let error = sum(&comm, 1).unwrap_err();
        is(&error, ErrorCode::Timeout, "timed out waiting for ranks [1]");
    });
    assert!(begin.elapsed() < Duration::from_secs(5));
    recover();
}

#[test]
fn who_has_another_nonce_is_refused_and_the_others_go_on() {
    let id = UniqueId::new().unwrap();
    let mut bytes = id.to_bytes();
    bytes[30] ^= 1;
    let wrong = UniqueId::from_bytes(&bytes).unwrap();
    thread::scope(|scope| {
        let id = &id;
        let root = scope.spawn(move || sum(&init(id, 2, 0, &options(20.0)).unwrap(), 1).unwrap());
        let error = init(&wrong, 2, 1, &options(20.0)).unwrap_err();
        is(&error, ErrorCode::RemoteError, "rank 0 refused: the nonces differ");
        // Of the right nonce, but other sizes and ranks.
        is(&init(id, 3, 1, &options(20.0)).unwrap_err(), ErrorCode::RemoteError, "different sizes");
        // Who says nothing, or anything.
        let silent = TcpStream::connect(id.address()).unwrap();
        let mut loud = TcpStream::connect(id.address()).unwrap();
        let _ = loud.write_all(&[0x5a; 1000]);
        let mut greeting = [0; 36];
        (&silent).read_exact(&mut greeting).unwrap();
        // A verdict that says welcome proves nothing to who has the wrong nonce, and a replayed hello nothing to rank 0.
        let comm = init(id, 2, 1, &options(20.0)).unwrap();
        assert_eq!((sum(&comm, 1).unwrap(), root.join().unwrap()), (2, 2));
        drop((silent, loud));
    });
}

/// An impostor that listens where rank 0 should, and welcomes everyone, without the nonce.
#[test]
fn who_cannot_prove_to_be_rank_0_is_refused() {
    let impostor = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut bytes = UniqueId::new().unwrap().to_bytes();
    bytes[6..8].copy_from_slice(&impostor.local_addr().unwrap().port().to_be_bytes());
    bytes[30] ^= 1;
    let id = UniqueId::from_bytes(&bytes).unwrap();
    let server = thread::spawn(move || {
        let (mut stream, _) = impostor.accept().unwrap();
        stream.write_all(&[&b"ICM1"[..], &[7; 32]].concat()).unwrap();
        stream.read_exact(&mut [0; 80]).unwrap();
        stream.write_all(&[0; 33]).unwrap();
    });
    let error = init(&id, 2, 1, &options(20.0)).unwrap_err();
    is(&error, ErrorCode::RemoteError, "another communicator's id");
    server.join().unwrap();
}

#[test]
fn an_id_is_used_once() {
    let id = UniqueId::new().unwrap();
    thread::scope(|scope| {
        let id = &id;
        let root = scope.spawn(move || init(id, 3, 0, &options(20.0)));
        let first = scope.spawn(move || init(id, 3, 1, &options(20.0)));
        thread::sleep(Duration::from_millis(800));
        // While the others wait: another rank 1, and another rank 0.
        is(&init(id, 3, 1, &options(20.0)).unwrap_err(), ErrorCode::RemoteError, "came as this rank already");
        is(&init(id, 3, 0, &options(20.0)).unwrap_err(), ErrorCode::InvalidArgument, "used already");
        let last = init(id, 3, 2, &options(20.0)).unwrap();
        let ranks = [root.join().unwrap().unwrap(), first.join().unwrap().unwrap(), last];
        assert_eq!(each(ranks.into(), |comm| sum(&comm, 1).unwrap()), [3; 3]);
        is(&init(id, 3, 1, &options(0.3)).unwrap_err(), ErrorCode::Timeout, "cannot be reached");
    });
    recover();
}

#[test]
fn aborting_ends_calls_that_wait() {
    let begin = Instant::now();
    connected(3, &options(60.0), |comm| {
        // Each waits for one that sends nothing.
        let wait = || comm.recv(DType::UInt8, 1, (comm.rank() + 2) % 3, &mut [0u8][..]).unwrap_err();
        thread::scope(|scope| {
            if comm.rank() == 2 {
                scope.spawn(move || is(&wait(), ErrorCode::Cancelled, "rank 2 aborted"));
                thread::sleep(Duration::from_millis(300));
                return comm.abort();
            }
            let error = wait();
            is(&error, ErrorCode::RemoteError, "rank 2 aborted");
            assert_eq!(comm.barrier().unwrap_err(), error);
        });
    });
    assert!(begin.elapsed() < Duration::from_secs(20));
    recover();
}

/// Descriptors and threads of this process; other tests of it have theirs, so it is a process of its own.
fn held() -> (usize, usize) {
    let count = |folder: &str| fs::read_dir(folder).unwrap().count();
    (count("/proc/self/fd"), count("/proc/self/task"))
}

/// As `held`, once there are no more than there may be, or long after. Threads end a while after those who wait for them go
/// on: a scope's when their work is done, joined ones before the system has taken them from its list.
fn settled(most: (usize, usize)) -> (usize, usize) {
    let begin = Instant::now();
    loop {
        let now = held();
        if (now.0 <= most.0 && now.1 <= most.1) || begin.elapsed() > Duration::from_secs(10) {
            return now;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn nothing_is_leaked() {
    let alone = "ICICLE_COMM_TEST_ALONE";
    if std::env::var_os(alone).is_none() {
        let exe = std::env::current_exe().unwrap();
        let mut command = std::process::Command::new(exe);
        command.args(["--exact", "faults::nothing_is_leaked", "--nocapture", "--test-threads=1"]).env(alone, "1");
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        return succeeded(command.spawn().unwrap());
    }
    let mut before = (0, 0);
    for round in 0..200 {
        if round == 10 {
            // What the library makes once is there.
            before = held();
        }
        match round % 4 {
            0 => recover(),
            1 => drop(connected(3, &options(20.0), |comm| {
                let part = comm.split(Some(comm.rank() as u32 % 2), 0).unwrap();
                if comm.rank() == 1 {
                    comm.abort();
                }
                (comm.barrier().unwrap_err(), part.map(|part| sum(&part, 1)))
            })),
            2 => {
                let id = UniqueId::new().unwrap();
                thread::scope(|scope| {
                    for rank in [0, 2] {
                        let id = &id;
                        scope.spawn(move || init(id, 3, rank, &options(0.02)).unwrap_err());
                    }
                });
            }
            _ => drop(super::common::local(3, &options(0.02), |comm| {
                (comm.rank() != 1).then(|| comm.barrier().unwrap_err())
            })),
        }
    }
    let after = settled(before);
    assert!(after.0 <= before.0 && after.1 <= before.1, "descriptors and threads: {before:?}, then {after:?}");
}
