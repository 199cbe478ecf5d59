//! The table of ICICLE's functions by family, from `tests/abi/symbols.txt`, which the ABI suite holds against what the
//! library exports.

use std::collections::BTreeSet;

/// The families, in the table's order: marks of sections in the list, the libraries' names or a word in brackets.
const FAMILIES: [(&str, &[&str]); 11] = [
    ("devices, memory, streams, options (`libicicle_device.so`)", &["device"]),
    ("elements, vectors, matrices, programs, NTT (`libicicle_field_X.so`)", &["field"]),
    ("points, MSM, ECNTT (`libicicle_curve_X.so`)", &["curve"]),
    ("Keccak, SHA-3, Blake2s, Blake3, Merkle trees, proof of work (`libicicle_hash.so`)", &["hash"]),
    ("Poseidon, Poseidon2", &["poseidon"]),
    ("polynomial handles (`X_polynomial_…`)", &["polynomial"]),
    ("sumcheck", &["sumcheck"]),
    ("FRI", &["fri"]),
    ("pairings and their target fields", &["pairing", "pairing_target_field"]),
    ("ML-KEM (`libicicle_pqc.so`)", &["pqc"]),
    ("rings (`libicicle_ring_babykoala.so`)", &["ring"]),
];

/// The table.
///
/// # Errors
/// A section of the list that no family names.
pub fn table(list: &str) -> Result<String, String> {
    let marked = |mark: &str| -> BTreeSet<&str> { list.lines().filter_map(|line| line.strip_prefix(mark)).collect() };
    let (here, absent) = (marked("+ "), marked("- "));
    let mut counts = vec![(0, 0); FAMILIES.len()];
    let mut at = None;
    for line in list.lines().skip(1) {
        if let Some(section) = line.strip_prefix("# icicle_") {
            let word = match section.split_once('[') {
                Some((_, rest)) => rest.split(']').next().unwrap_or_default(),
                None => section.split(['_', ':']).next().unwrap_or_default(),
            };
            let family = FAMILIES.iter().position(|(_, words)| words.contains(&word));
            at = Some(family.ok_or_else(|| format!("tests/abi/symbols.txt: {section}: no family \"{word}\""))?);
        } else if let (Some(at), Some((_, name))) = (at, line.split_once(' ')) {
            counts[at].0 += 1;
            counts[at].1 += usize::from(here.contains(name));
        }
    }
    let mut out = String::from("| ICICLE's functions | symbols | here |\n|---|---|---|\n");
    for ((name, _), (all, have)) in FAMILIES.iter().zip(counts) {
        let have = if have == all { "all".to_owned() } else { have.to_string() };
        out += &format!("| {name} | {all} | {have} |\n");
    }
    let all = here.union(&absent).count();
    out += &format!("| all, each name once | {all} | {} |\n", here.len());
    Ok(out)
}
