//! What is refused, and how.

use super::super::FheUint;
use super::toy;
use crate::ClientKey;
use icicle_error::{Error, ErrorCode};

fn refused(error: Error, text: &str) {
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    assert!(error.to_string().contains(text), "{error}");
}

#[test]
fn what_breaks_a_rule_is_refused_by_name() {
    let (client, server) = toy();
    let x = client.encrypt(&[1u8, 2]).unwrap();
    let wide = client.encrypt(&[1u16, 2]).unwrap();
    refused(server.add(&x, &wide).unwrap_err(), "fhe_add: y has integers of 16 bits, x of 8: must be the same");
    refused(server.mul(&x, 7u64).unwrap_err(), "fhe_mul: y has integers of 64 bits, x of 8: must be the same");
    refused(
        client.decrypt::<u8>(&wide).unwrap_err(),
        "fhe_decrypt: x has integers of 16 bits, read as 8: must be the same",
    );
    let long = client.encrypt(&[1u8, 2, 3]).unwrap();
    refused(server.lt(&x, &long).unwrap_err(), "fhe_lt: y has 3 elements, x 2: must be as many");
    refused(server.min(&[1u8, 2, 3], &x).unwrap_err(), "fhe_min: y has 2 elements, x 3: must be as many");
    refused(server.sub(1u8, &[1u8, 2]).unwrap_err(), "fhe_sub: x and y are clear: one must be encrypted");
    refused(
        server.rotate_left(&x, &[1u8]).unwrap_err(),
        "fhe_rotate_left: amount has 1 elements, x 2: must be as many",
    );
    let condition = client.encrypt_bools(&[true]).unwrap();
    refused(
        server.select(&condition, &x, &x).unwrap_err(),
        "fhe_select: x has 2 elements, condition 1: must be as many",
    );
    refused(server.logical_or(&condition, &server.eq(&x, &x).unwrap()).unwrap_err(), "y has 2 elements, x 1");
    refused(server.cast(&x, 12).unwrap_err(), "fhe_cast: bits is 12, must be 8, 16, 32 or 64");
    refused(server.cast_bool(&condition, 0).unwrap_err(), "fhe_cast_bool: bits is 0");
    refused(server.count(&condition, 1).unwrap_err(), "fhe_count: bits is 1");
    refused(server.apply_block_lut(&x, |v| v + 1).unwrap_err(), "fhe_apply_block_lut: f(3) is 4, must be below 4");
    refused(x.slice(1..3).unwrap_err(), "fhe_slice: range is 1..3, must lie within 0..2");
    refused(FheUint::concatenate(&[]).unwrap_err(), "fhe_concatenate: arrays: must be at least one");
    refused(FheUint::concatenate(&[&x, &wide]).unwrap_err(), "arrays[1] has integers of 16 bits, arrays[0] of 8");
    let endless = x.repeat(usize::MAX).unwrap_err();
    assert_eq!(endless.code, ErrorCode::OutOfMemory);
}

#[test]
fn operands_of_other_keys_are_refused_by_name() {
    let (client, server) = toy();
    let x = client.encrypt(&[1u8, 2]).unwrap();
    let other = ClientKey::generate(&crate::parameters::TOY).unwrap();
    let foreign = other.encrypt(&[1u8, 2]).unwrap();
    let bools = other.encrypt_bools(&[true, false]).unwrap();
    for (name, error) in [
        ("x", other.decrypt::<u8>(&x).unwrap_err()),
        ("x", client.decrypt_bools(&bools).unwrap_err()),
        ("y", server.sub(&x, &foreign).unwrap_err()),
        ("x", server.ge(&foreign, &x).unwrap_err()),
        ("y", server.gt(7u8, &foreign).unwrap_err()),
        ("x", server.neg(&foreign).unwrap_err()),
        ("x", server.not(&foreign).unwrap_err()),
        ("x", server.logical_not(&bools).unwrap_err()),
        ("y", server.logical_xor(&server.eq(&x, &x).unwrap(), &bools).unwrap_err()),
        ("condition", server.select(&bools, &x, &x).unwrap_err()),
        ("amount", server.shl(&x, &foreign).unwrap_err()),
        ("x", server.shr(&foreign, 1u8).unwrap_err()),
        ("x", server.mul(&foreign, 3u8).unwrap_err()),
        ("x", server.sum(&foreign).unwrap_err()),
        ("x", server.count(&bools, 8).unwrap_err()),
        ("x", server.cast(&foreign, 16).unwrap_err()),
        ("x", server.to_bool(&foreign).unwrap_err()),
        ("x", server.apply_block_lut(&foreign, |v| v).unwrap_err()),
        ("arrays[1]", FheUint::concatenate(&[&x, &foreign]).unwrap_err()),
    ] {
        refused(error, &format!("{name} is encrypted under the key"));
    }
}
