//! Whether this machine has an NVIDIA GPU whose kernels a build should embed, and what to do about those it lacks.

use crate::{kernels, nvcc};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where an NVIDIA driver shows itself: on Linux, and in the Windows Subsystem for Linux.
const SIGNS: [&str; 3] = ["/proc/driver/nvidia/version", "/dev/nvidiactl", "/usr/lib/wsl/lib/libcuda.so.1"];

/// Processor minutes that one architecture's images take (docs/PERFORMANCE.md, "Building the kernels"), and the release's.
const MINUTES: (usize, usize) = (8, 61);

/// The kernels that a build is to embed.
#[derive(Default)]
pub struct Kernels {
    /// Their folder, where it is not the one the build looks into by itself.
    folder: Option<PathBuf>,
    /// What to tell the user in the end, before the command to repeat, if CUDA devices will be without operations.
    pub hint: Option<String>,
}

impl Kernels {
    /// Variables for a build.
    pub fn environment(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        self.folder.iter().map(|folder| ("ICICLE_KERNELS_DIR", folder.as_path()))
    }
}

/// What a build on this machine embeds. Where there is a GPU and kernels for it are missing or stale, compile them, or, if
/// that is not wanted, leave a hint.
pub fn kernels(compile: bool) -> Result<Kernels, String> {
    let found = capabilities();
    let driver = found.is_some() || SIGNS.iter().any(|sign| Path::new(sign).exists());
    if !driver || std::env::var_os("ICICLE_KERNELS_DIR").is_some() {
        return Ok(Kernels::default());
    }
    let arch = architecture(found.unwrap_or_default());
    let looked_into = nvcc::embedded_folder();
    let folders = [nvcc::folder("release"), nvcc::folder(&arch)];
    let folder = match folders.into_iter().find(|folder| nvcc::is_fresh(folder)) {
        Some(folder) => folder,
        None if compile => {
            let (one, all) = MINUTES;
            let minutes = if arch == "release" { all } else { one };
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            println!(
                "an NVIDIA driver is here: compiling the CUDA kernels for {arch} first, once, about {} minutes on {cores} \
                 cores (--no-kernels leaves them out)",
                minutes.div_ceil(cores)
            );
            kernels::run(&["--arch".into(), arch.clone()])?;
            nvcc::folder(&arch)
        }
        None => {
            let hint = format!(
                "This machine has an NVIDIA driver, and this build no CUDA kernels for it: every operation on cuda:0, … \
                 will be Unsupported. For working ones run\n  cargo xtask kernels --arch {arch}\nand then"
            );
            return Ok(Kernels { folder: None, hint: Some(hint) });
        }
    };
    Ok(Kernels { folder: (looked_into.as_ref() != Some(&folder)).then_some(folder), hint: None })
}

/// The GPUs' compute capabilities, as `9.0`, if `nvidia-smi` runs.
fn capabilities() -> Option<Vec<String>> {
    let mut command = Command::new("nvidia-smi");
    let output = command.args(["--query-gpu=compute_cap", "--format=csv,noheader"]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then(|| text.lines().map(|line| line.trim().to_owned()).collect())
}

/// The architecture to compile for: `sm_90` for GPUs of capability 9.0 alone, all of a release for mixed or unknown ones.
fn architecture(mut capabilities: Vec<String>) -> String {
    capabilities.sort();
    capabilities.dedup();
    match capabilities.as_slice() {
        [one] => match one.split_once('.').map(|(major, minor)| (major.parse::<u32>(), minor.parse::<u32>())) {
            Some((Ok(major), Ok(minor))) => format!("sm_{major}{minor}"),
            _ => "release".into(),
        },
        _ => "release".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_kind_of_gpu_is_one_architecture() {
        let of = |list: &[&str]| architecture(list.iter().map(|&c| c.to_owned()).collect());
        assert_eq!(of(&["9.0"]), "sm_90");
        assert_eq!(of(&["12.0", "12.0"]), "sm_120");
        assert_eq!(of(&["8.0", "9.0"]), "release");
        assert_eq!(of(&["[N/A]"]), "release");
        assert_eq!(of(&[]), "release");
    }
}
