//! Arrays over groups give what one device gives: groups of 1 to 7 virtual CPU devices of unequal shares, one of them 0; with
//! `ICICLE_TEST_DEVICE=cuda`, every GPU, and each of them beside CPUs.
#![allow(clippy::unwrap_used, clippy::panic)]
#![allow(unsafe_code)] // the environment, before any thread

use icicle_array::*;
use icicle_device::{Device, DeviceKind};
use icicle_error::ErrorCode;
use icicle_runtime::DeviceGroup;
use std::sync::Once;

const CPU: Device = Device::cpu(0);

fn groups() -> Vec<DeviceGroup> {
    static SET: Once = Once::new();
    // SAFETY: once, before anything asks for a device.
    SET.call_once(|| unsafe { std::env::set_var("ICICLE_CPU_DEVICES", "7") });
    let with_shares =
        |devices: Vec<Device>, shares: &[f64]| DeviceGroup::new(&devices).unwrap().with_shares(shares).unwrap();
    if std::env::var("ICICLE_TEST_DEVICE").is_ok_and(|kind| kind == "cuda") {
        let gpus: Vec<_> = (0..icicle_runtime::device_count(DeviceKind::Cuda)).map(Device::cuda).collect();
        let both = |gpu: &Device| with_shares(vec![Device::cpu(0), *gpu, Device::cpu(1)], &[1.0, 3.0, 0.0]);
        let all = with_shares(gpus.clone(), &(1..=gpus.len()).map(|share| share as f64).collect::<Vec<_>>());
        return gpus.iter().map(both).chain([all]).collect();
    }
    let shares: [&[f64]; 5] = [&[1.0], &[3.0, 1.0], &[1.0, 0.0, 2.0], &[1.0; 4], &[5.0, 1.0, 0.0, 2.0, 2.0, 1.0, 4.0]];
    let make = |shares: &&[f64]| with_shares((0..shares.len() as u32).map(Device::cpu).collect(), shares);
    shares.iter().map(make).collect()
}

/// Whole numbers of both signs, in a shape.
fn table(shape: &[usize], dtype: DType) -> Array {
    let n = shape.iter().product::<usize>();
    let values: Vec<i64> = (0..n as i64).map(|i| (i * 7919 + 13) % 41 - 20).collect();
    Array::from_slice(&values, shape).unwrap().astype(dtype).unwrap()
}

fn placements(rank: usize) -> Vec<Placement> {
    (0..rank).map(Placement::Split).chain([Placement::Replicated]).collect()
}

/// Values as doubles, which hold all that occur here; NaN as a number that does not.
fn values(x: &Array) -> Vec<f64> {
    let x = if x.dtype().kind() == Kind::Complex { real(x).unwrap() } else { x.clone() };
    let wide: Vec<f64> = x.astype(DType::Float64).unwrap().to_vec().unwrap();
    wide.into_iter().map(|v| if v.is_nan() { 1e300 } else { v }).collect()
}

/// That an array over a group is one on a device, also when it is placed otherwise.
fn same(group: &DeviceGroup, found: &ShardedArray, want: &Array, what: &str) {
    assert_eq!((found.shape(), found.dtype()), (want.shape(), want.dtype()), "{what}");
    let here = found.gather(group, CPU).unwrap();
    assert_eq!((here.shape(), here.dtype()), (want.shape(), want.dtype()), "{what}");
    assert_eq!(values(&here), values(want), "{what}");
    for placement in placements(want.rank()) {
        let moved = found.reshard(group, placement).unwrap();
        assert_eq!(moved.placement(), placement);
        for (position, part) in moved.parts().iter().enumerate() {
            assert_eq!((part.device(), part.dtype()), (group.devices()[position], want.dtype()), "{what}");
        }
        assert_eq!(values(&moved.gather(group, CPU).unwrap()), values(want), "{what} {placement:?}");
    }
}

const SHAPES: [&[usize]; 6] = [&[13, 8], &[3, 2], &[1, 5], &[0, 4], &[4, 3, 5], &[9]];

