//! SAFETY of every block here: addresses are of buffers that live to the end of their test, with as many bytes, and work on
//! them is waited for; handles are made here, or invented to be refused by the backend's table.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // handles of a backend, made here or refused by its table
use super::*;
use icicle_device::{Device, Dst, Place, Src};
use icicle_error::ErrorCode as Code;
use icicle_error::Result;

const CPU: Device = Device::cpu(0);

fn code<T: std::fmt::Debug>(result: Result<T>) -> Code {
    result.unwrap_err().code
}

fn src<'a>(ptr: *const u8, bytes: usize, flagged: bool) -> Result<Src<'a>> {
    // SAFETY: the tests look at the place and the error only.
    unsafe { Src::locate("test", "input", ptr, bytes, flagged) }
}

#[test]
fn located_memory_is_checked() {
    let buffer = Buffer::<u32>::zeroed(16).unwrap();
    let host = [0u32; 16];
    let (device_ptr, host_ptr) = (buffer.as_ptr(), host.as_ptr().cast::<u8>());
    for flagged in [false, true] {
        assert_eq!(src(device_ptr, 64, flagged).unwrap().place(), Place::Device(CPU));
        assert_eq!(src(device_ptr.wrapping_add(60), 4, flagged).unwrap().place(), Place::Device(CPU));
        for (ptr, bytes) in [(device_ptr, 65), (device_ptr.wrapping_add(4), 64), (std::ptr::null(), 4)] {
            assert_eq!(code(src(ptr, bytes, flagged)), Code::InvalidPointer);
        }
        assert_eq!(code(src(device_ptr.wrapping_add(2), 4, flagged)), Code::InvalidPointer, "not aligned");
        for ptr in [std::ptr::null(), device_ptr.wrapping_add(1), device_ptr.wrapping_add(64)] {
            assert_eq!(src(ptr, 0, flagged).unwrap().bytes(), 0, "zero bytes may lie anywhere");
        }
        assert_eq!(code(src(host_ptr, usize::MAX, flagged)), Code::InvalidPointer);
        assert_eq!(code(src(host_ptr, isize::MAX as usize + 1, flagged)), Code::InvalidPointer);
    }
    assert_eq!(src(host_ptr, 64, false).unwrap().place(), Place::Host);
    let error = src(host_ptr, 64, true).unwrap_err();
    assert!(error.code == Code::InvalidPointer && error.detail.contains("said to be device memory"), "{error}");
    let before = device_ptr.wrapping_sub(4);
    let error = src(before, 8, false).unwrap_err();
    assert!(error.code == Code::InvalidPointer && error.detail.contains("runs into"), "{error}");
    assert_eq!(src(before, 4, false).unwrap().place(), Place::Host, "the range ends where the allocation starts");
    // SAFETY: as in `src`.
    let dst = unsafe { Dst::locate("test", "output", device_ptr.cast_mut(), 65, true) };
    assert!(dst.unwrap_err().detail.starts_with("output of 65 bytes"));
}

#[test]
fn freed_memory_is_known_to_be_freed() {
    // A size no other test uses: its block is not handed to one of them meanwhile.
    let ptr = malloc(12_345, None).unwrap();
    let inside = ptr.wrapping_add(4);
    let free = |ptr| {
        // SAFETY: the tests do not use the memory again; wrong addresses are refused.
        unsafe { free(ptr, None) }
    };
    let error = free(inside).unwrap_err();
    assert!(error.code == Code::InvalidDevice && error.detail.contains("lies 4 bytes into"), "{error}");
    assert_eq!(
        pointer_info(inside),
        PointerInfo { place: Place::Device(CPU), base: ptr.addr(), bytes: 12_345, offset: 4, pinned: false }
    );
    free(ptr).unwrap();
    let error = free(ptr).unwrap_err();
    assert!(error.code == Code::InvalidDevice && error.detail.contains("freed already"), "{error}");
    assert_eq!(code(src(ptr, 4, true)), Code::InvalidPointer);
    let mut local = 0u64;
    assert_eq!(code(free((&raw mut local).cast())), Code::InvalidDevice);
    free(std::ptr::null_mut()).unwrap();
    assert!(malloc(0, None).unwrap().is_null());
}

