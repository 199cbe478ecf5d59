//! A client of ICICLE in Rust, as its crates are: `extern "C"` declarations of its own, element types of limbs, device
//! memory by address, a stream per device. Compiled by rustc alone and linked with the libraries of ICICLE's names.
//!
//! SAFETY of every call here: pointers are to locals that outlive it, or to live device memory, of the lengths given.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

#[repr(C)]
#[derive(Clone, Copy)]
struct Device {
    device_type: [c_char; 64],
    id: i32,
}

#[repr(C)]
struct VecOpsConfig {
    stream: *mut c_void,
    is_a_on_device: bool,
    is_b_on_device: bool,
    is_result_on_device: bool,
    is_async: bool,
    batch_size: i32,
    columns_batch: bool,
    ext: *mut c_void,
}

/// Of a field of one limb.
#[repr(C)]
struct NttConfig {
    stream: *mut c_void,
    coset_gen: u32,
    batch_size: i32,
    columns_batch: bool,
    ordering: i32,
    are_inputs_on_device: bool,
    are_outputs_on_device: bool,
    is_async: bool,
    ext: *mut c_void,
}

#[repr(C)]
struct NttInitDomainConfig {
    stream: *mut c_void,
    is_async: bool,
    ext: *mut c_void,
}

/// ICICLE's wrapper reads codes as an enum that ends at 12: a code it does not know would be undefined behaviour.
#[repr(C)]
#[derive(Debug, PartialEq, Clone, Copy)]
#[allow(dead_code)]
enum Error {
    Success = 0,
    InvalidDevice,
    OutOfMemory,
    InvalidPointer,
    AllocationFailed,
    DeallocationFailed,
    CopyFailed,
    SynchronizationFailed,
    StreamCreationFailed,
    StreamDestructionFailed,
    ApiNotImplemented,
    InvalidArgument,
    UnknownError,
}

#[link(name = "icicle_device")]
unsafe extern "C" {
    fn icicle_load_backend_from_env_or_default() -> Error;
    fn icicle_get_registered_devices(output: *mut c_char, size: usize) -> Error;
    fn icicle_is_device_available(device: *const Device) -> Error;
    fn icicle_set_device(device: *const Device) -> Error;
    fn icicle_get_active_device(device: *mut Device) -> Error;
    fn icicle_create_stream(stream: *mut *mut c_void) -> Error;
    fn icicle_stream_synchronize(stream: *mut c_void) -> Error;
    fn icicle_destroy_stream(stream: *mut c_void) -> Error;
    fn icicle_malloc(ptr: *mut *mut c_void, size: usize) -> Error;
    fn icicle_free(ptr: *mut c_void) -> Error;
    fn icicle_copy_to_device_async(dst: *mut c_void, src: *const c_void, size: usize, stream: *mut c_void) -> Error;
    fn icicle_copy_to_host_async(dst: *mut c_void, src: *const c_void, size: usize, stream: *mut c_void) -> Error;
    fn create_config_extension() -> *mut c_void;
    fn config_extension_set_bool(ext: *mut c_void, key: *const c_char, value: bool);
    fn config_extension_get_bool(ext: *const c_void, key: *const c_char) -> bool;
    fn destroy_config_extension(ext: *mut c_void);
}

#[link(name = "icicle_field_babybear")]
unsafe extern "C" {
    fn babybear_generate_random(out: *mut u32, n: i32);
    fn babybear_vector_mul(a: *const u32, b: *const u32, n: u64, config: *const VecOpsConfig, out: *mut u32) -> Error;
    fn babybear_vector_sum(a: *const u32, n: u64, config: *const VecOpsConfig, out: *mut u32) -> Error;
    fn babybear_get_root_of_unity(max_size: u64, root: *mut u32) -> Error;
    fn babybear_ntt_init_domain(root: *const u32, config: *const NttInitDomainConfig) -> Error;
    fn babybear_ntt_release_domain() -> Error;
    fn babybear_ntt(input: *const u32, size: i32, dir: i32, config: *const NttConfig, output: *mut u32) -> Error;
    fn babybear_extension_generate_random(out: *mut [u32; 4], n: i32);
    fn babybear_extension_mul(a: *const [u32; 4], b: *const [u32; 4], out: *mut [u32; 4]);
    fn babybear_extension_vector_mul(
        a: *const [u32; 4],
        b: *const [u32; 4],
        n: u64,
        config: *const VecOpsConfig,
        out: *mut [u32; 4],
    ) -> Error;
}

