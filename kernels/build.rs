//! Embed the compiled images that `cargo xtask kernels` left in the target directory, or say why there are none.

#[path = "src/digest.rs"]
mod digest;

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    println!("cargo:rerun-if-env-changed=ICICLE_KERNELS_DIR");
    println!("cargo:rerun-if-changed=build.rs");
    for folder in ["array", "field", "curve", "vec", "ntt", "msm", "ecntt", "point", "program", "fhe", "inst"] {
        println!("cargo:rerun-if-changed={folder}");
    }
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let folder = image_folder(&here, &out);
    println!("cargo:rerun-if-changed={}", folder.display());

    let (mut images, mut stale) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|e| e != "fatbin") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let flags = std::fs::read_to_string(path.with_extension("flags")).unwrap_or_default();
        let made_of = std::fs::read_to_string(path.with_extension("digest")).unwrap_or_default();
        match digest::of(&here.join("inst").join(format!("{name}.cu")), &flags) {
            Ok(now) if now == made_of => images.push((name, path)),
            _ => stale.push(name),
        }
    }
    images.sort();
    stale.sort();
    std::fs::write(out.join("images.rs"), source(&folder, &images, &stale))
}

/// `ICICLE_KERNELS_DIR`, or the release set below the target directory, or that of one architecture.
fn image_folder(here: &Path, out: &Path) -> PathBuf {
    if let Some(given) = std::env::var_os("ICICLE_KERNELS_DIR") {
        return given.into();
    }
    // OUT_DIR is TARGET/[TRIPLE/]PROFILE/build/NAME/out. The folder is watched before images are in it, and must exist for
    // that: what is missing counts as changed, and would have everything compiled anew each time.
    let place = |depth| out.ancestors().nth(depth).map(|target| target.join("kernels")).filter(|root| root != here);
    let root =
        place(5).filter(|path| path.is_dir()).or_else(|| place(4)).unwrap_or_else(|| here.join("../target/kernels"));
    if !root.is_dir() && std::fs::create_dir_all(&root).is_ok() {
        // Else it would have changed since this run began, and the next build would begin anew.
        let _ = std::fs::File::open(&root).and_then(|folder| folder.set_modified(std::time::UNIX_EPOCH));
    }
    println!("cargo:rerun-if-changed={}", root.display());
    let mut sets: Vec<PathBuf> =
        std::fs::read_dir(&root).into_iter().flatten().flatten().map(|e| e.path()).filter(|p| p.is_dir()).collect();
    sets.sort_by_key(|path| (path.file_name().is_none_or(|name| name != "release"), path.clone()));
    sets.into_iter().next().unwrap_or(root)
}

/// The text of `images.rs`.
fn source(folder: &Path, images: &[(String, PathBuf)], stale: &[String]) -> String {
    let mut text = String::new();
    if images.is_empty() {
        let reason = if stale.is_empty() {
            format!("no images in {}: run `cargo xtask kernels`", folder.display())
        } else {
            format!("images in {} are older than their sources: run `cargo xtask kernels`", folder.display())
        };
        let _ = writeln!(text, "const EMBEDDED: &[Image] = &[];\nconst REASON: &str = {reason:?};");
        return text;
    }
    let reason = format!("not compiled, or older than its source: run `cargo xtask kernels` ({} are)", images.len());
    let _ = writeln!(text, "const REASON: &str = {reason:?};\nconst EMBEDDED: &[Image] = &[");
    for (name, path) in images {
        let _ = writeln!(
            text,
            "    Image {{ name: {name:?}, fatbin: &Aligned(*include_bytes!({:?})).0 }},",
            path.display().to_string()
        );
    }
    text + "];\n"
}
