//! What a fold is, and how its work is cut.

use crate::DType;
use crate::cuda::call::Call;
use crate::cuda::source::THREADS;
use crate::job::Order;
use icicle_cuda::gpu::lock;
use icicle_cuda::scratch::Scratch;
use icicle_device::Device;
use icicle_error::{Error, ErrorCode, Result};
use icicle_runtime::Buffer;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// A fold of `fold.cuh`, by its name there, over an array as `[outer][length][width]`.
pub(crate) struct Fold<'a> {
    pub(crate) op: &'static str,
    pub(crate) name: &'static str,
    /// The dtype in which elements enter, of what is held, and of results.
    pub(crate) from: DType,
    pub(crate) acc: DType,
    pub(crate) to: DType,
    /// The order in which elements are taken.
    pub(crate) order: &'a Order,
    pub(crate) outer: usize,
    pub(crate) length: usize,
    pub(crate) width: usize,
}

/// The fold that gives sums of squared distances from the mean.
pub(crate) const SQUARES: &str = "Squares";

/// Counters of a device.
const COUNTERS: usize = 1 << 14;
/// Bytes of pieces' results that a device keeps memory for.
const RESULTS: usize = 128 << 10;
/// Blocks for each multiprocessor that fill a device: twice what it holds, 2048 threads, so that none waits long for the last.
const RESIDENT: u64 = 2 * 2048 / THREADS;
/// Blocks for each multiprocessor where they have little to do, whose results are to be merged: three quarters of what it holds.
const FEW: u64 = 3 * 2048 / THREADS / 4;
/// Elements of a thread with which more blocks pay.
const MANY: u64 = 1024;
/// Elements a thread takes at least before a result's elements are cut in pieces.
const EACH: u64 = 64;
/// Rows of a block over columns.
const ROWS: u64 = THREADS / 32;

impl Fold<'_> {
    /// Memory for results of pieces, and their counters, if there are several.
    pub(in crate::cuda) fn pieces(&self, call: &Call, device: Device, plan: &Plan) -> Result<Pieces> {
        if plan.pieces <= 1 {
            return Ok(Pieces { results: 0, counters: 0, _own: None });
        }
        let held = match self.name {
            // The element beside its place.
            "ArgMin" | "ArgMax" => 16,
            SQUARES => 32,
            _ => self.acc.bytes(),
        };
        let bytes = held * plan.pieces as usize * self.outer * self.width;
        let counters = kept(device)?;
        if bytes <= RESULTS {
            return Ok(Pieces { results: counters + (4 * COUNTERS) as u64, counters, _own: None });
        }
        let own = call.scratch(bytes)?;
        Ok(Pieces { results: own.address(), counters, _own: Some(own) })
    }

    /// How the work is cut: until the device is full, by results, then each result's elements in pieces; kernels load packs of
    /// elements, and work on a result by so many threads at least.
    pub(in crate::cuda) fn plan(&self, (pack, least): (u64, u64), sms: u64) -> Plan {
        let (outer, length, width) = (self.outer as u64, self.length as u64, self.width as u64);
        let full = sms * RESIDENT;
        let pack_of = |follows: u64| if follows.is_multiple_of(pack) { pack } else { 1 };
        if width > 1 {
            let pack = pack_of(width);
            let results = outer * width.div_ceil(32 * pack);
            let most = length.div_ceil(ROWS * EACH).max(1);
            let pieces = if results < full / 2 { (full / results).min(most) } else { 1 };
            let rows = length.div_ceil(pieces).max(1);
            let pieces = length.div_ceil(rows).max(1);
            return Plan { lanes: 32, pack, pieces, rows, blocks: results * pieces };
        }
        let pack = if outer == 1 { pack } else { pack_of(length) };
        let lanes = match length {
            0..=4 => 1,
            5..=32 => 8,
            33..=2048 if outer >= sms => 32,
            _ => THREADS,
        };
        let lanes = lanes.max(least);
        let most = length.div_ceil(THREADS * EACH).max(1);
        let busy = (outer * length / (THREADS * MANY)).clamp(sms * FEW, full);
        let pieces = if lanes == THREADS && outer < full / 2 { (busy / outer).clamp(1, most) } else { 1 };
        Plan { lanes, pack, pieces, rows: 0, blocks: (outer * pieces).div_ceil(THREADS / lanes) }
    }
}

pub(in crate::cuda) struct Plan {
    /// Threads that work on one result's elements together.
    pub(in crate::cuda) lanes: u64,
    /// Elements that a thread loads at once.
    pub(super) pack: u64,
    pub(in crate::cuda) pieces: u64,
    /// Rows of a piece of columns.
    pub(in crate::cuda) rows: u64,
    pub(in crate::cuda) blocks: u64,
}

/// Where pieces' results go, and counters.
pub(in crate::cuda) struct Pieces {
    pub(in crate::cuda) results: u64,
    pub(in crate::cuda) counters: u64,
    /// Memory of the fold's own, if there are many results.
    _own: Option<Scratch>,
}

/// Counters of blocks that are done, all 0 between kernels, which follow each other in the default stream, and behind them memory
/// for results of pieces.
fn kept(device: Device) -> Result<u64> {
    static KEPT: Mutex<BTreeMap<u32, Buffer<u32>>> = Mutex::new(BTreeMap::new());
    let mut kept = lock(&KEPT);
    let buffer = match kept.entry(device.index) {
        std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
        std::collections::btree_map::Entry::Vacant(place) => {
            place.insert(Buffer::zeroed_on(device, COUNTERS + RESULTS / 4)?)
        }
    };
    match buffer.device() == device {
        true => Ok(buffer.as_ptr() as u64),
        false => Err(Error::new(ErrorCode::Internal, "fold", "counters of another device")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(outer: usize, length: usize, width: usize, least: u64) -> Plan {
        let order = Order::of(&[outer, length, width]);
        let dtype = DType::Float32;
        let fold = Fold {
            op: "sum",
            name: "Sum",
            from: dtype,
            acc: DType::Float64,
            to: dtype,
            order: &order,
            outer,
            length,
            width,
        };
        fold.plan((4, least), 132)
    }

    /// Every element is in one piece, and counters suffice, whatever the shape.
    #[test]
    fn pieces_cover_all_elements() {
        for outer in [1, 2, 131, 132, 600, 5000] {
            for length in [1, 4, 5, 33, 2048, 2049, 4096 * 3 + 1] {
                for (width, least) in [(1usize, 1), (1, 32), (2, 1), (8, 1), (100, 32)] {
                    let plan = plan(outer, length, width, least);
                    let (length, outer, width) = (length as u64, outer as u64, width as u64);
                    assert!(width == 1 || plan.pieces * plan.rows >= length && (plan.pieces - 1) * plan.rows < length);
                    assert!(width > 1 || (plan.pieces - 1) * THREADS * plan.pack < length, "some have none");
                    let results = if width > 1 { outer * width.div_ceil(32 * plan.pack) } else { outer };
                    assert!(plan.pieces == 1 || results <= COUNTERS as u64);
                    assert!(plan.pieces == 1 || plan.lanes == THREADS || width > 1);
                    assert!(width == 1 || width.is_multiple_of(plan.pack));
                    assert!(outer == 1 || width > 1 || length.is_multiple_of(plan.pack));
                    assert_eq!(
                        plan.blocks,
                        if width > 1 {
                            results * plan.pieces
                        } else {
                            (outer * plan.pieces).div_ceil(THREADS / plan.lanes)
                        }
                    );
                }
            }
        }
    }
}
