//! What a transform's passes need of arithmetic in lanes: rows of sixteen elements, and networks of butterflies on tiles,
//! every element of a row by itself. Here between load and store, values are whatever is fastest to compute with.

use crate::{Field, PrimeField};
use bytemuck::Zeroable;
use icicle_error::Result;
use std::slice::{from_mut, from_ref};

/// Elements of a row.
pub const ROW: usize = 16;

/// Bytes of a cache line.
pub const LINE: usize = 64;

/// Going down: blocks are halved, products before sums.
pub const DOWN: bool = true;
/// Going up: the transpose.
pub const UP: bool = false;

/// An element in memory.
pub type Raw<T> = <<T as Tiles>::Field as Field>::Raw;

/// Elements that whole vectors are read from and written to.
#[repr(align(64))]
pub struct Aligned<T>(pub T);

/// Where rows of tiles that lie side by side are in memory.
#[derive(Clone, Copy)]
pub struct Strided<P> {
    /// The first tile's first row.
    pub start: P,
    /// Elements from row to row.
    pub stride: usize,
    /// Whether rows are bit-reversed.
    pub reverse: bool,
    /// Tiles, the rows of the next [`ROW`] elements behind.
    /// Distance to the next.
    pub beside: usize,
}

impl<P> Strided<P> {
    /// How far behind the start row `j` of `n` is.
    #[inline(always)]
    pub fn row(&self, j: usize, n: usize) -> usize {
        self.stride * if self.reverse { reversed(j, n) } else { j }
    }
}

/// One of the tiles that lie side by side.
#[derive(Clone, Copy)]
pub struct Tile {
    /// How many.
    pub number: usize,
    /// Distance to the next.
    pub beside: usize,
}

impl Tile {
    /// There are no others.
    pub const ONLY: Self = Self { number: 0, beside: 1 };

    /// Its rows among those of all.
    pub fn get<R: Copy>(self, rows: &[R], block: &mut [R]) {
        block.iter_mut().zip(rows.chunks_exact(self.beside)).for_each(|(row, all)| *row = all[self.number]);
    }

    /// The reverse.
    pub fn set<R: Copy>(self, rows: &mut [R], block: &[R]) {
        block.iter().zip(rows.chunks_exact_mut(self.beside)).for_each(|(&row, all)| all[self.number] = row);
    }
}

/// Arithmetic on rows of a prime field; there is one only where the processor has what it takes.
///
/// # Safety
/// Rows are vectors of integers: any bits are a row.
pub unsafe trait Tiles: Sync + Sized {
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
    /// Tiles side by side that are read and written together, at least: one cache line by itself costs as much to write as
    /// two that follow each other.
    const BESIDE: usize;
    /// Rows of all tiles together that are worth a task.
    const ROWS: usize;

