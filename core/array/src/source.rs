//! What gives an operation its elements: dense blocks of a dtype, from memory or computed; and results written by them.
//!
//! An operand gives its elements, in the order of the result, as dense memory of the dtype that is computed in: its own
//! memory where that is so already, else a block to which they are gathered, cast or computed. So an operation needs one loop
//! for each dtype, over dense memory, which the compiler vectorises; strides, broadcasting and promotion are none of its
//! concern.
#![allow(unsafe_code)] // memory by address

use crate::DType;
use crate::array::{Array, Fresh, Pending};
use crate::cast::cast;
use crate::chain::{Asks, passes};
use crate::job::Order;
use crate::step::{Kernel, Loop, OPERANDS, Step};
use crate::storage::Storage;
use crate::walk::{Walk, gather};
use icicle_cpu::blocks::{Work, for_ranges};
use icicle_error::Result;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// Bytes of a block, within these numbers of elements: few enough that those of a task stay in the first-level cache, and many
/// enough that what is done once a block weighs little. Memory is prefetched best in turns of this length.
const BYTES: usize = 4096;
const LEAST: usize = 512;
const MOST: usize = 1024;

/// Elements that a loop takes at once where no operand needs a block.
const RUN: usize = 1 << 14;

/// Bytes of all blocks of a task, which are on its thread's stack.
const SCRATCH: usize = 128 << 10;
/// Bytes that a task of few blocks reserves.
const SMALL: usize = 16 << 10;
/// Constants among the operands of a task.
const CONSTANTS: usize = 16;

/// What gives elements.
pub(crate) struct Source {
    origin: Origin,
    /// The loops that cast them, and the block that each reads.
    casts: Vec<(Loop, Block)>,
    /// Its block, unless it needs none.
    block: Block,
    /// Which constant of the task it is, if it is one.
    constant: Option<usize>,
    /// Bytes of an element it gives.
    bytes: usize,
}

enum Origin {
    /// An array's elements, which the storage keeps.
    Memory { _storage: Arc<Storage>, start: *const u8, walk: Walk, bytes: usize },
    /// An operation's results.
    Step { step: Step, operands: Vec<Source> },
}

// SAFETY: shared memory of an array is only read.
unsafe impl Sync for Source {}

/// A block of a draft: the bytes of those before it, for each element.
#[derive(Clone, Copy, Default)]
pub(crate) struct Block(usize);

/// What blocks the sources of a task need.
#[derive(Clone)]
pub(crate) struct Draft {
    op: &'static str,
    /// Bytes of an element of all blocks.
    room: usize,
    /// Bytes of an element of the widest.
    widest: usize,
    constants: usize,
    /// Bytes read for each element.
    pub(crate) bytes: usize,
}

impl Draft {
    pub(crate) fn new(op: &'static str) -> Self {
        Self { op, room: 0, widest: 1, constants: 0, bytes: 0 }
    }

    /// Whether a task has room for all blocks. Three operands from memory always have.
    pub(crate) fn fits(&self) -> bool {
        self.room * LEAST <= SCRATCH && self.constants <= CONSTANTS
    }

    /// Elements that a task takes at once: a block, or more if it needs none.
    pub(crate) fn at_once(&self) -> usize {
        if self.is_direct() { RUN } else { self.elements() }
    }

    /// Elements of its blocks.
    fn elements(&self) -> usize {
        let elements = (BYTES / self.widest).clamp(LEAST, MOST);
        if self.room * elements <= SCRATCH { elements } else { LEAST }
    }

    /// Whether no block is needed.
    pub(crate) fn is_direct(&self) -> bool {
        self.room == 0
    }

    /// Room for a block of elements of so many bytes.
    pub(crate) fn reserve(&mut self, bytes: usize) -> Block {
        let block = Block(self.room);
        self.room += bytes;
        self.widest = self.widest.max(bytes);
        block
    }

    /// A source as what an operation reads: with a block, if it needs one.
    fn read(&mut self, mut source: Source) -> Source {
        if !source.is_direct() {
            source.block = self.reserve(source.bytes);
        }
        source
    }

    /// An operand's elements in an order, as a dtype: from memory, or computed block by block.
    ///
    /// # Errors
    /// `InvalidArgument` if it does not broadcast or cannot be cast; `OutOfMemory`.
    pub(crate) fn operand(&mut self, order: &Order, array: &Array, to: DType, asks: Asks) -> Result<Source> {
        if let Some(pending) = array.pending()
            && passes(pending, array, order, asks)
            && let Some(source) = self.inline(order, pending, to)?
        {
            return Ok(source);
        }
        self.memory(order, array, to)
    }

