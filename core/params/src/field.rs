//! The fields: a prime, or an extension of one, in its role and under its ICICLE prefix.

use crate::prime::*;

/// What a field is to its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Scalars of a curve, or the base field of a hash-based proof system.
    Scalar,
    /// Coordinates of G1.
    Base,
    /// Coordinates of G2.
    G2Base,
    /// Extension of the scalar field.
    Extension,
}

/// How an extension is built over its prime field. Coefficients are stored `c0, c1, …`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    /// The prime field itself.
    None,
    /// `F[x]/(x² - w)`.
    Quadratic(i64),
    /// `F[x]/(x⁴ - w)`. For `m31` and `w = -1` this is a ring with zero divisors, kept for ICICLE's clients.
    Quartic(i64),
    /// `C[u]/(u² - (a + b·i))` over `C = F[i]/(i² + 1)`; coefficients `1, i, u, iu`.
    ComplexTower(i64, i64),
}

impl Extension {
    /// Degree over the prime field.
    pub const fn degree(self) -> usize {
        match self {
            Self::None => 1,
            Self::Quadratic(_) => 2,
            Self::Quartic(_) | Self::ComplexTower(..) => 4,
        }
    }
}

/// A field's row.
#[derive(Clone, Copy, Debug)]
pub struct FieldInfo {
    /// Id at the boundaries of the library.
    pub id: FieldId,
    /// ICICLE's prefix, such as `bn254`.
    pub prefix: &'static str,
    /// What follows the prefix in symbol names: empty, `base_field`, `g2_base_field`, `extension` or `qm31`.
    pub infix: &'static str,
    /// What the field is to its prefix.
    pub role: Role,
    /// The prime field below.
    pub prime: PrimeInfo,
    /// The extension over it.
    pub extension: Extension,
    /// Whether number-theoretic transforms are offered.
    pub ntt: bool,
}

impl FieldInfo {
    /// Bytes of one element: canonical little-endian 32-bit limbs, coefficients one after another.
    pub const fn bytes(&self) -> usize {
        let limb_bytes = if self.prime.bits <= 32 { 4 } else { 8 * self.prime.modulus.len() };
        limb_bytes * self.extension.degree()
    }
}

/// Declare the fields: [`FieldId`] and [`FIELDS`]. Arguments: variant, id, prefix, infix, role, prime, extension, ntt.
macro_rules! fields {
    ($($variant:ident $id:literal $prefix:literal $infix:tt $role:ident $prime:ident $ext:expr, $ntt:literal;)*) => {
        /// A field. The number is ten times ICICLE's id of the prefix, plus 0 for the scalar field, 1 for the
        /// coordinates of G1, 2 for those of G2, 3 for the extension, 4 for a further extension.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(i32)]
        pub enum FieldId {
            $(
                #[doc = concat!("`", $prefix, "` ", stringify!($role), " over `", stringify!($prime), "`.")]
                $variant = $id
            ),*
        }
        /// Every field, in the order of their ids; with `--cfg icicle_few` those of quick development builds.
        #[cfg(not(icicle_few))]
        pub const FIELDS: &[FieldInfo] = &[$(*FieldId::$variant.info()),*];
        impl FieldId {
            /// This field's row.
            pub const fn info(self) -> &'static FieldInfo {
                match self { $(Self::$variant => {
                    const ROW: FieldInfo = FieldInfo {
                        id: FieldId::$variant, prefix: $prefix, infix: $infix, role: Role::$role,
                        prime: $prime::INFO, extension: $ext, ntt: $ntt,
                    };
                    &ROW
                })* }
            }

            /// Name in symbols and messages, such as `bn254` or `babybear_extension`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => fields!(@ $prefix $infix),)* }
            }
        }
    };
    (@ $prefix:literal "") => { $prefix };
    (@ $prefix:literal $infix:literal) => { concat!($prefix, "_", $infix) };
}

