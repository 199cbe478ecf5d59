//! The only place that dereferences foreign pointers. Null and misaligned ones are errors; the rest is the caller's
//! promise, which is why every function here is `unsafe`.
//!
//! Elements are aligned to 4 bytes, also where a C++ client aligns them to 8; structs as C aligns them.

use bytemuck::Pod;
use icicle::device::{self, DeviceKind, Dst, Launch, Place, Src, StreamRef};
use icicle::reserve::with_capacity;
use icicle::{Error, Result};
use std::ffi::{CStr, c_char, c_void};

/// Alignment of field elements and points.
pub(crate) const ELEMENT: usize = 4;

/// A type of which every bit pattern is a value, padding aside.
///
/// # Safety
/// As the sentence above.
pub(crate) unsafe trait Plain: Copy {}

macro_rules! every_bit_pattern_is_a_value {
    ($($ty:ty)*) => {$(
        // SAFETY: numbers and raw pointers take every bit pattern.
        unsafe impl Plain for $ty {}
    )*};
}
every_bit_pattern_is_a_value! { u8 u16 u32 u64 usize i8 i32 i64 f64 *const c_void *mut c_void }
// SAFETY: as its elements.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// Structs of which every field is plain, which the compiler sees: all fields are named, and nothing else.
macro_rules! plain {
    ($($ty:ident $(<$n:ident>)? { $($field:ident),+ $(,)? })+) => {$(const _: () = {
        #[allow(dead_code)] // is compiled, and so checked
        fn fields$(<const $n: usize>)?(value: $ty$(<$n>)?) {
            fn is<T: $crate::ptr::Plain>(_: T) {}
            let $ty { $($field),+ } = value;
            $(is($field);)+
        }
        // SAFETY: every bit pattern of each field is a value, as the function above says.
        unsafe impl$(<const $n: usize>)? $crate::ptr::Plain for $ty$(<$n>)? {}
    };)+};
}
pub(crate) use plain;

/// Check a pointer before it is used; the address is all that is looked at.
pub(crate) fn check<T>(op: &'static str, arg: &str, ptr: *const T, align: usize) -> Result<()> {
    if ptr.is_null() {
        return Err(Error::pointer(op, format!("{arg} is null")));
    }
    if !ptr.addr().is_multiple_of(align) {
        return Err(Error::pointer(op, format!("{arg} {ptr:?}: must be aligned to {align} bytes")));
    }
    Ok(())
}

/// Check a pointer to a value of its type.
pub(crate) fn check_typed<T>(op: &'static str, arg: &str, ptr: *const T) -> Result<()> {
    check(op, arg, ptr, align_of::<T>())
}

/// The product of sizes in elements, or an error naming the argument.
pub(crate) fn extent(op: &'static str, arg: &str, factors: &[usize]) -> Result<usize> {
    let product = factors.iter().try_fold(1usize, |product, &factor| product.checked_mul(factor));
    product
        .filter(|&bytes| bytes <= isize::MAX as usize)
        .ok_or_else(|| Error::argument(op, format!("{arg} of {factors:?} bytes: exceeds the address space")))
}

/// Copy a struct in.
///
/// # Safety
/// If not null and aligned, `ptr` is valid for a read of `T`.
pub(crate) unsafe fn read<T: Plain>(op: &'static str, arg: &str, ptr: *const T) -> Result<T> {
    check_typed(op, arg, ptr)?;
    // SAFETY: not null, aligned, readable by the caller's promise; every bit pattern is a `T`.
    Ok(unsafe { ptr.read() })
}

/// Copy `n` values in.
///
/// # Safety
/// If not null and aligned, `ptr` is valid for reads of `n` values.
pub(crate) unsafe fn read_many<T: Plain>(op: &'static str, arg: &str, ptr: *const T, n: usize) -> Result<Vec<T>> {
    extent(op, arg, &[n, size_of::<T>()])?;
    if n == 0 {
        return Ok(Vec::new());
    }
    check_typed(op, arg, ptr)?;
    let mut copy = with_capacity(op, n)?;
    // SAFETY: not null, aligned, `n` values readable by the caller's promise, the length checked; copied at once.
    copy.extend_from_slice(unsafe { std::slice::from_raw_parts(ptr, n) });
    Ok(copy)
}

