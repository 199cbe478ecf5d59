//! Safe Rust cannot misuse the library: each program in `cases/` is refused, with the errors in the file beside it, a line for
//! each. The compiler is called with the very library that is tested, so that nothing is compiled for this but the cases.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The file of the library that this test was compiled with, as Cargo says.
fn library() -> PathBuf {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["test", "--no-run", "--quiet", "--package", "icicle-unsound", "--message-format=json"]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let output = cargo.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let says = |line: &&str| line.contains("\"reason\":\"compiler-artifact\"") && line.contains("\"name\":\"icicle\"");
    let files = text.lines().find(says).and_then(|line| line.split("\"filenames\":[").nth(1));
    let files = files.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    files.split('"').find(|file| file.ends_with(".rlib")).expect("a library for Rust").into()
}

/// What the compiler says of a case, errors by line and column.
fn said(case: &Path, library: &Path) -> String {
    let mut compiler = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    compiler.args(["--edition=2024", "--crate-type=bin", "--emit=metadata", "--error-format=short"]).arg(case);
    compiler.arg("--out-dir").arg(env!("CARGO_TARGET_TMPDIR"));
    compiler.arg("--extern").arg(format!("icicle={}", library.display()));
    compiler.arg(format!("-Ldependency={}", library.parent().unwrap().display()));
    let output = compiler.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{} compiles", case.display());
    said.lines().filter(|line| line.contains(": error")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn no_case_compiles() {
    let library = library();
    let files = std::fs::read_dir("cases").unwrap().map(|entry| entry.unwrap().path());
    let cases: Vec<_> = files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect();
    assert!(cases.len() >= 8, "{cases:?}");
    for case in cases {
        let expected = std::fs::read_to_string(case.with_extension("stderr")).unwrap();
        assert_eq!(said(&case, &library), expected, "{}", case.display());
    }
}