fields! {
    Bn254Scalar 10 "bn254" "" Scalar Bn254Fr Extension::None, true;
    Bn254Base 11 "bn254" "base_field" Base Bn254Fq Extension::None, false;
    Bn254G2Base 12 "bn254" "g2_base_field" G2Base Bn254Fq Extension::Quadratic(-1), false;
    Bls12_381Scalar 20 "bls12_381" "" Scalar Bls12_381Fr Extension::None, true;
    Bls12_381Base 21 "bls12_381" "base_field" Base Bls12_381Fq Extension::None, false;
    Bls12_381G2Base 22 "bls12_381" "g2_base_field" G2Base Bls12_381Fq Extension::Quadratic(-1), false;
    Bls12_377Scalar 30 "bls12_377" "" Scalar Bls12_377Fr Extension::None, true;
    Bls12_377Base 31 "bls12_377" "base_field" Base Bls12_377Fq Extension::None, false;
    Bls12_377G2Base 32 "bls12_377" "g2_base_field" G2Base Bls12_377Fq Extension::Quadratic(-5), false;
    Bw6_761Scalar 40 "bw6_761" "" Scalar Bls12_377Fq Extension::None, true;
    Bw6_761Base 41 "bw6_761" "base_field" Base Bw6_761Fq Extension::None, false;
    Bw6_761G2Base 42 "bw6_761" "g2_base_field" G2Base Bw6_761Fq Extension::None, false;
    GrumpkinScalar 50 "grumpkin" "" Scalar Bn254Fq Extension::None, false;
    GrumpkinBase 51 "grumpkin" "base_field" Base Bn254Fr Extension::None, false;
    BabyBearScalar 10010 "babybear" "" Scalar BabyBear Extension::None, true;
    BabyBearExtension 10013 "babybear" "extension" Extension BabyBear Extension::Quartic(11), true;
    Stark252Scalar 10020 "stark252" "" Scalar Stark252 Extension::None, true;
    M31Scalar 10030 "m31" "" Scalar Mersenne31 Extension::None, false;
    M31Extension 10033 "m31" "extension" Extension Mersenne31 Extension::Quartic(-1), false;
    M31Qm31 10034 "m31" "qm31" Extension Mersenne31 Extension::ComplexTower(2, 1), false;
    KoalaBearScalar 10040 "koalabear" "" Scalar KoalaBear Extension::None, true;
    KoalaBearExtension 10043 "koalabear" "extension" Extension KoalaBear Extension::Quartic(3), true;
    GoldilocksScalar 10050 "goldilocks" "" Scalar Goldilocks Extension::None, true;
    GoldilocksExtension 10053 "goldilocks" "extension" Extension Goldilocks Extension::Quadratic(7), true;
}

/// The fields of quick development builds: one of each kind of arithmetic that runs in lanes of its own.
#[cfg(icicle_few)]
pub const FIELDS: &[FieldInfo] = &[
    *FieldId::Bn254Scalar.info(),
    *FieldId::Bn254Base.info(),
    *FieldId::Bn254G2Base.info(),
    *FieldId::BabyBearScalar.info(),
    *FieldId::BabyBearExtension.info(),
    *FieldId::GoldilocksScalar.info(),
];

impl FieldId {
    /// The field with this number.
    pub fn from_number(number: i32) -> Option<Self> {
        FIELDS.iter().find(|row| row.id as i32 == number).map(|row| row.id)
    }

    /// Whether this build has the field: all are there but with `--cfg icicle_few`.
    pub fn is_built(self) -> bool {
        FIELDS.iter().any(|row| row.id == self)
    }

    /// The scalar field of the same prefix: the field of NTT domains, of scalars and of mixed products.
    pub fn scalar(self) -> Self {
        let prefix = self.info().prefix;
        FIELDS.iter().find(|row| row.prefix == prefix && row.role == Role::Scalar).map_or(self, |row| row.id)
    }
}

const _: () = {
    // Ids ascend, so none repeats; NTT only where the prime has the roots.
    let mut i = 0;
    while i < FIELDS.len() {
        assert!(i == 0 || (FIELDS[i - 1].id as i32) < FIELDS[i].id as i32);
        assert!(!FIELDS[i].ntt || FIELDS[i].prime.two_adicity >= 24);
        i += 1;
    }
};
