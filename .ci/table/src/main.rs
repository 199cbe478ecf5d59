//! Writes the README's support table from the registry; with `--check`, fails if it is not up to date.

use icicle::ops::{Domain, Op};
use icicle::{CURVES, Device, FIELDS};
use std::process::ExitCode;

const BEGIN: &str = "<!-- support table: cargo xtask table -->\n";
const END: &str = "<!-- end of support table -->\n";

/// Columns of the field table.
const FIELD_OPS: [(&str, &[Op]); 6] = [
    ("vectors", &[Op::VectorBinary, Op::VectorScalar, Op::VectorInverse, Op::VectorReduce, Op::Slice, Op::BitReverse]),
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

fn update(check: bool) -> Result<(), String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let old = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let (head, rest) = old.split_once(BEGIN).ok_or("README.md: no support table")?;
    let (_, tail) = rest.split_once(END).ok_or("README.md: the support table has no end")?;
    let table = table().map_err(|error| error.to_string())?;
    let new = format!("{head}{BEGIN}\n{table}\n{END}{tail}");
    match (new == old, check) {
        (true, _) => Ok(()),
        (false, true) => Err("README.md: the support table is out of date; run cargo xtask table".into()),
        (false, false) => std::fs::write(path, new).map_err(|error| format!("{path}: {error}")),
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
