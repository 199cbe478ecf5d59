//! Laying out the C library: `install --prefix P`, and the test that consumers build against it.

use crate::{root, tools};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The version in the shared library's name, raised when the ABI breaks.
const SO_VERSION: &str = "0";

/// What a static library of Rust needs beside it on Linux (`rustc --print native-static-libs`).
const STATIC_LIBS: &str = "-lpthread -ldl -lm -lrt -lutil -lgcc_s -lc";

/// The fields and curves ICICLE has a library for, and the other libraries.
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

/// `install --prefix P`.
pub fn from_args(args: &[String]) -> Result<(), String> {
    match args {
        [flag, prefix] if flag == "--prefix" => {
            install(Path::new(prefix))?;
            println!(
                "installed under {prefix}; programs find it through PKG_CONFIG_PATH={prefix}/lib/pkgconfig or CMAKE_PREFIX_PATH={prefix}"
            );
            Ok(())
        }
        _ => Err("usage: cargo xtask install --prefix P".into()),
    }
}

fn wrong(path: &Path, error: std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    // Removed first: an earlier installation's link must not be written through.
    let _ = fs::remove_file(path);
    fs::write(path, text).map_err(|error| wrong(path, error))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    // Removed first: a library in use must not be overwritten in place.
    let _ = fs::remove_file(to);
    fs::copy(from, to).map(|_| ()).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
}

fn link(target: &str, at: &Path) -> Result<(), String> {
    let _ = fs::remove_file(at);
    std::os::unix::fs::symlink(target, at).map_err(|error| wrong(at, error))
}

fn directory(path: PathBuf) -> Result<PathBuf, String> {
    fs::create_dir_all(&path).map_err(|error| wrong(&path, error))?;
    Ok(path)
}

/// Build and lay out everything under a prefix.
pub fn install(prefix: &Path) -> Result<(), String> {
    let lib = directory(prefix.join("lib"))?;
    let include = directory(prefix.join("include"))?;
    let built = root().join("target/release");
    tools::cargo(&["build", "--release", "--package", "icicle-ffi"], &[])?;
    let so = format!("libicicle.so.{SO_VERSION}");
    copy(&built.join("libicicle_c.so"), &lib.join(&so))?;
    link(&so, &lib.join("libicicle.so"))?;
    copy(&built.join("libicicle_c.a"), &lib.join("libicicle.a"))?;
    for header in ["icicle.h", "icicle.hpp"] {
        copy(&root().join("include").join(header), &include.join(header))?;
    }
    // Version 3's library links against the one just laid out.
    let mut command = tools::command("cargo", &["build", "--release", "--package", "icicle-ffi-v3"]);
    tools::status(command.env("ICICLE_LIB_DIR", &lib))?;
    let v3 = directory(lib.join("icicle-v3"))?;
    let v3_run = directory(v3.join("run"))?;
    copy(&built.join("libicicle_v3.so"), &lib.join("libicicle_v3.so"))?;
    for name in ["libicicle_v3.so", "libicicle.so", &so] {
        link(&format!("../{name}"), &v3.join(name))?;
    }
    for name in icicle_names() {
        link("libicicle.so", &lib.join(&name))?;
        // What a linker reads: version 3's two symbols first, then all others. What a loader opens is in run/.
        write(&v3.join(&name), "INPUT(-licicle_v3 -licicle)\n")?;
        link("../../libicicle_v3.so", &v3_run.join(&name))?;
    }
    pkg_config(prefix, &directory(lib.join("pkgconfig"))?)?;
    cmake(&directory(lib.join("cmake/icicle"))?)
}

/// The file names ICICLE's programs link or load.
fn icicle_names() -> Vec<String> {
    let mut names = vec!["libicicle_device.so".to_string(), "libicicle_hash.so".to_string()];
    names.extend(FIELDS.iter().map(|field| format!("libicicle_field_{field}.so")));
    names.extend(CURVES.iter().map(|curve| format!("libicicle_curve_{curve}.so")));
    names
}

fn pkg_config(prefix: &Path, at: &Path) -> Result<(), String> {
    let prefix = fs::canonicalize(prefix).map_err(|error| wrong(prefix, error))?;
    let text = format!(
        "prefix={}\nlibdir=${{prefix}}/lib\nincludedir=${{prefix}}/include\n\n\
         Name: icicle\nDescription: {}\nVersion: {}\nCflags: -I${{includedir}}\nLibs: -L${{libdir}} -licicle\nLibs.private: {STATIC_LIBS}\n",
        prefix.display(),
        env!("CARGO_PKG_DESCRIPTION"),
        env!("CARGO_PKG_VERSION"),
    );
    write(&at.join("icicle.pc"), &text)
}

fn cmake(at: &Path) -> Result<(), String> {
    let config = format!(
        "# Targets: icicle::icicle (shared), icicle::icicle_static.\n\
         get_filename_component(_icicle_prefix \"${{CMAKE_CURRENT_LIST_DIR}}/../../..\" ABSOLUTE)\n\
         if(NOT TARGET icicle::icicle)\n\
         \x20 add_library(icicle::icicle SHARED IMPORTED)\n\
         \x20 set_target_properties(icicle::icicle PROPERTIES\n\
         \x20   IMPORTED_LOCATION \"${{_icicle_prefix}}/lib/libicicle.so\"\n\
         \x20   IMPORTED_SONAME \"libicicle.so.{SO_VERSION}\"\n\
         \x20   INTERFACE_INCLUDE_DIRECTORIES \"${{_icicle_prefix}}/include\")\n\
         \x20 add_library(icicle::icicle_static STATIC IMPORTED)\n\
         \x20 set_target_properties(icicle::icicle_static PROPERTIES\n\
         \x20   IMPORTED_LOCATION \"${{_icicle_prefix}}/lib/libicicle.a\"\n\
         \x20   INTERFACE_LINK_LIBRARIES \"{STATIC_LIBS}\"\n\
         \x20   INTERFACE_INCLUDE_DIRECTORIES \"${{_icicle_prefix}}/include\")\n\
         endif()\n\
         unset(_icicle_prefix)\n"
    );
    write(&at.join("icicleConfig.cmake"), &config)?;
    let version = format!(
        "set(PACKAGE_VERSION \"{0}\")\n\
         if(PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)\n  set(PACKAGE_VERSION_COMPATIBLE FALSE)\n\
         else()\n  set(PACKAGE_VERSION_COMPATIBLE TRUE)\n\
         \x20 if(PACKAGE_FIND_VERSION STREQUAL PACKAGE_VERSION)\n    set(PACKAGE_VERSION_EXACT TRUE)\n  endif()\nendif()\n",
        env!("CARGO_PKG_VERSION")
    );
    write(&at.join("icicleConfigVersion.cmake"), &version)
}

/// Install into `target/consumers/prefix`, then let `tests/consumers/run` build and run programs against it every way.
pub fn test_consumers(log: &mut File) -> Result<(), String> {
    let base = root().join("target/consumers");
    let _ = fs::remove_dir_all(&base);
    let prefix = directory(base.join("prefix"))?;
    install(&prefix)?;
    let clone = |log: &File| log.try_clone().map_err(|error| error.to_string());
    let mut command = tools::command("bash", &["tests/consumers/run"]);
    tools::status(command.arg(&base).stdout(clone(log)?).stderr(clone(log)?))
}
