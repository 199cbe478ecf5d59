//! Circles of arrows between files.

use std::collections::{BTreeMap, BTreeSet};

/// From each file to each that it imports, with the names.
pub type Arrows = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// The files that can be come to along arrows.
fn reached<'a>(arrows: &'a Arrows, from: &str) -> BTreeSet<&'a str> {
    let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(file) = next.pop() {
        for to in arrows.get(file).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(to.as_str()) {
                next.push(to);
            }
        }
    }
    reached
}

/// Files of which each comes to each: the strongly connected components of more than one.
pub fn circles(arrows: &Arrows) -> Vec<BTreeSet<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        arrows.keys().map(|file| (file.as_str(), reached(arrows, file))).collect();
    let comes_to = |from: &str, to: &str| reached.get(from).is_some_and(|all| all.contains(to));
    let mut circles: Vec<BTreeSet<&str>> = Vec::new();
    for file in arrows.keys().map(String::as_str).filter(|file| comes_to(file, file)) {
        if !circles.iter().any(|circle| circle.contains(file)) {
            circles.push(
                arrows.keys().map(String::as_str).filter(|to| comes_to(file, to) && comes_to(to, file)).collect(),
            );
        }
    }
    circles
}

/// The arrows of a circle: `a.rs -> b.rs: names`, one a line.
pub fn text(circle: &BTreeSet<&str>, arrows: &Arrows) -> String {
    let from = circle.iter().filter_map(|from| Some((from, arrows.get(*from)?)));
    let inside = from.flat_map(|(from, to)| to.iter().map(move |(to, names)| (from, to, names)));
    let line = |(from, to, names): (_, _, &BTreeSet<String>)| {
        format!("{from} -> {to}: {}", names.iter().map(String::as_str).collect::<Vec<_>>().join(", "))
    };
    inside.filter(|(_, to, _)| circle.contains(to.as_str())).map(line).collect::<Vec<_>>().join("\n")
}
