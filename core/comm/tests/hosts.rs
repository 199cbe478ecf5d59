//! Ranks on several hosts, connected over TCP, and faults of the network between them: what is lost, late or narrow changes no
//! result, what is cut is an error that names who is missing, in time, and nothing hangs.
//!
//! The hosts are network namespaces, which only root makes: `cargo xtask soak hosts` runs these.
#![allow(unsafe_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
#[path = "hosts/network.rs"]
mod network;
#[path = "hosts/ranks.rs"]
mod ranks;

use network::Network;
use ranks::{Answer, Ranks};
use std::thread::sleep;
use std::time::{Duration, Instant};

const HOSTS: usize = 4;
/// Elements of a sum that takes some seconds where links carry `SLOW` megabits a second.
const LONG: &str = "sum 4000000 1";
const SLOW: usize = 100;
/// What a queue holds that loses nothing.
const DEEP: &str = "4mb";

/// Ranks that have a communicator, whose calls may take so many seconds without progress.
fn joined(network: &Network, seconds: usize) -> Ranks {
    let mut ranks = Ranks::start(network);
    ranks.succeed(&format!("join {seconds}"), 30.0);
    ranks
}

/// After a fault is mended the same processes, and new ones for those that ended, work in a new communicator.
fn recover(network: &Network, mut ranks: Ranks) {
    network.mend();
    ranks.succeed("join 20", 40.0);
    ranks.succeed("sum 100000 2", 40.0);
    ranks.succeed("finish", 20.0);
}

/// An error of a timeout, its own or one that another rank told, that names who is missing.
fn misses(answer: &Answer, missing: &[usize], within: f64) {
    let Answer { code, seconds, text } = answer;
    let (_, named) = text.rsplit_once("timed out waiting for ranks [").unwrap_or_else(|| panic!("{answer:?}"));
    let named: Vec<usize> = named.split(']').next().unwrap().split(", ").map(|rank| rank.parse().unwrap()).collect();
    let is_named = missing.iter().any(|rank| named.contains(rank));
    assert!(code == "Timeout" && is_named && *seconds < within, "{answer:?}: missing are {missing:?}");
}

#[test]
#[ignore = "needs root: cargo xtask soak hosts"]
fn hosts_work_together() {
    let network = Network::new(HOSTS);
    let mut ranks = joined(&network, 30);
    for command in ["operations", "split", "sum 1000000 3", "finish"] {
        ranks.succeed(command, 120.0);
    }
    let file = std::env::temp_dir().join(format!("icicle-hosts-{}", std::process::id()));
    ranks.succeed(&format!("meet {} 30", file.display()), 60.0);
    std::fs::remove_file(file).unwrap();
    for command in ["operations", "split", "finish"] {
        ranks.succeed(command, 120.0);
    }
}

#[test]
#[ignore = "needs root: cargo xtask soak hosts"]
fn lost_packets_change_nothing() {
    let network = Network::new(HOSTS);
    network.lose(3);
    let mut ranks = joined(&network, 30);
    for command in ["operations", "split", "sum 300000 3", "finish"] {
        ranks.succeed(command, 300.0);
    }
    assert!(network.lost() > 20, "{} packets were lost", network.lost());
}

#[test]
#[ignore = "needs root: cargo xtask soak hosts"]
fn narrow_links_change_nothing() {
    let network = Network::new(HOSTS);
    network.narrow(50, "20kb");
    let mut ranks = joined(&network, 30);
    for command in ["sum 1000 20", "sum 300000 3", "finish"] {
        ranks.succeed(command, 300.0);
    }
    assert!(network.overflown() > 20, "{} packets did not fit", network.overflown());
}

#[test]
#[ignore = "needs root: cargo xtask soak hosts"]
fn delayed_packets_change_nothing() {
    let network = Network::new(HOSTS);
    network.delay(20, 10);
    let mut ranks = joined(&network, 30);
    let start = Instant::now();
    ranks.succeed("sum 1 10", 60.0);
    assert!(start.elapsed() > Duration::from_millis(100), "nothing was delayed");
    for command in ["operations", "split", "sum 300000 3", "finish"] {
        ranks.succeed(command, 300.0);
    }
}

/// In the middle of a call, whichever rank it is; nobody waits longer than the timeout.
#[test]
#[ignore = "needs root: cargo xtask soak hosts"]
fn a_cut_link_is_named() {
    for cut in [2, 0] {
        let network = Network::new(HOSTS);
        let mut ranks = joined(&network, 3);
        network.narrow(SLOW, DEEP);
        ranks.tell_all(LONG);
        sleep(Duration::from_millis(1500));
        network.link(cut, false);
        let others: Vec<usize> = (0..HOSTS).filter(|rank| *rank != cut).collect();
        for rank in 0..HOSTS {
            let missing = if rank == cut { &others[..] } else { &[cut] };
            let answer = ranks.answer(rank, 20.0);
            misses(&answer, missing, 1.5 + 3.0 + 3.0);
            assert!(answer.seconds > 1.5, "rank {rank} was done before the cut: {answer:?}");
        }
        recover(&network, ranks);
    }
}

