//! The library as C and C++ see it: names, header, and programs compiled by the system's compilers, under the address
//! sanitizer where it links.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test's way to fail

use icicle::algebra::curve::{Bn254, Curve, Group, Projective};
use icicle::algebra::fields::Bn254Scalar as S;
use icicle::algebra::{Field, PrimeField};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// The shared library cargo built beside this test.
fn library() -> PathBuf {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let path = deps.join("libicicle_c.so");
    assert!(path.exists(), "{} is missing: cargo builds it with this test", path.display());
    path
}

/// A folder of this test that finds the library under its installed name.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["libicicle.so", "libicicle.so.0"] {
        let link = folder.join(name);
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(library(), &link).unwrap();
    }
    folder
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{command:?}:\n{text}");
    text
}

const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-Werror", "-pedantic"];

fn compile(compiler: &str, standard: &str, source: &Path, folder: &Path) -> PathBuf {
    let program = folder.join(source.file_stem().unwrap());
    let base = |sanitize: bool| {
        let mut command = Command::new(compiler);
        command.arg(standard).args(STRICT).arg("-g").arg("-I").arg(root().join("include"));
        command.args(sanitize.then_some("-fsanitize=address")).arg(source).arg("-o").arg(&program);
        command.arg("-L").arg(folder).args(["-licicle", "-lm"]).arg(format!("-Wl,-rpath,{}", folder.display()));
        command
    };
    if !base(true).output().is_ok_and(|output| output.status.success()) {
        run(&mut base(false));
    }
    program
}

fn execute(program: &Path, arguments: &[&Path]) {
    // Leaks of the Rust side's process-wide tables are none of the program's.
    run(Command::new(program).args(arguments).env("ASAN_OPTIONS", "detect_leaks=0"));
}

#[test]
fn exported_names_are_icicles_and_ours() {
    let list = std::fs::read_to_string(root().join("tests/abi/symbols.txt")).unwrap();
    let of = |mark: &str| -> BTreeSet<&str> { list.lines().filter_map(|line| line.strip_prefix(mark)).collect() };
    let (finished, absent) = (of("+ "), of("- "));
    let text = run(Command::new("nm").args(["-D", "--defined-only"]).arg(library()));
    let exported: BTreeSet<&str> = text.lines().filter_map(|line| line.split_whitespace().nth(2)).collect();
    let missing: Vec<_> = finished.difference(&exported).collect();
    assert!(missing.is_empty(), "not exported: {missing:?}");
    let early: Vec<_> = absent.difference(&finished).filter(|name| exported.contains(**name)).collect();
    assert!(early.is_empty(), "exported, but listed as absent: {early:?}");
    let ours = |name: &str| name.starts_with("icicle_") || name.ends_with("_generate_scalars");
    let other: Vec<_> = exported.difference(&finished).filter(|name| !ours(name)).collect();
    assert!(other.is_empty(), "exported, but nobody's: {other:?}");

    let header = std::fs::read_to_string(root().join("include/icicle.h")).unwrap();
    let declared = declarations(&header);
    let undeclared: Vec<_> = exported.iter().filter(|name| !declared.contains(**name)).collect();
    assert!(undeclared.is_empty(), "not in the header: {undeclared:?}");
    let unknown: Vec<_> = declared.iter().filter(|name| !exported.contains(name.as_str())).collect();
    assert!(unknown.is_empty(), "in the header, not exported: {unknown:?}");
}

