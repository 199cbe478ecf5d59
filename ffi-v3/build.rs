//! Links against the installed `libicicle.so` in the folder `ICICLE_LIB_DIR` names, so that loading this library loads
//! that one. Without it the symbols stay undefined, which is enough to check this crate.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=ICICLE_LIB_DIR");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libicicle_v3.so");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-rpath,$ORIGIN");
    }
    if let Ok(folder) = std::env::var("ICICLE_LIB_DIR") {
        println!("cargo:rustc-link-search=native={folder}");
        println!("cargo:rustc-link-lib=dylib=icicle");
    }
}
