//! Vectors over a group, and operations on them.
//!
//! A vector's elements lie on the devices of a group, and it is used with a group of the same devices. It is made with
//! [`icicle_sharded_create`] and freed with [`icicle_sharded_free`]. Several calls may read one at once; a call that writes
//! one waits until the others are done.

use crate::code::Code;
use crate::group;
use crate::guard::guard;
use crate::handle::Table;
use crate::ptr;
use crate::types;
use icicle::device::Layout;
use icicle::device::SharedVector;
use icicle::{Error, Result, Sharded};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

static VECTORS: Table<SharedVector> = Table::new("sharded vector");

/// The vector of a handle.
pub(crate) fn by_handle(op: &'static str, vector: *mut c_void) -> Result<Arc<SharedVector>> {
    VECTORS.get(op, vector)
}

fn layout(op: &'static str, number: c_int) -> Result<Layout> {
    let found = Layout::ALL.into_iter().find(|&layout| layout as c_int == number);
    found.ok_or_else(|| {
        Error::argument(op, format!("layout {number}: must be 0 (blocks), 1 (cyclic) or 2 (replicated)"))
    })
}

/// Make a vector of `size` elements of `element_bytes` bytes over a group, its memory uninitialised. Free it with
/// `icicle_sharded_free`, before or after the group.
///
/// `layout` is 0 for blocks: consecutive elements, one block a device, as long as its share says (a power of two of at least
/// 4,096 elements in whole 64ths); 1 for cyclic: element `i` on device `i` modulo their number; 2 for replicated: every
/// element on every device.
///
/// Errors: `INVALID_POINTER` if `group` is no live group or `vector` is null or misaligned; `INVALID_ARGUMENT` if `size` is
/// negative, `element_bytes` is 0, the size exceeds the address space, or `layout` is none; `OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_create(
    group: *mut c_void,
    size: i64,
    element_bytes: u64,
    layout: c_int,
    vector: *mut *mut c_void,
) -> Code {
    let op = "sharded_create";
    guard(op, || {
        ptr::check_typed(op, "vector", vector)?;
        let group = group::by_handle(op, group)?;
        let (n, bytes) = (types::count(op, "size", size)?, types::size(op, "element_bytes", element_bytes)?);
        let made = Sharded::new(&group, n, bytes, self::layout(op, layout)?)?;
        // SAFETY: `vector` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "vector", vector, VECTORS.insert(SharedVector::new(made))) }
    })
}

/// Free a vector; null is ignored. Calls that use it meanwhile are done first.
///
/// Errors: `INVALID_POINTER` for a handle that is no sharded vector.
#[unsafe(no_mangle)]
pub extern "C" fn icicle_sharded_free(vector: *mut c_void) -> Code {
    let op = "sharded_free";
    guard(op, || VECTORS.free(op, vector))
}

/// A vector's number of elements, bytes of each, and layout, as `icicle_sharded_create` takes them.
///
/// Errors: `INVALID_POINTER` if `vector` is no live one, or an output is null or misaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_info(
    vector: *mut c_void,
    size: *mut i64,
    element_bytes: *mut u64,
    layout: *mut c_int,
) -> Code {
    let op = "sharded_info";
    guard(op, || {
        ptr::check_typed(op, "size", size)?;
        ptr::check_typed(op, "element_bytes", element_bytes)?;
        ptr::check_typed(op, "layout", layout)?;
        let vector = by_handle(op, vector)?;
        let vector = vector.read();
        // SAFETY: `size` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "size", size, vector.len() as i64) }?;
        // SAFETY: `element_bytes` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "element_bytes", element_bytes, vector.element_bytes() as u64) }?;
        // SAFETY: `layout` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "layout", layout, vector.layout() as c_int) }
    })
}

/// What the device at a position holds: its address there, and the elements `first` to `first + count` (in cyclic layout
/// `first` is 0). The memory is the vector's: it must not be freed, nor used after the vector is.
///
/// Errors: `INVALID_POINTER` if `vector` is no live one, or an output is null or misaligned; `INVALID_ARGUMENT` if there is no
/// such position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_part(
    vector: *mut c_void,
    position: i32,
    address: *mut *mut c_void,
    first: *mut i64,
    count: *mut i64,
) -> Code {
    let op = "sharded_part";
    guard(op, || {
        ptr::check_typed(op, "address", address)?;
        ptr::check_typed(op, "first", first)?;
        ptr::check_typed(op, "count", count)?;
        let (vector, position) = (by_handle(op, vector)?, types::at_least(op, "position", position, 0)?);
        let vector = vector.read();
        let none = || Error::argument(op, format!("position {position}: the vector lies on {}", vector.parts().len()));
        let (part, range) = vector.parts().get(position).zip(vector.ranges().get(position)).ok_or_else(none)?;
        // SAFETY: `address` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "address", address, part.as_ptr().cast_mut().cast()) }?;
        // SAFETY: `first` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "first", first, range.start as i64) }?;
        // SAFETY: `count` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "count", count, range.len() as i64) }
    })
}

/// Copy a whole vector in from host memory or memory of one device: `size·element_bytes` bytes. Each device's thread copies
/// its part.
///
/// Errors: `INVALID_POINTER` if `group` or `vector` is no live one, or `source` is null or misaligned; `INVALID_ARGUMENT` if
/// the group has other devices; `COPY_FAILED`; `OUT_OF_MEMORY` of the host.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_scatter(
    group: *mut c_void,
    source: *const c_void,
    vector: *mut c_void,
) -> Code {
    let op = "sharded_scatter";
    guard(op, || {
        let (group, vector) = (group::by_handle(op, group)?, by_handle(op, vector)?);
        let mut vector = vector.write();
        // SAFETY: `source` holds that many elements until the work is done, by the caller's promise.
        let source = unsafe { ptr::src(op, "source", source, (vector.len(), vector.element_bytes()), 0) }?;
        vector.scatter(&group, source)
    })
}

/// Copy a whole vector out to host memory or memory of one device; otherwise as `icicle_sharded_scatter`.
///
/// Errors: as `icicle_sharded_scatter`, of `destination`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_gather(
    group: *mut c_void,
    vector: *mut c_void,
    destination: *mut c_void,
) -> Code {
    let op = "sharded_gather";
    guard(op, || {
        let (group, vector) = (group::by_handle(op, group)?, by_handle(op, vector)?);
        let vector = vector.read();
        let extent = (vector.len(), vector.element_bytes());
        // SAFETY: `destination` has room for that many, for this call alone, by the caller's promise.
        let destination = unsafe { ptr::dst(op, "destination", destination, extent, 0) }?;
        vector.gather(&group, destination)
    })
}

/// A copy of a vector in another layout; free it as well. Blocks and copies of the whole go from device to device, what
/// changes between blocks and cyclic places goes over the host.
///
/// Errors: as `icicle_sharded_create`; `INVALID_POINTER` also if `vector` is no live one, `INVALID_ARGUMENT` also if the group
/// has other devices; `COPY_FAILED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn icicle_sharded_reshard(
    group: *mut c_void,
    vector: *mut c_void,
    layout: c_int,
    made: *mut *mut c_void,
) -> Code {
    let op = "sharded_reshard";
    guard(op, || {
        ptr::check_typed(op, "made", made)?;
        let (group, vector) = (group::by_handle(op, group)?, by_handle(op, vector)?);
        let new = vector.read().reshard(&group, self::layout(op, layout)?)?;
        // SAFETY: `made` has room for what is written, by the caller's promise.
        unsafe { ptr::write(op, "made", made, VECTORS.insert(SharedVector::new(new))) }
    })
}
