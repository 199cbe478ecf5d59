//! The verbs of development; CI runs nothing that is not here.

mod arrays;
mod checkout;
mod discovery;
mod golang;
mod gpu;
mod header;
mod hosts;
mod images;
#[cfg(test)]
mod import_circles;
mod install;
mod kernels;
mod lock;
mod mutants;
mod nvcc;
mod nvidia;
mod prefix;
mod python;
mod queue;
mod readme;
mod runner;
mod soak;
mod suite;
mod suites;
mod tfhe;
mod tools;
#[cfg(test)]
mod unsafe_code;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask VERB

  test [--all] [NAME…]  run every suite, or those whose names contain a word, two at a time   (what CI runs); --all: every image too
  check                 the quick ones: format, lints, header, unit tests of a few fields
  soak [NAME…]          what takes hours: every injected refusal, stress, fuzzing, faults of the network between hosts (as root),
                        TFHE-rs's keys and ciphertexts,
                        mutations of the sources in three languages (ICICLE_MUTANTS=0/8 for every eighth of Rust's)
  header [--check]      write include/icicle.h, or fail if it is not up to date
  table [--check]       write the README's tables from the registry and the list of symbols, or fail if not up to date
  install --prefix P    build and lay out library, headers, pkg-config and CMake files under P; on a machine with an
                        NVIDIA driver the CUDA kernels, too, unless --no-kernels
  kernels [--arch A]    compile the CUDA kernels (sm_90, or release for every architecture); ICICLE_ONLY=bn254 narrows;
                        --check compiles quickly those that differ from the record of what was checked, to see that they
                        do and define what the registry lists; --check --all every one
  gpu [--bench B]…      stage tests, benches and examples into dist/gpu for a machine with CUDA but no Rust; run.sh there
  wheel                 build the Python package's wheel into dist/wheels and try it in a clean environment; kernels as install
  bench [ARGS…]         the comparisons with other libraries, side by side (see docs/PERFORMANCE.md)
  demo [ARGS…]          the main example: commit to blobs on every device
  help, --version       this text; the version

One runs at a time in a checkout. Logs of test, check and soak go to target/xtask/.";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let verb = args.next().unwrap_or_default();
    let rest: Vec<String> = args.collect();
    // `bench` and `demo` hand their arguments on.
    let asked = rest.iter().any(|arg| arg == "--help" || arg == "-h") && !["bench", "demo"].contains(&verb.as_str());
    let outcome = match verb.as_str() {
        "help" | "--help" | "-h" => show(USAGE),
        "--version" | "-V" | "version" => show(concat!("icicle xtask ", env!("CARGO_PKG_VERSION"))),
        _ if asked => show(USAGE),
        _ => run(&verb, &rest),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn show(text: &str) -> Result<(), String> {
    println!("{text}");
    Ok(())
}

fn run(verb: &str, rest: &[String]) -> Result<(), String> {
    let work: fn(&[String]) -> Result<(), String> = match verb {
        "test" => |rest| {
            let all = rest.first().is_some_and(|word| word == "--all");
            runner::run(&suites::all(all), &rest[usize::from(all)..], 2)
        },
        "check" => |_| runner::run(&suites::quick(), &[], 2),
        "soak" => |rest| runner::run(&soak::all(), rest, 1),
        "header" => |rest| header::run(rest, None),
        "table" => |rest| tools::cargo(&["run", "--release", "--quiet", "--package", "icicle-table", "--"], rest),
        "install" => install::from_args,
        "kernels" => kernels::run,
        "gpu" => gpu::run,
        "wheel" => python::wheel,
        "bench" => bench,
        // The package is named, so that nothing is compiled anew for what other packages want of the same libraries.
        "demo" => |rest| {
            tools::cargo(&["run", "--release", "--package", "icicle-examples", "--example", "kzg_blobs", "--"], rest)
        },
        "" => return Err(USAGE.into()),
        _ => return Err(format!("{verb}: no such verb\n\n{USAGE}")),
    };
    let _alone = lock::take(verb)?;
    work(rest)
}

/// Every comparison in Rust with the host's full instruction set, for us and for the peers alike; then those of encrypted
/// integers, and gnark-crypto's side, unless these were narrowed.
fn bench(args: &[String]) -> Result<(), String> {
    for command in [
        &["bench", "--package", "icicle-compute", "--bench", "vector", "--"][..],
        &["bench", "--package", "icicle-compute", "--bench", "ntt", "--"],
        &["run", "--release", "--package", "msm-bench", "--"],
    ] {
        let mut command = tools::command("cargo", command);
        command.args(args).env("RUSTFLAGS", "-Ctarget-cpu=native");
        tools::status(&mut command)?;
    }
    if !args.is_empty() {
        return Ok(());
    }
    tfhe::bench()?;
    golang::bench()
}
