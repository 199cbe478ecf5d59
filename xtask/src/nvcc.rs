//! Compiling the CUDA kernels into images for the crate `icicle-kernels`.
//!
//! Finds nvcc (`NVCC`, PATH, or the pinned wheels from PyPI in `target/nvcc-venv`), compiles each `kernels/inst/*.cu`
//! whose sources changed, as many at a time as there are cores, checks that each image defines the kernels the registry expects, and leaves a
//! report. `ICICLE_ONLY=bn254,bn254_` narrows to images of such names; what is none's, to those that begin so.

use crate::checkout::root;
use crate::tools;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

#[path = "../../kernels/src/digest.rs"]
pub mod digest;

/// The pinned compiler: newer ones make PTX that drivers of the same major version may refuse.
const WHEELS: [&str; 5] = [
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-cuda-crt==13.0.88",
    "nvidia-nvvm==13.0.88",
    "nvidia-cuda-runtime==13.0.96",
    "nvidia-cuda-cccl==13.0.85",
];
/// Machine code of a release; the last one also as PTX, for what comes later.
const RELEASE: [u32; 7] = [75, 80, 86, 89, 90, 100, 120];
const FLAGS: &str = "-O3 -std=c++17 --fatbin -Xfatbin -compress-all --compress-mode=size -Xptxas -v";
/// How a source's line with options of its own begins.
const OWN: &str = "#define IC_NVCC \"";

/// What came of an image.
struct Outcome {
    name: String,
    seconds: Option<f64>,
    bytes: u64,
    kernels: Vec<Kernel>,
}

/// A kernel as the assembler reports it.
struct Kernel {
    name: String,
    registers: u32,
    spill_bytes: u32,
    stack_bytes: u32,
    shared_bytes: u32,
}

/// The compiler's options for an architecture; as quickly as the assembler goes, to see whether something compiles.
pub fn flags(arch: &str, quick: bool) -> Result<String, String> {
    Ok(format!("{FLAGS} {}{}", targets(arch)?, if quick { " -Xptxas -O1" } else { "" }))
}

/// Compile what is not up to date, as many at a time as there are cores, and check that each image defines what is listed.
pub fn compile(sources: &[PathBuf], folder: &Path, flags: &str) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let nvcc = find_nvcc()?;
    println!("{}, {}, {} images", nvcc.display(), folder.display(), sources.len());

    let queue = Mutex::new(sources.iter());
    let outcomes = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(source) = queue.lock().ok().and_then(|mut q| q.next()) {
                    let outcome = image(&nvcc, source, folder, flags);
                    if let Ok(mut all) = outcomes.lock() {
                        if let Ok(Outcome { name, seconds: Some(seconds), .. }) = &outcome {
                            println!("[{}/{}] {name}, {seconds:.0} s", all.len() + 1, sources.len());
                        }
                        all.push(outcome);
                    }
                }
            });
        }
    });
    let outcomes = outcomes.into_inner().map_err(|e| e.to_string())?;
    let mut done = outcomes.into_iter().collect::<Result<Vec<_>, String>>()?;
    done.sort_by(|a, b| a.name.cmp(&b.name));
    done.iter().try_for_each(check)?;
    let report = report(&done);
    print!("{report}");
    std::fs::write(folder.join("report.txt"), details(&done, &report)).map_err(|e| e.to_string())
}

/// Where images lie that are compiled only to see that they do.
pub fn check_folder() -> PathBuf {
    tools::target().join("kernels-check/sm_90")
}

/// Where the images of an architecture lie.
pub fn folder(arch: &str) -> PathBuf {
    tools::target().join("kernels").join(arch)
}

/// The folder that a build embeds by itself, as `kernels/build.rs` chooses: the release's, else the first by name.
pub fn embedded_folder() -> Option<PathBuf> {
    let entries = std::fs::read_dir(tools::target().join("kernels")).into_iter().flatten().flatten();
    let folders = entries.map(|entry| entry.path()).filter(|path| path.is_dir());
    folders.min_by_key(|path| (path.file_name().is_none_or(|name| name != "release"), path.clone()))
}

/// Whether a folder holds every image, compiled from the sources as they are.
pub fn is_fresh(folder: &Path) -> bool {
    let is_fresh = |source: &PathBuf| {
        let at = |extension: &str| folder.join(format!("{}.{extension}", stem(source)));
        let text = |extension: &str| std::fs::read_to_string(at(extension)).ok();
        let digest = text("flags").and_then(|flags| digest::of(source, &flags).ok());
        at("fatbin").is_file() && digest.is_some() && digest == text("digest")
    };
    sources().is_ok_and(|sources| sources.iter().all(is_fresh))
}

