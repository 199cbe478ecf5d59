//! SAFETY of every block here: addresses are of buffers that live to the end of their test, with as many bytes, and work on
//! them is waited for; handles are made here, or invented to be refused by the backend's table.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // handles of a backend, made here or refused by its table
use super::*;
use icicle_error::ErrorCode as Code;

fn code<T: std::fmt::Debug>(result: Result<T>) -> Code {
    result.unwrap_err().code
}

#[test]
fn devices_account_for_themselves() {
    let cpu = CpuBackend::new(Ok(3), Some("8K"));
    assert_eq!(cpu.count(), 3);
    let ptr = unsafe { cpu.alloc(1, 5000, 0) }.unwrap();
    let stats = cpu.memory(1).unwrap();
    assert_eq!((stats.used, stats.allocations, stats.limit), (5000, 1, Some(8192)));
    assert!(stats.free <= 8192 - 5000, "the limit bounds what is free: {stats:?}");
    assert_eq!(cpu.memory(0).unwrap().used, 0);
    assert_eq!(code(unsafe { cpu.alloc(1, 4000, 0) }), Code::OutOfMemory);
    let other = unsafe { cpu.alloc(2, 4000, 0) }.unwrap();
    // SAFETY: allocated above, freed once.
    unsafe { cpu.free(1, ptr, 5000, 0) }.unwrap();
    // SAFETY: as above.
    unsafe { cpu.free(2, other, 4000, 0) }.unwrap();
    let stats = cpu.memory(1).unwrap();
    assert_eq!((stats.used, stats.high_water, stats.allocations), (0, 5000, 0));
    cpu.trim(1, 0).unwrap();
    assert_eq!(cpu.memory(1).unwrap().reserved, 0);
    for result in [cpu.memory(3).map(|_| ()), cpu.set_limit(3, None), cpu.trim(3, 0), cpu.synchronize(3)] {
        assert_eq!(code(result), Code::InvalidDevice);
    }
}

#[test]
fn an_unreadable_number_of_devices_leaves_none_and_says_why() {
    for (text, count) in [("1", 1), (" 7 ", 7), ("64", 64)] {
        assert_eq!(device_count(text), Ok(count));
    }
    for text in ["banana", "0", "-3", "65", "", "1.5", "4294967297"] {
        let why = format!("ICICLE_CPU_DEVICES {text:?}: must be a number from 1 to 64");
        assert_eq!(device_count(text), Err(why.clone()));
        let cpu = CpuBackend::new(device_count(text), None);
        assert_eq!((cpu.count(), cpu.unavailable()), (0, Some(why)));
    }
}

#[test]
fn an_unreadable_limit_is_not_ignored() {
    let cpu = CpuBackend::new(Ok(1), Some("lots"));
    let error = unsafe { cpu.alloc(0, 64, 0) }.unwrap_err();
    assert_eq!(error.code, Code::InvalidArgument);
    assert!(error.detail.contains("ICICLE_MEMORY_LIMIT \"lots\""), "{error}");
    cpu.set_limit(0, Some(64)).unwrap();
    let ptr = unsafe { cpu.alloc(0, 64, 0) }.unwrap();
    // SAFETY: allocated above, freed once.
    unsafe { cpu.free(0, ptr, 64, 0) }.unwrap();
}

#[test]
fn impossible_sizes_fail_cleanly() {
    let cpu = CpuBackend::new(Ok(1), None);
    for bytes in [usize::MAX, usize::MAX / 2, isize::MAX as usize] {
        assert_eq!(code(unsafe { cpu.alloc(0, bytes, 0) }), Code::AllocationFailed);
        assert_eq!(code(cpu.host_alloc(bytes)), Code::AllocationFailed);
    }
    if let Some(total) = system::memory().total {
        assert_eq!(code(unsafe { cpu.alloc(0, total as usize + 1, 0) }), Code::OutOfMemory);
        assert_eq!(code(cpu.host_alloc(total as usize + 1)), Code::OutOfMemory);
    }
    assert_eq!(cpu.memory(0).unwrap().used, 0);
}

/// A backend whose host has `total` bytes, shared by one device and by what is page-locked.
fn of(total: u64) -> CpuBackend {
    let host = HostMemory::new(Some(total));
    let pools = vec![Pool::new(Device::cpu(0), host.clone(), 0, None)];
    CpuBackend { pools, host, ..CpuBackend::new(Ok(1), None) }
}

#[test]
fn page_locked_memory_comes_back() {
    let cpu = of(10_000);
    let free = |ptr, bytes| {
        // SAFETY: allocated by the callers below with this size, freed once.
        unsafe { cpu.host_free(ptr, bytes) }.unwrap()
    };
    // Many times what the host has, of sizes that are rounded up and that are not.
    for round in 0..100 {
        let bytes = if round % 2 == 0 { 4096 } else { 3900 };
        let (a, b) = (cpu.host_alloc(bytes).unwrap(), cpu.host_alloc(bytes).unwrap());
        assert_eq!(code(cpu.host_alloc(bytes)), Code::OutOfMemory, "two fit the host");
        assert_eq!(code(unsafe { cpu.alloc(0, bytes, 0) }), Code::OutOfMemory, "a device shares the host");
        free(a, bytes);
        let c = unsafe { cpu.alloc(0, bytes, 0) }.unwrap();
        assert_eq!(code(cpu.host_alloc(bytes)), Code::OutOfMemory, "round {round}");
        // SAFETY: allocated above, freed once.
        unsafe { cpu.free(0, c, bytes, 0) }.unwrap();
        free(b, bytes);
    }
    assert_eq!(code(cpu.host_alloc(10_241)), Code::OutOfMemory);
    // Nothing is held: all of the host can be had at once.
    let all = cpu.host_alloc(9_216).unwrap();
    assert_eq!(code(cpu.host_alloc(1024)), Code::OutOfMemory);
    free(all, 9_216);
    let stats = cpu.memory(0).unwrap();
    assert_eq!((stats.used, stats.reserved, stats.allocations), (0, 0, 0));
}

