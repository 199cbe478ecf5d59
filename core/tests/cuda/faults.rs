//! Work that faults: the device is lost, told so by every later call; the process goes on.
//!
//! SAFETY of every block here: addresses are of buffers that live to the end of their test, with as many bytes, and work on
//! them is waited for; handles are made here, or gone and refused by the backend's table.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // handles of a backend, made here or refused by its table

use super::{devices, exclusive, kernels, small};
use icicle::device::{self, registry};
use icicle::{Buffer, Device, ErrorCode, Stream};
use std::process::Command;

const CHILD: &str = "ICICLE_TEST_FAULT_CHILD";

/// Runs in a process of its own: a fault cannot be undone.
#[test]
fn a_fault_loses_the_device_and_not_the_process() {
    let Some(_one) = exclusive() else { return };
    // compute-sanitizer would report the fault that is wanted here.
    if small() {
        return;
    }
    if std::env::var_os(CHILD).is_some() {
        return fault();
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "faults::a_fault_loses_the_device_and_not_the_process", "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}");
    assert!(text.contains("the fault was told"), "{text}");
}

fn fault() {
    let cuda = Device::cuda(0);
    let stream = Stream::on(cuda).unwrap();
    let event = registry::backend(cuda).unwrap().event_create(0, false).unwrap();
    let buffer = Buffer::<u64>::on(cuda, 100).unwrap();
    let (address, value) = (0x10u64, 1u32);
    let store = kernels(cuda).kernel("store").unwrap();
    // The other devices are in use already: the driver may refuse to open one for the first time after a fault.
    let others: Vec<_> = (1..devices()).map(|index| Buffer::<u32>::on(Device::cuda(index), 1000).unwrap()).collect();
    // SAFETY: not safe, on purpose.
    unsafe { store.launch(stream.as_ref().raw(), 1u32, 1u32, 0, &[&address, &value]) }.unwrap();
    let first = stream.synchronize().unwrap_err();
    println!("first: {first}");
    assert_eq!(first.code, ErrorCode::SynchronizationFailed);
    assert!(first.detail.contains("CUDA_ERROR_ILLEGAL_ADDRESS (700)"), "{first}");
    assert!(first.detail.contains("kernel launched was store"), "{first}");
    let told = |error: icicle::Error| {
        println!("later: {error}");
        assert_eq!(error.code, ErrorCode::SynchronizationFailed);
        assert!(error.detail.contains("cuda:0 is lost to an earlier fault: stream_synchronize: "), "{error}");
        assert!(error.detail.contains("CUDA_ERROR_ILLEGAL_ADDRESS (700)"), "{error}");
    };
    told(Buffer::<u8>::on(cuda, 1).unwrap_err());
    told(buffer.to_vec().unwrap_err());
    told(Stream::on(cuda).unwrap_err());
    told(device::synchronize(cuda).unwrap_err());
    told(device::memory_stats(cuda).unwrap_err());
    // SAFETY: refused.
    told(unsafe { store.launch(0, 1u32, 1u32, 0, &[&address, &value]) }.unwrap_err());
    // Handing things back to a lost device is no error.
    unsafe { registry::backend(cuda).unwrap().event_destroy(0, event) }.unwrap();
    drop((buffer, stream));

    // The process and the CPU go on. So do the other GPUs where the driver lets them: up to 580 it ends the work of
    // every context of the process with the first, even of contexts that share nothing, and then each must say so.
    assert_eq!(Buffer::from_slice(&[1u8, 2, 3]).unwrap().to_vec().unwrap(), [1, 2, 3]);
    for mut copy in others {
        let (other, index) = (copy.device(), copy.device().index);
        let data: Vec<u32> = (0..1000).map(|i| i * index).collect();
        match copy.copy_from_slice(&data) {
            Ok(()) => {
                assert_eq!(copy.to_vec().unwrap(), data);
                Stream::on(other).unwrap().synchronize().unwrap();
            }
            Err(error) => {
                println!("{other}: {error}");
                assert_eq!(error.code, ErrorCode::SynchronizationFailed);
                assert!(error.detail.contains("the driver gave this up with cuda:0"), "{error}");
                assert!(error.detail.contains("kernel launched was store"), "{error}");
                let later = Stream::on(other).unwrap_err();
                assert!(later.detail.contains(&format!("{other} is lost to an earlier fault")), "{later}");
            }
        }
    }
    println!("the fault was told");
}
