//! One xtask at a time in a checkout. A second one says whom it waits for; cargo's own locks, whose messages end up in
//! the logs of suites, would make it wait in silence.

use crate::checkout::root;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::Path;

/// Set for every command that an xtask starts, so that an xtask among them does not wait for the one that started it.
pub const HELD: &str = "ICICLE_XTASK_LOCK_HELD";

/// Take the checkout's lock, waiting for whoever has it; held until the file is dropped. None inside another xtask.
pub fn take(verb: &str) -> Result<Option<File>, String> {
    if std::env::var_os(HELD).is_some() {
        return Ok(None);
    }
    let folder = root().join("target/xtask");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    take_at(&folder.join("lock"), verb, |holder| eprintln!("waiting for another xtask ({holder}) to end …")).map(Some)
}

/// Take the lock of a file, saying who has it before waiting.
fn take_at(path: &Path, verb: &str, say: impl FnOnce(&str)) -> Result<File, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            say(std::fs::read_to_string(path).unwrap_or_default().trim());
            file.lock().map_err(failed)?;
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    file.set_len(0).map_err(failed)?;
    writeln!(file, "pid {}: {verb}", std::process::id()).map_err(failed)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test's way to fail
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn who_has_the_lock_is_named_and_waited_for() {
        let path = std::env::temp_dir().join(format!("icicle-xtask-lock-{}", std::process::id()));
        let first = take_at(&path, "test", |_| unreachable!("nobody has it")).unwrap();
        let (said, heard) = channel();
        let (done, waiting) = channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let second = take_at(&path, "install", |holder| said.send(holder.to_owned()).unwrap());
                done.send(second.is_ok()).unwrap();
            });
            assert_eq!(heard.recv().unwrap(), format!("pid {}: test", std::process::id()));
            assert!(waiting.try_recv().is_err(), "it must wait");
            drop(first);
            assert!(waiting.recv().unwrap());
        });
        assert!(std::fs::read_to_string(&path).unwrap().ends_with(": install\n"));
        std::fs::remove_file(&path).unwrap();
    }
}
