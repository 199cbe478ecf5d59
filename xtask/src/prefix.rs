//! Files below the prefix of an installation.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The version in the shared library's name, raised when the ABI breaks.
pub const SO_VERSION: &str = "0";

/// The folders of an installation, below its prefix.
const FOLDERS: [&str; 5] = ["include/icicle", "lib", "lib/icicle-v3/run", "lib/pkgconfig", "lib/cmake/icicle"];

fn wrong(path: &Path, error: std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

pub fn write(path: &Path, text: &str) -> Result<(), String> {
    // Removed first: an earlier installation's link must not be written through.
    let _ = fs::remove_file(path);
    fs::write(path, text).map_err(|error| wrong(path, error))
}

pub fn copy(from: &Path, to: &Path) -> Result<(), String> {
    // Removed first: a library in use must not be overwritten in place.
    let _ = fs::remove_file(to);
    fs::copy(from, to).map(|_| ()).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
}

pub fn link(target: &str, at: &Path) -> Result<(), String> {
    let _ = fs::remove_file(at);
    std::os::unix::fs::symlink(target, at).map_err(|error| wrong(at, error))
}

/// Make the prefix's folders and see, before minutes of building, that files can be made in each. Gives the prefix as an
/// absolute path.
pub fn prepare(prefix: &Path) -> Result<PathBuf, String> {
    let refused = |path: &Path, error: std::io::Error| {
        format!("{}: install: must be a prefix you can write to, such as \"$HOME/.local\"", wrong(path, error))
    };
    for folder in FOLDERS {
        let folder = prefix.join(folder);
        fs::create_dir_all(&folder).map_err(|error| refused(&folder, error))?;
        let probe = folder.join(format!(".icicle-install-{}", std::process::id()));
        File::create(&probe).and_then(|_| fs::remove_file(&probe)).map_err(|error| refused(&folder, error))?;
    }
    fs::canonicalize(prefix).map_err(|error| refused(prefix, error))
}
