//! Views read index by index, and what is refused.
#![allow(clippy::unwrap_used, clippy::panic)]

use icicle_array::*;
use icicle_device::Device;

const CPU: Device = Device::cpu(0);

/// Numbers that look random.
struct Random(u64);
impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
}

/// An array as its shape and values in C order: the model that views are compared with.
#[derive(Clone, PartialEq, Debug)]
struct Model {
    shape: Vec<usize>,
    values: Vec<i64>,
}

impl Model {
    /// The elements that a function of the new index names.
    fn map(&self, shape: Vec<usize>, from: impl Fn(&[usize]) -> Vec<usize>) -> Self {
        let n: usize = shape.iter().product();
        let value = |mut i: usize| {
            let mut index = vec![0; shape.len()];
            for (k, extent) in shape.iter().enumerate().rev() {
                index[k] = i % extent;
                i /= extent;
            }
            let place = from(&index).iter().zip(&self.shape).fold(0, |at, (&i, &extent)| at * extent + i);
            self.values[place]
        };
        Self { values: (0..n).map(value).collect(), shape }
    }
}

#[test]
fn chains_of_views_are_what_index_by_index_gives() {
    let mut random = Random(7);
    for _ in 0..2000 {
        let shape: Vec<usize> = (0..random.below(5)).map(|_| [0, 1, 2, 3, 4, 5, 7][random.below(7)]).collect();
        let n = shape.iter().product::<usize>() as i64;
        let values: Vec<i64> = (0..n).collect();
        let mut array = Array::from_slice(&values, &shape).unwrap();
        let mut model = Model { shape, values };
        for _ in 0..4 {
            (array, model) = step(&mut random, &array, &model);
            assert_eq!((array.shape(), array.to_vec::<i64>().unwrap()), (&model.shape[..], model.values.clone()));
            assert_eq!(array.copy().unwrap().to_vec::<i64>().unwrap(), model.values);
            assert_eq!(sum(&array, None, false, None).unwrap().to_vec::<i64>().unwrap(), [model.values.iter().sum()]);
        }
    }
}

fn step(random: &mut Random, array: &Array, model: &Model) -> (Array, Model) {
    let rank = model.shape.len();
    match random.below(5) {
        0 => {
            let mut order: Vec<usize> = (0..rank).collect();
            (1..rank).for_each(|k| order.swap(k, random.below(k + 1)));
            let signed: Vec<_> = order.iter().map(|&k| k as isize).collect();
            let back = |index: &[usize]| {
                let mut from = vec![0; rank];
                order.iter().zip(index).for_each(|(&k, &i)| from[k] = i);
                from
            };
            let shape = order.iter().map(|&k| model.shape[k]).collect();
            (array.permute_dims(&signed).unwrap(), model.map(shape, back))
        }
        1 if rank > 0 => {
            let axis = random.below(rank);
            let extent = model.shape[axis] as isize;
            let bound = |random: &mut Random| {
                let at = random.below(2 * extent as usize + 5) as isize - extent - 2;
                (random.below(4) > 0).then_some(at)
            };
            let step = [1, 2, 3, -1, -2, -5][random.below(6)];
            let slice = Slice { start: bound(random), stop: bound(random), step };
            // Python's rule, spelled out: indices from the start on, while they are before the stop.
            let place = |at: Option<isize>, none: isize| {
                let (least, most) = if step > 0 { (0, extent) } else { (-1, extent - 1) };
                at.map_or(none, |at| (if at < 0 { at + extent } else { at }).clamp(least, most))
            };
            let (first, last) = if step > 0 { (0, extent) } else { (extent - 1, -1) };
            let (mut at, stop) = (place(slice.start, first), place(slice.stop, last));
            let mut taken = Vec::new();
            while (step > 0 && at < stop) || (step < 0 && at > stop) {
                taken.push(at as usize);
                at += step;
            }
            let mut indices = vec![Index::Slice(Slice::ALL); axis];
            indices.push(Index::Slice(slice));
            let mut shape = model.shape.clone();
            shape[axis] = taken.len();
            let from = |index: &[usize]| {
                let mut from = index.to_vec();
                from[axis] = taken[index[axis]];
                from
            };
            (array.index(&indices).unwrap(), model.map(shape, from))
        }
        2 => {
            let at = random.below(rank + 1);
            let mut shape = model.shape.clone();
            shape.insert(at, 1);
            (array.expand_dims(at as isize).unwrap(), Model { shape, values: model.values.clone() })
        }
        3 => {
            // All extents as one, or the first two.
            let shape: Vec<usize> = match rank {
                0 | 1 => vec![model.values.len()],
                _ if random.below(2) == 0 => vec![model.values.len()],
                _ => [&[model.shape[0] * model.shape[1]], &model.shape[2..]].concat(),
            };
            let signed: Vec<_> = shape.iter().map(|&n| n as isize).collect();
            (array.reshape(&signed).unwrap(), Model { shape, values: model.values.clone() })
        }
        _ => {
            let mut shape = model.shape.clone();
            shape.iter_mut().filter(|extent| **extent == 1).for_each(|extent| *extent = random.below(4));
            shape.insert(0, 2);
            let from = |index: &[usize]| {
                index[1..].iter().zip(&model.shape).map(|(&i, &n)| if n == 1 { 0 } else { i }).collect()
            };
            (array.broadcast_to(&shape).unwrap(), model.map(shape.clone(), from))
        }
    }
}

