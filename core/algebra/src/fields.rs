//! The working type of every field of the table, and the dispatch from an id to it.

use super::extension::{Complex, Integer, Quadratic, Quartic};
use super::fp::Fp;
use super::fp31::Fp31;
use super::{Field, goldilocks::Goldilocks, mersenne31::M31};
use icicle_params::prime;

/// Declare the working types under the names of [`icicle_params::FieldId`].
macro_rules! working_types {
    ($($name:ident = $ty:ty;)*) => {
        $(
            #[doc = concat!("Working type of [`FieldId::", stringify!($name), "`](icicle_params::FieldId::", stringify!($name), ").")]
            pub type $name = $ty;
            const _: () = assert!(
                size_of::<<$name as Field>::Raw>() == icicle_params::FieldId::$name.info().bytes(),
                "memory form and table disagree"
            );
        )*
    };
}

working_types! {
    Bn254Scalar = Fp<prime::Bn254Fr, 4>;
    Bn254Base = Fp<prime::Bn254Fq, 4>;
    Bn254G2Base = Quadratic<Bn254Base, Integer<-1>>;
    Bls12_381Scalar = Fp<prime::Bls12_381Fr, 4>;
    Bls12_381Base = Fp<prime::Bls12_381Fq, 6>;
    Bls12_381G2Base = Quadratic<Bls12_381Base, Integer<-1>>;
    Bls12_377Scalar = Fp<prime::Bls12_377Fr, 4>;
    Bls12_377Base = Fp<prime::Bls12_377Fq, 6>;
    Bls12_377G2Base = Quadratic<Bls12_377Base, Integer<-5>>;
    Bw6_761Scalar = Bls12_377Base;
    Bw6_761Base = Fp<prime::Bw6_761Fq, 12>;
    Bw6_761G2Base = Bw6_761Base;
    GrumpkinScalar = Bn254Base;
    GrumpkinBase = Bn254Scalar;
    BabyBearScalar = Fp31<prime::BabyBear>;
    BabyBearExtension = Quartic<BabyBearScalar, Integer<11>>;
    Stark252Scalar = Fp<prime::Stark252, 4>;
    M31Scalar = M31;
    M31Extension = Quartic<M31, Integer<-1>>;
    M31Qm31 = Quadratic<Quadratic<M31, Integer<-1>>, Complex<2, 1>>;
    KoalaBearScalar = Fp31<prime::KoalaBear>;
    KoalaBearExtension = Quartic<KoalaBearScalar, Integer<3>>;
    GoldilocksScalar = Goldilocks;
    GoldilocksExtension = Quadratic<Goldilocks, Integer<7>>;
}

/// A build with `--cfg icicle_few` has a few fields and curves only, for quick development builds: the table lists no
/// others, so that none gets here by number.
#[cfg(icicle_few)]
#[doc(hidden)]
#[allow(clippy::panic)]
pub fn left_out() -> ! {
    panic!("this build has a few fields and curves only (icicle_few)")
}

/// Run an expression with a type alias bound to the working type of a field id.
///
/// Arguments: the id, the alias, the expression. Ids that share a type share the arm, so code is generated once per type.
#[macro_export]
macro_rules! with_field {
    ($id:expr, $alias:ident => $body:expr) => {
        $crate::with_field!(@ $id, ($alias => $body),
            (Bn254Scalar | GrumpkinBase) (Bn254Base | GrumpkinScalar) (Bn254G2Base) (BabyBearScalar) (BabyBearExtension)
            (GoldilocksScalar),
            (Bls12_381Scalar) (Bls12_381Base) (Bls12_381G2Base) (Bls12_377Scalar) (Bls12_377Base | Bw6_761Scalar)
            (Bls12_377G2Base) (Bw6_761Base | Bw6_761G2Base) (Stark252Scalar) (M31Scalar) (M31Extension) (M31Qm31)
            (KoalaBearScalar) (KoalaBearExtension) (GoldilocksExtension))
    };
    (@ $id:expr, $arm:tt, $(($few:ident $(| $few_too:ident)*))*, $(($more:ident $(| $more_too:ident)*))*) => {{
        use ::icicle_params::FieldId;
        match $id {
            $(FieldId::$few $(| FieldId::$few_too)* => $crate::with_field!(@@ $few, $arm),)*
            $(#[cfg(not(icicle_few))] FieldId::$more $(| FieldId::$more_too)* => $crate::with_field!(@@ $more, $arm),)*
            #[cfg(icicle_few)]
            _ => $crate::fields::left_out(),
        }
    }};
    (@@ $name:ident, ($alias:ident => $body:expr)) => {{
        type $alias = $crate::fields::$name;
        $body
    }};
}
