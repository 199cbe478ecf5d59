//! Libraries of NVIDIA's that are loaded when they are first needed and never linked: found where the user says, or already in
//! the process (another library's, such as PyTorch's, so that there are not two), or by the loader's own rules.
#![allow(unsafe_code)]

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW, Symbol};
use std::path::PathBuf;
use std::sync::Mutex;

/// `RTLD_NOLOAD` of Linux: only what is loaded already.
const RTLD_NOLOAD: i32 = 4;

/// A library that may be there.
pub struct Known {
    /// What it is called.
    pub name: &'static str,
    /// The environment variable that names its file; `none` does without it.
    pub variable: &'static str,
    /// Its file's names, the best first.
    pub files: &'static [&'static str],
    /// Where a program said it is.
    path: Mutex<Option<PathBuf>>,
}

impl Known {
    pub(crate) const fn new(name: &'static str, variable: &'static str, files: &'static [&'static str]) -> Self {
        Self { name, variable, files, path: Mutex::new(None) }
    }

    /// Say where its file is, before it is first needed; later it has no effect. The environment variable counts for more.
    pub fn set_path(&self, path: PathBuf) {
        *super::lock::lock(&self.path) = Some(path);
    }

    /// Load it, for good.
    ///
    /// # Errors
    /// In words: what was tried, and the loader's reasons.
    pub(crate) fn open(&self) -> Result<Library, String> {
        let given = match std::env::var_os(self.variable) {
            Some(value) if value == "none" => return Err(format!("{}: {} is none", self.name, self.variable)),
            Some(value) => Some(PathBuf::from(value)),
            None => None,
        };
        if let Some(path) = given {
            return open(&path, RTLD_NOW | RTLD_LOCAL)
                .map_err(|why| format!("{}: {}: {why}", self.name, self.variable));
        }
        for file in self.files {
            if let Ok(library) = open(file.as_ref(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) {
                return Ok(library);
            }
        }
        let said = super::lock::lock(&self.path).clone();
        let mut reasons = Vec::new();
        for file in said.into_iter().chain(self.files.iter().map(PathBuf::from)) {
            match open(&file, RTLD_NOW | RTLD_LOCAL) {
                Ok(library) => return Ok(library),
                Err(why) => reasons.push(why),
            }
        }
        Err(format!("{} is not there ({}); {} names its file", self.name, reasons.join("; "), self.variable))
    }
}

fn open(path: &std::path::Path, flags: i32) -> Result<Library, String> {
    // SAFETY: loading runs the library's initialisers; those of NVIDIA's libraries are made for it.
    unsafe { Library::open(Some(path), flags) }
        .map_err(|why| std::error::Error::source(&why).map_or_else(|| why.to_string(), ToString::to_string))
}

/// A function of a library, as a pointer of its type.
///
/// # Errors
/// That the library has none of this name.
///
/// # Safety
/// The type is the function's; the library is never unloaded.
pub(crate) unsafe fn function<T: Copy>(library: &Library, name: &str) -> Result<T, String> {
    // SAFETY: the caller's.
    let symbol: Symbol<T> = unsafe { library.get(name.as_bytes()) }.map_err(|_| format!("the library lacks {name}"))?;
    Ok(*symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_a_reason() {
        let known = Known::new("nothing", "ICICLE_TEST_NO_SUCH_PATH", &["libicicle-no-such.so.1"]);
        known.set_path("/no/such/folder/libnothing.so".into());
        let why = known.open().err().unwrap();
        assert!(why.starts_with("nothing is not there ("), "{why}");
        assert!(why.contains("libicicle-no-such.so.1") && why.contains("/no/such/folder"), "{why}");
        assert!(why.ends_with("ICICLE_TEST_NO_SUCH_PATH names its file"), "{why}");
    }
}