#[test]
fn assignment_changes_one_array_only() {
    let x = Array::from_slice(&[1i32, 2, 3, 4, 5, 6], &[2, 3]).unwrap();
    let view = x.index(&[Index::At(1)]).unwrap();
    let mut y = x.clone();
    y.assign(
        &[Index::At(1), Index::Slice(Slice { start: None, stop: None, step: -2 })],
        &Array::from_slice(&[8i32, 9], &[2]).unwrap(),
    )
    .unwrap();
    assert_eq!(y.to_vec::<i32>().unwrap(), [1, 2, 3, 9, 5, 8]);
    assert_eq!((x.to_vec::<i32>().unwrap(), view.to_vec::<i32>().unwrap()), (vec![1, 2, 3, 4, 5, 6], vec![4, 5, 6]));
    // From itself, backwards.
    let mut z = arange(CPU, 0.into(), 5.into(), 1.into(), DType::Int64).unwrap();
    z.assign(&[], &z.flip(None).unwrap()).unwrap();
    assert_eq!(z.to_vec::<i64>().unwrap(), [4, 3, 2, 1, 0]);
}

#[test]
fn creation_gives_the_rule() {
    let floats = |x: Array| x.astype(DType::Float64).unwrap().to_vec::<f64>().unwrap();
    assert_eq!(floats(arange(CPU, 5.into(), (-2).into(), (-3).into(), DType::Int8).unwrap()), [5.0, 2.0, -1.0]);
    assert_eq!(
        floats(arange(CPU, 0.0.into(), 1.0.into(), 0.25.into(), DType::Float32).unwrap()),
        [0.0, 0.25, 0.5, 0.75]
    );
    assert_eq!(floats(arange(CPU, 3.into(), 1.into(), 1.into(), DType::Int8).unwrap()), []);
    assert_eq!(
        floats(linspace(CPU, 0.0.into(), 1.0.into(), 5, DType::Float64, true).unwrap()),
        [0.0, 0.25, 0.5, 0.75, 1.0]
    );
    assert_eq!(
        floats(linspace(CPU, 0.0.into(), 1.0.into(), 4, DType::Float16, false).unwrap()),
        [0.0, 0.25, 0.5, 0.75]
    );
    assert_eq!(floats(eye(CPU, 2, 3, 1, DType::UInt8).unwrap()), [0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(floats(full(CPU, &[2], 7.into(), DType::BFloat16).unwrap()), [7.0, 7.0]);
    let (a, b) = (Array::from_slice(&[1i64, 2], &[2]).unwrap(), Array::from_slice(&[3i64, 4, 5], &[3]).unwrap());
    let grid = meshgrid(&[&a, &b], true).unwrap();
    assert_eq!((grid[0].shape(), grid[1].to_vec::<i64>().unwrap()), (&[3, 2][..], vec![3, 3, 4, 4, 5, 5]));
}

#[test]
fn bad_arguments_are_errors_that_name_them() {
    let x = zeros(CPU, &[2, 3], DType::Float32).unwrap();
    let integers = zeros(CPU, &[2, 3], DType::Int32).unwrap();
    let empty = zeros(CPU, &[0], DType::Float32).unwrap();
    let refused: Vec<(icicle_error::Result<Array>, &str)> = vec![
        (zeros(CPU, &[usize::MAX, 2], DType::Int8), "exceeds the address space"),
        (zeros(CPU, &[0, usize::MAX, usize::MAX], DType::Int8), "exceeds the address space"),
        (zeros(CPU, &[1; 65], DType::Int8), "at most 64"),
        (Array::from_slice(&[1u8], &[2]), "shape [2] has 2"),
        (x.reshape(&[-1, -1]), "one may be -1"),
        (x.reshape(&[7]), "as many elements"),
        (empty.reshape(&[0, -1]), "could be anything"),
        (x.permute_dims(&[0, 0]), "occurs twice"),
        (x.permute_dims(&[0]), "must be all 2 axes"),
        (x.expand_dims(4), "axis 4"),
        (x.squeeze(&[0]), "must be 1"),
        (x.index(&[Index::At(2)]), "index 2"),
        (x.index(&[Index::At(isize::MIN)]), "index -9223372036854775808"),
        (x.index(&[Index::At(0); 3]), "at most 2"),
        (x.index(&[Index::Slice(Slice { start: None, stop: None, step: 0 })]), "must not be 0"),
        (x.broadcast_to(&[3, 2]), "does not broadcast"),
        (add(&x, &integers), "float32 and int32"),
        (add(&x, &zeros(CPU, &[4], DType::Float32).unwrap()), "[[2, 3], [4]]"),
        (sqrt(&integers), "int32"),
        (bitwise_and(&x, &x), "float32"),
        (less(&ones(CPU, &[1], DType::Complex64).unwrap(), &ones(CPU, &[1], DType::Complex64).unwrap()), "complex64"),
        (ones(CPU, &[1], DType::Complex64).unwrap().astype(DType::Float32), "complex64 to float32"),
        (full(CPU, &[1], 300.into(), DType::UInt8), "holds 0 to 255"),
        (min(&empty, None, false), "there is no element"),
        (argmax(&empty, None, false), "there is no element"),
        (sum(&x, Some(&[2]), false, None), "axis 2"),
        (mean(&integers, None, false), "floating point"),
        (matmul(&x, &x), "inner extents 3 and 2"),
        (concat(&[], None), "at least one"),
        (concat(&[&x, &empty], Some(0)), "equal but for axis 0"),
        (take(&x, &integers.assign_one(5), 0), "index 5"),
        (compress(&x, &x), "must be of bool"),
        (arange(CPU, 0.into(), 5.into(), 0.into(), DType::Int8), "must not be 0"),
        (arange(CPU, 0.into(), 500.into(), 1.into(), DType::Int8), "-128 to 127"),
        (tile(&x, &[usize::MAX]), "exceeds"),
        (repeat(&x, &[usize::MAX, 2], Some(0)), "exceed"),
    ];
    for (result, part) in refused {
        let error = result.unwrap_err();
        assert_eq!(error.code, icicle_error::ErrorCode::InvalidArgument, "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
}

trait AssignOne {
    fn assign_one(&self, value: i128) -> Array;
}
impl AssignOne for Array {
    fn assign_one(&self, value: i128) -> Array {
        let mut out = self.clone();
        out.assign(&[], &full(CPU, &[], value.into(), DType::Int32).unwrap()).unwrap();
        out
    }
}

#[test]
fn promotion_is_the_standards() {
    use DType::*;
    let got = |a, b| promote("add", a, b).ok();
    for (a, b, want) in [
        (Int8, Int16, Some(Int16)),
        (UInt8, Int8, Some(Int16)),
        (UInt32, Int8, Some(Int64)),
        (UInt64, Int64, None),
        (Float32, Float64, Some(Float64)),
        (Float16, BFloat16, Some(Float32)),
        (Float64, Complex64, Some(Complex128)),
        (Int32, Float32, None),
        (Bool, Int8, None),
        (Bool, Bool, Some(Bool)),
        (UInt8, UInt64, Some(UInt64)),
    ] {
        assert_eq!((got(a, b), got(b, a)), (want, want), "{a} {b}");
    }
    assert_eq!(Scalar::from(1).dtype_with("add", Float16).unwrap(), Float16);
    assert_eq!(Scalar::from(Complex::new(0.0, 1.0)).dtype_with("add", Float32).unwrap(), Complex64);
    assert!(Scalar::from(1.5).dtype_with("add", Int32).is_err() && Scalar::from(true).dtype_with("add", Int8).is_err());
    assert_eq!((finfo(Float32).unwrap().max, finfo(Float64).unwrap().max), (f64::from(f32::MAX), f64::MAX));
    assert_eq!((finfo(Float16).unwrap().max, finfo(Float64).unwrap().smallest_normal), (65504.0, f64::MIN_POSITIVE));
    assert_eq!((iinfo(UInt64).unwrap().max, iinfo(Int64).unwrap().min), (u64::MAX.into(), i64::MIN.into()));
    assert!(DType::ALL.iter().all(|d| d.name().parse() == Ok(*d) && DType::from_number(*d as i32) == Ok(*d)));
}

/// An array takes a buffer's memory over as it is.
#[test]
fn buffers_become_arrays() {
    let buffer = icicle_runtime::Buffer::from_slice(&[1u8, 0, 0, 0, 2, 0, 0, 0, 255, 255, 255, 255]).unwrap();
    let address = buffer.as_ptr();
    let array = Array::from_buffer(buffer, DType::Int32, &[3, 1]).unwrap();
    assert_eq!((array.to_vec::<i32>().unwrap(), array.shape()), (vec![1, 2, -1], &[3, 1][..]));
    assert_eq!(array.as_ptr().unwrap(), address, "without a copy");
    let other = || icicle_runtime::Buffer::from_slice(&[0u8; 12]).unwrap();
    for shape in [&[2][..], &[4], &[3, 0], &[usize::MAX, 2]] {
        let error = Array::from_buffer(other(), DType::Int32, shape).unwrap_err();
        assert_eq!(error.code, icicle_error::ErrorCode::InvalidArgument, "{shape:?}: {error}");
    }
    let empty = icicle_runtime::Buffer::<u8>::new(0).unwrap();
    assert_eq!(Array::from_buffer(empty, DType::Float64, &[0, 5]).unwrap().shape(), [0, 5]);
}

/// Elements of one layout lie where another's do that has fewer axes, and where the sum of indices times strides says.
#[test]
fn layouts_say_where_elements_lie() {
    let mut random = Random(7);
    for _ in 0..2000 {
        let shape: Vec<usize> = (0..random.below(5)).map(|_| random.below(5)).collect();
        let strides: Vec<isize> = match random.below(3) {
            0 => dense_strides(&shape),
            1 => dense_strides(&shape).into_iter().map(|stride| 3 * stride).collect(),
            _ => shape.iter().map(|_| random.below(21) as isize - 10).collect(),
        };
        let n: usize = shape.iter().product();
        let want: Vec<isize> = (0..n)
            .map(|mut i| {
                shape.iter().zip(&strides).rev().fold(200, |place, (&extent, &stride)| {
                    let along = (i % extent) as isize;
                    i /= extent;
                    place + along * stride
                })
            })
            .collect();
        let layout = Layout::within("array", &shape, &strides, 200, 1200).unwrap();
        assert_eq!(
            (layout.shape(), layout.strides(), layout.offset(), layout.len()),
            (&shape[..], &strides[..], 200, n)
        );
        let places = |layout: &Layout| layout.places().map(|place| place as isize).collect::<Vec<_>>();
        let mut merged = layout.merged();
        assert_eq!((places(&layout), places(&merged)), (want.clone(), want.clone()), "{layout:?}");
        assert!(merged.shape().len() <= shape.len() && (!layout.is_dense() || n == 0 || merged.shape().len() <= 1));
        if let Some((extent, stride)) = merged.pop_if(|_| n > 0) {
            let lines = places(&merged).into_iter().flat_map(|at| (0..extent as isize).map(move |i| at + i * stride));
            assert_eq!(lines.collect::<Vec<_>>(), want);
        }
        assert_eq!(merged.pop_if(|_| false), None);
        // Memory that ends before the last element, or begins after the first.
        if let (Some(&least), Some(&most)) = (want.iter().min(), want.iter().max()) {
            let within = |offset: isize, held: isize| {
                Layout::within("array", &shape, &strides, offset as usize, held as usize).map_err(|e| e.detail)
            };
            assert!(within(200 - least, most - least + 1).is_ok());
            let words = format!("elements 0 to {}: the buffer holds {}", most - least, most - least);
            assert_eq!(within(200 - least, most - least).unwrap_err(), words);
            if least < 200 {
                assert!(within(199 - least, 1200).unwrap_err().starts_with("elements -1 to"));
            }
        }
    }
    let refused =
        |shape: &[usize], strides: &[isize]| Layout::within("array", shape, strides, 0, 9).unwrap_err().detail;
    assert_eq!(refused(&[2, 3], &[1]), "1 strides: must be 2, one an axis");
    assert_eq!(refused(&[2], &[isize::MAX]), format!("elements 0 to {}: the buffer holds 9", isize::MAX));
    assert!(refused(&[usize::MAX / 2, 3], &[1, 1]).contains("exceeds the address space"));
}
