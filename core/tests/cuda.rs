//! The CUDA runtime on real devices. Without one, that absence is what is tested; run with `--nocapture` to see which.
//!
//! `ICICLE_TEST_SMALL=1` keeps sizes small, for compute-sanitizer.
#![cfg(feature = "cuda")]
#![allow(unsafe_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "cuda/driver.rs"]
mod driver;
#[path = "cuda/ecntt.rs"]
mod ecntt;
#[path = "cuda/faults.rs"]
mod faults;
#[path = "cuda/groups.rs"]
mod groups;
#[path = "cuda/matrix.rs"]
mod matrix;
#[path = "cuda/memory.rs"]
mod memory;
#[path = "cuda/msm.rs"]
mod msm;
#[path = "cuda/ntt.rs"]
mod ntt;
#[path = "cuda/parts.rs"]
mod parts;
#[path = "cuda/point.rs"]
mod point;
#[path = "cuda/program.rs"]
mod program;
#[path = "cuda/signatures.rs"]
mod signatures;
#[path = "cuda/streams.rs"]
mod streams;
#[path = "cuda/timings.rs"]
mod timings;
#[path = "cuda/vector.rs"]
mod vector;

use icicle::cuda::Module;
use icicle::device::{self, Backend, DeviceKind, registry};
use icicle::{Buffer, Device, ErrorCode};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many devices there are; says so once where there are none.
fn devices() -> u32 {
    static TOLD: std::sync::Once = std::sync::Once::new();
    let count = device::device_count(DeviceKind::Cuda);
    if count == 0 {
        TOLD.call_once(|| println!("no CUDA device: only its absence is tested"));
    }
    count
}

/// The devices are shared, and some tests measure: one test at a time. `None` without a device.
fn exclusive() -> Option<MutexGuard<'static, ()>> {
    static ONE: Mutex<()> = Mutex::new(());
    (devices() > 0).then(|| ONE.lock().unwrap_or_else(PoisonError::into_inner))
}

fn backend() -> &'static dyn Backend {
    registry::backend(Device::cuda(0)).unwrap()
}

/// Whether the driver is the one of `cuda/fake_driver.c`, which does everything on the host, as late as it may.
fn fake() -> bool {
    std::env::var_os("ICICLE_TEST_FAKE").is_some()
}

fn small() -> bool {
    std::env::var_os("ICICLE_TEST_SMALL").is_some()
}

/// Kernels for tests: `spin` keeps a stream busy, `store` writes four bytes anywhere.
const PTX: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry store(.param .u64 address, .param .u32 value)
{
    .reg .u64 %rd<2>;
    .reg .u32 %r<2>;
    ld.param.u64 %rd1, [address];
    ld.param.u32 %r1, [value];
    st.global.u32 [%rd1], %r1;
    ret;
}
.visible .entry spin(.param .u64 nanoseconds)
{
    .reg .u64 %rd<4>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [nanoseconds];
    mov.u64 %rd2, %globaltimer;
    add.u64 %rd1, %rd1, %rd2;
again:
    mov.u64 %rd3, %globaltimer;
    setp.lt.u64 %p1, %rd3, %rd1;
    @%p1 bra again;
    ret;
}
";

fn kernels(device: Device) -> &'static Module {
    static LOADED: Mutex<Vec<&'static Module>> = Mutex::new(Vec::new());
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(module) = loaded.iter().find(|module| module.device() == device) {
        return module;
    }
    // SAFETY: PTX text.
    let module = unsafe { Module::load(device, PTX.as_bytes(), &["store", "spin"]) }.unwrap();
    loaded.push(module);
    module
}

/// Keep a stream of a device busy.
fn spin(device: Device, stream: usize, ms: u64) {
    let nanoseconds = ms * 1_000_000;
    // SAFETY: the kernel takes this number and touches no memory.
    unsafe { kernels(device).kernel("spin").unwrap().launch(stream, 1u32, 1u32, 0, &[&nanoseconds]) }.unwrap();
}