const P: u64 = 0x7800_0001;

impl Error {
    #[track_caller]
    fn unwrap(self) {
        assert_eq!(self, Error::Success);
    }
}

fn device(name: &str) -> Device {
    let mut device_type = [0; 64];
    for (to, from) in device_type.iter_mut().zip(name.bytes()) {
        *to = from as c_char;
    }
    Device { device_type, id: 0 }
}

/// As ICICLE's `init`: the last of the registered types is the reference, the first the main device.
fn init() -> (Device, Device) {
    let mut list = [0; 256];
    unsafe { icicle_load_backend_from_env_or_default() }.unwrap();
    unsafe { icicle_get_registered_devices(list.as_mut_ptr(), list.len()) }.unwrap();
    let text = unsafe { CStr::from_ptr(list.as_ptr()) }.to_str().unwrap();
    let names: Vec<&str> = text.split(',').collect();
    assert_eq!(names.last(), Some(&"CPU"));
    for name in &names {
        unsafe { icicle_is_device_available(&device(name)) }.unwrap();
        unsafe { icicle_set_device(&device(name)) }.unwrap();
    }
    assert_eq!(unsafe { icicle_is_device_available(&device("METAL")) }, Error::InvalidDevice);
    (device(names[0]), device("CPU"))
}

/// Products and their sum on a device, from its memory, through a stream.
fn vectors(on: Device, a: &[u32], b: &[u32]) -> (Vec<u32>, u32) {
    unsafe { icicle_set_device(&on) }.unwrap();
    let bytes = size_of_val(a);
    let (mut stream, mut memory) = (null_mut(), [null_mut(); 2]);
    unsafe { icicle_create_stream(&mut stream) }.unwrap();
    for (memory, data) in memory.iter_mut().zip([a, b]) {
        unsafe { icicle_malloc(memory, bytes) }.unwrap();
        unsafe { icicle_copy_to_device_async(*memory, data.as_ptr().cast(), bytes, stream) }.unwrap();
    }
    let ext = unsafe { create_config_extension() };
    unsafe { config_extension_set_bool(ext, c"fast".as_ptr(), true) };
    assert!(unsafe { config_extension_get_bool(ext, c"fast".as_ptr()) });
    let mut config = VecOpsConfig {
        stream,
        is_a_on_device: true,
        is_b_on_device: true,
        is_result_on_device: true,
        is_async: true,
        batch_size: 1,
        columns_batch: false,
        ext,
    };
    let n = a.len() as u64;
    let [a, b] = memory;
    unsafe { babybear_vector_mul(a.cast(), b.cast(), n, &config, a.cast()) }.unwrap();
    config.is_result_on_device = false;
    let (mut products, mut sum) = (vec![0; n as usize], 0);
    unsafe { babybear_vector_sum(a.cast(), n, &config, &mut sum) }.unwrap();
    unsafe { icicle_copy_to_host_async(products.as_mut_ptr().cast(), a, bytes, stream) }.unwrap();
    unsafe { icicle_stream_synchronize(stream) }.unwrap();
    for memory in memory {
        unsafe { icicle_free(memory) }.unwrap();
    }
    unsafe { icicle_destroy_stream(stream) }.unwrap();
    unsafe { destroy_config_extension(ext) };
    (products, sum)
}

fn power(base: u64, exponent: u64) -> u64 {
    (0..exponent).fold(1, |x, _| x * base % P)
}

