//! Which kernels there are: names derived from the table of fields. Every name is `<field>_<op>`, or `words<w>_<op>` for
//! kernels that only move elements of `w` 32-bit words.

use crate::ecntt::ECNTT_KERNELS;
use crate::launch::{FIELD_KERNELS, LAYOUT_KERNELS, NTT_KERNELS};
use crate::msm::{MSM_KERNELS, SORT_KERNELS};
use crate::point::POINT_KERNELS;
use icicle_params::{CURVES, CurveId, FIELDS, FieldId, Role};

/// The image of the kernels that only move elements.
pub const LAYOUT: &str = "layout";

/// The image of the counting sort.
pub const SORT: &str = "sort";

/// The curve group whose kernels serve a curve group: the first of the table with the same base and scalar field. The
/// formulas of the kernels know no coefficient but `a = 0`, which all have.
pub fn kernel_curve(curve: CurveId) -> CurveId {
    let row = curve.info();
    let same = |other: &&icicle_params::CurveInfo| {
        kernel_field(other.base) == kernel_field(row.base) && other.scalar == row.scalar
    };
    CURVES.iter().find(same).map_or(curve, |first| first.id)
}

/// The image with a curve group's multi-scalar multiplication and arithmetic of arrays.
pub fn msm_image(curve: CurveId) -> String {
    format!("{}_msm", kernel_curve(curve).info().name)
}

/// The image with the transforms of a curve's points.
pub fn ecntt_image(curve: CurveId) -> String {
    format!("{}_ecntt", curve.info().name)
}

/// Name of a curve group's kernel for an operation of [`MSM_KERNELS`], [`POINT_KERNELS`] or [`ECNTT_KERNELS`].
pub fn curve_kernel(curve: CurveId, op: &str) -> String {
    format!("{}_{op}", kernel_curve(curve).info().name)
}

/// The field whose kernels serve a field: the first of the table with the same prime and extension.
pub fn kernel_field(field: FieldId) -> FieldId {
    let row = field.info();
    let same =
        |other: &&icicle_params::FieldInfo| other.prime.name == row.prime.name && other.extension == row.extension;
    FIELDS.iter().find(same).map_or(field, |first| first.id)
}

/// The image with the vector kernels of a field.
pub fn image_of(field: FieldId) -> &'static str {
    kernel_field(field).info().prefix
}

/// Name of a field's kernel for an operation of [`FIELD_KERNELS`] or [`NTT_KERNELS`].
pub fn kernel(field: FieldId, op: &str) -> String {
    format!("{}_{op}", kernel_field(field).name())
}

/// Name of the kernel that moves a field's elements, for an operation of [`LAYOUT_KERNELS`].
pub fn layout_kernel(field: FieldId, op: &str) -> String {
    format!("words{}_{op}", field.info().bytes() / 4)
}

/// Images with vector kernels, and the one of reorderings.
pub fn vector_images() -> Vec<&'static str> {
    let mut images: Vec<_> = FIELDS.iter().map(|row| image_of(row.id)).chain([LAYOUT]).collect();
    images.sort_unstable();
    images.dedup();
    images
}

/// Every kernel that an image must define, with its parameters. `cargo xtask kernels` fails for kernels that are not here, so
/// an image of another kind adds its own to this function.
pub fn signatures(image: &str) -> Vec<(String, &'static str)> {
    let mut out = Vec::new();
    if image == LAYOUT {
        let mut words: Vec<_> = FIELDS.iter().map(|row| row.bytes() / 4).collect();
        words.sort_unstable();
        words.dedup();
        for w in words {
            out.extend(LAYOUT_KERNELS.iter().map(|(op, parameters)| (format!("words{w}_{op}"), *parameters)));
        }
    }
    if image == SORT {
        out.extend(SORT_KERNELS.iter().map(|(name, parameters)| (name.to_string(), *parameters)));
    }
    for row in CURVES.iter().filter(|row| msm_image(row.id) == image && kernel_curve(row.id) == row.id) {
        let all = MSM_KERNELS.iter().chain(POINT_KERNELS);
        out.extend(all.map(|(op, parameters)| (curve_kernel(row.id, op), *parameters)));
    }
    for row in CURVES.iter().filter(|row| row.ecntt && ecntt_image(row.id) == image) {
        out.extend(ECNTT_KERNELS.iter().map(|(op, parameters)| (curve_kernel(row.id, op), *parameters)));
    }
    for row in FIELDS.iter().filter(|row| row.prefix == image && kernel_field(row.id) == row.id) {
        let extension = row.role == Role::Extension;
        let offered = FIELD_KERNELS.iter().filter(|(op, _)| extension || *op != "mixed_mul");
        out.extend(offered.map(|(op, parameters)| (kernel(row.id, op), *parameters)));
    }
    for row in FIELDS.iter().filter(|row| row.ntt && row.role == Role::Scalar && image_of(row.id) == image) {
        let offered = NTT_KERNELS.iter().filter(|(op, _)| !op.ends_with("_small") || row.bytes() >= 32);
        out.extend(offered.map(|(op, parameters)| (kernel(row.id, op), *parameters)));
    }
    out.sort();
    out
}

/// The names of an image's kernels.
pub fn names(image: &str) -> Vec<String> {
    signatures(image).into_iter().map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_an_image_with_its_kernels() {
        for row in FIELDS {
            assert!(names(image_of(row.id)).contains(&kernel(row.id, "add")), "{}", row.id.name());
            assert!(names(LAYOUT).contains(&layout_kernel(row.id, "slice")), "{}", row.id.name());
        }
        for row in CURVES {
            for op in ["msm_finish", "points_equal"] {
                assert!(names(&msm_image(row.id)).contains(&curve_kernel(row.id, op)), "{} {op}", row.name);
            }
            assert_eq!(
                names(&ecntt_image(row.id)).len(),
                if row.ecntt { ECNTT_KERNELS.len() } else { 0 },
                "{}",
                row.name
            );
        }
        assert_eq!(names(SORT).len(), SORT_KERNELS.len());
        assert_eq!(image_of(FieldId::Bw6_761Scalar), "bls12_377");
        let shared = |row: &&icicle_params::CurveInfo| kernel_curve(row.id) != row.id;
        let shared: Vec<_> = CURVES.iter().filter(shared).map(|row| (row.name, msm_image(row.id))).collect();
        assert_eq!(shared, [("bw6_761_g2", "bw6_761_msm".to_string())]);
        for row in FIELDS.iter().filter(|row| row.ntt) {
            let scalar = row.id.scalar();
            assert!(names(image_of(scalar)).contains(&kernel(scalar, "ntt_up")), "{}", row.id.name());
        }
        assert_eq!(kernel(FieldId::GrumpkinScalar, "add"), "bn254_base_field_add");
    }
}
