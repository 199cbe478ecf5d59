//! Transforms in lanes beside those of any processor: the same bytes.

use super::*;
use crate::args::ntt::NttArgs;
use crate::cpu::ntt::{lanes, one_by_one, planned};
use icicle_algebra::{fields, isa, simd};
use icicle_device::{Device, Dst};

/// Batches and whether they are interleaved: single vectors, rows of tiles that are full or not, narrow and wide rows.
const SHAPES: [(usize, bool); 6] = [(1, false), (5, false), (20, false), (4, true), (5, true), (17, true)];

/// Compare on every ordering, direction, coset and place; `served` tells which shapes must go through lanes.
fn compare<F: PrimeField>(field: FieldId, log_n: u32, shape: (usize, bool), input: &[F::Raw], served: bool) {
    let (batch, columns) = shape;
    for (ordering, direction) in ORDERINGS.into_iter().flat_map(|o| DIRECTIONS.map(|d| (o, d))) {
        for coset in [None, Some(F::from_u64(0x1234_5678_9abc).words())] {
            for in_place in [false, true] {
                // Cache lines begin at any element.
                let at = (log_n as usize + batch) % 16;
                let run = |in_lanes: bool| {
                    let mut data = [&vec![input[0]; at], input].concat();
                    let out = Dst::from(&mut data[at..]);
                    let src = if in_place { out.as_src() } else { input.into() };
                    let args = NttArgs {
                        field,
                        log_n,
                        batch,
                        columns,
                        direction,
                        ordering,
                        coset,
                        block: None,
                        input: src,
                        out,
                    };
                    let (plan, width) = planned::<F>(Device::cpu(0), &args).unwrap();
                    if in_lanes {
                        assert_eq!(
                            lanes::transform(&plan, &args, width).unwrap(),
                            served,
                            "{field:?} 2^{log_n} {shape:?}"
                        );
                    } else {
                        one_by_one(&plan, &args, width).unwrap();
                    }
                    data
                };
                let what = || format!("{field:?} 2^{log_n} {shape:?} {direction:?} {ordering:?} {coset:?} {in_place}");
                assert!(!served || run(true) == run(false), "{}", what());
            }
        }
    }
}

fn check<F: PrimeField>(field: FieldId) {
    domain(field);
    for log_n in (0..=13).chain([17]) {
        for (batch, columns) in SHAPES {
            if batch > 1 && batch << log_n > 5 << 12 {
                continue;
            }
            let served = if columns { log_n > 0 } else { log_n >= 8 || log_n >= 4 && batch > 1 };
            let n = batch << log_n;
            compare::<F>(field, log_n, (batch, columns), &raw(&samples::<F>(n + 5, 9)[..n]), served);
        }
    }
    // Beyond what the caches hold, small elements go through all levels part by part.
    if size_of::<F::Raw>() <= 8 {
        for (log_n, batch) in [(18, 1), (19, 1), (19, 2), (20, 1)] {
            let n = batch << log_n;
            compare::<F>(field, log_n, (batch, false), &raw(&samples::<F>(n, 9)), true);
        }
    }
    // As many levels at once as a tile has, and the largest sums there are.
    compare::<F>(field, 12, (4, true), &raw(&[-F::ONE; 4 << 12]), true);
    for input in [vec![-F::ONE; 1 << 9], vec![F::ZERO; 1 << 9], [-F::ONE, F::ZERO].repeat(1 << 8)] {
        compare::<F>(field, 9, (1, false), &raw(&input), true);
    }
}

macro_rules! same_bytes {
    ($served:expr, $($test:ident $field:ident;)*) => {$(
        #[test]
        fn $test() {
            if !FieldId::$field.is_built() {
                println!("not in this build");
            } else if $served {
                check::<fields::$field>(FieldId::$field);
            } else {
                println!("no lanes on this processor: nothing to compare");
            }
        }
    )*};
}

same_bytes! {
    simd::available(),
    bn254_is_the_same_in_lanes Bn254Scalar;
    bls12_381_is_the_same_in_lanes Bls12_381Scalar;
    bls12_377_is_the_same_in_lanes Bls12_377Scalar;
    bw6_761_is_the_same_in_lanes Bw6_761Scalar;
    stark252_is_the_same_in_lanes Stark252Scalar;
}

same_bytes! {
    isa::chosen() >= isa::Isa::Avx2,
    babybear_is_the_same_in_lanes BabyBearScalar;
    koalabear_is_the_same_in_lanes KoalaBearScalar;
    goldilocks_is_the_same_in_lanes GoldilocksScalar;
}