#[test]
fn pinned_memory_is_host_memory_and_registered() {
    let mut pinned = PinnedBuffer::<u64>::new(10).unwrap();
    assert!(pinned.iter().all(|&x| x == 0));
    pinned[3] = 7;
    let ptr = pinned.as_ptr().cast::<u8>();
    let info = pointer_info(ptr.wrapping_add(24));
    assert_eq!(info, PointerInfo { place: Place::Host, base: ptr.addr(), bytes: 80, offset: 24, pinned: true });
    assert_eq!(src(ptr, 80, false).unwrap().place(), Place::Host);
    assert_eq!(code(src(ptr, 80, true)), Code::InvalidPointer);
    assert_eq!(code(src(ptr, 84, false)), Code::InvalidPointer, "past its end");
    // SAFETY: refused, not freed.
    let error = unsafe { free(ptr.cast_mut(), None) }.unwrap_err();
    assert!(error.code == Code::InvalidDevice && error.detail.contains("page-locked"), "{error}");
    let mut buffer = Buffer::<u64>::new(10).unwrap();
    transfer((&mut buffer).into(), (&pinned).into()).unwrap();
    let moved = std::thread::spawn(move || {
        pinned.fill(1);
        pinned
    });
    let mut pinned = moved.join().unwrap();
    assert_eq!(pinned[9], 1);
    transfer((&mut pinned).into(), (&buffer).into()).unwrap();
    assert_eq!(&pinned[..5], [0, 0, 0, 7, 0]);
    let ptr = pinned.as_ptr().cast::<u8>();
    drop(pinned);
    assert!(!pointer_info(ptr).pinned);
    assert!(PinnedBuffer::<u64>::new(0).unwrap().is_empty());
    assert_eq!(PinnedBuffer::from_slice(&[1u8, 2]).unwrap()[..], [1, 2]);
    assert_eq!(code(PinnedBuffer::<u64>::new(usize::MAX)), Code::InvalidArgument);
}

#[test]
fn views_cover_their_range_only() {
    let mut buffer = Buffer::from_slice(&(0..10u32).collect::<Vec<_>>()).unwrap();
    assert_eq!(buffer.slice(2..5).unwrap().to_vec().unwrap(), [2, 3, 4]);
    assert_eq!(buffer.slice(..=1).unwrap().slice(1..).unwrap().to_vec().unwrap(), [1]);
    assert!(buffer.slice(10..).unwrap().is_empty());
    let backwards = std::ops::Range { start: 3, end: 2 };
    for result in [buffer.slice(..11), buffer.slice(11..), buffer.slice(backwards), buffer.slice(..=usize::MAX)] {
        assert_eq!(code(result), Code::InvalidArgument);
    }
    assert_eq!(code(buffer.slice(2..5).unwrap().slice(..4)), Code::InvalidArgument);
    let other = Buffer::from_slice(&[70u32, 80]).unwrap();
    buffer.slice_mut(7..9).unwrap().copy_from(other.view()).unwrap();
    buffer.slice_mut(..1).unwrap().copy_from_slice(&[9]).unwrap();
    let (mut low, high) = buffer.slice_mut(2..6).unwrap().split_at(1).unwrap();
    low.fill(0xff).unwrap();
    transfer(low.into(), high.as_view().slice(2..).unwrap().into()).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [9, 1, 5, 3, 4, 5, 6, 70, 80, 9]);
    assert_eq!(code(buffer.slice_mut(..3).unwrap().copy_from(other.view())), Code::InvalidArgument);
    assert_eq!(code(buffer.view_mut().split_at(11)), Code::InvalidArgument);
    let source = Src::from(buffer.slice(1..3).unwrap());
    assert_eq!((source.as_ptr(), source.bytes()), (buffer.as_ptr().wrapping_add(4), 8));
    let parts = buffer.view_mut().split_at(5).unwrap();
    std::thread::scope(|scope| {
        for (mut part, byte) in [(parts.0, 1), (parts.1, 2)] {
            scope.spawn(move || part.fill(byte).unwrap());
        }
    });
    assert_eq!(buffer.to_vec().unwrap(), [[0x01010101; 5], [0x02020202; 5]].concat());
}

