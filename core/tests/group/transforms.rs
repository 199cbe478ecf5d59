//! Transforms over groups.

use super::{elements, groups};
use icicle::device::{Dst, Layout, Sharded};
use icicle::ops::group as over;
use icicle::ops::ntt::{self, Direction, NttConfig, Ordering, init_domain, root_of_unity};
use icicle::{Buffer, DeviceGroup, FIELDS, FieldId, Launch, Result};
use std::sync::{Mutex, MutexGuard, PoisonError};

const ORDERINGS: [Ordering; 6] = [
    Ordering::NaturalNatural,
    Ordering::NaturalReversed,
    Ordering::ReversedNatural,
    Ordering::ReversedReversed,
    Ordering::NaturalMixed,
    Ordering::MixedNatural,
];

const LOG_DOMAIN: u64 = 14;

/// Domains belong to devices: tests take turns.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn coset(field: FieldId) -> [u64; 12] {
    let mut words = [0; 12];
    words[0] = if field.scalar() == field { 7 } else { 5 };
    words
}

/// One transform from each place, as one device does it.
fn check(group: &DeviceGroup, field: FieldId, n: usize, direction: Direction, config: &NttConfig) {
    let what = format!("{direction:?} {:?} of {n} over {} on {:?}", config.ordering, field.name(), group.shares());
    let data = elements(field, n, 3);
    let mut expected = vec![0u32; data.len()];
    ntt::ntt(field, n, direction, config, (&data).into(), (&mut expected).into()).unwrap();
    let mut out = vec![7u32; data.len()];
    over::ntt(group, field, n, direction, config, &data, &mut out).unwrap();
    assert!(out == expected, "host, {what}");
    let on_device = Buffer::from_slice_on(group.devices()[0], &data).unwrap();
    let mut out = Buffer::<u32>::on(*group.devices().last().unwrap(), data.len()).unwrap();
    over::ntt(group, field, n, direction, config, &on_device, &mut out).unwrap();
    assert!(out.to_vec().unwrap() == expected, "device, {what}");
    let mut sharded = Sharded::new(group, n, field.info().bytes(), Layout::Blocks).unwrap();
    sharded.scatter(group, (&data).into()).unwrap();
    let mut result = sharded.like(group, field.info().bytes()).unwrap();
    over::ntt(group, field, n, direction, config, &sharded, &mut result).unwrap();
    let mut out = vec![7u32; data.len()];
    result.gather(group, (&mut out).into()).unwrap();
    assert!(out == expected, "sharded, {what}");
}

fn with_domain(group: &DeviceGroup, field: FieldId, run: impl FnOnce()) {
    let scalar = field.scalar();
    let root = root_of_unity(scalar, 1 << LOG_DOMAIN).unwrap();
    // Where the expected results come from, and the group.
    init_domain(scalar, root, &Launch::default()).unwrap();
    over::init_domain(group, scalar, root).unwrap();
    run();
    over::release_domain(group, scalar).unwrap();
    ntt::release_domain(scalar, &Launch::default()).unwrap();
}

#[test]
fn every_field_size_and_ordering() {
    let _turn = turn();
    for group in groups() {
        for row in FIELDS.iter().filter(|row| row.ntt) {
            with_domain(&group, row.id, || {
                for n in [1usize, 2, 4, 16, 64, 1 << 12, 1 << 13] {
                    for direction in [Direction::Forward, Direction::Inverse] {
                        for (i, ordering) in ORDERINGS.into_iter().enumerate() {
                            // Both with and without a coset in every ordering, over all sizes.
                            let with_coset = (i + n.trailing_zeros() as usize).is_multiple_of(2);
                            let coset = with_coset.then(|| coset(row.id));
                            let config = NttConfig { ordering, coset, ..NttConfig::default() };
                            check(&group, row.id, n, direction, &config);
                        }
                    }
                }
            });
        }
    }
}

#[test]
fn cosets_in_every_ordering() {
    let _turn = turn();
    let field = FieldId::BabyBearScalar;
    for group in groups() {
        with_domain(&group, field, || {
            for direction in [Direction::Forward, Direction::Inverse] {
                for ordering in ORDERINGS {
                    for coset in [None, Some(coset(field))] {
                        let config = NttConfig { ordering, coset, ..NttConfig::default() };
                        check(&group, field, 1 << 13, direction, &config);
                    }
                }
            }
        });
    }
}

