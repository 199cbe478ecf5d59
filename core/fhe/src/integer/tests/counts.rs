//! How many bootstraps operations take.

use super::super::FheUint;
use super::{Clear, Counting, THREADS, random, toy};
use icicle_error::Result;

/// Counts of an operation on one integer, or on two: of the circuit with few bootstraps, and of the short one.
fn counts<T: Clear>(operation: &dyn Fn(&Counting, &FheUint, &FheUint) -> Result<()>) -> [[usize; 2]; 2] {
    let (client, _) = toy();
    let [x, y] = [6, 7].map(|seed| client.encrypt(&random::<T>(seed, 1)).unwrap());
    THREADS.map(|threads| {
        let keys = Counting::new(threads);
        operation(&keys, &x, &y).unwrap();
        keys.taken()
    })
}

type Counted<'a> = (&'static str, &'a dyn Fn(&Counting, &FheUint, &FheUint) -> Result<()>);

/// Lines of the table of docs/FHE.md, and what each of their operations takes.
fn lines<T: Clear>() -> Vec<(&'static str, Vec<[[usize; 2]; 2]>)> {
    let (client, _) = toy();
    let many = client.encrypt(&random::<T>(8, 64)).unwrap();
    let flag = client.encrypt_bools(&[true]).unwrap();
    let flags = client.encrypt_bools(&[true; 64]).unwrap();
    let clear = &T::truncated(77).scalar();
    let table = |keys: &Counting, x: &FheUint| super::super::operations::apply_block_lut(keys, x, &|v| 3 - v).map(drop);
    let operations: [Counted<'_>; 44] = [
        ("`add`, `sub`, `neg`", &|keys, x, y| keys.add(x, y).map(drop)),
        ("`add`, `sub`, `neg`", &|keys, x, y| keys.sub(x, y).map(drop)),
        ("`add`, `sub`, `neg`", &|keys, x, _| keys.sub(*clear, x).map(drop)),
        ("`add`, `sub`, `neg`", &|keys, x, _| keys.neg(x).map(drop)),
        ("`overflowing_add`, `overflowing_sub`", &|keys, x, y| keys.overflowing_add(x, y).map(drop)),
        ("`overflowing_add`, `overflowing_sub`", &|keys, x, y| keys.overflowing_sub(x, y).map(drop)),
        ("`mul`", &|keys, x, y| keys.mul(x, y).map(drop)),
        ("`mul` by the clear 77", &|keys, x, _| keys.mul(x, *clear).map(drop)),
        ("`mul` by the clear 77", &|keys, x, _| keys.mul(*clear, x).map(drop)),
        ("`sum` of 64 integers", &|keys, _, _| keys.sum(&many).map(drop)),
        ("`count` of 64 truth values", &|keys, _, _| keys.count(&flags, T::BITS).map(drop)),
        ("`eq`, `ne`", &|keys, x, y| keys.eq(x, y).map(drop)),
        ("`eq`, `ne`", &|keys, x, _| keys.ne(x, *clear).map(drop)),
        ("`lt`, `le`, `gt`, `ge`", &|keys, x, y| keys.lt(x, y).map(drop)),
        ("`lt`, `le`, `gt`, `ge`", &|keys, x, y| keys.le(x, y).map(drop)),
        ("`lt`, `le`, `gt`, `ge`", &|keys, x, y| keys.gt(x, y).map(drop)),
        ("`lt`, `le`, `gt`, `ge`", &|keys, x, _| keys.ge(x, *clear).map(drop)),
        ("`min`, `max`", &|keys, x, y| keys.min(x, y).map(drop)),
        ("`min`, `max`", &|keys, x, y| keys.max(x, y).map(drop)),
        ("`min`, `max`", &|keys, x, _| keys.max(x, *clear).map(drop)),
        ("`select`", &|keys, x, y| keys.select(&flag, x, y).map(drop)),
        ("`select`", &|keys, _, _| keys.select(&flag, *clear, *clear).map(drop)),
        ("`bitand`, `bitor`, `bitxor`, `apply_block_lut`", &|keys, x, y| keys.bitand(x, y).map(drop)),
        ("`bitand`, `bitor`, `bitxor`, `apply_block_lut`", &|keys, x, y| keys.bitor(x, y).map(drop)),
        ("`bitand`, `bitor`, `bitxor`, `apply_block_lut`", &|keys, x, y| keys.bitxor(x, y).map(drop)),
        ("`bitand`, `bitor`, `bitxor`, `apply_block_lut`", &|keys, x, _| table(keys, x)),
        ("`bitand` with the clear 77", &|keys, x, _| keys.bitand(x, *clear).map(drop)),
        ("`shl`, `shr` by 1", &|keys, x, _| keys.shl(x, 1u8).map(drop)),
        ("`shl`, `shr` by 1", &|keys, x, _| keys.shr(x, 1u8).map(drop)),
        ("`rotate_left`, `rotate_right` by 1", &|keys, x, _| keys.rotate_left(x, 1u8).map(drop)),
        ("`rotate_left`, `rotate_right` by 1", &|keys, x, _| keys.rotate_right(x, 1u8).map(drop)),
        ("the same by even clear amounts", &|keys, x, _| keys.shr(x, 2u8).map(drop)),
        ("the same by even clear amounts", &|keys, x, _| keys.rotate_right(x, 4u8).map(drop)),
        ("the same by encrypted amounts", &|keys, x, y| keys.shl(x, y).map(drop)),
        ("the same by encrypted amounts", &|keys, x, y| keys.shr(x, y).map(drop)),
        ("the same by encrypted amounts", &|keys, x, y| keys.rotate_left(x, y).map(drop)),
        ("`to_bool`", &|keys, x, _| keys.to_bool(x).map(drop)),
        ("`not`, `logical_not`, `cast`, `cast_bool`", &|keys, x, _| keys.not(x).map(drop)),
        ("`not`, `logical_not`, `cast`, `cast_bool`", &|keys, _, _| keys.logical_not(&flag).map(drop)),
        ("`not`, `logical_not`, `cast`, `cast_bool`", &|keys, x, _| keys.cast(x, 32).map(drop)),
        ("`not`, `logical_not`, `cast`, `cast_bool`", &|keys, _, _| keys.cast_bool(&flag, 64).map(drop)),
        ("`logical_and`, `logical_or`, `logical_xor`", &|keys, _, _| keys.logical_and(&flag, &flag).map(drop)),
        ("`logical_and`, `logical_or`, `logical_xor`", &|keys, _, _| keys.logical_or(&flag, &flag).map(drop)),
        ("`logical_and`, `logical_or`, `logical_xor`", &|keys, _, _| keys.logical_xor(&flag, &flag).map(drop)),
    ];
    let mut lines: Vec<(&'static str, Vec<[[usize; 2]; 2]>)> = vec![];
    for (line, operation) in operations {
        let count = counts::<T>(operation);
        match lines.last_mut().filter(|last| last.0 == line) {
            Some((_, counts)) => counts.push(count),
            None => lines.push((line, vec![count])),
        }
    }
    lines
}

#[test]
fn counts_are_those_of_the_table() {
    let page = include_str!("../../../../../docs/FHE.md");
    let mut missing = vec![];
    for ((line, wide), (_, narrow)) in lines::<u64>().into_iter().zip(lines::<u8>()) {
        let cells = [wide, narrow].map(|counts| {
            assert!(counts.iter().all(|count| *count == counts[0]), "{line}: {counts:?}");
            let [few, short] = counts[0].map(|[bootstraps, depth]| format!("{bootstraps} ({depth})"));
            if few == short { few } else { format!("{few} or {short}") }
        });
        let row = format!("| {line} | {} |", cells.join(" | "));
        if !page.contains(&row) {
            missing.push(row);
        }
    }
    assert!(missing.is_empty(), "docs/FHE.md lacks\n{}", missing.join("\n"));
}
