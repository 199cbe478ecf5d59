//! Operands of the host that are taken in parts, from pageable and page-locked memory: the same results as the CPU's,
//! wherever parts end, in place too.

use super::vector::elements;
use super::{exclusive, fake, small};
use icicle::device::{self, Dst, Launch, PinnedBuffer, Place, Src};
use icicle::ops::ntt::{Direction, NttConfig, Ordering, init_domain, ntt, release_domain, root_of_unity};
use icicle::ops::vector::{self, Binary, VectorConfig};
use icicle::{Buffer, Device, DeviceGuard, ErrorCode, FieldId, Result, Stream};

const CUDA: Device = Device::cuda(0);

/// A call by its two inputs, of which it may use the first alone, and its output.
type Call<'a> = &'a dyn Fn(Src<'_>, Src<'_>, &Launch, Dst<'_>) -> Result<()>;

fn on<T>(device: Device, run: impl FnOnce() -> T) -> T {
    let _guard = DeviceGuard::new(device).unwrap();
    run()
}

/// From every kind of memory to every kind, waiting and not, and onto the first input.
fn check(what: &str, (a, b): (&[u32], &[u32]), words: usize, call: Call<'_>) {
    let poison = vec![0xdead_beefu32; words];
    let now = Launch::default();
    let mut expected = poison.clone();
    on(Device::cpu(0), || call(a.into(), b.into(), &now, (&mut expected).into())).unwrap();
    let _guard = DeviceGuard::new(CUDA).unwrap();
    let mut out = poison.clone();
    call(a.into(), b.into(), &now, (&mut out).into()).unwrap();
    assert!(out == expected, "{what}: pageable");
    // The first transform of a size may have made tables that stay.
    let used = device::memory_stats(CUDA).unwrap().used;
    if words == a.len() {
        let mut place = a.to_vec();
        let dst = Dst::from(&mut place);
        call(dst.as_src(), b.into(), &now, dst).unwrap();
        assert!(place == expected, "{what}: pageable, in place");
    }
    let (pa, pb) = (PinnedBuffer::from_slice(a).unwrap(), PinnedBuffer::from_slice(b).unwrap());
    let mut pinned = PinnedBuffer::from_slice(&poison).unwrap();
    call((&pa).into(), (&pb).into(), &now, (&mut pinned).into()).unwrap();
    assert!(pinned[..] == expected[..], "{what}: page-locked");
    assert_eq!(device::memory_stats(CUDA).unwrap().used, used, "{what}: memory of the call goes back");

    let stream = Stream::on(CUDA).unwrap();
    let later = Launch { stream: Some(stream.as_ref()), is_async: true };
    let mut pinned = PinnedBuffer::from_slice(&poison).unwrap();
    call((&pa).into(), b.into(), &later, (&mut pinned).into()).unwrap();
    // The borrow of the destination ends with the call, and so does the work.
    assert!(pinned[..] == expected[..], "{what}: one page-locked and one pageable, on a stream");
    let (place, bytes) = (Place::Host, size_of_val(a));
    // SAFETY: page-locked memory that nobody uses until the stream is synchronized.
    let (src, dst) = unsafe {
        let src = Src::from_raw_parts(pa.as_ptr().cast(), bytes, place);
        (src, Dst::from_raw_parts(pinned.as_mut_ptr().cast(), 4 * words, place))
    };
    call(src, b.into(), &later, dst).unwrap();
    stream.synchronize().unwrap();
    assert!(pinned[..] == expected[..], "{what}: page-locked, by address");
    let da = Buffer::from_slice(a).unwrap();
    let mut out = poison.clone();
    call((&da).into(), (&pb).into(), &later, (&mut out).into()).unwrap();
    // Into pageable memory everything has been copied on return.
    assert!(out == expected, "{what}: one on the device, into pageable memory");
    let mut result = Buffer::from_slice(&poison).unwrap();
    call(a.into(), b.into(), &later, (&mut result).into()).unwrap();
    stream.synchronize().unwrap();
    assert!(result.to_vec().unwrap() == expected, "{what}: to the device");
}

#[test]
fn vectors_of_the_host_are_taken_in_parts() {
    let Some(_one) = exclusive() else { return };
    if fake() || small() {
        return;
    }
    // Lengths that end within a part, with a few elements more, and with one.
    for (field, n) in [
        (FieldId::Bn254Scalar, (1 << 19) + 12345),
        (FieldId::Bls12_381Base, (1 << 18) + 1),
        (FieldId::BabyBearScalar, (1 << 22) + 7),
        (FieldId::BabyBearExtension, (1 << 20) + 3),
        (FieldId::GoldilocksScalar, 1 << 21),
    ] {
        let (a, b) = (elements(field, n, 1), elements(field, n, 2));
        for op in [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div] {
            check(&format!("{} {op:?}", field.name()), (&a, &b), a.len(), &|a, b, launch, out| {
                vector::binary(
                    op,
                    field,
                    n,
                    a,
                    b,
                    &VectorConfig { launch: launch.clone(), ..VectorConfig::default() },
                    out,
                )
            });
        }
        check(&format!("{} of itself", field.name()), (&a, &a), a.len(), &|a, b, launch, out| {
            vector::binary(
                Binary::Mul,
                field,
                n,
                a,
                b,
                &VectorConfig { launch: launch.clone(), ..VectorConfig::default() },
                out,
            )
        });
        let scalar = elements(field, 1, 9);
        check(&format!("{} scalar", field.name()), (&a, &b), a.len(), &|a, _, launch, out| {
            let config = VectorConfig { launch: launch.clone(), ..VectorConfig::default() };
            vector::scalar(Binary::Mul, field, n, (&scalar).into(), a, &config, out)
        });
        check(&format!("{} invert", field.name()), (&a, &b), a.len(), &|a, _, launch, out| {
            vector::inv(field, n, a, &VectorConfig { launch: launch.clone(), ..VectorConfig::default() }, out)
        });
        check(&format!("{} convert", field.name()), (&a, &b), a.len(), &|a, _, launch, out| {
            vector::convert_montgomery(
                field,
                n,
                a,
                true,
                &VectorConfig { launch: launch.clone(), ..VectorConfig::default() },
                out,
            )
        });
    }
    let (field, n) = (FieldId::BabyBearExtension, (1 << 20) + 3);
    let (a, b) = (elements(field, n, 1), elements(field.scalar(), n, 2));
    check("mixed product", (&a, &b), a.len(), &|a, b, launch, out| {
        vector::mixed_mul(field, n, a, b, &VectorConfig { launch: launch.clone(), ..VectorConfig::default() }, out)
    });
}

#[test]
fn transforms_of_the_host_are_taken_in_parts() {
    let Some(_one) = exclusive() else { return };
    if fake() || small() {
        return;
    }
    use Ordering::{MixedNatural, NaturalMixed, NaturalNatural, NaturalReversed, ReversedNatural, ReversedReversed};
    // Many vectors a part, one a part, and several parts a vector.
    for (field, log_n, batch) in [
        (FieldId::Bn254Scalar, 8, 2100),
        (FieldId::Bn254Scalar, 18, 3),
        (FieldId::GoldilocksScalar, 15, 77),
        (FieldId::BabyBearExtension, 10, 1000),
    ] {
        let scalar = field.scalar();
        for device in [CUDA, Device::cpu(0)] {
            on(device, || {
                release_domain(scalar, &Launch::default()).unwrap();
                init_domain(scalar, root_of_unity(scalar, 1 << 20).unwrap(), &Launch::default()).unwrap();
            });
        }
        let a = elements(field, batch << log_n, 4);
        let mut coset = [0u64; 12];
        coset[0] = 7;
        for direction in [Direction::Forward, Direction::Inverse] {
            for ordering in
                [NaturalNatural, NaturalReversed, ReversedNatural, ReversedReversed, NaturalMixed, MixedNatural]
            {
                for coset in [None, Some(coset)] {
                    let what = format!("{} 2^{log_n} {direction:?} {ordering:?} {coset:?}", field.name());
                    check(&what, (&a, &a), a.len(), &|a, _, launch, out| {
                        let config =
                            NttConfig { launch: launch.clone(), ordering, batch, coset, ..NttConfig::default() };
                        ntt(field, 1 << log_n, direction, &config, a, out)
                    });
                }
            }
        }
    }
}

/// What is wrong with the arguments is said before anything is written.
#[test]
fn nothing_is_written_for_arguments_that_are_refused() {
    let Some(_one) = exclusive() else { return };
    if fake() {
        return;
    }
    let (field, n) = (FieldId::Bn254Scalar, 1 << 19);
    let a = elements(field, n, 1);
    let mut out = vec![0xdead_beefu32; a.len() - 8];
    let _guard = DeviceGuard::new(CUDA).unwrap();
    let result =
        vector::binary(Binary::Mul, field, n, (&a).into(), (&a).into(), &VectorConfig::default(), (&mut out).into());
    assert_eq!(result.unwrap_err().code, ErrorCode::InvalidArgument);
    assert!(out.iter().all(|&word| word == 0xdead_beef));
}
