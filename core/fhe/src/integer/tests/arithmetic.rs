//! Sums, differences, products, comparisons, selections.

use super::super::{FheBool, FheUint, Operand};
use super::{Clear, Counting, THREADS, decrypted, each, pairs, random, toy, widths};
use icicle_error::Result;

type Binary = (&'static str, for<'a> fn(&Counting, Operand<'a>, Operand<'a>) -> Result<FheUint>, fn(u64, u64) -> u64);
type Comparison =
    (&'static str, for<'a> fn(&Counting, Operand<'a>, Operand<'a>) -> Result<FheBool>, fn(u64, u64) -> bool);

const BINARY: [Binary; 7] = [
    ("add", |keys, x, y| keys.add(x, y), u64::wrapping_add),
    ("sub", |keys, x, y| keys.sub(x, y), u64::wrapping_sub),
    ("bitand", |keys, x, y| keys.bitand(x, y), |x, y| x & y),
    ("bitor", |keys, x, y| keys.bitor(x, y), |x, y| x | y),
    ("bitxor", |keys, x, y| keys.bitxor(x, y), |x, y| x ^ y),
    ("min", |keys, x, y| keys.min(x, y), u64::min),
    ("max", |keys, x, y| keys.max(x, y), u64::max),
];
const COMPARISONS: [Comparison; 6] = [
    ("eq", |keys, x, y| keys.eq(x, y), |x, y| x == y),
    ("ne", |keys, x, y| keys.ne(x, y), |x, y| x != y),
    ("lt", |keys, x, y| keys.lt(x, y), |x, y| x < y),
    ("le", |keys, x, y| keys.le(x, y), |x, y| x <= y),
    ("gt", |keys, x, y| keys.gt(x, y), |x, y| x > y),
    ("ge", |keys, x, y| keys.ge(x, y), |x, y| x >= y),
];

fn agree<T: Clear>() {
    let (client, _) = toy();
    let (a, b) = pairs::<T>();
    let (x, y) = (client.encrypt(&a).unwrap(), client.encrypt(&b).unwrap());
    for keys in THREADS.map(Counting::new) {
        for (name, operation, clear) in BINARY {
            let expected = each(&a, &b, clear);
            let what = format!("{name} {} {}", T::BITS, keys.threads);
            assert_eq!(decrypted::<T>(client, operation(&keys, (&x).into(), (&y).into())), expected, "{what}");
            assert_eq!(
                decrypted::<T>(client, operation(&keys, (&x).into(), T::operand(&b))),
                expected,
                "{what} y clear"
            );
            assert_eq!(
                decrypted::<T>(client, operation(&keys, T::operand(&a), (&y).into())),
                expected,
                "{what} x clear"
            );
        }
        for (name, operation, clear) in COMPARISONS {
            let expected: Vec<bool> = a.iter().zip(&b).map(|(&a, &b)| clear(a.into(), b.into())).collect();
            for operands in [((&x).into(), (&y).into()), ((&x).into(), T::operand(&b)), (T::operand(&a), (&y).into())] {
                let got = operation(&keys, operands.0, operands.1).unwrap();
                assert_eq!(client.decrypt_bools(&got).unwrap(), expected, "{name} {} {operands:?}", T::BITS);
            }
        }
        assert_eq!(decrypted::<T>(client, keys.neg(&x)), each(&a, &a, |x, _| x.wrapping_neg()));
        assert_eq!(decrypted::<T>(client, keys.not(&x)), each(&a, &a, |x, _| !x));
        let (sum, over) = keys.overflowing_add(&x, &y).unwrap();
        assert_eq!(decrypted::<T>(client, Ok(sum)), each(&a, &b, u64::wrapping_add));
        let wide = |f: fn(u128, u128) -> bool| -> Vec<bool> {
            a.iter().zip(&b).map(|(&a, &b)| f(a.into().into(), b.into().into())).collect()
        };
        let top = u128::from(T::truncated(u64::MAX).into());
        let expected: Vec<bool> =
            a.iter().zip(&b).map(|(&a, &b)| u128::from(a.into()) + u128::from(b.into()) > top).collect();
        assert_eq!(client.decrypt_bools(&over).unwrap(), expected);
        let (difference, borrow) = keys.overflowing_sub(&x, T::operand(&b)).unwrap();
        assert_eq!(decrypted::<T>(client, Ok(difference)), each(&a, &b, u64::wrapping_sub));
        assert_eq!(client.decrypt_bools(&borrow).unwrap(), wide(|x, y| x < y));
    }
}

