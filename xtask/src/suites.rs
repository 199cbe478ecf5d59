//! The test suites: what each runs.

use crate::checkout::root;
use crate::suite::{BESIDE, Suite, Work, cargo, checked, checked_quickly, command, few, sanitized};
use crate::{arrays, golang, header, install, python, readme};

/// What runs none of the library's code.
fn still() -> Vec<Suite> {
    vec![
        cargo("format", "fmt --all --check"),
        // In release, so that programs which run while building are compiled once.
        cargo("lints", "clippy --release --workspace --all-targets -- -D warnings"),
        Suite { name: "header", work: Work::Function(header::test) },
    ]
}

/// The packages of the core, what each depends on before it.
pub const CORE: [&str; 12] = [
    "icicle-params",
    "icicle-error",
    "icicle-algebra",
    "icicle-device",
    "icicle-cpu",
    "icicle-cuda",
    "icicle-runtime",
    "icicle-zk",
    "icicle-array",
    "icicle-comm",
    "icicle-fhe",
    "icicle-compute",
];

/// Unit tests of everything in the quick build with few fields.
fn quick_unit() -> Suite {
    let packages: String = CORE.iter().map(|package| format!(" --package {package}")).collect();
    few("unit", &format!("test{packages} --lib --package xtask --bins"))
}

/// Unit tests, with checks, of the core's packages that have no suite of their own. Operations over fields are compiled for few
/// of them, all else of the folder being shared: only packages of the workspace are compiled with the wrapper.
fn unit() -> Suite {
    let below = ["icicle-params", "icicle-error", "icicle-device", "icicle-cpu", "icicle-cuda", "icicle-runtime"];
    let mut commands = vec![command("test --release --package xtask")];
    commands.extend(below.map(|package| command(&format!("{} {BESIDE} --lib", checked(package)))));
    let mut zk = command(&format!("{} {BESIDE} --lib", checked_quickly("icicle-zk")));
    zk.env("RUSTC_WORKSPACE_WRAPPER", root().join(".ci/few"));
    commands.push(zk);
    Suite { name: "unit", work: Work::Commands(commands) }
}

/// The suites of `check`: under a minute when warm. Unit tests on a build with few fields.
pub fn quick() -> Vec<Suite> {
    let mut suites = still();
    suites.push(quick_unit());
    suites
}

/// Every suite. What others need and what takes longest comes first; last what keeps both processors busy alone, so that none waits
/// in the end for a test of one thread. Of the images those that differ from the record, or every one.
pub fn all(every_image: bool) -> Vec<Suite> {
    let mut suites = still();
    suites.extend([
        unit(),
        cargo("every field", &format!("{} {BESIDE} --lib", checked_quickly("icicle-algebra"))),
        interleavings(),
        // Everything else is built with CUDA devices.
        cargo("without cuda", "clippy --release --package icicle-compute --no-default-features -- -D warnings"),
        // Programs that must not compile.
        cargo("unsound", "test --release --package icicle-unsound"),
        cargo("table", "run --release --quiet --package icicle-table -- --check"),
        cargo("core", "test --release --package icicle-compute --lib --test *"),
        Suite { name: "arrays", work: Work::Function(arrays::test) },
        cargo("collectives", &format!("{} {BESIDE}", checked("icicle-comm"))),
        encrypted(),
        sanitized(
            "address sanitizer",
            "test",
            "--package icicle-ffi --test devices --test arguments --test arrays --test comm --test random --test sharded_arrays",
        ),
        Suite { name: "go", work: Work::Function(golang::test) },
        Suite { name: "python", work: Work::Function(python::test) },
        fuzz(&fuzz_seconds("30")),
        fuzz_bytes(&fuzz_seconds("10")),
        Suite { name: "consumers", work: Work::Function(install::test_consumers) },
        Suite { name: "readme", work: Work::Function(readme::test) },
        cargo("examples", "test --release --package icicle-examples"),
        cargo("abi", "test --release --package icicle-ffi --package icicle-header"),
        // Kernels for one architecture, and their images' symbols against the registry.
        cargo("images", if every_image { "xtask kernels --check --all" } else { "xtask kernels --check" }),
        // The device templates, compiled for the host, against the core.
        cargo("kernels", "test --release --package icicle-kernels"),
        cargo("doc examples", "test --release --package icicle-compute --doc"),
        // Modules of the core name what is private to their package.
        cargo("docs", "doc --release --workspace --no-deps --quiet")
            .env("RUSTDOCFLAGS", "-Dwarnings -Arustdoc::private_intra_doc_links"),
    ]);
    suites
}

/// Encrypted integers: unit tests with checks, those of full size without.
fn encrypted() -> Suite {
    let plain = format!("test --release --package icicle-fhe {BESIDE}");
    let commands =
        [format!("{} {BESIDE} --lib", checked("icicle-fhe")), format!("{plain} --test *"), format!("{plain} --doc")];
    Suite { name: "encrypted integers", work: Work::Commands(commands.iter().map(|args| command(args)).collect()) }
}

/// Threads of the runtime under a scheduler that tries their interleavings.
fn interleavings() -> Suite {
    cargo("interleavings", "test --release --package icicle-runtime --lib interleavings")
        .env("RUSTC_WORKSPACE_WRAPPER", &root().join(".ci/shuttle").to_string_lossy())
        .env("ICICLE_CPU_DEVICES", "2")
}

/// libFuzzer on the C entries, for so many seconds.
pub fn fuzz(seconds: &str) -> Suite {
    let args = format!("--package icicle-fuzz --bin entries -- -max_total_time={seconds} -max_len=4096");
    sanitized("fuzz smoke", "run", &args).env("ICICLE_CPU_DEVICES", "3")
}

/// libFuzzer on the bytes of keys and ciphertexts, for so many seconds: the largest that it makes hold two ciphertexts.
pub fn fuzz_bytes(seconds: &str) -> Suite {
    let args = format!("--package icicle-fuzz --bin fhe_bytes -- -max_total_time={seconds} -max_len=34000");
    sanitized("fuzz bytes", "run", &args)
}

/// How long a fuzzer runs: what `ICICLE_FUZZ_SECONDS` says, or so many seconds.
pub fn fuzz_seconds(otherwise: &str) -> String {
    std::env::var("ICICLE_FUZZ_SECONDS").unwrap_or_else(|_| otherwise.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn every_package_of_the_core_is_tested() {
        let suites = all(false);
        let commands = suites.iter().flat_map(|suite| match &suite.work {
            Work::Commands(commands) => commands.as_slice(),
            Work::Function(_) => &[],
        });
        let tests = commands.filter(|command| command.get_args().next().is_some_and(|verb| verb == "test"));
        let named: Vec<_> = tests.flat_map(Command::get_args).collect();
        // The suite of arrays calls a function.
        let missing: Vec<_> = CORE.iter().filter(|package| !named.iter().any(|arg| arg == *package)).collect();
        assert_eq!(missing, [&"icicle-array"]);
    }
}
