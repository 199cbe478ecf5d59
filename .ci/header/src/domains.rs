//! Element and point types, and the numbers of fields and curves, from the parameter table.

use icicle_params::{CURVES, FIELDS, FieldId, Role};

/// C type of an element.
pub(crate) fn element(field: FieldId) -> String {
    match field.info().role {
        Role::Scalar => format!("{}_scalar_t", field.name()),
        Role::Base | Role::G2Base | Role::Extension => format!("{}_t", field.name()),
    }
}

/// The section of types and numbers.
pub(crate) fn section() -> String {
    let mut out = String::new();

    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    line("/** Number of a field, what functions call `field`. */".into());
    line("enum icicle_field_t {".into());
    for row in FIELDS {
        line(format!("  ICICLE_FIELD_{} = {},", row.id.name().to_uppercase(), row.id as i32));
    }
    line("};\n".into());
    line("/** Number of a curve group, what functions call `curve`. */".into());
    line("enum icicle_curve_t {".into());
    for row in CURVES {
        line(format!("  ICICLE_CURVE_{} = {},", row.name.to_uppercase(), row.id as i32));
    }
    line("};\n".into());
    for row in FIELDS {
        let (ty, limbs) = (element(row.id), row.bytes() / 4);
        line(format!("/** Element of the field `{}`. */", row.id.name()));
        line(format!("typedef struct {ty} {{ uint32_t limbs[{limbs}]; }} {ty};"));
    }
    line(String::new());
    for row in CURVES {
        let (name, base) = (row.name, element(row.base));
        line(format!("/** Affine point of `{name}`. */"));
        line(format!("typedef struct {name}_affine_t {{ {base} x, y; }} {name}_affine_t;"));
        line(format!("/** Projective point of `{name}`. */"));
        line(format!("typedef struct {name}_projective_t {{ {base} x, y, z; }} {name}_projective_t;"));
    }
    line(String::new());
    for row in FIELDS.iter().filter(|row| row.ntt && row.role == Role::Scalar) {
        let name = row.id.name();
        line(format!("/** Transform options of `{name}`, its extension and its points. */"));
        line(format!("typedef icicle_ntt_config_{}_t {name}_ntt_config_t;", row.bytes() / 4));
    }
    // C enums may end with a comma since C99.
    out
}
