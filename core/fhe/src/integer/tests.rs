//! Encrypted operations against clear ones, at edges and at random.

use super::{FheBool, FheUint, Unsigned};
use crate::random::Seed;
use crate::test_keys::toy;
use crate::{ClientKey, ServerKey};
use icicle_error::{Error, ErrorCode, Result};

/// Pairs of edges: zeros, ones, powers of two and their neighbours, the largest; then random ones.
fn pairs<T: Unsigned + PartialEq>() -> (Vec<T>, Vec<T>) {
    let top = T::truncated(u64::MAX).into();
    let mut edges = vec![0, 1, top / 2, top / 2 + 1, top];
    if T::BITS == 8 {
        edges.extend([3, 4, 15, 16, top / 3, top - 1]);
    }
    let (mut x, mut y): (Vec<T>, Vec<T>) =
        edges.iter().flat_map(|&a| edges.iter().map(move |&b| (T::truncated(a), T::truncated(b)))).unzip();
    let mut random = vec![0; 16];
    Seed::known(T::BITS as u8).stream(0).uniform(&mut random);
    x.extend(random[..8].iter().map(|&word| T::truncated(word)));
    y.extend(random[8..].iter().map(|&word| T::truncated(word)));
    (x, y)
}

/// An operation and what it does to clear integers.
type Binary = (&'static str, fn(&ServerKey, &FheUint, &FheUint) -> Result<FheUint>, fn(u64, u64) -> u64);
type Comparison = (&'static str, fn(&ServerKey, &FheUint, &FheUint) -> Result<FheBool>, fn(u64, u64) -> bool);

const BINARY: [Binary; 5] = [
    ("add", ServerKey::add, u64::wrapping_add),
    ("sub", ServerKey::sub, u64::wrapping_sub),
    ("and", ServerKey::bitand, |x, y| x & y),
    ("or", ServerKey::bitor, |x, y| x | y),
    ("xor", ServerKey::bitxor, |x, y| x ^ y),
];
const COMPARISONS: [Comparison; 6] = [
    ("eq", ServerKey::eq, |x, y| x == y),
    ("ne", ServerKey::ne, |x, y| x != y),
    ("lt", ServerKey::lt, |x, y| x < y),
    ("le", ServerKey::le, |x, y| x <= y),
    ("gt", ServerKey::gt, |x, y| x > y),
    ("ge", ServerKey::ge, |x, y| x >= y),
];

fn agrees<T: Unsigned + PartialEq + std::fmt::Debug>() {
    let (client, server) = toy();
    let (a, b) = pairs::<T>();
    let (x, y) = (client.encrypt(&a).unwrap(), client.encrypt(&b).unwrap());
    let expected = |f: &dyn Fn(u64, u64) -> u64| -> Vec<T> {
        a.iter().zip(&b).map(|(&a, &b)| T::truncated(f(a.into(), b.into()))).collect()
    };
    for (name, encrypted, clear) in BINARY {
        let got = encrypted(server, &x, &y).unwrap();
        assert_eq!(client.decrypt::<T>(&got).unwrap(), expected(&clear), "{name} {}", T::BITS);
        clean(client, &got);
    }
    assert_eq!(client.decrypt::<T>(&server.neg(&x).unwrap()).unwrap(), expected(&|x, _| x.wrapping_neg()));
    assert_eq!(client.decrypt::<T>(&server.not(&x).unwrap()).unwrap(), expected(&|x, _| !x));
    for (name, encrypted, clear) in COMPARISONS {
        let got = client.decrypt_bools(&encrypted(server, &x, &y).unwrap()).unwrap();
        let expected: Vec<bool> = a.iter().zip(&b).map(|(&a, &b)| clear(a.into(), b.into())).collect();
        assert_eq!(got, expected, "{name} {}", T::BITS);
    }
    // The larger, by a condition that was computed; then results of results, whose noise is more.
    let larger = server.select(&server.gt(&x, &y).unwrap(), &x, &y).unwrap();
    assert_eq!(client.decrypt::<T>(&larger).unwrap(), expected(&u64::max));
    clean(client, &larger);
    assert_eq!(larger.norm2, 2);
    let same = server.eq(&larger, &larger).unwrap();
    assert!(client.decrypt_bools(&same).unwrap().iter().all(|&same| same));
    let sum = server.add(&larger, &larger).unwrap();
    assert_eq!(client.decrypt::<T>(&sum).unwrap(), expected(&|x, y| x.max(y).wrapping_mul(2)));
}

/// No block holds a carry.
fn clean(client: &ClientKey, x: &FheUint) {
    assert!(client.decrypt_messages("test", &x.blocks).unwrap().iter().all(|&message| message < 4));
}

#[test]
fn integers_of_8_bits_agree_with_clear_ones() {
    agrees::<u8>();
}

#[test]
fn integers_of_16_bits_agree_with_clear_ones() {
    agrees::<u16>();
}

#[test]
fn integers_of_32_bits_agree_with_clear_ones() {
    agrees::<u32>();
}

#[test]
fn integers_of_64_bits_agree_with_clear_ones() {
    agrees::<u64>();
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
    let none = server.select(&server.lt(&none, &none).unwrap(), &none, &server.add(&none, &none).unwrap()).unwrap();
    assert!(none.is_empty() && client.decrypt::<u64>(&none).unwrap().is_empty());
}

#[test]
fn noise_is_refreshed_before_there_is_too_much() {
    let (client, server) = toy();
    let (mut x, y) = (client.encrypt(&[9u8, 250]).unwrap(), client.encrypt(&[4u8, 3]).unwrap());
    let never = server.trivial_bools(&[false, false]).unwrap();
    let mut norms = vec![];
    for _ in 0..40 {
        x = server.select(&never, &y, &x).unwrap();
        norms.push(x.norm2);
    }
    assert!(norms.iter().all(|&norm| norm <= 9) && norms.contains(&9), "{norms:?}");
    assert_eq!(client.decrypt::<u8>(&x).unwrap(), [9, 250]);
    let sum = server.add(&x, &y).unwrap();
    assert_eq!((client.decrypt::<u8>(&sum).unwrap(), sum.norm2), (vec![13, 253], 1));
}

#[test]
fn complements_are_compared_with_noise_that_does_not_double() {
    let (client, server) = toy();
    let x = client.encrypt(&[0u8, 5, 255]).unwrap();
    let complement = server.not(&x).unwrap();
    assert!(complement.complemented && !server.not(&complement).unwrap().complemented);
    for (y, refreshed) in [(&complement, true), (&x, false)] {
        let quiet = server.comparable("test", &x, y).unwrap();
        assert_eq!(quiet[1].blocks.words != y.blocks.words, refreshed);
        assert_eq!(client.decrypt::<u8>(&quiet[1]).unwrap(), client.decrypt::<u8>(y).unwrap());
    }
    // So is what has more noise than one bootstrap's.
    let selected = server.select(&server.trivial_bools(&[true; 3]).unwrap(), &x, &x).unwrap();
    assert_eq!(selected.norm2, 2);
    assert!(server.comparable("test", &selected, &selected).unwrap().iter().all(|quiet| quiet.norm2 == 1));
    assert_eq!(client.decrypt_bools(&server.lt(&x, &complement).unwrap()).unwrap(), [true, true, false]);
    assert_eq!(client.decrypt_bools(&server.ge(&complement, &complement).unwrap()).unwrap(), [true; 3]);
}

#[test]
fn what_breaks_a_rule_is_refused_by_name() {
    let (client, server) = toy();
    let x = client.encrypt(&[1u8, 2]).unwrap();
    let refused = |error: Error, text: &str| {
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        assert!(error.to_string().contains(text), "{error}");
    };
    let wide = client.encrypt(&[1u16, 2]).unwrap();
    refused(server.add(&x, &wide).unwrap_err(), "fhe_add: y has integers of 16 bits, x of 8: must be the same");
    refused(
        client.decrypt::<u8>(&wide).unwrap_err(),
        "fhe_decrypt: x has integers of 16 bits, read as 8: must be the same",
    );
    let long = client.encrypt(&[1u8, 2, 3]).unwrap();
    refused(server.lt(&x, &long).unwrap_err(), "fhe_lt: y has 3 elements, x 2: must be as many");
    let condition = client.encrypt_bools(&[true]).unwrap();
    refused(
        server.select(&condition, &x, &x).unwrap_err(),
        "fhe_select: x has 2 elements, condition 1: must be as many",
    );
    refused(server.logical_or(&condition, &server.eq(&x, &x).unwrap()).unwrap_err(), "y has 2 elements, x 1");
    let other = ClientKey::generate(&crate::parameters::TOY).unwrap();
    let foreign = other.encrypt(&[1u8, 2]).unwrap();
    let bools = other.encrypt_bools(&[true, false]).unwrap();
    for (name, error) in [
        ("x", other.decrypt::<u8>(&x).unwrap_err()),
        ("x", client.decrypt_bools(&bools).unwrap_err()),
        ("y", server.sub(&x, &foreign).unwrap_err()),
        ("x", server.ge(&foreign, &x).unwrap_err()),
        ("x", server.neg(&foreign).unwrap_err()),
        ("x", server.not(&foreign).unwrap_err()),
        ("x", server.logical_not(&bools).unwrap_err()),
        ("y", server.logical_xor(&server.eq(&x, &x).unwrap(), &bools).unwrap_err()),
        ("condition", server.select(&bools, &x, &x).unwrap_err()),
    ] {
        refused(error, &format!("{name} is encrypted under the key"));
    }
}
