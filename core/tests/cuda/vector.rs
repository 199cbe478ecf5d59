//! Every vector operation the device offers, on every field, against the CPU device.

use super::{exclusive, fake, small};
use icicle::device::{self, Dst, Launch, Src};
use icicle::ops::vector::{self, Binary, Reduce, VectorConfig};
use icicle::ops::{Domain, Op};
use icicle::{Buffer, Device, DeviceGuard, ErrorCode, FIELDS, FieldId, Result, Stream};

const CUDA: Device = Device::cuda(0);

/// Canonical elements: random, with 0, 1 and p − 1 among them.
pub fn elements(field: FieldId, n: usize, seed: u64) -> Vec<u32> {
    let info = field.info();
    let modulus = info.prime.modulus;
    let words = info.bytes() / info.extension.degree() / 4;
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let limb = |i: usize| (modulus[i / 2] >> (32 * (i % 2))) as u32;
    let top = (0..words).rev().find(|&i| limb(i) != 0).unwrap();
    let mut out = Vec::with_capacity(n * info.bytes() / 4);
    for _ in 0..n * info.extension.degree() {
        match next() % 8 {
            0 => out.extend((0..words).map(|_| 0)),
            1 => out.extend((0..words).map(|i| u32::from(i == 0))),
            // Every modulus is odd, so that p − 1 only differs in the lowest bit.
            2 => out.extend((0..words).map(|i| if i == 0 { limb(0) - 1 } else { limb(i) })),
            // Below the modulus because the highest limb is.
            _ => out.extend((0..words).map(|i| match i {
                _ if i > top => 0,
                _ if i == top => (next() % u64::from(limb(top))) as u32,
                _ => next() as u32,
            })),
        }
    }
    out
}

/// Where operands lie and how the call is launched.
#[derive(Clone, Copy, Debug)]
pub enum Mode {
    Host,
    Device,
    DeviceOnStream,
}

const MODES: [Mode; 3] = [Mode::Host, Mode::Device, Mode::DeviceOnStream];

/// A call by its inputs, configuration and output.
pub type Call<'a> = &'a dyn Fn(&[Src<'_>], &VectorConfig, Dst<'_>) -> Result<()>;

/// One operation: inputs in words, words of the output, and the call.
pub struct Case<'a> {
    pub name: String,
    pub inputs: Vec<&'a [u32]>,
    pub out_words: usize,
    pub call: Call<'a>,
}

impl Case<'_> {
    fn run(&self, device: Device, mode: Mode, config: &VectorConfig) -> Vec<u32> {
        let _guard = DeviceGuard::new(device).unwrap();
        let mut out = vec![0xdead_beefu32; self.out_words];
        let told = |result: Result<()>| result.unwrap_or_else(|error| panic!("{} {mode:?}: {error}", self.name));
        match mode {
            Mode::Host => {
                let inputs: Vec<Src<'_>> = self.inputs.iter().map(|&input| Src::from(input)).collect();
                told((self.call)(&inputs, config, Dst::from(&mut out)));
            }
            Mode::Device | Mode::DeviceOnStream => {
                let buffers: Vec<_> = self.inputs.iter().map(|input| Buffer::from_slice(input).unwrap()).collect();
                let mut result = Buffer::from_slice(&out).unwrap();
                let stream = Stream::on(device).unwrap();
                let is_async = matches!(mode, Mode::DeviceOnStream);
                let launch = Launch { stream: is_async.then(|| stream.as_ref()), is_async };
                let inputs: Vec<Src<'_>> = buffers.iter().map(Src::from).collect();
                told((self.call)(&inputs, &VectorConfig { launch, ..config.clone() }, Dst::from(&mut result)));
                stream.synchronize().unwrap();
                result.copy_to_slice(&mut out).unwrap();
            }
        }
        out
    }

    /// Compare with the CPU. The fake driver runs no kernels of ours, so there only the way to them is tested.
    pub fn compare(&self, config: &VectorConfig) {
        if fake() {
            let used = || device::memory_stats(CUDA).unwrap().used;
            let run_all = || MODES.into_iter().for_each(|mode| drop(self.run(CUDA, mode, config)));
            // The first time tables of twiddles are made, which stay.
            run_all();
            let before = used();
            run_all();
            return assert_eq!(used(), before, "{}: memory of the call goes back", self.name);
        }
        let expected = self.run(Device::cpu(0), Mode::Host, config);
        for mode in MODES {
            let got = self.run(CUDA, mode, config);
            let first = got.iter().zip(&expected).position(|(a, b)| a != b);
            assert!(first.is_none(), "{} {mode:?}: word {first:?} of {} differs", self.name, expected.len());
        }
    }
}

pub fn offered(op: Op, field: FieldId) -> bool {
    device::supports(CUDA, op, Domain::Field(field)).unwrap()
}

