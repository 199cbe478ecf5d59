//! The packages of the workspace and their sources.

use crate::checkout::root;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Texts of a package by file, from its folder on.
pub type Sources = BTreeMap<String, String>;

/// A package.
pub struct Package {
    /// Files that are crates: the library, programs, examples.
    pub roots: Vec<String>,
    /// All files but those of tests and benches.
    pub sources: Sources,
}

/// The folders of the workspace's packages.
pub fn members() -> Vec<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap_or_default();
    let list = manifest.split("\nmembers = [").nth(1).unwrap_or_default().split(']').next().unwrap_or_default();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The sources below a folder of a package.
fn sources(package: &Path, folder: &Path, found: &mut Sources) -> Result<(), String> {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let name = path.strip_prefix(package).unwrap_or(&path).to_string_lossy().into_owned();
        if path.is_dir() {
            // A folder with a manifest is another package's; cases are programs of their own, which do not compile.
            let is_other = path.join("Cargo.toml").exists();
            if !is_other && !["target", "tests", "benches", "cases"].contains(&name.as_str()) {
                sources(package, &path, found)?;
            }
        } else if name.ends_with(".rs") {
            found.insert(name.clone(), fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?);
        }
    }
    Ok(())
}

impl Package {
    /// The package in a folder of the checkout.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn read(folder: &str) -> Result<Self, String> {
        let folder = root().join(folder);
        let mut found = Sources::new();
        sources(&folder, &folder, &mut found)?;
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).map_err(|error| error.to_string())?;
        let named = manifest.lines().filter_map(|line| line.strip_prefix("path = \"")?.strip_suffix('"'));
        let mut roots: Vec<String> = named.filter(|file| found.contains_key(*file)).map(str::to_owned).collect();
        let is_root = |file: &str| {
            let alone = ["src/bin/", "examples/"].iter().find_map(|folder| file.strip_prefix(folder));
            ["build.rs", "src/lib.rs", "src/main.rs"].contains(&file) || alone.is_some_and(|name| !name.contains('/'))
        };
        roots.extend(found.keys().filter(|file| is_root(file)).cloned());
        Ok(Self { roots, sources: found })
    }
}
