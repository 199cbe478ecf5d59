//! The verbs of development; CI runs nothing that is not here.

mod golang;
mod gpu;
mod install;
mod kernels;
mod python;
mod suites;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask VERB

  test [NAME…]          run every suite, or those whose names contain a word   (what CI runs)
  check                 the quick ones: format, lints, header, unit tests
  header [--check]      write include/icicle.h, or fail if it is not up to date
  table [--check]       write the README's support table from the registry, or fail if it is not up to date
  install --prefix P    build and lay out library, headers, pkg-config and CMake files under P
  kernels [--arch A]    compile the CUDA kernels (sm_90, or release for every architecture); ICICLE_ONLY=bn254 narrows;
                        --check compiles them quickly, to see that they do and define what the registry lists
  gpu [--bench B]…      stage tests, benches and examples into dist/gpu for a machine with CUDA but no Rust; run.sh there
  wheel                 build the Python package's wheel into dist/wheels and try it in a clean environment
  bench [ARGS…]         the comparisons with other libraries, side by side (see docs/PERFORMANCE.md)
  demo [ARGS…]          the main example: commit to blobs on every device";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let verb = args.next().unwrap_or_default();
    let rest: Vec<String> = args.collect();
    let outcome = match verb.as_str() {
        "test" => suites::run(&suites::all(), &rest),
        "check" => suites::run(&suites::quick(), &[]),
        "header" => tools::cargo(&["run", "--quiet", "--package", "icicle-header", "--"], &rest),
        "table" => tools::cargo(&["run", "--release", "--quiet", "--package", "icicle-table", "--"], &rest),
        "install" => install::from_args(&rest),
        "kernels" => kernels::run(&rest),
        "gpu" => gpu::run(&rest),
        "wheel" => python::wheel(&rest),
        "bench" => bench(&rest),
        "demo" => tools::cargo(&["run", "--release", "--example", "kzg_blobs", "--"], &rest),
        _ => Err(USAGE.into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Every comparison in Rust with the host's full instruction set, for us and for the peers alike; then gnark-crypto's side,
/// unless these were narrowed.
fn bench(args: &[String]) -> Result<(), String> {
    for command in [
        &["bench", "--package", "icicle", "--bench", "vector", "--"][..],
        &["bench", "--package", "icicle", "--bench", "ntt", "--"],
        &["run", "--release", "--package", "msm-bench", "--"],
    ] {
        let mut command = tools::command("cargo", command);
        command.args(args).env("RUSTFLAGS", "-Ctarget-cpu=native");
        tools::status(&mut command)?;
    }
    if args.is_empty() { golang::bench() } else { Ok(()) }
}

/// The repository's root.
fn root() -> PathBuf {
    let mut path = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    path.pop();
    path.pop();
    path
}