/// A struct of our own, which may grow: it begins with `struct_size`, which the caller sets to the bytes it knows.
///
/// # Safety
/// As the sentence above; `repr(C)`.
pub(crate) unsafe trait Versioned {
    /// Bytes of the first version.
    const LEAST: usize;
}

/// Structs that begin with `struct_size`, as the compiler sees, and so far have one version.
macro_rules! versioned {
    ($($ty:ident)+) => {$(
        const _: fn(&$ty) -> &usize = |value| &value.struct_size;
        const _: () = assert!(std::mem::offset_of!($ty, struct_size) == 0);
        // SAFETY: the size is a `usize` and comes first, as above; C has these structs, so that they are `repr(C)`.
        unsafe impl $crate::ptr::Versioned for $ty {
            const LEAST: usize = size_of::<Self>();
        }
    )+};
}
pub(crate) use versioned;

/// The bytes that a caller says its struct has.
///
/// # Safety
/// If not null and aligned, `ptr` is valid for a read of a `usize`.
unsafe fn struct_size<T: Versioned>(op: &'static str, arg: &str, ptr: *const T) -> Result<usize> {
    check_typed(op, arg, ptr)?;
    // SAFETY: not null, aligned, and such a struct begins with it.
    let bytes = unsafe { ptr.cast::<usize>().read() };
    if bytes < T::LEAST {
        let rule = format!("{arg}.struct_size {bytes}: must be the size of the struct, at least {}", T::LEAST);
        return Err(Error::argument(op, rule));
    }
    Ok(bytes)
}

/// Copy a struct in that may be an older or a newer one than ours: what an older one lacks is as in `default`, what a newer
/// one has beyond ours must be 0.
///
/// # Safety
/// If not null and aligned, `ptr` is valid for a read of a `usize`, and of as many bytes as that says.
pub(crate) unsafe fn read_sized<T: Versioned + Plain>(
    op: &'static str,
    arg: &str,
    ptr: *const T,
    default: T,
) -> Result<T> {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    let bytes = unsafe { struct_size(op, arg, ptr) }?;
    let mut value = default;
    // SAFETY: both have so many bytes; every bit pattern is a `T`.
    unsafe {
        std::ptr::copy_nonoverlapping(ptr.cast::<u8>(), (&raw mut value).cast::<u8>(), bytes.min(size_of::<T>()));
    }
    for at in size_of::<T>()..bytes {
        // SAFETY: within what the caller says there is.
        if unsafe { ptr.cast::<u8>().add(at).read() } != 0 {
            let rule =
                format!("{arg}: byte {at} is set, of a newer version than this library's {} bytes", size_of::<T>());
            return Err(Error::argument(op, rule));
        }
    }
    Ok(value)
}

/// As [`read_sized`], of structs that lie one after another, all of one size.
///
/// # Safety
/// As [`read_sized`], for each of `n`.
pub(crate) unsafe fn read_many_sized<T: Versioned + Plain>(
    op: &'static str,
    arg: &str,
    ptr: *const T,
    n: usize,
    default: T,
) -> Result<Vec<T>> {
    if n == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    let bytes = unsafe { struct_size(op, arg, ptr) }?;
    if !bytes.is_multiple_of(align_of::<T>()) {
        let rule =
            format!("{arg}.struct_size {bytes}: must be the size of the struct, a multiple of {}", align_of::<T>());
        return Err(Error::argument(op, rule));
    }
    let mut all = with_capacity(op, n)?;
    for i in 0..n {
        let one = ptr.wrapping_byte_add(extent(op, arg, &[i, bytes])?);
        // SAFETY: as above, for each.
        let own = unsafe { struct_size(op, arg, one) }?;
        if own != bytes {
            let rule = format!("{arg}[{i}].struct_size {own}: must be that of the first, {bytes}");
            return Err(Error::argument(op, rule));
        }
        // SAFETY: as above.
        all.push(unsafe { read_sized(op, arg, one, default) }?);
    }
    Ok(all)
}

