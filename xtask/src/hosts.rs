//! Collectives between hosts: network namespaces, which root makes with iproute2 and nftables.

use crate::suite::{LONG, Work, few};
use crate::tools::logged;
use std::fs::File;
use std::process::Command;

/// What the hosts are made with, and how to have it.
const TOOLS: [&str; 3] = ["ip -Version", "tc -Version", "nft --version"];
const INSTALL: &str = "apt-get install iproute2 nftables";
/// How long the faults that pass go on, unless it is set.
const SECONDS: &str = "ICICLE_STRESS_SECONDS";
/// The test that needs what not every kernel has.
const DELAY: &str = "delayed_packets_change_nothing";

fn run(line: &str) -> Result<(), String> {
    let mut words = line.split_whitespace();
    let output = Command::new(words.next().unwrap_or_default()).args(words).output();
    let output = output.map_err(|error| format!("{line}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr).trim().replace('\n', " ");
    if output.status.success() { Ok(()) } else { Err(format!("{line}: {text}")) }
}

/// Faults of the network between ranks, for so long; of a fault that cannot be made here, why.
pub fn test(log: &mut File) -> Result<(), String> {
    TOOLS.iter().try_for_each(|line| run(line)).map_err(|error| format!("{error}; install: {INSTALL}"))?;
    let probe = format!("icicle-probe-{}", std::process::id());
    run(&format!("ip netns add {probe}")).map_err(|error| format!("hosts need root: {error}"))?;
    let netem = run(&format!("ip netns exec {probe} tc qdisc add dev lo root netem delay 1ms"));
    run(&format!("ip netns del {probe}"))?;
    let Work::Commands(mut tests) =
        few("hosts", &format!("test {PACKAGES} --test hosts -- --ignored --test-threads=1")).work
    else {
        return Err("tests are commands".into());
    };
    if let Err(error) = &netem {
        println!("      hosts: without {DELAY}: this kernel has no netem ({error})");
    }
    tests.iter_mut().try_for_each(|tests| {
        if std::env::var_os(SECONDS).is_none() {
            tests.env(SECONDS, LONG);
        }
        if netem.is_err() {
            tests.args(["--skip", DELAY]);
        }
        logged(tests, Some(log))
    })
}

/// As the suite of collectives builds them.
const PACKAGES: &str = "--package icicle-comm --package icicle-table";
