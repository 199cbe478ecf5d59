//! Buffers and their views: lengths, bytes, and what they give back.

use super::*;

#[test]
fn buffers_of_every_length_give_their_memory_back() {
    let _turn = turn();
    let held = || memory_stats(D[1]).map(|stats| (stats.used, stats.allocations)).unwrap();
    let before = held();
    for len in 0..10 {
        let buffers = (Buffer::<u8>::on(D[1], len).unwrap(), Buffer::<u64>::on(D[1], len).unwrap());
        let allocations = if len == 0 { 0 } else { 2 };
        assert_eq!(held(), (before.0 + 9 * len as u64, before.1 + allocations), "{len} elements");
        drop(buffers);
        assert_eq!(held(), before, "{len} elements");
    }
}

#[test]
fn fills_and_zeros_reach_every_byte() {
    let _turn = turn();
    let mut buffer = Buffer::<u32>::on(D[1], 100).unwrap();
    buffer.fill(0xa5).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [0xa5a5_a5a5; 100]);
    drop(buffer);
    // The memory of before, perhaps.
    assert_eq!(Buffer::<u32>::zeroed_on(D[1], 100).unwrap().to_vec().unwrap(), [0; 100]);
    let mut buffer = Buffer::from_slice_on(D[1], &[1u16, 2, 3, 4]).unwrap();
    buffer.slice_mut(1..3).unwrap().fill(0xff).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [1, 0xffff, 0xffff, 4]);
}

#[test]
fn lengths_are_told() {
    let _turn = turn();
    for len in [0usize, 1, 7] {
        let mut buffer = Buffer::<u32>::on(D[1], len).unwrap();
        let told = (len, len == 0, 4 * len);
        assert_eq!((buffer.len(), buffer.is_empty(), buffer.bytes()), told);
        let view = buffer.view();
        assert_eq!((view.len(), view.is_empty(), view.bytes()), told);
        let view = buffer.view_mut();
        assert_eq!((view.len(), view.is_empty(), view.bytes()), told);
    }
}

#[test]
fn page_locked_memory_is_refused_by_name() {
    let _turn = turn();
    let error = PinnedBuffer::<u8>::on(D[1], isize::MAX as usize).unwrap_err();
    assert_eq!((error.code, error.op), (Code::AllocationFailed, "host_alloc"));
}
