//! Which kernels there are: names derived from the table of fields. Every name is `<field>_<op>`, or `words<w>_<op>` for
//! kernels that only move elements of `w` 32-bit words, `key<b>_<op>` for kernels that order elements of `b` bytes,
//! `word<b>_<op>` for kernels that move rows of words of `b` bytes, `f32_<op>` and the like for kernels that multiply
//! numbers of a type, or `float32_<op>` and the like for those of arrays' elements.

use crate::array_ahead::{
    self, ARRAY_FOLD_KERNELS, ARRAY_HEAVY_KERNELS, ARRAY_LIGHT_KERNELS, ARRAY_RANDOM_KERNELS, ARRAY_RANKS_KERNELS,
    DTYPES,
};
use crate::array_product::{ARRAY_PRODUCT_KERNELS, Number};
use crate::array_rows::{ARRAY_PLACES_KERNELS, ARRAY_ROWS_KERNELS, WORDS};
use crate::array_scan::{ARRAY_SCAN_KERNELS, ARRAY_SEARCH_KERNELS};
use crate::array_sort::{ARRAY_INDEX_KERNELS, ARRAY_SORT_KERNELS};
use crate::array_warpgroup::{self, ARRAY_WARPGROUP_KERNELS};
use crate::ecntt::ECNTT_KERNELS;
use crate::fhe::FHE_KERNELS;
use crate::field::FIELD_KERNELS;
use crate::layout::LAYOUT_KERNELS;
use crate::msm::MSM_KERNELS;
use crate::ntt::NTT_KERNELS;
use crate::point::POINT_KERNELS;
use crate::signature::{Family, Owner, Signature};
use crate::sort::SORT_KERNELS;
use icicle_params::{CURVES, CurveId, FIELDS, FieldId, Role};
use std::collections::BTreeSet;

/// The image of the kernels that only move elements.
pub const LAYOUT: &str = "layout";

/// The image of the counting sort.
pub const SORT: &str = "sort";

/// The image of arrays' sorting.
pub const ARRAY_SORT: &str = "array_sort";

/// The image of arrays' scans, compaction, search, rows by their places and sequences.
pub const ARRAY_SCAN: &str = "array_scan";

/// The image of arrays' products.
pub const ARRAY_PRODUCT: &str = "array_product";

/// The image of arrays' products by warpgroups, for GPUs of capability 9.0 alone.
pub const ARRAY_WARPGROUP: &str = "array_warpgroup";

/// The image of operations on arrays' elements that take a few instructions each.
pub const ARRAY_LIGHT: &str = "array_light";

/// The image of operations on arrays' elements that take more.
pub const ARRAY_HEAVY: &str = "array_heavy";

/// The image of arrays' folds.
pub const ARRAY_FOLD: &str = "array_fold";

/// The image of random numbers.
pub const ARRAY_RANDOM: &str = "array_random";

/// The image of reductions over ranks.
pub const ARRAY_RANKS: &str = "array_ranks";

/// The image of encrypted integers.
pub const FHE: &str = "fhe";

/// Bytes of the elements that arrays' kernels order.
const KEYS: [usize; 4] = [1, 2, 4, 8];

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

/// Images with vector kernels, and the one of reorderings.
pub fn vector_images() -> Vec<&'static str> {
    let mut images: Vec<_> = FIELDS.iter().map(|row| image_of(row.id)).chain([LAYOUT]).collect();
    images.sort_unstable();
    images.dedup();
    images
}

/// The kernels of one family for one owner, in an image.
#[derive(Clone, Debug)]
pub struct Set {
    /// The family.
    pub family: Family,
    /// What they are compiled for.
    pub owner: Owner,
    /// The family's table.
    pub table: &'static [Signature],
    /// The name of each of the table's kernels, none for those that this owner does not have.
    pub names: Vec<Option<String>>,
}

