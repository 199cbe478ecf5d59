//! Sorting lines of every length there is a way of its own for, against the standard library's stable sort.
#![allow(clippy::unwrap_used, clippy::panic)]

use icicle_array::*;
use std::cmp::Ordering;

/// Below and above what is counted instead of compared, and what several threads sort together.
const LENGTHS: [usize; 6] = [1, 2, 4095, 4096, 4097, (1 << 18) + 1];

/// Numbers without order, by the multiplier and increment of Knuth's MMIX.
fn mixed(n: usize) -> Vec<u64> {
    let next = |x: &u64| Some(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    std::iter::successors(Some(7), next).take(n).map(|x| x ^ x >> 29).collect()
}

/// Lines in both directions: values by `order` and, where that finds none, `bits`; indices by `order` and place.
fn check<T: Element>(of: impl Fn(u64) -> T, order: impl Fn(&T, &T) -> Ordering, bits: impl Fn(&T) -> [u64; 2]) {
    for length in LENGTHS {
        let lines = if length < 1 << 18 { 3 } else { 1 };
        let data: Vec<T> = mixed(lines * length).into_iter().map(&of).collect();
        let x = Array::from_slice(&data, &[lines, length]).unwrap();
        for descending in [false, true] {
            let turn = |order: Ordering| if descending { order.reverse() } else { order };
            let (mut values, mut indices) = (data.clone(), Vec::new());
            for (k, line) in values.chunks_mut(length).enumerate() {
                line.sort_by(|a, b| turn(order(a, b).then_with(|| bits(a).cmp(&bits(b)))));
                let mut places: Vec<i64> = (0..length as i64).collect();
                let at = |i: &i64| &data[k * length + *i as usize];
                places.sort_by(|a, b| turn(order(at(a), at(b))));
                indices.extend(places);
            }
            let got: Vec<T> = sort(&x, 1, descending).unwrap().to_vec().unwrap();
            let same = got.iter().zip(&values).all(|(a, b)| order(a, b).is_eq() && bits(a) == bits(b));
            assert!(same, "sort {} {length} {descending}", T::DTYPE);
            let got: Vec<i64> = argsort(&x, 1, descending).unwrap().to_vec().unwrap();
            assert!(got == indices, "argsort {} {length} {descending}", T::DTYPE);
        }
    }
}

#[test]
fn integers_are_in_order() {
    fn integers<T: Element + Ord>(of: impl Fn(u64) -> T) {
        check(of, T::cmp, |_| [0, 0]);
    }
    integers(|x| x as i8);
    integers(|x| x as u8);
    integers(|x| x as i16);
    integers(|x| x as u16);
    integers(|x| x as i32);
    integers(|x| x as u32);
    integers(|x| x as i64);
    integers(|x| x);
    // Few values, so that most are equal, and a digit that all share.
    integers(|x| (x % 5) as i64 - 2);
    integers(|x| Bool::from(x % 3 == 0));
}

/// Zeros of both signs, infinities, NaN, and other numbers of both signs.
fn special(x: u64) -> f64 {
    match x % 16 {
        0 => 0.0,
        1 => -0.0,
        2 => f64::INFINITY,
        3 => f64::NEG_INFINITY,
        4 => f64::NAN,
        5 => -f64::NAN,
        _ => (x >> 40) as f64 / 1024.0 - 8192.0,
    }
}

/// Zeros by sign; all NaN are one.
fn sign(x: f64) -> u64 {
    u64::from(x.is_sign_positive() || x.is_nan())
}

fn numbers(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

#[test]
fn floats_are_in_order_and_nan_behind_them() {
    let zeros = |x: f64| [if x == 0.0 { sign(x) } else { 0 }, 0];
    check(|x| f16::from_f64(special(x)), |a, b| numbers(a.to_f64(), b.to_f64()), |x| zeros(x.to_f64()));
    check(|x| bf16::from_f64(special(x)), |a, b| numbers(a.to_f64(), b.to_f64()), |x| zeros(x.to_f64()));
    check(|x| special(x) as f32, |a, b| numbers(f64::from(*a), f64::from(*b)), |x| zeros(f64::from(*x)));
    check(special, |a, b| numbers(*a, *b), |x| zeros(*x));
}

#[test]
fn complex_numbers_are_in_order_by_parts() {
    type C = Complex<f64>;
    let order = |a: &C, b: &C| {
        let nan = |z: &C| z.re.is_nan() || z.im.is_nan();
        nan(a).cmp(&nan(b)).then(numbers(a.re, b.re)).then(numbers(a.im, b.im))
    };
    check(|x| C::new(special(x), special(x >> 8)), order, |z| [sign(z.re), sign(z.im)]);
}
