//! Writes `include/icicle.h`; with `--check` only says whether it is up to date.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match run(&root, std::env::args().any(|arg| arg == "--check")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("header: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(root: &Path, check: bool) -> Result<(), icicle_header::Error> {
    let path = root.join("include/icicle.h");
    let text = icicle_header::generate(root)?;
    if !check {
        std::fs::create_dir_all(root.join("include"))?;
        return Ok(std::fs::write(path, text)?);
    }
    if std::fs::read_to_string(&path)? != text {
        return Err("include/icicle.h is not what the sources say: run `cargo run -p icicle-header`".into());
    }
    Ok(())
}
