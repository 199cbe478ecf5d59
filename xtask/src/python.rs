//! The Python package: its suite in a fresh environment below `target/`, and `wheel`, the release's wheel.

use crate::checkout::root;
use crate::{nvidia, tools};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest Python the package runs on, which the wheel's tag names.
const OLDEST: (u32, u32) = (3, 11);
/// The tag of a wheel for every version from the oldest on.
const TAG: &str = "cp311-abi3-linux_x86_64.whl";

fn python() -> String {
    std::env::var("PYTHON").unwrap_or_else(|_| "python3".into())
}

/// A virtual environment of that name, made if it is not there.
fn environment(name: &str, log: Option<&File>) -> Result<PathBuf, String> {
    let venv = root().join("target").join(name);
    if !venv.join("bin/pip").exists() {
        let check = format!("import sys; sys.exit(sys.version_info < {OLDEST:?})");
        let old = || format!("{}: must be Python {}.{} or newer; set PYTHON", python(), OLDEST.0, OLDEST.1);
        run(Command::new(python()).args(["-c", &check]), log).map_err(|_| old())?;
        run(Command::new(python()).args(["-m", "venv"]).arg(&venv), log)?;
    }
    Ok(venv)
}

/// Run a command in the repository's root, its output in the log if there is one.
fn run(command: &mut Command, log: Option<&File>) -> Result<(), String> {
    tools::logged(command.current_dir(root()), log)
}

/// The environment with what the suite needs, pinned.
fn suite_environment(log: Option<&File>) -> Result<PathBuf, String> {
    let venv = environment("python-venv", log)?;
    let requirements = ["install", "--quiet", "--requirement", "tests/python/requirements.txt"];
    run(Command::new(venv.join("bin/pip")).args(requirements), log)?;
    Ok(venv)
}

/// The suite's environment with the package installed as a user does: with the environment's maturin, in the workspace's
/// target directory, so that the core is the one built there.
pub fn installed(log: Option<&File>) -> Result<PathBuf, String> {
    let venv = suite_environment(log)?;
    let install = ["install", "--no-build-isolation", "--no-deps", "--force-reinstall", "./python"];
    run(Command::new(venv.join("bin/pip")).args(install).env("PATH", path_with(&venv)), log)?;
    Ok(venv)
}

/// The file of NVRTC that the suite's requirements install.
pub fn nvrtc(log: Option<&File>) -> Result<PathBuf, String> {
    let packages = suite_environment(log)?.join("lib");
    let python = fs::read_dir(&packages).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files = python.map(|python| python.join("site-packages/nvidia/cu13/lib/libnvrtc.so.13"));
    files.find(|file| file.exists()).ok_or_else(|| format!("{}: no libnvrtc.so.13", packages.display()))
}

/// Check the sources' form, install the package, and run `tests/python`; the C library is built to compare errors with.
pub fn test(log: &mut File) -> Result<(), String> {
    let log = Some(&*log);
    let venv = suite_environment(log)?;
    let path = path_with(&venv);
    for arguments in [&["format", "--check"][..], &["check"]] {
        let mut ruff = Command::new(venv.join("bin/ruff"));
        ruff.args(arguments).args([
            "--no-cache",
            "--config",
            "python/pyproject.toml",
            "python",
            "tests/python",
            "tests/vectors",
        ]);
        run(&mut ruff, log)?;
    }
    run(Command::new("cargo").args(["build", "--release", "--package", "icicle-ffi"]), log)?;
    let venv = installed(log)?;
    let library = tools::target().join("release/libicicle_c.so");
    let arguments = ["-m", "pytest", "-c", "python/pyproject.toml", "--rootdir", ".", "tests/python"];
    run(Command::new(venv.join("bin/python")).args(arguments).env("PATH", &path).env("ICICLE_C_LIBRARY", library), log)
}

/// PATH with the environment's programs first.
fn path_with(venv: &Path) -> String {
    format!("{}:{}", venv.join("bin").display(), std::env::var("PATH").unwrap_or_default())
}

/// `wheel [--no-kernels]`: build the release's wheel into `dist/`, check its tag, and that it imports and computes in an
/// environment with nothing else, where there need be no CUDA.
pub fn wheel(args: &[String]) -> Result<(), String> {
    let compile = match args {
        [] => true,
        [flag] if flag == "--no-kernels" => false,
        _ => return Err("usage: cargo xtask wheel [--no-kernels]".into()),
    };
    let kernels = nvidia::kernels(compile)?;
    let venv = suite_environment(None)?;
    let folder = root().join("dist/wheels");
    let _ = fs::remove_dir_all(&folder);
    let build = ["build", "--release", "--manifest-path", "python/Cargo.toml", "--compatibility", "linux", "--out"];
    let mut maturin = Command::new(venv.join("bin/maturin"));
    run(maturin.args(build).arg(&folder).env("PATH", path_with(&venv)).envs(kernels.environment()), None)?;
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let wheels: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let [wheel] = wheels.as_slice() else {
        return Err(format!("{}: {} files, must be one wheel", folder.display(), wheels.len()));
    };
    let name = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !name.ends_with(TAG) {
        return Err(format!("{name}: must end with {TAG}"));
    }
    let clean = root().join("target/wheel-venv");
    let _ = fs::remove_dir_all(&clean);
    let clean = environment("wheel-venv", None)?;
    run(Command::new(clean.join("bin/pip")).args(["install", "--quiet", "--no-index"]).arg(wheel), None)?;
    let check = "import icicle; x = icicle.fields.bn254.scalar.random(8); \
                 assert icicle.ntt(icicle.ntt(x), inverse=True) == x; print(icicle.__version__, icicle.devices())";
    // Elsewhere than the repository, whose sources must not be what is imported.
    tools::status(Command::new(clean.join("bin/python")).args(["-c", check]).current_dir("/"))?;
    println!("{}", wheel.display());
    if let Some(hint) = kernels.hint {
        println!("\n{hint}\n  cargo xtask wheel");
    }
    Ok(())
}
