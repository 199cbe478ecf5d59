//! Write the generated C++ headers into the source tree.

fn main() -> std::io::Result<()> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for (path, text) in icicle_kernels::params::headers() {
        std::fs::write(root.join(path), text)?;
    }
    Ok(())
}
