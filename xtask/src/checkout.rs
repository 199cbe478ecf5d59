//! The checkout that this works in.

use std::path::PathBuf;

/// The repository's root.
pub fn root() -> PathBuf {
    let mut path = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    path.pop();
    path
}
