//! Lines of elements, or of their indices, in order.
//!
//! Lines that fit a block are sorted at once, many side by side. Longer ones are sorted one after another by passes over each,
//! if they are long enough to fill the device, or few; else all together, by their elements and then, stably, by their lines.
#![allow(unsafe_code)]

use super::call::Call;
use super::radix::{Run, Turns, index_bytes};
use crate::array::{Array, Fresh};
use crate::{DType, Kind, bf16, f16};
use icicle_cuda::launch::Dim;
use icicle_error::{Error, Result};
use icicle_kernels::array_sort::{self as kernels, Bits, BlockTile, LANES_BLOCK, LINE_KERNELS, LINE_TILES, OrderMasks};
use icicle_kernels::names::ARRAY_SORT;
use icicle_kernels::signature::Owner;

/// What elements of a dtype mean.
///
/// # Errors
/// `Unsupported` for complex ones.
pub(super) fn bits(op: &'static str, dtype: DType) -> Result<Bits> {
    Ok(match dtype {
        DType::Float16 => Bits::Float(f16::INFINITY.to_bits().into()),
        DType::BFloat16 => Bits::Float(bf16::INFINITY.to_bits().into()),
        DType::Float32 => Bits::Float(f32::INFINITY.to_bits().into()),
        DType::Float64 => Bits::Float(f64::INFINITY.to_bits()),
        _ => match dtype.kind() {
            Kind::Signed => Bits::Signed,
            Kind::Bool | Kind::Unsigned => Bits::Unsigned,
            _ => return Err(Error::unsupported(op, format!("dtype {dtype} on a GPU: must be real"))),
        },
    })
}

/// How lines are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Each by the tile of that number.
    Tile(usize),
    /// One after another.
    Each,
    /// All together.
    Together,
}

/// Elements of a line from which on the passes over it take longer than their launches: a dozen of some microseconds, in which
/// a device moves a few MiB.
const LONG: u64 = 1 << 20;

fn way(lines: u64, length: u64) -> Way {
    match LINE_TILES.iter().position(|tile| length <= tile.size()) {
        Some(tile) => Way::Tile(tile),
        None if lines == 1 || length >= LONG => Way::Each,
        None => Way::Together,
    }
}

/// The blocks and threads that sort lines by a tile.
fn grid(tile: BlockTile, lines: u64) -> Result<(Dim, u32)> {
    // Kernels stride by the grid, which has one direction.
    const MOST: u64 = 1 << 30;
    let by_lanes = tile.threads <= 32;
    let (threads, per_block) = if by_lanes { (LANES_BLOCK, LANES_BLOCK / tile.threads) } else { (tile.threads, 1) };
    Ok((Dim::of_blocks(lines.div_ceil(per_block.into()).min(MOST))?, threads))
}

/// Lines of equal length, one after another on a device.
struct Lines {
    address: u64,
    key: usize,
    lines: u64,
    length: u64,
    order: OrderMasks,
}

/// The elements of each line of a dense array, whose last axis has lines' length, in order.
///
/// # Errors
/// `Unsupported` for complex elements, or without the kernels; `OutOfMemory`.
pub(crate) fn sort(op: &'static str, x: &Array, descending: bool) -> Result<Array> {
    let mut out = Fresh::new(op, x.device(), x.dtype(), x.shape())?;
    if !x.is_empty() {
        let call = Call::new(op, x.device())?;
        // SAFETY: dense, and as many elements in the result.
        unsafe { Lines::of(op, x, descending, false)?.sort(&call, out.start() as u64)? };
    }
    Ok(out.done())
}

/// The indices of the elements of each line in order, equal ones as they were: as [`sort`].
///
/// # Errors
/// As [`sort`].
pub(crate) fn argsort(op: &'static str, x: &Array, descending: bool) -> Result<Array> {
    let mut out = Fresh::new(op, x.device(), DType::Int64, x.shape())?;
    if !x.is_empty() {
        let call = Call::new(op, x.device())?;
        // SAFETY: dense, and as many elements in the result.
        unsafe { Lines::of(op, x, descending, true)?.argsort(&call, out.start() as u64)? };
    }
    Ok(out.done())
}

