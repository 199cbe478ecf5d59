//! A chain takes no memory for what lies between, and what is refused memory waits on. Alone in its process, whose memory it
//! counts and limits.
#![allow(clippy::unwrap_used)]

use icicle_array::*;
use icicle_device::Device;
use icicle_error::ErrorCode;
use icicle_runtime::{memory_stats, set_memory_limit};

#[test]
fn chains_take_memory_for_their_results_only() {
    let (cpu, n) = (Device::cpu(0), 1 << 20);
    let x = arange(cpu, 0.into(), (n as i128).into(), 1.into(), DType::Int64).unwrap();
    let chain = || {
        let twice = add(&x, &x)?;
        let odd = add(&multiply(&twice, &x)?, &full(cpu, &[], 1.into(), DType::Int64)?)?;
        subtract(&odd, &x)
    };
    // 2x^2 + 1 - x over 0..n, by the sums of squares and of numbers.
    let m = n as i64;
    let want = (m - 1) * m * (2 * m - 1) / 3 + m - m * (m - 1) / 2;
    let used = memory_stats(cpu).unwrap().used;
    assert_eq!(sum(&chain().unwrap(), None, false, None).unwrap().item().unwrap(), Scalar::Int(want.into()));
    let high = memory_stats(cpu).unwrap().high_water;
    assert!(high - used < 1 << 20, "{} bytes, where the array has {}", high - used, 8 * n);

    // With no room for the result: the sum is there, the values are not until there is room.
    set_memory_limit(cpu, Some(used + (1 << 20))).unwrap();
    let values = chain().unwrap();
    assert_eq!(sum(&values, None, false, None).unwrap().item().unwrap(), Scalar::Int(want.into()));
    assert_eq!(values.to_vec::<i64>().unwrap_err().code, ErrorCode::OutOfMemory);
    let again = add(&values, &x).unwrap();
    assert_eq!(again.as_ptr().unwrap_err().code, ErrorCode::OutOfMemory);
    set_memory_limit(cpu, None).unwrap();
    let of = |i: i64| 2 * i * i + 1 - i;
    assert_eq!(values.to_vec::<i64>().unwrap(), (0..m).map(of).collect::<Vec<_>>());
    assert_eq!(again.to_vec::<i64>().unwrap(), (0..m).map(|i| of(i) + i).collect::<Vec<_>>());
    // Once computed, an operation lets go of what it was computed from.
    let held = memory_stats(cpu).unwrap().used;
    drop((values, again));
    assert_eq!(memory_stats(cpu).unwrap().used, held - 2 * 8 * n as u64);
    drop(x);
    assert_eq!(memory_stats(cpu).unwrap().used, held - 3 * 8 * n as u64);
}