/// What is enqueued ahead waits for what it needs: transforms that take a while, again and again, also in place.
#[test]
fn large_transforms_of_gpus() {
    super::ready();
    let gpus = super::gpus();
    if gpus.len() < 2 {
        return;
    }
    let _turn = turn();
    // From 2^23 elements of 32 bytes kernels reach the memory of other devices; shares that differ, and those of one device.
    let uneven: Vec<f64> = (0..gpus.len()).map(|i| if i == 0 { 3.0 } else { 1.0 }).collect();
    let plain = || DeviceGroup::new(&gpus).unwrap();
    let cases = [
        (plain(), FieldId::Bn254Scalar, 22),
        (plain(), FieldId::Bn254Scalar, 23),
        (plain().with_shares(&uneven).unwrap(), FieldId::Bn254Scalar, 23),
        (plain(), FieldId::BabyBearScalar, 22),
    ];
    for (group, field, log_n) in cases {
        let (n, bytes) = (1usize << log_n, field.info().bytes());
        let root = root_of_unity(field, n as u64).unwrap();
        over::init_domain(&group, field, root).unwrap();
        let data = elements(field, n, 5);
        let on_device = Buffer::from_slice_on(gpus[0], &data).unwrap();
        let mut expected = Buffer::<u32>::on(gpus[0], data.len()).unwrap();
        let mut sharded = Sharded::new(&group, n, bytes, Layout::Blocks).unwrap();
        sharded.scatter(&group, (&data).into()).unwrap();
        let mut result = sharded.like(&group, bytes).unwrap();
        let mut out = vec![0u32; data.len()];
        for direction in [Direction::Forward, Direction::Inverse] {
            for (i, ordering) in ORDERINGS.into_iter().enumerate() {
                let coset = (log_n == 23 && i % 2 == 0).then(|| coset(field));
                let config = NttConfig { ordering, coset, ..NttConfig::default() };
                ntt::ntt(field, n, direction, &config, (&on_device).into(), (&mut expected).into()).unwrap();
                let expected = expected.to_vec().unwrap();
                for turn in 0..2 {
                    over::ntt(&group, field, n, direction, &config, &sharded, &mut result).unwrap();
                    out.fill(7);
                    result.gather(&group, (&mut out).into()).unwrap();
                    assert!(out == expected, "{direction:?} {ordering:?} of {}, turn {turn}", field.name());
                }
                let mut both = on_device.to_device(gpus[0]).unwrap();
                let to = Dst::from(&mut both);
                over::ntt(&group, field, n, direction, &config, to.as_src(), to).unwrap();
                assert!(both.to_vec().unwrap() == expected, "{direction:?} {ordering:?} of {} in place", field.name());
            }
        }
        over::release_domain(&group, field).unwrap();
    }
}

#[test]
fn batches_are_spread() {
    let _turn = turn();
    for group in groups() {
        for field in [FieldId::Bn254Scalar, FieldId::BabyBearScalar] {
            with_domain(&group, field, || {
                for (n, batch, columns) in
                    [(16, 1, true), (16, 5, false), (16, 5, true), (256, 9, false), (256, 9, true), (1, 4, true)]
                {
                    for direction in [Direction::Forward, Direction::Inverse] {
                        let config = NttConfig { batch, columns, coset: Some(coset(field)), ..NttConfig::default() };
                        let data = elements(field, n * batch, 4);
                        let mut expected = vec![0u32; data.len()];
                        ntt::ntt(field, n, direction, &config, (&data).into(), (&mut expected).into()).unwrap();
                        let mut out = vec![7u32; data.len()];
                        over::ntt(&group, field, n, direction, &config, &data, &mut out).unwrap();
                        assert_eq!(out, expected, "{n} times {batch}, columns {columns}");
                        let mut device = Buffer::from_slice_on(group.devices()[0], &data).unwrap();
                        let source = device.to_device(group.devices()[0]).unwrap();
                        over::ntt(&group, field, n, direction, &config, &source, &mut device).unwrap();
                        assert_eq!(
                            device.to_vec().unwrap(),
                            expected,
                            "on a device, {n} times {batch}, columns {columns}"
                        );
                        if columns && batch > 1 {
                            continue;
                        }
                        // Blocks that end where transforms do, and within one: 5 and 9 of them.
                        let bytes = field.info().bytes();
                        let mut sharded = Sharded::new(&group, n * batch, bytes, Layout::Blocks).unwrap();
                        sharded.scatter(&group, (&data).into()).unwrap();
                        let mut result = sharded.like(&group, bytes).unwrap();
                        over::ntt(&group, field, n, direction, &config, &sharded, &mut result).unwrap();
                        out.fill(7);
                        result.gather(&group, (&mut out).into()).unwrap();
                        assert_eq!(out, expected, "sharded, {n} times {batch}");
                        out.fill(7);
                        over::ntt(&group, field, n, direction, &config, &sharded, &mut out).unwrap();
                        assert_eq!(out, expected, "sharded to the host, {n} times {batch}");
                        result.scatter(&group, (&expected.iter().map(|_| 9).collect::<Vec<u32>>()).into()).unwrap();
                        over::ntt(&group, field, n, direction, &config, &data, &mut result).unwrap();
                        out.fill(7);
                        result.gather(&group, (&mut out).into()).unwrap();
                        assert_eq!(out, expected, "sharded from the host, {n} times {batch}");
                    }
                }
            });
        }
    }
}

#[test]
fn what_does_not_fit_is_named() {
    super::ready();
    let _turn = turn();
    let group = DeviceGroup::new(&super::cpus(2)).unwrap();
    let field = FieldId::BabyBearScalar;
    let data = elements(field, 8, 1);
    let cyclic = Sharded::from_slice(&group, &data, Layout::Cyclic).unwrap();
    let blocks = Sharded::from_slice(&group, &data, Layout::Blocks).unwrap();
    let mut out = vec![7u32; 8];
    let message = |result: Result<()>| result.unwrap_err().to_string();
    let call = |n, config: &NttConfig, input: &Sharded, out: &mut Vec<u32>| {
        message(over::ntt(&group, field, n, Direction::Forward, config, input, out))
    };
    let config = NttConfig::default();
    assert_eq!(call(8, &config, &cyclic, &mut out), "ntt: vector in cyclic layout: must be blocks");
    assert_eq!(call(7, &config, &blocks, &mut out), "ntt: size 7: must be a power of two");
    let columns = NttConfig { batch: 2, columns: true, ..NttConfig::default() };
    assert_eq!(
        call(4, &columns, &blocks, &mut out),
        "ntt: columns_batch: must be false for several transforms of sharded vectors"
    );
    // No domain yet: the device is named.
    let error = call(8, &config, &blocks, &mut out);
    assert!(error.contains("on cpu:") && error.contains("domain"), "{error}");
    assert_eq!(out, [7; 8]);
}
