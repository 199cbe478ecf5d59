//! Counts that no memory is long enough for, with empty operands: every one is checked before anything is allocated.

use icicle::device::{Buffer, Dst, Launch, Src, supports};
use icicle::ops::matrix::{self, MatMulConfig};
use icicle::ops::msm::{MAX_PRECOMPUTE_FACTOR, MsmConfig, msm, precompute};
use icicle::ops::ntt::{Direction, NttConfig, ecntt, init_domain, ntt, root_of_unity};
use icicle::ops::program::{Predefined, Program, execute};
use icicle::ops::vector::{self, Binary, Reduce, VectorConfig};
use icicle::ops::{Domain, Op, encoding, point, polynomial};
use icicle::{CURVES, Device, ErrorCode, FIELDS, Result};

const HUGE: [usize; 4] = [i32::MAX as usize, u32::MAX as usize, 1 << 55, usize::MAX];

fn none() -> (Src<'static>, Dst<'static>) {
    (Src::from(&[0u32; 0][..]), Dst::from(&mut [0u32; 0][..]))
}

/// Refused as an argument, or there was nothing to do.
fn settled(what: &str, count: usize, result: Result<()>) {
    if let Err(error) = result {
        assert_eq!(error.code, ErrorCode::InvalidArgument, "{what} {count}: {error}");
    }
}

#[test]
fn multiples_and_batches_of_no_points() {
    for row in CURVES {
        for count in HUGE {
            let configs = [
                MsmConfig { precompute_factor: count, ..MsmConfig::default() },
                MsmConfig { batch: count, ..MsmConfig::default() },
                MsmConfig { batch: count, shared_points: false, ..MsmConfig::default() },
                MsmConfig { batch: count, precompute_factor: count, shared_points: false, ..MsmConfig::default() },
            ];
            for config in configs {
                let ((a, _), (b, out)) = (none(), none());
                let error = msm(row.id, 0, a, b, &config, out).unwrap_err();
                assert_eq!(error.code, ErrorCode::InvalidArgument, "{} {config:?}: {error}", row.name);
                if config.precompute_factor > MAX_PRECOMPUTE_FACTOR {
                    let rule = format!("precompute_factor {count}: must be at most {MAX_PRECOMPUTE_FACTOR}");
                    assert_eq!(error.detail, rule);
                    let (a, out) = none();
                    assert_eq!(precompute(row.id, 0, a, &config, out).unwrap_err().detail, rule);
                }
            }
        }
        // As many as there may be, of nothing: the neutral element.
        let config = MsmConfig { precompute_factor: MAX_PRECOMPUTE_FACTOR, batch: 5, ..MsmConfig::default() };
        let words = row.base.info().bytes() / 4;
        let mut sums = Buffer::<u32>::new(5 * 3 * words).unwrap();
        let ((a, _), (b, out)) = (none(), none());
        msm(row.id, 0, a, b, &config, (&mut sums).into()).unwrap();
        let one = |i: usize| u32::from(i % (3 * words) == words);
        assert_eq!(sums.to_vec().unwrap(), (0..5 * 3 * words).map(one).collect::<Vec<_>>(), "{}", row.name);
        precompute(row.id, 0, b, &config, out).unwrap();
    }
}

