//! Cases for `array_rows.cpp`: what the core's CPU device takes and sets by indices, and the sequences it makes.

use crate::Random;
use icicle::Device;
use icicle::array::{Array, Complex, DType, Element, Scalar, arange, linspace, nonzero, take, take_along_axis};
use icicle_kernels::array_rows::{ITEMS, SLOT};
use std::fmt::Write;

/// One case a line.
pub fn cases() -> String {
    let mut out = format!("constants {ITEMS} {SLOT}\n");
    let mut random = Random(20);
    for (outer, extent, taken) in [(1, 1, 1), (1, 7, 40), (3, 5, 4), (40, 2, 3)] {
        for row in [1, 3, 4, 6, 16, 48, 130, 2064] {
            take_rows(&mut random, (outer, extent, taken), row, &mut out);
        }
        take_lines::<u8>(&mut random, (outer, extent, taken), &mut out);
        take_lines::<u16>(&mut random, (outer, extent, taken), &mut out);
        take_lines::<u32>(&mut random, (outer, extent, taken), &mut out);
        take_lines::<u64>(&mut random, (outer, extent, taken), &mut out);
        take_lines::<Complex<f64>>(&mut random, (outer, extent, taken), &mut out);
    }
    for (extents, n) in [([1, 1], 1), ([1, 1], 50), ([7, 9], 30), ([7, 9], 400), ([1000, 3], 20), ([64, 64], 900)] {
        for row in [1, 2, 12, 40, 160] {
            set_rows(&mut random, extents, n, row, &mut out);
        }
    }
    first_outside(&mut out);
    indices_of_axes(&mut random, &mut out);
    sequences(&mut out);
    for (from, n) in [(0, 1), (0, 16), (1, 16), (3, 8), (0, 40), (16, 1024), (8, 1024), (0, 3000), (0, 4096)] {
        writeln!(out, "host {from} {}", hex(&bytes(&mut random, from + n))).unwrap();
    }
    out
}

