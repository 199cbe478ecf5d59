//! What came from all ranks, reduced in their order on the rank's device.

use super::area::{Area, enqueue};
use super::plan::Fold;
use super::work::Work;
use crate::call::Call;
use crate::reduce::{Reduction, combine, normalise};
use crate::{DataType, memory};
use icicle_device::{Device, DeviceKind};
use icicle_error::reserve::listed;
use icicle_error::{Error, ErrorCode, Result};
use icicle_params::Op;
use icicle_runtime::Launch;
use icicle_zk::ops::Domain;

/// Enqueue a reduction.
pub(super) fn run(work: &Work, fold: &Fold) -> Result<()> {
    if fold.n == 0 {
        return Ok(());
    }
    let Some(reduction) = &work.reduction else {
        return Err(Error::new(ErrorCode::Internal, work.op, "nothing says how to reduce"));
    };
    match reduction.data_type {
        DataType::Number(_) if work.stream.device().kind == DeviceKind::Cpu => on_host(work, fold, reduction),
        #[cfg(feature = "cuda")]
        DataType::Number(dtype) => super::numbers::run(work, fold, dtype, reduction.reduce),
        #[cfg(not(feature = "cuda"))]
        DataType::Number(_) => Err(Error::unsupported(work.op, "numbers on this device")),
        DataType::Field(_) | DataType::Point(_) => in_pairs(work, fold, reduction),
    }
}

/// Check that a device reduces so.
pub(super) fn offers(op: &'static str, device: Device, call: &Call<'_>) -> Result<()> {
    let (needed, domain) = match call.data_type {
        DataType::Field(field) => (Op::VectorBinary, Domain::Field(field)),
        DataType::Point(curve) => (Op::PointBinary, Domain::Curve(curve)),
        #[cfg(feature = "cuda")]
        DataType::Number(_) if device.kind == DeviceKind::Cuda => {
            let unsupported = |why| Error::unsupported(op, format!("numbers on GPUs: {why}"));
            return super::numbers::unavailable().map_or(Ok(()), |why| Err(unsupported(why)));
        }
        DataType::Number(_) => return Ok(()),
    };
    match icicle_zk::ops::supports(device, needed, domain)? {
        true => Ok(()),
        false => {
            Err(Error::unsupported(op, format!("{} on {device}: this build has no kernels for them", call.data_type)))
        }
    }
}

/// What each rank has, in their order.
fn sources(work: &Work, fold: &Fold) -> Result<Vec<Area>> {
    let bytes = fold.n * work.element;
    let of = |rank: usize| match rank.cmp(&work.rank) {
        std::cmp::Ordering::Equal => work.area(&fold.own),
        order => {
            let slot = rank - usize::from(order.is_gt());
            let offset = fold.slots + slot * fold.stride;
            work.area(&super::plan::Region { of: super::plan::Of::Scratch, offset, bytes })
        }
    };
    listed(work.op, (0..work.size).map(of))
}

/// Memory of a CPU device is the host's.
fn on_host(work: &Work, fold: &Fold, reduction: &Reduction) -> Result<()> {
    let sources = sources(work, fold)?.into_iter().map(|area| memory::host_src(work.op, &area.src()));
    let sources = listed(work.op, sources)?;
    let out = memory::host_dst(work.op, work.area(&fold.out)?.dst())?;
    reduction.run(fold.n, &sources, vec![out])
}

/// Field elements and points, two at a time. Their sums and products are exact, and points normalised: the order of ranks
/// does not show, and what lies where the result goes is taken first.
fn in_pairs(work: &Work, fold: &Fold, reduction: &Reduction) -> Result<()> {
    let mut sources = sources(work, fold)?;
    let out = work.area(&fold.out)?;
    sources[..=work.rank].rotate_right(1);
    let launch = Launch { stream: Some(work.stream.clone()), is_async: true };
    match sources[..] {
        [one] => match reduction.data_type {
            DataType::Point(curve) => normalise(curve, fold.n, one.src(), out.dst(), &launch),
            _ => enqueue(out, one, &work.stream),
        },
        [one, two, ref rest @ ..] => {
            combine(reduction, fold.n, one.src(), two.src(), out.dst(), &launch)?;
            rest.iter().try_for_each(|next| combine(reduction, fold.n, out.src(), next.src(), out.dst(), &launch))
        }
        [] => Err(Error::new(ErrorCode::Internal, work.op, "nothing to reduce")),
    }
}
