//! Running other programs.

use crate::root;
use std::process::Command;

/// A program to run in the repository's root.
pub fn command(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(root());
    command
}

/// Run to the end; an error names the command line.
pub fn status(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}

/// Run cargo with fixed and given arguments.
pub fn cargo(fixed: &[&str], given: &[String]) -> Result<(), String> {
    status(command("cargo", fixed).args(given))
}
