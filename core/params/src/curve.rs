//! The curves `y² = x³ + b` (every one of them has `a = 0`), one row per group.

use crate::derive::hex;
use crate::field::FieldId;

/// A curve group: ten times ICICLE's id of the curve, plus 1 for G1 and 2 for G2 (the id of its coordinate field).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i32)]
#[allow(missing_docs)] // the names say it
pub enum CurveId {
    Bn254 = 11,
    Bn254G2 = 12,
    Bls12_381 = 21,
    Bls12_381G2 = 22,
    Bls12_377 = 31,
    Bls12_377G2 = 32,
    Bw6_761 = 41,
    Bw6_761G2 = 42,
    Grumpkin = 51,
}

/// A coordinate as coefficients over the prime field, zero-padded to 12 limbs each; the second is 0 for prime fields.
pub type Coordinate = [[u64; 12]; 2];

/// A curve group's row. Numbers are canonical.
#[derive(Clone, Copy, Debug)]
pub struct CurveInfo {
    /// Id at the boundaries of the library.
    pub id: CurveId,
    /// Prefix and group as in symbol names: `bn254`, `bn254_g2`.
    pub name: &'static str,
    /// Field of the coordinates.
    pub base: FieldId,
    /// Field whose modulus is the order of the generator.
    pub scalar: FieldId,
    /// The coefficient `b`.
    pub b: Coordinate,
    /// The generator's x.
    pub x: Coordinate,
    /// The generator's y.
    pub y: Coordinate,
    /// Whether ECNTT is offered.
    pub ecntt: bool,
    /// Where curve and generator are defined.
    pub source: &'static str,
}

/// Declare the curves. Arguments: variant, name, base, scalar, b, x, y (one or two coefficients each), ecntt, source.
macro_rules! curves {
    ($($variant:ident $name:literal $base:ident $scalar:ident b $b:tt x $x:tt y $y:tt ecntt $ecntt:literal source $source:literal;)*) => {
        /// Every curve group, in the order of their ids; with `--cfg icicle_few` those of quick development builds.
        #[cfg(not(icicle_few))]
        pub const CURVES: &[CurveInfo] = &[$(CurveId::$variant.row()),*];
        /// The curve groups of quick development builds.
        #[cfg(icicle_few)]
        pub const CURVES: &[CurveInfo] = &[CurveId::Bn254.row(), CurveId::Bn254G2.row()];
        impl CurveId {
            const fn row(self) -> CurveInfo {
                match self { $(Self::$variant => CurveInfo {
                    id: CurveId::$variant, name: $name, base: FieldId::$base, scalar: FieldId::$scalar,
                    b: curves!(@ $b), x: curves!(@ $x), y: curves!(@ $y), ecntt: $ecntt, source: $source,
                }),* }
            }
            /// This curve group's row.
            pub const fn info(self) -> &'static CurveInfo {
                match self { $(Self::$variant => { const ROW: CurveInfo = CurveId::$variant.row(); &ROW })* }
            }
        }
    };
    (@ [$c0:literal]) => { [hex($c0), [0; 12]] };
    (@ [$c0:literal $c1:literal]) => { [hex($c0), hex($c1)] };
}

