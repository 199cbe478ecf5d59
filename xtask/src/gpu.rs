//! Stage what is tested on a machine with GPUs: test and bench binaries that need nothing but the driver, and a script
//! that runs them. Such a machine has no Rust; it may have compute-sanitizer.

use super::tools;
use crate::checkout::root;
use std::fs;
use std::path::{Path, PathBuf};

/// Most bytes of the stage: what may travel to the machine.
const MOST: u64 = 58 << 20;

const RUN: &str = include_str!("gpu.sh");

/// Lists every GPU twice, so that groups of several run where there is one.
const TWINS: &str = include_str!("../../core/tests/cuda/twin_driver.c");

/// `gpu [--test [PACKAGE:]NAME]… [--package NAME[:FEATURES]]… [--bench NAME]… [--example [PACKAGE:]NAME]…`: build, strip and stage into `dist/gpu/`.
/// Without tests and packages the core's conformance suite and its CUDA tests.
///
/// # Errors
/// A failed build, or a stage too large to travel.
pub fn run(args: &[String]) -> Result<(), String> {
    let (mut tests, mut packages, mut benches, mut examples) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut rest = args.iter();
    while let Some(flag) = rest.next() {
        let value = rest.next().cloned().ok_or_else(|| format!("{flag}: needs a name"))?;
        match flag.as_str() {
            "--test" => tests.push(value),
            "--package" => packages.push(value),
            "--bench" => benches.push(value),
            "--example" => examples.push(value),
            _ => return Err(format!("{flag}: must be --test, --package, --bench or --example")),
        }
    }
    let stage = root().join("dist").join("gpu");
    if stage.exists() {
        fs::remove_dir_all(&stage).map_err(|why| format!("{}: {why}", stage.display()))?;
    }
    let bin = stage.join("bin");
    fs::create_dir_all(&bin).map_err(|why| format!("{}: {why}", bin.display()))?;
    if packages.is_empty() && tests.is_empty() {
        tests = ["conformance", "cuda"].map(String::from).to_vec();
    }
    let (others, tests): (Vec<_>, Vec<_>) = tests.into_iter().partition(|test| test.contains(':'));
    for test in &others {
        let (package, test) = test.split_once(':').unwrap_or_default();
        let features = features_of(package);
        build(&["test", "--release", "--no-run", "--package", package, "--features", features, "--test", test], &bin)?;
    }
    if !tests.is_empty() {
        let names = tests.iter().flat_map(|test| ["--test", test.as_str()]);
        let suites = ["test", "--release", "--no-run", "--package", "icicle-compute"].into_iter().chain(names);
        build(&suites.collect::<Vec<_>>(), &bin)?;
    }
    for package in &packages {
        let (package, features) = package.split_once(':').unwrap_or((package, ""));
        build(&["test", "--release", "--no-run", "--package", package, "--features", features], &bin)?;
    }
    for bench in &benches {
        build(&["bench", "--no-run", "--package", "icicle-compute", "--bench", bench], &bin)?;
    }
    for example in &examples {
        let (package, example) = example.split_once(':').unwrap_or(("icicle-examples", example));
        let features = features_of(package);
        build(&["build", "--release", "--package", package, "--features", features, "--example", example], &bin)?;
    }
    let script = stage.join("run.sh");
    for (path, text) in [(&script, RUN), (&stage.join("twin_driver.c"), TWINS)] {
        fs::write(path, text).map_err(|why| format!("{}: {why}", path.display()))?;
    }
    tools::status(tools::command("chmod", &["+x"]).arg(&script))?;
    let bytes = report(&bin)?;
    if bytes > MOST {
        return Err(format!("{}: {bytes} bytes, must be at most {MOST}", stage.display()));
    }
    println!("staged {} ({:.1} MiB); there: OUT=… bash dist/gpu/run.sh", stage.display(), bytes as f64 / 1048576.0);
    Ok(())
}

/// What makes a package use GPUs.
fn features_of(package: &str) -> &'static str {
    match package {
        "icicle-array" => "cuda,fft,linalg",
        "icicle-comm" | "icicle-fhe" => "cuda",
        _ => "",
    }
}

/// Build, and copy every executable built into `bin`, stripped.
fn build(arguments: &[&str], bin: &Path) -> Result<(), String> {
    let mut command = tools::command("cargo", arguments);
    command.arg("--message-format=json-render-diagnostics").stdout(std::process::Stdio::piped());
    let output = command.spawn().and_then(|child| child.wait_with_output()).map_err(|why| format!("cargo: {why}"))?;
    if !output.status.success() {
        return Err(format!("cargo {}: failed", arguments.join(" ")));
    }
    for (name, executable) in String::from_utf8_lossy(&output.stdout).lines().filter_map(artifact) {
        let staged = bin.join(&name);
        tools::status(tools::command("strip", &["-o"]).arg(&staged).arg(&executable))?;
    }
    Ok(())
}

/// The target's name and its executable, of one of cargo's messages: kind, then name, as `test-cuda`, `lib-icicle`.
fn artifact(message: &str) -> Option<(String, PathBuf)> {
    let executable = text_after(message, "\"executable\":\"")?;
    let target = &message[message.find("\"target\":{")?..];
    let kind = text_after(target, "\"kind\":[\"")?;
    let name = text_after(target, "\"name\":\"")?;
    Some((format!("{kind}-{name}"), PathBuf::from(executable)))
}

/// The text between a key and the next quote; paths here hold neither quotes nor escapes.
fn text_after(text: &str, key: &str) -> Option<String> {
    let start = text.find(key)? + key.len();
    let rest = &text[start..];
    Some(rest[..rest.find('"')?].to_string())
}

/// Print what was staged; gives the bytes.
fn report(bin: &Path) -> Result<u64, String> {
    let failed = |why| format!("{}: {why}", bin.display());
    let mut total = 0;
    for entry in fs::read_dir(bin).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let bytes = entry.metadata().map_err(failed)?.len();
        println!("{:>8.1} MiB  {}", bytes as f64 / 1048576.0, entry.file_name().to_string_lossy());
        total += bytes;
    }
    Ok(total)
}
