//! Operands of the host, taken in parts: while the device works on one, the next come and those before go back, both
//! directions of the link at once. Pageable memory is staged, page-locked memory copied as it lies.
#![allow(unsafe_code)]

use super::driver;
use super::gpu::Gpu;
use super::scratch::{In, Out, Scratch, finish};
use super::side::Side;
use super::staging::{CHUNK, Down, Up};
use super::{copy, host};
use icicle_device::{Dst, Exec, Place, Src};
use icicle_error::{ErrorCode, Result};
use std::collections::VecDeque;

/// Least bytes of operands on the host that are worth dividing: below, all of it takes about as long as its parts.
const DIVIDED_FROM: usize = 8 << 20;
/// Parts begin at multiples of as many units, if they have that many: kernels load 16 bytes at a time.
const UNITS: usize = 256;

/// Do `work` on all units of the operands, each of which is as many bytes of each operand: given are the addresses of the
/// sources' and the destination's part on the device, that of `spare` bytes a unit, and how many units it has. It must not
/// allocate, as the results of parts before may lie on the host already. Waits unless the caller does; where results lie
/// when is as for [`Out::finish`].
///
/// # Errors
/// `OutOfMemory`, `CopyFailed`, what `work` fails with.
pub fn each<const N: usize>(
    op: &'static str,
    exec: &Exec,
    units: usize,
    sources: [&Src<'_>; N],
    out: &Dst<'_>,
    spare: usize,
    work: impl Fn([u64; N], u64, u64, usize) -> Result<()>,
) -> Result<()> {
    let mut places = sources.iter().map(|src| (src.place(), src.bytes())).chain([(out.place(), out.bytes())]);
    let elsewhere = |place: Place| !copy::is_host(place) && place != Place::Device(exec.device());
    let on_host: usize = places.clone().filter(|&(place, _)| copy::is_host(place)).map(|(_, bytes)| bytes).sum();
    if units < 2 || on_host < DIVIDED_FROM || places.any(|(place, _)| elsewhere(place)) {
        let mut whole = Vec::with_capacity(N);
        for src in sources {
            whole.push(In::new(op, exec, src)?);
        }
        let out = Out::new(op, exec, out)?;
        let spare = Scratch::new(op, exec, spare * units)?;
        work(std::array::from_fn(|i| whole[i].address()), out.address(), spare.address(), units)?;
        return out.finish(op, exec);
    }
    // Device memory first: what frees it comes after the streams that copy have been waited for.
    let mut brought = Vec::with_capacity(N);
    for src in sources {
        brought.push(Memory::new(op, exec, (src.as_ptr().cast_mut(), src.place(), src.bytes()))?);
    }
    let back = Memory::new(op, exec, (out.as_ptr(), out.place(), out.bytes()))?;
    let (up, down) = (Side::new(op, exec)?, Side::new(op, exec)?);
    let way = Way { op, gpu: up.gpu(), up: &up, down: &down, units };
    // Parts use it one after another, in the order of the call's stream.
    let spare = Scratch::new(op, exec, spare * way.step(&brought, &back).min(units))?;
    way.run(&brought, &back, &|ins, out, count| work(std::array::from_fn(|i| ins[i]), out, spare.address(), count))?;
    drop((up, down));
    finish(op, exec)
}

/// An operand.
struct Memory {
    /// Where it lies, and whether the link reaches it there.
    host: Option<(*mut u8, bool)>,
    device: u64,
    bytes: usize,
    _scratch: Option<Scratch>,
}

impl Memory {
    fn new(op: &'static str, exec: &Exec, (ptr, place, bytes): (*mut u8, Place, usize)) -> Result<Self> {
        if !copy::is_host(place) {
            return Ok(Self { host: None, device: ptr as u64, bytes, _scratch: None });
        }
        let gpu = super::gpu::gpu(op, exec.device().index)?;
        let is_pinned = gpu.with(op, ErrorCode::Internal, || Ok(host::is_pinned(ptr, bytes)))?;
        let scratch = Scratch::new(op, exec, bytes)?;
        Ok(Self { host: Some((ptr, is_pinned)), device: scratch.address(), bytes, _scratch: Some(scratch) })
    }

    fn is_staged(&self) -> bool {
        matches!(self.host, Some((_, false)))
    }
}

/// Units `start .. start + count`, once as many chunks have been sent.
struct Part {
    start: usize,
    count: usize,
    chunks: usize,
}

type Work<'a> = &'a dyn Fn(&[u64], u64, usize) -> Result<()>;

/// What all parts share.
struct Way<'a> {
    op: &'static str,
    gpu: &'static Gpu,
    up: &'a Side,
    down: &'a Side,
    units: usize,
}

