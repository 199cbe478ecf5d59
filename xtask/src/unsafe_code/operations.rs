//! What a source does itself that is unsafe, and what it only hands on.
//!
//! A block that calls unsafe functions of this workspace, and nothing else that is unsafe, hands its own promise on. What does
//! more is an operation: a raw pointer followed or moved, an unsafe function of the standard library, an intrinsic, a foreign
//! function, a function pointer called, a trait implemented by promise. Code in macros counts like other code.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};

/// Unsafe methods of the standard library, by the number of their arguments: ours of these names take others.
const METHODS: [(&str, usize); 23] = [
    ("add", 1),
    ("as_mut_unchecked", 0),
    ("as_ref_unchecked", 0),
    ("assume_init", 0),
    ("byte_add", 1),
    ("byte_offset", 1),
    ("byte_sub", 1),
    ("copy_from", 2),
    ("copy_from_nonoverlapping", 2),
    ("copy_to", 2),
    ("copy_to_nonoverlapping", 2),
    ("get_unchecked", 1),
    ("get_unchecked_mut", 1),
    ("offset", 1),
    ("offset_from", 1),
    ("read", 0),
    ("read_unaligned", 0),
    ("set_len", 1),
    ("sub", 1),
    ("unwrap_unchecked", 0),
    ("write", 1),
    ("write_bytes", 2),
    ("write_unaligned", 1),
];

/// Its unsafe functions.
const FUNCTIONS: [&str; 23] = [
    "alloc",
    "alloc_zeroed",
    "copy",
    "copy_nonoverlapping",
    "dealloc",
    "drop_in_place",
    "from_ptr",
    "from_raw",
    "from_raw_parts",
    "from_raw_parts_mut",
    "from_utf8_unchecked",
    "new_unchecked",
    "read",
    "read_unaligned",
    "realloc",
    "transmute",
    "transmute_copy",
    "unreachable_unchecked",
    "write",
    "write_bytes",
    "write_unaligned",
    "write_volatile",
    "zeroed",
];

/// Where a path begins that leads to the standard library.
const STANDARD: [&str; 9] = ["Arc", "Box", "CStr", "NonNull", "String", "Vec", "alloc", "core", "std"];
/// Where one begins that leads to foreign functions.
const FOREIGN: [&str; 2] = ["ffi", "libc"];

/// A function that a macro is given: one of this workspace, unless it is an intrinsic.
const GIVEN: &str = "$";

/// What stands in a source.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// Names of its functions that are unsafe to call.
    pub(super) functions: BTreeSet<String>,
    /// Whether it has blocks, functions or implementations that say `unsafe`.
    pub(super) uses: bool,
    /// Its unsafe operations.
    pub(super) operations: Vec<String>,
    /// Whether it names intrinsics anywhere.
    intrinsics: bool,
    /// What each of its blocks calls.
    pub(super) blocks: Vec<BTreeSet<String>>,
    /// The first name on the path that each import has.
    imports: BTreeMap<String, String>,
}