/// The target options of an architecture or of the release set.
fn targets(arch: &str) -> Result<String, String> {
    let sass = |cc: u32| format!("-gencode arch=compute_{cc},code=sm_{cc}");
    if arch == "release" {
        let all: Vec<String> = RELEASE.iter().map(|&cc| sass(cc)).collect();
        return Ok(format!("{} -gencode arch=compute_75,code=compute_75", all.join(" ")));
    }
    let cc = arch.strip_prefix("sm_").and_then(|n| n.parse().ok());
    cc.map(sass).ok_or_else(|| format!("architecture {arch}: must be sm_NN or release"))
}

/// The images' sources, in order of name, the slowest first so that the last to finish is a quick one.
pub fn sources() -> Result<Vec<PathBuf>, String> {
    let folder = root().join("kernels/inst");
    let only = std::env::var("ICICLE_ONLY").unwrap_or_default();
    let words: Vec<&str> = only.split(',').filter(|word| !word.is_empty()).collect();
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut out: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "cu"))
        .collect();
    let names: BTreeSet<String> = out.iter().map(|path| stem(path)).collect();
    let is_meant = |word: &&str, name: &str| name == *word || (!names.contains(*word) && name.starts_with(word));
    out.retain(|path| words.is_empty() || words.iter().any(|word| is_meant(word, &stem(path))));
    out.sort_by_key(|path| {
        let name = stem(path);
        (!name.starts_with("bw6"), !name.starts_with("bls12"), !name.starts_with("b"), name)
    });
    if out.is_empty() { Err(format!("ICICLE_ONLY={only}: no image of that name")) } else { Ok(out) }
}

