//! What is done where nothing compiles kernels when they are needed: one operation at a time, by kernels that were compiled
//! ahead of time (`kernels/array/ahead.cuh`), which read operands of any layout and dtype and are told by numbers what to do.
//! Nothing is fused: an operand that waits is computed first. Results are those of generated kernels, but for the order in which
//! floats are added.
#![allow(unsafe_code)] // launches

mod tables;

use super::axes::Axes;
use super::call::Call;
use super::draft::Leaf;
use super::fold::plan::{Fold, SQUARES};
use super::source::Target;
use crate::array::{Array, Fresh};
use crate::cast;
use crate::job::Order;
use crate::layout::{count, dense_strides};
use crate::random::philox::OnGpu;
use crate::step::{Code, Step};
use crate::{DType, MAX_RANK};
use icicle_cpu::blocks::Work;
use icicle_cuda::launch::Dim;
use icicle_cuda::nvrtc;
use icicle_device::Device;
use icicle_error::{Error, ErrorCode, Result};
use icicle_kernels::array_ahead::{self as kernels, AXES, Apply, THREADS};
use icicle_kernels::names::{ARRAY_FOLD, ARRAY_HEAVY, ARRAY_LIGHT, ARRAY_RANDOM};
use icicle_kernels::signature::{Entry, Owner, Parameters};

const _: () = assert!(MAX_RANK == AXES);

/// Whether kernels must be those: there is no NVRTC. One that is there and fails is an error.
pub(super) fn is_needed() -> bool {
    nvrtc::unavailable().is_some()
}

/// Enqueue a kernel for a dtype, of the image of that name.
///
/// # Errors
/// `Unsupported` if this build has no such image; as [`Call::launch`].
///
/// # Safety
/// As [`Call::launch`].
pub(super) unsafe fn launch<P: Parameters>(
    call: &Call,
    image: &'static str,
    kernel: Entry<P>,
    dtype: DType,
    blocks: u64,
    arguments: P,
) -> Result<()> {
    let grid = (Dim::of_blocks(blocks)?, THREADS);
    // SAFETY: the caller's.
    let launched = unsafe { call.launch(image, (Owner::Element(dtype as usize), kernel), grid, arguments) };
    launched.map_err(|error| match (error.code, nvrtc::unavailable()) {
        (ErrorCode::Unsupported, Some(why)) => Error::unsupported(
            call.op,
            format!("arrays on CUDA devices need NVRTC or kernels: {why}; {}", error.detail),
        ),
        _ => error,
    })
}

/// Do an operation on each element of operands, and store its results as a dtype.
///
/// # Errors
/// `InvalidArgument` if operands do not broadcast or cannot be cast; `OutOfMemory`; as [`launch`].
///
/// # Safety
/// The target takes the results, and nobody else uses it before the stream has passed this.
pub(super) unsafe fn step(
    call: &Call,
    order: &Order,
    step: Step,
    operands: &[&Array],
    to: DType,
    target: &Target<'_>,
) -> Result<()> {
    let read = |array: &&Array, takes: DType| {
        cast::cast(call.op, array.dtype(), takes)?;
        Leaf::of(call.op, order, array)
    };
    let (leaves, dtype) = match (step.code, operands) {
        (Code::Constant(bytes), _) => (vec![Leaf::Constant { bytes, dtype: step.gives }], step.gives),
        (Code::Cast, [x, ..]) => (vec![read(x, to)?], x.dtype()),
        // Kernels take the condition last.
        (Code::Where, [condition, x, y]) => {
            let [bool, dtype, _] = step.takes;
            (vec![read(x, dtype)?, read(y, dtype)?, read(condition, bool)?], dtype)
        }
        _ => {
            let leaves = operands.iter().zip(step.takes).map(|(array, takes)| read(array, takes));
            (leaves.collect::<Result<_>>()?, step.takes[0])
        }
    };
    let gives = if matches!(step.code, Code::Cast) { dtype } else { step.gives };
    cast::cast(call.op, gives, to)?;
    let shape = order.extents();
    if count(call.op, &shape)? == 0 {
        return Ok(());
    }
    let dense = dense_strides(&shape);
    let (strides, offset) = target.layout.map_or((&dense, 0), |layout| (&layout.strides, layout.offset));
    let out = Laid { address: target.address + (offset * to.bytes()) as u64, value: [0; 2], dtype: to, strides };
    let constant = vec![0; shape.len()];
    let mut laid = vec![out];
    laid.extend(leaves.iter().map(|leaf| Laid::of(leaf, &constant)));
    let (shape, mut placed) = place(&shape, &laid);
    placed.resize(4, placed[0]);
    let [out, a, b, c] = placed[..] else {
        return Err(Error::new(ErrorCode::Internal, call.op, format!("{} operands of one operation", leaves.len())));
    };
    let heavy = matches!(step.work, Work::Heavy);
    let (image, kernel) = if heavy { (ARRAY_HEAVY, kernels::HEAVY) } else { (ARRAY_LIGHT, kernels::LIGHT) };
    let blocks = shape.n.div_ceil(u64::from(THREADS) * kernels::batch(heavy, dtype.bytes()));
    let arguments =
        Apply { op: tables::number(step.code), operands: leaves.len() as u64, shape, leaves: [out, a, b, c] };
    // SAFETY: reads what layouts of arrays name, which stay within their storage, kept until this is enqueued, as memory is given
    // back in the stream's order; writes the target.
    unsafe { launch(call, image, kernel, dtype, blocks, (arguments,)) }
}

