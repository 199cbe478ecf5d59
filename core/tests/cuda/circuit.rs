//! Programs, divisions and transforms of points on the device, at sizes that fill it, against the CPU device.

use super::vector::{Case, elements, offered};
use super::{exclusive, fake, small};
use icicle::device::{self, Dst, Launch, Src};
use icicle::ops::ntt::{Direction, NttConfig, Ordering, ecntt, init_domain, root_of_unity};
use icicle::ops::program::{Program, Symbol, execute};
use icicle::ops::vector::VectorConfig;
use icicle::ops::{Domain, Op, msm, polynomial};
use icicle::{Buffer, CURVES, CurveId, Device, DeviceGuard, FIELDS, FieldId, Stream};

const CUDA: Device = Device::cuda(0);

/// A program of many values alive at once, with constants and an inverse.
fn program(field: FieldId) -> Program {
    let [x, y, z]: [Symbol; 3] = std::array::from_fn(Symbol::input);
    let constant = Symbol::constant(&vec![3u8; field.info().bytes()]);
    let mut values = vec![&x * &y];
    for i in 1..20 {
        values.push(&(&values[i - 1] * &values[i / 2]) + &z);
    }
    let sum = values.iter().rev().fold(constant, |sum, value| &(&sum * &x) - value);
    Program::new(&[y, x, z.clone(), &sum + &z.inverse()]).unwrap()
}

#[test]
fn programs_agree_with_the_cpu() {
    let Some(_one) = exclusive() else { return };
    let mut count = 0;
    for row in FIELDS.iter().filter(|row| offered(Op::Program, row.id)) {
        let program = program(row.id);
        for n in [1, 255, 257, if small() { 1000 } else { 1 << 16 }] {
            let vectors: Vec<Vec<u32>> = (0..4).map(|i| elements(row.id, n, 30 + i)).collect();
            let on_cpu = {
                let mut vectors = vectors.clone();
                let _guard = DeviceGuard::new(Device::cpu(0)).unwrap();
                let mut all: Vec<Dst> = vectors.iter_mut().map(Dst::from).collect();
                execute(row.id, &program, &mut all, n, &VectorConfig::default()).unwrap();
                vectors
            };
            let _guard = DeviceGuard::new(CUDA).unwrap();
            let used = device::memory_stats(CUDA).unwrap().used;
            let mut on_host = vectors.clone();
            let mut all: Vec<Dst> = on_host.iter_mut().map(Dst::from).collect();
            execute(row.id, &program, &mut all, n, &VectorConfig::default()).unwrap();
            assert_eq!(device::memory_stats(CUDA).unwrap().used, used, "memory of the call goes back");
            let stream = Stream::on(CUDA).unwrap();
            let mut buffers: Vec<_> = vectors.iter().map(|v| Buffer::from_slice(v).unwrap()).collect();
            let launch = Launch { stream: Some(stream.as_ref()), is_async: true };
            let mut all: Vec<Dst> = buffers.iter_mut().map(Dst::from).collect();
            execute(row.id, &program, &mut all, n, &VectorConfig { launch, ..VectorConfig::default() }).unwrap();
            stream.synchronize().unwrap();
            if !fake() {
                assert!(on_host == on_cpu, "{} n {n} host vectors", row.id.name());
                for (buffer, expected) in buffers.iter().zip(&on_cpu) {
                    assert!(buffer.to_vec().unwrap() == *expected, "{} n {n} device vectors", row.id.name());
                }
            }
            count += 1;
        }
    }
    println!("{count} programs agree with the CPU");
}

#[test]
fn divisions_agree_with_the_cpu() {
    let Some(_one) = exclusive() else { return };
    // What the driver of our own cannot compute, the host cannot go on with.
    if fake() {
        return;
    }
    let mut count = 0;
    for row in FIELDS.iter().filter(|row| offered(Op::PolynomialDivide, row.id)) {
        let (field, words) = (row.id, row.bytes() / 4);
        let mut sizes = vec![(1, 1), (100, 36), (700, 300), (300, 700)];
        if !small() {
            sizes.push((5000, 1800));
        }
        for (n, m) in sizes {
            for (batch, columns) in [(1, false), (3, false), (3, true)] {
                let numerator = elements(field, n * batch, 41);
                let mut denominator = elements(field, m * batch, 42);
                for v in 0..batch {
                    let last = if columns { (m - 1) * batch + v } else { v * m + m - 1 };
                    denominator[last * words..(last + 1) * words].fill(0);
                    denominator[last * words] = 5 + v as u32;
                }
                let q_size = (n + 1).saturating_sub(m) + 1;
                let call = |s: &[Src<'_>], c: &VectorConfig, out: Dst<'_>| {
                    let q_bytes = q_size * batch * words * 4;
                    // SAFETY: the two halves of the output.
                    let half = |first: usize, bytes: usize| unsafe {
                        Dst::from_raw_parts(out.as_ptr().add(first), bytes, out.place())
                    };
                    let (q, r) = (half(0, q_bytes), half(q_bytes, n * batch * words * 4));
                    polynomial::divide(field, n, s[0], m, s[1], c, q_size, q, n, r)
                };
                let name = format!("{} division {n} by {m}, batch {batch}, {columns}", field.name());
                let out_words = (q_size + n) * batch * words;
                let config = VectorConfig { batch, columns, ..VectorConfig::default() };
                Case { name, inputs: vec![&numerator, &denominator], out_words, call: &call }.compare(&config);
                count += 1;
            }
        }
    }
    println!("{count} divisions agree with the CPU");
}

/// Multiples of the generator, projective and canonical.
fn points(curve: CurveId, n: usize) -> Vec<u32> {
    let row = curve.info();
    let coordinate = |c: &[[u64; 12]; 2]| -> Vec<u32> {
        c[0].iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).take(row.base.info().bytes() / 4).collect()
    };
    let generator = [coordinate(&row.x), coordinate(&row.y)].concat();
    let scalars = elements(row.scalar, n, 17);
    let mut out = vec![0u32; n * generator.len() / 2 * 3];
    let config = msm::MsmConfig { batch: n, ..msm::MsmConfig::default() };
    msm::msm(curve, 1, (&scalars).into(), (&generator).into(), &config, (&mut out).into()).unwrap();
    out
}

