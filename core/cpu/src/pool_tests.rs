use super::*;

fn pool(total: Option<u64>, keep: u64, limit: Option<u64>) -> Pool {
    Pool::new(Device::cpu(3), HostMemory::new(total), keep, limit)
}

fn free(pool: &Pool, ptr: NonNull<u8>, bytes: usize) {
    // SAFETY: the tests free what they allocated, once, with its size.
    unsafe { pool.free(ptr, bytes) }.unwrap();
}

#[test]
fn sizes_waste_at_most_an_eighth_and_keep_alignment() {
    let sizes = (1..2000).chain((0..61).flat_map(|k| [(1 << k) - 1, 1 << k, (1 << k) + 1])).filter(|&b| b > 0);
    for bytes in sizes {
        let size = block_size(bytes).unwrap();
        assert!(size >= bytes && size.is_multiple_of(ALIGN), "{bytes} in {size}");
        assert!(size - bytes < ALIGN || (size - bytes) * 8 <= bytes, "{bytes} wastes {}", size - bytes);
        assert_eq!(block_size(size).unwrap(), size);
    }
    for bytes in [isize::MAX as usize, usize::MAX / 2, usize::MAX - 63, usize::MAX] {
        assert_eq!(block_size(bytes).unwrap_err().code, ErrorCode::AllocationFailed);
    }
}

#[test]
fn device_memory_is_aligned_zeroed_at_first_and_reused_after() {
    let pool = pool(None, 1 << 20, None);
    for bytes in [1, 65, 129, 1000, 5000] {
        let ptr = pool.alloc(bytes).unwrap();
        assert_eq!(ptr.addr().get() % ALIGN, 0);
        // SAFETY: freshly allocated, `bytes` long.
        let memory = unsafe { std::slice::from_raw_parts_mut(ptr.as_ptr(), bytes) };
        assert!(memory.iter().all(|&b| b == 0));
        memory.fill(0xa5);
        free(&pool, ptr, bytes);
        let again = pool.alloc(bytes).unwrap();
        assert_eq!(again, ptr, "the block comes from the cache");
        free(&pool, again, bytes);
    }
}

#[test]
fn counts_follow_every_step() {
    let pool = pool(None, 4096, None);
    let a = pool.alloc(100).unwrap();
    let b = pool.alloc(1000).unwrap();
    let want = Counts { used: 1100, reserved: 128 + 1024, high_water: 1100, allocations: 2, limit: None };
    assert_eq!(pool.counts(), want);
    free(&pool, a, 100);
    assert_eq!(pool.counts(), Counts { used: 1000, allocations: 1, ..want });
    free(&pool, b, 1000);
    assert_eq!(pool.counts(), Counts { used: 0, allocations: 0, ..want });
    pool.trim(1152);
    assert_eq!(pool.counts().reserved, 1152, "no more than that is there");
    pool.trim(1100);
    assert_eq!(pool.counts().reserved, 128, "the largest block goes first");
    pool.trim(0);
    assert_eq!(pool.counts(), Counts { high_water: 1100, ..Counts::default() });
    assert_eq!(pool.host.reserved.load(Ordering::Relaxed), 0);
}

#[test]
fn the_cache_is_bounded_and_prefers_the_size_in_use() {
    let pool = pool(None, 1024, None);
    let blocks: Vec<_> = (0..8).map(|_| pool.alloc(256).unwrap()).collect();
    blocks.into_iter().for_each(|ptr| free(&pool, ptr, 256));
    assert_eq!(pool.counts().reserved, 1024);
    let other = pool.alloc(512).unwrap();
    free(&pool, other, 512);
    assert_eq!(pool.counts().reserved, 1024);
    assert_eq!(pool.alloc(512).unwrap(), other, "two old blocks gave way");
    free(&pool, other, 512);
    let large = pool.alloc(2000).unwrap();
    free(&pool, large, 2000);
    assert_eq!(pool.counts().reserved, 1024, "a block the cache cannot hold evicts nothing");
}

#[test]
fn cached_blocks_stay_where_the_limit_is_just_reached() {
    let pool = pool(None, 1 << 20, Some(512));
    let small = pool.alloc(128).unwrap();
    free(&pool, small, 128);
    let large = pool.alloc(384).unwrap();
    assert_eq!(pool.counts().reserved, 512);
    free(&pool, large, 384);
}

