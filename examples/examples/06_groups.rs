//! Two multiplications of different sizes on two devices at once, then one divided over both.
//! Try `ICICLE_CPU_DEVICES=2`, which makes two devices of the processor.

use icicle::algebra::Limbs;
use icicle::ops::group;
use icicle::ops::msm::{MsmConfig, msm};
use icicle::ops::{point, random};
use icicle::{CurveId, DeviceGroup, FieldId, Result};

type Affine = [Limbs<4>; 2];
type Projective = [Limbs<4>; 3];

fn main() -> Result<()> {
    let curve = CurveId::Bn254;
    let inputs = [1 << 10, 1 << 12].map(|n| (vec![Limbs([0; 4]); n], vec![[Limbs([0; 4]); 2]; n]));
    let inputs = inputs.map(|(mut scalars, mut points): (Vec<Limbs<4>>, Vec<Affine>)| {
        random::field(FieldId::Bn254Scalar, &mut scalars)?;
        point::random(curve, point::PointForm::Affine, &mut points)?;
        Ok((scalars, points))
    });
    let inputs = inputs.into_iter().collect::<Result<Vec<_>>>()?;

    // Independent jobs: each runs on the device that is free, which is current there.
    let all = DeviceGroup::new(&icicle::device::devices())?;
    let sums = all.map(&inputs, |lane, (scalars, points)| {
        let mut sum: [Projective; 1] = [[Limbs([0; 4]); 3]];
        msm(curve, scalars.len(), scalars.into(), points.into(), &MsmConfig::default(), (&mut sum[..]).into())?;
        println!("{}: {} points", lane.device, points.len());
        Ok(sum)
    });
    let sums = sums?.into_iter().collect::<Result<Vec<_>>>()?;

    // One operation: shares say that every device takes part, however little there is to do.
    let shares = vec![1.0; all.devices().len()];
    let all = all.with_shares(&shares)?;
    for ((scalars, points), expected) in inputs.iter().zip(&sums) {
        let mut sum: [Projective; 1] = [[Limbs([0; 4]); 3]];
        group::msm(&all, curve, scalars.len(), scalars, points, &MsmConfig::default(), (&mut sum[..]).into())?;
        assert_eq!(&sum, expected);
    }
    println!("the divided sums are the same");
    Ok(())
}
