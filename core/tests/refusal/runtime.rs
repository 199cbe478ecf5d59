//! Device memory, random elements and encodings.

use crate::operation::{Operation, elements, points, poison, words};
use icicle::device::{Buffer, PinnedBuffer};
use icicle::ops::{encoding, random};
use icicle::{CurveId, FieldId};

const N: usize = 20_000;

pub fn operations() -> Vec<Operation> {
    let (field, curve) = (FieldId::Bn254Scalar, CurveId::Bls12_381);
    let data = || elements(FieldId::Bn254Scalar, 1000, 1);
    // The one curve with a compressed form is not in a build for development.
    let encoded = icicle::CURVES.iter().any(|row| row.id == curve);
    let mut all = vec![
        Operation::one("buffer", move || {
            let data = data();
            (poison(1), move |out: &mut Vec<u32>| {
                let buffer = Buffer::from_slice(&data)?;
                out[0] = buffer.len() as u32;
                Ok(())
            })
        }),
        Operation::one("zeroed buffer", move || {
            (poison(5000), move |out: &mut Vec<u32>| Buffer::<u32>::zeroed(out.len())?.copy_to_slice(out))
        }),
        Operation::one("page-locked buffer", move || {
            (poison(5000), move |out: &mut Vec<u32>| {
                let buffer = PinnedBuffer::<u32>::new(out.len())?;
                out.copy_from_slice(&buffer);
                Ok(())
            })
        }),
        Operation::one("buffer to vector", move || {
            let buffer = Buffer::from_slice(&data()).unwrap();
            (poison(buffer.len()), move |out: &mut Vec<u32>| {
                out.copy_from_slice(&buffer.to_vec()?);
                Ok(())
            })
        }),
        Operation::one("part of a buffer to vector", move || {
            let buffer = Buffer::from_slice(&data()).unwrap();
            (poison(buffer.len() - 5), move |out: &mut Vec<u32>| {
                out.copy_from_slice(&buffer.slice(5..)?.to_vec()?);
                Ok(())
            })
        }),
        // As many blocks of a size as make the pool's lists long.
        Operation::one("many buffers", move || {
            (poison(1), move |out: &mut Vec<u32>| {
                let make = || (0..1500).map(|_| Buffer::<u32>::new(16)).collect::<Result<Vec<_>, _>>();
                let buffers = crate::unrefused(make)?;
                buffers.into_iter().for_each(drop);
                icicle::device::trim(icicle::Device::cpu(0), 0)?;
                out[0] = 1;
                Ok(())
            })
        }),
        Operation::one("random elements, seeded", move || {
            (poison(N * words(field)), move |out: &mut Vec<u32>| random::field_seeded(field, [3; 32], out))
        }),
        Operation::one("random elements", move || {
            (poison(N * words(field)), move |out: &mut Vec<u32>| {
                random::field(field, out)?;
                assert!(out.chunks(words(field)).all(|x| x.iter().any(|&word| word != 0xa5a5_a5a5)));
                out.fill(1);
                Ok(())
            })
        }),
    ];
    let encodings = [
        Operation::one("checks", move || {
            let (elements, points) = (elements(field, N, 1), points(curve, 500, true));
            (poison(1), move |out: &mut Vec<u32>| {
                encoding::check_elements(field, N, (&elements).into())?;
                encoding::check_points(curve, 500, (&points).into())?;
                out[0] = 1;
                Ok(())
            })
        }),
        Operation::one("compression", move || {
            let points = points(curve, 500, false);
            (poison(500 * encoding::COMPRESSED_BYTES / 4), move |out: &mut Vec<u32>| {
                encoding::compress(curve, (&points).into(), bytemuck::cast_slice_mut(out))
            })
        }),
        Operation::one("decompression", move || {
            let points = points(curve, 500, false);
            let mut compressed = vec![0u8; 500 * encoding::COMPRESSED_BYTES];
            encoding::compress(curve, (&points).into(), &mut compressed).unwrap();
            (poison(500 * 24), move |out: &mut Vec<u32>| encoding::decompress(curve, &compressed, out.into()))
        }),
    ];
    all.extend(encodings.into_iter().filter(|_| encoded));
    all
}
