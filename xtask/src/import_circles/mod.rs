//! Which files of a package import each other in a circle, so that none of them can be read, or changed, without the others.
//!
//! A file imports another if it names what that defines, by `use` or by a path, also within macros; a name that was exported
//! again counts for the file that defines it. That a file declares modules and exports what is in them is no import, nor is what
//! `lib.rs` and `mod.rs` export. What is compiled for tests only is not looked at.

mod circles;
mod names;
mod packages;
mod paths;
mod tree;

use circles::Arrows;
use packages::{Package, members};
use tree::Tree;

/// Which files of a package import which, and what they name.
///
/// # Errors
/// A file that is no Rust, or that no module declares.
fn arrows(package: &Package) -> Result<Arrows, String> {
    let mut arrows = Arrows::new();
    let mut unread: Vec<&String> = package.sources.keys().filter(|file| file.starts_with("src/")).collect();
    for root in &package.roots {
        let tree = Tree::read(&package.sources, root)?;
        unread.retain(|file| !tree.covers(file));
        for (from, to, name) in tree.imports() {
            arrows.entry(from.to_owned()).or_default().entry(to.to_owned()).or_default().insert(name);
        }
    }
    if unread.is_empty() { Ok(arrows) } else { Err(format!("no module declares {unread:?}")) }
}

/// A package's circles, each as its arrows.
///
/// # Errors
/// As [`arrows`].
fn circles(package: &Package) -> Result<Vec<String>, String> {
    let arrows = arrows(package)?;
    Ok(circles::circles(&arrows).iter().map(|circle| circles::text(circle, &arrows)).collect())
}

#[test]
fn no_files_of_a_package_import_each_other_in_a_circle() {
    let members = members();
    assert!(members.len() > 20, "{members:?}");
    let mut found = String::new();
    for member in &members {
        match Package::read(member).and_then(|package| circles(&package)) {
            Ok(all) => all.iter().for_each(|circle| found += &format!("\n{member}:\n{circle}")),
            Err(error) => found += &format!("\n{member}: {error}"),
        }
    }
    assert!(found.is_empty(), "files that import each other:{found}");
}

mod tests {
    use super::*;

    /// The circles of a package of such files, or what is wrong with it.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let sources = files.iter().map(|(file, text)| (format!("src/{file}"), (*text).to_owned())).collect();
        circles(&Package { roots: vec!["src/lib.rs".to_owned()], sources }).unwrap_or_else(|error| vec![error])
    }

    #[test]
    fn files_in_layers_make_no_circle() {
        let files = [
            ("lib.rs", "mod above; mod below; pub use above::Above; pub fn all() -> Above { above::make() }"),
            ("above.rs", "use crate::below::Below; pub struct Above(Below); pub fn make() -> Above { Above(Below) }"),
            (
                "below.rs",
                "#[cfg(test)] mod tests; pub struct Below; #[cfg(test)] fn test() -> crate::Above { todo!() }",
            ),
            ("below/tests.rs", "use crate::above::Above;"),
        ];
        assert!(found(&files).is_empty());
    }

    #[test]
    fn two_files_make_a_circle() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c; mod d; use a::A;"),
            ("a.rs", "use crate::b::{B, f}; use crate::c::C; pub struct A(B, C);"),
            ("b.rs", "pub struct B; pub fn f(a: &super::a::A) {}"),
            ("c.rs", "use crate::d::D; pub struct C(D);"),
            ("d.rs", "pub struct D;"),
        ];
        assert_eq!(found(&files), ["src/a.rs -> src/b.rs: B, f\nsrc/b.rs -> src/a.rs: A"]);
    }

    #[test]
    fn three_files_make_a_circle() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c; use a::A;"),
            ("a/mod.rs", "pub mod inner; use crate::b; pub struct A(b::B);"),
            ("a/inner.rs", "pub struct Inner;"),
            ("b.rs", "use crate::{a::inner::Inner, c::*}; pub struct B(C, Inner);"),
            ("c.rs", "pub struct C(std::marker::PhantomData<crate::A>); pub struct Unused;"),
        ];
        let circle = "src/a/mod.rs -> src/b.rs: B\nsrc/b.rs -> src/c.rs: C\nsrc/c.rs -> src/a/mod.rs: A";
        assert_eq!(found(&files), [circle]);
    }

    #[test]
    fn a_name_exported_again_is_of_the_file_that_defines_it() {
        let files = [
            ("lib.rs", "mod a; mod deep; pub use deep::*; pub use a::f as g;"),
            ("a.rs", "pub fn f() -> crate::Deep { crate::Deep }"),
            ("deep/mod.rs", "mod inner; mod other; pub use inner::Deep;"),
            ("deep/inner.rs", "pub struct Deep; impl Deep { fn go(&self) { crate::g(); } }"),
            ("deep/other.rs", "use super::Deep; fn other(deep: Deep) {}"),
        ];
        assert_eq!(found(&files), ["src/a.rs -> src/deep/inner.rs: Deep\nsrc/deep/inner.rs -> src/a.rs: f"]);
    }

    #[test]
    fn what_a_file_exports_of_modules_below_it_is_no_import_but_what_it_uses_is() {
        let below = ("a/below.rs", "use super::A; pub fn below(a: A) {} pub fn unused() {}");
        let lib = ("lib.rs", "mod a;");
        assert!(found(&[lib, ("a.rs", "mod below; pub use below::{below, unused}; pub struct A;"), below]).is_empty());
        let uses = ("a.rs", "mod below; pub use below::{below, unused}; pub struct A; pub fn g() { below(A) }");
        assert_eq!(found(&[lib, uses, below]), ["src/a.rs -> src/a/below.rs: below\nsrc/a/below.rs -> src/a.rs: A"]);
        // Of a file beside it, it is one that it needs.
        let beside = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub use crate::b::B; pub struct A;"),
            ("b.rs", "pub struct B(crate::a::A);"),
        ];
        assert_eq!(found(&beside), ["src/a.rs -> src/b.rs: B\nsrc/b.rs -> src/a.rs: A"]);
    }

    #[test]
    fn names_in_macros_are_names() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "macro_rules! make { () => { $crate::b::f() } } pub(crate) use make; pub const A: u8 = 1;"),
            ("b.rs", "use super::a; pub fn f() -> u8 { assert_eq!(1, [0, 2][..a::A as usize][0]); 3 }"),
        ];
        assert_eq!(found(&files), ["src/a.rs -> src/b.rs: f\nsrc/b.rs -> src/a.rs: A"]);
    }

    #[test]
    fn a_file_that_no_module_declares_is_told() {
        let files = [("lib.rs", "mod a;"), ("a.rs", ""), ("b.rs", "")];
        assert_eq!(found(&files), ["no module declares [\"src/b.rs\"]"]);
        assert_eq!(found(&files[..1]), ["src/a/mod.rs is not there"]);
    }
}
