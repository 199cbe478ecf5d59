//! Bytes of everything: there and back, and what hostile bytes do.

use crate::bytes::Kind;
use crate::circuit::Polarity;
use crate::dynamic::{self, Clear, CompressedFheArray, FheArray, FheType};
use crate::integer::Counting;
use crate::parameters::TOY;
use crate::test_keys::toy;
use crate::{
    ClientKey, CompressedFheBool, CompressedFheUint, CompressedServerKey, CompressedShortints, FheBool, FheUint,
    ServerKey, Shortints,
};
use icicle_device::{Device, DeviceKind};
use icicle_error::{ErrorCode, Result};

const CPU: Device = Device { kind: DeviceKind::Cpu, index: 0 };

/// Reads bytes of a kind; whether they are of it, and what they are again.
type Read = fn(&[u8]) -> Result<Vec<u8>>;

/// Bytes of every kind, and what reads them.
fn all() -> Vec<(Kind, Vec<u8>, Read)> {
    let (client, server) = toy();
    let (uints, bools) = (client.encrypt(&[200u8, 7]).unwrap(), client.encrypt_bools(&[true, false]).unwrap());
    vec![
        (Kind::ClientKey, client.to_bytes().unwrap().to_vec(), |b| Ok(ClientKey::from_bytes(b)?.to_bytes()?.to_vec())),
        (Kind::ServerKey, server.to_bytes().unwrap(), |b| ServerKey::from_bytes(b, CPU)?.to_bytes()),
        (Kind::CompressedServerKey, client.compressed_server_key().unwrap().to_bytes().unwrap(), |b| {
            CompressedServerKey::from_bytes(b)?.to_bytes()
        }),
        (Kind::Shortints, client.encrypt_shortints(&[3, 1]).unwrap().to_bytes().unwrap(), |b| {
            Shortints::from_bytes(b)?.to_bytes()
        }),
        (Kind::FheUint, server.not(&uints).unwrap().to_bytes().unwrap(), |b| FheUint::from_bytes(b)?.to_bytes()),
        (Kind::FheBool, bools.to_bytes().unwrap(), |b| FheBool::from_bytes(b)?.to_bytes()),
        (
            Kind::CompressedShortints,
            client.encrypt_shortints_compressed(&[3, 0, 2]).unwrap().to_bytes().unwrap(),
            |b| CompressedShortints::from_bytes(b)?.to_bytes(),
        ),
        (Kind::CompressedFheUint, client.encrypt_compressed(&[9u16]).unwrap().to_bytes().unwrap(), |b| {
            CompressedFheUint::from_bytes(b)?.to_bytes()
        }),
        (Kind::CompressedFheBool, client.encrypt_bools_compressed(&[true]).unwrap().to_bytes().unwrap(), |b| {
            CompressedFheBool::from_bytes(b)?.to_bytes()
        }),
    ]
}

#[test]
fn bytes_give_back_what_they_are_of() {
    for (kind, bytes, read) in all() {
        assert!(read(&bytes).unwrap() == bytes, "{kind:?}");
        // Version 1, the kind, the parameters.
        assert_eq!(bytes[8..16], [&[1, 0, kind as u8, 0][..], &u32::MAX.to_le_bytes()].concat(), "{kind:?}");
    }
}

#[test]
fn sizes_are_known_before_bytes_are_written() {
    let (client, server) = toy();
    let (uints, bools) = (client.encrypt(&[200u16, 7]).unwrap(), client.encrypt_bools(&[true, false, true]).unwrap());
    let shorts = client.encrypt_shortints(&[3, 1]).unwrap();
    assert_eq!(client.serialized_size(), client.to_bytes().unwrap().len());
    macro_rules! sizes {
        ($($of:expr),*) => { $(
            let of = &$of;
            assert_eq!(of.serialized_size(), of.to_bytes().unwrap().len(), stringify!($of));
        )* };
    }
    sizes!(server, uints, bools, shorts);
    let compressed = client.encrypt_compressed(&[9u16, 1, 2]).unwrap();
    let (flags, shorts) = (client.encrypt_bools_compressed(&[true]), client.encrypt_shortints_compressed(&[3, 0]));
    sizes!(client.compressed_server_key().unwrap(), compressed, flags.unwrap(), shorts.unwrap());
}

