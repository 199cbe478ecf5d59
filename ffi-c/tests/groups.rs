//! Groups and sharded vectors by handle: what threads do to each other's, and what is refused.
//!
//! SAFETY of every block here: host pointers are to locals that outlive the call, of the lengths given with them; handles are
//! null, or come from a call here and are freed once, after the last call that takes them; where threads free what others use, the
//! library's table keeps it alive or refuses it.
#![allow(missing_docs, unsafe_code, clippy::undocumented_unsafe_blocks)] // calls of the C boundary with live arguments
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use icicle_c::error::{Code, icicle_error_take};
use icicle_c::group::*;
use icicle_c::group_ops::*;
use icicle_c::ntt::icicle_get_root_of_unity;
use icicle_c::sharded::*;
use icicle_c::types::{IcicleDevice, NttConfig8};
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};

const BABYBEAR: i32 = 10010;

fn cpu(id: i32) -> IcicleDevice {
    let mut device = IcicleDevice { device_type: [0; 64], id };
    device.device_type[..3].copy_from_slice(&[b'C', b'P', b'U'].map(|byte| byte as _));
    device
}

fn group() -> usize {
    static SET: Once = Once::new();
    // Before anything asks for a device.
    SET.call_once(|| unsafe { std::env::set_var("ICICLE_CPU_DEVICES", "3") });
    let mut made = null_mut();
    let code =
        unsafe { icicle_group_create([cpu(0), cpu(1), cpu(2)].as_ptr(), 3, [1.0, 2.0, 1.0].as_ptr(), &mut made) };
    assert_eq!(code, Code::Success, "{}", message());
    made.addr()
}

fn handle(number: usize) -> *mut c_void {
    std::ptr::without_provenance_mut(number)
}

fn message() -> String {
    let mut text = [0; 256];
    let _ = unsafe { icicle_error_take(text.as_mut_ptr(), text.len()) };
    unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned()
}

fn vector(group: usize, n: i64, layout: i32) -> usize {
    let mut made = null_mut();
    let code = unsafe { icicle_sharded_create(handle(group), n, 4, layout, &mut made) };
    assert_eq!(code, Code::Success, "{}", message());
    made.addr()
}

/// Calls that share vectors in every role end, and vectors that vanish meanwhile are errors.
#[test]
fn threads_that_share_vectors_end() {
    let group = group();
    let vectors: Vec<usize> = (0..4).map(|_| vector(group, 1000, 0)).collect();
    let zeros = [0u32; 1000];
    for &vector in &vectors {
        assert_eq!(
            unsafe { icicle_sharded_scatter(handle(group), zeros.as_ptr().cast(), handle(vector)) },
            Code::Success
        );
    }
    let (stop, refused) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for t in 0..4usize {
            let (vectors, refused) = (&vectors, &refused);
            scope.spawn(move || {
                for i in 0..300 {
                    let [a, b, c] = [i, i / 2 + t, t * i + 1].map(|k| handle(vectors[k % vectors.len()]));
                    let code = match i % 4 {
                        0 | 1 => icicle_group_vector_binary(handle(group), BABYBEAR, 0, a, b, c),
                        2 => icicle_group_vector_accumulate(handle(group), BABYBEAR, a, b),
                        _ => unsafe {
                            icicle_group_vector_reduce(handle(group), BABYBEAR, 0, a, [0u32].as_mut_ptr().cast())
                        },
                    };
                    match code {
                        Code::Success => {}
                        Code::InvalidArgument => {
                            assert!(message().contains("must be another vector"));
                            refused.fetch_add(1, Ordering::Relaxed);
                        }
                        other => panic!("{other:?}: {}", message()),
                    }
                }
            });
        }
        let stop = &stop;
        scope.spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                let gone = vector(group, 100, 1);
                std::thread::scope(|inner| {
                    inner.spawn(move || {
                        let code = icicle_group_vector_inv(handle(group), BABYBEAR, handle(gone), handle(gone + 1));
                        assert_eq!(code, Code::InvalidPointer);
                    });
                    inner.spawn(move || icicle_sharded_free(handle(gone)));
                });
                assert_eq!(icicle_sharded_free(handle(gone)), Code::InvalidPointer);
            }
        });
        std::thread::sleep(std::time::Duration::from_millis(300));
        stop.store(true, Ordering::Relaxed);
    });
    assert!(refused.into_inner() > 0, "some calls name a vector twice");
    vectors.into_iter().for_each(|vector| assert_eq!(icicle_sharded_free(handle(vector)), Code::Success));
    assert_eq!(icicle_group_destroy(handle(group)), Code::Success);
}