impl Set {
    fn new(
        (family, table): (Family, &'static [Signature]),
        (owner, prefix): (Owner, &str),
        has: impl Fn(&str) -> bool,
    ) -> Self {
        let names = table.iter().map(|row| has(row.op).then(|| format!("{prefix}{}", row.op))).collect();
        Self { family, owner, table, names }
    }
}

/// Every kernel that an image must define. `cargo xtask kernels` fails for kernels that are not here, so an image of another
/// kind adds its own to this function.
pub fn sets(image: &str) -> Vec<Set> {
    let mut out = Vec::new();
    let all = |_: &str| true;
    if image == LAYOUT {
        let words: BTreeSet<_> = FIELDS.iter().map(|row| row.bytes() / 4).collect();
        for w in words {
            out.push(Set::new((Family::Layout, LAYOUT_KERNELS), (Owner::Words(w), &format!("words{w}_")), all));
        }
    }
    if image == SORT {
        out.push(Set::new((Family::Sort, SORT_KERNELS), (Owner::Any, ""), all));
    }
    if image == FHE {
        out.push(Set::new((Family::Fhe, FHE_KERNELS), (Owner::Any, ""), all));
    }
    let arrays = [
        (ARRAY_SORT, (Family::ArrayIndex, ARRAY_INDEX_KERNELS), (Family::ArraySort, ARRAY_SORT_KERNELS)),
        (ARRAY_SCAN, (Family::ArrayScan, ARRAY_SCAN_KERNELS), (Family::ArraySearch, ARRAY_SEARCH_KERNELS)),
    ];
    for (_, of_any, of_keys) in arrays.into_iter().filter(|(name, ..)| *name == image) {
        out.push(Set::new(of_any, (Owner::Any, ""), all));
        out.extend(KEYS.map(|bytes| Set::new(of_keys, (Owner::Bytes(bytes), &format!("key{bytes}_")), all)));
    }
    if image == ARRAY_SCAN {
        let rows = (Family::ArrayRows, ARRAY_ROWS_KERNELS);
        out.push(Set::new((Family::ArrayPlaces, ARRAY_PLACES_KERNELS), (Owner::Any, ""), all));
        out.extend(WORDS.map(|bytes| Set::new(rows, (Owner::Bytes(bytes), &format!("word{bytes}_")), all)));
    }
    if image == ARRAY_PRODUCT {
        let of = (Family::ArrayProduct, ARRAY_PRODUCT_KERNELS);
        out.extend(
            Number::ALL.map(|number| Set::new(of, (Owner::Number(number), &format!("{}_", number.name())), all)),
        );
    }
    if image == ARRAY_WARPGROUP {
        let of = (Family::ArrayWarpgroup, ARRAY_WARPGROUP_KERNELS);
        for number in Number::ALL.into_iter().filter(|&number| array_warpgroup::has(number, true, false)) {
            let has = |op: &str| array_warpgroup::has(number, op.contains("multiply_rows"), op.ends_with("_rows"));
            out.push(Set::new(of, (Owner::Number(number), &format!("{}_", number.name())), has));
        }
    }
    let of_elements = [
        (ARRAY_LIGHT, (Family::ArrayLight, ARRAY_LIGHT_KERNELS)),
        (ARRAY_HEAVY, (Family::ArrayHeavy, ARRAY_HEAVY_KERNELS)),
        (ARRAY_FOLD, (Family::ArrayFold, ARRAY_FOLD_KERNELS)),
        (ARRAY_RANDOM, (Family::ArrayRandom, ARRAY_RANDOM_KERNELS)),
        (ARRAY_RANKS, (Family::ArrayRanks, ARRAY_RANKS_KERNELS)),
    ];
    for (_, of) in of_elements.into_iter().filter(|(name, _)| *name == image) {
        out.extend(DTYPES.iter().enumerate().map(|(number, dtype)| {
            Set::new(of, (Owner::Element(number), &format!("{dtype}_")), |op| array_ahead::has(op, dtype))
        }));
    }
    for row in CURVES.iter().filter(|row| kernel_curve(row.id) == row.id) {
        let (owner, prefix) = (Owner::Curve(row.id), format!("{}_", row.name));
        if msm_image(row.id) == image {
            out.push(Set::new((Family::Msm, MSM_KERNELS), (owner, &prefix), all));
            out.push(Set::new((Family::Point, POINT_KERNELS), (owner, &prefix), all));
        }
        if row.ecntt && ecntt_image(row.id) == image {
            out.push(Set::new((Family::Ecntt, ECNTT_KERNELS), (owner, &prefix), all));
        }
    }
    for row in FIELDS.iter().filter(|row| image_of(row.id) == image && kernel_field(row.id) == row.id) {
        let (owner, prefix) = (Owner::Field(row.id), format!("{}_", row.id.name()));
        let has = |op: &str| row.role == Role::Extension || op != "mixed_mul";
        out.push(Set::new((Family::Field, FIELD_KERNELS), (owner, &prefix), has));
    }
    for row in FIELDS.iter().filter(|row| row.ntt && row.role == Role::Scalar && image_of(row.id) == image) {
        let field = kernel_field(row.id);
        let of_large = |op: &str| ["_small", "_columns", "_rows"].iter().any(|end| op.ends_with(end));
        let has = |op: &str| row.bytes() >= 32 || !of_large(op);
        out.push(Set::new((Family::Ntt, NTT_KERNELS), (Owner::Field(field), &format!("{}_", field.name())), has));
    }
    out
}

/// The names of an image's kernels.
pub fn names(image: &str) -> Vec<String> {
    let mut names: Vec<_> = sets(image).into_iter().flat_map(|set| set.names).flatten().collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(image: &str, family: Family, owner: Owner) -> bool {
        sets(image).iter().any(|set| set.family == family && set.owner == owner)
    }

    #[test]
    fn every_field_has_an_image_with_its_kernels() {
        for row in FIELDS {
            let owner = Owner::Field(kernel_field(row.id));
            assert!(has(image_of(row.id), Family::Field, owner), "{}", row.id.name());
            assert!(has(LAYOUT, Family::Layout, Owner::Words(row.bytes() / 4)), "{}", row.id.name());
            let scalar = row.id.scalar();
            assert!(
                !row.ntt || has(image_of(scalar), Family::Ntt, Owner::Field(kernel_field(scalar))),
                "{}",
                row.id.name()
            );
        }
        for row in CURVES {
            let owner = Owner::Curve(kernel_curve(row.id));
            assert!(has(&msm_image(row.id), Family::Msm, owner) && has(&msm_image(row.id), Family::Point, owner));
            let transforms = if row.ecntt { ECNTT_KERNELS.len() } else { 0 };
            assert_eq!(names(&ecntt_image(row.id)).len(), transforms, "{}", row.name);
        }
        assert!(has(SORT, Family::Sort, Owner::Any) && has(FHE, Family::Fhe, Owner::Any));
        for bytes in KEYS {
            assert!(has(ARRAY_SORT, Family::ArraySort, Owner::Bytes(bytes)));
            assert!(has(ARRAY_SCAN, Family::ArraySearch, Owner::Bytes(bytes)));
        }
        for bytes in WORDS {
            assert!(has(ARRAY_SCAN, Family::ArrayRows, Owner::Bytes(bytes)));
        }
        for (k, dtype) in DTYPES.iter().enumerate() {
            assert!(
                names(ARRAY_LIGHT).contains(&format!("{dtype}_light"))
                    && has(ARRAY_RANKS, Family::ArrayRanks, Owner::Element(k))
            );
        }
        assert_eq!([ARRAY_HEAVY, ARRAY_FOLD, ARRAY_RANDOM].map(|image| names(image).len()), [12, 54, 25]);
        for number in Number::ALL {
            assert!(has(ARRAY_PRODUCT, Family::ArrayProduct, Owner::Number(number)));
        }
        assert_eq!(names(ARRAY_WARPGROUP).len(), 9);
    }

    #[test]
    fn names_are_those_of_the_first_with_the_same_parameters() {
        assert_eq!(image_of(FieldId::Bw6_761Scalar), "bls12_377");
        let shared = |row: &&icicle_params::CurveInfo| kernel_curve(row.id) != row.id;
        let shared: Vec<_> = CURVES.iter().filter(shared).map(|row| (row.name, msm_image(row.id))).collect();
        assert_eq!(shared, [("bw6_761_g2", "bw6_761_msm".to_string())]);
        assert_eq!(kernel_field(FieldId::GrumpkinScalar).name(), "bn254_base_field");
        assert!(names("bn254").contains(&"bn254_base_field_add".to_string()));
        let some = |image: &str, name: &str| names(image).iter().any(|known| known == name);
        assert!(some("bn254", "bn254_ntt_up_small") && !some("babybear", "babybear_ntt_up_small"));
        assert!(some("babybear", "babybear_extension_mixed_mul") && !some("babybear", "babybear_mixed_mul"));
    }
}