/// Names before an opening parenthesis, outside comments.
fn declarations(header: &str) -> BTreeSet<String> {
    let mut code = String::new();
    for (i, part) in header.split("/*").enumerate() {
        code += if i == 0 { part } else { part.split_once("*/").map_or("", |(_, code)| code) };
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let ends = code.match_indices('(').map(|(at, _)| &code[..at]);
    ends.map(|before| before.rsplit(|c| !is_name(c)).next().unwrap_or("").to_owned())
        .filter(|n| !n.is_empty())
        .collect()
}

#[test]
fn the_library_is_called_libicicle() {
    let text = run(Command::new("readelf").arg("-d").arg(library()));
    assert!(text.contains("Library soname: [libicicle.so.0]"), "{text}");
}

#[test]
fn headers_compile_strictly_and_twice() {
    let folder = folder("headers");
    let source = folder.join("twice.c");
    std::fs::write(&source, "#include \"icicle.h\"\n#include \"icicle.h\"\nint main(void) { return 0; }\n").unwrap();
    let compilers =
        [("cc", "-std=c99", "c"), ("cc", "-std=c17", "c"), ("c++", "-std=c++17", "c++"), ("c++", "-std=c++20", "c++")];
    for (compiler, standard, language) in compilers {
        let mut command = Command::new(compiler);
        command.args([standard, "-x", language, "-fsyntax-only"]).args(STRICT).arg("-I").arg(root().join("include"));
        run(command.arg(&source));
    }
}

#[test]
fn layouts_are_icicles() {
    let folder = folder("layout");
    execute(&compile("cc", "-std=c17", &root().join("tests/c/layout.c"), &folder), &[]);
}

#[test]
fn every_code_can_be_provoked() {
    let folder = folder("errors");
    execute(&compile("cc", "-std=c17", &root().join("tests/c/errors.c"), &folder), &[]);
}

#[test]
fn collectives_of_c_and_cpp() {
    let folder = folder("comm");
    execute(&compile("cc", "-std=gnu17", &root().join("tests/c/comm.c"), &folder), &[]);
    execute(&compile("c++", "-std=c++17", &root().join("tests/cpp/comm.cpp"), &folder), &[]);
}

#[test]
fn cpp_owners_and_exceptions() {
    let folder = folder("raii");
    execute(&compile("c++", "-std=c++17", &root().join("tests/cpp/raii.cpp"), &folder), &[]);
}

#[test]
fn cpp_groups() {
    let folder = folder("groups");
    execute(&compile("c++", "-std=c++17", &root().join("tests/cpp/groups.cpp"), &folder), &[]);
}

#[test]
fn cpp_arrays() {
    let folder = folder("arrays-cpp");
    execute(&compile("c++", "-std=c++17", &root().join("tests/cpp/arrays.cpp"), &folder), &[]);
}

#[test]
fn encrypted_integers_in_c() {
    let folder = folder("fhe");
    execute(&compile("cc", "-std=c17", &root().join("tests/c/fhe.c"), &folder), &[]);
}

#[test]
fn encrypted_integers_in_cpp() {
    let folder = folder("fhe-cpp");
    execute(&compile("c++", "-std=c++17", &root().join("tests/cpp/fhe.cpp"), &folder), &[]);
}

#[test]
fn bytes_of_encrypted_integers_in_c_and_cpp() {
    let vectors = root().join("tests/vectors/fhe/bytes");
    let folder = folder("fhe-bytes");
    for (compiler, standard, source) in
        [("cc", "-std=c17", "c/fhe_bytes.c"), ("c++", "-std=c++17", "cpp/fhe_bytes.cpp")]
    {
        execute(&compile(compiler, standard, &root().join("tests").join(source), &folder), &[&vectors]);
    }
}

#[test]
fn cpp_random_numbers_and_arrays_over_groups() {
    let folder = folder("sharded-arrays");
    let program = compile("c++", "-std=c++17", &root().join("tests/cpp/sharded_arrays.cpp"), &folder);
    execute(&program, &[&root().join("core/array/tests/random/random.txt")]);
}

/// The blocks of C and C++ in the guide to arrays, each a function's body, and what they must find.
#[test]
fn the_guide_to_arrays_runs() {
    run_guide(
        "ARRAYS.md",
        &["host[3] == 2", "host[0] != host[1] && host[0] < 20"],
        &["host[1] == -2.25", "host.size() == 6 && host[0] != host[5]"],
    );
}

#[test]
fn the_guide_to_collectives_runs() {
    run_guide("COLLECTIVES.md", &["x[0][2] == 33 && x[1][0] == 11"], &["a == b && a[1] == 22"]);
}

fn run_guide(name: &str, c: &[&str], cpp: &[&str]) {
    let (guide, folder) = (std::fs::read_to_string(root().join("docs").join(name)).unwrap(), folder(name));
    let languages =
        [("c", "cc", "-std=c17", "#include <icicle.h>", c), ("cpp", "c++", "-std=c++17", "#include <icicle.hpp>", cpp)];
    for (language, compiler, standard, include, found) in languages {
        let opening = format!("```{language}\n");
        let blocks: Vec<&str> = guide.split(&opening).skip(1).map(|rest| rest.split_once("```").unwrap().0).collect();
        assert_eq!(blocks.len(), found.len(), "{language}");
        for (k, (block, found)) in blocks.iter().zip(found).enumerate() {
            let source = folder.join(format!("guide{k}.{language}"));
            let text = format!(
                "{include}\nint main({}) {{\n{block}return {found} ? 0 : 1;\n}}\n",
                if language == "c" { "void" } else { "" }
            );
            std::fs::write(&source, text).unwrap();
            execute(&compile(compiler, standard, &source, &folder), &[]);
        }
    }
}

/// The block of C++ in the guide to encrypted integers.
#[test]
fn the_guide_to_encrypted_integers_runs() {
    let (guide, folder) = (std::fs::read_to_string(root().join("docs/FHE.md")).unwrap(), folder("fhe-guide"));
    let (_, rest) = guide.split_once("```cpp\n").unwrap();
    let (block, _) = rest.split_once("```").unwrap();
    let text =
        format!("#include <icicle.hpp>\nint main() {{\n{block}return sums[0] == 44 && larger[1] == 9 ? 0 : 1;\n}}\n");
    let source = folder.join("guide.cpp");
    std::fs::write(&source, text).unwrap();
    execute(&compile("c++", "-std=c++17", &source, &folder), &[]);
}

/// C++ calls every function of C on arrays, encrypted integers, random numbers, arrays over groups, and ranks.
#[test]
fn cpp_calls_every_function_on_arrays() {
    let header = std::fs::read_to_string(root().join("include/icicle.h")).unwrap();
    let parts = std::fs::read_dir(root().join("include/icicle")).unwrap();
    let wrappers: String = parts.map(|part| std::fs::read_to_string(part.unwrap().path()).unwrap()).collect();
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect()
    };
    let declared = header.lines().filter(|line| line.starts_with("icicle_") && line.contains('('));
    let names = declared.filter_map(|line| line.split('(').next()?.split(' ').next_back());
    let ours = |name: &&str| {
        let prefixes = ["icicle_array_", "icicle_random_", "icicle_sharded_", "icicle_comm_", "icicle_fhe_"];
        prefixes.iter().any(|prefix| name.starts_with(prefix))
    };
    let (names, called): (Vec<&str>, _) = (names.filter(ours).collect(), words(&wrappers));
    let missing: Vec<_> = names.iter().filter(|&&name| !called.contains(name)).collect();
    assert!(names.len() > 80 && missing.is_empty(), "{} functions, without {missing:?}", names.len());
}

