//! Groups beside one device: `cargo bench -p icicle-compute --bench group -- [LOG_N]`.
//!
//! On the machine's GPUs, in all sizes unless one is named, or where there is none on four virtual CPU devices, which have the same cores: those are to cost
//! no more than one device. Medians of runs by turns, each after an untimed one; the ratio is the time of one device by that of the group.
#![allow(missing_docs, unsafe_code, clippy::unwrap_used)]

use icicle::device::relay::{After, Part, Piece};
use icicle::device::{DeviceKind, Dst, Layout, PinnedBuffer, Sharded, Src, devices};
use icicle::ops::group as over;
use icicle::ops::matrix;
use icicle::ops::msm::{self, MsmConfig};
use icicle::ops::ntt::{self, Direction, NttConfig, root_of_unity};
use icicle::ops::point::{self, PointForm};
use icicle::ops::random;
use icicle::ops::vector::VectorConfig;
use icicle::{Buffer, CurveId, Device, DeviceGroup, DeviceGuard, FieldId};
use std::sync::Mutex;
use std::time::Instant;

const RUNS: usize = 7;

/// Milliseconds of a piece of work.
fn time(work: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}

fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Median milliseconds of a piece of work.
fn median(mut work: impl FnMut()) -> f64 {
    work();
    middle((0..RUNS).map(|_| time(&mut work)).collect())
}

/// Median milliseconds of two pieces of work by turns, each time after one of its own: what idled while the other ran is awake.
fn medians(mut one: impl FnMut(), mut group: impl FnMut()) -> [f64; 2] {
    let warm = |work: &mut dyn FnMut()| {
        work();
        time(work)
    };
    let (a, b) = (0..RUNS).map(|_| (warm(&mut one), warm(&mut group))).unzip();
    [a, b].map(middle)
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
        group.map(0..JOBS, |_, i| Ok(i)).unwrap().into_iter().for_each(|answer| assert!(answer.is_ok()));
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
    let own = n / group.devices().len();
    let (s, p) =
        (s.slice(..s.len() / group.devices().len()).unwrap(), p.slice(..p.len() / group.devices().len()).unwrap());
    let share = median(|| msm::msm(curve, own, s.into(), p.into(), &config, (&mut a).into()).unwrap());
    println!("  a device's share of it alone: {share:.3} ms");
    if log_n > 24 {
        return;
    }
    let count = 2 * group.devices().len();
    let times = medians(
        || (0..count).for_each(|_| one(&mut a)),
        || {
            let sums = group.map(0..count, |_, _| {
                let mut out = vec![0u32; b.len()];
                one(&mut out);
                Ok(out)
            });
            sums.unwrap().into_iter().for_each(|sum| assert_eq!(sum.unwrap(), b));
        },
    );
    report(&format!("{count} msm {name} 2^{log_n}, map"), times);
}

fn transforms(group: &DeviceGroup, field: FieldId, log_n: u32) {
    let n = 1usize << log_n;
    let (name, bytes) = (field.name(), field.info().bytes());
    let root = root_of_unity(field.scalar(), n as u64).unwrap();
    over::release_domain(group, field.scalar()).unwrap();
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
    let orders = [ntt::Ordering::NaturalNatural, ntt::Ordering::NaturalReversed];
    for (direction, ordering) in
        orders.map(|order| (Direction::Forward, order)).into_iter().chain([(Direction::Inverse, orders[0])])
    {
        let config = NttConfig { ordering, ..NttConfig::default() };
        let times = medians(
            || ntt::ntt(field, n, direction, &config, (&source).into(), (&mut one).into()).unwrap(),
            || over::ntt(group, field, n, direction, &config, &sharded, &mut out).unwrap(),
        );
        report(&format!("ntt {name} 2^{log_n}, resident, {direction:?}, {ordering:?}"), times);
    }
    parts(group, field, log_n);
    let small = n >> 6;
    let config = NttConfig { batch: 64, ..NttConfig::default() };
    let times = medians(
        || ntt::ntt(field, small, Direction::Forward, &config, (&source).into(), (&mut one).into()).unwrap(),
        || over::ntt(group, field, small, Direction::Forward, &config, &sharded, &mut out).unwrap(),
    );
    report(&format!("64 ntt {name} 2^{}, resident", log_n - 6), times);
    for &device in group.devices() {
        let count = 64 / group.devices().len();
        let config = NttConfig { batch: count, ..config.clone() };
        let from = Buffer::<u8>::zeroed_on(device, count * small * bytes).unwrap();
        let mut to = Buffer::<u8>::on(device, from.bytes()).unwrap();
        let share = median(|| {
            ntt::ntt(field, small, Direction::Forward, &config, (&from).into(), (&mut to).into()).unwrap();
        });
        println!("  {count} of them alone on {device}: {share:.3} ms");
    }
    let times = medians(
        || ntt::ntt(field, small, Direction::Forward, &config, (&data).into(), (&mut a).into()).unwrap(),
        || over::ntt(group, field, small, Direction::Forward, &config, &data, &mut b).unwrap(),
    );
    assert!(a[..] == b[..]);
    report(&format!("64 ntt {name} 2^{}, page-locked", log_n - 6), times);
}