fn check_field(field: FieldId, n: usize, batch: usize, columns: bool) -> usize {
    let words = field.info().bytes() / 4;
    let total = n * batch;
    let (a, b) = (elements(field, total, 1 + n as u64), elements(field, total, 2 + n as u64));
    let scalars = elements(field, batch, 3);
    let config = VectorConfig { batch, columns, ..VectorConfig::default() };
    let mut count = 0;
    let mut check = |op: Op, what: &str, inputs: Vec<&[u32]>, out_words: usize, call: Call<'_>| {
        if offered(op, field) {
            let name = format!("{} {what}, n {n}, batch {batch}, columns {columns}", field.name());
            Case { name, inputs, out_words, call }.compare(&config);
            count += 1;
        }
    };
    for op in [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div] {
        check(Op::VectorBinary, &format!("{op:?}"), vec![&a, &b], total * words, &|s, c, out| {
            vector::binary(op, field, n, s[0], s[1], c, out)
        });
        if op != Binary::Div {
            check(Op::VectorScalar, &format!("scalar {op:?}"), vec![&scalars, &b], total * words, &|s, c, out| {
                vector::scalar(op, field, n, s[0], s[1], c, out)
            });
        }
    }
    check(Op::VectorInv, "invert", vec![&a], total * words, &|s, c, out| vector::inv(field, n, s[0], c, out));
    for op in [Reduce::Sum, Reduce::Product] {
        check(Op::VectorReduce, &format!("{op:?}"), vec![&a], batch * words, &|s, c, out| {
            vector::reduce(op, field, n, s[0], c, out)
        });
    }
    for to in [true, false] {
        check(Op::ConvertMontgomery, "convert", vec![&a], total * words, &|s, c, out| {
            vector::convert_montgomery(field, n, s[0], to, c, out)
        });
    }
    if n.is_power_of_two() {
        check(Op::BitReverse, "bit_reverse", vec![&a], total * words, &|s, c, out| {
            vector::bit_reverse(field, n, s[0], c, out)
        });
    }
    if n > 3 {
        let n_out = (n - 3).div_ceil(2);
        check(Op::Slice, "slice", vec![&a], n_out * batch * words, &|s, c, out| {
            vector::slice(field, n, s[0], 3, 2, n_out, c, out)
        });
    }
    check(Op::HighestNonZero, "highest_non_zero", vec![&a], batch * 2, &|s, c, out| {
        vector::highest_non_zero(field, n, s[0], c, out)
    });
    if field.scalar() != field && field.info().role == icicle_params::Role::Extension {
        let b = elements(field.scalar(), total, 5);
        check(Op::VectorMixedMul, "mixed_mul", vec![&a, &b], total * words, &|s, c, out| {
            vector::mixed_mul(field, n, s[0], s[1], c, out)
        });
    }
    count
}

#[test]
fn vectors_agree_with_the_cpu() {
    let Some(_one) = exclusive() else { return };
    let mut sizes = vec![0, 1, 2, 255, 256, 257];
    if !small() {
        sizes.extend([1 << 12, (1 << 16) + 1]);
    }
    let mut count = 0;
    for row in FIELDS {
        for &n in &sizes {
            count += check_field(row.id, n, 1, false);
            if n <= 257 {
                count += check_field(row.id, n, 3, false) + check_field(row.id, n, 3, true);
            }
        }
    }
    println!("{count} vector calls agree with the CPU");
}

#[test]
fn results_may_replace_an_operand() {
    let Some(_one) = exclusive() else { return };
    if fake() {
        return;
    }
    for row in FIELDS.iter().filter(|row| offered(Op::VectorBinary, row.id)) {
        let (field, n) = (row.id, 1000);
        let (a, b) = (elements(field, n, 11), elements(field, n, 12));
        let config = VectorConfig::default();
        let mut expected = vec![0u32; a.len()];
        vector::binary(Binary::Mul, field, n, (&a).into(), (&b).into(), &config, (&mut expected).into()).unwrap();
        let _guard = DeviceGuard::new(CUDA).unwrap();
        let (mut x, y) = (Buffer::from_slice(&a).unwrap(), Buffer::from_slice(&b).unwrap());
        let mut accumulated = Buffer::from_slice(&a).unwrap();
        let dst = Dst::from(&mut x);
        vector::binary(Binary::Mul, field, n, dst.as_src(), (&y).into(), &config, dst).unwrap();
        assert!(x.to_vec().unwrap() == expected, "{}", field.name());
        vector::accumulate(field, n, (&mut accumulated).into(), (&y).into(), &config).unwrap();
        drop(_guard);
        vector::binary(Binary::Add, field, n, (&a).into(), (&b).into(), &config, (&mut expected).into()).unwrap();
        assert!(accumulated.to_vec().unwrap() == expected, "{}", field.name());
    }
}

#[test]
fn what_is_not_offered_says_so() {
    let Some(_one) = exclusive() else { return };
    if fake() {
        return;
    }
    let _guard = DeviceGuard::new(CUDA).unwrap();
    let mut offered_ops = Vec::new();
    if let Err(why) = icicle::cuda::warm_up(CUDA) {
        println!("no kernels: {why}");
        // A stage without its images must not pass for one with them.
        assert!(std::env::var_os("ICICLE_TEST_KERNELS").is_none(), "{why}");
    }
    for row in FIELDS {
        let a = elements(row.id, 4, 1);
        let mut out = vec![0u32; a.len()];
        let config = VectorConfig::default();
        let result = vector::binary(Binary::Add, row.id, 4, (&a).into(), (&a).into(), &config, (&mut out).into());
        match offered(Op::VectorBinary, row.id) {
            true => result.unwrap(),
            false => assert_eq!(result.unwrap_err().code, ErrorCode::Unsupported),
        }
        offered_ops.extend(Op::ALL.iter().copied().filter(|&op| offered(op, row.id)).map(|op| (row.id, op)));
    }
    println!("{} operations offered on fields", offered_ops.len());
}
