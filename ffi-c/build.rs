//! Gives the shared library its name in ELF terms: clients need `libicicle.so`, whatever cargo calls the file.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libicicle.so");
    }
}
