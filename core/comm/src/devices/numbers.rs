//! Numbers reduced on a GPU, by a kernel that is compiled when it is first needed, or where there is no compiler by one that was
//! compiled ahead of time.
#![allow(unsafe_code)] // launches

use super::plan::Fold;
use super::work::Work;
use crate::ReduceOp;
use icicle_array::DType;
use icicle_cuda::launch::Dim;
use icicle_cuda::{KernelArg, gpu, nvrtc};
use icicle_error::Result;
use icicle_kernels::array::HEADERS;
use icicle_kernels::array_ahead::RANKS;
use icicle_kernels::names::ARRAY_RANKS;
use icicle_kernels::signature::Owner;
use std::ffi::c_void;

/// Threads of a block.
const THREADS: u32 = 256;
/// Blocks for each multiprocessor.
const RESIDENT: u32 = 8;

/// What the kernel takes, as `ranks.cuh` says.
#[repr(C, align(16))]
struct Words([u64; 8]);

impl KernelArg for Words {
    fn address(&self) -> *const c_void {
        self.0.as_ptr().cast()
    }
}

/// Enqueue a reduction.
pub(super) fn run(work: &Work, fold: &Fold, dtype: DType, reduce: ReduceOp) -> Result<()> {
    let (own, out) = (work.area(&fold.own)?, work.area(&fold.out)?);
    let slots = match work.size {
        1 => std::ptr::null_mut(),
        _ => {
            let bytes = (work.size - 2) * fold.stride + fold.n * work.element;
            let region = super::plan::Region { of: super::plan::Of::Scratch, offset: fold.slots, bytes };
            work.area(&region)?.address()
        }
    };
    let addresses = own.address().addr() | out.address().addr() | slots.addr() | fold.stride;
    let ahead = nvrtc::unavailable().is_some();
    let pack = if addresses.is_multiple_of(16) && !ahead { 16 / dtype.bytes() } else { 1 };
    let gpu = gpu::gpu(work.op, work.stream.device().index)?;
    let words = [
        own.address() as u64,
        slots as u64,
        fold.stride as u64,
        work.rank as u64,
        work.size as u64,
        out.address() as u64,
        fold.n as u64,
        reduce as u64,
    ];
    let grid = Dim::for_items((fold.n as u64).div_ceil(pack as u64), THREADS, gpu.units * RESIDENT);
    if ahead {
        let kernel = (Owner::Element(dtype as usize), RANKS);
        let image = gpu.images.get(gpu, ARRAY_RANKS)?;
        // SAFETY: the operands hold as many elements, as the plan says.
        return unsafe { image.launch(work.stream.raw(), kernel, (grid, THREADS), false, &(words,)) };
    }
    let kernel = gpu.compiled.get(work.op, gpu, &source(dtype, reduce, pack), HEADERS)?;
    // SAFETY: the one parameter is this structure; the operands hold as many elements, as the plan says.
    unsafe { kernel.launch(work.stream.raw(), grid, THREADS, 0, &[&Words(words)]) }
}

/// Why a GPU cannot reduce numbers, if it cannot.
pub(super) fn unavailable() -> Option<String> {
    let compiler = nvrtc::unavailable()?;
    let image = icicle_kernels::image(ARRAY_RANKS).err()?;
    Some(format!("they need NVRTC or kernels: {compiler}; image {ARRAY_RANKS}: {image}"))
}

/// The kernel of a type and a reduction that loads so many elements at a time.
pub(super) fn source(dtype: DType, reduce: ReduceOp, pack: usize) -> String {
    let how = match reduce {
        ReduceOp::Sum => "Sum",
        ReduceOp::Prod => "Prod",
        ReduceOp::Min => "Min",
        ReduceOp::Max => "Max",
        ReduceOp::Avg => "Avg",
    };
    let name = dtype.name();
    format!(
        "#include \"ranks.cuh\"\nusing namespace array;\n\
         extern \"C\" __global__ void __launch_bounds__({THREADS}) run(const __grid_constant__ ranks::Arguments a)\n\
         {{\n  ranks::reduce<{name}, ranks::{how}, {pack}>(a);\n}}\n"
    )
}