fn hex(bytes: &[u8]) -> String {
    // A mark before them, so that none at all are a word too.
    bytes.iter().fold("x".to_owned(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

fn raw(x: &Array) -> Vec<u8> {
    let mut bytes = vec![0; x.len() * x.dtype().bytes()];
    x.copy_to_bytes(&mut bytes).unwrap();
    bytes
}

fn bytes(random: &mut Random, n: usize) -> Vec<u8> {
    (0..n).map(|_| random.next() as u8).collect()
}

/// Indices on an axis, from its end too.
fn indices(random: &mut Random, n: usize, extent: usize) -> Vec<i64> {
    (0..n).map(|_| (random.next() % (2 * extent as u64)) as i64 - extent as i64).collect()
}

fn numbers(list: &[i64]) -> String {
    list.iter().map(|x| format!(" {x}")).collect()
}

fn take_rows(random: &mut Random, (outer, extent, taken): (usize, usize, usize), row: usize, out: &mut String) {
    let x = Array::from_slice(&bytes(random, outer * extent * row), &[outer, extent, row]).unwrap();
    let places = indices(random, taken, extent);
    let want = take(&x, &Array::from_slice(&places, &[taken]).unwrap(), 1).unwrap();
    let (places, x, want) = (numbers(&places), hex(&raw(&x)), hex(&raw(&want)));
    writeln!(out, "take {outer} {extent} {taken} {row} 0 1{places} {x} {want}").unwrap();
}

fn take_lines<T: Element>(random: &mut Random, (outer, extent, taken): (usize, usize, usize), out: &mut String) {
    let size = size_of::<T>();
    let elements: Vec<T> =
        bytes(random, outer * extent * size).chunks_exact(size).map(bytemuck::pod_read_unaligned).collect();
    let x = Array::from_slice(&elements, &[outer, extent]).unwrap();
    // Unsigned, so that none counts from the end.
    let places: Vec<u32> = (0..outer * taken).map(|_| (random.next() % extent as u64) as u32).collect();
    let want = take_along_axis(&x, &Array::from_slice(&places, &[outer, taken]).unwrap(), 1).unwrap();
    let places = numbers(&places.into_iter().map(i64::from).collect::<Vec<_>>());
    let (x, want) = (hex(&raw(&x)), hex(&raw(&want)));
    writeln!(out, "take {outer} {extent} {taken} {size} 1 0{places} {x} {want}").unwrap();
}

fn set_rows(random: &mut Random, [a, b]: [usize; 2], n: usize, row: usize, out: &mut String) {
    let mut x = Array::from_slice(&bytes(random, a * b * row), &[a, b, row]).unwrap();
    let values = Array::from_slice(&bytes(random, n * row), &[n, row]).unwrap();
    let (first, second) = (indices(random, n, a), indices(random, n, b));
    let before = hex(&raw(&x));
    let places = [&first, &second].map(|list| Array::from_slice(list, &[n]).unwrap());
    x.assign_at(&[&places[0], &places[1]], &values).unwrap();
    let (first, second) = (numbers(&first), numbers(&second));
    let (values, want) = (hex(&raw(&values)), hex(&raw(&x)));
    writeln!(out, "set {a} {b} {row} {n}{first}{second} {before} {values} {want}").unwrap();
}

/// Indices of which some are outside the axis, and the one that the error names.
fn first_outside(out: &mut String) {
    let mut case = |extent: usize, wraps: u32, list: &[i64]| {
        let x = Array::from_slice(&vec![0u8; extent], &[extent]).unwrap();
        let signed = Array::from_slice(list, &[list.len()]).unwrap();
        let places = if wraps == 1 { signed } else { signed.astype(icicle::array::DType::UInt64).unwrap() };
        let error = take(&x, &places, 0).unwrap_err().to_string();
        let named = error.strip_prefix("take: index ").unwrap().split(':').next().unwrap();
        writeln!(out, "outside {extent} {wraps} {named} {}{}", list.len(), numbers(list)).unwrap();
    };
    case(0, 1, &[0]);
    case(0, 1, &[-1, 0]);
    case(5, 1, &[4, -5, 5, -6]);
    case(5, 1, &[0, -6, 5]);
    case(5, 0, &[0, 4, -1, 5]);
    case(3, 1, &[i64::MAX, 1]);
    case(3, 1, &[1, i64::MIN]);
    let mut long = vec![2; 1000];
    (long[640], long[641], long[999]) = (3, 4, 5);
    case(3, 1, &long);
    // One thread meets those that are 96 apart.
    (long[3], long[195], long[500]) = (-4, 9, 77);
    case(3, 1, &long);
}

fn indices_of_axes(random: &mut Random, out: &mut String) {
    for shape in [[1, 1, 1], [3, 5, 7], [20, 1, 33]] {
        let n: usize = shape.iter().product();
        let flags: Vec<u8> = (0..n).map(|_| (random.next() % 3) as u8).collect();
        let places: Vec<i64> = (0..n).filter(|&i| flags[i] != 0).map(|i| i as i64).collect();
        let found = nonzero(&Array::from_slice(&flags, &shape).unwrap()).unwrap();
        let mut step = n;
        for (axis, &extent) in shape.iter().enumerate() {
            step /= extent;
            let want = numbers(&found[axis].to_vec::<i64>().unwrap());
            writeln!(out, "nonzero {step} {extent} {}{}{want}", places.len(), numbers(&places)).unwrap();
        }
    }
}

fn sequences(out: &mut String) {
    let cpu = Device::cpu(0);
    let mut line = |real: bool, stride: usize, ends: bool, [from, by, to]: [u64; 3], want: &Array| {
        let raw = raw(want);
        let words: Vec<_> = raw.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
        let text: String = words.iter().map(|word| format!(" {word}")).collect();
        let (real, ends) = (u32::from(real), u32::from(ends));
        writeln!(out, "sequence {real} {ends} {} {stride} {from} {by} {to}{text}", words.len()).unwrap();
    };
    for (from, by, n) in [(0i128, 1, 100), (-7, 3, 65), (1 << 62, -(1 << 58), 30), (5, 1, 1)] {
        let want = arange(cpu, from.into(), (from + by * n).into(), by.into(), DType::Int64).unwrap();
        line(false, 1, false, [from as u64, by as u64, 0], &want);
    }
    let top = i128::from(u64::MAX);
    let want = arange(cpu, (top - 70).into(), (top + 1).into(), 1.into(), DType::UInt64).unwrap();
    line(false, 1, false, [u64::MAX - 70, 1, 0], &want);
    for (from, by) in [(0.0f64, 0.1f64), (0.3, -0.7), (1e300, 1e297), (-5.5, 1.0 / 3.0)] {
        let want = arange(cpu, from.into(), (from + by * 80.0).into(), by.into(), DType::Float64).unwrap();
        line(true, 1, false, [from.to_bits(), by.to_bits(), 0], &want);
        let want = linspace(cpu, from.into(), by.into(), 91, DType::Float64, true).unwrap();
        line(true, 3, true, [from.to_bits(), ((by - from) / 90.0).to_bits(), by.to_bits()], &want);
    }
    let want = linspace(cpu, Scalar::Float(2.5), Scalar::Float(9.0), 1, DType::Float64, false).unwrap();
    line(true, 1, false, [2.5f64.to_bits(), 6.5f64.to_bits(), 0], &want);
}
