//! Libraries of NVIDIA's that are loaded when they are first needed and never linked: found where the user says, or already in
//! the process (another library's, such as PyTorch's, so that there are not two), or by the loader's own rules.
#![allow(unsafe_code)]

use icicle_error::Error;
use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL, RTLD_NOW, Symbol};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// `RTLD_NOLOAD` of Linux: only what is loaded already.
const RTLD_NOLOAD: i32 = 4;

/// The compiler of kernels.
pub(crate) static NVRTC: Known =
    Known::new("NVRTC", "ICICLE_NVRTC_PATH", &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"], "nvidia-cuda-nvrtc")
        .beside("libnvrtc-builtins.so.");

/// Products of matrices.
pub(crate) static CUBLAS: Known = Known::new(
    "cuBLAS",
    "ICICLE_CUBLAS_PATH",
    &["libcublas.so.13", "libcublas.so.12", "libcublas.so"],
    "nvidia-cublas",
)
.beside("libcublasLt.so.");

/// Fourier transforms.
pub(crate) static CUFFT: Known =
    Known::new("cuFFT", "ICICLE_CUFFT_PATH", &["libcufft.so.12", "libcufft.so.11", "libcufft.so"], "nvidia-cufft");

/// Linear algebra.
pub(crate) static CUSOLVER: Known = Known::new(
    "cuSOLVER",
    "ICICLE_CUSOLVER_PATH",
    &["libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"],
    "nvidia-cusolver",
);

/// Collectives.
pub(crate) static NCCL: Known =
    Known::new("NCCL", "ICICLE_NCCL_PATH", &["libnccl.so.2", "libnccl.so"], "nvidia-nccl-cu13");

/// All of them.
const KNOWN: [&Known; 5] = [&NVRTC, &CUBLAS, &CUFFT, &CUSOLVER, &NCCL];

/// Say where the file of one of NVIDIA's libraries is, `NVRTC`, `cuBLAS`, `cuFFT`, `cuSOLVER` or `NCCL` in letters of either case,
/// before it is first needed. What the process has loaded is taken before it, and so is the file that an environment variable
/// names (`ICICLE_NVRTC_PATH`, `ICICLE_CUBLAS_PATH` and so on).
///
/// # Errors
/// `InvalidArgument` if there is no such library or file, or the library has been looked for; nothing is changed.
pub fn set_library_path(library: &str, path: &Path) -> icicle_error::Result<()> {
    const OP: &str = "set_library_path";
    let Some(known) = KNOWN.into_iter().find(|known| known.name.eq_ignore_ascii_case(library)) else {
        let names = KNOWN.map(|known| known.name);
        return Err(Error::argument(OP, format!("library {library:?}: must be one of {names:?}")));
    };
    if !path.is_file() {
        return Err(Error::argument(OP, format!("path {}: must be a file", path.display())));
    }
    known.set_path(path.into()).map_err(|why| Error::argument(OP, why))
}

/// A library that may be there.
pub(crate) struct Known {
    /// What it is called.
    pub name: &'static str,
    /// The environment variable that names its file; `none` does without it.
    pub variable: &'static str,
    /// Its file's names, the best first.
    pub files: &'static [&'static str],
    /// The package on PyPI that brings it.
    package: &'static str,
    /// How names of files begin that it loads by their names alone, and that lie beside it in NVIDIA's wheels, where no loader
    /// looks.
    beside: Option<&'static str>,
    /// Where a program said it is, until it is looked for.
    path: Mutex<Said>,
}

enum Said {
    Nothing,
    Path(PathBuf),
    TooLate,
}