#[test]
fn bytes_say_of_which_type_an_array_is() {
    let (client, _) = toy();
    let refused = |error: icicle_error::Error, text: &str| assert_eq!(error.to_string(), text);
    let clear = [Clear::Bool(&[true, false]), Clear::U8(&[7]), Clear::U16(&[]), Clear::U32(&[1, 2]), Clear::U64(&[9])];
    let kinds = [FheType::Bool, FheType::Uint8, FheType::Uint16, FheType::Uint32, FheType::Uint64];
    for (clear, kind) in clear.into_iter().zip(kinds) {
        let array = dynamic::encrypt(client, clear).unwrap();
        let bytes = array.to_bytes().unwrap();
        assert_eq!(array.serialized_size(), bytes.len());
        let again = FheArray::from_bytes(&bytes).unwrap();
        assert_eq!((again.kind(), again.len()), (kind, array.len()));
        assert!(again.to_bytes().unwrap() == bytes);
        let compressed = dynamic::encrypt_compressed(client, clear).unwrap();
        let small = compressed.to_bytes().unwrap();
        assert_eq!(compressed.serialized_size(), small.len());
        let again = CompressedFheArray::from_bytes(&small).unwrap();
        assert_eq!((again.kind(), again.len(), again.is_empty()), (kind, array.len(), array.is_empty()));
        assert!(again.to_bytes().unwrap() == small);
        let both = [array, again.decompress().unwrap()];
        let [first, second] = both.map(|array| dynamic::decrypt(client, &array).unwrap());
        assert_eq!(first, second);
        refused(
            FheArray::from_bytes(&small).unwrap_err(),
            &format!(
                "fhe_array_from_bytes: bytes are of kind {}, must be of 5, FheUint, or 6, FheBool",
                if kind == FheType::Bool { 9 } else { 8 }
            ),
        );
        assert!(CompressedFheArray::from_bytes(&bytes).is_err());
    }
}

#[test]
fn bytes_that_are_not_whole_are_refused() {
    for (kind, bytes, read) in all() {
        let refused = |bytes: &[u8], what: &str| {
            let error = read(bytes).err().unwrap_or_else(|| panic!("{kind:?}: {what} was taken"));
            assert_eq!(error.code, ErrorCode::InvalidArgument, "{kind:?}: {what}");
            error.to_string()
        };
        // All short lengths, and some of the long ones.
        for len in (0..bytes.len().min(300)).chain((300..bytes.len()).step_by(bytes.len() / 50 + 1)) {
            let text = refused(&bytes[..len], "a part");
            assert!(text.contains("end too early"), "{kind:?}, {len}: {text}");
        }
        assert!(refused(&bytes[..bytes.len() - 1], "all but one").contains("end too early"));
        assert!(refused(&[&bytes[..], &[0]].concat(), "one more").contains("go on after their end: 1 too many"));
        // The format, the version, the kind, the parameters.
        for at in 0..16 {
            let mut other = bytes.clone();
            other[at] ^= 0x40;
            refused(&other, "another header");
        }
        for (other, _, _) in all() {
            let mut renamed = bytes.clone();
            renamed[10] = other as u8;
            assert!(other == kind || refused(&renamed, "another kind").contains("must be of"));
        }
        // A count that no memory could hold.
        if kind as u16 >= Kind::Shortints as u16 {
            for count in [u64::MAX, 1 << 61, 1 << 32] {
                let mut more = bytes.clone();
                let at = 32
                    + match kind {
                        Kind::Shortints => 8,
                        Kind::FheUint => 16,
                        Kind::FheBool => 8,
                        Kind::CompressedFheUint => 4,
                        _ => 0,
                    };
                more[at..][..8].copy_from_slice(&count.to_le_bytes());
                let text = refused(&more, "a count");
                assert!(text.contains(&format!("end too early for {count} elements")), "{text}");
            }
        }
    }
}

