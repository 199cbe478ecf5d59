//! `kernels [--arch sm_90|release]`: compile the CUDA kernels into images for the crate `icicle-kernels`;
//! `--check` sees that they compile.

use crate::{images, nvcc, tools};

/// Run the verb.
pub fn run(args: &[String]) -> Result<(), String> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    tools::cargo(&["run", "--quiet", "--package", "icicle-kernels", "--bin", "kernel-headers"], &[])?;
    let arch = match words[..] {
        [] => "sm_90",
        ["--arch", arch] => arch,
        ["--check"] => return images::check(false),
        ["--check", "--all"] => return images::check(true),
        _ => return Err("usage: cargo xtask kernels [--arch sm_90|release | --check [--all]]".into()),
    };
    nvcc::compile(&nvcc::sources()?, &nvcc::folder(arch), &nvcc::flags(arch, false)?)
}