    /// What an operation gives, computed block by block; none if it has been computed, or the blocks have no room.
    fn inline(&mut self, order: &Order, pending: &Pending, to: DType) -> Result<Option<Source>> {
        let operands = pending.operands();
        if operands.is_empty() {
            return Ok(None);
        }
        let before = self.clone();
        let source = self.step(order, pending.step, &operands.iter().collect::<Vec<_>>(), pending.dtype)?;
        let source = self.cast(source, pending.dtype, to)?;
        if self.fits() {
            return Ok(Some(source));
        }
        *self = before;
        Ok(None)
    }

    /// An array's elements in an order, as a dtype, from memory.
    ///
    /// # Errors
    /// `InvalidArgument` if it does not broadcast or cannot be cast; `OutOfMemory`.
    pub(crate) fn memory(&mut self, order: &Order, array: &Array, to: DType) -> Result<Source> {
        let layout = order.arrange(self.op, &array.layout)?;
        let storage = Arc::clone(array.storage()?);
        let walk = Walk::new(&layout.shape, &layout.strides);
        let bytes = array.dtype().bytes();
        let constant = walk.is_constant().then_some(self.constants);
        match constant {
            Some(_) => self.constants += 1,
            None => self.bytes += bytes,
        }
        let start = storage.as_ptr().wrapping_add(layout.offset * bytes);
        let origin = Origin::Memory { _storage: storage, start, walk, bytes };
        self.cast(Source { origin, casts: Vec::new(), block: Block::default(), constant, bytes }, array.dtype(), to)
    }

    /// An operation's results in an order, as a dtype.
    ///
    /// # Errors
    /// `InvalidArgument` if an operand does not broadcast or cannot be cast; `OutOfMemory`.
    pub(crate) fn step(&mut self, order: &Order, step: Step, operands: &[&Array], to: DType) -> Result<Source> {
        if matches!(step.kernel, Kernel::Cast) {
            return self.operand(order, operands[0], to, Asks::Chain);
        }
        let mut sources = Vec::with_capacity(operands.len());
        for (array, takes) in operands.iter().zip(step.takes) {
            let source = self.operand(order, array, takes, Asks::Chain)?;
            sources.push(self.read(source));
        }
        let origin = Origin::Step { step, operands: sources };
        let source =
            Source { origin, casts: Vec::new(), block: Block::default(), constant: None, bytes: step.gives.bytes() };
        self.cast(source, step.gives, to)
    }

    /// A source's elements as another dtype.
    ///
    /// # Errors
    /// `InvalidArgument` if they cannot be cast.
    pub(crate) fn cast(&mut self, mut source: Source, from: DType, to: DType) -> Result<Source> {
        if let Some(cast) = cast(self.op, from, to)? {
            source.casts.push((cast.first, self.reserve(from.bytes())));
            if let Some((between, second)) = cast.second {
                source.casts.push((second, self.reserve(between.bytes())));
            }
            source.bytes = to.bytes();
        }
        Ok(source)
    }

    /// An array's elements in an order, as a dtype, for a call that reads them block by block.
    ///
    /// # Errors
    /// As [`Draft::memory`].
    pub(crate) fn reading(op: &'static str, order: &Order, array: &Array, to: DType) -> Result<(Self, Source)> {
        let mut draft = Self::new(op);
        let source = draft.operand(order, array, to, Asks::Call)?;
        let source = draft.read(source);
        Ok((draft, source))
    }

    /// Do a task with memory for its blocks.
    pub(crate) fn with(&self, task: impl FnOnce(&mut Scratch)) {
        let elements = self.elements();
        match self.room * elements {
            0 => task(&mut Scratch::over(std::ptr::dangling_mut(), elements)),
            1..=SMALL => on_stack::<SMALL>(elements, task),
            _ => on_stack::<SCRATCH>(elements, task),
        }
    }
}

impl Kernel {
    /// # Safety
    /// The operands are `n` dense elements each of the loop's dtypes; `to` takes as many results and lies elsewhere.
    unsafe fn run(self, n: usize, [x, y, z]: [*const u8; OPERANDS], to: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            match self {
                // Its operand stands for it: see `Draft::step`.
                Self::Cast => {}
                Self::One(run) => run(n, x, to),
                Self::Two(run) => run(n, x, y, to),
                Self::Three(run) => run(n, x, y, z, to),
            }
        }
    }
}

#[repr(align(64))]
struct Room<const N: usize>(MaybeUninit<[u8; N]>);

