//! Programs on the device, on every field, against the CPU device.

use super::vector::{elements, offered};
use super::{exclusive, fake, small};
use icicle::device::{self, Dst, Launch};
use icicle::ops::Op;
use icicle::ops::program::{Program, Symbol, execute};
use icicle::ops::vector::VectorConfig;
use icicle::{Buffer, Device, DeviceGuard, FIELDS, FieldId, Stream};

const CUDA: Device = Device::cuda(0);

/// A program of many values alive at once, with constants and an inverse.
pub fn program(field: FieldId) -> Program {
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
