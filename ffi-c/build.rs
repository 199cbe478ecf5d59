//! Gives the shared library its name in ELF terms, whatever cargo calls the file; the number is raised when the ABI breaks.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libicicle.so.0");
    }
}
