//! Write the generated C++ headers and sources of images into the source tree; with `--names IMAGE…`, print the kernels the images must define.

use icicle_kernels::{generated, names};
use std::io::Write;

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    if args.next().as_deref() == Some("--names") {
        let mut out = std::io::stdout().lock();
        return args.try_for_each(|image| names(&image).iter().try_for_each(|name| writeln!(out, "{image} {name}")));
    }
    if cfg!(icicle_few) {
        return Err(std::io::Error::other("a build with few fields knows only theirs: build without --cfg icicle_few"));
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    generated().into_iter().try_for_each(|(path, text)| {
        let path = root.join(path);
        // Leave an unchanged file's time alone: nothing rebuilds.
        if std::fs::read_to_string(&path).is_ok_and(|have| have == text) { Ok(()) } else { std::fs::write(path, text) }
    })
}
