//! What programs, divisions and transforms of points take, operands on the device.

use super::ecntt::points;
use super::program::program;
use super::vector::elements;
use super::{exclusive, fake};
use icicle::device::{self, Dst, Launch};
use icicle::ops::ntt::{Direction, NttConfig, ecntt, init_domain, root_of_unity};
use icicle::ops::polynomial;
use icicle::ops::program::{Predefined, Program, execute};
use icicle::ops::vector::VectorConfig;
use icicle::{Buffer, CurveId, Device, DeviceGuard, FieldId};

const CUDA: Device = Device::cuda(0);

/// Milliseconds; run with `--ignored --nocapture`.
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
            for (name, program) in
                [("a·b - c", Program::predefined(Predefined::AbMinusC)), ("20 values and an inverse", program(field))]
            {
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