/// C++ has a function for each operation on elements that C has a constant of, and no other.
#[test]
fn cpp_names_every_operation_on_elements() {
    let read = |name: &str| std::fs::read_to_string(root().join("include").join(name)).unwrap();
    let (header, wrapper) = (read("icicle.h"), read("icicle/array.hpp"));
    let words = |line: &str| line.trim().split(' ').next().unwrap_or_default().to_owned();
    let constants: BTreeSet<String> = header.lines().filter(|line| line.contains(" = ")).map(words).collect();
    let named = |prefix: &str| -> BTreeSet<String> {
        constants.iter().filter_map(|name| name.strip_prefix(prefix)).map(str::to_owned).collect()
    };
    let functions: BTreeSet<String> = wrapper
        .split("ICICLE_NAMED(")
        .filter_map(|rest| rest.split_once(')')?.0.split_once(", "))
        .filter(|(function, constant)| function.to_uppercase() == *constant)
        .map(|(_, constant)| constant.to_owned())
        .collect();
    let (unary, binary) = (named("ICICLE_UNARY_"), named("ICICLE_BINARY_"));
    assert!(unary.len() > 30 && binary.len() > 20);
    let all: BTreeSet<String> = unary.union(&binary).cloned().collect();
    assert_eq!(functions, all);
}

