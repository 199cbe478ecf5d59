//! How builds find an installation: the files of pkg-config and CMake. Both find the prefix from where they lie, so that an
//! installation can be copied or packed.

use crate::prefix::{SO_VERSION, write};
use std::path::Path;

/// What a static library of Rust needs beside it (`rustc --print native-static-libs`), less what every compiler driver adds
/// itself: libc, and libgcc in its shared or, with `-static`, its static form.
const STATIC_LIBS: &str = "-lpthread -ldl -lm -lrt -lutil";

const DESCRIPTION: &str = "Multi-device compute for zero-knowledge proofs: MSM, NTT, vectors, matrices and polynomials";

/// Write `icicle.pc`. Programs get a run path to the library: prefixes are rarely where the loader looks by itself.
pub fn pkg_config(at: &Path) -> Result<(), String> {
    let text = format!(
        "prefix=${{pcfiledir}}/../..\nlibdir=${{prefix}}/lib\nincludedir=${{prefix}}/include\n\n\
         Name: icicle\nDescription: {DESCRIPTION}\nVersion: {}\nCflags: -I${{includedir}}\n\
         Libs: -L${{libdir}} -Wl,-rpath,${{libdir}} -licicle\nLibs.private: {STATIC_LIBS}\n",
        env!("CARGO_PKG_VERSION"),
    );
    write(&at.join("icicle.pc"), &text)
}

/// Write CMake's configuration and version files.
pub fn cmake(at: &Path) -> Result<(), String> {
    let config = format!(
        "# Targets: icicle::icicle (shared), icicle::icicle_static.\n\
         get_filename_component(_icicle_prefix \"${{CMAKE_CURRENT_LIST_DIR}}/../../..\" ABSOLUTE)\n\
         if(NOT TARGET icicle::icicle)\n\
         \x20 add_library(icicle::icicle SHARED IMPORTED)\n\
         \x20 set_target_properties(icicle::icicle PROPERTIES\n\
         \x20   IMPORTED_LOCATION \"${{_icicle_prefix}}/lib/libicicle.so\"\n\
         \x20   IMPORTED_SONAME \"libicicle.so.{SO_VERSION}\"\n\
         \x20   INTERFACE_INCLUDE_DIRECTORIES \"${{_icicle_prefix}}/include\")\n\
         \x20 add_library(icicle::icicle_static STATIC IMPORTED)\n\
         \x20 set_target_properties(icicle::icicle_static PROPERTIES\n\
         \x20   IMPORTED_LOCATION \"${{_icicle_prefix}}/lib/libicicle.a\"\n\
         \x20   INTERFACE_LINK_LIBRARIES \"{STATIC_LIBS}\"\n\
         \x20   INTERFACE_INCLUDE_DIRECTORIES \"${{_icicle_prefix}}/include\")\n\
         endif()\n\
         unset(_icicle_prefix)\n"
    );
    write(&at.join("icicleConfig.cmake"), &config)?;
    let version = format!(
        "set(PACKAGE_VERSION \"{0}\")\n\
         if(PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)\n  set(PACKAGE_VERSION_COMPATIBLE FALSE)\n\
         else()\n  set(PACKAGE_VERSION_COMPATIBLE TRUE)\n\
         \x20 if(PACKAGE_FIND_VERSION STREQUAL PACKAGE_VERSION)\n    set(PACKAGE_VERSION_EXACT TRUE)\n  endif()\nendif()\n",
        env!("CARGO_PKG_VERSION")
    );
    write(&at.join("icicleConfigVersion.cmake"), &version)
}
