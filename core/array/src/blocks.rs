//! Elementwise work by blocks that stay in the first-level cache.
//!
//! Each operand gives its elements, in the order of the result, as dense memory of the dtype that is computed in: its own
//! memory where that is so already, else a block to which they are gathered and cast. So an operation needs one loop for
//! each dtype, over dense memory, which the compiler vectorises; strides, broadcasting and promotion are none of its concern.
#![allow(unsafe_code)] // memory by address

use crate::DType;
use crate::array::{Array, Fresh, on_cpu};
use crate::cast::{Cast, cast};
use crate::layout::{Layout, broadcast_shapes};
use crate::walk::{Walk, gather};
use icicle_cpu::blocks::{Work, for_ranges};
use icicle_device::Device;
use icicle_error::Result;
use std::mem::MaybeUninit;

/// Elements of a block.
pub(crate) const BLOCK: usize = 512;

/// Elements that a loop takes at once where no operand needs a block.
const RUN: usize = 1 << 14;

/// Memory for a block of any elements.
#[repr(align(64))]
pub(crate) struct Room(MaybeUninit<[u8; 16 * BLOCK]>);

impl Room {
    /// One of any content, which costs nothing to make.
    pub(crate) const NEW: Self = Self(MaybeUninit::uninit());

    pub(crate) fn start(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

/// Memory with which an operand gives its blocks.
pub(crate) struct Rooms {
    gathered: Room,
    between: Room,
    cast: Room,
}

impl Rooms {
    /// Some of any content, which cost nothing to make: had they a field of some value, all of it would be copied.
    pub(crate) const NEW: Self = Self { gathered: Room::NEW, between: Room::NEW, cast: Room::NEW };
}

/// What an elementwise operation runs over: the common shape, and the order of axes in which memory is best read.
pub(crate) struct Job {
    op: &'static str,
    device: Device,
    dtype: DType,
    shape: Vec<usize>,
    /// Axes from the one of the largest stride to that of the smallest, if that is not the order they have.
    order: Option<Vec<usize>>,
}

impl Job {
    /// What operands and a result's dtype make.
    ///
    /// # Errors
    /// `InvalidArgument` if shapes do not go together, devices differ; `Unsupported` if they are no CPU.
    pub(crate) fn new(op: &'static str, operands: &[&Array], dtype: DType) -> Result<Self> {
        let device = on_cpu(op, operands)?;
        let first = operands.first().map_or(&[][..], |array| array.shape());
        let shape = match operands.iter().all(|array| array.shape() == first) {
            true => first.to_vec(),
            false => broadcast_shapes(op, &operands.iter().map(|array| array.shape()).collect::<Vec<_>>())?,
        };
        let order = operands.iter().find(|array| array.shape() == shape && !array.is_dense());
        let order = order.and_then(|array| memory_order(&array.layout));
        Ok(Self { op, device, dtype, shape, order })
    }

    /// As [`Job::new`], for results that lie in C order.
    pub(crate) fn in_order(op: &'static str, operands: &[&Array], dtype: DType) -> Result<Self> {
        Ok(Self { order: None, ..Self::new(op, operands, dtype)? })
    }

    /// An operand in the job's shape and order.
    pub(crate) fn operand(&self, array: &Array) -> Result<Array> {
        let layout = array.layout.broadcast_to(self.op, &self.shape)?;
        Ok(array.with_layout(match &self.order {
            Some(order) => layout.permuted(order),
            None => layout,
        }))
    }

    /// Memory for the result.
    pub(crate) fn out(&self) -> Result<Fresh> {
        match &self.order {
            None => Fresh::new(self.op, self.device, self.dtype, &self.shape),
            Some(order) => {
                let shape: Vec<_> = order.iter().map(|&k| self.shape[k]).collect();
                Fresh::new(self.op, self.device, self.dtype, &shape)
            }
        }
    }

    /// Elements of the result.
    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The result, its axes in their order.
    pub(crate) fn finish(&self, out: Fresh) -> Array {
        let out = out.done();
        let Some(order) = &self.order else {
            return out;
        };
        let mut back = vec![0; order.len()];
        order.iter().enumerate().for_each(|(k, &axis)| back[axis] = k);
        let layout = out.layout.permuted(&back);
        out.with_layout(layout)
    }
}

/// The order of axes by falling stride, if it is another than theirs.
fn memory_order(layout: &Layout) -> Option<Vec<usize>> {
    let mut order: Vec<_> = (0..layout.shape.len()).collect();
    order.sort_by_key(|&k| std::cmp::Reverse(layout.strides[k].unsigned_abs()));
    (!order.is_sorted()).then_some(order)
}

/// An operand that gives its elements as dense blocks of a dtype.
pub(crate) struct Source {
    array: Array,
    walk: Walk,
    cast: Option<Cast>,
    from_bytes: usize,
    to_bytes: usize,
}

// SAFETY: shared memory of an array is only read.
unsafe impl Sync for Source {}

impl Source {
    /// An operand, to be given in a dtype.
    ///
    /// # Errors
    /// `InvalidArgument` if it cannot be cast.
    pub(crate) fn new(op: &'static str, array: Array, to: DType) -> Result<Self> {
        let walk = Walk::new(array.shape(), array.strides());
        let cast = cast(op, array.dtype(), to)?;
        let from_bytes = array.dtype().bytes();
        Ok(Self { array, walk, cast, from_bytes, to_bytes: to.bytes() })
    }

    /// Whether its own memory is what it gives.
    pub(crate) fn is_direct(&self) -> bool {
        self.cast.is_none() && self.walk.is_dense()
    }

    /// Elements `start..start + n`, dense; no more than a block of them unless it is direct. `filled` is how many elements of
    /// the rooms hold a constant already: 0 for new ones.
    ///
    /// # Safety
    /// It has these elements. They are valid until the rooms are used again.
    #[inline]
    pub(crate) unsafe fn block(&self, start: usize, n: usize, rooms: &mut Rooms, filled: &mut usize) -> *const u8 {
        let base = self.array.as_ptr();
        // SAFETY: a layout stays within its storage, a room takes a block of any elements.
        unsafe {
            if self.walk.is_constant() {
                if n > *filled {
                    gather(base, self.from_bytes, &self.walk, 0, n, rooms.gathered.start());
                    self.casted(n, rooms.gathered.start(), rooms);
                    *filled = n;
                }
                return if self.cast.is_some() { rooms.cast.start() } else { rooms.gathered.start() };
            }
            let dense = if self.walk.is_dense() {
                base.add(start * self.from_bytes)
            } else {
                gather(base, self.from_bytes, &self.walk, start, n, rooms.gathered.start());
                rooms.gathered.start()
            };
            self.casted(n, dense, rooms)
        }
    }

    /// # Safety
    /// `from` holds `n` elements, no more than a block if they must be cast.
    unsafe fn casted(&self, n: usize, from: *const u8, rooms: &mut Rooms) -> *const u8 {
        let Some(cast) = self.cast else {
            return from;
        };
        // SAFETY: a room takes a block; those read and written differ.
        unsafe { cast.run(n, from, rooms.between.start(), rooms.cast.start()) };
        rooms.cast.start()
    }

    /// Bytes of an element where it lies.
    pub(crate) fn bytes(&self) -> usize {
        if self.walk.is_constant() { 0 } else { self.from_bytes.max(self.to_bytes) }
    }
}

impl Cast {
    /// # Safety
    /// `from` holds `n` elements, `to` takes them, `between` a block, and none overlap.
    pub(crate) unsafe fn run(&self, n: usize, from: *const u8, between: *mut u8, to: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            match self.second {
                None => (self.first)(n, from, to),
                Some((_, second)) => {
                    (self.first)(n, from, between);
                    second(n, between, to);
                }
            }
        }
    }
}

/// Where results go: dense memory, cast to its dtype.
pub(crate) struct Sink {
    start: *mut u8,
    bytes: usize,
    cast: Option<Cast>,
}

// SAFETY: tasks write disjoint ranges.
unsafe impl Sync for Sink {}

impl Sink {
    /// A result's memory, and the dtype that is computed in.
    ///
    /// # Errors
    /// `InvalidArgument` if that cannot be cast to the result's.
    pub(crate) fn new(op: &'static str, out: &mut Fresh, from: DType) -> Result<Self> {
        let to = out.dtype();
        Ok(Self { start: out.start(), bytes: to.bytes(), cast: cast(op, from, to)? })
    }
}

/// Compute all elements of a job: `run` gets a number of elements, dense operands, and dense memory for as many results.
pub(crate) fn evaluate<const N: usize>(
    job: &Job,
    sources: &[Source; N],
    sink: Sink,
    work: Work,
    run: &(dyn Fn(usize, [*const u8; N], *mut u8) + Sync),
) {
    let direct = sources.iter().all(Source::is_direct) && sink.cast.is_none();
    let bytes = sink.bytes + sources.iter().map(Source::bytes).sum::<usize>();
    let sink = &sink;
    if !direct {
        return for_ranges(job.len(), bytes, work, |range| staged(sources, sink, range, run));
    }
    for_ranges(job.len(), bytes, work, |range| {
        for start in range.clone().step_by(RUN) {
            let from = sources.each_ref().map(|source| source.array.as_ptr().wrapping_add(start * source.from_bytes));
            run(RUN.min(range.end - start), from, sink.start.wrapping_add(start * sink.bytes));
        }
    });
}

/// A range of which some operands, or the results, go by way of blocks.
fn staged<const N: usize>(
    sources: &[Source; N],
    sink: &Sink,
    range: std::ops::Range<usize>,
    run: &(dyn Fn(usize, [*const u8; N], *mut u8) + Sync),
) {
    let (mut rooms, mut filled) = ([const { Rooms::NEW }; N], [0; N]);
    let (mut result, mut between) = (Room::NEW, Room::NEW);
    for start in range.clone().step_by(BLOCK) {
        let n = BLOCK.min(range.end - start);
        // SAFETY: each operand has all elements of the job, the sink takes them; no more than a block.
        unsafe {
            let mut blocks = [std::ptr::null(); N];
            for (k, source) in sources.iter().enumerate() {
                blocks[k] = source.block(start, n, &mut rooms[k], &mut filled[k]);
            }
            let to = sink.start.add(start * sink.bytes);
            match &sink.cast {
                None => run(n, blocks, to),
                Some(cast) => {
                    run(n, blocks, result.start());
                    cast.run(n, result.start(), between.start(), to);
                }
            }
        }
    }
}
