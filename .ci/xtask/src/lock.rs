//! One xtask at a time in a checkout. A second one says whom it waits for; cargo's own locks, whose messages end up in
//! the logs of suites, would make it wait in silence.

use crate::root;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;

/// Set for every command that an xtask starts, so that an xtask among them does not wait for the one that started it.
pub const HELD: &str = "ICICLE_XTASK_LOCK_HELD";

/// Take the checkout's lock, waiting for whoever has it; held until the file is dropped. None inside another xtask.
pub fn take(verb: &str) -> Result<Option<File>, String> {
    if std::env::var_os(HELD).is_some() {
        return Ok(None);
    }
    let folder = root().join("target/xtask");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let path = folder.join("lock");
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let holder = std::fs::read_to_string(&path).unwrap_or_default();
            eprintln!("waiting for another xtask ({}) to end …", holder.trim());
            file.lock().map_err(failed)?;
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    file.set_len(0).map_err(failed)?;
    writeln!(file, "pid {}: {verb}", std::process::id()).map_err(failed)?;
    Ok(Some(file))
}
