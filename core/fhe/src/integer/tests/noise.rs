//! Noise: what is refreshed, what is refused, and that measured noise is no more than is said.

use super::super::{FheUint, Polarity};
use super::{Counting, decrypted, toy};
use crate::circuit::{Circuit, Noise, Signal};
use crate::lookup_table::LookupTable;

fn operand(norm2: u32, polarity: Polarity) -> Noise {
    Noise { norm2, polarity, repeats: false, high: 3 }
}

#[test]
fn norms_are_those_of_the_worst_case() {
    use Polarity::{Mixed, Negated, Plain};
    // 4 x1 + x0 - 4 y1 - y0, as comparisons read.
    let difference = |circuit: &Circuit<'_>| {
        [(0, 0, 1), (0, 1, 4), (1, 0, -1), (1, 1, -4)].iter().fold(
            Signal::constant(0),
            |sum, &(operand, block, weight)| {
                circuit.weighted(weight, &circuit.block(operand, block).unwrap(), &sum).unwrap()
            },
        )
    };
    // Shared noise cancels, or doubles, or adds up like the roots of what it is.
    for (x, y, norm2) in [
        ((1, Plain), (1, Plain), 34),
        ((1, Negated), (1, Negated), 34),
        ((1, Plain), (1, Negated), 68),
        ((1, Mixed), (1, Plain), 68),
        ((1, Plain), (0, Negated), 17),
        ((2, Plain), (1, Plain), 51),
        ((4, Negated), (1, Plain), 17 * 9),
    ] {
        let operands = [operand(x.0, x.1), operand(y.0, y.1)];
        let mut circuit = Circuit::new("test", 34, &operands);
        let signal = difference(&circuit);
        assert_eq!(circuit.norm2(&signal), norm2, "{x:?} {y:?}");
        assert_eq!(circuit.bootstrap(&signal, LookupTable::new(|_| 0)).is_ok(), norm2 <= 34);
    }
    // Blocks of one operand are independent, unless it repeats.
    for (repeats, norm2) in [(false, 5), (true, 25)] {
        let operands = [Noise { repeats, ..operand(1, Plain) }];
        let circuit = Circuit::new("test", 34, &operands);
        let blocks: Vec<Signal> = (0..5).map(|at| circuit.block(0, at).unwrap()).collect();
        assert_eq!(circuit.norm2(&circuit.sum(&blocks).unwrap()), norm2);
    }
}

#[test]
fn circuits_that_would_fail_are_refused() {
    let operands = [operand(1, Polarity::Plain)];
    let mut circuit = Circuit::new("test", 34, &operands);
    let block = circuit.block(0, 0).unwrap();
    let six = circuit.weighted(6, &block, &Signal::constant(0)).unwrap();
    let error = circuit.lut(&six, |v| v).unwrap_err();
    assert_eq!(error.detail, "a bootstrap would read a squared norm of 36, must be at most 34");
    assert!(circuit.output(six).is_err());
    let error = circuit.pair(&circuit.weighted(3, &block, &Signal::constant(0)).unwrap(), |v| v, |v| v).unwrap_err();
    assert_eq!(error.detail, "a bootstrap of 2 functions would read values from 0/2 to 18/2");
    let wide = circuit.weighted(5, &block, &Signal::constant(0)).unwrap().within(0, 32);
    assert!(circuit.lut(&wide, |v| v).is_err());
    assert_eq!(circuit.bootstraps(), 0);
}

#[test]
fn noise_is_refreshed_before_there_is_too_much() {
    let (client, server) = toy();
    let (mut x, y) = (client.encrypt(&[9u8, 250]).unwrap(), client.encrypt(&[4u8, 3]).unwrap());
    let never = server.trivial_bools(&[false, false]).unwrap();
    let mut norms = vec![];
    for _ in 0..60 {
        x = server.select(&never, &y, &x).unwrap();
        norms.push(x.norm2);
    }
    assert!(norms.iter().all(|&norm| norm <= 34) && norms.contains(&33) && norms.contains(&2), "{norms:?}");
    assert_eq!(client.decrypt::<u8>(&x).unwrap(), [9, 250]);
    let sum = server.add(&x, &y).unwrap();
    assert_eq!((client.decrypt::<u8>(&sum).unwrap(), sum.norm2), (vec![13, 253], 1));
}

