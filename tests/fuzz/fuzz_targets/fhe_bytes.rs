//! Any bytes as a key or as ciphertexts: none may crash, and what is read is written as the same bytes again.
#![no_main]

use icicle_device::{Device, DeviceKind};
use icicle_fhe::{
    ClientKey, CompressedFheBool, CompressedFheUint, CompressedServerKey, CompressedShortints, FheBool, FheUint,
    ServerKey, Shortints,
};

/// What all begin with, in the one set of parameters: magic, version, kind, parameters.
const HEADER: [u8; 16] = *b"icicle\xf4\xe1\x01\0\0\0\x01\0\0\0";

fn check(bytes: &[u8]) {
    macro_rules! read {
        ($($type:ident)*) => {
            $(if let Ok(value) = $type::from_bytes(bytes) {
                assert!(value.to_bytes().is_ok_and(|again| again[..] == *bytes), stringify!($type));
            })*
        };
    }
    read!(ClientKey CompressedServerKey Shortints FheUint FheBool CompressedShortints CompressedFheUint CompressedFheBool);
    if let Ok(key) = ServerKey::from_bytes(bytes, Device { kind: DeviceKind::Cpu, index: 0 }) {
        assert!(key.to_bytes().is_ok_and(|again| again == bytes), "ServerKey");
    }
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    check(data);
    // Most bytes are of no format: with a header, they come further.
    if let Some((kind, rest)) = data.split_first() {
        let mut bytes = [&HEADER[..], rest].concat();
        bytes[10] = kind % 10;
        check(&bytes);
    }
});