/// What a divided transform of `2^log_n` is made of, on one device each: so that it can be seen what dividing adds.
fn parts(group: &DeviceGroup, field: FieldId, log_n: u32) {
    const ROWS: usize = 8;
    let (cols, bytes) = ((1usize << log_n) / ROWS, field.info().bytes());
    let device = group.devices()[0];
    let own = cols / group.devices().len();
    let mut slab = Buffer::<u8>::zeroed_on(device, ROWS * own * bytes).unwrap();
    let mut out = Buffer::<u8>::zeroed_on(device, slab.bytes()).unwrap();
    let mut time = |what: &str, work: &mut dyn FnMut(&mut Buffer<u8>, &mut Buffer<u8>)| {
        println!("  {what}: {:.3} ms", median(|| work(&mut slab, &mut out)));
    };
    let columns = NttConfig { batch: own, columns: true, ..NttConfig::default() };
    time(&format!("{own} columns of {ROWS}"), &mut |slab, _| {
        let to = Dst::from(slab);
        ntt::ntt(field, ROWS, Direction::Forward, &columns, to.as_src(), to).unwrap();
    });
    let mut coset = [0; 12];
    coset[0] = 7;
    for (name, coset) in [("", None), (" of a coset", Some(coset))] {
        let row = NttConfig { coset, ..NttConfig::default() };
        time(&format!("a row of {cols}{name}"), &mut |slab, _| {
            let to = Dst::from(slab.slice_mut(..cols * bytes).unwrap());
            ntt::ntt(field, cols, Direction::Forward, &row, to.as_src(), to).unwrap();
        });
    }
    time(&format!("transpose of {ROWS} x {own}"), &mut |slab, out| {
        let config = VectorConfig::default();
        matrix::transpose(field, ROWS, own, (&*slab).into(), &config, out.into()).unwrap();
    });
    if let Some(&other) = group.devices().get(1) {
        let mut far = Buffer::<u8>::zeroed_on(other, ROWS * own * bytes).unwrap();
        for _ in 0..2 {
            time("that slab to the next device", &mut |slab, _| far.copy_from(slab).unwrap());
        }
    }
}

/// What copies alone take: `bytes` up from page-locked memory, down to it, or both at once, in pieces of 16 MiB.
fn copies(group: &DeviceGroup, bytes: usize, [up, down]: [bool; 2]) {
    const PIECE: usize = 16 << 20;
    let pinned = || PinnedBuffer::<u8>::on(group.devices()[0], bytes).unwrap();
    let (data, mut result) = (pinned(), pinned());
    let mut over = |count: usize| {
        let own = bytes / count;
        let places = Mutex::new(result.chunks_exact_mut(own).map(Some).collect::<Vec<_>>());
        let copy = |device, position: usize| {
            let mut memory = Buffer::<u8>::on(device, own)?;
            let to = places.lock().unwrap()[position].take().unwrap();
            let from = data[position * own..][..own].chunks(PIECE);
            let memory = Dst::from(&mut memory).split("copies", from.clone().map(<[u8]>::len))?;
            let pieces = memory.into_iter().zip(from).zip(to.chunks_mut(PIECE));
            let mut parts = Vec::new();
            for ((memory, from), to) in pieces {
                let from = up.then(|| Piece::Copied((Src::from(from), After::Nothing))).into_iter().collect();
                let to = down.then(|| Piece::Copied(Dst::from(to))).into_iter().collect();
                parts.push(Part { memory, from, after: After::Nothing, to });
            }
            group.relay(position, parts, |_, _, _| Ok(()))
        };
        group.on_some(|position| position < count, copy).unwrap();
    };
    let times = [1, group.devices().len()].map(|count| median(|| over(count)));
    let ways = [(up, "up"), (down, "down")].into_iter().filter_map(|(there, way)| there.then_some(way));
    report(&format!("copies of {} MiB {}", bytes >> 20, ways.collect::<Vec<_>>().join(" and ")), times);
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
    let (products_of, transforms_of): (&[u32], &[u32]) = match (log_n, on_gpus) {
        (Some(log_n), _) => (&[16, log_n], &[log_n + 2]),
        (None, true) => (&[16, 24, 26], &[26, 28]),
        (None, false) => (&[16], &[18]),
    };
    if on_gpus {
        for ways in [[true, true], [true, false], [false, true]] {
            copies(&group, 2 << 30, ways);
        }
    }
    for &log_n in transforms_of {
        transforms(&group, FieldId::Bn254Scalar, log_n);
    }
    // Its two-adicity is 27.
    transforms(&group, FieldId::BabyBearScalar, transforms_of[0].min(27));
    for curve in [CurveId::Bn254, CurveId::Bls12_381] {
        for &log_n in products_of {
            products(&group, curve, log_n);
        }
    }
}
