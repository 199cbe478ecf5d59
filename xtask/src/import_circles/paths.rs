//! The paths in a module's text: those of `use`, those of code, and those among the arguments of macros.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Meta, Token, UseTree, Visibility, punctuated::Punctuated};

/// Names with `::` between them.
pub type NamePath = Vec<String>;

/// One name that `use` brings.
pub struct Import {
    /// Where it is.
    pub path: NamePath,
    /// What it is called here; all that is there where there is none.
    pub name: Option<String>,
    /// Whether others have it from here.
    pub is_export: bool,
}

/// What a module names, without what is compiled for tests only and without modules inside it.
#[derive(Default)]
pub struct Paths {
    /// By `use`.
    pub imports: Vec<Import>,
    /// Otherwise.
    pub paths: Vec<NamePath>,
}

/// Whether something is compiled for tests only.
pub fn is_test(attributes: &[Attribute]) -> bool {
    fn holds(meta: &Meta) -> bool {
        match meta {
            Meta::Path(path) => path.is_ident("test") || path.is_ident("doctest"),
            Meta::List(list) if list.path.is_ident("all") => list
                .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                .is_ok_and(|all| all.iter().any(holds)),
            _ => false,
        }
    }
    let condition =
        |attribute: &Attribute| attribute.path().is_ident("cfg").then(|| attribute.parse_args::<Meta>().ok());
    attributes.iter().filter_map(condition).flatten().any(|meta| holds(&meta))
}

/// The names of a use tree.
fn expand(tree: &UseTree, before: &[String], is_export: bool, found: &mut Vec<Import>) {
    let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
    let import = |path: NamePath, name: Option<String>| Import { path, name, is_export };
    match tree {
        UseTree::Path(path) => expand(&path.tree, &with(&path.ident), is_export, found),
        UseTree::Group(group) => group.items.iter().for_each(|tree| expand(tree, before, is_export, found)),
        UseTree::Name(name) if name.ident == "self" => found.push(import(before.to_vec(), before.last().cloned())),
        UseTree::Name(name) => found.push(import(with(&name.ident), Some(name.ident.to_string()))),
        UseTree::Rename(rename) if rename.ident == "self" => {
            found.push(import(before.to_vec(), Some(rename.rename.to_string())));
        }
        UseTree::Rename(rename) => found.push(import(with(&rename.ident), Some(rename.rename.to_string()))),
        UseTree::Glob(_) => found.push(import(before.to_vec(), None)),
    }
}

impl Paths {
    /// Paths among tokens.
    fn scan(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is =
            |place: usize, mark: char| matches!(&tokens.get(place), Some(TokenTree::Punct(it)) if it.as_char() == mark);
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                TokenTree::Group(group) => self.scan(group.stream()),
                TokenTree::Ident(first) if first == "use" => {
                    let end = (at..tokens.len()).find(|&place| is(place, ';')).unwrap_or(tokens.len());
                    if let Ok(tree) = syn::parse2::<UseTree>(tokens[at..end].iter().cloned().collect()) {
                        expand(&tree, &[], false, &mut self.imports);
                        at = end;
                    }
                }
                TokenTree::Ident(first) => {
                    let before = |back: usize, mark| at.checked_sub(1 + back).is_some_and(|place| is(place, mark));
                    // A member, but not the end of a range; a lifetime; what a type in brackets has.
                    let is_part =
                        before(1, '.') && !before(2, '.') || before(1, '\'') || before(1, ':') && before(2, ':');
                    let mut path = vec![first.to_string()];
                    while is(at, ':')
                        && is(at + 1, ':')
                        && let Some(TokenTree::Ident(next)) = tokens.get(at + 2)
                    {
                        path.push(next.to_string());
                        at += 3;
                    }
                    if !is_part {
                        self.paths.push(path);
                    }
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
}

/// Leave out what is compiled for tests only.
macro_rules! but_tests {
    ($($visit:ident: $kind:ident),* $(,)?) => {$(
        fn $visit(&mut self, node: &'ast syn::$kind) {
            if !is_test(&node.attrs) {
                visit::$visit(self, node);
            }
        }
    )*};
}

impl<'ast> Visit<'ast> for Paths {
    but_tests! {
        visit_item_const: ItemConst,
        visit_item_enum: ItemEnum,
        visit_item_fn: ItemFn,
        visit_item_impl: ItemImpl,
        visit_item_macro: ItemMacro,
        visit_item_static: ItemStatic,
        visit_item_struct: ItemStruct,
        visit_item_trait: ItemTrait,
        visit_item_type: ItemType,
        visit_impl_item_const: ImplItemConst,
        visit_impl_item_fn: ImplItemFn,
        visit_field: Field,
        visit_local: Local,
        visit_arm: Arm,
    }

    fn visit_item_mod(&mut self, _: &'ast syn::ItemMod) {}

    fn visit_item_use(&mut self, node: &'ast syn::ItemUse) {
        if !is_test(&node.attrs) && node.leading_colon.is_none() {
            expand(&node.tree, &[], !matches!(node.vis, Visibility::Inherited), &mut self.imports);
        }
    }

    fn visit_path(&mut self, node: &'ast syn::Path) {
        if node.leading_colon.is_none() {
            self.paths.push(node.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, node);
    }

    fn visit_macro(&mut self, node: &'ast syn::Macro) {
        self.scan(node.tokens.clone());
        visit::visit_macro(self, node);
    }

    // They name what compiles, not what the file needs.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}