impl Source {
    /// Read a source, without its module of tests.
    ///
    /// # Errors
    /// It is no Rust.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let tokens: TokenStream = text.parse().map_err(|error| format!("{error}"))?;
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut source = Self::default();
        source.imports(&tokens);
        words(&tokens, &mut |word| source.intrinsics |= word.starts_with("_mm"));
        source.scan(&tokens, false);
        Ok(source)
    }

    /// The operations, and blocks that call nothing of these functions.
    pub(super) fn operations(&self, functions: &BTreeSet<String>) -> Vec<String> {
        let hands_on =
            |calls: &BTreeSet<String>| !calls.is_disjoint(functions) || calls.contains(GIVEN) && !self.intrinsics;
        let idle = self.blocks.iter().filter(|calls| !hands_on(calls));
        self.operations.iter().cloned().chain(idle.map(|calls| format!("a block that calls {calls:?}"))).collect()
    }

    fn imports(&mut self, tokens: &[TokenTree]) {
        for (i, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Ident(word) if word == "use" => {
                    let end = tokens[i..].iter().position(|token| is(token, ';')).map_or(tokens.len(), |n| i + n);
                    if let Some(TokenTree::Ident(root)) =
                        tokens[i + 1..end].iter().find(|t| matches!(t, TokenTree::Ident(_)))
                    {
                        let root = root.to_string();
                        words(&tokens[i + 1..end], &mut |name| {
                            self.imports.insert(name, root.clone());
                        });
                    }
                }
                TokenTree::Group(group) => self.imports(&inner(group)),
                _ => {}
            }
        }
    }

    /// Read tokens, those of an unsafe block or others.
    fn scan(&mut self, tokens: &[TokenTree], within: bool) {
        let mut i = 0;
        while let Some(token) = tokens.get(i) {
            match token {
                TokenTree::Ident(word) if word == "mod" && ident(tokens, i + 1) == "tests" => i += 2,
                TokenTree::Ident(word) if word == "unsafe" => i += self.promise(tokens, i),
                TokenTree::Group(group) => {
                    // Where the processor may lack the features, a call is a promise.
                    if ident(&inner(group), 0) == "target_feature" {
                        self.function(tokens, i);
                    }
                    if within && i > 0 && group.delimiter() == Delimiter::Parenthesis {
                        self.call(tokens, i, group);
                    }
                    self.scan(&inner(group), within);
                }
                token if within && is(token, '*') && is_dereference(tokens, i) => self.operations.push("*".into()),
                _ => {}
            }
            i += 1;
        }
    }

    /// What `unsafe` at a place says; how many tokens after it were read.
    fn promise(&mut self, tokens: &[TokenTree], at: usize) -> usize {
        match tokens.get(at + 1) {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                self.uses = true;
                self.blocks.push(BTreeSet::new());
                self.scan(&inner(group), true);
                1
            }
            Some(TokenTree::Ident(word)) if word == "impl" => {
                self.uses = true;
                self.operations.push("unsafe impl".into());
                1
            }
            Some(TokenTree::Ident(word))
                if word == "extern" && matches!(tokens.get(at + 3), Some(TokenTree::Group(_))) =>
            {
                self.uses = true;
                self.operations.push("foreign functions".into());
                3
            }
            Some(TokenTree::Ident(_)) => {
                self.uses = true;
                self.function(&tokens[..tokens.len().min(at + 5)], at);
                0
            }
            // `#[unsafe(no_mangle)]`.
            _ => 0,
        }
    }

    /// The next function of these tokens is called by a promise.
    fn function(&mut self, tokens: &[TokenTree], at: usize) {
        let fun = (at..tokens.len()).find(|&i| ident(tokens, i) == "fn");
        self.functions.extend(fun.map(|i| ident(tokens, i + 1)).filter(|name| !name.is_empty()));
    }

    /// Arguments stand at a place within a block.
    fn call(&mut self, tokens: &[TokenTree], at: usize, arguments: &Group) {
        let mut end = at;
        // `::<T>` before them.
        if is(&tokens[end - 1], '>') {
            let open = (0..end).rev().find(|&i| i > 1 && is(&tokens[i], '<') && is(&tokens[i - 1], ':'));
            let Some(open) = open else { return };
            end = open - 2;
        }
        if end == 0 {
            return;
        }
        let name = ident(tokens, end - 1);
        if name.is_empty() {
            // A function pointer, unless it follows something else.
            if matches!(&tokens[end - 1], TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis) {
                self.operations.push("a function pointer".into());
            }
            return;
        }
        let before = end.checked_sub(2).map(|i| &tokens[i]);
        if let Some(calls) = self.blocks.last_mut() {
            // What a macro is given is one of ours.
            let of_macro = before.is_some_and(|token| is(token, '$'));
            calls.insert(if of_macro { GIVEN.to_owned() } else { name.clone() });
        }
        if before.is_some_and(|token| is(token, '.')) {
            let count = count(&inner(arguments));
            if METHODS.contains(&(&name, count)) {
                self.operations.push(format!(".{name}"));
            }
            return;
        }
        let mut first = end - 1;
        while first > 2 && is(&tokens[first - 1], ':') && !ident(tokens, first - 3).is_empty() {
            first -= 3;
        }
        let first = ident(tokens, first);
        let root = self.imports.get(&first).cloned().unwrap_or_else(|| first.clone());
        let begins = |with: &[&str]| with.contains(&root.as_str()) || with.contains(&first.as_str());
        let standard = begins(&STANDARD) && FUNCTIONS.contains(&name.as_str());
        if name.starts_with("_mm") || standard || begins(&FOREIGN) {
            self.operations.push(name);
        }
    }
}

/// The tokens of a group.
fn inner(group: &Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}

fn is(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// The name at a place; empty if there is none.
fn ident(tokens: &[TokenTree], at: usize) -> String {
    match tokens.get(at) {
        Some(TokenTree::Ident(word)) => word.to_string(),
        _ => String::new(),
    }
}

/// Every name, within groups too.
fn words(tokens: &[TokenTree], each: &mut impl FnMut(String)) {
    for token in tokens {
        match token {
            TokenTree::Ident(word) => each(word.to_string()),
            TokenTree::Group(group) => words(&inner(group), each),
            _ => {}
        }
    }
}

/// How many arguments these tokens are.
fn count(tokens: &[TokenTree]) -> usize {
    let commas = tokens.iter().filter(|token| is(token, ',')).count();
    let last = tokens.last().is_some_and(|token| is(token, ','));
    if tokens.is_empty() { 0 } else { commas + 1 - usize::from(last) }
}

/// Whether an asterisk follows a pointer, not multiplies nor stands in a type.
fn is_dereference(tokens: &[TokenTree], at: usize) -> bool {
    if ["const", "mut"].contains(&ident(tokens, at + 1).as_str()) || tokens.get(at + 1).is_some_and(|t| is(t, '=')) {
        return false;
    }
    // `$(…),*` repeats.
    let repeats =
        |group: usize| group > 0 && matches!(&tokens[group], TokenTree::Group(_)) && is(&tokens[group - 1], '$');
    if at > 0 && repeats(at - 1) || at > 1 && repeats(at - 2) {
        return false;
    }
    match at.checked_sub(1).map(|i| &tokens[i]) {
        None => true,
        Some(TokenTree::Punct(mark)) => mark.as_char() != '>' || at > 1 && is(&tokens[at - 2], '='),
        Some(TokenTree::Ident(word)) => {
            ["return", "in", "if", "match", "else", "mut"].contains(&word.to_string().as_str())
        }
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
        Some(TokenTree::Literal(_)) => false,
    }
}
