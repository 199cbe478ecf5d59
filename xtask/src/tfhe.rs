//! TFHE-rs beside our encrypted integers, in `benches/tfhe`, a workspace of its own.

use crate::checkout::root;
use crate::tools::{self, logged, status};
use std::fs::File;
use std::process::Command;

/// Cargo in that workspace, which builds in a folder of its own under ours.
fn cargo(args: &[&str], folder: &str) -> Command {
    let mut command = tools::command("cargo", args);
    command.current_dir(root().join("benches/tfhe")).env("CARGO_TARGET_DIR", tools::target().join(folder));
    command
}

/// Keys and ciphertexts both ways.
pub fn test(log: &mut File) -> Result<(), String> {
    logged(&mut cargo(&["test", "--release", "--locked"], "tfhe"), Some(log))
}

/// The speed of both, with the host's full instruction set.
pub fn bench() -> Result<(), String> {
    status(
        cargo(&["run", "--release", "--locked", "--bin", "tfhe-bench"], "tfhe-native")
            .env("RUSTFLAGS", "-Ctarget-cpu=native"),
    )
}