#[test]
fn batches_of_empty_vectors() {
    for row in FIELDS {
        let field = row.id;
        let mixed = supports(Device::cpu(0), Op::VectorMixedMul, Domain::Field(field)).unwrap();
        for count in HUGE {
            for columns in [false, true] {
                let config = VectorConfig { batch: count, columns, ..VectorConfig::default() };
                let ((a, _), (b, _)) = (none(), none());
                let dst = || none().1;
                for binary in [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div] {
                    settled("vector", count, vector::binary(binary, field, 0, a, b, &config, dst()));
                    settled("scalar", count, vector::scalar(binary, field, 0, a, b, &config, dst()));
                }
                if mixed {
                    settled("mixed", count, vector::mixed_mul(field, 0, a, b, &config, dst()));
                }
                for reduce in [Reduce::Sum, Reduce::Product] {
                    settled("reduce", count, vector::reduce(reduce, field, 0, a, &config, dst()));
                }
                settled("inverse", count, vector::inv(field, 0, a, &config, dst()));
                settled("Montgomery", count, vector::convert_montgomery(field, 0, a, true, &config, dst()));
                settled("bit reversal", count, vector::bit_reverse(field, 0, a, &config, dst()));
                settled("slice", count, vector::slice(field, 0, a, count, count, 0, &config, dst()));
                settled("slice", count, vector::slice(field, 0, a, 0, 1, count, &config, dst()));
                settled("highest", count, vector::highest_non_zero(field, 0, a, &config, dst()));
                settled("evaluate", count, polynomial::evaluate(field, 0, a, 0, b, &config, dst()));
                settled("evaluate", count, polynomial::evaluate(field, count, a, count, b, &config, dst()));
                settled("divide", count, polynomial::divide(field, 0, a, 0, b, &config, 0, dst(), 0, dst()));
                settled("divide", count, polynomial::divide(field, 0, a, 0, b, &config, count, dst(), count, dst()));
                settled("transpose", count, matrix::transpose(field, 0, 0, a, &config, dst()));
                settled("transpose", count, matrix::transpose(field, 0, count, a, &config, dst()));
                settled("transpose", count, matrix::transpose(field, count, 0, a, &config, dst()));
                settled("program", count, {
                    let mut vectors = [dst(), dst(), dst(), dst()];
                    execute(field, &Program::predefined(Predefined::AbMinusC), &mut vectors, 0, &config)
                });
                settled("elements", count, encoding::check_elements(field, count, a));
                let shapes = [(count, 1), (1, count), (count, count)];
                for (left, right) in shapes.iter().flat_map(|l| shapes.map(|r| (*l, r))) {
                    settled(
                        "product",
                        count,
                        matrix::multiply(field, a, left, b, right, &MatMulConfig::default(), dst()),
                    );
                }
            }
        }
    }
}

#[test]
fn batches_of_empty_transforms_and_arrays_of_points() {
    let launch = Launch::default();
    for row in FIELDS.iter().filter(|row| row.ntt) {
        init_domain(row.id.scalar(), root_of_unity(row.id.scalar(), 8).unwrap(), &launch).unwrap();
        for count in HUGE {
            let config = NttConfig { batch: count, ..NttConfig::default() };
            let (a, out) = none();
            settled("transform", count, ntt(row.id, 0, Direction::Forward, &config, a, out));
            settled("transform", count, ntt(row.id, 8, Direction::Forward, &config, a, none().1));
            settled("transform", count, ntt(row.id, count, Direction::Inverse, &config, a, none().1));
        }
    }
    for row in CURVES {
        for count in HUGE {
            let config = NttConfig { batch: count, ..NttConfig::default() };
            let (a, _) = none();
            if row.ecntt {
                settled("ECNTT", count, ecntt(row.id, 0, Direction::Forward, &config, a, none().1));
                settled("ECNTT", count, ecntt(row.id, 8, Direction::Forward, &config, a, none().1));
            }
            let points = || point::Points::affine(&[0u32; 0][..]);
            let to = || point::PointsMut { form: point::PointForm::Projective, dst: none().1 };
            settled("sum", count, point::binary(point::Binary::Add, row.id, count, points(), points(), &launch, to()));
            settled("product", count, point::scalar_mul(row.id, count, a, points(), &launch, to()));
            settled("normalize", count, point::normalize(row.id, count, points(), &launch, to()));
            settled("equal", count, point::equal(row.id, count, points(), points(), &launch, none().1));
            settled("points", count, encoding::check_points(row.id, count, a));
        }
    }
}
