//! An MSM over BN254: the sum of `i·(i·G)` for `i` from 1 to 8, which is `204·G`.

use icicle::algebra::Limbs;
use icicle::algebra::curve::{Bn254, Curve, Group, Projective};
use icicle::ops::msm::{MsmConfig, msm};
use icicle::{CurveId, Result};

fn main() -> Result<()> {
    let generator = Projective::<Bn254>::from(Bn254::GENERATOR);
    // In memory form: canonical little-endian limbs; affine points are x, y.
    let scalars: Vec<Limbs<4>> = (1..=8).map(|i| Limbs([i, 0, 0, 0])).collect();
    let bases: Vec<_> = (1..=8).map(|i| generator.times(&[i]).to_affine().to_raw()).collect();

    // One result, projective: X, Y, Z.
    let mut sum = vec![[Limbs([0u64; 4]); 3]];
    msm(CurveId::Bn254, 8, (&scalars).into(), (&bases).into(), &MsmConfig::default(), (&mut sum).into())?;

    assert_eq!(Projective::<Bn254>::from_raw(sum[0]), generator.times(&[204])); // 1 + 4 + 9 + … + 64
    println!("the MSM is 204·G");
    Ok(())
}
