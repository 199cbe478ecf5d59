//! Multi-scalar multiplications over groups.

use super::{elements, groups};
use icicle::device::{Layout, Sharded};
use icicle::ops::group as over;
use icicle::ops::msm::{self, MsmConfig};
use icicle::ops::point::{self, PointForm};
use icicle::{Buffer, CURVES, CurveId, DeviceGroup, Result};

fn bases(curve: CurveId, n: usize) -> Vec<u32> {
    let mut words = vec![0u32; n * PointForm::Affine.bytes(curve) / 4];
    point::random(curve, PointForm::Affine, &mut words).unwrap();
    words
}

fn words(curve: CurveId) -> usize {
    PointForm::Projective.bytes(curve) / 4
}

/// The sums of one device, and those of the group from each place.
fn check(group: &DeviceGroup, curve: CurveId, n: usize, scalars: &[u32], bases: &[u32], config: &MsmConfig) {
    let what = format!("{curve:?} {n} in batches of {} on {:?}", config.batch, group.shares());
    let mut expected = vec![0u32; config.batch * words(curve)];
    msm::msm(curve, n, scalars.into(), bases.into(), config, (&mut expected).into()).unwrap();
    let mut out = vec![7u32; expected.len()];
    over::msm(group, curve, n, scalars, bases, config, (&mut out).into()).unwrap();
    assert_eq!(out, expected, "host, {what}");
    let last = *group.devices().last().unwrap();
    let on = |words: &[u32]| Buffer::from_slice_on(last, words).unwrap();
    let (s, b) = (on(scalars), on(bases));
    let mut out = Buffer::<u32>::on(group.devices()[0], expected.len()).unwrap();
    over::msm(group, curve, n, &s, &b, config, (&mut out).into()).unwrap();
    assert_eq!(out.to_vec().unwrap(), expected, "device, {what}");
    if config.batch > 1 {
        return;
    }
    for layout in Layout::ALL {
        let sharded = |words: &[u32], bytes: usize| {
            let mut vector = Sharded::new(group, n, bytes, layout).unwrap();
            vector.scatter(group, words.into()).unwrap();
            vector
        };
        let s = sharded(scalars, curve.info().scalar.info().bytes());
        let b = sharded(bases, PointForm::Affine.bytes(curve) * config.precompute_factor);
        let mut out = vec![7u32; expected.len()];
        over::msm(group, curve, n, &s, &b, config, (&mut out).into()).unwrap();
        assert_eq!(out, expected, "{layout:?}, {what}");
    }
}

#[test]
fn every_curve_and_size() {
    for group in groups() {
        for row in CURVES.iter() {
            let points = bases(row.id, 300);
            for n in [0, 1, 3, 7, 64, 300] {
                let scalars = elements(row.scalar, n, 9);
                let bases = &points[..n * PointForm::Affine.bytes(row.id) / 4];
                check(&group, row.id, n, &scalars, bases, &MsmConfig::default());
            }
        }
    }
}

#[test]
fn batches_precomputed_bases_and_short_scalars() {
    let curve = CurveId::Bn254;
    let field = curve.info().scalar;
    for group in groups() {
        for (n, batch, shared_points) in [(5, 2, true), (5, 2, false), (40, 9, true), (40, 9, false), (0, 3, true)] {
            let sets = if shared_points { 1 } else { batch };
            let (scalars, points) = (elements(field, n * batch, 1), bases(curve, n * sets));
            let config = MsmConfig { batch, shared_points, ..MsmConfig::default() };
            check(&group, curve, n, &scalars, &points, &config);
        }
        let (n, factor) = (50, 3);
        let config = MsmConfig { precompute_factor: factor, c: 7, ..MsmConfig::default() };
        let (scalars, points) = (elements(field, n, 2), bases(curve, n));
        let mut expected = vec![0u32; points.len() * factor];
        msm::precompute(curve, n, (&points).into(), &config, (&mut expected).into()).unwrap();
        let mut wide = vec![0u32; expected.len()];
        over::precompute(&group, curve, n, &points, &config, &mut wide).unwrap();
        assert_eq!(wide, expected);
        for layout in Layout::ALL {
            let bytes = PointForm::Affine.bytes(curve);
            let mut narrow = Sharded::new(&group, n, bytes, layout).unwrap();
            narrow.scatter(&group, (&points).into()).unwrap();
            let mut wide = narrow.like(&group, bytes * factor).unwrap();
            over::precompute(&group, curve, n, &narrow, &config, &mut wide).unwrap();
            let mut got = vec![0u32; expected.len()];
            wide.gather(&group, (&mut got).into()).unwrap();
            assert_eq!(got, expected, "{layout:?}");
        }
        check(&group, curve, n, &scalars, &expected, &config);
        let short: Vec<u32> = (0..n as u32).flat_map(|i| [i, 0, 0, 0, 0, 0, 0, 0]).collect();
        check(&group, curve, n, &short, &points, &MsmConfig { bitsize: 6, ..MsmConfig::default() });
    }
}

#[test]
fn what_does_not_fit_is_named_and_nothing_is_written() {
    super::ready();
    let group = DeviceGroup::new(&super::cpus(2)).unwrap();
    let curve = CurveId::Bn254;
    let (scalars, points) = (elements(curve.info().scalar, 8, 1), bases(curve, 8));
    let mut sharded = Sharded::new(&group, 8, 32, Layout::Blocks).unwrap();
    sharded.scatter(&group, (&scalars).into()).unwrap();
    let mut out = vec![7u32; 2 * words(curve)];
    let message = |result: Result<()>| result.unwrap_err().to_string();
    let of = |batch| MsmConfig { batch, ..MsmConfig::default() };
    assert_eq!(
        message(over::msm(&group, curve, 4, &sharded, &points, &of(2), (&mut out).into())),
        "msm: batch_size 2: must be 1 of sharded vectors"
    );
    assert_eq!(
        message(over::msm(&group, curve, 8, &scalars, &points, &of(0), (&mut out).into())),
        "msm: batch_size 0: must be at least 1"
    );
    let launch = icicle::Launch { stream: None, is_async: true };
    let config = MsmConfig { launch, ..MsmConfig::default() };
    assert_eq!(
        message(over::msm(&group, curve, 8, &scalars, &points, &config, (&mut out[..24]).into())),
        "msm: stream or is_async: a group's call has its own streams and waits"
    );
    assert_eq!(
        message(over::msm(&group, curve, 8, &scalars, &points, &of(1), (&mut out).into())),
        "msm: results holds 192 bytes: need 1 elements, 96 bytes"
    );
    assert!(out.iter().all(|&word| word == 7));
}
