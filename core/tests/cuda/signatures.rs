//! Parameters of the compiled kernels, as the driver tells them, against the table that launches are held to.

use super::{exclusive, fake};
use icicle::Buffer;
use icicle_kernels::{images, sets};
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::null_mut;

type Pointer = *mut c_void;
type Retain = unsafe extern "C" fn(*mut Pointer, c_int) -> c_int;
type SetCurrent = unsafe extern "C" fn(Pointer) -> c_int;
type Load = unsafe extern "C" fn(*mut Pointer, *const c_void) -> c_int;
type Function = unsafe extern "C" fn(*mut Pointer, Pointer, *const c_char) -> c_int;
type Parameter = unsafe extern "C" fn(Pointer, usize, *mut usize, *mut usize) -> c_int;

#[test]
fn kernels_take_what_the_table_says() {
    let (Some(_turn), false, Ok(images)) = (exclusive(), fake(), images()) else { return };
    // The driver is initialised.
    drop(Buffer::<u32>::on(icicle::Device::cuda(0), 1).unwrap());
    // SAFETY: loaded already.
    let library = unsafe { libloading::Library::new("libcuda.so.1") }.unwrap();
    // SAFETY: the functions' types are those of cuda.h.
    let (retain, set_current, load, function, parameter) = unsafe {
        (
            library.get::<Retain>(b"cuDevicePrimaryCtxRetain").unwrap(),
            library.get::<SetCurrent>(b"cuCtxSetCurrent").unwrap(),
            library.get::<Load>(b"cuModuleLoadData").unwrap(),
            library.get::<Function>(b"cuModuleGetFunction").unwrap(),
            // Drivers of CUDA 12.4 and later.
            library.get::<Parameter>(b"cuFuncGetParamInfo").unwrap(),
        )
    };
    let (mut context, mut checked) = (null_mut(), 0);
    // SAFETY: places for what is returned; images of this library, and names that end.
    unsafe {
        assert_eq!(retain(&mut context, 0), 0);
        assert_eq!(set_current(context), 0);
        for image in images {
            let mut module = null_mut();
            assert_eq!(load(&mut module, image.fatbin.as_ptr().cast()), 0, "{}", image.name);
            for set in sets(image.name) {
                for (name, row) in set.names.iter().zip(set.table) {
                    let Some(name) = name else { continue };
                    let (mut kernel, c_name) = (null_mut(), CString::new(name.clone()).unwrap());
                    assert_eq!(function(&mut kernel, module, c_name.as_ptr()), 0, "{name}");
                    let mut bytes = vec![0usize; row.bytes.len() + 1];
                    let (mut offset, mut found) = (0, 0);
                    while found < bytes.len() && parameter(kernel, found, &mut offset, &mut bytes[found]) == 0 {
                        found += 1;
                    }
                    assert_eq!(found, row.bytes.len(), "{name}: {}", row.parameters);
                    let mut pairs = row.bytes.iter().zip(&bytes);
                    let same = pairs.all(|(listed, &bytes)| listed.is_none_or(|listed| listed == bytes));
                    assert!(same, "{name}: {}: {bytes:?}", row.parameters);
                    checked += 1;
                }
            }
        }
    }
    println!("{checked} kernels");
    assert!(checked > 700);
}