/// Write an output whose struct may be an older or a newer one than ours; its `struct_size` is then the bytes written.
///
/// # Safety
/// If not null and aligned, `ptr` is valid for a read of a `usize`, and for a write of as many bytes as that says.
pub(crate) unsafe fn write_sized<T: Versioned>(op: &'static str, arg: &str, ptr: *mut T, value: T) -> Result<()> {
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    let bytes = unsafe { struct_size(op, arg, ptr.cast_const()) }?.min(size_of::<T>());
    // SAFETY: so many bytes of both.
    unsafe {
        std::ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), ptr.cast::<u8>(), bytes);
        ptr.cast::<usize>().write(bytes);
    }
    Ok(())
}

/// Write an output. Call [`check_typed`] before the work, this after it.
///
/// # Safety
/// If not null and aligned, `ptr` is valid for a write of `T`.
pub(crate) unsafe fn write<T>(op: &'static str, arg: &str, ptr: *mut T, value: T) -> Result<()> {
    check_typed(op, arg, ptr)?;
    // SAFETY: not null, aligned, writable by the caller's promise.
    unsafe { ptr.write(value) };
    Ok(())
}

/// Copy an element, or a point, in.
///
/// # Safety
/// If not null and aligned to 4, `ptr` is valid for a read of `T`.
pub(crate) unsafe fn read_element<T: Pod>(op: &'static str, arg: &str, ptr: *const c_void) -> Result<T> {
    check(op, arg, ptr, ELEMENT)?;
    // SAFETY: not null, readable by the caller's promise; `Pod` takes every bit pattern, alignment does not matter.
    Ok(unsafe { ptr.cast::<T>().read_unaligned() })
}

/// Write an element, or a point.
///
/// # Safety
/// If not null and aligned to 4, `ptr` is valid for a write of `T`.
pub(crate) unsafe fn write_element<T: Pod>(op: &'static str, arg: &str, ptr: *mut c_void, value: T) -> Result<()> {
    check(op, arg, ptr, ELEMENT)?;
    // SAFETY: not null, writable by the caller's promise, alignment does not matter.
    unsafe { ptr.cast::<T>().write_unaligned(value) };
    Ok(())
}

/// Write bytes.
///
/// # Safety
/// If not null, `ptr` is valid for writes of as many bytes, and apart from `bytes`.
pub(crate) unsafe fn write_bytes(op: &'static str, arg: &str, ptr: *mut c_void, bytes: &[u8]) -> Result<()> {
    if !bytes.is_empty() {
        check(op, arg, ptr, 1)?;
        // SAFETY: not null, writable by the caller's promise; `bytes` is the library's own memory.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), ptr.cast::<u8>(), bytes.len()) };
    }
    Ok(())
}

/// Copy a C string in.
///
/// # Safety
/// If not null, `ptr` is a string that ends with 0.
pub(crate) unsafe fn text(op: &'static str, arg: &str, ptr: *const c_char) -> Result<String> {
    check(op, arg, ptr, 1)?;
    // SAFETY: not null, and ends with 0 by the caller's promise; copied at once.
    let bytes = unsafe { CStr::from_ptr(ptr) };
    let text = bytes.to_str().map_err(|_| Error::argument(op, format!("{arg} {bytes:?}: must be UTF-8")))?;
    Ok(text.to_owned())
}

/// Write a C string, cut to fit `bytes` with its 0 at a character's end, and return the size needed.
///
/// # Safety
/// If not null, `ptr` is valid for writes of `bytes`.
pub(crate) unsafe fn write_text(
    op: &'static str,
    arg: &str,
    ptr: *mut c_char,
    bytes: usize,
    text: &str,
) -> Result<usize> {
    if let Some(room) = bytes.checked_sub(1) {
        check(op, arg, ptr, 1)?;
        let mut end = text.len().min(room);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        // SAFETY: `end` is below `bytes`, writable by the caller's promise; both ranges are apart.
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), ptr.cast::<u8>(), end) };
        // SAFETY: what is asked of these pointers is what this function asks of its caller.
        unsafe { ptr.add(end).write(0) };
    }
    Ok(text.len() + 1)
}