#[test]
fn the_limit_is_hard_and_its_error_tells_the_pools_state() {
    let pool = pool(None, 1 << 20, Some(1000));
    let a = pool.alloc(600).unwrap();
    let error = pool.alloc(401).unwrap_err();
    assert_eq!(error.code, ErrorCode::OutOfMemory);
    for part in ["size 401", "cpu:3", "used 600", "reserved 640", "limit 1000"] {
        assert!(error.detail.contains(part), "{error} lacks {part}");
    }
    assert_eq!((pool.counts().used, pool.counts().allocations), (600, 1));
    let b = pool.alloc(400).unwrap();
    free(&pool, a, 600);
    free(&pool, b, 400);
    assert!(pool.counts().reserved <= 1000, "the cache keeps within the limit: {:?}", pool.counts());
    let c = pool.alloc(1000).unwrap();
    assert_eq!(pool.counts().reserved, 1024, "cached blocks gave way");
    pool.set_limit(Some(10));
    assert_eq!(pool.alloc(1).unwrap_err().code, ErrorCode::OutOfMemory);
    pool.set_limit(None);
    let d = pool.alloc(1).unwrap();
    free(&pool, c, 1000);
    free(&pool, d, 1);
    assert_eq!(pool.counts().used, 0);
}

#[test]
fn more_than_the_host_has_is_refused_over_all_devices() {
    let host = HostMemory::new(Some(10_000));
    let pools = [0, 1].map(|i| Pool::new(Device::cpu(i), host.clone(), 1 << 20, None));
    let before = pools[0].counts();
    let error = pools[0].alloc(1 << 40).unwrap_err();
    assert_eq!(error.code, ErrorCode::OutOfMemory);
    assert!(error.detail.contains("host 10000"), "{error}");
    assert_eq!(pools[0].counts(), before, "a refusal leaves no trace");
    let a = pools[0].alloc(6000).unwrap();
    assert_eq!(pools[1].alloc(6000).unwrap_err().code, ErrorCode::OutOfMemory);
    free(&pools[0], a, 6000);
    pools[0].trim(0);
    let b = pools[1].alloc(6000).unwrap();
    free(&pools[1], b, 6000);
    let c = pools[1].alloc(8000).unwrap();
    free(&pools[1], c, 8000);
    assert_eq!(pools[1].counts().reserved, 8192, "the own cache gave way to a larger block");
}

#[test]
fn the_host_counts_what_it_gives_and_takes_back() {
    let host = HostMemory::new(Some(1000));
    let held = || host.reserved.load(Ordering::Relaxed);
    for _ in 0..50 {
        let (a, b) = (host.allocate(512).unwrap(), host.allocate(488).unwrap());
        assert_eq!(held(), 1000, "exactly what there is");
        assert!(host.allocate(1).is_none(), "and not a byte more");
        // SAFETY: of these sizes, once each.
        unsafe { host.release(a, 512) };
        assert_eq!(held(), 488);
        // SAFETY: as above.
        unsafe { host.release(b, 488) };
        assert_eq!(held(), 0);
    }
    assert!(host.allocate(1001).is_none() && held() == 0, "a refusal is not counted");
}

#[test]
fn threads_share_a_pool() {
    let pool = pool(None, 4096, None);
    let rounds = if cfg!(miri) { 10 } else { 2000 };
    std::thread::scope(|scope| {
        for t in 0..4usize {
            let pool = &pool;
            scope.spawn(move || {
                for i in 0..rounds {
                    let bytes = 1 + (i * 37 + t * 11) % 900;
                    let ptr = pool.alloc(bytes).unwrap();
                    // SAFETY: just allocated, `bytes` long.
                    unsafe { ptr.as_ptr().write_bytes(t as u8, bytes) };
                    // SAFETY: as above.
                    let last = unsafe { ptr.as_ptr().add(bytes - 1).read() };
                    assert_eq!(last, t as u8);
                    free(pool, ptr, bytes);
                }
            });
        }
    });
    let counts = pool.counts();
    assert_eq!((counts.used, counts.allocations), (0, 0));
    assert!(counts.reserved <= 4096 && counts.high_water > 0);
}
