//! The suite of arrays: against what NumPy gave, and that what is generated for GPUs compiles, which needs no GPU.

use crate::suite::{BESIDE, checked};
use crate::{python, tools};
use std::fs::File;

/// Run the package's tests, with NVRTC from the environment of the Python suite.
pub fn test(log: &mut File) -> Result<(), String> {
    let log = Some(&*log);
    let nvrtc = python::nvrtc(log)?;
    for arguments in commands() {
        let mut tests = tools::command("cargo", &arguments.split_whitespace().collect::<Vec<_>>());
        tools::logged(tests.env("ICICLE_NVRTC_PATH", &nvrtc), log)?;
    }
    Ok(())
}

/// Unit tests with checks. All others, too, but without linear algebra and transforms, whose code takes longer to compile than
/// all else of arrays: their tests call the build that Python's package is made of, beside which it is the same.
pub fn commands() -> [String; 4] {
    let checked = checked("icicle-array");
    let whole = "test --release --package icicle-array --package icicle-python --all-features";
    [
        format!("{checked} {} --features icicle-array/linalg,icicle-array/fft --lib", BESIDE),
        format!("{checked} {} --test *", BESIDE),
        format!("{whole} --test linear --test cuda_linalg --test cuda_fft"),
        format!("{whole} --doc"),
    ]
}

#[cfg(test)]
mod tests {
    use crate::checkout::root;

    /// Tests that need features which the command of all tests is without.
    #[test]
    fn tests_of_optional_parts_are_named() {
        let [.., named, _] = super::commands();
        let folder = std::fs::read_dir(root().join("core/array/tests")).into_iter().flatten().flatten();
        let files = folder.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "rs"));
        let optional =
            |text: &str| ["fft", "linalg"].iter().any(|part| text.contains(&format!("icicle_array::{part}")));
        let optional = files.filter(|file| std::fs::read_to_string(file).is_ok_and(|text| optional(&text)));
        let names: Vec<_> =
            optional.filter_map(|file| Some(file.file_stem()?.to_string_lossy().into_owned())).collect();
        assert!(names.len() > 2, "{names:?}");
        let missing: Vec<_> = names.iter().filter(|name| !named.split_whitespace().any(|word| word == *name)).collect();
        assert!(missing.is_empty(), "not among the tests of optional parts: {missing:?}");
    }
}
