//! Add two vectors of BabyBear elements on every device of the machine.

use icicle::ops::vector::{Binary, VectorConfig, binary};
use icicle::{Buffer, FieldId, Result};

fn main() -> Result<()> {
    for device in icicle::device::devices() {
        let a = Buffer::from_slice_on(device, &[1u32, 2, 3])?;
        let b = Buffer::from_slice_on(device, &[10u32, 20, 2_013_265_920])?; // the modulus less 1
        let mut sum = Buffer::<u32>::on(device, 3)?;
        // The call runs where its buffers are.
        let config = VectorConfig::default();
        binary(Binary::Add, FieldId::BabyBearScalar, 3, (&a).into(), (&b).into(), &config, (&mut sum).into())?;
        assert_eq!(sum.to_vec()?, [11, 22, 2]);
        println!("{device}: {:?}", sum.to_vec()?);
    }
    Ok(())
}