impl Known {
    pub(crate) const fn new(
        name: &'static str,
        variable: &'static str,
        files: &'static [&'static str],
        package: &'static str,
    ) -> Self {
        Self { name, variable, files, package, beside: None, path: Mutex::new(Said::Nothing) }
    }

    const fn beside(mut self, prefix: &'static str) -> Self {
        self.beside = Some(prefix);
        self
    }

    /// Whether the environment says where it is.
    pub(crate) fn is_asked_for(&self) -> bool {
        std::env::var_os(self.variable).is_some_and(|value| value != "none")
    }

    pub(crate) fn set_path(&self, path: PathBuf) -> Result<(), String> {
        let mut said = super::lock::lock(&self.path);
        if matches!(*said, Said::TooLate) {
            return Err(format!("library {:?}: must be set before it is looked for", self.name));
        }
        *said = Said::Path(path);
        Ok(())
    }

    /// Load it, for good.
    ///
    /// # Errors
    /// In words: what was tried, and the loader's reasons.
    pub(crate) fn open(&self) -> Result<Library, String> {
        let said = std::mem::replace(&mut *super::lock::lock(&self.path), Said::TooLate);
        let given = match std::env::var_os(self.variable) {
            Some(value) if value == "none" => return Err(format!("{}: {} is none", self.name, self.variable)),
            Some(value) => Some(PathBuf::from(value)),
            None => None,
        };
        if let Some(path) = given {
            return self.open_at(&path).map_err(|why| format!("{}: {}: {why}", self.name, self.variable));
        }
        for file in self.files {
            if let Ok(library) = open(file.as_ref(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) {
                return Ok(library);
            }
        }
        let said = if let Said::Path(path) = said { Some(path) } else { None };
        let mut reasons = Vec::new();
        for file in said.into_iter().chain(self.files.iter().map(PathBuf::from)) {
            match self.open_at(&file) {
                Ok(library) => return Ok(library),
                Err(why) => reasons.push(why),
            }
        }
        let [name, package, variable] = [self.name, self.package, self.variable];
        let tried = reasons.join("; ");
        Err(format!(
            "{name} is not there ({tried}): install it, as by pip install {package}; {variable} names its file"
        ))
    }

    /// Load it from a file, after those beside it, which it then finds in the process.
    fn open_at(&self, path: &Path) -> Result<Library, String> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let (Some(prefix), Some(folder)) = (self.beside, folder) {
            let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
            for file in files.filter(|file| file.file_name().to_string_lossy().starts_with(prefix)) {
                // One that cannot be loaded is missed when the library asks for it, which then says so.
                if let Ok(library) = open(&file.path(), RTLD_NOW | RTLD_LOCAL) {
                    std::mem::forget(library);
                }
            }
        }
        open(path, RTLD_NOW | RTLD_LOCAL)
    }
}

fn open(path: &Path, flags: i32) -> Result<Library, String> {
    // SAFETY: loading runs the library's initialisers; those of NVIDIA's libraries, the driver's among them, are made for it.
    unsafe { Library::open(Some(path), flags) }
        .map_err(|why| std::error::Error::source(&why).map_or_else(|| why.to_string(), ToString::to_string))
}

/// The driver's library by its name, to ask what it has.
///
/// # Errors
/// The loader's words.
pub(crate) fn open_driver(name: &str) -> Result<Library, String> {
    open(name.as_ref(), RTLD_LAZY | RTLD_LOCAL)
}

/// Whether a library has a symbol of this name.
pub(crate) fn has(library: &Library, name: &str) -> bool {
    // SAFETY: the address is only asked for, never used.
    unsafe { library.get::<*const ()>(name.as_bytes()) }.is_ok()
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
        let known = Known::new("nothing", "ICICLE_TEST_NO_SUCH_PATH", &["libicicle-no-such.so.1"], "no-such");
        known.set_path("/no/such/folder/libnothing.so".into()).unwrap();
        let why = known.open().err().unwrap();
        assert!(why.starts_with("nothing is not there ("), "{why}");
        assert!(why.contains("libicicle-no-such.so.1") && why.contains("/no/such/folder"), "{why}");
        let rest = "): install it, as by pip install no-such; ICICLE_TEST_NO_SUCH_PATH names its file";
        assert!(why.ends_with(rest), "{why}");
        let late = known.set_path("/no/such/folder/libnothing.so".into()).unwrap_err();
        assert_eq!(late, "library \"nothing\": must be set before it is looked for");
    }

    #[test]
    fn paths_are_of_known_libraries_and_files() {
        let refused = |library: &str, path: &str| set_library_path(library, Path::new(path)).unwrap_err().to_string();
        let unknown = refused("abacus", "/dev/null");
        assert!(unknown.starts_with("set_library_path: library \"abacus\": must be one of [\"NVRTC\""), "{unknown}");
        let absent = refused("nvrtc", "/no/such/folder/libnvrtc.so");
        assert_eq!(absent, "set_library_path: path /no/such/folder/libnvrtc.so: must be a file");
    }
}
