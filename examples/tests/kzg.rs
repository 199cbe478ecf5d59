//! The trusted setup against c-kzg, and the KZG example in both languages, run as a user would.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test's way to fail

use c_kzg::ethereum_kzg_settings;
use icicle_examples::{BLOB_BYTES, BLOB_ELEMENTS, G1_LAGRANGE, bit_reversed, random_blob};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn commitment(blob: &[u8]) -> String {
    let blob = c_kzg::Blob::from_bytes(blob).unwrap();
    hex::encode(ethereum_kzg_settings(0).blob_to_kzg_commitment(&blob).unwrap().to_bytes().as_slice())
}

fn run(command: &mut Command) -> (bool, String) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// A blob of one 1 commits to the setup's point at that place.
#[test]
fn the_setup_is_c_kzgs() {
    let points: Vec<&[u8]> = G1_LAGRANGE.chunks(48).collect();
    assert_eq!(points.len(), BLOB_ELEMENTS);
    let points = bit_reversed(&points);
    for i in [0, 1, 2, 3, 1000, 2048, 4095] {
        let mut blob = vec![0; BLOB_BYTES];
        blob[32 * i + 31] = 1;
        assert_eq!(commitment(&blob), hex::encode(points[i]), "point {i}");
    }
}

/// The example's binary, which cargo builds beside this test.
fn example() -> Command {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    Command::new(deps.parent().unwrap().join("examples/kzg_blobs"))
}

#[test]
fn the_example_agrees_with_c_kzg_on_several_devices() {
    let (ok, text) = run(example().args(["--blobs", "9"]).env("ICICLE_CPU_DEVICES", "3"));
    assert!(ok, "{text}");
    assert!(text.contains("9 of 9 blobs agree with c-kzg"), "{text}");
    assert!(text.contains("making 9 random blobs") && text.contains("checking against c-kzg"), "{text}");
    for device in ["cpu:0", "cpu:1", "cpu:2", "total"] {
        assert!(text.lines().any(|line| line.starts_with(device)), "{device}: {text}");
    }
    let (ok, text) = run(example().args(["--blobs", "2", "--devices", "cpu:1"]).env("ICICLE_CPU_DEVICES", "2"));
    assert!(ok && !text.contains("\ncpu:0 "), "{text}");
}

#[test]
fn the_example_says_what_is_wrong() {
    let (ok, text) = run(example().args(["--devices", "cpu:7"]));
    assert!(!ok && text.contains("cpu:7"), "{text}");
    let (ok, text) = run(example().args(["--devices", "tpu:0"]));
    assert!(!ok && text.contains("tpu:0"), "{text}");
    // Instructions that no processor has leave no device, which is not to pass for work done.
    let (ok, text) = run(example().args(["--blobs", "1"]).env("ICICLE_CPU_ISA", "avx9"));
    assert!(!ok && text.contains("ICICLE_CPU_ISA \"avx9\": must be scalar, avx2 or avx512"), "{text}");
    let (ok, text) = run(example().args(["--blobs", "0"]));
    assert!(!ok && text.contains("'0'") && text.contains("--blobs"), "{text}");
    let (ok, text) = run(example().args(["--blobs", "1000000000"]));
    assert!(!ok && text.contains("blobs 1000000000: take 393216000000000 bytes"), "{text}");
    let (ok, text) = run(example().arg("--help"));
    assert!(ok && text.contains("--blobs") && text.contains("--devices"), "{text}");
    let (ok, text) = run(example().arg("--version"));
    assert!(ok && text.contains(env!("CARGO_PKG_VERSION")), "{text}");
}

/// Build the C++ program against the library, give it random blobs, and compare what it prints.
#[test]
fn the_cpp_program_prints_c_kzgs_commitments() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (ok, text) = run(Command::new(env!("CARGO"))
        .args(["build", "--release", "--package", "icicle-ffi", "--message-format", "short"])
        .current_dir(root()));
    assert!(ok, "{text}");
    let release = std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from).join("release");
    for name in ["libicicle.so", "libicicle.so.0"] {
        let _ = std::fs::remove_file(folder.join(name));
        std::os::unix::fs::symlink(release.join("libicicle_c.so").canonicalize().unwrap(), folder.join(name)).unwrap();
    }
    let program = folder.join("kzg_blobs_cpp");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    let (ok, text) = run(Command::new(compiler)
        .args(["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-I"])
        .arg(root().join("include"))
        .arg(root().join("examples/cpp/kzg_blobs.cpp"))
        .arg("-o")
        .arg(&program)
        .arg("-L")
        .arg(folder)
        .args(["-licicle", &format!("-Wl,-rpath,{}", folder.display())]));
    assert!(ok, "{text}");
    let mut rng = rand::rng();
    let blobs: Vec<_> = (0..5).map(|_| random_blob(&mut rng)).collect();
    let path = folder.join("blobs.bin");
    std::fs::write(&path, blobs.concat()).unwrap();
    let setup = root().join("tests/vectors/kzg/g1_lagrange.bin");
    let output = Command::new(&program).arg(&setup).arg(&path).env("ICICLE_CPU_DEVICES", "2").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected: Vec<String> = blobs.iter().map(|blob| commitment(blob)).collect();
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("committing to 5 blobs"), "{said}");
    let (ok, text) = run(Command::new(&program).args(["/nonexistent", "/nonexistent"]));
    assert!(!ok && text.contains("cannot read"), "{text}");
    let empty = folder.join("empty.bin");
    std::fs::write(&empty, "").unwrap();
    let (ok, text) = run(Command::new(&program).arg(&setup).arg(&empty));
    assert!(!ok && text.contains("0 bytes, must be some blobs"), "{text}");
    let (ok, text) = run(Command::new(&program).arg("--help"));
    assert!(ok && text.contains("usage") && text.contains("SETUP BLOBS"), "{text}");
    let (ok, text) = run(Command::new(&program).arg("--version"));
    assert!(ok && text.contains(env!("CARGO_PKG_VERSION")), "{text}");
    let (ok, text) = run(Command::new(&program).arg(setup).arg(&path).env("ICICLE_CPU_ISA", "avx9"));
    assert!(!ok && text.contains("no device"), "{text}");
}