#[test]
fn complements_are_compared_with_noise_that_does_not_double() {
    let (client, _) = toy();
    let keys = Counting::new(1);
    let x = client.encrypt(&[0u8, 5, 255]).unwrap();
    let complement = keys.not(&x).unwrap();
    assert_eq!((complement.polarity, keys.not(&complement).unwrap().polarity), (Polarity::Negated, Polarity::Plain));
    let flags = |x| client.decrypt_bools(&x).unwrap();
    // Three bootstraps each for two pairs of blocks, and four of the complement's blocks.
    assert_eq!(flags(keys.lt(&x, &complement).unwrap()), [true, true, false]);
    assert_eq!(keys.taken()[0], 3 * (3 + 4));
    assert_eq!(flags(keys.ge(&complement, &complement).unwrap()), [true; 3]);
    assert_eq!(keys.taken()[0], 3 * 3);
    // So is what has more noise than one bootstrap's, and what has some of both.
    let selected = keys.select(&toy().1.trivial_bools(&[true; 3]).unwrap(), &x, &x).unwrap();
    keys.taken();
    assert_eq!((selected.norm2, flags(keys.eq(&selected, &x).unwrap())), (2, vec![true; 3]));
    assert_eq!(keys.taken()[0], 3 * (3 + 4));
    let mixed = FheUint::concatenate(&[&x, &complement]).unwrap();
    let twice = FheUint::concatenate(&[&x, &x]).unwrap();
    assert_eq!(
        (mixed.polarity, flags(keys.eq(&mixed, &twice).unwrap())),
        (Polarity::Mixed, vec![true, true, true, false, false, false])
    );
    assert_eq!(keys.taken()[0], 6 * (3 + 4));
    // Truth values keep whose negative they are when they become integers.
    let flag = client.encrypt_bools(&[true]).unwrap();
    let none = keys.logical_not(&flag).unwrap();
    let [a, b] = [&flag, &none].map(|flag| keys.shl(&keys.cast_bool(flag, 8).unwrap(), 2u8).unwrap());
    keys.taken();
    assert_eq!(flags(keys.gt(&a, &b).unwrap()), [true]);
    assert_eq!(keys.taken()[0], 3 + 4);
}

/// Repeated ciphertexts have the same noise, which adds up in a sum: its circuit has to know.
#[test]
fn sums_of_repeated_integers_take_more_bootstraps() {
    let (client, _) = toy();
    let keys = Counting::new(1);
    let x = client.encrypt(&[1u8, 2]).unwrap();
    let repeated = x.repeat(10).unwrap();
    let other = client.encrypt(&[1u8; 20]).unwrap();
    let counts = [&repeated, &other, &keys.not(&repeated).unwrap()].map(|x| {
        keys.taken();
        keys.sum(x).unwrap();
        keys.taken()[0]
    });
    assert!(counts[0] > counts[1] && counts[0] == counts[2], "{counts:?}");
    // Where an operation bootstraps, its results are independent.
    let sum = keys.add(&repeated, &repeated).unwrap();
    assert!(!sum.repeats && keys.not(&repeated).unwrap().repeats);
    assert_eq!(decrypted::<u8>(client, keys.sum(&sum)), [60]);
}

/// A bootstrap reads what its circuit says: messages left over from a carry have the noise of their group and 16 times a bootstrap's.
#[test]
fn measured_noise_is_no_more_than_is_said() {
    let (client, server) = toy();
    let n = 1500;
    let x = client.encrypt(&vec![0x5au8; n]).unwrap();
    let of = |x: &FheUint| {
        let noise = client.phase_errors("test", &x.blocks).unwrap();
        noise.iter().map(|noise| noise * noise).sum::<f64>() / noise.len() as f64
    };
    // Bootstrapped once, for the variance of a bootstrap of these keys.
    let once = server.add(&x, 0x33u8).unwrap();
    let one = of(&once);
    let flags = server.trivial_bools(&vec![true; n]).unwrap();
    let mut y = once;
    for expected in 2..5 {
        y = server.select(&flags, &x, &y).unwrap();
        assert_eq!(y.norm2, expected);
        let measured = of(&y) / one;
        assert!((measured / f64::from(expected) - 1.0).abs() < 0.15, "{measured}, not {expected}");
    }
    // What was shifted is the sum of two outputs.
    let shifted = server.shl(&x, &client.encrypt(&vec![3u8; n]).unwrap()).unwrap();
    assert!(of(&shifted) / one < 1.15 * f64::from(shifted.norm2) && shifted.norm2 == 2);
}