curves! {
    Bn254 "bn254" Bn254Base Bn254Scalar
        b ["3"] x ["1"] y ["2"]
        ecntt true source "https://eips.ethereum.org/EIPS/eip-196";
    Bn254G2 "bn254_g2" Bn254G2Base Bn254Scalar
        b ["2b149d40ceb8aaae81be18991be06ac3b5b4c5e559dbefa33267e6dc24a138e5"
           "9713b03af0fed4cd2cafadeed8fdf4a74fa084e52d1852e4a2bd0685c315d2"]
        x ["1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed"
           "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2"]
        y ["12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa"
           "90689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b"]
        ecntt false source "https://eips.ethereum.org/EIPS/eip-197";
    Bls12_381 "bls12_381" Bls12_381Base Bls12_381Scalar
        b ["4"]
        x ["17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"]
        y ["8b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1"]
        ecntt true source "https://www.ietf.org/archive/id/draft-irtf-cfrg-pairing-friendly-curves-11.html#section-4.2.1";
    Bls12_381G2 "bls12_381_g2" Bls12_381G2Base Bls12_381Scalar
        b ["4" "4"]
        x ["24aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"
           "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"]
        y ["ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801"
           "606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be"]
        ecntt false source "https://www.ietf.org/archive/id/draft-irtf-cfrg-pairing-friendly-curves-11.html#section-4.2.1";
    Bls12_377 "bls12_377" Bls12_377Base Bls12_377Scalar
        b ["1"]
        x ["8848defe740a67c8fc6225bf87ff5485951e2caa9d41bb188282c8bd37cb5cd5481512ffcd394eeab9b16eb21be9ef"]
        y ["1914a69c5102eff1f674f5d30afeec4bd7fb348ca3e52d96d182ad44fb82305c2fe3d3634a9591afd82de55559c8ea6"]
        ecntt true source "https://eprint.iacr.org/2018/962, generator of https://docs.rs/ark-bls12-377/0.6";
    Bls12_377G2 "bls12_377_g2" Bls12_377G2Base Bls12_377Scalar
        b ["0" "10222f6db0fd6f343bd03737460c589dc7b4f91cd5fd889129207b63c6bf8000dd39e5c1ccccccd1c9ed9999999999a"]
        x ["18480be71c785fec89630a2a3841d01c565f071203e50317ea501f557db6b9b71889f52bb53540274e3e48f7c005196"
           "ea6040e700403170dc5a51b1b140d5532777ee6651cecbe7223ece0799c9de5cf89984bff76fe6b26bfefa6ea16afe"]
        y ["690d665d446f7bd960736bcbb2efb4de03ed7274b49a58e458c282f832d204f2cf88886d8c7c2ef094094409fd4ddf"
           "f8169fd28355189e549da3151a70aa61ef11ac3d591bf12463b01acee304c24279b83f5e52270bd9a1cdd185eb8f93"]
        ecntt false source "https://eprint.iacr.org/2018/962, generator of https://docs.rs/ark-bls12-377/0.6";
    Bw6_761 "bw6_761" Bw6_761Base Bw6_761Scalar
        b ["122e824fb83ce0ad187c94004faff3eb926186a81d14688528275ef8087be41707ba638e584e91903cebaff25b423048689c8ed12f9fd9071dcd3dc73ebff2e98a116c25667a8f8160cf8aeeaf0a437e6913e6870000082f49d00000000008a"]
        x ["1075b020ea190c8b277ce98a477beaee6a0cfb7551b27f0ee05c54b85f56fc779017ffac15520ac11dbfcd294c2e746a17a54ce47729b905bd71fa0c9ea097103758f9a280ca27f6750dd0356133e82055928aca6af603f4088f3af66e5b43d"]
        y ["58b84e0a6fc574e6fd637b45cc2a420f952589884c9ec61a7348d2a2e573a3265909f1af7e0dbac5b8fa1771b5b806cc685d31717a4c55be3fb90b6fc2cdd49f9df141b3053253b2b08119cad0fb93ad1cb2be0b20d2a1bafc8f2db4e95363"]
        ecntt true source "https://eprint.iacr.org/2020/351, generator of https://docs.rs/ark-bw6-761/0.6";
    Bw6_761G2 "bw6_761_g2" Bw6_761G2Base Bw6_761Scalar
        b ["4"]
        x ["110133241d9b816c852a82e69d660f9d61053aac5a7115f4c06201013890f6d26b41c5dab3da268734ec3f1f09feb58c5bbcae9ac70e7c7963317a300e1b6bace6948cb3cd208d700e96efbc2ad54b06410cf4fe1bf995ba830c194cd025f1c"]
        y ["17c3357761369f8179eb10e4b6d2dc26b7cf9acec2181c81a78e2753ffe3160a1d86c80b95a59c94c97eb733293fef64f293dbd2c712b88906c170ffa823003ea96fcd504affc758aa2d3a3c5a02a591ec0594f9eac689eb70a16728c73b61"]
        ecntt false source "https://eprint.iacr.org/2020/351, generator of https://docs.rs/ark-bw6-761/0.6";
    Grumpkin "grumpkin" GrumpkinBase GrumpkinScalar
        b ["30644e72e131a029b85045b68181585d2833e84879b9709143e1f593effffff0"]
        x ["1"] y ["2cf135e7506a45d632d270d45f1181294833fc48d823f272c"]
        ecntt false source "https://hackmd.io/@aztec-network/ByzgNxBfd, generator of https://docs.rs/ark-grumpkin/0.6";
}

impl CurveId {
    /// Whether this build has the group: all are there but with `--cfg icicle_few`.
    pub fn is_built(self) -> bool {
        CURVES.iter().any(|row| row.id == self)
    }

    /// The curve group with this number.
    pub fn from_number(number: i32) -> Option<Self> {
        CURVES.iter().find(|row| row.id as i32 == number).map(|row| row.id)
    }
}

const _: () = {
    let mut i = 0;
    while i < CURVES.len() {
        assert!(CURVES[i].id as i32 == CURVES[i].base as i32);
        i += 1;
    }
};
