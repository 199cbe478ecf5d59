//! Matrices and polynomials on the device, on every field, against the CPU device.

use super::vector::{Case, elements, offered};
use super::{exclusive, fake, small};
use icicle::device::{Dst, Src};
use icicle::ops::matrix::{self, MatMulConfig};
use icicle::ops::polynomial;
use icicle::ops::vector::VectorConfig;
use icicle::ops::{Op, vector};
use icicle::{Buffer, Device, FIELDS, FieldId};

fn transposes(field: FieldId) -> usize {
    let words = field.info().bytes() / 4;
    let mut shapes = vec![(1, 1, 1), (1, 7, 2), (33, 17, 1), (16, 16, 3), (5, 100, 2)];
    if !small() {
        shapes.push((257, 130, 2));
    }
    for &(rows, cols, batch) in &shapes {
        for columns in [false, true] {
            let a = elements(field, rows * cols * batch, 21);
            let name = format!("{} transpose {rows} x {cols} x {batch}, columns {columns}", field.name());
            let config = VectorConfig { batch, columns, ..VectorConfig::default() };
            let call = |s: &[icicle::device::Src<'_>], c: &VectorConfig, out: icicle::device::Dst<'_>| {
                matrix::transpose(field, rows, cols, s[0], c, out)
            };
            let out_words = a.len();
            Case { name, inputs: vec![&a], out_words, call: &call }.compare(&config);
            assert_eq!(a.len(), rows * cols * batch * words);
        }
    }
    2 * shapes.len()
}

#[test]
fn transposes_agree_with_the_cpu() {
    let Some(_one) = exclusive() else { return };
    let fields = FIELDS.iter().filter(|row| offered(Op::MatrixTranspose, row.id));
    println!("{} transposes agree with the CPU", fields.map(|row| transposes(row.id)).sum::<usize>());
}

#[test]
fn transposes_work_in_place() {
    let Some(_one) = exclusive() else { return };
    let field = FieldId::Bn254Scalar;
    if fake() || !offered(Op::MatrixTranspose, field) {
        return;
    }
    let (rows, cols) = (30, 47);
    let a = elements(field, rows * cols, 4);
    let mut x = Buffer::from_slice_on(Device::cuda(0), &a).unwrap();
    let config = VectorConfig::default();
    let dst = icicle::device::Dst::from(&mut x);
    matrix::transpose(field, rows, cols, dst.as_src(), &config, dst).unwrap();
    let dst = icicle::device::Dst::from(&mut x);
    matrix::transpose(field, cols, rows, dst.as_src(), &config, dst).unwrap();
    assert!(x.to_vec().unwrap() == a);
}

#[test]
fn products_agree_with_the_cpu() {
    let Some(_one) = exclusive() else { return };
    let mut count = 0;
    for row in FIELDS.iter().filter(|row| offered(Op::MatrixMultiply, row.id)) {
        let (field, words) = (row.id, row.bytes() / 4);
        for (rows, inner, cols) in [(1, 1, 1), (3, 5, 2), (17, 33, 65), (70, 20, 18)] {
            let (a, b) = (elements(field, rows * inner, 5), elements(field, inner * cols, 6));
            for flags in 0..8 {
                let (ta, tb, tr) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0);
                let shape = |r, c, transposed: bool| if transposed { (c, r) } else { (r, c) };
                let call = |s: &[icicle::device::Src<'_>], c: &VectorConfig, out: icicle::device::Dst<'_>| {
                    let config = MatMulConfig {
                        launch: c.launch.clone(),
                        a_transposed: ta,
                        b_transposed: tb,
                        result_transposed: tr,
                    };
                    matrix::multiply(field, s[0], shape(rows, inner, ta), s[1], shape(inner, cols, tb), &config, out)
                };
                let name = format!("{} product {rows} x {inner} x {cols}, flags {flags}", field.name());
                let case = Case { name, inputs: vec![&a, &b], out_words: rows * cols * words, call: &call };
                case.compare(&VectorConfig::default());
                count += 1;
            }
        }
    }
    println!("{count} matrix products agree with the CPU");
}

#[test]
fn values_of_polynomials_agree_with_the_cpu() {
    let Some(_one) = exclusive() else { return };
    let mut count = 0;
    for row in FIELDS.iter().filter(|row| offered(Op::PolynomialEvaluate, row.id)) {
        let (field, words) = (row.id, row.bytes() / 4);
        let mut sizes = vec![0, 1, 2, 255, 257, 1000];
        if !small() {
            sizes.push(40_000);
        }
        for n in sizes {
            for (points, batch, columns) in [(1, 1, false), (3, 2, false), (3, 2, true)] {
                let (coeffs, domain) = (elements(field, n * batch, 8), elements(field, points, 9));
                let call = |s: &[icicle::device::Src<'_>], c: &VectorConfig, out: icicle::device::Dst<'_>| {
                    polynomial::evaluate(field, n, s[0], points, s[1], c, out)
                };
                let name = format!("{} values, n {n}, points {points}, batch {batch}, {columns}", field.name());
                let out_words = points * batch * words;
                let config = VectorConfig { batch, columns, ..VectorConfig::default() };
                Case { name, inputs: vec![&coeffs, &domain], out_words, call: &call }.compare(&config);
                count += 1;
            }
        }
    }
    println!("{count} polynomial evaluations agree with the CPU");
}

#[test]
fn divisions_agree_with_the_cpu() {
    let Some(_one) = exclusive() else { return };
    // What the driver of our own cannot compute, the host cannot go on with.
    if fake() {
        return;
    }
    let mut count = 0;
    for row in FIELDS.iter().filter(|row| offered(Op::PolynomialDivide, row.id)) {
        let (field, words) = (row.id, row.bytes() / 4);
        let mut sizes = vec![(1, 1), (100, 36), (700, 300), (300, 700)];
        if !small() {
            sizes.push((5000, 1800));
        }
        for (n, m) in sizes {
            for (batch, columns) in [(1, false), (3, false), (3, true)] {
                let numerator = elements(field, n * batch, 41);
                let mut denominator = elements(field, m * batch, 42);
                for v in 0..batch {
                    let last = if columns { (m - 1) * batch + v } else { v * m + m - 1 };
                    denominator[last * words..(last + 1) * words].fill(0);
                    denominator[last * words] = 5 + v as u32;
                }
                let q_size = (n + 1).saturating_sub(m) + 1;
                let call = |s: &[Src<'_>], c: &VectorConfig, out: Dst<'_>| {
                    let q_bytes = q_size * batch * words * 4;
                    // SAFETY: the two halves of the output.
                    let half = |first: usize, bytes: usize| unsafe {
                        Dst::from_raw_parts(out.as_ptr().add(first), bytes, out.place())
                    };
                    let (q, r) = (half(0, q_bytes), half(q_bytes, n * batch * words * 4));
                    polynomial::divide(field, n, s[0], m, s[1], c, q_size, q, n, r)
                };
                let name = format!("{} division {n} by {m}, batch {batch}, {columns}", field.name());
                let out_words = (q_size + n) * batch * words;
                let config = VectorConfig { batch, columns, ..VectorConfig::default() };
                Case { name, inputs: vec![&numerator, &denominator], out_words, call: &call }.compare(&config);
                count += 1;
            }
        }
    }
    println!("{count} divisions agree with the CPU");
}

#[test]
fn scratch_memory_goes_back() {
    let Some(_one) = exclusive() else { return };
    let (field, cuda) = (FieldId::Bn254Scalar, Device::cuda(0));
    if !offered(Op::VectorInv, field) {
        return;
    }
    let used = || icicle::device::memory_stats(cuda).unwrap().used;
    let before = used();
    let data = elements(field, 5000, 3);
    let mut out = vec![0u32; data.len()];
    let _guard = icicle::DeviceGuard::new(cuda).unwrap();
    vector::inv(field, 5000, (&data).into(), &VectorConfig::default(), (&mut out).into()).unwrap();
    assert_eq!(used(), before);
}