/// Memory an operation reads: `n` elements of `bytes` bytes, wherever it lies; `on_device` says the caller declares it
/// device memory.
///
/// # Safety
/// As [`Src::from_raw_parts`], for `n·bytes` bytes, if not null and aligned.
pub(crate) unsafe fn src<'a>(
    op: &'static str,
    arg: &'static str,
    ptr: *const c_void,
    (n, bytes): (usize, usize),
    on_device: u8,
) -> Result<Src<'a>> {
    let total = extent(op, arg, &[n, bytes])?;
    // SAFETY: the caller's promise, passed on.
    unsafe { Src::locate(op, arg, ptr.cast(), total, on_device != 0) }
}

/// Memory an operation writes; otherwise as [`src`].
///
/// # Safety
/// As [`Dst::from_raw_parts`], for `n·bytes` bytes, if not null and aligned.
pub(crate) unsafe fn dst<'a>(
    op: &'static str,
    arg: &'static str,
    ptr: *mut c_void,
    (n, bytes): (usize, usize),
    on_device: u8,
) -> Result<Dst<'a>> {
    let total = extent(op, arg, &[n, bytes])?;
    // SAFETY: the caller's promise, passed on.
    unsafe { Dst::locate(op, arg, ptr.cast(), total, on_device != 0) }
}

/// Host memory to fill with `n` elements of `bytes` bytes; memory of a CPU device is the host's too.
///
/// # Safety
/// As [`dst`], and nobody else reads the memory meanwhile.
pub(crate) unsafe fn host_bytes<'a>(
    op: &'static str,
    arg: &'static str,
    ptr: *mut c_void,
    extent: (usize, usize),
) -> Result<&'a mut [u8]> {
    // SAFETY: the caller's promise, passed on.
    let memory = unsafe { dst(op, arg, ptr, extent, 0) }?;
    if let Place::Device(device) = memory.place()
        && device.kind != DeviceKind::Cpu
    {
        return Err(Error::pointer(op, format!("{arg} {ptr:?}: is memory of {device}, must be the host's")));
    }
    if memory.bytes() == 0 {
        return Ok(&mut []);
    }
    // SAFETY: not null and in range as located, writable by the caller's promise; bytes have no alignment.
    Ok(unsafe { std::slice::from_raw_parts_mut(memory.as_ptr(), memory.bytes()) })
}

/// Where memory of any alignment lies. It is looked up by elements: from the one that the first byte is in.
///
/// # Safety
/// As [`src`].
unsafe fn place_of(op: &'static str, arg: &'static str, ptr: *const c_void, bytes: usize) -> Result<Place> {
    if bytes == 0 {
        return Ok(Place::Host);
    }
    check(op, arg, ptr, 1)?;
    let before = ptr.addr() % ELEMENT;
    // SAFETY: the address is looked up, not read.
    unsafe { src(op, arg, ptr.wrapping_byte_sub(before), (before + bytes, 1), 0) }.map(|memory| memory.place())
}

/// Memory of any alignment that an operation reads; otherwise as [`src`], of which nothing is declared.
///
/// # Safety
/// As [`src`].
pub(crate) unsafe fn src_unaligned<'a>(
    op: &'static str,
    arg: &'static str,
    ptr: *const c_void,
    (n, bytes): (usize, usize),
) -> Result<Src<'a>> {
    let total = extent(op, arg, &[n, bytes])?;
    // SAFETY: the caller's promise, passed on.
    unsafe { place_of(op, arg, ptr, total).map(|place| Src::from_raw_parts(ptr.cast(), total, place)) }
}

