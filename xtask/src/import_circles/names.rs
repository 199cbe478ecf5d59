//! Which file defines what a path names.

use super::tree::{Module, Name, Tree};
use std::collections::BTreeSet;
use std::path::Path;

/// What a path leads to.
#[derive(Clone)]
enum Found {
    Module(usize),
    /// What a module defines under a name.
    Item(usize, String),
}

/// Names of modules on whose way a search is, and whether it is for a module: `use` may name what it brings.
type Seen = BTreeSet<(usize, String, bool)>;

impl Tree {
    /// What a path of a module leads to, if to something of this crate. Modules and items may have the same name: a module is
    /// meant if the path goes on from what is found, or `inner` says so.
    fn find(&self, module: usize, path: &[String], inner: bool, seen: &mut Seen) -> Option<Found> {
        let (first, mut rest) = path.split_first()?;
        let mut found = match first.as_str() {
            "crate" => Found::Module(0),
            "self" => Found::Module(module),
            "super" => Found::Module(self.modules[module].parent?),
            name => self.named(module, name, inner || !rest.is_empty(), seen)?,
        };
        while let (Found::Module(at), Some((name, after))) = (&found, rest.split_first()) {
            let at = *at;
            found = match name.as_str() {
                "super" => Found::Module(self.modules[at].parent?),
                "self" => Found::Module(at),
                // What a macro defines, most likely.
                name => self
                    .named(at, name, inner || !after.is_empty(), seen)
                    .unwrap_or_else(|| Found::Item(at, name.to_owned())),
            };
            rest = after;
        }
        Some(found)
    }

    /// What a name of a module stands for.
    fn named(&self, module: usize, name: &str, inner: bool, seen: &mut Seen) -> Option<Found> {
        if !seen.insert((module, name.to_owned(), inner)) {
            return None;
        }
        let Module { names, globs, .. } = &self.modules[module];
        let mut all: Vec<Found> = Vec::new();
        for candidate in names.get(name).into_iter().flatten() {
            all.extend(match candidate {
                Name::Module(child) => Some(Found::Module(*child)),
                Name::Item => Some(Found::Item(module, name.to_owned())),
                Name::Import(path) => self.find(module, path, inner, seen),
            });
        }
        if all.is_empty() {
            for glob in globs {
                if let Some(Found::Module(of)) = self.find(module, glob, true, &mut seen.clone()) {
                    all.extend(self.named(of, name, inner, seen));
                }
            }
        }
        seen.remove(&(module, name.to_owned(), inner));
        let meant = all.iter().find(|found| matches!(found, Found::Module(_)) == inner);
        meant.or(all.first()).cloned()
    }

    /// Whether a module is inside another.
    fn is_below(&self, module: usize, other: usize) -> bool {
        self.modules[module].parent.is_some_and(|parent| parent == other || self.is_below(parent, other))
    }

    /// What files name of others: the file, the other, the name.
    pub fn imports(&self) -> Vec<(&str, &str, String)> {
        let mut imports = Vec::new();
        for (number, module) in self.modules.iter().enumerate() {
            let imported = module.paths.imports.iter().map(|import| (&import.path, import.is_export));
            for (path, is_export) in imported.chain(module.paths.paths.iter().map(|path| (path, false))) {
                let Some(Found::Item(of, name)) = self.find(number, path, false, &mut Seen::new()) else { continue };
                let other = &self.modules[of].file;
                let is_facade = is_export && (module.is_above_others() || self.is_below(of, number));
                if *other != module.file && !is_facade {
                    imports.push((module.file.as_str(), other.as_str(), name));
                }
            }
        }
        imports
    }
}

impl Module {
    /// Whether its file is one that says what others see of modules.
    fn is_above_others(&self) -> bool {
        let name = Path::new(&self.file).file_name().unwrap_or_default();
        ["lib.rs", "main.rs", "mod.rs"].iter().any(|above| name == *above)
    }
}
