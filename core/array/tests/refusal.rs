//! Memory that the host refuses, at every place of every operation: each allocation of 4 KiB or more fails in turn. The call
//! must end with `OutOfMemory` or succeed with the result it has otherwise, its operands must be as they were, and nothing may
//! abort: an allocation that cannot fail would end this process.
#![allow(unsafe_code)] // an allocator
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use icicle_array::random::{self, Key};
use icicle_array::*;
use icicle_device::Device;
use icicle_error::{ErrorCode, Result};
use std::alloc::{GlobalAlloc, Layout as Memory, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes from which on an allocation is refused.
const LEAST: usize = 4096;
/// Which allocation is refused, from 1; 0 for none.
static REFUSED: AtomicUsize = AtomicUsize::new(0);
/// Those asked for meanwhile.
static ASKED: AtomicUsize = AtomicUsize::new(0);

struct Host;

impl Host {
    fn refuses(bytes: usize) -> bool {
        let refused = REFUSED.load(Ordering::SeqCst);
        refused != 0 && bytes >= LEAST && ASKED.fetch_add(1, Ordering::SeqCst) + 1 == refused
    }
}

// SAFETY: the system's allocator, or none.
unsafe impl GlobalAlloc for Host {
    unsafe fn alloc(&self, layout: Memory) -> *mut u8 {
        if Self::refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Memory) -> *mut u8 {
        if Self::refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Memory, size: usize) -> *mut u8 {
        if Self::refuses(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's.
        unsafe { System.realloc(ptr, layout, size) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Memory) {
        // SAFETY: the caller's.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static HOST: Host = Host;

const CPU: Device = Device::cpu(0);

fn bytes(x: &Array) -> Vec<u8> {
    let raw: Vec<u8> = match x.dtype() {
        DType::Bool => x.to_vec::<Bool>().unwrap().iter().map(|b| u8::from(bool::from(*b))).collect(),
        DType::Int64 => bytemuck::cast_slice(&x.to_vec::<i64>().unwrap()).to_vec(),
        DType::Float32 => bytemuck::cast_slice(&x.to_vec::<f32>().unwrap()).to_vec(),
        DType::Float64 => bytemuck::cast_slice(&x.to_vec::<f64>().unwrap()).to_vec(),
        DType::Complex128 => bytemuck::cast_slice(&x.to_vec::<Complex<f64>>().unwrap()).to_vec(),
        other => panic!("{other}"),
    };
    raw
}

/// Refuse each allocation of an operation in turn; how many were.
fn refuse(name: &str, operands: &[&Array], run: &dyn Fn() -> Result<Vec<Array>>) -> usize {
    let contents = |arrays: &[&Array]| arrays.iter().map(|x| bytes(x)).collect::<Vec<_>>();
    let before = contents(operands);
    let results = |arrays: &[Array]| contents(&arrays.iter().collect::<Vec<_>>());
    let want = results(&run().unwrap());
    for refused in 1.. {
        // Blocks that are kept for the next allocation would serve it without the host.
        icicle_runtime::trim(CPU, 0).unwrap();
        ASKED.store(0, Ordering::SeqCst);
        REFUSED.store(refused, Ordering::SeqCst);
        let got = run();
        REFUSED.store(0, Ordering::SeqCst);
        let reached = ASKED.load(Ordering::SeqCst) >= refused;
        match got {
            Ok(got) => assert!(results(&got) == want, "{name}: another result, allocation {refused}"),
            Err(error) => {
                assert!(reached, "{name}: {error}");
                assert_eq!(error.code, ErrorCode::OutOfMemory, "{name}, allocation {refused}: {error}");
            }
        }
        assert!(contents(operands) == before, "{name}: operands changed, allocation {refused}");
        if !reached {
            return refused - 1;
        }
    }
    unreachable!()
}

#[test]
fn refused_memory_is_an_error_and_operands_stay() {
    let key = Key::new(4);
    let n = 20_000usize;
    let x = random::normal(CPU, &key, &[100, 200], DType::Float64).unwrap();
    let t = x.matrix_transpose().unwrap();
    let i = random::integers(CPU, &key, -100, 100, &[100, 200], DType::Int64).unwrap();
    let z = multiply(&x, &full(CPU, &[], Complex::new(1.0, 2.0).into(), DType::Complex128).unwrap());
    let z = z.unwrap_or_else(|_| x.astype(DType::Complex128).unwrap());
    let f = x.astype(DType::Float32).unwrap();
    let mask = greater(&x, &zeros(CPU, &[], DType::Float64).unwrap()).unwrap();
    let places = random::integers(CPU, &key, 0, 100, &[5000], DType::Int64).unwrap();
    let long = random::uniform(CPU, &key, &[(1 << 18) + 1], DType::Float64, 0.0, 1.0).unwrap();
    let (row, square) = (x.index(&[Index::At(3)]).unwrap(), matmul(&t, &x).unwrap());
    let all = [&x, &i, &z, &f, &mask, &places, &long];
    let mut injected = 0;
    macro_rules! tried {
        ($($name:literal: $result:expr;)*) => {
            $(
                let run = || -> Result<Vec<Array>> {
                    let arrays: Vec<Array> = $result.into();
                    // With what they wait for.
                    arrays.iter().try_for_each(|array| array.as_ptr().map(drop))?;
                    Ok(arrays)
                };
                let count = refuse($name, &all, &run);
                assert!(count > 0, "{}: allocates nothing", $name);
                injected += count;
            )*
        };
    }
    tried! {
        "copy": [t.copy()?];
        "to_unified": [t.to_unified(CPU)?];
        "to_pinned": [t.to_pinned()?];
        "astype": [i.astype(DType::Float64)?];
        "reshape": [t.reshape(&[-1])?];
        "zeros": [zeros(CPU, &[n], DType::Float64)?];
        "arange": [arange(CPU, 0.into(), (n as i32).into(), 1.into(), DType::Int64)?];
        "linspace": [linspace(CPU, 0.0.into(), 1.0.into(), n, DType::Float64, true)?];
        "eye": [eye(CPU, 100, 100, 1, DType::Float64)?];
        "tril": [tril(&x, 0)?];
        "meshgrid copies": meshgrid(&[&row, &row], true)?.iter().map(Array::copy).collect::<Result<Vec<_>>>()?;
        "add": [add(&x, &x)?];
        "add, strided and cast": [add(&t, &f.matrix_transpose()?)?];
        "exp": [exp(&z)?];
        "clip": [clip(&x, Some(&zeros(CPU, &[], DType::Float64)?), None)?];
        "select": [select(&mask, &x, &x)?];
        "sum": [sum(&x, Some(&[0]), false, None)?, sum(&x, Some(&[1]), false, None)?, sum(&f, None, false, None)?, add(&x, &x)?];
        "var": [var(&x, Some(&[0]), 0.0, false)?];
        "argmax": [argmax(&x, Some(0), false)?, argmax(&t, Some(0), false)?, add(&x, &x)?];
        "cumulative_sum": [cumulative_sum(&x, Some(0), None, false)?];
        "concat": [concat(&[&x, &f], Some(1))?];
        "stack": [stack(&[&x, &x], 1)?];
        "tile": [tile(&x, &[2, 3])?];
        "repeat": [repeat(&x, &[3], None)?];
        "roll": [roll(&x, &[5], None)?];
        "diff": [diff(&x, 1, 2)?];
        "take": [take(&x, &places, 0)?];
        "take_along_axis": [take_along_axis(&x, &argsort(&x, 0, false)?, 0)?];
        "take_at": [take_at(&x, &[&places, &places])?];
        "compress": [compress(&x, &mask)?];
        "nonzero": nonzero(&mask)?;
        "sort": [sort(&x, 1, false)?, sort(&i, 0, true)?, sort(&long, 0, false)?];
        "sort float32": [sort(&f.reshape(&[-1])?, 0, false)?];
        "sort complex": [sort(&z.reshape(&[-1])?, 0, false)?];
        "argsort": [argsort(&x, 1, false)?, argsort(&i, 0, true)?, argsort(&long, 0, false)?];
        "argsort float32": [argsort(&f.reshape(&[-1])?, 0, false)?];
        "argsort complex": [argsort(&z.reshape(&[-1])?, 0, true)?];
        "searchsorted": [searchsorted(&long, &x, false)?];
        "unique_all": [{ let u = unique_all(&i)?; concat(&[&u.values, &u.indices, &u.inverse.reshape(&[-1])?, &u.counts], Some(0))? }];
        "unique_values": [unique_values(&i)?];
        "isin": [isin(&i, &places)?];
        "matmul of integers": [matmul(&i, &i.matrix_transpose()?)?];
        "matrix times vector": [matmul(&x.broadcast_to(&[50, 100, 200])?, &row)?];
        "random bits and numbers": [random::uniform(CPU, &key, &[n], DType::Float32, 0.0, 1.0)?, random::normal(CPU, &key, &[n], DType::Float64)?];
        "random integers": [random::integers(CPU, &key, 0, 10, &[n], DType::Int64)?];
        "bernoulli": [random::bernoulli(CPU, &key, 0.5, &[n])?];
        "permutation": [random::permutation(CPU, &key, n)?];
        "shuffle": [random::shuffle(&key, &x, 1)?];
        "choice": [random::choice(&key, &x, 5000, 0, true)?];
        "split": { let keys = key.split(1000)?; vec![random::normal(CPU, &keys[999], &[1], DType::Float64)?] };
        "assign": { let mut y = x.clone(); y.assign(&[Index::At(0)], &row)?; [y] };
        "assign_mask": { let mut y = x.clone(); y.assign_mask(&mask, &zeros(CPU, &[], DType::Float64)?)?; [y] };
        "assign_at": { let mut y = x.clone(); y.assign_at(&[&places], &row)?; [y] };
    }
    assert_eq!(square.shape(), [200, 200]);
    println!("{injected} allocations refused");
}
