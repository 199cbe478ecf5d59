//! Long suites, for a night: every injected refusal, stress and fuzzing at length, and mutations of the sources.

use crate::hosts;
use crate::mutants;
use crate::suite::{LONG, Suite, Work, cargo, few, sanitized};
use crate::suites::{fuzz, fuzz_bytes, fuzz_seconds};
use crate::tfhe;

/// Every suite, those that find most in an hour first.
pub fn all() -> Vec<Suite> {
    vec![
        // Each field, curve and instruction set instead of one of a kind.
        cargo("refusals", "test --release --package icicle-compute --test refusal").env("ICICLE_TEST_ALL", "1"),
        memcheck(),
        sanitized("stress", "test", "--package icicle-ffi --test devices").env("ICICLE_STRESS_SECONDS", LONG),
        fuzz(&fuzz_seconds(LONG)),
        fuzz_bytes(&fuzz_seconds(LONG)),
        Suite { name: "hosts", work: Work::Function(hosts::test) },
        Suite { name: "tfhe", work: Work::Function(tfhe::test) },
        Suite { name: "python mutants", work: Work::Function(mutants::python) },
        Suite { name: "go mutants", work: Work::Function(mutants::go) },
        Suite { name: "core mutants", work: Work::Function(mutants::core) },
        Suite { name: "boundary mutants", work: Work::Function(mutants::boundary) },
    ]
}

/// Valgrind's memcheck over the devices, the runtime and the boundary: memory that is not initialised, which the address
/// sanitizer does not see. It has no AVX-512.
fn memcheck() -> Suite {
    let packages = "--package icicle-device --package icicle-cpu --package icicle-cuda --package icicle-runtime --lib";
    few("memcheck", &format!("test {packages} --package icicle-ffi --test versions --test arguments"))
        .env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", "valgrind --quiet --error-exitcode=9")
        .env("ICICLE_CPU_ISA", "avx2")
}
