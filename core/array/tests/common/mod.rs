//! Vectors that NumPy wrote, as arrays, and the comparison with them.
#![allow(dead_code)] // each test uses a part

use icicle_array::{Array, Bool, DType, Element, Index, Slice, bf16, f16};
use icicle_device::Device;

/// Where arrays of these tests lie: on `cuda:0` with `ICICLE_TEST_DEVICE=cuda`, else on the CPU.
pub fn device() -> Device {
    match std::env::var("ICICLE_TEST_DEVICE").as_deref() {
        Ok("cuda") => Device::cuda(0),
        Ok(other) => panic!("ICICLE_TEST_DEVICE is {other}: must be cuda, or not set"),
        Err(_) => Device::cpu(0),
    }
}

/// A line: operation, arguments, operands and result.
pub struct Case {
    pub text: String,
    pub op: String,
    arguments: Vec<(String, String)>,
    pub operands: Vec<Array>,
    pub result: Array,
}

impl Case {
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
    pub fn integers(&self, name: &str) -> Option<Vec<isize>> {
        self.argument(name).map(|text| text.split(',').filter(|t| !t.is_empty()).map(|t| t.parse().unwrap()).collect())
    }
}

pub fn cases(text: &str) -> Vec<Case> {
    let cases: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).map(case).collect();
    assert!(!cases.is_empty());
    cases
}

fn case(line: &str) -> Case {
    let (call, result) = line.split_once(" -> ").unwrap();
    let mut words = call.split(' ');
    let op = words.next().unwrap().to_owned();
    let (arguments, operands): (Vec<_>, Vec<_>) = words.partition(|word| word.contains('='));
    let pair = |word: &str| word.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    Case {
        text: line[..line.len().min(200)].to_owned(),
        op,
        arguments: arguments.into_iter().map(pair).collect(),
        operands: operands.into_iter().map(array).collect(),
        result: array(result),
    }
}

fn array(word: &str) -> Array {
    let [dtype, shape, hex] = word.split(':').collect::<Vec<_>>()[..] else { panic!("{word}") };
    let shape: Vec<usize> = shape.split(',').filter(|t| !t.is_empty()).map(|t| t.parse().unwrap()).collect();
    let bytes: Vec<u8> = (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect();
    fn of<T: Element>(bytes: &[u8], shape: &[usize]) -> Array {
        let data: Vec<T> = bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect();
        Array::from_slice_on(device(), &data, shape).unwrap()
    }
    macro_rules! by {
        ($($name:ident $t:ty),*) => { match dtype.parse::<DType>().unwrap() { $(DType::$name => of::<$t>(&bytes, &shape),)* } };
    }
    by!(Bool Bool, Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16, UInt32 u32, UInt64 u64, Float16 f16,
        BFloat16 bf16, Float32 f32, Float64 f64, Complex64 icicle_array::Complex<f32>, Complex128 icicle_array::Complex<f64>)
}

/// The same values as every kind of view: dense, backwards with gaps, and with axes in another order.
pub fn views(x: &Array) -> Vec<Array> {
    let rank = x.rank();
    let mut all = vec![x.clone()];
    if rank == 0 {
        return all;
    }
    // Into every second element of a larger array, backwards.
    let shape: Vec<usize> = x.shape().iter().map(|&n| 2 * n + 1).collect();
    let mut wide = icicle_array::zeros(x.device(), &shape, x.dtype()).unwrap();
    let gap = |n: usize| match n {
        0 => Slice::range(0, 0),
        n => Slice { start: Some(2 * n as isize - 1), stop: None, step: -2 },
    };
    let gaps: Vec<_> = x.shape().iter().map(|&n| Index::Slice(gap(n))).collect();
    wide.assign(&gaps, x).unwrap();
    all.push(wide.index(&gaps).unwrap());
    if rank > 1 {
        let back: Vec<isize> = (0..rank as isize).rev().collect();
        all.push(x.permute_dims(&back).unwrap().copy().unwrap().permute_dims(&back).unwrap());
    }
    all
}

/// Check a result: equal, or within some units of the dtype's precision relative to the number (and NaN where NaN is due).
pub fn check(got: &Array, want: &Array, units: f64, context: &str) {
    assert_eq!((got.dtype(), got.shape()), (want.dtype(), want.shape()), "{context}");
    let dtype = got.dtype();
    if !dtype.is_floating() {
        assert_eq!(integers(got), integers(want), "{context}");
        return;
    }
    let eps = units * icicle_array::finfo(dtype).unwrap().eps;
    let complex = |x: &Array| x.astype(DType::Complex128).unwrap().to_vec::<icicle_array::Complex<f64>>().unwrap();
    for (i, (got, want)) in complex(got).into_iter().zip(complex(want)).enumerate() {
        let near = |a: f64, b: f64, size: f64| {
            (a.is_nan() && b.is_nan())
                || (a == b && (units > 0.0 || a.is_sign_negative() == b.is_sign_negative()))
                || (a - b).abs() <= eps * size + if units > 0.0 { 1e-300 } else { 0.0 }
        };
        // Functions of complex128 are exact to units of 1, not of results near 0.
        let least = if units > 8.0 { 1.0 } else { 0.0 };
        let size = if dtype.kind() == icicle_array::Kind::Complex { want.norm().max(least) } else { want.re.abs() };
        let size = if size.is_finite() { size } else { 0.0 };
        assert!(
            near(got.re, want.re, size) && near(got.im, want.im, size),
            "{context}: at {i} {got} for {want} of {dtype}"
        );
    }
}

fn integers(x: &Array) -> Vec<i128> {
    match x.dtype().kind() {
        icicle_array::Kind::Unsigned => {
            x.astype(DType::UInt64).unwrap().to_vec::<u64>().unwrap().into_iter().map(i128::from).collect()
        }
        _ => x.astype(DType::Int64).unwrap().to_vec::<i64>().unwrap().into_iter().map(i128::from).collect(),
    }
}
