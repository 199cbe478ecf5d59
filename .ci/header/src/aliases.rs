//! The prefixed aliases, from the rows of `ffi-c/src/symbols.rs`.

use crate::{Error, domains};
use icicle_params::{CURVES, FIELDS, FieldId};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

/// One row: `fn name(arguments) -> result = module::target;`.
struct Row {
    name: String,
    arguments: Vec<(String, String)>,
    result: String,
    target: String,
}

/// The section of aliases.
pub(crate) fn section(root: &Path) -> Result<String, Error> {
    let text = std::fs::read_to_string(root.join("ffi-c/src/symbols.rs"))?;
    let mut families: HashMap<&str, Vec<Row>> = HashMap::new();
    let mut family = "";
    let mut out = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("macro_rules! ") {
            family = rest.split_whitespace().next().unwrap_or_default();
        } else if line.starts_with("fn ") && line.ends_with(';') && line.contains('=') {
            families.entry(family).or_default().push(row(line)?);
        } else if let Some(rest) = line.strip_prefix("export! { ") {
            let (at, list) = rest.trim_end_matches('}').split_once(": ").ok_or("export: no families")?;
            let prefix = at.split_whitespace().next().unwrap_or_default();
            let types = Types::of(prefix, at.contains("CurveId"))?;
            writeln!(out, "/* {prefix} */")?;
            for name in list.split_whitespace() {
                for row in families.get(name).ok_or_else(|| format!("family {name}: has no rows"))? {
                    declare(&mut out, prefix, row, &types)?;
                }
            }
            writeln!(out)?;
        }
    }
    Ok(out)
}

fn row(line: &str) -> Result<Row, Error> {
    let bad = || format!("row {line}: not understood");
    let rest = line.strip_prefix("fn ").ok_or_else(bad)?.trim_end_matches(';');
    let (head, target) = rest.rsplit_once(" = ").ok_or_else(bad)?;
    let (name, rest) = head.split_once('(').ok_or_else(bad)?;
    let (arguments, result) = rest.rsplit_once(')').ok_or_else(bad)?;
    let pair = |a: &str| a.split_once(": ").map(|(n, t)| (n.trim().to_owned(), t.to_owned())).ok_or_else(bad);
    Ok(Row {
        name: name.to_owned(),
        arguments: arguments.split(", ").filter(|a| !a.is_empty()).map(pair).collect::<Result<_, _>>()?,
        result: result.trim().trim_start_matches("-> ").to_owned(),
        target: target.rsplit("::").next().ok_or_else(bad)?.to_owned(),
    })
}

/// C types of a prefix's elements, scalars, points and transform options.
struct Types {
    element: String,
    scalar: String,
    points: String,
    ntt: String,
}

impl Types {
    fn of(prefix: &str, curve: bool) -> Result<Self, Error> {
        let unknown = || format!("prefix {prefix}: not in the table");
        let field: FieldId = match curve {
            true => CURVES.iter().find(|row| row.name == prefix).ok_or_else(unknown)?.scalar,
            false => FIELDS.iter().find(|row| row.id.name() == prefix).ok_or_else(unknown)?.id,
        };
        let scalar = field.scalar();
        Ok(Self {
            element: domains::element(field),
            scalar: domains::element(scalar),
            points: prefix.to_owned(),
            ntt: format!("{}_ntt_config_t", scalar.name()),
        })
    }

    fn c(&self, rust: &str) -> Result<String, Error> {
        if let Some(inner) = rust.strip_prefix("*const *mut ") {
            return Ok(format!("{} *const *", self.c(inner)?));
        }
        if let Some(inner) = rust.strip_prefix("*const ") {
            return Ok(format!("const {} *", self.c(inner)?));
        }
        if let Some(inner) = rust.strip_prefix("*mut ") {
            return Ok(format!("{} *", self.c(inner)?));
        }
        Ok(match rust {
            "T" => self.element.clone(),
            "S" => self.scalar.clone(),
            "A" => format!("{}_affine_t", self.points),
            "P" => format!("{}_projective_t", self.points),
            "N" => self.ntt.clone(),
            "" => "void".into(),
            "c_int" => "int".into(),
            "bool" | "Flag" => "bool".into(),
            "u8" => "uint8_t".into(),
            "u32" => "uint32_t".into(),
            "u64" => "uint64_t".into(),
            "i64" => "int64_t".into(),
            "Code" => "icicle_error_t".into(),
            "Handle" => "icicle_handle_t".into(),
            "VecOpsConfig" => "icicle_vec_ops_config_t".into(),
            "MatMulConfig" => "icicle_matmul_config_t".into(),
            "MsmConfig" => "icicle_msm_config_t".into(),
            "NttInitDomainConfig" => "icicle_ntt_init_domain_config_t".into(),
            other => return Err(format!("type {other}: has no C name").into()),
        })
    }
}

fn declare(out: &mut String, prefix: &str, row: &Row, types: &Types) -> Result<(), Error> {
    let mut arguments = Vec::new();
    for (name, ty) in &row.arguments {
        let ty = types.c(ty)?;
        let space = if ty.ends_with('*') { "" } else { " " };
        arguments.push(format!("{ty}{space}{name}"));
    }
    let arguments = if arguments.is_empty() { "void".to_owned() } else { arguments.join(", ") };
    let doc = match row.target.as_str() {
        "projective_eq" => "Whether two points are equal; false of null and of `(0, 0, 0)`.".to_owned(),
        "is_on_curve" => "Whether a point is on the curve; false of null and of `(0, 0, 0)`.".to_owned(),
        "icicle_choice_of_root" => {
            format!("ICICLE's root of unity of `{prefix}`; otherwise as `icicle_get_root_of_unity`.")
        }
        "generate_in_order" => {
            format!("As `icicle_generate_program`, of `{prefix}`, but parameters are assigned in place, in order.")
        }
        "generate_returning_in_order" => {
            format!(
                "As `icicle_generate_returning_value_program`, of `{prefix}`, but parameters are assigned in place, in order."
            )
        }
        target => format!("`{target}` of `{prefix}`."),
    };
    writeln!(out, "/** {doc} */")?;
    writeln!(out, "{} {prefix}_{}({arguments});", types.c(&row.result)?, row.name)?;
    Ok(())
}