/// Vectors and groups that other threads free while kernels of several GPUs are at them: each call ends with its result, or is
/// told what is gone.
#[test]
fn handles_of_gpus_vanish_while_transforms_use_them() {
    const BN254: i32 = 10;
    const N: usize = 1 << 23;
    let count: i32 = std::env::var("ICICLE_TEST_GPUS").map_or(0, |count| count.parse().unwrap());
    if count < 2 {
        return;
    }
    let gpu = |id: i32| {
        let mut device = cpu(id);
        device.device_type[..4].copy_from_slice(&[b'C', b'U', b'D', b'A'].map(|byte| byte as _));
        device
    };
    let gpus: Vec<_> = (0..count).map(gpu).collect();
    let made = || {
        let mut made = null_mut();
        let code = unsafe { icicle_group_create(gpus.as_ptr(), count, null(), &mut made) };
        assert_eq!(code, Code::Success, "{}", message());
        made.addr()
    };
    let made_vector = |group: usize| {
        let mut made = null_mut();
        let code = unsafe { icicle_sharded_create(handle(group), N as i64, 32, 0, &mut made) };
        assert_eq!(code, Code::Success, "{}", message());
        made.addr()
    };
    let (group, mut root) = (made(), [0u32; 8]);
    assert_eq!(unsafe { icicle_get_root_of_unity(BN254, N as u64, root.as_mut_ptr().cast()) }, Code::Success);
    let code = unsafe { icicle_group_ntt_init_domain(handle(group), BN254, root.as_ptr().cast()) };
    assert_eq!(code, Code::Success, "{}", message());
    // The transform of a one is all ones, in any order.
    let (mut data, mut out) = (vec![0u32; 8 * N], vec![0u32; 8 * N]);
    data[0] = 1;
    let ones = data[..8].repeat(N);
    let (done, gone) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for turn in 0..60u64 {
        let group = made();
        let [from, to] = [(); 2].map(|()| made_vector(group));
        let code = unsafe { icicle_sharded_scatter(handle(group), data.as_ptr().cast(), handle(from)) };
        assert_eq!(code, Code::Success, "{}", message());
        std::thread::scope(|scope| {
            let (done, gone, out, ones) = (&done, &gone, &mut out, &ones);
            scope.spawn(move || {
                let config = NttConfig8::default();
                let call = || unsafe {
                    let config = (&raw const config).cast();
                    icicle_group_ntt_sharded(handle(group), BN254, handle(from), 0, config, handle(to))
                };
                let gather = |out: &mut Vec<u32>| unsafe {
                    icicle_sharded_gather(handle(group), handle(to), out.as_mut_ptr().cast())
                };
                loop {
                    match call() {
                        Code::Success => done.fetch_add(1, Ordering::Relaxed),
                        Code::InvalidPointer => break gone.fetch_add(1, Ordering::Relaxed),
                        other => panic!("{other:?}: {}", message()),
                    };
                    if turn % 10 == 0 && gather(out) == Code::Success {
                        assert!(out == ones, "another result");
                    }
                }
            });
            std::thread::sleep(std::time::Duration::from_micros(700 * turn));
            let free = [from, to].map(|vector| scope.spawn(move || icicle_sharded_free(handle(vector))));
            let destroy = scope.spawn(move || icicle_group_destroy(handle(group)));
            free.into_iter().chain([destroy]).for_each(|ended| assert_eq!(ended.join().unwrap(), Code::Success));
        });
    }
    assert!(done.into_inner() > 60, "calls end before their vectors are freed");
    assert_eq!(gone.into_inner(), 60);
    assert_eq!(icicle_group_ntt_release_domain(handle(group), BN254), Code::Success);
    assert_eq!(icicle_group_destroy(handle(group)), Code::Success);
}

unsafe extern "C" fn count(context: *mut c_void, place: *const GroupJob) -> i32 {
    let place = unsafe { &*place };
    assert_eq!(place.struct_size, size_of::<GroupJob>());
    std::thread::sleep(std::time::Duration::from_millis(1));
    unsafe { &*context.cast::<AtomicI64>() }.fetch_add(place.job, Ordering::Relaxed);
    0
}

