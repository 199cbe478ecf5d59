//! The suite of arrays: against what NumPy gave, and that what is generated for GPUs compiles, which needs no GPU.

use crate::{python, tools};
use std::fs::File;

/// Run the package's tests, with NVRTC from the environment of the Python suite.
pub fn test(log: &mut File) -> Result<(), String> {
    let log = Some(&*log);
    let mut tests = tools::command("cargo", &["test", "--release", "--package", "icicle-array", "--all-features"]);
    tools::logged(tests.env("ICICLE_NVRTC_PATH", python::nvrtc(log)?), log)
}
