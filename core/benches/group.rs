//! Groups beside one device: `cargo bench -p icicle-compute --bench group -- [LOG_N]`.
//!
//! On the machine's GPUs, or where there is none on four virtual CPU devices, which have the same cores: those are to cost
//! no more than one device. Medians of runs by turns; the ratio is the time of one device by that of the group.
#![allow(missing_docs, unsafe_code, clippy::unwrap_used)]

use icicle::device::{DeviceKind, Layout, PinnedBuffer, Sharded, devices};
use icicle::ops::group as over;
use icicle::ops::msm::{self, MsmConfig};
use icicle::ops::ntt::{self, Direction, NttConfig, root_of_unity};
use icicle::ops::point::{self, PointForm};
use icicle::ops::random;
use icicle::{Buffer, CurveId, Device, DeviceGroup, DeviceGuard, FieldId, Launch};
use std::time::Instant;

const RUNS: usize = 7;

/// Median milliseconds of two pieces of work, run alternately.
fn medians(mut one: impl FnMut(), mut group: impl FnMut()) -> [f64; 2] {
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e3
    };
    one();
    group();
    let (a, b): (Vec<_>, Vec<_>) = (0..RUNS).map(|_| (time(&mut one), time(&mut group))).unzip();
    [a, b].map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[RUNS / 2]
    })
}

fn report(what: &str, [one, group]: [f64; 2]) {
    println!("{what:<44} one {one:>10.3} ms  group {group:>10.3} ms  ratio {:>5.2}", one / group);
}

/// What a job costs beside its work: 10,000 submitted, then waited for.
fn jobs(group: &DeviceGroup) {
    const JOBS: usize = 10_000;
    for _ in 0..2 {
        let start = Instant::now();
        let handles: Vec<_> = (0..JOBS).map(|i| group.submit(i % group.devices().len(), || Ok(())).unwrap()).collect();
        handles.into_iter().for_each(|handle| handle.wait().unwrap());
        println!("submit and wait: {:.2} us a job", start.elapsed().as_secs_f64() * 1e6 / JOBS as f64);
        let start = Instant::now();
        group.map(0..JOBS, |_, i| Ok(i)).into_iter().for_each(|answer| assert!(answer.is_ok()));
        println!("map: {:.2} us a job", start.elapsed().as_secs_f64() * 1e6 / JOBS as f64);
    }
}

fn products(group: &DeviceGroup, curve: CurveId, log_n: u32) {
    let n = 1usize << log_n;
    let name = curve.info().name;
    let (scalar, affine) = (curve.info().scalar, PointForm::Affine.bytes(curve));
    let mut scalars = PinnedBuffer::<u32>::on(group.devices()[0], n * scalar.info().bytes() / 4).unwrap();
    let mut points = PinnedBuffer::<u32>::on(group.devices()[0], n * affine / 4).unwrap();
    random::field(scalar, &mut scalars).unwrap();
    // A few points repeated: making all of them takes longer than multiplying.
    let few = points.len().min((1 << 12) * affine / 4);
    point::random(curve, PointForm::Affine, &mut points[..few]).unwrap();
    for start in (few..points.len()).step_by(few) {
        points.copy_within(..few, start);
    }
    let (mut a, mut b) = (vec![0u32; 3 * affine / 8], vec![0u32; 3 * affine / 8]);
    let config = MsmConfig::default();
    let one = |out: &mut Vec<u32>| {
        msm::msm(curve, n, (&scalars).into(), (&points).into(), &config, out.into()).unwrap();
    };
    let times =
        medians(|| one(&mut a), || over::msm(group, curve, n, &scalars, &points, &config, (&mut b).into()).unwrap());
    assert_eq!(a, b);
    report(&format!("msm {name} 2^{log_n}, page-locked"), times);
    let on = |words: &PinnedBuffer<u32>| Buffer::from_slice_on(group.devices()[0], words).unwrap();
    let (s, p) = (on(&scalars), on(&points));
    let sharded = |words: &PinnedBuffer<u32>, bytes: usize| {
        let mut vector = Sharded::new(group, n, bytes, Layout::Blocks).unwrap();
        vector.scatter(group, words.into()).unwrap();
        vector
    };
    let (ss, sp) = (sharded(&scalars, scalar.info().bytes()), sharded(&points, affine));
    let times = medians(
        || msm::msm(curve, n, (&s).into(), (&p).into(), &config, (&mut a).into()).unwrap(),
        || over::msm(group, curve, n, &ss, &sp, &config, (&mut b).into()).unwrap(),
    );
    assert_eq!(a, b);
    report(&format!("msm {name} 2^{log_n}, resident"), times);
    let count = 2 * group.devices().len();
    let times = medians(
        || (0..count).for_each(|_| one(&mut a)),
        || {
            let sums = group.map(0..count, |_, _| {
                let mut out = vec![0u32; b.len()];
                one(&mut out);
                Ok(out)
            });
            sums.into_iter().for_each(|sum| assert_eq!(sum.unwrap(), b));
        },
    );
    report(&format!("{count} msm {name} 2^{log_n}, map"), times);
}