impl Way<'_> {
    /// Units of a part: a chunk of the operand with the largest ones.
    fn step(&self, operands: &[Memory], out: &Memory) -> usize {
        let largest = operands.iter().chain([out]).filter(|m| m.host.is_some()).map(|m| m.bytes).max().unwrap_or(0);
        let units = CHUNK / (largest / self.units).max(1);
        if units < UNITS { units.max(1) } else { units / UNITS * UNITS }
    }

    fn run(&self, operands: &[Memory], out: &Memory, work: Work<'_>) -> Result<()> {
        let lanes = &self.gpu.lanes;
        let new_up = || operands.iter().any(Memory::is_staged).then(|| Up::new(lanes, self.up.stream())).transpose();
        let new_down = || out.is_staged().then(|| Down::new(lanes, self.down.stream())).transpose();
        let mut up = self.gpu.with(self.op, ErrorCode::AllocationFailed, new_up)?;
        let mut down = self.gpu.with(self.op, ErrorCode::AllocationFailed, new_down)?;
        let step = self.step(operands, out);
        let mut waiting = VecDeque::new();
        for start in (0..self.units).step_by(step) {
            let count = step.min(self.units - start);
            for operand in operands {
                self.bring(operand, start, count, up.as_mut())?;
            }
            waiting.push_back(Part { start, count, chunks: up.as_ref().map_or(0, Up::begun) });
            let sent = up.as_ref().map_or(0, Up::sent);
            let ready = waiting.iter().take_while(|part: &&Part| part.chunks <= sent).count();
            for part in waiting.drain(..ready) {
                self.part(operands, out, &part, work, down.as_mut())?;
            }
        }
        if let Some(up) = up {
            self.gpu.with(self.op, ErrorCode::CopyFailed, || up.finish())?;
        }
        for part in waiting {
            self.part(operands, out, &part, work, down.as_mut())?;
        }
        match down {
            Some(down) => self.gpu.with(self.op, ErrorCode::CopyFailed, || down.finish()),
            None => Ok(()),
        }
    }

    /// Begin to copy a source's part to the device.
    fn bring(&self, operand: &Memory, start: usize, count: usize, up: Option<&mut Up<'_>>) -> Result<()> {
        let Some((ptr, _)) = operand.host else { return Ok(()) };
        let each = operand.bytes / self.units;
        let (at, bytes) = (start * each, count * each);
        let (src, dst) = (ptr.wrapping_add(at), operand.device + at as u64);
        self.gpu.with(self.op, ErrorCode::CopyFailed, || match up {
            // SAFETY: source and memory of the same length; the source is valid until the call's stream has passed, which
            // waits for this one, or if pageable until the call returns, before which the lane is waited for.
            Some(up) if operand.is_staged() => unsafe { up.push(dst, src, bytes) },
            // SAFETY: as above.
            _ => unsafe { driver::copy_to_device(dst, src, bytes, self.up.stream()) },
        })
    }

    /// Work on a part whose sources have been sent, and begin to copy its results back.
    fn part(
        &self,
        operands: &[Memory],
        out: &Memory,
        &Part { start, count, .. }: &Part,
        work: Work<'_>,
        down: Option<&mut Down<'_>>,
    ) -> Result<()> {
        let at = |memory: &Memory| start * (memory.bytes / self.units);
        let addresses: Vec<u64> = operands.iter().map(|memory| memory.device + at(memory) as u64).collect();
        self.up.before_call(self.op)?;
        let (src, bytes) = (out.device + at(out) as u64, count * (out.bytes / self.units));
        work(&addresses, src, count)?;
        let Some((ptr, _)) = out.host else { return Ok(()) };
        self.down.after_call(self.op)?;
        let dst = ptr.wrapping_add(at(out));
        self.gpu.with(self.op, ErrorCode::CopyFailed, || match down {
            // SAFETY: as in `bring`, the other way round. Sources at the same place have been read: results come after them.
            Some(down) => unsafe { down.push(dst, src, bytes) },
            // SAFETY: as above.
            None => unsafe { driver::copy_to_host(dst, src, bytes, self.down.stream()) },
        })
    }
}
