//! Laying out the C library: `install --prefix P`, and the test that consumers build against it.

use crate::checkout::root;
use crate::nvidia::{self, Kernels};
use crate::prefix::{SO_VERSION, copy, link, prepare, write};
use crate::{discovery, tools};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The fields and curves ICICLE has a library for.
const FIELDS: [&str; 10] = [
    "bn254",
    "bls12_381",
    "bls12_377",
    "bw6_761",
    "grumpkin",
    "babybear",
    "koalabear",
    "goldilocks",
    "m31",
    "stark252",
];
const CURVES: [&str; 5] = ["bn254", "bls12_381", "bls12_377", "bw6_761", "grumpkin"];

const USAGE: &str = "usage: cargo xtask install --prefix P [--no-kernels]";

/// `install --prefix P [--no-kernels]`.
pub fn from_args(args: &[String]) -> Result<(), String> {
    let (mut prefix, mut compile) = (None, true);
    let mut rest = args.iter();
    while let Some(flag) = rest.next() {
        match flag.split_once('=') {
            Some(("--prefix", value)) => prefix = Some(value.to_owned()),
            None if flag == "--prefix" => prefix = rest.next().cloned(),
            None if flag == "--no-kernels" => compile = false,
            _ => return Err(format!("{flag}: no such option; {USAGE}")),
        }
    }
    let prefix = prefix.filter(|prefix| !prefix.is_empty()).ok_or(USAGE)?;
    let prefix = prepare(Path::new(&prefix))?;
    let kernels = nvidia::kernels(compile)?;
    install(&prefix, &kernels, None)?;
    let shown = prefix.display();
    println!(
        "\ninstalled under {shown}; programs find it through\n  \
         export PKG_CONFIG_PATH={shown}/lib/pkgconfig       pkg-config --cflags --libs icicle\n  \
         cmake -DCMAKE_PREFIX_PATH={shown}                  find_package(icicle), icicle::icicle\n  \
         export CGO_CFLAGS=-I{shown}/include CGO_LDFLAGS=-L{shown}/lib"
    );
    if let Some(hint) = kernels.hint {
        println!("\n{hint}\n  cargo xtask install --prefix {shown}");
    }
    Ok(())
}

/// Every header, by its path below `include/`.
fn headers() -> Result<Vec<String>, String> {
    let parts = root().join("include/icicle");
    let failed = |error: std::io::Error| format!("{}: {error}", parts.display());
    let mut found = vec!["icicle.h".to_owned(), "icicle.hpp".to_owned()];
    for entry in fs::read_dir(&parts).map_err(failed)? {
        found.push(format!("icicle/{}", entry.map_err(failed)?.file_name().to_string_lossy()));
    }
    Ok(found)
}

/// Build and lay out everything under a prefix that is prepared; output goes to the log if there is one.
fn install(prefix: &Path, kernels: &Kernels, log: Option<&File>) -> Result<(), String> {
    let (lib, include, v3) = (prefix.join("lib"), prefix.join("include"), prefix.join("lib/icicle-v3"));
    let built = tools::target().join("release");
    let build = |package: &str| {
        let mut command = tools::command("cargo", &["build", "--release", "--package", package]);
        command.envs(kernels.environment());
        command
    };
    tools::logged(&mut build("icicle-ffi"), log)?;
    let so = format!("libicicle.so.{SO_VERSION}");
    copy(&built.join("libicicle_c.so"), &lib.join(&so))?;
    link(&so, &lib.join("libicicle.so"))?;
    copy(&built.join("libicicle_c.a"), &lib.join("libicicle.a"))?;
    for header in headers()? {
        copy(&root().join("include").join(&header), &include.join(&header))?;
    }
    // Version 3's library links against the one just laid out.
    tools::logged(build("icicle-ffi-v3").env("ICICLE_LIB_DIR", &lib), log)?;
    copy(&built.join("libicicle_v3.so"), &lib.join("libicicle_v3.so"))?;
    for name in ["libicicle_v3.so", "libicicle.so", &so] {
        link(&format!("../{name}"), &v3.join(name))?;
    }
    for name in icicle_names() {
        link("libicicle.so", &lib.join(&name))?;
        // What a linker reads: version 3's two symbols first, then all others. What a loader opens is in run/.
        write(&v3.join(&name), "INPUT(-licicle_v3 -licicle)\n")?;
        link("../../libicicle_v3.so", &v3.join("run").join(&name))?;
    }
    discovery::pkg_config(&lib.join("pkgconfig"))?;
    discovery::cmake(&lib.join("cmake/icicle"))
}

/// The file names ICICLE's programs link or load, of the libraries whose functions are here. `libicicle_hash.so` and
/// `libicicle_pqc.so` are not: that a file is missing says more than that a symbol of it is.
fn icicle_names() -> Vec<String> {
    let mut names = vec!["libicicle_device.so".to_string()];
    names.extend(FIELDS.iter().map(|field| format!("libicicle_field_{field}.so")));
    names.extend(CURVES.iter().map(|curve| format!("libicicle_curve_{curve}.so")));
    names
}

/// A fresh installation in `target/prefix`, made once a run and shared by the suites that need one.
pub fn shared(log: &File) -> Result<PathBuf, String> {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    DONE.get_or_init(|| {
        let prefix = root().join("target/prefix");
        let _ = fs::remove_dir_all(&prefix);
        let prefix = prepare(&prefix)?;
        install(&prefix, &Kernels::default(), Some(log))?;
        Ok(prefix)
    })
    .clone()
}

/// Let `tests/consumers/run` build and run programs against the installation every way.
pub fn test_consumers(log: &mut File) -> Result<(), String> {
    let prefix = shared(log)?;
    let work = root().join("target/consumers");
    let _ = fs::remove_dir_all(&work);
    let mut command = tools::command("bash", &["tests/consumers/run"]);
    tools::logged(command.arg(&prefix).arg(&work), Some(log))
}