#[test]
fn altered_bytes_are_refused_or_read_as_they_are() {
    let mut stream = crate::random::Seed::known(11).stream(0);
    let mut random = [0; 3];
    let mut taken = 0;
    for (kind, bytes, read) in all().into_iter().filter(|(_, bytes, _)| bytes.len() < 20_000) {
        for _ in 0..2_000 {
            let mut altered = bytes.clone();
            stream.uniform(&mut random);
            // A few bytes near the beginning, where all that is not a word of a ciphertext stands; of some, the end cut off.
            for alter in random {
                altered[(alter >> 8) as usize % 64] = alter as u8;
            }
            // Mostly of the right format.
            if random[0] >> 61 != 0 {
                altered[..16].copy_from_slice(&bytes[..16]);
            }
            if random[1] >> 62 == 0 {
                altered.truncate(random[2] as usize % altered.len());
            }
            match read(&altered) {
                Ok(again) => {
                    assert!(again == altered, "{kind:?}");
                    taken += 1;
                }
                Err(error) => assert_eq!(error.code, ErrorCode::InvalidArgument, "{kind:?}: {error}"),
            }
        }
    }
    assert!(taken > 1_000, "{taken}");
}

#[test]
fn what_bytes_say_of_elements_is_checked() {
    let kinds = all();
    let altered = |kind: Kind, at: usize, value: u32| {
        let (_, bytes, read) = kinds.iter().find(|(k, _, _)| *k == kind).unwrap();
        let mut bytes = bytes.clone();
        bytes[32 + at..][..4].copy_from_slice(&value.to_le_bytes());
        read(&bytes).unwrap_err().to_string()
    };
    assert!(altered(Kind::Shortints, 0, 16).contains("bytes say that elements may be 16, must be below 16"));
    assert!(altered(Kind::Shortints, 4, 35).contains("bytes say a squared norm of 35, must be at most 34"));
    assert!(altered(Kind::FheUint, 0, 9).contains("bytes hold integers of 9 bits, must be 8, 16, 32 or 64"));
    assert!(altered(Kind::FheUint, 4, 35).contains("must be at most 34"));
    for (kind, at) in [(Kind::FheUint, 8), (Kind::FheBool, 0)] {
        assert!(altered(kind, at, 3).contains("bytes say 3 of the polarity, must say 0, 1 or 2"));
        assert!(altered(kind, at + 4, 2).contains("bytes say 2 of repetitions, must say 0 or 1"));
    }
    assert!(altered(Kind::CompressedFheUint, 0, 64).contains("hold 8 blocks, must hold 32 for each integer"));
    let (_, mut server, read) = kinds.into_iter().find(|(k, _, _)| *k == Kind::ServerKey).unwrap();
    let last = server.len() - 8;
    for value in [f64::NAN, f64::INFINITY, -1.5] {
        server[last..].copy_from_slice(&value.to_le_bytes());
        let text = read(&server).unwrap_err().to_string();
        assert!(text.contains(&format!("hold the value {value} at {}, must be at most 1", 24 * 4 * 256 - 1)), "{text}");
    }
    // A client key of 24 and 256 bits has none beyond them; one of 918 has two.
    let secure = ClientKey::generate(&crate::MESSAGE_2_CARRY_2).unwrap();
    let mut bytes = secure.to_bytes().unwrap().to_vec();
    assert_eq!(bytes.len(), 32 + 115 + 256);
    bytes[32 + 114] |= 0x80;
    assert!(ClientKey::from_bytes(&bytes).unwrap_err().to_string().contains("bits beyond those of a key"));
}

