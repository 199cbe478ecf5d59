//! Where `unsafe` stands: in the files that docs/ARCHITECTURE.md lists, and in each of them.

mod operations;

use crate::checkout::root;
use operations::Source;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The paths that each table of the section lists: files, and folders that end with a slash.
fn listed(text: &str) -> Vec<Vec<String>> {
    let section = text.split("## Where `unsafe` may stand").nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let paths = |table: &str| -> Vec<String> {
        let cells = table.lines().filter(|line| line.starts_with("| `")).filter_map(|line| line.split('|').nth(1));
        cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).flat_map(expanded).collect()
    };
    section.split("|---|---|").skip(1).map(paths).collect()
}

/// `a/{b,c}.rs` as `a/b.rs` and `a/c.rs`.
fn expanded(path: &str) -> Vec<String> {
    match path.split_once('{').and_then(|(head, rest)| Some((head, rest.split_once('}')?))) {
        Some((head, (names, tail))) => names.split(',').map(|name| format!("{head}{name}{tail}")).collect(),
        None => vec![path.to_owned()],
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match () {
            () if path.is_dir() && !["target", "tests", "benches"].contains(&&*name) => sources(&path, found),
            () if name.ends_with(".rs") && !name.ends_with("tests.rs") => found.push(path),
            () => {}
        }
    }
}

/// Files and their unsafe operations.
type Files = Vec<(String, Vec<String>)>;

/// Files with unsafe operations of their own, with what these are; and those that hand promises on.
fn found() -> (Files, Files) {
    let mut all = Vec::new();
    for folder in ["core", "kernels", "ffi-c", "ffi-v3", "python", "examples", "xtask", ".ci", "tests/fuzz"] {
        sources(&root().join(folder), &mut all);
    }
    let read = |path: &PathBuf| {
        let name = path.strip_prefix(root()).map(|p| p.display().to_string()).unwrap_or_default();
        let source = Source::read(&fs::read_to_string(path).unwrap_or_default());
        assert!(source.is_ok(), "{name}: {source:?}");
        (name, source.unwrap_or_default())
    };
    let all: Vec<_> = all.iter().map(read).collect();
    let functions: BTreeSet<_> = all.iter().flat_map(|(_, source)| source.functions.iter().cloned()).collect();
    let using = all.iter().filter(|(_, source)| source.uses);
    using
        .map(|(name, source)| (name.clone(), source.operations(&functions)))
        .partition(|(_, operations)| !operations.is_empty())
}

#[test]
fn it_stands_where_the_list_says_and_nowhere_else() {
    let lists = listed(&fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap_or_default());
    assert_eq!(lists.len(), 2, "two tables: {lists:?}");
    let (operations, promises) = (&lists[0], &lists[1]);
    let (operating, handing) = found();
    // Files with operations are named, each of them.
    let named: BTreeSet<_> = operations.iter().collect();
    let stray: Vec<_> = operating.iter().filter(|(file, _)| !named.contains(file)).collect();
    assert!(stray.is_empty(), "unsafe operations in files that are not listed for them: {stray:#?}");
    let idle: Vec<_> = named.iter().filter(|name| !operating.iter().any(|(file, _)| file == **name)).collect();
    assert!(idle.is_empty(), "listed for unsafe operations, and without: {idle:?}");
    let covers = |entry: &str, file: &str| if entry.ends_with('/') { file.starts_with(entry) } else { file == entry };
    let stray: Vec<_> = handing.iter().filter(|(file, _)| !promises.iter().any(|entry| covers(entry, file))).collect();
    assert!(stray.is_empty(), "unsafe code in files that are not listed: {stray:?}");
    let idle: Vec<_> = promises.iter().filter(|entry| !handing.iter().any(|(file, _)| covers(entry, file))).collect();
    assert!(idle.is_empty(), "listed, and without unsafe code: {idle:?}");
}

mod tests {
    use super::*;

    /// The operations of a source beside one that has `unsafe fn ours`.
    fn operations(text: &str) -> Vec<String> {
        let source = Source::read(text).unwrap_or_default();
        assert!(source.uses, "{text}");
        source.operations(&BTreeSet::from(["ours".to_owned()]))
    }

    #[test]
    fn what_is_handed_on_is_no_operation() {
        for text in [
            "fn f() { unsafe { ours(x.as_ptr(), 2 * n, &y) } }",
            "fn f() { unsafe { crate::ptr::ours::<T>(op, m * n, x as *const u8) }?; }",
            "unsafe fn f(x: *const u8, run: unsafe fn(usize)) {}",
            "fn f() { unsafe { call.ours(KERNEL, (from, to)).map(Some) } }",
            // Ours of these names take other arguments.
            "use crate::ptr; fn f() { unsafe { ptr::read(op, \"x\", ours(x)) } }",
            "fn f() { unsafe { self.read(from, &mut to, ours()) } }",
            "fn f() { unsafe { Src::from_raw_parts(ours(), n, place) } }",
            "macro_rules! m { ($($f:ident $x:ident),*) => { $(unsafe { $f($($x.into()),*) })* } }",
        ] {
            assert_eq!(operations(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn operations_are_seen() {
        for (text, expected) in [
            ("fn f() { unsafe { ours(*x) } }", "*"),
            ("fn f() { unsafe { let y = *x; ours(y) } }", "*"),
            ("fn f() { unsafe { ours(n, &mut *x) } }", "*"),
            ("fn f() { unsafe { ours(x.add(1)) } }", ".add"),
            ("fn f() { unsafe { ours(x.read()) } }", ".read"),
            ("fn f() { unsafe { ours(x.cast::<u8>().write(1)) } }", ".write"),
            ("fn f() { unsafe { ours(std::slice::from_raw_parts(x, n)) } }", "from_raw_parts"),
            ("use std::ptr; fn f() { unsafe { ours(ptr::read(x)) } }", "read"),
            (
                "use std::slice::{self, from_raw_parts as p}; fn f() { unsafe { ours(slice::from_raw_parts(x, n)) } }",
                "from_raw_parts",
            ),
            ("fn f() { unsafe { ours(Box::from_raw(x)) } }", "from_raw"),
            ("fn f() { unsafe { ours(std::mem::transmute::<A, B>(x)) } }", "transmute"),
            ("fn f() { unsafe { ours(_mm512_loadu_si512(x)) } }", "_mm512_loadu_si512"),
            ("fn f() { unsafe { ours(libc::getpid()) } }", "getpid"),
            ("fn f() { unsafe { ours((self.run)(x)) } }", "a function pointer"),
            ("unsafe impl Send for X {}", "unsafe impl"),
            ("unsafe extern \"C\" { fn f(); }", "foreign functions"),
            ("macro_rules! m { ($x:expr) => { unsafe { ours($x.add(1)) } } }", ".add"),
            ("fn f() { unsafe { theirs(x) } }", "a block that calls {\"theirs\"}"),
            ("fn f() { unsafe {} }", "a block that calls {}"),
            (
                "use std::arch::x86_64::_mm_sfence; macro_rules! m { ($f:ident) => { unsafe { $f() } } }",
                "a block that calls {\"$\"}",
            ),
        ] {
            assert_eq!(operations(text), [expected], "{text}");
        }
    }

    #[test]
    fn tests_are_not_looked_at() {
        let source = Source::read("mod tests { fn f() { unsafe { *x } } }");
        assert!(source.is_ok_and(|source| !source.uses && source.operations.is_empty()));
    }
}