#[test]
fn the_shared_vectors() {
    let folder = folder("vectors");
    let entries = std::fs::read_dir(root().join("tests/vectors/operations")).unwrap();
    let files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    let arguments: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    execute(&compile("cc", "-std=c17", &root().join("tests/c/vectors.c"), &folder), &arguments);
}

#[test]
fn arrays_against_numpy() {
    let folder = folder("arrays");
    let entries = std::fs::read_dir(root().join("core/array/tests/vectors")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| is_text(path)).collect();
    files.push(root().join("core/array/tests/random/random.txt"));
    let arguments: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    execute(&compile("cc", "-std=c17", &root().join("tests/c/arrays.c"), &folder), &arguments);
}

fn is_text(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "txt")
}

/// A folder where the library also has the names of ICICLE's own.
fn folder_of_icicle(name: &str) -> PathBuf {
    let folder = folder(name);
    for name in ["device", "field_bn254", "curve_bn254", "field_bls12_381", "field_babybear"] {
        let link = folder.join(format!("libicicle_{name}.so"));
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(library(), &link).unwrap();
    }
    folder
}

/// Run a client of ICICLE; it prints the type of the device it chose, the first of the machine's.
fn run_client(program: &Path, folder: &Path) {
    let text = run(Command::new(program).env("LD_LIBRARY_PATH", folder).env("ASAN_OPTIONS", "detect_leaks=0"));
    assert!(["CPU", "CUDA"].contains(&text.trim()), "{text}");
}

#[test]
fn a_client_of_icicle_in_cpp() {
    let folder = folder_of_icicle("icicle-cpp");
    run_client(&compile("c++", "-std=c++17", &root().join("tests/icicle/client.cpp"), &folder), &folder);
}

#[test]
fn a_client_of_icicle_in_rust() {
    let folder = folder_of_icicle("icicle-rust");
    let program = folder.join("client");
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--edition", "2024", "-Dwarnings", "-o"]).arg(&program).arg("-L").arg(&folder);
    run(rustc.arg(root().join("tests/icicle/client.rs")));
    run_client(&program, &folder);
}

/// What `flow.c` must find: computed with the core's field and curve types by definition.
#[test]
fn the_flow_of_a_client() {
    const N: u64 = 8;
    let bytes = |s: S| bytemuck::bytes_of(&s.to_raw()).to_vec();
    let scalars: Vec<S> = (1..=N).map(S::from_u64).collect();
    // Σ i·(i·G) = (Σ i²)·G.
    let sum_of_squares = (1..=N).map(|i| i * i).sum::<u64>();
    let point = Projective::<Bn254>::from(Bn254::GENERATOR).times(&[sum_of_squares]).to_affine();
    let mut want = bytemuck::bytes_of(&point.to_raw()).to_vec();
    let root_of_unity = (N.trailing_zeros()..S::TWO_ADICITY).fold(S::two_adic_root(), |x, _| x.square());
    for k in 0..N {
        let term = |j: usize| scalars[j] * root_of_unity.pow(&[j as u64 * k]);
        want.extend(bytes((0..N as usize).fold(S::ZERO, |sum, j| sum + term(j))));
    }
    for (i, &s) in scalars.iter().enumerate() {
        want.extend(bytes(s + s.pow(&[100 + i as u64])));
    }
    let folder = folder("flow");
    let expected = folder.join("expected.bin");
    std::fs::write(&expected, want).unwrap();
    execute(&compile("cc", "-std=c17", &root().join("tests/c/flow.c"), &folder), &[&expected]);
}
