//! `supports` tells the truth: exactly the calls it denies return `Unsupported`.

use icicle::device::{Launch, supports};
use icicle::ops::msm::{MsmConfig, msm};
use icicle::ops::ntt::{Direction, NttConfig, ecntt, init_domain, ntt, root_of_unity};
use icicle::ops::point::{self, PointForm, Points, PointsMut, convert_montgomery};
use icicle::ops::program::{Predefined, Program, execute};
use icicle::ops::vector::{self, Binary, Reduce, VectorConfig};
use icicle::ops::{Domain, Op, matrix, polynomial};
use icicle::{CURVES, CurveId, Device, ErrorCode, FIELDS, FieldId, Result};

pub fn check(device: Device) {
    for &op in Op::ALL {
        let fields = FIELDS.iter().map(|row| (Domain::Field(row.id), on_field(op, row.id)));
        let curves = CURVES.iter().map(|row| (Domain::Curve(row.id), on_curve(op, row.id)));
        for (domain, outcome) in fields.chain(curves) {
            let claimed = supports(device, op, domain).unwrap();
            match outcome {
                None => assert!(!claimed, "{op:?} {domain:?} on {device} makes no sense"),
                Some(Ok(())) => assert!(claimed, "{op:?} {domain:?} on {device} works"),
                Some(Err(error)) => {
                    let denied = error.code == ErrorCode::Unsupported;
                    assert!(denied && !claimed, "{op:?} {domain:?} on {device}: {error}");
                }
            }
        }
    }
}

/// Call an operation on vectors of one element, 1; none where it takes no field.
fn on_field(op: Op, field: FieldId) -> Option<Result<()>> {
    let one = |id: FieldId| {
        let mut words = vec![0u32; id.info().bytes() / 4];
        words[0] = 1;
        words
    };
    let (x, scalar, mut out) = (one(field), one(field.scalar()), one(field));
    let config = VectorConfig::default();
    Some(match op {
        Op::VectorBinary => vector::binary(Binary::Mul, field, 1, (&x).into(), (&x).into(), &config, (&mut out).into()),
        Op::VectorMixedMul => vector::mixed_mul(field, 1, (&x).into(), (&scalar).into(), &config, (&mut out).into()),
        Op::VectorScalar => vector::scalar(Binary::Mul, field, 1, (&x).into(), (&x).into(), &config, (&mut out).into()),
        Op::VectorInv => vector::inv(field, 1, (&x).into(), &config, (&mut out).into()),
        Op::VectorReduce => vector::reduce(Reduce::Sum, field, 1, (&x).into(), &config, (&mut out).into()),
        Op::ConvertMontgomery => vector::convert_montgomery(field, 1, (&x).into(), true, &config, (&mut out).into()),
        Op::BitReverse => vector::bit_reverse(field, 1, (&x).into(), &config, (&mut out).into()),
        Op::Slice => vector::slice(field, 1, (&x).into(), 0, 1, 1, &config, (&mut out).into()),
        Op::HighestNonZero => vector::highest_non_zero(field, 1, (&x).into(), &config, (&mut [0u32; 2][..]).into()),
        Op::PolynomialEvaluate => {
            polynomial::evaluate(field, 1, (&x).into(), 1, (&x).into(), &config, (&mut out).into())
        }
        Op::PolynomialDivide => {
            let mut rest = x.clone();
            let (q, r) = ((&mut out).into(), (&mut rest).into());
            polynomial::divide(field, 1, (&x).into(), 1, (&x).into(), &config, 1, q, 1, r)
        }
        Op::MatrixTranspose => matrix::transpose(field, 1, 1, (&x).into(), &config, (&mut out).into()),
        Op::MatrixMultiply => {
            let config = matrix::MatMulConfig::default();
            matrix::multiply(field, (&x).into(), (1, 1), (&x).into(), (1, 1), &config, (&mut out).into())
        }
        Op::Program => {
            let mut vectors = [x.clone(), x.clone(), x.clone(), out];
            let mut vectors: Vec<_> = vectors.iter_mut().map(Into::into).collect();
            execute(field, &Program::predefined(Predefined::AbMinusC), &mut vectors, 1, &config)
        }
        Op::Ntt => domain(field.scalar())
            .and_then(|()| ntt(field, 1, Direction::Forward, &NttConfig::default(), (&x).into(), (&mut out).into())),
        op if op.takes_curves() => return None,
        _ => unreachable!("{op:?}"),
    })
}

fn domain(field: FieldId) -> Result<()> {
    init_domain(field, root_of_unity(field, 1)?, &Launch::default())
}

/// Call an operation on one neutral element; none where it takes no curve.
fn on_curve(op: Op, curve: CurveId) -> Option<Result<()>> {
    let words = curve.info().base.info().bytes() / 4;
    let (affine, mut projective, mut out) = (vec![0u32; 2 * words], vec![0u32; 3 * words], vec![0u32; 3 * words]);
    projective[words] = 1;
    let launch = Launch::default();
    Some(match op {
        Op::Msm => {
            let scalar = vec![0u32; curve.info().scalar.info().bytes() / 4];
            msm(curve, 1, (&scalar).into(), (&affine).into(), &MsmConfig::default(), (&mut out).into())
        }
        Op::PointConvertMontgomery => {
            let form = PointForm::Projective;
            convert_montgomery(curve, form, 1, (&projective).into(), true, &launch, (&mut out).into())
        }
        Op::PointBinary => {
            let (a, b) = (Points::affine(&affine), Points::projective(&projective));
            point::binary(point::Binary::Add, curve, 1, a, b, &launch, PointsMut::projective(&mut out))
        }
        Op::PointScalarMul => {
            let scalar = vec![0u32; curve.info().scalar.info().bytes() / 4];
            let (scalars, points) = ((&scalar).into(), Points::affine(&affine));
            point::scalar_mul(curve, 1, scalars, points, &launch, PointsMut::projective(&mut out))
        }
        Op::PointUnary => point::normalize(curve, 1, Points::affine(&affine), &launch, PointsMut::projective(&mut out)),
        Op::PointEqual => {
            let (a, b) = (Points::affine(&affine), Points::projective(&projective));
            point::equal(curve, 1, a, b, &launch, (&mut out[..1]).into())
        }
        Op::EcNtt if curve.info().ecntt => domain(curve.info().scalar).and_then(|()| {
            ecntt(curve, 1, Direction::Forward, &NttConfig::default(), (&projective).into(), (&mut out).into())
        }),
        Op::EcNtt => {
            ecntt(curve, 1, Direction::Forward, &NttConfig::default(), (&projective).into(), (&mut out).into())
        }
        _ => return None,
    })
}
