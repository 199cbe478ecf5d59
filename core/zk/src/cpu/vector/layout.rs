//! How the vectors of a shape lie in memory.

use crate::args::vector::Shape;
use icicle_cpu::blocks::Layout;

/// The shape's layout.
pub(super) fn layout_of(shape: &Shape) -> Layout {
    Layout { n: shape.n, batch: shape.batch, columns: shape.columns }
}
