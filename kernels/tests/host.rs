//! The device templates, compiled for the host by g++, against the Rust core.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod array_ahead;
mod array_order;
mod array_product;
mod array_random;
mod array_rows;
mod device;
mod fhe;

use icicle::algebra::{Field, PrimeField};
use icicle::{FieldId, with_field};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A small fixed generator (SplitMix64: https://prng.di.unimi.it/splitmix64.c); the seed is the field's id.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    fn element<F: Field>(&mut self) -> F {
        F::from_coefficients(|_| {
            let words: Vec<u64> = (0..F::Prime::WORDS).map(|_| self.next()).collect();
            F::Prime::from_words(&words)
        })
    }
}

fn hex<F: Field>(x: F) -> String {
    let raw = x.to_raw();
    bytemuck_words(&raw).iter().map(|w| format!("{w:08x}")).collect()
}

/// The 32-bit words of a memory form.
fn bytemuck_words<T: bytemuck::Pod>(raw: &T) -> Vec<u32> {
    bytemuck::bytes_of(raw).chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect()
}

fn lines<F: Field>(name: &str, seed: u64, out: &mut String) {
    let mut random = Random(seed);
    let top = -F::ONE;
    let all_top = F::from_coefficients(|_| -F::Prime::ONE);
    let mut values = vec![F::ZERO, F::ONE, top, all_top, F::ONE.double(), top - F::ONE, F::from_u64(u64::MAX)];
    values.extend((0..25).map(|_| random.element::<F>()));
    let factor = F::Prime::montgomery_factor();
    for (i, &a) in values.iter().enumerate() {
        let b = values[(7 * i + 3) % values.len()];
        let mut line = |op: &str, b: F, value: F| {
            writeln!(out, "{name} {op} {} {} {}", hex(a), hex(b), hex(value)).unwrap();
        };
        for b in [F::ZERO, F::ONE, top, all_top, a, -a, b] {
            line("add", b, a + b);
            line("sub", b, a - b);
            line("mul", b, a * b);
        }
        line("neg", a, -a);
        line("sqr", a, a.square());
        line("inv", a, a.inverse().unwrap_or_default());
        line("encode", a, a.scale(factor));
    }
}

fn root<F: PrimeField>(name: &str, out: &mut String) {
    writeln!(out, "{name} root 0 0 {}", hex(F::two_adic_root())).unwrap();
}

