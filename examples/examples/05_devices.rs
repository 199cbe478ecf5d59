//! Share one long sum out over every device of the machine, each on its own thread.
//! Try `ICICLE_CPU_DEVICES=4`, which makes four devices of the processor.

use icicle::device::{devices, on_each};
use icicle::ops::vector::{Reduce, VectorConfig, reduce};
use icicle::{Buffer, FieldId, Result};

const N: usize = 1 << 20;
const MODULUS: u64 = 2_013_265_921;

fn main() -> Result<()> {
    let x: Vec<u32> = (0..N as u32).collect();
    let devices = devices();
    let parts: Vec<&[u32]> = x.chunks(N.div_ceil(devices.len())).collect();

    // Each job runs with its device current; the calls wait for each other only here.
    let sums = on_each(&devices, |device, i| {
        let part = Buffer::from_slice(parts[i])?;
        let mut sum = vec![0u32];
        let config = VectorConfig::default();
        reduce(Reduce::Sum, FieldId::BabyBearScalar, part.len(), (&part).into(), &config, (&mut sum).into())?;
        println!("{device}: {} elements", part.len());
        Ok(u64::from(sum[0]))
    });
    let total = sums.into_iter().sum::<Result<u64>>()?;
    assert_eq!(total % MODULUS, (N * (N - 1) / 2) as u64 % MODULUS);
    println!("the parts' sum is right");
    Ok(())
}