/// One clear integer for all elements, of which circuits know.
fn scalars_agree<T: Clear>() {
    let (client, _) = toy();
    let top = T::truncated(u64::MAX).into();
    let a: Vec<T> = [0, 1, 2, 3, top / 2, top / 2 + 1, top].iter().map(|&v| T::truncated(v)).collect();
    let x = client.encrypt(&a).unwrap();
    for keys in THREADS.map(Counting::new) {
        let scalars = [0, 77, top, 1, 4, top / 2 + 1, top / 3 * 2].map(T::truncated);
        // Wide ones are many bootstraps.
        for scalar in scalars.into_iter().take(if T::BITS < 32 { 7 } else { 3 }) {
            let b = vec![scalar; a.len()];
            for (name, operation, clear) in BINARY {
                let what = format!("{name} {} {scalar:?}", T::BITS);
                let got = operation(&keys, (&x).into(), scalar.scalar());
                assert_eq!(decrypted::<T>(client, got), each(&a, &b, clear), "{what}");
                let got = operation(&keys, scalar.scalar(), (&x).into());
                assert_eq!(decrypted::<T>(client, got), each(&b, &a, clear), "{what} first");
            }
            for (name, operation, clear) in COMPARISONS {
                let expected: Vec<bool> = a.iter().map(|&a| clear(a.into(), scalar.into())).collect();
                let got = operation(&keys, (&x).into(), scalar.scalar()).unwrap();
                assert_eq!(client.decrypt_bools(&got).unwrap(), expected, "{name} {} {scalar:?}", T::BITS);
            }
            for operands in [(Operand::from(&x), scalar.scalar()), (scalar.scalar(), (&x).into())] {
                assert_eq!(decrypted::<T>(client, keys.mul(operands.0, operands.1)), each(&a, &b, u64::wrapping_mul));
            }
        }
    }
}

fn products_agree<T: Clear>() {
    let (client, _) = toy();
    let (a, b) = pairs::<T>();
    // All pairs of edges of eight bits, some of the others: products are many bootstraps.
    let least = if T::BITS == 64 { a.len() - 2 } else { a.len().saturating_sub(if T::BITS == 32 { 6 } else { 120 }) };
    let top = T::truncated(u64::MAX);
    let (a, b) = ([&[top, top], &a[least..]].concat(), [&[top, T::truncated(2)], &b[least..]].concat());
    let (x, y) = (client.encrypt(&a).unwrap(), client.encrypt(&b).unwrap());
    for keys in THREADS.map(Counting::new) {
        assert_eq!(decrypted::<T>(client, keys.mul(&x, &y)), each(&a, &b, u64::wrapping_mul));
        assert_eq!(decrypted::<T>(client, keys.mul(&x, &x)), each(&a, &a, u64::wrapping_mul));
        assert_eq!(decrypted::<T>(client, keys.mul(&x, T::operand(&b))), each(&a, &b, u64::wrapping_mul));
        assert_eq!(decrypted::<T>(client, keys.mul(T::operand(&a), &y)), each(&a, &b, u64::wrapping_mul));
    }
}

fn sums_agree<T: Clear>() {
    let (client, _) = toy();
    let mut all = random::<T>(3, 150);
    all[..70].fill(T::truncated(u64::MAX));
    for keys in THREADS.map(Counting::new) {
        for n in [0, 1, 2, 5, 6, 63, 64, 65, 150].into_iter().filter(|&n| T::BITS < 32 || n < 3 || n == 65) {
            let x = client.encrypt(&all[..n]).unwrap();
            let expected = all[..n].iter().fold(0u64, |sum, &v| sum.wrapping_add(v.into()));
            assert_eq!(decrypted::<T>(client, keys.sum(&x)), [T::truncated(expected)], "{n}");
        }
        // The same ciphertexts again and again: their noise is the same, too.
        let x = client.encrypt(&all[..3]).unwrap().repeat(20).unwrap();
        let expected = all[..3].iter().fold(0u64, |sum, &v| sum.wrapping_add(v.into())).wrapping_mul(20);
        assert_eq!(decrypted::<T>(client, keys.sum(&x)), [T::truncated(expected)]);
    }
}

widths! {
    agree: integers_of_8_bits_agree integers_of_16_bits_agree integers_of_32_bits_agree integers_of_64_bits_agree;
    scalars_agree: scalars_of_8_bits_agree scalars_of_16_bits_agree scalars_of_32_bits_agree scalars_of_64_bits_agree;
    products_agree: products_of_8_bits_agree products_of_16_bits_agree products_of_32_bits_agree products_of_64_bits_agree;
    sums_agree: sums_of_8_bits_agree sums_of_16_bits_agree sums_of_32_bits_agree sums_of_64_bits_agree;
}

#[test]
fn truth_values_are_counted() {
    let (client, _) = toy();
    for keys in THREADS.map(Counting::new) {
        for n in [0usize, 1, 15, 16, 100, 1500] {
            let flags: Vec<bool> = (0..n).map(|i| i % 3 != 0).collect();
            let held = flags.iter().filter(|&&held| held).count();
            let x = client.encrypt_bools(&flags).unwrap();
            assert_eq!(decrypted::<u16>(client, keys.count(&x, 16)), [held as u16], "{n}");
            assert_eq!(decrypted::<u8>(client, keys.count(&x, 8)), [held as u8], "{n}");
        }
    }
}

