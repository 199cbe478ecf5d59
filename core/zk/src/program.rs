//! Programs: arithmetic circuits over vectors, executed position by position.
//!
//! A [`Symbol`] is a value of a circuit. A [`Program`] gives new values to its parameters: parameter `i` starts as
//! `Symbol::input(i)`, and executing the program replaces, at every position, the element of each vector whose symbol is
//! no longer its own input. All new values are computed from the old ones. Programs know no field: constants are bytes,
//! read as elements of whichever field executes.

pub(crate) mod compile;
pub(crate) mod predefined;
pub(crate) mod symbol;

pub use crate::args::program::ExecuteArgs;
pub use compile::{Instruction, Opcode, Program};
pub use predefined::Predefined;
pub use symbol::Symbol;

use crate::args::vector::VectorConfig;
use crate::dispatch::on_device;
use icicle_device::Dst;
use icicle_device::check::{count_for, need_dst};
use icicle_error::reserve::{collected, with_capacity};
use icicle_error::{Error, Result};
use icicle_params::FieldId;
use icicle_runtime::choose;

/// Execute a program at every position of `vectors`, one vector for each parameter.
///
/// Shapes: each vector holds `n` elements times `batch`, in any layout. The vectors of changed parameters are
/// overwritten, the others only read. Encoding: canonical. Aliasing: none, vectors are pairwise disjoint.
///
/// # Errors
/// `InvalidArgument` for another number of vectors than parameters, lengths that do not match, vectors that overlap, or
/// constants shorter than an element; `InvalidPointer` for memory on another device.
pub fn execute(
    field: FieldId,
    program: &Program,
    vectors: &mut [Dst<'_>],
    n: usize,
    config: &VectorConfig,
) -> Result<()> {
    let op = "execute_program";
    if config.batch == 0 {
        return Err(Error::argument(op, "batch_size 0: must be at least 1"));
    }
    let n = count_for(op, "vectors", n, config.batch)?;
    let bytes = field.info().bytes();
    if vectors.len() != program.parameters() {
        return Err(Error::argument(
            op,
            format!("{} vectors: the program has {} parameters", vectors.len(), program.parameters()),
        ));
    }
    for (i, vector) in vectors.iter().enumerate() {
        need_dst(op, &format!("vector {i}"), vector, n, bytes)?;
    }
    if let Some(short) = program.constants().iter().find(|c| c.len() < bytes) {
        return Err(Error::argument(
            op,
            format!("constant of {} bytes: elements of {} have {bytes}", short.len(), field.name()),
        ));
    }
    disjoint_pairwise(op, vectors)?;
    let operands = collected(op, vectors.iter().map(Dst::operand))?;
    let exec = choose(op, &config.launch, &operands)?;
    let args = ExecuteArgs { field, n, program, vectors };
    on_device!(&exec, program::execute(&args))
}

fn disjoint_pairwise(op: &'static str, vectors: &[Dst<'_>]) -> Result<()> {
    let mut order = with_capacity(op, vectors.len())?;
    order.extend((0..vectors.len()).filter(|&i| vectors[i].bytes() > 0));
    order.sort_unstable_by_key(|&i| vectors[i].as_ptr() as usize);
    for pair in order.windows(2) {
        let (low, high) = (&vectors[pair[0]], &vectors[pair[1]]);
        if low.as_ptr() as usize + low.bytes() > high.as_ptr() as usize {
            return Err(Error::argument(op, format!("vectors {} and {} overlap: must be disjoint", pair[0], pair[1])));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
