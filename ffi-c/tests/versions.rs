//! Structs of our own begin with their size, so that a program and a library of different versions understand each other.
//!
//! SAFETY of every block here: pointers are to locals that outlive the call, and each struct says how many of its bytes are there.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // calls of the C boundary
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use icicle_c::device::{DeviceInfo, MemoryStats, icicle_device_info, icicle_memory_stats};
use icicle_c::error::{Code, icicle_error_take};
use icicle_c::memory::{PointerAttributes, icicle_pointer_attributes};
use icicle_c::points::icicle_points_negate;
use icicle_c::registry::{CurveInfo, FieldInfo, icicle_curve_info, icicle_field_info};
use icicle_c::types::{IcicleDevice, PointsConfig};

const BN254: i32 = 11;

fn cpu() -> IcicleDevice {
    let mut device = IcicleDevice { device_type: [0; 64], id: 0 };
    b"CPU".iter().zip(&mut device.device_type).for_each(|(&from, to)| *to = from as _);
    device
}

fn message() -> String {
    let mut text = [0u8; 256];
    let _ = unsafe { icicle_error_take(text.as_mut_ptr().cast(), text.len()) };
    String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned()
}

/// Ask into memory of `extra` bytes more than the struct has, said to be `bytes` long.
fn ask(call: &dyn Fn(*mut u8) -> Code, size: usize, bytes: usize) -> (Code, Vec<u8>) {
    let mut memory = vec![0xa5a5_a5a5_a5a5_a5a5u64; size / 8 + 8];
    memory[0] = bytes as u64;
    let code = call(memory.as_mut_ptr().cast());
    (code, memory.iter().flat_map(|word| word.to_le_bytes()).collect())
}

#[test]
fn outputs_are_as_long_as_both_know() {
    let device = cpu();
    type Call<'a> = Box<dyn Fn(*mut u8) -> Code + 'a>;
    let calls: [(&str, usize, Call<'_>); 5] = [
        ("info", size_of::<DeviceInfo>(), Box::new(|out| unsafe { icicle_device_info(&device, out.cast()) })),
        ("stats", size_of::<MemoryStats>(), Box::new(|out| unsafe { icicle_memory_stats(&device, out.cast()) })),
        ("info", size_of::<FieldInfo>(), Box::new(|out| unsafe { icicle_field_info(0, out.cast()) })),
        ("info", size_of::<CurveInfo>(), Box::new(|out| unsafe { icicle_curve_info(0, out.cast()) })),
        (
            "attributes",
            size_of::<PointerAttributes>(),
            Box::new(|out| unsafe { icicle_pointer_attributes(std::ptr::null(), out.cast()) }),
        ),
    ];
    for (argument, size, call) in &calls {
        let (code, exact) = ask(call, *size, *size);
        assert_eq!(code, Code::Success);
        assert_eq!(exact[..8], size.to_le_bytes(), "{argument} {size}");
        assert!(exact[8..*size].iter().any(|&byte| byte != 0xa5) && exact[*size..].iter().all(|&byte| byte == 0xa5));
        // A newer program: what this library does not know stays as it is, and the size says so.
        let (code, newer) = ask(call, *size, size + 24);
        // Of the struct itself what has no padding in between.
        assert_eq!((code, &newer[..32]), (Code::Success, &exact[..32]), "{argument} {size}");
        assert_eq!(newer[*size..], exact[*size..], "{argument} {size}");
        for bytes in [0, 1, size - 1] {
            let (code, untouched) = ask(call, *size, bytes);
            assert_eq!(code, Code::InvalidArgument);
            assert!(untouched[8..].iter().all(|&byte| byte == 0xa5) && untouched[..8] == bytes.to_le_bytes());
            let rule = format!("{argument}.struct_size {bytes}: must be the size of the struct, at least {size}");
            assert!(message().ends_with(&rule), "{rule}");
        }
        assert_eq!(call(std::ptr::null_mut()), Code::InvalidPointer);
    }
}

#[test]
fn options_of_a_newer_version_must_be_unused() {
    #[repr(C)]
    struct Newer {
        known: PointsConfig,
        more: [u8; 16],
    }
    let points = [0u32; 24];
    let mut out = [7u32; 24];
    let mut negate = |config: &Newer| unsafe {
        icicle_points_negate(BN254, points.as_ptr().cast(), 1, &config.known, out.as_mut_ptr().cast())
    };
    let known = PointsConfig { struct_size: size_of::<Newer>(), ..PointsConfig::default() };
    assert_eq!(negate(&Newer { known, more: [0; 16] }), Code::Success);
    for at in [0, 15] {
        let mut more = [0; 16];
        more[at] = 1;
        assert_eq!(negate(&Newer { known, more }), Code::InvalidArgument);
        let expected =
            format!("byte {} is set, of a newer version than this library's", size_of::<PointsConfig>() + at);
        let message = message();
        assert!(message.contains(&expected), "{message}");
    }
    let old = PointsConfig { struct_size: size_of::<PointsConfig>() - 8, ..known };
    assert_eq!(negate(&Newer { known: old, more: [0; 16] }), Code::InvalidArgument);
}