/// An image's name.
pub fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// `NVCC`, or nvcc of PATH if 12.8 or newer, or the pinned one, fetched once.
fn find_nvcc() -> Result<PathBuf, String> {
    if let Some(given) = std::env::var_os("NVCC") {
        return Ok(given.into());
    }
    if version("nvcc".as_ref()).is_some_and(|found| found >= (12, 8)) {
        return Ok("nvcc".into());
    }
    let venv = tools::target().join("nvcc-venv");
    if let Some(nvcc) = wheel_nvcc(&venv) {
        return Ok(nvcc);
    }
    println!("fetching nvcc 13.0 into {}", venv.display());
    tools::status(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    tools::status(Command::new(venv.join("bin/pip")).args(["install", "--quiet", "--no-deps"]).args(WHEELS))?;
    wheel_nvcc(&venv).ok_or_else(|| format!("no nvcc in {} after installing it", venv.display()))
}

/// `(major, minor)` as `nvcc --version` prints it.
fn version(nvcc: &Path) -> Option<(u32, u32)> {
    let out = Command::new(nvcc).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let release = text.split("release ").nth(1)?.split(',').next()?;
    let (major, minor) = release.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn wheel_nvcc(venv: &Path) -> Option<PathBuf> {
    let libs = std::fs::read_dir(venv.join("lib")).ok()?;
    libs.flatten().map(|lib| lib.path().join("site-packages/nvidia/cu13/bin/nvcc")).find(|nvcc| nvcc.is_file())
}

/// Compile one image unless it is up to date.
fn image(nvcc: &Path, source: &Path, folder: &Path, flags: &str) -> Result<Outcome, String> {
    let name = stem(source);
    let at = |extension: &str| folder.join(format!("{name}.{extension}"));
    let say = |e: std::io::Error| format!("{name}: {e}");
    let digest = digest::of(source, flags).map_err(say)?;
    let fresh = std::fs::read_to_string(at("digest")).is_ok_and(|have| have == digest) && at("fatbin").is_file();
    let mut seconds = None;
    if !fresh {
        let started = Instant::now();
        let mut command = Command::new("nice");
        command
            .arg(nvcc)
            .args(own_targets(flags, &own_flags(source).map_err(say)?))
            .arg("-o")
            .arg(at("fatbin"))
            .arg(source);
        let out = command.output().map_err(|e| format!("{command:?}: {e}"))?;
        let log = String::from_utf8_lossy(&out.stderr).into_owned() + &String::from_utf8_lossy(&out.stdout);
        if !out.status.success() {
            return Err(format!("{command:?}: {}\n{log}", out.status));
        }
        std::fs::write(at("log"), &log).map_err(say)?;
        std::fs::write(at("flags"), flags).map_err(say)?;
        std::fs::write(at("digest"), &digest).map_err(say)?;
        seconds = Some(started.elapsed().as_secs_f64());
    }
    let log = std::fs::read_to_string(at("log")).map_err(say)?;
    let bytes = std::fs::metadata(at("fatbin")).map_err(say)?.len();
    Ok(Outcome { name, seconds, bytes, kernels: kernels(&log) })
}

/// Options that a source itself asks for, `#define IC_NVCC "OPTION…"`: of its text, and so of its digest.
fn own_flags(source: &Path) -> std::io::Result<Vec<String>> {
    let text = std::fs::read_to_string(source)?;
    let own = text.lines().filter_map(|line| line.strip_prefix(OWN)?.strip_suffix('"'));
    Ok(own.flat_map(str::split_whitespace).map(str::to_owned).collect())
}

/// The options for a source, whose own architectures, if it names some, are in place of the others.
fn own_targets(flags: &str, own: &[String]) -> Vec<String> {
    const TARGET: &str = "-gencode";
    let (mut all, mut words) = (Vec::new(), flags.split_whitespace());
    while let Some(word) = words.next() {
        if word == TARGET && own.iter().any(|word| word == TARGET) {
            words.next();
        } else {
            all.push(word.to_owned());
        }
    }
    all.extend_from_slice(own);
    all
}

/// The kernels in the assembler's report; of several architectures, the last.
fn kernels(log: &str) -> Vec<Kernel> {
    let mut out: Vec<Kernel> = Vec::new();
    for line in log.lines() {
        if let Some(name) = line.split("Compiling entry function '").nth(1).and_then(|rest| rest.split('\'').next()) {
            out.retain(|kernel| kernel.name != name);
            let name = name.to_string();
            out.push(Kernel { name, registers: 0, spill_bytes: 0, stack_bytes: 0, shared_bytes: 0 });
        }
        let Some(kernel) = out.last_mut() else { continue };
        // "… 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" and "Used 40 registers, …, 8192 bytes smem".
        let number = |unit: &str| line.split(unit).next()?.split([' ', ',']).rfind(|w| !w.is_empty())?.parse().ok();
        if line.contains("bytes stack frame") {
            kernel.stack_bytes = kernel.stack_bytes.max(number(" bytes stack frame").unwrap_or(0));
            kernel.spill_bytes = kernel.spill_bytes.max(number(" bytes spill stores").unwrap_or(0));
        }
        if line.contains("Used ") {
            kernel.registers = number(" registers").unwrap_or(0);
            kernel.shared_bytes = if line.contains(" bytes smem") { number(" bytes smem").unwrap_or(0) } else { 0 };
        }
    }
    out
}

/// The kernels that the registry lists for an image.
pub fn listed(image: &str) -> Result<BTreeSet<String>, String> {
    let mut command = tools::command("cargo", &["run", "--quiet", "--package", "icicle-kernels", "--bin"]);
    command.args(["kernel-headers", "--", "--names", image]);
    let out = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if !out.status.success() {
        return Err(format!("{command:?}: {}", out.status));
    }
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    Ok(text.lines().filter_map(|line| line.split(' ').nth(1)).map(str::to_owned).collect())
}

/// Compare an image's kernels with the registry's.
fn check(outcome: &Outcome) -> Result<(), String> {
    let expected = listed(&outcome.name)?;
    let defined: BTreeSet<String> = outcome.kernels.iter().map(|kernel| kernel.name.clone()).collect();
    if expected == defined {
        return Ok(());
    }
    let missing: Vec<_> = expected.difference(&defined).collect();
    let unknown: Vec<_> = defined.difference(&expected).collect();
    Err(format!("image {}: missing {missing:?}, not in the tables of kernels/src/ {unknown:?}", outcome.name))
}

/// One line an image.
fn report(done: &[Outcome]) -> String {
    let mut out = format!("{:<16} {:>8} {:>9} {:>8} {:>10}\n", "image", "kernels", "seconds", "KiB", "spilling");
    for outcome in done {
        let spilling = outcome.kernels.iter().filter(|kernel| kernel.spill_bytes > 0).count();
        let seconds = outcome.seconds.map_or("fresh".into(), |s| format!("{s:.1}"));
        let (name, count, kib) = (&outcome.name, outcome.kernels.len(), outcome.bytes.div_ceil(1024));
        out += &format!("{name:<16} {count:>8} {seconds:>9} {kib:>8} {spilling:>10}\n");
    }
    let kib: u64 = done.iter().map(|outcome| outcome.bytes.div_ceil(1024)).sum();
    out + &format!("{:<16} {:>8} {:>9} {kib:>8}\n", "all", done.iter().map(|o| o.kernels.len()).sum::<usize>(), "")
}

/// The report and one line a kernel.
fn details(done: &[Outcome], report: &str) -> String {
    let mut out =
        format!("{report}\n{:<44} {:>9} {:>6} {:>6} {:>7}\n", "kernel", "registers", "spill", "stack", "shared");
    for kernel in done.iter().flat_map(|outcome| &outcome.kernels) {
        let Kernel { name, registers, spill_bytes, stack_bytes, shared_bytes } = kernel;
        out += &format!("{name:<44} {registers:>9} {spill_bytes:>6} {stack_bytes:>6} {shared_bytes:>7}\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_may_name_its_architectures() {
        let flags = "-O3 -gencode arch=compute_80,code=sm_80 -v -gencode arch=compute_90,code=sm_90";
        let own =
            |text: &str| own_targets(flags, &text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).join(" ");
        assert_eq!(own("--fmad=false"), format!("{flags} --fmad=false"));
        assert_eq!(own("-gencode arch=compute_90a,code=sm_90a"), "-O3 -v -gencode arch=compute_90a,code=sm_90a");
    }
}