impl Lines {
    /// Those along the last axis of an array that is not empty.
    fn of(op: &'static str, x: &Array, descending: bool, ranked: bool) -> Result<Self> {
        let (length, key) = (x.shape().last().copied().unwrap_or(1), x.dtype().bytes());
        let order = bits(op, x.dtype())?.order(key, descending, ranked);
        let lines = (x.len() / length) as u64;
        Ok(Self { address: x.as_ptr()? as u64, key, lines, length: length as u64, order })
    }

    fn n(&self) -> u64 {
        self.lines * self.length
    }

    fn owner(&self) -> Owner {
        Owner::Bytes(self.key)
    }

    /// The lines' elements in order, at `out`.
    ///
    /// # Safety
    /// The lines lie on the call's device, and as many bytes can be written at `out`, elsewhere.
    unsafe fn sort(&self, call: &Call, out: u64) -> Result<()> {
        match way(self.lines, self.length) {
            // SAFETY: the caller's.
            Way::Tile(tile) => unsafe { self.by_tile(call, tile, false, out) },
            Way::Each => {
                let run = Run { n: self.length, key: self.key, bits: self.key as u32 * 8, order: self.order };
                let bytes = self.length * self.key as u64;
                let other = call.scratch(if run.passes() > 1 { bytes as usize } else { 0 })?;
                (0..self.lines).try_for_each(|line| {
                    let to = out + line * bytes;
                    let buffers = if run.passes() % 2 == 1 { [to, other.address()] } else { [other.address(), to] };
                    let keys = Turns { from: self.address + line * bytes, buffers };
                    // SAFETY: the caller's, and scratch as long as a line; lines follow each other in the stream.
                    unsafe { run.sort(call, keys, None) }
                })
            }
            Way::Together => {
                let sorted = self.together(call)?;
                let (keys, indices, grid) = (self.address, sorted.address, elements(call, self.n()));
                let owner = self.owner();
                // SAFETY: the caller's; indices of elements, as many.
                unsafe {
                    match index_bytes(self.n()) {
                        4 => {
                            let arguments = (keys, indices, out, self.n() as u32, self.order);
                            call.launch(ARRAY_SORT, (owner, kernels::GATHER32), grid, arguments)
                        }
                        _ => {
                            let arguments = (keys, indices, out, self.n(), self.order);
                            call.launch(ARRAY_SORT, (owner, kernels::GATHER64), grid, arguments)
                        }
                    }
                }
            }
        }
    }

    /// The indices of the lines' elements in order, in `int64` at `out`.
    ///
    /// # Safety
    /// As [`Lines::sort`].
    unsafe fn argsort(&self, call: &Call, out: u64) -> Result<()> {
        match way(self.lines, self.length) {
            // SAFETY: the caller's.
            Way::Tile(tile) => unsafe { self.by_tile(call, tile, true, out) },
            Way::Each => (0..self.lines).try_for_each(|line| {
                let address = self.address + line * self.length * self.key as u64;
                let sorted = Self { lines: 1, address, ..*self }.together(call)?;
                // SAFETY: the caller's; indices of one line's elements.
                unsafe { self.places(call, self.length, sorted.address, out + line * self.length * 8) }
            }),
            Way::Together => {
                let sorted = self.together(call)?;
                // SAFETY: the caller's; indices of all elements, as many.
                unsafe { self.places(call, self.n(), sorted.address, out) }
            }
        }
    }

    /// # Safety
    /// As [`Lines::sort`].
    unsafe fn by_tile(&self, call: &Call, tile: usize, indices: bool, out: u64) -> Result<()> {
        let kernel = LINE_KERNELS[tile][usize::from(indices)];
        let arguments = (self.address, out, self.lines, self.length as u32, self.order);
        // SAFETY: the caller's.
        unsafe { call.launch(ARRAY_SORT, (self.owner(), kernel), grid(LINE_TILES[tile], self.lines)?, arguments) }
    }

