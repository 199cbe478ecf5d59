//! Programs over a group: every device executes the program at its positions.

use super::parts::takes_part;
use crate::program::{self, Program};
use crate::vector::VectorConfig;
use icicle_device::{Device, Dst};
use icicle_error::reserve::listed;
use icicle_error::{Error, Result};
use icicle_params::FieldId;
use icicle_runtime::slots::Slots;
use icicle_runtime::{DeviceGroup, Sharded};

/// Execute a program at every position of sharded vectors, one for each parameter, all in the same places. Otherwise as
/// [`crate::program::execute`].
///
/// # Errors
/// As there; an error of a device names it. `InvalidArgument` if vectors lie in different places or on another group's devices.
pub fn execute(group: &DeviceGroup, field: FieldId, program: &Program, vectors: &mut [&mut Sharded]) -> Result<()> {
    let op = "execute_program";
    let bytes = field.info().bytes();
    let Some((layout, ranges)) = vectors.first().map(|first| (first.layout(), first.ranges().to_vec())) else {
        return match program.parameters() {
            0 => Ok(()),
            count => Err(Error::argument(op, format!("0 vectors: the program has {count} parameters"))),
        };
    };
    if vectors.len() != program.parameters() {
        let (got, need) = (vectors.len(), program.parameters());
        return Err(Error::argument(op, format!("{got} vectors: the program has {need} parameters")));
    }
    for (i, vector) in vectors.iter().enumerate() {
        let arg = format!("vector {i}");
        vector.of(op, &arg, group)?;
        if vector.element_bytes() != bytes {
            let got = vector.element_bytes();
            return Err(Error::argument(op, format!("{arg} of elements of {got} bytes: must be of {bytes}")));
        }
        if (vector.layout(), vector.ranges()) != (layout, &ranges[..]) {
            return Err(Error::argument(op, format!("{arg}: must lie in the same places as vector 0")));
        }
    }
    let slots = vectors.iter_mut().map(|vector| Slots::new(vector.parts_mut().iter_mut().map(Dst::from)));
    let slots = listed(op, slots)?;
    let run = |_: Device, position: usize| {
        let mut own = listed(op, slots.iter().map(|slots| slots.take(position)))?;
        program::execute(field, program, &mut own, ranges[position].len(), &VectorConfig::default())
    };
    group.on_some(takes_part(&ranges), run).map(|_| ())
}
