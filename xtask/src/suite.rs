//! A test suite: what it runs, where it builds, and how it calls cargo.

use crate::checkout::root;
use crate::tools;
use std::fs::File;
use std::process::Command;

/// What a suite does.
pub enum Work {
    /// Commands, one after another, their output kept in a log.
    Commands(Vec<Command>),
    /// A function that appends to the log.
    Function(fn(&mut File) -> Result<(), String>),
}

/// A named suite.
pub struct Suite {
    /// What `test NAME` chooses by.
    pub name: &'static str,
    /// What it runs.
    pub work: Work,
}

/// A suite that calls cargo.
pub fn cargo(name: &'static str, args: &str) -> Suite {
    Suite { name, work: Work::Commands(vec![command(args)]) }
}

/// A call of cargo.
pub fn command(args: &str) -> Command {
    let args: Vec<&str> = args.split_whitespace().collect();
    tools::command("cargo", &args)
}

impl Suite {
    /// The folder that it builds in; what is not calls of cargo builds in release.
    pub fn place(&self) -> String {
        let Work::Commands(commands) = &self.work else { return "release".into() };
        let Some(command) = commands.first() else { return "release".into() };
        let set = |name: &str| command.get_envs().find(|(key, _)| *key == name).and_then(|(_, value)| value);
        let profile = if command.get_args().any(|arg| arg == "--release") { "release" } else { "debug" };
        // With a build folder, which is the one of all, the target's has no more than what is linked.
        let folder = set("CARGO_TARGET_DIR").filter(|_| set("CARGO_BUILD_BUILD_DIR").is_none());
        folder.map_or_else(|| profile.into(), |folder| format!("{}/{profile}", folder.display()))
    }

    /// With a variable of the environment.
    pub fn env(mut self, key: &str, value: &str) -> Self {
        if let Work::Commands(commands) = &mut self.work {
            commands.iter_mut().for_each(|command| _ = command.env(key, value));
        }
        self
    }
}

/// The arguments for tests of a package with overflow checks and debug assertions. What is below it is what users build, so that
/// only the package itself is compiled once more.
pub fn checked(package: &str) -> String {
    let setting = |name: &str| format!(" --config profile.release.package.{package}.{name}=true");
    format!("test --release{}{} --package {package}", setting("debug-assertions"), setting("overflow-checks"))
}

/// Arguments for tests of a package, whose code generation for fields takes longer than what it then computes.
pub fn checked_quickly(package: &str) -> String {
    format!("{} --config profile.release.package.{package}.opt-level=1", checked(package))
}

/// `icicle-table`, which has no tests, stands for all of the core.
pub const BESIDE: &str = "--package icicle-table";

/// A suite on a build with few fields.
pub fn few(name: &'static str, args: &str) -> Suite {
    let target = tools::target().join("few");
    cargo(name, args).env("RUSTFLAGS", "--cfg icicle_few").env("CARGO_TARGET_DIR", &target.to_string_lossy())
}

/// What is built for a package depends on the packages chosen with it, through the features that they ask of what is below:
/// A suite under the address sanitizer. It and the coverage pass ship with every toolchain, only their flags are gated; packages
/// of the workspace alone have them, from the wrapper, so that all else is shared. What other suites run is not replaced by what
/// is linked here: that goes to a folder apart.
pub fn sanitized(name: &'static str, command: &str, args: &str) -> Suite {
    let target = tools::target();
    cargo(name, &format!("{command} --release {args}"))
        .env("RUSTC_WORKSPACE_WRAPPER", &root().join(".ci/sanitized").to_string_lossy())
        .env("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1")
        .env("ICICLE_STRESS_SECONDS", "5")
        .env("CARGO_BUILD_BUILD_DIR", &target.to_string_lossy())
        .env("CARGO_TARGET_DIR", &target.join("asan").to_string_lossy())
}

/// Seconds of stress tests and of fuzzers where they may take long.
pub const LONG: &str = "1800";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_that_share_a_folder_have_one_place() {
        let places =
            [sanitized("a", "test", ""), cargo("b", "test --release"), few("c", "test --release")].map(|s| s.place());
        assert_eq!(places[..2], ["release", "release"]);
        assert!(places[2].ends_with("/few/release"), "{places:?}");
    }
}
