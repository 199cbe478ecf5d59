//! Running other programs.

use crate::checkout::root;
use crate::lock;
use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A program to run in the repository's root.
pub fn command(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(root()).env(lock::HELD, "1");
    command
}

/// Run to the end; an error names the command line.
pub fn status(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}

/// As `status`; what the command prints goes to the log if there is one, else to the terminal.
pub fn logged(command: &mut Command, log: Option<&File>) -> Result<(), String> {
    if let Some(log) = log {
        let copy = || log.try_clone().map(Stdio::from).map_err(|error| error.to_string());
        command.stdout(copy()?).stderr(copy()?);
    }
    status(command)
}

/// Run cargo with fixed and given arguments.
pub fn cargo(fixed: &[&str], given: &[String]) -> Result<(), String> {
    status(command("cargo", fixed).args(given))
}

/// Where cargo builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), |given| root().join(given))
}