#[test]
#[ignore = "needs root: cargo xtask soak hosts"]
fn a_link_that_is_mended_in_time_changes_nothing() {
    let network = Network::new(HOSTS);
    let mut ranks = joined(&network, 30);
    network.narrow(SLOW, DEEP);
    ranks.tell_all(LONG);
    for cut in [1, 0] {
        sleep(Duration::from_secs(1));
        network.link(cut, false);
        sleep(Duration::from_secs(1));
        network.link(cut, true);
    }
    for rank in 0..HOSTS {
        let answer = ranks.answer(rank, 60.0);
        assert!(answer.code == "ok" && answer.seconds > 4.0, "rank {rank}: {answer:?}");
    }
    recover(&network, ranks);
}

/// Each reaches the two others, which learn why the call ends.
#[test]
#[ignore = "needs root: cargo xtask soak hosts"]
fn two_hosts_that_do_not_hear_each_other_are_named() {
    let network = Network::new(HOSTS);
    let mut ranks = joined(&network, 3);
    network.narrow(SLOW, DEEP);
    ranks.tell_all(LONG);
    sleep(Duration::from_millis(1500));
    network.part(1, 3);
    for rank in 0..HOSTS {
        let missing: &[usize] = match rank {
            1 => &[3],
            3 => &[1],
            _ => &[1, 3],
        };
        misses(&ranks.answer(rank, 20.0), missing, 1.5 + 3.0 + 3.0);
    }
    assert!(network.lost() > 0);
    recover(&network, ranks);
}

/// Nothing says that its process ended: no packet of it arrives.
#[test]
#[ignore = "needs root: cargo xtask soak hosts"]
fn a_host_that_vanishes_is_named() {
    let network = Network::new(HOSTS);
    let mut ranks = joined(&network, 2);
    network.link(3, false);
    ranks.kill(3);
    (0..3).for_each(|rank| ranks.tell(rank, "sum 1 1"));
    (0..3).for_each(|rank| misses(&ranks.answer(rank, 20.0), &[3], 5.0));
    network.mend();
    recover(&network, Ranks::start(&network));
}

/// Ranks that cannot come, and two that cannot reach each other, while a communicator is made.
#[test]
#[ignore = "needs root: cargo xtask soak hosts"]
fn hosts_that_cannot_be_reached_are_named() {
    let network = Network::new(HOSTS);
    let mut ranks = Ranks::start(&network);
    network.link(3, false);
    ranks.tell_all("join 3");
    for rank in 0..HOSTS {
        misses(&ranks.answer(rank, 30.0), &[if rank == 3 { 0 } else { 3 }], 6.0);
    }
    network.mend();
    network.part(1, 3);
    ranks.tell_all("join 3");
    let answers: Vec<Answer> = (0..HOSTS).map(|rank| ranks.answer(rank, 30.0)).collect();
    for (rank, answer) in answers.iter().enumerate() {
        let missing: &[usize] = match rank {
            1 => &[3],
            3 => &[1],
            _ => &[1, 3],
        };
        misses(answer, missing, 6.0);
    }
    recover(&network, ranks);
}

/// Calls of many sizes while links lose, narrow and break for a moment, for as long as is asked for.
#[test]
#[ignore = "needs root: cargo xtask soak hosts"]
fn faults_that_pass_change_nothing() {
    let seconds = std::env::var("ICICLE_STRESS_SECONDS").map_or(20, |seconds| seconds.parse().unwrap());
    let network = Network::new(HOSTS);
    let mut ranks = joined(&network, 60);
    let (start, mut round) = (Instant::now(), 0);
    while start.elapsed() < Duration::from_secs(seconds) {
        network.mend();
        network.lose(round % 4);
        network.narrow(20 + round % 7 * 30, ["10kb", "40kb", DEEP][round % 3]);
        ranks.tell_all(&format!("sum {} {}", 1 << (round * 5 % 19), 1 + 40 / (1 + round * 5 % 19)));
        if round % 2 == 0 {
            let cut = round / 2 % HOSTS;
            sleep(Duration::from_millis(20));
            network.link(cut, false);
            sleep(Duration::from_millis(300));
            network.link(cut, true);
        }
        for rank in 0..HOSTS {
            let answer = ranks.answer(rank, 300.0);
            assert_eq!(answer.code, "ok", "round {round}, rank {rank}: {answer:?}");
        }
        round += 1;
    }
    println!("{round} rounds");
    recover(&network, ranks);
}