#[test]
fn elementwise_operations_equal_one_devices() {
    for group in groups() {
        for shape in SHAPES {
            for dtype in [DType::Float32, DType::Int16, DType::Complex64] {
                let x = table(shape, dtype);
                // Others that broadcast: the same shape, one row, one column, one number.
                let mut column = shape.to_vec();
                column[shape.len() - 1] = 1;
                let others =
                    [table(shape, DType::Float64), table(&shape[shape.len() - 1..], dtype), table(&column, dtype)];
                for placement in placements(shape.len()) {
                    let left = ShardedArray::scatter(&group, &x, placement).unwrap();
                    same(&group, &left, &x, "scattered");
                    let what = format!("{shape:?} {dtype} {placement:?} on {}", group.devices().len());
                    same(&group, &left.unary(&group, UnaryOp::Negative).unwrap(), &negative(&x).unwrap(), &what);
                    for other in others.iter().filter(|other| can_meet(dtype, other.dtype())) {
                        for theirs in placements(other.rank()) {
                            let right = ShardedArray::scatter(&group, other, theirs).unwrap();
                            for op in [BinaryOp::Multiply, BinaryOp::Equal] {
                                let found = left.binary(&group, op, &right).unwrap();
                                same(
                                    &group,
                                    &found,
                                    &binary(op, &x, other).unwrap(),
                                    &format!("{what} {op:?} {theirs:?}"),
                                );
                                let found = right.binary(&group, op, &left).unwrap();
                                same(
                                    &group,
                                    &found,
                                    &binary(op, other, &x).unwrap(),
                                    &format!("{what} {op:?} {theirs:?}"),
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn numbers_meet_arrays_as_on_one_device() {
    let (seven, half) = (Scalar::Int(7), Scalar::Float(0.5));
    for group in groups() {
        for (dtype, number) in [(DType::Int16, seven), (DType::Float32, half), (DType::Complex64, half)] {
            let x = table(&[4, 3], dtype);
            let y = full(CPU, &[], number, dtype).unwrap();
            for placement in placements(2) {
                let array = ShardedArray::scatter(&group, &x, placement).unwrap();
                for op in [BinaryOp::Subtract, BinaryOp::NotEqual] {
                    let what = format!("{dtype} {op:?} {placement:?}");
                    let found = array.binary_scalar(&group, op, number, false).unwrap();
                    assert_eq!(found.placement(), placement, "{what}");
                    same(&group, &found, &binary(op, &x, &y).unwrap(), &what);
                    let found = array.binary_scalar(&group, op, number, true).unwrap();
                    same(&group, &found, &binary(op, &y, &x).unwrap(), &what);
                }
            }
        }
        // A partial sum takes the number once, not on every device.
        let sums = ShardedArray::scatter(&group, &table(&[4, 3], DType::Float32), Placement::Split(0)).unwrap();
        let sums = sums.sum(&group, Some(&[0]), false).unwrap();
        let want = add(&sums.gather(&group, CPU).unwrap(), &full(CPU, &[], half, DType::Float32).unwrap()).unwrap();
        same(&group, &sums.binary_scalar(&group, BinaryOp::Add, half, false).unwrap(), &want, "partial");
    }
}

#[test]
fn an_axis_is_a_placement() {
    assert_eq!(Placement::along(None, 0).unwrap(), Placement::Replicated);
    assert_eq!(Placement::along(Some(1), 2).unwrap(), Placement::Split(1));
    assert_eq!(Placement::along(Some(-2), 2).unwrap(), Placement::Split(0));
    for axis in [2, -3, isize::MAX, isize::MIN] {
        let rule = format!("sharded_array: axis {axis}: an array of 2 axes has -2 to 1");
        assert_eq!(Placement::along(Some(axis), 2).unwrap_err().to_string(), rule);
    }
}

fn can_meet(a: DType, b: DType) -> bool {
    a == b || (a.is_floating() && b.is_floating())
}

#[test]
fn reductions_equal_one_devices() {
    type OfOne = fn(&Array, Option<&[isize]>, bool) -> Result<Array, icicle_error::Error>;
    type OfGroup = fn(&ShardedArray, &DeviceGroup, Option<&[isize]>, bool) -> Result<ShardedArray, icicle_error::Error>;
    let list: [(&str, OfOne, OfGroup); 8] = [
        ("sum", |x, axes, keep| sum(x, axes, keep, None), ShardedArray::sum),
        ("prod", |x, axes, keep| prod(x, axes, keep, None), ShardedArray::prod),
        ("mean", mean, ShardedArray::mean),
        ("min", min, ShardedArray::min),
        ("max", max, ShardedArray::max),
        ("all", all, ShardedArray::all),
        ("any", any, ShardedArray::any),
        ("count_nonzero", count_nonzero, ShardedArray::count_nonzero),
    ];
    for group in groups() {
        for shape in SHAPES {
            for dtype in [DType::Float32, DType::Int16, DType::Float16, DType::Bool] {
                let x = table(shape, dtype);
                for placement in placements(shape.len()) {
                    let array = ShardedArray::scatter(&group, &x, placement).unwrap();
                    let mut choices: Vec<Option<Vec<isize>>> =
                        (0..shape.len()).map(|k| Some(vec![k as isize])).collect();
                    choices.extend([None, Some(vec![]), Some(vec![-1, 0])]);
                    for (axes, keep) in choices.iter().flat_map(|axes| [(axes, false), (axes, true)]) {
                        for (name, one, all) in &list {
                            let what = format!("{name} {shape:?} {dtype} {placement:?} {axes:?} {keep}");
                            match (one(&x, axes.as_deref(), keep), all(&array, &group, axes.as_deref(), keep)) {
                                (Ok(want), Ok(found)) => same(&group, &found, &want, &what),
                                (Err(want), Err(found)) => assert_eq!(want.code, found.code, "{what}"),
                                (want, found) => panic!("{what}: {want:?} {found:?}"),
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn products_equal_one_devices_however_they_lie() {
    let shapes: [(&[usize], &[usize]); 9] = [
        (&[7, 5], &[5, 6]),
        (&[7, 5], &[5]),
        (&[5], &[5, 6]),
        (&[5], &[5]),
        (&[2, 7, 5], &[5, 6]),
        (&[2, 7, 5], &[2, 5, 6]),
        (&[7, 5], &[3, 5, 6]),
        (&[4, 0], &[0, 3]),
        // Sums that GPUs add among themselves.
        (&[1000, 5], &[5]),
    ];
    for group in groups() {
        for (a, b) in shapes {
            for dtype in [DType::Float32, DType::Int32] {
                let (x, y) = (table(a, dtype), table(b, dtype));
                let want = matmul(&x, &y).unwrap();
                for (one, two) in
                    placements(a.len()).into_iter().flat_map(|p| placements(b.len()).into_iter().map(move |q| (p, q)))
                {
                    let left = ShardedArray::scatter(&group, &x, one).unwrap();
                    let right = ShardedArray::scatter(&group, &y, two).unwrap();
                    let what = format!("{a:?} {b:?} {dtype} {one:?} {two:?} on {}", group.devices().len());
                    same(&group, &left.matmul(&group, &right).unwrap(), &want, &what);
                }
            }
        }
        // Columns against rows: no operand is moved, and the sums are partial until they are asked for.
        let (x, y) = (table(&[6, 8], DType::Float32), table(&[8, 3], DType::Float32));
        let left = ShardedArray::scatter(&group, &x, Placement::Split(1)).unwrap();
        let right = ShardedArray::scatter(&group, &y, Placement::Split(0)).unwrap();
        let sums = left.matmul(&group, &right).unwrap();
        assert_eq!(sums.placement(), Placement::Partial);
        let twice = sums.binary(&group, BinaryOp::Add, &sums).unwrap();
        assert_eq!(twice.placement(), Placement::Partial);
        let product = matmul(&x, &y).unwrap();
        same(&group, &twice, &add(&product, &product).unwrap(), "partial sums added");
        let squares = twice.binary(&group, BinaryOp::Multiply, &twice).unwrap();
        assert_eq!(squares.placement(), Placement::Replicated);
        let want = multiply(&product, &product).unwrap();
        same(
            &group,
            &squares,
            &multiply(&want, &full(CPU, &[], 4.0.into(), DType::Float32).unwrap()).unwrap(),
            "of sums",
        );
    }
}

#[test]
fn partial_sums_of_floats_are_rounded_once() {
    let groups = groups();
    // 1 and 2^25 cancel in double precision only.
    let x = Array::from_slice(&[33_554_432f32, 1.0, -33_554_432.0, 1.0], &[4]).unwrap();
    for group in groups {
        let array = ShardedArray::scatter(&group, &x, Placement::Split(0)).unwrap();
        assert_eq!(array.sum(&group, None, false).unwrap().item(&group).unwrap(), Scalar::Float(2.0));
        assert_eq!(array.mean(&group, None, false).unwrap().item(&group).unwrap(), Scalar::Float(0.5));
    }
}

#[test]
fn what_cannot_be_is_an_error() {
    groups(); // as many CPU devices as there are to be
    let of_cpus = |count: u32| DeviceGroup::new(&(0..count).map(Device::cpu).collect::<Vec<_>>()).unwrap();
    let (two, four) = (&of_cpus(2), &of_cpus(4));
    let x = table(&[4, 3], DType::Float32);
    let array = ShardedArray::scatter(two, &x, Placement::Split(0)).unwrap();
    let refused = |result: Result<ShardedArray, icicle_error::Error>, words: &str| {
        let error = result.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        assert!(error.to_string().contains(words), "{error}");
    };
    refused(ShardedArray::scatter(two, &x, Placement::Split(2)), "split of axis 2: the array has 2 axes");
    refused(ShardedArray::scatter(two, &x, Placement::Partial), "placement Partial");
    refused(array.sum(four, None, false), "array on cpu:0, cpu:1: the group has cpu:0, cpu:1, cpu:2, cpu:3");
    refused(array.reshard(four, Placement::Split(0)), "the group has");
    refused(array.matmul(two, &array), "inner extents must be equal");
    refused(array.sum(two, Some(&[2]), false), "axis 2");
    let other = ShardedArray::scatter(two, &table(&[2, 3], DType::Float32), Placement::Replicated).unwrap();
    refused(array.binary(two, BinaryOp::Add, &other), "extents of an axis must be equal or 1");
    let whole = ShardedArray::scatter(two, &table(&[4, 3], DType::Int32), Placement::Replicated).unwrap();
    refused(array.binary(two, BinaryOp::Add, &whole), "have no common dtype");
    refused(whole.unary(two, UnaryOp::Sqrt), "the operation is not defined for it");
    refused(
        whole.binary_scalar(two, BinaryOp::Add, Scalar::Float(0.5), false),
        "scalar Float(0.5) with an array of int32",
    );
    refused(whole.binary_scalar(two, BinaryOp::Add, Scalar::Int(1 << 40), true), "int32 holds");
    refused(whole.binary_scalar(four, BinaryOp::Add, Scalar::Int(1), false), "the group has");
    refused(whole.mean(two, None, false), "must be floating point");
}