fn transforms(group: &DeviceGroup, field: FieldId, log_n: u32) {
    let n = 1usize << log_n;
    let (name, bytes) = (field.name(), field.info().bytes());
    let root = root_of_unity(field.scalar(), n as u64).unwrap();
    ntt::init_domain(field.scalar(), root, &Launch::default()).unwrap();
    over::init_domain(group, field.scalar(), root).unwrap();
    let pinned = || PinnedBuffer::<u32>::on(group.devices()[0], n * bytes / 4).unwrap();
    let (mut data, mut a, mut b) = (pinned(), pinned(), pinned());
    random::field(field, &mut data).unwrap();
    let config = NttConfig::default();
    let times = medians(
        || ntt::ntt(field, n, Direction::Forward, &config, (&data).into(), (&mut a).into()).unwrap(),
        || over::ntt(group, field, n, Direction::Forward, &config, &data, &mut b).unwrap(),
    );
    assert!(a[..] == b[..]);
    report(&format!("ntt {name} 2^{log_n}, page-locked"), times);
    let mut one = Buffer::from_slice_on(group.devices()[0], &data).unwrap();
    let source = one.to_device(group.devices()[0]).unwrap();
    let mut sharded = Sharded::new(group, n, bytes, Layout::Blocks).unwrap();
    sharded.scatter(group, (&data).into()).unwrap();
    let mut out = sharded.like(group, bytes).unwrap();
    for ordering in [ntt::Ordering::NaturalNatural, ntt::Ordering::NaturalReversed] {
        let config = NttConfig { ordering, ..NttConfig::default() };
        let times = medians(
            || ntt::ntt(field, n, Direction::Forward, &config, (&source).into(), (&mut one).into()).unwrap(),
            || over::ntt(group, field, n, Direction::Forward, &config, &sharded, &mut out).unwrap(),
        );
        report(&format!("ntt {name} 2^{log_n}, resident, {ordering:?}"), times);
    }
    let small = n >> 6;
    let config = NttConfig { batch: 64, ..NttConfig::default() };
    let times = medians(
        || ntt::ntt(field, small, Direction::Forward, &config, (&data).into(), (&mut a).into()).unwrap(),
        || over::ntt(group, field, small, Direction::Forward, &config, &data, &mut b).unwrap(),
    );
    assert!(a[..] == b[..]);
    report(&format!("64 ntt {name} 2^{}, page-locked", log_n - 6), times);
}

fn main() {
    // SAFETY: nothing else runs yet.
    unsafe { std::env::set_var("ICICLE_CPU_DEVICES", "4") };
    let log_n = std::env::args().skip(1).find_map(|arg| arg.parse().ok());
    let gpus: Vec<Device> = devices().into_iter().filter(|device| device.kind == DeviceKind::Cuda).collect();
    let on_gpus = !gpus.is_empty();
    let group = DeviceGroup::new(&if on_gpus { gpus } else { devices() }).unwrap();
    let _one = DeviceGuard::new(group.devices()[0]).unwrap();
    println!("{:?}", group.info().unwrap().links);
    jobs(&group);
    let log_n: u32 = log_n.unwrap_or(if on_gpus { 24 } else { 16 });
    for log_n in [16, log_n] {
        products(&group, CurveId::Bn254, log_n);
    }
    transforms(&group, FieldId::Bn254Scalar, log_n + 2);
    transforms(&group, FieldId::BabyBearScalar, log_n + 2);
    products(&group, CurveId::Bls12_381, log_n);
}