    /// Indices among all elements of the lines, in the lines' order and within each in that of its elements.
    fn together(&self, call: &Call) -> Result<Indices> {
        let (n, width) = (self.n(), index_bytes(self.n()));
        let run = Run { n, key: self.key, bits: self.key as u32 * 8, order: self.order };
        let by_line = (self.lines > 1).then(|| Run {
            n,
            key: LINE_KEY,
            bits: u64::BITS - (self.lines - 1).leading_zeros(),
            order: Bits::Unsigned.order(LINE_KEY, false, false),
        });
        let memory = call.scratch(2 * n as usize * width)?;
        let both = [memory.address(), memory.address() + n * width as u64];
        // Keys that passes write; lines' numbers follow in the same memory, once the keys are done with.
        let key = if by_line.is_some() { LINE_KEY.max(self.key) } else { self.key };
        let keys = call.scratch(2 * n as usize * key)?;
        let of_keys = |bytes: usize| [keys.address(), keys.address() + n * bytes as u64];
        let grid = elements(call, n);
        // SAFETY: scratch of these lengths, and the lines' elements.
        unsafe {
            match width {
                4 => call.launch(ARRAY_SORT, (Owner::Any, kernels::NUMBER32), grid, (both[0], n as u32))?,
                _ => call.launch(ARRAY_SORT, (Owner::Any, kernels::NUMBER64), grid, (both[0], n))?,
            }
            let mut indices = Turns { from: both[0], buffers: [both[1], both[0]] };
            run.sort(call, Turns { from: self.address, buffers: of_keys(self.key) }, Some(indices))?;
            let mut address = indices.last(run.passes());
            if let Some(by_line) = by_line {
                let [numbers, other] = of_keys(LINE_KEY);
                let arguments = (address, numbers);
                match width {
                    4 => {
                        let arguments = (arguments.0, arguments.1, n as u32, self.length as u32);
                        call.launch(ARRAY_SORT, (Owner::Any, kernels::LINE_NUMBERS32), grid, arguments)?;
                    }
                    _ => {
                        let arguments = (arguments.0, arguments.1, n, self.length);
                        call.launch(ARRAY_SORT, (Owner::Any, kernels::LINE_NUMBERS64), grid, arguments)?;
                    }
                }
                let free = if address == both[0] { both[1] } else { both[0] };
                indices = Turns { from: address, buffers: [free, address] };
                by_line.sort(call, Turns { from: numbers, buffers: [other, numbers] }, Some(indices))?;
                address = indices.last(by_line.passes());
            }
            Ok(Indices { address, _memory: memory })
        }
    }

    /// The places within their lines of `n` indices, which are in the lines' order.
    ///
    /// # Safety
    /// So many indices of the width of so many elements can be read, and `int64` written at `out`, on the call's device.
    unsafe fn places(&self, call: &Call, n: u64, indices: u64, out: u64) -> Result<()> {
        let (owner, grid) = (Owner::Any, elements(call, n));
        // SAFETY: the caller's.
        unsafe {
            match index_bytes(n) {
                4 => {
                    let arguments = (indices, out, n as u32, self.length as u32);
                    call.launch(ARRAY_SORT, (owner, kernels::PLACES32), grid, arguments)
                }
                _ => call.launch(ARRAY_SORT, (owner, kernels::PLACES64), grid, (indices, out, n, self.length)),
            }
        }
    }
}

/// Bytes of a line's number: lines that are sorted together have thousands of elements, so there are fewer than 2³².
const LINE_KEY: usize = 4;

/// Sorted indices, in scratch memory.
struct Indices {
    address: u64,
    _memory: icicle_cuda::scratch::Scratch,
}

/// The grid of kernels that stride over so many elements: four waves, which evens out the tail.
pub(super) fn elements(call: &Call, n: u64) -> (Dim, u32) {
    const THREADS: u32 = 256;
    (Dim::for_items(n, THREADS, call.sms * (2048 / THREADS) * 4), THREADS)
}
