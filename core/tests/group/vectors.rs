//! Vector operations, reductions, programs and evaluations over groups.

use super::{elements, groups};
use icicle::algebra::Limbs;
use icicle::device::{Input, Layout, Output, Sharded};
use icicle::ops::program::{Predefined, Program};
use icicle::ops::vector::{self, Binary, Reduce, VectorConfig};
use icicle::ops::{group as over, polynomial};
use icicle::{Buffer, Device, DeviceGroup, FIELDS, FieldId, Result};

const SIZES: [usize; 7] = [0, 1, 5, 7, 64, 4096, 4999];

/// A call over a group on words that lie on the host, on a device, or sharded: the result of one device each time.
fn everywhere(
    group: &DeviceGroup,
    inputs: &[(&[u32], usize)],
    bytes: usize,
    expected: &[u32],
    call: impl Fn(&[Input<'_>], Output<'_>) -> Result<()>,
) {
    let what = format!("{} elements on {:?}", expected.len() * 4 / bytes, group.shares());
    let mut out = vec![7u32; expected.len()];
    let whole: Vec<Input> = inputs.iter().map(|(words, _)| Input::from(*words)).collect();
    call(&whole, (&mut out).into()).unwrap();
    assert_eq!(out, expected, "host, {what}");
    let device = group.devices()[group.devices().len() - 1];
    let buffers: Vec<_> = inputs.iter().map(|(words, _)| Buffer::from_slice_on(device, words).unwrap()).collect();
    let whole: Vec<Input> = buffers.iter().map(Input::from).collect();
    let mut on_device = Buffer::from_slice_on(group.devices()[0], &vec![7u32; expected.len()]).unwrap();
    call(&whole, (&mut on_device).into()).unwrap();
    assert_eq!(on_device.to_vec().unwrap(), expected, "device, {what}");
    let n = expected.len() * 4 / bytes;
    for layouts in [
        [Layout::Blocks, Layout::Blocks],
        [Layout::Cyclic, Layout::Cyclic],
        [Layout::Replicated, Layout::Blocks],
        [Layout::Blocks, Layout::Replicated],
    ] {
        let scattered = |(words, width): &(&[u32], usize)| {
            let mut vector = Sharded::new(group, n, *width, layouts[0]).unwrap();
            vector.scatter(group, (*words).into()).unwrap();
            vector
        };
        let vectors: Vec<Sharded> = inputs.iter().map(scattered).collect();
        let sources: Vec<Input> = vectors.iter().map(Input::from).collect();
        let mut result = Sharded::new(group, n, bytes, layouts[1]).unwrap();
        call(&sources, (&mut result).into()).unwrap();
        let mut out = vec![7u32; expected.len()];
        result.gather(group, (&mut out).into()).unwrap();
        assert_eq!(out, expected, "{layouts:?}, {what}");
        // Each copy of a replicated result.
        if layouts[1] == Layout::Replicated {
            for part in result.parts() {
                assert_eq!(part.to_vec().unwrap(), super::bytes_of(expected), "{what}");
            }
        }
    }
}

fn one(words: usize, call: impl Fn(icicle::device::Dst<'_>) -> Result<()>) -> Vec<u32> {
    let mut out = vec![0; words];
    call((&mut out).into()).unwrap();
    out
}

#[test]
fn elementwise_operations_give_what_one_device_gives() {
    let config = VectorConfig::default();
    for group in groups() {
        for row in FIELDS.iter() {
            let (field, bytes) = (row.id, row.id.info().bytes());
            for n in SIZES {
                let (a, b) = (elements(field, n, 1), elements(field, n, 2));
                for op in [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div] {
                    let expected =
                        one(a.len(), |out| vector::binary(op, field, n, (&a).into(), (&b).into(), &config, out));
                    everywhere(&group, &[(&a, bytes), (&b, bytes)], bytes, &expected, |x, out| {
                        over::binary(&group, op, field, n, x[0], x[1], out)
                    });
                }
                let by = elements(field, 1, 3);
                let expected =
                    one(a.len(), |out| vector::scalar(Binary::Mul, field, n, (&by).into(), (&a).into(), &config, out));
                everywhere(&group, &[(&a, bytes)], bytes, &expected, |x, out| {
                    over::scalar(&group, Binary::Mul, field, n, (&by).into(), x[0], out)
                });
                let expected = one(a.len(), |out| vector::inv(field, n, (&a).into(), &config, out));
                everywhere(&group, &[(&a, bytes)], bytes, &expected, |x, out| over::inv(&group, field, n, x[0], out));
                let expected =
                    one(a.len(), |out| vector::convert_montgomery(field, n, (&a).into(), true, &config, out));
                everywhere(&group, &[(&a, bytes)], bytes, &expected, |x, out| {
                    over::convert_montgomery(&group, field, n, x[0], true, out)
                });
                if row.role == icicle_params::Role::Extension {
                    let scalar = field.scalar();
                    let small = elements(scalar, n, 4);
                    let expected =
                        one(a.len(), |out| vector::mixed_mul(field, n, (&a).into(), (&small).into(), &config, out));
                    everywhere(&group, &[(&a, bytes), (&small, scalar.info().bytes())], bytes, &expected, |x, out| {
                        over::mixed_mul(&group, field, n, x[0], x[1], out)
                    });
                }
            }
        }
    }
}

#[test]
fn vectors_accumulate_in_place() {
    for group in groups() {
        let field = FieldId::BabyBearScalar;
        for n in SIZES {
            let (a, b) = (elements(field, n, 1), elements(field, n, 2));
            let mut expected = a.clone();
            vector::accumulate(field, n, (&mut expected).into(), (&b).into(), &VectorConfig::default()).unwrap();
            let mut whole = a.clone();
            over::accumulate(&group, field, n, &mut whole, &b).unwrap();
            assert_eq!(whole, expected);
            let mut on_device = Buffer::from_slice_on(group.devices()[0], &a).unwrap();
            over::accumulate(&group, field, n, &mut on_device, &b).unwrap();
            assert_eq!(on_device.to_vec().unwrap(), expected);
            for layout in Layout::ALL {
                let mut sum = Sharded::from_slice(&group, &a, layout).unwrap();
                let other = Sharded::from_slice(&group, &b, layout).unwrap();
                over::accumulate(&group, field, n, &mut sum, &other).unwrap();
                assert_eq!(sum.to_vec::<u32>(&group).unwrap(), expected, "{layout:?}");
            }
        }
    }
}

#[test]
fn sums_products_and_evaluations_meet() {
    let config = VectorConfig::default();
    for group in groups() {
        for row in FIELDS.iter() {
            let (field, bytes) = (row.id, row.id.info().bytes());
            for n in SIZES {
                let a = elements(field, n, 5);
                let sharded = |layout| {
                    let mut vector = Sharded::new(&group, n, bytes, layout).unwrap();
                    vector.scatter(&group, (&a).into()).unwrap();
                    vector
                };
                for op in [Reduce::Sum, Reduce::Product] {
                    let expected = one(bytes / 4, |out| vector::reduce(op, field, n, (&a).into(), &config, out));
                    assert_eq!(one(bytes / 4, |out| over::reduce(&group, op, field, n, &a, out)), expected);
                    for layout in Layout::ALL {
                        let vector = sharded(layout);
                        let got = one(bytes / 4, |out| over::reduce(&group, op, field, n, &vector, out));
                        assert_eq!(got, expected, "{op:?} of {n} in {layout:?} over {}", field.name());
                    }
                }
                for points in [0, 1, 3] {
                    let at = elements(field, points, 6);
                    let words = points * bytes / 4;
                    let expected = one(words, |out| {
                        polynomial::evaluate(field, n, (&a).into(), points, (&at).into(), &config, out)
                    });
                    let got = |coeffs: Input<'_>| {
                        one(words, |out| over::evaluate(&group, field, n, coeffs, points, (&at).into(), out))
                    };
                    assert_eq!(got((&a).into()), expected);
                    for layout in [Layout::Blocks, Layout::Replicated] {
                        assert_eq!(got((&sharded(layout)).into()), expected, "{n} coefficients over {}", field.name());
                    }
                }
            }
        }
    }
}

#[test]
fn programs_run_where_the_vectors_lie() {
    let program = Program::predefined(Predefined::EqTimesAbMinusC);
    for group in groups() {
        for field in [FieldId::Bn254Scalar, FieldId::BabyBearScalar] {
            let bytes = field.info().bytes();
            for n in SIZES {
                let inputs: Vec<Vec<u32>> =
                    (1..=program.parameters() as u8).map(|seed| elements(field, n, seed)).collect();
                let mut expected = inputs.clone();
                let mut vectors: Vec<_> = expected.iter_mut().map(icicle::device::Dst::from).collect();
                icicle::ops::program::execute(field, &program, &mut vectors, n, &VectorConfig::default()).unwrap();
                for layout in Layout::ALL {
                    let mut sharded: Vec<Sharded> = inputs
                        .iter()
                        .map(|words| {
                            let mut vector = Sharded::new(&group, n, bytes, layout).unwrap();
                            vector.scatter(&group, words.into()).unwrap();
                            vector
                        })
                        .collect();
                    over::execute(&group, field, &program, &mut sharded.iter_mut().collect::<Vec<_>>()).unwrap();
                    for (vector, expected) in sharded.iter().zip(&expected) {
                        let mut got = vec![0; expected.len()];
                        vector.gather(&group, (&mut got).into()).unwrap();
                        assert_eq!(&got, expected, "{layout:?} {n}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_named() {
    super::ready();
    let group = DeviceGroup::new(&super::cpus(2)).unwrap();
    let field = FieldId::Bn254Scalar;
    let data: Vec<Limbs<4>> = (0..8).map(|i| Limbs([i, 0, 0, 0])).collect();
    let (blocks, cyclic) = (
        Sharded::from_slice(&group, &data, Layout::Blocks).unwrap(),
        Sharded::from_slice(&group, &data, Layout::Cyclic).unwrap(),
    );
    let mut out = data.clone();
    let message = |result: Result<()>| result.unwrap_err().to_string();
    assert_eq!(
        message(over::binary(&group, Binary::Add, field, 8, &blocks, &cyclic, &mut out)),
        "vector_add: a cyclic vector with others that are not: reshard it first"
    );
    assert_eq!(
        message(over::binary(&group, Binary::Add, field, 7, &blocks, &blocks, &mut out)),
        "vector_add: vec_a holds 8 elements of 32 bytes: need 7 of 32"
    );
    let division = over::scalar(&group, Binary::Div, field, 8, (&data[..1]).into(), &data, &mut out);
    assert!(message(division).contains("operation div: must be add, sub or mul"));
    let mut value = [Limbs([0u64; 4])];
    assert_eq!(
        message(over::evaluate(&group, field, 8, &cyclic, 1, (&data[..1]).into(), (&mut value[..]).into())),
        "poly_eval: coeffs: must not be cyclic: reshard them first"
    );
    let mut on_device = Buffer::from_slice_on(Device::cpu(1), &data).unwrap();
    assert_eq!(
        message(over::accumulate(&group, field, 8, &mut on_device, &cyclic)),
        "vector_accumulate: a cyclic vector with others that are not: reshard it first"
    );
    assert_eq!(on_device.to_vec().unwrap(), data, "nothing written");
    assert_eq!(out, data, "nothing written");
    let (start, end) = out.split_at_mut(4);
    let overlapping = over::binary(&group, Binary::Add, field, 4, &data[..4], &data[..4], &mut *end);
    overlapping.unwrap();
    assert_eq!(start, &data[..4]);
    assert_eq!(Device::cpu(0), group.devices()[0]);
}
