//! Shifts, rotations, casts, parts of arrays.

use super::super::{FheUint, Operand};
use super::{Clear, Counting, THREADS, decrypted, random, toy, widths};
use icicle_error::Result;

type Shift = (
    &'static str,
    for<'a> fn(&Counting, &FheUint, Operand<'a>) -> Result<FheUint>,
    // Of a value, the bits and an amount below them.
    fn(u64, u32, u32) -> u64,
);

const SHIFTS: [Shift; 4] = [
    ("shl", |keys, x, by| keys.shl(x, by), |x, _, by| x << by),
    ("shr", |keys, x, by| keys.shr(x, by), |x, _, by| x >> by),
    (
        "rotate_left",
        |keys, x, by| keys.rotate_left(x, by),
        |x, bits, by| match by {
            0 => x,
            _ => x << by | x >> (bits - by),
        },
    ),
    (
        "rotate_right",
        |keys, x, by| keys.rotate_right(x, by),
        |x, bits, by| match by {
            0 => x,
            _ => x >> by | x << (bits - by),
        },
    ),
];

fn shifts_agree<T: Clear>() {
    let (client, _) = toy();
    // Each amount, and some beyond the width, which wrap.
    let amounts: Vec<u8> = (0..T::BITS + 2).chain([2 * T::BITS - 1, 255]).map(|by| by as u8).collect();
    let a = random::<T>(4, amounts.len());
    let x = client.encrypt(&a).unwrap();
    let by = client.encrypt(&amounts).unwrap();
    let keys = Counting::new(1);
    for (name, shift, clear) in SHIFTS {
        let of = |a: &[T], amount: &dyn Fn(usize) -> u8| -> Vec<T> {
            let shifted = |(i, &a): (usize, &T)| clear(a.into(), T::BITS, u32::from(amount(i)) % T::BITS);
            a.iter().enumerate().map(shifted).map(T::truncated).collect()
        };
        let expected = of(&a, &|i| amounts[i]);
        assert_eq!(decrypted::<T>(client, shift(&keys, &x, (&by).into())), expected, "{name} {}", T::BITS);
        assert_eq!(decrypted::<T>(client, shift(&keys, &x, (&amounts).into())), expected, "{name} {} clear", T::BITS);
        for amount in [0u8, 1, 2, 3, 7, T::BITS as u8 - 1, T::BITS as u8 + 1] {
            let got = shift(&keys, &x, amount.into());
            assert_eq!(decrypted::<T>(client, got), of(&a, &|_| amount), "{name} {} {amount}", T::BITS);
        }
    }
}

fn casts_agree<T: Clear>() {
    let (client, _) = toy();
    let top = T::truncated(u64::MAX).into();
    let mut a = random::<T>(5, 4);
    a.extend([0, 1, 4, top / 2 + 1, top].map(T::truncated));
    let x = client.encrypt(&a).unwrap();
    for keys in THREADS.map(Counting::new) {
        let wide: Vec<u64> = a.iter().map(|&v| v.into()).collect();
        assert_eq!(decrypted::<u64>(client, keys.cast(&x, 64)), wide);
        assert_eq!(decrypted::<u32>(client, keys.cast(&x, 32)), wide.iter().map(|&v| v as u32).collect::<Vec<_>>());
        assert_eq!(decrypted::<u16>(client, keys.cast(&x, 16)), wide.iter().map(|&v| v as u16).collect::<Vec<_>>());
        assert_eq!(decrypted::<u8>(client, keys.cast(&x, 8)), wide.iter().map(|&v| v as u8).collect::<Vec<_>>());
        let flags = keys.to_bool(&x).unwrap();
        let held: Vec<bool> = wide.iter().map(|&v| v != 0).collect();
        assert_eq!(client.decrypt_bools(&flags).unwrap(), held);
        let ones: Vec<T> = held.iter().map(|&held| T::truncated(held.into())).collect();
        assert_eq!(decrypted::<T>(client, keys.cast_bool(&flags, T::BITS)), ones);
    }
}

widths! {
    shifts_agree: shifts_of_8_bits_agree shifts_of_16_bits_agree shifts_of_32_bits_agree shifts_of_64_bits_agree;
    casts_agree: casts_of_8_bits_agree casts_of_16_bits_agree casts_of_32_bits_agree casts_of_64_bits_agree;
}

#[test]
fn blocks_take_tables() {
    let (client, server) = toy();
    let x = client.encrypt(&[0b00_01_10_11u8, 0xff]).unwrap();
    let swapped = server.apply_block_lut(&x, |v| v >> 1 | (v << 1) & 3);
    assert_eq!(decrypted::<u8>(client, swapped), [0b00_10_01_11, 0xff]);
}

#[test]
fn arrays_come_apart_and_together() {
    let (client, server) = toy();
    let a: Vec<u16> = (0..7).map(|i| i * 9001).collect();
    let x = client.encrypt(&a).unwrap();
    assert_eq!(decrypted::<u16>(client, x.slice(2..5)), a[2..5]);
    assert!(x.slice(7..7).unwrap().is_empty());
    let not = server.not(&x).unwrap();
    let both = FheUint::concatenate(&[&x, &not.slice(0..2).unwrap(), &x.slice(0..0).unwrap()]);
    assert_eq!(decrypted::<u16>(client, both), [&a[..], &[!a[0], !a[1]]].concat());
    assert_eq!(decrypted::<u16>(client, x.slice(1..3).unwrap().repeat(2)), [a[1], a[2], a[1], a[2]]);
    assert!(x.repeat(0).unwrap().is_empty() && x.slice(0..0).unwrap().repeat(3).unwrap().is_empty());
    let flags = client.encrypt_bools(&[true, false, true]).unwrap();
    let more = crate::FheBool::concatenate(&[&flags, &flags.slice(0..1).unwrap().repeat(2).unwrap()]).unwrap();
    assert_eq!(client.decrypt_bools(&more).unwrap(), [true, false, true, true, true]);
}
