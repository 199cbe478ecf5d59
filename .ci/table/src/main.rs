//! Writes the README's support tables, from the registry and from the list of ICICLE's symbols; with `--check`, fails if
//! they are not up to date.

mod symbols;

use icicle::ops::{Domain, Op};
use icicle::{CURVES, Device, FIELDS};
use std::process::ExitCode;

/// The tables' marks in the README.
const SUPPORT: [&str; 2] = ["<!-- support table: cargo xtask table -->\n", "<!-- end of support table -->\n"];
const SYMBOLS: [&str; 2] = ["<!-- symbol table: cargo xtask table -->\n", "<!-- end of symbol table -->\n"];

/// Columns of the field table.
const FIELD_OPS: [(&str, &[Op]); 6] = [
    ("vectors", &[Op::VectorBinary, Op::VectorScalar, Op::VectorInv, Op::VectorReduce, Op::Slice, Op::BitReverse]),
    ("mixed product", &[Op::VectorMixedMul]),
    ("matrices", &[Op::MatrixTranspose, Op::MatrixMultiply]),
    ("polynomials", &[Op::PolynomialEvaluate, Op::PolynomialDivide]),
    ("programs", &[Op::Program]),
    ("NTT", &[Op::Ntt]),
];

/// Columns of the curve table.
const CURVE_OPS: [(&str, &[Op]); 4] = [
    ("MSM", &[Op::Msm]),
    ("ECNTT", &[Op::EcNtt]),
    ("arrays", &[Op::PointBinary, Op::PointScalarMul, Op::PointUnary, Op::PointEqual]),
    ("Montgomery", &[Op::PointConvertMontgomery]),
];

/// The devices of the table.
const DEVICES: [Device; 1] = [Device::cpu(0)];

fn row(name: &str, columns: &[(&str, &[Op])], domain: Domain) -> icicle::Result<String> {
    let mut line = format!("| `{name}` |");
    for (_, ops) in columns {
        let mut kinds = Vec::new();
        for device in DEVICES {
            let mut all = true;
            for &op in *ops {
                all &= icicle::device::supports(device, op, domain)?;
            }
            if all {
                kinds.push(device.kind.name());
            }
        }
        line += &format!(" {} |", if kinds.is_empty() { "–".into() } else { kinds.join(" ") });
    }
    Ok(line + "\n")
}

fn header(first: &str, columns: &[(&str, &[Op])]) -> String {
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    format!("| {first} | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(columns.len()))
}

fn table() -> icicle::Result<String> {
    let mut out = header("field", &FIELD_OPS);
    for field in FIELDS {
        out += &row(field.id.name(), &FIELD_OPS, Domain::Field(field.id))?;
    }
    out += "\n";
    out += &header("curve group", &CURVE_OPS);
    for curve in CURVES {
        out += &row(curve.name, &CURVE_OPS, Domain::Curve(curve.id))?;
    }
    Ok(out)
}

/// The text with what stands between two marks replaced.
fn replaced(text: &str, [begin, end]: [&str; 2], table: &str) -> Result<String, String> {
    let missing = |mark: &str| format!("README.md: no line {}", mark.trim_end());
    let (head, rest) = text.split_once(begin).ok_or_else(|| missing(begin))?;
    let (_, tail) = rest.split_once(end).ok_or_else(|| missing(end))?;
    Ok(format!("{head}{begin}\n{table}\n{end}{tail}"))
}

fn update(check: bool) -> Result<(), String> {
    let path = |name: &str| format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| std::fs::read_to_string(path(name)).map_err(|error| format!("{name}: {error}"));
    let old = read("README.md")?;
    let support = table().map_err(|error| error.to_string())?;
    let new = replaced(&old, SUPPORT, &support)?;
    let new = replaced(&new, SYMBOLS, &symbols::table(&read("tests/abi/symbols.txt")?)?)?;
    match (new == old, check) {
        (true, _) => Ok(()),
        (false, true) => Err("README.md: the support tables are out of date; run cargo xtask table".into()),
        (false, false) => std::fs::write(path("README.md"), new).map_err(|error| format!("README.md: {error}")),
    }
}

fn main() -> ExitCode {
    match update(std::env::args().any(|arg| arg == "--check")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
