//! The modules of a crate, in the files that they stand in.

use super::packages::Sources;
use super::paths::{NamePath, Paths, is_test};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use syn::visit::Visit;
use syn::{Expr, Item, ItemMod, Lit, Meta};

/// What a module's name stands for.
pub enum Name {
    /// The module of this number.
    Module(usize),
    /// What the module defines itself.
    Item,
    /// Another path.
    Import(NamePath),
}

/// A module.
pub struct Module {
    /// The file that it stands in.
    pub file: String,
    /// The module around it.
    pub parent: Option<usize>,
    /// Its names.
    pub names: BTreeMap<String, Vec<Name>>,
    /// Paths all of whose names it has.
    pub globs: Vec<NamePath>,
    /// What it names.
    pub paths: Paths,
}

/// The modules of a crate, the crate's own first.
#[derive(Default)]
pub struct Tree {
    pub modules: Vec<Module>,
    /// Files that tests consist of; of a module of tests, the folder of its modules too.
    tests: BTreeSet<String>,
}

/// A path without `..`.
fn plain(path: &Path) -> String {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain.to_string_lossy().into_owned()
}

/// The folder of a file.
fn beside(file: &str) -> &Path {
    Path::new(file).parent().unwrap_or(Path::new(""))
}

/// What `#[path = "…"]` says.
fn path_of(declared: &ItemMod) -> Option<String> {
    let value = declared.attrs.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => Some(&pair.value),
        _ => None,
    });
    match value {
        Some(Expr::Lit(literal)) => {
            if let Lit::Str(text) = &literal.lit {
                Some(text.value())
            } else {
                None
            }
        }
        _ => None,
    }
}

/// The name of what an item defines.
fn defined(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(it) => &it.ident,
        Item::Enum(it) => &it.ident,
        Item::ExternCrate(it) => &it.ident,
        Item::Fn(it) => &it.sig.ident,
        Item::Macro(it) => it.ident.as_ref()?,
        Item::Static(it) => &it.ident,
        Item::Struct(it) => &it.ident,
        Item::Trait(it) => &it.ident,
        Item::TraitAlias(it) => &it.ident,
        Item::Type(it) => &it.ident,
        Item::Union(it) => &it.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// Where a module stands while it is read.
struct Place<'a> {
    file: &'a str,
    /// Where files of modules that it declares are.
    folder: PathBuf,
    parent: Option<usize>,
}

impl Tree {
    /// Read a crate from its root on.
    ///
    /// # Errors
    /// A file that is not there, or is no Rust.
    pub fn read(sources: &Sources, root: &str) -> Result<Self, String> {
        let mut tree = Self::default();
        tree.file(sources, Place { file: root, folder: beside(root).to_owned(), parent: None })?;
        Ok(tree)
    }

    /// Whether a file is one of the crate's, or of its tests.
    pub fn covers(&self, file: &str) -> bool {
        let is_test =
            |test: &String| file.strip_prefix(test.as_str()).is_some_and(|rest| rest.is_empty() || test.ends_with('/'));
        self.modules.iter().any(|module| module.file == file) || self.tests.iter().any(is_test)
    }

    fn file(&mut self, sources: &Sources, place: Place<'_>) -> Result<usize, String> {
        let text = sources.get(place.file).ok_or_else(|| format!("{} is not there", place.file))?;
        let file = syn::parse_file(text).map_err(|error| format!("{}: {error}", place.file))?;
        self.module(sources, place, &file.items)
    }

    fn module(&mut self, sources: &Sources, place: Place<'_>, items: &[Item]) -> Result<usize, String> {
        let number = self.modules.len();
        let mut paths = Paths::default();
        items.iter().for_each(|item| paths.visit_item(item));
        let mut names = BTreeMap::<String, Vec<Name>>::new();
        let mut globs = Vec::new();
        items.iter().filter_map(defined).for_each(|name| names.entry(name).or_default().push(Name::Item));
        for import in &paths.imports {
            match &import.name {
                Some(name) => names.entry(name.clone()).or_default().push(Name::Import(import.path.clone())),
                None => globs.push(import.path.clone()),
            }
        }
        self.modules.push(Module { file: place.file.to_owned(), parent: place.parent, names, globs, paths });
        for declared in
            items.iter().filter_map(|item| if let Item::Mod(declared) = item { Some(declared) } else { None })
        {
            if let Some(child) = self.child(sources, &place, number, declared)? {
                self.modules[number].names.entry(declared.ident.to_string()).or_default().push(Name::Module(child));
            }
        }
        Ok(number)
    }

    /// The module that one declares or holds; none for tests, and for another package's file.
    fn child(
        &mut self,
        sources: &Sources,
        place: &Place<'_>,
        parent: usize,
        declared: &ItemMod,
    ) -> Result<Option<usize>, String> {
        let name = declared.ident.to_string();
        let folder = place.folder.join(&name);
        if let Some((_, items)) = &declared.content {
            return match is_test(&declared.attrs) {
                true => Ok(None),
                false => {
                    self.module(sources, Place { file: place.file, folder, parent: Some(parent) }, items).map(Some)
                }
            };
        }
        let chosen = path_of(declared).map(|path| plain(&beside(place.file).join(path)));
        let alone = chosen.clone().unwrap_or_else(|| format!("{}.rs", folder.display()));
        let within = format!("{}/mod.rs", folder.display());
        let file = if sources.contains_key(&alone) || chosen.is_some() { alone } else { within };
        if is_test(&declared.attrs) {
            self.tests.extend([file, format!("{}/", folder.display())]);
            return Ok(None);
        }
        if chosen.is_some() && !sources.contains_key(&file) {
            return Ok(None);
        }
        // A file that is named has its modules beside it.
        let folder = if chosen.is_some() { beside(&file).to_owned() } else { folder };
        self.file(sources, Place { file: &file, folder, parent: Some(parent) }).map(Some)
    }
}
