//! The test suites: what each runs, and a runner that shows progress and keeps logs.

use crate::{golang, install, python, root, tools};
use std::fs::File;
use std::process::{Command, Stdio};
use std::time::Instant;

/// What a suite does.
enum Work {
    /// One command, its output kept in a log.
    Command(Command),
    /// A function that appends to the log.
    Function(fn(&mut File) -> Result<(), String>),
}

/// A named suite.
pub struct Suite {
    name: &'static str,
    work: Work,
}

fn cargo(name: &'static str, args: &str) -> Suite {
    let args: Vec<&str> = args.split_whitespace().collect();
    Suite { name, work: Work::Command(tools::command("cargo", &args)) }
}

impl Suite {
    fn env(mut self, key: &str, value: &str) -> Self {
        if let Work::Command(command) = &mut self.work {
            command.env(key, value);
        }
        self
    }
}

/// The suites of `check`: under a minute when warm.
pub fn quick() -> Vec<Suite> {
    vec![
        cargo("format", "fmt --all --check"),
        cargo("lints", "clippy --workspace --all-targets -- -D warnings"),
        cargo("header", "run --quiet --package icicle-header -- --check"),
        // With overflow checks and debug assertions; everything else shares one optimised build.
        cargo("unit", "test --package icicle-params --package icicle --lib"),
    ]
}

/// Every suite, cheap ones first.
pub fn all() -> Vec<Suite> {
    let mut suites = quick();
    suites.extend([
        cargo("table", "run --release --quiet --package icicle-table -- --check"),
        cargo("core", "test --release --package icicle --test *"),
        cargo("abi", "test --release --package icicle-ffi --package icicle-header"),
        // The device templates, compiled for the host, against the core.
        cargo("kernels", "test --release --package icicle-kernels"),
        // Every kernel for one architecture, and its image's symbols against the registry.
        cargo("images", "xtask kernels --check"),
        cargo("docs", "doc --workspace --no-deps --quiet").env("RUSTDOCFLAGS", "-Dwarnings"),
        cargo("doc examples", "test --release --package icicle --doc"),
        Suite { name: "go", work: Work::Function(golang::test) },
        Suite { name: "consumers", work: Work::Function(install::test_consumers) },
        cargo("examples", "test --release --package icicle-examples"),
        Suite { name: "python", work: Work::Function(python::test) },
        sanitized("address sanitizer", "test", "--package icicle --package icicle-ffi --test devices --test arguments"),
        fuzz(),
    ]);
    suites
}

/// A suite under the address sanitizer. It and the coverage pass ship with every toolchain, only their flags are gated;
/// all such suites share one build, apart from the plain one.
fn sanitized(name: &'static str, command: &str, args: &str) -> Suite {
    let flags = "-Zsanitizer=address -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table --cfg fuzzing";
    let target = root().join("target/asan");
    cargo(name, &format!("{command} --release --target x86_64-unknown-linux-gnu {args}"))
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", flags)
        .env("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1")
        .env("ICICLE_STRESS_SECONDS", "5")
        .env("CARGO_TARGET_DIR", &target.to_string_lossy())
}

/// libFuzzer on the C entries, for `ICICLE_FUZZ_SECONDS` (30).
fn fuzz() -> Suite {
    let seconds = std::env::var("ICICLE_FUZZ_SECONDS").unwrap_or_else(|_| "30".to_owned());
    let args = format!("--package icicle-fuzz -- -max_total_time={seconds} -max_len=4096");
    sanitized("fuzz smoke", "run", &args)
}

/// Run the suites whose names contain one of the words (all, without words). Logs go to `target/xtask/`.
pub fn run(suites: &[Suite], words: &[String]) -> Result<(), String> {
    let chosen: Vec<&Suite> =
        suites.iter().filter(|s| words.is_empty() || words.iter().any(|w| s.name.contains(w.as_str()))).collect();
    let logs = root().join("target/xtask");
    std::fs::create_dir_all(&logs).map_err(|error| format!("{}: {error}", logs.display()))?;
    let (mut passed, mut failed, mut broken) = (0, 0, Vec::new());
    let begin = Instant::now();
    for (i, suite) in chosen.iter().enumerate() {
        println!("[{}/{}] {} …", i + 1, chosen.len(), suite.name);
        let path = logs.join(format!("{}.log", suite.name.replace(' ', "-")));
        let start = Instant::now();
        let outcome = run_one(suite, &path);
        let log = std::fs::read_to_string(&path).unwrap_or_default();
        let (p, f) = counts(&log);
        passed += p;
        failed += f;
        let seconds = start.elapsed().as_secs_f64();
        match outcome {
            Ok(()) => println!("      ok, {} tests, {seconds:.1} s", p),
            Err(message) => {
                let tail: Vec<&str> = log.lines().rev().take(60).collect();
                tail.iter().rev().for_each(|line| println!("      | {line}"));
                println!("      FAILED, {seconds:.1} s: {message} (log: {})", path.display());
                failed += usize::from(f == 0);
                broken.push(suite.name);
            }
        }
        passed += usize::from(p + f == 0 && !broken.contains(&suite.name));
    }
    println!("{} suites in {:.0} s", chosen.len(), begin.elapsed().as_secs_f64());
    println!("{passed} passed, {failed} failed");
    if broken.is_empty() { Ok(()) } else { Err(format!("failed: {}", broken.join(", "))) }
}

fn run_one(suite: &Suite, path: &std::path::Path) -> Result<(), String> {
    let mut log = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
    match &suite.work {
        Work::Function(function) => function(&mut log),
        Work::Command(command) => {
            let copy = |f: &File| f.try_clone().map(Stdio::from).map_err(|error| error.to_string());
            let mut fresh = Command::new(command.get_program());
            fresh.args(command.get_args()).current_dir(root()).stdout(copy(&log)?).stderr(copy(&log)?);
            command.get_envs().for_each(|(k, v)| {
                v.map(|v| fresh.env(k, v));
            });
            tools::status(&mut fresh)
        }
    }
}

/// Tests passed and failed, from cargo's closing lines and Go's line for each test.
fn counts(log: &str) -> (usize, usize) {
    let number = |line: &str, word: &str| -> usize {
        let before = line.split(word).next().unwrap_or_default();
        before.split_whitespace().last().and_then(|n| n.parse().ok()).unwrap_or(0)
    };
    let of_go = |outcome: &str| log.lines().filter(|line| line.trim_start().starts_with(outcome)).count();
    log.lines()
        .filter(|line| line.starts_with("test result:"))
        .fold((of_go("--- PASS: "), of_go("--- FAIL: ")), |(p, f), line| {
            (p + number(line, " passed"), f + number(line, " failed"))
        })
}
