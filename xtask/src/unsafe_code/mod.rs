//! Where `unsafe` stands: in the files that docs/ARCHITECTURE.md lists, and in each of them.

use crate::checkout::root;
use std::fs;
use std::path::{Path, PathBuf};

/// The paths that the section lists: files, and folders that end with a slash.
fn listed(text: &str) -> Vec<String> {
    let section = text.split("## Where `unsafe` may stand").nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let cells = section.lines().filter(|line| line.starts_with("| `")).filter_map(|line| line.split('|').nth(1));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).flat_map(expanded).collect()
}

/// `a/{b,c}.rs` as `a/b.rs` and `a/c.rs`.
fn expanded(path: &str) -> Vec<String> {
    match path.split_once('{').and_then(|(head, rest)| Some((head, rest.split_once('}')?))) {
        Some((head, (names, tail))) => names.split(',').map(|name| format!("{head}{name}{tail}")).collect(),
        None => vec![path.to_owned()],
    }
}

/// Whether a source uses `unsafe` outside of comments; files of tests may.
fn uses(path: &Path) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    let code = text.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    code.take_while(|line| !line.starts_with("mod tests {"))
        .any(|line| ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"].iter().any(|word| line.contains(word)))
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

#[test]
fn it_stands_where_the_list_says_and_nowhere_else() {
    let list = listed(&fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap_or_default());
    assert!(list.len() > 20, "{list:?}");
    let mut all = Vec::new();
    for folder in ["core", "kernels", "ffi-c", "ffi-v3", "python", "examples", "xtask", ".ci", "tests/fuzz"] {
        sources(&root().join(folder), &mut all);
    }
    let relative = |path: &PathBuf| path.strip_prefix(root()).map(|p| p.display().to_string()).unwrap_or_default();
    let using: Vec<String> = all.iter().filter(|path| uses(path)).map(relative).collect();
    let covers = |entry: &str, file: &str| if entry.ends_with('/') { file.starts_with(entry) } else { file == entry };
    let stray: Vec<_> = using.iter().filter(|file| !list.iter().any(|entry| covers(entry, file))).collect();
    // This file names the words.
    assert_eq!(stray, ["xtask/src/unsafe_code.rs"], "not listed");
    let idle: Vec<_> = list.iter().filter(|entry| !using.iter().any(|file| covers(entry, file))).collect();
    assert!(idle.is_empty(), "listed, and without: {idle:?}");
}
