//! Mutations of the sources: each is a fault that the tests must see. What they miss is listed in the suite's log; a suite
//! fails if a smaller share is seen than its tests are known to see.

use crate::checkout::root;
use crate::{golang, install, python, tools};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Percent of the mutations that the tests must see, below what samples showed: 88 of the core's, 91 of Go's, 66 of Python's. The
/// others: names of operations in messages, what runs at import or on GPUs alone, bounds of tuning, equal programs.
const SEEN_OF_CORE: usize = 75;
const SEEN_OF_BOUNDARY: usize = 75;
const SEEN_OF_GO: usize = 75;
const SEEN_OF_PYTHON: usize = 60;

/// The tools, by exact version; what they mutate depends on it.
const CARGO_MUTANTS: &str = "27.1.0";
const GREMLINS: &str = "v0.6.0";
const MUTMUT: &str = "mutmut==3.8.1";

/// A folder below `target/`, there afterwards.
fn folder(name: &str) -> Result<PathBuf, String> {
    let folder = tools::target().join("mutants").join(name);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// The operations, devices, plans and host's sides of kernels of the core, in the quick build with few fields. Which of
/// them is in `.cargo/mutants.toml`. `ICICLE_MUTANTS=1/8` runs every eighth, from the second on.
pub fn core(log: &mut File) -> Result<(), String> {
    let suites = ["conformance", "cuda", "devices", "threads", "vectors"];
    let tests: Vec<String> = suites.iter().map(|suite| format!("--cargo-arg=--test={suite}")).collect();
    let mut command = cargo_mutants("core", log)?;
    for package in crate::suites::CORE {
        command.args(["--package", package]);
    }
    command.arg("--cargo-arg=--lib").args(tests);
    command.env("RUSTFLAGS", "--cfg icicle_few").env("ICICLE_STRESS_SECONDS", "1");
    judge(&mut command, "core", SEEN_OF_CORE, log)
}

/// The C boundary, with everything its header declares.
pub fn boundary(log: &mut File) -> Result<(), String> {
    let mut command = cargo_mutants("boundary", log)?;
    command.args(["--package", "icicle-ffi", "--file", "ffi-c/src/*.rs"]);
    judge(&mut command, "boundary", SEEN_OF_BOUNDARY, log)
}

/// cargo-mutants on a copy of the tree, with a build folder that stays.
fn cargo_mutants(name: &str, log: &File) -> Result<Command, String> {
    let tool = folder("tools")?;
    let args = ["install", "cargo-mutants", "--locked", "--version", CARGO_MUTANTS, "--root"];
    tools::logged(tools::command("cargo", &args).arg(&tool), Some(log))?;
    let mut command = tools::command("cargo", &["mutants", "--baseline=skip", "--timeout=300", "--colors=never"]);
    command.arg("--output").arg(folder(name)?).env("CARGO_TARGET_DIR", folder("build")?.join(name));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [tool.join("bin")].into_iter().chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(folders).map_err(|error| error.to_string())?);
    if let Ok(shard) = std::env::var("ICICLE_MUTANTS") {
        command.args(["--sharding=round-robin", "--shard", &shard]);
    }
    Ok(command)
}

/// Run cargo-mutants, which ends with an error if anything was missed, and judge by its lists.
fn judge(command: &mut Command, name: &str, least: usize, log: &mut File) -> Result<(), String> {
    let outcome = tools::logged(command, Some(log));
    let lists = folder(name)?.join("mutants.out");
    let count = |list: &str| {
        let lines = fs::read_to_string(lists.join(list)).map_err(|error| format!("{list}: {error}"))?;
        Ok::<_, String>(lines.lines().count())
    };
    let seen = count("caught.txt")? + count("timeout.txt")?;
    match share(seen, count("missed.txt")?, least, log) {
        // Nothing ran.
        Err(error) if seen == 0 => Err(outcome.err().unwrap_or(error)),
        other => other,
    }
}

/// Say how many were seen, and whether that is enough.
fn share(seen: usize, missed: usize, least: usize, log: &mut File) -> Result<(), String> {
    let all = seen + missed;
    let text = format!("{seen} of {all} mutations seen");
    // As cargo's own line, so that they are counted.
    writeln!(log, "{text}\ntest result: {seen} passed; 0 failed").map_err(|error| error.to_string())?;
    if 100 * seen < least * all || all == 0 { Err(format!("{text}: must be at least {least} %")) } else { Ok(()) }
}

