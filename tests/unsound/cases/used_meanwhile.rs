// An operand is borrowed for the call.
use icicle::FieldId;
use icicle::device::Dst;
use icicle::ops::vector::{VectorConfig, bit_reverse};

fn main() -> icicle::Result<()> {
    let (x, mut out) = (vec![0u32; 8], vec![0u32; 8]);
    let dst = Dst::from(&mut out);
    out[0] = 1;
    bit_reverse(FieldId::BabyBearScalar, 8, (&x).into(), &VectorConfig::default(), dst)
}
