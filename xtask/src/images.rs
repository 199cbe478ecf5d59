//! `kernels --check [--all]`: that every image compiles and defines the kernels that the registry lists. An image is compiled,
//! quickly and into a folder that no build embeds, if its sources, its flags or its list differ from what
//! `kernels/checked.tsv` says was checked last; with `--all`, in any case.

use crate::checkout::root;
use crate::nvcc::{self, digest};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The record: an image and the digest of what it was checked with.
type Record = BTreeMap<String, String>;

fn path() -> PathBuf {
    root().join("kernels/checked.tsv")
}

fn read() -> Record {
    let text = std::fs::read_to_string(path()).unwrap_or_default();
    text.lines().filter_map(|line| line.split_once('\t')).map(|(name, digest)| (name.into(), digest.into())).collect()
}

/// The digest of an image's sources, flags and list of kernels.
fn current(source: &Path, flags: &str) -> Result<String, String> {
    let name = nvcc::stem(source);
    let listed: Vec<String> = nvcc::listed(&name)?.into_iter().collect();
    digest::of(source, &format!("{flags}\n{}", listed.join("\n"))).map_err(|error| format!("{name}: {error}"))
}

/// Check; a record that was not up to date is written anew, and an error, so that it is committed.
pub fn check(all: bool) -> Result<(), String> {
    let flags = nvcc::flags("sm_90", true)?;
    let (before, mut now, mut changed) = (read(), Record::new(), Vec::new());
    for source in nvcc::sources()? {
        let (name, digest) = (nvcc::stem(&source), current(&source, &flags)?);
        if all || before.get(&name) != Some(&digest) {
            changed.push(source);
        }
        now.insert(name, digest);
    }
    if std::env::var_os("ICICLE_ONLY").is_some() {
        // The others are as they were.
        before.iter().for_each(|(name, digest)| {
            now.entry(name.clone()).or_insert_with(|| digest.clone());
        });
    }
    println!("{} of {} images differ from what was checked", changed.len(), now.len());
    if !changed.is_empty() {
        nvcc::compile(&changed, &nvcc::check_folder(), &flags)?;
    }
    if before == now {
        return Ok(());
    }
    let mut text = String::new();
    now.iter().for_each(|(name, digest)| _ = writeln!(text, "{name}\t{digest}"));
    std::fs::write(path(), text).map_err(|error| format!("{}: {error}", path().display()))?;
    Err(format!("{} was not up to date; it is written anew: commit it with the change", path().display()))
}
