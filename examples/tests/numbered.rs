//! The numbered examples: every one is run, on several devices, and ends with what it should.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test's way to fail

use std::path::Path;
use std::process::Command;

/// Each example's last line with three CPU devices. The examples assert their results; without a GPU the devices are known.
const ENDS: [(&str, &str); 6] = [
    ("01_vectors", "cpu:2: [11, 22, 2]"),
    ("02_msm", "the MSM is 204·G"),
    ("03_ntt", "the product's coefficients are [4, 13, 22, 15]"),
    ("04_streams", "x² + x of 65536 elements on "),
    ("05_devices", "the parts' sum is right"),
    ("06_groups", "the divided sums are the same"),
];

#[test]
fn every_numbered_example_runs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut sources: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .inspect(|path| {
            let lines = std::fs::read_to_string(path).unwrap().lines().count();
            let numbered = path.file_name().unwrap().to_str().unwrap().starts_with(|c: char| c.is_ascii_digit());
            assert!(!numbered || lines < 60, "{}: {lines} lines", path.display());
        })
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    sources.sort();
    assert_eq!(sources, ENDS.map(|(name, _)| name));
    // Cargo builds them beside this test.
    let built = std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().join("examples");
    for (name, end) in ENDS {
        let output = Command::new(built.join(name)).env("ICICLE_CPU_DEVICES", "3").output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "{name}: {text}");
        assert!(text.lines().any(|line| line.starts_with(end)), "{name}: {text}");
    }
}