/// Do a fold: the results.
///
/// # Errors
/// `InvalidArgument` if elements cannot be cast; `OutOfMemory`; as [`launch`].
pub(super) fn fold(fold: &Fold<'_>, call: &Call, device: Device, x: &Array) -> Result<Fresh> {
    cast::cast(fold.op, x.dtype(), fold.from)?;
    let gives = match fold.name {
        "ArgMin" | "ArgMax" => DType::Int64,
        SQUARES => DType::Float64,
        _ => fold.acc,
    };
    let Some(kernel) = kernels::fold(fold.name) else {
        return Err(Error::new(ErrorCode::Internal, fold.op, format!("no kernel {}", fold.name)));
    };
    let results = [fold.outer, fold.width];
    let mut out = Fresh::new(fold.op, device, gives, &results)?;
    let (read, extents) = (Leaf::of(fold.op, fold.order, x)?, fold.order.extents());
    let (shape, leaves) = place(&extents, &[Laid::of(&read, &vec![0; extents.len()])]);
    let plan = fold.plan((1, kernels::LEAST_LANES), call.sms.into());
    let pieces = fold.pieces(call, device, &plan)?;
    let arguments = kernels::Fold {
        shape,
        leaf: leaves[0],
        outer: fold.outer as u64,
        length: fold.length as u64,
        width: fold.width as u64,
        pieces: plan.pieces,
        rows: plan.rows,
        lanes: plan.lanes,
        partial: pieces.results,
        counters: pieces.counters,
        out: out.start() as u64,
    };
    // SAFETY: reads what the layout of an array names; results, partial ones and counters are as many as the plan says.
    unsafe { launch(call, ARRAY_FOLD, kernel, fold.from, plan.blocks, (arguments,))? };
    if gives == fold.to {
        return Ok(out);
    }
    let held = out.done();
    let mut out = Fresh::new(fold.op, device, fold.to, &results)?;
    let target = Target { address: out.start() as u64, layout: None };
    // SAFETY: the result's own memory.
    unsafe { step(call, &Order::of(&results), Step::cast(fold.op, fold.to), &[&held], fold.to, &target)? };
    Ok(out)
}

/// Write random numbers by a rule.
///
/// # Errors
/// As [`launch`].
///
/// # Safety
/// The words are what `random::fill` takes: it can write so many numbers where they say.
pub(super) unsafe fn random(call: &Call, rule: &OnGpu, words: &[u64], blocks: u64) -> Result<()> {
    let mut arguments = [0; 8];
    match (kernels::rule(rule.template), arguments.get_mut(..words.len())) {
        (Some(kernel), Some(room)) => {
            room.copy_from_slice(words);
            // SAFETY: the caller's.
            unsafe { launch(call, ARRAY_RANDOM, kernel, rule.dtype, blocks, (arguments,)) }
        }
        _ => Err(Error::new(ErrorCode::Internal, call.op, format!("no kernel {}", rule.template))),
    }
}

/// How elements of a shape lie: from an address on, by strides in elements; without an address, as one value.
struct Laid<'a> {
    address: u64,
    value: [u64; 2],
    dtype: DType,
    strides: &'a [isize],
}

impl<'a> Laid<'a> {
    /// A leaf; `constant` are the strides of one value.
    fn of(leaf: &'a Leaf, constant: &'a [isize]) -> Self {
        match leaf {
            Leaf::Memory { storage, dtype, layout } => {
                let address = storage.as_ptr() as u64 + (layout.offset * dtype.bytes()) as u64;
                Self { address, value: [0; 2], dtype: *dtype, strides: &layout.strides }
            }
            Leaf::Constant { bytes, dtype } => {
                let mut value = [0; 2];
                value.iter_mut().zip(bytes.as_chunks::<8>().0).for_each(|(to, half)| *to = u64::from_ne_bytes(*half));
                Self { address: 0, value, dtype: *dtype, strides: constant }
            }
        }
    }
}

/// A shape and what lies in it, as kernels take them: over as few axes as say the same.
fn place(shape: &[usize], laid: &[Laid<'_>]) -> (kernels::Shape, Vec<kernels::Leaf>) {
    let axes = Axes::new(shape, &laid.iter().map(|laid| laid.strides).collect::<Vec<_>>());
    let mut extents = [1; AXES];
    extents.iter_mut().zip(&axes.extents).for_each(|(to, &extent)| *to = extent as u64);
    let n = axes.extents.iter().product::<usize>() as u64;
    let leaves = laid.iter().zip(&axes.strides).map(|(laid, of_axes)| {
        let mut strides = [0; AXES];
        let bytes = laid.dtype.bytes() as i64;
        strides.iter_mut().zip(of_axes).for_each(|(to, &stride)| *to = stride as i64 * bytes);
        kernels::Leaf { address: laid.address, value: laid.value, dtype: laid.dtype as u64, strides }
    });
    (kernels::Shape { n, rank: axes.extents.len().max(1) as u64, extents }, leaves.collect())
}