#[test]
fn the_host_is_described() {
    let cpu = CpuBackend::new(Ok(2), None);
    let info = cpu.info(1).unwrap();
    assert_eq!(info.device, Device::cpu(1));
    assert!(info.units > 0 && info.uses_host_memory && info.memory_regions == 0 && !info.supports_pinned);
    let stats = cpu.memory(1).unwrap();
    assert_eq!(info.total_memory.unwrap_or(0), stats.total);
    assert!(stats.free <= stats.total);
    if cfg!(target_os = "linux") {
        assert!(stats.free > 0, "{stats:?}");
    }
    if cfg!(target_arch = "x86_64") {
        assert!(info.facts.iter().any(|(name, value)| name == "avx512ifma" && (value == "yes" || value == "no")));
    }
    assert_eq!(code(cpu.info(2)), Code::InvalidDevice);
}

#[test]
fn streams_are_null_and_nothing_else_is_a_stream() {
    let cpu = CpuBackend::new(Ok(1), None);
    assert_eq!(cpu.stream_create(0).unwrap(), 0);
    unsafe { cpu.stream_destroy(0, 0) }.unwrap();
    unsafe { cpu.stream_synchronize(0, 0) }.unwrap();
    assert_eq!(code(unsafe { cpu.stream_destroy(0, 7) }), Code::StreamDestructionFailed);
    assert_eq!(code(unsafe { cpu.stream_synchronize(0, 7) }), Code::InvalidArgument);
    assert_eq!(code(unsafe { cpu.alloc(0, 64, 7) }), Code::InvalidArgument);
    assert_eq!(code(cpu.stream_create(1)), Code::InvalidDevice);
}

#[test]
fn events_measure_and_stale_ones_are_told() {
    let cpu = CpuBackend::new(Ok(2), None);
    let (start, end) = (cpu.event_create(0, true).unwrap(), cpu.event_create(0, true).unwrap());
    assert!(start != 0 && start != end);
    assert!(unsafe { cpu.event_query(0, start) }.unwrap(), "never recorded counts as done");
    assert_eq!(code(unsafe { cpu.event_elapsed_ms(0, start, end) }), Code::InvalidArgument);
    unsafe { cpu.event_record(0, start, 0) }.unwrap();
    std::thread::sleep(std::time::Duration::from_millis(5));
    unsafe { cpu.event_record(0, end, 0) }.unwrap();
    let ms = unsafe { cpu.event_elapsed_ms(0, start, end) }.unwrap();
    assert!((4.9..5000.0).contains(&ms), "{ms}");
    assert_eq!(unsafe { cpu.event_elapsed_ms(0, end, start) }.unwrap(), -ms);
    assert_eq!(unsafe { cpu.event_elapsed_ms(0, end, end) }.unwrap(), 0.0);
    unsafe { cpu.event_synchronize(0, end) }.unwrap();
    unsafe { cpu.stream_wait_event(1, 0, end) }.unwrap();

    let silent = cpu.event_create(0, false).unwrap();
    unsafe { cpu.event_record(0, silent, 0) }.unwrap();
    assert_eq!(code(unsafe { cpu.event_elapsed_ms(0, start, silent) }), Code::InvalidArgument);
    assert_eq!(code(unsafe { cpu.event_record(1, start, 0) }), Code::InvalidArgument, "of another device");
    assert_eq!(code(unsafe { cpu.event_record(0, start, 9) }), Code::InvalidArgument);
    assert_eq!(code(unsafe { cpu.event_destroy(1, start) }), Code::StreamDestructionFailed);

    unsafe { cpu.event_destroy(0, start) }.unwrap();
    assert_eq!(code(unsafe { cpu.event_destroy(0, start) }), Code::StreamDestructionFailed);
    for gone in [start, 0, usize::MAX] {
        assert_eq!(code(unsafe { cpu.event_query(0, gone) }), Code::InvalidArgument);
        assert_eq!(code(unsafe { cpu.event_record(0, gone, 0) }), Code::InvalidArgument);
        assert_eq!(code(unsafe { cpu.event_synchronize(0, gone) }), Code::InvalidArgument);
        assert_eq!(code(unsafe { cpu.stream_wait_event(0, 0, gone) }), Code::InvalidArgument);
        assert_eq!(code(unsafe { cpu.event_elapsed_ms(0, gone, end) }), Code::InvalidArgument);
    }
    assert!(cpu.event_create(0, true).unwrap() > silent, "handles are never used twice");
}
