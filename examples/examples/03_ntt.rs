//! Multiply two polynomials over BabyBear: forward NTTs, a product of values, an inverse NTT.

use icicle::ops::ntt::{Direction, NttConfig, init_domain, ntt, root_of_unity};
use icicle::ops::vector::{Binary, VectorConfig, binary};
use icicle::{FieldId, Launch, Result};

const N: usize = 4; // more than the product's degree

fn main() -> Result<()> {
    let field = FieldId::BabyBearScalar;
    init_domain(field, root_of_unity(field, N as u64)?, &Launch::default())?; // once for all sizes up to N
    let transform = |direction, input: &Vec<u32>| -> Result<Vec<u32>> {
        let mut output = vec![0; N];
        ntt(field, N, direction, &NttConfig::default(), input.into(), (&mut output).into())?;
        Ok(output)
    };

    let a = vec![1, 2, 3, 0]; // 1 + 2x + 3x²
    let b = vec![4, 5, 0, 0]; // 4 + 5x
    let (values_a, values_b) = (transform(Direction::Forward, &a)?, transform(Direction::Forward, &b)?);
    assert_eq!(transform(Direction::Inverse, &values_a)?, a);

    let mut values = vec![0u32; N];
    let config = VectorConfig::default();
    binary(Binary::Mul, field, N, (&values_a).into(), (&values_b).into(), &config, (&mut values).into())?;
    let product = transform(Direction::Inverse, &values)?;
    assert_eq!(product, [4, 13, 22, 15]);
    println!("the product's coefficients are {product:?}");
    Ok(())
}