#[test]
fn transforms_of_points_agree_with_the_cpu() {
    let Some(_one) = exclusive() else { return };
    let mut count = 0;
    for row in CURVES.iter().filter(|row| device::supports(CUDA, Op::EcNtt, Domain::Curve(row.id)).unwrap()) {
        // Enough pairs for a thread each, and few enough for eight together.
        let log_most = if small() { 5 } else { 15 };
        for device in [Device::cpu(0), CUDA] {
            let _guard = DeviceGuard::new(device).unwrap();
            init_domain(row.scalar, root_of_unity(row.scalar, 1 << log_most).unwrap(), &Launch::default()).unwrap();
        }
        let input = points(row.id, 1 << log_most);
        let each = input.len() >> log_most;
        let mut cases = vec![(0, 1, false), (3, 2, true), (5, 1, false)];
        if !small() && row.id == CurveId::Bn254 {
            cases.extend([(9, 64, true), (log_most, 1, false)]);
        }
        for (log_n, batch, columns) in cases {
            let input = &input[..(each * batch) << log_n];
            for direction in [Direction::Forward, Direction::Inverse] {
                for (ordering, coset) in [(Ordering::NaturalNatural, 7), (Ordering::ReversedNatural, 1)] {
                    let mut words = [0u64; 12];
                    words[0] = coset;
                    let call = |s: &[Src<'_>], c: &VectorConfig, out: Dst<'_>| {
                        let config = NttConfig { launch: c.launch, coset: Some(words), batch, columns, ordering };
                        ecntt(row.id, 1 << log_n, direction, &config, s[0], out)
                    };
                    let name = format!("{} {direction:?} {ordering:?} 2^{log_n} batch {batch} {columns}", row.name);
                    Case { name, inputs: vec![input], out_words: input.len(), call: &call }
                        .compare(&VectorConfig::default());
                    count += 1;
                }
            }
        }
    }
    println!("{count} transforms of points agree with the CPU");
}

/// Milliseconds with operands on the device; run with `--ignored --nocapture`.
#[test]
#[ignore = "measures"]
fn timings() {
    let Some(_one) = exclusive() else { return };
    if fake() {
        return;
    }
    let _guard = DeviceGuard::new(CUDA).unwrap();
    let median = |what: String, work: &dyn Fn()| {
        let mut times: Vec<f64> = (0..7)
            .map(|_| {
                device::synchronize(CUDA).unwrap();
                let start = std::time::Instant::now();
                work();
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!("elapsed {what}: {:.3} ms (least {:.3})", times[3], times[0]);
    };
    for curve in [CurveId::Bn254, CurveId::Bls12_381] {
        let scalar = curve.info().scalar;
        init_domain(scalar, root_of_unity(scalar, 1 << 18).unwrap(), &Launch::default()).unwrap();
        let all = points(curve, 1 << 16);
        for log_n in [6, 10, 12, 14, 16] {
            let words = &all[..all.len() >> (16 - log_n)];
            let (input, out) =
                (Buffer::from_slice(words).unwrap(), std::cell::RefCell::new(Buffer::from_slice(words).unwrap()));
            median(format!("ecntt {} 2^{log_n}", curve.info().name), &|| {
                let mut out = out.borrow_mut();
                let config = NttConfig::default();
                ecntt(curve, 1 << log_n, Direction::Forward, &config, (&input).into(), (&mut *out).into()).unwrap();
            });
        }
    }
    for field in [FieldId::Bn254Scalar, FieldId::BabyBearScalar] {
        for log_n in [16, 20, 24] {
            let n = 1 << log_n;
            let vectors: Vec<_> = (0..4).map(|i| Buffer::from_slice(&elements(field, n, i)).unwrap()).collect();
            let vectors = std::cell::RefCell::new(vectors);
            for (name, program) in [
                ("a·b - c", Program::predefined(icicle::ops::program::Predefined::AbMinusC)),
                ("20 values and an inverse", program(field)),
            ] {
                median(format!("program {name} {} 2^{log_n}", field.name()), &|| {
                    let mut vectors = vectors.borrow_mut();
                    let mut all: Vec<Dst> = vectors.iter_mut().map(Dst::from).collect();
                    execute(field, &program, &mut all, n, &VectorConfig::default()).unwrap();
                });
            }
        }
        for log_n in [10, 14, 16, 18] {
            let (n, m) = (1usize << log_n, 1usize << (log_n - 1));
            let words = field.info().bytes() / 4;
            let mut divisor = elements(field, m, 2);
            divisor[(m - 1) * words..].fill(1);
            let (a, b) = (Buffer::from_slice(&elements(field, n, 1)).unwrap(), Buffer::from_slice(&divisor).unwrap());
            let results =
                std::cell::RefCell::new([n - m + 1, n].map(|len| Buffer::<u32>::on(CUDA, len * words).unwrap()));
            median(format!("division {} 2^{log_n} by 2^{}", field.name(), log_n - 1), &|| {
                let mut results = results.borrow_mut();
                let [q, r] = &mut *results;
                let config = VectorConfig::default();
                let (q, r) = (q.into(), r.into());
                polynomial::divide(field, n, (&a).into(), m, (&b).into(), &config, n - m + 1, q, n, r).unwrap();
            });
        }
    }
}
