//! Whether the process was forked, known without asking the system in each call.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};

/// How many forks lie between the process that watches and this one.
static FORKS: AtomicU32 = AtomicU32::new(0);

extern "C" fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Count forks from now on.
///
/// # Errors
/// In words: the system has no memory for it.
pub fn watch() -> Result<(), String> {
    // SAFETY: the function lives as long as the code around it, with which the C library forgets it, and only counts, which a child
    // may do before it is handed back to its program.
    match unsafe { libc::pthread_atfork(None, None, Some(forked)) } {
        0 => Ok(()),
        code => Err(format!("forks cannot be told: pthread_atfork gave {code}")),
    }
}

/// How many forks there have been.
pub fn count() -> u32 {
    FORKS.load(Ordering::Relaxed)
}
