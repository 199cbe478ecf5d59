//! `include/icicle.h`, which the program `icicle-header` writes.

use crate::tools;
use std::fs::File;
use std::process::Command;

/// The suite: that it is up to date.
pub fn test(log: &mut File) -> Result<(), String> {
    run(&["--check".into()], Some(log))
}

/// Write it, or with `--check` fail if it is not up to date.
pub fn run(args: &[String], log: Option<&File>) -> Result<(), String> {
    // Beside `icicle-table`, so that what is below both is built once; `cargo run` takes but one package.
    let packages = ["--package", "icicle-header", "--package", "icicle-table", "--bin", "icicle-header"];
    tools::logged(tools::command("cargo", &["build", "--release", "--quiet"]).args(packages), log)?;
    let mut program = Command::new(tools::target().join("release/icicle-header"));
    tools::logged(program.args(args), log)
}
