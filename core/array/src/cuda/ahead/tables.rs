//! The tables of operations, folds and rules as the kernels that are compiled ahead of time have them: by numbers, in
//! `kernels/array/tables_gen.cuh`, which the test here writes.

use crate::step::Code;

/// The number of an operation; that of a constant is a cast's, whose operand it is.
pub(super) fn number(code: Code) -> u64 {
    const NAMED: u64 = 2;
    match code {
        Code::Cast | Code::Constant(_) => 0,
        Code::Where => 1,
        Code::Row(row) => NAMED + row as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementwise::{BinaryOp, UnaryOp, binary_step, unary_step};
    use crate::{DType, random, reduce};
    use icicle_cpu::blocks::Work;
    use icicle_kernels::array_ahead::DTYPES;
    use std::fmt::Write;

    /// A list as a macro that gives each row to another.
    fn list(out: &mut String, name: &str, rows: &[String]) {
        let rows: String = rows.iter().map(|row| format!(" \\\n  M({row})")).collect();
        let _ = writeln!(out, "#define {name}(M){rows}");
    }

    fn tables() -> String {
        let mut out =
            "// @generated from the tables of `core/array` by a test there (`cuda/ahead/tables.rs`). Do not edit.\n\
                       #pragma once\n\n"
                .to_owned();
        let _ =
            writeln!(out, "#define ARRAY_CAST {}\n#define ARRAY_WHERE {}\n", number(Code::Cast), number(Code::Where));
        let dtypes: Vec<_> = DType::ALL.iter().map(|&dtype| format!("{}, {dtype}", dtype as i32)).collect();
        let _ = writeln!(out, "// Number, dtype.");
        list(&mut out, "ARRAY_DTYPES", &dtypes);
        let _ = writeln!(out, "\n// Operations in a dtype: number, name, dtype of results.");
        for &dtype in DType::ALL {
            for (heavy, weight) in [(false, "LIGHT"), (true, "HEAVY")] {
                let rows = |steps: Vec<(&str, crate::step::Step)>| -> Vec<String> {
                    let own = steps
                        .into_iter()
                        .filter(|(_, step)| step.takes[0] == dtype && matches!(step.work, Work::Heavy) == heavy);
                    own.map(|(name, step)| format!("{}, {name}, {}", number(step.code), step.gives)).collect()
                };
                let unary = UnaryOp::ALL.iter().filter_map(|&op| Some((op.name(), unary_step(op, dtype)?.0)));
                let binary = BinaryOp::ALL.iter().filter_map(|&op| Some((op.name(), binary_step(op, dtype)?.0)));
                list(&mut out, &format!("ARRAY_{weight}_UNARY_{dtype}"), &rows(unary.collect()));
                list(&mut out, &format!("ARRAY_{weight}_BINARY_{dtype}"), &rows(binary.collect()));
            }
        }
        let folds: Vec<_> = reduce::kernels()
            .into_iter()
            .map(|(name, from, acc, to)| format!("{name}, {}, {from}, {acc}, {to}", name.to_lowercase()))
            .collect();
        let _ = writeln!(out, "\n// Folds: type, name, dtypes of elements, of what is held and of results.");
        list(&mut out, "ARRAY_FOLDS", &folds);
        let rules: Vec<_> = random::rules_on_gpus()
            .into_iter()
            .map(|rule| format!("{}, {}, {}", rule.type_name(), rule.template.to_lowercase(), rule.dtype))
            .collect();
        let _ = writeln!(out, "\n// Rules of random numbers: type, name, dtype.");
        list(&mut out, "ARRAY_RULES", &rules);
        out
    }

    #[test]
    fn kernels_have_the_tables_of_the_core() {
        assert!(DTYPES.iter().eq(DType::ALL.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().iter()));
        assert!(DType::ALL.iter().enumerate().all(|(k, &dtype)| dtype as usize == k));
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels/array/tables_gen.cuh");
        let (have, want) = (std::fs::read_to_string(&path).unwrap_or_default(), tables());
        if have != want && std::env::var_os("ICICLE_WRITE_TABLES").is_some() {
            std::fs::write(&path, want).unwrap();
            return;
        }
        let command = "ICICLE_WRITE_TABLES=1 cargo test --package icicle-array --features cuda --lib tables";
        assert!(have == want, "{} is not what the tables say: run `{command}`", path.display());
    }
}