/// A group that is destroyed while it maps ends its jobs first.
#[test]
fn a_group_destroyed_while_it_maps_ends_its_jobs() {
    let group = group();
    let sum = AtomicI64::new(0);
    std::thread::scope(|scope| {
        let context = (&raw const sum).addr();
        let map = scope.spawn(move || {
            let config = icicle_group_map_config_default();
            let context = std::ptr::with_exposed_provenance_mut(context);
            unsafe { icicle_group_map(handle(group), 60, Some(count), context, &config, null_mut()) }
        });
        (&raw const sum).expose_provenance();
        std::thread::sleep(std::time::Duration::from_millis(5));
        assert_eq!(icicle_group_destroy(handle(group)), Code::Success);
        assert_eq!(map.join().unwrap(), Code::Success);
    });
    assert_eq!(sum.into_inner(), 59 * 60 / 2);
    assert_eq!(icicle_group_destroy(handle(group)), Code::InvalidPointer);
    assert!(message().contains("freed already, or never one"));
}

unsafe extern "C" fn fail(_: *mut c_void, place: *const GroupJob) -> i32 {
    match unsafe { (*place).job } {
        3 => Code::OutOfMemory as i32,
        5 => 12345,
        _ => 0,
    }
}

unsafe extern "C" fn stop_at_two(context: *mut c_void, done: i64, total: i64) -> u8 {
    assert!(context.is_null() && (1..=total).contains(&done));
    u8::from(done < 2)
}

#[test]
fn results_are_those_of_each_job() {
    let group = group();
    let mut config = icicle_group_map_config_default();
    let mut results = [-1; 8];
    let code = unsafe { icicle_group_map(handle(group), 8, Some(fail), null_mut(), &config, results.as_mut_ptr()) };
    assert_eq!(results, [0, 0, 0, Code::OutOfMemory as i32, 0, Code::Internal as i32, 0, 0]);
    assert_eq!(code, Code::OutOfMemory);
    let text = message();
    assert!(text.contains("on cpu:") && text.contains("job 3 returned 2"), "{text}");
    config.progress = Some(stop_at_two);
    let code = unsafe { icicle_group_map(handle(group), 8, Some(fail), null_mut(), &config, results.as_mut_ptr()) };
    assert!([Code::Cancelled, Code::OutOfMemory].contains(&code));
    assert!(results.contains(&(Code::Cancelled as i32)), "{results:?}");
    for (jobs, job, streams, wanted) in [
        (-1, Some(fail as unsafe extern "C" fn(*mut c_void, *const GroupJob) -> i32), 1, "jobs -1: must be at least 0"),
        (1, None, 1, "job is null"),
        (1, Some(fail as _), 0, "streams 0: must be at least 1"),
    ] {
        config.streams = streams;
        let code = unsafe { icicle_group_map(handle(group), jobs, job, null_mut(), &config, null_mut()) };
        assert_ne!(code, Code::Success);
        let text = message();
        assert!(text.contains(wanted), "{text}");
    }
    config.struct_size = 8;
    let code = unsafe { icicle_group_map(handle(group), 1, Some(fail), null_mut(), &config, null_mut()) };
    assert_eq!(code, Code::InvalidArgument);
    assert!(message().contains("config.struct_size 8: must be the size of the struct"));
    assert_eq!(
        unsafe { icicle_group_map(handle(group), 1, Some(fail), null_mut(), null(), null_mut()) },
        Code::InvalidPointer
    );
    assert_eq!(icicle_group_destroy(handle(group)), Code::Success);
}

#[test]
fn groups_that_cannot_be_are_refused() {
    let mut made = null_mut();
    let _ = group();
    for (devices, count, shares, code, wanted) in [
        ([cpu(0), cpu(0)], 2, null(), Code::InvalidArgument, "cpu:0 is named twice"),
        ([cpu(0), cpu(1)], 0, null(), Code::InvalidArgument, "count 0: must be at least 1"),
        ([cpu(0), cpu(-1)], 2, null(), Code::InvalidDevice, "id -1: must be at least 0"),
        ([cpu(0), cpu(63)], 2, null(), Code::InvalidDevice, "cpu:63"),
        ([cpu(0), cpu(1)], 2, [0.0, 0.0].as_ptr(), Code::InvalidArgument, "shares: must not all be zero"),
    ] {
        assert_eq!(unsafe { icicle_group_create(devices.as_ptr(), count, shares, &mut made) }, code);
        let text = message();
        assert!(text.contains(wanted), "{text}");
    }
    assert_eq!(unsafe { icicle_group_create(null(), 1, null(), &mut made) }, Code::InvalidPointer);
    assert_eq!(unsafe { icicle_group_create([cpu(0)].as_ptr(), 1, null(), null_mut()) }, Code::InvalidPointer);
    assert!(made.is_null());
    assert_eq!(icicle_group_destroy(null_mut()), Code::Success);
    assert_eq!(icicle_sharded_free(null_mut()), Code::Success);
}