/// Memory of any alignment that an operation writes; otherwise as [`dst`], of which nothing is declared.
///
/// # Safety
/// As [`dst`].
pub(crate) unsafe fn dst_unaligned<'a>(
    op: &'static str,
    arg: &'static str,
    ptr: *mut c_void,
    (n, bytes): (usize, usize),
) -> Result<Dst<'a>> {
    let total = extent(op, arg, &[n, bytes])?;
    // SAFETY: the caller's promise, passed on.
    unsafe { place_of(op, arg, ptr, total).map(|place| Dst::from_raw_parts(ptr.cast(), total, place)) }
}

/// Check that memory of any alignment is the host's; memory of a CPU device is the host's too.
///
/// # Safety
/// As [`src`].
pub(crate) unsafe fn check_host(op: &'static str, arg: &'static str, ptr: *const c_void, bytes: usize) -> Result<()> {
    check(op, arg, ptr, 1)?;
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    match unsafe { place_of(op, arg, ptr, bytes) }? {
        Place::Device(device) if device.kind != DeviceKind::Cpu => {
            Err(Error::pointer(op, format!("{arg} {ptr:?}: is memory of {device}, must be the host's")))
        }
        _ => Ok(()),
    }
}

/// Host memory of any alignment to fill.
///
/// # Safety
/// As [`dst`], and nobody else reads the memory meanwhile.
pub(crate) unsafe fn host_memory<'a>(
    op: &'static str,
    arg: &'static str,
    ptr: *mut c_void,
    bytes: usize,
) -> Result<&'a mut [u8]> {
    if bytes == 0 {
        return Ok(&mut []);
    }
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { check_host(op, arg, ptr, bytes) }?;
    // SAFETY: not null, and writable by the caller's promise; bytes have no alignment.
    Ok(unsafe { std::slice::from_raw_parts_mut(ptr.cast(), bytes) })
}

/// Host memory of any alignment that is read while a call runs.
///
/// # Safety
/// As [`src`], and nobody writes the memory meanwhile.
pub(crate) unsafe fn host_input<'a>(
    op: &'static str,
    arg: &'static str,
    ptr: *const c_void,
    bytes: usize,
) -> Result<&'a [u8]> {
    extent(op, arg, &[bytes])?;
    if bytes == 0 {
        return Ok(&[]);
    }
    // SAFETY: what is asked of these pointers is what this function asks of its caller.
    unsafe { check_host(op, arg, ptr, bytes) }?;
    // SAFETY: not null, within the address space, and readable by the caller's promise; bytes have no alignment.
    Ok(unsafe { std::slice::from_raw_parts(ptr.cast(), bytes) })
}

/// # Safety
/// As [`device::free`].
pub(crate) unsafe fn free(ptr: *mut c_void, stream: Option<&StreamRef>) -> Result<()> {
    // SAFETY: the caller's promise, passed on.
    unsafe { device::free(ptr.cast(), stream) }
}

/// # Safety
/// As [`device::fill`].
pub(crate) unsafe fn fill(ptr: *mut c_void, value: u8, bytes: usize, launch: &Launch) -> Result<()> {
    // SAFETY: the caller's promise, passed on.
    unsafe { device::fill(ptr.cast(), value, bytes, launch) }
}

/// # Safety
/// As [`device::copy`].
pub(crate) unsafe fn copy(dst: *mut c_void, src: *const c_void, bytes: usize, launch: &Launch) -> Result<()> {
    // SAFETY: the caller's promise, passed on.
    unsafe { device::copy(dst.cast(), src.cast(), bytes, launch) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No slice of Rust's is longer than half the address space.
    #[test]
    fn extents_end_at_half_the_address_space() {
        let most = isize::MAX as usize;
        assert_eq!(extent("test", "n", &[most]), Ok(most));
        for factors in [&[most + 1][..], &[1 << 58, 32], &[usize::MAX, 2]] {
            let error = extent("test", "n", factors).unwrap_err();
            assert!(error.detail.contains("exceeds the address space"), "{error}");
        }
    }
}
