//! What calls of the boundary compute, keep and tell, by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test's way to fail
#![allow(unsafe_code)] // the entries are C's

use icicle::device::{Buffer, Device, set_current_device};
use icicle_c::error::{Code, icicle_error_name, icicle_error_take};
use icicle_c::types::{MatMulConfig, NttConfig1, NttInitDomainConfig, PointsConfig};
use icicle_c::{field, matrix, memory, ntt, points, program};
use std::ffi::{CStr, c_void};
use std::process::Command;

const BABYBEAR: i32 = 10010;
const P: u32 = 2013265921;

fn message() -> String {
    let mut text = [0u8; 256];
    // SAFETY: the buffer has this many bytes.
    let _ = unsafe { icicle_error_take(text.as_mut_ptr().cast(), text.len()) };
    String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned()
}

fn at<T>(words: &[T]) -> *const c_void {
    words.as_ptr().cast()
}

fn to(words: &mut [u32]) -> *mut c_void {
    words.as_mut_ptr().cast()
}

#[test]
fn every_code_has_a_name() {
    let names = [
        "SUCCESS",
        "INVALID_DEVICE",
        "OUT_OF_MEMORY",
        "INVALID_POINTER",
        "ALLOCATION_FAILED",
        "DEALLOCATION_FAILED",
        "COPY_FAILED",
        "SYNCHRONIZATION_FAILED",
        "STREAM_CREATION_FAILED",
        "STREAM_DESTRUCTION_FAILED",
        "API_NOT_IMPLEMENTED",
        "INVALID_ARGUMENT",
        "BACKEND_LOAD_FAILED",
        "LICENSE_CHECK_ERROR",
        "UNKNOWN_ERROR",
        "UNKNOWN_ERROR",
    ];
    for (code, name) in names.into_iter().enumerate() {
        // SAFETY: a static string.
        let told = unsafe { CStr::from_ptr(icicle_error_name(code as i32)) };
        assert_eq!(told.to_str(), Ok(name), "{code}");
    }
}

/// Negative exponents are those of the inverse, which is zero for zero.
#[test]
fn powers_of_any_exponent() {
    let half = P.div_ceil(2);
    for (base, exp, power) in
        [(2, 10, 1024), (2, -1, half), (half, -3, 8), (P - 1, -1, P - 1), (5, 0, 1), (0, 0, 1), (0, 3, 0), (0, -3, 0)]
    {
        let mut out = [7u32];
        // SAFETY: an element to read and one to write.
        let code = unsafe { field::icicle_field_pow(BABYBEAR, at(&[base]), exp, to(&mut out)) };
        assert_eq!((code, out), (Code::Success, [power]), "{base}^{exp}: {}", message());
    }
}

#[test]
fn products_and_transforms_lie_as_asked() {
    let (a, b) = ([1u32, 2], [3u32, 4]);
    for (result_transposed, want) in [(0, [3, 4, 6, 8]), (1, [3, 6, 4, 8])] {
        let (mut out, config) = ([7u32; 4], MatMulConfig { result_transposed, ..MatMulConfig::default() });
        // SAFETY: a column of two, a row of two, and room for their product.
        let code = unsafe { matrix::icicle_matmul(BABYBEAR, at(&a), 2, 1, at(&b), 1, 2, &config, to(&mut out)) };
        assert_eq!((code, out), (Code::Success, want), "{}", message());
    }
    // SAFETY: an element and options.
    let code = unsafe { ntt::icicle_ntt_init_domain(BABYBEAR, at(&[P - 1]), &NttInitDomainConfig::default()) };
    assert_eq!(code, Code::Success, "{}", message());
    // The transform of two is their sum and their difference.
    let x = [10u32, 20, 3, 4];
    for (columns_batch, want) in [(0, [30, P - 10, 7, P - 1]), (1, [13, 24, 7, 16])] {
        let (mut out, config) = ([7u32; 4], NttConfig1 { batch_size: 2, columns_batch, ..NttConfig1::default() });
        // SAFETY: two vectors of two, and room for as much.
        let code = unsafe { ntt::icicle_ntt(BABYBEAR, at(&x), 2, 0, (&raw const config).cast(), to(&mut out)) };
        assert_eq!((code, out), (Code::Success, want), "{}", message());
    }
    assert_eq!(ntt::icicle_ntt_release_domain(BABYBEAR), Code::Success);
}

#[test]
fn streams_of_nobody_are_refused() {
    let stream = std::ptr::without_provenance_mut::<c_void>(0x1000);
    let refused = |code: Code| {
        let text = message();
        assert!(code == Code::InvalidPointer && text.contains("stream 0x1000"), "{code:?}: {text}");
    };
    let (point, mut out) = ([0u32; 24], [7u32; 24]);
    let options = PointsConfig { stream, ..PointsConfig::default() };
    // SAFETY: a point, room for one, and options.
    let code = unsafe { points::icicle_points_normalize(11, at(&point), 1, &options, to(&mut out)) };
    refused(code);
    let options = NttInitDomainConfig { stream, ..NttInitDomainConfig::default() };
    // SAFETY: an element and options.
    let code = unsafe { ntt::icicle_ntt_init_domain(BABYBEAR, at(&[P - 1]), &options) };
    refused(code);
    assert_eq!(out, [7; 24]);
}

#[test]
fn page_locked_memory_is_freed_once() {
    let mut ptr = std::ptr::null_mut();
    // SAFETY: the pointer to write is this test's.
    assert_eq!(unsafe { memory::icicle_host_alloc(&raw mut ptr, 100) }, Code::Success);
    assert_eq!(memory::icicle_host_free(ptr.wrapping_byte_add(8)), Code::InvalidPointer, "not where it begins");
    assert_eq!(memory::icicle_host_free(ptr), Code::Success);
    assert_eq!(memory::icicle_host_free(ptr), Code::InvalidPointer, "freed already");
    assert!(message().contains("freed already"));
    assert_eq!(memory::icicle_host_free(std::ptr::null_mut()), Code::Success, "null is ignored");
}

#[test]
fn released_symbols_are_gone() {
    let symbol = program::icicle_create_input_symbol(BABYBEAR, 0);
    assert!(!symbol.is_null(), "{}", message());
    program::icicle_release_symbols();
    let copy = program::icicle_copy_symbol(BABYBEAR, symbol);
    assert!(copy.is_null() && message().contains("symbol"));
}

const CHILD: &str = "ICICLE_TEST_TWO_DEVICES";

/// In a process of its own: how many devices there are is asked for once.
#[test]
fn memory_of_another_device_is_not_the_current_ones() {
    if std::env::var_os(CHILD).is_none() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "memory_of_another_device_is_not_the_current_ones", "--nocapture"]);
        let output = command.env(CHILD, "1").env("ICICLE_CPU_DEVICES", "2").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let buffer = Buffer::<u8>::on(Device::cpu(1), 64).unwrap();
    let active = || memory::icicle_is_active_device_memory(buffer.as_ptr().cast());
    assert_eq!(active(), Code::InvalidPointer);
    assert!(message().contains("is memory of cpu:1, current is cpu:0"));
    set_current_device(Device::cpu(1)).unwrap();
    assert_eq!(active(), Code::Success);
}
