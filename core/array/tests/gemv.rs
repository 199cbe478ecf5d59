//! Products of matrices and vectors at the edges of lanes, groups and tasks, against products of integers.
#![allow(clippy::unwrap_used)]

use icicle_array::*;
use icicle_device::Device;

#[test]
fn products_with_vectors_are_those_of_integers() {
    let cpu = Device::cpu(0);
    let integers = |x: &Array| x.astype(DType::Int64).unwrap().to_vec::<i64>().unwrap();
    for m in [1usize, 2, 3, 4, 5, 31, 32, 33, 5119, 5120, 5121, 16385] {
        for k in [0usize, 1, 3, 4, 5, 15, 16, 17, 33, 129] {
            let of = |n: usize, by: i64| (0..n as i64).map(|i| i * 7 % by - by / 2).collect::<Vec<_>>();
            let (x, v) = (of(m * k, 13), of(k, 11));
            // Small enough that sums are exact in float32 too.
            let want: Vec<i64> = (0..m).map(|i| x[i * k..][..k].iter().zip(&v).map(|(a, b)| a * b).sum()).collect();
            let (x, v) = (Array::from_slice(&x, &[m, k]).unwrap(), Array::from_slice(&v, &[k]).unwrap());
            for dtype in [DType::Float32, DType::Float64] {
                let (x, v) = (x.astype(dtype).unwrap(), v.astype(dtype).unwrap());
                let by_columns = x.matrix_transpose().unwrap().copy().unwrap().matrix_transpose().unwrap();
                let backwards = x.flip(None).unwrap().copy().unwrap().flip(None).unwrap();
                for x in [x, by_columns, backwards] {
                    let context = format!("{m} {k} {dtype} {:?}", x.strides());
                    assert_eq!(integers(&matmul(&x, &v).unwrap()), want, "{context}");
                    let row = matmul(&v, &x.matrix_transpose().unwrap()).unwrap();
                    assert_eq!(integers(&row), want, "{context}, as a row");
                }
                let twice = Array::broadcast_to(&v, &[2, k]).unwrap().expand_dims(2).unwrap();
                let batch = matmul(&full(cpu, &[2, 3, k], 1.into(), dtype).unwrap(), &twice).unwrap();
                let sum: i64 = integers(&v).iter().sum();
                assert_eq!(integers(&batch), [sum; 6]);
            }
        }
    }
}
