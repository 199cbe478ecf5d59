//! The four levels of the smallest blocks, sixteen blocks side by side: lane `b` of row `j` is element `j` of block `b`.

use super::kernel::{DOWN, Element, butterfly};
use super::network::Network;

/// Blocks of a tile.
pub(super) const LANES: usize = 16;
/// Log of the rows of a block.
pub(super) const LOG_ROWS: u32 = 4;
const ROWS: usize = 1 << LOG_ROWS;
/// Elements of a tile.
pub(super) const LEN: usize = LANES * ROWS;

/// Transform the `LANES` blocks from the `first` of their level on.
#[inline(always)]
pub(super) fn transform<E: Element, const WAY: bool>(
    network: &Network<E::Twiddle>,
    data: &mut [E::Stored],
    first: usize,
) {
    let mut rows: [[E; LANES]; ROWS] = std::array::from_fn(|j| std::array::from_fn(|b| E::load(data[b * ROWS + j])));
    for step in 0..LOG_ROWS {
        let log_rows = if WAY == DOWN { LOG_ROWS - step } else { step + 1 };
        level::<E, WAY>(network, &mut rows, first, log_rows);
    }
    for (b, block) in data.chunks_exact_mut(ROWS).enumerate() {
        for (stored, row) in block.iter_mut().zip(&rows) {
            *stored = row[b].store();
        }
    }
}

/// The level of blocks of `2^log_rows` rows in every lane.
#[inline(always)]
fn level<E: Element, const WAY: bool>(
    network: &Network<E::Twiddle>,
    rows: &mut [[E; LANES]; ROWS],
    first: usize,
    log_rows: u32,
) {
    let blocks = ROWS >> log_rows;
    for (q, block) in rows.chunks_exact_mut(1 << log_rows).enumerate() {
        let twiddles: [_; LANES] = std::array::from_fn(|b| network.twiddle((first + b) * blocks + q, log_rows));
        let (low, high) = block.split_at_mut(1 << (log_rows - 1));
        for (x, y) in low.iter_mut().zip(high) {
            for b in 0..LANES {
                (x[b], y[b]) = butterfly::<E, WAY>(x[b], y[b], twiddles[b]);
            }
        }
    }
}