#[test]
fn buffers_copy_and_check_lengths() {
    let mut a = Buffer::<u32>::zeroed(3).unwrap();
    assert_eq!(a.to_vec().unwrap(), [0; 3]);
    let b = Buffer::from_slice(&[1, 2, 3]).unwrap();
    a.copy_from(&b).unwrap();
    assert_eq!(a.to_vec().unwrap(), [1, 2, 3]);
    assert_eq!(code(a.copy_from(&Buffer::new(2).unwrap())), Code::InvalidArgument);
    assert_eq!(code(a.copy_from_slice(&[1])), Code::InvalidArgument);
    assert_eq!(code(a.copy_to_slice(&mut [1])), Code::InvalidArgument);
    assert_eq!(code(transfer((&mut a).into(), (&[1u32][..]).into())), Code::InvalidArgument);
    assert!(Buffer::<u32>::from_slice(&[]).unwrap().to_vec().unwrap().is_empty());
    assert_eq!(code(Buffer::<u32>::on(Device::cpu(64), 0)), Code::InvalidDevice);
    assert_eq!(code(Buffer::<u64>::new(usize::MAX / 2)), Code::InvalidArgument);
    let uninitialised = Buffer::<u32>::new(5).unwrap().to_vec().unwrap();
    assert_eq!(uninitialised.len(), 5, "reading before writing is defined");
}

#[test]
fn raw_copies_find_their_direction() {
    let launch = Launch::default();
    // SAFETY: host ranges below are valid for the bytes given, and the copies are done on return.
    let copy = |dst: *mut u8, src: *const u8, bytes| unsafe { copy(dst, src, bytes, &launch) };
    let mut device = Buffer::from_slice(&[1u8, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    let mut host = [0u8; 8];
    let (d, h) = (device.as_mut_ptr(), host.as_mut_ptr());
    copy(h, d.wrapping_add(3), 5).unwrap();
    copy(d, h, 2).unwrap();
    copy(d.wrapping_add(4), d, 4).unwrap();
    copy(h.wrapping_add(1), h, 7).unwrap();
    copy(std::ptr::null_mut(), std::ptr::null(), 0).unwrap();
    copy(d, d, 8).unwrap();
    for (dst, src, bytes, part) in [
        (std::ptr::null_mut(), d, 4, "destination of 4 bytes is null"),
        (d, std::ptr::null_mut(), 4, "source of 4 bytes is null"),
        (d.wrapping_add(4), h, 5, "destination of 5 bytes"),
        (h, d.wrapping_add(1), 8, "source of 8 bytes"),
    ] {
        let error = copy(dst, src, bytes).unwrap_err();
        assert!(error.code == Code::InvalidPointer && error.detail.starts_with(part), "{error}");
    }
    assert_eq!(code(copy(d.wrapping_add(1), d, 4)), Code::InvalidArgument, "overlap in part");
    assert_eq!(device.to_vec().unwrap(), [4, 5, 3, 4, 4, 5, 3, 4]);
    assert_eq!(host, [4, 4, 5, 6, 7, 8, 0, 0]);
}

#[test]
fn raw_fills_take_device_memory_only() {
    let launch = Launch::default();
    let mut device = Buffer::<u8>::zeroed(8).unwrap();
    let mut host = [0u8; 8];
    // SAFETY: the table tells device memory; everything else is refused.
    let fill = |ptr, bytes| unsafe { fill(ptr, 9, bytes, &launch) };
    fill(device.as_mut_ptr().wrapping_add(2), 3).unwrap();
    assert_eq!(device.to_vec().unwrap(), [0, 0, 9, 9, 9, 0, 0, 0]);
    fill(std::ptr::null_mut(), 0).unwrap();
    assert_eq!(code(fill(std::ptr::null_mut(), 1)), Code::InvalidPointer);
    assert_eq!(code(fill(host.as_mut_ptr(), 8)), Code::InvalidPointer);
    assert_eq!(code(fill(device.as_mut_ptr(), 9)), Code::InvalidPointer);
    assert_eq!(host, [0; 8]);
}

#[test]
fn events_order_streams() {
    let stream = Stream::new().unwrap();
    let (start, end) = (Event::on(CPU, true).unwrap(), Event::on(CPU, true).unwrap());
    assert_eq!(code(start.elapsed_ms(&end)), Code::InvalidArgument, "never recorded");
    start.record(&stream).unwrap();
    stream.wait(&start).unwrap();
    end.record(&stream).unwrap();
    assert!(end.query().unwrap());
    end.synchronize().unwrap();
    assert!(start.elapsed_ms(&end).unwrap() >= 0.0);
    let silent = Event::new().unwrap();
    silent.record(&stream).unwrap();
    assert_eq!(code(start.elapsed_ms(&silent)), Code::InvalidArgument, "no timing");
    let (device, raw) = (end.device(), end.raw());
    drop(end);
    assert_eq!(
        code(unsafe { registry::backend(device).unwrap().event_query(device.index, raw) }),
        Code::InvalidArgument
    );
    assert_eq!(code(Event::on(Device::cpu(64), false)), Code::InvalidDevice);
}