/// RISC Zero's roots, a transform on a coset, against the definition.
fn transforms(on: Device) {
    unsafe { icicle_set_device(&on) }.unwrap();
    let mut root = 0;
    unsafe { babybear_get_root_of_unity(1 << 27, &mut root) }.unwrap();
    assert_eq!(root, 0x89);
    let n = 8;
    unsafe { babybear_get_root_of_unity(n, &mut root) }.unwrap();
    assert_eq!((power(root.into(), n), power(root.into(), n / 2)), (1, P - 1));
    let init = NttInitDomainConfig { stream: null_mut(), is_async: false, ext: null_mut() };
    unsafe { babybear_ntt_init_domain(&root, &init) }.unwrap();
    let config = NttConfig {
        stream: null_mut(),
        coset_gen: 31,
        batch_size: 1,
        columns_batch: false,
        ordering: 0,
        are_inputs_on_device: false,
        are_outputs_on_device: false,
        is_async: false,
        ext: null_mut(),
    };
    let mut values = [0u32; 8];
    unsafe { babybear_generate_random(values.as_mut_ptr(), 8) };
    let input = values;
    unsafe { babybear_ntt(values.as_ptr(), 8, 0, &config, values.as_mut_ptr()) }.unwrap();
    for (k, &value) in values.iter().enumerate() {
        let point = power(root.into(), k as u64) * 31 % P;
        let sum = input.iter().enumerate().map(|(j, &x)| u64::from(x) * power(point, j as u64) % P).sum::<u64>() % P;
        assert_eq!(u64::from(value), sum, "{k}");
    }
    unsafe { babybear_ntt(values.as_ptr(), 8, 1, &config, values.as_mut_ptr()) }.unwrap();
    assert_eq!(values, input);
    assert_eq!(unsafe { babybear_ntt(null(), 8, 0, &config, values.as_mut_ptr()) }, Error::InvalidPointer);
    unsafe { babybear_ntt_release_domain() }.unwrap();
}

fn extension(on: Device) {
    unsafe { icicle_set_device(&on) }.unwrap();
    let (mut a, mut b, mut out) = ([[0; 4]; 5], [[0; 4]; 5], [[0; 4]; 5]);
    unsafe { babybear_extension_generate_random(a.as_mut_ptr(), 5) };
    unsafe { babybear_extension_generate_random(b.as_mut_ptr(), 5) };
    let config = VecOpsConfig {
        stream: null_mut(),
        is_a_on_device: false,
        is_b_on_device: false,
        is_result_on_device: false,
        is_async: false,
        batch_size: 1,
        columns_batch: false,
        ext: null_mut(),
    };
    unsafe { babybear_extension_vector_mul(a.as_ptr(), b.as_ptr(), 5, &config, out.as_mut_ptr()) }.unwrap();
    for i in 0..5 {
        let mut product = [0; 4];
        unsafe { babybear_extension_mul(&a[i], &b[i], &mut product) };
        assert_eq!(out[i], product);
    }
}

fn main() {
    let (main_device, reference) = init();
    let n = 10_000;
    let (mut a, mut b) = (vec![0; n], vec![0; n]);
    unsafe { babybear_generate_random(a.as_mut_ptr(), n as i32) };
    unsafe { babybear_generate_random(b.as_mut_ptr(), n as i32) };
    let expected: Vec<u32> = a.iter().zip(&b).map(|(&a, &b)| (u64::from(a) * u64::from(b) % P) as u32).collect();
    let sum = (expected.iter().map(|&x| u64::from(x)).sum::<u64>() % P) as u32;
    for on in [main_device, reference] {
        assert!(vectors(on, &a, &b) == (expected.clone(), sum));
        transforms(on);
        extension(on);
    }
    // A thread that set no device has the default, whatever others set.
    unsafe { icicle_set_device(&main_device) }.unwrap();
    let seen = std::thread::spawn(|| {
        let mut seen = device("");
        unsafe { icicle_get_active_device(&mut seen) }.unwrap();
        seen
    });
    assert_eq!(seen.join().unwrap().device_type, reference.device_type);
    println!("{}", unsafe { CStr::from_ptr(main_device.device_type.as_ptr()) }.to_str().unwrap());
}
