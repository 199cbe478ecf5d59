//! Transforms one after another on the device: passes start beside the last blocks of what is ahead of them.

use super::vector::elements;
use super::{exclusive, fake, small};
use icicle::device::{Dst, Launch, Src};
use icicle::ops::ntt::{Direction, NttConfig, Ordering, init_domain, ntt, release_domain, root_of_unity};
use icicle::ops::vector::{Binary, VectorConfig, binary};
use icicle::{Buffer, Device, DeviceGuard, FieldId, Stream};

const CUDA: Device = Device::cuda(0);

/// There and back in place again and again, a difference with a copy of the input after each round: were a kernel not to
/// wait for the one ahead, it would read what is half done.
#[test]
fn passes_wait_for_what_is_ahead_of_them() {
    let Some(_one) = exclusive() else { return };
    if fake() {
        return;
    }
    let _guard = DeviceGuard::new(CUDA).unwrap();
    let (sizes, rounds): (&[u32], u32) = if small() { (&[4, 9], 2) } else { (&[4, 12, 16, 18, 19], 40) };
    for scalar in [FieldId::Bn254Scalar, FieldId::Bw6_761Scalar, FieldId::BabyBearScalar, FieldId::GoldilocksScalar] {
        // Another test may have made a smaller one, which stays.
        release_domain(scalar, &Launch::default()).unwrap();
        init_domain(scalar, root_of_unity(scalar, 1 << 20).unwrap(), &Launch::default()).unwrap();
        for &log_n in sizes {
            let n = 1usize << log_n;
            let input = elements(scalar, n, u64::from(log_n));
            let stream = Stream::on(CUDA).unwrap();
            let launch = Launch { stream: Some(stream.as_ref()), is_async: true };
            let original = Buffer::from_slice(&input).unwrap();
            let mut data = Buffer::from_slice(&input).unwrap();
            let mut differences: Vec<_> = (0..rounds).map(|_| Buffer::from_slice(&input).unwrap()).collect();
            for (round, difference) in differences.iter_mut().enumerate() {
                // By way of reversed order, or natural order all along.
                let orders = if round % 2 == 0 {
                    [Ordering::NaturalReversed, Ordering::ReversedNatural]
                } else {
                    [Ordering::NaturalNatural, Ordering::NaturalNatural]
                };
                for (direction, ordering) in [Direction::Forward, Direction::Inverse].into_iter().zip(orders) {
                    let config = NttConfig { launch: launch.clone(), ordering, ..NttConfig::default() };
                    let place = Dst::from(&mut data);
                    ntt(scalar, n, direction, &config, place.as_src(), place).unwrap();
                }
                let config = VectorConfig { launch: launch.clone(), ..VectorConfig::default() };
                let (a, b) = (Src::from(&data), Src::from(&original));
                binary(Binary::Sub, scalar, n, a, b, &config, Dst::from(difference)).unwrap();
            }
            stream.synchronize().unwrap();
            for (round, difference) in differences.iter().enumerate() {
                let zero = difference.to_vec().unwrap().iter().all(|&word| word == 0);
                assert!(zero, "{} 2^{log_n} round {round}", scalar.name());
            }
        }
    }
}