#[test]
fn without_devices_everything_says_why() {
    if devices() > 0 {
        return;
    }
    let cuda = Device::cuda(0);
    assert_eq!(device::kinds(), [DeviceKind::Cpu, DeviceKind::Cuda]);
    assert!(device::devices().iter().all(|d| d.kind == DeviceKind::Cpu));
    let error = device::device_info(cuda).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidDevice);
    println!("the reason: {error}");
    assert!(error.detail.starts_with("cuda:0: "), "{error}");
    assert_eq!(device::set_current_device(cuda).unwrap_err(), error);
    assert_eq!(Buffer::<u32>::on(cuda, 4).unwrap_err().code, ErrorCode::InvalidDevice);
    assert_eq!(icicle::Stream::on(cuda).unwrap_err().code, ErrorCode::InvalidDevice);
    assert_eq!(icicle::cuda::can_access_peer(cuda, Device::cuda(1)).unwrap_err().code, ErrorCode::InvalidDevice);
    assert_eq!(icicle::cuda::pointer_info(std::ptr::null()).unwrap_err().code, ErrorCode::InvalidDevice);
    assert_eq!(icicle::cuda::Managed::new(cuda, 8).unwrap_err().code, ErrorCode::InvalidDevice);
    // SAFETY: refused before the image is looked at.
    assert_eq!(unsafe { Module::load(cuda, b"", &[]) }.unwrap_err().code, ErrorCode::InvalidDevice);
    assert_eq!(device::current_device(), Device::cpu(0));
}

/// Every test of this file on a driver that keeps device memory on the host, where there is a C compiler but no device:
/// what is called, in which context and with what arguments is then tested anywhere.
#[test]
#[cfg(target_os = "linux")]
fn the_tests_pass_on_a_driver_of_our_own() {
    use std::process::Command;
    let folder = std::env::temp_dir().join(format!("icicle-fake-driver-{}", std::process::id()));
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cuda/fake_driver.c");
    if devices() > 0 || fake() || !std::path::Path::new(source).exists() {
        return;
    }
    std::fs::create_dir_all(&folder).unwrap();
    let library = folder.join("libcuda.so.1");
    let compiled =
        Command::new("cc").args(["-O1", "-shared", "-fPIC", "-pthread", "-o"]).arg(&library).arg(source).status();
    if compiled.is_err() {
        return println!("no C compiler: the host side is not tested");
    }
    assert!(compiled.unwrap().success());
    // More than two devices: what is meant for one must not land on a third.
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--test-threads=1", "--nocapture"])
        .env("LD_LIBRARY_PATH", &folder)
        .env("ICICLE_TEST_FAKE", "1")
        .env("ICICLE_FAKE_DEVICES", "3")
        .output()
        .unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}");
    assert!(text.contains("fake device"), "{text}");
}

#[test]
fn devices_describe_themselves() {
    let Some(_one) = exclusive() else { return };
    assert_eq!(device::current_device(), Device::cpu(0), "the CPU stays the default");
    assert_eq!(device::devices().first(), Some(&Device::cpu(0)));
    for index in 0..devices() {
        let info = device::device_info(Device::cuda(index)).unwrap();
        println!("{info:#?}");
        assert_eq!(info.device, Device::cuda(index));
        assert!(!info.name.is_empty() && info.units > 0 && !info.uses_host_memory && info.supports_pinned);
        assert!(info.total_memory.unwrap() > 1 << 30);
        let fact = |name: &str| info.facts.iter().find(|(n, _)| n == name).unwrap().1.clone();
        assert_eq!(fact("uuid").len(), "GPU-".len() + 36);
        assert!(fact("compute capability").contains('.'));
        assert!(fact("pci").contains(':'));
    }
    let error = device::device_info(Device::cuda(devices())).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidDevice);
    assert!(error.detail.contains(&format!("there are {} CUDA devices", devices())), "{error}");
}
