//! The examples of encrypted integers, on small sizes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test's way to fail

use std::process::Command;

fn run(name: &str, arguments: &[&str]) -> (bool, String) {
    // Cargo builds them beside this test.
    let built = std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().join("examples");
    let output = Command::new(built.join(name)).args(arguments).env("ICICLE_CPU_DEVICES", "2").output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn additions_are_right_both_ways() {
    let (ok, text) = run("fhe_additions", &["--additions", "1", "--threads", "2"]);
    assert!(ok && text.contains("2 of 2 sums are right, both ways"), "{text}");
    let (ok, text) = run("fhe_additions", &["--additions", "0"]);
    assert!(!ok && text.contains("0 is not in 1.."), "{text}");
}

#[test]
fn the_highest_bid_wins() {
    let (ok, text) = run("fhe_auction", &["--bidders", "5"]);
    assert!(ok && text.contains(", which is right"), "{text}");
    let (ok, text) = run("fhe_auction", &["--bidders", "1", "--reserve", "4000000000"]);
    assert!(ok && text.contains("not sold"), "{text}");
}

#[test]
fn a_record_is_found_or_is_not_there() {
    // More than are looked at together.
    let (ok, text) = run("fhe_lookup", &["--records", "9"]);
    assert!(ok && text.contains("9 records in") && text.contains(": record "), "{text}");
    let (ok, text) = run("fhe_lookup", &["--records", "2", "--missing"]);
    assert!(ok && text.contains(": no record, which is right"), "{text}");
    for bad in ["0", "65536"] {
        let (ok, text) = run("fhe_lookup", &["--records", bad]);
        assert!(!ok && text.contains(&format!("{bad} is not in 1..65536")), "{text}");
    }
}