#[test]
fn every_integer_of_8_bits_agrees() {
    let (client, server) = toy();
    let all: Vec<u8> = (0..=255).collect();
    let x = client.encrypt(&all).unwrap();
    for b in [0u8, 1, 3, 77, 128, 255] {
        let y = client.encrypt(&[b; 256]).unwrap();
        let expected = |f: fn(u8, u8) -> u8| all.iter().map(|&a| f(a, b)).collect::<Vec<u8>>();
        assert_eq!(decrypted::<u8>(client, server.add(&x, &y)), expected(u8::wrapping_add));
        assert_eq!(decrypted::<u8>(client, server.mul(&x, &y)), expected(u8::wrapping_mul));
        assert_eq!(decrypted::<u8>(client, server.mul(&x, b)), expected(u8::wrapping_mul));
        assert_eq!(decrypted::<u8>(client, server.max(&x, &y)), expected(u8::max));
        let less = client.decrypt_bools(&server.lt(&x, &y).unwrap()).unwrap();
        assert_eq!(less, all.iter().map(|&a| a < b).collect::<Vec<bool>>());
    }
}

#[test]
fn selections_agree() {
    let (client, _) = toy();
    let (a, b) = pairs::<u16>();
    let condition: Vec<bool> = (0..a.len()).map(|i| i % 3 == 1).collect();
    let (x, y) = (client.encrypt(&a).unwrap(), client.encrypt(&b).unwrap());
    let c = client.encrypt_bools(&condition).unwrap();
    let chosen = |a: &[u16], b: &[u16]| -> Vec<u16> {
        condition.iter().enumerate().map(|(i, &first)| if first { a[i] } else { b[i] }).collect()
    };
    let keys = Counting::new(1);
    assert_eq!(decrypted::<u16>(client, keys.select(&c, &x, &y)), chosen(&a, &b));
    assert_eq!(decrypted::<u16>(client, keys.select(&c, &a, &y)), chosen(&a, &b));
    assert_eq!(decrypted::<u16>(client, keys.select(&c, &x, &b)), chosen(&a, &b));
    assert_eq!(decrypted::<u16>(client, keys.select(&c, &a, &b)), chosen(&a, &b));
    assert_eq!(
        decrypted::<u16>(client, keys.select(&c, 7u16, 65_530u16)),
        chosen(&vec![7; a.len()], &vec![65_530; a.len()])
    );
    // The larger, by a condition that was computed; then results of results.
    let larger = keys.select(&keys.gt(&x, &y).unwrap(), &x, &y).unwrap();
    assert_eq!(larger.norm2, 2);
    let sum = keys.add(&larger, &larger);
    assert_eq!(decrypted::<u16>(client, sum), each(&a, &b, |x, y| 2 * x.max(y)));
}

#[test]
fn truth_values_agree_with_clear_ones() {
    let (client, server) = toy();
    let (a, b) = ([false, false, true, true], [false, true, false, true]);
    let (x, y) = (client.encrypt_bools(&a).unwrap(), client.encrypt_bools(&b).unwrap());
    let clear = |x: Result<FheBool>| client.decrypt_bools(&x.unwrap()).unwrap();
    assert_eq!(clear(server.logical_and(&x, &y)), [false, false, false, true]);
    assert_eq!(clear(server.logical_or(&x, &y)), [false, true, true, true]);
    assert_eq!(clear(server.logical_xor(&x, &y)), [false, true, true, false]);
    assert_eq!(clear(server.logical_not(&x)), [true, true, false, false]);
    assert_eq!(clear(x.try_clone()), a);
    assert_eq!(clear(server.logical_and(&x, &server.logical_not(&x).unwrap())), [false; 4]);
}

#[test]
fn trivial_operands_are_operands() {
    let (client, server) = toy();
    let x = client.encrypt(&[200u8, 0, 7]).unwrap();
    let y = server.trivial(&[100u8, 0, 9]).unwrap();
    let add = server.add(&x, &y).unwrap();
    assert_eq!(client.decrypt::<u8>(&add).unwrap(), [44, 0, 16]);
    let both = server.lt(&y, &server.trivial(&[101u8, 0, 8]).unwrap()).unwrap();
    assert_eq!(client.decrypt_bools(&both).unwrap(), [true, false, false]);
    let chosen = server.select(&server.trivial_bools(&[true, false, true]).unwrap(), &x, &y).unwrap();
    assert_eq!(client.decrypt::<u8>(&chosen).unwrap(), [200, 0, 7]);
    assert_eq!(client.decrypt::<u8>(&x.try_clone().unwrap()).unwrap(), [200, 0, 7]);
    let none = client.encrypt::<u64>(&[]).unwrap();
    let none = server.select(&server.lt(&none, &none).unwrap(), &none, &server.mul(&none, &none).unwrap()).unwrap();
    assert!(none.is_empty() && client.decrypt::<u64>(&none).unwrap().is_empty());
    let empty: &[u64] = &[];
    assert!(server.shl(&server.mul(&none, empty).unwrap(), empty).unwrap().is_empty());
}