#[inline(never)]
fn on_stack<const N: usize>(elements: usize, task: impl FnOnce(&mut Scratch)) {
    let mut room = Room::<N>(MaybeUninit::uninit());
    task(&mut Scratch::over(room.0.as_mut_ptr().cast(), elements));
}

/// Memory for the blocks of a task's sources.
pub(crate) struct Scratch {
    start: *mut u8,
    /// Elements of a block.
    elements: usize,
    /// Elements that each constant's block holds already.
    filled: [u16; CONSTANTS],
}

impl Scratch {
    fn over(start: *mut u8, elements: usize) -> Self {
        Self { start, elements, filled: [0; CONSTANTS] }
    }
    /// A block that was reserved.
    pub(crate) fn at(&self, block: Block) -> *mut u8 {
        self.start.wrapping_add(block.0 * self.elements)
    }
}

impl Source {
    /// Whether its own memory is what it gives.
    pub(crate) fn is_direct(&self) -> bool {
        self.casts.is_empty() && matches!(&self.origin, Origin::Memory { walk, .. } if walk.is_dense())
    }

    /// Elements `start..start + n`, dense, valid until the scratch is used for others of this source.
    ///
    /// # Safety
    /// It has these elements, no more than a step of its draft unless that needs no blocks; the scratch is that draft's.
    #[inline]
    pub(crate) unsafe fn block(&self, start: usize, n: usize, scratch: &mut Scratch) -> *const u8 {
        if let Origin::Memory { start: base, walk, bytes, .. } = &self.origin
            && self.casts.is_empty()
            && walk.is_dense()
        {
            return base.wrapping_add(start * bytes);
        }
        let to = scratch.at(self.block);
        let Some(slot) = self.constant else {
            // SAFETY: the caller's; the block takes as many.
            unsafe { self.write(start, n, scratch, to) };
            return to;
        };
        if n > usize::from(scratch.filled[slot]) {
            // SAFETY: as above.
            unsafe { self.write(0, n, scratch, to) };
            // A block has fewer than 2^16 elements.
            scratch.filled[slot] = n as u16;
        }
        to
    }

    /// Write elements `start..start + n` to dense memory.
    ///
    /// # Safety
    /// As [`Source::block`]; `to` takes them and lies elsewhere.
    pub(crate) unsafe fn write(&self, start: usize, n: usize, scratch: &mut Scratch, to: *mut u8) {
        let place = |i: usize, scratch: &Scratch| self.casts.get(i).map_or(to, |&(_, block)| scratch.at(block));
        let first = place(0, scratch);
        // SAFETY: the caller's; a layout stays within its storage; blocks take what their sources give, and lie apart.
        unsafe {
            let mut from = match &self.origin {
                Origin::Memory { start: base, walk, bytes, .. } => {
                    if walk.is_dense() && !self.casts.is_empty() {
                        base.wrapping_add(start * bytes)
                    } else {
                        gather(*base, *bytes, walk, start, n, first);
                        first.cast_const()
                    }
                }
                Origin::Step { step, operands } => {
                    let mut blocks = [std::ptr::null(); OPERANDS];
                    for (block, operand) in blocks.iter_mut().zip(operands) {
                        *block = operand.block(start, n, scratch);
                    }
                    step.kernel.run(n, blocks, first);
                    first.cast_const()
                }
            };
            for (i, (run, _)) in self.casts.iter().enumerate() {
                let next = place(i + 1, scratch);
                run(n, from, next);
                from = next;
            }
        }
    }
}

/// Write a source's `n` elements to a result.
pub(crate) fn evaluate(draft: &Draft, source: &Source, n: usize, work: Work, out: &mut Fresh) {
    let step = draft.at_once();
    let size = out.dtype().bytes();
    let memory = Memory(out.start());
    for_ranges(n, draft.bytes + size, work, |range| {
        draft.with(|scratch| {
            for start in range.clone().step_by(step) {
                let n = step.min(range.end - start);
                // SAFETY: the source has all elements, the result takes them; no more than a step at once.
                unsafe { source.write(start, n, scratch, memory.at(start * size)) };
            }
        });
    });
}

/// Memory of which tasks write disjoint parts.
pub(crate) struct Memory(pub(crate) *mut u8);
// SAFETY: tasks write disjoint parts.
unsafe impl Sync for Memory {}
impl Memory {
    /// The address some bytes on.
    pub(crate) fn at(&self, bytes: usize) -> *mut u8 {
        self.0.wrapping_add(bytes)
    }
}