/// The Go module, mutated in a copy of its own by gremlins.
pub fn go(log: &mut File) -> Result<(), String> {
    let prefix = install::shared(log)?;
    let go = golang::find()?;
    let tool = folder("tools")?.join("bin");
    let path = golang::path_with(&go);
    let package = format!("github.com/go-gremlins/gremlins/cmd/gremlins@{GREMLINS}");
    let mut installed = Command::new(&go);
    installed.args(["install", &package]).env("GOBIN", &tool).env("PATH", &path).current_dir(root());
    tools::logged(&mut installed, Some(log))?;
    let results = folder("go")?.join("results.json");
    let mut command = Command::new(tool.join("gremlins"));
    command.args(["unleash", "--tags=icicle_probe", "--coverpkg=icicle", "--timeout-coefficient=20", "--workers=1"]);
    command.args(["--invert-logical", "--invert-bitwise", "--invert-assignments", "--output"]).arg(&results).arg(".");
    command.current_dir(root().join("go")).env("PATH", path).env("ICICLE_CPU_DEVICES", "4");
    // The copy is not in the repository.
    command.env("CGO_CFLAGS", format!("-I{}", prefix.join("include").display()));
    command.env("CGO_LDFLAGS", format!("-L{}", prefix.join("lib").display()));
    command.env("ICICLE_PREFIX", &prefix).env("ICICLE_REPOSITORY", root());
    // The time a run may take follows from that of the first, which must not come from a cache.
    command.env("GOFLAGS", "-count=1");
    let start = log.stream_position().map_err(|error| error.to_string())?;
    tools::logged(&mut command, Some(log))?;
    let mut told = String::new();
    let mut read = log.try_clone().map_err(|error| error.to_string())?;
    read.seek(SeekFrom::Start(start))
        .and_then(|_| read.read_to_string(&mut told))
        .map_err(|error| error.to_string())?;
    let count = |word: &str| told.lines().filter(|line| line.trim_start().starts_with(word)).count();
    share(count("KILLED ") + count("TIMED OUT "), count("LIVED "), SEEN_OF_GO, log)
}

/// The Python package, mutated in a copy by mutmut; without the tests that read the repository around it.
pub fn python(log: &mut File) -> Result<(), String> {
    let venv = python::installed(Some(log))?;
    tools::logged(Command::new(venv.join("bin/pip")).args(["install", "--quiet", MUTMUT]), Some(log))?;
    let work = folder("python")?;
    let library = fs::read_dir(venv.join("lib")).map_err(|error| error.to_string())?;
    let packages = library.flatten().map(|entry| entry.path().join("site-packages/icicle")).find(|path| path.is_dir());
    let package = packages.ok_or("the package is not installed")?;
    copy(&package, &work.join("icicle"))?;
    copy(&root().join("tests/python"), &work.join("tests"))?;
    for name in ["test_readme.py", "test_tools.py", "test_types.py", "test_vectors.py"] {
        fs::remove_file(work.join("tests").join(name)).map_err(|error| format!("{name}: {error}"))?;
    }
    let deselected = [
        "test_errors.py::test_every_error_is_provoked_or_excused",
        "test_points.py::test_the_setup_of_the_vectors_is_on_the_curve",
    ];
    let deselected: String = deselected.iter().map(|test| format!(" --deselect tests/{test}")).collect();
    let write = |name: &str, text: String| fs::write(work.join(name), text).map_err(|error| format!("{name}: {error}"));
    write("pytest.ini", format!("[pytest]\naddopts = --strict-markers -p no:cacheprovider{deselected}\n"))?;
    write("setup.cfg", "[mutmut]\npaths_to_mutate=icicle\ntests_dir=tests\nalso_copy=icicle\n".into())?;
    let mutmut = |args: &[&str]| {
        let mut command = Command::new(venv.join("bin/mutmut"));
        command.args(args).current_dir(&work);
        command
    };
    tools::logged(&mut mutmut(&["run"]), Some(log))?;
    let results = mutmut(&["results", "--all", "true"]).output().map_err(|error| error.to_string())?;
    let results = String::from_utf8_lossy(&results.stdout);
    log.write_all(results.as_bytes()).map_err(|error| error.to_string())?;
    let count = |outcome: &str| results.lines().filter(|line| line.ends_with(outcome)).count();
    share(count(": killed") + count(": timeout"), count(": survived"), SEEN_OF_PYTHON, log)
}

/// Copy the files of a folder, none of its folders.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)?.flatten().filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), to.join(entry.file_name())).map_err(failed)?;
    }
    Ok(())
}