#[test]
fn what_was_bytes_computes() {
    let (client, server) = toy();
    let client_again = ClientKey::from_bytes(&client.to_bytes().unwrap()).unwrap();
    let server_again = ServerKey::from_bytes(&server.to_bytes().unwrap(), CPU).unwrap();
    let x = client.encrypt_compressed(&[250u8, 3]).unwrap();
    let y = CompressedFheUint::from_bytes(&client_again.encrypt_compressed(&[10u8, 4]).unwrap().to_bytes().unwrap());
    let (x, y) = (x.decompress().unwrap(), y.unwrap().decompress().unwrap());
    let y = FheUint::from_bytes(&y.to_bytes().unwrap()).unwrap();
    let sums = [server, &server_again].map(|server| server.add(&x, &y).unwrap());
    // The very same, and not just the same sums.
    assert!(sums[0].words().unwrap() == sums[1].words().unwrap());
    assert_eq!(client_again.decrypt::<u8>(&sums[0]).unwrap(), [4, 7]);
    // Another key of the same client: other masks, the same results.
    let compressed = client_again.compressed_server_key().unwrap();
    let other = CompressedServerKey::from_bytes(&compressed.to_bytes().unwrap()).unwrap().decompress(CPU).unwrap();
    assert_eq!(client.decrypt::<u8>(&other.add(&x, &y).unwrap()).unwrap(), [4, 7]);
    let bools = CompressedFheBool::from_bytes(
        &client.encrypt_bools_compressed(&[true, false, true]).unwrap().to_bytes().unwrap(),
    );
    let bools = FheBool::from_bytes(&bools.unwrap().decompress().unwrap().to_bytes().unwrap()).unwrap();
    assert_eq!(client.decrypt_bools(&other.logical_not(&bools).unwrap()).unwrap(), [false, true, false]);
    let values: Vec<u8> = (0..100).map(|i| i % 4).collect();
    let shortints = client.encrypt_shortints_compressed(&values).unwrap().decompress().unwrap();
    assert_eq!(
        client.decrypt_shortints(&Shortints::from_bytes(&shortints.to_bytes().unwrap()).unwrap()).unwrap(),
        values
    );
    // Another client's key is still another's.
    let stranger = ClientKey::generate(&TOY).unwrap();
    let theirs = FheUint::from_bytes(&stranger.encrypt(&[1u8, 2]).unwrap().to_bytes().unwrap()).unwrap();
    assert!(server.add(&x, &theirs).unwrap_err().to_string().contains("must be under that of the key"));
}

/// What noise has in common with that of others decides how circuits are built: it stays known.
#[test]
fn bytes_keep_what_noise_has_in_common() {
    let (client, server) = toy();
    let x = client.encrypt(&[250u8, 3]).unwrap();
    let flags = client.encrypt_bools(&[true, false]).unwrap();
    let (not, none) = (server.not(&x).unwrap(), server.logical_not(&flags).unwrap());
    let integers = [x.try_clone().unwrap(), server.not(&x).unwrap(), FheUint::concatenate(&[&x, &not]).unwrap()];
    let bools = [flags.try_clone().unwrap(), server.logical_not(&flags).unwrap()];
    let bools = bools.into_iter().chain([FheBool::concatenate(&[&flags, &none]).unwrap()]);
    for ((x, flag), polarity) in integers.iter().zip(bools).zip([Polarity::Plain, Polarity::Negated, Polarity::Mixed]) {
        for (x, flag) in [(x.try_clone(), flag.try_clone()), (x.repeat(2), flag.repeat(2))] {
            let (x, flag) = (x.unwrap(), flag.unwrap());
            let (again, flag_again) = (
                FheUint::from_bytes(&x.to_bytes().unwrap()).unwrap(),
                FheBool::from_bytes(&flag.to_bytes().unwrap()).unwrap(),
            );
            assert_eq!((again.polarity, again.repeats, again.norm2), (polarity, x.repeats, 1));
            assert_eq!((flag_again.polarity, flag_again.repeats), (polarity, flag.repeats));
        }
    }
    // A complement that was bytes is bootstrapped before it is compared with what it is of, as one that was not.
    let keys = Counting::new(1);
    let read = FheUint::from_bytes(&not.to_bytes().unwrap()).unwrap();
    let counts = [&not, &read, &x].map(|y| {
        keys.taken();
        keys.lt(&x, y).unwrap();
        keys.taken()[0]
    });
    assert!(counts[0] == counts[1] && counts[0] > counts[2], "{counts:?}");
}

