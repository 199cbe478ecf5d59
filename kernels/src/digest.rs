//! Digests of kernel sources: what an image was compiled from. Shared by the build script, which refuses stale images,
//! and by `cargo xtask kernels`, which skips those that are up to date.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Digest of a source file, of everything it includes in quotes, and of the flags it is compiled with.
pub fn of(source: &Path, flags: &str) -> std::io::Result<String> {
    let mut files = BTreeMap::new();
    collect(source, &mut files)?;
    // FNV-1a, 64 bits: against accidents, not against malice.
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut eat = |bytes: &[u8]| {
        for &byte in bytes.iter().chain(&[0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    };
    eat(flags.as_bytes());
    for (path, text) in &files {
        // The name, not the place: a moved checkout has the same digests.
        eat(path.file_name().unwrap_or_default().as_encoded_bytes());
        // A line of comment makes no code.
        text.lines().filter(|line| !line.trim_start().starts_with("//")).for_each(|line| eat(line.as_bytes()));
    }
    Ok(format!("{hash:016x}"))
}

fn collect(path: &Path, files: &mut BTreeMap<PathBuf, String>) -> std::io::Result<()> {
    let path = path.canonicalize()?;
    if files.contains_key(&path) {
        return Ok(());
    }
    let text = std::fs::read_to_string(&path)?;
    let includes: Vec<PathBuf> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("#include \"")?.strip_suffix('"').map(PathBuf::from))
        .collect();
    files.insert(path.clone(), text);
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    includes.iter().try_for_each(|include| collect(&folder.join(include), files))
}
