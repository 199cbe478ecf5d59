//! The suite of arrays: against what NumPy gave, and that what is generated for GPUs compiles, which needs no GPU.

use crate::{python, suites, tools};
use std::fs::File;

/// Run the package's tests, with NVRTC from the environment of the Python suite.
pub fn test(log: &mut File) -> Result<(), String> {
    let log = Some(&*log);
    // Python's package, which is not tested here, asks more of libraries below: beside it, they are built once for both suites.
    let arguments = format!("{} --package icicle-python --all-features", suites::checked("icicle-array"));
    let mut tests = tools::command("cargo", &arguments.split(' ').collect::<Vec<_>>());
    tools::logged(tests.env("ICICLE_NVRTC_PATH", python::nvrtc(log)?), log)
}