#[test]
fn raw_parts_make_what_they_are_of() {
    let (client, server) = toy();
    let again = ClientKey::from_raw(&TOY, client.tag(), client.lwe_key(), client.glwe_key()).unwrap();
    let compressed = client.compressed_server_key().unwrap();
    let owned = |(seed, bodies): (u128, &[u64])| (seed, bodies.to_vec());
    let (key_switch, bootstrap) = (owned(compressed.key_switch()), owned(compressed.bootstrap()));
    let copied = CompressedServerKey::from_raw(&TOY, client.tag(), key_switch.clone(), bootstrap.clone()).unwrap();
    // Written out here by the definition.
    let write_out = |(seed, bodies): &(u128, Vec<u64>), mask: usize, body: usize| -> Vec<u64> {
        let masks = crate::masks::MaskSeed(*seed).masks();
        let mut words = vec![0; bodies.len() / body * (mask + body)];
        for (at, (row, bodies)) in words.chunks_mut(mask + body).zip(bodies.chunks(body)).enumerate() {
            masks.write(at * mask, &mut row[..mask]);
            row[mask..].copy_from_slice(bodies);
        }
        words
    };
    let words =
        ServerKey::from_raw(&TOY, client.tag(), CPU, write_out(&key_switch, 24, 1), &write_out(&bootstrap, 256, 256));
    let x = client.encrypt(&[77u8]).unwrap();
    let x = FheUint::from_raw(&TOY, client.tag(), 8, x.words().unwrap().to_vec()).unwrap();
    let sums = [copied.decompress(CPU).unwrap(), words.unwrap()].map(|server| server.add(&x, &x).unwrap());
    assert!(sums[0].words().unwrap() == sums[1].words().unwrap());
    assert_eq!(again.decrypt::<u8>(&sums[0]).unwrap(), [154]);
    // Words may be there twice.
    assert!(x.repeats);
    let equal = server.eq(&x, &x).unwrap();
    let equal = FheBool::from_raw(&TOY, client.tag(), equal.words().unwrap().to_vec()).unwrap();
    assert_eq!(again.decrypt_bools(&equal).unwrap(), [true]);
    let short =
        Shortints::from_raw(&TOY, client.tag(), client.encrypt_shortints(&[2]).unwrap().words().unwrap().to_vec());
    assert_eq!(again.decrypt_shortints(&short.unwrap()).unwrap(), [2]);

    let refused = |error: icicle_error::Error, text: &str| assert!(error.to_string().contains(text), "{error}");
    refused(ClientKey::from_raw(&TOY, 0, &[1; 23], &[1; 256]).unwrap_err(), "lwe_key has 23 elements, must have 24");
    refused(ClientKey::from_raw(&TOY, 0, &[1; 24], &[1; 255]).unwrap_err(), "glwe_key has 255 elements, must have 256");
    refused(ClientKey::from_raw(&TOY, 0, &[1; 24], &[2; 256]).unwrap_err(), "glwe_key has a word that is not 0 or 1");
    let few = CompressedServerKey::from_raw(&TOY, 0, (0, vec![]), bootstrap.clone());
    refused(few.unwrap_err(), "key_switch has 0 elements, must have 1024");
    let few = ServerKey::from_raw(&TOY, 0, CPU, vec![0; 1024 * 25], &bootstrap.1);
    refused(few.unwrap_err(), "bootstrap has 12288 elements, must have 24576");
    refused(FheUint::from_raw(&TOY, 0, 8, vec![0; 257]).unwrap_err(), "must have a multiple of 1028");
    refused(FheUint::from_raw(&TOY, 0, 7, vec![]).unwrap_err(), "bits is 7, must be 8, 16, 32 or 64");
}