fn compile(source: &Path, out: &Path) {
    let done = Command::new("g++")
        .args(["-std=c++17", "-O1", "-Wall", "-Wno-unknown-pragmas", "-x", "c++"])
        .arg(source)
        .arg("-o")
        .arg(out)
        .output()
        .expect("g++");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn device_templates_agree_with_the_core() {
    if Command::new("g++").arg("--version").output().is_err() {
        eprintln!("no g++: skipped");
        return;
    }
    use icicle::algebra::fields;
    let mut text = String::new();
    for field in icicle_params::FIELDS {
        let id: FieldId = field.id;
        with_field!(id, F => lines::<F>(id.name(), id as u64, &mut text));
    }
    root::<fields::Bn254Scalar>("bn254", &mut text);
    root::<fields::Bn254Base>("bn254_base_field", &mut text);
    root::<fields::Bls12_381Scalar>("bls12_381", &mut text);
    root::<fields::Bls12_377Scalar>("bls12_377", &mut text);
    root::<fields::Bw6_761Scalar>("bw6_761", &mut text);
    root::<fields::Stark252Scalar>("stark252", &mut text);
    root::<fields::BabyBearScalar>("babybear", &mut text);
    root::<fields::KoalaBearScalar>("koalabear", &mut text);
    root::<fields::GoldilocksScalar>("goldilocks", &mut text);

    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (vectors, program) = (scratch.join("kernel-vectors.txt"), scratch.join("kernel-host"));
    std::fs::write(&vectors, text).unwrap();
    compile(&here.join("tests/host.cpp"), &program);
    let done = Command::new(&program).arg(&vectors).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn multi_scalar_multiplication_agrees_with_double_and_add() {
    passes("msm");
}

#[test]
fn transforms_agree_with_the_defining_sums() {
    passes("ntt");
}

#[test]
fn multi_scalar_multiplication_by_the_kernels_agrees_with_double_and_add() {
    passes("msm_grid");
}

#[test]
fn sorted_digits_are_those_of_the_scalars() {
    passes("sort");
}

#[test]
fn vectors_matrices_and_polynomials_agree_element_by_element() {
    passes("vec");
}

#[test]
fn reorderings_move_every_element_to_its_place() {
    passes("layout");
}

#[test]
fn operations_and_folds_of_arrays_give_what_they_must() {
    passes("array");
}

#[test]
fn products_of_arrays_are_the_defining_sums() {
    agrees("array_product", array_product::cases);
}

#[test]
fn bootstraps_give_what_the_definition_gives() {
    agrees("fhe", fhe::cases);
}

/// No header is out of the tests' sight: each is part of a program that compiles it as nvcc does (`tests/device.h`), but for
/// those over CUB's parts, which are nvcc's alone.
#[test]
fn every_header_is_compiled_for_the_host() {
    if Command::new("g++").arg("--version").output().is_err() {
        eprintln!("no g++: skipped");
        return;
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).canonicalize().unwrap();
    let files = |folder: &Path, extension: &str| -> BTreeSet<PathBuf> {
        let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|e| e == extension)).collect()
    };
    let mut included = BTreeSet::new();
    for program in files(&here.join("tests"), "cpp") {
        let done = Command::new("g++").args(["-std=c++17", "-MM", "-x", "c++"]).arg(&program).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let parts: BTreeSet<PathBuf> = String::from_utf8(done.stdout)
            .unwrap()
            .split_whitespace()
            .filter_map(|word| Path::new(word).canonicalize().ok())
            .collect();
        if parts.contains(&here.join("tests/device.h")) {
            included.extend(parts);
        }
    }
    let folders = std::fs::read_dir(&here).unwrap().map(|entry| entry.unwrap().path());
    let sources = folders.filter(|folder| folder.is_dir() && !folder.ends_with("selftest"));
    let headers: BTreeSet<PathBuf> = sources.flat_map(|folder| files(&folder, "cuh")).collect();
    let over_cub = |path: &&PathBuf| std::fs::read_to_string(path).unwrap().contains("#include <cub/");
    let missing: Vec<_> = headers.difference(&included).filter(|path| !over_cub(path)).collect();
    assert!(headers.len() > 30 && missing.is_empty(), "no test compiles {missing:?}");
}

#[test]
fn kernels_agree_with_the_core() {
    agrees("device", device::cases);
}

#[test]
fn arrays_have_the_order_of_the_core() {
    agrees("array_order", array_order::cases);
}

#[test]
fn rows_and_sequences_are_those_of_the_core() {
    agrees("array_rows", array_rows::cases);
}

#[test]
fn operations_compiled_ahead_give_what_the_core_gives() {
    agrees("array_ahead", array_ahead::cases);
}

#[test]
fn random_numbers_are_those_of_the_core() {
    agrees("array_random", array_random::cases);
}

/// Compile `tests/NAME.cpp` and run it on cases.
fn agrees(name: &str, cases: impl FnOnce() -> String) {
    if Command::new("g++").arg("--version").output().is_err() {
        eprintln!("no g++: skipped");
        return;
    }
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (text, program) = (cases(), scratch.join(format!("kernel-{name}")));
    let cases = scratch.join(format!("kernel-{name}-cases.txt"));
    std::fs::write(&cases, text).unwrap();
    compile(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/{name}.cpp")), &program);
    let done = Command::new(&program).arg(&cases).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Compile `tests/NAME.cpp`, which checks the templates by itself, and run it.
fn passes(name: &str) {
    if Command::new("g++").arg("--version").output().is_err() {
        eprintln!("no g++: skipped");
        return;
    }
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("kernel-{name}"));
    compile(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/{name}.cpp")), &program);
    let done = Command::new(&program).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
