//! What a transform's passes need of arithmetic in lanes: rows of sixteen elements, and networks of butterflies on tiles,
//! every element of a row by itself. Here between load and store, values are whatever is fastest to compute with.

use crate::algebra::{Field, PrimeField};
use bytemuck::Zeroable;

/// Elements of a row.
pub(crate) const ROW: usize = 16;

/// Going down: blocks are halved, products before sums.
pub(crate) const DOWN: bool = true;
/// Going up: the transpose.
pub(crate) const UP: bool = false;

/// An element in memory.
pub(crate) type Raw<T> = <<T as Tiles>::Field as Field>::Raw;

/// Elements that whole vectors are read from and written to.
#[repr(align(64))]
pub(crate) struct Aligned<T>(pub T);

/// Arithmetic on rows of a prime field; there is one only where the processor has what it takes.
pub(crate) trait Tiles: Sync + Sized {
    /// Whose elements.
    type Field: PrimeField;
    /// Sixteen of them.
    type Row: Copy + Send + Sync;
    /// Twiddles of a network of `2^k` rows.
    type Tree: Sync;
    /// A factor of all elements.
    type Constant: Sync;
    /// Log of the rows of a tile, at most.
    const LOG_ROWS: u32;

    /// The arithmetic, if the processor has it and may use it.
    fn available() -> Option<Self>;
    /// A row of zeros.
    fn zero(&self) -> Self::Row;
    /// Of the twiddle of block `i` of level `l`, at `(l, i)`, for `levels` levels.
    fn tree(&self, levels: u32, twiddle: impl Fn(u32, usize) -> Self::Field) -> Self::Tree;
    /// Of a field element.
    fn constant(&self, by: Self::Field) -> Self::Constant;
    /// Rows from elements: `elements` of `ROW` a row, or transposed, of as many for each element of the rows.
    fn load(&self, elements: &[Raw<Self>], rows: &mut [Self::Row], transposed: bool);
    /// The reverse of [`Tiles::load`]: numbers that fit the memory form, `canonical` ones if asked.
    fn store(&self, rows: &[Self::Row], elements: &mut [Raw<Self>], transposed: bool, canonical: bool);
    /// Rows from elements where they are: those of row `j` from `start + stride·j` on, or `j` reversed.
    ///
    /// # Safety
    /// [`ROW`] elements at each place may be read.
    unsafe fn gather(&self, start: *const Raw<Self>, stride: usize, reverse: bool, rows: &mut [Self::Row]) {
        let mut elements = Aligned([Raw::<Self>::zeroed(); ROW]);
        for j in 0..rows.len() {
            let at = if reverse { reversed(j, rows.len()) } else { j };
            // SAFETY: by contract; elements are plain data.
            unsafe { elements.0.as_mut_ptr().copy_from_nonoverlapping(start.add(at * stride), ROW) };
            self.load(&elements.0, &mut rows[j..=j], false);
        }
    }
    /// The reverse of [`Tiles::gather`], numbers that fit the memory form, `canonical` ones if asked.
    ///
    /// # Safety
    /// [`ROW`] elements at each place may be written, and nobody else accesses them meanwhile.
    unsafe fn scatter(&self, rows: &[Self::Row], start: *mut Raw<Self>, stride: usize, reverse: bool, canonical: bool) {
        let mut elements = Aligned([Raw::<Self>::zeroed(); ROW]);
        for j in 0..rows.len() {
            let at = if reverse { reversed(j, rows.len()) } else { j };
            self.store(&rows[j..=j], &mut elements.0, false, canonical);
            // SAFETY: by contract; elements are plain data.
            unsafe { start.add(at * stride).copy_from_nonoverlapping(elements.0.as_ptr(), ROW) };
        }
    }
    /// Rows from columns where they are: element `i` of row `j` from `starts[i] + j`; a multiple of [`ROW`] rows.
    ///
    /// # Safety
    /// As many elements as there are rows may be read at each place.
    unsafe fn gather_columns(&self, starts: &[*const Raw<Self>; ROW], rows: &mut [Self::Row]) {
        let mut elements = Aligned([[Raw::<Self>::zeroed(); ROW]; ROW]);
        for (j, rows) in rows.chunks_exact_mut(ROW).enumerate() {
            for i in 0..ROW {
                // SAFETY: by contract; elements are plain data.
                unsafe { elements.0[i].as_mut_ptr().copy_from_nonoverlapping(starts[i].add(j * ROW), ROW) };
            }
            self.load(elements.0.as_flattened(), rows, true);
        }
    }
    /// The reverse of [`Tiles::gather_columns`], numbers that fit the memory form, `canonical` ones if asked.
    ///
    /// # Safety
    /// As many elements as there are rows may be written at each place, and nobody else accesses them meanwhile.
    unsafe fn scatter_columns(&self, rows: &[Self::Row], starts: &[*mut Raw<Self>; ROW], canonical: bool) {
        let mut elements = Aligned([[Raw::<Self>::zeroed(); ROW]; ROW]);
        for (j, rows) in rows.chunks_exact(ROW).enumerate() {
            self.store(rows, elements.0.as_flattened_mut(), true, canonical);
            for i in 0..ROW {
                // SAFETY: by contract; elements are plain data.
                unsafe { starts[i].add(j * ROW).copy_from_nonoverlapping(elements.0[i].as_ptr(), ROW) };
            }
        }
    }
    /// All levels of the network of a tree with as many rows; rows are as they were loaded or twisted.
    fn network<const WAY: bool>(&self, rows: &mut [Self::Row], tree: &Self::Tree);
    /// Multiply element `i` of row `j` by `scale·bases[i]^j`, before a network going down or after one going up.
    fn twist<const WAY: bool>(&self, rows: &mut [Self::Row], scale: Self::Field, bases: &[Self::Field; ROW]);
    /// Multiply all elements by one number.
    fn scale(&self, rows: &mut [Self::Row], by: &Self::Constant);
}

/// The bits of `i` below `n`, a power of two, in reversed order.
#[inline(always)]
pub(super) fn reversed(i: usize, n: usize) -> usize {
    if n < 2 { i } else { i.reverse_bits() >> (n.leading_zeros() + 1) }
}