    /// The arithmetic, if the processor has it and may use it.
    fn available() -> Option<Self>;
    /// A row of zeros.
    fn zero(&self) -> Self::Row;
    /// Of the twiddle of block `i` of level `l`, at `(l, i)`, for `levels` levels.
    ///
    /// # Errors
    /// `OutOfMemory` of the transform.
    fn tree(&self, levels: u32, twiddle: impl Fn(u32, usize) -> Self::Field) -> Result<Self::Tree>;
    /// Of a field element.
    fn constant(&self, by: Self::Field) -> Self::Constant;
    /// Rows from elements: `elements` of `ROW` a row, or transposed, of as many for each element of the rows.
    fn load(&self, elements: &[Raw<Self>], rows: &mut [Self::Row], transposed: bool);
    /// The reverse of [`Tiles::load`]: numbers that fit the memory form, `canonical` ones if asked.
    fn store(&self, rows: &[Self::Row], elements: &mut [Raw<Self>], transposed: bool, canonical: bool);
    /// Rows of tiles that lie side by side from elements where they are: row `j` of all of them, then row `j + 1`.
    ///
    /// # Safety
    /// [`ROW`] elements of each tile may be read at the place of each row.
    unsafe fn gather(&self, from: &Strided<*const Raw<Self>>, tiles: &mut [Self::Row]) {
        let mut elements = Aligned([Raw::<Self>::zeroed(); ROW]);
        let n = tiles.len() / from.beside;
        for j in 0..n {
            for k in 0..from.beside {
                // SAFETY: by contract; elements are plain data.
                unsafe {
                    elements.0.as_mut_ptr().copy_from_nonoverlapping(from.start.add(from.row(j, n) + k * ROW), ROW)
                };
                self.load(&elements.0, from_mut(&mut tiles[j * from.beside + k]), false);
            }
        }
    }
    /// The reverse of [`Tiles::gather`], numbers that fit the memory form, `canonical` ones if asked.
    ///
    /// # Safety
    /// [`ROW`] elements of each tile may be written at the place of each row, and nobody else accesses them meanwhile.
    unsafe fn scatter(&self, tiles: &[Self::Row], to: &Strided<*mut Raw<Self>>, canonical: bool) {
        let mut elements = Aligned([Raw::<Self>::zeroed(); ROW]);
        let n = tiles.len() / to.beside;
        for j in 0..n {
            for k in 0..to.beside {
                self.store(from_ref(&tiles[j * to.beside + k]), &mut elements.0, false, canonical);
                // SAFETY: by contract; elements are plain data.
                unsafe { to.start.add(to.row(j, n) + k * ROW).copy_from_nonoverlapping(elements.0.as_ptr(), ROW) };
            }
        }
    }
    /// Rows of one tile from columns where they are: element `i` of row `j` from `starts[i] + j`; a multiple of [`ROW`]
    /// rows of each of the tiles.
    ///
    /// # Safety
    /// As many elements as a tile has rows there may be read at each place.
    unsafe fn gather_columns(&self, starts: &[*const Raw<Self>; ROW], rows: &mut [Self::Row], tile: Tile) {
        let (mut elements, mut block) = (Aligned([[Raw::<Self>::zeroed(); ROW]; ROW]), [self.zero(); ROW]);
        for (j, rows) in rows.chunks_exact_mut(ROW * tile.beside).enumerate() {
            for i in 0..ROW {
                // SAFETY: by contract; elements are plain data.
                unsafe { elements.0[i].as_mut_ptr().copy_from_nonoverlapping(starts[i].add(j * ROW), ROW) };
            }
            self.load(elements.0.as_flattened(), &mut block, true);
            tile.set(rows, &block);
        }
    }
    /// The reverse of [`Tiles::gather_columns`], numbers that fit the memory form, `canonical` ones if asked.
    ///
    /// # Safety
    /// As many elements may be written at each place, and nobody else accesses them meanwhile.
    unsafe fn scatter_columns(&self, rows: &[Self::Row], tile: Tile, starts: &[*mut Raw<Self>; ROW], canonical: bool) {
        let (mut elements, mut block) = (Aligned([[Raw::<Self>::zeroed(); ROW]; ROW]), [self.zero(); ROW]);
        for (j, rows) in rows.chunks_exact(ROW * tile.beside).enumerate() {
            tile.get(rows, &mut block);
            self.store(&block, elements.0.as_flattened_mut(), true, canonical);
            for i in 0..ROW {
                // SAFETY: by contract; elements are plain data.
                unsafe { starts[i].add(j * ROW).copy_from_nonoverlapping(elements.0[i].as_ptr(), ROW) };
            }
        }
    }
    /// All levels of the network of a tree on tiles of as many rows; rows are as they were loaded or twisted.
    fn network<const WAY: bool>(&self, tiles: &mut [Self::Row], tree: &Self::Tree);
    /// Multiply element `i` of row `j` of a tile by `scale·bases[i]^j`, before a network going down or after one going up.
    fn twist<const WAY: bool>(
        &self,
        tiles: &mut [Self::Row],
        tile: Tile,
        scale: Self::Field,
        bases: &[Self::Field; ROW],
    );
    /// Multiply all elements by one number.
    fn scale(&self, rows: &mut [Self::Row], by: &Self::Constant);
}

/// The bits of `i` below `n`, a power of two, in reversed order.
#[inline(always)]
fn reversed(i: usize, n: usize) -> usize {
    if n < 2 { i } else { i.reverse_bits() >> (n.leading_zeros() + 1) }
}
